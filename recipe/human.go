package recipe

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// humanStep is a node that asks a person.
type humanStep struct {
	id      string
	prompt  *template
	inputs  []binding // the evidence; nil for none
	options []node.AskOption
	state   ports
}

// compileHuman makes the node's function.
func (c *checked) compileHuman(pn *plan.Node, n *step, state ports) {
	pn.Kind = plan.Human
	s := &humanStep{id: n.id.text, prompt: c.prompts[n], inputs: n.inputs, state: state}
	if len(n.options) > 0 {
		s.options = append(s.options, node.Options(n.options...))
	} else {
		s.options = append(s.options, node.ResponseSchema(n.answerSchemaJSON()))
	}
	if n.role != "" {
		s.options = append(s.options, node.Role(n.role))
	}
	if n.deadline > 0 {
		s.options = append(s.options, node.Within(n.deadline))
	}
	for x := n.expiry; x != nil; x = x.then {
		switch x.do {
		case "answer":
			s.options = append(s.options, node.OrDefault(x.answer))
		case "route":
			s.options = append(s.options, node.OrRoute(x.target.text))
		case "escalate":
			s.options = append(s.options, node.OrEscalate(x.role, x.within))
		}
	}
	if s.prompt != nil {
		pn.Run = s.run
	}
}

func (s *humanStep) run(ctx node.Context, in any) (any, error) {
	bb, err := board(in)
	if err != nil {
		return nil, err
	}
	prompt, err := s.prompt.render(newScope(bb, ctx.Cause()))
	if err != nil {
		return nil, fmt.Errorf("prompt: %w", err)
	}
	var evidence any
	if s.inputs != nil {
		if evidence, err = bind(s.inputs, bb, ctx.Cause()); err != nil {
			return nil, fmt.Errorf("inputs_map: %w", err)
		}
	}
	options := append([]node.AskOption{node.Prompt(prompt)}, s.options...)
	data, err := node.Interrupt[json.RawMessage](ctx, evidence, options...)
	if err != nil {
		return nil, err
	}
	answer, err := decodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("the answer: %w", err)
	}
	return write(bb, map[string]any{s.id: answer}, s.state)
}
