package value

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/fermata-go/fermata/plan"
)

// This file brings values into their final form: see look.go.

// begin makes ready for a look.
func (k *Known) begin(all, share, own bool, limit int) *look {
	if all && !k.thorough { // what was noted may have texts that nobody looked at
		k.seen.forget()
	}
	k.seen.next()
	k.held.next()
	k.thorough = all
	k.look = look{all: all, share: share, own: own, limit: limit, known: k}
	return &k.look
}

// end is what a look has found: whether to encode and decode the value, or to copy it.
func (k *Known) end() (odd, free bool, err *failure) {
	l := &k.look
	if l.odd || l.free || l.dirty || l.err != nil { // what was noted on the way is not canonical
		k.seen.forget()
	}
	return l.odd, l.free, l.err
}

// Finalize returns the value as Decode returns it after Encode (law N10). It fails for a value that cannot be
// stored (law N8). Without all, it skips texts and numbers that Delta checks anyway. With own it may change the
// value's own memory, but nothing behind pointers. The result shares no memory with others, unless the codec
// shares.
func (k *Typed[S]) Finalize(value any, known *Known, all, own bool) (final any, err error) {
	final, lent, err := k.finalOrLent(value, known, all, own)
	if err == nil && lent {
		return k.Copy(final)
	}
	return final, err
}

// finalOrLent is Finalize, but for the copy of a value that only needs one because others may hold its memory: it is lent then,
// and final is the value itself.
func (k *Typed[S]) finalOrLent(value any, known *Known, all, own bool) (final any, lent bool, err error) {
	r := k.root.level()
	looks := r == loose || r == texts && all
	if !looks && !k.leads {
		return value, false, nil
	}
	v, err := k.value(value)
	if err != nil {
		return nil, false, err
	}
	defer k.recover(v, &err)
	odd, free := false, false
	if looks {
		var failed *failure
		k.root.look(known.begin(all, k.share, own, k.limit), unsafe.Pointer(v))
		if odd, free, failed = known.end(); failed != nil {
			return nil, false, locate(failed, reflect.ValueOf(v), goPath(rootName(reflect.TypeFor[S]())))
		}
	}
	switch shared := k.leads && isShared(k.root, unsafe.Pointer(v)); {
	case odd:
		final, err = again(k, value)
		return final, false, err
	case free || shared && k.code: // its own code may write something else the next time
		whole := *k
		whole.share = false
		final, err = whole.Copy(value)
		return final, false, err
	default:
		return value, shared, nil
	}
}

// again encodes and decodes a value.
func again(k plan.Codec, value any) (any, error) {
	data, err := k.Encode(value)
	if err != nil {
		return nil, err
	}
	return k.Decode(data)
}

// Finalize does what [Typed.Finalize] does, but may share memory. Readers of a dataflow's value copy it.
func (k *Struct) Finalize(value any, known *Known, all, own bool) (final any, err error) {
	r := k.root.level()
	if r == exact || r == texts && !all {
		return value, nil
	}
	at, err := k.value(value)
	if err != nil {
		return nil, err
	}
	defer k.recover(at, &err)
	k.root.look(known.begin(all, k.share, own, k.limit), at)
	odd, free, failed := known.end()
	switch {
	case failed != nil:
		return nil, memberPath(k.typ, locate(failed, reflect.NewAt(k.typ, at), goPath(rootName(k.typ))))
	case odd:
		return again(k, value)
	case free:
		whole := *k
		whole.share = false
		return whole.Copy(value)
	}
	return value, nil
}

// finalOrLent is Finalize: none of its values are lent.
func (k *Struct) finalOrLent(value any, known *Known, all, own bool) (final any, lent bool, err error) {
	final, err = k.Finalize(value, known, all, own)
	return final, false, err
}

// Finalize is what [Typed.Finalize] is, for objects.
func (k *Objects) Finalize(value any, known *Known, all, own bool) (final any, err error) {
	final, lent, err := k.finalOrLent(value, known, all, own)
	if err == nil && lent {
		return k.Copy(final)
	}
	return final, err
}

// finalOrLent is what [Typed.finalOrLent] is, for objects.
func (k *Objects) finalOrLent(value any, known *Known, all, _ bool) (final any, lent bool, err error) {
	v, err := asObject(value)
	if err != nil {
		return nil, false, err
	}
	defer recoverObject(v, &err)
	if k.share {
		final, err = k.finalizeShared(v, known)
		return final, false, err
	}
	known.begin(all, false, false, k.limit).lookMap(v)
	odd, free, failed := known.end()
	switch {
	case failed != nil:
		return nil, false, locate(failed, reflect.ValueOf(v), pointerPath)
	case odd:
		final, err = again(k, v)
	case free:
		final, err = k.Copy(v)
	default:
		return v, true, nil
	}
	return final, false, err
}

// errNotFinal reports that Change met a text that is no UTF-8.
var errNotFinal = errors.New("the value has texts that are not UTF-8")

// Changer is a codec of this package.
type Changer interface {
	plan.Codec
	Finalize(value any, known *Known, all, own bool) (final any, err error)
	finalOrLent(value any, known *Known, all, own bool) (final any, lent bool, err error)
	strictly(snapshot, value any, to *deltas) (delta []byte, next any, err error)
}

// Lend returns a copy that leads to the memory of the value. Nobody may change that as long as the copy is used. It is for
// merging, which assigns and changes nothing in place. Values with code of their own are copied in full.
func Lend(codec plan.Codec, value any) (any, error) {
	if k, ok := codec.(interface{ lend(value any) (any, error) }); ok {
		return k.lend(value)
	}
	return codec.Copy(value)
}

func (k *Typed[S]) lend(value any) (any, error) {
	if k.code {
		return k.Copy(value)
	}
	return k.Sharing().Copy(value)
}

// Within returns a codec that refuses encodings and deltas above a size in bytes. A codec of another package
// stays as it is.
func Within(codec plan.Codec, bytes int) plan.Codec {
	if k, ok := codec.(interface{ within(bytes int) plan.Codec }); ok {
		return k.within(bytes)
	}
	return codec
}

func (k *Typed[S]) within(bytes int) plan.Codec {
	if k.limit == bytes {
		return k
	}
	return k.WithLimit(bytes)
}

func (k *Struct) within(bytes int) plan.Codec {
	if k.limit == bytes {
		return k
	}
	c := *k
	c.limit = bytes
	return &c
}

func (k *Objects) within(bytes int) plan.Codec {
	if k.limit == bytes {
		return k
	}
	return k.WithLimit(bytes)
}

// Change makes the caller's value canonical and compares it with a snapshot, as Delta does. final is nil where others may
// hold the value's memory: a node that takes the value then gets a copy of next, which is equal. The delta's memory is the
// caller's until it is given to [Known.Reuse].
func Change(k Changer, snapshot, value any, known *Known) (delta []byte, next, final any, err error) {
	final, lent, err := k.finalOrLent(value, known, false, true)
	if err != nil {
		return nil, nil, nil, err
	}
	delta, next, err = k.strictly(snapshot, final, &known.deltas)
	if errors.Is(err, errNotFinal) {
		if final, lent, err = k.finalOrLent(final, known, true, true); err != nil {
			return nil, nil, nil, err
		}
		delta, next, err = k.Delta(snapshot, final)
	}
	if lent {
		final = nil
	}
	return delta, next, final, err
}
