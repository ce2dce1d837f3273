package recipe

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/document"
)

const inputsRecipe = `
interface:
  inputs:
    name: {type: string}
    amount: {type: number}
    count: {type: integer, default: 3}
    flag: {type: boolean, default: false}
    list: {type: array, items: {type: string}, default: []}
    extra: {type: object, default: {a: 1}}
    maybe: {type: [string, "null"], default: null}
    any: {default: x}
state: {properties: {rounds: {type: integer, default: 0}, draft: {type: string}}}
agents: {a: {kind: expr, set: {x: "1"}}}
entry_point: a
nodes: [{type: agent, id: a, agent_ref: a}]
`

func parseTest(t testing.TB, text string) *Recipe {
	t.Helper()
	r, err := Parse([]byte(text), "test.yaml", Options{Env: noEnv})
	if err != nil {
		t.Fatalf("parse:\n%v", err)
	}
	return r
}

func TestInput(t *testing.T) {
	r := parseTest(t, inputsRecipe)
	got, err := r.Input(map[string]any{"name": "x", "amount": json.RawMessage("1.50"), "list": []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	expected := map[string]any{
		"name": "x", "amount": json.Number("1.50"), "count": json.Number("3"), "flag": false, "list": []any{"a"},
		"extra": map[string]any{"a": json.Number("1")}, "maybe": nil, "any": "x", "rounds": json.Number("0"),
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
	got["extra"].(map[string]any)["a"] = "changed"
	again, err := r.Input(map[string]any{"name": "x", "amount": 1})
	if err != nil || again["extra"].(map[string]any)["a"] != json.Number("1") {
		t.Errorf("a default was changed through a blackboard: %v, %v", again["extra"], err)
	}
}

func TestInputErrors(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	_, err := parseTest(t, inputsRecipe).Input(map[string]any{
		"nme": "x", "count": 1.5, "flag": "yes", "list": []any{1}, "extra": make(chan int), "any": cyclic,
	})
	faults, ok := errors.AsType[*InputError](err)
	if !ok {
		t.Fatalf("expected an *InputError, got %v", err)
	}
	expected := []InputProblem{
		{"any", `at "self.self.self.self.self.self.self.self.self.self.self.self.…" the value has no form in JSON: it is nested more than 1000 deep, or holds itself`},
		{"count", "expected an integer, found the number 1.5"},
		{"extra", "the value has no form in JSON: json: unsupported type: chan int"},
		{"flag", `expected a boolean, found the string "yes"`},
		{"list", "/0: expected a string, found the number 1"},
		{"nme", `there is no such input; did you mean "name"?`},
		{"name", "it is missing; expected a string"},
		{"amount", "it is missing; expected a number"},
	}
	if diff := cmp.Diff(expected, faults.Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestParseInput(t *testing.T) {
	r := parseTest(t, inputsRecipe)
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("[\"a\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := r.ParseInput([]string{
		"name=12", "amount=1e3", "count=7", "flag=true", "list=@" + file, `extra={"b": [1]}`, "maybe=null", "any={not json",
	})
	if err != nil {
		t.Fatal(err)
	}
	expected := map[string]any{
		"name": "12", "amount": json.Number("1e3"), "count": json.Number("7"), "flag": true, "list": []any{"a"},
		"extra": map[string]any{"b": []any{json.Number("1")}}, "maybe": nil, "any": "{not json",
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
	got, err = r.ParseInput([]string{"name=@" + file, "maybe=12", "any=12"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"name": "[\"a\"]\n", "maybe": "12", "any": json.Number("12")}, got); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
	if got, err = r.ParseInput([]string{"name=@@x=y"}); err != nil || got["name"] != "@x=y" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestParseInputErrors(t *testing.T) {
	_, err := parseTest(t, inputsRecipe).ParseInput([]string{
		"name", "=x", "amount=abc", "amout=1", "name=a", "name=b", "list=[1", "flag=yes", "name=@", "any=@/nothing/here", "any=@/", "",
	})
	want := strings.TrimSpace(`
input "name": expected name=value, as in name=…; name=@file reads the value from a file
input "": the name before = is empty in "=x"; expected name=value
input "amount": expected a number as JSON such as 120, found "abc"
input "amout": there is no such input; did you mean "amount"?
input "name": it is given twice
input "list": expected an array as JSON such as ["a","b"], found "[1"
input "flag": expected a boolean as JSON, true or false, found "yes"
input "name": it is given twice
input "any": stat /nothing/here: no such file or directory
input "any": / is a folder; expected a file
input "": expected name=value, as in name=…; name=@file reads the value from a file`)
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// TestOpenInputs checks a recipe that declares none: any are taken.
func TestOpenInputs(t *testing.T) {
	r := parseTest(t, "agents: {a: {kind: expr, set: {x: \"1\"}}}\nentry_point: a\nnodes: [{type: agent, id: a, agent_ref: a}]\n")
	raw, err := r.ParseInput([]string{"a=1", "b=x", "c=[1,2]"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Input(raw)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"a": json.Number("1"), "b": "x", "c": []any{json.Number("1"), json.Number("2")}}, got); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
}

func TestOutput(t *testing.T) {
	r := parseTest(t, `
interface:
  inputs: {}
  outputs: {x: {type: integer}, y: {type: string, default: none}}
agents: {a: {kind: expr, set: {x: "1"}}}
entry_point: a
nodes: [{type: agent, id: a, agent_ref: a}]
`)
	got, err := r.Output(map[string]any{"x": json.Number("1"), "z": true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"x": json.Number("1"), "y": "none"}, got); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	_, err = r.Output(map[string]any{"xx": "1", "y": 2})
	want := "output \"x\": nothing on the blackboard is called that\noutput \"y\": expected a string, found the number 2"
	if err == nil || err.Error() != want {
		t.Errorf("got %v; expected %s", err, want)
	}
}

func FuzzParseInput(f *testing.F) {
	for _, s := range []string{"name=x", "amount=1e999", "list=[", "any={\"a\":}", "=", "a=b=c", "maybe=null", "name=@@", "extra={}\x00"} {
		f.Add(s)
	}
	r := parseTest(f, inputsRecipe)
	f.Fuzz(func(t *testing.T, pair string) {
		if _, text, _ := strings.Cut(pair, "="); strings.HasPrefix(text, "@") && !strings.HasPrefix(text, "@@") {
			return // reads files
		}
		raw, err := r.ParseInput([]string{pair})
		if err != nil {
			if _, ok := errors.AsType[*InputError](err); !ok {
				t.Errorf("%q: %T", pair, err)
			}
			return
		}
		name, text, _ := strings.Cut(pair, "=")
		if name == "name" && raw[name] != strings.TrimPrefix(text, "@") && !strings.HasPrefix(text, "@") {
			t.Errorf("%q: a text became %q", pair, raw[name])
		}
		if _, err := document.Encode(raw); err != nil {
			t.Errorf("%q: %v", pair, err)
		}
	})
}
