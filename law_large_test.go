package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// narrow is a store that notes what it is given of more than a limit.
type narrow struct {
	journal.Store
	limit int

	mu   sync.Mutex
	wide []string
}

func (s *narrow) Append(ctx context.Context, b journal.Batch) error {
	s.mu.Lock()
	for i := range b.Entries {
		if e := &b.Entries[i]; max(len(e.Value), len(e.Body)) > s.limit {
			s.wide = append(s.wide, fmt.Sprintf("%s of %d bytes", e.Kind, max(len(e.Value), len(e.Body))))
		}
	}
	s.mu.Unlock()
	return s.Store.Append(ctx, b)
}

// large is what the ways below are tried with: a runtime, and a text that is too large for it.
type large struct {
	rt    *fermata.Runtime
	limit int
	text  string
	said  *talk
}

// single runs a graph of one node, and returns why it failed.
func (l *large) single(t *testing.T, f graph.Func[state], opts ...graph.NodeOption) error {
	t.Helper()
	return wait(t, start(t, l.rt, single(f, opts...), state{})).Err
}

// asked runs a graph that asks one question to that question.
func (l *large) asked(t *testing.T) (*graph.Run[state], string) {
	t.Helper()
	run := start(t, l.rt, single(func(ctx node.Context, s state) (state, error) {
		var err error
		s.Text, err = node.Interrupt[string](ctx, nil)
		return s, err
	}), state{})
	return run, question(t, run).ID
}

// ends gives the failure of a node that only calls something.
func calls1(f func(ctx node.Context) error) graph.Func[state] {
	return func(ctx node.Context, s state) (state, error) { return s, f(ctx) }
}

type page struct {
	Title string   `json:"title"`
	Lines []string `json:"lines"`
}

// largeWays are all ways by which somebody's value comes into a journal, each with the path of the culprit that the error shows.
var largeWays = map[string]struct {
	path string
	try  func(t *testing.T, l *large) error
}{
	"a state": {"state.Text: ", func(t *testing.T, l *large) error {
		return l.single(t, func(_ node.Context, s state) (state, error) { s.Text = l.text; return s, nil })
	}},
	"a state of a gate": {"state.Log[1]: ", func(t *testing.T, l *large) error {
		g := graph.New[state]("gate").Node("a", func(_ node.Context, s state) (state, error) {
			s.Log = []string{"", l.text}
			return s, nil
		}).Node("b", logged).Edge(graph.Start, "a").
			Route("a", func(node.Context, state) (string, error) { return "b", nil }, "b", graph.End).MustCompile()
		return wait(t, start(t, l.rt, g, state{})).Err
	}},
	"a state that comes with an error": {"", func(t *testing.T, l *large) error { // it is not kept, and the input travels on
		g := graph.New[state]("caught").Node("a", func(_ node.Context, s state) (state, error) {
			s.Text = l.text
			return s, errors.New("failed")
		}).Node("b", func(_ node.Context, s state) (state, error) {
			if s.Text != "" {
				t.Errorf("the state came through, of %d bytes", len(s.Text))
			}
			return s, fmt.Errorf("takes more than the limit of 64; reference: %w", node.ErrNotStorable)
		}).Edge(graph.Start, "a").OnError("a", "b").MustCompile()
		return wait(t, start(t, l.rt, g, state{})).Err
	}},
	"a state that changes wholly": {"state.Log: ", func(t *testing.T, l *large) error {
		words := func(of string) (all []string) {
			for i := range len(l.text) / 32 {
				all = append(all, fmt.Sprintf("%s %d", of, i))
			}
			return all
		}
		g := graph.New[state]("twice").
			Node("a", func(_ node.Context, s state) (state, error) { s.Log = words("a")[:2000]; return s, nil }).
			Node("b", func(_ node.Context, s state) (state, error) { s.Log = words("b"); return s, nil }).
			Edge(graph.Start, "a").Edge("a", "b").MustCompile()
		return wait(t, start(t, l.rt, g, state{})).Err
	}},
	"a merged state": {"state.Text: ", func(t *testing.T, l *large) error {
		half := func(_ node.Context, s state) (state, error) { s.Log = []string{l.text[:l.limit*2/3]}; return s, nil }
		g := graph.New[state]("fork").Node("a", half).Node("b", half).Node("c", logged, graph.All()).
			Edge(graph.Start, "a", "b").Edge("a", "c").Edge("b", "c").Merge(func(_ state, s []state) (state, error) {
			return state{Text: s[0].Log[0] + s[1].Log[0]}, nil
		}).MustCompile()
		return wait(t, start(t, l.rt, g, state{})).Err
	}},
	"the input of a run": {"state.Text: ", func(t *testing.T, l *large) error {
		_, err := single(logged).Start(t.Context(), l.rt, state{Text: l.text})
		return err
	}},
	"labels of a run": {"/for: ", func(t *testing.T, l *large) error {
		_, err := single(logged).Start(t.Context(), l.rt, state{}, fermata.WithLabels(map[string]string{"for": l.text, "a": "b"}))
		return err
	}},
	"a definition": {"/text: ", func(t *testing.T, l *large) error {
		_, err := l.rt.SaveDefinition(t.Context(), "recipe", []byte(l.text))
		return err
	}},
	"a step": {"/lines/1: ", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error {
			_, err := node.Step(ctx, "read", func(node.Context) (page, error) { return page{"a", []string{"b", l.text}}, nil })
			return err
		}))
	}},
	"a step at most once": {"a#1, once:read", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error {
			_, err := node.Step(ctx, "read", func(node.Context) (string, error) { return l.text, nil }, node.AtMostOnce())
			return err
		}))
	}},
	"a step that writes itself": {"step:read", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error {
			_, err := node.Step(ctx, "read", func(node.Context) (json.Marshaler, error) { return selfWritten(l.text), nil })
			return err
		}))
	}},
	"a heartbeat": {"/title: ", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error { return node.Heartbeat(ctx, page{Title: l.text}) }))
	}},
	"a message": {"/text: ", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error {
			return node.Emit(ctx, node.EventMessage, map[string]any{"text": l.text})
		}))
	}},
	"a stream of text": {"stream:answer", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error {
			s, err := node.Stream(ctx, "answer")
			for range 100 {
				if err == nil {
					err = s.Write(l.text[:l.limit/10])
				}
			}
			return err
		}))
	}},
	"a stream of text that is escaped": {"/text: ", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error {
			s, err := node.Stream(ctx, "answer")
			if err == nil {
				err = s.Write(strings.Repeat("<", l.limit/2))
			}
			if err == nil {
				err = s.Close()
			}
			return err
		}))
	}},
	"a typed value": {"/lines/0: ", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error { return node.Structured(ctx, "page", page{Lines: []string{l.text}}) }))
	}},
	"a request": {"request: the value cannot be stored: /title: ", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error {
			_, err := node.Interrupt[bool](ctx, page{Title: l.text})
			return err
		}))
	}},
	"a prompt": {"/prompt: ", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error {
			_, err := node.Interrupt[bool](ctx, nil, node.Prompt(l.text))
			return err
		}))
	}},
	"an option": {"/options/1: ", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error {
			_, err := node.Interrupt[string](ctx, nil, node.Options("no", l.text))
			return err
		}))
	}},
	"a default answer": {"default answer: ", func(t *testing.T, l *large) error {
		return l.single(t, calls1(func(ctx node.Context) error {
			_, err := node.Interrupt[string](ctx, nil, node.Within(time.Hour), node.OrDefault(l.text))
			return err
		}))
	}},
	"an answer": {"/1: ", func(t *testing.T, l *large) error {
		_, id := l.asked(t)
		return l.rt.Answer(t.Context(), id, []string{"a", l.text})
	}},
	"an answer in JSON": {"interrupt int_", func(t *testing.T, l *large) error {
		_, id := l.asked(t)
		return l.rt.Answer(t.Context(), id, json.RawMessage(`"`+l.text+`"`))
	}},
	"one of several answers": {"interrupt int_", func(t *testing.T, l *large) error {
		_, id := l.asked(t)
		return l.rt.AnswerAll(t.Context(), map[string]any{id: l.text})
	}},
	"the reason of a cancellation": {"reason: ", func(t *testing.T, l *large) error {
		run, _ := l.asked(t)
		return l.rt.Cancel(t.Context(), run.ID(), l.text, "eve")
	}},
	"the name of a claim": {"interrupt.updated: ", func(t *testing.T, l *large) error {
		_, id := l.asked(t)
		return l.rt.Claim(t.Context(), id, l.text, "")
	}},
	"the reply of a model": {"/parts/0/text: ", func(t *testing.T, l *large) error {
		l.said.replies["large"] = []scripted.Reply{replies(l.text)}
		return l.single(t, calls1(func(ctx node.Context) error {
			_, err := ctx.LLM().Complete(ctx, "large answer")
			return err
		}))
	}},
	"the result of a tool": {"tool:reason:reason#1/read#1", func(t *testing.T, l *large) error {
		tool, err := node.NewTool("read", "reads", func(node.Context, struct{}) (string, error) { return l.text, nil })
		if err != nil {
			t.Fatal(err)
		}
		return l.tool(t, tool)
	}},
	"the result of a tool that must not be called twice": {"/lines/0: ", func(t *testing.T, l *large) error {
		tool, err := node.NewTool("read", "reads", func(node.Context, struct{}) (page, error) { return page{Lines: []string{l.text}}, nil })
		if err != nil {
			t.Fatal(err)
		}
		tool.Once = true
		err = l.tool(t, tool)
		if !errors.Is(err, node.ErrOutcomeUnknown) {
			t.Errorf("expected an unknown outcome: %.300v", err)
		}
		return err
	}},
	"the result of a cached node": {"state.Text: ", func(t *testing.T, l *large) error {
		return l.single(t, func(_ node.Context, s state) (state, error) { s.Text = l.text; return s, nil }, graph.CacheFor("v1", time.Hour))
	}},
	"an edit of a fork": {"state.Text: ", func(t *testing.T, l *large) error {
		run, _ := l.asked(t)
		_, err := l.rt.Fork(t.Context(), run.ID(), single(logged).Plan(), fermata.ForkOptions{By: "eve", Edit: func(v any) (any, error) {
			v.(*state).Text = l.text
			return v, nil
		}})
		return err
	}},
	"a value that is set in a fork": {"/text: ", func(t *testing.T, l *large) error {
		run, _ := l.asked(t)
		_, err := l.rt.Fork(t.Context(), run.ID(), single(logged).Plan(), fermata.ForkOptions{
			By: "eve", Set: map[string]json.RawMessage{"text": json.RawMessage(`"` + l.text + `"`)},
		})
		return err
	}},
	"what a migration makes": {"value 1: ", func(t *testing.T, l *large) error {
		run, _ := l.asked(t)
		_, err := l.rt.Migrate(t.Context(), run.ID(), single(logged).Plan(), plan.Migration{
			State: func(json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(`{"text":"` + l.text + `"}`), nil
			},
		}, "")
		return err
	}},
}

// tool runs a reasoning whose model calls a tool.
func (l *large) tool(t *testing.T, tool node.Tool) error {
	t.Helper()
	l.said.replies["reads"] = []scripted.Reply{wants("read", `{}`), replies("done")}
	return l.single(t, calls1(func(ctx node.Context) error {
		_, err := node.Reason[string](ctx, node.Reasoning{Prompt: "reads", Tools: []node.Tool{tool}})
		return err
	}))
}

type selfWritten string

func (s selfWritten) MarshalJSON() ([]byte, error) { return json.Marshal(string(s)) }

// mostLarge is the limit in these tests.
const mostLarge = 64 << 10

func newLarge(t *testing.T, limit, size int) (*large, *narrow) {
	t.Helper()
	store := &narrow{Store: memory.New(), limit: limit}
	said := newTalk(make(map[string][]scripted.Reply))
	rt := newRuntime(t, fermata.Options{Store: store, MaxValue: limit, Services: []any{model.Model(said)}})
	return &large{rt: rt, limit: limit, text: strings.Repeat("x", size), said: said}, store
}

// Whatever is too large is refused where it is made, with what is so large and what to do, and nothing of it is stored.
func TestN8_LargeValuesAreRefusedWhereTheyAreMade(t *testing.T) {
	for name, way := range largeWays {
		t.Run(name, func(t *testing.T) {
			l, store := newLarge(t, mostLarge, 20*mostLarge)
			err := way.try(t, l)
			if !errors.Is(err, node.ErrNotStorable) {
				t.Fatalf("expected ErrNotStorable, found %.300v", err)
			}
			for _, part := range []string{way.path, "takes more than the limit of ", "reference"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("expected %q in the error: %.600v", part, err)
				}
			}
			if len(err.Error()) > 2000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if len(store.wide) > 0 {
				t.Errorf("the store was given %v", store.wide)
			}
		})
	}
}

// Refusing costs what the limit is, and not what the value is.
func TestN8_RefusingIsCheap(t *testing.T) {
	const limit, size = 1 << 20, 50 << 20
	for name, way := range largeWays {
		switch name {
		case "an answer in JSON", "a value that is set in a fork", "what a migration makes", "a step that writes itself",
			"a definition", "the reply of a model", "a state that changes wholly", "a prompt", "an option", "the name of a claim":
			continue // these make the value once more themselves
		}
		t.Run(name, func(t *testing.T) {
			l, _ := newLarge(t, limit, size)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := way.try(t, l)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Fatal("it was not refused")
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 10*limit {
				t.Errorf("refusing %d MiB took %.1f MiB of memory", size>>20, float64(took)/(1<<20))
			}
		})
	}
}

// The text of an error is no value that anybody could keep elsewhere: one that is too long is cut, live as recorded, and
// keeps its kinds.
func TestF8_LongTextsOfErrorsAreCut(t *testing.T) {
	for name, fails := range map[string]func(l *large) graph.Func[state]{
		"of a node": func(l *large) graph.Func[state] {
			return calls1(func(node.Context) error { return fmt.Errorf("begins %s: %w", l.text, model.ErrRateLimited) })
		},
		"of a step": func(l *large) graph.Func[state] {
			return calls1(func(ctx node.Context) error {
				_, err := node.Step(ctx, "ask", func(node.Context) (int, error) { return 0, fmt.Errorf("begins %s: %w", l.text, model.ErrRateLimited) })
				return err
			})
		},
		"of a panic": func(l *large) graph.Func[state] {
			return calls1(func(node.Context) error { panic(fmt.Errorf("begins %s: %w", l.text, model.ErrRateLimited)) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, store := newLarge(t, mostLarge, 20*mostLarge)
			g := single(fails(l))
			run := start(t, l.rt, g, state{})
			live := ends(t, run, fermata.Failed).Err
			again, err := newRuntime(t, fermata.Options{Store: store.Store}).Result(t.Context(), run.ID(), g.Plan())
			if err != nil {
				t.Fatal(err)
			}
			for when, err := range map[string]error{"live": live, "recorded": again.Err} {
				if text := err.Error(); !strings.Contains(text, "begins xxx") || !strings.Contains(text, "bytes, of which no more than the beginning is kept") ||
					len(text) > 4000 || !errors.Is(err, model.ErrRateLimited) {
					t.Errorf("%s, %d bytes: %.300s", when, len(text), text)
				}
			}
			if live.Error() != again.Err.Error() {
				t.Errorf("live, and recorded:\n%s\n%s", live, again.Err)
			}
			if len(store.wide) > 0 {
				t.Errorf("the store was given %v", store.wide)
			}
		})
	}
}

// A history holds the values that later entries refer to, and not all that there ever were.
func TestJ7_AHistoryDoesNotHoldAllValues(t *testing.T) {
	const nodes, size = 40, 1 << 20
	rt, _ := inMemory(t)
	b := graph.New[state]("long")
	for i := range nodes {
		b.Node(fmt.Sprint("n", i), func(_ node.Context, s state) (state, error) {
			s.Text = strings.Repeat(string(rune('A'+i)), size)
			return s, nil
		})
		if i == 0 {
			b.Edge(graph.Start, "n0")
		} else {
			b.Edge(fmt.Sprint("n", i-1), fmt.Sprint("n", i))
		}
	}
	run := start(t, rt, b.MustCompile(), state{})
	ends(t, run, fermata.Completed)
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before, seen, held := heap(), 0, 0
	for m, err := range rt.History(t.Context(), run.ID()) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Entry.Kind == journal.NodeFinished {
			if seen++; len(m.Value) < size {
				t.Fatalf("seq %d has a value of %d bytes", m.Entry.Seq, len(m.Value))
			}
			if seen == nodes-2 {
				held = heap() - before
			}
		}
	}
	if seen != nodes {
		t.Errorf("%d nodes are in the history", seen)
	}
	if held > 8*size {
		t.Errorf("the history holds %.1f MiB; expected those of some values of 1 MiB", float64(held)/(1<<20))
	}
}
