package fermata_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// States of one run, as its program changes.
type (
	bill      struct{ Amount int }
	billTotal struct{ Total int }
	billText  struct{ Amount string }
	billFloat struct{ Amount float64 }
	billMore  struct {
		Amount int
		Tip    int
	}
)

func agrees[S any](ctx node.Context, s S) (S, error) {
	_, err := node.Interrupt[bool](ctx, nil, node.ID("ok"))
	return s, err
}

func keeps[S any](_ node.Context, s S) (S, error) { return s, nil }

// asksAbout is a graph that asks, over any state.
func asksAbout[S any]() *plan.Plan {
	return graph.New[S]("bill").Node("ask", agrees[S]).Node("pay", keeps[S]).Edge(graph.Start, "ask").Edge("ask", "pay").MustCompile().Plan()
}

// asksInside asks in a subgraph whose state is another type than that of the run.
func asksInside[C any](enter func(bill) C, leave func(C) int) *plan.Plan {
	b := graph.New[bill]("bill")
	b.Edge(graph.Start, "sub")
	inner := graph.New[C]("inner").Node("ask", agrees[C]).Edge(graph.Start, "ask").MustCompile()
	graph.SubOf(b, "sub", inner, func(s bill) (C, error) { return enter(s), nil }, func(s bill, c C) (bill, error) {
		s.Amount = leave(c)
		return s, nil
	})
	return b.MustCompile().Plan()
}

// asksEach asks about each item of a list, one after the other.
func asksEach[C any](item func(bill) C, sum func([]C) int) *plan.Plan {
	b := graph.New[bill]("bill")
	b.Edge(graph.Start, "each")
	inner := graph.New[C]("inner").Node("ask", agrees[C]).Edge(graph.Start, "ask").MustCompile()
	graph.Map(b, "each", func(s bill) ([]C, error) { return []C{item(s), item(s)}, nil }, inner, func(s bill, list []C) (bill, error) {
		s.Amount = sum(list)
		return s, nil
	}, graph.Limit(1))
	return b.MustCompile().Plan()
}

// asksBeside asks in one of two branches.
func asksBeside[S any]() *plan.Plan {
	return graph.New[S]("bill").Node("a", keeps[S]).Node("ask", agrees[S]).Node("b", keeps[S]).Node("pay", keeps[S], graph.All()).
		Edge(graph.Start, "a").Edge("a", "ask", "b").Edge("ask", "pay").Edge("b", "pay").MustCompile().Plan()
}

func ofBill(s bill) bill          { return s }
func toTotal(s bill) billTotal    { return billTotal{s.Amount} }
func amountOf(s bill) int         { return s.Amount }
func totalOf(s billTotal) int     { return s.Total }
func amounts(list []bill) int     { return list[0].Amount + list[1].Amount }
func totals(list []billTotal) int { return list[0].Total + list[1].Total }

// A state that the plan's type would not keep whole is refused, and the field is named; nothing is written, and on its own
// plan the run goes on.
func TestJ8_AChangedStateNeverReadsZero(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, now *plan.Plan
		value    string
		reason   string
		hint     string
	}{
		{"a field is renamed", asksAbout[bill](), asksAbout[billTotal](), "Amount", `the state at ask#1 holds "Amount", and the plan has no such field`, "if Amount is Total now, a migration can say so"},
		{"a field is removed", asksAbout[billMore](), asksAbout[billTip](), "Amount", `the state at ask#1 holds "Amount", and the plan has no such field`, ""},
		{"a field has another type", asksAbout[bill](), asksAbout[billText](), "Amount", `the state at ask#1 holds "Amount" as a number, and the plan reads it as string`, ""},
		{"a field is added", asksAbout[bill](), asksAbout[billMore](), "", "", ""},
		{"a field has a wider type", asksAbout[bill](), asksAbout[billFloat](), "", "", ""},
		{"nothing is read as a number", asksAbout[billMaybe](), asksAbout[billMore](), "Tip", `the state at ask#1 holds "Tip", which the plan would read as another value`, ""},
		{"an array grows", asksAbout[billPair](), asksAbout[billThree](), "Tip", `the state at ask#1 holds "Tip", which the plan would read as another value`, ""},
		{"in a subgraph", asksInside(ofBill, amountOf), asksInside(toTotal, totalOf), "Amount", `the state at sub/ask#1 holds "Amount", and the plan has no such field`, "if Amount is Total now, a migration can say so"},
		{"in the items of a map", asksEach(ofBill, amounts), asksEach(toTotal, totals), "Amount", `the state at each#1.2 holds "Amount", and the plan has no such field`, "if Amount is Total now, a migration can say so"},
		{"in a branch", asksBeside[bill](), asksBeside[billTotal](), "Amount", `the state at pay holds "Amount", and the plan has no such field`, "if Amount is Total now, a migration can say so"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id, store, question := pausedOn(t, tt.old)
			rt := newRuntime(t, fermata.Options{Store: store})
			answer(t, rt, question, true, fermata.Hold())
			before := lines(t, store, id)
			run, err := rt.Resume(timeLimit(t), id, tt.now)
			if tt.value == "" {
				if err != nil {
					t.Fatal(err)
				}
				if res, err := run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
					t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
				}
				return
			}
			refused(t, err, refusal{fermata.CodePlanChanged, fermata.ErrPlanChanged})
			var changed *fermata.PlanChangedError
			if !errors.As(err, &changed) {
				t.Fatalf("the error is %v, want a *PlanChangedError in it", err)
			}
			want := fermata.PlanChangedError{Reason: tt.reason, Value: tt.value, Diff: changed.Diff, Hint: tt.hint}
			if diff := cmp.Diff(want, *changed); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, lines(t, store, id)); diff != "" {
				t.Errorf("the journal changed:\n%s", diff)
			}
			if run, err = rt.Resume(timeLimit(t), id, tt.old); err != nil {
				t.Fatal(err)
			}
			if res, err := run.Wait(timeLimit(t)); err != nil || res.Status == fermata.Failed {
				t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
			}
		})
	}
}

type (
	billTip   struct{ Tip int }
	billMaybe struct {
		Amount int
		Tip    *int
	}
	billPair struct {
		Amount int
		Tip    [2]int
	}
	billThree struct {
		Amount int
		Tip    [3]int
	}
)

// pausedOn starts a run of 120, waits until it asks, and ends the process.
func pausedOn(t *testing.T, p *plan.Plan) (id string, store journal.Store, question string) {
	t.Helper()
	store = memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	input, err := p.State().Decode([]byte(`{"Amount":120}`))
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(timeLimit(t), p, input)
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Paused {
		t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	return run.ID(), store, res.Interrupts[0].ID
}

// A migration renames fields or converts whole states: of the run, in a subgraph, in items that were not begun, and in
// branches with the value at their fork. A process that comes later needs none of it.
func TestJ8_AMigrationConvertsStates(t *testing.T) {
	rename := plan.Migration{Values: map[string]string{"Amount": "Total"}}
	convert := plan.Migration{State: func(old json.RawMessage) (json.RawMessage, error) {
		return bytes.ReplaceAll(old, []byte(`"Amount"`), []byte(`"Total"`)), nil
	}}
	ofInner := plan.Migration{State: func(old json.RawMessage) (json.RawMessage, error) { return old, nil }, Values: rename.Values}
	for _, tt := range []struct {
		name     string
		old, now *plan.Plan
		moves    plan.Migration
		want     string
	}{
		{"renamed", asksAbout[bill](), asksAbout[billTotal](), rename, `{"Total":120}`},
		{"converted", asksAbout[bill](), asksAbout[billTotal](), convert, `{"Total":120}`},
		{"in a subgraph", asksInside(ofBill, amountOf), asksInside(toTotal, totalOf), ofInner, `{"Amount":120}`},
		{"in the items of a map", asksEach(ofBill, amounts), asksEach(toTotal, totals), rename, `{"Amount":240}`},
		{"in branches", asksBeside[bill](), asksBeside[billTotal](), rename, `{"Total":120}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id, store, _ := pausedOn(t, tt.old)
			rt := newRuntime(t, fermata.Options{Store: store})
			moved, err := rt.Migrate(timeLimit(t), id, tt.now, tt.moves, "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := moved.Wait(timeLimit(t)); err != nil {
				t.Fatal(err)
			}
			if err := rt.Close(); err != nil {
				t.Fatal(err)
			}
			later := newRuntime(t, fermata.Options{Store: store})
			run, err := later.Resume(timeLimit(t), id, tt.now)
			if err != nil {
				t.Fatal(err)
			}
			res, err := run.Wait(timeLimit(t))
			for err == nil && res.Status == fermata.Paused {
				answer(t, later, res.Interrupts[0].ID, true)
				res, err = run.Wait(timeLimit(t))
			}
			if err != nil || res.Status != fermata.Completed || string(res.Output) != tt.want {
				t.Fatalf("the run is %s with %s (%v), error %v; want %s", res.Status, res.Output, res.Err, err, tt.want)
			}
		})
	}
}
