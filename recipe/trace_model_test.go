package recipe_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

// A node that asks a model reasons; one that calls a tool as well executes it.
func TestTraceOfModels(t *testing.T) {
	rt, err := fermata.New(fermata.Options{Services: []any{scripted.Texts("one", "two", "three")}})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	ask := func(ctx node.Context, s string) (string, error) {
		_, err := ctx.LLM().Complete(ctx, "?", node.CallID("draft"))
		return s, err
	}
	step := func(ctx node.Context, s string) (string, error) {
		return node.Step(ctx, "send", func(node.Context) (string, error) { return s, nil })
	}
	both := func(first, second graph.Func[string]) graph.Func[string] {
		return func(ctx node.Context, s string) (string, error) {
			if s, err := first(ctx, s); err != nil {
				return s, err
			}
			return second(ctx, s)
		}
	}
	g := graph.New[string]("models").Node("a", ask).Node("b", both(ask, step)).Node("c", both(step, ask)).
		Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").MustCompile()
	run, err := g.Start(t.Context(), rt, "")
	if err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(t.Context()); err != nil || res.Err != nil {
		t.Fatal(err, res.Err)
	}
	var got []string
	for _, s := range trace(t, rt, run.ID()).Steps {
		got = append(got, s.Node+" "+s.Type+" "+s.Action)
	}
	want := []string{
		"a " + recipe.TraceReasoning + " draft", "b " + recipe.TraceTool + " draft, send", "c " + recipe.TraceTool + " send, draft",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
