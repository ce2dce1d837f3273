package persistent

import (
	"cmp"
	"slices"
	"unsafe"
)

const (
	mostKeys = 16           // members of a leaf
	mostKids = 32           // branches of an inner node
	fewKeys  = mostKeys / 4 // a leaf with fewer is joined with its neighbour, if both have room in one
)

// Map is one version of a map. The zero value is empty. It is copied by assignment, and safe for concurrent use.
//
// Keys are the names that the members have in JSON.
type Map struct {
	kind  *Kind   // of its values
	root  *branch // nil for an empty map
	n     int     // how many members it has
	flags uintptr // see notFinal and numeric
}

// numeric says that the keys are integers, and ordered as such.
const numeric = 2

// branch is a node of a map, which never changes.
type branch struct {
	keys   []string       // of a leaf the keys; else the lower bounds of the branches, the first of which means nothing
	kids   []*branch      // of an inner node
	values unsafe.Pointer // of a leaf: an array of the values' type, as long as keys
	height int            // 0 for a leaf
}

// NewMap is an empty map with keys that are integers, or not.
func NewMap(k *Kind, integers bool) Map {
	m := Map{kind: k}
	if integers {
		m.flags = numeric
	}
	return m
}

// Len is the number of members.
func (m *Map) Len() int { return m.n }

// Kind is the kind of the values; nil for the zero value.
func (m *Map) Kind() *Kind { return m.kind }

// Final reports whether all values can be stored.
func (m *Map) Final() bool { return m.flags&notFinal == 0 }

// Numeric reports whether the keys are integers.
func (m *Map) Numeric() bool { return m.flags&numeric != 0 }

// Same reports two versions that are one: they share all memory.
func (m *Map) Same(other *Map) bool { return m.n == other.n && m.root == other.root }

func (m *Map) compare(a, b string) int {
	if !m.Numeric() {
		return cmp.Compare(a, b)
	}
	return compareIntegers(a, b)
}

// compareIntegers compares integers in decimal, without leading zeros.
func compareIntegers(a, b string) int {
	switch minusA, minusB := a[0] == '-', b[0] == '-'; {
	case minusA && minusB:
		a, b = b, a
	case minusA:
		return -1
	case minusB:
		return 1
	}
	if len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return cmp.Compare(a, b)
}

// find is where a key is in a leaf, or would be.
func (m *Map) find(x *branch, key string) (at int, found bool) {
	return slices.BinarySearchFunc(x.keys, key, m.compare)
}

// way is the branch that a key is in.
func (m *Map) way(x *branch, key string) int {
	at, found := slices.BinarySearchFunc(x.keys[1:], key, m.compare)
	if found {
		at++
	}
	return at
}

// Get is where the value of a key is, nil if there is none. Nobody may write there.
func (m *Map) Get(key string) unsafe.Pointer {
	x := m.root
	if x == nil {
		return nil
	}
	for x.height > 0 {
		x = x.kids[m.way(x, key)]
	}
	if at, found := m.find(x, key); found {
		return m.kind.at(x.values, at)
	}
	return nil
}

// Each calls f for each member, in the order of the keys, until it reports false.
func (m *Map) Each(f func(key string, value unsafe.Pointer) bool) {
	if m.root != nil {
		m.root.each(m.kind, f)
	}
}

func (x *branch) each(k *Kind, f func(key string, value unsafe.Pointer) bool) bool {
	for _, kid := range x.kids {
		if !kid.each(k, f) {
			return false
		}
	}
	for i := 0; x.height == 0 && i < len(x.keys); i++ {
		if !f(x.keys[i], k.at(x.values, i)) {
			return false
		}
	}
	return true
}

// Set returns the map with a member, whose value is finalized first.
func (m *Map) Set(key string, value unsafe.Pointer) Map { return m.put(key, value, m.kind.finalize) }

// Share returns the map with a member whose value is finalized, and that nobody else may change.
func (m *Map) Share(key string, value unsafe.Pointer) Map { return m.put(key, value, m.kind.assign) }

// Take returns the map with a member that another one has.
func (m *Map) Take(other *Map, key string) Map {
	made := *m
	if made.kind == nil {
		made.kind, made.flags = other.kind, other.flags
	}
	made.flags |= other.flags
	return made.Share(key, other.Get(key))
}

func (m *Map) put(key string, value unsafe.Pointer, fill func(dst, src unsafe.Pointer, n int) bool) Map {
	made := *m
	w := &writer{Map: &made, fill: fill, value: value}
	if m.root == nil {
		made.root = &branch{keys: []string{key}, values: m.kind.alloc(1)}
		w.finalize(made.root, 0)
		made.n = 1
		return made
	}
	x, more := w.put(m.root, key, true)
	if more != nil {
		x = &branch{keys: []string{"", more.least()}, kids: []*branch{x, more}, height: x.height + 1}
	}
	made.root = x
	return made
}

// least is a lower bound of the keys of a branch that was split off.
func (x *branch) least() string { return x.keys[0] }

// writer puts one member into a map.
type writer struct {
	*Map

	fill  func(dst, src unsafe.Pointer, n int) bool // copies n values; false if one of them cannot be stored
	value unsafe.Pointer                            // of the member
}

func (w *writer) finalize(x *branch, at int) {
	if !w.fill(w.kind.at(x.values, at), w.value, 1) {
		w.flags |= notFinal
	}
}

// put returns a branch with the member, and a second one behind it where one has no room. Last says that nothing is
// behind the branch.
func (w *writer) put(x *branch, key string, last bool) (is, more *branch) {
	if x.height == 0 {
		return w.putLeaf(x, key, last)
	}
	at := w.way(x, key)
	kid, next := w.put(x.kids[at], key, last && at == len(x.kids)-1)
	is = &branch{keys: x.keys, kids: slices.Clone(x.kids), height: x.height}
	is.kids[at] = kid
	if next == nil {
		return is, nil
	}
	is.keys, is.kids = slices.Insert(slices.Clone(x.keys), at+1, next.least()), slices.Insert(is.kids, at+1, next)
	if len(is.kids) <= mostKids {
		return is, nil
	}
	half := splitAt(len(is.kids), last && at == len(x.kids)-1)
	more = &branch{keys: slices.Clone(is.keys[half:]), kids: slices.Clone(is.kids[half:]), height: x.height}
	is.keys, is.kids = slices.Clip(is.keys[:half]), slices.Clone(is.kids[:half])
	return is, more
}

// splitAt is how many parts stay where a branch is split. Where keys come in their order, nothing is put there again.
func splitAt(n int, last bool) int {
	if last {
		return n - 1
	}
	return n / 2
}

func (w *writer) putLeaf(x *branch, key string, last bool) (is, more *branch) {
	at, found := w.find(x, key)
	n := len(x.keys)
	if found {
		is = &branch{keys: x.keys, values: w.kind.alloc(n)}
		w.kind.moveAt(is.values, 0, x.values, 0, at)
		w.kind.moveAt(is.values, at+1, x.values, at+1, n-at-1)
		w.finalize(is, at)
		return is, nil
	}
	w.n++
	is = &branch{keys: make([]string, n+1), values: w.kind.alloc(n + 1)}
	copy(is.keys, x.keys[:at])
	is.keys[at] = key
	copy(is.keys[at+1:], x.keys[at:])
	w.kind.moveAt(is.values, 0, x.values, 0, at)
	w.kind.moveAt(is.values, at+1, x.values, at, n-at)
	w.finalize(is, at)
	if n < mostKeys {
		return is, nil
	}
	half := splitAt(n+1, last && at == n)
	return w.part(is, 0, half), w.part(is, half, n+1)
}

// part is a leaf with some of the members of a leaf.
func (m *Map) part(x *branch, from, to int) *branch {
	made := &branch{keys: slices.Clone(x.keys[from:to]), values: m.kind.alloc(to - from)}
	m.kind.moveAt(made.values, 0, x.values, from, to-from)
	return made
}

// Delete returns the map without a key.
func (m *Map) Delete(key string) Map {
	if m.Get(key) == nil {
		return *m
	}
	made := *m
	made.n--
	if made.root = m.without(m.root, key); made.root == nil {
		return Map{}
	}
	for len(made.root.kids) == 1 {
		made.root = made.root.kids[0]
	}
	return made
}

// without is a branch without a key that it has; nil if nothing is left.
func (m *Map) without(x *branch, key string) *branch {
	if x.height == 0 {
		if len(x.keys) == 1 {
			return nil
		}
		at, _ := m.find(x, key)
		made := &branch{keys: slices.Delete(slices.Clone(x.keys), at, at+1), values: m.kind.alloc(len(x.keys) - 1)}
		m.kind.moveAt(made.values, 0, x.values, 0, at)
		m.kind.moveAt(made.values, at, x.values, at+1, len(x.keys)-at-1)
		return made
	}
	at := m.way(x, key)
	kid := m.without(x.kids[at], key)
	made := &branch{keys: x.keys, kids: slices.Clone(x.kids), height: x.height}
	switch made.kids[at] = kid; {
	case kid == nil && len(x.kids) == 1:
		return nil
	case kid == nil:
		made.keys, made.kids = slices.Delete(slices.Clone(x.keys), at, at+1), slices.Delete(made.kids, at, at+1)
	default:
		m.join(made, at)
	}
	return made
}

// join makes one of two neighbours if the given one has become small. The branch is new, but for its keys.
func (m *Map) join(x *branch, at int) {
	if at == 0 {
		at = 1
	}
	if at >= len(x.kids) {
		return
	}
	a, b := x.kids[at-1], x.kids[at]
	var both *branch
	switch n, k := len(a.keys), len(b.keys); {
	case min(n, k) >= fewKeys:
		return
	case a.height == 0 && n+k <= mostKeys:
		both = &branch{keys: slices.Concat(a.keys, b.keys), values: m.kind.alloc(n + k)}
		m.kind.moveAt(both.values, 0, a.values, 0, n)
		m.kind.moveAt(both.values, n, b.values, 0, k)
	case a.height > 0 && n+k <= mostKids:
		keys := slices.Concat(a.keys, b.keys)
		keys[n] = x.keys[at]
		both = &branch{keys: keys, kids: slices.Concat(a.kids, b.kids), height: a.height}
	default:
		return
	}
	x.keys = slices.Delete(slices.Clone(x.keys), at, at+1)
	x.kids = slices.Delete(x.kids, at, at+1)
	x.kids[at-1] = both
}
