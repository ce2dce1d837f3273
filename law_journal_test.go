package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// spy is a store that calls back around appends and can show journals other than they are.
type spy struct {
	journal.Store
	appending func(b journal.Batch)
	appended  func(b journal.Batch)
	reading   func(after uint64)
	change    func(e *journal.Entry) bool // false hides the entry
}

func (s *spy) Append(ctx context.Context, b journal.Batch) error {
	if s.appending != nil {
		s.appending(b)
	}
	err := s.Store.Append(ctx, b)
	if err == nil && s.appended != nil {
		s.appended(b)
	}
	return err
}

func (s *spy) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		if s.reading != nil {
			s.reading(after)
		}
		for e, err := range s.Store.Read(ctx, run, after) {
			if err == nil && s.change != nil && strings.HasPrefix(run, "run_") && !s.change(&e) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// What happens follows what is stored: each task starts after the entry that says so, each call returns after its
// outcome is stored, and readers see nothing before.
func TestJ2_StoredFirstThenDone(t *testing.T) {
	var mu sync.Mutex
	var happened []string
	note := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		happened = append(happened, what)
	}
	store := &spy{Store: memory.New(), appended: func(b journal.Batch) {
		for i := range b.Entries {
			if l := line(t, &b.Entries[i]); strings.HasPrefix(b.Run, "run_") {
				note("stored " + l)
			}
		}
	}}
	rt := newRuntime(t, fermata.Options{Store: store})
	visit := func(ctx node.Context, s state) (state, error) {
		note("running " + ctx.Info().Task())
		if _, err := node.Step(ctx, "pay", func(node.Context) (int, error) { note("paying"); return 1, nil }); err != nil {
			return s, err
		}
		note("paid")
		if _, err := node.Step(ctx, "ship", func(node.Context) (int, error) { note("shipping"); return 1, nil }, node.AtMostOnce()); err != nil {
			return s, err
		}
		note("shipped")
		if err := node.Emit(ctx, node.EventStatus, "done"); err != nil {
			return s, err
		}
		note("said so")
		return s, nil
	}
	g := graph.New[state]("order").Node("a", visit).Node("b", review()).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	run := start(t, rt, g, state{})
	q := question(t, run)
	note("asked")
	answer(t, rt, q.ID, decision{Approve: true})
	ends(t, run, fermata.Completed)
	note("told")
	want := []string{
		"stored run.started", "stored node.started a#1", "running a#1",
		"paying", "stored step.finished a#1 step:pay#1 = 1", "paid",
		"stored step.started a#1 once:ship#1", "shipping", "stored step.finished a#1 once:ship#1 = 1", "shipped",
		"stored status a#1 emit:status#1", "said so",
		"stored node.finished a#1", "stored node.started b#1",
		"stored interrupt b#1 interrupt:interrupt#1", "stored node.suspended b#1 interrupt:interrupt#1", "stored run.paused", "asked",
		`stored interrupt.resolved b#1 answered {"approve":true}`, "stored run.resumed answer",
		"stored node.finished b#1", "stored run.finished completed", "told",
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(want, happened); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Nothing follows from an append that fails: the task that it was of is begun again, by the runtime itself.
func TestJ2_NothingFollowsFromAFailedAppend(t *testing.T) {
	store := memory.New()
	faulty := journaltest.NewFaulty(store)
	var visits calls
	g := graph.New[state]("faulty").
		Node("a", func(ctx node.Context, s state) (state, error) { visits.add("a"); return logged(ctx, s) }).
		Node("b", func(ctx node.Context, s state) (state, error) { visits.add("b"); return logged(ctx, s) }).
		Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	rt := newRuntime(t, fermata.Options{Store: faulty})
	fermata.Hurry(rt)
	faulty.FailAppend(3, journaltest.Before) // after the plan's outline and the start: a has finished
	run := start(t, rt, g, state{})
	if diff := cmp.Diff([]string{"a#1", "b#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a: 2", "b: 1"}, visits.lines()); diff != "" {
		t.Errorf("visits (-want +got):\n%s", diff)
	}
}

// Of two processes that drive one run one goes on; the other stops and says so.
func TestJ3_OneDriverWins(t *testing.T) {
	store := memory.New()
	hold := newGate()
	var done calls
	g := graph.New[state]("contended").
		Node("a", func(ctx node.Context, s state) (state, error) {
			if err := hold.pass(ctx); err != nil {
				return s, err
			}
			return logged(ctx, s)
		}).
		Node("b", func(ctx node.Context, s state) (state, error) { done.add("b"); return logged(ctx, s) }).
		Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	// Without leases, which would keep them from meeting.
	one := newRuntime(t, fermata.Options{Store: store, Name: "one", Lease: -1})
	two := newRuntime(t, fermata.Options{Store: store, Name: "two", Lease: -1})
	run := start(t, one, g, state{})
	hold.waitEntered(t)
	taken := resume(t, two, g, run.ID())
	hold.waitEntered(t)
	close(hold.open)
	if diff := cmp.Diff([]string{"a#1", "b#1"}, ends(t, taken, fermata.Completed).State.Log); diff != "" {
		t.Errorf("the winner (-want +got):\n%s", diff)
	}
	res, err := run.Wait(timeLimit(t))
	if err == nil && res.Status != fermata.Completed {
		t.Errorf("the loser says that the run is %s", res.Status)
	}
	if err != nil {
		refused(t, err, refusal{fermata.CodeConflict, fermata.ErrConflict})
	}
	if diff := cmp.Diff([]string{"b: 1"}, done.lines()); diff != "" {
		t.Errorf("visits (-want +got):\n%s", diff)
	}
	want := []string{
		"run.started", "node.started a#1", "run.resumed recovered",
		"node.finished a#1", "node.started b#1", "node.finished b#1", "run.finished completed",
	}
	if diff := cmp.Diff(want, lines(t, store, run.ID())); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

// An id can be started once.
func TestJ3_AnIDIsStartedOnce(t *testing.T) {
	rt, store := inMemory(t)
	g := single(logged)
	run := start(t, rt, g, state{}, fermata.WithID("run_once"))
	ends(t, run, fermata.Completed)
	before := lines(t, store, "run_once")
	_, err := g.Start(timeLimit(t), rt, state{}, fermata.WithID("run_once"))
	refused(t, err, refusal{fermata.CodeConflict, fermata.ErrConflict})
	if diff := cmp.Diff(before, lines(t, store, "run_once")); diff != "" {
		t.Errorf("the journal changed:\n%s", diff)
	}
}

// A runtime that is closed starts nothing and leaves nothing behind.
func TestF3_AClosedRuntimeStartsNothing(t *testing.T) {
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := single(logged).Start(timeLimit(t), rt, state{})
	refused(t, err, refusal{fermata.CodeStopped, fermata.ErrClosed})
	rows, err := store.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 0 {
		t.Errorf("%d runs are in the store, error %v", len(rows), err)
	}
}

// What has finished is not run again: not by a crash behind it, not by a failure, a retry or a resume.
func TestJ4_AFinishedTaskStaysFinished(t *testing.T) {
	store := memory.New()
	var visits calls
	broken := true
	visit := func(ctx node.Context, s state) (state, error) {
		visits.add(ctx.Info().Task())
		return logged(ctx, s)
	}
	hold := newGate()
	g := graph.New[state]("long").
		Node("a", visit).
		Node("b", func(ctx node.Context, s state) (state, error) {
			if _, err := node.Interrupt[bool](ctx, nil); err != nil {
				return s, err
			}
			return visit(ctx, s)
		}).
		Node("c", func(ctx node.Context, s state) (state, error) {
			if broken {
				return s, errFlaky
			}
			if err := hold.pass(ctx); err != nil {
				return s, err
			}
			return visit(ctx, s)
		}).
		Node("d", visit).
		Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").Edge("c", "d").MustCompile()
	rt := newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, g, state{})
	answer(t, rt, question(t, run).ID, true) // a suspension and a resume
	ends(t, run, fermata.Failed)
	broken = false
	run, err := g.Retry(timeLimit(t), rt, run.ID()) // a failure and a retry
	if err != nil {
		t.Fatal(err)
	}
	hold.waitEntered(t)
	if err := rt.Close(); err != nil { // the driver is gone
		t.Fatal(err)
	}
	close(hold.open)
	run = resume(t, newRuntime(t, fermata.Options{Store: store}), g, run.ID())
	if diff := cmp.Diff([]string{"a#1", "b#1", "c#1", "d#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a#1: 1", "b#1: 1", "c#1: 1", "d#1: 1"}, visits.lines()); diff != "" {
		t.Errorf("visits (-want +got):\n%s", diff)
	}
}

// A recorded step returns what was recorded, value or failure, and has no effect again.
func TestJ5_ARecordedStepReturnsItsRecord(t *testing.T) {
	type receipt struct {
		ID    string
		Cents int64
	}
	rt, _ := inMemory(t)
	var effects calls
	var seen []string
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		r, err := node.Step(ctx, "charge", func(node.Context) (receipt, error) {
			return receipt{ID: fmt.Sprint("r", effects.add("charge")), Cents: 1 << 60}, nil
		})
		if err != nil {
			return s, err
		}
		_, failed := node.Step(ctx, "notify", func(node.Context) (int, error) {
			return 0, fmt.Errorf("attempt %d: %w", effects.add("notify"), errFlaky)
		})
		var stepError *node.StepError
		if !errors.As(failed, &stepError) || errors.Is(failed, errFlaky) {
			return s, fmt.Errorf("the step failed with %T: %w", failed, failed)
		}
		seen = append(seen, fmt.Sprintf("%s %d, %s: %s", r.ID, r.Cents, stepError.Step, stepError.Message))
		_, err = node.Interrupt[bool](ctx, nil)
		return s, err
	}), state{})
	answer(t, rt, question(t, run).ID, true)
	ends(t, run, fermata.Completed)
	once := "r1 1152921504606846976, step:notify#1: attempt 1: flaky"
	if diff := cmp.Diff([]string{once, once}, seen); diff != "" {
		t.Errorf("passes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"charge: 1", "notify: 1"}, effects.lines()); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
}

// A new attempt makes a failed step again, under the same idempotency key, and keeps the one that succeeded.
func TestJ5_AFailedStepIsTriedOncePerAttempt(t *testing.T) {
	rt, store := inMemory(t)
	var effects calls
	keys := make(map[string]bool)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if _, err := node.Step(ctx, "charge", func(node.Context) (int, error) { return effects.add("charge"), nil }); err != nil {
			return s, err
		}
		_, err := node.Step(ctx, "ship", func(c node.Context) (int, error) {
			keys[node.IdempotencyKey(c)] = true
			if n := effects.add("ship"); n < 3 {
				return 0, errFlaky
			}
			return 1, nil
		})
		return s, err
	}, graph.Retry(3, time.Microsecond)), state{}, fermata.WithID("run_1"))
	ends(t, run, fermata.Completed)
	if diff := cmp.Diff([]string{"charge: 1", "ship: 3"}, effects.lines()); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]bool{"run_1/a#1/step:ship#1": true}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	want := []string{
		"step.finished a#1 step:charge#1 = 1",
		"step.finished a#1 step:ship#1 flaky", "step.finished a#1 attempt 2 step:ship#1 flaky", "step.finished a#1 attempt 3 step:ship#1 = 1",
	}
	var got []string
	for _, l := range lines(t, store, run.ID()) {
		if strings.HasPrefix(l, "step.") {
			got = append(got, l)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

// A step whose effect came through and whose record was lost happens again, once; an AtMostOnce step does not.
func TestJ5_ALostRecord(t *testing.T) {
	tests := []struct {
		name    string
		opts    []node.StepOption
		lost    int // the append that gets lost
		effects []string
		unknown bool
	}{
		{"at least once", nil, 3, []string{"charge: 2"}, false},
		{"at most once, the outcome is lost", []node.StepOption{node.AtMostOnce()}, 4, []string{"charge: 1"}, true},
		{"at most once, the intent is lost", []node.StepOption{node.AtMostOnce()}, 3, []string{"charge: 1"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := memory.New()
			faulty := journaltest.NewFaulty(store)
			faulty.FailAppend(tt.lost, journaltest.Before) // 1: the outline, 2: the start
			var effects calls
			g := single(func(ctx node.Context, s state) (state, error) {
				n, err := node.Step(ctx, "charge", func(node.Context) (int, error) { return effects.add("charge"), nil }, tt.opts...)
				s.N = n
				return s, err
			}, graph.Retry(3, time.Microsecond))
			rt := newRuntime(t, fermata.Options{Store: faulty})
			fermata.Hurry(rt)
			run := start(t, rt, g, state{})
			res := wait(t, run)
			if tt.unknown != errors.Is(res.Err, node.ErrOutcomeUnknown) || tt.unknown == (res.Status == fermata.Completed) {
				t.Errorf("the run is %s: %v", res.Status, res.Err)
			}
			if diff := cmp.Diff(tt.effects, effects.lines()); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
			if got := count(lines(t, store, run.ID()), "node.retrying"); got != 0 {
				t.Errorf("it was tried %d times more", got)
			}
		})
	}
}

// damage is something that can happen to a stored journal.
type damage struct {
	name   string
	seq    uint64 // that the error names
	change func(e *journal.Entry) bool
}

// at changes the entry with a seq.
func at(seq uint64, change func(e *journal.Entry)) func(e *journal.Entry) bool {
	return func(e *journal.Entry) bool {
		if e.Seq == seq {
			change(e)
		}
		return true
	}
}

// damages are to the journal of a chain that waits in its last node: 1 run.started, 2 a, 3 a finished, 4 b, 5 interrupt,
// 6 suspended, 7 paused.
func damages() []damage {
	return []damage{
		{"an entry is missing", 4, func(e *journal.Entry) bool { return e.Seq != 3 }},
		{"the first is missing", 2, func(e *journal.Entry) bool { return e.Seq != 1 }},
		{"the end is missing", 6, func(e *journal.Entry) bool { return e.Seq < 6 }},
		{"all is missing", 1, func(*journal.Entry) bool { return false }},
		{"an entry is there twice", 3, at(4, func(e *journal.Entry) { e.Seq = 3 })},
		{"another kind", 3, at(3, func(e *journal.Entry) { e.Kind = journal.NodeSkipped })},
		{"an unknown kind", 3, at(3, func(e *journal.Entry) { e.Kind = 200 })},
		{"another task", 3, at(3, func(e *journal.Entry) { e.Visit = 7 })},
		{"another node", 3, at(3, func(e *journal.Entry) { e.Node = "b" })},
		{"a body that is no JSON", 5, at(5, func(e *journal.Entry) { e.Body = []byte(`{"requestId":`) })},
		{"an input that is no JSON", 1, at(1, func(e *journal.Entry) { e.Value = []byte(`{"log":`) })},
		{"a delta that is none", 3, at(3, func(e *journal.Entry) { e.Value = []byte(`[9]`) })},
		{"a delta that is no JSON", 3, at(3, func(e *journal.Entry) { e.Value = []byte(`[1,{`) })},
		{"a delta of itself", 3, at(3, func(e *journal.Entry) { e.Base = 3 })},
		{"a delta of what is to come", 3, at(3, func(e *journal.Entry) { e.Base = 6 })},
		{"a delta of what has no value", 2, at(3, func(e *journal.Entry) { e.Base = 2 })},
		{"an interrupt that was never opened", 5, at(5, func(e *journal.Entry) { e.Kind = journal.InterruptUpdated })},
	}
}

// Damaged, truncated or foreign data is an error that names run and seq. It is never taken for a zero value, and never
// starts the run again.
func TestJ6_DamageIsATypedError(t *testing.T) {
	for _, tt := range damages() {
		t.Run(tt.name, func(t *testing.T) {
			store := memory.New()
			var visits calls
			g := graph.New[state]("damaged").
				Node("a", func(ctx node.Context, s state) (state, error) { visits.add("a"); return logged(ctx, s) }, graph.Retry(3, 1)).
				Node("b", asking).
				Node("rescue", logged).
				Edge(graph.Start, "a").Edge("a", "b").OnError("a", "rescue").OnError("b", "rescue").MustCompile()
			first := newRuntime(t, fermata.Options{Store: store})
			run := start(t, first, g, state{Text: "input"}, fermata.WithID("run_damaged"))
			q := question(t, run)
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			before := lines(t, store, run.ID())
			damaged := newRuntime(t, fermata.Options{Store: &spy{Store: store, change: tt.change}})
			var err error
			mustReturn(t, "resume", func() {
				var again *graph.Run[state]
				if again, err = g.Resume(timeLimit(t), damaged, run.ID()); err == nil {
					_, err = again.Wait(timeLimit(t))
				}
			})
			var stored *journal.StoreError
			if !errors.As(err, &stored) || !errors.Is(err, journal.ErrCorrupt) {
				t.Fatalf("the error is %T: %v, want a *journal.StoreError with ErrCorrupt", err, err)
			}
			refused(t, err, refusal{fermata.CodeStore, journal.ErrCorrupt})
			if stored.Run != run.ID() || stored.Seq != tt.seq {
				t.Errorf("it names run %s and seq %d, want %s and %d: %v", stored.Run, stored.Seq, run.ID(), tt.seq, err)
			}
			if diff := cmp.Diff(before, lines(t, store, run.ID())); diff != "" {
				t.Errorf("the journal changed:\n%s", diff)
			}
			if diff := cmp.Diff([]string{"a: 1"}, visits.lines()); diff != "" {
				t.Errorf("visits (-want +got):\n%s", diff)
			}
			whole := newRuntime(t, fermata.Options{Store: store}) // nothing was lost by it
			run = resume(t, whole, g, run.ID())
			answer(t, whole, q.ID, true)
			ends(t, run, fermata.Completed)
		})
	}
}

// A damaged journal is reported by whoever reads it as history, too.
func TestJ6_HistoryReportsDamage(t *testing.T) {
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	g := graph.New[state]("damaged").Node("a", logged).Node("b", logged).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	run := start(t, rt, g, state{Text: "input"})
	ends(t, run, fermata.Completed)
	for name, change := range map[string]func(e *journal.Entry){
		"no JSON":    func(e *journal.Entry) { e.Value = []byte(`[1,{`) },
		"of itself":  func(e *journal.Entry) { e.Base = 3 },
		"of nothing": func(e *journal.Entry) { e.Base = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			damaged := newRuntime(t, fermata.Options{Store: &spy{Store: store, change: at(3, change)}})
			var last error
			for _, err := range damaged.History(t.Context(), run.ID()) {
				last = err
			}
			var stored *journal.StoreError
			if !errors.As(last, &stored) || !errors.Is(last, journal.ErrCorrupt) || stored.Seq != 3 || stored.Run != run.ID() {
				t.Errorf("history ends with %v", last)
			}
			if _, err := damaged.Result(t.Context(), run.ID(), nil); !errors.Is(err, journal.ErrCorrupt) {
				t.Errorf("the result is read with %v", err)
			}
		})
	}
}

// The engine needs no checkpoint: a store that has none, or a wrong one, opens every run.
func TestJ6_CheckpointsAreNotNeeded(t *testing.T) {
	for name, data := range map[string][]byte{"none": nil, "nonsense": []byte("nonsense")} {
		t.Run(name, func(t *testing.T) {
			store := memory.New()
			g := single(asking)
			first := newRuntime(t, fermata.Options{Store: store})
			run := start(t, first, g, state{})
			q := question(t, run)
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			rt := newRuntime(t, fermata.Options{Store: &checkpoints{Store: store, data: data}})
			run = resume(t, rt, g, run.ID())
			answer(t, rt, q.ID, true)
			ends(t, run, fermata.Completed)
		})
	}
}

// checkpoints is a store whose checkpoints are always the same.
type checkpoints struct {
	journal.Store
	data []byte
}

func (c *checkpoints) Checkpoint(context.Context, string) (journal.Checkpoint, error) {
	if c.data == nil {
		return journal.Checkpoint{}, nil
	}
	return journal.Checkpoint{Seq: 2, Data: c.data}, nil
}

// A list that grows costs what is added to it: a run of n messages takes O(n) bytes. What stays as it is costs nothing.
func TestJ7_TheJournalGrowsWithWhatChanged(t *testing.T) {
	size := func(n int) (values, rest int) {
		rt, store := inMemory(t)
		big := strings.Repeat("x", 10_000)
		g := graph.New[state]("chat").
			Node("say", func(_ node.Context, s state) (state, error) {
				s.N++
				s.Log = append(s.Log, fmt.Sprintf("message %06d, of which each is as long as any other", s.N))
				return s, nil
			}).
			Node("nod", func(_ node.Context, s state) (state, error) { return s, nil }).
			Edge(graph.Start, "say").Edge("say", "nod").
			Route("nod", func(_ node.Context, s state) (string, error) {
				if s.N < n {
					return "say", nil
				}
				return graph.End, nil
			}, "say", graph.End).MustCompile()
		run := start(t, rt, g, state{Text: big})
		if got := ends(t, run, fermata.Completed).State; len(got.Log) != n || got.Text != big {
			t.Fatalf("the run ended with %d messages", len(got.Log))
		}
		for _, e := range entries(t, store, run.ID()) {
			if e.Kind == journal.NodeFinished {
				if e.Node == "nod" && len(e.Value) > 0 {
					t.Fatalf("seq %d: %d bytes for no change", e.Seq, len(e.Value))
				}
				values += len(e.Value)
			} else {
				rest += len(e.Value) + len(e.Body)
			}
		}
		return values, rest
	}
	const message = len("message 000001, of which each is as long as any other")
	short, _ := size(100)
	long, rest := size(1000)
	if perMessage := long / 1000; perMessage > 2*message {
		t.Errorf("a message of %d bytes takes %d in the journal", message, perMessage)
	}
	if long > 11*short {
		t.Errorf("10 times the messages take %d bytes instead of %d", long, short)
	}
	if rest > 20_000 {
		t.Errorf("the rest takes %d bytes", rest)
	}
}

// A value that the engine has stored as what changed is whole again when the run is opened in another process.
func TestJ7_DeltasAddUp(t *testing.T) {
	store := memory.New()
	g := graph.New[state]("delta").
		Node("a", func(_ node.Context, s state) (state, error) {
			s.N++
			s.Log = append(s.Log, fmt.Sprint(s.N))
			if s.Tags == nil { // an empty map that is left out of the JSON is none (law N10)
				s.Tags = make(map[string]int)
			}
			s.Tags[fmt.Sprint(s.N%3)] = s.N
			if s.N%4 == 0 {
				s.Log = s.Log[1:]
				delete(s.Tags, "1")
			}
			s.Text += "é"
			return s, nil
		}).
		Node("ask", asking).
		Edge(graph.Start, "a").
		Route("a", func(_ node.Context, s state) (string, error) {
			if s.N%5 == 0 {
				return "ask", nil
			}
			return "a", nil
		}, "a", "ask").
		Route("ask", func(_ node.Context, s state) (string, error) {
			if s.N < 20 {
				return "a", nil
			}
			return graph.End, nil
		}, "a", graph.End).MustCompile()
	input := func() state { return state{Tags: map[string]int{}} }
	direct := newRuntime(t, fermata.Options{})
	run := start(t, direct, g, input())
	for range 4 {
		answer(t, direct, question(t, run).ID, true)
	}
	want := ends(t, run, fermata.Completed).State
	rt := newRuntime(t, fermata.Options{Store: store})
	run = start(t, rt, g, input())
	for range 4 {
		q := question(t, run)
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		rt = newRuntime(t, fermata.Options{Store: store})
		run = resume(t, rt, g, run.ID())
		answer(t, rt, q.ID, true)
	}
	if diff := cmp.Diff(want, ends(t, run, fermata.Completed).State); diff != "" {
		t.Errorf("through restarts it ended with another state (-direct +restarted):\n%s", diff)
	}
	var last json.RawMessage
	for m, err := range rt.History(t.Context(), run.ID()) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Entry.Kind == journal.NodeFinished {
			last = m.Value
		}
	}
	var got state
	if err := json.Unmarshal(last, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("its history ends with another state (-want +got):\n%s", diff)
	}
}

// A result that is read again is the one that was given, to the byte: also where the journal has its members in another
// order, that in which they came.
func TestJ1_AResultIsTheSameWhenReadAgain(t *testing.T) {
	rt, store := inMemory(t)
	g := single(func(_ node.Context, s state) (state, error) {
		s.N, s.Log = 1, []string{"late"}
		return s, nil
	})
	run := start(t, rt, g, state{Text: "early"})
	ends(t, run, fermata.Completed)
	again := newRuntime(t, fermata.Options{Store: store})
	var got []string
	for _, of := range []*fermata.Runtime{rt, again} {
		res, err := of.Result(t.Context(), run.ID(), g.Plan())
		if err != nil {
			t.Fatal(err)
		}
		resumed, err := of.Resume(t.Context(), run.ID(), g.Plan())
		if err != nil {
			t.Fatal(err)
		}
		ended, err := resumed.Wait(timeLimit(t))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(res.Output), string(ended.Output))
	}
	const want = `{"log":["late"],"n":1,"text":"early"}`
	if diff := cmp.Diff([]string{want, want, want, want}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
