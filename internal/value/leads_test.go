package value_test

import (
	"encoding/json"
	"math/big"
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
	settled, err := k.Finalize(&v, new(value.Known), true, true)
	if err != nil {
		t.Fatal(err)
	}
	got := settled.(*T)
	change(got)
	if other(got) != 1 {
		t.Errorf("%s: a change of one is one of both", what)
	}
}

// What the only part of a value leads to twice is apart, as in others.
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

type (
	hides    struct{ at *big.Int }
	embedded struct{ N int }
)

func (h hides) MarshalJSON() ([]byte, error) { return h.at.MarshalJSON() }
func (h *hides) UnmarshalJSON(text []byte) error {
	h.at = new(big.Int)
	return h.at.UnmarshalJSON(text)
}

// What is settled leads to nothing that whoever made it still holds: a change of that is not seen, whatever is the one part of
// the value that leads there (law N9).
func TestN9_WhatIsSettledLeadsToMemoryOfItsOwn(t *testing.T) {
	n, list, at := 1, []int{1, 2}, big.NewInt(1)
	notSeen(t, "a list", struct{ V []int }{list}, func() { list[0]++ })
	spare := make([]int, 1, 4)
	notSeen(t, "a list in an array", struct{ V [2][]int }{[2][]int{1: list}}, func() { list[0]++ })
	bytes := []byte("abc")
	notSeen(t, "bytes", struct{ V []byte }{bytes}, func() { bytes[0]++ })
	raw := json.RawMessage("1")
	notSeen(t, "JSON", struct{ V json.RawMessage }{raw}, func() { raw[0]++ })
	texts := map[string]string{"a": "a"}
	notSeen(t, "a map of texts", struct{ V map[string]string }{texts}, func() { texts["a"] += "b" })
	rates := map[int]float64{1: 1}
	notSeen(t, "a map", struct{ V map[int]float64 }{rates}, func() { rates[1]++ })
	notSeen(t, "a pointer", struct{ V *int }{&n}, func() { n++ })
	notSeen(t, "a number in quotes", struct {
		V *int `json:",string"`
	}{&n}, func() { n++ })
	object := map[string]any{"a": "a"}
	notSeen(t, "an object", struct{ V map[string]any }{object}, func() { object["a"] = "b" })
	notSeen(t, "an object in an interface", struct{ V any }{object}, func() { object["a"] = "c" })
	loose := []any{"a"}
	notSeen(t, "a list in an interface", struct{ V any }{loose}, func() { loose[0] = "b" })
	inner, outer := &embedded{1}, &Embedded{1}
	notSeen(t, "an embedded pointer", struct{ *Embedded }{outer}, func() { outer.N++ })
	notSeen(t, "a struct behind a pointer", struct{ V *embedded }{inner}, func() { inner.N++ })
	notSeen(t, "a type that hides a pointer", struct{ V hides }{hides{at}}, func() { at.Add(at, at) })
	notSeen(t, "a number of any size", struct{ V big.Int }{*at}, func() { at.Bits()[0]++ })

	codec, err := value.For[[]int]()
	noError(t, err)
	got, err := codec.Finalize(&spare, new(value.Known), true, true)
	noError(t, err)
	one, two := append(*got.(*[]int), 1), append(*got.(*[]int), 2)
	if one[1] != 1 || two[1] != 2 {
		t.Errorf("two appends write to one place: %v, %v", one, two)
	}
}

// Embedded is embedded by a pointer.
type Embedded struct{ N int }

// notSeen checks that a change of what a value leads to is not seen in what was settled before.
func notSeen[S any](t *testing.T, what string, v S, change func()) {
	t.Helper()
	codec, err := value.For[S]()
	noError(t, err)
	got, err := codec.Finalize(&v, new(value.Known), true, true)
	noError(t, err)
	before := marshal(t, got)
	change()
	if after := marshal(t, got); string(after) != string(before) {
		t.Errorf("%s: %s became %s", what, before, after)
	}
}
