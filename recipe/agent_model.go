package recipe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// modelKind are agents that ask language models.
var modelKind = &agentKind{
	name: "model", does: "asks a model",
	keys: []string{
		"output", "model", "system", "prompt", "messages", "stream", "max_tokens", "temperature", "limits", "tools", "approval", "interrupt",
		"timeout_seconds",
	},
	outside: true, read: readModel,
}

// reasons is what an agent of kind model says about the model, and what the model may do.
type reasons struct {
	of          *agent           // whose words these are
	name        document.Word    // of the model, "" for the program's own choice
	asks        string           // the model that is asked: in tests, and for Options.ModelFor, it may be another
	script      *scripted.Script // what it asks where that is a file of the recipe's; nil for a model of the program's
	system      text
	prompt      text
	messages    *expression.Path // of the conversation so far; nil for none
	stream      node.StreamMode
	maxTokens   int      // of one reply; 0 for the model's own limit
	temperature *float64 // nil for the model's own
	limits      node.Limits
	tools       []*toolRef // in written order
	approval    *approval  // which calls a person looks at first; nil for none
	asking      *inquiry   // how the model may ask people; nil where it may not
}

// text is a template as it was written.
type text struct {
	document.Word
	code *expression.Template // nil where there is none, or it is wrong
}

// Keys of what is inside of an agent of kind model.
var (
	limitKeys    = []string{"turns", "repairs", "tokens", "cost"}
	approvalKeys = []string{"when", "prompt", "required_role", "timeout_seconds", "on_timeout"}
	askingKeys   = []string{
		"request", "response", "options", "required", "description", "prompt", "required_role", "timeout_seconds", "on_timeout",
	}
)

func readModel(a *agent, o *document.Object) work {
	m := &reasons{of: a, name: o.Text("model"), stream: node.StreamMode(o.Choice("stream", "off", "patch", "snapshot"))}
	if m.stream == "off" {
		m.stream = node.StreamOff
	}
	if o.Has("model") && m.name.Text == "" && m.name.Node.Kind == yaml.ScalarNode {
		o.Report.Add(m.name.Spot, "model is empty; expected a model such as openai:gpt-5, or leave it out for the program's own choice")
	}
	m.asks = m.name.Text
	m.system.Word = o.Text("system")
	m.prompt.Word = o.NeedText("prompt", "what the model is asked, such as \"Draft a reply to {{ reason }}\"")
	if at := o.Text("messages"); at.Text != "" {
		if path, ok := pathAt(at, o.Report); ok {
			m.messages = &path
		}
	}
	m.maxTokens = o.Number("max_tokens", 1, 0)
	if o.Has("temperature") {
		m.temperature = new(o.Decimal("temperature", 0, maxTemperature))
	}
	m.readLimits(o.Object("limits", limitKeys))
	for _, w := range o.Words("tools") {
		if t := readToolRef(w, o.Report); t != nil {
			m.tools = append(m.tools, t)
		}
	}
	if o.Has("approval") {
		m.approval = readApproval(o.Object("approval", approvalKeys))
	}
	if o.Has("interrupt") {
		m.asking = readInquiry(o.Object("interrupt", askingKeys))
	}
	a.timeout = o.Seconds()
	return m
}

// gives is a text where no output is declared.
func (m *reasons) gives(*flow, *step, expression.Names) *expression.Type {
	if m.of.output == nil {
		return expression.Plain(expression.TextKind)
	}
	return typeOfShape(m.of.output)
}

const (
	maxTemperature = 2
	maxDollars     = 1_000_000
	microDollars   = 1_000_000
)

func (m *reasons) readLimits(o *document.Object) {
	m.limits = node.Limits{
		Turns: o.Number("turns", 1, 0), Repairs: o.Number("repairs", 0, 0), Tokens: int64(o.Number("tokens", 1, 0)),
		Cost: dollars(o, "cost"),
	}
	if o.Has("repairs") && m.limits.Repairs == 0 {
		m.limits.Repairs = -1 // never
	}
	if o.Has("cost") && m.limits.Cost == 0 {
		m.limits.Cost = 1 // what costs anything reaches it
	}
}

// dollars reads an amount of dollars, in micro-dollars; 0 where it is not there.
func dollars(o *document.Object, key string) int64 {
	return int64(o.Decimal(key, 0, maxDollars) * microDollars)
}

// compileTexts compiles the texts of the agent.
func (m *reasons) compileTexts(c *checked) {
	for _, t := range m.texts() {
		t.code = c.template(t.Word)
	}
	if m.approval != nil && m.approval.when.Text != "" {
		m.approval.code = c.expression(m.approval.when)
	}
}

// texts are all templates of the agent.
func (m *reasons) texts() []*text {
	all := []*text{&m.system, &m.prompt}
	if m.approval != nil {
		all = append(all, &m.approval.prompt)
	}
	if m.asking != nil {
		all = append(all, &m.asking.prompt)
	}
	return all
}

// template compiles a text; nil where there is none, or it is wrong.
func (c *checked) template(w document.Word) *expression.Template {
	if w.Text == "" {
		return nil
	}
	t, fault := expression.CompileTemplate(w.Text)
	if fault != nil {
		c.report.Inside(w.Spot, fault.Offset, "%s", fault.Message)
	}
	return t
}

// checkModels checks what agents of kind model say beside their texts.
func (c *checked) checkModels() {
	for _, name := range slices.Sorted(maps.Keys(c.agents)) {
		a := c.agents[name]
		m := a.model()
		if m == nil {
			continue
		}
		c.checkTools(a)
		if m.approval == nil {
			continue
		}
		m.approval.check(c)
		if len(m.tools) == 0 {
			c.report.Add(a.Member("approval"), "approval is about calls of tools, and the model has none; give it tools, or leave approval out")
		}
	}
}

// checkStep checks the texts for one node that calls the agent.
func (m *reasons) checkStep(c *checked, n *step, _ expression.Names) {
	a := m.of
	args := expression.AnyNames()
	if c.wiring.seen[n] {
		args = c.flow.arguments(n, c.flow.before[n])
	}
	all := m.texts()
	if n.system.code != nil {
		all = append(all[1:], &n.system)
	}
	for _, t := range all {
		if t == &n.system {
			c.checkText(t, n, args)
		} else if t.code != nil {
			c.faultsFor(n, t.Spot, t.code.Check(c.place(args, c.ways(n, false))))
		}
	}
	if m.messages != nil {
		c.checkPath(*m.messages, a.Member("messages"), args, n)
	}
}

// caller asks the model for a node, whose system text takes the place of the agent's.
func (m *reasons) caller(c *checked, n *step) caller {
	a, system := m.of, m.system.code
	if n.system.Text != "" {
		system = n.system.code
	}
	return func(ctx node.Context, args map[string]any) (any, error) {
		r, err := c.reasoning(ctx, a, system, args)
		if err != nil {
			return nil, err
		}
		out, err := m.ask(ctx, r)
		if errors.Is(err, node.ErrOutput) || errors.Is(err, node.ErrLimit) || errors.Is(err, node.ErrSuspended) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("agent %q: %w", a.name, err)
		}
		return out, nil
	}
}

// ask asks the model, for a value of the output's schema or for a text.
func (m *reasons) ask(ctx node.Context, r node.Reasoning) (any, error) {
	if m.script != nil {
		ctx = ctx.WithContext(context.WithValue(ctx.Context, scriptKey{}, m.script))
	}
	if m.of.output == nil {
		return node.Reason[string](ctx, r)
	}
	r.Schema = m.of.output.Compiled
	data, err := node.Reason[json.RawMessage](ctx, r)
	if err != nil {
		return nil, err
	}
	return document.Decode(data)
}

// reasoning is what the model is asked for these arguments.
func (c *checked) reasoning(ctx node.Context, a *agent, system *expression.Template, args map[string]any) (node.Reasoning, error) {
	m := a.model()
	r := node.Reasoning{
		Model: m.asks, Stream: m.stream, DataType: a.name, Limits: m.limits, MaxTokens: m.maxTokens, Temperature: m.temperature,
	}
	var failed error
	say := func(key string, t *expression.Template) string {
		if t == nil || failed != nil {
			return ""
		}
		text, err := t.Render(expression.NewScope(args, ctx.Cause()))
		if err != nil {
			failed = definite{fmt.Errorf("agent %q: %s: %w", a.name, key, err)}
		}
		return text
	}
	r.System, r.Prompt = say("system", system), say("prompt", m.prompt.code)
	if m.approval != nil {
		r.Approval = m.approval.rule(say("approval: prompt", m.approval.prompt.code))
	}
	if m.asking != nil {
		r.Interrupt = m.asking.rule(say("interrupt: prompt", m.asking.prompt.code))
	}
	if failed != nil {
		return r, failed
	}
	if strings.TrimSpace(r.Prompt) == "" {
		return r, definite{fmt.Errorf("agent %q: the prompt is empty with these arguments; expected a text", a.name)}
	}
	var err error
	if m.messages != nil {
		if r.Messages, err = m.earlier(ctx, args); err != nil {
			return r, definite{fmt.Errorf("agent %q: messages: %w", a.name, err)}
		}
	}
	r.Tools, err = c.toolsOf(ctx, a)
	return r, err
}

// earlier reads the messages that were said before: a list of {role: user | assistant, text: …}.
func (m *reasons) earlier(ctx node.Context, args map[string]any) ([]model.Message, error) {
	v, _, err := lookUp(*m.messages, args, ctx.Cause())
	if err != nil || v == nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("expected a list of {role, text}, found %s", expression.Describe(v))
	}
	said := make([]model.Message, len(list))
	for i, one := range list {
		fields, _ := one.(map[string]any)
		text, isText := fields["text"].(string)
		role, _ := fields["role"].(string)
		if roles := []string{string(model.User), string(model.Assistant)}; !isText || !slices.Contains(roles, role) {
			return nil, fmt.Errorf("%d: expected {role: user or assistant, text: …}, found %s", i, expression.Text(one))
		}
		said[i] = model.Says(model.Role(role), text)
	}
	return said, nil
}

// AgentModel is an agent of a recipe that asks a model.
type AgentModel struct {
	Agent string // its name
	Model string // the name of the model, as the program is asked for it; "" for the program's own choice

	File         string // where the agent is written
	Line, Column int    // from 1
}

// Problem is what is wrong with the model, at the place of the agent.
func (m AgentModel) Problem(message string) definition.Problem {
	return definition.Problem{File: m.File, Line: m.Line, Column: m.Column, Path: document.Join("agents", m.Agent), Message: message}
}

// Models returns the agents that ask models, by name, of the recipe and of the recipes that it calls. They must be
// reachable before a run can end well (see [model.Set.Find] and [model.Ready]). Agents with a script of the recipe's
// are left out: the script is read and checked when the recipe is loaded, and kept with its runs.
func (r *Recipe) Models() []AgentModel {
	all := make(map[AgentModel]bool)
	for d := range r.doc.family(false) {
		for name := range d.called() {
			if m := d.agents[name].model(); m != nil && m.script == nil {
				at := m.of.Spot
				if m.name.Text != "" {
					at = m.name.Spot
				}
				all[AgentModel{Agent: name, Model: m.asks, File: at.Source.File, Line: at.Node.Line, Column: at.Node.Column}] = true
			}
		}
	}
	list := slices.Collect(maps.Keys(all))
	sort.Slice(list, func(i, j int) bool {
		return cmp.Or(strings.Compare(list[i].Agent, list[j].Agent), strings.Compare(list[i].Model, list[j].Model)) < 0
	})
	return list
}
