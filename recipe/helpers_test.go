package recipe

import "github.com/fermata-go/fermata/node"

func testLibrary() *Library {
	return &Library{Agents: map[string]AgentFunc{
		"researcher-v1": func(_ node.Context, args map[string]any) (any, error) {
			return map[string]any{"report": args["topic"]}, nil
		},
	}}
}
