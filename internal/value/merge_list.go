package value

import (
	"reflect"
	"slices"
	"unsafe"
)

// What is wrong with lists that cannot be put together.
const (
	notAppended = `merge:"append" takes what is added behind the elements that were there at the fork, ` +
		`and some of those were changed or removed: only add, or use another rule`
	editedTwice = `merge:"edit" lets one branch change or remove the elements that were there at the fork, ` +
		`and several did: let one of them do it, or use another rule`
)

// leading finds whose list comes first, whole: that of the branch that changed or removed what was there at the fork, else
// that of the first branch. continues reports whether a branch only added. The other lists are taken from the fork's length on.
func (m *merge) leading(rule string, sides []side, continues func(i int) bool) (first int, ok bool) {
	first, amended := 0, false
	for i := range sides {
		m.branch = sides[i].branch
		switch {
		case continues(i):
		case rule != ruleEdit:
			m.conflict(sides, notAppended)
			return 0, false
		case amended:
			m.conflict(sides, editedTwice)
			return 0, false
		default:
			first, amended = i, true
		}
	}
	return first, true
}

// appendLists is the rules append and edit for slices.
func appendLists(name string) rule {
	return func(m *merge, c *contest) {
		l := unlink(c.codec).(*list) //nolint:forcetypeassert // the rules fit nothing else
		var old slice
		if c.base != nil {
			old = *(*slice)(c.base)
		}
		first, ok := m.leading(name, c.sides, func(i int) bool { return m.continues(l, old, c.sides[i]) })
		if !ok {
			return
		}
		held := func(i, from int) reflect.Value {
			if c.sides[i].at == nil {
				return reflect.Zero(c.typ)
			}
			v := reflect.NewAt(c.typ, c.sides[i].at).Elem()
			return v.Slice(from, v.Len())
		}
		size := 0
		for i := range c.sides {
			if size += held(i, 0).Len(); i != first {
				size -= old.len
			}
		}
		made := reflect.AppendSlice(reflect.MakeSlice(c.typ, 0, size), held(first, 0))
		for i := range c.sides {
			if i != first {
				made = reflect.AppendSlice(made, held(i, old.len))
			}
		}
		reflect.NewAt(c.typ, c.into).Elem().Set(made)
	}
}

// continues reports whether a branch's list begins with the base's.
func (m *merge) continues(l *list, old slice, s side) bool {
	var is slice
	if s.at != nil {
		is = *(*slice)(s.at)
	}
	if is.len < old.len {
		return false
	}
	p := m.p
	start, first, noted := len(p.buf), len(p.parts), len(p.todo)
	edits, _ := edit(p, l.elem, l.size, old.data, is.data, 0, old.len, 0)
	p.takeBack(start, first, noted)
	return edits == 0
}

// unionLists is the rule union for slices.
func unionLists(m *merge, c *contest) {
	l := unlink(c.codec).(*list) //nolint:forcetypeassert // the rule fits nothing else
	var old []string
	if c.base != nil {
		old = m.listTexts(l, (*slice)(c.base))
	}
	sets := make([][]string, len(c.sides))
	for i, s := range c.sides {
		if s.at != nil {
			m.branch = s.branch
			sets[i] = m.listTexts(l, (*slice)(s.at))
		}
	}
	chosen := unionOf(old, sets)
	made := reflect.MakeSlice(c.typ, 0, len(chosen))
	for _, x := range chosen {
		made = reflect.Append(made, reflect.NewAt(c.typ, c.sides[x.set].at).Elem().Index(x.index))
	}
	reflect.NewAt(c.typ, c.into).Elem().Set(made)
}

func (m *merge) listTexts(l *list, s *slice) []string {
	texts := make([]string, s.len)
	for i := range texts {
		texts[i] = m.text(l.elem, l.at(s, i))
	}
	return texts
}

// text is the JSON of what is at a place; what has the same JSON has the same text.
func (m *merge) text(c codec, at unsafe.Pointer) string {
	start := len(m.p.buf)
	c.write(m.p, at)
	return m.cut(start)
}

// cut removes and returns everything written from start on. A type's own code may write objects in any order.
func (m *merge) cut(start int) string {
	written := m.p.buf[start:]
	m.p.buf = m.p.buf[:start]
	if len(written) > 0 && (written[0] == '{' || written[0] == '[') {
		if same, err := inOrder(written); err == nil {
			written = same
		}
	}
	return string(written)
}

// chosen is an element of a union: where it is.
type chosen struct{ set, index int }

// unionOf merges lists as sets of texts: the base's elements that are in all of them, then what each has that the base
// has not, without repetitions.
func unionOf(base []string, sets [][]string) []chosen {
	had := make(map[string]bool, len(base))
	for _, text := range base {
		had[text] = true
	}
	left := make([]map[string]int, len(sets)) // where each text is first
	for i, set := range sets {
		left[i] = make(map[string]int, len(set))
		for j, text := range slices.Backward(set) {
			left[i][text] = j
		}
	}
	var union []chosen
	taken := make(map[string]bool)
	for _, text := range base {
		all := !slices.ContainsFunc(left, func(in map[string]int) bool { _, ok := in[text]; return !ok })
		if all && !taken[text] {
			taken[text] = true
			union = append(union, chosen{0, left[0][text]})
		}
	}
	for i, set := range sets {
		for j, text := range set {
			if !had[text] && !taken[text] {
				taken[text] = true
				union = append(union, chosen{i, j})
			}
		}
	}
	return union
}
