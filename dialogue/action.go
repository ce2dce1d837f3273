package dialogue

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// Action is something that a flow can call: a Go function or a plan, such as a recipe. The plan runs inside of the
// conversation. NewAction makes an Action of a typed function.
type Action struct {
	Name        string
	Description string
	In, Out     *schema.Schema // of an object, and of anything; nil for anything
	// Run makes it. It may make steps, reason and wait; its idempotency key is that of the task (law J5).
	Run func(ctx node.Context, in map[string]any) (any, error)
	// Plan is run instead of Run, as a subgraph: its tasks, and the people that it asks, belong to the conversation's
	// run. Input makes its input, Result takes what it gives.
	Plan   *plan.Plan
	Input  func(in map[string]any) (any, error)
	Result func(out any) (any, error)
	// Stream says that what it streams on the channel answer, and values that it streams, are meant for the user: a
	// Streamer receives them while the answer is made. By default, only readers of the run's events see them.
	Stream bool
	// Source is what Options.ActionsFrom makes the action of again when the files that it names are gone: it is kept with
	// conversations. Nil for an action that the dialogue's own file holds all of.
	Source []byte
}

// NewAction makes an action of a function. Its input and result are checked against the schemas of In and Out; a flow that
// cannot give it its input does not load.
func NewAction[In, Out any](name, description string, do func(ctx node.Context, in In) (Out, error)) (Action, error) {
	in, err := schema.For[In]()
	if err != nil {
		return Action{}, fmt.Errorf("action %q: %w", name, err)
	}
	out, err := schema.For[Out]()
	if err != nil {
		return Action{}, fmt.Errorf("action %q: %w", name, err)
	}
	run := func(ctx node.Context, values map[string]any) (any, error) {
		data, err := json.Marshal(values)
		if err != nil {
			return nil, err
		}
		if err := in.Check(data); err != nil {
			return nil, node.Terminal(err)
		}
		var given In
		if err := json.Unmarshal(data, &given); err != nil {
			return nil, node.Terminal(err)
		}
		result, err := do(ctx, given)
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	return Action{Name: name, Description: description, In: in, Out: out, Run: run}, nil
}

// MustAction is NewAction, and panics where the types have no schema. The first test shows that.
func MustAction[In, Out any](name, description string, do func(ctx node.Context, in In) (Out, error)) Action {
	a, err := NewAction(name, description, do)
	if err != nil {
		panic(err)
	}
	return a
}

// plainValue is any value as JSON has it, with the digits of its numbers.
func plainValue(v any) (any, error) {
	data, err := canonical.Marshal(v, 0)
	if err != nil {
		return nil, err
	}
	return decoded(data)
}

func decoded(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var out any
	if err := d.Decode(&out); err != nil {
		return nil, err
	}
	return out, nil
}
