package persistent

import (
	"slices"
	"unsafe"
)

// DiffMaps calls f for each key that two maps do not share, in order, with the places of its values. A place is nil
// where a map does not have the key, and the values may be the same. F reports whether to go on.
func DiffMaps(a, b *Map, f func(key string, x, y unsafe.Pointer) bool) {
	x, y := walkOver(a), walkOver(b)
	compare := a.compare
	if a.n == 0 {
		compare = b.compare
	}
	for {
		if x.leaf == nil && y.leaf == nil {
			skipShared(&x, &y)
		}
		switch moreX, moreY := x.open(), y.open(); {
		case !moreX && !moreY:
			return
		case moreX && moreY && x.leaf == y.leaf && x.at == y.at:
			x.leaf, y.leaf = nil, nil
			continue
		case !moreX:
			if !f(y.key(), nil, y.next()) {
				return
			}
		case !moreY:
			if !f(x.key(), x.next(), nil) {
				return
			}
		default:
			if !step(&x, &y, compare, f) {
				return
			}
		}
	}
}

// step visits the least key of two walks.
func step(x, y *walk, compare func(a, b string) int, f func(key string, x, y unsafe.Pointer) bool) bool {
	key := x.key()
	switch order := compare(key, y.key()); {
	case order < 0:
		return f(key, x.next(), nil)
	case order > 0:
		return f(y.key(), nil, y.next())
	}
	return f(key, x.next(), y.next())
}

// walk goes through a map.
type walk struct {
	kind  *Kind     // of the values
	ahead []*branch // that follow, the next one last
	leaf  *branch   // that the walk is in; nil between leaves
	at    int       // the index of the next member in leaf
}

func walkOver(m *Map) walk {
	w := walk{kind: m.kind}
	if m.root != nil {
		w.ahead = []*branch{m.root}
	}
	return w
}

// skipShared goes to the next leaves of two walks that are not shared.
func skipShared(x, y *walk) {
	for len(x.ahead) > 0 && len(y.ahead) > 0 {
		switch p, q := x.ahead[len(x.ahead)-1], y.ahead[len(y.ahead)-1]; {
		case p == q:
			x.ahead, y.ahead = x.ahead[:len(x.ahead)-1], y.ahead[:len(y.ahead)-1]
		case p.height == 0 && q.height == 0:
			return
		default:
			if p.height >= q.height {
				x.unfold()
			}
			if q.height >= p.height {
				y.unfold()
			}
		}
	}
}

// unfold puts the branches of the next one in its place.
func (w *walk) unfold() {
	last := len(w.ahead) - 1
	next := w.ahead[last]
	w.ahead = w.ahead[:last]
	for _, kid := range slices.Backward(next.kids) {
		w.ahead = append(w.ahead, kid)
	}
}

// open goes to the next member, and reports false where there is none.
func (w *walk) open() bool {
	if w.leaf != nil {
		return true
	}
	for len(w.ahead) > 0 {
		last := len(w.ahead) - 1
		if w.ahead[last].height > 0 {
			w.unfold()
			continue
		}
		w.leaf, w.at, w.ahead = w.ahead[last], 0, w.ahead[:last]
		return true
	}
	return false
}

func (w *walk) key() string { return w.leaf.keys[w.at] }

// next is the value of the member that the walk is at, and goes on.
func (w *walk) next() unsafe.Pointer {
	at := w.kind.at(w.leaf.values, w.at)
	if w.at++; w.at == len(w.leaf.keys) {
		w.leaf = nil
	}
	return at
}
