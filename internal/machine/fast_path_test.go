package machine

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
)

// The fast path finishes and starts tasks without entries, and leaves the machine in the same state (law J1).
func TestJ1_TheFastPathFinishesAndStartsTasks(t *testing.T) {
	draws, skipped := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		draws++
		p := drawPlan(t, drawn{stop: true, limits: true})
		slow, fast := New(p), New(p)
		for _, m := range []*Machine{slow, fast} {
			if err := m.Begin(0, &journal.StartedBody{Plan: "test", Fingerprint: p.Fingerprint()}, []byte("0")); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Next(0); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			busy := slow.Tasks()
			if len(busy) != 1 || busy[0].State != Ready || slow.Flat(busy[0]).Sub != nil {
				return
			}
			s, f := busy[0], fast.Tasks()[0]
			o := Outcome{Value: Value{Changed: true, Delta: true, Base: s.Ref}}
			flat := slow.Flat(s)
			switch {
			case flat.RouteMany != nil:
				o.Choices = []string{rapid.SampledFrom(flat.Choices).Draw(t, "choice").Name}
			case flat.Route != nil:
				o.Choice = rapid.SampledFrom(flat.Choices).Draw(t, "choice").Name
			}
			if fast.FastPath(f, o.Choice) {
				skipped++
			} else {
				step(t, fast, f, o)
			}
			step(t, slow, s, o)
			if diff := gocmp.Diff(slow.dump(), fast.dump()); diff != "" {
				t.Fatalf("the machine differs after the fast path (-slow +fast):\n%s", diff)
			}
		}
	})
	if skipped*5 < draws { // testing.Short draws less
		t.Errorf("%d tasks of %d plans took the fast path, expected at least one in five", skipped, draws)
	}
}

func step(t *rapid.T, m *Machine, task *Task, o Outcome) {
	if err := m.Finish(0, task, o); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Next(0); err != nil {
		t.Fatal(err)
	}
}
