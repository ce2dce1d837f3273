package recipe_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/schedule"
)

const (
	unscheduled = `
metadata: {name: report}
interface: {inputs: {day: {type: string}, list: {type: array, default: []}}}
entry_point: ask
nodes:
  - {type: human, id: ask, prompt: "{{ day }}?"}
`
	nightly = `
schedules:
  - id: nightly
    cron: 30 2 * * *
    time_zone: Europe/Berlin
    inputs: {day: "{{ occurrence.schedule }} of {{ occurrence.date }}", list: ["at {{ occurrence.time }}", 7, {plain: text}]}
`
)

func reported(t *testing.T, text string) *recipe.Recipe {
	t.Helper()
	r, err := recipe.Parse([]byte(text), "report.yaml", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Schedules are no part of the plan: a run that waits goes on with the recipe that has them, and back.
func TestJ8_SchedulesAreNoPartOfThePlan(t *testing.T) {
	t.Parallel()
	without, with := reported(t, unscheduled), reported(t, unscheduled+nightly)
	if a, b := without.Plan().Fingerprint(), with.Plan().Fingerprint(); a != b {
		t.Errorf("the fingerprint is %s without schedules and %s with them", a, b)
	}
	if without.Digest() == with.Digest() {
		t.Error("the definitions are the same: the runs of one would show the text of the other")
	}
	store := memory.New()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	input, err := without.Input(map[string]any{"day": "x"})
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(t.Context(), without.Plan(), input, fermata.WithID("waits"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := run.Wait(t.Context())
	if err != nil || result.Status != fermata.Paused {
		t.Fatal(result.Status, err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	if rt, err = fermata.New(fermata.Options{Store: store}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rt.Close() }()
	if run, err = rt.Resume(t.Context(), "waits", with.Plan()); err != nil {
		t.Fatal(err)
	}
	if err := rt.Answer(t.Context(), result.Interrupts[0].ID, "yes"); err != nil {
		t.Fatal(err)
	}
	if result, err = run.Wait(t.Context()); err != nil || result.Status != fermata.Completed {
		t.Errorf("the run is %s, %v", result.Status, err)
	}
}

// Texts of inputs have the occurrence in the schedule's zone, also where clocks change; the rest is as it is written.
func TestInputsOfOccurrences(t *testing.T) {
	t.Parallel()
	all := reported(t, unscheduled+nightly).Schedules()
	if len(all) != 1 || all[0].Name != "report/nightly" || all[0].ID != "nightly" {
		t.Fatalf("the schedules are %+v", all)
	}
	times, err := schedule.Upcoming(all[0].Schedule, time.Date(2027, 3, 27, 0, 0, 0, 0, time.UTC), 2)
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, o := range times {
		in, err := all[0].Input(o)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, in["day"], in["list"].([]any)[0], in["list"].([]any)[2])
	}
	plain := map[string]any{"plain": "text"}
	want := []any{"nightly of 2027-03-27", "at 2027-03-27T02:30:00+01:00", plain, "nightly of 2027-03-28", "at 2027-03-28T03:30:00+02:00", plain}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	all[0].Inputs()["day"] = "changed"
	if in := reported(t, unscheduled+nightly).Schedules()[0].Inputs(); in["day"] != "{{ occurrence.schedule }} of {{ occurrence.date }}" {
		t.Errorf("the input is %v as it is written", in["day"])
	}
}

// A stored recipe is compiled where a zone of its schedules is unknown: its run does not depend on it.
func TestStoredRecipesNeedNoZones(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(string(reported(t, unscheduled+nightly).Source()), "Europe/Berlin", "Europe/Gone")
	r, err := recipe.Restore([]byte(text), recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Plan().Fingerprint() != reported(t, unscheduled).Plan().Fingerprint() {
		t.Error("the fingerprint is another one")
	}
}

// Two schedulers of two processes start one run of an occurrence, of the recipe that has the schedule, and leave it to workers.
func TestJ3_SchedulersOfRecipes(t *testing.T) {
	t.Parallel()
	store, clock := memory.New(), fermatatest.NewClock(time.Date(2027, 3, 28, 1, 29, 58, 0, time.UTC))
	r := reported(t, unscheduled+nightly)
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan schedule.Outcome, 10)
	ended := make(chan error, 2)
	var rt *fermata.Runtime
	for range 2 {
		var err error
		if rt, err = fermata.New(fermata.Options{Store: store, Clock: clock}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = rt.Close() })
		s, err := recipe.NewScheduler(rt, []*recipe.Recipe{r}, func(_ schedule.Occurrence, what schedule.Outcome, err error) {
			if err == nil {
				told <- what
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		go func() { ended <- s.Run(ctx) }()
	}
	count := make(map[schedule.Outcome]int)
	for n, begun := 0, time.Now(); n < 2; {
		select {
		case what := <-told:
			count[what]++
			n++
		case <-time.After(50 * time.Millisecond):
			clock.Advance(100 * time.Millisecond)
			if time.Since(begun) > time.Minute {
				t.Fatalf("told %v", count)
			}
		}
	}
	cancel()
	for range 2 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a scheduler ends with %v", err)
		}
	}
	if count[schedule.Started] != 1 || count[schedule.Taken] != 1 {
		t.Errorf("the outcomes are %v", count)
	}
	rows, err := rt.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d runs, %v", len(rows), err)
	}
	got := map[string]any{"driver": rows[0].Driver, "status": rows[0].Status, "definition": rows[0].Definition, "label": rows[0].Labels["fermata.schedule"], "plan": rows[0].Plan}
	want := map[string]any{"driver": "", "status": "running", "definition": r.Digest(), "label": "report/nightly", "plan": "report"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the run (-want +got):\n%s", diff)
	}
	if _, err := recipe.NewScheduler(rt, []*recipe.Recipe{r, r}, nil); err == nil || !strings.Contains(err.Error(), `two schedules have the name "report/nightly"`) {
		t.Errorf("twins: %v", err)
	}
}
