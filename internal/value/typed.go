package value

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
)

// Typed keeps values of the type S. It takes and returns them as *S; nil is not a value. It is immutable and safe for
// concurrent use.
type Typed[S any] struct {
	root  codec
	self  field  // S itself as a field, for merges
	cells []cell // all of S, where that is simple
	whole bool   // assigning copies all that is kept, and shares nothing
	flat  bool
	code  bool
	share bool
	leads bool // values lead to memory that others may hold, and that may be changed in place
	limit int
}

// For takes the type S apart. The error is an *Error with the Go path of what no journal can hold ("Ticket.Done: a
// channel has no JSON form"), of what could be written and not read back, or of a merge rule that does not fit.
func For[S any]() (*Typed[S], error) {
	t := reflect.TypeFor[S]()
	c := &compiler{made: make(map[variant]*link)}
	root, err := c.compile(t, true, rootName(t))
	if err != nil {
		return nil, err
	}
	self := field{codec: root, merge: &merging{typ: t}}
	c.levels()
	k := &Typed[S]{root: root, self: self, flat: frozen(t), code: c.code, limit: defaultLimit}
	k.whole = k.flat && whole(t)
	k.leads = leads(root)
	if cells, all := root.cells(0, nil); all {
		k.cells = cells
	}
	return k, nil
}

func rootName(t reflect.Type) string {
	if t.Name() != "" {
		return t.Name()
	}
	return t.String()
}

// WithLimit returns a copy that refuses encodings and deltas of more than so many bytes. Defaults to 64 MiB.
func (k *Typed[S]) WithLimit(bytes int) *Typed[S] {
	c := *k
	c.limit = bytes
	return &c
}

// Sharing returns a codec whose copies share what is in lists and maps and behind pointers. It is for values that nobody
// changes in place: assigning a field and appending are no such changes, s.List[0] = x and s.Map["a"] = x are. Then copying
// costs what the fields of the struct cost, and comparing what has changed, however large the rest is.
func (k *Typed[S]) Sharing() *Typed[S] {
	c := *k
	c.share, c.leads = true, false
	return &c
}

// pass is a walk over a value.
func (k *Typed[S]) pass() *pass {
	p := newPass(k.limit)
	p.share = k.share
	return p
}

// Flat reports whether S has no maps, slices, pointers or interfaces. Then assigning a value copies it.
func (k *Typed[S]) Flat() bool { return k.flat }

// Own reports whether some type within S writes or reads its JSON by methods of its own.
func (k *Typed[S]) Own() bool { return k.code }

// Encode gives the value as encoding/json writes it.
func (k *Typed[S]) Encode(value any) (data []byte, err error) {
	v, err := k.value(value)
	if err != nil {
		return nil, err
	}
	p := k.pass()
	defer k.recover(v, &err)
	p.expect(k.root, unsafe.Pointer(v))
	k.root.write(p, unsafe.Pointer(v))
	if err := k.check(p, v); err != nil {
		return nil, err
	}
	data = p.result()
	p.release()
	return data, nil
}

// Decode makes a value from JSON. Numbers in interfaces become json.Number.
func (k *Typed[S]) Decode(data []byte) (any, error) {
	v := new(S)
	if err := decodeJSON(data, v); err != nil {
		return nil, unreadable(rootName(reflect.TypeFor[S]()), err)
	}
	return v, nil
}

// Copy makes a deep copy of all that is kept of the value (law N9). It fails where it meets what cannot be kept, but
// does not look for it: Encode and Delta do.
func (k *Typed[S]) Copy(value any) (next any, err error) {
	v, err := k.value(value)
	if err != nil {
		return nil, err
	}
	c := new(S)
	if k.whole {
		*c = *v
		return c, nil
	}
	p := k.pass()
	defer k.recover(v, &err)
	k.root.copy(p, unsafe.Pointer(c), unsafe.Pointer(v))
	if err := k.check(p, v); err != nil {
		return nil, err
	}
	p.release()
	return c, nil
}

// Delta compares a value with a snapshot, and returns the changes and the next snapshot. The snapshot must come
// from Delta, Copy or Decode, and is used up; nil is a snapshot of nothing. Without changes the delta is nil.
// The next snapshot shares no mutable memory with the value. After an error the old snapshot is unchanged.
func (k *Typed[S]) Delta(snapshot, value any) (delta []byte, next any, err error) {
	return k.compare(snapshot, value, nil)
}

func (k *Typed[S]) strictly(snapshot, value any, to *deltas) (delta []byte, next any, err error) {
	return k.compare(snapshot, value, to)
}

// compare is Delta. With memory to write to, it fails where it meets a text that is no UTF-8.
func (k *Typed[S]) compare(snapshot, value any, to *deltas) (delta []byte, next any, err error) {
	v, err := k.value(value)
	if err != nil {
		return nil, nil, err
	}
	if snapshot == nil {
		return k.first(v, to != nil)
	}
	old, err := k.value(snapshot)
	if err != nil {
		return nil, nil, err
	}
	if old == v && unsafe.Sizeof(*v) > 0 { // values without a size may all have one address
		return nil, nil, &Error{rootName(reflect.TypeFor[S]()), "the value is its own snapshot: changes cannot be seen"}
	}
	if k.cells != nil && sameCells(k.cells, unsafe.Pointer(old), unsafe.Pointer(v)) {
		return nil, snapshot, nil
	}
	p := k.pass()
	p.writeTo(to)
	defer k.recover(v, &err)
	if k.root.delta(p, unsafe.Pointer(old), unsafe.Pointer(v)); p.large() && canonical.Measure(reflect.ValueOf(v), k.limit) == nil {
		return k.first(v, to != nil) // of many changes, the whole may take less
	}
	if err := k.check(p, v); err != nil {
		return nil, nil, err
	}
	if to != nil && p.odd {
		return nil, nil, errNotFinal
	}
	delta = to.result(p)
	if k.share { // the snapshot may be a part of other values
		made := new(S)
		p.forget(0)
		k.root.copy(p, unsafe.Pointer(made), unsafe.Pointer(v))
		snapshot = made
	} else {
		p.apply()
	}
	if err := k.check(p, v); err != nil {
		return nil, nil, err
	}
	p.release()
	return delta, snapshot, nil
}

// first is the delta that makes the value out of nothing.
func (k *Typed[S]) first(v *S, strict bool) (delta []byte, next any, err error) {
	p := k.pass()
	defer k.recover(v, &err)
	p.expect(k.root, unsafe.Pointer(v))
	k.root.write(p, unsafe.Pointer(v))
	if err := k.check(p, v); err != nil {
		return nil, nil, err
	}
	if strict && p.odd {
		return nil, nil, errNotFinal
	}
	made := new(S)
	k.root.copy(p, unsafe.Pointer(made), unsafe.Pointer(v))
	if err := k.check(p, v); err != nil {
		return nil, nil, err
	}
	p.insert(0, "[0,")
	p.buf = append(p.buf, ']')
	delta = p.result()
	p.release()
	return delta, made, nil
}

func (k *Typed[S]) value(v any) (*S, error) {
	if s, ok := v.(*S); ok && s != nil {
		return s, nil
	}
	t := reflect.TypeFor[S]()
	found := "nil"
	if v != nil {
		found = fmt.Sprintf("%T", v)
		if reflect.TypeOf(v) == reflect.PointerTo(t) {
			found += "(nil)"
		}
	}
	return nil, &Error{rootName(t), fmt.Sprintf("expected a *%s, found %s", t, found)}
}

// check says where the value failed, if it did.
func (k *Typed[S]) check(p *pass, v *S) error {
	if len(p.buf) > p.limit {
		p.tooLarge()
	}
	if p.err == nil {
		return nil
	}
	return locate(p.err, reflect.ValueOf(v), goPath(rootName(reflect.TypeFor[S]())))
}

// recover turns a panic of a type's own method into an error. Only such types can panic.
func (k *Typed[S]) recover(v *S, err *error) {
	if !k.code {
		return
	}
	if r := recover(); r != nil {
		f := &failure{reason: fmt.Sprintf("its own code panicked: %v", r)}
		*err = locate(f, reflect.ValueOf(v), goPath(rootName(reflect.TypeFor[S]())))
	}
}
