package recipe_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/recipe"
)

// threeQuestions is a recipe in which two of three people must differ.
const threeQuestions = `
entry_point: FIRST
nodes:
  - {type: human, id: FIRST, prompt: "Pay?", options: ["yes"]}
  - {type: human, id: mid, prompt: "Sure?", options: ["yes"]}
  - {type: human, id: second, prompt: "Pay?", options: ["yes"], not_by: [FIRST]}
edges: [{source: FIRST, target: mid}, {source: mid, target: second}]
`

// Whoever answered a node under its old name has answered it under the one that the recipe gives it later.
func TestH6_RecipesKeepPeopleApartWhenTheyRename(t *testing.T) {
	parse := func(text string) *recipe.Recipe {
		r, err := recipe.Parse([]byte(text), "x", recipe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	old := parse(strings.ReplaceAll(threeQuestions, "FIRST", "first"))
	now := parse(strings.ReplaceAll(threeQuestions, "FIRST", "eins") + "renamed: {nodes: {first: eins}}\n")
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	store := memory.New()
	open := func(r *recipe.Recipe, run string) (*fermata.Runtime, *fermata.Run) {
		rt, err := fermata.New(fermata.Options{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = rt.Close() })
		if run == "" {
			started, err := rt.Start(ctx, r.Plan(), map[string]any{})
			if err != nil {
				t.Fatal(err)
			}
			return rt, started
		}
		resumed, err := rt.Replan(ctx, run, r.Plan(), "")
		if err != nil {
			t.Fatal(err)
		}
		return rt, resumed
	}
	answer := func(rt *fermata.Runtime, run *fermata.Run, by string) error {
		res, err := run.Wait(ctx)
		if err != nil || len(res.Interrupts) != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		return rt.Answer(ctx, res.Interrupts[0].ID, "yes", fermata.AsPerson(by))
	}
	rt, run := open(old, "")
	if err := answer(rt, run, "Fay"); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	_ = rt.Close()
	rt, run = open(now, run.ID())
	if err := answer(rt, run, "Fay"); err != nil { // mid is apart from nobody
		t.Fatal(err)
	}
	if err := answer(rt, run, "fay"); !errors.Is(err, fermata.ErrForbidden) {
		t.Errorf("who answered first as it was called answers second: %v", err)
	}
	if err := answer(rt, run, "Ada"); err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed {
		t.Errorf("%s, %v", res.Status, err)
	}
}
