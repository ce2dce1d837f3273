package value

import (
	"slices"
	"unsafe"

	"github.com/fermata-go/fermata/plan"
)

// This file merges structs with embedded pointers. A field behind one is not there while the pointer is nil, and all
// fields behind it come and go together.

// gone is a field that is not there in the branch that decides about it.
type gone struct {
	field  *field
	branch int
	place  int // how many conflicts were noted before it
}

// reach is find, but for embedded pointers on the way, which it sets.
func (f *field) reach(base unsafe.Pointer) unsafe.Pointer {
	for _, h := range f.hops {
		slot := (*unsafe.Pointer)(unsafe.Add(base, h.at))
		if *slot == nil {
			*slot = h.make()
		}
		base = *slot
	}
	return unsafe.Add(base, f.at)
}

// slot is where the last pointer of a way is, nil if one before it is nil.
func (way hops) slot(base unsafe.Pointer) *unsafe.Pointer {
	last := len(way) - 1
	f := field{hops: way[:last], at: way[last].at}
	return (*unsafe.Pointer)(f.find(base))
}

// unshare gives a record embedded structs of its own: others may point to the ones that it has.
func (r *record) unshare(at unsafe.Pointer) {
	for _, way := range r.hops {
		slot, last := way.slot(at), way[len(way)-1]
		if slot == nil || *slot == nil {
			continue
		}
		made := last.make()
		move(last.typ, made, *slot)
		*slot = made
	}
}

// leads reports whether a field is behind the last pointer of a way.
func (way hops) leads(f *field) bool {
	same := func(a, b hop) bool { return a.at == b.at }
	return len(f.hops) >= len(way) && slices.EqualFunc(f.hops[:len(way)], way, same)
}

// prune sets embedded pointers without content to nil. It records a conflict for each removed field that
// another branch keeps alive behind the same pointer.
func (m *merge) prune(r *record, into unsafe.Pointer, all []gone, kept []int) {
	isGone := func(f *field) bool {
		return slices.ContainsFunc(all, func(g gone) bool { return g.field.key == f.key })
	}
	for _, way := range slices.Backward(r.hops) {
		slot := way.slot(into)
		if slot == nil || *slot == nil {
			continue
		}
		needed := false
		for i := range r.fields {
			f := &r.fields[i]
			needed = needed || way.leads(f) && !isGone(f) && f.present(into) != nil
		}
		if !needed {
			*slot = nil
		}
	}
	before := len(m.conflicts)
	for _, g := range all {
		if g.field.present(into) == nil {
			continue
		}
		branches := append([]int{g.branch}, kept...)
		slices.Sort(branches)
		m.way = append(m.way, g.field.merge.name)
		m.refuse(slices.Compact(branches), "one of them removed the embedded struct that it is in, where another changed it")
		m.way = m.way[:len(m.way)-1]
		at, last := g.place+len(m.conflicts)-1-before, len(m.conflicts)-1
		m.conflicts = slices.Insert(m.conflicts[:last], at, []*plan.MergeConflictError{m.conflicts[last]}...)
	}
}
