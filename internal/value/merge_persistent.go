package value

import (
	"reflect"
	"unsafe"

	"github.com/fermata-go/fermata/internal/persistent"
)

// This file merges lists and maps of package state by the rules of slices and maps (law G4). What they share is not
// looked at, except by the rule union for lists.

// persistentRule is ruleOf for a type that holds the same as a plain one.
func (c *compiler) persistentRule(name string, plain reflect.Type, path string) (rule, error) {
	elem, err := c.compile(plain.Elem(), plain.Kind() != reflect.Map, path+"[]")
	switch {
	case err != nil:
		return nil, err
	case plain.Kind() == reflect.Map:
		return unionPersistent(elem), nil
	case name == ruleAppend, name == ruleEdit:
		return appendPersistent(name), nil
	}
	return unionVectors, nil
}

// heldList is the list at a place, an empty one for nil.
func heldList(at unsafe.Pointer) *persistent.List {
	if at == nil {
		return new(persistent.List)
	}
	return listAt(at)
}

// heldMap is the map at a place, an empty one for nil.
func heldMap(at unsafe.Pointer) *persistent.Map {
	if at == nil {
		return new(persistent.Map)
	}
	return mapAt(at)
}

// appendPersistent is the rules append and edit for lists.
func appendPersistent(name string) rule {
	return func(m *merge, c *contest) {
		v := unlink(c.codec).(*vector) //nolint:forcetypeassert // the rules fit nothing else
		old := heldList(c.base)
		first, ok := m.leading(name, c.sides, func(i int) bool {
			is := heldList(c.sides[i].at)
			return is.Len() >= old.Len() && !m.edited(v, old, is)
		})
		if !ok {
			return
		}
		made := *heldList(c.sides[first].at)
		for i, s := range c.sides {
			if i != first {
				made = made.Join(heldList(s.at), old.Len())
			}
		}
		*listAt(c.into) = made
	}
}

// edited reports whether elements that both lists have differ.
func (m *merge) edited(v *vector, old, is *persistent.List) bool {
	p := m.p
	start, first, noted := len(p.buf), len(p.parts), len(p.todo)
	p.probe = true
	edits, _ := v.edits(p, old, is)
	p.probe = false
	p.takeBack(start, first, noted)
	return edits > 0
}

// unionVectors is the rule union for lists.
func unionVectors(m *merge, c *contest) {
	v := unlink(c.codec).(*vector) //nolint:forcetypeassert // the rule fits nothing else
	texts := func(l *persistent.List) []string {
		all := make([]string, l.Len())
		for i := range all {
			all[i] = m.text(v.elem, l.At(i))
		}
		return all
	}
	old, sets := texts(heldList(c.base)), make([][]string, len(c.sides))
	for i, s := range c.sides {
		m.branch = s.branch
		sets[i] = texts(heldList(s.at))
	}
	var made persistent.List
	for _, x := range unionOf(old, sets) {
		made = made.Pick(heldList(c.sides[x.set].at), x.index)
	}
	*listAt(c.into) = made
}

// unionPersistent is the rule union for maps.
func unionPersistent(elem codec) rule {
	return func(m *merge, c *contest) {
		base := heldMap(c.base)
		changes := make([]members[unsafe.Pointer], len(c.sides))
		touched := make(members[unsafe.Pointer]) // members of the base that some branch may have changed
		for i, s := range c.sides {
			changes[i] = make(members[unsafe.Pointer])
			persistent.DiffMaps(base, heldMap(s.at), func(key string, was, is unsafe.Pointer) bool {
				if changes[i][key] = is; was != nil {
					touched[key] = was
				}
				return true
			})
		}
		for i := range c.sides { // each has what it did not change as the base has it
			for key, was := range touched {
				if is, differs := changes[i][key]; !differs {
					changes[i][key] = was
				} else if is == nil {
					delete(changes[i], key)
				}
			}
		}
		differs := func(was, is unsafe.Pointer) bool { return was != is && m.differs(elem, was, is, m.branch) }
		text := func(at unsafe.Pointer) string { return m.text(elem, at) }
		made := *heldMap(c.sides[0].at)
		put := func(key string, x claim) {
			if !x.has {
				made = made.Delete(key)
				return
			}
			made = made.Take(heldMap(c.sides[x.side].at), key)
		}
		if unionOfMembers(m, c.sides, touched, changes, differs, text, put) && m.p.err == nil {
			*mapAt(c.into) = made
		}
	}
}
