package recipe_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/schema"
)

// letter writes a letter that somebody reviews. It is written anew when it is sent back.
const letter = `
interface: {inputs: {who: {type: string}}}
state:
  properties:
    draft: {type: string, maxLength: 40}
    round: {type: integer, default: 0}
    check: {type: object, default: {action: approve, note: ""}}
agents:
  write: {kind: expr, set: {round: "round + 1", draft: "'Dear ' + who + ' (' + string(round) + ')' + check.note"}}
  send: {kind: expr, set: {sent: "draft"}}
  file: {kind: expr, set: {filed: "check.note"}}
entry_point: write
nodes:
  - {type: agent, id: write, agent_ref: write}
  - {type: human, id: check, prompt: "Send it?", review: {value: draft, send_back: write, reject: file}}
  - {type: agent, id: send, agent_ref: send}
  - {type: agent, id: file, agent_ref: file}
edges:
  - {source: write, target: check}
  - {source: check, target: send}
`

// said is the answer to a review.
type said map[string]any

// What can be done about what is reviewed, and where each of it leads.
func TestReviews(t *testing.T) {
	plain := strings.Replace(letter, "{value: draft, send_back: write, reject: file}", "draft", 1)
	plain = strings.Replace(plain, "  - {type: agent, id: file, agent_ref: file}\n", "", 1)
	for _, tc := range []struct {
		name, text string
		answers    []any
		want       map[string]any
	}{
		{
			"approve", letter,
			[]any{said{"action": "approve"}},
			map[string]any{"draft": "Dear Ada (1)", "sent": "Dear Ada (1)", "check": map[string]any{"action": "approve", "note": ""}},
		},
		{
			"edit", letter,
			[]any{said{"action": "edit", "value": "Hello", "note": "shorter"}},
			map[string]any{"draft": "Hello", "sent": "Hello", "check": map[string]any{"action": "edit", "note": "shorter"}},
		},
		{
			"reject", letter,
			[]any{said{"action": "reject", "note": "never"}},
			map[string]any{"draft": "Dear Ada (1)", "filed": "never", "check": map[string]any{"action": "reject", "note": "never"}},
		},
		{
			"send back twice", letter,
			[]any{said{"action": "send_back", "note": "!"}, said{"action": "send_back", "note": "?"}, said{"action": "approve"}},
			map[string]any{"draft": "Dear Ada (3)?", "round": 3, "sent": "Dear Ada (3)?", "check": map[string]any{"action": "approve", "note": ""}},
		},
		{
			"in one line: approve", plain,
			[]any{said{"action": "approve"}},
			map[string]any{"draft": "Dear Ada (1)", "sent": "Dear Ada (1)", "check": map[string]any{"action": "approve", "note": ""}},
		},
		{
			"in one line: what is rejected goes nowhere", plain,
			[]any{said{"action": "reject"}},
			map[string]any{"draft": "Dear Ada (1)", "check": map[string]any{"action": "reject", "note": ""}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.want["round"] == nil {
				tc.want["round"] = 1
			}
			tc.want["who"] = "Ada"
			res, _ := job{text: tc.text, inputs: map[string]any{"who": "Ada"}, answers: map[string][]any{"check": tc.answers}}.run(t)
			if res.Status != fermata.Completed {
				t.Fatalf("%s: %v", res.Status, res.Err)
			}
			want, err := json.Marshal(tc.want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(res.Output)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// paused runs a job until it asks, and returns its runtime and the question.
func paused(t *testing.T, j job) (*fermata.Runtime, fermata.Interrupt) {
	t.Helper()
	res, rt := j.run(t)
	if res.Status != fermata.Paused || len(res.Interrupts) != 1 {
		t.Fatalf("%s, %d questions: %v", res.Status, len(res.Interrupts), res.Err)
	}
	return rt, res.Interrupts[0]
}

// An answer that does not fit is refused where it is given, and says where it does not: an edited value against what the
// state says of its place.
func TestH2_ReviewsAreChecked(t *testing.T) {
	rt, q := paused(t, job{text: letter, inputs: map[string]any{"who": "Ada"}})
	if diff := cmp.Diff([]string{recipe.KindReview, `{"value":"Dear Ada (1)"}`}, []string{q.Kind, string(q.Request)}); diff != "" {
		t.Errorf("the question (-want +got):\n%s", diff)
	}
	for _, tc := range []struct {
		answer said
		where  string
	}{
		{said{"action": "sign"}, "/action"},
		{said{"note": "yes"}, "/action"},
		{said{"action": "edit"}, "/value"},
		{said{"action": "edit", "value": 5}, "/value"},
		{said{"action": "edit", "value": strings.Repeat("long", 20)}, "/value"},
		{said{"action": "approve", "value": "Hello"}, "/value"},
		{said{"action": "send_back"}, "/note"},
		{said{"action": "send_back", "note": ""}, "/note"},
		{said{"action": "approve", "reason": "so"}, "/reason"},
	} {
		err := rt.Answer(t.Context(), q.ID, tc.answer)
		problems, ok := errors.AsType[*schema.Error](err)
		if !ok || problems.Problems[0].Path != tc.where {
			t.Errorf("%v: %v, expected a problem at %q", tc.answer, err, tc.where)
		}
	}
}

// What is known of a value decides what it may be edited to; where nothing is, it keeps its type.
func TestReviewSchemas(t *testing.T) {
	recipeOf := func(state, value string) string {
		return `
interface: {inputs: {report: {type: object}}}
state: {properties: {` + state + `}}
agents: {use: {kind: expr, set: {used: "1"}}}
entry_point: check
nodes:
  - {type: human, id: check, prompt: "Right?", review: ` + value + `}
  - {type: agent, id: use, agent_ref: use}
edges: [{source: check, target: use}]
`
	}
	report := map[string]any{"report": map[string]any{"files": []any{map[string]any{"name": "a", "size": 3}}}}
	for _, tc := range []struct{ name, state, value, edit, want, refused string }{
		{
			"nothing is known: a text stays a text", "", "report.files.0.name", `"b"`,
			`{"files":[{"name":"b","size":3}]}`, `7`,
		},
		{"a number stays a number", "", "report.files.0.size", `5`, `{"files":[{"name":"a","size":5}]}`, `"5"`},
		{"a list stays a list", "", "report.files", `[]`, `{"files":[]}`, `{}`},
		{
			"the state's schema of the place", "report: {properties: {files: {type: array, items: {properties: {size: {maximum: 9}}}}}}",
			"report.files.0.size", `9`, `{"files":[{"name":"a","size":9}]}`, `10`,
		},
		{
			"definitions", "report: {$defs: {f: {required: [name]}}, properties: {files: {items: {$ref: \"#/$defs/f\"}}}}",
			"report", `{"files":[{"name":"c"}]}`, `{"files":[{"name":"c"}]}`, `{"files":[{}]}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := recipeOf(tc.state, tc.value)
			edit := func(value string) said { return said{"action": "edit", "value": json.RawMessage(value)} }
			rt, q := paused(t, job{text: text, inputs: report})
			if err := rt.Answer(t.Context(), q.ID, edit(tc.refused)); !errors.Is(err, fermata.ErrInvalid) {
				t.Errorf("%s: %v, expected it to be refused", tc.refused, err)
			}
			res, _ := job{text: text, inputs: report, answers: map[string][]any{"check": {edit(tc.edit)}}}.run(t)
			if res.Status != fermata.Completed {
				t.Fatalf("%s: %v", res.Status, res.Err)
			}
			var bb struct{ Report json.RawMessage }
			if err := json.Unmarshal(res.Output, &bb); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(bb.Report)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Where nothing declares what is looked at, and it follows from its agent what it is, it is edited to the same: what comes
// after can count on that.
func TestH2_EditsKeepTheType(t *testing.T) {
	const text = `
interface: {inputs: {}, outputs: {draft: {type: object, required: [lines], properties: {lines: {type: array, items: {type: integer}}}}}}
agents:
  write: {kind: expr, set: {letter: "{to: 'Ada', lines: [1, 2], about: nil}"}}
  send: {kind: expr, set: {draft: "letter"}}
entry_point: write
nodes:
  - {type: agent, id: write, agent_ref: write}
  - {type: human, id: check, prompt: "Send it?", review: {value: letter, reject: send}}
  - {type: agent, id: send, agent_ref: send}
edges:
  - {source: write, target: check}
  - {source: check, target: send}
`
	rt, q := paused(t, job{text: text})
	for value, where := range map[string]string{
		`"Dear Ada"`: "/value", `{"to": "Ada", "about": null}`: "/value/lines", `{"to": 1, "lines": [1], "about": null}`: "/value/to",
		`{"to": "Ada", "lines": [0.5], "about": null}`: "/value/lines/0", `{"to": "Ada", "lines": [], "about": null, "cc": 1}`: "/value/cc",
	} {
		err := rt.Answer(t.Context(), q.ID, said{"action": "edit", "value": json.RawMessage(value)})
		problems, ok := errors.AsType[*schema.Error](err)
		if !ok || problems.Problems[0].Path != where {
			t.Errorf("%s: %v, expected a problem at %q", value, err, where)
		}
	}
	edit := said{"action": "edit", "value": json.RawMessage(`{"to": "Bo", "lines": [3], "about": null}`)}
	res, _ := job{text: text, answers: map[string][]any{"check": {edit}}}.run(t)
	want(t, res, `{"draft": {"to": "Bo", "lines": [3], "about": null}}`)
}

// A deadline can decide a review, in one word.
func TestH4_ReviewsAtTheDeadline(t *testing.T) {
	text := strings.Replace(letter, "reject: file}}", "reject: file}, timeout_seconds: 3600, on_timeout: {answer: reject}}", 1)
	r, err := recipe.Parse([]byte(text), "x", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	res := job{inputs: map[string]any{"who": "Ada"}}.on(t, rt, r)
	if len(res.Interrupts) != 1 || string(res.Interrupts[0].AtDeadline.Answer) != `{"action":"reject"}` {
		t.Errorf("the question is %+v", res.Interrupts)
	}
}

// twoSignatures needs two people beside the one who started it.
const twoSignatures = `
interface: {inputs: {owner: {type: string, default: ""}}}
entry_point: first
nodes:
  - {type: human, id: first, prompt: "Pay?", options: ["yes"], four_eyes: true, assignee: "{{ owner }}", override_role: lead}
  - {type: human, id: second, prompt: "Pay?", options: ["yes"], four_eyes: true, not_by: [first]}
edges: [{source: first, target: second}]
`

// Four eyes, written in a recipe: the starter never answers, and nobody answers twice; an assignee is asked alone.
func TestH6_RecipesKeepPeopleApart(t *testing.T) {
	r, err := recipe.Parse([]byte(twoSignatures), "x", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	run, err := rt.Start(ctx, r.Plan(), map[string]any{"owner": " Ada "}, fermata.StartedBy("Sam"))
	if err != nil {
		t.Fatal(err)
	}
	question := func() journal.Interrupt {
		res, err := run.Wait(ctx)
		if err != nil || len(res.Interrupts) != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		return res.Interrupts[0].Interrupt
	}
	type people struct {
		Assignee   string
		NotBy      []string
		NotByNodes []string
	}
	q := question()
	if diff := cmp.Diff(people{"Ada", []string{"Sam"}, []string{"second"}}, people{q.Assignee, q.NotBy, q.NotByNodes}); diff != "" {
		t.Errorf("the first question (-want +got):\n%s", diff)
	}
	if q.OverrideRole != "lead" {
		t.Errorf("the role that may override is %q", q.OverrideRole)
	}
	for _, name := range []string{"", "Sam", "Bob"} {
		if err := rt.Answer(ctx, q.ID, "yes", fermata.AsPerson(name)); !errors.Is(err, fermata.ErrForbidden) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := rt.Answer(ctx, q.ID, "yes", fermata.AsPerson("ada")); err != nil {
		t.Fatal(err)
	}
	q = question()
	if diff := cmp.Diff(people{"", []string{"Sam"}, []string{"first"}}, people{q.Assignee, q.NotBy, q.NotByNodes}); diff != "" {
		t.Errorf("the second question (-want +got):\n%s", diff)
	}
	for _, name := range []string{"", "sam", "Ada"} {
		if err := rt.Answer(ctx, q.ID, "yes", fermata.AsPerson(name)); !errors.Is(err, fermata.ErrForbidden) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := rt.Answer(ctx, q.ID, "yes", fermata.AsPerson("Bob")); err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed {
		t.Errorf("%s: %v", res.Status, err)
	}
}
