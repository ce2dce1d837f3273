package fermata_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// counter notes when runs begin to work, and how many work at the same time.
type counter struct {
	mu        sync.Mutex
	at, most  int
	sleepers  int       // how many of those that have slept are done
	lastSlept time.Time // when the last of them began
}

// serves is a node that sleeps and then works for a while.
func (d *counter) serves(ctx node.Context, s state) (state, error) {
	if s.N > 0 {
		if err := node.Sleep(ctx, time.Duration(s.N)*time.Second); err != nil {
			return s, err
		}
	}
	d.mu.Lock()
	d.at++
	d.most = max(d.most, d.at)
	if s.N > 0 {
		d.lastSlept = time.Now()
	}
	d.mu.Unlock()
	time.Sleep(10 * time.Second)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at--
	if s.N > 0 {
		d.sleepers++
	}
	return logged(ctx, s)
}

// TestH4_TimersWaitForRoom checks that a worker that has no room lets runs wait whose timers are due, all at the same moment,
// and that they come before those that have waited in the queue for longer.
func TestH4_TimersWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d counter
		g := single(d.serves)
		s := newShop(t, g)
		rt, _ := s.process("one")
		const sleepers, queued, room = 6, 30, 2
		var runs []*graph.Run[state]
		for range sleepers {
			runs = append(runs, start(t, rt, g, state{N: 62}))
		}
		for range queued {
			runs = append(runs, start(t, rt, g, state{}, fermata.Queued()))
		}
		began := time.Now()
		defer s.workWith(rt, fermata.WorkOptions{Concurrency: room})()
		for _, run := range runs {
			s.awaits(run.ID(), fermata.Completed)
		}
		if d.most != room {
			t.Errorf("%d runs have worked at once, expected %d", d.most, room)
		}
		if waited, most := d.lastSlept.Sub(began), 95*time.Second; waited > most {
			t.Errorf("the last of those whose time had come after 62 seconds began after %v, expected %v at most", waited, most)
		}
	})
}

// TestH4_TimersOutlastTheWorker checks that runs which have waited for room go on when the worker has gone, and the runtime has
// not.
func TestH4_TimersOutlastTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d counter
		g := single(d.serves)
		s := newShop(t, g)
		rt, _ := s.process("one")
		stop := s.workWith(rt, fermata.WorkOptions{Concurrency: 1})
		var runs []*graph.Run[state]
		for range 5 {
			runs = append(runs, start(t, rt, g, state{N: 60}))
		}
		time.Sleep(65 * time.Second) // one of them works
		stop()                       // waits for it
		d.mu.Lock()
		if d.sleepers != 1 || d.most != 1 {
			t.Errorf("%d runs are done when the worker goes, and %d have worked at once; expected 1 and 1", d.sleepers, d.most)
		}
		d.mu.Unlock()
		for _, run := range runs {
			if took := s.awaits(run.ID(), fermata.Completed); took > 15*time.Second {
				t.Errorf("a run went on after %v", took)
			}
		}
	})
}

// workWith lets a runtime work until the returned function is called, which returns when it has stopped.
func (s *shop) workWith(rt *fermata.Runtime, o fermata.WorkOptions) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := rt.Work(ctx, o); err != nil {
			s.t.Error(err)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// TestJ10_TheOldestIsTakenFirst checks the order in which queued runs begin: strictly that of their creation with one worker, and
// about that with several, each of which has every run once.
func TestJ10_TheOldestIsTakenFirst(t *testing.T) {
	for _, workers := range []int{1, 4} {
		t.Run(strconv.Itoa(workers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var began []int
				g := single(func(_ node.Context, s state) (state, error) {
					mu.Lock()
					began = append(began, s.N)
					mu.Unlock()
					time.Sleep(time.Second)
					return s, nil
				})
				s := newShop(t, g)
				const queued = 64
				first, _ := s.process("starts")
				var last string
				for i := range queued {
					last = start(t, first, g, state{N: i + 1}, fermata.Queued()).ID()
				}
				for i := range workers {
					rt, _ := s.process(strconv.Itoa(i))
					defer s.workWith(rt, fermata.WorkOptions{Concurrency: 1})() //nolint:gocritic // all work until the end
				}
				s.awaits(last, fermata.Completed)
				time.Sleep(10 * time.Second)
				mu.Lock()
				defer mu.Unlock()
				if len(began) != queued {
					t.Fatalf("%d runs have begun, want %d", len(began), queued)
				}
				most := 0
				for at, n := range began {
					most = max(most, at+1-n, n-at-1)
				}
				if allowed := (workers - 1) * 8; most > allowed {
					t.Errorf("a run was %d places from its own: %v", most, began)
				}
			})
		})
	}
}
