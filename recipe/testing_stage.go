package recipe

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Test is one of the tests of a recipe.
type Test struct {
	Name   string // unique within the recipe
	File   string // the recipe's, or the file of tests beside it
	Line   int    // from 1
	Column int

	recipe *Recipe
	number int
}

// Tests are the tests that the recipe holds, and those of Options.Tests, in written order.
func (r *Recipe) Tests() []Test {
	all := make([]Test, len(r.doc.tests))
	for i, t := range r.doc.tests {
		at := t.name
		all[i] = Test{Name: at.Text, File: at.Source.File, Line: at.Node.Line, Column: at.Node.Column, recipe: r, number: i}
	}
	return all
}

// Live names the agents outside the engine that the test calls themselves ({live: true}). They are programs, web services,
// servers and models: repeating the test repeats what they do.
func (t Test) Live() []string {
	doc := t.recipe.doc
	all, live := doc.everyAgent(), []string(nil)
	for _, in := range doc.tests[t.number].standIns {
		name, _, _ := strings.Cut(in.agent.Text, "/")
		outside := slices.ContainsFunc(all[name], func(a *agent) bool {
			return a.kind != nil && a.kind.outside && (a.model() == nil || a.model().script == nil)
		})
		if in.live && outside {
			live = append(live, in.agent.Text)
		}
	}
	return live
}

// Stage is a test that is ready to run: its plan, inputs, answers and judgement. The agents of the plan are called as
// the test says. A stage serves one run at a time, which several processes may run one after the other; Reset makes it
// ready for another run. Its methods may be called from several goroutines. Package recipetest runs it.
type Stage struct {
	test *test
	plan *plan.Plan // of the recipe, with what stands in
	from *Recipe    // the recipe as it is

	mu      sync.Mutex                // guards what follows
	acts    map[string]map[string]int // stand-in -> call -> which of its acts
	said    map[*lines]map[string]int // call of a model -> which of its replies
	calls   map[string][]agentCall    // agent -> its calls
	effects map[string]int            // agent -> how often it took effect
	asked   []question                // of people, in order
	used    map[string]int            // node -> how many of its replies were given
	broken  []string                  // what no test allows
}

// agentCall is a call of an agent.
type agentCall struct {
	key  string
	args map[string]any
}

// question is a question that was asked: a node, the call in its task, and to whom.
type question struct {
	key, node, prompt, role string
	options                 []string
	reply                   int // which of the replies; -1 for none
}

// Stage makes the test ready to run.
func (t Test) Stage() (*Stage, error) {
	s := &Stage{test: t.recipe.doc.tests[t.number]}
	s.Reset()
	r, err := t.recipe.again(s)
	if err != nil {
		return nil, err
	}
	s.plan, s.from, s.test = r.plan, r, r.doc.tests[t.number]
	return s, nil
}

// Plan is the recipe's plan with the test's agents.
func (s *Stage) Plan() *plan.Plan { return s.plan }

// Input is what the run begins with. Where the test expects that its inputs are refused, it is the refusal.
func (s *Stage) Input() (map[string]any, error) { return s.from.Input(s.test.inputs) }

// Starter is who starts the run.
func (s *Stage) Starter() string { return s.test.by }

// Messages calls send for each message of the test, in order.
func (s *Stage) Messages(send func(name string, value any)) {
	for _, m := range s.test.messages {
		send(m.name.Text, expression.Clone(m.value))
	}
}

// Refused reports whether the test expects that its inputs are refused: then there is nothing to run.
func (s *Stage) Refused() bool { return s.test.expect.status.Text == statusRefused }

// Reset forgets what has happened, so that another run can begin.
func (s *Stage) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acts, s.calls = make(map[string]map[string]int), make(map[string][]agentCall)
	s.said = make(map[*lines]map[string]int)
	s.effects, s.used = make(map[string]int), make(map[string]int)
	s.asked, s.broken = nil, nil
}

// Effects is how often each agent that something stands in for took effect.
func (s *Stage) Effects() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.effects)
}

// Once are the effects that are never repeated: those of agents that are at_most_once.
func (s *Stage) Once() []string {
	var all []string
	for name, agents := range s.from.doc.everyAgent() {
		if !slices.ContainsFunc(agents, func(a *agent) bool { return a.once }) {
			continue
		}
		all = append(all, name)
		for _, in := range s.test.standIns {
			if strings.HasPrefix(in.agent.Text, name+"/") {
				all = append(all, in.agent.Text)
			}
		}
	}
	slices.Sort(all)
	return all
}

// Reply says what is done about a question.
type Reply int

// The replies to a question.
const (
	Answers Reply = iota // with the answer
	Expires              // nobody answers: time goes on to the deadline
	Waits                // the test has no answer: the run is left waiting
)

// Answer is what the test says to a question, and who: the same for the same question, always. A question that was
// escalated is another one. by is "" where it does not matter who answers.
func (s *Stage) Answer(q *fermata.Interrupt) (answer any, by string, what Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, _ := node.CutTask(q.Task)
	at := question{
		key: fmt.Sprintf("%s %s %s %d", q.Task, q.Op, q.Role, q.Deadline), node: node.NodeOf(path), prompt: q.Prompt,
		role: q.Role, options: q.Options, reply: -1,
	}
	i := slices.IndexFunc(s.asked, func(other question) bool { return other.key == at.key })
	if i < 0 {
		i = len(s.asked)
		if list := s.test.repliesOf(at.node); s.used[at.node] < len(list) {
			at.reply = s.used[at.node]
		}
		s.used[at.node]++
		s.asked = append(s.asked, at)
	}
	if s.asked[i].reply < 0 {
		return nil, "", Waits
	}
	r := s.test.repliesOf(at.node)[s.asked[i].reply]
	if r.expire {
		return nil, "", Expires
	}
	switch {
	case r.by != "":
		by = r.by
	case q.Assignee != "":
		by = q.Assignee
	case len(q.NotBy)+len(q.NotByNodes) > 0:
		by = "somebody at " + at.node
	}
	return expression.Clone(r.value), by, Answers
}

func (t *test) repliesOf(node string) []reply {
	for _, a := range t.answers {
		if a.node.Text == node {
			return a.list
		}
	}
	return nil
}

func (t *test) standIn(agent string) *standIn {
	for _, s := range t.standIns {
		if s.agent.Text == agent {
			return s
		}
	}
	return nil
}

// replaces reports whether something stands in for an agent.
func (s *Stage) replaces(a *agent) bool {
	if s == nil {
		return false
	}
	in := s.test.standIn(a.name)
	return in != nil && !in.live
}

// caller is how a node calls an agent, or a model calls it as a tool: as itself, or as the test says. The time is how
// long a call may take; 0 for no limit.
func (s *Stage) caller(a *agent, limit time.Duration, itself caller) caller {
	if s == nil {
		return itself
	}
	return func(ctx node.Context, args map[string]any) (any, error) {
		in := s.test.standIn(a.name)
		if in == nil || in.live {
			if err := s.outside(a, in); err != nil {
				return nil, err
			}
			s.note(a.name, callKey(ctx), args)
			return itself(ctx, args)
		}
		return s.instead(ctx, a, in, limit, args)
	}
}

// outside refuses an agent that would reach what a test must not.
func (s *Stage) outside(a *agent, in *standIn) error {
	switch {
	case a.kind == nil || !a.kind.outside || in != nil: // live
		return nil
	case a.model() != nil && (s.linesOf(a.name) != nil || a.model().script != nil):
		return nil
	case a.model() != nil:
		return definite{s.breaks("agent %q asks a model: a test does not. Say in this test what it says, such as models: {%s: [{output: {…}}]}, "+
			"or what stands in for the agent: agents: {%s: {returns: {…}}}", a.name, a.name, a.name)}
	}
	return definite{s.breaks("agent %q %s: a test does not. Say in this test what stands in for it, such as agents: {%s: {returns: {…}}}, "+
		"or that it is called all the same, once: agents: {%s: {live: true}}", a.name, a.kind.does, a.name, a.name)}
}

// instead calls what stands in for an agent.
func (s *Stage) instead(ctx node.Context, a *agent, in *standIn, limit time.Duration, args map[string]any) (any, error) {
	name := in.agent.Text
	s.note(name, callKey(ctx), args)
	do, err := s.next(in, callKey(ctx))
	if err != nil {
		return nil, err
	}
	if err := do.wait(ctx, a, limit); err != nil {
		return nil, err
	}
	var options []node.StepOption
	if a.once {
		options = append(options, node.AtMostOnce())
	}
	failure := ctx.Cause()
	raw, err := node.Step(ctx, a.name, func(node.Context) (json.RawMessage, error) {
		s.mu.Lock()
		s.effects[name]++
		s.mu.Unlock()
		out, err := s.act(a, do, args, failure)
		if err != nil {
			return nil, err
		}
		return document.Encode(out)
	}, options...)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	return document.Decode(raw)
}

// wait lets the time pass that a call takes, on the clock of the run: all of it, or what it may take, which fails it.
func (do *act) wait(ctx node.Context, a *agent, limit time.Duration) error {
	own := a.timeout
	if a.model() != nil { // the node's, where it has none
		own = 0
	}
	took, fault := do.after, error(nil)
	if own > 0 && took > own {
		took, fault = own, a.fault(fmt.Sprintf("it took longer than timeout_seconds (%s)", own), "")
	}
	if limit > 0 && took > limit {
		took, fault = limit, fmt.Errorf("%w: more than %s", fermata.ErrTimeout, limit)
	}
	if took == 0 {
		return nil
	}
	if err := node.Sleep(ctx, took); err != nil {
		return err
	}
	return fault
}

func callKey(ctx node.Context) string {
	return fmt.Sprintf("%s@%d", node.IdempotencyKey(ctx), ctx.Info().Attempt)
}

// breaks notes what no test allows, and makes an error of it.
func (s *Stage) breaks(format string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := fmt.Errorf(format, args...)
	if !slices.Contains(s.broken, err.Error()) {
		s.broken = append(s.broken, err.Error())
	}
	return err
}

// note notes a call of an agent, once.
func (s *Stage) note(agent, key string, args map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.calls[agent], func(c agentCall) bool { return c.key == key }) {
		return
	}
	own, _ := expression.Clone(args).(map[string]any)
	s.calls[agent] = append(s.calls[agent], agentCall{key: key, args: own})
}

// within is the map of a key, which is made where there is none.
func within[K comparable](all map[K]map[string]int, key K) map[string]int {
	if all[key] == nil {
		all[key] = make(map[string]int)
	}
	return all[key]
}

// next is what stands in for a call: the same when the same call is made again.
func (s *Stage) next(in *standIn, key string) (*act, error) {
	s.mu.Lock()
	name := in.agent.Text
	known := within(s.acts, name)
	i, again := known[key]
	if !again {
		i = len(known)
		known[key] = i
	}
	s.mu.Unlock()
	if !in.list {
		i = 0
	}
	if i >= len(in.acts) {
		return nil, node.Terminal(s.breaks("agent %q is called more often than the test says what it does: %s", name, times(len(in.acts))))
	}
	return &in.acts[i], nil
}

// act does what stands in for a call of an agent.
func (s *Stage) act(a *agent, do *act, args map[string]any, failure *node.Failure) (any, error) {
	switch do.do {
	case "error":
		return nil, errors.New(do.fault)
	case "expr":
		values, _ := expression.Clone(args).(map[string]any)
		out, err := do.code.Result(expression.NewScope(values, failure))
		if err != nil {
			return nil, node.Terminal(s.breaks("agent %q: the test's expr: %w", a.name, err))
		}
		return out, nil
	default:
		return expression.Clone(do.value), nil
	}
}

// unused are what the test says and what did not happen.
func (s *Stage) unused() []TestFailure {
	var all []TestFailure
	for _, a := range s.test.answers {
		if n := s.used[a.node.Text]; n < len(a.list) {
			what := "the answer was not asked for"
			if n > 0 {
				what = fmt.Sprintf("the node asked %s, and the test has %d answers", times(n), len(a.list))
			}
			all = append(all, failureAt(a.list[n].Spot, "answers."+a.node.Text, what))
		}
	}
	for _, in := range s.test.standIns {
		name := in.agent.Text
		n := len(s.calls[name])
		meant := s.never(name)
		switch {
		case n == 0 && !meant:
			all = append(all, failureAt(in.agent.Spot, "agents."+name, "the agent was not called; where that is what is meant, say calls: {"+name+": 0}"))
		case in.list && n < len(in.acts) && !meant:
			all = append(all, failureAt(in.acts[n].Spot, "agents."+name, fmt.Sprintf("the agent was called %s, and the test has %d for it", times(n), len(in.acts))))
		}
	}
	return append(all, s.unsaid()...)
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// unanswered are the questions that the test has no answer to.
func (s *Stage) unanswered() []TestFailure {
	if s.test.expect.status.Text == string(fermata.Paused) {
		return nil
	}
	var all []TestFailure
	for _, q := range s.asked {
		if q.reply >= 0 {
			continue
		}
		hint := "{…}"
		if len(q.options) > 0 {
			hint = q.options[0]
		}
		all = append(all, failureAt(s.test.name.Spot, "answers."+q.node, fmt.Sprintf(
			"%s asked %s, and the test has no answer; say answers: {%s: %s}, or expect: {status: paused}",
			q.node, document.Quote(strings.TrimSpace(q.prompt)), q.node, hint)))
	}
	return all
}
