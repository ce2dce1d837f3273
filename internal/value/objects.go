package value

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/plan"
)

// Objects is a codec for JSON objects of any shape. It takes and returns map[string]any; a nil map is an empty
// one. Members may be JSON values, plain Go numbers, and anything that encoding/json can write. Returned
// numbers are json.Number. It is immutable and safe for concurrent use.
type Objects struct {
	limit int
	rules map[string]string // for merges, by member
	share bool              // see Sharing
}

// Dynamic keeps JSON objects of any shape.
func Dynamic() *Objects { return &Objects{limit: defaultLimit} }

// WithLimit returns a copy that refuses encodings and deltas of more than so many bytes. Defaults to 64 MiB.
func (k *Objects) WithLimit(bytes int) *Objects {
	return &Objects{limit: bytes, rules: k.rules, share: k.share}
}

// Sharing returns a codec whose copies share what is in the members of an object. It is for objects whose members
// nobody changes in place; to assign and to delete members is no such change. Finalize copies what it does not know,
// so no memory of the program gets into a value. Then a node costs the number of members and what has changed.
func (k *Objects) Sharing() *Objects { return &Objects{limit: k.limit, rules: k.rules, share: true} }

// Detached returns a codec whose copies share nothing, for values that are given to the program.
func (k *Objects) Detached() plan.Codec { return &Objects{limit: k.limit, rules: k.rules} }

// pass is a walk over an object.
func (k *Objects) pass() *pass {
	p := newPass(k.limit)
	p.share = k.share
	return p
}

// copied copies an object.
func (k *Objects) copied(p *pass, v map[string]any) map[string]any {
	if k.share {
		return maps.Clone(v)
	}
	return p.copyMap(v)
}

// Encode gives the value as JSON, its members sorted by name.
func (k *Objects) Encode(value any) (data []byte, err error) {
	v, err := asObject(value)
	if err != nil {
		return nil, err
	}
	p := k.pass()
	defer recoverObject(v, &err)
	p.expectAny(v)
	p.writeMap(v)
	if err := checkObject(p, v); err != nil {
		return nil, err
	}
	data = p.result()
	p.release()
	return data, nil
}

// Decode makes a value from JSON: an object, or null for an empty one.
func (k *Objects) Decode(data []byte) (any, error) {
	var v map[string]any
	if err := decodeJSON(data, &v); err != nil {
		return nil, unreadable("", err)
	}
	return notNil(v), nil
}

// Copy makes a deep copy (law N9).
func (k *Objects) Copy(value any) (next any, err error) {
	v, err := asObject(value)
	if err != nil {
		return nil, err
	}
	p := k.pass()
	defer recoverObject(v, &err)
	c := k.copied(p, v)
	if err := checkObject(p, v); err != nil {
		return nil, err
	}
	p.release()
	return c, nil
}

// Delta is what [Typed.Delta] is, for objects.
func (k *Objects) Delta(snapshot, value any) (delta []byte, next any, err error) {
	return k.compare(snapshot, value, nil)
}

func (k *Objects) strictly(snapshot, value any, to *deltas) (delta []byte, next any, err error) {
	return k.compare(snapshot, value, to)
}

func (k *Objects) compare(snapshot, value any, to *deltas) (delta []byte, next any, err error) {
	v, err := asObject(value)
	if err != nil {
		return nil, nil, err
	}
	if snapshot == nil {
		return k.first(v, to != nil)
	}
	old, err := asObject(snapshot)
	if err != nil {
		return nil, nil, err
	}
	if len(old) > 0 && reflect.ValueOf(old).UnsafePointer() == reflect.ValueOf(v).UnsafePointer() {
		return nil, nil, &Error{Reason: "the value is its own snapshot: changes cannot be seen"}
	}
	p := k.pass()
	p.writeTo(to)
	defer recoverObject(v, &err)
	if p.objectAt(place{table: &old}, old, v); p.large() && canonical.Measure(reflect.ValueOf(v), k.limit) == nil {
		return k.first(v, to != nil) // of many changes, the whole may take less
	}
	if err := checkObject(p, v); err != nil {
		return nil, nil, err
	}
	if to != nil && p.odd {
		return nil, nil, errNotFinal
	}
	delta = to.result(p)
	if k.share { // the snapshot may be a part of other values
		p.forget(0)
		p.release()
		return delta, maps.Clone(v), nil
	}
	p.apply()
	if err := checkObject(p, v); err != nil {
		return nil, nil, err
	}
	p.release()
	return delta, old, nil
}

func (k *Objects) first(v map[string]any, strict bool) (delta []byte, next any, err error) {
	p := k.pass()
	defer recoverObject(v, &err)
	p.expectAny(v)
	p.writeMap(v)
	if err := checkObject(p, v); err != nil {
		return nil, nil, err
	}
	if strict && p.odd {
		return nil, nil, errNotFinal
	}
	p.insert(0, "[0,")
	p.buf, p.limit = append(p.buf, ']'), p.limit+len("[0,]")
	made := k.copied(p, v)
	if err := checkObject(p, v); err != nil {
		return nil, nil, err
	}
	delta = p.result()
	p.release()
	return delta, made, nil
}

func asObject(v any) (map[string]any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, &Error{Reason: fmt.Sprintf("expected a map[string]any, found %T", v)}
	}
	return notNil(m), nil
}

func notNil(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func checkObject(p *pass, v map[string]any) error {
	if len(p.buf) > p.limit {
		p.tooLarge()
	}
	if p.err == nil {
		return nil
	}
	return locate(p.err, reflect.ValueOf(v), pointerPath)
}

// recoverObject turns a panic of the MarshalJSON of something in the object into an error.
func recoverObject(v map[string]any, err *error) {
	if r := recover(); r != nil {
		*err = locate(&failure{reason: fmt.Sprintf("its own code panicked: %v", r)}, reflect.ValueOf(v), pointerPath)
	}
}
