package machine

import (
	"bytes"
	"slices"
	"strconv"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// chainPlan is a plan of n nodes, one behind the other.
func chainPlan(b *testing.B, n int) *plan.Plan {
	b.Helper()
	def := plan.Definition{Name: "chain", Entry: []string{"n0"}, State: struct{ plan.Codec }{}}
	for i := range n {
		name := "n" + strconv.Itoa(i)
		def.Nodes = append(def.Nodes, plan.Node{Name: name})
		if i > 0 {
			def.Edges = append(def.Edges, plan.Edge{From: def.Nodes[i-1].Name, To: name, Kind: plan.Plain})
		}
	}
	p, err := plan.New(def)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// loopPlan is a plan that goes round over a gate: work, then again or END.
func loopPlan(b testing.TB) *plan.Plan {
	b.Helper()
	p, err := plan.New(plan.Definition{
		Name: "loop", Entry: []string{"work"}, State: struct{ plan.Codec }{}, Limits: plan.Limits{Tasks: plan.Unlimited},
		Nodes: []plan.Node{{Name: "work"}, {Name: "gate", Route: func(node.Context, any) (string, error) { return "", nil }}},
		Edges: []plan.Edge{
			{From: "work", To: "gate", Kind: plan.Plain}, {From: "gate", To: "work", Kind: plan.Choice}, {From: "gate", To: node.End, Kind: plan.Choice},
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// next hands the entries that follow to use, and returns the task that may start; nil at the end of the run.
// It is no b.Helper, which would take longer than what is measured.
func next(b *testing.B, m *Machine, use func([]journal.Entry)) *Task {
	work, err := m.Next(0)
	if err != nil {
		b.Fatal(err)
	}
	use(work.Append)
	if len(work.Start) == 0 {
		return nil
	}
	return work.Start[0].Task
}

// BenchmarkChain measures what the machine costs a node: Finish with a changed value, and Next.
func BenchmarkChain(b *testing.B) {
	const nodes = 1000
	p := chainPlan(b, nodes)
	delta, started := []byte(`[1,{"n":[0,1]}]`), journal.StartedBody{Plan: "chain", Fingerprint: p.Fingerprint()}
	entries := 0
	count := func(appended []journal.Entry) { entries += len(appended) }
	b.ReportAllocs()
	for b.Loop() {
		m := New(p)
		if err := m.Begin(0, &started, []byte(`{"n":0}`)); err != nil {
			b.Fatal(err)
		}
		for t := next(b, m, count); t != nil; t = next(b, m, count) {
			if err := m.Finish(0, t, Outcome{Value: Value{Changed: true, Delta: true, Base: t.Ref, Data: delta}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.StopTimer()
	if want := b.N * (2*nodes + 1); entries != want {
		b.Fatalf("%d entries, expected %d", entries, want)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*nodes), "ns/node")
}

// BenchmarkApply measures how fast a journal of 10,000 entries is folded: a loop whose work records a step each time.
func BenchmarkApply(b *testing.B) {
	const size = 10_000
	p := loopPlan(b)
	var stored []journal.Entry
	store := func(appended []journal.Entry) {
		for _, e := range appended {
			e.Value, e.Body = bytes.Clone(e.Value), bytes.Clone(e.Body)
			stored = append(stored, e)
		}
	}
	m := New(p)
	if err := m.Begin(0, &journal.StartedBody{Plan: "loop", Fingerprint: p.Fingerprint()}, []byte(`{"n":0}`)); err != nil {
		b.Fatal(err)
	}
	for t := next(b, m, store); len(stored) < size; t = next(b, m, store) {
		choice, err := "work", error(nil)
		if m.Flat(t).Route == nil {
			choice = ""
			err = m.Record(0, t, journal.StepFinished, "step:do#1", []byte("1"), nil)
		}
		if err == nil {
			err = m.Finish(0, t, Outcome{Value: Value{Changed: true, Delta: true, Base: t.Ref, Data: []byte(`[1,{"n":[0,1]}]`)}, Choice: choice})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	stored = stored[:size]
	b.ReportAllocs()
	for b.Loop() {
		m := New(p)
		for i := range stored {
			if err := m.Apply(&stored[i]); err != nil {
				b.Fatal(err)
			}
		}
		if m.Head() != size {
			b.Fatalf("head %d, expected %d", m.Head(), size)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/entry")
}

// forkPlan is a fork into n branches, which one node joins.
func forkPlan(b *testing.B, n int) *plan.Plan {
	b.Helper()
	def := plan.Definition{
		Name: "fork", Entry: []string{"fork"}, State: struct{ plan.Codec }{}, Nodes: []plan.Node{{Name: "fork"}, {Name: "join", Join: plan.All}},
	}
	for i := range n {
		name := "n" + strconv.Itoa(i)
		def.Nodes = append(def.Nodes, plan.Node{Name: name})
		def.Edges = append(def.Edges, plan.Edge{From: "fork", To: name, Kind: plan.Plain}, plan.Edge{From: name, To: "join", Kind: plan.Plain})
	}
	p, err := plan.New(def)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkFork measures what the machine costs a branch: a fork into 1000 of them that finish one by one, and a join.
func BenchmarkFork(b *testing.B) {
	const wide = 1000
	p := forkPlan(b, wide)
	b.ReportAllocs()
	for b.Loop() {
		m := New(p)
		if err := m.Begin(0, &journal.StartedBody{Plan: "fork", Fingerprint: p.Fingerprint()}, []byte(`{"n":0}`)); err != nil {
			b.Fatal(err)
		}
		finishAll(b, m)
		if len(m.root.ends) != 1 || m.started != wide+2 {
			b.Fatalf("%d tasks and %d ends", m.started, len(m.root.ends))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*wide), "ns/branch")
}

// BenchmarkMap measures what the machine costs an item: a map of 1000 items, ten of them at once.
func BenchmarkMap(b *testing.B) {
	const items = 1000
	nothing := func(any) ([]any, error) { return nil, nil }
	p, err := plan.New(plan.Definition{
		Name: "map", Entry: []string{"map"}, State: struct{ plan.Codec }{},
		Nodes: []plan.Node{{Name: "map", Sub: chainPlan(b, 2), Map: &plan.Map{
			Split: nothing, Gather: func(any, []plan.Item) (any, error) { return nil, nil }, Limit: 10,
		}}},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		m := New(p)
		if err := m.Begin(0, &journal.StartedBody{Plan: "map", Fingerprint: p.Fingerprint()}, []byte(`{"n":0}`)); err != nil {
			b.Fatal(err)
		}
		finishAll(b, m)
		if len(m.root.ends) != 1 || m.started != 2*items+1 {
			b.Fatalf("%d tasks and %d ends", m.started, len(m.root.ends))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*items), "ns/item")
}

// finishAll runs all tasks to their end, in the order in which they were handed out. A map has 1000 items.
func finishAll(b *testing.B, m *Machine) {
	var queue []Start
	for {
		work, err := m.Next(0)
		if err != nil {
			b.Fatal(err)
		}
		if queue = append(queue, work.Start...); len(queue) == 0 {
			return
		}
		s := queue[0]
		queue = queue[1:]
		v := Value{Changed: true, Data: []byte(`{"n":1}`)}
		switch s.Do {
		case Merge:
			_, err = m.Joined(0, s.Join, v)
		case Enter:
			err = m.Split(0, s.Task, slices.Repeat([]Value{v}, 1000))
		case Run, Leave, Fail:
			err = m.Finish(0, s.Task, Outcome{Value: v})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
