package form

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/cmd/fermata/internal/ordered"
)

// Kind says how a field is filled in.
type Kind uint8

// The kinds of fields.
const (
	Text    Kind = iota // one line
	Prose               // several lines
	Flag                // yes or no
	Choice              // one of the options
	Many                // any of the options
	Integer             // a whole number
	Number              // a number
	List                // texts or numbers, one a line
	Items               // a list, or an object with members of any name: a form for each of them
	Variant             // one of several forms
	JSON                // a JSON text
)

// Option is one of the values to choose from.
type Option struct {
	Label string
	Value ordered.Value
}

// Field is one thing to fill in.
type Field struct {
	Path     []string // where it is in the answer; empty when it is the answer
	Title    string
	Help     string
	Kind     Kind
	Required bool
	Null     bool // required, and null where it is left empty
	Options  []Option
	Start    Entry  // what is filled in at first: the schema's default
	Skeleton string // JSON: a text of the right shape
	least    ordered.Value
	parts

	menu  bool                      // Choice: it asks what is to be done next, and is no part of an answer
	empty bool                      // Text, Prose: empty is a text, also where it may be left out
	check func(ordered.Value) error // against the field's part of the schema; nil for none
}

// parts are the values that the value of a field consists of.
type parts struct {
	forms []func() *Form // Items: that of an item; Variant: one for each option
	named bool           // Items: members of an object, each with its name
	items Kind           // List: what is on a line
	bound [2]int         // Items: how few and how many there may be; -1 is without bound
}

// Entry is a field's entry: text, the indexes of options, or the entries of forms. Of a Flag, 0 is yes and 1 is no. A
// list has the entries of a form for each item, and a variant those of the chosen form.
type Entry struct {
	Text    string
	Choices []int
	Forms   [][]Entry
}

// Form is the fields of an answer.
type Form struct {
	Fields []Field
	object bool
	check  func(ordered.Value) error // against its part of the schema; nil where the caller checks
}

// Single reports whether the answer is one field.
func (f *Form) Single() bool { return !f.object }

// New reads the schema of an answer and the options to choose from. Neither of them: any text.
func New(schema json.RawMessage, options []string) (*Form, error) {
	if len(options) > 0 {
		field := Field{Kind: Choice, Required: true}
		for _, o := range options {
			field.Options = append(field.Options, Option{Label: o, Value: o})
		}
		return &Form{Fields: []Field{field}}, nil
	}
	if len(schema) == 0 {
		return &Form{Fields: []Field{{Kind: Prose, Required: true}}}, nil
	}
	doc, err := ordered.Decode(schema)
	if err != nil {
		return nil, fmt.Errorf("the response schema is not JSON: %w", err)
	}
	root, ok := doc.(ordered.Object)
	if !ok {
		root = ordered.Object{}
	}
	r := reader{root: root, open: []string{"#"}}
	f := r.form(root)
	if f.Single() && f.Fields[0].Kind == Text {
		f.Fields[0].Kind = Prose
	}
	return f, nil
}

// Menu is a choice of what is to be done next. The first of its options is selected at first, as that of an answer never is.
func Menu(options []string) (*Form, error) {
	f, err := New(nil, options)
	if err == nil {
		f.Fields[0].menu, f.Fields[0].Start.Choices = true, []int{0}
	}
	return f, err
}

// Answer builds the answer from what was filled in, one entry for each field. Optional fields that were left empty
// are left out. The error names the field.
func (f *Form) Answer(entries []Entry) (json.RawMessage, error) {
	v, err := f.answer(entries)
	if err != nil {
		return nil, err
	}
	return ordered.Encode(v)
}

func (f *Form) answer(entries []Entry) (ordered.Value, error) {
	if !f.object {
		v, ok, err := f.Fields[0].Value(entries[0])
		switch {
		case err != nil:
			return nil, err
		case !ok && f.Fields[0].Required:
			return nil, errors.New("expected an answer, found nothing")
		}
		return v, nil
	}
	answer := ordered.Object{}
	for i := range f.Fields {
		field := &f.Fields[i]
		v, ok, err := field.Value(entries[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field.Name(), err)
		}
		if ok {
			answer = put(answer, field.Path, v)
		}
	}
	return answer, nil
}

// put sets what is at a path of an object, and makes the objects on the way.
func put(o ordered.Object, path []string, v ordered.Value) ordered.Object {
	if len(path) > 1 {
		inner, _ := o.Get(path[0]).(ordered.Object)
		v = put(inner, path[1:], v)
	}
	return o.Set(path[0], v)
}

// Check says what is wrong with what was filled in, nil for nothing.
func (f *Field) Check(e Entry) error {
	_, _, err := f.Value(e)
	return err
}

// Value reads what was filled in. An optional field that was left empty has no value.
func (f *Field) Value(e Entry) (v ordered.Value, ok bool, err error) {
	v, ok, err = f.value(e)
	if f.Null && !ok && err == nil {
		return nil, true, nil
	}
	if ok && err == nil && f.check != nil {
		err = f.check(v)
	}
	return v, ok, err
}

func (f *Field) value(e Entry) (v ordered.Value, ok bool, err error) {
	switch f.Kind {
	case Flag:
		if len(e.Choices) == 0 {
			return nil, false, f.missing()
		}
		return e.Choices[0] == 0, true, nil
	case Choice:
		if len(e.Choices) == 0 || e.Choices[0] >= len(f.Options) {
			return nil, false, f.missing()
		}
		return f.Options[e.Choices[0]].Value, true, nil
	case Many:
		chosen := ordered.Array{}
		for _, i := range e.Choices {
			chosen = append(chosen, f.Options[i].Value)
		}
		return chosen, f.Required || len(chosen) > 0, nil
	case Text, Prose:
		switch {
		case e.Text != "":
			return e.Text, true, nil
		case len(f.Path) == 0:
			return nil, false, f.missing()
		}
		return "", f.Required || f.empty, nil // in an object the empty text is a text
	case Items:
		return f.listed(e)
	case Variant:
		if len(e.Choices) == 0 || e.Choices[0] >= len(f.forms) || len(e.Forms) == 0 {
			return nil, false, f.missing()
		}
		v, err := f.forms[e.Choices[0]]().answer(e.Forms[0])
		return v, true, err
	default:
		return f.parse(strings.TrimSpace(e.Text))
	}
}

func (f *Field) parse(text string) (v ordered.Value, ok bool, err error) {
	switch {
	case f.Kind == List:
		list := ordered.Array{}
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			item, _, err := (&Field{Kind: f.items, Required: true}).Value(Entry{Text: line})
			if err != nil {
				return nil, false, err
			}
			list = append(list, item)
		}
		return list, f.Required || len(list) > 0, nil
	case text == "":
		return nil, false, f.missing()
	case f.Kind == JSON:
		v, err := ordered.Decode([]byte(text))
		if err != nil {
			return nil, false, fmt.Errorf("expected JSON: %w", err)
		}
		return v, true, nil
	}
	number, err := ordered.Decode([]byte(text))
	n, isNumber := number.(json.Number)
	if err != nil || !isNumber {
		return nil, false, fmt.Errorf("expected a number, found %q", text)
	}
	if f.Kind == Integer {
		r, ok := new(big.Rat).SetString(n.String())
		if len(n) > 40 || !ok || !r.IsInt() {
			return nil, false, fmt.Errorf("expected a whole number, found %q", text)
		}
	}
	return n, true, nil
}

func (f *Field) missing() error {
	switch {
	case !f.Required:
		return nil
	case f.Kind == Flag || f.Kind == Choice || f.Kind == Variant:
		_, err := choicesOf(f).find("")
		return err
	default:
		return errors.New("expected a value, found nothing")
	}
}

// Sample returns an answer to be filled in, with the required members. It is for the commands that answer later.
func (f *Form) Sample() json.RawMessage {
	var whole ordered.Value
	object := ordered.Object{}
	for i := range f.Fields {
		field := &f.Fields[i]
		if !field.Required && !field.Null {
			continue
		}
		v := field.sample()
		if len(field.Path) == 0 {
			whole = v
		} else {
			object = put(object, field.Path, v)
		}
	}
	if f.object {
		whole = object
	}
	data, err := ordered.Encode(whole)
	if err != nil {
		return json.RawMessage("null")
	}
	return data
}

func (f *Field) sample() ordered.Value {
	switch f.Kind {
	case Flag:
		return true
	case Choice:
		if len(f.Options) > 0 {
			return f.Options[0].Value
		}
		return nil
	case Many:
		if len(f.Options) > 0 {
			return ordered.Array{f.Options[0].Value}
		}
		return ordered.Array{}
	case Integer, Number:
		if f.Start.Text != "" {
			return json.Number(f.Start.Text)
		}
		return json.Number("0")
	case List:
		if f.items != Text {
			return ordered.Array{json.Number("0")}
		}
		return ordered.Array{"…"}
	case Items, Variant, JSON:
		return f.least
	default:
		if f.Start.Text != "" {
			return f.Start.Text
		}
		return "…"
	}
}

// Name is where the field is in the answer: "contact.mail"; "" when it is the answer.
func (f *Field) Name() string { return strings.Join(f.Path, ".") }

// Expects says in a few words what the field takes.
func (f *Field) Expects() string {
	switch f.Kind {
	case Flag:
		return "yes or no"
	case Choice, Many, Variant:
		labels := make([]string, len(f.Options))
		for i, o := range f.Options {
			labels[i] = o.Label
		}
		word := "one of "
		if f.Kind == Many {
			word = "any of "
		}
		return word + strings.Join(labels, ", ")
	case Integer:
		return "a whole number"
	case Number:
		return "a number"
	case List:
		if f.items != Text {
			return "a list of numbers"
		}
		return "a list of texts"
	case Items:
		if f.named {
			return "members of any name"
		}
		return "a list"
	case JSON:
		return "JSON"
	default:
		return "a text"
	}
}

// Starts are the entries that the form begins with.
func (f *Form) Starts() []Entry {
	entries := make([]Entry, len(f.Fields))
	for i := range f.Fields {
		start := &f.Fields[i].Start
		entries[i] = Entry{Text: start.Text, Choices: slices.Clone(start.Choices), Forms: slices.Clone(start.Forms)}
	}
	return entries
}
