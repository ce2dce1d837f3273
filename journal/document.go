package journal

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/fermata-go/fermata/internal/jsontext"
)

// Document is a JSON value that deltas are applied to. Parts that no delta has touched stay text. So an edit deep in a
// large value costs what it changes, and appending to a long list or string costs what is appended.
//
// The zero Document is null. A Document is not safe for concurrent use; its clones are documents of their own.
type Document struct {
	root value
	me   *owner
	left *int64 // bytes that may still be taken, nil for any number; see ApplyWithin
}

// owner marks what a document may change in place.
type owner struct{ _ byte }

// value is a compact JSON text, or what became of it when a delta went into it.
type value struct {
	text   string
	branch *branch
}

// branch is an object, a list or a string that was opened. Only the document that owns it changes it; only the one
// that owns its contents changes what is in it already. Anyone may append behind the end of a list or string if
// nobody has before: room counts what is taken of the array that several documents share.
type branch struct {
	form  byte // '{', '[', '"'
	owner *owner

	contents *owner // of values or runes
	room     *atomic.Int64
	values   []value // of an object's members, or a list's elements
	runes    []byte  // a string's, as UTF-8

	shape *owner         // of names and index
	names []string       // of an object's members, in the order of their first appearance
	index map[string]int // of a large object's members
}

// ParseDocument makes a document of a JSON text, of which it keeps nothing. The error is a *JSONError.
func ParseDocument(text []byte) (*Document, error) {
	compact, err := compactText(text)
	if err != nil {
		return nil, err
	}
	return &Document{root: value{text: compact}}, nil
}

// Clone is a second document of the same value. It costs nothing: both share what neither has changed since.
func (d *Document) Clone() *Document {
	d.me = nil // from now on, all there is belongs to nobody
	return &Document{root: d.root}
}

// JSON is the document as compact text. Members stand in the order of their first appearance.
func (d *Document) JSON() []byte { return d.root.append(nil) }

func (v *value) append(dst []byte) []byte {
	b := v.branch
	switch {
	case b == nil && v.text == "":
		return append(dst, "null"...)
	case b == nil:
		return append(dst, v.text...)
	case b.form == '"':
		return jsontext.Append(dst, b.runes)
	}
	dst = append(dst, b.form)
	for i := range b.values {
		if i > 0 {
			dst = append(dst, ',')
		}
		if b.form == '{' {
			dst = append(jsontext.Append(dst, b.names[i]), ':')
		}
		dst = b.values[i].append(dst)
	}
	return append(dst, b.form+2) // ']' is '[' + 2, and '}' is '{' + 2
}

// form is the first byte of the value's text.
func (v *value) form() byte {
	switch {
	case v.branch != nil:
		return v.branch.form
	case v.text == "":
		return 'n'
	}
	return v.text[0]
}

// Apply changes the document by a delta, see Diff. The error is a *DeltaError, or a *JSONError when the delta is no
// JSON; after an error the document is a mixture of before and after, so clone it first if it is needed again.
func (d *Document) Apply(delta []byte) error {
	if len(delta) == 0 {
		return nil
	}
	text, err := compactText(delta)
	if err != nil {
		return err
	}
	if d.me == nil {
		d.me = &owner{}
	}
	return d.apply(&d.root, text, nil)
}

// ApplyWithin is Apply within a bound of memory, for a delta from outside. Such a delta may be short and change much: the
// memory that the document needs for it is taken from left, and where left is too small, the error is ErrTooLarge.
func (d *Document) ApplyWithin(delta []byte, left *int64) error {
	d.left = left
	defer func() { d.left = nil }()
	return d.Apply(delta)
}

func wrong(at *pointer, format string, args ...any) error {
	return &DeltaError{Path: at.String(), Reason: fmt.Sprintf(format, args...)}
}

// apply changes v, which lies where d may write.
func (d *Document) apply(v *value, delta string, at *pointer) error {
	var parts [4]string
	n := 0
	if delta[0] == '[' {
		for part := range elements(delta) {
			if n == len(parts) {
				n++
				break
			}
			parts[n] = part
			n++
		}
	}
	switch op := parts[0]; {
	case n == 2 && op == "0":
		*v = value{text: parts[1]}
		return nil
	case (n == 2 || n == 3) && op == "1":
		return d.applyObject(v, parts[1], parts[2], at)
	case n == 3 && op == "2":
		return d.applyList(v, "{}", parts[1], parts[2], at)
	case n == 4 && op == "3":
		return d.applyList(v, parts[1], parts[2], parts[3], at)
	case n == 3 && op == "4":
		return d.applyString(v, parts[1], parts[2], at)
	}
	return wrong(at, "expected a delta such as [0,value], found %s", excerpt(delta))
}

// excerpt is the beginning of a text, for an error.
func excerpt(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}

var forms = map[byte]string{'{': "an object", '[': "a list", '"': "a string", 't': "true", 'f': "false", 'n': "null"}

// open makes v a branch of that form that d may change.
func (d *Document) open(v *value, form byte, at *pointer) (*branch, error) {
	if found := v.form(); found != form {
		name, ok := forms[found]
		if !ok {
			name = "a number"
		}
		return nil, wrong(at, "the delta is for %s, found %s", forms[form], name)
	}
	switch b := v.branch; {
	case b == nil:
		if err := d.take(costOf(v.text)); err != nil {
			return nil, err
		}
		*v = value{branch: d.parse(v.text)}
	case b.owner != d.me:
		c := *b
		c.owner = d.me
		v.branch = &c
	}
	return v.branch, nil
}

func (d *Document) parse(text string) *branch {
	b := &branch{form: text[0], owner: d.me, contents: d.me, shape: d.me, room: &atomic.Int64{}}
	switch b.form {
	case '{':
		o := splitObject(text)
		b.names, b.index = o.names, o.index
		b.values = make([]value, len(o.values))
		for i, v := range o.values {
			b.values[i].text = v
		}
	case '[':
		for v := range elements(text) {
			b.values = append(b.values, value{text: v})
		}
		b.room.Store(int64(len(b.values)))
	default:
		b.runes = []byte(unquote(text))
		b.room.Store(int64(len(b.runes)))
	}
	return b
}

// detach makes the values of b d's own.
func (d *Document) detach(b *branch) error {
	if b.contents == d.me {
		return nil
	}
	if err := d.take(int64(len(b.values)) * valueSize); err != nil {
		return err
	}
	b.contents, b.room = d.me, &atomic.Int64{}
	b.values = slices.Clone(b.values)
	b.room.Store(int64(len(b.values)))
	return nil
}

// reshape makes the names of b d's own.
func (d *Document) reshape(b *branch) error {
	if b.shape == d.me {
		return nil
	}
	if err := d.take(int64(len(b.names)) * nameSize); err != nil {
		return err
	}
	b.shape = d.me
	b.names, b.index = slices.Clone(b.names), maps.Clone(b.index)
	return nil
}

func (b *branch) reindex() {
	b.index = nil
	if len(b.names) < small {
		return
	}
	b.index = make(map[string]int, len(b.names))
	for i, name := range b.names {
		b.index[name] = i
	}
}

func (b *branch) find(name string) int {
	o := object{names: b.names, index: b.index}
	return o.find(name)
}

func (d *Document) applyObject(v *value, edits, gone string, at *pointer) error {
	if edits[0] != '{' || (gone != "" && gone[0] != '[') {
		return wrong(at, `expected [1,{"name":delta},["name"]]`)
	}
	b, err := d.open(v, '{', at)
	if err != nil {
		return err
	}
	if err := d.detach(b); err != nil {
		return err
	}
	for name, delta := range members(edits) {
		here := &pointer{at, name}
		i := b.find(name)
		if i < 0 {
			if len(delta) < len("[0,0]") || delta[:3] != "[0," {
				return wrong(here, "there is no such member to change")
			}
			if err := errors.Join(d.reshape(b), d.take(2*(valueSize+nameSize))); err != nil {
				return err
			}
			i = b.add(name)
		}
		if err := d.apply(&b.values[i], delta, here); err != nil {
			return err
		}
	}
	if gone == "" || gone == "[]" {
		return nil
	}
	return d.remove(b, gone, at)
}

// remove takes the members of those names, a list as text, out of b.
func (d *Document) remove(b *branch, gone string, at *pointer) error {
	if err := d.reshape(b); err != nil {
		return err
	}
	out := make(map[int]bool)
	for name := range elements(gone) {
		if name[0] != '"' {
			return wrong(at, "expected the name of a member that is gone, found %s", excerpt(name))
		}
		i := b.find(unquote(name))
		if i < 0 || out[i] {
			return wrong(&pointer{at, unquote(name)}, "there is no such member to remove")
		}
		out[i] = true
	}
	n := 0
	for i := range b.names {
		if !out[i] {
			b.names[n], b.values[n] = b.names[i], b.values[i]
			n++
		}
	}
	clear(b.values[n:])
	clear(b.names[n:])
	b.names, b.values = b.names[:n], b.values[:n]
	b.reindex()
	return nil
}

// add makes a new member, null, at the end.
func (b *branch) add(name string) int {
	n := len(b.names)
	b.names, b.values = append(b.names, name), append(b.values, value{})
	if b.index != nil {
		b.index[name] = n
	} else {
		b.reindex()
	}
	return n
}

func (d *Document) applyList(v *value, edits, keep, tail string, at *pointer) error {
	if edits[0] != '{' || tail[0] != '[' {
		return wrong(at, `expected [2,keep,[value]] or [3,{"index":delta},keep,[value]]`)
	}
	b, err := d.open(v, '[', at)
	if err != nil {
		return err
	}
	n, err := count(keep, len(b.values), "elements", at)
	if err != nil {
		return err
	}
	if edits != "{}" {
		if err := d.detach(b); err != nil {
			return err
		}
	}
	for index, delta := range members(edits) {
		here := &pointer{at, index}
		i, err := strconv.Atoi(index)
		if err != nil || i < 0 || i >= n || strconv.Itoa(i) != index {
			return wrong(here, "expected an index below %d", n)
		}
		if err := d.apply(&b.values[i], delta, here); err != nil {
			return err
		}
	}
	if err := d.take(costOf(tail)); err != nil {
		return err
	}
	var added []value
	for text := range elements(tail) {
		added = append(added, value{text: text})
	}
	b.values, err = extend(d, b, b.values[:n], added, valueSize)
	return err
}

// extend appends to the values or runes of b, in place where nobody else looks.
func extend[T any](d *Document, b *branch, kept, added []T, size int64) ([]T, error) {
	n := int64(len(kept) + len(added))
	switch {
	case b.contents == d.me:
		if n > int64(cap(kept)) {
			if err := d.take(2 * n * size); err != nil {
				return kept, err
			}
		}
		b.room.Store(n)
		return append(kept, added...), nil
	case len(added) == 0:
		return kept, nil
	case cap(kept) >= int(n) && b.room.CompareAndSwap(int64(len(kept)), n):
		return append(kept, added...), nil
	}
	if err := d.take(max(2*int64(len(kept)), n) * size); err != nil {
		return kept, err
	}
	b.contents, b.room = d.me, &atomic.Int64{}
	b.room.Store(n)
	grown := make([]T, len(kept), max(2*len(kept), int(n)))
	copy(grown, kept)
	return append(grown, added...), nil
}

func (d *Document) applyString(v *value, keep, tail string, at *pointer) error {
	if tail[0] != '"' {
		return wrong(at, `expected [4,keep,"tail"]`)
	}
	b, err := d.open(v, '"', at)
	if err != nil {
		return err
	}
	n, err := count(keep, len(b.runes), "bytes", at)
	if err != nil {
		return err
	}
	if !runeEnd(b.runes, n) {
		return wrong(at, "byte %d is in the middle of a rune", n)
	}
	b.runes, err = extend(d, b, b.runes[:n], []byte(unquote(tail)), 1)
	return err
}

// count is how many of the things that there are a delta keeps.
func count(keep string, most int, what string, at *pointer) (int, error) {
	n, err := strconv.Atoi(keep)
	if err != nil || n < 0 || n > most {
		return 0, wrong(at, "the delta keeps %s of %d %s", excerpt(keep), most, what)
	}
	return n, nil
}
