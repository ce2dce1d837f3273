package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/storekind"
	"github.com/fermata-go/fermata/journal/stores"
	"github.com/fermata-go/fermata/node"
)

// keyedLoad notes how many are at work at the same time, for each key.
type keyedLoad struct {
	mu   sync.Mutex
	now  map[string]int
	most map[string]int
}

func (l *keyedLoad) enter(key string) (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil {
		l.now, l.most = make(map[string]int), make(map[string]int)
	}
	l.now[key]++
	l.most[key] = max(l.most[key], l.now[key])
	return func() {
		l.mu.Lock()
		l.now[key]--
		l.mu.Unlock()
	}
}

// ofCustomer is a graph of one node that is in the pool "api" with the state's text as its key.
func ofCustomer(f graph.Func[state]) *graph.Graph[state] {
	return graph.New[state]("charge").Node("a", f, graph.Pool("api")).PoolKey("a", func(s state) string { return s.Text }).
		Edge(graph.Start, "a").MustCompile()
}

// processesOn are stores of several processes on the same place. Those in memory are one store: it tells all who watch it.
func processesOn(t *testing.T, kind string, n int) (list []journal.Store) {
	address := "sqlite:" + t.TempDir() + "/pool.db"
	if slices.Contains(testserver.Kinds(), kind) {
		address = testserver.Address(t, kind)
	} else if kind != "sqlite" {
		return slices.Repeat([]journal.Store{everyStore()[kind](t)}, n)
	}
	for range n {
		s, err := stores.All().Open(address, storekind.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		list = append(list, s)
	}
	return list
}

// TestJ20_ProcessesShareAPool lets the runs of several processes on one store be in a pool with keys. Of each key there are never
// more at work than the pool has places, and there are as many: no key waits for another, and no process for the other one.
func TestJ20_ProcessesShareAPool(t *testing.T) {
	for kind := range everyStore() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var l keyedLoad
			g := ofCustomer(func(ctx node.Context, s state) (state, error) {
				defer l.enter(s.Text)()
				time.Sleep(20 * time.Millisecond)
				return logged(ctx, s)
			})
			var runs []*graph.Run[state]
			for i, store := range processesOn(t, kind, 3) {
				rt := newRuntime(t, fermata.Options{Store: store, Pools: map[string]fermata.Pool{"api": {Concurrent: 2, Shared: true}}})
				for j := range 8 {
					runs = append(runs, start(t, rt, g, state{Text: []string{"ann", "bob"}[j%2]}, fermata.WithID(fmt.Sprint("run_", i, "_", j))))
				}
			}
			for _, run := range runs {
				ends(t, run, fermata.Completed)
			}
			for key, most := range l.most {
				if most != 2 {
					t.Errorf("of %s, %d were at work at the same time, expected 2", key, most)
				}
			}
			if len(l.most) != 2 {
				t.Errorf("keys: %v", l.most)
			}
		})
	}
}

// TestJ20_PlacesGoByPriorityAndThenByAge has one place and runs of two processes that wait for it.
func TestJ20_PlacesGoByPriorityAndThenByAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		var l load
		g := inAPI(func(ctx node.Context, s state) (state, error) {
			defer l.enter(s.Text)()
			time.Sleep(time.Second)
			return logged(ctx, s)
		})
		var rts []*fermata.Runtime
		for range 2 {
			rts = append(rts, newRuntime(t, fermata.Options{Store: store, Pools: map[string]fermata.Pool{"api": {Concurrent: 1, Shared: true}}}))
		}
		var runs []*graph.Run[state]
		began := time.Now()
		for i, priority := range []int{0, 0, 5, 0, -1, 5} {
			runs = append(runs, start(t, rts[i%2], g, state{Text: fmt.Sprint(i)}, fermata.Priority(priority)))
			synctest.Wait()
			time.Sleep(time.Millisecond)
		}
		for _, run := range runs {
			ends(t, run, fermata.Completed)
		}
		if want := []string{"0", "2", "5", "1", "3", "4"}; !slices.Equal(l.order, want) || l.most != 1 {
			t.Errorf("%d at the same time, in the order %v; expected %v", l.most, l.order, want)
		}
		if took := time.Since(began); took != 6*time.Second {
			t.Errorf("it took %s: a place that is free is taken at once", took)
		}
	})
}

// TestJ20_ARateIsShared has runs of two processes start within one rate.
func TestJ20_ARateIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		began := time.Now()
		var mu sync.Mutex
		var starts []time.Duration
		g := inAPI(func(ctx node.Context, s state) (state, error) {
			mu.Lock()
			starts = append(starts, time.Since(began))
			mu.Unlock()
			time.Sleep(3 * time.Second)
			return logged(ctx, s)
		})
		var runs []*graph.Run[state]
		for i := range 2 {
			rt := newRuntime(t, fermata.Options{Store: store, Pools: map[string]fermata.Pool{"api": {Every: 10 * time.Second, Burst: 2, Shared: true}}})
			for j := range 3 {
				runs = append(runs, start(t, rt, g, state{N: 3*i + j}))
				synctest.Wait()
			}
		}
		for _, run := range runs {
			ends(t, run, fermata.Completed)
		}
		var want []time.Duration
		for _, s := range []int{0, 0, 10, 20, 30, 40} {
			want = append(want, time.Duration(s)*time.Second)
		}
		if !slices.Equal(starts, want) {
			t.Errorf("runs started after %v, expected %v", starts, want)
		}
	})
}

// TestJ20_ThePlacesOfALostProcessAreFree cuts a process off that has the only place, and one that waits before everybody
// else. Nobody gets the place while their lease lasts, and somebody does right after. The run of the lost process is not lost:
// once it is back, its place counts again.
func TestJ20_ThePlacesOfALostProcessAreFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		wires := []*wire{newWire(store), newWire(store), newWire(store)}
		began := time.Now()
		var mu sync.Mutex
		starts := make(map[int]time.Duration)
		takes := []time.Duration{20 * time.Second, time.Second, 10 * time.Second, time.Second}
		g := inAPI(func(_ node.Context, s state) (state, error) {
			mu.Lock()
			starts[s.N] = time.Since(began)
			mu.Unlock()
			time.Sleep(takes[s.N])
			return s, nil
		})
		var rts []*fermata.Runtime
		var runs []*graph.Run[state]
		for i, w := range wires {
			rts = append(rts, newRuntime(t, fermata.Options{Store: w, Pools: map[string]fermata.Pool{"api": {Concurrent: 1, Shared: true}}}))
			runs = append(runs, start(t, rts[i], g, state{N: i}))
			synctest.Wait()
			time.Sleep(time.Millisecond)
		}
		for _, w := range wires[:2] {
			w.set(true)
		}
		cut := time.Since(began)
		time.Sleep(8 * time.Second)
		mu.Lock()
		got, other := starts[2], len(starts)
		mu.Unlock()
		if other != 2 || got < cut+fermata.DefaultLease*2/3 || got > cut+fermata.DefaultLease+time.Second {
			t.Errorf("%d runs have begun, the third one after %s; expected it once the lease is over, at most %s after %s", other, got, fermata.DefaultLease, cut)
		}
		for _, w := range wires[:2] {
			w.set(false)
		}
		time.Sleep(3 * time.Second) // the first process is back, with a place beyond the limit
		runs = append(runs, start(t, rts[2], g, state{N: 3}))
		for _, run := range runs {
			ends(t, run, fermata.Completed)
		}
		if starts[1] < 20*time.Second || starts[3] < 20*time.Second {
			t.Errorf("runs have begun after %v; the first one is at work for 20 seconds, and its place counts again", starts)
		}
	})
}

// faultyCells is a store whose cells are damaged, or cannot be reached for a while.
type faultyCells struct {
	journal.Store
	journal.Leaser
	journal.Swapper

	mu   sync.Mutex
	left int // calls that still fail
	junk bool
}

func (f *faultyCells) Close() error { return f.Store.Close() }

func (f *faultyCells) fails() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left >= 0 {
		return &journal.StoreError{Op: "swap", Err: errors.New("not now")}
	}
	return nil
}

func (f *faultyCells) Cell(ctx context.Context, name string) ([]byte, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Swapper.Cell(ctx, name)
}

func (f *faultyCells) Swap(ctx context.Context, name string, was, next []byte) ([]byte, bool, error) {
	if err := f.fails(); err != nil {
		return nil, false, err
	}
	now, swapped, err := f.Swapper.Swap(ctx, name, was, next)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.junk && swapped { // somebody else writes nonsense over it
		f.junk = false
		_, _, err = f.Swapper.Swap(ctx, name, next, []byte("no ledger"))
	}
	return now, swapped, err
}

// TestJ20_NoRunFailsForWantOfALedger has the store fail whenever places are asked for, and others write nonsense.
func TestJ20_NoRunFailsForWantOfALedger(t *testing.T) {
	for name, f := range map[string]*faultyCells{"away": {left: 7}, "damaged": {junk: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory.New()
				f.Store, f.Leaser, f.Swapper = s, s.(journal.Leaser), s.(journal.Swapper)
				rt := newRuntime(t, fermata.Options{Store: f, Pools: map[string]fermata.Pool{"api": {Concurrent: 1, Shared: true}}})
				var l load
				g := inAPI(func(ctx node.Context, s state) (state, error) {
					defer l.enter("a")()
					time.Sleep(time.Second)
					return logged(ctx, s)
				})
				var runs []*graph.Run[state]
				for range 3 {
					runs = append(runs, start(t, rt, g, state{}))
				}
				for _, run := range runs {
					if s := ends(t, run, fermata.Completed).State; !slices.Equal(s.Log, []string{"a#1"}) {
						t.Errorf("the run says %v", s.Log)
					}
				}
				if l.most != 1 {
					t.Errorf("%d at the same time", l.most)
				}
			})
		})
	}
}

// TestJ20_ASharedPoolNeedsAStoreThatKeepsIt: it is refused where its places would be those of one process.
func TestJ20_ASharedPoolNeedsAStoreThatKeepsIt(t *testing.T) {
	pools := map[string]fermata.Pool{"api": {Concurrent: 1, Shared: true}}
	bare := struct{ journal.Store }{memory.New()}
	for want, o := range map[string]fermata.Options{
		`pool "api" is shared: its places need a store with leases and cells (journal.Leaser and journal.Swapper); struct { journal.Store } has none`: {Store: bare, Pools: pools},
		`pool "api" is shared: its places need leases, and Options.Lease is negative`:                                                                 {Lease: -1, Pools: pools},
		`pool "api": Concurrent is 1001; a shared pool has at most 1000 places, since each change of one writes all of them`: {
			Pools: map[string]fermata.Pool{"api": {Concurrent: 1001, Shared: true}},
		},
	} {
		_, err := fermata.New(o)
		refused(t, err, refusal{code: fermata.CodeInvalid})
		if err.Error() != want {
			t.Errorf("the error is %v\nwant %s", err, want)
		}
	}
}

// TestJ20_KeysAreChecked: a key that cannot be one fails the attempt, with or without a shared pool, and so does a function that
// panics.
func TestJ20_KeysAreChecked(t *testing.T) {
	for _, shared := range []bool{false, true} {
		rt := newRuntime(t, fermata.Options{Pools: map[string]fermata.Pool{"api": {Concurrent: 1, Shared: shared}}})
		for key, want := range map[string]string{
			"a\nb":                   `pool "api": its key`,
			strings.Repeat("k", 256): `pool "api": its key has 256 bytes; expected 255 at most`,
			"panics":                 `no key`,
		} {
			g := graph.New[state]("charge").Node("a", logged, graph.Pool("api")).PoolKey("a", func(s state) string {
				if s.Text == "panics" {
					panic("no key")
				}
				return s.Text
			}).Edge(graph.Start, "a").MustCompile()
			if res := ends(t, start(t, rt, g, state{Text: key}), fermata.Failed); !strings.Contains(res.Err.Error(), want) {
				t.Errorf("key %.10q: the error is %v, expected %s", key, res.Err, want)
			}
		}
	}
}

// TestJ20_APoolOfOneProcessHasKeysToo: there are as many places as the pool has, for each key.
func TestJ20_APoolOfOneProcessHasKeysToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l keyedLoad
		rt := newRuntime(t, fermata.Options{Pools: map[string]fermata.Pool{"api": {Concurrent: 2, Every: time.Second}}})
		g := ofCustomer(func(ctx node.Context, s state) (state, error) {
			defer l.enter(s.Text)()
			time.Sleep(10 * time.Second)
			return logged(ctx, s)
		})
		began := time.Now()
		var runs []*graph.Run[state]
		for i := range 600 { // more keys than are kept, and each three times
			runs = append(runs, start(t, rt, g, state{Text: fmt.Sprint("customer-", i/3)}))
		}
		for _, run := range runs {
			ends(t, run, fermata.Completed)
		}
		if took := time.Since(began); took != 20*time.Second || len(l.most) != 200 {
			t.Errorf("%d keys, after %s; expected each to have two places", len(l.most), took)
		}
		for key, most := range l.most {
			if most != 2 {
				t.Errorf("of %s, %d were at work at the same time", key, most)
			}
		}
	})
}
