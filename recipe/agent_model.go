package recipe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// reasons is what an agent of kind model says about the model, and what the model may do.
type reasons struct {
	name           word // of the model, "" for the program's own choice
	asks           string
	script         *scripted.Script // what it asks where that is a file of the recipe's; nil for a model of the program's
	system, prompt text
	messages       path
	remembers      bool // messages is there
	stream         node.StreamMode
	maxTokens      int
	temperature    *float64
	limits         node.Limits
	tools          []*toolRef
	approval       *approval
	asking         *inquiry
}

// text is a template as it was written.
type text struct {
	word
	code *template // nil where there is none, or it is wrong
}

// Keys of what is inside of an agent of kind model.
var (
	limitKeys    = []string{"turns", "repairs", "tokens", "cost"}
	approvalKeys = []string{"when", "prompt", "required_role", "timeout_seconds", "on_timeout"}
	askingKeys   = []string{
		"request", "response", "options", "required", "description", "prompt", "required_role", "timeout_seconds", "on_timeout",
	}
)

func (a *agent) readModel(o *object) {
	m := &reasons{name: o.text("model"), stream: node.StreamMode(o.choice("stream", "off", "patch", "snapshot"))}
	if m.stream == "off" {
		m.stream = node.StreamOff
	}
	if o.has("model") && m.name.text == "" && m.name.node.Kind == yaml.ScalarNode {
		o.report.add(m.name.spot, "model is empty; expected a model such as openai:gpt-5, or leave it out for the program's own choice")
	}
	m.asks = m.name.text
	m.system.word = o.text("system")
	m.prompt.word = o.needText("prompt", "what the model is asked, such as \"Draft a reply to {{ reason }}\"")
	if at := o.text("messages"); at.text != "" {
		var err error
		if m.messages, err = parsePath(at.text); err != nil {
			o.report.add(at.spot, "%v", err)
		}
		m.remembers = err == nil
	}
	m.maxTokens = o.number("max_tokens", 1, 0)
	if o.has("temperature") {
		t := o.decimal("temperature", 0, maxTemperature)
		m.temperature = &t
	}
	m.readLimits(o.object("limits", limitKeys))
	for _, w := range o.words("tools") {
		if t := readToolRef(w, o.report); t != nil {
			m.tools = append(m.tools, t)
		}
	}
	if o.has("approval") {
		m.approval = readApproval(o.object("approval", approvalKeys))
	}
	if o.has("interrupt") {
		m.asking = readInquiry(o.object("interrupt", askingKeys))
	}
	a.timeout = o.seconds()
	a.reasons = m
}

const (
	maxTemperature = 2
	maxDollars     = 1_000_000
	microDollars   = 1_000_000
)

func (m *reasons) readLimits(o *object) {
	m.limits = node.Limits{
		Turns: o.number("turns", 1, 0), Repairs: o.number("repairs", 0, 0), Tokens: int64(o.number("tokens", 1, 0)),
		Cost: o.dollars("cost"),
	}
	if o.has("repairs") && m.limits.Repairs == 0 {
		m.limits.Repairs = -1 // never
	}
	if o.has("cost") && m.limits.Cost == 0 {
		m.limits.Cost = 1 // what costs anything reaches it
	}
}

// dollars reads an amount of dollars, in micro-dollars; 0 where it is not there.
func (o *object) dollars(key string) int64 {
	return int64(o.decimal(key, 0, maxDollars) * microDollars)
}

// decimal reads a number from least to most; 0 where it is not there.
func (o *object) decimal(key string, least, most float64) float64 {
	if !o.has(key) {
		return 0
	}
	n := o.fields[key]
	if tag := n.ShortTag(); n.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float") {
		if number, err := numberOf(n); err == nil {
			if f, err := number.Float64(); err == nil && f >= least && f <= most {
				return f
			}
		}
	}
	o.report.add(o.at(key), "expected a number from %.0f to %.0f, found %s", least, most, kindOf(n))
	return 0
}

// compileModel compiles the texts of an agent of kind model.
func (c *checked) compileModel(m *reasons) {
	for _, t := range m.texts() {
		t.code = c.template(t.word)
	}
	if m.approval != nil && m.approval.when.text != "" {
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
func (c *checked) template(w word) *template {
	if w.text == "" {
		return nil
	}
	t, fault := compileTemplate(w.text)
	if fault != nil {
		c.report.inside(w.spot, fault.offset, "%s", fault.message)
	}
	return t
}

// checkModels checks what agents of kind model say beside their texts.
func (c *checked) checkModels() {
	for _, name := range keysOfAgents(c.agents) {
		a := c.agents[name]
		if a.reasons == nil {
			continue
		}
		c.checkTools(a)
		if a.reasons.approval == nil {
			continue
		}
		a.reasons.approval.check(c)
		if len(a.reasons.tools) == 0 {
			c.report.add(a.spotOf("approval"), "approval is about calls of tools, and the model has none; give it tools, or leave approval out")
		}
	}
}

// checkModelStep checks what a node says about an agent of kind model, or of kind mcp, that it calls.
func (c *checked) checkModelStep(n *step, a *agent) {
	if n.system.text != "" && a.kind != kindModel && a.kind != "" {
		c.report.add(n.system.spot, "system_prompt_override is for agents of kind model; %s is of kind %s", quote(a.name), a.kind)
	}
	switch {
	case a.reasons != nil:
		c.checkModelTexts(n, a)
	case a.kind == kindMCP && a.tool.text == "":
		c.report.add(n.ref.spot, "the agent %s has no tool that a node could call; write one (tool: …) there; without one it serves models alone (tools: [\"mcp:%s/…\"])",
			quote(a.name), a.name)
	}
}

// checkModelTexts checks the texts of an agent of kind model for one node that calls it.
func (c *checked) checkModelTexts(n *step, a *agent) {
	args := anyNames()
	if c.wiring.seen[n] {
		args = c.flow.arguments(n, c.flow.before[n])
	}
	all := a.reasons.texts()
	if n.system.code != nil {
		all = append(all[1:], &n.system)
	}
	for _, t := range all {
		if t.code == nil {
			continue
		}
		faults := t.code.check(args, c.report, func(name string) string { return c.flow.way(name, n, false) })
		if t != &n.system {
			for i := range faults {
				faults[i].message += fmt.Sprintf(" (for the node %s)", quote(n.id.text))
			}
		}
		c.faults(t.spot, faults)
	}
	if a.reasons.remembers {
		c.checkPath(a.reasons.messages, a.spotOf("messages"), args, n)
	}
}

// spotOf is the place of a key of the agent.
func (a *agent) spotOf(key string) spot {
	for k, v := range entries(a.node) {
		if k.Value == key {
			return spot{src: a.src, node: v, path: join(a.path, key)}
		}
	}
	return a.spot
}

// reason makes the way to call an agent of kind model from a node, whose system text takes the place of the agent's.
func (c *checked) reason(a *agent, n *step) caller {
	system := a.reasons.system.code
	if n.system.text != "" {
		system = n.system.code
	}
	return func(ctx node.Context, args map[string]any) (any, error) {
		r, err := c.reasoning(ctx, a, system, args)
		if err != nil {
			return nil, err
		}
		out, err := a.ask(ctx, r)
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
func (a *agent) ask(ctx node.Context, r node.Reasoning) (any, error) {
	if a.reasons.script != nil {
		ctx = ctx.WithContext(context.WithValue(ctx.Context, scriptKey{}, a.reasons.script))
	}
	if a.output == nil {
		return node.Reason[string](ctx, r)
	}
	r.Schema = a.output.compiled
	data, err := node.Reason[json.RawMessage](ctx, r)
	if err != nil {
		return nil, err
	}
	return decodeJSON(data)
}

// reasoning is what the model is asked for these arguments.
func (c *checked) reasoning(ctx node.Context, a *agent, system *template, args map[string]any) (node.Reasoning, error) {
	m := a.reasons
	r := node.Reasoning{
		Model: m.asks, Stream: m.stream, DataType: a.name, Limits: m.limits, MaxTokens: m.maxTokens, Temperature: m.temperature,
	}
	var failed error
	say := func(key string, t *template) string {
		if t == nil || failed != nil {
			return ""
		}
		text, err := t.render(newScope(args, ctx.Cause()))
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
	if m.remembers {
		if r.Messages, err = m.earlier(ctx, args); err != nil {
			return r, definite{fmt.Errorf("agent %q: messages: %w", a.name, err)}
		}
	}
	r.Tools, err = c.toolsOf(ctx, a)
	return r, err
}

// earlier reads the messages that were said before: a list of {role: user | assistant, text: …}.
func (m *reasons) earlier(ctx node.Context, args map[string]any) ([]model.Message, error) {
	v, err := readPath(m.messages, args, ctx.Cause())
	if err != nil || v == nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("expected a list of {role, text}, found %s", typeOf(v))
	}
	said := make([]model.Message, len(list))
	for i, one := range list {
		fields, _ := one.(map[string]any)
		text, isText := fields["text"].(string)
		role, _ := fields["role"].(string)
		if roles := []string{string(model.User), string(model.Assistant)}; !isText || !slices.Contains(roles, role) {
			return nil, fmt.Errorf("%d: expected {role: user or assistant, text: …}, found %s", i, textOf(one))
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
func (m AgentModel) Problem(message string) Problem {
	return Problem{File: m.File, Line: m.Line, Column: m.Column, Path: join("agents", m.Agent), Message: message}
}

// Models are the agents that ask models, of those that the recipe and the recipes in it call, by their names: what has
// to be there before a run can be expected to end well (see [model.Set.Find] and [model.Ready]). Those with a script of
// the recipe's are left out: it is read and checked when the recipe is loaded, and kept with its runs.
func (r *Recipe) Models() []AgentModel {
	all := make(map[AgentModel]bool)
	r.doc.addModels(all, make(map[*document]bool))
	return slices.SortedFunc(maps.Keys(all), func(a, b AgentModel) int {
		return cmp.Or(strings.Compare(a.Agent, b.Agent), strings.Compare(a.Model, b.Model))
	})
}

func (d *document) addModels(all map[AgentModel]bool, seen map[*document]bool) {
	if seen[d] {
		return
	}
	seen[d] = true
	for name := range d.called() {
		switch a := d.agents[name]; {
		case a == nil:
		case a.reasons != nil && a.reasons.script != nil:
		case a.reasons != nil:
			at := a.spot
			if a.reasons.name.text != "" {
				at = a.reasons.name.spot
			}
			all[AgentModel{Agent: name, Model: a.reasons.asks, File: at.src.file, Line: at.node.Line, Column: at.node.Column}] = true
		case a.nested != nil:
			a.nested.doc.addModels(all, seen)
		}
	}
}

// asker is what is said about the person that is asked in the middle of a reasoning.
type asker struct {
	prompt text
	role   string
	within time.Duration
	expiry *expiry
}

// readAsker reads who is asked, and for how long. A deadline cannot lead to another node: which one that is would
// depend on who calls the agent.
func readAsker(o *object) asker {
	w := asker{prompt: text{word: o.text("prompt")}, within: o.seconds()}
	if o.has("required_role") {
		w.role = o.needText("required_role", "a role, or leave it out").text
	}
	if !o.has("on_timeout") {
		return w
	}
	w.expiry = readExpiry(o.at("on_timeout"), o.report)
	if !o.has("timeout_seconds") {
		o.report.add(o.at("on_timeout"), "on_timeout needs timeout_seconds: without it there is no deadline")
	}
	for x := w.expiry; x != nil; x = x.then {
		if x.do == "route" {
			o.report.add(x.spot, "a deadline in an agent cannot lead to a node; expected fail, {answer: …} or "+
				"{escalate: role, timeout_seconds: n}; let it fail, and give the node an on_failure edge")
		}
	}
	return w
}

// options are how the person is asked.
func (w *asker) options(prompt string) []node.AskOption {
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
