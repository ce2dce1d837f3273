package recipetest_test

import (
	"testing"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

// TestJ5_TestsOfEveryKind runs the tests of models, tools, nested recipes, elements, branches, reviews and delays, each
// with a crash at every append.
func TestJ5_TestsOfEveryKind(t *testing.T) {
	for _, file := range []string{"letters.yaml", "delays.yaml", "orders.yaml"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			report, err := recipetest.Check(t.Context(), "testdata/good/"+file, recipetest.Options{Crash: true, Recipe: recipe.Options{Env: noEnv}})
			if err != nil {
				t.Fatal(err)
			}
			crashes := 0
			for i := range report.Results {
				r := &report.Results[i]
				crashes += r.Crashes
				if !r.OK() || r.Crashes == 0 && r.Trace != nil {
					t.Errorf("%s: %d crashes; %v %v", r.Test.Name, r.Crashes, r.Failures, r.Broken)
				}
			}
			t.Logf("%d tests, %d crashes", len(report.Results), crashes)
		})
	}
}

// TestModelsThatAreAsked checks that a script of the recipe's is asked as it is, and a model of the program's where the
// test says so, and no other.
func TestModelsThatAreAsked(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "replies.yaml", "turns: [Hello]\n")
	file := write(t, dir, "asks.yaml", `
agents:
  greet: {kind: model, model: "scripted:replies.yaml", prompt: "Greet {{ who }}"}
  name: {kind: model, prompt: "Who?"}
topology:
  entry_point: name
  nodes:
    - {type: agent, id: name, agent_ref: name, outputs_map: {who: "."}}
    - {type: agent, id: greet, agent_ref: greet}
  edges: [{source: name, target: greet}]
tests:
  - {name: live, agents: {name: {live: true}}, expect: {outputs: {who: Ann, greet: Hello}, calls: {name: 1, greet: 1}}}
  - {name: said, models: {name: [Ben], greet: [{prompt: Greet Ben, text: Hi}]}, expect: {outputs: {who: Ben, greet: Hi}}}
`)
	asked := scripted.Texts("Ann")
	report, err := recipetest.Check(t.Context(), file, recipetest.Options{Models: model.Set{"house": asked}})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() || len(report.Results) != 2 || asked.Answered() != 1 {
		t.Errorf("the program's model was asked %d times: %+v", asked.Answered(), report.Results)
	}
}
