package recipe_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/recipe"
)

// Two traces are compared by the ids of their steps; when something happened is no difference.
func TestDiffTraces(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	step := func(id, route, inputs string) recipe.TraceStep {
		return recipe.TraceStep{ID: id, Seq: 1, Type: "system_event", Route: route, Inputs: raw(inputs)}
	}
	a := &recipe.Trace{Run: "a", Recipe: "r", Outcome: "completed", Steps: []recipe.TraceStep{
		step("score#1", "", `{"n":1,"m":2}`), step("gate#1", "pay", `{"n":1}`), step("pay#1", "", `{}`),
	}}
	a.Steps[0].Observation = "tries again at 2026-01-31T12:00:00Z"
	b := &recipe.Trace{Run: "b", Recipe: "r", Outcome: "failed", Steps: []recipe.TraceStep{
		step("score#1", "", `{"m": 2, "n": 1}`), step("gate#1", "stop", `{"n":2}`), step("stop#1", "", `{}`),
	}}
	b.Steps[0].Observation, b.Steps[0].Timestamp, b.Steps[0].Duration = "tries again at 2026-02-01T12:00:00Z", time.Unix(1, 0), 7
	want := &recipe.TraceDiff{
		A: recipe.TraceSide{Run: "a", Recipe: "r", Outcome: "completed"}, B: recipe.TraceSide{Run: "b", Recipe: "r", Outcome: "failed"},
		First: "gate#1",
		Steps: []recipe.StepDiff{
			{ID: "gate#1", Changes: []recipe.TraceChange{
				{What: "inputs", A: raw(`{"n":1}`), B: raw(`{"n":2}`)}, {What: "route", A: raw(`"pay"`), B: raw(`"stop"`)},
			}},
			{ID: "pay#1", Only: "a"},
			{ID: "stop#1", Only: "b"},
		},
	}
	if diff := cmp.Diff(want, recipe.DiffTraces(a, b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d := recipe.DiffTraces(a, a); !d.Same() || d.First != "" {
		t.Errorf("a trace differs from itself: %+v", d)
	}
}
