package machine

import (
	"errors"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Words that entries are put together from: those that fit the plan below, and those that do not.
var (
	fuzzKinds = []journal.Kind{
		journal.NodeStarted, journal.NodeFinished, journal.RouteTaken, journal.NodeRetrying, journal.NodeFailed, journal.NodeSuspended,
		journal.RunStarted, journal.RunPaused, journal.RunResumed, journal.RunFinished, journal.StepStarted, journal.StepFinished,
		journal.TimerSet, journal.TimerFired, journal.InterruptOpened, journal.InterruptUpdated, journal.InterruptResolved,
		journal.TextStart, journal.TextEnd, journal.Message, journal.Diagnostic, journal.NodeSkipped, journal.TextDelta, journal.Definition, 200,
		journal.NodeCached,
	}
	fuzzNodes = []string{
		"a", "in", "in/x", "b", "", "late", "gone", "gone/x", "in/gone", "/", "a#1",
		"fork", "p", "q", "j", "m", "m#1.1/x", "m#1.2/x", "m#1.3/x", "m#2.1/x", "m#1.1/gone", "m#0.0/x", "m#/x",
	}
	fuzzOps    = []string{"step:s#1", "int_1", "sleep:sleep#1", "", "int_2", "interrupt:q#1", ":", "\x1f"}
	fuzzTo     = []string{"", node.End, node.Stop, "b", "in", "in/x", "late", "gone", "fork", "p", "q", "j", "m#1.1/x"}
	fuzzBodies = []string{
		"", `{`, `[]`, `{"status":"completed"}`, `{"status":"failed"}`, `{"status":"expired"}`, `{"reason":"retry"}`, `{"reason":"replan","fingerprint":"x"}`,
		`{"requestId":"int_1","op":"interrupt:q#1","deadline":1,"atDeadline":{"do":"route","target":"late"}}`,
		`{"requestId":"int_2","op":"interrupt:r#1","deadline":1,"atDeadline":{"do":"escalate","within":1,"then":{"do":"route","target":"gone"}}}`,
		`{"requestId":"int_1","op":"step:s#1"}`, `{"state":"answered"}`, `{"state":"expired"}`, `{"do":"escalate","deadline":-1}`,
		`{"due":1}`, `{"error":"x","retryAt":1}`, `{"error":"x"}`, `null`, `"x"`,
		`{"reason":"fork"}`, `{"reason":"fork","again":["int_1"],"of":"a#1"}`, `{"reason":"fork","fingerprint":"x","nodes":{"a":"b","in":"gone"}}`,
		`{"reason":"replan","fingerprint":"x","nodes":{"in":"b","gone":"in","a":""}}`,
		`{"from":[9,11]}`, `{"from":[6]}`, `{"from":[6,6]}`, `{"from":[3,2,1]}`, `{"to":["p","j"]}`, `{"to":["p","\u0000end","\u0000stop"]}`, `{"to":["gone"]}`,
		`{"item":1,"of":2}`, `{"item":2,"of":2}`, `{"item":1,"of":16777216}`, `{"item":1,"of":99999999}`, `{"item":-1,"of":-2}`,
	}
)

// fuzzPlan has a gate, a subgraph, all kinds of edges, a fork, a join, a gate that chooses several, and a map.
func fuzzPlan(t testing.TB) *plan.Plan {
	inner, err := plan.New(plan.Definition{Name: "inner", State: stubCodec{}, Entry: []string{"x"}, Nodes: []plan.Node{{Name: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(plan.Definition{
		Name: "fuzz", State: stubCodec{}, Entry: []string{"a"}, Limits: plan.Limits{Tasks: 20, Time: 1000},
		Nodes: []plan.Node{
			{Name: "a", Route: func(node.Context, any) (string, error) { return "", nil }},
			{Name: "in", Sub: inner},
			{Name: "b"},
			{Name: "late"},
			{Name: "fork"},
			{Name: "p", Join: plan.Each},
			{Name: "q", RouteMany: func(node.Context, any) ([]string, error) { return nil, nil }, Join: plan.Each},
			{Name: "j", Join: plan.All},
			{Name: "m", Sub: inner, Map: &plan.Map{
				Split:  func(any) ([]any, error) { return nil, nil },
				Gather: func(any, []plan.Item) (any, error) { return nil, nil },
				Limit:  2, Keep: true,
			}},
		},
		Edges: []plan.Edge{
			{From: "a", To: "in", Kind: plan.Choice},
			{From: "a", To: node.End, Kind: plan.Choice},
			{From: "a", To: node.Stop, Kind: plan.Choice},
			{From: "a", To: "fork", Kind: plan.Choice},
			{From: "a", To: "late", Kind: plan.Deadline},
			{From: "fork", To: "p"},
			{From: "fork", To: "q"},
			{From: "p", To: "j"},
			{From: "q", To: "j", Kind: plan.Choice},
			{From: "q", To: node.End, Kind: plan.Choice},
			{From: "q", To: node.Stop, Kind: plan.Choice},
			{From: "q", To: "p", Kind: plan.Choice},
			{From: "j", To: "m"},
			{From: "in", To: "b"},
			{From: "in", To: "late", Kind: plan.Failure},
			{From: "b", To: "late", Kind: plan.Deadline},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// entryBytes is how many bytes make an entry.
const entryBytes = 9

func fuzzEntry(data []byte, head uint64) journal.Entry {
	pick := func(b byte, all []string) string { return all[int(b)%len(all)] }
	e := journal.Entry{
		Seq: head + 1, Kind: fuzzKinds[int(data[0])%len(fuzzKinds)], Node: pick(data[1], fuzzNodes), Visit: uint32(data[2] % 4), Attempt: uint16(data[3] % 4),
		Op: pick(data[4], fuzzOps), To: pick(data[5], fuzzTo), Flags: data[7] & 31, At: int64(data[7]>>5) * 7,
	}
	if back := uint64(data[6] >> 2); back <= head {
		e.Base = head - back
	} else {
		e.Base = back
	}
	if data[6]&1 != 0 {
		e.Value = []byte("1")
	}
	if data[6]&2 != 0 {
		e.Seq += uint64(data[6] >> 6)
	}
	if body := pick(data[8], fuzzBodies); body != "" {
		e.Body = []byte(body)
	}
	return e
}

// Whatever a journal holds, the fold takes it or says ErrCorrupt. It never panics, and neither does what looks at the
// outcome.
func FuzzApply(f *testing.F) {
	index := func(all []string, s string) byte {
		for i := range all {
			if all[i] == s {
				return byte(i)
			}
		}
		return 0
	}
	seed := func(entries ...[entryBytes]byte) {
		var data []byte
		for _, e := range entries {
			data = append(data, e[:]...)
		}
		f.Add(data)
	}
	at := func(kind byte, name, op, to, body string, ref, flags byte) [entryBytes]byte {
		return [entryBytes]byte{kind, index(fuzzNodes, name), 1, 1, index(fuzzOps, op), index(fuzzTo, to), ref, flags, index(fuzzBodies, body)}
	}
	begin := at(6, "", "", "", "", 1, 0)
	startA := at(0, "a", "", "", "", 0, 0)
	ask := at(14, "a", "int_1", "", fuzzBodies[8], 0, 0)
	seed(begin, startA, at(1, "a", "", "", "", 1, 0), at(2, "a", "", "in", "", 0, 0), at(0, "in", "", "", "", 1<<2, 0), at(2, "in", "", "in/x", "", 0, 0))
	seed(begin, startA, ask, at(5, "a", "interrupt:q#1", "", "", 0, 0), at(7, "", "", "", "", 0, 0), at(16, "a", "int_1", "", `{"state":"answered"}`, 1, 0))
	seed(begin, startA, at(4, "a", "", "", `{"error":"x"}`, 0, 1), at(9, "", "", "", `{"status":"failed"}`, 0, 0), at(8, "", "", "", `{"reason":"retry"}`, 0, 0))
	seed(begin, startA, at(12, "a", "sleep:sleep#1", "", `{"due":1}`, 0, 0), at(13, "a", "sleep:sleep#1", "", "", 0, 0))
	seed(begin, startA, ask, at(8, "", "", "", `{"reason":"fork"}`, 2<<2|1, 8))
	// A fork, a join of its branches, and a map of which one item fails.
	of := func(head, base byte) byte { return (head - base) << 2 }
	seed(begin, startA, at(1, "a", "", "", "", 0, 0), at(2, "a", "", "fork", "", 0, 0), at(0, "fork", "", "", "", of(4, 1), 0),
		at(1, "fork", "", "", "", 0, 0), at(0, "p", "", "", "", of(6, 1), 0), at(0, "q", "", "", "", of(7, 1), 0), at(1, "p", "", "", "", 1, 0),
		at(1, "q", "", "", "", 0, 0), at(2, "q", "", "j", "", 0, 0), at(0, "j", "", "", `{"from":[9,11]}`, of(11, 1)|1, 0), at(1, "j", "", "", "", 0, 0),
		at(0, "m", "", "", "", of(13, 12), 0), at(2, "m", "", "m#1.1/x", `{"item":1,"of":2}`, 1, 0), at(2, "m", "", "m#1.1/x", `{"item":2,"of":2}`, 1, 0),
		at(0, "m#1.1/x", "", "", "", of(16, 15), 0), at(4, "m#1.1/x", "", "", `{"error":"x"}`, 0, 1),
		at(2, "m#1.1/x", "", node.End, "", 0, journal.FlagCatch|journal.FlagItem), at(0, "m#1.2/x", "", "", "", of(19, 16), 0), at(1, "m#1.2/x", "", "", "", 0, 0))
	p := fuzzPlan(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		m := New(p)
		var taken []journal.Entry
		for ; len(data) >= entryBytes && len(taken) < 64; data = data[entryBytes:] {
			e := fuzzEntry(data, m.Head())
			before := m.Head()
			err := m.Apply(&e)
			if err != nil {
				if !errors.Is(err, journal.ErrCorrupt) || m.Head() != before {
					t.Fatalf("entry %+v: %v, and the head goes from %d to %d", e, err, before, m.Head())
				}
				return
			}
			taken = append(taken, e)
			look(t, p, taken)
		}
	})
}

// look does with a copy of the machine what a runtime would do.
func look(t *testing.T, p *plan.Plan, entries []journal.Entry) {
	m := New(p)
	for i := range entries {
		if err := m.Apply(&entries[i]); err != nil {
			t.Fatalf("entry %d is refused when it is folded again: %v", i+1, err)
		}
	}
	_, _, _, _, _ = m.Due(), m.TimeLeft(), m.Underway(), m.dump(), m.Closed()
	_, _ = m.Holds(), m.UnsettledByFork([]string{"int_1"})
	WholeFacts(entries)
	for _, ref := range m.Refs() {
		if ref > m.Head() {
			t.Fatalf("it refers to the value of %d, and its head is %d", ref, m.Head())
		}
		m.Uses(ref)
	}
	if m.Fits() != "" {
		return
	}
	if err := m.Fire(1000); err != nil && !errors.Is(err, journal.ErrCorrupt) {
		t.Fatalf("fire: %v", err)
	}
	if _, err := m.Next(1000); err != nil && !errors.Is(err, journal.ErrCorrupt) {
		t.Fatalf("next: %v", err)
	}
}
