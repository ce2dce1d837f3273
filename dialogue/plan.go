package dialogue

import (
	"fmt"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// planKind is the kind of plans that dialogues compile to.
const planKind = "dialogue"

// newPlan makes the plan: gate, nlu and orchestrator in a loop, and behind the orchestrator the flows.
func (d *Dialogue) newPlan() (*plan.Plan, error) {
	codec, err := value.For[State]()
	if err != nil {
		return nil, err
	}
	def := plan.Definition{
		Name: d.def.Name, Kind: planKind, Doc: d.def.Doc, State: codec, Entry: []string{gateNode},
		Takes: d.takes, Renamed: d.migration(),
		Nodes: []plan.Node{
			{Name: gateNode, Kind: plan.Human, Doc: "waits for a message", Pure: true, Run: d.onState((*Dialogue).gate)},
			{Name: nluNode, Kind: plan.Task, Doc: "understands it", Pure: true, Run: d.onState((*Dialogue).understand), Retry: plan.Retry{Attempts: 3}},
			{
				Name: orchestratorNode, Kind: plan.Router, Doc: "acts on it", Pure: true, Run: onState(func(ctx node.Context, s *State) error {
					d.turns(ctx, s)
					return d.speaking(s).orchestrate(ctx, s)
				}),
				Route: byState(d.next),
			},
		},
		Edges: []plan.Edge{
			{From: gateNode, To: nluNode, Kind: plan.Plain},
			{From: nluNode, To: orchestratorNode, Kind: plan.Plain},
			{From: nluNode, To: orchestratorNode, Kind: plan.Failure, Label: "not understood"},
			{From: orchestratorNode, To: gateNode, Kind: plan.Choice, Label: "waits"},
			{From: orchestratorNode, To: node.End, Kind: plan.Choice, Label: "closed"},
		},
	}
	if len(d.labels) > 0 {
		def.Labels = d.startLabels
	}
	for _, f := range d.order {
		sub, err := f.plan(codec)
		if err != nil {
			return nil, fmt.Errorf("flow %q: %w", f.Name, err)
		}
		def.Nodes = append(def.Nodes, plan.Node{Name: f.Name, Kind: plan.Sub, Doc: f.Description, Sub: sub})
		def.Edges = append(def.Edges,
			plan.Edge{From: orchestratorNode, To: f.Name, Kind: plan.Choice},
			plan.Edge{From: f.Name, To: orchestratorNode, Kind: plan.Plain})
	}
	return plan.New(def)
}

func stateOf(v any) (*State, error) {
	s, ok := v.(*State)
	if !ok {
		return nil, fmt.Errorf("expected a conversation, found %T; start a dialogue with what Dialogue.Begin gives", v)
	}
	return s, nil
}

// onState makes a node of a function that changes the conversation.
func onState(do func(ctx node.Context, s *State) error) node.Func {
	return func(ctx node.Context, v any) (any, error) {
		s, err := stateOf(v)
		if err != nil {
			return nil, err
		}
		return s, do(ctx, s)
	}
}

// onState makes a node of a function that changes the conversation, in its language.
func (d *Dialogue) onState(do func(d *Dialogue, ctx node.Context, s *State) error) node.Func {
	return onState(func(ctx node.Context, s *State) error { return do(d.speaking(s), ctx, s) })
}

// byState makes a route of a function that chooses by the conversation.
func byState(choose func(s *State) string) func(node.Context, any) (string, error) {
	return func(_ node.Context, v any) (string, error) {
		s, err := stateOf(v)
		if err != nil {
			return "", err
		}
		return choose(s), nil
	}
}

// plan makes the flow's plan: it enters where the flow stands, and a node for each step.
func (f *flow) plan(codec plan.Codec) (*plan.Plan, error) {
	def := plan.Definition{
		Name: f.Name, Kind: planKind, Doc: f.Description, State: codec, Entry: []string{enterNode},
		Takes: f.dialogue.takes,
		Nodes: []plan.Node{{
			Name: enterNode, Kind: plan.Router, Doc: "goes on where the flow stands", Pure: true, Route: byState(f.enter),
		}},
	}
	edges := edgeSet{}
	broken := false
	for _, st := range f.list {
		edges.add(enterNode, st.ID, plan.Choice, "")
		nodes, fails := f.stepNodes(st, &edges)
		def.Nodes = append(def.Nodes, nodes...)
		broken = broken || fails
	}
	edges.add(enterNode, node.End, plan.Choice, "")
	if broken {
		def.Nodes = append(def.Nodes, plan.Node{Name: failedNode, Kind: plan.Task, Doc: "ends the flow with the pattern failure", Pure: true, Run: onState(func(ctx node.Context, s *State) error { return f.spoken(s).failed(ctx, s) })})
		edges.add(failedNode, node.End, plan.Plain, "")
	}
	def.Edges = edges.list
	return plan.New(def)
}

// failed ends a flow of which a step has failed.
func (f *flow) failed(ctx node.Context, s *State) error {
	frame := s.top()
	frame.Step, frame.End = End, broken
	if cause := ctx.Cause(); cause != nil {
		return f.dialogue.tell(ctx, s, "flow %s: step %s: %s", f.Name, cause.Task, cause.Message)
	}
	return nil
}

// edgeSet collects edges; one that is there already is not added again.
type edgeSet struct{ list []plan.Edge }

func (e *edgeSet) add(from, to string, kind plan.EdgeKind, label string) {
	for i, old := range e.list {
		if old.From == from && old.To == to && old.Kind == kind {
			if old.Label == "" {
				e.list[i].Label = label
			}
			return
		}
	}
	e.list = append(e.list, plan.Edge{From: from, To: to, Kind: kind, Label: label})
}

// stepNodes are the nodes of a step: one, or two for an action that is a plan. fails reports whether one of them leads to
// the node that ends a flow in which a step has failed.
func (f *flow) stepNodes(st *step, edges *edgeSet) (nodes []plan.Node, fails bool) {
	n := plan.Node{Name: st.ID, Kind: plan.Task, Doc: string(st.Type), Timeout: st.Timeout}
	n.Pure = st.action == nil || st.action.Plan != nil // it has no effect of its own
	switch st.Type {
	case CollectStep, ConfirmStep, BranchStep, WhileStep:
		n.Kind = plan.Router
	}
	if st.Retries > 0 {
		n.Retry = plan.Retry{Attempts: st.Retries + 1}
	}
	for _, to := range st.targets() {
		edges.add(st.ID, f.target(to.step), plan.Choice, to.label)
	}
	edges.add(st.ID, node.End, plan.Choice, st.leaves())
	to := failedNode
	if st.OnError != "" {
		to = f.target(st.OnError)
	}
	edges.add(st.ID, to, plan.Failure, "")
	if st.action != nil && st.action.Plan != nil {
		nodes = append(nodes, f.planNode(st))
		edges.add(st.ID, nodes[0].Name, plan.Choice, "")
		edges.add(nodes[0].Name, f.target(st.next), plan.Plain, "")
		edges.add(nodes[0].Name, to, plan.Failure, "")
	}
	n.Run = onState(func(ctx node.Context, s *State) error {
		in := f.spoken(s)
		return in.step(ctx, s, in.steps[st.ID])
	})
	n.Route = byState(func(s *State) string { return f.after(s, st) })
	return append([]plan.Node{n}, nodes...), to == failedNode
}

// leaves says in drawings which flow a step leaves its own for; "" for none.
func (s *step) leaves() string {
	if s.Type != CallStep && s.Type != LinkStep {
		return ""
	}
	return string(s.Type) + " " + s.Flow
}

// planNode runs the plan of an action between two steps.
func (f *flow) planNode(st *step) plan.Node {
	a := st.action
	return plan.Node{
		Name: runNode(st), Kind: plan.Sub, Doc: a.Description, Sub: a.Plan,
		In: func(v any) (any, error) {
			s, err := stateOf(v)
			if err != nil {
				return nil, err
			}
			spoken := f.spoken(s)
			in, err := spoken.inputs(s, spoken.steps[st.ID])
			if err != nil || a.Input == nil {
				return in, err
			}
			return a.Input(in)
		},
		Out: func(v, result any) (any, error) {
			s, err := stateOf(v)
			if err == nil && a.Result != nil {
				result, err = a.Result(result)
			}
			if err != nil {
				return nil, err
			}
			spoken := f.spoken(s)
			return s, spoken.ran(s, spoken.steps[st.ID], result)
		},
	}
}

// runNode is the node of the plan of an action.
func runNode(st *step) string { return "(" + st.ID + ")" }
