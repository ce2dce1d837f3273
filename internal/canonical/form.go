package canonical

import (
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/fermata-go/fermata/internal/jsonfield"
	"github.com/fermata-go/fermata/internal/jsontext"
	"github.com/fermata-go/fermata/internal/persistent"
)

// form is what is known of the size of a type's JSON.
type form struct {
	typ     reflect.Type
	plain   reflect.Type // that holds the same, of a list or map of package state
	is      formKind
	most    int   // bytes that any value of the type takes at most; -1 where that is not to be said
	elem    *form // of lists, maps, pointers and quoted values
	key     *form // of the keys of maps; nil where they write themselves
	members []member
	least   int      // of a struct: what its members take at most that have a most, and the names of all
	varying []member // the others
	odd     bool     // values of the type may hold times, or maps whose keys write themselves; see oddities
	behind  bool     // a part that lies in the value itself has a method of its address that writes it
}

type formKind uint8

const (
	formNone    formKind = iota // encoding/json refuses it
	formOwn                     // by a method of its own
	formFixed                   // booleans, numbers, times
	formText                    // a string
	formQuoted                  // inside a string
	formNumber                  // a json.Number
	formRaw                     // a json.RawMessage
	formBytes                   // in base64
	formAny                     // an interface
	formPointer                 // these have parts
	formList
	formMap
	formStruct
	formHeld // a list or map of package state
)

// member is a member of a struct.
type member struct {
	index     []int
	step      Step
	form      *form
	name      int // how long it is, with quotes and a colon
	omitEmpty bool
	omitZero  bool
	ownZero   bool // it says itself whether it is zero
}

// absent reports whether a member is left out, or may be.
func (x *member) absent(v reflect.Value) bool {
	if x.omitZero && (x.ownZero || v.IsZero()) {
		return true
	}
	if !x.omitEmpty {
		return false
	}
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

var forms sync.Map // by type

func formOf(t reflect.Type) *form {
	if f, ok := forms.Load(t); ok {
		return f.(*form) //nolint:forcetypeassert // nothing else is put in
	}
	made := make(shaper)
	f := made.form(t)
	for _, each := range made {
		each.most = each.bound(make(map[*form]bool))
		each.odd = each.mayBeOdd(make(map[*form]bool))
		each.behind = each.writesBehind()
	}
	for _, each := range made {
		each.least = 2
		for _, x := range each.members {
			if each.least += x.name + 1; x.form.most >= 0 {
				each.least += x.form.most
			} else {
				each.varying = append(each.varying, x)
			}
		}
	}
	kept, _ := forms.LoadOrStore(t, f)
	return kept.(*form) //nolint:forcetypeassert // as above
}

// shaper makes forms, of a type that contains itself one.
type shaper map[reflect.Type]*form

func (s shaper) form(t reflect.Type) *form {
	if f := s[t]; f != nil {
		return f
	}
	f := &form{typ: t, most: -1}
	s[t] = f
	f.is = kindOf(t)
	if plain, ok := persistent.Plain(t); ok {
		f.is, f.plain, f.elem = formHeld, plain, s.form(plain.Elem())
		return f
	}
	switch f.is {
	case formPointer, formList:
		f.elem = s.form(t.Elem())
	case formMap:
		f.elem = s.form(t.Elem())
		switch k := t.Key(); {
		case k.Kind() == reflect.String:
			f.key = &form{typ: k, is: formText, most: -1}
		case k.Implements(methods[1]):
		default:
			f.key = &form{typ: k, is: formFixed, most: mostOf(k)}
		}
	case formStruct:
		f.members = s.members(t)
	}
	return f
}

func (s shaper) members(t reflect.Type) (list []member) {
	for _, x := range jsonfield.Of(t) {
		m := member{
			index: x.Index, form: s.form(x.Go.Type), omitEmpty: x.OmitEmpty, omitZero: x.OmitZero,
			name: jsontext.GoLength(x.Name, 6*len(x.Name)) + len(`"":`), step: Step{Name: x.Name, Index: -1},
		}
		if _, held := persistent.Plain(x.Go.Type); !held { // these are zero when they are empty
			_, m.ownZero = x.Go.Type.MethodByName("IsZero")
		}
		for _, f := range x.Path {
			m.step.Fields = append(m.step.Fields, f.Name)
		}
		if x.Quoted && (m.form.is == formFixed || m.form.is == formText) {
			m.form = &form{typ: x.Go.Type, is: formQuoted, most: -1, elem: m.form}
		}
		list = append(list, m)
	}
	return list
}

func kindOf(t reflect.Type) formKind {
	switch t {
	case reflect.TypeFor[time.Time]():
		return formFixed
	case reflect.TypeFor[json.Number]():
		return formNumber
	case reflect.TypeFor[json.RawMessage]():
		return formRaw
	}
	if t.Kind() == reflect.Interface {
		return formAny
	}
	for _, m := range methods[:2] {
		if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(m) {
			return formOwn
		}
	}
	switch k := t.Kind(); k {
	case reflect.String:
		return formText
	case reflect.Pointer:
		return formPointer
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && kindOf(t.Elem()) == formFixed {
			return formBytes
		}
		return formList
	case reflect.Array:
		return formList
	case reflect.Map:
		return formMap
	case reflect.Struct:
		return formStruct
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return formNone
	}
	return formFixed
}

// mostOf is how long a boolean, a number or a time can be.
func mostOf(t reflect.Type) int {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return len(`"2006-01-02T15:04:05.999999999-07:00"`)
	case t.Kind() == reflect.Bool:
		return len("false")
	}
	return len("-1.7976931348623157e+308")
}

// writesBehind reports whether encoding/json writes the value in another way where it knows its address: types whose method has a
// pointer receiver write themselves then only.
func (f *form) writesBehind() bool {
	switch f.is {
	case formOwn:
		for _, m := range methods[:2] {
			if !f.typ.Implements(m) && reflect.PointerTo(f.typ).Implements(m) {
				return true
			}
		}
	case formList:
		return f.typ.Kind() == reflect.Array && f.elem.writesBehind()
	case formStruct:
		for i := range f.members {
			if f.members[i].form.writesBehind() {
				return true
			}
		}
	}
	return false
}

// bound is most of a form.
func (f *form) bound(within map[*form]bool) int {
	if within[f] {
		return -1
	}
	within[f] = true
	defer delete(within, f)
	switch f.is {
	case formFixed:
		return mostOf(f.typ)
	case formPointer:
		if most := f.elem.bound(within); most >= 0 {
			return max(len("null"), most)
		}
	case formList:
		if f.typ.Kind() == reflect.Array {
			if most := f.elem.bound(within); most >= 0 {
				return 2 + f.typ.Len()*(most+1)
			}
		}
	case formStruct:
		sum := 2
		for _, x := range f.members {
			most := x.form.bound(within)
			if most < 0 {
				return -1
			}
			sum += most + x.name + 1
		}
		return sum
	case formQuoted:
		if most := f.elem.bound(within); most >= 0 {
			return most + 2
		}
	}
	return -1
}
