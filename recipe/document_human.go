package recipe

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
)

func (n *step) readHuman(o *document.Object) {
	n.prompt.Word = o.NeedText("prompt", "the sentence that people are shown")
	n.inputs = readBindings(o, "inputs_map", "name")
	if o.Has("required_role") {
		n.role = o.NeedText("required_role", "a role, or leave it out").Text
	}
	n.options = readChoices(o)
	n.response = o.Shape("response")
	if o.Has("options") && o.Has("response") {
		o.Report.Add(o.At("response"), "options and response exclude each other; options are a choice of texts")
	}
	n.readAudience(o)
	n.deadline, n.timed = o.Seconds(), o.Has("timeout_seconds")
	if o.Has("on_timeout") {
		n.expiry = readExpiry(o.At("on_timeout"), o.Report)
	}
	n.readReview(o)
	if o.Has("on_timeout") && !o.Has("timeout_seconds") {
		o.Report.Add(o.At("on_timeout"), "on_timeout needs timeout_seconds: without it there is no deadline")
	}
}

// readChoices reads the texts that an answer may be one of.
func readChoices(o *document.Object) (options []string) {
	words := o.Words("options")
	if o.Has("options") && len(o.List("options")) == 0 && o.Fields["options"].Kind == yaml.SequenceNode {
		o.Report.Add(o.At("options"), "there is no option; leave options out to take any text")
	}
	seen := make(map[string]bool)
	for _, w := range words {
		switch {
		case w.Text == "":
			o.Report.Add(w.Spot, "an option is empty")
		case seen[w.Text]:
			o.Report.Add(w.Spot, "the option %s stands here twice", document.Quote(w.Text))
		default:
			options = append(options, w.Text)
		}
		seen[w.Text] = true
	}
	return options
}

// readExpiry reads on_timeout: fail, or a mapping that says one thing.
func readExpiry(at document.Spot, r *document.Report) *expiry {
	const expected = "expected fail, {answer: …}, {route: node} or {escalate: role, timeout_seconds: n}"
	e := &expiry{Spot: at, do: "fail"}
	if at.Node.Kind == yaml.ScalarNode {
		if at.Node.Value != "fail" {
			r.Add(at, "%s; found %s", expected, document.Describe(at.Node))
		}
		return e
	}
	if at.Node.Kind != yaml.MappingNode {
		r.Add(at, "%s; found %s", expected, document.Describe(at.Node))
		return e
	}
	o := document.NewObject(at, r, timeoutKeys)
	var said []string
	for _, do := range []string{"answer", "route", "escalate"} {
		if _, ok := o.Fields[do]; ok {
			said = append(said, do)
		}
	}
	if len(said) != 1 {
		found := "none of them"
		if len(said) > 1 {
			found = strings.Join(said, " and ")
		}
		r.Add(at, "%s; found %s", expected, found)
		return e
	}
	e.do = said[0]
	switch e.do {
	case "answer":
		e.answer = o.Value("answer")
	case "route":
		e.target = o.NeedText("route", "the id of a node")
	case "escalate":
		e.role = o.NeedText("escalate", "a role").Text
		e.within = o.Seconds()
		if o.Has("on_timeout") {
			e.then = readExpiry(o.At("on_timeout"), r)
			if e.within == 0 && !o.Has("timeout_seconds") {
				r.Add(o.At("on_timeout"), "on_timeout needs timeout_seconds: without it there is no deadline")
			}
		}
		return e
	}
	for _, key := range []string{"timeout_seconds", "on_timeout"} {
		if o.Has(key) {
			r.Add(o.At(key), "%s here goes with escalate, not with %s", key, e.do)
		}
	}
	return e
}

// choiceSchema is the schema of one of some texts.
func choiceSchema(options []string) map[string]any {
	enum := make([]any, len(options))
	for i, o := range options {
		enum[i] = o
	}
	return map[string]any{"type": "string", "enum": enum}
}

// answerSchema is what an answer must pass.
func (n *step) answerSchema() map[string]any {
	switch {
	case n.review != nil:
		return n.review.answer(nil, nil)
	case len(n.options) > 0:
		return choiceSchema(n.options)
	case n.response != nil:
		return n.response.Doc // nil for the schema true
	}
	return map[string]any{"type": "string"}
}

// answerSchemaJSON is the schema's text.
func (n *step) answerSchemaJSON() []byte {
	if n.response != nil {
		return n.response.Compiled.JSON()
	}
	data, err := json.Marshal(n.answerSchema())
	if err != nil {
		return []byte(`{"type":"string"}`) // texts always encode
	}
	return data
}

// leaves is the schema of what a question puts on the blackboard.
func (n *step) leaves() map[string]any {
	if n.review != nil {
		return n.review.outcome()
	}
	return n.answerSchema()
}
