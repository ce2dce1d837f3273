package recipe

import (
	"fmt"

	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
)

// goKind are agents that are Go functions of the library: recipes name them, and do not write them.
var goKind = &agentKind{name: "go", does: "calls a Go function", tool: true}

// goAgent is a Go function.
type goAgent struct {
	*agent
	function AgentFunc
}

func (a *goAgent) caller(*checked, *step) caller { return a.invoke }

// invoke calls the function.
func (a *goAgent) invoke(ctx node.Context, args map[string]any) (any, error) {
	own, _ := expression.Clone(args).(map[string]any)
	v, err := a.function(ctx, own)
	if err != nil {
		return nil, err
	}
	out, err := expression.Dynamic(v)
	if err != nil {
		return nil, definite{fmt.Errorf("agent %q: its output: %w: %w", a.name, node.ErrNotStorable, err)}
	}
	return out, nil
}
