package value

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/fermata-go/fermata/internal/jsonfield"
)

// This file finds the fields of structs that encoding/json drops. They would be there for the next node as long as the
// run does not pause, and empty afterwards (law N10). So a type that has one is refused, unless the field is declared
// transient: then it is empty for the next node in both cases.

// tagTransient is the value of the tag "fermata" on a field: what encoding/json does not keep of it is transient.
const tagTransient = "transient"

// dropped is a field, or a part of an embedded struct, that encoding/json does not keep.
type dropped struct {
	at     uintptr
	hops   hops
	typ    reflect.Type
	path   string // ".Base.cache"
	reason string
	tagged bool
}

// transient is a dropped field that is made empty.
type transient struct {
	field
	zero func(at unsafe.Pointer) bool
	typ  reflect.Type
}

// isTransient reports whether a field is declared so.
func isTransient(sf reflect.StructField) bool { return sf.Tag.Get("fermata") == tagTransient }

// lost lists what encoding/json drops of a struct.
func lost(t reflect.Type) []dropped {
	kept := make(map[string]bool)
	for _, f := range jsonfield.Of(t) {
		kept[fmt.Sprint(f.Index)] = true
	}
	var all []dropped
	var walk func(t reflect.Type, from dropped, index []int, outer []reflect.Type)
	walk = func(t reflect.Type, from dropped, index []int, outer []reflect.Type) {
		for i := range t.NumField() {
			sf := t.Field(i)
			here := append(slices.Clip(index), i)
			d := dropped{
				at: from.at + sf.Offset, hops: from.hops, typ: sf.Type, path: from.path + "." + sf.Name,
				tagged: from.tagged || isTransient(sf),
			}
			inner := sf.Type
			if inner.Kind() == reflect.Pointer && inner.Name() == "" {
				inner = inner.Elem()
			}
			switch tag := sf.Tag.Get("json"); {
			case kept[fmt.Sprint(here)] || sf.Type.Size() == 0 || sf.Name == "_":
				continue
			case tag == "-":
				d.reason = `its tag is json:"-"`
			case sf.Anonymous && inner.Kind() == reflect.Struct && (tag == "" || tag[0] == ','):
				if slices.Contains(outer, inner) {
					continue // it contains itself
				}
				if inner != sf.Type {
					d.hops, d.at = append(slices.Clip(d.hops), hop{d.at, inner}), 0
				}
				walk(inner, d, here, append(slices.Clip(outer), inner))
				continue
			case !sf.IsExported():
				d.reason = "it is not exported"
			default:
				d.reason = "another field has its name in JSON"
			}
			all = append(all, d)
		}
	}
	walk(t, dropped{}, nil, []reflect.Type{t})
	return all
}

// transients are the dropped fields of a struct, which must be declared so.
func (c *compiler) transients(t reflect.Type, path string) ([]transient, error) {
	var made []transient
	lossy := c.lossy || c.top
	c.top = false
	for _, d := range lost(t) {
		if !d.tagged && !lossy {
			return nil, &Error{path + d.path, "encoding/json does not keep this field (" + d.reason + "), so it would be lost " +
				"when a run pauses: have JSON keep it, put it elsewhere, or tag it `fermata:\"transient\"` to have it empty for the next node"}
		}
		made = append(made, transient{field{at: d.at, hops: d.hops}, isExactlyZero(d.typ), d.typ})
	}
	return made, nil
}
