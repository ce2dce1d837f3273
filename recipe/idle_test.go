package recipe_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

const patient = `
agents: {look: {kind: expr, set: {never: "true"}}}
entry_point: look
nodes:
  - {type: agent, id: look, agent_ref: search, max_retries: 1, idle_seconds: 10, inputs_map: {silent: silent}FOR}
`

// TestN11_IdleSeconds checks that a node of a recipe, or an element of its list, is ended when it has said nothing for
// idle_seconds, and not while it gives signs of life.
func TestN11_IdleSeconds(t *testing.T) {
	for name, each := range map[string]string{"once": "", "for each": ", for_each: {in: list, as: item}"} {
		for _, silent := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				lib := &recipe.Library{Agents: map[string]recipe.AgentFunc{
					"search": func(ctx node.Context, args map[string]any) (any, error) {
						attempts++
						for range 5 {
							time.Sleep(9 * time.Second)
							if silent {
								<-ctx.Done()
								return nil, ctx.Err()
							}
							if err := node.Heartbeat(ctx, 1); err != nil {
								return nil, err
							}
						}
						return map[string]any{"found": true}, nil
					},
				}}
				r, err := recipe.Parse([]byte(strings.Replace(patient, "FOR", each, 1)), "patient.yaml", recipe.Options{Library: lib})
				if err != nil {
					t.Fatal(err)
				}
				rt, err := fermata.New(fermata.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = rt.Close() }()
				run, err := rt.Start(t.Context(), r.Plan(), map[string]any{"silent": silent, "list": []any{1}})
				if err != nil {
					t.Fatal(err)
				}
				res, err := run.Wait(t.Context())
				switch {
				case err != nil:
					t.Fatal(err)
				case silent && (!errors.Is(res.Err, fermata.ErrIdle) || attempts != 2):
					t.Errorf("%s: a silent agent gives %v after %d attempts", name, res.Err, attempts)
				case !silent && (res.Err != nil || attempts != 1):
					t.Errorf("%s: one that lives gives %v after %d attempts", name, res.Err, attempts)
				}
			})
		}
	}
}
