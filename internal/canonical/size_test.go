package canonical_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
)

type part struct {
	Name  string `json:"name"`
	Note  string `json:"note,omitempty"`
	N     int    `json:"n,omitempty"`
	F     float64
	G     float32 `json:"<g>"`
	Yes   bool
	Blob  []byte
	Tags  []string
	More  map[string]any
	Count map[int]uint8
	Next  *part
	Zero  struct{ A int } `json:"zero,omitzero"`
	Pair  [2]int16
	Num   json.Number
	Any   any
	embedded
}

type embedded struct {
	Inner string
	Quote string `json:"quote,string"`
	Digit int    `json:"digit,string"`
}

// randomPart draws a value of everything that has a size of its own.
func randomPart(r *rand.Rand, depth int) *part {
	p := &part{
		Name: randomText(r), N: r.IntN(3) * -7, F: randomFloat(r), G: float32(r.IntN(3)) * 1e-7, Yes: r.IntN(2) == 0, Pair: [2]int16{-1, int16(r.IntN(999))},
	}
	if r.IntN(2) == 0 {
		p.Note, p.Blob, p.Num, p.Zero.A = randomText(r), []byte(randomText(r)), "-12.5e7", r.IntN(2)
		p.Any, p.Digit = randomAny(r, 3), r.IntN(1000)
	}
	if r.IntN(2) == 0 {
		p.Tags, p.More = []string{randomText(r), ""}, map[string]any{randomText(r): randomAny(r, 2), "b": nil}
		p.Count = map[int]uint8{-5: 200, 12: 3}
	}
	if depth > 0 {
		p.Next = randomPart(r, depth-1)
	}
	return p
}

func randomText(r *rand.Rand) string {
	pieces := []string{"a", "plain text", "<", "\x01", "\n", `"`, `\`, "é", "\u2028", "\xff", "𝄞", "&", "\x7f"}
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func randomFloat(r *rand.Rand) float64 {
	return []float64{0, -1, 1e6, 1e21, 1e-7, 0.1, 123456.75, math.MaxFloat64, -1e-300, math.Copysign(0, -1)}[r.IntN(10)]
}

func randomAny(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case n < 3 && depth > 0:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = randomAny(r, depth-1)
		}
		return list
	case n < 5 && depth > 0:
		return map[string]any{randomText(r): randomAny(r, depth-1), "x": randomAny(r, depth-1)}
	}
	return []any{nil, true, 17, 2.5, "text", json.Number("3"), []int{1, 22, 333}, part{Name: "inner"}, map[string]string{"a": "<"}}[r.IntN(9)]
}

// A value is measured to the byte, unless it writes itself.
func TestN8_SizesAreThoseOfTheJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 3000 {
		p := randomPart(r, r.IntN(4))
		quote := randomText(r) // what is escaped twice is counted once
		if p.Quote = ""; r.IntN(4) == 0 {
			p.Quote = quote
		}
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if over := canonical.Measure(reflect.ValueOf(p), len(data)); over != nil {
			t.Fatalf("%s\nhas %d bytes, and is said to be more than that: %v", data, len(data), over)
		}
		if over := canonical.Measure(reflect.ValueOf(p), len(data)-1); over == nil && p.Quote == "" && !strings.Contains(string(data), `"quote":"\"\\`) {
			t.Fatalf("%s\nhas %d bytes, and is said to fit into one less", data, len(data))
		}
		if data, err := canonical.Marshal(p, len(data)-1); err == nil || data != nil {
			t.Fatalf("it was encoded beyond the limit: %s", data)
		}
	}
}

// The culprit is named, wherever it is.
func TestN8_TheLargePartIsNamed(t *testing.T) {
	big := strings.Repeat("x", 5000)
	for want, v := range map[string]any{
		"":                big,
		"/3":              []string{"a", "b", "c", big, "d"},
		"/more~1or~0less": map[string]string{"a": "b", "more/or~less": big, "c": "d"},
		"/Next/Next/name": part{Next: &part{Name: "y", Next: &part{Name: big}}},
		"/Any/1/list":     part{Any: []any{1, map[string]any{"": "a", "list": strings.Split(strings.Repeat("many,", 900), ",")}}},
		"/Blob":           part{Blob: make([]byte, 5000)},
		"/Inner":          &part{embedded: embedded{Inner: big}, Note: "later"},
		"/7":              map[int]any{6: "six", 7: big},
		"/More/raw":       part{More: map[string]any{"raw": json.RawMessage(`"` + big + `"`)}},
		"/More":           part{More: map[string]any{"a": big[:900], "b": big[:900], "c": big[:900]}},
		"/Tags/0":         &part{Tags: []string{big[:1500], big[:400], big[:300]}},
	} {
		_, err := canonical.Marshal(v, 2000)
		over := (*canonical.Excess)(nil)
		if !errors.As(err, &over) {
			t.Errorf("%q: %v", want, err)
			continue
		}
		prefix := want + ": "
		if want == "" {
			prefix = ""
		}
		if !strings.HasPrefix(over.Error(), prefix+"takes more than the limit of 2000 bytes; ") {
			t.Errorf("expected %q, found: %v", want, over)
		}
	}
}

type ring struct{ Next *ring }

type speaks struct{ text string }

func (s speaks) MarshalJSON() ([]byte, error) { return json.Marshal(s.text) }

// What cannot be measured is left to the encoder, and refused once it is encoded.
func TestN8_WhatWritesItselfIsRefusedOnceItIsWritten(t *testing.T) {
	_, err := canonical.Marshal([]any{speaks{strings.Repeat("x", 100)}, time.Now()}, 80)
	if want := "takes more than the limit of 80 bytes; "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("expected %q, found: %v", want, err)
	}
	r := &ring{}
	r.Next = r
	if over := canonical.Measure(reflect.ValueOf(r), 1<<20); over != nil {
		t.Errorf("a cycle has no size: %v", over)
	}
	m := map[string]any{}
	m["a"], m["b"] = m, m
	if _, err := canonical.Marshal(m, 1<<20); !errors.As(err, new(*json.UnsupportedValueError)) {
		t.Errorf("a cycle: %v", err)
	}
	deep := &ring{}
	for range 5000 {
		deep = &ring{Next: deep}
	}
	if _, err := canonical.Marshal(deep, 1<<20); err != nil {
		t.Errorf("a deep value: %v", err)
	}
	if over := canonical.Measure(reflect.ValueOf(deep), 5000); over == nil {
		t.Error("a deep value is said to fit")
	}
}

// Refusing costs next to nothing, however large the value is.
func TestN8_RefusingMakesNothing(t *testing.T) {
	const limit = 1 << 20
	text := strings.Repeat("<", 50<<20)
	list := make([]any, 1<<20)
	for i := range list {
		list[i] = map[string]any{"n": i}
	}
	for name, v := range map[string]any{"text": text, "list": list, "numbers": make([]int, 8<<20), "struct": part{Tags: []string{"a", text}}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := canonical.Marshal(v, limit)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: it was encoded", name)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > limit {
			t.Errorf("%s: refusing it took %d bytes", name, took)
		}
	}
}
