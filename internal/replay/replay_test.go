package replay_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/replay"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// state has parts that grow, so that its values are deltas, and one for each branch.
type state struct {
	N    int
	Log  []string
	A, B map[string]int
	Text string
}

func say(what string) graph.Func[state] {
	return func(_ node.Context, s state) (state, error) {
		s.N++
		s.Log = append(s.Log, fmt.Sprintf("%s %d, which is as long as a message may be", what, s.N))
		return s, nil
	}
}

// branch changes what is its own alone.
func branch(pick func(*state) *map[string]int) graph.Func[state] {
	return func(_ node.Context, s state) (state, error) {
		m := pick(&s)
		if *m == nil {
			*m = make(map[string]int)
		}
		(*m)[fmt.Sprint("key ", s.N)]++
		return s, nil
	}
}

// recorded is a journal and its plan.
type recorded struct {
	plan    *plan.Plan
	entries []journal.Entry
}

// gallery are runs of all kinds of plans.
func gallery(t *testing.T) map[string]recorded {
	t.Helper()
	all := make(map[string]recorded)
	again := func(_ node.Context, s state) (string, error) {
		if s.N < 6 {
			return "first", nil
		}
		return graph.End, nil
	}
	keep := func(name string, g *graph.Graph[state]) {
		all[name] = record(t, g.Plan(), func(rt *fermata.Runtime) (string, error) {
			run, err := g.Start(t.Context(), rt, state{})
			if err != nil {
				return "", err
			}
			for {
				res, err := run.Wait(t.Context())
				if err != nil || res.Status != fermata.Paused {
					return run.ID(), errors.Join(err, res.Err)
				}
				if err := rt.Answer(t.Context(), res.Interrupts[0].ID, true); err != nil {
					return "", err
				}
			}
		})
	}
	keep("loop", graph.New[state]("loop").
		Node("first", say("first")).Node("second", func(_ node.Context, s state) (state, error) { return s, nil }).
		Edge(graph.Start, "first").Edge("first", "second").Route("second", again, "first", graph.End).MustCompile())
	keep("branches", graph.New[state]("branches").
		Node("first", say("first")).
		Node("a", branch(func(s *state) *map[string]int { return &s.A })).
		Node("b", branch(func(s *state) *map[string]int { return &s.B })).
		Node("join", say("join"), graph.All()).
		Edge(graph.Start, "first").Edge("first", "a", "b").Edge("a", "join").Edge("b", "join").Route("join", again, "first", graph.End).MustCompile())
	item := graph.New[state]("item").
		Node("begin", say("begin")).Node("end", say("end")).Edge(graph.Start, "begin").Edge("begin", "end").MustCompile()
	mapped := graph.New[state]("mapped").Node("first", say("first"))
	graph.Map(mapped, "map", func(s state) ([]state, error) { return []state{s, {Text: "two"}, {Text: "three"}}, nil }, item,
		func(s state, items []state) (state, error) {
			for _, it := range items {
				s.Log = append(s.Log, it.Log...)
			}
			return s, nil
		})
	keep("map", mapped.Edge(graph.Start, "first").Edge("first", "map").Route("map", again, "first", graph.End).MustCompile())
	failures := 0
	keep("people", graph.New[state]("people").
		Node("first", func(ctx node.Context, s state) (state, error) {
			n, err := node.Step(ctx, "count", func(node.Context) (int, error) { return s.N, nil })
			if err != nil {
				return s, err
			}
			if failures++; failures == 2 {
				return s, errors.New("out of paper")
			}
			s.Text += fmt.Sprint(n)
			return say("first")(ctx, s)
		}, graph.Retry(3, time.Millisecond)).
		Node("ask", func(ctx node.Context, s state) (state, error) {
			ok, err := node.Interrupt[bool](ctx, "Go on?")
			if ok {
				s.Text += " yes"
			}
			return s, err
		}).
		Sub("inner", item).
		Edge(graph.Start, "first").Edge("first", "ask").Edge("ask", "inner").Route("inner", again, "first", graph.End).MustCompile())
	type totals struct {
		Total int
		Log   []string
	}
	flow := dataflow.Must(dataflow.New("flow",
		dataflow.Node("add", func(_ node.Context, in struct{ Seed, Count int }) (totals, error) {
			return totals{in.Seed + in.Count, []string{"a line of text that is added"}}, nil
		}),
		dataflow.Func("double", "twice", func(_ node.Context, in struct{ Total int }) (int, error) { return 2 * in.Total, nil }),
	))
	all["dataflow"] = record(t, flow.Plan(), func(rt *fermata.Runtime) (string, error) {
		run, err := flow.Start(t.Context(), rt, dataflow.Values{"seed": 20, "count": 1})
		if err != nil {
			return "", err
		}
		res, err := run.Wait(t.Context())
		return run.ID(), errors.Join(err, res.Err)
	})
	return all
}

// record runs something to its end, and takes its journal.
func record(t *testing.T, p *plan.Plan, start func(*fermata.Runtime) (string, error)) recorded {
	t.Helper()
	store := memory.New()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	id, err := start(rt)
	if err != nil {
		t.Fatal(err)
	}
	r := recorded{plan: p}
	for e, err := range store.Read(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		r.entries = append(r.entries, e)
	}
	return r
}

// stored is a journal with a checkpoint.
type stored struct {
	entries    []journal.Entry
	checkpoint journal.Checkpoint
	lost       error // of the checkpoint
	read       int   // how many entries were read
}

func (s *stored) Checkpoint(context.Context, string) (journal.Checkpoint, error) {
	return s.checkpoint, s.lost
}

func (s *stored) Read(_ context.Context, _ string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for _, e := range s.entries {
			if e.Seq <= after {
				continue
			}
			if s.read++; !yield(e, nil) {
				return
			}
		}
	}
}

// told is all that a run says of itself: its machine, and the values that it refers to.
func told(t *testing.T, r *replay.Run) []byte {
	t.Helper()
	c, err := r.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	return c.Data
}

func opened(t *testing.T, s *stored, p *plan.Plan, o replay.Options) *replay.Run {
	t.Helper()
	r, err := replay.Open(t.Context(), s, "run_1", p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A run that is read from a checkpoint behind any of its entries is the run that is read from its journal.
func TestJ6_ACheckpointAnywhereIsTheJournal(t *testing.T) {
	for name, run := range gallery(t) {
		t.Run(name, func(t *testing.T) {
			whole := told(t, opened(t, &stored{entries: run.entries}, run.plan, replay.Options{}))
			so := replay.New(run.plan) // keeps all values
			chain := replay.New(run.plan)
			for k := range run.entries {
				for _, r := range []*replay.Run{so, chain} {
					if err := r.Apply(&run.entries[k]); err != nil {
						t.Fatal(err)
					}
				}
				c, err := so.Checkpoint()
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(c.Data, told(t, chain)) {
					t.Fatalf("a run that was restored before entry %d is another one after it", k+1)
				}
				s := &stored{entries: run.entries, checkpoint: c}
				if got := opened(t, s, run.plan, replay.Options{}); !bytes.Equal(told(t, got), whole) {
					t.Errorf("a checkpoint at %d of %d: the run is another one", c.Seq, len(run.entries))
				}
				if want := len(run.entries) - k; s.read != want {
					t.Errorf("a checkpoint at %d of %d: %d entries were read, expected %d", c.Seq, len(run.entries), s.read, want)
				}
				if chain, err = replay.Restore(run.plan, c); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A checkpoint that is missing, damaged, ahead of the journal, or of another journal, plan or format, is not used.
func TestJ6_ACheckpointThatDoesNotFitIsNotUsed(t *testing.T) {
	all := gallery(t)
	run, other := all["loop"], all["branches"]
	at := func(r recorded, k int) journal.Checkpoint {
		so := replay.New(r.plan)
		for i := range k {
			if err := so.Apply(&r.entries[i]); err != nil {
				t.Fatal(err)
			}
		}
		c, err := so.Checkpoint()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	good := at(run, 8)
	changed := slices.Clone(run.entries)
	changed[7].At++
	for name, s := range map[string]*stored{
		"none":               {},
		"unreadable":         {lost: journal.ErrCorrupt, checkpoint: good},
		"empty":              {checkpoint: journal.Checkpoint{Seq: 8}},
		"of another seq":     {checkpoint: journal.Checkpoint{Seq: 9, Data: good.Data}},
		"of another plan":    {checkpoint: at(other, 8)},
		"of another journal": {checkpoint: good, entries: changed},
		"ahead":              {checkpoint: good, entries: run.entries[:5]},
	} {
		if s.entries == nil {
			s.entries = run.entries
		}
		want := told(t, opened(t, &stored{entries: s.entries}, run.plan, replay.Options{}))
		s.read = 0
		if got := told(t, opened(t, s, run.plan, replay.Options{})); !bytes.Equal(got, want) || s.read < len(s.entries) {
			t.Errorf("%s: the run is another one, or not all of it was read (%d entries)", name, s.read)
		}
	}
	for i := range good.Data {
		damaged := slices.Clone(good.Data)
		damaged[i] ^= 4
		for _, data := range [][]byte{damaged, good.Data[:i]} {
			if _, err := replay.Restore(run.plan, journal.Checkpoint{Seq: 8, Data: data}); !errors.Is(err, replay.ErrCheckpoint) {
				t.Fatalf("%d bytes, with a change at %d: %v", len(data), i, err)
			}
		}
	}
}

// Whoever needs entries is given all of them, from the one on that they ask for, and no later checkpoint is used.
func TestJ6_NoEntryIsLeftOutForWhoNeedsIt(t *testing.T) {
	run := gallery(t)["people"]
	so := replay.New(run.plan)
	for i := range 10 {
		if err := so.Apply(&run.entries[i]); err != nil {
			t.Fatal(err)
		}
	}
	c, err := so.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []uint64{0, 9, 10, 11, uint64(len(run.entries)), math.MaxUint64} {
		s, next := &stored{entries: run.entries, checkpoint: c}, after+1
		opened(t, s, run.plan, replay.Options{After: after, Each: func(e *journal.Entry) {
			if e.Seq != next {
				t.Errorf("after %d: entry %d, expected %d", after, e.Seq, next)
			}
			next++
		}})
		if after <= uint64(len(run.entries)) && next != uint64(len(run.entries))+1 {
			t.Errorf("after %d: the last entry is %d", after, next-1)
		}
		if used := s.read < len(run.entries); used != (after >= c.Seq) {
			t.Errorf("after %d: %d entries of %d are read, with a checkpoint at %d", after, s.read, len(run.entries), c.Seq)
		}
	}
}

// Whatever a checkpoint says, it is refused or restored.
func FuzzRestore(f *testing.F) {
	p := graph.New[int]("fuzz").Node("a", func(_ node.Context, n int) (int, error) { return n, nil }).Edge(graph.Start, "a").MustCompile().Plan()
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		sealed := binary.LittleEndian.AppendUint32(slices.Clone(data), crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
		if _, err := replay.Restore(p, journal.Checkpoint{Seq: 1, Data: sealed}); err != nil && !errors.Is(err, replay.ErrCheckpoint) {
			t.Fatal(err)
		}
	})
}
