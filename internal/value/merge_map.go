package value

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// members is a map in the eyes of a union: by the names that keys have in JSON.
type members[V any] map[string]V

// claim is what a branch did to a member.
type claim struct {
	side int
	has  bool
}

// unionOfMembers merges maps member by member. It tells put about each member that some map has otherwise than the
// base, and notes a conflict for each that several have otherwise, and not alike.
func unionOfMembers[V any](
	m *merge, sides []side, base members[V], maps []members[V],
	differs func(was, is V) bool, text func(V) string, put func(name string, c claim),
) (ok bool) {
	claims := make(map[string][]claim)
	for i, in := range maps {
		m.branch = sides[i].branch
		for name, is := range in {
			if was, had := base[name]; !had || differs(was, is) {
				claims[name] = append(claims[name], claim{i, true})
			}
		}
		for name := range base {
			if _, has := in[name]; !has {
				claims[name] = append(claims[name], claim{i, false})
			}
		}
	}
	names := make([]string, 0, len(claims))
	for name := range claims {
		names = append(names, name)
	}
	slices.SortFunc(names, strings.Compare)
	ok = true
	for _, name := range names {
		of := claims[name]
		other := func(c claim) bool {
			return c.has != of[0].has || c.has && text(maps[c.side][name]) != text(maps[of[0].side][name])
		}
		if !slices.ContainsFunc(of[1:], other) {
			put(name, of[0])
			continue
		}
		var who []side
		for _, c := range of {
			who = append(who, sides[c.side])
		}
		m.conflict(who, `merge:"union" takes what is the same in all of them, and they gave this member different `+
			`values: give it the same, let one branch write it, or use another rule`, name)
		ok = false
	}
	return ok
}

// unionMaps is the rule union for maps of a type.
func unionMaps(t *mapping) rule {
	return func(m *merge, c *contest) {
		read := func(at unsafe.Pointer) members[*entry] {
			in, ok := t.read(at)
			if !ok {
				m.p.fail("keys of a map have the same JSON, which merge:\"union\" cannot tell apart")
			}
			return in
		}
		base := read(c.base)
		maps := make([]members[*entry], len(c.sides))
		for i, s := range c.sides {
			m.branch = s.branch
			maps[i] = read(s.at)
		}
		differs := func(was, is *entry) bool { return m.differs(t.elem, address(was.value), address(is.value), m.branch) }
		text := func(e *entry) string { return m.text(t.elem, address(e.value)) }
		result := maps[0]
		put := func(name string, x claim) {
			if x.has {
				result[name] = maps[x.side][name]
			} else {
				delete(result, name)
			}
		}
		if m.p.err != nil || !unionOfMembers(m, c.sides, base, maps, differs, text, put) {
			return
		}
		made := reflect.MakeMapWithSize(t.typ, len(result))
		for _, e := range result {
			made.SetMapIndex(e.key, e.value)
		}
		t.value(c.into).Set(made)
	}
}

// read lists the members of a map. It reports false when two keys have the same name.
func (m *mapping) read(at unsafe.Pointer) (in members[*entry], ok bool) {
	in = make(members[*entry])
	if at == nil {
		return in, true
	}
	for it := m.value(at).MapRange(); it.Next(); {
		e := m.newEntry()
		e.key.SetIterKey(it)
		e.value.SetIterValue(it)
		name, err := m.name(e.key)
		if !utf8.ValidString(name) {
			name = string([]rune(name)) // as it is written
		}
		if _, twice := in[name]; twice || err != nil {
			return in, false
		}
		in[name] = e
	}
	return in, true
}
