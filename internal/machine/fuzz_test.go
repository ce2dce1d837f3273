package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// tangled is a plan with all that a plan can have: a gate, a loop, failure and deadline edges, a subgraph in a subgraph.
func tangled(t testing.TB) *plan.Plan {
	t.Helper()
	gate := func(node.Context, any) (string, error) { return "", nil }
	catch := func(node.Context, any, error) (string, error) { return "", nil }
	compile := func(def plan.Definition) *plan.Plan {
		def.State, def.Entry = struct{ plan.Codec }{}, []string{def.Nodes[0].Name}
		p, err := plan.New(def)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	innermost := compile(plan.Definition{Name: "innermost", Nodes: []plan.Node{{Name: "x", Route: gate}}, Edges: []plan.Edge{
		{From: "x", To: "x", Kind: plan.Choice}, {From: "x", To: node.Stop, Kind: plan.Choice}, {From: "x", To: node.End, Kind: plan.Choice},
	}})
	inner := compile(plan.Definition{Name: "inner", Nodes: []plan.Node{{Name: "s", Sub: innermost}, {Name: "y"}}, Edges: []plan.Edge{
		{From: "s", To: "y", Kind: plan.Plain}, {From: "y", To: "s", Kind: plan.Failure},
	}})
	return compile(plan.Definition{
		Name:  "outer",
		Nodes: []plan.Node{{Name: "a", Route: gate, Catch: catch}, {Name: "b"}, {Name: "s", Sub: inner}},
		Edges: []plan.Edge{
			{From: "a", To: "b", Kind: plan.Choice}, {From: "a", To: "s", Kind: plan.Choice},
			{From: "a", To: "b", Kind: plan.Failure}, {From: "a", To: node.End, Kind: plan.Failure},
			{From: "b", To: "a", Kind: plan.Plain}, {From: "b", To: "s", Kind: plan.Deadline},
			{From: "s", To: node.End, Kind: plan.Failure},
		},
	})
}

// What entries may hold, for a reader of bytes to choose from.
var (
	somePaths   = []string{"a", "b", "s", "s/s", "s/s/x", "s/y", "", "gone", "s/gone", "gone/x"}
	someTargets = []string{"a", "b", "s", "s/s", "s/s/x", "s/y", node.End, node.Stop, "gone", ""}
	someOps     = []string{"", "step:a#1", "once:a#1", "sleep:sleep#1", "interrupt:q#1", "int_1", "int_2"}
	someValues  = []string{"", "1", `{"a":[1,2]}`, `{`, "\xff"}
	someBodies  = []string{
		"", "{}", "{", "[]", `{"status":"completed"}`, `{"status":"failed"}`, `{"status":"odd"}`, `{"reason":"retry"}`,
		`{"reason":"replan","fingerprint":"x"}`, `{"fingerprint":"x"}`, `{"error":"no","retryAt":3}`, `{"due":2}`,
		`{"requestId":"int_1","op":"interrupt:q#1","task":"a#1","deadline":2,"state":"open"}`,
		`{"requestId":"int_2","op":"interrupt:q#1","deadline":2,"atDeadline":{"do":"route","target":"s"}}`,
		`{"do":"escalate","deadline":-1,"atDeadline":{"do":"escalate"}}`, `{"state":"answered"}`, `{"state":"expired"}`,
	}
)

// readEntries makes entries of any bytes. Most of their numbers are right, or they would all be refused for those.
func readEntries(data []byte) []journal.Entry {
	pick := func(of []string, b byte) string { return of[int(b)%len(of)] }
	var entries []journal.Entry
	for seq := uint64(1); len(data) >= 12 && seq < 1000; seq++ {
		e := journal.Entry{
			Seq: seq, Kind: journal.Kind(data[0]), Flags: data[1], Attempt: uint16(data[2] % 4), Visit: uint32(data[3] % 4),
			Node: pick(somePaths, data[4]), Op: pick(someOps, data[5]), To: pick(someTargets, data[6]), Base: uint64(data[7]),
			Value: []byte(pick(someValues, data[8])), Body: []byte(pick(someBodies, data[9])), At: int64(int8(data[10])),
		}
		if data[11] > 250 {
			e.Seq = binary.LittleEndian.Uint64(data[:8])
		}
		entries, data = append(entries, e), data[12:]
	}
	return entries
}

// written is readEntries the other way round, as far as it goes: the seeds of the fuzzer are journals.
func written(entries []journal.Entry) []byte {
	index := func(of []string, text string) byte {
		for i := range of {
			if of[i] == text {
				return byte(i)
			}
		}
		return 0
	}
	var data []byte
	for _, e := range entries {
		data = append(data, byte(e.Kind), e.Flags, byte(e.Attempt), byte(e.Visit), index(somePaths, e.Node), index(someOps, e.Op),
			index(someTargets, e.To), byte(e.Base), index(someValues, string(e.Value)), index(someBodies, string(e.Body)), byte(e.At), 0)
	}
	return data
}

// Whatever a journal holds, folding it never panics; an entry that cannot be is ErrCorrupt and names its seq (law J6).
// What the machine says of itself never panics either, and where the run fits the plan, nor does driving it on.
func FuzzApply(f *testing.F) {
	p := tangled(f)
	started := journal.Entry{Kind: journal.RunStarted, Value: []byte("1"), Body: []byte("{}")}
	a := journal.Entry{Kind: journal.NodeStarted, Node: "a", Visit: 1, Attempt: 1, Base: 1}
	done := journal.Entry{Kind: journal.NodeFinished, Node: "a", Visit: 1, Attempt: 1, Value: []byte("1")}
	failed := journal.Entry{Kind: journal.NodeFailed, Node: "a", Visit: 1, Attempt: 1, Body: []byte(`{"error":"no","retryAt":3}`)}
	route := func(to string, flags uint8) journal.Entry {
		return journal.Entry{Kind: journal.RouteTaken, Node: "a", Visit: 1, Attempt: 1, To: to, Flags: flags}
	}
	asked := journal.Entry{Kind: journal.InterruptOpened, Node: "a", Visit: 1, Attempt: 1, Op: "int_1", Body: []byte(someBodies[12])}
	answered := journal.Entry{Kind: journal.InterruptResolved, Node: "a", Visit: 1, Attempt: 1, Op: "int_1", Value: []byte("1"), Body: []byte(someBodies[15])}
	inside := journal.Entry{Kind: journal.NodeStarted, Node: "s", Visit: 1, Attempt: 1, Base: 3}
	entered := journal.Entry{Kind: journal.RouteTaken, Node: "s", Visit: 1, Attempt: 1, To: "s/s"}
	deeper := journal.Entry{Kind: journal.NodeStarted, Node: "s/s", Visit: 1, Attempt: 1, Base: 3}
	for _, seed := range [][]journal.Entry{
		{started, a, done, route("s", 0), inside, entered, deeper},
		{started, a, failed, route(node.End, journal.FlagCatch), {Kind: journal.RunFinished, Body: []byte(`{"status":"completed"}`)}},
		{started, a, asked, {Kind: journal.NodeSuspended, Node: "a", Visit: 1, Attempt: 1, Op: "interrupt:q#1"}, {Kind: journal.RunPaused}, answered},
		{started, a, failed, {Kind: journal.RunFinished, Body: []byte(`{"status":"failed"}`)}, {Kind: journal.RunResumed, Body: []byte(`{"reason":"retry"}`)}},
		{started, a, route(node.End, 0)},
		{{Kind: journal.RunStarted, Body: []byte(`{"fingerprint":"x"}`)}, {Kind: journal.NodeStarted, Node: "gone/x", Visit: 1, Base: 1}},
	} {
		f.Add(written(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := New(p)
		for _, e := range readEntries(data) {
			head := m.Head()
			err := m.Apply(&e)
			switch {
			case err == nil:
			case !errors.Is(err, journal.ErrCorrupt) || !strings.HasPrefix(err.Error(), fmt.Sprintf("seq %d, ", e.Seq)):
				t.Fatalf("expected ErrCorrupt at seq %d, found %v", e.Seq, err)
			case m.Head() != head:
				t.Fatalf("the entry was refused (%v), and the head went from %d to %d", err, head, m.Head())
			default:
				return // whoever reads a journal stops here
			}
		}
		if m.Head() > 0 {
			askAll(t, m)
		}
	})
}

// askAll asks a machine all that can be asked, and drives it on where a runtime would.
func askAll(t *testing.T, m *Machine) {
	t.Helper()
	for _, task := range m.Tasks() {
		_ = m.TaskID(task) + task.State.String()
		if m.Task(task.Node, task.Visit) == nil {
			t.Fatalf("task %s is open and is not found", m.TaskID(task))
		}
	}
	for _, ref := range m.Refs() {
		_ = m.Uses(ref)
	}
	_, _, _, _ = m.Due(), m.TimeLeft(), m.Underway(), m.Closed()
	if m.Fits() != "" || m.over() {
		return
	}
	for at := range int64(3) {
		err := m.Fire(at)
		if err == nil {
			_, err = m.Next(at)
		}
		if err != nil && !errors.Is(err, journal.ErrCorrupt) {
			t.Fatalf("expected ErrCorrupt, found %v", err)
		}
	}
}
