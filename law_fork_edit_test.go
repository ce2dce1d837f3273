package fermata_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// seqOf is the seq of the n-th line of a journal that begins like that.
func seqOf(t *testing.T, s journal.Store, run, prefix string) uint64 {
	t.Helper()
	all := lines(t, s, run)
	for i, l := range all {
		if strings.HasPrefix(l, prefix) {
			return uint64(i) + 1
		}
	}
	t.Fatalf("no line begins with %q:\n%s", prefix, strings.Join(all, "\n"))
	return 0
}

func forked(t *testing.T, rt *fermata.Runtime, g *graph.Graph[state], run string, o fermata.ForkOptions) *fermata.Run {
	t.Helper()
	fork, err := rt.Fork(timeLimit(t), run, g.Plan(), o)
	if err != nil {
		t.Fatal(err)
	}
	return fork
}

func waitFork(t *testing.T, run *fermata.Run, want fermata.Status) fermata.Result {
	t.Helper()
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != want {
		t.Fatalf("the fork is %s (%v), error %v; want %s", res.Status, res.Err, err, want)
	}
	return res
}

// steps is a node that records a step, asks, and records another one.
func steps(w *calls) graph.Func[state] {
	return func(ctx node.Context, s state) (state, error) {
		do := func(name string) error {
			got, err := node.Step(ctx, name, func(node.Context) (string, error) {
				w.add(name + " " + s.Text)
				return name + " " + s.Text, nil
			})
			s.Log = append(s.Log, got)
			return err
		}
		if err := do("first"); err != nil {
			return s, err
		}
		said, err := node.Interrupt[string](ctx, nil, node.ID("ok"))
		if err != nil {
			return s, err
		}
		s.Log = append(s.Log, said)
		return s, do("second")
	}
}

// An edit changes what open tasks were given, and only that: a task begins again from the top, without its steps.
func TestJ4_AnEditBeginsAnOpenTaskAgain(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		rt := runtimeOn(t, s)
		var w calls
		g := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
			return b.Node("a", logged).Node("b", steps(&w)).Node("c", logged).Edge("a", "b").Edge("b", "c")
		})
		run := start(t, rt, g, state{Text: "old"})
		q := question(t, run)
		fork := forked(t, rt, g, run.ID(), fermata.ForkOptions{By: "eve", Edit: func(v any) (any, error) {
			v.(*state).Text = "new"
			return v, nil
		}})
		asked := waitFork(t, fork, fermata.Paused).Interrupts
		if len(asked) != 1 || asked[0].ID == q.ID || asked[0].Run != fork.ID() || asked[0].Token == "" || asked[0].Token == q.Token {
			t.Fatalf("the fork asks %+v, the run %+v", asked, q)
		}
		answer(t, rt, q.ID, "yes")
		answer(t, rt, asked[0].ID, "no")
		if diff := cmp.Diff([]string{"a#1", "first old", "yes", "second old", "c#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
			t.Errorf("the run (-want +got):\n%s", diff)
		}
		got := waitFork(t, fork, fermata.Completed).Value.(*state)
		if diff := cmp.Diff([]string{"a#1", "first new", "no", "second new", "c#1"}, got.Log); diff != "" {
			t.Errorf("the fork (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"first new: 1", "first old: 1", "second new: 1", "second old: 1"}, w.lines()); diff != "" {
			t.Errorf("effects (-want +got):\n%s", diff)
		}
		want := []string{
			"run.started", "node.started a#1", "node.finished a#1", "node.started b#1",
			`step.finished b#1 step:first#1 = "first old"`, "interrupt b#1 interrupt:ok#1", "node.suspended b#1 interrupt:ok#1",
			"run.paused", "run.resumed fork", "interrupt.resolved b#1 withdrawn", "run.resumed fork",
			`step.finished b#1 step:first#1 = "first new"`, "interrupt b#1 interrupt:ok#1", "node.suspended b#1 interrupt:ok#1",
			"run.paused", `interrupt.resolved b#1 answered "no"`, "run.resumed answer",
			`step.finished b#1 step:second#1 = "second new"`, "node.finished b#1", "node.started c#1", "node.finished c#1",
			"run.finished completed",
		}
		if diff := cmp.Diff(want, lines(t, s, fork.ID())); diff != "" {
			t.Errorf("the fork's journal (-want +got):\n%s", diff)
		}
	})
}

// An answer that is not kept is asked for again, and what its task did after it is done again; the rest is kept.
func TestJ5_AskAgainKeepsWhatCameBefore(t *testing.T) {
	rt, s := inMemory(t)
	var w calls
	fail := true
	g := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", steps(&w)).Node("b", func(ctx node.Context, st state) (state, error) {
			st, err := steps(&w)(ctx, st)
			if err == nil && fail {
				err = errors.New("no")
			}
			return st, err
		}).Edge("a", "b")
	})
	run := start(t, rt, g, state{})
	answer(t, rt, question(t, run).ID, "one")
	q := question(t, run)
	answer(t, rt, q.ID, "two")
	ends(t, run, fermata.Failed)
	fail = false
	for name, ask := range map[string]string{"by id": q.ID, "by task": "b#1"} {
		t.Run(name, func(t *testing.T) {
			before := w.all()
			fork := forked(t, rt, g, run.ID(), fermata.ForkOptions{AskAgain: []string{ask}})
			asked := waitFork(t, fork, fermata.Paused).Interrupts
			if len(asked) != 1 || asked[0].Task != "b#1" {
				t.Fatalf("the fork asks %+v", asked)
			}
			answer(t, rt, asked[0].ID, "three")
			got := waitFork(t, fork, fermata.Completed).Value.(*state)
			if diff := cmp.Diff([]string{"first ", "one", "second ", "first ", "three", "second "}, got.Log); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			after := w.all()
			grown := []int{after["first "] - before["first "], after["second "] - before["second "]}
			if diff := cmp.Diff([]int{0, 1}, grown); diff != "" {
				t.Errorf("how often the steps happened in the fork (-want +got):\n%s", diff)
			}
		})
	}
	// Of a task that has finished, the fork goes back to where it waited.
	fork := forked(t, rt, g, run.ID(), fermata.ForkOptions{AskAgain: []string{"a#1"}})
	asked := waitFork(t, fork, fermata.Paused).Interrupts
	if len(asked) != 1 || asked[0].Task != "a#1" {
		t.Fatalf("the fork asks %+v", asked)
	}
	info, err := rt.Info(t.Context(), fork.ID())
	if err != nil {
		t.Fatal(err)
	}
	if first := entries(t, s, fork.ID())[0]; bodyOf[journal.StartedBody](t, &first).Fork.Seq != seqOf(t, s, run.ID(), "interrupt.resolved")-1 {
		t.Errorf("the fork comes from %s, and is at seq %d", first.Body, info.Head)
	}
}

// What cannot be forked as it was asked for is refused, says why, and leaves nothing behind.
func TestJ4_AForkThatCannotBeIsRefused(t *testing.T) {
	rt, s := inMemory(t)
	var w calls
	g := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", steps(&w)).Node("b", logged).Node("c", logged).
			Route("b", func(node.Context, state) (string, error) { return "c", nil }, "c", graph.End).Edge("a", "b")
	})
	run := start(t, rt, g, state{})
	q := question(t, run)
	answer(t, rt, q.ID, "one")
	ends(t, run, fermata.Completed)
	half, resolved := seqOf(t, s, run.ID(), "node.finished b#1"), seqOf(t, s, run.ID(), "interrupt.resolved")
	gone, head := seqOf(t, s, run.ID(), "node.finished a#1"), uint64(len(entries(t, s, run.ID())))
	set := func(path, value string) map[string]json.RawMessage {
		return map[string]json.RawMessage{path: json.RawMessage(value)}
	}
	tests := []struct {
		name string
		run  string
		o    fermata.ForkOptions
		code fermata.Code
		want string
	}{
		{
			"in the middle of a fact", "",
			fermata.ForkOptions{At: half},
			fermata.CodeInvalid,
			fmt.Sprintf("seq %d is in the middle of one fact (node.finished b#1, route.taken b#1); fork at %d or %d", half, half-1, half+1),
		},
		{
			"behind the end", "",
			fermata.ForkOptions{At: head + 1},
			fermata.CodeInvalid,
			fmt.Sprintf("expected a seq from 1 to %d, found %d", head, head+1),
		},
		{
			"asked again when its task is over", "",
			fermata.ForkOptions{At: head - 1, AskAgain: []string{"a#1"}},
			fermata.CodeInvalid,
			fmt.Sprintf("interrupt %s cannot be asked again at seq %d: task a#1 has finished at seq %d, and is not run again; "+
				"fork at seq %d, before it was answered", q.ID, head-1, gone, resolved-1),
		},
		{
			"asked again before it was asked", "",
			fermata.ForkOptions{At: 2, AskAgain: []string{"a#1"}},
			fermata.CodeInvalid,
			fmt.Sprintf("interrupt %s was asked at seq 4, after the fork leaves the run at 2: it is asked again in any case", q.ID),
		},
		{
			"a question that nobody asked", "",
			fermata.ForkOptions{AskAgain: []string{"a#2"}},
			fermata.CodeInvalid,
			`no task or interrupt "a#2" has asked anybody; did you mean "a#1"?`,
		},
		{
			"a member that the state does not have", "",
			fermata.ForkOptions{Set: set("txet", `"x"`)},
			fermata.CodeInvalid,
			`txet: the state has no member "txet"`,
		},
		{
			"a value of another type", "",
			fermata.ForkOptions{Set: set("n", `"x"`)},
			fermata.CodeInvalid,
			"the edited value does not fit the state",
		},
		{
			"no such element", "",
			fermata.ForkOptions{Set: set("log.7", `"x"`)},
			fermata.CodeInvalid,
			`log.7: expected an index below 5, or - to add at the end; found "7"`,
		},
		{
			"the value of a task that is not open", "",
			fermata.ForkOptions{At: resolved, Set: set("n", "1"), Of: "c#1"},
			fermata.CodeInvalid,
			fmt.Sprintf(`at seq %d there is no open task or token "c#1"; there are: a#1`, resolved),
		},
		{
			"an edit that fails", "",
			fermata.ForkOptions{Edit: func(any) (any, error) { return nil, errors.New("not today") }},
			fermata.CodeInvalid, "the edit is refused: not today",
		},
		{
			"an edit that panics", "",
			fermata.ForkOptions{Edit: func(any) (any, error) { panic("not today") }},
			fermata.CodeInvalid, "the edit is refused: panic: not today",
		},
		{
			"an edit of nothing", "",
			fermata.ForkOptions{Edit: func(any) (any, error) { return nil, fermata.ErrSkip }},
			fermata.CodeInvalid, "is of the type that the edit is for",
		},
		{"the id of another run", "", fermata.ForkOptions{ID: run.ID()}, fermata.CodeConflict, "there is a run with this id already"},
		{"no such run", "run_none", fermata.ForkOptions{}, fermata.CodeNotFound, "no such run"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id := run.ID()
			if tt.run != "" {
				id = tt.run
			}
			_, err := rt.Fork(t.Context(), id, g.Plan(), tt.o)
			known, ok := errors.AsType[*fermata.Error](err)
			if !ok || known.Code != tt.code || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("expected code %s and %q, found:\n%v", tt.code, tt.want, err)
			}
		})
	}
	rows, err := rt.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 1 {
		t.Errorf("%d runs, %v; want 1", len(rows), err)
	}
}

// A fork goes on with any plan that has a place for what is open (law J8).
func TestJ8_AForkOnAnotherPlan(t *testing.T) {
	rt, s := inMemory(t)
	run := start(t, rt, compile(chainABC), state{})
	answer(t, rt, question(t, run).ID, true)
	ends(t, run, fermata.Completed)
	resolved := seqOf(t, s, run.ID(), "interrupt.resolved")
	longer := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", logged).Node("b", asking).Node("d", logged).Edge("a", "b").Edge("b", "d")
	})
	fork := forked(t, rt, longer, run.ID(), fermata.ForkOptions{At: resolved})
	if diff := cmp.Diff([]string{"a#1", "b#1", "d#1"}, waitFork(t, fork, fermata.Completed).Value.(*state).Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	info, err := rt.Info(t.Context(), fork.ID())
	if err != nil || info.Fingerprint != longer.Plan().Fingerprint() {
		t.Errorf("the fork is pinned to %s, %v", info.Fingerprint, err)
	}
	other := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return graph.New[state]("other").Node("x", logged).Edge(graph.Start, "x")
	})
	_, err = rt.Fork(t.Context(), run.ID(), other.Plan(), fermata.ForkOptions{At: resolved})
	refused(t, err, refusal{fermata.CodePlanChanged, fermata.ErrPlanChanged})
}

// A step whose outcome is not known stays unknown in a fork, and no edit lets it happen again unseen.
func TestJ5_AForkDoesNotForgetAnUnknownOutcome(t *testing.T) {
	for _, c := range crashCases {
		if c.name != "a step that happens once at most" {
			continue
		}
		o := finished(t, c)
		at := 0
		for i, e := range o.journal {
			if e.Kind == journal.StepStarted {
				at = i + 1
			}
		}
		now := o.journal[at-1].Time()
		_, err := o.fork(t, memory.New(), now, fermata.ForkOptions{
			At: uint64(at), Set: map[string]json.RawMessage{"amount": json.RawMessage("20")},
		})
		refused(t, err, refusal{fermata.CodeConflict, fermata.ErrConflict})
		before := o.w.effects()["charge"]
		d, err := o.fork(t, memory.New(), now, fermata.ForkOptions{At: uint64(at)})
		if err != nil {
			t.Fatal(err)
		}
		res, err := d.finish()
		if err != nil || !errors.Is(res.Err, node.ErrOutcomeUnknown) || o.w.effects()["charge"] != before {
			t.Errorf("the fork is %s (%v), %v; charged %d times more", res.Status, res.Err, err, o.w.effects()["charge"]-before)
		}
		return
	}
	t.Fatal("there is no such case")
}

// An edit of a run that has completed changes what it ends with, and of one inside a subgraph what its type fits.
func TestJ4_EditsAtTheEndAndInside(t *testing.T) {
	type inner struct{ Word string }
	child := graph.New[inner]("inner").Node("x", func(ctx node.Context, s inner) (inner, error) {
		said, err := node.Interrupt[string](ctx, nil)
		s.Word += said
		return s, err
	}).Edge(graph.Start, "x").MustCompile()
	b := graph.New[state]("outer").Node("a", logged).Edge(graph.Start, "a").Edge("a", "s")
	graph.SubOf(b, "s", child, func(s state) (inner, error) { return inner{s.Text}, nil },
		func(s state, i inner) (state, error) { s.Log = append(s.Log, s.Text+" "+i.Word); return s, nil })
	g := b.MustCompile()
	rt, _ := inMemory(t)
	run := start(t, rt, g, state{Text: "t"})
	q := question(t, run)
	outside := forked(t, rt, g, run.ID(), fermata.ForkOptions{Edit: func(v any) (any, error) {
		if s, ok := v.(*state); ok {
			s.Text = "changed"
			return s, nil
		}
		return nil, fermata.ErrSkip
	}})
	inside := forked(t, rt, g, run.ID(), fermata.ForkOptions{Of: "s/x#1", Set: map[string]json.RawMessage{"Word": json.RawMessage(`"w"`)}})
	answer(t, rt, q.ID, "!")
	ends(t, run, fermata.Completed)
	end := forked(t, rt, g, run.ID(), fermata.ForkOptions{Set: map[string]json.RawMessage{"/log/-": json.RawMessage(`"more"`)}})
	got := map[string][]string{"end": waitFork(t, end, fermata.Completed).Value.(*state).Log}
	for name, fork := range map[string]*fermata.Run{"outside": outside, "inside": inside} {
		answer(t, rt, waitFork(t, fork, fermata.Paused).Interrupts[0].ID, "?")
		got[name] = waitFork(t, fork, fermata.Completed).Value.(*state).Log
	}
	want := map[string][]string{
		"end": {"a#1", "t t!", "more"}, "outside": {"a#1", "changed t?"}, "inside": {"a#1", "t w?"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A fork of a fork is a run like any other, also when those it comes from are gone (law J9), and after a cancellation.
func TestJ9_AForkOfAForkNeedsNothingElse(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		rt := runtimeOn(t, s)
		g := compile(chainABC)
		run := start(t, rt, g, state{})
		q := question(t, run)
		if err := rt.Cancel(t.Context(), run.ID(), "no", "eve"); err != nil {
			t.Fatal(err)
		}
		first := forked(t, rt, g, run.ID(), fermata.ForkOptions{})
		mine := waitFork(t, first, fermata.Paused).Interrupts[0]
		second := forked(t, rt, g, first.ID(), fermata.ForkOptions{AskAgain: []string{mine.ID}, Hold: true})
		for _, id := range []string{run.ID(), first.ID()} {
			if err := s.Delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		rt = runtimeOn(t, s)
		resumed := resume(t, rt, g, second.ID())
		last := question(t, resumed)
		if last.ID == mine.ID || last.ID == q.ID {
			t.Errorf("the question has an id that was used: %s", last.ID)
		}
		answer(t, rt, last.ID, true)
		if diff := cmp.Diff([]string{"a#1", "b#1", "c#1"}, ends(t, resumed, fermata.Completed).State.Log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		began := entries(t, s, second.ID())[0]
		if from := bodyOf[journal.StartedBody](t, &began).Fork; from == nil || from.Run != first.ID() {
			t.Errorf("it comes from %+v, want %s", from, first.ID())
		}
	})
}

// An answer to a question of the run is none to the fork's, and neither is its token (law H5).
func TestH5_TokensOfTheRunDoNotOpenTheFork(t *testing.T) {
	rt, _ := inMemory(t)
	g := compile(chainABC)
	run := start(t, rt, g, state{})
	q := question(t, run)
	fork := forked(t, rt, g, run.ID(), fermata.ForkOptions{})
	mine := waitFork(t, fork, fermata.Paused).Interrupts[0]
	err := rt.Answer(t.Context(), mine.ID, true, fermata.WithToken(q.Token))
	refused(t, err, refusal{fermata.CodeForbidden, fermata.ErrForbidden})
	answer(t, rt, mine.ID, true, fermata.WithToken(mine.Token))
	waitFork(t, fork, fermata.Completed)
	if res := wait(t, run); res.Status != fermata.Paused {
		t.Errorf("the run is %s", res.Status)
	}
}

// A deadline that is to come stays when it is; one that is over gets its time once more.
func TestH4_DeadlinesOfAFork(t *testing.T) {
	c := newClock()
	rt := newRuntime(t, fermata.Options{Clock: c})
	g := single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[bool](ctx, nil, node.Within(time.Hour))
		return s, err
	})
	run := start(t, rt, g, state{})
	q := question(t, run)
	at := uint64(4)
	c.Advance(30 * time.Minute)
	early := forked(t, rt, g, run.ID(), fermata.ForkOptions{At: at})
	if got := waitFork(t, early, fermata.Paused).Interrupts[0].Deadline; got != q.Deadline {
		t.Errorf("the deadline was %s, and is %s", q.DeadlineTime(), time.UnixMicro(got).UTC())
	}
	c.Advance(2 * time.Hour)
	ends(t, run, fermata.Expired)
	waitFork(t, early, fermata.Expired)
	late := forked(t, rt, g, run.ID(), fermata.ForkOptions{At: at})
	if got, want := waitFork(t, late, fermata.Paused).Interrupts[0].DeadlineTime(), c.Now().Add(time.Hour); !got.Equal(want) {
		t.Errorf("the deadline is %s, want %s", got, want)
	}
	c.Advance(time.Hour)
	waitFork(t, late, fermata.Expired)
}

// Whatever fails while a fork is made or goes on: there is all of it or nothing, and what is there comes to its end.
func TestJ2_ForksSurviveFaultsAtEveryAppend(t *testing.T) {
	t.Parallel()
	for _, c := range crashCases {
		if !c.onDisk && !exploring() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := finished(t, c)
			for at := 1; at <= len(o.journal); at++ {
				if o.half(at) {
					continue
				}
				for n := 1; ; n++ {
					if !o.forkWithFault(t, at, n) {
						break
					}
				}
			}
		})
	}
}

// forkWithFault lets the n-th append fail, before or after it is written, from the fork on; false when there were fewer.
func (o *original) forkWithFault(t *testing.T, at, n int) (more bool) {
	t.Helper()
	for _, when := range []journaltest.Mode{journaltest.Before, journaltest.After} {
		inner := memory.New()
		o.store(t, inner)
		store := journaltest.NewFaulty(inner)
		store.FailAppend(n, when)
		now := o.journal[at-1].Time()
		rt, err := fermata.New(fermata.Options{Store: store, Clock: fermatatest.NewClock(now)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = rt.Fork(t.Context(), originalID, o.plan, fermata.ForkOptions{At: uint64(at), ID: drivenID, Hold: true})
		if closing := rt.Close(); closing != nil {
			t.Fatal(closing)
		}
		rows, listing := inner.Runs(t.Context(), journal.RunFilter{ID: drivenID})
		if listing != nil {
			t.Fatal(listing)
		}
		if err != nil && len(rows) == 0 {
			if open, err := inner.Inbox(t.Context(), journal.InboxFilter{Run: drivenID, All: true}); err != nil || len(open) > 0 {
				t.Errorf("a fork that there is not has %d questions, %v", len(open), err)
			}
			more = true
			continue
		}
		if err := inner.Delete(t.Context(), originalID); err != nil {
			t.Fatal(err)
		}
		d := &driven{
			t: t, c: o.c, plan: o.plan, inner: inner, store: store, clock: fermatatest.NewClock(now), fresh: true,
			script: o.clean.script, expects: isFault,
		}
		got, err := d.finish()
		if err != nil {
			t.Fatalf("seq %d, append %d: %v", at, n, err)
		}
		if more = more || store.Appends() >= n; o.c.unknown(got) {
			continue
		}
		if diff := cmp.Diff(settledState(o.result), settledState(got)); diff != "" {
			t.Errorf("seq %d, append %d: the fork ends otherwise (-run +fork):\n%s", at, n, diff)
		}
		o.checkJournal(t, inner, at)
	}
	return more
}
