package recipe

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v4"
)

func (n *step) readHuman(o *object) {
	n.prompt = o.needText("prompt", "the sentence that people are shown")
	n.inputs = o.bindings("inputs_map", "name")
	if o.has("required_role") {
		n.role = o.needText("required_role", "a role, or leave it out").text
	}
	n.options = readChoices(o)
	n.response = o.shape("response")
	if o.has("options") && o.has("response") {
		o.report.add(o.at("response"), "options and response exclude each other; options are a choice of texts")
	}
	n.readAudience(o)
	n.deadline = o.seconds()
	if o.has("on_timeout") {
		n.expiry = readExpiry(o.at("on_timeout"), o.report)
	}
	n.readReview(o)
	if o.has("on_timeout") && !o.has("timeout_seconds") {
		o.report.add(o.at("on_timeout"), "on_timeout needs timeout_seconds: without it there is no deadline")
	}
}

// readChoices reads the texts that an answer may be one of.
func readChoices(o *object) (options []string) {
	words := o.words("options")
	if o.has("options") && len(o.list("options")) == 0 && o.fields["options"].Kind == yaml.SequenceNode {
		o.report.add(o.at("options"), "there is no option; leave options out to take any text")
	}
	seen := make(map[string]bool)
	for _, w := range words {
		switch {
		case w.text == "":
			o.report.add(w.spot, "an option is empty")
		case seen[w.text]:
			o.report.add(w.spot, "the option %s stands here twice", quote(w.text))
		default:
			options = append(options, w.text)
		}
		seen[w.text] = true
	}
	return options
}

// readExpiry reads on_timeout: fail, or a mapping that says one thing.
func readExpiry(at spot, r *report) *expiry {
	const expected = "expected fail, {answer: …}, {route: node} or {escalate: role, timeout_seconds: n}"
	e := &expiry{spot: at, do: "fail"}
	if at.node.Kind == yaml.ScalarNode {
		if at.node.Value != "fail" {
			r.add(at, "%s; found %s", expected, kindOf(at.node))
		}
		return e
	}
	if at.node.Kind != yaml.MappingNode {
		r.add(at, "%s; found %s", expected, kindOf(at.node))
		return e
	}
	o := newObject(at, r, timeoutKeys)
	var said []string
	for _, do := range []string{"answer", "route", "escalate"} {
		if _, ok := o.fields[do]; ok {
			said = append(said, do)
		}
	}
	if len(said) != 1 {
		found := "none of them"
		if len(said) > 1 {
			found = strings.Join(said, " and ")
		}
		r.add(at, "%s; found %s", expected, found)
		return e
	}
	e.do = said[0]
	switch e.do {
	case "answer":
		e.answer = o.value("answer")
	case "route":
		e.target = o.needText("route", "the id of a node")
	case "escalate":
		e.role = o.needText("escalate", "a role").text
		e.within = o.seconds()
		if o.has("on_timeout") {
			e.then = readExpiry(o.at("on_timeout"), r)
			if e.within == 0 && !o.has("timeout_seconds") {
				r.add(o.at("on_timeout"), "on_timeout needs timeout_seconds: without it there is no deadline")
			}
		}
		return e
	}
	for _, key := range []string{"timeout_seconds", "on_timeout"} {
		if o.has(key) {
			r.add(o.at(key), "%s here goes with escalate, not with %s", key, e.do)
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
		return n.response.doc // nil for the schema true
	}
	return map[string]any{"type": "string"}
}

// answerSchemaJSON is the schema's text.
func (n *step) answerSchemaJSON() []byte {
	if n.response != nil {
		return n.response.compiled.JSON()
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
