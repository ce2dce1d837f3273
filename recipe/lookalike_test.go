package recipe_test

import (
	"context"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
)

// Two recipes whose plans have the same shape are two recipes: a process that drives runs of both, and has started
// neither, drives each by its own text (law J8).
func TestJ8_RecipesThatLookAlike(t *testing.T) {
	texts := map[string]string{}
	for name, expression := range map[string]string{"def_a": "'a'", "def_b": "'b'"} {
		texts[name] = `
metadata: {name: same}
agents: {act: {kind: expr, set: {did: "` + expression + `"}}}
entry_point: ask
nodes: [{type: human, id: ask, prompt: "Go?", options: [go]}, {type: agent, id: act, agent_ref: act}]
edges: [{source: ask, target: act}]
`
	}
	parse := func(definition string) *plan.Plan {
		r, err := recipe.Parse([]byte(texts[definition]), "x", recipe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Plan()
	}
	if a, b := parse("def_a").Fingerprint(), parse("def_b").Fingerprint(); a != b {
		t.Fatalf("the plans do not look alike: %s and %s", a, b)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	store := memory.New()
	first, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	for definition := range texts {
		run, err := first.Start(ctx, parse(definition), map[string]any{}, fermata.WithID(definition), fermata.WithDefinition(definition))
		if err == nil {
			_, err = run.Wait(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	second, err := fermata.New(fermata.Options{Store: store, Plans: func(_ context.Context, run fermata.RunInfo) (*plan.Plan, error) {
		return parse(run.Definition), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	for definition, want := range map[string]string{"def_a": `{"ask":"go","did":"a"}`, "def_b": `{"ask":"go","did":"b"}`} {
		asked, err := second.Inbox(ctx, journal.InboxFilter{Run: definition})
		if err != nil || len(asked) != 1 {
			t.Fatalf("%d questions, %v", len(asked), err)
		}
		if err := second.Answer(ctx, asked[0].ID, "go"); err != nil {
			t.Fatal(err)
		}
		for _, err := range second.Events(ctx, definition, 0, true) { // until it has ended
			if err != nil {
				t.Fatal(err)
			}
		}
		res, err := second.Result(ctx, definition, parse(definition))
		if err != nil || string(res.Output) != want {
			t.Errorf("%s: %s, %v; expected %s", definition, res.Output, err, want)
		}
	}
}
