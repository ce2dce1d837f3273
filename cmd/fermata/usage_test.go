package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// runs show tells what the models of a run took: people in a table, programs in a member.
func TestRunsShowUsage(t *testing.T) {
	m, stdout, stderr := command(t)
	path := filepath.Join(t.TempDir(), "runs.db")
	modelled(t, path)
	show := func(run string, more ...string) string {
		t.Helper()
		stdout.Reset()
		if code := m.Run(t.Context(), append([]string{"runs", "show", run, "--store", path}, more...)); code != exitCompleted {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return stdout.String()
	}
	text := show("run_two")
	want := "\nMODELS  CALLS  TOKENS IN  TOKENS OUT   COST\n" +
		"a           1          2           2  $0.06\n" +
		"b           1          1           3  $0.07\n" +
		"in all      2          3           5  $0.13\n"
	if !strings.Contains(text, want) {
		t.Errorf("the table is not there:\n%s\nwant\n%s", text, want)
	}
	if text := show("run_none"); strings.Contains(text, "MODELS") {
		t.Errorf("a run without models has a table:\n%s", text)
	}
	var line struct{ Usage json.RawMessage }
	if err := json.Unmarshal([]byte(show("run_two", "--json")), &line); err != nil {
		t.Fatal(err)
	}
	members := `{"calls":2,"in":3,"out":5,"cost":130000,` +
		`"nodes":{"a":{"calls":1,"in":2,"out":2,"cost":60000},"b":{"calls":1,"in":1,"out":3,"cost":70000}}}`
	if diff := cmp.Diff(members, string(line.Usage)); diff != "" {
		t.Errorf("--json (-want +got):\n%s", diff)
	}
	stdout.Reset()
	if code := m.Run(t.Context(), []string{"events", "run_two", "--json", "--store", path}); code != exitCompleted {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	envelope, err := schema.Parse(eventSchema())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(stdout.String()) {
		if err := envelope.Check([]byte(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if !strings.Contains(stdout.String(), `"usage":{"calls":1,"cost":60000,"in":2,"out":2}`) {
		t.Errorf("no event has the usage of the first call:\n%s", stdout)
	}
	if text := show("run_none", "--json"); strings.Contains(text, "usage") {
		t.Errorf("a run without models has a usage: %s", text)
	}
}

// modelled keeps two runs: run_two, with two nodes that call models, and run_none, without any.
func modelled(t *testing.T, path string) {
	t.Helper()
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	m := model.Priced(scripted.Texts("two words", "three words now"), model.Prices{Input: 1e10, Output: 2e10})
	rt, err := fermata.New(fermata.Options{Store: store, Services: []any{m}})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	ask := func(prompt string) graph.Func[string] {
		return func(ctx node.Context, _ string) (string, error) {
			result, err := ctx.LLM().Complete(ctx, prompt)
			if err != nil {
				return "", err
			}
			return result.Text, nil
		}
	}
	pass := func(_ node.Context, s string) (string, error) { return s, nil }
	for id, f := range map[string][2]graph.Func[string]{"run_two": {ask("say something"), ask("more")}, "run_none": {pass, pass}} {
		g := graph.New[string]("talk").Node("a", f[0]).Node("b", f[1]).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
		run, err := g.Start(t.Context(), rt, "", fermata.WithID(id))
		if err != nil {
			t.Fatal(err)
		}
		if res, err := run.Wait(t.Context()); err != nil || res.Err != nil {
			t.Fatal(err, res.Err)
		}
	}
}

func TestCostOf(t *testing.T) {
	for want, u := range map[string]fermata.Usage{
		"$0.25":                             {Calls: 1, Cost: 250_000},
		"not known":                         {Calls: 2, Unpriced: 2},
		"$0.01 and 1 call without a price":  {Calls: 2, Cost: 10_000, Unpriced: 1},
		"$0.01 and 2 calls without a price": {Calls: 3, Cost: 10_000, Unpriced: 2},
	} {
		if got := costOf(u); got != want {
			t.Errorf("costOf(%+v) = %q, want %q", u, got, want)
		}
	}
}

// The embedded schema is the one that is written beside it: go generate compresses it.
func TestTheEmbeddedEventSchemaIsTheFile(t *testing.T) {
	file, err := os.ReadFile("event.schema.json")
	if err != nil || !bytes.Equal(eventSchema(), file) {
		t.Errorf("event.schema.json.gz holds something else than event.schema.json (%v): go generate ./cmd/fermata", err)
	}
}
