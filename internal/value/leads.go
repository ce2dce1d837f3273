package value

import (
	"reflect"
	"unsafe"
)

// This file finds values that may share memory with others: another part of the value, a variable of the
// program, or spare capacity that two appends would write to. Such a value is copied before it is handed on
// (laws N9 and N10).

// leads reports whether values of a codec may lead to memory that can be changed.
func leads(c codec) bool {
	switch c := c.(type) {
	case *link: // a type that contains itself
		return true
	case quoted:
		return leads(c.codec)
	case *record:
		return c.leads
	case *array:
		return c.len > 0 && leads(c.elem)
	case *list, *pointer, *mapping, octets, raw, slot, object:
		return true
	case *coded:
		return !c.frozen
	}
	return isTable(c)
}

// isShared reports whether a value leads to such memory. Nil, and lists without capacity, lead nowhere.
func isShared(c codec, at unsafe.Pointer) bool {
	switch c := c.(type) {
	case *link:
		return isShared(c.codec, at)
	case quoted:
		return isShared(c.codec, at)
	case *record:
		for i := range c.fields {
			if f := &c.fields[i]; len(f.hops) > 0 || f.leads && isShared(f.codec, unsafe.Add(at, f.at)) {
				return true
			}
		}
		return false
	case *array:
		for i := 0; i < c.len && leads(c.elem); i++ {
			if isShared(c.elem, unsafe.Add(at, uintptr(i)*c.size)) {
				return true
			}
		}
		return false
	case *list, octets, raw:
		return (*slice)(at).cap > 0
	case *pointer:
		return *(*unsafe.Pointer)(at) != nil
	case *mapping, object:
		return *(*unsafe.Pointer)(at) != nil
	case slot:
		switch (*(*any)(at)).(type) {
		case map[string]any, []any:
			return true
		}
		return false
	case *coded:
		return !c.frozen && !reflect.NewAt(c.typ, at).Elem().IsZero()
	}
	return isTable(c) && *(*unsafe.Pointer)(at) != nil
}
