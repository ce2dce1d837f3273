package value

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
	"unsafe"
)

// place is where a value of a snapshot is: in an interface or a variable for maps, or in a map or a list.
type place struct {
	slot  *any
	table *map[string]any
	in    map[string]any
	key   string
	list  []any
	at    int
}

func (x place) set(v any) {
	switch {
	case x.slot != nil:
		*x.slot = v
	case x.table != nil:
		*x.table, _ = v.(map[string]any)
	case x.in != nil:
		x.in[x.key] = v
	default:
		x.list[x.at] = v
	}
}

// sameLeaf reports values without parts that are plainly the same.
func sameLeaf(old, new any) bool {
	switch new := new.(type) {
	case nil:
		return old == nil
	case bool:
		was, ok := old.(bool)
		return ok && was == new
	case string:
		was, ok := old.(string)
		return ok && was == new
	case json.Number:
		was, ok := old.(json.Number)
		return ok && was == new
	}
	return false
}

// deltaAt writes how the value of a snapshot at the given place became new. The places that lead there are kept in the
// pass, because only those of changes are needed later.
func (p *pass) deltaAt(at place, old, new any) {
	p.way = append(p.way, at)
	p.deltaAny(old, new)
	p.back()
}

func (p *pass) objectAt(at place, a, b map[string]any) {
	p.way = append(p.way, at)
	p.deltaMap(a, b)
	p.back()
}

func (p *pass) back() {
	last := len(p.way) - 1
	p.way[last] = place{}
	p.way = p.way[:last]
}

// put notes that what made gives is to be put where the walk is.
func (p *pass) put(made func() any) {
	here := p.way[len(p.way)-1]
	p.later(func() { here.set(made()) })
}

// deltaAny writes how the value old of a snapshot, where the walk is, became new.
func (p *pass) deltaAny(old, new any) {
	if p.share && sameWords(old, new) {
		return
	}
	switch new := new.(type) {
	case nil, bool, json.Number:
		if sameLeaf(old, new) {
			return
		}
	case string:
		if was, ok := old.(string); ok {
			p.deltaString(was, new)
			return
		}
	case map[string]any:
		if was, ok := old.(map[string]any); ok && new != nil {
			p.deltaMap(was, new)
			return
		}
		if new == nil && old == nil {
			return
		}
	case []any:
		if was, ok := old.([]any); ok && new != nil {
			p.deltaList(was, new)
			return
		}
		if new == nil && old == nil {
			return
		}
	}
	var a, b [32]byte
	if is, ok := numberText(a[:0], new); ok {
		if was, ok := numberText(b[:0], old); ok && bytes.Equal(was, is) && badNumber(new) == "" {
			return
		}
	} else if !native(new) {
		p.deltaAny(old, p.throughJSON(new))
		return
	}
	p.replaceAny(new)
}

// sameWords reports values in interfaces that are one and the same.
func sameWords(a, b any) bool {
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}

// sameItems reports elements of lists that are plainly the same: their words are, which lead to what nobody changes.
func sameItems(a, b []any, from, to int) bool {
	x, y := unsafe.Pointer(&a[from]), unsafe.Pointer(&b[from])
	return sameBits(x, y, uintptr(to-from)*unsafe.Sizeof(a[from]))
}

// native reports what JSON gives, but for numbers.
func native(v any) bool {
	switch v.(type) {
	case nil, bool, string, map[string]any, []any:
		return true
	}
	return false
}

// replaceAny writes that new takes the place of what is there.
func (p *pass) replaceAny(new any) {
	if p.probe {
		p.differs()
		return
	}
	p.buf = append(p.buf, "[0,"...)
	p.writeAny(new)
	p.buf = append(p.buf, ']')
	p.put(func() any { return p.copyAny(new) })
}

func (p *pass) deltaString(old, new string) {
	if old == new {
		return
	}
	if !sameText(old, new) {
		p.changeString(old, new)
	} else {
		p.odd = true
	}
	p.put(func() any { return new })
}

// deltaMap writes how one map became another.
func (p *pass) deltaMap(a, b map[string]any) {
	if p.share && *(*unsafe.Pointer)(unsafe.Pointer(&a)) == *(*unsafe.Pointer)(unsafe.Pointer(&b)) {
		return
	}
	if !p.enter() {
		p.leave()
		return
	}
	start, first, noted, kept := len(p.buf), len(p.parts), len(p.todo), 0
	for k, v := range b {
		was, ok := a[k]
		if ok {
			kept++
			if sameLeaf(was, v) {
				continue
			}
		}
		if !p.goesOn() {
			break
		}
		before := len(p.buf)
		p.way = append(p.way, place{in: a, key: k})
		if ok {
			p.deltaAny(was, v)
		} else {
			p.replaceAny(v)
		}
		p.back()
		if len(p.buf) > before {
			p.member(k, before)
		}
	}
	gone := missing(p, a, b, kept)
	if len(p.parts)+len(gone) > first && !(validKeys(a) && validKeys(b)) {
		p.takeBack(start, first, noted)
		p.deltaWhole(a, b)
	} else {
		p.object(start, first, gone)
	}
	p.leave()
}

// deltaWhole replaces a map with keys that JSON does not tell apart, if it is written differently.
func (p *pass) deltaWhole(a, b map[string]any) {
	start := len(p.buf)
	p.writeMap(a)
	mid := len(p.buf)
	p.writeMap(b)
	same := sameJSON(p.buf[start:mid], p.buf[mid:])
	p.buf = p.buf[:start]
	if !same {
		p.replaceAny(b)
	}
}

// missing lists the keys of a that b lacks, and marks them for removal. kept is the number of keys that b has.
func missing[V any](p *pass, a, b map[string]V, kept int) (gone []string) {
	if kept == len(a) {
		return nil
	}
	for k := range a {
		if _, ok := b[k]; !ok {
			gone = append(gone, k)
			p.later(func() { delete(a, k) })
		}
	}
	return gone
}

// validKeys reports whether all keys are UTF-8. Others are written alike, and cannot be told apart in JSON.
func validKeys[V any](m map[string]V) bool {
	for k := range m {
		if !utf8.ValidString(k) {
			return false
		}
	}
	return true
}

// deltaList writes how one list became another.
func (p *pass) deltaList(a, b []any) {
	if p.share && unsafe.SliceData(a) == unsafe.SliceData(b) && len(a) == len(b) {
		return
	}
	if p.probe && len(a) != len(b) {
		p.differs()
		return
	}
	if !p.enter() {
		p.leave()
		return
	}
	start, noted := len(p.buf), len(p.todo)
	keep, edits, replaced := min(len(a), len(b)), 0, 0
	for i := 0; i < keep; i++ {
		if i%stride == 0 {
			for i < keep && sameItems(a, b, i, min(i+stride, keep)) {
				i = min(i+stride, keep)
			}
			if i == keep {
				break
			}
		}
		if sameLeaf(a[i], b[i]) {
			continue
		}
		if !p.goesOn() {
			break
		}
		before := len(p.buf)
		p.deltaAt(place{list: a, at: i}, a[i], b[i])
		if len(p.buf) > before {
			if isReplacement(p.buf[before:]) {
				replaced++
			}
			p.editAt(i, before, edits > 0)
			edits++
		}
	}
	if edits > 0 || len(a) != len(b) {
		p.finishList(start, keep, edits, b)
		if len(a) != len(b) {
			p.put(func() any { return p.extendAny(a, b, keep) })
		}
		if end := len(p.buf); replaced > keep/2 && p.attempt(end-start, func() { p.replacement(b) }) && p.choose(start, end) {
			p.forget(noted)
			p.put(func() any { return p.copyAny(b) })
		}
	}
	p.leave()
}

func (p *pass) replacement(list []any) {
	p.buf = append(p.buf, "[0,"...)
	p.writeList(list)
	p.buf = append(p.buf, ']')
}

func (p *pass) finishList(start, keep, edits int, b []any) {
	p.kept(start, keep, edits)
	p.expectAny(b[keep:])
	p.writeItems(b[keep:])
	p.buf = append(p.buf, "]]"...)
}

// extendAny brings a list of a snapshot to the length of the new one.
func (p *pass) extendAny(a, b []any, keep int) []any {
	clear(a[keep:])
	a = a[:keep]
	for _, v := range b[keep:] {
		a = append(a, p.copyAny(v))
	}
	return a
}
