package fermata_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/canonical"
)

// joint is a state whose parts may share memory.
type joint struct {
	A, B     []int
	Lists    [][]int
	M, N     map[string]int
	Deep     map[string][]string
	Rates    map[string]float64
	P, Q     *int
	Next     *joint
	X, Y     any
	Objects  map[string]any
	Raw      json.RawMessage
	Bytes    []byte
	Big      *big.Int
	Num, Old big.Int
	Money    money
	One, Two hidden
	Pair     [2]*int
	*Rooted
	Other *Rooted
}

// Rooted is what a pointer that is embedded leads to.
type Rooted struct{ Top int }

// hidden writes its JSON itself, and hides a pointer to a number.
type hidden struct{ n *int }

func (c hidden) MarshalJSON() ([]byte, error)     { return json.Marshal(c.n) }
func (c *hidden) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &c.n) }

// money writes its JSON itself, and hides what it leads to.
type money struct{ cents *big.Int }

func (m money) MarshalJSON() ([]byte, error) {
	if m.cents == nil {
		return []byte("null"), nil
	}
	return m.cents.MarshalJSON()
}

func (m *money) UnmarshalJSON(text []byte) error {
	if m.cents = nil; string(text) == "null" {
		return nil
	}
	m.cents = new(big.Int)
	return m.cents.UnmarshalJSON(text)
}

// joins are ways in which two parts of a state come to share memory.
var joins = []func(s *joint){
	func(s *joint) { s.B = s.A },
	func(s *joint) { s.B = s.A[1:] },
	func(s *joint) { all := []int{1, 2, 3}; s.A, s.B = all[:1], all[1:] }, // what is appended to A is written into B
	func(s *joint) { s.Lists = [][]int{s.A, s.B, s.A} },
	func(s *joint) { s.Lists = append(s.Lists, s.B) },
	func(s *joint) { s.N = s.M },
	func(s *joint) { x := []string{"x"}; s.Deep = map[string][]string{"a": x, "b": x} },
	func(s *joint) { s.Deep = map[string][]string{"a": {"x"}}; s.Next.Deep = s.Deep },
	func(s *joint) { s.Rates = map[string]float64{"r": 1}; s.Next.Rates = s.Rates },
	func(s *joint) { s.Q = s.P },
	func(s *joint) { s.P = &s.A[0] },
	func(s *joint) { next := unjoined(); next.A, next.M, next.P = s.A, s.M, s.P; s.Next = &next },
	func(s *joint) { inner := *s; s.Next = &inner },
	func(s *joint) { s.X = map[string]any{"n": true}; s.Y = s.X },
	func(s *joint) { list := []any{"a", "b"}; s.X, s.Y = list, []any{list} },
	func(s *joint) { s.Objects = map[string]any{"x": s.X, "y": s.Y, "z": s.X} },
	func(s *joint) { s.Raw = json.RawMessage("123"); s.Bytes = []byte(s.Raw) },
	func(s *joint) { s.Big = &s.Next.Num },
	func(s *joint) { s.Old = s.Num },
	func(s *joint) { s.Money = money{s.Big} },
	func(s *joint) { s.Next.Money = s.Money },
	func(s *joint) { s.Two = s.One },
	func(s *joint) { s.Pair[1] = s.P },
	func(s *joint) { s.Other = s.Rooted },
	func(s *joint) {},
}

// unjoined is a state whose parts share nothing, and that is as it is read back.
func unjoined() joint {
	return joint{
		A: []int{1, 2, 3}, B: []int{4, 5}, M: map[string]int{"m": 1}, P: new(int), Raw: json.RawMessage("1"),
		Big: big.NewInt(7), Num: *new(big.Int).Lsh(big.NewInt(1), 100), Old: *big.NewInt(3), Money: money{big.NewInt(9)},
		One: hidden{new(int)}, Rooted: &Rooted{1},
	}
}

// made is a state in which parts share memory as was drawn.
func made(ways []int) *joint {
	s, next := unjoined(), unjoined()
	s.Next = &next
	for _, way := range ways {
		joins[way](&s)
	}
	return &s
}

// changed changes all that a value leads to in place, each part in a way of its own.
func changed(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		switch p := v.Interface().(type) {
		case *big.Int:
			if p != nil {
				p.Add(p, big.NewInt(int64(*n)))
			}
			return
		}
		if !v.IsNil() {
			changed(v.Elem(), n)
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		inner := reflect.New(v.Elem().Type()).Elem()
		inner.Set(v.Elem())
		changed(inner, n)
		v.Set(inner)
	case reflect.Slice:
		for i := range v.Len() {
			changed(v.Index(i), n)
		}
		if !v.IsNil() && v.Type() != reflect.TypeFor[json.RawMessage]() { // which stays a number
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			inner := reflect.New(v.Type().Elem()).Elem()
			inner.Set(v.MapIndex(key))
			changed(inner, n)
			v.SetMapIndex(key, inner)
		}
	case reflect.Struct:
		switch s := v.Addr().Interface().(type) {
		case *big.Int:
			changed(v.Addr(), n)
		case *money:
			changed(reflect.ValueOf(s.cents), n)
		case *hidden:
			changed(reflect.ValueOf(s.n), n)
		default:
			for _, field := range v.Fields() {
				changed(field, n)
			}
		}
	case reflect.Int:
		v.SetInt(v.Int() + int64(*n))
	case reflect.Float64:
		v.SetFloat(v.Float() + float64(*n))
	case reflect.Uint8:
		v.SetUint(uint64('1' + *n%9)) // a digit
	case reflect.String:
		v.SetString(fmt.Sprint(v.String(), *n))
	case reflect.Bool:
		v.SetBool(!v.Bool())
	}
}

// inPlace is the JSON of a value after all of it was changed in place.
func inPlace(v any) string {
	n := 0
	changed(reflect.ValueOf(v), &n)
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Two parts of a value that share memory when a node returns it share none when the next one is given it, on every way: a
// decoded value has none to share (law N10).
func TestN10_PartsOfAValueShareNothing(t *testing.T) {
	ways := waysOf(t.TempDir())
	for way := range joins {
		sharesNothing(t, ways, false, way)
	}
	rapid.Check(t, func(t *rapid.T) {
		joined := rapid.SliceOfN(rapid.IntRange(0, len(joins)-1), 0, 4).Draw(t, "joined")
		twice := rapid.IntRange(0, 9).Draw(t, "twice") == 9
		ways := slices.DeleteFunc(slices.Clone(ways), func(w wayOf) bool { return strings.HasPrefix(w.name, "sqlite") })
		sharesNothing(t, ways, twice, joined...)
	})
}

// sharesNothing checks that a node which changes all in place comes to the same with what it is given as with what is decoded.
func sharesNothing(t valuesTest, ways []wayOf, twice bool, joined ...int) {
	h := handing[*joint]{
		made: func() boxOf[*joint] {
			s := made(joined)
			if twice {
				return boxOf[*joint]{s, s}
			}
			return boxOf[*joint]{V: s}
		},
		used: func(s boxOf[*joint]) any { return inPlace(&s) },
	}
	text, err := json.Marshal(h.made())
	if err != nil {
		t.Fatal(err)
	}
	var fresh boxOf[*joint]
	if err := canonical.Decode(text, &fresh); err != nil {
		t.Fatal(err)
	}
	want := inPlace(&fresh)
	for _, w := range ways {
		if w.author == "immutable" { // nothing is changed in place there
			continue
		}
		if got, err := handed(t, w, h); err != nil || got != want {
			t.Fatalf("%s, %v: %v\nexpected %s\nfound    %s", w.name, joined, err, want, got)
		}
	}
}
