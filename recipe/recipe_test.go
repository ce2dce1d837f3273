package recipe

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/plan"
)

func TestLoadFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "greet")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir, Options{}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "holds no recipe.yaml") {
		t.Errorf("a folder without a recipe: %v", err)
	}
	const text = "agents: {a: {kind: expr, set: {x: \"1\"}}}\nentry_point: a\nnodes: [{type: agent, id: a, agent_ref: a}]\n"
	if err := os.WriteFile(filepath.Join(dir, "recipe.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Load(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Name() != "greet" || r.doc.dir != dir {
		t.Errorf("name %q, folder %q", r.Name(), r.doc.dir)
	}
	if _, err := Load(filepath.Join(dir, "nothing.yaml"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestMetadata(t *testing.T) {
	r := parseTest(t, `
metadata: {name: refund, version: 1.10, owner: {team: pay}, description: d}
agents: {a: {kind: expr, set: {x: "1"}}}
entry_point: a
nodes: [{type: agent, id: a, agent_ref: a}]
`)
	def := r.Plan().Definition()
	got := []any{r.Name(), def.Name, def.Version, def.Doc, def.Kind, def.Limits, r.Metadata()["owner"]}
	expected := []any{"refund", "refund", "1.10", "d", "recipe", plan.Limits{Tasks: 50}, map[string]any{"team": "pay"}}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRestore checks that a stored recipe is compiled again without its files, to the same plan.
func TestRestore(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	main := write("main.yaml", "entry_point: a\nnodes: [{type: agent, id: a, agent_ref: a}, {type: agent, id: b, agent_ref: b}]\nedges: [{source: a, target: b}]\n")
	agents := write("agents.yaml", "agents: {a: {kind: exec, command: [x, \"${TOKEN}\"]}, b: {kind: expr, set: {x: \"1\"}}}\n")
	r, err := Load(main, Options{Agents: agents, Env: testEnv})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Source()
	if strings.Contains(string(text), "s3cr3t") {
		t.Errorf("the stored text holds a secret: %s", text)
	}
	for _, file := range []string{main, agents} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Restore(text, Options{Env: testEnv})
	if err != nil {
		t.Fatal(err)
	}
	if again.Plan().Fingerprint() != r.Plan().Fingerprint() || again.Digest() != r.Digest() || again.doc.dir != dir || again.Name() != "main" {
		t.Errorf("restored: %s %s in %s", again.Name(), again.Digest(), again.doc.dir)
	}
	if _, err := Restore(text, Options{Env: noEnv}); err == nil || !strings.Contains(err.Error(), "agents.yaml:1:40: the variable TOKEN is not set") {
		t.Errorf("a variable that is gone: %v", err)
	}
	moved, err := Restore(text, Options{Env: testEnv, Dir: "/"})
	if err != nil || moved.doc.dir != "/" {
		t.Errorf("another folder: %v", err)
	}
	for _, bad := range []string{"", "{}", `{"format": "fermata/recipe/9"}`} {
		if _, err := Restore([]byte(bad), Options{}); err == nil {
			t.Errorf("%q was restored", bad)
		}
	}
}

// TestPolicies checks how policies become those of the plan.
func TestPolicies(t *testing.T) {
	r := parseTest(t, `
policy: {max_retries: 2, timeout_seconds: 1.5, max_steps: 9}
agents: {a: {kind: expr, set: {x: "1"}}}
entry_point: a
nodes:
  - {type: agent, id: a, agent_ref: a, description: first}
  - {type: agent, id: b, agent_ref: a, max_retries: 0, timeout_seconds: 60}
  - {type: human, id: c, prompt: x}
edges: [{source: a, target: b}, {source: b, target: c}]
`)
	def := r.Plan().Definition()
	type policy struct {
		Attempts int
		Timeout  time.Duration
		Doc      string
		Kind     plan.Kind
	}
	var got []policy
	for _, n := range def.Nodes {
		got = append(got, policy{n.Retry.Attempts, n.Timeout, n.Doc, n.Kind})
	}
	expected := []policy{{3, 0, "first", plan.Task}, {0, time.Minute, "", plan.Task}, {0, 0, "", plan.Human}}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(plan.Limits{Tasks: 9, Time: 1500 * time.Millisecond}, def.Limits); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
}

// TestYAMLForms checks anchors, merge keys, block texts, odd numbers, comments and CRLF.
func TestYAMLForms(t *testing.T) {
	r := parseTest(t, strings.ReplaceAll(`# a comment
metadata: {name: forms, octal: 0o12, hex: 0x1F, big: 123456789012345678901234567890, dated: 2024-01-01, no: no}
agents:
  a: &a
    kind: expr
    set: {x: "1"}
  b:
    <<: *a
    set:
      y: >-
        1 +
        1
entry_point: a
nodes:
  - &n {type: agent, id: a, agent_ref: a}
  - {<<: *n, id: b, agent_ref: b}
edges: [{source: a, target: b}]
`, "\n", "\r\n"))
	got, err := document.Encode(r.Metadata())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"big":123456789012345678901234567890,"dated":"2024-01-01","hex":31,"name":"forms","no":"no","octal":10}`
	if string(got) != want {
		t.Errorf("metadata %s; expected %s", got, want)
	}
	if set := r.doc.agents["b"].work.(*exprAgent).set; len(set) != 1 || set[0].expr.Text != "1 + 1" {
		t.Errorf("the merged agent: %+v", set)
	}
}

// TestLibraryConflict checks that a name stands for one agent only.
func TestLibraryConflict(t *testing.T) {
	_, err := Parse([]byte("agents: {researcher-v1: {kind: expr, set: {x: \"1\"}}}\nentry_point: a\nnodes: [{type: agent, id: a, agent_ref: researcher-v1}]\n"),
		"x.yaml", Options{Library: testLibrary()})
	if want := `x.yaml:1:25: the agent "researcher-v1" is a Go function of the library already`; err == nil || err.Error() != want {
		t.Errorf("got %v; expected %s", err, want)
	}
}

// TestLocate checks the columns of faults within texts of all styles.
func TestLocate(t *testing.T) {
	const head = "agents: {a: {kind: expr, set: {x: \"1\"}}}\nentry_point: a\ninterface: {inputs: {n: {type: number}}}\nnodes:\n  - {type: agent, id: a, agent_ref: a}\n  - type: human\n    id: h\n    prompt: "
	const tail = "\nedges: [{source: a, target: h}]\n"
	for _, tc := range []struct{ prompt, place string }{
		{`is {{ nn }}`, "8:19"},
		{`'is {{ nn }}'`, "8:20"},
		{`"é is {{ nn }}"`, "8:22"},
		{`"a\tb {{ nn }}"`, "8:13"},
		{"|\n      line\n      is {{ nn }}", "10:13"},
		{"|\n      line\n        is {{ nn }}", "10:15"},
		{">-\n      line\n      is {{ nn }}", "8:13"},
	} {
		_, err := Parse([]byte(head+tc.prompt+tail), "x", Options{})
		want := "x:" + tc.place + `: nothing that comes before is called "nn"`
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v; expected %s", tc.prompt, err, want)
		}
	}
}

// TestRoute checks how routers compare: texts exactly, numbers and booleans by their JSON text.
func TestRoute(t *testing.T) {
	routes := map[string]string{"high": "a", "1": "b", "1.0": "c", "true": "d", "": "e", "null": "f"}
	for _, tc := range []struct{ value, fallback, want string }{
		{`"high"`, "", "a"},
		{`"High"`, "z", "z"},
		{`1`, "", "b"},
		{`"1"`, "", "b"},
		{`1.0`, "", "c"},
		{`true`, "", "d"},
		{`"true"`, "", "d"},
		{`""`, "", "e"},
		{`null`, "z", "z"},
		{`"null"`, "", "f"},
		{`[]`, "z", "z"},
		{`{}`, "z", "z"},
	} {
		v, err := document.Decode([]byte(tc.value))
		if err != nil {
			t.Fatal(err)
		}
		got, err := route(expression.Path{Text: "k"}, v, routes, nil, tc.fallback)
		if err != nil || got != tc.want {
			t.Errorf("%s: %q, %v; expected %q", tc.value, got, err, tc.want)
		}
	}
	_, err := route(expression.Path{Text: "a.k?"}, nil, routes, []string{"high", "low"}, "")
	if want := `the router has no route for the value: "a.k" is null; it has routes for "high", "low" and no default_route`; !errors.Is(err, ErrNoRoute) || err.Error() != want {
		t.Errorf("got %v; expected %s", err, want)
	}
}

func TestRedactor(t *testing.T) {
	r := newRedactor([]string{"s3cr3t\"x", "abc", "s3cr3t", "https://u:passw0rd@host/T0123456789/x?k=q%20uery"})
	for _, form := range []string{
		"czNjcjN0", "733363723374", "733363723374", base64.StdEncoding.EncodeToString([]byte("u:passw0rd")), base64.RawURLEncoding.EncodeToString([]byte("passw0rd")),
		strings.ToUpper(hex.EncodeToString([]byte("passw0rd"))),
	} {
		if got := r.text("x " + form + " y"); got != "x [redacted] y" {
			t.Errorf("%q: %q", form, got)
		}
	}
	for _, tc := range []struct{ text, want string }{
		{"the s3cr3t", "the [redacted]"},
		{`the s3cr3t"x`, "the [redacted]"},
		{`{"a":"s3cr3t\"x"}`, `{"a":"[redacted]"}`},
		{"q=s3cr3t%22x", "q=[redacted]"},
		{"abc is short", "abc is short"},
		{"passw0rd T0123456789 q uery q%20uery host", "[redacted] [redacted] [redacted] [redacted] host"},
		{"https://u:passw0rd@host/T0123456789/x?k=q%20uery", "[redacted]"},
	} {
		if got := r.text(tc.text); got != tc.want {
			t.Errorf("%q: %q; expected %q", tc.text, got, tc.want)
		}
	}
	if got := (*redactor)(nil).text("x"); got != "x" {
		t.Errorf("no redactor: %q", got)
	}
}

// FuzzParse checks that no text makes the loader panic, hang, or return a problem without a place.
func FuzzParse(f *testing.F) {
	cases := golden.Open(f, errorCases, "testdata/recipes.txtar")
	for _, name := range cases.Names("*.yaml", "*.json") {
		f.Add([]byte(cases.Text(f, name)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		r, err := Parse(data, "fuzz.yaml", Options{Env: testEnv, Library: testLibrary()})
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("took %s", took)
		}
		if err == nil {
			if r.Plan() == nil || r.Name() == "" {
				t.Error("a recipe without a plan or a name")
			}
			if _, err := Restore(r.Source(), Options{Env: testEnv, Library: testLibrary()}); err != nil {
				t.Errorf("it loads and cannot be restored: %v", err)
			}
			return
		}
		faults, ok := errors.AsType[*definition.Error](err)
		if !ok {
			t.Fatalf("%T: %v", err, err)
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, p := range faults.Problems {
			if p.Message == "" || p.Line < 0 || p.Line > lines+1 || (p.Line > 0 && p.Column < 1) {
				t.Errorf("problem %+v in %d lines", p, lines)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	data := []byte(goodRecipes(b).Text(b, "refund.yaml"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data, "refund.yaml", Options{Env: testEnv}); err != nil {
			b.Fatal(err)
		}
	}
}
