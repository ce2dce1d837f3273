package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/plan"
)

// Struct is a codec for a struct type that is only known at run time, as [Typed] is for static types. It takes
// and returns pointers to that struct. It is immutable and safe for concurrent use.
type Struct struct {
	typ   reflect.Type // of the struct
	root  codec        // of typ
	named []string     // of a record: the members, which may be there and null
	cells []cell
	whole bool
	code  bool
	share bool
	limit int // of an encoding, in bytes
}

var _ plan.Codec = (*Struct)(nil)

// OfStruct returns the codec of a struct type; see [For]. Fields of the struct itself that JSON drops are
// neither kept nor refused, since only the engine sees them.
func OfStruct(t reflect.Type) (*Struct, error) { return ofStruct(t, false) }

func ofStruct(t reflect.Type, lossy bool) (*Struct, error) {
	c := &compiler{made: make(map[variant]*link), top: true, lossy: lossy}
	root, err := c.compile(t, true, rootName(t))
	if err != nil {
		return nil, memberPath(t, err)
	}
	c.levels()
	k := &Struct{typ: t, root: root, code: c.code, limit: defaultLimit, whole: frozen(t) && whole(t)}
	if cells, all := root.cells(0, nil); all {
		k.cells = cells
	}
	return k, nil
}

// OfRecord returns the codec of a struct whose fields are pointers, nil for missing values. A present value may
// be null. Fields that JSON drops are not refused here: the structs around the values are checked.
func OfRecord(t reflect.Type) (*Struct, error) {
	k, err := ofStruct(t, true)
	if err != nil {
		return nil, err
	}
	r, _ := unlink(k.root).(*record)
	for _, fields := range [][]field{r.fields, r.others} {
		for i := range fields {
			if c, ok := unlink(fields[i].codec).(*pointer); ok {
				fields[i].codec = &pointer{typ: c.typ, elem: c.elem, present: true}
			}
		}
	}
	for _, f := range r.fields {
		k.named = append(k.named, f.merge.name)
	}
	(&compiler{records: []*record{r}}).levels()
	return k, nil
}

// restore makes the members of a record that are null values that are there.
func (k *Struct) restore(data []byte, v reflect.Value) error {
	if len(k.named) == 0 || !bytes.Contains(data, []byte("null")) {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	for i, name := range k.named {
		if f := v.Field(i); string(members[name]) == "null" && f.Kind() == reflect.Pointer {
			f.Set(reflect.New(f.Type().Elem()))
		}
	}
	return nil
}

// Sharing returns a codec whose copies share lists, maps and pointers; see [Typed.Sharing].
func (k *Struct) Sharing() *Struct {
	c := *k
	c.share = true
	return &c
}

// Type is the struct type.
func (k *Struct) Type() reflect.Type { return k.typ }

// Own reports whether some type within the struct writes or reads its JSON by methods of its own.
func (k *Struct) Own() bool { return k.code }

// Encode gives the value as encoding/json writes it.
func (k *Struct) Encode(value any) (data []byte, err error) {
	at, err := k.value(value)
	if err != nil {
		return nil, err
	}
	p := k.pass()
	defer k.recover(at, &err)
	p.expect(k.root, at)
	k.root.write(p, at)
	if err := k.check(p, at); err != nil {
		return nil, err
	}
	data = p.result()
	p.release()
	return data, nil
}

// Decode makes a value from JSON. Numbers in interfaces become json.Number.
func (k *Struct) Decode(data []byte) (any, error) {
	made := reflect.New(k.typ)
	err := decodeJSON(data, made.Interface())
	if err == nil {
		err = k.restore(data, made.Elem())
	}
	if err != nil {
		return nil, unreadable(rootName(k.typ), err)
	}
	return made.Interface(), nil
}

// Copy makes a deep copy of all that is kept of the value (law N9).
func (k *Struct) Copy(value any) (next any, err error) {
	at, err := k.value(value)
	if err != nil {
		return nil, err
	}
	made := reflect.New(k.typ)
	if k.whole {
		made.Elem().Set(reflect.NewAt(k.typ, at).Elem())
		return made.Interface(), nil
	}
	p := k.pass()
	defer k.recover(at, &err)
	k.root.copy(p, made.UnsafePointer(), at)
	if err := k.check(p, at); err != nil {
		return nil, err
	}
	p.release()
	return made.Interface(), nil
}

// Delta compares a value with a snapshot; see [Typed.Delta].
func (k *Struct) Delta(snapshot, value any) (delta []byte, next any, err error) {
	return k.compare(snapshot, value, nil)
}

func (k *Struct) strictly(snapshot, value any, to *deltas) (delta []byte, next any, err error) {
	return k.compare(snapshot, value, to)
}

func (k *Struct) compare(snapshot, value any, to *deltas) (delta []byte, next any, err error) {
	at, err := k.value(value)
	if err != nil {
		return nil, nil, err
	}
	old, err := k.value(snapshot)
	if err != nil {
		return nil, nil, err
	}
	if old == at && k.typ.Size() > 0 { // see [Typed.compare]
		return nil, nil, &Error{rootName(k.typ), "the value is its own snapshot: changes cannot be seen"}
	}
	if k.cells != nil && sameCells(k.cells, old, at) {
		return nil, snapshot, nil
	}
	p := k.pass()
	p.writeTo(to)
	defer k.recover(at, &err)
	if k.root.delta(p, old, at); p.large() && canonical.Measure(reflect.NewAt(k.typ, at), k.limit) == nil {
		return k.first(at, to != nil) // of many changes, the whole may take less
	}
	if err := k.check(p, at); err != nil {
		return nil, nil, err
	}
	if to != nil && p.odd {
		return nil, nil, errNotFinal
	}
	delta = to.result(p)
	if k.share { // the snapshot may be a part of other values
		made := reflect.New(k.typ)
		p.forget(0)
		k.root.copy(p, made.UnsafePointer(), at)
		snapshot = made.Interface()
	} else {
		p.apply()
	}
	if err := k.check(p, at); err != nil {
		return nil, nil, err
	}
	p.release()
	return delta, snapshot, nil
}

// first is the delta that makes the value out of nothing.
func (k *Struct) first(at unsafe.Pointer, strict bool) (delta []byte, next any, err error) {
	p := k.pass()
	defer k.recover(at, &err)
	p.expect(k.root, at)
	k.root.write(p, at)
	if err := k.check(p, at); err != nil {
		return nil, nil, err
	}
	if strict && p.odd {
		return nil, nil, errNotFinal
	}
	made := reflect.New(k.typ)
	k.root.copy(p, made.UnsafePointer(), at)
	if err := k.check(p, at); err != nil {
		return nil, nil, err
	}
	p.insert(0, "[0,")
	p.buf = append(p.buf, ']')
	delta = p.result()
	p.release()
	return delta, made.Interface(), nil
}

// Merge fails: the values of a dataflow are written by one node each and never merged (law D1).
func (k *Struct) Merge(any, []any) (any, error) {
	return nil, &Error{rootName(k.typ), "values of a dataflow are not merged"}
}

func (k *Struct) pass() *pass {
	p := newPass(k.limit)
	p.share = k.share
	return p
}

func (k *Struct) value(v any) (unsafe.Pointer, error) {
	if r := reflect.ValueOf(v); r.IsValid() && r.Kind() == reflect.Pointer && r.Type().Elem() == k.typ && !r.IsNil() {
		return r.UnsafePointer(), nil
	}
	return nil, &Error{rootName(k.typ), fmt.Sprintf("expected a *%s, found %T", k.typ, v)}
}

func (k *Struct) check(p *pass, at unsafe.Pointer) error {
	if len(p.buf) > p.limit {
		p.tooLarge()
	}
	if p.err == nil {
		return nil
	}
	return memberPath(k.typ, locate(p.err, reflect.NewAt(k.typ, at), goPath(rootName(k.typ))))
}

// memberPath starts the path of an error with the member if the struct has no known name.
func memberPath(t reflect.Type, err error) error {
	found, ok := errors.AsType[*Error](err)
	if !ok || t.Name() != "" {
		return err
	}
	path, ok := strings.CutPrefix(found.Path, t.String()+".")
	if !ok {
		return err
	}
	name, rest := path, ""
	if at := strings.IndexAny(path, ".["); at >= 0 {
		name, rest = path[:at], path[at:]
	}
	if f, ok := t.FieldByName(name); ok {
		if member, _, _ := strings.Cut(f.Tag.Get("json"), ","); member != "" {
			name = member
		}
	}
	return &Error{name + rest, found.Reason}
}

func (k *Struct) recover(at unsafe.Pointer, err *error) {
	if !k.code {
		return
	}
	if r := recover(); r != nil {
		f := &failure{reason: fmt.Sprintf("its own code panicked: %v", r)}
		*err = memberPath(k.typ, locate(f, reflect.NewAt(k.typ, at), goPath(rootName(k.typ))))
	}
}

// Place is where a value is in a struct.
type Place struct {
	Offset  uintptr
	Wrapped bool // behind a pointer, which is nil where there is no value
}

// Links makes links, and takes each type apart once. With Share, they copy as [Typed.Sharing] does.
type Links struct {
	Share bool
	known map[reflect.Type]*Link
}

// Link copies a value of one type from a place in one struct to a place in another one.
type Link struct {
	codec    codec
	typ      reflect.Type
	kind     reflect.Kind // of what is copied by assigning it; Invalid for what is walked through
	share    bool
	dst, src Place
}

// Link is a link for values of type t.
func (c *Links) Link(t reflect.Type, dst, src Place) (Link, error) {
	made := c.known[t]
	if made == nil {
		types := &compiler{made: make(map[variant]*link), lossy: true}
		codec, err := types.compile(t, true, rootName(t))
		if err != nil {
			return Link{}, err
		}
		types.levels()
		made = &Link{codec: codec, typ: t, share: c.Share}
		if frozen(t) && whole(t) {
			made.kind = t.Kind()
		}
		if c.known == nil {
			c.known = make(map[reflect.Type]*Link)
		}
		c.known[t] = made
	}
	l := *made
	l.dst, l.src = dst, src
	return l, nil
}

// Copy makes a deep copy of what is in src, a pointer to a struct, and puts it into dst, another one. It reports whether
// there is anything in src.
func (l *Link) Copy(dst, src any) (there bool, err error) {
	from := unsafe.Add(reflect.ValueOf(src).UnsafePointer(), l.src.Offset)
	if l.src.Wrapped {
		if from = *(*unsafe.Pointer)(from); from == nil {
			return false, nil
		}
	}
	to := unsafe.Add(reflect.ValueOf(dst).UnsafePointer(), l.dst.Offset)
	if l.dst.Wrapped {
		made := reflect.New(l.typ).UnsafePointer()
		*(*unsafe.Pointer)(to) = made
		to = made
	}
	switch l.kind {
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Float64:
		*(*uint64)(to) = *(*uint64)(from)
	case reflect.String:
		*(*string)(to) = *(*string)(from)
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		*(*uint8)(to) = *(*uint8)(from)
	case reflect.Invalid:
		return true, l.walk(to, from)
	default:
		reflect.NewAt(l.typ, to).Elem().Set(reflect.NewAt(l.typ, from).Elem())
	}
	return true, nil
}

func (l *Link) walk(to, from unsafe.Pointer) (err error) {
	p := newPass(defaultLimit)
	p.share = l.share
	defer func() {
		if r := recover(); r != nil {
			err = &Error{rootName(l.typ), fmt.Sprintf("its own code panicked: %v", r)}
		}
	}()
	l.codec.copy(p, to, from)
	if p.err != nil {
		return locate(p.err, reflect.NewAt(l.typ, from), goPath(rootName(l.typ)))
	}
	p.release()
	return nil
}

// At is where a place is in the struct that record points to.
func At(record any, p Place) unsafe.Pointer {
	return unsafe.Add(reflect.ValueOf(record).UnsafePointer(), p.Offset)
}

// First is the first field of a struct that record points to; it must be a T.
func First[T any](record any) *T { return (*T)(reflect.ValueOf(record).UnsafePointer()) }

// As makes what record points to be seen as a T, which must have the same fields with other tags.
func As[T any](record any) *T {
	if t, ok := record.(*T); ok {
		return t
	}
	return (*T)(reflect.ValueOf(record).UnsafePointer())
}

// Seen makes a struct be seen as one of another type, which must have the same fields with other tags. It is a pointer to
// that type.
func Seen[T any](v *T, as reflect.Type) any {
	return reflect.NewAt(as, unsafe.Pointer(v)).Interface()
}
