package recipe

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
)

// shoutKind are agents that repeat a text in capital letters. With one line in agentKinds it would be a kind like any other.
var shoutKind = &agentKind{name: "shout", does: "shouts", keys: []string{"input", "text"}, pure: true, tool: true, read: readShout}

type shoutAgent struct {
	*agent
	text text
}

func readShout(a *agent, o *document.Object) work {
	return &shoutAgent{agent: a, text: text{Word: o.NeedText("text", "what is shouted, such as \"hello {{ name }}\"")}}
}

func (a *shoutAgent) compileTexts(c *checked) { a.text.code = c.template(a.text.Word) }

func (a *shoutAgent) checkStep(c *checked, n *step, before expression.Names) {
	if a.text.code != nil {
		c.faults(a.text.Spot, a.text.code.Check(c.place(c.flow.arguments(n, before), nil)))
	}
}

func (a *shoutAgent) gives(*flow, *step, expression.Names) *expression.Type {
	return expression.Plain(expression.TextKind)
}

func (a *shoutAgent) caller(*checked, *step) caller {
	return func(ctx node.Context, args map[string]any) (any, error) {
		said, err := a.text.code.Render(expression.NewScope(args, ctx.Cause()))
		return strings.ToUpper(said), err
	}
}

// withKind lists a kind for the time of a test.
func withKind(t *testing.T, k *agentKind) {
	t.Helper()
	before := agentKinds
	agentKinds = append(slices.Clip(before), k)
	t.Cleanup(func() { agentKinds = before })
}

// runWith runs a recipe to its end in memory, and gives its output.
func runWith(t *testing.T, text string, inputs map[string]any) string {
	t.Helper()
	r, err := Parse([]byte(text), "a.yaml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, err := r.Input(inputs)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	run, err := rt.Start(t.Context(), r.Plan(), in)
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil || res.Err != nil {
		t.Fatalf("the run ended with %v, %v", err, res.Err)
	}
	return string(res.Output)
}

const shouting = `{interface: {inputs: {name: {type: string}}, outputs: {loud: {type: string}}},
  agents: {herald: {kind: shout, text: "hello {{ name }}"}},
  entry_point: call, nodes: [{type: agent, id: call, agent_ref: herald, outputs_map: {loud: .}}]}`

// TestKindsAreValues adds a kind of agents as a newcomer would: one value and its methods. The loader, the checker, the run, the
// stand-ins of tests and what models may call know it then.
func TestKindsAreValues(t *testing.T) {
	if _, err := Parse([]byte(shouting), "a.yaml", Options{}); err == nil || !strings.Contains(err.Error(), `kind is "shout"; expected`) {
		t.Fatalf("there is no such kind yet: %v", err)
	}
	withKind(t, shoutKind)
	if got := runWith(t, shouting, map[string]any{"name": "Ann"}); got != `{"loud":"HELLO ANN"}` {
		t.Errorf("got %s", got)
	}
	for text, want := range map[string]string{
		`text: "hello {{ nmae }}"`:   `nothing that comes before is called "nmae"; did you mean "name"?`,
		`txet: hello`:                `unknown key "txet"; did you mean "text"?`,
		`text: hi, input: {type: 1}`: "not a JSON Schema",
	} {
		_, err := Parse([]byte(strings.Replace(shouting, `text: "hello {{ name }}"`, text, 1)), "a.yaml", Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; expected %q", text, err, want)
		}
	}
	const tool = `{interface: {inputs: {name: {type: string}}}, agents: {
    clerk: {kind: model, prompt: "Greet {{ name }}", tools: ["agent:herald"]},
    herald: {kind: shout, description: Shouts., input: {type: object}, text: "{{ name }}"}},
  entry_point: ask, nodes: [{type: agent, id: ask, agent_ref: clerk}]}`
	if _, err := Parse([]byte(tool), "a.yaml", Options{}); err != nil {
		t.Errorf("a model may call it: %v", err)
	}
}
