package value

import (
	"encoding/json"
	"reflect"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
)

// This file makes values canonical: equal to their decoded JSON (law N10). A look finds the differences. It
// mends those in the value's own memory. Memory behind pointers and in lists, maps and interfaces may be
// shared, so a difference there makes it encode and decode the whole value.

// level is how far a look has to go into values of a type.
type level uint8

const (
	exact level = iota // each value is what its JSON gives
	texts              // each is, once its texts are UTF-8 and its numbers finite: Delta finds out where it writes them
	loose              // a look is needed
)

// look is one walk over a value.
type look struct {
	all   bool // texts are looked at, too
	share bool // what is in lists and maps and behind pointers is never changed in place
	own   bool // what is looked at may be changed
	limit int  // bytes of JSON, for what is encoded on the way
	odd   bool // something is not canonical
	free  bool // something in an interface is not, which a copy mends
	dirty bool // something was not, and was mended
	err   *failure
	depth int
	known *Known // nil for an element of a persistent list or map
}

func (l *look) enter() bool {
	if l.depth++; l.depth > maxDepth && l.err == nil {
		l.err = &failure{reason: "nested more than 10,000 levels deep"}
	}
	return l.err == nil
}

func (l *look) leave() { l.depth-- }

func (l *look) fail(reason string) {
	if l.err == nil {
		l.err = &failure{reason: reason}
	}
}

// away is what is behind a pointer, or in a list, map or interface.
func (l *look) away() (back bool) {
	back, l.own = l.own, false
	return back
}

// wants reports whether values of a level are looked at.
func (l *look) wants(v level) bool { return v == loose || l.all && v == texts }

func (l *look) valid(s string) bool {
	if len(s) >= longText && l.known != nil {
		if n := l.known.seen.skip(unsafe.Pointer(unsafe.StringData(s)), len(s)); n == len(s) {
			return true
		}
	}
	if utf8.ValidString(s) {
		return true
	}
	if l.dirty = true; l.known == nil {
		return false
	}
	l.known.seen.forget() // it may be met again
	return false
}

func (boolean) level() level               { return exact }
func (boolean) look(*look, unsafe.Pointer) {}

func (number[T]) level() level {
	switch any(T(0)).(type) {
	case float32, float64:
		return texts
	}
	return exact
}

func (number[T]) look(l *look, at unsafe.Pointer) {
	if f := float64(*(*T)(at)); !isFinite(f) {
		l.fail(notFinite(f))
	}
}

func (str) level() level { return texts }

func (str) look(l *look, at unsafe.Pointer) {
	s := (*string)(at)
	if !l.all || l.valid(*s) {
		return
	}
	if l.own {
		*s, l.dirty = canonical.Text(*s), true
		return
	}
	l.odd = true
}

func (numeral) level() level { return loose }

func (numeral) look(l *look, at unsafe.Pointer) {
	n := (*json.Number)(at)
	text, ok := numeralText(*n)
	switch {
	case !ok:
		l.fail(badNumeral(*n))
	case text == string(*n):
	case l.own:
		*n, l.dirty = json.Number(text), true
	default:
		l.odd = true
	}
}

func (octets) level() level               { return exact }
func (octets) look(*look, unsafe.Pointer) {}

func (l *link) level() level { return l.reach }

func (raw) level() level { return loose }

func (raw) look(l *look, at unsafe.Pointer) {
	v := (*json.RawMessage)(at)
	if len(*v) > l.limit && canonical.Compact(*v) > l.limit {
		l.err = &failure{large: true, limit: l.limit}
		return
	}
	text, err := json.Marshal(*v)
	switch {
	case err != nil:
		l.fail("expected JSON in the json.RawMessage: " + err.Error())
	case string(text) == string(*v):
	case l.own:
		*v, l.dirty = text, true
	default:
		l.odd = true
	}
}

func (sealed) level() level { return texts }

func (c sealed) look(l *look, at unsafe.Pointer) {
	if !c.isNil(at) {
		l.fail(c.reason())
	}
}

func (c *pointer) level() level {
	if nullable(c.elem) && !c.present {
		return loose
	}
	return c.elem.level()
}

func (c *pointer) look(l *look, at unsafe.Pointer) {
	to := *(*unsafe.Pointer)(at)
	if to == nil || l.share && l.known.seen.skip(to, 1) == 1 {
		return
	}
	if !c.present && isNull(c.elem, to) { // null is read as no pointer at all
		if l.own {
			*(*unsafe.Pointer)(at), l.dirty = nil, true
		} else {
			l.odd = true
		}
		return
	}
	if l.wants(c.elem.level()) && l.enter() {
		own := l.away()
		c.elem.look(l, to)
		l.own = own
	}
	l.leave()
}

// nullable reports whether a value that is there may be written as null.
func nullable(c codec) bool {
	switch c := unlink(c).(type) {
	case *pointer, *list, *mapping, object, slot, octets, raw, sealed, *coded:
		return true
	case quoted:
		return nullable(c.codec)
	case nil:
		return false // a type that contains itself: it is no record
	}
	return isTable(c)
}

func isTable(c codec) bool {
	switch unlink(c).(type) {
	case table[string], table[bool], table[int], table[int64]:
		return true
	}
	return false
}

// isNull reports whether a value is written as null.
func isNull(c codec, at unsafe.Pointer) bool {
	switch c := unlink(c).(type) {
	case *pointer:
		to := *(*unsafe.Pointer)(at)
		return to == nil || isNull(c.elem, to)
	case *list, *mapping, object, octets:
		return *(*unsafe.Pointer)(at) == nil
	case raw:
		v := *(*json.RawMessage)(at)
		return v == nil || string(v) == "null"
	case slot:
		return isNullAny(*(*any)(at))
	case sealed:
		return c.isNil(at)
	case *coded:
		text, err := json.Marshal(reflect.NewAt(c.typ, at).Interface())
		return err == nil && string(text) == "null"
	case quoted:
		return isNull(c.codec, at)
	}
	return isTable(c) && *(*unsafe.Pointer)(at) == nil
}

func isNullAny(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool, string, json.Number:
		return false
	case map[string]any:
		return v == nil
	case []any:
		return v == nil
	}
	text, err := json.Marshal(v)
	return err == nil && string(text) == "null"
}

func (*coded) level() level { return loose }

func (c *coded) look(l *look, at unsafe.Pointer) {
	if c.typ == reflect.TypeFor[time.Time]() {
		lookTime(l, (*time.Time)(at))
		return
	}
	v := reflect.NewAt(c.typ, at)
	text, back, reason := c.again(v.Interface())
	switch {
	case reason != "":
		l.fail(reason)
		return
	case reflect.DeepEqual(back.Elem().Interface(), v.Elem().Interface()):
		return
	}
	if err := canonical.OddTime(v.Elem()); err != nil {
		l.fail(err.Error())
		return
	}
	switch second, _, reason := c.again(back.Interface()); {
	case reason != "":
		l.fail(reason)
	case string(second) != string(text):
		l.fail("its own code does not read back what it writes: it wrote " + clip(text) + ", read that, and then wrote " + clip(second))
	case l.own:
		v.Elem().Set(back.Elem())
		l.dirty = true
	default:
		l.odd = true
	}
}

// again writes a value by its own code and reads it back.
func (c *coded) again(v any) (text []byte, back reflect.Value, reason string) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, back, err.Error()
	}
	back = reflect.New(c.typ)
	if err := canonical.Decode(text, back.Interface()); err != nil {
		return nil, back, "what its own code writes cannot be read back: " + err.Error()
	}
	return text, back, ""
}

// clip is enough of a text for an error.
func clip(text []byte) string {
	const most = 80
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

func lookTime(l *look, t *time.Time) {
	if canonical.IsTime(*t) && t.Year() >= 0 && t.Year() <= 9999 {
		return
	}
	if _, err := t.MarshalJSON(); err != nil {
		l.fail(err.Error())
		return
	}
	if _, offset := t.Zone(); offset%60 != 0 {
		l.fail(canonical.OddOffset(*t))
		return
	}
	if l.own {
		*t, l.dirty = canonical.Time(*t), true
		return
	}
	l.odd = true
}
