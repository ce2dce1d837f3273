package recipe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/recipe"
)

// notInTheFile are the failures of runs that a recipe does not show, and that loading therefore does not exclude: what
// agents do, and bounds that data runs into. Nothing that the generator writes can divide, number an element by data,
// or read a number out of a text, which are the others.
var notInTheFile = []string{
	"fails on purpose", // an agent that failed, and no edge takes it
	"tasks",            // policy.max_steps
}

// world is what is outside of the generated recipes: a service that gives what each agent says it gives, or fails.
type world struct {
	mu     sync.Mutex
	gives  map[string]*kind
	random *rand.Rand
	server *httptest.Server
	rt     *fermata.Runtime
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	w.server = httptest.NewServer(w)
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.rt = rt
	t.Cleanup(func() {
		w.server.Close()
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := w.gives[strings.TrimPrefix(r.URL.Path, "/")]
	if k == nil || w.random.IntN(8) == 0 {
		http.Error(rw, "fails on purpose", http.StatusUnprocessableEntity)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	data, err := json.Marshal(k.value(w.random))
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = rw.Write(data)
}

// drawn is a recipe that was drawn.
type drawn struct {
	text    string
	inputs  *kind
	agents  map[string]*kind // what the services give
	answers map[string]*kind
}

// recipe draws a recipe.
func (g *generator) recipe(url string) drawn {
	g.names, g.sure, g.maybe = make(map[string]*kind), make(map[string]bool), make(map[string]bool)
	for _, name := range boardNames {
		g.names[name] = g.kind(0)
	}
	d := drawn{agents: make(map[string]*kind), answers: make(map[string]*kind)}
	var b strings.Builder
	d.inputs = g.some(1)
	for i, name := range d.inputs.members {
		d.inputs.required[i], g.sure[name], g.maybe[name] = true, true, true
	}
	fmt.Fprintf(&b, "interface:\n  inputs: %s\n", inline(d.inputs.schema()["properties"]))
	state := make(map[string]any)
	for _, name := range boardNames {
		if g.right || !g.often(25) {
			continue
		}
		s := g.names[name].schema()
		if g.often(50) {
			s["default"] = g.names[name].value(rand.New(rand.NewPCG(1, 2)))
			g.sure[name], g.maybe[name] = true, true
		}
		state[name] = s
	}
	var agents, nodes, edges strings.Builder
	n := 1 + g.below(5)
	for i := range n {
		g.node(&d, i, n, url, &agents, &nodes, &edges)
	}
	outputs := make(map[string]any)
	for _, name := range boardNames {
		if g.sure[name] && g.right || !g.right && g.often(20) && (g.maybe[name] || g.often(5)) {
			outputs[name] = g.names[name].schema()
		}
	}
	if len(outputs) > 0 {
		fmt.Fprintf(&b, "  outputs: %s\n", inline(outputs))
	}
	if len(state) > 0 {
		fmt.Fprintf(&b, "state: {properties: %s}\n", inline(state))
	}
	fmt.Fprintf(&b, "agents:\n%spolicy: {max_steps: 20}\nentry_point: n0\nnodes:\n%s", agents.String(), nodes.String())
	if edges.Len() > 0 {
		fmt.Fprintf(&b, "edges:\n%s", edges.String())
	}
	d.text = b.String()
	return d
}

// some is an object of some of the names.
func (g *generator) some(least int) *kind {
	o := &kind{word: "object", closed: true}
	for _, name := range boardNames {
		if g.often(40) || len(o.members) < least {
			o.members, o.types, o.required = append(o.members, name), append(o.types, g.names[name]), append(o.required, g.right || g.often(80))
		}
	}
	return o
}

// node draws a node with its agent, and an edge that leads on, so that each can be reached.
func (g *generator) node(d *drawn, i, n int, url string, agents, nodes, edges *strings.Builder) {
	last, before := i == n-1, maps.Clone(g.sure)
	kinds := []string{"expr", "expr", "http", "http", "human", "router"}
	switch k := oneOfList(g, kinds); {
	case k == "router" && !last && !g.right:
		g.router(i, n, nodes)
		return
	case k == "human":
		fmt.Fprintf(nodes, "  - {type: human, id: n%d, prompt: %q, response: %%s}\n", i, "Well {{ "+g.expression(&kind{word: "string"}, 1)+" }}?")
		answer := g.kind(1)
		d.answers[fmt.Sprintf("n%d", i)] = answer
		text := strings.Replace(nodes.String(), "%s", inline(answer.schema()), 1)
		nodes.Reset()
		nodes.WriteString(text)
	case k == "http":
		out := g.some(1)
		d.agents[fmt.Sprintf("a%d", i)] = out
		fmt.Fprintf(agents, "  a%d: {kind: http, url: %q, output: %s}\n", i, fmt.Sprintf("%s/a%d", url, i), inline(out.schema()))
		fmt.Fprintf(nodes, "  - {type: agent, id: n%d, agent_ref: a%d}\n", i, i)
		g.brings(out)
	default:
		out := g.some(1)
		fmt.Fprintf(agents, "  a%d:\n    kind: expr\n    set:\n", i)
		for j, name := range out.members {
			fmt.Fprintf(agents, "      %s: %q\n", name, g.expression(out.types[j], 0))
		}
		fmt.Fprintf(nodes, "  - {type: agent, id: n%d, agent_ref: a%d}\n", i, i)
		out.required = nil
		for range out.members {
			out.required = append(out.required, true)
		}
		g.brings(out)
	}
	g.edges(i, n, before, edges)
}

// brings notes what is there from now on in a recipe that is right by construction.
func (g *generator) brings(out *kind) {
	for i, name := range out.members {
		g.sure[name] = g.sure[name] || out.required[i]
		g.maybe[name] = true
	}
}

// edges draws the edges out of a node; the last is to the next one, so that all are reached.
func (g *generator) edges(i, n int, before map[string]bool, edges *strings.Builder) {
	if i == n-1 {
		return
	}
	if !g.right && g.often(40) {
		fmt.Fprintf(edges, "  - {source: n%d, target: n%d, when: %q}\n", i, g.below(n), g.condition(1))
	}
	if g.often(30) {
		to := i + 1
		if g.right {
			g.sure = before // nothing of what this one brings
		} else {
			to += g.below(n - to)
		}
		fmt.Fprintf(edges, "  - {source: n%d, target: n%d, condition: on_failure}\n", i, to)
	}
	fmt.Fprintf(edges, "  - {source: n%d, target: n%d}\n", i, i+1)
}

func (g *generator) router(i, n int, nodes *strings.Builder) {
	name := oneOfList(g, boardNames)
	for tries := 0; tries < 3 && !g.maybe[name]; tries++ {
		name = oneOfList(g, boardNames)
	}
	k := g.names[name]
	for j, m := range k.members {
		if g.often(80) {
			name, k = name+"."+m, k.types[j]
			break
		}
	}
	if g.often(30) {
		name += "?"
	}
	values := []string{"x", "y"}
	switch k.word {
	case "boolean":
		values = []string{"true", "false"}
	case "integer":
		values = []string{"0", "1"}
	}
	if !g.often(85) {
		values = values[:1]
	}
	fmt.Fprintf(nodes, "  - {type: router, id: n%d, input_key: %q, routes: {", i, name)
	for j, v := range values {
		to := i + 1
		if j > 0 {
			to += g.below(n - i - 1)
		}
		fmt.Fprintf(nodes, "%q: n%d, ", v, to)
	}
	nodes.WriteString("}")
	if g.often(60) {
		fmt.Fprintf(nodes, ", default_route: n%d", i+1)
	}
	nodes.WriteString("}\n")
}

// TestWhatLoadsRuns draws recipes, about half of which are refused. No run of one that loads fails for a reason that the
// recipe shows, with any inputs, answers and outputs of agents that fit their schemas.
func TestWhatLoadsRuns(t *testing.T) {
	w := newWorld(t)
	loaded, refused, runs, failed := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		d := g.recipe(w.server.URL)
		seed := rapid.Uint64().Draw(t, "seed")
		r, err := recipe.Parse([]byte(d.text), "drawn.yaml", recipe.Options{})
		if err != nil {
			if _, ok := errors.AsType[*recipe.Error](err); !ok {
				t.Fatalf("%s\n%v", d.text, err)
			}
			refused++
			return
		}
		loaded++
		for i := range uint64(4) {
			runs++
			if err := w.run(r, d, rand.New(rand.NewPCG(seed, i))); err != nil {
				failed++
				if !excluded(err) {
					t.Fatalf("a recipe that loads fails: %v\n%s", err, d.text)
				}
			}
		}
	})
	t.Logf("%d recipes loaded, %d were refused; of %d runs, %d failed for reasons that no file shows", loaded, refused, runs, failed)
	if loaded == 0 || refused == 0 {
		t.Errorf("%d recipes loaded and %d were refused: expected some of both", loaded, refused)
	}
}

func excluded(err error) bool {
	for _, e := range notInTheFile {
		if strings.Contains(err.Error(), e) {
			return true
		}
	}
	return false
}

// TestWhatIsRightLoads draws recipes that are right by construction: none is refused.
func TestWhatIsRightLoads(t *testing.T) {
	w := newWorld(t)
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t, right: true}
		d := g.recipe(w.server.URL)
		seed := rapid.Uint64().Draw(t, "seed")
		r, err := recipe.Parse([]byte(d.text), "drawn.yaml", recipe.Options{})
		if err != nil {
			t.Fatalf("a recipe that is right is refused:\n%v\n%s", err, d.text)
		}
		if err := w.run(r, d, rand.New(rand.NewPCG(seed, 0))); err != nil && !excluded(err) {
			t.Fatalf("a recipe that is right fails: %v\n%s", err, d.text)
		}
	})
}

// run runs a recipe once and gives the error that it ended with.
func (w *world) run(r *recipe.Recipe, d drawn, random *rand.Rand) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	given, _ := d.inputs.value(random).(map[string]any)
	answers := rand.New(rand.NewPCG(random.Uint64(), 1))
	w.mu.Lock()
	w.gives, w.random = d.agents, random
	w.mu.Unlock()
	inputs, err := r.Input(given)
	if err != nil {
		return fmt.Errorf("the inputs %v: %w", given, err)
	}
	run, err := w.rt.Start(ctx, r.Plan(), inputs)
	if err != nil {
		return err
	}
	for {
		res, err := run.Wait(ctx)
		if err != nil || res.Status == fermata.Failed {
			return errors.Join(err, res.Err)
		}
		if res.Status != fermata.Paused {
			return nil
		}
		for _, q := range res.Interrupts {
			name, _, _ := strings.Cut(q.Task, "#")
			if err := w.rt.Answer(ctx, q.ID, d.answers[name].value(answers)); err != nil {
				return fmt.Errorf("answering %s: %w", name, err)
			}
		}
	}
}
