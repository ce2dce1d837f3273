package recipe_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
)

func load(t *testing.T, file string, opts recipe.Options) *recipe.Recipe {
	t.Helper()
	r, err := recipe.Load(file, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parse(t *testing.T, text string) *recipe.Recipe {
	t.Helper()
	r, err := recipe.Parse([]byte(text), "test.yaml", recipe.Options{})
	if err != nil {
		t.Fatalf("parse:\n%v", err)
	}
	return r
}

// input gives a function that makes a recipe's first blackboard anew.
func input(t *testing.T, r *recipe.Recipe, raw map[string]any) func() any {
	t.Helper()
	return func() any {
		bb, err := r.Input(raw)
		if err != nil {
			t.Fatal(err)
		}
		return bb
	}
}

// explored runs a recipe in many orders and with a crash at each append, and checks its output.
func explored(t *testing.T, r *recipe.Recipe, raw map[string]any, answers fermatatest.Option, output string) {
	t.Helper()
	if answers == nil {
		answers = fermatatest.Answers(nil)
	}
	want(t, fermatatest.Crash(t, r.Plan(), input(t, r, raw), answers).Result, output)
	want(t, fermatatest.Schedules(t, r.Plan(), input(t, r, raw), answers).Result, output)
}

// Branches meet in declared order, whichever ends first, and a person in one of them holds up nobody else (laws G2 to
// G4, H3).
func TestG4_BranchesOfARecipeMeet(t *testing.T) {
	r := load(t, filepath.Join(golden.Open(t, "testdata/recipes.txtar").Extract(t), "fanout.yaml"), recipe.Options{})
	answers := fermatatest.Answers(map[string][]any{"approval": {"yes"}})
	explored(t, r, map[string]any{"price": 120, "urgent": true}, answers,
		`{"findings": ["terms are fine", "credit is thin", "by courier"], "approval": "yes"}`)
	explored(t, r, map[string]any{"price": 20}, answers, `{"findings": ["terms are fine", "credit is good"], "approval": "yes"}`)
}

const forked = `
policy: {execution_mode: parallel}
STATE
agents:
  begin: {kind: expr, set: {begun: "true"}}
  left: {kind: expr, set: {l: "1"}}
  right: {kind: expr, set: {r: "2"}}
  fails: {kind: expr, set: {never: "fromJSON(begun ? '{' : '1')"}}
  both: {kind: expr, set: {sum: "l + r"}}
topology:
  entry_point: begin
  nodes:
    - {type: agent, id: begin, agent_ref: begin}
    - {type: agent, id: left, agent_ref: left}
    - {type: agent, id: right, agent_ref: right}
    - {type: agent, id: both, agent_ref: both}
  edges:
    - {source: begin, target: left}
    - {source: begin, target: right}
    - {source: left, target: both}
    - {source: right, target: both}
`

func edited(text string, pairs ...string) string {
	return strings.NewReplacer(append(pairs, "STATE", "")...).Replace(text)
}

func TestG3_AJoinWaitsForAllBranches(t *testing.T) {
	explored(t, parse(t, edited(forked)), nil, nil, `{"begun": true, "l": 1, "r": 2, "sum": 3}`)
}

// A branch that fails leads over its failure edge to the join: what it would have written is not there.
func TestG4_AFailedBranchMayJoinToo(t *testing.T) {
	r := parse(t, edited(forked, "agent_ref: right}", "agent_ref: fails}", `sum: "l + r"`, `sum: "l + (r ?? 40)"`,
		"source: right, target: both", "source: right, target: both, condition: always"))
	explored(t, r, nil, nil, `{"begun": true, "l": 1, "sum": 41}`)
}

// Branches that end without a join are merged at the end of the run.
func TestG4_BranchesThatEndAreMerged(t *testing.T) {
	r := parse(t, edited(forked, "- {source: left, target: both}", "", "- {source: right, target: both}", "",
		"- {type: agent, id: both, agent_ref: both}", ""))
	explored(t, r, nil, nil, `{"begun": true, "l": 1, "r": 2}`)
}

// A fork in a loop begins anew in each round.
func TestG3_AForkInALoop(t *testing.T) {
	r := parse(t, edited(forked, "{begun: \"true\"}", `{round: "(round ?? 0) + 1"}`,
		"- {source: right, target: both}", "- {source: right, target: both}\n    - {source: both, target: begin, when: \"round < 3\"}",
		"{l: \"1\"}", `{l: "round"}`, "{r: \"2\"}", `{r: "round * 10"}`, "STATE", "state: {properties: {round: {type: integer}}}"))
	explored(t, r, nil, nil, `{"round": 3, "l": 3, "r": 30, "sum": 33}`)
}

// What several branches wrote without a rule, and what only a run can know, is found where they meet (law G4).
func TestG4_AConflictNamesTheKeyAndTheBranches(t *testing.T) {
	lib := &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"one": recipe.Func(func(_ node.Context, _ struct{}) (map[string]int, error) { return map[string]int{"x": 1}, nil }),
	}}
	text := edited(forked, "agent_ref: left}", "agent_ref: one}", "agent_ref: right}", "agent_ref: one}", `sum: "l + r"`, `sum: "x"`)
	res, _ := job{text: text, opts: recipe.Options{Library: lib}}.run(t)
	wantError(t, res, `join "both"`, `field "x"`, `"left" and "right"`, "give it a rule in state.properties, as in x: {merge:")
	conflict, ok := errors.AsType[*plan.MergeConflictError](res.Err)
	if !ok || !errors.Is(res.Err, fermata.ErrMergeConflict) {
		t.Fatalf("no merge conflict: %v", res.Err)
	}
	if diff := cmp.Diff([]string{"left", "right"}, conflict.Names); diff != "" {
		t.Error(diff)
	}
	ruled := strings.Replace(text, "policy:", "state: {properties: {x: {type: integer, merge: sum}}}\npolicy:", 1)
	res, _ = job{text: ruled, opts: recipe.Options{Library: lib}}.run(t)
	want(t, res, `{"begun": true, "x": 2, "sum": 2}`)
}

// What branches made together fits the state, or the join fails.
func TestG4_TheStateIsEnforcedWhereBranchesMeet(t *testing.T) {
	lib := &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"one": recipe.Func(func(_ node.Context, _ struct{}) (map[string]int, error) { return map[string]int{"x": 6}, nil }),
	}}
	text := edited(forked, "agent_ref: left}", "agent_ref: one}", "agent_ref: right}", "agent_ref: one}", `sum: "l + r"`, `sum: "x"`,
		"STATE", "state: {properties: {x: {type: integer, maximum: 10, merge: sum}}}")
	res, _ := job{text: text, opts: recipe.Options{Library: lib}}.run(t)
	wantError(t, res, "where branches meet", `state "x"`, "10")
}

// An edge's condition may let none of several be taken: the path ends there.
func TestG2_NoEdgeHolds(t *testing.T) {
	r := parse(t, edited(forked, "target: left}", `target: left, when: "1 > 2"}`, "target: right}", `target: right, when: "2 > 3"}`))
	explored(t, r, nil, nil, `{"begun": true}`)
}

// Where branches meet, the name error is that of the first of them in the order of the edges. A recipe that counts on it is
// valid where all of them come over failure edges, and not where one may have succeeded.
func TestG4_TheErrorWhereBranchesMeet(t *testing.T) {
	text := edited(forked, "policy:", "interface: {inputs: {}}\npolicy:", "agent_ref: right}", "agent_ref: fails}", `{l: "1"}`, `{l: "fromJSON(begun ? '{' : '1')"}`,
		`sum: "l + r"`, `sum: "error.task"`, "right, target: both", "right, target: both, condition: on_failure",
		"left, target: both", "left, target: both, condition: on_failure")
	explored(t, parse(t, text), nil, nil, `{"begun": true, "sum": "left#1"}`)

	text = strings.Replace(text, "source: left, target: both, condition: on_failure", "source: left, target: both, condition: always", 1)
	if _, err := recipe.Parse([]byte(text), "test.yaml", recipe.Options{}); err == nil || !strings.Contains(err.Error(), "error may be missing") {
		t.Errorf("a join counts on the error of a branch that may succeed: %v", err)
	}
}

// A review in one branch is sent back, edited and approved while the other goes on; what the branches made meets (laws G2
// to G4, H2).
func TestG4_AReviewInABranch(t *testing.T) {
	r := parse(t, `
policy: {execution_mode: parallel}
state: {properties: {round: {type: integer, default: 0}, draft: {type: string}, check: {type: object, default: {action: approve, note: ""}}}}
agents:
  begin: {kind: expr, set: {begun: "true"}}
  write: {kind: expr, set: {round: "round + 1", draft: "'Dear (' + string(round) + ')' + check.note"}}
  price: {kind: expr, set: {euros: "7"}}
  both: {kind: expr, set: {sent: "draft + ' ' + string(euros)"}}
topology:
  entry_point: begin
  nodes:
    - {type: agent, id: begin, agent_ref: begin}
    - {type: agent, id: write, agent_ref: write}
    - {type: human, id: check, prompt: "Send it?", review: {value: draft, send_back: write}}
    - {type: agent, id: price, agent_ref: price}
    - {type: agent, id: both, agent_ref: both}
  edges:
    - {source: begin, target: write}
    - {source: write, target: check}
    - {source: check, target: both}
    - {source: begin, target: price}
    - {source: price, target: both}
`)
	answers := fermatatest.Answers(map[string][]any{"check": {
		said{"action": "send_back", "note": "!"}, said{"action": "edit", "value": "Hello"},
	}})
	explored(t, r, nil, answers,
		`{"begun": true, "round": 2, "draft": "Hello", "check": {"action": "edit", "note": ""}, "euros": 7, "sent": "Hello 7"}`)
}
