package memory

import (
	"iter"
	"slices"
)

// leaf is how many values a leaf of an ordered set holds at most.
const leaf = 256

// ordered is a sorted set in leaves of bounded size: what is added at the end, as by a clock, costs next to nothing,
// and a change anywhere costs one leaf.
type ordered[T any] struct {
	compare func(a, b T) int
	leaves  [][]T // none is empty, unless it is the only one
}

// find is the leaf that holds v or should.
func (o *ordered[T]) find(v T) int {
	if len(o.leaves) == 1 {
		return 0
	}
	n, _ := slices.BinarySearchFunc(o.leaves, v, func(l []T, v T) int { return o.compare(l[len(l)-1], v) })
	return n
}

// add puts v into the set. One that is there already stays.
func (o *ordered[T]) add(v T) {
	if len(o.leaves) == 0 {
		o.leaves = [][]T{{v}}
		return
	}
	n := min(o.find(v), len(o.leaves)-1)
	l := o.leaves[n]
	i, found := slices.BinarySearchFunc(l, v, o.compare)
	switch {
	case found:
	case len(l) < leaf:
		o.leaves[n] = slices.Insert(l, i, v)
	case i == len(l): // growth at the end leaves full leaves behind
		o.leaves = slices.Insert(o.leaves, n+1, []T{v})
	default:
		right := slices.Clone(l[leaf/2:])
		clear(l[leaf/2:])
		o.leaves[n] = l[:leaf/2]
		o.leaves = slices.Insert(o.leaves, n+1, right)
		o.add(v)
	}
}

// remove takes v out of the set, if it is there.
func (o *ordered[T]) remove(v T) {
	n := o.find(v)
	if n == len(o.leaves) {
		return
	}
	i, found := slices.BinarySearchFunc(o.leaves[n], v, o.compare)
	if !found {
		return
	}
	o.leaves[n] = slices.Delete(o.leaves[n], i, i+1)
	if len(o.leaves[n]) == 0 && len(o.leaves) > 1 {
		o.leaves = slices.Delete(o.leaves, n, n+1)
	}
}

// all yields the values in order.
func (o *ordered[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, l := range o.leaves {
			for _, v := range l {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// backward yields the values in reverse order.
func (o *ordered[T]) backward() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, l := range slices.Backward(o.leaves) {
			for _, v := range slices.Backward(l) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// behind returns a function that returns the values after v one after the other, and the zero value at the end.
func (o *ordered[T]) behind(v T) func() T {
	leaves := o.leaves
	if len(leaves) > 0 {
		leaves = leaves[min(o.find(v), len(leaves)):]
	}
	at := 0
	if len(leaves) > 0 {
		var found bool
		if at, found = slices.BinarySearchFunc(leaves[0], v, o.compare); found {
			at++
		}
	}
	return func() (next T) {
		for len(leaves) > 0 && at == len(leaves[0]) {
			leaves, at = leaves[1:], 0
		}
		if len(leaves) > 0 {
			next = leaves[0][at]
			at++
		}
		return next
	}
}
