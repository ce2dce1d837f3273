package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// order is the state of the graphs that crashes are tried on.
type order struct {
	Amount int               `json:"amount"`
	Log    []string          `json:"log,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
	Rounds int               `json:"rounds,omitempty"`
	At     time.Time         `json:"at,omitzero"`
}

func (o order) note(format string, args ...any) order {
	o.Log = append(o.Log, fmt.Sprintf(format, args...))
	return o
}

// world counts what happens outside of the runs.
type world struct {
	mu     sync.Mutex
	counts map[string]int
	keys   map[string]map[string]bool // effect -> idempotency keys that it was seen with
}

func newWorld() *world {
	return &world{counts: make(map[string]int), keys: make(map[string]map[string]bool)}
}

// effect is something that happens in the outside world.
func (w *world) effect(ctx context.Context, name string) {
	key := node.IdempotencyKey(ctx) // which may wait for another branch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[name]++
	if w.keys[name] == nil {
		w.keys[name] = make(map[string]bool)
	}
	w.keys[name][key] = true
}

func (w *world) effects() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	copied := make(map[string]int, len(w.counts))
	maps.Copy(copied, w.counts)
	return copied
}

// step is a step with an effect; its value tells how it was called.
func (w *world) step(ctx node.Context, name string, opts ...node.StepOption) (string, error) {
	return node.Step(ctx, name, func(ctx node.Context) (string, error) {
		w.effect(ctx, name)
		return "did " + name, nil
	}, opts...)
}

// does is a node that does steps, one after the other.
func (w *world) does(steps ...string) graph.Func[order] {
	return func(ctx node.Context, o order) (order, error) {
		for _, name := range steps {
			did, err := w.step(ctx, name)
			if err != nil {
				return o, err
			}
			o = o.note("%s: %s", ctx.Info().Task(), did)
		}
		return o, nil
	}
}

func notes(text string) graph.Func[order] {
	return func(ctx node.Context, o order) (order, error) {
		if cause := ctx.Cause(); cause != nil {
			return o.note("%s: %s because %s: %s", ctx.Info().Task(), text, cause.Task, cause.Message), nil //nolint:nilerr // it goes on over the error's edge
		}
		return o.note("%s: %s", ctx.Info().Task(), text), nil
	}
}

// asks is a node that asks before and after a step.
func (w *world) asks(prompt string, opts ...node.AskOption) graph.Func[order] {
	return func(ctx node.Context, o order) (order, error) {
		if _, err := w.step(ctx, "prepare"); err != nil {
			return o, err
		}
		said, err := node.Interrupt[string](ctx, map[string]int{"amount": o.Amount}, append(opts, node.Prompt(prompt))...)
		if err != nil {
			return o, err
		}
		if _, err := w.step(ctx, "carry out"); err != nil {
			return o, err
		}
		return o.note("%s: %s", ctx.Info().Task(), said), nil
	}
}

// crashCase is a graph and what people say to it.
type crashCase struct {
	name    string
	build   func(w *world) *graph.Graph[order]
	answers map[string][]any
	once    []string
	onDisk  bool     // also tried on SQLite
	status  string   // how the run ends without a crash; "" for completed
	log     []string // what its last state holds
}

func (c crashCase) options(w *world) []fermatatest.CrashOption {
	return []fermatatest.CrashOption{
		fermatatest.Answers(c.answers), fermatatest.Effects(w.effects), fermatatest.OnlyOnce(c.once...),
	}
}

func input() any { return &order{Amount: 10} }

// chain builds a graph of nodes one behind the other.
func chain(names []string, add func(b *graph.Builder[order])) *graph.Graph[order] {
	b := graph.New[order]("order")
	add(b)
	b.Edge(graph.Start, names[0])
	for i := range names[1:] {
		b.Edge(names[i], names[i+1])
	}
	return b.MustCompile()
}

var crashCases = []crashCase{
	{
		name: "a chain of steps",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"take", "pay", "ship"}, func(b *graph.Builder[order]) {
				b.Node("take", w.does("reserve", "confirm")).Node("pay", w.does("charge")).Node("ship", w.does("pack", "send"))
			})
		},
		log: []string{
			"take#1: did reserve", "take#1: did confirm", "pay#1: did charge", "ship#1: did pack", "ship#1: did send",
		},
	},
	{
		name: "retry with a backoff", onDisk: true,
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"take", "pay"}, func(b *graph.Builder[order]) {
				b.Node("take", notes("taken")).Node("pay", func(ctx node.Context, o order) (order, error) {
					if _, err := w.step(ctx, "look up"); err != nil {
						return o, err
					}
					_, err := node.Step(ctx, "charge", func(sc node.Context) (int, error) {
						w.effect(sc, "charge")
						if ctx.Info().Attempt < 3 {
							return 0, errors.New("the bank is closed")
						}
						return o.Amount, nil
					})
					if err != nil {
						return o, err
					}
					return o.note("%s: paid at attempt %d", ctx.Info().Task(), ctx.Info().Attempt), nil
				}, graph.Retry(3, time.Minute))
			})
		},
		log: []string{"take#1: taken", "pay#1: paid at attempt 3"},
	},
	{
		name: "a run that fails after its retries",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"pay"}, func(b *graph.Builder[order]) {
				b.Node("pay", func(ctx node.Context, o order) (order, error) {
					_, err := w.step(ctx, "charge")
					return o, errors.Join(err, errors.New("no"))
				}, graph.Retry(2, time.Second))
			})
		},
		status: "failed",
	},
	{
		name: "sleep",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"wait", "ship"}, func(b *graph.Builder[order]) {
				b.Node("wait", func(ctx node.Context, o order) (order, error) {
					for _, name := range []string{"remind", "remind again"} {
						if _, err := w.step(ctx, name); err != nil {
							return o, err
						}
						if err := node.Sleep(ctx, 36*time.Hour); err != nil {
							return o, err
						}
					}
					at, err := node.Now(ctx)
					o.At = at.Truncate(time.Hour)
					return o, err
				}).Node("ship", w.does("send"))
			})
		},
		log: []string{"ship#1: did send"},
	},
	{
		name: "a question",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"take", "review", "ship"}, func(b *graph.Builder[order]) {
				b.Node("take", notes("taken")).Node("review", w.asks("All right?")).Node("ship", w.does("send"))
			})
		},
		answers: map[string][]any{"review": {"yes"}},
		log:     []string{"take#1: taken", "review#1: yes", "ship#1: did send"},
	},
	{
		name: "several questions at once, and one behind the other", onDisk: true,
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"review"}, func(b *graph.Builder[order]) {
				b.Node("review", func(ctx node.Context, o order) (order, error) {
					var asked []*node.Asked[string]
					for _, who := range []string{"sales", "law", "stock"} {
						q, err := node.Ask[string](ctx, nil, node.ID(who), node.Role(who), node.Prompt("All right?"))
						if err != nil {
							return o, err
						}
						asked = append(asked, q)
					}
					if _, err := w.step(ctx, "announce"); err != nil {
						return o, err
					}
					for _, q := range asked {
						said, err := q.Wait()
						if err != nil {
							return o, err
						}
						o = o.note("said %s", said)
					}
					last, err := node.Interrupt[string](ctx, o.Log, node.Prompt("Sum up"))
					if err != nil {
						return o, err
					}
					return o.note("last %s", last), nil
				})
			})
		},
		answers: map[string][]any{"review": {"yes", "no", "perhaps", "done"}},
		log:     []string{"said yes", "said no", "said perhaps", "last done"},
	},
	{
		name: "code with a change", onDisk: true,
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"review"}, func(b *graph.Builder[order]) {
				b.Node("review", func(ctx node.Context, o order) (order, error) {
					changed, err := node.Changed(ctx, "announces")
					if err != nil {
						return o, err
					}
					if changed {
						if _, err := w.step(ctx, "announce"); err != nil {
							return o, err
						}
					}
					said, err := node.Interrupt[string](ctx, nil, node.Prompt("All right?"))
					if err != nil {
						return o, err
					}
					again, err := node.Changed(ctx, "announces")
					if err != nil {
						return o, err
					}
					return o.note("%t, %t: said %s", changed, again, said), nil
				})
			})
		},
		answers: map[string][]any{"review": {"yes"}},
		log:     []string{"true, true: said yes"},
	},
	{
		name: "a deadline that fails",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"review"}, func(b *graph.Builder[order]) {
				b.Node("review", w.asks("All right?", node.Within(time.Hour)))
			})
		},
		status: "expired",
	},
	{
		name: "a deadline with a default",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"review", "ship"}, func(b *graph.Builder[order]) {
				b.Node("review", w.asks("All right?", node.Within(time.Hour), node.OrDefault("silence"))).Node("ship", w.does("send"))
			})
		},
		log: []string{"review#1: silence", "ship#1: did send"},
	},
	{
		name: "a deadline that routes",
		build: func(w *world) *graph.Graph[order] {
			b := graph.New[order]("order")
			b.Node("review", func(ctx node.Context, o order) (order, error) {
				if _, err := node.Ask[string](ctx, nil, node.ID("aside"), node.Within(48*time.Hour)); err != nil {
					return o, err
				}
				return w.asks("All right?", node.Within(time.Hour), node.OrRoute("close"))(ctx, o)
			})
			b.Node("ship", w.does("send")).Node("close", notes("closed"))
			return b.Edge(graph.Start, "review").Edge("review", "ship").OnDeadline("review", "close").MustCompile()
		},
		log: []string{"close#1: closed"},
	},
	{
		name: "a deadline that escalates", onDisk: true,
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"review", "ship"}, func(b *graph.Builder[order]) {
				b.Node("review", w.asks("All right?", node.Role("clerk"), node.Within(time.Hour),
					node.OrEscalate("manager", 2*time.Hour), node.OrDefault("nobody")))
				b.Node("ship", w.does("send"))
			})
		},
		log: []string{"review#1: nobody", "ship#1: did send"},
	},
	{
		name: "an error edge",
		build: func(w *world) *graph.Graph[order] {
			b := graph.New[order]("order")
			b.Node("pay", func(ctx node.Context, o order) (order, error) {
				if _, err := w.step(ctx, "charge"); err != nil {
					return o, err
				}
				return o.note("half"), errors.New("declined")
			}, graph.Retry(2, time.Minute))
			b.Node("ship", w.does("send")).Node("refund", w.does("refund"))
			return b.Edge(graph.Start, "pay").Edge("pay", "ship").OnError("pay", "refund").MustCompile()
		},
		log: []string{"half", "refund#1: did refund"},
	},
	{
		name: "a gate for failures",
		build: func(w *world) *graph.Graph[order] {
			b := graph.New[order]("order")
			b.Node("pay", func(ctx node.Context, o order) (order, error) {
				if o.Rounds++; o.Rounds < 3 {
					return o, fmt.Errorf("round %d", o.Rounds)
				}
				panic("round 3")
			})
			b.Node("again", func(ctx node.Context, o order) (order, error) { return notes("again")(ctx, o) })
			b.Node("close", notes("closed"))
			b.Catch("pay", func(_ node.Context, o order, cause error) (string, error) {
				if errors.As(cause, new(*node.PanicError)) {
					return "close", nil
				}
				return "again", nil
			}, "again", "close")
			return b.Edge(graph.Start, "pay").Edge("again", "pay").MustCompile()
		},
		log: []string{
			"again#1: again because pay#1: round 1", "again#2: again because pay#2: round 2",
			"close#1: closed because pay#3: panic: round 3",
		},
	},
	{
		name: "a loop with a gate and a question inside",
		build: func(w *world) *graph.Graph[order] {
			b := graph.New[order]("order")
			b.Node("draft", func(ctx node.Context, o order) (order, error) {
				o.Rounds++
				return w.does("write")(ctx, o)
			})
			b.Node("review", w.asks("Good enough?"))
			b.Route("review", func(_ node.Context, o order) (string, error) {
				if o.Rounds < 3 {
					return "draft", nil
				}
				return graph.End, nil
			}, "draft", graph.End)
			return b.Edge(graph.Start, "draft").Edge("draft", "review").MustCompile()
		},
		answers: map[string][]any{"review": {"no", "still no", "yes"}},
		log: []string{
			"draft#1: did write", "review#1: no", "draft#2: did write", "review#2: still no", "draft#3: did write", "review#3: yes",
		},
	},
	{
		name: "a gate that stops the run",
		build: func(w *world) *graph.Graph[order] {
			b := graph.New[order]("order")
			b.Node("take", w.does("reserve")).Node("ship", w.does("send"))
			b.Route("take", func(ctx node.Context, _ order) (string, error) {
				at, err := node.Now(ctx)
				if at.IsZero() {
					return "ship", err
				}
				return graph.Stop, err
			}, "ship", graph.Stop)
			return b.Edge(graph.Start, "take").MustCompile()
		},
		log: []string{"take#1: did reserve"},
	},
	{
		name: "a subgraph with a question inside",
		build: func(w *world) *graph.Graph[order] {
			inner := chain([]string{"check", "review", "file"}, func(b *graph.Builder[order]) {
				b.Node("check", w.does("look up")).Node("review", w.asks("All right?")).Node("file", w.does("file"))
			})
			return chain([]string{"take", "approve", "ship"}, func(b *graph.Builder[order]) {
				b.Node("take", notes("taken")).Sub("approve", inner).Node("ship", w.does("send"))
			})
		},
		answers: map[string][]any{"approve/review": {"yes"}},
		log: []string{
			"take#1: taken", "approve/check#1: did look up", "approve/review#1: yes", "approve/file#1: did file", "ship#1: did send",
		},
	},
	{
		name: "subgraphs of another state, in a loop, with a retry", onDisk: true,
		build: func(w *world) *graph.Graph[order] {
			inner := graph.New[form]("form")
			inner.Node("fill", func(ctx node.Context, f form) (form, error) {
				if _, err := w.step(ctx, "open"); err != nil {
					return f, err
				}
				said, err := node.Interrupt[string](ctx, nil, node.ID("name"), node.Within(time.Hour), node.OrDefault("unnamed"))
				f.Name += said
				return f, err
			})
			inner.Node("send", func(ctx node.Context, f form) (form, error) {
				if ctx.Info().Visit == 1 {
					return f, errors.New("lost in the mail")
				}
				_, err := w.step(ctx, "post")
				return f, err
			})
			child := inner.Edge(graph.Start, "fill").Edge("fill", "send").MustCompile()
			b := graph.New[order]("order")
			graph.SubOf(b, "form", child,
				func(o order) (form, error) { return form{Name: fmt.Sprintf("%d ", o.Rounds)}, nil },
				func(o order, f form) (order, error) {
					o.Rounds++
					return o.note("%s", f.Name), nil
				}, graph.Retry(2, time.Minute))
			b.Node("close", notes("closed"))
			b.Route("close", func(_ node.Context, o order) (string, error) {
				if o.Rounds < 2 {
					return "form", nil
				}
				return graph.End, nil
			}, "form", graph.End)
			return b.Edge(graph.Start, "form").Edge("form", "close").MustCompile()
		},
		answers: map[string][]any{"form/fill": {"a", "b"}},
		log:     []string{"0 b", "close#1: closed", "1 unnamed", "close#2: closed"},
	},
	{
		name: "a step that happens once at most",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"pay", "ship"}, func(b *graph.Builder[order]) {
				b.Node("pay", func(ctx node.Context, o order) (order, error) {
					if _, err := w.step(ctx, "look up"); err != nil {
						return o, err
					}
					did, err := w.step(ctx, "charge", node.AtMostOnce())
					return o.note("%s", did), err
				}, graph.Retry(3, time.Second)).Node("ship", w.does("send"))
			})
		},
		once: []string{"charge"},
		log:  []string{"did charge", "ship#1: did send"},
	},
	{
		name: "steps inside of a step",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"pay", "ship"}, func(b *graph.Builder[order]) {
				b.Node("pay", func(ctx node.Context, o order) (order, error) {
					total, err := node.Step(ctx, "total", func(ctx node.Context) (int, error) {
						w.effect(ctx, "begin")
						for _, name := range []string{"net", "tax"} {
							if _, err := w.step(ctx, name); err != nil {
								return 0, err
							}
						}
						return 12, nil
					})
					if err != nil {
						return o, err
					}
					return w.asks(fmt.Sprintf("Pay %d?", total))(ctx, o)
				}).Node("ship", w.does("send"))
			})
		},
		answers: map[string][]any{"pay": {"yes"}},
		log:     []string{"pay#1: yes", "ship#1: did send"},
	},
	{
		name: "an attempt that takes too long",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"call"}, func(b *graph.Builder[order]) {
				b.Node("call", func(ctx node.Context, o order) (order, error) {
					if _, err := w.step(ctx, "dial"); err != nil {
						return o, err
					}
					if ctx.Info().Attempt == 1 {
						<-ctx.Done()
						return o, ctx.Err()
					}
					return w.does("talk")(ctx, o)
				}, graph.Timeout(50*time.Millisecond), graph.Retry(3, time.Minute))
			})
		},
		log: []string{"call#1: did talk"},
	},
	{
		name: "what a node shows", onDisk: true,
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"tell", "ship"}, func(b *graph.Builder[order]) {
				b.Node("tell", func(ctx node.Context, o order) (order, error) {
					began, err := node.Now(ctx)
					if err == nil {
						err = node.Emit(ctx, node.EventStatus, "begins")
					}
					if err == nil {
						_, err = w.step(ctx, "call")
					}
					if err == nil {
						err = streams(ctx, "answer", "Dear ", "all, ", "good day.")
					}
					if err == nil {
						err = node.Sleep(ctx, time.Minute)
					}
					if err == nil {
						err = node.Emit(ctx, node.EventMessage, map[string]string{"text": "done"})
					}
					if err == nil {
						err = node.Emit(ctx, node.EventDiagnostic, []int{1, 2, 3})
					}
					var ended time.Time
					if err == nil {
						ended, err = node.Now(ctx)
					}
					return o.note("took %s", ended.Sub(began).Truncate(time.Minute)), err
				}).Node("ship", w.does("send"))
			})
		},
		log: []string{"took 1m0s", "ship#1: did send"},
	},
	{
		name: "a node that swallows its suspension",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"review"}, func(b *graph.Builder[order]) {
				b.Node("review", func(ctx node.Context, o order) (order, error) {
					said, err := node.Interrupt[string](ctx, nil)
					if err != nil {
						return o.note("went on without an answer"), nil
					}
					return o.note("said %s", said), nil
				})
			})
		},
		answers: map[string][]any{"review": {"yes"}},
		log:     []string{"said yes"},
	},
	{
		name: "a limit of tasks",
		build: func(w *world) *graph.Graph[order] {
			b := graph.New[order]("order").Limits(plan.Limits{Tasks: 4})
			b.Node("again", w.does("turn"))
			b.Route("again", func(node.Context, order) (string, error) { return "again", nil }, "again", graph.End)
			return b.Edge(graph.Start, "again").MustCompile()
		},
		status: "failed",
	},
}

// form is the state of a subgraph.
type form struct {
	Name string `json:"name"`
}

func streams(ctx node.Context, channel string, chunks ...string) error {
	s, err := node.Stream(ctx, channel)
	if err != nil {
		return err
	}
	for _, text := range chunks {
		if err := s.Write(text); err != nil {
			return err
		}
	}
	return s.Close()
}

// nodeOf is the node of a task: "inner/review" of "inner/review#2".
func nodeOf(task string) string {
	path, _, _ := strings.Cut(task, "#")
	return path
}
