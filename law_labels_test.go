package fermata_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// labelled sets labels around a step, a failure, a question and a branch, and takes one away.
func labelled() *graph.Graph[state] {
	b := graph.New[state]("labelled").Merge(func(base state, _ []state) (state, error) { return base, nil })
	set := func(ctx node.Context, s state, key, value string) (state, error) {
		return s, node.Label(ctx, key, value)
	}
	b.Node("first", func(ctx node.Context, s state) (state, error) {
		if err := node.Label(ctx, "team", "red"); err != nil {
			return s, err
		}
		if _, err := node.Step(ctx, "work", func(node.Context) (int, error) { return 1, nil }); err != nil {
			return s, err
		}
		if err := node.Label(ctx, "stage", "begun"); err != nil || ctx.Info().Attempt > 1 {
			return s, err
		}
		return s, errors.New("not yet")
	}, graph.Retry(2, 1))
	b.Node("left", func(ctx node.Context, s state) (state, error) { return set(ctx, s, "left", "1") })
	b.Node("right", func(ctx node.Context, s state) (state, error) { return set(ctx, s, "right", "2") })
	b.Node("ask", func(ctx node.Context, s state) (state, error) {
		said, err := node.Interrupt[string](ctx, "which stage?")
		if err != nil {
			return s, err
		}
		if s, err = set(ctx, s, "stage", said); err != nil {
			return s, err
		}
		return set(ctx, s, "team", "")
	}, graph.All())
	b.Edge(graph.Start, "first").Edge("first", "left").Edge("first", "right").Edge("left", "ask").Edge("right", "ask")
	return b.MustCompile()
}

// A label that a node sets is recorded once, wherever a process dies, and the row has what the journal says.
func TestJ13_LabelsSurviveCrashes(t *testing.T) {
	answers := fermatatest.AnswerFunc(func(fermata.Interrupt) any { return "done" })
	report := fermatatest.Crash(t, labelled().Plan(), func() any { return &state{} }, answers)
	if report.Crashes == 0 || report.Result.Status != fermata.Completed {
		t.Errorf("%d crashes, the run is %s: %v", report.Crashes, report.Result.Status, report.Result.Err)
	}
	fermatatest.Schedules(t, labelled().Plan(), func() any { return &state{} }, answers)
}

// labelsOf are the labels of a run's row.
func labelsOf(t *testing.T, rt *fermata.Runtime, run string) map[string]string {
	t.Helper()
	info, err := rt.Info(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return info.Labels
}

// A run is found by the labels that it has now; a fork has those of its point, and an imported run those of its journal.
func TestJ13_AForkHasTheLabelsOfItsPoint(t *testing.T) {
	rt, store := inMemory(t)
	g := labelled()
	run := start(t, rt, g, state{}, fermata.WithLabel("customer", "7"), fermata.WithLabels(map[string]string{"empty": "", "stage": "new"}))
	q := question(t, run)
	asked := map[string]string{"customer": "7", "stage": "begun", "team": "red", "left": "1", "right": "2"}
	if diff := cmp.Diff(asked, labelsOf(t, rt, run.ID())); diff != "" {
		t.Errorf("before the answer (-want +got):\n%s", diff)
	}
	answer(t, rt, q.ID, "done")
	ends(t, run, fermata.Completed)
	end := map[string]string{"customer": "7", "stage": "done", "left": "1", "right": "2"}
	if diff := cmp.Diff(end, labelsOf(t, rt, run.ID())); diff != "" {
		t.Errorf("in the end (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		at   journal.Kind
		want map[string]string
	}{{journal.RunPaused, asked}, {journal.NodeStarted, map[string]string{"customer": "7", "stage": "new"}}} {
		at := uint64(0)
		for e, err := range store.Read(t.Context(), run.ID(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if at == 0 && e.Kind == tt.at {
				at = e.Seq
			}
		}
		fork, err := rt.Fork(t.Context(), run.ID(), g.Plan(), fermata.ForkOptions{At: at, Hold: true, By: "Ada"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, labelsOf(t, rt, fork.ID())); diff != "" {
			t.Errorf("a fork at %s (-want +got):\n%s", tt.at, diff)
		}
	}
	found, err := rt.FindRuns(t.Context(), journal.RunQuery{Labels: map[string]string{"customer": "7", "stage": "done"}})
	if err != nil || len(found.Runs) != 1 || found.Runs[0].ID != run.ID() {
		t.Errorf("found %+v, %v", found, err)
	}
	var file strings.Builder
	if err := rt.Export(t.Context(), run.ID(), &file); err != nil {
		t.Fatal(err)
	}
	other, _ := inMemory(t)
	if _, err := other.Import(t.Context(), strings.NewReader(file.String()), fermata.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(end, labelsOf(t, other, run.ID())); diff != "" {
		t.Errorf("imported (-want +got):\n%s", diff)
	}
}

// A label that is set is in the row at once, whatever else the run does.
func TestJ13_ALabelIsFoundAtOnce(t *testing.T) {
	rt, _ := inMemory(t)
	ends(t, start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if err := node.Label(ctx, "team", "red"); err != nil {
			return s, err
		}
		page, err := rt.FindRuns(ctx, journal.RunQuery{Labels: map[string]string{"team": "red"}})
		if err != nil || len(page.Runs) != 1 {
			t.Errorf("found %+v, %v", page, err)
		}
		return s, nil
	}), state{}), fermata.Completed)
}

// badLabels are labels that no run can have.
func badLabels() map[string]map[string]string {
	many := make(map[string]string)
	for n := range journal.MaxLabels + 1 {
		many[fmt.Sprint("l", n)] = "x"
	}
	return map[string]map[string]string{
		`label "Team": expected 1 to 63 letters`:       {"Team": "x"},
		`label "": expected 1 to 63 letters`:           {"": "x"},
		`beginning with a letter`:                      {strings.Repeat("a", 64): "x"},
		"the value has 256 bytes; expected 255":        {"team": strings.Repeat("x", 256)},
		"is no UTF-8":                                  {"team": "a\xff"},
		"has a NUL in it":                              {"team": "a\x00"},
		"keys that begin with fermata. are the engine": {"fermata.team": "x"},
		"17 labels; a run has 16 at most":              many,
	}
}

// A label that cannot be is refused where it is given, and nothing is recorded.
func TestJ13_BadLabelsAreRefused(t *testing.T) {
	rt, store := inMemory(t)
	for text, labels := range badLabels() {
		_, err := single(logged).Start(t.Context(), rt, state{}, fermata.WithLabels(labels))
		refused(t, err, refusal{code: fermata.CodeInvalid})
		if !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("found %v, expected %q", err, text)
		}
	}
	rows, err := store.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 0 {
		t.Errorf("runs are there: %+v, %v", rows, err)
	}
	for text, labels := range badLabels() {
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			var all error
			for key, value := range labels {
				all = errors.Join(all, node.Label(ctx, key, value))
			}
			return s, all
		}), state{})
		err := ends(t, run, fermata.Failed).Err
		if len(labels) > 1 {
			text = "the run has 16 labels, which is the most"
		}
		if !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("a node's: found %v, expected %q", err, text)
		}
		if n := len(labelsOf(t, rt, run.ID())); n != len(labels)-1 {
			t.Errorf("%d labels are there of %d", n, len(labels))
		}
	}
}

// A store that fails loses no label and records none twice.
func TestJ13_LabelsSurviveFaults(t *testing.T) {
	for n := 1; n < 8; n++ {
		for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
			t.Run(fmt.Sprint(n, "/", mode), func(t *testing.T) {
				t.Parallel()
				store := journaltest.NewFaulty(memory.New())
				store.FailAppend(n, mode)
				rt := newRuntime(t, fermata.Options{Store: store})
				g := single(func(ctx node.Context, s state) (state, error) {
					return s, errors.Join(node.Label(ctx, "a", "1"), node.Label(ctx, "b", "2"), node.Label(ctx, "a", "3"))
				})
				run, err := g.Start(t.Context(), rt, state{}, fermata.WithID("run_1"))
				if errors.Is(err, journaltest.ErrFault) { // it was not started, or nobody knows
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				ends(t, run, fermata.Completed)
				if diff := cmp.Diff(map[string]string{"a": "3", "b": "2"}, labelsOf(t, rt, run.ID())); diff != "" {
					t.Errorf("append %d fails (%v): (-want +got):\n%s", n, mode, diff)
				}
				set := 0
				for _, e := range journalOf(t, store, "run_1") {
					if e.Kind == journal.LabelSet {
						set++
					}
				}
				if set != 3 {
					t.Errorf("append %d fails (%v): %d labels are recorded", n, mode, set)
				}
			})
		}
	}
}
