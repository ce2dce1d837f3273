package recipe

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// AgentFunc is an agent that is a Go function. It runs within its node and may record steps, ask people and so on.
//
// args are the values that the node's inputs_map names, or the whole blackboard; numbers are json.Number. They are the
// function's own. The result must survive encoding/json: the members of an object are merged into the blackboard,
// anything else is put under the node's id, nil changes nothing. See [Func] for typed functions.
type AgentFunc func(ctx node.Context, args map[string]any) (any, error)

// caller is how an agent is called: with arguments, for an output in the form of the blackboard.
type caller func(ctx node.Context, args map[string]any) (any, error)

// checkedCall calls an agent, with what it is given and what it gives checked.
type checkedCall struct {
	name  string // of the agent
	call  caller
	args  *document.Shape // of the arguments
	shape *document.Shape // of the output
}

// agentStep is a node that calls an agent.
type agentStep struct {
	checkedCall
	inputs  []binding // nil: the whole blackboard
	whole   bool      // the agent is given the whole blackboard
	outputs []binding // nil: merged by key
	id      string    // of the node
	state   ports     // what is written must fit it
}

// compileAgent makes the node's function and its policy.
func (c *checked) compileAgent(pn *plan.Node, n *step, state ports) {
	a := c.agents[n.ref.Text]
	retries := n.maxRetries
	if w, says := can[retrying](a); says {
		retries = w.retryPolicy().apply(&pn.Retry, retries)
	}
	if retries < 0 && a.calls() == nil { // a recipe has a policy of its own
		retries = c.maxRetries
	}
	pn.Retry.Retryable = retryable // also where a dialogue tries it again that the recipe does not
	if retries > 0 {
		pn.Retry.Attempts = retries + 1
	}
	if pn.Timeout = n.timeout; n.timeout == 0 && a.model() != nil {
		pn.Timeout = a.timeout
	}
	pn.Idle = n.idle
	n.compilePool(pn)
	recipe := a.calls() != nil && !c.stage.replaces(a)
	switch {
	case a == nil || recipe && (a.callee() == nil || a.callee().plan == nil):
		return
	case n.each != nil:
		c.compileEach(pn, n, a, state)
		return
	case recipe:
		c.compileNested(pn, n, a, state)
		return
	}
	s := n.calling(a, state)
	s.checkedCall = c.checkedCall(a, n, pn.Timeout)
	pn.Run, pn.Pure = s.run, a.kind != nil && a.kind.pure && !c.stage.replaces(a)
}

// calling is what is the same for all nodes that call an agent, however it is called.
func (n *step) calling(a *agent, state ports) *agentStep {
	return &agentStep{
		checkedCall: checkedCall{name: a.name}, inputs: n.inputs, whole: n.wholeBoard, outputs: n.outputs, id: n.id.Text, state: state,
	}
}

func (c *checked) checkedCall(a *agent, n *step, timeout time.Duration) checkedCall {
	return checkedCall{name: a.name, call: c.stage.caller(a, timeout, a.calledBy(c, n)), args: a.input, shape: a.output}
}

// make makes the call.
func (s *checkedCall) make(ctx node.Context, args map[string]any) (any, error) {
	if err := s.args.Check(args); err != nil {
		return nil, definite{fmt.Errorf("agent %q: its arguments do not fit its input: %w", s.name, err)}
	}
	out, err := s.call(ctx, args)
	if err != nil {
		return nil, err
	}
	if err := s.shape.Check(out); err != nil {
		return nil, fmt.Errorf("agent %q: its output does not fit its schema: %w", s.name, err)
	}
	return out, nil
}

// definite marks an error that another try cannot change.
type definite struct{ error }

func (d definite) Unwrap() error { return d.error }

// retryable says whether another try may go better: not where the recipe or the data is wrong, and not where it is
// unknown whether something happened.
func retryable(err error) bool {
	if _, ok := errors.AsType[definite](err); ok {
		return false
	}
	for _, final := range []error{node.ErrDiverged, node.ErrOutcomeUnknown, node.ErrExpired, node.ErrWithdrawn, node.ErrNotStorable} {
		if errors.Is(err, final) {
			return false
		}
	}
	return true
}

func (s *agentStep) run(ctx node.Context, in any) (any, error) {
	bb, err := board(in)
	if err != nil {
		return nil, definite{err}
	}
	args := bb
	if !s.whole {
		if args, err = bind(s.inputs, bb, ctx.Cause()); err != nil {
			return nil, definite{err}
		}
	}
	out, err := s.make(ctx, args)
	if err != nil {
		return nil, err
	}
	return s.put(bb, out)
}

// put puts an output on the blackboard.
func (s *agentStep) put(bb map[string]any, out any) (any, error) {
	made, err := s.merge(out)
	if err != nil {
		return nil, definite{err}
	}
	return write(bb, made, s.state)
}

// bind reads the paths of an inputs_map. Optional ones that are missing are left out.
func bind(all []binding, bb map[string]any, cause *node.Failure) (map[string]any, error) {
	out := make(map[string]any, len(all))
	for _, b := range all {
		v, ok, err := lookUp(b.path, bb, cause)
		if err != nil {
			return nil, fmt.Errorf("inputs_map: %s: %w", b.name.Text, err)
		}
		if ok {
			out[b.name.Text] = expression.Clone(v)
		}
	}
	return out, nil
}

// merge says what an output puts on the blackboard.
func (s *agentStep) merge(out any) (map[string]any, error) {
	if s.outputs != nil {
		made := make(map[string]any, len(s.outputs))
		for _, b := range s.outputs {
			v, ok, err := b.path.In(out)
			if err != nil {
				return nil, fmt.Errorf("outputs_map: %s: the output of agent %q: %w", b.name.Text, s.name, err)
			}
			if ok {
				made[b.name.Text] = v
			}
		}
		return made, nil
	}
	switch out := out.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return out, nil
	}
	return map[string]any{s.id: out}, nil
}

// write puts values on the blackboard, checked against the state's schemas: all of them or none.
func write(bb, made map[string]any, state ports) (any, error) {
	for _, name := range expression.Keys(made) {
		if err := state.checkOne(name, made[name]); err != nil {
			return nil, definite{fmt.Errorf("state %q: %w", name, err)}
		}
	}
	maps.Copy(bb, made)
	return bb, nil
}

// namesOf are the names of ports, in written order.
func namesOf(list []port) []string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.name.Text
	}
	return names
}

// ports are declared names by name.
type ports map[string]port

func portsOf(list []port) ports {
	m := make(ports, len(list))
	for _, p := range list {
		m[p.name.Text] = p
	}
	return m
}

// checkOne checks a value against the schema of its name, where it has one.
func (p ports) checkOne(name string, v any) error {
	q, ok := p[name]
	if !ok {
		return nil
	}
	return q.shape.Check(v)
}

// finish takes the declared outputs from the blackboard.
func (p ports) finish(v any) (map[string]any, error) {
	bb, err := board(v)
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(p))
	var faults []error
	for _, name := range p.names() {
		q := p[name]
		v, ok := bb[name]
		switch {
		case !ok && q.optional:
			v = expression.Clone(q.fallback)
		case !ok:
			faults = append(faults, fmt.Errorf("output %q: nothing on the blackboard is called that%s", name, nearest.Hint(name, expression.Keys(bb))))
			continue
		}
		if err := q.shape.Check(v); err != nil {
			faults = append(faults, fmt.Errorf("output %q: %w", name, err))
		}
		out[name] = expression.Clone(v) // the caller's own: the blackboard shares its values
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return out, nil
}

func (p ports) names() []string { return slices.Sorted(maps.Keys(p)) }
