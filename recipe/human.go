package recipe

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// humanStep is a node that asks a person.
type humanStep struct {
	id      string               // of the node
	prompt  *expression.Template // nil for none
	inputs  []binding            // the evidence; nil for none
	options []node.AskOption     // how people are asked, beside who they are
	review  *reviewStep          // nil for other questions
	*audience
	state ports // the answer must fit it
}

// compileHuman makes the node's function.
func (c *checked) compileHuman(pn *plan.Node, n *step, state ports) {
	pn.Kind, pn.Pure = plan.Human, true
	s := &humanStep{id: n.id.Text, prompt: n.prompt.code, inputs: n.inputs, state: state, audience: &n.audience}
	switch {
	case n.review != nil:
		s.review = &reviewStep{review: n.review}
		s.review.schema, s.review.defs, _ = c.reviewed(n.review)
		if s.review.schema == nil && c.wiring.seen[n] {
			t, _, _ := n.review.value.On(c.flow.before[n])
			s.review.schema = t.Likeness()
		}
	case len(n.options) > 0:
		s.options = append(s.options, node.Options(n.options...))
	default:
		s.options = append(s.options, node.ResponseSchema(n.answerSchemaJSON()))
	}
	s.options = append(s.options, c.askApart(n)...)
	s.options = append(s.options, n.ask("")...)
	if s.prompt != nil {
		pn.Run = s.run
	}
}

// options are what happens at the deadline; none for a failure.
func (x *expiry) options() (options []node.AskOption) {
	for ; x != nil; x = x.then {
		switch x.do {
		case "answer":
			options = append(options, node.OrDefault(x.answer))
		case "route":
			options = append(options, node.OrRoute(x.target.Text))
		case "escalate":
			options = append(options, node.OrEscalate(x.role, x.within))
		}
	}
	return options
}

func (s *humanStep) run(ctx node.Context, in any) (any, error) {
	bb, err := board(in)
	if err != nil {
		return nil, err
	}
	known := expression.NewScope(bb, ctx.Cause())
	prompt, err := s.prompt.Render(known)
	if err != nil {
		return nil, fmt.Errorf("prompt: %w", err)
	}
	person, err := s.askFor(known)
	if err != nil {
		return nil, err
	}
	var evidence any
	if s.inputs != nil {
		if evidence, err = bind(s.inputs, bb, ctx.Cause()); err != nil {
			return nil, err
		}
	}
	options := slices.Concat([]node.AskOption{node.Prompt(prompt)}, s.options, person)
	if s.review != nil {
		request, more, err := s.review.question(bb, evidence, ctx.Cause())
		if err != nil {
			return nil, err
		}
		evidence, options = request, append(options, more...)
	}
	data, err := node.Interrupt[json.RawMessage](ctx, evidence, options...)
	if err != nil {
		return nil, err
	}
	answer, err := document.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("the answer: %w", err)
	}
	if s.review == nil {
		return write(bb, map[string]any{s.id: answer}, s.state)
	}
	made, err := s.review.take(s.id, bb, answer)
	if err != nil {
		return nil, err
	}
	return write(bb, made, s.state)
}
