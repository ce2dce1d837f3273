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
	want := []string{
		"a " + recipe.TraceReasoning + " draft", "b " + recipe.TraceTool + " draft, send", "c " + recipe.TraceTool + " send, draft",
	}
	if diff := cmp.Diff(want, actions(t, rt, run.ID())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// actions are what the steps of a run did: node, type and action.
func actions(t *testing.T, rt *fermata.Runtime, run string) (list []string) {
	t.Helper()
	for _, s := range trace(t, rt, run).Steps {
		list = append(list, s.Node+" "+s.Type+" "+s.Action)
	}
	return list
}

// What a reasoning does is called as its author has called it: the reasoning, its tools, and what these do.
func TestTraceOfReasonings(t *testing.T) {
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{
		scripted.Calls("book", `{"nights":2}`), {Text: "Booked."}, {Text: "Fine."},
	}})
	rt, err := fermata.New(fermata.Options{Services: []any{m}})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	type stay struct {
		Nights int `json:"nights"`
	}
	book, err := node.NewTool("book", "Books a room.", func(ctx node.Context, _ stay) (string, error) {
		return node.Step(ctx, "charge", func(node.Context) (string, error) { return "charged", nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.Of("trip", func(ctx node.Context, s string) (string, error) {
		if _, err := node.Reason[string](ctx, node.Reasoning{ID: "plan", Prompt: "?", Tools: []node.Tool{book}}); err != nil {
			return s, err
		}
		return node.Reason[string](ctx, node.Reasoning{Prompt: "?"})
	}).MustCompile()
	run, err := g.Start(t.Context(), rt, "")
	if err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(t.Context()); err != nil || res.Err != nil {
		t.Fatal(err, res.Err)
	}
	want := []string{"trip " + recipe.TraceTool + " plan, charge, book, plan, reason"}
	if diff := cmp.Diff(want, actions(t, rt, run.ID())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
