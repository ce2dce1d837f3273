package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/node"
)

// effects counts what nodes have done to the world.
type effects struct {
	mu   sync.Mutex
	done map[string]int
}

func (e *effects) step(ctx node.Context, name string) error {
	_, err := node.Step(ctx, name, func(node.Context) (bool, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.done == nil {
			e.done = make(map[string]int)
		}
		e.done[name]++
		return true, nil
	})
	return err
}

func (e *effects) counts() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.done)
}

// charges is a graph with steps on both sides of a question.
func charges(e *effects) *graph.Graph[counter] {
	return graph.New[counter]("charges").
		Node("charge", func(ctx node.Context, c counter) (counter, error) { return c, e.step(ctx, "charge") }).
		Node("ask", func(ctx node.Context, c counter) (counter, error) {
			ok, err := node.Interrupt[bool](ctx, "ok?")
			if ok {
				c.N++
			}
			return c, err
		}).
		Node("ship", func(ctx node.Context, c counter) (counter, error) {
			return c, errors.Join(e.step(ctx, "pack"), e.step(ctx, "send"))
		}).
		Edge(graph.Start, "charge").Edge("charge", "ask").Edge("ask", "ship").MustCompile()
}

// charged runs charges to its end on a store, and returns the kinds of its entries.
func charged(ctx context.Context, s journal.Store, e *effects) ([]string, error) {
	rt, err := fermata.New(fermata.Options{Store: s})
	if err != nil {
		return nil, err
	}
	defer rt.Close()
	run, err := charges(e).Start(ctx, rt, counter{})
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	res, err := run.Wait(ctx)
	if err != nil || len(res.Interrupts) != 1 {
		return nil, fmt.Errorf("wait: %s, %w", res.Status, err)
	}
	if err := rt.Answer(ctx, res.Interrupts[0].ID, true); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	res, err = run.Wait(ctx)
	if err != nil || res.Status != fermata.Completed || res.State.N != 1 {
		return nil, fmt.Errorf("wait: %s, %+v, %w", res.Status, res.State, err)
	}
	list, err := readAll(ctx, s, run.ID())
	var kinds []string
	for i := range list {
		kinds = append(kinds, list[i].Kind.String())
	}
	return kinds, err
}

// TestJ3_AnAppendTakesEffectOnce breaks the connection at each thing that a run sends, before the server gets it and
// after it has done it. No caller hears of it, the journal is the same, and each effect happens once.
func TestJ3_AnAppendTakesEffectOnce(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]journaltest.Mode{"Before": journaltest.Before, "After": journaltest.After} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []string
			schema := newSchema(t)
			for n := 0; ; n++ {
				b := &breaker{mode: mode}
				s := open(t, postgres.Options{Schema: schema, Dial: b.dial, Conns: 2})
				b.breakIn(n)
				var e effects
				kinds, err := charged(t.Context(), s, &e)
				if err != nil {
					t.Errorf("broken at %d: %v", n, err)
				}
				if n == 0 {
					want = kinds
				}
				if diff := cmp.Diff(want, kinds); diff != "" {
					t.Errorf("broken at %d: the journal (-want +got):\n%s", n, diff)
				}
				if diff := cmp.Diff(map[string]int{"charge": 1, "pack": 1, "send": 1}, e.counts()); diff != "" {
					t.Errorf("broken at %d: effects (-want +got):\n%s", n, diff)
				}
				_ = s.Close() // it may be what was broken
				if n > 0 && !b.wasHit() {
					if n < 10 {
						t.Errorf("only %d things were sent", n)
					}
					return
				}
			}
		})
	}
}

// TestJ3_AConnectionBreaksWhileItIsMade breaks all connections of a store, and then the new one at each thing that is sent
// to set it up. The call that needs it is answered nevertheless.
func TestJ3_AConnectionBreaksWhileItIsMade(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]journaltest.Mode{"Before": journaltest.Before, "After": journaltest.After} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := newSchema(t)
			for n := 1; ; n++ {
				b := &breaker{mode: mode}
				s := open(t, postgres.Options{Schema: schema, Dial: b.dial, Conns: 1})
				b.breakAll()
				b.breakIn(n)
				if _, err := s.Runs(t.Context(), journal.RunFilter{}); err != nil {
					t.Errorf("broken at %d: %v", n, err)
				}
				_ = s.Close() // it may be what was broken
				if !b.wasHit() {
					if n < 10 {
						t.Errorf("only %d things were sent", n)
					}
					return
				}
			}
		})
	}
}

// TestJ2_TheServerEndsConnections has the server end all connections of a store, again and again, while runs are
// driven. They complete without anybody's help, and each effect happens once.
func TestJ2_TheServerEndsConnections(t *testing.T) {
	schema := newSchema(t)
	dsn, sep := database(t), " "
	if strings.Contains(dsn, "://") {
		sep = "?"
		if strings.Contains(dsn, sep) {
			sep = "&"
		}
	}
	s, err := postgres.OpenWith(dsn+sep+"application_name="+schema, postgres.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer closeIt(t, s)
	ctx, stop := context.WithCancel(t.Context())
	var ended atomic.Int64
	var wg sync.WaitGroup
	server := raw(t)
	wg.Go(func() {
		for ctx.Err() == nil {
			n := 0
			err := server.QueryRow(context.Background(), "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1", schema).Scan(&n)
			if err != nil {
				t.Error(err)
				return
			}
			ended.Add(int64(n))
			time.Sleep(100*time.Millisecond + rand.N(100*time.Millisecond))
		}
	})
	for i := 0; i < 40 || ended.Load() < 5 && i < 10_000; i++ {
		var e effects
		if _, err := charged(ctx, s, &e); err != nil {
			t.Errorf("run %d: %v", i, err)
		}
		if diff := cmp.Diff(map[string]int{"charge": 1, "pack": 1, "send": 1}, e.counts()); diff != "" {
			t.Errorf("run %d: effects (-want +got):\n%s", i, diff)
		}
	}
	stop()
	wg.Wait()
	if n := ended.Load(); n < 5 {
		t.Errorf("the server has ended %d connections", n)
	}
}
