package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// untouched is a store that counts what is written to it, also beats and claims.
type untouched struct {
	journal.Store
	journal.Leaser
	writes atomic.Int64
}

func untouchedStore() *untouched {
	s := memory.New()
	return &untouched{Store: s, Leaser: s.(journal.Leaser)} //nolint:forcetypeassert // it is one
}

func (s *untouched) Append(ctx context.Context, b journal.Batch) error {
	s.writes.Add(1)
	return s.Store.Append(ctx, b)
}

func (s *untouched) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	if ttl > 0 { // else it says that it is gone
		s.writes.Add(1)
	}
	return s.Leaser.Beat(ctx, driver, ttl)
}

func (s *untouched) Claim(ctx context.Context, driver, run string) (bool, error) {
	s.writes.Add(1)
	return s.Leaser.Claim(ctx, driver, run)
}

func (s *untouched) Delete(ctx context.Context, run string) error {
	s.writes.Add(1)
	return s.Store.Delete(ctx, run)
}

// content is all that a store holds, as JSON.
func content(t *testing.T, s journal.Store) string {
	t.Helper()
	var all []any
	for _, definitions := range []bool{false, true} {
		rows, err := s.Runs(t.Context(), journal.RunFilter{Definition: definitions})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			all = append(all, row, entries(t, s, row.ID))
		}
	}
	asked, err := s.Inbox(t.Context(), journal.InboxFilter{All: true})
	if err != nil {
		t.Fatal(err)
	}
	timers, err := s.Timers(t.Context(), math.MaxInt64, 0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(append(all, asked, timers))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// looks checks runs, and that nothing is written meanwhile.
func looks(t *testing.T, store *untouched, f journal.RunFilter, c fermata.ResumeCheck) []fermata.Outlook {
	t.Helper()
	rt := newRuntime(t, fermata.Options{Store: store})
	before := content(t, store)
	store.writes.Store(0)
	all, err := rt.CanResume(timeLimit(t), f, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	if n := store.writes.Load(); n != 0 {
		t.Errorf("the store was written to %d times", n)
	}
	if diff := cmp.Diff(before, content(t, store)); diff != "" {
		t.Errorf("the store changed:\n%s", diff)
	}
	return all
}

func always(p *plan.Plan) func(context.Context, fermata.RunInfo) (*plan.Plan, error) {
	return func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return p, nil }
}

// twoSteps makes two steps and asks, in a given order of calls. The call "?b" is the step b where the task has a change.
func twoSteps(did *atomic.Int64, calls ...string) *plan.Plan {
	return graph.New[bill]("steps").Node("work", func(ctx node.Context, s bill) (bill, error) {
		for _, call := range calls {
			if call == "ask" {
				if _, err := node.Interrupt[bool](ctx, nil, node.ID("ok")); err != nil {
					return s, err
				}
				continue
			}
			if guarded, ok := strings.CutPrefix(call, "?"); ok {
				changed, err := node.Changed(ctx, "change")
				if err != nil {
					return s, err
				}
				if !changed {
					continue
				}
				call = guarded
			}
			n, err := node.Step(ctx, call, func(node.Context) (int, error) { did.Add(1); return 1, nil })
			if err != nil {
				return s, err
			}
			s.Amount += n
		}
		return s, nil
	}).Edge(graph.Start, "work").MustCompile().Plan()
}

// waiting starts a run of a plan in a store, up to where it waits.
func waiting(t *testing.T, store journal.Store, p *plan.Plan, id string) {
	t.Helper()
	rt := newRuntime(t, fermata.Options{Store: store})
	input, err := p.State().Decode([]byte(`{"Amount":120}`))
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(timeLimit(t), p, input, fermata.WithID(id))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Paused {
		t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
}

// CanResume says what Resume and Migrate would do, for each way in which a plan and its code can change, and leaves the store
// as it is. Each verdict is then tried.
func TestJ8_ACheckSaysWhatResumeWouldDo(t *testing.T) {
	var did atomic.Int64
	rename := plan.Migration{Values: map[string]string{"Amount": "Total"}}
	for _, tt := range []struct {
		name     string
		old, now *plan.Plan
		moves    plan.Migration
		replay   bool
		want     fermata.Outlook
	}{
		{"the same plan", asksAbout[bill](), asksAbout[bill](), plan.Migration{}, false, fermata.Outlook{Verdict: fermata.GoesOn, Unchecked: "code inside nodes is not checked"}},
		{"the same plan, replayed", asksAbout[bill](), asksAbout[bill](), plan.Migration{}, true, fermata.Outlook{Verdict: fermata.GoesOn, Replayed: []string{"ask#1"}}},
		{"a field is added", asksAbout[bill](), asksAbout[billMore](), plan.Migration{}, true, fermata.Outlook{Verdict: fermata.GoesOn, Replayed: []string{"ask#1"}}},
		{"a field is renamed", asksAbout[bill](), asksAbout[billTotal](), plan.Migration{}, true, fermata.Outlook{
			Verdict: fermata.PlanChanged, Value: "Amount", Reason: `the state at ask#1 holds "Amount", and the plan has no such field`,
			Hint: "if Amount is Total now, a migration can say so",
		}},
		{"a field is renamed, by a migration", asksAbout[bill](), asksAbout[billTotal](), rename, true, fermata.Outlook{
			Verdict: fermata.Migrates, Values: rename.Values, Replayed: []string{"ask#1"},
		}},
		{"a migration of another name", asksAbout[bill](), asksAbout[billTotal](), plan.Migration{Nodes: map[string]string{"aks": "ask"}}, true, fermata.Outlook{
			Verdict: fermata.Refused, Reason: `migration: aks -> ask: the old plan has no node "aks"; did you mean "ask"?`,
		}},
		{"a step is renamed", twoSteps(&did, "a", "b", "ask"), twoSteps(&did, "a", "c", "ask"), plan.Migration{}, true, fermata.Outlook{
			Verdict: fermata.Diverges, Task: "work#1", Reason: "task work#1: node code diverged from its journal: expected step:b#1, found step:c#1",
		}},
		{"a step is renamed, and nothing is replayed", twoSteps(&did, "a", "b", "ask"), twoSteps(&did, "a", "c", "ask"), plan.Migration{}, false, fermata.Outlook{
			Verdict: fermata.GoesOn, Unchecked: "code inside nodes is not checked",
		}},
		{"a step is added before, guarded by a change", twoSteps(&did, "a", "ask"), twoSteps(&did, "a", "?b", "ask"), plan.Migration{}, true, fermata.Outlook{
			Verdict: fermata.GoesOn, Replayed: []string{"work#1"},
		}},
		{"the guard of a recorded change is removed", twoSteps(&did, "a", "?b", "ask"), twoSteps(&did, "a", "b", "ask"), plan.Migration{}, true, fermata.Outlook{
			Verdict: fermata.GoesOn, Replayed: []string{"work#1"},
		}},
		{"a step is added behind", twoSteps(&did, "a", "ask"), twoSteps(&did, "a", "ask", "b"), plan.Migration{}, true, fermata.Outlook{
			Verdict: fermata.GoesOn, Replayed: []string{"work#1"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := untouchedStore()
			waiting(t, store, tt.old, "run_1")
			did.Store(0)
			all := looks(t, store, journal.RunFilter{ID: "run_1"}, fermata.ResumeCheck{Plans: always(tt.now), Migration: tt.moves, Replay: tt.replay})
			if n := did.Load(); n != 0 {
				t.Errorf("%d steps were made", n)
			}
			if len(all) != 1 {
				t.Fatalf("the outlooks are %+v, want one", all)
			}
			got := all[0]
			tt.want.Run, tt.want.Plan, tt.want.Status, tt.want.Diff = "run_1", tt.old.Name(), fermata.Paused, got.Diff
			if tt.want.Verdict == fermata.Diverges { // the words of the error are tested elsewhere
				if !strings.Contains(got.Reason, "b#1") || !strings.Contains(got.Reason, "c#1") {
					t.Errorf("the reason is %q, want one that names both steps", got.Reason)
				}
				tt.want.Reason = got.Reason
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (got.Diff != "") != (got.Verdict == fermata.PlanChanged) {
				t.Errorf("the difference of the plans is %q", got.Diff)
			}
			comes(t, store, tt.now, tt.moves, &got)
		})
	}
}

// comes resumes a run and holds what comes of it against its outlook.
func comes(t *testing.T, store journal.Store, p *plan.Plan, moves plan.Migration, o *fermata.Outlook) {
	t.Helper()
	rt := newRuntime(t, fermata.Options{Store: store})
	var run *fermata.Run
	var err error
	if moves.Empty() {
		run, err = rt.Resume(timeLimit(t), o.Run, p)
	} else {
		run, err = rt.Migrate(timeLimit(t), o.Run, p, moves, "")
	}
	var res fermata.Result
	for err == nil {
		if res, err = run.Wait(timeLimit(t)); err != nil || len(res.Interrupts) == 0 {
			break
		}
		answer(t, rt, res.Interrupts[0].ID, true)
	}
	switch {
	case o.Verdict == fermata.PlanChanged && !errors.Is(err, fermata.ErrPlanChanged),
		o.Verdict == fermata.Refused && err == nil,
		o.Verdict == fermata.Diverges && !errors.Is(res.Err, fermata.ErrDiverged),
		o.CanGoOn() && o.Unchecked == "" && (err != nil || res.Status != fermata.Completed):
		t.Errorf("the verdict is %s, and the run is %s (%v), error %v", o.Verdict, res.Status, res.Err, err)
	}
}

// All runs of a plan that have not ended are checked at once, sorted; a run of an unknown plan and one that has ended say so.
func TestJ8_ACheckOfAllRuns(t *testing.T) {
	store := untouchedStore()
	waiting(t, store, asksAbout[bill](), "run_b")
	waiting(t, store, asksAbout[bill](), "run_a")
	var did atomic.Int64
	waiting(t, store, twoSteps(&did, "a", "ask"), "run_c")
	rt := newRuntime(t, fermata.Options{Store: store})
	if err := rt.Cancel(timeLimit(t), "run_a", "", ""); err != nil {
		t.Fatal(err)
	}
	waiting(t, store, asksAbout[bill](), "run_d")
	plans := func(_ context.Context, info fermata.RunInfo) (*plan.Plan, error) {
		switch info.Plan {
		case "bill":
			return asksAbout[billTotal](), nil
		case "broken":
			panic("no plan")
		}
		return nil, nil //nolint:nilnil // it is unknown
	}
	short := func(all []fermata.Outlook) (list []string) {
		for _, o := range all {
			list = append(list, o.Run+" "+string(o.Verdict))
		}
		return list
	}
	c := fermata.ResumeCheck{Plans: plans}
	for _, tt := range []struct {
		filter journal.RunFilter
		want   []string
	}{
		{journal.RunFilter{}, []string{"run_b plan_changed", "run_d plan_changed", "run_c plan_unknown"}},
		{journal.RunFilter{Plan: "steps"}, []string{"run_c plan_unknown"}},
		{journal.RunFilter{ID: "run_a"}, []string{"run_a ended"}},
	} {
		if diff := cmp.Diff(tt.want, short(looks(t, store, tt.filter, c))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.filter, diff)
		}
	}
	_, err := rt.CanResume(timeLimit(t), journal.RunFilter{ID: "run_x"}, c)
	refused(t, err, refusal{fermata.CodeNotFound, fermata.ErrNotFound})
}

// A blocked run is checked as others are, and one that was set aside says that somebody has to retry it.
func TestJ11_ACheckOfBlockedRuns(t *testing.T) {
	store := untouchedStore()
	var did atomic.Int64
	old := twoSteps(&did, "a", "ask")
	waiting(t, store, old, "run_1")
	rt := newRuntime(t, fermata.Options{Store: store})
	asked, err := rt.Inbox(timeLimit(t), journal.InboxFilter{Run: "run_1"})
	if err != nil || len(asked) != 1 {
		t.Fatalf("the inbox has %+v, %v", asked, err)
	}
	answer(t, rt, asked[0].ID, true, fermata.Hold())
	other := twoSteps(&did, "b", "ask")
	run, err := rt.Resume(timeLimit(t), "run_1", other)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Blocked {
		t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		p    *plan.Plan
		want fermata.Verdict
	}{{other, fermata.Diverges}, {old, fermata.GoesOn}} {
		all := looks(t, store, journal.RunFilter{Status: string(fermata.Blocked)}, fermata.ResumeCheck{Plans: always(tt.p), Replay: true})
		if len(all) != 1 || all[0].Verdict != tt.want || all[0].CanGoOn() != (tt.want == fermata.GoesOn) {
			t.Errorf("the outlooks are %+v, want one: %s", all, tt.want)
		}
	}
}

// A replay ends where the journal does: what follows an answer that came meanwhile does not take place.
func TestJ8_ACheckMakesNothingHappen(t *testing.T) {
	var did, outside atomic.Int64
	for name, behind := range map[string]func(ctx node.Context) error{
		"a step": func(ctx node.Context) error {
			_, err := node.Step(ctx, "b", func(node.Context) (int, error) { did.Add(1); return 1, nil })
			return err
		},
		"a step that happens once": func(ctx node.Context) error {
			_, err := node.Step(ctx, "b", func(node.Context) (int, error) { did.Add(1); return 1, nil }, node.AtMostOnce())
			return err
		},
		"a question": func(ctx node.Context) error { _, err := node.Interrupt[bool](ctx, nil, node.ID("more")); return err },
		"a sleep":    func(ctx node.Context) error { return node.Sleep(ctx, time.Hour) },
		"a message":  func(ctx node.Context) error { return node.Emit(ctx, node.EventMessage, "b") },
		"the time":   func(ctx node.Context) error { _, err := node.Now(ctx); return err },
		"its end":    func(node.Context) error { return nil },
		"a panic":    func(node.Context) error { panic("here") },
		"text": func(ctx node.Context) error {
			s, err := node.Stream(ctx, "answer")
			if err != nil {
				return err
			}
			return errors.Join(s.Write("b"), s.Close())
		},
		"swallowed errors": func(ctx node.Context) error {
			for range 2 {
				_, _ = node.Step(ctx, "b", func(node.Context) (int, error) { did.Add(1); return 1, nil })
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := untouchedStore()
			p := graph.New[bill]("bill").Node("ask", func(ctx node.Context, s bill) (bill, error) {
				outside.Add(1)
				if _, err := node.Interrupt[bool](ctx, nil); err != nil {
					return s, err
				}
				return s, behind(ctx)
			}).Node("next", func(_ node.Context, s bill) (bill, error) { did.Add(1); return s, nil }).
				Edge(graph.Start, "ask").Edge("ask", "next").MustCompile().Plan()
			waiting(t, store, p, "run_1")
			rt := newRuntime(t, fermata.Options{Store: store})
			asked, err := rt.Inbox(timeLimit(t), journal.InboxFilter{})
			if err != nil || len(asked) != 1 {
				t.Fatalf("the inbox has %+v, %v", asked, err)
			}
			answer(t, rt, asked[0].ID, true, fermata.Hold())
			if err := rt.Close(); err != nil {
				t.Fatal(err)
			}
			did.Store(0)
			before := outside.Load()
			all := looks(t, store, journal.RunFilter{}, fermata.ResumeCheck{Plans: always(p), Replay: true})
			if len(all) != 1 || !all[0].CanGoOn() || len(all[0].Replayed) != 1 || did.Load() != 0 || outside.Load() != before+1 {
				t.Errorf("the outlooks are %+v; %d steps were made, and the function was called %d times", all, did.Load(), outside.Load()-before)
			}
		})
	}
}
