package persistent

import (
	"sync/atomic"
	"unsafe"
)

const (
	bits  = 5
	width = 1 << bits // elements of a leaf, and branches of a node
	mask  = width - 1
	least = 4 // elements that the first leaf has room for
)

// List is one version of a list. The zero value is empty. It is copied by assignment, and safe for concurrent use.
type List struct {
	kind  *Kind   // of its elements
	root  *node   // of the leaves before the tail; nil for none
	tail  *leaf   // the last 1 to width elements; nil for none
	n     int     // its length
	flags uintptr // see notFinal
}

// notFinal says that an element may be one that cannot be stored.
const notFinal = 1

// node is an inner node. Its branches are nodes, or leaves at the lowest level.
type node struct {
	kids [width]unsafe.Pointer // from the first on; nil behind the last
}

// leaf holds elements. Those that a version has are never written again.
type leaf struct {
	data unsafe.Pointer // an array of the elements' type
	room int            // elements that it has room for
	used atomic.Int64   // elements that some version has; who raises it may write them
}

func newLeaf(k *Kind, room, used int) *leaf {
	l := &leaf{data: k.alloc(room), room: room}
	l.used.Store(int64(used))
	return l
}

// roomFor is how large a leaf for n elements is.
func roomFor(n int) int {
	room := least
	for room < n {
		room *= 2
	}
	return room
}

// Len is the number of elements.
func (l *List) Len() int { return l.n }

// Kind is the kind of the elements; nil for an empty list.
func (l *List) Kind() *Kind { return l.kind }

// Final reports whether all elements can be stored.
func (l *List) Final() bool { return l.flags&notFinal == 0 }

// Same reports two versions that are one: they share all memory.
func (l *List) Same(other *List) bool {
	return l.n == other.n && l.tail == other.tail && l.root == other.root
}

// before is the number of elements before the tail.
func (l *List) before() int {
	if l.n == 0 {
		return 0
	}
	return (l.n - 1) &^ mask
}

// depthOf is how many levels of nodes are over so many leaves.
func depthOf(leaves int) (depth int) {
	for reach := 1; depth == 0 && leaves > 0 || reach < leaves; reach *= width {
		depth++
	}
	return depth
}

// leafAt is the leaf of the i-th element.
func (l *List) leafAt(i int) *leaf {
	before := l.before()
	if i >= before {
		return l.tail
	}
	return leafOf(l.root, depthOf(before/width), i/width)
}

func leafOf(n *node, depth, at int) *leaf {
	for ; depth > 1; depth-- {
		n = (*node)(n.kids[at>>(bits*(depth-1))&mask])
	}
	return (*leaf)(n.kids[at&mask])
}

// Run is where the i-th element is, and how many elements lie there one after the other. Nobody may write there.
func (l *List) Run(i int) (at unsafe.Pointer, n int) {
	return l.kind.at(l.leafAt(i).data, i&mask), min(width-i&mask, l.n-i)
}

// At is where the i-th element is. Nobody may write there.
func (l *List) At(i int) unsafe.Pointer { return l.kind.at(l.leafAt(i).data, i&mask) }

// Append returns the list with n elements more, which are finalized first. Items is where a caller has them.
func (l *List) Append(k *Kind, items unsafe.Pointer, n int) List {
	return l.grow(k, items, n, k.finalize)
}

// Join returns the list with the elements of another one from the given one on.
func (l *List) Join(other *List, from int) List {
	made := *l
	for from < other.n {
		at, n := other.Run(from)
		made = made.grow(other.kind, at, n, other.kind.assign)
		from += n
	}
	made.flags |= other.flags
	return made
}

// Pick returns the list with an element of another one.
func (l *List) Pick(other *List, i int) List {
	made := l.grow(other.kind, other.At(i), 1, other.kind.assign)
	made.flags |= other.flags
	return made
}

// Decoded returns a list of elements that are finalized, and that nobody else has.
func Decoded(k *Kind, items unsafe.Pointer, n int) List {
	var l List
	return l.grow(k, items, n, k.assign)
}

func (k *Kind) assign(dst, src unsafe.Pointer, n int) bool {
	k.move(dst, src, n)
	return true
}

func (l *List) grow(k *Kind, items unsafe.Pointer, n int, fill func(dst, src unsafe.Pointer, n int) bool) List {
	made := *l
	for done := 0; done < n; {
		made.kind = k
		used := made.n - made.before()
		if used == width {
			leaves := made.before() / width
			made.root = hang(made.root, depthOf(leaves), depthOf(leaves+1), leaves, made.tail)
			made.tail, used = nil, 0
		}
		more := min(n-done, width-used)
		if made.tail == nil || !made.tail.claim(used, more) {
			made.tail = made.tail.copied(k, used, roomFor(used+more), used+more)
		}
		if !fill(k.at(made.tail.data, used), k.at(items, done), more) {
			made.flags |= notFinal
		}
		made.n += more
		done += more
	}
	return made
}

// claim makes room behind the elements of a version its own, unless another version has elements there.
func (x *leaf) claim(used, more int) bool {
	return used+more <= x.room && x.used.CompareAndSwap(int64(used), int64(used+more))
}

// copied is a leaf with the first elements of another one, which may be nil for none.
func (x *leaf) copied(k *Kind, n, room, used int) *leaf {
	made := newLeaf(k, room, used)
	if n > 0 {
		k.move(made.data, x.data, n)
	}
	return made
}

// hang puts a leaf at a place of a tree that grows from one depth to another.
func hang(n *node, depth, to, at int, x *leaf) *node {
	for ; depth > 0 && depth < to; depth++ {
		n = &node{kids: [width]unsafe.Pointer{unsafe.Pointer(n)}}
	}
	return n.with(to, at, x)
}

// with is a copy of a node, nil for one without branches, that has a leaf at a place.
func (n *node) with(depth, at int, x *leaf) *node {
	made := new(node)
	if n != nil {
		*made = *n
	}
	kid := &made.kids[at>>(bits*(depth-1))&mask]
	if depth == 1 {
		*kid = unsafe.Pointer(x)
	} else {
		*kid = unsafe.Pointer((*node)(*kid).with(depth-1, at, x))
	}
	return made
}

// Set returns the list with another element at i, which is finalized first.
func (l *List) Set(i int, item unsafe.Pointer) List {
	made, k := *l, l.kind
	before, old := l.before(), l.leafAt(i)
	n := min(width, l.n-i&^mask)
	fresh := old.copied(k, n, roomFor(n), n)
	place := k.at(fresh.data, i&mask)
	k.clear(place)
	if !k.finalize(place, item, 1) {
		made.flags |= notFinal
	}
	if i >= before {
		made.tail = fresh
	} else {
		made.root = l.root.with(depthOf(before/width), i/width, fresh)
	}
	return made
}

// First returns the first n elements of the list.
func (l *List) First(n int) List {
	if n == l.n {
		return *l
	}
	if n == 0 {
		return List{}
	}
	made := *l
	made.n, made.tail = n, l.leafAt(n-1)
	was, is := l.before()/width, made.before()/width
	depth := depthOf(was)
	for ; depth > depthOf(is) && depth > 1; depth-- {
		made.root = (*node)(made.root.kids[0])
	}
	if is == 0 {
		made.root = nil
	} else if is < was {
		made.root = made.root.cut(depth, is)
	}
	return made
}

// cut is a copy of a node with its first leaves alone, at least one.
func (n *node) cut(depth, leaves int) *node {
	made := new(node)
	last := (leaves - 1) >> (bits * (depth - 1)) & mask
	copy(made.kids[:], n.kids[:last+1])
	if depth > 1 {
		rest := (leaves-1)&(1<<(bits*(depth-1))-1) + 1
		made.kids[last] = unsafe.Pointer((*node)(made.kids[last]).cut(depth-1, rest))
	}
	return made
}

// Diff calls f for each place at which two lists may differ, among the elements that both have. F gets where the
// elements are in either list, and how many. Diff skips what the lists share. F reports whether to go on.
func Diff(a, b *List, f func(i int, x, y unsafe.Pointer, n int) bool) {
	both := min(a.n, b.n)
	common := min(a.before(), b.before())
	d := differ{a.kind, f}
	if common > 0 {
		depth := depthOf(common / width)
		if x, y := a.over(depth), b.over(depth); !d.nodes(x, y, depth, 0, common) {
			return
		}
	}
	if both > common {
		d.leaves(a.leafAt(common), b.leafAt(common), common, both-common)
	}
}

// over is the node of a depth over the first elements.
func (l *List) over(depth int) *node {
	n := l.root
	for d := depthOf(l.before() / width); d > depth; d-- {
		n = (*node)(n.kids[0])
	}
	return n
}

// differ looks for the elements in which two lists differ.
type differ struct {
	kind *Kind                                        // of the elements
	f    func(i int, x, y unsafe.Pointer, n int) bool // is called with n elements from i on that may differ; false stops
}

// nodes compares nodes of one depth whose first element is that at i. Elements from the end on are not compared.
func (d *differ) nodes(x, y *node, depth, i, end int) bool {
	if x == y {
		return true
	}
	size := 1 << (bits * depth) // elements of a branch
	for kid := 0; kid < width && i < end; kid, i = kid+1, i+size {
		p, q := x.kids[kid], y.kids[kid]
		switch {
		case p == q:
		case depth == 1:
			if !d.leaves((*leaf)(p), (*leaf)(q), i, width) {
				return false
			}
		case !d.nodes((*node)(p), (*node)(q), depth-1, i, end):
			return false
		}
	}
	return true
}

func (d *differ) leaves(x, y *leaf, i, n int) bool { return x == y || d.f(i, x.data, y.data, n) }
