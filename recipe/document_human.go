package recipe

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/node"
)

func (n *step) readHuman(o *document.Object) {
	n.asker = readAsker(o, o.NeedText("prompt", "the sentence that people are shown"))
	n.inputs = readBindings(o, "inputs_map", "name")
	n.form = readForm(o)
	n.readAudience(o)
	n.readReview(o)
}

// asker is who is asked, and for how long: by a node, or in the middle of a reasoning.
type asker struct {
	prompt text
	role   string        // who may answer; "" for anybody
	within time.Duration // until the deadline; 0 for none
	timed  bool          // timeout_seconds is written, rightly or not
	expiry *expiry       // what happens at the deadline; nil: the node fails
}

func readAsker(o *document.Object, prompt document.Word) asker {
	w := asker{prompt: text{Word: prompt}, within: o.Seconds(), timed: o.Has("timeout_seconds"), expiry: readOnTimeout(o)}
	if o.Has("required_role") {
		w.role = o.NeedText("required_role", "a role, or leave it out").Text
	}
	return w
}

// readAgentsAsker is readAsker for an agent. A deadline cannot lead to another node there: which one that is would depend on who
// calls the agent.
func readAgentsAsker(o *document.Object) asker {
	w := readAsker(o, o.Text("prompt"))
	for x := w.expiry; x != nil; x = x.then {
		if x.do == "route" {
			o.Report.Add(x.Spot, "a deadline in an agent cannot lead to a node; expected fail, {answer: …} or "+
				"{escalate: role, timeout_seconds: n}; let it fail, and give the node an on_failure edge")
		}
	}
	return w
}

// ask is how the person is asked.
func (w *asker) ask(prompt string) []node.AskOption {
	var options []node.AskOption
	if prompt != "" {
		options = append(options, node.Prompt(prompt))
	}
	if w.role != "" {
		options = append(options, node.Role(w.role))
	}
	if w.within > 0 {
		options = append(options, node.Within(w.within))
	}
	return append(options, w.expiry.options()...)
}

// form is what an answer may be: one of some texts, what a schema allows, or else any text.
type form struct {
	options  []string        // nil for other answers
	response *document.Shape // nil where it is not declared
}

func readForm(o *document.Object) form {
	f := form{options: readChoices(o), response: o.Shape("response")}
	if o.Has("options") && o.Has("response") {
		o.Report.Add(o.At("response"), "options and response exclude each other; options are a choice of texts")
	}
	return f
}

// shape is the form as a schema, which need not be compiled.
func (f *form) shape() *document.Shape {
	switch {
	case f.response != nil:
		return f.response
	case len(f.options) > 0:
		return &document.Shape{Doc: choiceSchema(f.options)}
	}
	return &document.Shape{Doc: map[string]any{"type": "string"}}
}

// readChoices reads the texts that an answer may be one of.
func readChoices(o *document.Object) (options []string) {
	if o.IsEmptyList("options") {
		o.Report.Add(o.At("options"), "there is no option; leave options out to take any text")
	}
	seen := make(map[string]bool)
	for _, w := range o.Words("options") {
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

// readOnTimeout reads what happens at the deadline; nil where it is not said.
func readOnTimeout(o *document.Object) *expiry {
	if !o.Has("on_timeout") {
		return nil
	}
	x := readExpiry(o.At("on_timeout"), o.Report)
	if !o.Has("timeout_seconds") {
		o.Report.Add(o.At("on_timeout"), "on_timeout needs timeout_seconds: without it there is no deadline")
	}
	return x
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
		e.within, e.then = o.Seconds(), readOnTimeout(o)
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
	if n.review != nil {
		return n.review.answer(nil, nil)
	}
	return n.shape().Doc
}

// answerSchemaJSON is the schema's text.
func (n *step) answerSchemaJSON() []byte {
	if n.response != nil {
		return n.response.Compiled.JSON()
	}
	return encoded(n.answerSchema())
}

// leaves is the schema of what a question puts on the blackboard.
func (n *step) leaves() map[string]any {
	if n.review != nil {
		return n.review.outcome()
	}
	return n.answerSchema()
}
