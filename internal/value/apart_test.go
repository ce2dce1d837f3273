package value_test

import (
	"testing"

	"github.com/fermata-go/fermata/internal/value"
)

// setApart settles a value of which two parts share memory, and changes one of them.
func setApart[T any](t *testing.T, what string, v T, change func(v *T), other func(v *T) int) {
	t.Helper()
	k, err := value.For[T]()
	if err != nil {
		t.Fatal(err)
	}
	settled, err := k.Settle(&v, new(value.Known), true, true)
	if err != nil {
		t.Fatal(err)
	}
	got := settled.(*T)
	change(got)
	if other(got) != 1 {
		t.Errorf("%s: a change of one is one of both", what)
	}
}

// A type whose only part may lead to the same memory twice is searched as others are.
func TestN10_PartsOfOneFieldShareNothing(t *testing.T) {
	n, list := 1, []int{1}
	type lists struct{ L [][]int }
	setApart(t, "lists in a list", lists{[][]int{list, list}}, func(v *lists) { v.L[0][0] = 2 }, func(v *lists) int { return v.L[1][0] })
	type inMap struct{ M map[string][]int }
	setApart(t, "lists in a map", inMap{map[string][]int{"a": list, "b": list}},
		func(v *inMap) { v.M["a"][0] = 2 }, func(v *inMap) int { return v.M["b"][0] })
	type pair struct{ P [2]*int }
	setApart(t, "pointers in an array", pair{[2]*int{&n, &n}}, func(v *pair) { *v.P[0] = 2 }, func(v *pair) int { return *v.P[1] })
	type deep struct{ P *[]*int }
	setApart(t, "pointers behind a pointer", deep{&[]*int{&n, &n}}, func(v *deep) { *(*v.P)[0] = 2 }, func(v *deep) int { return *(*v.P)[1] })
	type quoted struct {
		A *int `json:"a,string"`
		B *int `json:"b,string"`
	}
	setApart(t, "numbers in quotes", quoted{&n, &n}, func(v *quoted) { *v.A = 2 }, func(v *quoted) int { return *v.B })
}
