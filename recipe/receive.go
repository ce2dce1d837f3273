package recipe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

const typeReceive = "receive"

// receiveNode waits for a message (laws M1 to M3).
var receiveNode = &nodeType{
	name:    typeReceive,
	keys:    []string{"message", "value", "timeout_seconds", "otherwise", "reply"},
	read:    (*step).readReceive,
	check:   (*checked).checkReceive,
	compile: (*checked).compileReceive,
	after:   (*flow).received,
}

// receivePart is what a node says that waits for a message.
type receivePart struct {
	message  document.Word   // the name of the messages that it takes
	value    *document.Shape // what fits; nil for any value
	patience time.Duration   // how long it waits; 0 for ever
	instead  bool            // there is a value for the end of that time; else the node fails then
	none     any             // that value
	reply    []binding       // what the sender is told, of what is known once the message is there; nil: nothing
}

func (n *step) readReceive(o *document.Object) {
	if n.message = n.id; o.Has("message") {
		n.message = o.NeedText("message", "the name that senders give")
	}
	if err := nodehost.CheckMessageName(n.message.Text); err != nil && n.message.Text != "" {
		o.Report.Add(n.message.Spot, "%v", err)
	}
	n.value, n.patience = o.Shape("value"), o.Seconds()
	if n.instead = document.HasKey(o.Node, "otherwise"); n.instead { // which may be null
		n.none = o.Value("otherwise")
		if !o.Has("timeout_seconds") {
			o.Report.Add(o.At("otherwise"), "otherwise needs timeout_seconds: without it the node waits for ever")
		}
	}
	n.receivePart.reply = readBindings(o, "reply", "name")
}

// received is what is known once a message was taken.
func (f *flow) received(n *step, before expression.Names) expression.Names {
	f.write(&before, n.id.Text, n.brings())
	return before
}

// brings is the type of what a message leaves on the blackboard.
func (n *step) brings() *expression.Type {
	t := typeOfShape(n.value)
	if n.instead {
		t = expression.Union(t, expression.TypeOfSchema(map[string]any{"const": n.none}))
	}
	return t
}

// checkReceive checks the value for the end of the time, and what senders are told.
func (c *checked) checkReceive(n *step, before expression.Names) {
	c.checkState(n.id.Spot, n.id.Text, n.brings())
	known := c.flow.received(n, before)
	for _, b := range n.receivePart.reply {
		c.checkPath(b.path, b.name.Spot, known, n)
	}
}

// receiveStep is a node that waits for a message.
type receiveStep struct {
	receivePart
	id      string // of the node
	options []node.AskOption
	state   ports // the value must fit it
}

func (c *checked) compileReceive(pn *plan.Node, n *step, state ports) {
	s := &receiveStep{receivePart: n.receivePart, id: n.id.Text, state: state}
	switch {
	case n.value != nil:
		s.options = append(s.options, node.ResponseSchema(n.value.Compiled.JSON()))
	case state[s.id].shape != nil:
		s.options = append(s.options, node.ResponseSchema(state[s.id].shape.Compiled.JSON()))
	}
	if n.patience > 0 {
		s.options = append(s.options, node.Within(n.patience))
	}
	pn.Pure, pn.Run = true, s.run
}

func (s *receiveStep) run(ctx node.Context, in any) (any, error) {
	bb, err := board(in)
	if err != nil {
		return nil, definite{err}
	}
	m, err := node.ReceiveMessage[json.RawMessage](ctx, s.message.Text, s.options...)
	if errors.Is(err, node.ErrNoMessage) && s.instead {
		return write(bb, map[string]any{s.id: expression.Clone(s.none)}, s.state)
	}
	if err != nil {
		return nil, err
	}
	value, err := document.Decode(m.Value)
	if err != nil {
		return nil, fmt.Errorf("the message: %w", err)
	}
	out, err := write(bb, map[string]any{s.id: value}, s.state)
	if err != nil || s.reply == nil {
		return out, err
	}
	told, err := bind(s.reply, bb, ctx.Cause())
	if err != nil {
		return nil, definite{fmt.Errorf("reply: %w", err)}
	}
	return out, m.Reply(told)
}

// Messages are the names of the messages that the recipe takes, or one that it calls. They are not known where it was loaded
// with Go functions, which may take any.
func (r *Recipe) Messages() (names []string, known bool) {
	for d := range r.doc.family(true) {
		for _, a := range d.agents {
			if a.kind == goKind {
				return nil, false
			}
		}
	}
	return r.doc.messageNames(), true
}

// messageNames are the names of the messages that some node of the recipe, or of one that it calls, takes.
func (d *draft) messageNames() (names []string) {
	for d := range d.family(true) {
		for _, n := range d.nodes {
			if n.kind == typeReceive && !slices.Contains(names, n.message.Text) {
				names = append(names, n.message.Text)
			}
		}
	}
	return names
}
