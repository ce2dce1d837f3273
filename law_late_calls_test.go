package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// late is a store whose answers take their time, each another one: what several processes and the goroutines of one do
// falls into ever different orders.
type late struct{ *frayed }

const (
	callRuns   = "runs"
	callTimers = "timers"
	callRead   = "read"
)

func (l late) Runs(ctx context.Context, f journal.RunFilter) (rows []journal.RunRow, err error) {
	err = l.call(ctx, callRuns, func() error {
		rows, err = l.Store.Runs(ctx, f)
		return err
	})
	return rows, err
}

func (l late) Timers(ctx context.Context, due int64, limit int) (timers []journal.Timer, err error) {
	err = l.call(ctx, callTimers, func() error {
		timers, err = l.Store.Timers(ctx, due, limit)
		return err
	})
	return timers, err
}

func (l late) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		if err := l.call(ctx, callRead, func() error { return nil }); err != nil {
			yield(journal.Entry{}, err)
			return
		}
		l.Store.Read(ctx, run, after)(yield)
	}
}

// Four workers bring 25 runs to their ends, and a desk answers their questions. Calls of the store are late, but never
// as late as a lease; claims come through whose answers are lost. Nobody's lease runs out, so nothing is repeated: every
// step's effect happens once.
func TestJ10_LateCallsRepeatNothing(t *testing.T) {
	t.Parallel()
	seeds := 4
	if exploring() {
		seeds = 200
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			lateShop(t, uint64(seed))
		})
	}
}

const lateLease = 2 * time.Second

func lateShop(t *testing.T, seed uint64) {
	const runs = 25
	starved := lawtest.HeldUp(t, lateLease/3)
	var mu sync.Mutex
	effects := make(map[string][]string)
	work := func(ctx node.Context, s state) (state, error) {
		_, err := node.Step(ctx, "work", func(ctx node.Context) (int, error) {
			info := ctx.Info()
			mu.Lock()
			key := info.Run + " " + info.Task()
			effects[key] = append(effects[key], fmt.Sprintf("%s of attempt %d", time.Now().Format("15:04:05.000"), info.Attempt))
			mu.Unlock()
			time.Sleep(time.Duration(len(info.Task())) * 2 * time.Millisecond)
			return 0, ctx.Err()
		})
		s.N++
		return s, err
	}
	item := graph.Of("do", work).MustCompile()
	g := graph.New[state]("late")
	g.Node("a", work)
	g.Node("b", func(ctx node.Context, s state) (state, error) {
		if err := node.Sleep(ctx, 70*time.Millisecond); err != nil { // a timer, which wakes all of them
			return s, err
		}
		return work(ctx, s)
	})
	g.Node("c", func(ctx node.Context, s state) (state, error) {
		if ctx.Info().Attempt == 1 {
			return s, errors.New("not at the first attempt")
		}
		return work(ctx, s)
	}, graph.Retry(3, 5*time.Millisecond))
	graph.Map(g, "each", func(s state) ([]state, error) { return []state{s, s, s}, nil }, item,
		func(s state, _ []state) (state, error) { return s, nil }, graph.Limit(2), graph.All())
	g.Node("ask", func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[bool](ctx, "go on?")
		return s, err
	})
	g.Node("d", work)
	g.Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").Edge("c", "each").Edge("each", "ask").Edge("ask", "d")
	plans := g.MustCompile()
	s := newShop(t, plans)
	dice := rand.New(rand.NewPCG(seed, 7))
	faults := func(call string, _ int) fault {
		mu.Lock()
		defer mu.Unlock()
		slow := time.Duration(dice.Int64N(int64(4 * time.Millisecond)))
		if dice.IntN(10) == 0 {
			slow = time.Duration(dice.Int64N(int64(80 * time.Millisecond)))
		}
		return fault{slow: slow, after: call == callClaim && dice.IntN(4) == 0}
	}
	process := func(name string) *fermata.Runtime {
		return newRuntime(t, fermata.Options{
			Store: late{&frayed{Store: s.store, leases: s.store.(journal.Leaser), calls: make(map[string]int), faults: faults}},
			Name:  name, Logger: slog.New(s), Lease: lateLease,
			Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return s.plan, nil },
		})
	}
	desk, front := process("desk"), newRuntime(t, fermata.Options{Store: s.store, Name: "front"})
	for i := range 4 {
		name := fmt.Sprint("worker", i)
		stop := s.workWith(process(name), fermata.WorkOptions{Every: 20 * time.Millisecond, Concurrency: 8})
		defer stop() //nolint:gocritic // all of them work until the end
	}
	ids := make(map[string]bool)
	for range runs {
		ids[start(t, front, plans, state{}, fermata.Queued()).ID()] = true
	}
	for began := time.Now(); len(ids) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			for id := range ids {
				info := s.info(id)
				t.Logf("%s is %s, driven by %q: %s\n%s", id, info.Status, info.Driver, info.Error, strings.Join(lines(t, s.store, id), "\n"))
			}
			t.Fatalf("%d of %d runs have not ended", len(ids), runs)
		}
		open, err := desk.Inbox(t.Context(), journal.InboxFilter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range open {
			if err := desk.Answer(t.Context(), q.ID, true); err != nil {
				t.Fatal(err)
			}
		}
		for id := range ids {
			if info := s.info(id); info.Ended() {
				if info.Status != string(fermata.Completed) {
					t.Errorf("run %s is %s: %s", id, info.Status, info.Error)
				}
				delete(ids, id)
			}
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for key, list := range effects {
		if len(list) > 1 && !starved() {
			run, _, _ := strings.Cut(key, " ")
			t.Errorf("%s happened %d times: %q\n%s", key, len(list), list, strings.Join(lines(t, s.store, run), "\n"))
		}
	}
	if n := len(effects); n != 7*runs {
		t.Errorf("%d effects of %d", n, 7*runs)
	}
}
