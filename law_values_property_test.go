package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// boxOf is a state with a value of a drawn type.
type boxOf[T any] struct {
	V T
	O T `json:"o,omitempty"`
}

// valuesTest is a *testing.T, or the *rapid.T of one draw.
type valuesTest interface {
	rapid.TB
	Context() context.Context
}

// wayOf is one way from a node to the next one.
type wayOf struct {
	name    string
	between string // "", "sleep" or "crash"
	store   func(t valuesTest) (store journal.Store, done func())
	opts    []fermata.StartOption
	author  string
}

var databases atomic.Int64

// waysOf are the ways that a value can take from a to b.
func waysOf(dir string) []wayOf {
	inMemory := func(valuesTest) (journal.Store, func()) { return memory.New(), func() {} }
	inFile := func(t valuesTest) (journal.Store, func()) {
		store, err := sqlite.Open(filepath.Join(dir, fmt.Sprint(databases.Add(1))+".db"))
		if err != nil {
			t.Fatal(err)
		}
		return store, func() { _ = store.Close() }
	}
	async := []fermata.StartOption{fermata.WithDurability(fermata.Async)}
	none := []fermata.StartOption{fermata.WithDurability(fermata.None)}
	return []wayOf{
		{"unstored", "", nil, nil, "graph"},
		{"unstored dataflow", "", nil, nil, "dataflow"},
		{"unstored and asleep", "sleep", nil, nil, "graph"},
		{"unstored dataflow, asleep", "sleep", nil, nil, "dataflow"},
		{"durability none", "", inMemory, none, "graph"},
		{"memory", "", inMemory, nil, "graph"},
		{"memory, immutable", "", inMemory, nil, "immutable"},
		{"memory, asleep", "sleep", inMemory, nil, "graph"},
		{"memory, crashed", "crash", inMemory, nil, "graph"},
		{"memory, async, crashed", "crash", inMemory, async, "graph"},
		{"memory, dataflow", "", inMemory, nil, "dataflow"},
		{"memory, dataflow, asleep", "sleep", inMemory, nil, "dataflow"},
		{"memory, dataflow, async", "", inMemory, async, "dataflow"},
		{"memory, dataflow, crashed", "crash", inMemory, nil, "dataflow"},
		{"memory, dataflow, async, crashed", "crash", inMemory, async, "dataflow"},
		{"sqlite, asleep", "sleep", inFile, nil, "graph"},
		{"sqlite, crashed", "crash", inFile, async, "graph"},
	}
}

// pause is what is between a and b: nothing, a sleep, or the end of the process.
func pause(ctx node.Context, between string, up *atomic.Bool, here chan<- bool) error {
	switch {
	case between == "sleep":
		return node.Sleep(ctx, time.Microsecond)
	case between == "crash" && !up.Load():
		here <- true
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// handing is what a makes of a value, and what b makes of what it is given.
type handing[T any] struct {
	made func() boxOf[T]
	used func(s boxOf[T]) any
}

// planOf is a graph that hands a value on from a to b, which shows what it was given.
func planOf[T any](t valuesTest, w wayOf, h handing[T], pause func(node.Context) error, got *any) (p *dataflow.Graph, g *graph.Graph[boxOf[T]]) {
	if w.author == "dataflow" {
		type in struct{ V boxOf[T] }
		p, err := dataflow.New("values",
			dataflow.Func("a", "v", func(node.Context, struct{}) (boxOf[T], error) { return h.made(), nil }),
			dataflow.Func("between", "w", func(ctx node.Context, in in) (boxOf[T], error) { return in.V, pause(ctx) }),
			dataflow.Func("b", "done", func(_ node.Context, in struct{ W boxOf[T] }) (bool, error) { *got = h.used(in.W); return true, nil }),
		)
		if err != nil {
			t.Fatal(err)
		}
		return p, nil
	}
	b := graph.New[boxOf[T]]("values")
	if w.author == "immutable" {
		b.Immutable()
	}
	g, err := b.
		Node("a", func(node.Context, boxOf[T]) (boxOf[T], error) { return h.made(), nil }).
		Node("between", func(ctx node.Context, s boxOf[T]) (boxOf[T], error) { return s, pause(ctx) }).
		Node("b", func(_ node.Context, s boxOf[T]) (boxOf[T], error) { *got = h.used(s); return s, nil }).
		Edge(graph.Start, "a").Edge("a", "between").Edge("between", "b").Compile()
	if err != nil {
		t.Fatal(err)
	}
	return nil, g
}

// handed is what b is given on one way, or why the run failed.
func handed[T any](t valuesTest, w wayOf, h handing[T]) (got any, failed error) {
	var up atomic.Bool
	here := make(chan bool, 1)
	p, g := planOf(t, w, h, func(ctx node.Context) error { return pause(ctx, w.between, &up, here) }, &got)
	compiled := g.Plan
	if p != nil {
		compiled = p.Plan
	}
	if w.store == nil {
		if p != nil {
			_, err := p.Run(t.Context(), nil)
			return got, err
		}
		_, err := g.Run(t.Context(), boxOf[T]{})
		return got, err
	}
	store, done := w.store(t)
	defer done()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprint("run_v", databases.Add(1)) // a server keeps the runs of all draws
	opts := append([]fermata.StartOption{fermata.WithID(id)}, w.opts...)
	var run *fermata.Run // one that is not stored is known by what Start returns alone, once it has ended
	if p != nil {
		if _, err = p.Start(t.Context(), rt, nil, opts...); err != nil {
			t.Fatal(err)
		}
	} else if run, err = rt.Start(t.Context(), g.Plan(), &boxOf[T]{}, opts...); err != nil {
		t.Fatal(err)
	}
	if run == nil {
		if run, err = rt.Resume(t.Context(), id, compiled()); err != nil {
			t.Fatal(err)
		}
	}
	if w.between == "crash" {
		ended := make(chan fermata.Result, 1)
		go func(run *fermata.Run) { res, _ := run.Wait(t.Context()); ended <- res }(run)
		select {
		case <-here:
		case res := <-ended: // it failed before
			_ = rt.Close()
			return got, res.Err
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		up.Store(true)
		if rt, err = fermata.New(fermata.Options{Store: store}); err != nil {
			t.Fatal(err)
		}
		if run, err = rt.Resume(t.Context(), id, compiled()); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { _ = rt.Close() }()
	res, err := run.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got, res.Err
}

// handsOn checks that b is given the same on all ways, or that the value is refused on all of them.
func handsOn[T any](t *rapid.T, ways []wayOf, v T) {
	before := fmt.Sprintf("%#v", v)
	var want any
	var refused error
	h := handing[T]{made: func() boxOf[T] { return boxOf[T]{v, v} }, used: func(s boxOf[T]) any { return s }}
	slow := rapid.IntRange(0, 4).Draw(t, "slow") == 0 // files and transactions take the most time
	for i, w := range ways {
		if !slow && (strings.HasPrefix(w.name, "sqlite") || strings.HasPrefix(w.name, "postgres")) {
			continue
		}
		got, err := handed(t, w, h)
		if i == 0 {
			if want, refused = got, err; err != nil && !errors.Is(err, node.ErrNotStorable) {
				t.Fatalf("%T: %v", v, err)
			}
			continue
		}
		if (err == nil) != (refused == nil) || err != nil && !errors.Is(err, node.ErrNotStorable) {
			t.Fatalf("%s, %#v: refused with %v, unstored with %v", w.name, v, err, refused)
		}
		if err == nil && !reflect.DeepEqual(want, got) {
			t.Fatalf("%s:\n%#v\nand unstored:\n%#v", w.name, got, want)
		}
	}
	if after := fmt.Sprintf("%#v", v); after != before {
		t.Fatalf("the node's value was changed in place:\n%s\n%s", before, after)
	}
}

type (
	record struct {
		Name  string         `json:",omitempty"`
		At    time.Time      `json:",omitzero"`
		List  []string       `json:",omitempty"`
		Any   any            `json:"any"`
		Deep  map[string]any `json:",omitempty"`
		Next  *record
		Far   **int
		Rate  float64 `json:",omitempty"`
		Count int     `json:",string"`
		cache int     `fermata:"transient"`
	}
	label int
)

func (l label) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "label-%d", int(l)/2*2), nil }

func (l *label) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "label-%d", (*int)(l))
	return err
}

func drawnTexts() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"", "plain", "caf\u00e9", "caf\xe9", "\xff\xfe", "<&>\u2028", "\ufffd", string(make([]byte, 100)) + "\xff"})
}

func drawnTimes(york *time.Location) *rapid.Generator[time.Time] {
	spring := time.Date(2026, 3, 7, 12, 0, 0, 5, york)
	return rapid.SampledFrom([]time.Time{
		{},
		spring, spring.UTC(), time.Now(), time.Unix(9, 0), spring.In(time.FixedZone("X", 3600)), spring.In(time.FixedZone("LMT", -17762)),
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Time{}.In(york),
	})
}

func drawnAny(york *time.Location, depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		most := 17
		if depth == 0 {
			most = 13
		}
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return drawnTexts().Draw(t, "text")
		case 2:
			return rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1.5, 1e300, math.NaN(), math.Inf(1)}).Draw(t, "float")
		case 3:
			return rapid.SampledFrom([]json.Number{"", "1", "1.0", "-0", "no"}).Draw(t, "number")
		case 4:
			return drawnTimes(york).Draw(t, "time")
		case 5:
			return []int{1, 2}
		case 6:
			return map[string]int{"a\xff": 1, "b": 2}
		case 7:
			return map[string]any(nil)
		case 8:
			return []any(nil)
		case 9:
			return uint64(math.MaxUint64)
		case 10:
			return label(rapid.IntRange(0, 3).Draw(t, "label"))
		case 11:
			return big.NewInt(7)
		case 12:
			return map[string]int{"a\xff": 1, "a\xfe": 2}
		case 13:
			return rapid.Int().Draw(t, "int")
		case 14, 15:
			return rapid.SliceOfN(drawnAny(york, depth-1), 0, 3).Draw(t, "list")
		default:
			return rapid.MapOfN(drawnTexts(), drawnAny(york, depth-1), 0, 2).Draw(t, "map")
		}
	})
}

func drawnRecord(york *time.Location, depth int) *rapid.Generator[record] {
	return rapid.Custom(func(t *rapid.T) record {
		r := record{
			Name: drawnTexts().Draw(t, "name"), At: drawnTimes(york).Draw(t, "at"), Any: drawnAny(york, depth).Draw(t, "any"),
			List: rapid.SampledFrom([][]string{nil, {}, {"a"}, {"\xff"}}).Draw(t, "list"), cache: rapid.IntRange(0, 1).Draw(t, "cache"),
			Deep: rapid.SampledFrom([]map[string]any{nil, {}, {"n": 1}}).Draw(t, "deep"),
			Rate: rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 2}).Draw(t, "rate"),
		}
		var none *int
		r.Far = rapid.SampledFrom([]**int{nil, &none}).Draw(t, "far")
		if depth > 0 && rapid.Bool().Draw(t, "more") {
			next := drawnRecord(york, depth-1).Draw(t, "next")
			r.Next = &next
		}
		return r
	})
}

// The next node is given the same, whatever happens between the two and wherever the run is kept, or the value is
// refused everywhere.
func TestN10_ANodeIsGivenTheSameOnEveryWay(t *testing.T) {
	checkHandsOn(t, waysOf(t.TempDir()))
}

// checkHandsOn draws values of many types and hands them on.
func checkHandsOn(t *testing.T, ways []wayOf) {
	york := newYork(t)
	kinds := []func(t *rapid.T){
		func(t *rapid.T) { handsOn(t, ways, drawnRecord(york, 2).Draw(t, "record")) },
		func(t *rapid.T) { handsOn(t, ways, drawnAny(york, 2).Draw(t, "any")) },
		func(t *rapid.T) { handsOn(t, ways, drawnTexts().Draw(t, "text")) },
		func(t *rapid.T) { handsOn(t, ways, rapid.SliceOfN(drawnTexts(), 0, 3).Draw(t, "texts")) },
		func(t *rapid.T) { handsOn(t, ways, drawnTimes(york).Draw(t, "time")) },
		func(t *rapid.T) {
			handsOn(t, ways, rapid.MapOfN(drawnTexts(), drawnTimes(york), 0, 3).Draw(t, "times"))
		},
		func(t *rapid.T) {
			handsOn(t, ways, rapid.MapOfN(rapid.Map(rapid.IntRange(0, 3), func(n int) label { return label(n) }), rapid.Int(), 0, 3).Draw(t, "labels"))
		},
		func(t *rapid.T) {
			handsOn(t, ways, rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage("null"), json.RawMessage(`{"b": 1, "a":"<"}`), json.RawMessage("{")}).Draw(t, "raw"))
		},
		func(t *rapid.T) { handsOn(t, ways, rapid.SliceOfN(drawnRecord(york, 0), 0, 3).Draw(t, "records")) },
		func(t *rapid.T) { handsOn(t, ways, new(drawnAny(york, 1).Draw(t, "pointer"))) },
		func(t *rapid.T) {
			handsOn(t, ways, [2]float64{rapid.Float64().Draw(t, "float"), rapid.SampledFrom([]float64{0, math.NaN()}).Draw(t, "maybe")})
		},
	}
	rapid.Check(t, func(t *rapid.T) { rapid.SampledFrom(kinds).Draw(t, "kind")(t) })
}
