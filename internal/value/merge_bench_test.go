package value_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
)

type tenFields struct {
	A, B, C, D, E int
	F, G, H       string
	I             float64
	J             bool
}

type withParts struct {
	A, B  int
	Log   []message `merge:"append"`
	Table map[string][]string
	Any   any
	Sub   *message
	Name  string
	Total int `merge:"sum"`
}

// benchmarkMerge merges two branches, copies of one value that change has changed. The first becomes the result: reset
// makes it what it was.
func benchmarkMerge[S any](b *testing.B, codec plan.Codec, made func() S, change, reset func(one, other S)) {
	base := made()
	var branches []any
	for range 2 {
		v, err := codec.Copy(base)
		noError(b, err)
		branches = append(branches, v)
	}
	one, other := branches[0].(S), branches[1].(S)
	b.ReportAllocs()
	for b.Loop() {
		change(one, other)
		if _, err := codec.Merge(base, branches); err != nil {
			b.Fatal(err)
		}
		reset(one, other)
	}
}

func BenchmarkMerge(b *testing.B) {
	b.Run("flat, 2 of 10 fields", func(b *testing.B) {
		benchmarkMerge(b, codecOf[tenFields](b), func() *tenFields { return &tenFields{F: "some text", G: "more of it"} },
			func(one, other *tenFields) { one.B, other.G = 1, "other text" },
			func(one, _ *tenFields) { one.B, one.G = 0, "more of it" })
	})
	for _, n := range []int{10, 10_000} {
		made := func() *withParts {
			s := &withParts{Table: make(map[string][]string), Any: nested(), Sub: &message{}}
			for i := range n {
				s.Log = append(s.Log, message{Role: "user", Content: fmt.Sprint("message ", i)})
			}
			for i := range n / 10 {
				s.Table[fmt.Sprint(i)] = []string{"a", "b"}
			}
			return s
		}
		codec := codecOf[withParts](b)
		b.Run(fmt.Sprintf("parts/%d, 2 scalars", n), func(b *testing.B) {
			benchmarkMerge(b, codec, made,
				func(one, other *withParts) { one.A, other.B = 1, 2 },
				func(one, _ *withParts) { one.A, one.B = 0, 0 })
		})
		b.Run(fmt.Sprintf("parts/%d, both append", n), func(b *testing.B) {
			benchmarkMerge(b, codec, made,
				func(one, other *withParts) {
					one.Log, other.Log = append(one.Log[:n], message{Role: "a"}), append(other.Log[:n], message{Role: "b"})
				},
				func(*withParts, *withParts) {})
		})
		b.Run(fmt.Sprintf("parts/%d, encoded", n), func(b *testing.B) { // what it would cost to look at the JSON of one
			v := made()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := codec.Encode(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("objects, 2 of 10 members", func(b *testing.B) {
		made := func() map[string]any {
			v := map[string]any{"documents": nested()}
			for i := range 9 {
				v[fmt.Sprint("member ", i)] = json.Number("1")
			}
			return v
		}
		benchmarkMerge(b, value.Dynamic(), made,
			func(one, other map[string]any) { one["member 1"], other["member 2"] = "x", "y" },
			func(one, _ map[string]any) { one["member 1"], one["member 2"] = json.Number("1"), json.Number("1") })
	})
}
