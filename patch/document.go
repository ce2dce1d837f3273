package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what patches may make. Without them a short patch that copies a document into itself again and again would
// fill all memory.
const (
	maxDepth  = 10000    // levels, as encoding/json reads them
	maxCopied = 64 << 20 // bytes that the copies of one patch may take, about
)

// Document is a JSON value that is kept taken apart while patches are applied to it. An operation costs what it says
// and the length of its path: text that is appended is not copied again with what is there. Only an item that comes or
// goes in the middle of an array moves those behind it.
//
// The zero Document holds nothing: the first operation must be an add with the path "". A Document is not safe for
// concurrent use.
type Document struct {
	root *value

	undo   []func()  // takes back what the patch has done so far, the last first
	worn   []*object // have lost members
	copied int       // what this patch has copied
}

// New is an empty Document: the same as the zero one.
func New() *Document { return new(Document) }

// Parse makes a Document of a JSON text.
func Parse(doc []byte) (*Document, error) {
	root, err := parse(doc)
	if err != nil {
		return nil, err
	}
	return &Document{root: root}, nil
}

// JSON is the document's compact text, nil while there is none. It costs the size of the document, and is the
// caller's own.
func (d *Document) JSON() json.RawMessage {
	if d.root == nil {
		return nil
	}
	return d.root.json(nil)
}

// Apply applies a patch: all of it, or, with an *Error, nothing.
func (d *Document) Apply(p Patch) error {
	for i, op := range p {
		if err := d.applyAt(i, op); err != nil {
			for _, take := range slices.Backward(d.undo) {
				take()
			}
			d.commit()
			return err
		}
	}
	d.commit()
	return nil
}

// commit ends a patch: it can no longer be undone.
func (d *Document) commit() {
	for _, o := range d.worn {
		o.sweep()
	}
	clear(d.undo)
	clear(d.worn)
	d.undo, d.worn, d.copied = d.undo[:0], d.worn[:0], 0
}

func (d *Document) applyAt(i int, op Op) error {
	if err := d.apply(op); err != nil {
		return &Error{i, op.Op, op.Path, err.Error()}
	}
	return nil
}

func (d *Document) apply(op Op) error {
	switch op.Op {
	case Remove:
		return d.remove(op.Path)
	case Move:
		return d.move(op.From, op.Path)
	case Copy:
		source, err := d.at(op.From)
		if err != nil {
			return fmt.Errorf("from %q: %w", op.From, err)
		}
		copied, cost := source.clone()
		if d.copied += cost; d.copied > maxCopied {
			return fmt.Errorf("expected a patch that copies at most %d bytes, found more", maxCopied)
		}
		return d.add(op.Path, copied)
	case Add, Replace, Test, Append:
	default:
		return fmt.Errorf("expected the operation add, remove, replace, move, copy, test or append, found %q", op.Op)
	}
	if len(op.Value) == 0 {
		return errors.New("expected a value, found none")
	}
	v, err := parse(op.Value)
	if err != nil {
		return fmt.Errorf("the value: %w", err)
	}
	switch op.Op {
	case Add:
		return d.add(op.Path, v)
	case Replace:
		return d.replace(op.Path, v)
	case Append:
		return d.append(op.Path, v)
	}
	there, err := d.at(op.Path)
	if err != nil {
		return err
	}
	if !equal(there, v, false) {
		return fmt.Errorf("expected %s, found %s", shorten(string(v.json(nil))), shorten(string(there.json(nil))))
	}
	return nil
}

// at is the value at a path.
func (d *Document) at(path string) (*value, error) {
	v := d.root
	if v == nil {
		return nil, errors.New("expected a document, found none yet")
	}
	for rest, at := path, 0; rest != ""; {
		token, behind, err := next(rest)
		if err != nil {
			return nil, err
		}
		v, err = v.child(token, path[:at])
		if err != nil {
			return nil, err
		}
		at += len(rest) - len(behind)
		rest = behind
	}
	return v, nil
}

// parent is the value that holds the place of a path, which is not "", and the last token.
func (d *Document) parent(path string) (v *value, token string, err error) {
	last := strings.LastIndexByte(path, '/')
	if last < 0 {
		return nil, "", notPointer(path)
	}
	if v, err = d.at(path[:last]); err != nil {
		return nil, "", err
	}
	token, _, err = next(path[last:])
	return v, token, err
}

// next takes the first token off a pointer.
func next(pointer string) (token, rest string, err error) {
	if pointer[0] != '/' {
		return "", "", notPointer(pointer)
	}
	token = pointer[1:]
	if end := strings.IndexByte(token, '/'); end >= 0 {
		token, rest = token[:end], token[end:]
	}
	if strings.IndexByte(token, '~') < 0 {
		return token, rest, nil
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		switch {
		case token[i] != '~':
			b.WriteByte(token[i])
			continue
		case i+1 < len(token) && token[i+1] == '0':
			b.WriteByte('~')
		case i+1 < len(token) && token[i+1] == '1':
			b.WriteByte('/')
		default:
			return "", "", fmt.Errorf(`expected ~0 for "~" and ~1 for "/" in a path, found %q`, token)
		}
		i++
	}
	return b.String(), rest, nil
}

func notPointer(path string) error {
	return fmt.Errorf(`expected a path that is "" or begins with "/", found %q`, shorten(path))
}

// child follows one token; of is the path so far, for the error.
func (v *value) child(token, of string) (*value, error) {
	switch v.kind {
	case anObject:
		if found := v.obj.get(token); found != nil {
			return found, nil
		}
		return nil, fmt.Errorf("expected a member %q in the object at %q, found none", shorten(token), of)
	case anArray:
		i, err := index(token, len(v.items)-1, of)
		if err != nil {
			return nil, err
		}
		return v.items[i], nil
	default:
		return nil, fmt.Errorf("expected an object or an array at %q, found %s", of, v.what())
	}
}

// index reads the index of an array. No index is negative, and none begins with a 0 but 0 itself.
func index(token string, last int, of string) (int, error) {
	i, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(i) != token || i < 0 || i > last {
		if last < 0 {
			return 0, fmt.Errorf("expected an item in the array at %q, found that it is empty", of)
		}
		return 0, fmt.Errorf("expected an index from 0 to %d of the array at %q, found %q", last, of, shorten(token))
	}
	return i, nil
}

func (d *Document) later(undo func()) { d.undo = append(d.undo, undo) }

func (d *Document) setRoot(v *value) {
	old := d.root
	d.later(func() { d.root = old })
	d.root = v
}

func (d *Document) add(path string, v *value) error {
	if levels := strings.Count(path, "/"); levels+v.depth() > maxDepth {
		return fmt.Errorf("expected at most %d levels of nesting, found more", maxDepth)
	}
	if path == "" {
		d.setRoot(v)
		return nil
	}
	in, token, err := d.parent(path)
	if err != nil {
		return err
	}
	switch in.kind {
	case anObject:
		old := in.obj.set(token, v)
		d.later(func() {
			if old != nil {
				in.obj.set(token, old)
			} else {
				in.obj.unset(token)
			}
		})
	case anArray:
		i := len(in.items)
		if token != "-" {
			if i, err = index(token, i, above(path)); err != nil {
				return err
			}
		}
		in.items = slices.Insert(in.items, i, v)
		d.later(func() { in.items = slices.Delete(in.items, i, i+1) })
	default:
		return fmt.Errorf("expected an object or an array at %q, found %s", above(path), in.what())
	}
	return nil
}

// above is the path of what holds the place of a path.
func above(path string) string { return path[:strings.LastIndexByte(path, '/')] }

func (d *Document) remove(path string) error {
	if path == "" {
		return errors.New("expected a place in the document, found the whole, which can only be replaced")
	}
	in, token, err := d.parent(path)
	if err != nil {
		return err
	}
	old, err := in.child(token, above(path))
	if err != nil {
		return err
	}
	if in.kind == anObject {
		slot := in.obj.slot(token)
		in.obj.empty(slot)
		d.worn = append(d.worn, in.obj)
		d.later(func() { in.obj.refill(slot, old) })
		return nil
	}
	i, err := index(token, len(in.items)-1, above(path))
	if err != nil {
		return err
	}
	in.items = slices.Delete(in.items, i, i+1)
	d.later(func() { in.items = slices.Insert(in.items, i, old) })
	return nil
}

func (d *Document) replace(path string, v *value) error {
	there, err := d.at(path)
	if err != nil {
		return err
	}
	if levels := strings.Count(path, "/"); levels+v.depth() > maxDepth {
		return fmt.Errorf("expected at most %d levels of nesting, found more", maxDepth)
	}
	old := *there
	*there = *v
	d.later(func() { *there = old })
	return nil
}

func (d *Document) append(path string, v *value) error {
	there, err := d.at(path)
	if err != nil {
		return err
	}
	if v.kind != aString {
		return fmt.Errorf("expected text to append, found %s", v.what())
	}
	if there.kind != aString {
		return fmt.Errorf("expected a string to append to, found %s", there.what())
	}
	n := len(there.text)
	there.text = append(there.text, v.text...)
	d.later(func() { there.text = there.text[:n] })
	return nil
}

func (d *Document) move(from, to string) error {
	v, err := d.at(from)
	if err != nil {
		return fmt.Errorf("from %q: %w", from, err)
	}
	if from == to {
		return nil
	}
	if strings.HasPrefix(to, from+"/") {
		return fmt.Errorf("expected a place outside of the moved value, found one inside of %q", from)
	}
	if err := d.remove(from); err != nil {
		return fmt.Errorf("from %q: %w", from, err)
	}
	return d.add(to, v)
}
