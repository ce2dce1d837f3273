package patch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/jsontext"
)

// value is a JSON value, taken apart so that any place of it can be changed where it is.
type value struct {
	kind  kind
	text  []byte // of a string its characters; of a number, true, false and null what was written
	items []*value
	obj   *object
	size  int // bytes of the text that it was read from; not kept up to date, for Diff alone
}

type kind uint8

const (
	scalar kind = iota // number, true, false, null
	aString
	anArray
	anObject
)

func (v *value) what() string {
	switch {
	case v.kind == aString:
		return "a string"
	case v.kind == anArray:
		return "an array"
	case v.kind == anObject:
		return "an object"
	case v.text[0] == 'n':
		return "null"
	case v.text[0] == 't' || v.text[0] == 'f':
		return string(v.text)
	}
	return "the number " + shorten(string(v.text))
}

// object keeps its members in the order in which they came. One that was taken away leaves its slot behind, so that
// taking away many costs no more than there were; sweep closes the gaps.
type object struct {
	members []member
	index   map[string]int // slot by name; nil while there are few
	dead    int            // empty slots
}

type member struct {
	name  string
	value *value // nil in an empty slot
}

// few members are searched one by one.
const few = 8

func (o *object) slot(name string) int {
	if o.index != nil {
		if i, ok := o.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range o.members {
		if o.members[i].value != nil && o.members[i].name == name {
			return i
		}
	}
	return -1
}

func (o *object) get(name string) *value {
	if i := o.slot(name); i >= 0 {
		return o.members[i].value
	}
	return nil
}

// set replaces the member's value, or adds it behind all others, and returns the old value.
func (o *object) set(name string, v *value) (old *value) {
	if i := o.slot(name); i >= 0 {
		old, o.members[i].value = o.members[i].value, v
		return old
	}
	o.members = append(o.members, member{name, v})
	switch {
	case o.index != nil:
		o.index[name] = len(o.members) - 1
	case len(o.members) > few:
		o.reindex()
	}
	return nil
}

func (o *object) reindex() {
	o.index = make(map[string]int, len(o.members))
	for i, m := range o.members {
		if m.value != nil {
			o.index[m.name] = i
		}
	}
}

// unset takes back the last set of a member that was new.
func (o *object) unset(name string) {
	delete(o.index, name)
	o.members = o.members[:len(o.members)-1]
}

// empty takes a member out of its slot, and refill puts it back.
func (o *object) empty(slot int) {
	delete(o.index, o.members[slot].name)
	o.members[slot].value = nil
	o.dead++
}

func (o *object) refill(slot int, v *value) {
	m := &o.members[slot]
	m.value = v
	o.dead--
	if o.index != nil {
		o.index[m.name] = slot
	}
}

// sweep closes the gaps when more than half of the slots are empty.
func (o *object) sweep() {
	if o.dead*2 <= len(o.members) {
		return
	}
	o.members = slices.DeleteFunc(o.members, func(m member) bool { return m.value == nil })
	o.dead = 0
	if o.index != nil {
		o.reindex()
	}
}

func (o *object) len() int { return len(o.members) - o.dead }

// parse takes a JSON text apart.
func parse(text []byte) (*value, error) {
	if !json.Valid(text) {
		return nil, notJSON(text)
	}
	r := reader{text: text}
	return r.value(), nil
}

// notJSON says where a text stops being JSON.
func notJSON(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return errors.New("expected JSON, found nothing")
	}
	var v any
	err := json.Unmarshal(text, &v)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("expected JSON: at byte %d: %w", syntax.Offset, err)
	}
	return fmt.Errorf("expected JSON: %w", err)
}

// reader reads a text that is known to be JSON.
type reader struct {
	text []byte
	at   int
}

func (r *reader) space() {
	for r.at < len(r.text) && r.text[r.at] <= ' ' {
		r.at++
	}
}

func (r *reader) value() *value {
	r.space()
	from := r.at
	v := new(value)
	switch r.text[r.at] {
	case '{':
		v.kind, v.obj = anObject, new(object)
		for r.more('}') {
			name := string(r.string())
			r.space()
			r.at++ // the colon
			v.obj.set(name, r.value())
		}
	case '[':
		v.kind = anArray
		for r.more(']') {
			v.items = append(v.items, r.value())
		}
	case '"':
		v.kind, v.text = aString, r.string()
	default:
		for r.at < len(r.text) && !bytes.ContainsRune([]byte(" \t\n\r,]}"), rune(r.text[r.at])) {
			r.at++
		}
		v.text = bytes.Clone(r.text[from:r.at])
	}
	v.size = r.at - from
	return v
}

// more goes behind the opening bracket or the comma, and at the end behind the closing bracket.
func (r *reader) more(end byte) bool {
	c := r.text[r.at]
	if c == '[' || c == '{' {
		r.at++
		r.space()
		if r.text[r.at] == end {
			r.at++
			return false
		}
		return true
	}
	r.space()
	c = r.text[r.at]
	r.at++
	r.space()
	return c != end
}

// string reads a string's characters. What is no character (half of a surrogate pair, bytes that are not UTF-8) becomes
// U+FFFD, as encoding/json has it.
func (r *reader) string() []byte {
	from, plain := r.at, true
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			plain = false
			r.at++
		}
	}
	r.at++
	inner := r.text[from+1 : r.at-1]
	if plain && utf8.Valid(inner) {
		return bytes.Clone(inner)
	}
	var s string
	if err := json.Unmarshal(r.text[from:r.at], &s); err != nil {
		panic("patch: a string of valid JSON does not decode: " + err.Error()) // cannot be
	}
	return []byte(s)
}

// json appends the value's compact text.
func (v *value) json(to []byte) []byte {
	switch v.kind {
	case aString:
		return jsontext.Append(to, v.text)
	case anArray:
		to = append(to, '[')
		for i, item := range v.items {
			if i > 0 {
				to = append(to, ',')
			}
			to = item.json(to)
		}
		return append(to, ']')
	case anObject:
		to = append(to, '{')
		first := true
		for _, m := range v.obj.members {
			if m.value == nil {
				continue
			}
			if !first {
				to = append(to, ',')
			}
			first = false
			to = m.value.json(append(jsontext.Append(to, m.name), ':'))
		}
		return append(to, '}')
	default:
		return append(to, v.text...)
	}
}

// perValue is about how many bytes a value takes beside its text.
const perValue = 128

// clone copies the value, and reports about how many bytes that took.
func (v *value) clone() (c *value, cost int) {
	c = &value{kind: v.kind, text: bytes.Clone(v.text)}
	cost = perValue + len(v.text)
	for _, item := range v.items {
		inner, n := item.clone()
		c.items = append(c.items, inner)
		cost += n
	}
	if v.obj != nil {
		c.obj = new(object)
		for _, m := range v.obj.members {
			if m.value != nil {
				inner, n := m.value.clone()
				c.obj.set(m.name, inner)
				cost += n + len(m.name)
			}
		}
	}
	return c, cost
}

// depth is how many levels the value has, itself included.
func (v *value) depth() int {
	deepest := 0
	for _, item := range v.items {
		deepest = max(deepest, item.depth())
	}
	if v.obj != nil {
		for _, m := range v.obj.members {
			if m.value != nil {
				deepest = max(deepest, m.value.depth())
			}
		}
	}
	return deepest + 1
}

// equal compares two values. Exactly, numbers are equal that are written alike; else, those of one value are.
func equal(a, b *value, exactly bool) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case anArray:
		return slices.EqualFunc(a.items, b.items, func(x, y *value) bool { return equal(x, y, exactly) })
	case anObject:
		if a.obj.len() != b.obj.len() {
			return false
		}
		for _, m := range a.obj.members {
			if m.value == nil {
				continue
			}
			if other := b.obj.get(m.name); other == nil || !equal(m.value, other, exactly) {
				return false
			}
		}
		return true
	case aString:
		return bytes.Equal(a.text, b.text)
	default:
		return bytes.Equal(a.text, b.text) || !exactly && canonical.SameNumber(string(a.text), string(b.text))
	}
}

const longestShown = 60 // bytes

func shorten(s string) string {
	if len(s) <= longestShown {
		return s
	}
	end := longestShown - 10
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
