package fermata_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/plan"
)

// worker makes a runtime that works on a store until the test is over, or end is called.
func worker(t *testing.T, store journal.Store, name string, plans func() (*plan.Plan, error)) (end func()) {
	t.Helper()
	rt, err := fermata.New(fermata.Options{Store: store, Name: name, Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return plans() }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- rt.Work(ctx, fermata.WorkOptions{}) }()
	return func() {
		cancel()
		if err := errors.Join(<-done, rt.Close()); err != nil {
			t.Error(err)
		}
	}
}

// A run that workers have no plan for, or not what its plan needs, is left to others: it does not fail, its row says why it
// is not taken, and its journal does not grow. A worker that has all it needs takes it, and the reason goes.
func TestJ10_ARunIsLeftToWorkersThatCanDriveIt(t *testing.T) {
	for name, tt := range map[string]struct {
		lacks error
		want  string
	}{
		"plan":     {nil, `worker ann: it has no plan "` + single(logged).Plan().Name() + `" of this version`},
		"variable": {errors.New(`the variable "TOKEN" is not set`), `worker ann: the variable "TOKEN" is not set`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memory.New()
				g := single(logged)
				starter, err := fermata.New(fermata.Options{Store: store})
				if err != nil {
					t.Fatal(err)
				}
				run := start(t, starter, g, state{}, fermata.Queued())
				info := func() fermata.RunInfo {
					t.Helper()
					row, err := starter.Info(t.Context(), run.ID())
					if err != nil {
						t.Fatal(err)
					}
					return row
				}
				queued := info()
				end := worker(t, store, "ann", func() (*plan.Plan, error) { return nil, tt.lacks })
				time.Sleep(time.Second)
				if row := info(); row.Error != "" {
					t.Errorf("others are given time to take it; after a second it says %q", row.Error)
				}
				time.Sleep(9 * time.Second)
				row := info()
				if row.Error != tt.want || !row.Wanted() || row.Driver != "" || row.Head != queued.Head || row.Updated != queued.Updated {
					t.Errorf("expected it to be wanted, with %q: %+v", tt.want, row)
				}
				time.Sleep(10 * time.Minute)
				if again := info(); !reflect.DeepEqual(again, row) {
					t.Errorf("ten minutes later: %+v, before it was %+v", again, row)
				}
				others := worker(t, store, "bob", func() (*plan.Plan, error) { return g.Plan(), nil })
				time.Sleep(10 * time.Second)
				if row := info(); row.Status != string(fermata.Completed) || row.Error != "" {
					t.Errorf("when a worker can drive it: %+v", row)
				}
				others()
				end()
				if err := starter.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// That a run is left to others does not hide that its driver was lost, which counts for who takes it over (law J11).
func TestJ11_ALostDriverCountsBehindWorkersThatCannot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		g := single(logged)
		starter, err := fermata.New(fermata.Options{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		run := start(t, starter, g, state{}, fermata.Queued())
		leases, ok := store.(journal.Leaser)
		if !ok {
			t.Fatal("no leases")
		}
		if claimed, err := leases.Claim(t.Context(), "lost/1", run.ID()); err != nil || !claimed { // which has never said that it lives
			t.Fatal(claimed, err)
		}
		end := worker(t, store, "ann", func() (*plan.Plan, error) { return nil, errors.New("no folder /data") })
		time.Sleep(20 * time.Second)
		row, err := starter.Info(t.Context(), run.ID())
		if err != nil || row.Driver != "lost/1" || !strings.Contains(row.Error, "no folder /data") {
			t.Errorf("%+v, %v", row, err)
		}
		end()
		if err := starter.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Workers that lack different things all say so, and do not take turns. One that is begun again clears away what it said
// before, and what those have said who are gone.
func TestJ10_WorkersThatLackDifferentThingsDoNotTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		g := single(logged)
		starter := newRuntime(t, fermata.Options{Store: store})
		run := start(t, starter, g, state{}, fermata.Queued())
		reasons := func() string {
			t.Helper()
			row, err := starter.Info(t.Context(), run.ID())
			if err != nil || row.Driver != "" || !row.Wanted() {
				t.Errorf("%+v, %v", row, err)
			}
			return row.Error
		}
		lacks := func(name string, what error) (end func()) {
			return worker(t, store, name, func() (*plan.Plan, error) { return nil, what })
		}
		stays := func(want ...string) {
			t.Helper()
			time.Sleep(2 * time.Minute)
			first := reasons()
			for _, reason := range want {
				if strings.Count(first, reason) != 1 {
					t.Errorf("%q does not say %q", first, reason)
				}
			}
			if n := strings.Count(first, "worker "); n != len(want) {
				t.Errorf("%q has %d reasons", first, n)
			}
			for range 10 * 60 {
				if time.Sleep(time.Second); reasons() != first {
					t.Errorf("it says %q, and then %q", first, reasons())
					return
				}
			}
		}
		ann, bob, twin := lacks("ann", nil), lacks("bob", errors.New("no folder /data")), lacks("bob", errors.New("no folder /tmp"))
		stays("worker ann: it has no plan", "worker bob: no folder /data", "worker bob: no folder /tmp")
		ann()
		twin()
		ann = lacks("ann", errors.New("TOKEN is not set"))
		stays("worker ann: TOKEN is not set", "worker bob: no folder /data")
		ann()
		time.Sleep(2 * time.Hour)
		stays("worker bob: no folder /data")
		bob()
	})
}

// elbowed is a store on which somebody else does something just before this one appends a row.
type elbowed struct {
	journal.Store
	journal.Leaser
	before func(b *journal.Batch)
}

func (m *elbowed) Append(ctx context.Context, b journal.Batch) error {
	if b.Row != nil && len(b.Entries) == 0 {
		m.before(&b)
	}
	return m.Store.Append(ctx, b)
}

// That a worker says why it does not take a run undoes no claim of another, whenever that comes: not while it writes, and not
// where its own lease has run out meanwhile.
func TestJ10_AReasonUndoesNoClaim(t *testing.T) {
	for _, lapsed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			store := memory.New()
			leases, _ := store.(journal.Leaser)
			g := single(logged)
			starter := newRuntime(t, fermata.Options{Store: store})
			run := start(t, starter, g, state{}, fermata.Queued())
			claims := 0
			m := &elbowed{Store: store, Leaser: leases, before: func(*journal.Batch) {
				row, err := starter.Info(t.Context(), run.ID())
				if err == nil && lapsed {
					err = leases.Beat(t.Context(), row.Driver, 0)
				}
				if err == nil {
					err = leases.Beat(t.Context(), "bob@there/1", time.Hour)
				}
				claimed, claim := leases.Claim(t.Context(), "bob@there/1", run.ID())
				if claims++; err != nil || claim != nil || !claimed {
					t.Errorf("bob cannot claim it: %t, %v, %v", claimed, err, claim)
				}
			}}
			end := worker(t, m, "ann", func() (*plan.Plan, error) { return nil, errors.New("no folder /data") })
			time.Sleep(30 * time.Second)
			if row, err := starter.Info(t.Context(), run.ID()); err != nil || row.Driver != "bob@there/1" || row.Error != "" || claims == 0 {
				t.Errorf("after %d claims: %+v, %v", claims, row, err)
			}
			end()
		})
	}
}

// A worker that knows the plan and cannot drive it on says so, too: here the plan wants a pool that it does not have. That the
// driver before was lost counts for who can (law J11).
func TestJ10_ARunIsLeftToWorkersThatHaveItsPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		g := single(logged, graph.Pool("gpu"))
		starter := newRuntime(t, fermata.Options{Store: store, Pools: map[string]fermata.Pool{"gpu": {}}})
		run := start(t, starter, g, state{}, fermata.Queued())
		leases, _ := store.(journal.Leaser)
		if claimed, err := leases.Claim(t.Context(), "lost/1", run.ID()); err != nil || !claimed {
			t.Fatal(claimed, err)
		}
		end := worker(t, store, "ann", func() (*plan.Plan, error) { return g.Plan(), nil })
		time.Sleep(20 * time.Second)
		row, err := starter.Info(t.Context(), run.ID())
		if err != nil || !row.Wanted() || row.Driver != "lost/1" || !strings.Contains(row.Error, `worker ann: `) || !strings.Contains(row.Error, `pool "gpu"`) {
			t.Errorf("%+v, %v", row, err)
		}
		end()
	})
}
