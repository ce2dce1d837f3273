package value

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/fermata-go/fermata/plan"
)

// merge is one three-way merge (law G4). The first branch's value becomes the result in place: what it did not change
// has the base's JSON already, so that only what other branches changed is moved into it, and nothing is encoded that
// is the same everywhere.
type merge struct {
	p         *pass    // holds the buffers and the limit
	sides     []side   // a stack: the branches that are being looked at
	way       []string // names of the fields that lead to where the walk is; the first is the whole value's, ""
	gone      []gone
	kept      []int                    // branches that changed what is behind an embedded pointer, and kept it
	conflicts plan.MergeConflictsError // found so far
	branch    int                      // the one whose value is being read
}

// side is what one branch has in some place; at is nil for nothing: left out, or behind a pointer that is nil.
type side struct {
	branch int            // index of the branch
	at     unsafe.Pointer // of its value
}

// contest is a field that several branches changed.
type contest struct {
	typ   reflect.Type
	codec codec
	base  unsafe.Pointer // nil for nothing
	sides []side         // at least two, in declared order
	into  unsafe.Pointer // may be where the first of them is
}

var merges = sync.Pool{New: func() any { return new(merge) }}

func newMerge(limit int) *merge {
	m := merges.Get().(*merge)
	m.p = newPass(limit)
	return m
}

func (m *merge) release() {
	m.p.release()
	clear(m.sides[:cap(m.sides)])
	*m = merge{sides: m.sides[:0], way: m.way[:0], gone: m.gone[:0], kept: m.kept[:0]}
	merges.Put(m)
}

// Merge merges the values of concurrent branches against base (law G4). Base is a snapshot that does not
// change, and the result does not share its memory. The branches' values are in declared order, distinct, and
// used up by the call. The error is a plan.MergeConflictsError, or names the branch whose value cannot be kept.
// The second is only noticed in compared values: Encode and Delta check the rest. Without branches the result
// is a copy.
func (k *Typed[S]) Merge(base any, branches []any) (merged any, err error) {
	from, err := k.value(base)
	if err != nil {
		return nil, err
	}
	if len(branches) == 0 {
		return k.Copy(base)
	}
	m := newMerge(k.limit)
	m.p.share = k.share
	if err := k.sides(m, from, branches); err != nil {
		m.release()
		return nil, err
	}
	defer k.recoverMerge(m, branches, &err)
	sides := m.sides
	m.member(&k.self, unsafe.Pointer(from), sides[0].at, sides)
	switch {
	case m.p.err != nil:
		v, _ := k.value(branches[m.branch])
		err = inBranch(m.branch, k.check(m.p, v))
	case len(m.conflicts) > 0:
		err = m.conflicts
	}
	m.release()
	if err != nil {
		return nil, err
	}
	return branches[0], nil
}

// sides lists the branches' values.
func (k *Typed[S]) sides(m *merge, base *S, branches []any) error {
	for i, b := range branches {
		v, err := k.value(b)
		if err != nil {
			return inBranch(i, err)
		}
		at := unsafe.Pointer(v)
		if unsafe.Sizeof(*v) > 0 {
			same := func(s side) bool { return s.at == at }
			if j := slices.IndexFunc(m.sides, same); v == base || j >= 0 {
				return inBranch(i, &Error{rootName(reflect.TypeFor[S]()), notItsOwn(j)})
			}
		}
		m.sides = append(m.sides, side{i, at})
	}
	return nil
}

// notItsOwn says that a branch's value is that of another branch, or where j is negative, the base.
func notItsOwn(j int) string {
	if j < 0 {
		return "the value is the one at the fork: changes cannot be seen"
	}
	return fmt.Sprintf("the value is that of branch %d: expected one of its own", j)
}

func inBranch(i int, err error) error { return fmt.Errorf("branch %d: %w", i, err) }

// recoverMerge is recover for the value of the branch that was being read.
func (k *Typed[S]) recoverMerge(m *merge, branches []any, err *error) {
	if !k.code {
		return
	}
	if r := recover(); r != nil {
		f := &failure{reason: fmt.Sprintf("its own code panicked: %v", r)}
		*err = inBranch(m.branch, locate(f, reflect.ValueOf(branches[m.branch]), goPath(rootName(reflect.TypeFor[S]()))))
	}
}

// differs reports whether a branch's value, at new, has other JSON than the base's, at old.
func (m *merge) differs(c codec, old, new unsafe.Pointer, branch int) bool {
	p := m.p
	m.branch = branch
	start, first, noted := len(p.buf), len(p.parts), len(p.todo)
	p.probe = true
	c.delta(p, old, new)
	p.probe = false
	changed := len(p.buf) > start
	p.takeBack(start, first, noted)
	return changed
}

// unlink is the codec that a link stands for.
func unlink(c codec) codec {
	if l, ok := c.(*link); ok {
		return l.codec
	}
	return c
}

// record merges structs field by field. The sides are the branches that may have changed something in them.
func (m *merge) record(r *record, base, into unsafe.Pointer, sides []side) {
	if !m.p.enter() {
		m.p.leave()
		return
	}
	mark, gone, kept := len(m.sides), len(m.gone), len(m.kept)
	if len(r.simple) > 0 {
		for _, s := range sides {
			if !sameCells(r.simple, base, s.at) {
				m.sides = append(m.sides, s)
			}
		}
	}
	dirty, fields := m.sides[mark:], r.fields
	if len(dirty) == 0 {
		fields = r.others
	}
	if len(r.hops) > 0 {
		r.unshare(into)
	}
	for i := 0; i < len(fields) && m.p.err == nil; i++ {
		f, list := &fields[i], sides
		if f.merge.simple {
			if list = dirty; sameInAll(f.merge.cells, base, list) {
				continue
			}
		}
		m.member(f, base, into, list)
	}
	if len(m.gone) > gone {
		m.prune(r, into, m.gone[gone:], m.kept[kept:])
	}
	m.sides, m.gone, m.kept = m.sides[:mark], m.gone[:gone], m.kept[:kept]
	m.p.leave()
}

// sameInAll reports whether all sides have the base's cells.
func sameInAll(cells []cell, base unsafe.Pointer, sides []side) bool {
	return !slices.ContainsFunc(sides, func(s side) bool { return !sameCells(cells, base, s.at) })
}

// member merges one field of a record that is at base and into, and in the sides.
func (m *merge) member(f *field, base, into unsafe.Pointer, sides []side) {
	how, mark := f.merge, len(m.sides)
	m.way = append(m.way, how.name)
	if r, ok := unlink(f.codec).(*record); ok && how.rule == "" && len(f.hops) == 0 {
		for _, s := range sides {
			m.sides = append(m.sides, side{s.branch, unsafe.Add(s.at, f.at)})
		}
		m.record(r, unsafe.Add(base, f.at), unsafe.Add(into, f.at), m.sides[mark:])
	} else {
		for _, s := range sides {
			if m.changed(f, base, s) {
				m.sides = append(m.sides, side{s.branch, f.find(s.at)})
			}
		}
		if changed := m.sides[mark:]; len(changed) > 0 && m.p.err == nil {
			m.decide(f, base, into, changed)
		}
	}
	m.sides, m.way = m.sides[:mark], m.way[:len(m.way)-1]
}

// changed reports whether a branch changed a field.
func (m *merge) changed(f *field, base unsafe.Pointer, s side) bool {
	if f.merge.simple && sameCells(f.merge.cells, base, s.at) {
		return false
	}
	was, is := f.present(base), f.present(s.at)
	if was == nil || is == nil {
		return was != is
	}
	return m.differs(f.codec, was, is, s.branch)
}

// decide finds what becomes of a field that the given branches changed.
func (m *merge) decide(f *field, base, into unsafe.Pointer, changed []side) {
	how := f.merge
	if len(f.hops) > 0 {
		for _, s := range changed {
			if s.at != nil {
				m.kept = append(m.kept, s.branch)
			}
		}
	}
	switch {
	case len(changed) == 1 || how.rule == ruleFirst:
		m.take(f, into, changed[0])
	case how.rule == ruleLast:
		m.take(f, into, changed[len(changed)-1])
	case how.rule == "" && m.inside(f, f.find(base), into, changed):
	case how.rule == "":
		t := how.typ
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		m.conflict(changed, noRule(rulesOf(t)))
	default:
		sides := slices.Clone(changed)
		some := false
		for i, s := range sides {
			if s.at != nil && f.absent != nil && f.absent(s.at) {
				sides[i].at = nil
			}
			some = some || sides[i].at != nil
		}
		if !some {
			m.take(f, into, changed[0])
			return
		}
		m.resolve(how.combine, &contest{how.typ, f.codec, f.find(base), sides, f.reach(into)})
	}
}

// take moves what a branch has in a field into the result.
func (m *merge) take(f *field, into unsafe.Pointer, s side) {
	if s.at == nil {
		m.gone = append(m.gone, gone{f, s.branch, len(m.conflicts)})
		if at := f.find(into); at != nil {
			reflect.NewAt(f.merge.typ, at).Elem().SetZero()
		}
		return
	}
	if to := f.reach(into); to != s.at {
		move(f.merge.typ, to, s.at)
	}
}

// move assigns.
func move(t reflect.Type, to, from unsafe.Pointer) {
	reflect.NewAt(t, to).Elem().Set(reflect.NewAt(t, from).Elem())
}

// resolve asks a rule, with pointers followed.
func (m *merge) resolve(ask rule, c *contest) {
	if c.typ.Kind() != reflect.Pointer {
		ask(m, c)
		return
	}
	inner := *c
	inner.typ = c.typ.Elem()
	if p, ok := unlink(c.codec).(*pointer); ok {
		inner.codec = p.elem
	}
	inner.base = behind(c.base)
	inner.sides = make([]side, len(c.sides))
	some := false
	for i, s := range c.sides {
		inner.sides[i] = side{s.branch, behind(s.at)}
		some = some || inner.sides[i].at != nil
	}
	if !some {
		reflect.NewAt(c.typ, c.into).Elem().SetZero()
		return
	}
	made := reflect.New(inner.typ) // what the pointer led to may be seen elsewhere in the value
	inner.into = made.UnsafePointer()
	m.resolve(ask, &inner)
	*(*unsafe.Pointer)(c.into) = inner.into
}

// behind is where the pointer at a place leads to; nil from nowhere.
func behind(at unsafe.Pointer) unsafe.Pointer {
	if at == nil {
		return nil
	}
	return *(*unsafe.Pointer)(at)
}

// inside merges the struct of a field, or behind its pointer. It must exist at the fork and in all branches
// that changed it.
func (m *merge) inside(f *field, base, into unsafe.Pointer, changed []side) bool {
	p, through := unlink(f.codec).(*pointer)
	inner, mark := f.codec, len(m.sides)
	if through {
		inner, base = p.elem, behind(base)
	}
	r, ok := unlink(inner).(*record)
	if !ok || base == nil {
		return false
	}
	for _, s := range changed {
		if through {
			s.at = behind(s.at)
		}
		ok = ok && s.at != nil
		m.sides = append(m.sides, s)
	}
	if ok {
		to := f.find(into) // there: it has changed and is there, or is as it was at the fork
		if through {
			slot := (*unsafe.Pointer)(to)
			to = reflect.New(p.typ).UnsafePointer() // what the pointer led to may be seen elsewhere in the value
			move(p.typ, to, *slot)
			*slot = to
		}
		m.record(r, base, to, m.sides[mark:])
	}
	m.sides = m.sides[:mark]
	return ok
}

// conflict records that changes of the current field, or of a part of it, cannot be merged.
func (m *merge) conflict(of []side, reason string, part ...string) {
	branches := make([]int, len(of))
	for i, s := range of {
		branches[i] = s.branch
	}
	m.refuse(branches, reason, part...)
}

func (m *merge) refuse(branches []int, reason string, part ...string) {
	way := append(slices.Clone(m.way[1:]), part...)
	m.conflicts = append(m.conflicts, &plan.MergeConflictError{
		Field: strings.Join(way, "."), Branches: branches, Reason: reason,
	})
}
