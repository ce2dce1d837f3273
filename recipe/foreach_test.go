package recipe_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

// eachOf is a recipe of one node with for_each.
const eachOf = `
STATE
agents:
  price: {kind: expr, set: {total: "item.n * rate"}}
  item: {kind: expr, set: {got: "item"}}
topology:
  entry_point: each
  nodes:
    - {type: agent, id: each, agent_ref: price, for_each: rows}
`

func rows(n ...int) []any {
	all := make([]any, len(n))
	for i, v := range n {
		all[i] = map[string]any{"n": v}
	}
	return all
}

func TestG5_AnAgentForEachElement(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		inputs map[string]any
		output string
	}{
		"a list":              {eachOf, map[string]any{"rows": rows(1, 2), "rate": 3}, `{"rows": [{"n": 1}, {"n": 2}], "rate": 3, "each": [{"total": 3}, {"total": 6}]}`},
		"nothing":             {eachOf, map[string]any{"rows": []any{}, "rate": 3}, `{"rows": [], "rate": 3, "each": []}`},
		"an optional path":    {edited(eachOf, "for_each: rows", "for_each: 'rows?'"), map[string]any{"rate": 3}, `{"rate": 3, "each": []}`},
		"the entries of one":  {edited(eachOf, "agent_ref: price", "agent_ref: item"), map[string]any{"rows": map[string]any{"b": 2, "a": 1}}, `{"rows": {"a": 1, "b": 2}, "each": [{"got": {"key": "a", "value": 1}}, {"got": {"key": "b", "value": 2}}]}`},
		"with arguments":      {edited(eachOf, "for_each: rows", "for_each: {in: rows, as: row, index: i}, inputs_map: {item: row, rate: i}"), map[string]any{"rows": rows(5, 7)}, `{"rows": [{"n": 5}, {"n": 7}], "each": [{"total": 0}, {"total": 7}]}`},
		"with an outputs_map": {edited(eachOf, "for_each: rows", "for_each: rows, outputs_map: {first: results.0.total, bad: errors}"), map[string]any{"rows": rows(5), "rate": 2}, `{"rows": [{"n": 5}], "rate": 2, "first": 10, "bad": []}`},
	} {
		t.Run(name, func(t *testing.T) {
			explored(t, parse(t, edited(c.text)), c.inputs, nil, c.output)
		})
	}
}

func TestG5_WhatIsNoListIsNamed(t *testing.T) {
	res, _ := job{text: edited(eachOf), inputs: map[string]any{"rows": "1,2", "rate": 1}}.run(t)
	wantError(t, res, `for_each: path "rows": expected a list or an object, found the text "1,2"`)
	res, _ = job{text: edited(eachOf), inputs: map[string]any{"rate": 1}}.run(t)
	wantError(t, res, `for_each: path "rows"`)
	res, _ = job{
		text:   edited(eachOf, "STATE", "state: {properties: {each: {type: array, maxItems: 1}}}"),
		inputs: map[string]any{"rows": rows(1, 2), "rate": 1},
	}.run(t)
	wantError(t, res, `state "each"`)
}

var errOdd = errors.New("odd")

// flaky fails for odd numbers, and the first time for each.
func flaky(fails map[string]bool) *recipe.Library {
	return &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"check": func(ctx node.Context, args map[string]any) (any, error) {
			item := args["item"].(map[string]any) //nolint:forcetypeassert // the test gives nothing else
			if fails[fmtNumber(item["n"])] || ctx.Info().Attempt == 1 {
				return nil, errOdd
			}
			return node.Step(ctx, "look", func(node.Context) (any, error) { return item["n"], nil })
		},
	}}
}

func fmtNumber(v any) string {
	return fmt.Sprint(v)
}

// Each element is tried again by itself; what fails for good is kept in its place, or fails the node.
func TestG5_ElementsFailByThemselves(t *testing.T) {
	keep := edited(eachOf, "agent_ref: price, for_each: rows",
		"agent_ref: check, max_retries: 1, for_each: {in: rows, limit: 2, on_error: keep}, outputs_map: {good: results, bad: errors}")
	r, err := recipe.Parse([]byte(keep), "test.yaml", recipe.Options{Library: flaky(map[string]bool{"2": true})})
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]any{"rows": rows(1, 2, 3)}
	explored(t, r, inputs, nil, `{"rows": [{"n": 1}, {"n": 2}, {"n": 3}], "good": [1, null, 3], "bad": [{"index": 1, "message": "odd"}]}`)
	fail := strings.Replace(keep, ", on_error: keep", "", 1)
	res, _ := job{text: fail, opts: recipe.Options{Library: flaky(map[string]bool{"2": true})}, inputs: inputs}.run(t)
	wantError(t, res, "odd")
}

// A list may be longer than what a run may visit by default, and a limit that is written is kept (law F4).
func TestF4_ElementsCountAsSteps(t *testing.T) {
	many := make([]int, 200)
	res, _ := job{text: edited(eachOf), inputs: map[string]any{"rows": rows(many...), "rate": 1}}.run(t)
	if res.Status != fermata.Completed {
		t.Fatalf("%s: %v", res.Status, res.Err)
	}
	res, _ = job{text: edited(eachOf, "STATE", "policy: {max_steps: 100}"), inputs: map[string]any{"rows": rows(many...), "rate": 1}}.run(t)
	if !errors.Is(res.Err, fermata.ErrLimit) {
		t.Fatalf("expected a limit, got %s: %v", res.Status, res.Err)
	}
}

// In parallel mode a node with for_each is a branch like others, and its result a name like others.
func TestG5_ForEachInABranch(t *testing.T) {
	text := edited(forked, "agent_ref: left}", "agent_ref: left, for_each: list}", "r: \"2\"", "r: \"len(list)\"", `sum: "l + r"`, `sum: "len(left) + r"`)
	explored(t, parse(t, text), map[string]any{"list": []any{1, 2, 3}}, nil,
		`{"list": [1, 2, 3], "begun": true, "left": [{"l": 1}, {"l": 1}, {"l": 1}], "r": 3, "sum": 6}`)
}

// What is collected has the type of what the agent gives for one element, and what is kept of failures has an index and a message.
func TestG5_WhatIsCollectedIsFollowed(t *testing.T) {
	const text = `
interface: {inputs: {list: {type: array, items: {type: integer}}}}
agents:
  double: {kind: expr, set: {twice: "2 * n"}}
  total: {kind: expr, set: {sum: "EXPR"}}
topology:
  entry_point: each
  nodes:
    - {type: agent, id: each, agent_ref: double, for_each: {in: list, as: n}, outputs_map: {all: results, bad: errors}}
    - {type: agent, id: total, agent_ref: total}
  edges: [{source: each, target: total}]
`
	for expr, want := range map[string]string{
		"sum(all, .twice)":              "",
		"sum(all, .twise)":              `test.yaml:5:45: "#" holds no "twise"; did you mean "twice"? (for the node "total")`,
		"sum(map(all, string(.twice)))": `sum adds numbers; an element is a text`,
		"map(bad, .message)":            "",
		"map(bad, .mesage)":             `"#" holds no "mesage"; did you mean "message"?`,
	} {
		_, err := recipe.Parse([]byte(strings.Replace(text, "EXPR", expr, 1)), "test.yaml", recipe.Options{})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", expr, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: expected %s, found %v", expr, want, err)
		}
	}
}

// The agent's schema of its arguments is checked against what it is given, and not against what its expressions read; and
// what may be missing or null is no element.
func TestG5_ElementsGetAllThatTheAgentTakes(t *testing.T) {
	r := parse(t, `
interface: {inputs: {rows: {type: [array, "null"], items: {type: integer}}, unit: {type: string}}, outputs: {each: {type: array}}}
agents:
  price:
    kind: expr
    input: {type: object, required: [item, unit], properties: {item: {type: integer}, unit: {type: string}}}
    set: {total: "item * 2"}
entry_point: each
nodes: [{type: agent, id: each, agent_ref: price, for_each: "rows?"}]
`)
	explored(t, r, map[string]any{"rows": []any{1, 2}, "unit": "EUR"}, nil, `{"each": [{"total": 2}, {"total": 4}]}`)
	explored(t, r, map[string]any{"rows": nil, "unit": "EUR"}, nil, `{"each": []}`)
}

// A batch over a table needs no code.
func TestG5_ABatchOverATable(t *testing.T) {
	text := `
interface: {inputs: {table: {type: string}}, outputs: {paid: {type: array}, failures: {type: array}, sum: {type: number}}}
agents:
  read: {kind: expr, set: {rows: "fromCSV(table)"}}
  pay: {kind: expr, set: {name: "row.name", paid: "int(row.amount)"}}
  total: {kind: expr, set: {sum: "sum(paid, # == nil ? 0 : #.paid)"}}
topology:
  entry_point: read
  nodes:
    - {type: agent, id: read, agent_ref: read}
    - {type: agent, id: pay, agent_ref: pay, for_each: {in: rows, as: row, on_error: keep}, outputs_map: {paid: results, failures: errors}}
    - {type: agent, id: total, agent_ref: total}
  edges:
    - {source: read, target: pay}
    - {source: pay, target: total}
`
	res, _ := job{text: text, inputs: map[string]any{"table": "\ufeffname,amount\r\nAnn,3\r\n\"Bo, jr\",4\r\nCy,many\r\n"}}.run(t)
	var got struct {
		Paid     []any
		Failures []struct {
			Index   int
			Message string
		}
		Sum int
	}
	if err := json.Unmarshal(res.Output, &got); err != nil {
		t.Fatalf("%s: %v %v", res.Output, err, res.Err)
	}
	if len(got.Paid) != 3 || got.Paid[2] != nil || got.Sum != 7 || len(got.Failures) != 1 || got.Failures[0].Index != 2 {
		t.Errorf("got %+v", got)
	}
	for table, part := range map[string]string{
		"a,a\n1,2":   `the first line names the column "a" twice`,
		"a,\n1,2":    "names no column 2",
		"a,b\n1":     "line 2 has 1 fields, and the first line names 2 columns",
		"a\n\"x\" y": "fromCSV: line 2, column",
	} {
		res, _ := job{text: text, inputs: map[string]any{"table": table}}.run(t)
		wantError(t, res, part)
	}
}
