package fermata_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
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

// TestJ10_ARunThatWaitsForARetryIsLeftAlone checks that each worker takes a run once while a task waits for its retry, that
// an answer meanwhile is noticed at once, and that the retry comes when it is due.
func TestJ10_ARunThatWaitsForARetryIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const backoff = 10 * time.Minute
		began, answered, retried := time.Now(), time.Duration(0), time.Duration(0)
		g := graph.New[state]("side by side").
			Node("flaky", func(ctx node.Context, s state) (state, error) {
				if ctx.Info().Attempt == 1 {
					return s, errFlaky
				}
				retried = time.Since(began)
				return s, nil
			}, func(n *plan.Node) { n.Retry = plan.Retry{Attempts: 2, Backoff: backoff, Max: backoff} }).
			Node("ask", func(ctx node.Context, s state) (state, error) {
				_, err := node.Interrupt[bool](ctx, nil)
				if err == nil {
					answered = time.Since(began)
				}
				return s, err
			}).
			Edge(graph.Start, "flaky").Edge(graph.Start, "ask").MustCompile()
		s := newShop(t, g)
		first, _ := s.process("starts")
		run := start(t, first, g, state{}, fermata.Queued())
		one, _ := s.process("one")
		defer s.work(one, "one")()
		two, _ := s.process("two")
		defer s.work(two, "two")()
		takes := func() int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(slices.DeleteFunc(slices.Clone(s.story), func(line string) bool { return !strings.Contains(line, "takes it") }))
		}
		time.Sleep(backoff / 2)
		if n := takes(); n == 0 || n > 4 {
			t.Errorf("two workers have taken a run that waits %d times", n)
		}
		answer(t, first, waitForQuestions(t, first, run.ID(), 1)[0].ID, true, fermata.Hold())
		s.awaits(run.ID(), fermata.Completed)
		if answered < backoff/2 || answered > backoff/2+10*time.Second {
			t.Errorf("the answer was noticed after %v, expected %v", answered, backoff/2)
		}
		if retried < backoff || retried > backoff+10*time.Second {
			t.Errorf("the retry came after %v, expected %v", retried, backoff)
		}
		if n := takes(); n > 8 {
			t.Errorf("two workers have taken the run %d times", n)
		}
	})
}
