package form_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/cmd/fermata/internal/form"
)

const decision = `{
	"type": "object",
	"required": ["decision", "urgent", "owner", "reason"],
	"properties": {
		"note": {"type": "string", "description": "for the author"},
		"decision": {"enum": ["approve", "reject"], "default": "reject", "title": "Decision"},
		"urgent": {"type": "boolean"},
		"share": {"type": "integer"},
		"price": {"type": "number", "default": 1.5},
		"owner": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "mail": {"type": "string"}}},
		"place": {"$ref": "#/$defs/place"},
		"tags": {"type": "array", "items": {"enum": ["api", "docs"]}},
		"lines": {"type": "array", "items": {"type": "string"}},
		"reason": {"type": ["string", "null"]},
		"text": {"type": "string", "maxLength": 500},
		"deep": {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "integer"}}}}},
		"other": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
		"maybe": {"type": "boolean"}
	},
	"$defs": {"place": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}}
}`

// What is required comes first; objects within the answer become fields of their own.
func TestFields(t *testing.T) {
	f, err := form.New([]byte(decision), nil)
	if err != nil {
		t.Fatal(err)
	}
	type field struct {
		Name     string
		Kind     form.Kind
		Required bool
		Expects  string
	}
	var got []field
	for i := range f.Fields {
		x := &f.Fields[i]
		got = append(got, field{x.Name(), x.Kind, x.Required, x.Expects()})
	}
	want := []field{
		{"decision", form.Choice, true, "one of approve, reject"},
		{"urgent", form.Flag, true, "yes or no"},
		{"owner.name", form.Text, true, "a text"},
		{"owner.mail", form.Text, false, "a text"},
		{"reason", form.Text, false, "a text"},
		{"note", form.Text, false, "a text"},
		{"share", form.Integer, false, "a whole number"},
		{"price", form.Number, false, "a number"},
		{"place.city", form.Text, false, "a text"},
		{"tags", form.Many, false, "any of api, docs"},
		{"lines", form.List, false, "a list of texts"},
		{"text", form.Prose, false, "a text"},
		{"deep.a.b", form.Integer, false, "a whole number"},
		{"other", form.Variant, false, "one of a text, a whole number"},
		{"maybe", form.Choice, false, "one of yes, no"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`{"decision":"approve","urgent":true,"owner":{"name":"…"},"reason":"…"}`, string(f.Sample())); diff != "" {
		t.Errorf("Sample (-want +got):\n%s", diff)
	}
}

// What people say to the call of a tool: what is required of one of the actions alone is optional in the form.
func TestConditions(t *testing.T) {
	verdict := func(then string) *form.Form {
		f, err := form.New([]byte(`{"type": "object", "required": ["action"], "properties": {
			"action": {"enum": ["approve", "edit", "deny"], "type": "string"},
			"arguments": {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer"}}},
			"reason": {"type": "string"}
		}, "if": {"properties": {"action": {"const": "edit"}}}, "then": `+then+`}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := verdict(`{"required": ["arguments"]}`)
	var got []string
	for i := range f.Fields {
		got = append(got, f.Fields[i].Name()+": "+f.Fields[i].Expects())
	}
	want := []string{"action: one of approve, edit, deny", "arguments.amount: a whole number", "reason: a text"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`{"action":"approve"}`, string(f.Sample())); diff != "" {
		t.Errorf("Sample (-want +got):\n%s", diff)
	}
	if f := verdict(`{"properties": {"reason": {"const": ""}}}`); !f.Single() {
		t.Errorf("with a condition on values, found %d fields, expected one of JSON", len(f.Fields))
	}
}

func TestAnswer(t *testing.T) {
	f, err := form.New([]byte(decision), nil)
	if err != nil {
		t.Fatal(err)
	}
	entries := f.Starts()
	set := func(name string, e form.Entry) {
		for i := range f.Fields {
			if f.Fields[i].Name() == name {
				entries[i] = e
				return
			}
		}
		t.Fatalf("no field %q", name)
	}
	set("urgent", form.Entry{Choices: []int{0}})
	set("owner.name", form.Entry{Text: "Ada"})
	answer(t, f, entries, `{"decision":"reject","urgent":true,"owner":{"name":"Ada"},"reason":null,"price":1.5}`)

	set("decision", form.Entry{Choices: []int{0}})
	set("note", form.Entry{Text: " as it is "})
	set("share", form.Entry{Text: " 30 "})
	set("place.city", form.Entry{Text: "Bern"})
	set("tags", form.Entry{Choices: []int{1}})
	set("lines", form.Entry{Text: "a\n\n b "})
	set("deep.a.b", form.Entry{Text: "1"})
	set("other", form.Entry{Choices: []int{1}, Forms: [][]form.Entry{{{Text: "7"}}}})
	set("maybe", form.Entry{Choices: []int{1}})
	answer(t, f, entries, `{"decision":"approve","urgent":true,"owner":{"name":"Ada"},"reason":null,"note":" as it is ","share":30,`+
		`"price":1.5,"place":{"city":"Bern"},"tags":["docs"],"lines":["a","b"],"deep":{"a":{"b":1}},"other":7,"maybe":false}`)

	for name, text := range map[string]string{
		"share": "3.5", "price": "much", "deep.a.b": "x",
	} {
		t.Run(name, func(t *testing.T) {
			before := append([]form.Entry(nil), entries...)
			set(name, form.Entry{Text: text})
			_, err := f.Answer(entries)
			if err == nil || !strings.HasPrefix(err.Error(), name+": expected ") {
				t.Errorf("Answer with %s=%q: %v", name, text, err)
			}
			entries = before
		})
	}
}

func answer(t *testing.T, f *form.Form, entries []form.Entry, want string) {
	t.Helper()
	got, err := f.Answer(entries)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An answer that is no object is one field.
func TestSingle(t *testing.T) {
	tests := []struct {
		schema  string
		options []string
		kind    form.Kind
		entry   form.Entry
		want    string // "" for an error
	}{
		{``, nil, form.Prose, form.Entry{Text: "yes"}, `"yes"`},
		{``, nil, form.Prose, form.Entry{}, ``},
		{`{"type":"string"}`, []string{"a", "b"}, form.Choice, form.Entry{Choices: []int{1}}, `"b"`},
		{`{"type":"string"}`, []string{"a", "b"}, form.Choice, form.Entry{}, ``},
		{`{"type":"boolean"}`, nil, form.Flag, form.Entry{Choices: []int{1}}, `false`},
		{`{"type":"boolean"}`, nil, form.Flag, form.Entry{}, ``},
		{`{"type":"boolean","default":"perhaps"}`, nil, form.Flag, form.Entry{}, ``},
		{`{"enum":[1,"x",null]}`, nil, form.Choice, form.Entry{Choices: []int{2}}, `null`},
		{`{"const":"ok"}`, nil, form.Choice, form.Entry{Choices: []int{0}}, `"ok"`},
		{`{"type":"integer"}`, nil, form.Integer, form.Entry{Text: "12345678901234567890"}, `12345678901234567890`},
		{`{"type":"integer"}`, nil, form.Integer, form.Entry{Text: "1e2"}, `1e2`},
		{`{"type":"integer"}`, nil, form.Integer, form.Entry{Text: "1e999999999"}, ``},
		{`{"type":"array","items":{"type":"string"}}`, nil, form.List, form.Entry{}, `[]`},
		{`true`, nil, form.JSON, form.Entry{Text: `{"a":1}`}, `{"a":1}`},
		{`{"type":"object"}`, nil, form.JSON, form.Entry{Text: `{}`}, `{}`},
		{`{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/x"}}}`, nil, form.JSON, form.Entry{Text: `1`}, `1`},
	}
	for _, tt := range tests {
		f, err := form.New([]byte(tt.schema), tt.options)
		if err != nil {
			t.Errorf("New(%s): %v", tt.schema, err)
			continue
		}
		if !f.Single() || f.Fields[0].Kind != tt.kind {
			t.Errorf("New(%s) = %+v, want one field of kind %v", tt.schema, f, tt.kind)
			continue
		}
		got, err := f.Answer([]form.Entry{tt.entry})
		if string(got) != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s answered with %+v: %s, %v; want %s", tt.schema, tt.entry, got, err, tt.want)
		}
	}
	if _, err := form.New([]byte(`{`), nil); err == nil {
		t.Error("a schema that is no JSON was taken")
	}
}

// No schema and no entry makes New, Sample and Answer panic, and samples are JSON.
func FuzzNew(f *testing.F) {
	f.Add([]byte(decision), "text", 1)
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#"}}}`), "", 0)
	f.Add([]byte(`{"type":"array","minItems":1,"items":{"$ref":"#"},"default":[[]]}`), "1", 1)
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":["object","null"],"properties":{"b":{"$ref":"#"}}}},"default":{"a":null}}`), "1", 1)
	f.Add([]byte(`{"type":"object","additionalProperties":{"oneOf":[{"const":1},{"allOf":[{"$ref":"#"}]}]}}`), "1", 1)
	f.Add([]byte(`{"anyOf":[{"anyOf":[{"$ref":"#/anyOf/0"}]}]}`), "1", 0)
	f.Fuzz(func(t *testing.T, schema []byte, text string, choice int) {
		made, err := form.New(schema, nil)
		if err != nil {
			return
		}
		if sample := made.Sample(); !json.Valid(sample) {
			t.Errorf("the sample of %s is %s", schema, sample)
		}
		entries := made.Starts()
		for i := range entries {
			entries[i].Text = text
			if n := len(made.Fields[i].Options); n > 0 && choice >= 0 {
				entries[i].Choices = []int{choice % n}
			}
		}
		if answer, err := made.Answer(entries); err == nil && !json.Valid(answer) {
			t.Errorf("an answer to %s is %s", schema, answer)
		}
	})
}

// Line by line: what is wrong is said, and asked again; what was filled in is offered again.
func TestLines(t *testing.T) {
	schema := `{"type":"object","required":["go","size"],"properties":{
		"go":{"type":"boolean","title":"Go on?"},"size":{"enum":["S","M"]},"n":{"type":"integer"},"tags":{"type":"array","items":{"enum":["x","y"]}}}}`
	f, err := form.New([]byte(schema), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in := strings.NewReader("perhaps\nyes\n3\n2\nmany\n7\nx 2\n" + "\n\n8\n\n")
	tried := 0
	got, err := form.Ask(t.Context(), form.NewLines(in, &out), f, func(json.RawMessage) error {
		if tried++; tried == 1 {
			return errors.New("/n: too small")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"go":true,"size":"M","n":8,"tags":["x","y"]}`; string(got) != want {
		t.Errorf("answer %s, want %s", got, want)
	}
	want := `  Go on?
  y/n >   ! no option "perhaps": yes or no
  y/n >   size
    1  S
    2  M
  1-2 >   ! no option "3": S or M
  1-2 >   n (optional)
  >   ! expected a number, found "many"
  >   tags (optional)
    1  x
    2  y
  numbers, with spaces >   ! /n: too small
  Go on?
  y/n [yes] >   size
    1  S
    2  M
  1-2 [M] >   n (optional)
  [7] >   tags (optional)
    1  x
    2  y
  numbers, with spaces [x y] > `
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The end of the input leaves the question for later; a context that ends takes it back.
func TestLinesEnd(t *testing.T) {
	f, err := form.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := form.Ask(t.Context(), form.NewLines(strings.NewReader(""), io.Discard), f, nil); !errors.Is(err, form.ErrLater) {
		t.Errorf("at the end of the input: %v, want ErrLater", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("closed elsewhere")
	cancel(gone)
	r, w := io.Pipe()
	defer w.Close()
	if _, err := form.Ask(ctx, form.NewLines(r, io.Discard), f, nil); !errors.Is(err, gone) {
		t.Errorf("with a context that ended: %v, want its cause", err)
	}
}

// Where there is no form, the sample has what is required alone: an approval is answered by its action.
func TestSampleOfWhatHasNoForm(t *testing.T) {
	f, err := form.New([]byte(`{
		"type": "object", "required": ["action"], "additionalProperties": false,
		"properties": {"action": {"enum": ["approve", "edit"]}, "arguments": {"type": "object", "properties": {"n": {"type": "integer"}}}},
		"if": {"properties": {"action": {"const": "edit"}}}, "then": {"required": ["arguments"]}
	}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"action":"approve"}`, string(f.Sample())); diff != "" {
		t.Error(diff)
	}
}
