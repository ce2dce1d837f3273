package recipe_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
)

// defined is the option that makes a run one of its recipe's text.
func defined(t testing.TB, rt *fermata.Runtime, r *recipe.Recipe) fermata.StartOption {
	t.Helper()
	digest, err := rt.SaveDefinition(t.Context(), "recipe", r.Source())
	if err != nil {
		t.Fatal(err)
	}
	return fermata.WithDefinition(digest)
}

// exported is a run as a file.
func exported(t testing.TB, rt *fermata.Runtime, run string) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := rt.Export(context.Background(), run, &file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// takesIn takes a run in where nothing else is, with its recipe.
func takesIn(t testing.TB, file []byte, r *recipe.Recipe) (*fermata.Runtime, error) {
	t.Helper()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	_, err = rt.Import(context.Background(), bytes.NewReader(file), fermata.ImportOptions{
		Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return r.Plan(), nil },
	})
	return rt, err
}

const signing = `
interface: {inputs: {who: {type: string}, boss: {type: string}}}
entry_point: ok
nodes:
  - {type: human, id: ok, prompt: "OK {{ who }}?", required_role: m, override_role: chief, four_eyes: true, assignee: "{{ boss }}", timeout_seconds: 3600,
     response: {type: object, properties: {yes: {type: boolean}}, required: [yes]}, on_timeout: {answer: {"yes": false}}}
  - {type: human, id: pay, prompt: "Pay?", options: [ja, nein], not_by: [ok]}
edges: [{source: ok, target: pay}]
`

// fileLines is an exported run, to be changed and sealed again.
type fileLines []map[string]any

func linesOf(t testing.TB, file []byte) (all fileLines) {
	t.Helper()
	for text := range bytes.Lines(file) {
		var line map[string]any
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}

func (l fileLines) sealed() []byte {
	var file []byte
	for _, line := range l[:len(l)-1] {
		data, _ := json.Marshal(line) //nolint:errchkjson // it was read as JSON
		file = append(append(file, data...), '\n')
	}
	end, _ := l[len(l)-1]["end"].(map[string]any)
	return fmt.Appendf(file, `{"end":{"entries":%v,"sha256":"%x"}}`+"\n", end["entries"], sha256.Sum256(file))
}

// body is that of the first entry of a kind.
func (l fileLines) body(kind string) map[string]any { return l.part(kind, "body") }

func (l fileLines) part(kind, name string) map[string]any {
	for _, line := range l {
		if e, ok := line["entry"].(map[string]any); ok && e["kind"] == kind {
			part, _ := e[name].(map[string]any)
			return part
		}
	}
	return nil
}

// A question in a file is the one that the recipe of its run asks: for whom, kept from whom, until when, and what an answer
// must be. Else it is refused before anybody is asked, whoever changed it also in all that follows from it.
func TestH6_AnImportAsksWhatTheRecipeAsks(t *testing.T) {
	r := parse(t, signing)
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	inputs, err := r.Input(map[string]any{"who": "Ada", "boss": "Bo"})
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(ctx, r.Plan(), inputs, defined(t, rt, r), fermata.StartedBy("Ada"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil || len(res.Interrupts) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	file := exported(t, rt, run.ID())
	if _, err := takesIn(t, file, r); err != nil {
		t.Fatalf("as it is: %v", err)
	}
	if _, err := takesIn(t, linesOf(t, file).sealed(), r); err != nil {
		t.Fatalf("sealed again: %v", err)
	}
	const asks = "interrupt"
	for name, tc := range map[string]struct {
		change func(l fileLines)
		says   string
	}{
		"no role":             {func(l fileLines) { delete(l.body(asks), "requiredRole") }, `the role: expected "m", found ""`},
		"another role":        {func(l fileLines) { l.body(asks)["requiredRole"] = "all" }, `the role: expected "m", found "all"`},
		"no assignee":         {func(l fileLines) { delete(l.body(asks), "assignee") }, `the assignee: expected "Bo", found ""`},
		"another assignee":    {func(l fileLines) { l.body(asks)["assignee"] = "Eve" }, `the assignee: expected "Bo", found "Eve"`},
		"the starter asked":   {func(l fileLines) { l.body(asks)["assignee"] = "Ada"; l.body(asks)["notBy"] = []any{} }, "not kept from the people"},
		"kept from nobody":    {func(l fileLines) { delete(l.body(asks), "notBy") }, "not kept from the people"},
		"another starter":     {func(l fileLines) { l.body("run.started")["by"] = "Bo"; l.body(asks)["notBy"] = []any{"Bo"} }, "the question is for one person, who may not answer it"},
		"another override":    {func(l fileLines) { l.body(asks)["overrideRole"] = "m" }, "the role that overrides"},
		"no deadline":         {func(l fileLines) { delete(l.body(asks), "deadline") }, "the deadline"},
		"a later deadline":    {func(l fileLines) { l.body(asks)["deadline"] = 4e15 }, "the deadline"},
		"opened later":        {func(l fileLines) { l.body(asks)["opened"], l.body(asks)["deadline"] = 4e15, 4e15+3600e6 }, "when it was opened"},
		"another default":     {func(l fileLines) { l.body(asks)["atDeadline"].(map[string]any)["answer"] = map[string]any{"yes": true} }, "what its deadline does"},
		"any answer":          {func(l fileLines) { l.body(asks)["responseSchema"] = map[string]any{} }, "the response schema"},
		"another prompt":      {func(l fileLines) { l.body(asks)["prompt"] = "Tea?" }, `the prompt: expected "OK Ada?", found "Tea?"`},
		"a token needed":      {func(l fileLines) { l.body(asks)["needsToken"] = true }, "its token"},
		"another call":        {func(l fileLines) { l.body(asks)["op"] = "interrupt:x#1" }, "task does not ask it"},
		"another digest":      {func(l fileLines) { l.body(asks)["digest"] = "x" }, "another question in its place"},
		"kept from no node":   {func(l fileLines) { delete(l.body(asks), "notByNodes") }, "the nodes whose people may not answer"},
		"an input as list":    {func(l fileLines) { l.part("run.started", "value")["who"] = []any{1} }, "/who: expected a string, found an array"},
		"an input is missing": {func(l fileLines) { delete(l.part("run.started", "value"), "who") }, "/who: required, but missing"},
	} {
		t.Run(name, func(t *testing.T) {
			l := linesOf(t, file)
			tc.change(l)
			_, err := takesIn(t, l.sealed(), r)
			door, ok := errors.AsType[*fermata.Error](err)
			if !ok || door.Code != fermata.CodeInvalid || !errors.Is(err, journal.ErrCorrupt) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("found %v, expected %q", err, tc.says)
			}
		})
	}
}
