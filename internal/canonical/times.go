package canonical

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/persistent"
)

// OddTime finds a time whose offset has seconds, which JSON cannot write. The value is one that encoding/json has
// written. Times in values that write themselves are theirs, unless they do so by a time that they embed.
func OddTime(v reflect.Value) error {
	if !v.IsValid() {
		return nil
	}
	_, err := oddities(formOf(v.Type()), v)
	return err
}

// oddities finds a time whose offset has seconds, and says whether there are maps whose keys write themselves: two of
// them may have one name. The value is one that encoding/json has written.
func oddities(f *form, v reflect.Value) (keyed bool, err error) {
	if !f.odd {
		return false, nil
	}
	var s search
	at, odd := s.odd(f, v)
	if !odd {
		return s.keyed, nil
	}
	reason := OddOffset(at)
	if len(s.way) == 0 {
		return s.keyed, errors.New(reason)
	}
	var path strings.Builder
	for _, name := range s.way {
		path.WriteByte('/')
		path.WriteString(pointerName(name))
	}
	return s.keyed, fmt.Errorf("%s: %s", path.String(), reason)
}

// OddOffset says why JSON cannot hold a time whose offset has seconds.
func OddOffset(t time.Time) string {
	_, offset := t.Zone()
	return "the offset of the time is " + strconv.Itoa(offset) + " seconds, which JSON cannot hold: expected whole minutes; call UTC()"
}

// mayBeOdd reports whether values of a form have to be looked at for times and maps.
func (f *form) mayBeOdd(seen map[*form]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	switch f.is {
	case formFixed:
		return f.typ == timeType
	case formAny:
		return true
	case formOwn:
		return embedsTime(f.typ)
	case formMap:
		return f.key == nil || f.elem.mayBeOdd(seen)
	case formPointer, formList, formHeld:
		return f.elem.mayBeOdd(seen)
	case formStruct:
		for i := range f.members {
			if f.members[i].form.mayBeOdd(seen) {
				return true
			}
		}
	}
	return false
}

// embedsTime reports whether a type may write itself by the method of a time that it embeds.
func embedsTime(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	f, ok := t.FieldByName("Time")
	return ok && len(f.Index) == 1 && f.Anonymous && f.Type == timeType
}

// search walks over a value until it finds an odd time.
type search struct {
	way   []string
	keyed bool // there was a map whose keys write themselves
}

func (s *search) in(name string, f *form, v reflect.Value) (time.Time, bool) {
	s.way = append(s.way, name)
	at, odd := s.odd(f, v)
	if !odd {
		s.way = s.way[:len(s.way)-1]
	}
	return at, odd
}

func (s *search) odd(f *form, v reflect.Value) (at time.Time, odd bool) {
	if !f.odd {
		return at, false
	}
	switch f.is {
	case formFixed:
		return isOdd(v)
	case formOwn:
		if at, odd = isOdd(v.FieldByName("Time")); odd && !writesAs(v, at) {
			return at, false
		}
		return at, odd
	case formAny, formPointer:
		if v.IsNil() {
			return at, false
		}
		if f.is == formPointer {
			return s.odd(f.elem, v.Elem())
		}
		return s.odd(formOf(v.Elem().Type()), v.Elem())
	case formList:
		for i := 0; i < v.Len() && !odd; i++ {
			at, odd = s.in(strconv.Itoa(i), f.elem, v.Index(i))
		}
	case formHeld:
		for x := range persistent.Parts(v, f.plain) {
			name := x.Key
			if x.Index >= 0 {
				name = strconv.Itoa(x.Index)
			}
			if at, odd = s.in(name, f.elem, x.Value); odd {
				return at, odd
			}
		}
	case formMap:
		s.keyed = s.keyed || f.key == nil
		for each := v.MapRange(); !odd && each.Next(); {
			if f.typ.Key() == timeType {
				at, odd = isOdd(each.Key())
			}
			if !odd {
				at, odd = s.in(fmt.Sprint(each.Key()), f.elem, each.Value())
			}
		}
	case formStruct:
		for i := 0; i < len(f.members) && !odd; i++ {
			x := &f.members[i]
			if !x.form.odd {
				continue
			}
			if part, err := v.FieldByIndexErr(x.index); err == nil && !x.absent(part) {
				at, odd = s.in(x.step.Name, x.form, part)
			}
		}
	}
	return at, odd
}

func isOdd(v reflect.Value) (time.Time, bool) {
	if !v.CanInterface() {
		return time.Time{}, false
	}
	t := v.Interface().(time.Time) //nolint:forcetypeassert // it is one
	_, offset := t.Zone()
	return t, offset%60 != 0
}

// writesAs reports whether a value is written as the time that it embeds.
func writesAs(v reflect.Value, t time.Time) bool {
	if !v.CanInterface() {
		return false
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	its, err := json.Marshal(p.Interface())
	if err != nil {
		return false
	}
	text, err := json.Marshal(t)
	return err == nil && string(its) == string(text)
}
