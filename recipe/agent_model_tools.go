package recipe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
)

// toolRef is a tool that a model may call: one of a server's, all of them, or another agent.
type toolRef struct {
	document.Word
	server, tool string // mcp:SERVER/TOOL; the tool is * for all
	agent        string // agent:NAME
}

const expectedTool = "expected mcp:SERVER/TOOL, mcp:SERVER/* or agent:NAME"

func readToolRef(w document.Word, r *document.Report) *toolRef {
	t := &toolRef{Word: w}
	if !t.read() {
		r.Add(w.Spot, "the tool is %s; %s", document.Quote(w.Text), expectedTool)
		return nil
	}
	return t
}

// read takes the text apart; false where it names no tool in this way.
func (t *toolRef) read() bool {
	kind, rest, _ := strings.Cut(t.Text, ":")
	switch kind {
	case "agent":
		t.agent = rest
		return rest != ""
	case "mcp":
		var ok bool
		t.server, t.tool, ok = strings.Cut(rest, "/")
		return ok && t.server != "" && t.tool != ""
	}
	return false
}

// known is the name that models know the tool by.
func (t *toolRef) known() string {
	if t.agent != "" {
		return t.agent
	}
	return toolName(t.server + "_" + t.tool)
}

// checkTools checks that the tools of a model are there, and that no two of them have one name.
func (c *checked) checkTools(a *agent) {
	seen := make(map[string]bool)
	taken := make(map[string]string)
	if q := a.model().asking; q != nil {
		taken[askPerson] = "what the model asks people by (interrupt)"
	}
	for _, t := range a.tools() {
		if seen[t.Text] {
			c.report.Add(t.Spot, "the tool %s stands here twice", document.Quote(t.Text))
			continue
		}
		seen[t.Text] = true
		name := c.checkTool(t)
		if before, twice := taken[name]; twice && name != "" {
			c.report.Add(t.Spot, "the model would know this tool as %s, and that is %s already; give the agent another name", document.Quote(name), before)
			continue
		}
		taken[name] = t.Text
	}
}

// checkTool checks one tool, and gives the name that the model knows it by; "" where that is not known.
func (c *checked) checkTool(t *toolRef) string {
	name := t.server + t.agent
	of := c.agents[name]
	switch {
	case of == nil:
		c.report.Add(t.Spot, "there is no agent %s%s", document.Quote(name), c.hintAgent(name))
	case of.kind == nil: // reported already
	case t.server != "" && of.serves() == nil:
		c.report.Add(t.Spot, "the agent %s is of kind %s; expected one of kind mcp, whose server has the tool", document.Quote(name), of.kind.name)
	case t.server != "" && t.tool != "*":
		return t.known()
	case t.server != "":
	case !of.kind.tool:
		c.report.Add(t.Spot, "an agent of kind %s cannot be a tool; expected one of kind %s or Go%s", of.kind.name, toolKinds(), mcpHint(of))
	case of.kind.read != nil && (of.input == nil || of.description == ""):
		c.report.Add(t.Spot, "the agent %s needs a description and an input (a JSON Schema of an object): "+
			"they tell the model what it does, and what it is to be given", document.Quote(name))
	case toolName(name) != name:
		c.report.Add(t.Spot, "the agent's name %s is none for a tool; expected letters, digits, _ and -, at most %d of them", document.Quote(name), longestTool)
	default:
		return name
	}
	return ""
}

// toolKinds are the kinds that recipes write and whose agents can be tools.
func toolKinds() string {
	var all []string
	for _, k := range agentKinds {
		if k.tool && k.read != nil {
			all = append(all, k.name)
		}
	}
	return strings.Join(all, ", ")
}

func mcpHint(a *agent) string {
	if w := a.serves(); w != nil {
		return fmt.Sprintf("; write %q for a tool of its server", "mcp:"+a.name+"/"+cmp.Or(w.tool.Text, "*"))
	}
	return ""
}

// longestTool is how long the name of a tool may be.
const longestTool = 64

// notInTools are the characters that models do not take in the name of a tool.
var notInTools = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// toolName is a name with the characters and the length that models take.
func toolName(name string) string {
	plain := notInTools.ReplaceAllString(name, "_")
	return plain[:min(len(plain), longestTool)]
}

// offered is a tool of a server, as it was when the reasoning began.
type offered struct {
	Agent       string          `json:"agent"` // of kind mcp
	Tool        string          `json:"tool"`  // as the connection knows it
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
}

// stepTools is the step that finds out which tools the servers have: a replay needs no server, and sees no other tools.
const stepTools = "tools"

// toolsOf are the tools that the model may call.
func (c *checked) toolsOf(ctx node.Context, a *agent) ([]node.Tool, error) {
	var tools []node.Tool
	served := false
	for _, t := range a.tools() {
		if t.agent != "" {
			tools = append(tools, c.agents[t.agent].asTool(c))
		}
		served = served || t.server != ""
	}
	if !served {
		return tools, nil
	}
	found, err := node.Step(ctx, stepTools, func(ctx node.Context) ([]offered, error) {
		var all []offered
		for _, t := range a.tools() {
			if t.server == "" {
				continue
			}
			some, staged := c.stage.offers(c.agents[t.server], t.tool)
			if !staged {
				var err error
				if some, err = c.agents[t.server].serves().offers(ctx, t.tool); err != nil {
					return nil, err
				}
			}
			all = append(all, some...)
		}
		return all, nil
	})
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for _, o := range found {
		if t := c.agents[o.Agent].serves().serverTool(o, c.stage); !known[t.Name] { // mcp:files/read beside mcp:files/*
			known[t.Name] = true
			tools = append(tools, t)
		}
	}
	return tools, nil
}

// asTool is an agent as a model calls it. What it says has gone wrong, the model is told.
func (a *agent) asTool(c *checked) node.Tool {
	call := c.stage.caller(a, 0, a.calledBy(c, nil))
	t := node.Tool{Name: a.name, Description: a.description, Once: a.once}
	switch {
	case a.tool != nil:
		t.Description, t.Input = a.tool.Description, a.tool.Input
	case a.input != nil:
		t.Input = a.input.Compiled.JSON()
	default:
		t.Input = anyObject
	}
	t.Call = func(ctx node.Context, arguments json.RawMessage) (string, error) {
		args, err := objectOf(arguments)
		if err != nil {
			return "", err
		}
		out, err := call(ctx, args)
		if err != nil {
			return "", err
		}
		switch err := a.output.Check(out); {
		case err != nil && a.once: // it has happened: the model must not take it for a failure
			return "", a.unsettled("its output does not fit its schema: "+err.Error(), "")
		case err != nil:
			return "", fmt.Errorf("its output does not fit its schema: %w", err)
		}
		return resultText(out), nil
	}
	return t
}

// anyObject is the schema of tools that say nothing of their arguments.
var anyObject = json.RawMessage(`{"type":"object"}`)

// objectOf are the arguments of a call.
func objectOf(arguments json.RawMessage) (map[string]any, error) {
	v, err := document.Decode(arguments)
	if err != nil {
		return nil, err
	}
	args, err := board(v)
	if err != nil {
		return nil, fmt.Errorf("the arguments: expected an object, found %s", expression.Describe(v))
	}
	return args, nil
}

// resultText returns the text of a tool's output for a model.
func resultText(out any) string {
	if out == nil {
		return "done"
	}
	return expression.Text(out)
}

// approval is which calls of tools a person looks at first.
type approval struct {
	asker
	when document.Word
	code *expression.Expression // nil for all calls
}

func readApproval(o *document.Object) *approval {
	p := &approval{when: o.Text("when"), asker: readAgentsAsker(o)}
	if o.Has("when") && strings.TrimSpace(p.when.Text) == "" {
		o.Report.Add(o.At("when"), "when is empty; expected an expression such as \"tool == 'files_write'\", or leave it out for all calls")
		p.when.Text = ""
	}
	for x := p.expiry; x != nil; x = x.then {
		if x.do != "answer" {
			continue
		}
		v, _ := x.answer.(map[string]any)
		switch action, _ := v["action"].(string); node.Action(action) {
		case node.Approve, node.Deny:
		default:
			o.Report.Add(x.Spot, "the answer at the deadline is about a call of a tool; expected {action: approve} or {action: deny, reason: …}")
		}
	}
	return p
}

// The names that an approval's when knows.
const (
	callTool      = "tool"
	callArguments = "arguments"
)

// check checks the expression that says which calls.
func (p *approval) check(c *checked) {
	if p.code == nil {
		return
	}
	known := expression.NoNames()
	known.Set(callTool, expression.Plain(expression.TextKind))
	known.Set(callArguments, expression.Anything)
	c.condition(p.when, p.code, known, nil)
}

// rule is the approval with its prompt. A condition that cannot be calculated for a call asks the person.
func (p *approval) rule(prompt string) *node.Approval {
	rule := &node.Approval{Ask: p.ask(prompt)}
	if p.code == nil {
		return rule
	}
	rule.When = func(call model.ToolCall) bool {
		arguments, err := document.Decode(call.Arguments)
		if err != nil {
			return true
		}
		yes, err := p.code.Holds(expression.NewScope(map[string]any{callTool: call.Name, callArguments: arguments}, nil))
		return yes || err != nil
	}
	return rule
}

// inquiry is how the model may ask a person.
type inquiry struct {
	asker
	form
	request     *document.Shape // what the model says when it asks; nil for a text
	required    bool
	description string
}

// askPerson is the tool by which models ask people.
const askPerson = "ask_person"

func readInquiry(o *document.Object) *inquiry {
	q := &inquiry{
		asker: readAgentsAsker(o), form: readForm(o), request: o.Shape("request"), required: o.Flag("required"),
		description: o.Text("description").Text,
	}
	checkAnswers(q.expiry, q.shape(), o.Report)
	return q
}

// rule is the asking with its prompt.
func (q *inquiry) rule(prompt string) *node.Asking {
	rule := &node.Asking{
		Name: askPerson, Required: q.required, Description: q.description, Ask: q.ask(prompt),
		Request: q.request.Schema(), Response: q.response.Schema(),
	}
	if len(q.options) > 0 {
		rule.Ask = append(rule.Ask, node.Options(q.options...))
	}
	return rule
}
