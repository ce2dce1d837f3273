package form_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/fermata-go/fermata/cmd/fermata/internal/form"
	"github.com/fermata-go/fermata/internal/golden"
)

// consoleCases are forms of schemas and what people fill in, with what this package makes of them. The console reads schemas in
// the browser: its test (console/web/test) holds its fields and answers against these.
const consoleCases = "../../../../console/testdata/forms.json"

type consoleCase struct {
	Name    string          `json:"name"`
	Schema  json.RawMessage `json:"schema"`
	Options []string        `json:"options,omitempty"`
	Fills   [][]entry       `json:"fills"`
	Single  bool            `json:"single"`
	Fields  []field         `json:"fields"`
	Answers []answered      `json:"answers"` // the first one to what is filled in at first
}

type entry struct {
	Text    string    `json:"text,omitempty"`
	Choices []int     `json:"choices,omitempty"`
	Forms   [][]entry `json:"forms,omitempty"`
}

type field struct {
	Path     []string  `json:"path,omitempty"`
	Title    string    `json:"title,omitempty"`
	Help     string    `json:"help,omitempty"`
	Kind     string    `json:"kind"`
	Required bool      `json:"required,omitempty"`
	Null     bool      `json:"null,omitempty"`
	Options  []string  `json:"options,omitempty"`
	Start    entry     `json:"start"`
	Forms    [][]field `json:"forms,omitempty"`
}

type answered struct {
	Answer json.RawMessage `json:"answer,omitempty"`
	Wrong  bool            `json:"wrong,omitempty"`
}

var kindNames = map[form.Kind]string{
	form.Text: "text", form.Prose: "prose", form.Flag: "flag", form.Choice: "choice", form.Many: "many", form.Integer: "integer",
	form.Number: "number", form.List: "list", form.Items: "items", form.Variant: "variant", form.JSON: "json",
}

func TestTheConsoleReadsTheSameForms(t *testing.T) {
	text, err := os.ReadFile(consoleCases)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []consoleCase `json:"cases"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for i := range file.Cases {
		c := &file.Cases[i]
		schema := c.Schema
		if string(schema) == "null" {
			schema = nil
		}
		f, err := form.New(schema, c.Options)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		c.Single, c.Fields = f.Single(), fieldsOf(f, 2)
		c.Answers = []answered{answerOf(f, f.Starts())}
		for _, fill := range c.Fills {
			if len(fill) != len(f.Fields) {
				t.Fatalf("%s: a fill has %d entries; expected %d", c.Name, len(fill), len(f.Fields))
			}
			c.Answers = append(c.Answers, answerOf(f, entriesOf(fill)))
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(file); err != nil {
		t.Fatal(err)
	}
	golden.File(t, consoleCases, b.String())
}

func fieldsOf(f *form.Form, deep int) []field {
	all := []field{}
	for i := range f.Fields {
		x := &f.Fields[i]
		made := field{
			Path: x.Path, Title: x.Title, Help: x.Help, Kind: kindNames[x.Kind], Required: x.Required, Null: x.Null, Start: entryOf(x.Start),
		}
		for _, o := range x.Options {
			made.Options = append(made.Options, o.Label)
		}
		if deep > 0 {
			for _, inner := range form.FormsOf(x) {
				made.Forms = append(made.Forms, fieldsOf(inner, deep-1))
			}
		}
		all = append(all, made)
	}
	return all
}

func entryOf(e form.Entry) entry {
	made := entry{Text: e.Text, Choices: e.Choices}
	for _, inner := range e.Forms {
		part := make([]entry, len(inner))
		for i := range inner {
			part[i] = entryOf(inner[i])
		}
		made.Forms = append(made.Forms, part)
	}
	return made
}

func entriesOf(list []entry) []form.Entry {
	made := make([]form.Entry, len(list))
	for i, e := range list {
		made[i] = form.Entry{Text: e.Text, Choices: e.Choices}
		for _, inner := range e.Forms {
			made[i].Forms = append(made[i].Forms, entriesOf(inner))
		}
	}
	return made
}

func answerOf(f *form.Form, entries []form.Entry) answered {
	v, err := f.Answer(entries)
	if err != nil {
		return answered{Wrong: true}
	}
	return answered{Answer: v}
}
