package fermata_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// messageCase is a graph that gets messages, and the log that it ends with in every crash and order.
type messageCase struct {
	build func() *graph.Graph[state]
	mail  []fermatatest.Mail
	log   []string
	opts  []fermatatest.Option
}

func payments(amounts ...int) (list []fermatatest.Mail) {
	for _, n := range amounts {
		list = append(list, fermatatest.Mail{Name: "payments", Value: paid{n}})
	}
	return list
}

// takes is a node that takes a message and does something with it that must happen once.
func takes(name string) graph.Func[state] {
	return func(ctx node.Context, s state) (state, error) {
		p, err := node.Receive[paid](ctx, name)
		if err != nil {
			return s, err
		}
		booked, err := node.Step(ctx, "book", func(node.Context) (string, error) { return fmt.Sprint(ctx.Info().Node, " ", p.Amount), nil })
		s.Log = append(s.Log, booked)
		return s, err
	}
}

var messageCases = map[string]messageCase{
	"one after the other": {build: func() *graph.Graph[state] { return collects(3) }, mail: payments(1, 2, 3), log: []string{"1", "2", "3"}},
	"more than are taken": {build: func() *graph.Graph[state] { return collects(2) }, mail: payments(1, 2, 3, 4), log: []string{"1", "2"}},
	"what does not fit": {
		build: func() *graph.Graph[state] { return collects(2) },
		mail:  slices.Concat([]fermatatest.Mail{{Name: "payments", Value: "one"}}, payments(1), []fermatatest.Mail{{Name: "payments", Value: nil}}, payments(2)),
		log:   []string{"1", "2"},
	},
	"one that nobody takes": {
		build: func() *graph.Graph[state] { return collects(1) }, log: []string{"1"},
		mail: slices.Concat([]fermatatest.Mail{{Name: "refunds", Value: 1}}, payments(1)),
	},
	"two nodes": {
		build: func() *graph.Graph[state] {
			return graph.New[state]("two").Node("a", takes("payments")).Node("b", takes("payments")).
				Edge(graph.Start, "a").Edge("a", "b").Edge("b", graph.End).MustCompile()
		},
		mail: payments(1, 2), log: []string{"a 1", "b 2"},
	},
	"two branches": {
		build: func() *graph.Graph[state] {
			return graph.New[state]("branches").Node("fork", logged).Node("a", takes("payments")).Node("b", takes("refunds")).Node("join", logged, graph.All()).
				Edge(graph.Start, "fork").Edge("fork", "a").Edge("fork", "b").Edge("a", "join").Edge("b", "join").Edge("join", graph.End).
				Merge(func(base state, branches []state) (state, error) {
					var all []string
					for _, b := range branches {
						all = append(all, b.Log[len(base.Log):]...)
					}
					base.Log = append(base.Log, all...)
					return base, nil
				}).MustCompile()
		},
		mail: slices.Concat([]fermatatest.Mail{{Name: "refunds", Value: paid{2}}}, payments(1)), log: []string{"fork#1", "a 1", "b 2", "join#1"},
	},
	"replies": {
		build: answersCalls, mail: []fermatatest.Mail{{Name: "add", Value: 5}, {Name: "add", Value: -5}, {Name: "add", Value: 7}, {Name: "add", Value: 0}},
	},
	"beside a question": {
		build: func() *graph.Graph[state] {
			return single(func(ctx node.Context, s state) (state, error) {
				q, err := node.Ask[string](ctx, nil, node.Prompt("Who pays?"))
				if err != nil {
					return s, err
				}
				p, err := node.Receive[paid](ctx, "payments")
				if err != nil {
					return s, err
				}
				who, err := q.Wait()
				s.Log = append(s.Log, fmt.Sprint(who, " ", p.Amount))
				return s, err
			})
		},
		mail: payments(1), log: []string{"Ann 1"}, opts: []fermatatest.Option{fermatatest.Answers(map[string][]any{"a": {"Ann"}})},
	},
	"retries": {
		build: func() *graph.Graph[state] {
			return single(func(ctx node.Context, s state) (state, error) {
				p, err := node.Receive[paid](ctx, "payments")
				if err != nil {
					return s, err
				}
				if s.Log = append(s.Log, fmt.Sprint(p.Amount)); ctx.Info().Attempt < 3 {
					return s, errors.New("not yet")
				}
				return s, nil
			}, graph.Retry(3, time.Second))
		},
		mail: payments(1, 2), log: []string{"1"},
	},
}

// TestM1_CrashAtEveryAppend lets processes die before and after each append, those of senders as well: each message is taken once and
// in its order, and a sender that sends again changes nothing.
func TestM1_CrashAtEveryAppend(t *testing.T) {
	t.Parallel()
	for name, c := range messageCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := []fermatatest.CrashOption{fermatatest.Messages(c.mail...)}
			for _, o := range c.opts {
				opts = append(opts, o)
			}
			c.check(t, fermatatest.Crash(t, c.build().Plan(), func() any { return &state{} }, opts...).Result)
			c.check(t, fermatatest.Crash(t, c.build().Plan(), func() any { return &state{} }, append(opts, fermatatest.Every(3), fermatatest.On(func(dir string) (journal.Store, error) {
				return sqlite.OpenWith(dir+"/runs.db", sqlite.Options{Sync: sqlite.Normal})
			}))...).Result)
		})
	}
}

// TestM1_EveryOrder sends messages between any two things that a run does, with crashes: the outcome is the same.
func TestM1_EveryOrder(t *testing.T) {
	t.Parallel()
	for name, c := range messageCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := []fermatatest.ScheduleOption{fermatatest.Messages(c.mail...), fermatatest.Orders(30), fermatatest.WithCrashes()}
			for _, o := range c.opts {
				opts = append(opts, o)
			}
			fermatatest.Schedules(t, c.build().Plan(), func() any { return &state{} }, opts...)
		})
	}
}

func (c *messageCase) check(t *testing.T, res fermata.Result) {
	t.Helper()
	last, _ := res.Value.(*state)
	if last == nil || res.Status != fermata.Completed {
		t.Fatalf("the run is %s: %v", res.Status, res.Err)
	}
	if diff := cmp.Diff(c.log, last.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
