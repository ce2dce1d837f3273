package value

import (
	"reflect"
	"slices"
	"unsafe"
)

// notAppended is the conflict of an append.
const notAppended = `merge:"append" takes what is added behind the elements that were there at the fork, ` +
	`and some of those were changed or removed: only add, or use another rule`

// appendLists is the rule append for slices.
func appendLists(m *merge, c *contest) {
	l := unlink(c.codec).(*list) //nolint:forcetypeassert // the rule fits nothing else
	var old slice
	if c.base != nil {
		old = *(*slice)(c.base)
	}
	size := old.len
	for _, s := range c.sides {
		if !m.continues(l, old, s) {
			m.conflict(c.sides, notAppended)
			return
		}
		if s.at != nil {
			size += (*slice)(s.at).len - old.len
		}
	}
	made, from := reflect.MakeSlice(c.typ, 0, size), 0
	for _, s := range c.sides {
		if s.at != nil {
			v := reflect.NewAt(c.typ, s.at).Elem()
			made = reflect.AppendSlice(made, v.Slice(from, v.Len()))
		}
		from = old.len
	}
	reflect.NewAt(c.typ, c.into).Elem().Set(made)
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
	m.branch = s.branch
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
