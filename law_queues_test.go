package fermata_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// TestJ16_TheHighestPriorityIsTakenFirst checks the order in which queued runs begin: by priority, and of one priority by
// creation. A process that dies with a run changes nothing about it.
func TestJ16_TheHighestPriorityIsTakenFirst(t *testing.T) {
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
		first, _ := s.process("starts")
		var want []int
		var ids []string
		priorities := []int{0, 3, -2, 3, 0, 1 << 30, -2}
		for i, p := range priorities {
			ids = append(ids, start(t, first, g, state{N: i}, fermata.Queued(), fermata.Priority(p)).ID())
			want = append(want, i)
		}
		slices.SortStableFunc(want, func(a, b int) int { return priorities[b] - priorities[a] })
		rt, _ := s.process("one")
		defer s.workWith(rt, fermata.WorkOptions{Concurrency: 1})()
		for i, id := range ids {
			s.awaits(id, fermata.Completed)
			if got := s.info(id).Priority; got != priorities[i] {
				t.Errorf("the row of run %d has priority %d", i, got)
			}
		}
		if !slices.Equal(began, want) {
			t.Errorf("runs began in the order %v, expected %v", began, want)
		}
	})
}

// TestJ16_ARunIsTakenAtItsTime checks that no worker takes a run before its time, and that one does so at that time although
// all of them sleep for longer, and that neither a message nor a start that attaches makes it earlier.
func TestJ16_ARunIsTakenAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		began := make(map[int]time.Time)
		g := single(func(_ node.Context, s state) (state, error) {
			mu.Lock()
			defer mu.Unlock()
			began[s.N] = time.Now()
			return s, nil
		})
		s := newShop(t, g)
		first, _ := s.process("starts")
		waits := []time.Duration{37 * time.Second, 50 * time.Minute, 0, 90 * time.Second}
		var ids []string
		at := time.Now()
		begin := func(i int) {
			ids = append(ids, start(t, first, g, state{N: i}, fermata.NotBefore(at.Add(waits[i])), fermata.WithID(fmt.Sprint("run", i))).ID())
		}
		for i := range waits {
			begin(i)
		}
		for _, name := range []string{"one", "two"} {
			rt, _ := s.process(name)
			defer s.workWith(rt, fermata.WorkOptions{Every: 48 * time.Hour})() //nolint:gocritic // all work until the end
		}
		time.Sleep(2 * time.Second)
		if err := first.Send(t.Context(), ids[1], "news", "hello"); err != nil {
			t.Error(err)
		}
		attached := start(t, first, g, state{N: 1}, fermata.WithID(ids[1]), fermata.Attach())
		if attached.ID() != ids[1] {
			t.Errorf("attached to %s", attached.ID())
		}
		for i, id := range ids {
			s.awaits(id, fermata.Completed)
			mu.Lock()
			if late := began[i].Sub(at.Add(waits[i])); late < 0 || late > 100*time.Millisecond {
				t.Errorf("run %d began %v after its time", i, late)
			}
			mu.Unlock()
		}
	})
}

// TestJ16_ACancelledRunIsNotTaken checks that a run which waits for its time can be cancelled, and does not begin.
func TestJ16_ACancelledRunIsNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := single(func(_ node.Context, s state) (state, error) {
			t.Error("a cancelled run began")
			return s, nil
		})
		s := newShop(t, g)
		rt, _ := s.process("one")
		defer s.work(rt, "one")()
		run := start(t, rt, g, state{}, fermata.NotBefore(time.Now().Add(time.Minute)), fermata.Dedup("k"))
		time.Sleep(time.Second)
		if err := rt.Cancel(t.Context(), run.ID(), "not needed", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		if row := s.info(run.ID()); row.Status != string(fermata.Cancelled) || row.Dedup != "" {
			t.Errorf("its row is %+v", row)
		}
		s.told()
	})
}

// TestJ16_RunsOfOtherQueuesAreLeftAlone checks that a worker takes the runs of its queues: when they were queued, when they were
// answered, when a timer is due, and when their worker was lost.
func TestJ16_RunsOfOtherQueuesAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := single(func(ctx node.Context, s state) (state, error) {
			if err := node.Sleep(ctx, 30*time.Second); err != nil {
				return s, err
			}
			_, err := node.Interrupt[bool](ctx, nil)
			return s, err
		})
		s := newShop(t, g)
		desk, _ := s.process("desk")
		run := start(t, desk, g, state{}, fermata.InQueue("gpu"))
		work := func(name string, queues ...string) (stop func()) {
			rt, _ := s.process(name)
			done := s.workWith(rt, fermata.WorkOptions{
				Queues: queues,
				Took:   func(fermata.RunInfo) { s.tell(name, "takes it") },
				Rested: func(r fermata.Result) { s.tell(name, "says", string(r.Status)) },
			})
			return func() {
				done()
				if err := rt.Close(); err != nil { // else it keeps the run, and wakes it
					t.Error(err)
				}
			}
		}
		defer work("cpu", "cpu", "default")()
		time.Sleep(time.Minute)
		s.told()
		stop := work("gpu", "gpu", "default")
		time.Sleep(10 * time.Second)
		stop() // while the run sleeps: its timer is for workers of its queue
		time.Sleep(time.Minute)
		s.told("gpu takes it", "gpu says paused")
		if open, err := desk.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()}); err != nil || len(open) > 0 {
			t.Errorf("the timer has fired in a worker of another queue: %v, %v", open, err)
		}
		defer work("gpu2", "gpu")()
		time.Sleep(10 * time.Second)
		open, err := desk.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()})
		if err != nil || len(open) != 1 {
			t.Fatalf("%d questions, %v", len(open), err)
		}
		answer(t, desk, open[0].ID, true)
		s.awaits(run.ID(), fermata.Completed)
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, said := range s.story {
			if said[:3] == "cpu" {
				t.Errorf("the worker of another queue: %q", s.story)
			}
		}
	})
}

// TestJ16_WorkersOfAllQueues checks that a worker that names no queue takes every run, and what queues cannot be called.
func TestJ16_WorkersOfAllQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := single(logged)
		s := newShop(t, g)
		rt, _ := s.process("one")
		runs := []*graph.Run[state]{
			start(t, rt, g, state{}, fermata.InQueue("gpu")), start(t, rt, g, state{}, fermata.InQueue("default")), start(t, rt, g, state{}, fermata.Queued()),
		}
		for i, queue := range []string{"gpu", "", ""} {
			if got := s.info(runs[i].ID()).Queue; got != queue {
				t.Errorf("run %d is in queue %q, expected %q", i, got, queue)
			}
		}
		for _, queues := range [][]string{{""}, {"gpu", "a,b"}, {"a\x1b"}} {
			if err := rt.Work(t.Context(), fermata.WorkOptions{Queues: queues}); codeOf(err) != fermata.CodeInvalid {
				t.Errorf("work on %q: %v", queues, err)
			}
		}
		for _, opt := range []fermata.StartOption{fermata.InQueue("a b"), fermata.Priority(1 << 40), fermata.Dedup("a\nb"), fermata.Attach()} {
			if _, err := g.Start(t.Context(), rt, state{}, opt); codeOf(err) != fermata.CodeInvalid {
				t.Errorf("a start that cannot be: %v", err)
			}
		}
		defer s.work(rt, "one")()
		for _, run := range runs {
			s.awaits(run.ID(), fermata.Completed)
		}
	})
}

// TestJ17_OneOpenRunHoldsAKey checks that of many starts with a key, in two processes, one begins a run and the others are told
// which, and that the key is free when that run has ended, however it ends.
func TestJ17_OneOpenRunHoldsAKey(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		doors := []*fermata.Runtime{runtimeOn(t, s), runtimeOn(t, s)}
		g := single(func(ctx node.Context, s state) (state, error) {
			ok, err := node.Interrupt[bool](ctx, nil)
			if err == nil && !ok {
				err = errors.New("no")
			}
			return s, err
		})
		const n = 12
		for round, end := range []string{"completed", "failed", "cancelled"} {
			runs, held := make([]*graph.Run[state], n), make([]*fermata.DuplicateError, n)
			for i, err := range atOnce(n, func(i int) (err error) {
				runs[i], err = g.Start(t.Context(), doors[i%2], state{}, fermata.Dedup("customer-7"))
				return err
			}) {
				if ok := errors.As(err, &held[i]); err != nil && (!ok || !errors.Is(err, fermata.ErrConflict) || codeOf(err) != fermata.CodeConflict) {
					t.Errorf("start %d: %v", i, err)
				}
			}
			begun := slices.DeleteFunc(slices.Clone(runs), func(r *graph.Run[state]) bool { return r == nil })
			if len(begun) != 1 {
				t.Fatalf("round %d: %d runs have begun, expected one", round, len(begun))
			}
			run := begun[0]
			for i, h := range held {
				if runs[i] == nil && *h != (fermata.DuplicateError{Key: "customer-7", Run: run.ID()}) {
					t.Errorf("start %d is told %+v, expected %s", i, h, run.ID())
				}
			}
			attached := start(t, doors[1], g, state{}, fermata.Dedup("customer-7"), fermata.Attach())
			if attached.ID() != run.ID() {
				t.Errorf("attached to %s, expected %s", attached.ID(), run.ID())
			}
			other := single(logged)
			if _, err := other.Start(t.Context(), doors[0], state{}, fermata.Dedup("other "+strconv.Itoa(round))); err != nil {
				t.Errorf("another key: %v", err)
			}
			q := question(t, run)
			switch end {
			case "cancelled":
				if err := doors[0].Cancel(t.Context(), run.ID(), "", ""); err != nil {
					t.Fatal(err)
				}
			default:
				answer(t, doors[slices.Index(runs, run)%2], q.ID, end == "completed") // the one that began it knows its plan
			}
			eventually(t, "the run ends", func() bool {
				info, err := doors[0].Info(t.Context(), run.ID())
				return err == nil && info.Status == end && info.Dedup == ""
			})
		}
	})
}

// TestJ17_AKeyIsNotHeldAgain checks that a run that is retried, or forked, holds no key that another run has taken meanwhile.
func TestJ17_AKeyIsNotHeldAgain(t *testing.T) {
	rt, store := inMemory(t)
	fails := true
	g := single(func(_ node.Context, s state) (state, error) {
		if fails {
			return s, errors.New("no")
		}
		return s, nil
	})
	first := start(t, rt, g, state{}, fermata.Dedup("k"), fermata.Priority(2))
	wait(t, first)
	holds := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[bool](ctx, nil)
		return s, err
	}), state{}, fermata.Dedup("k"))
	question(t, holds)
	fails = false
	again, err := g.Retry(t.Context(), rt, first.ID())
	if err != nil {
		t.Fatal(err)
	}
	ends(t, again, fermata.Completed)
	fork, err := g.Fork(t.Context(), rt, first.ID(), graph.ForkOptions[state]{At: 1})
	if err != nil {
		t.Fatal(err)
	}
	ends(t, fork, fermata.Completed)
	e := entries(t, store, fork.ID())[0]
	if body := bodyOf[journal.StartedBody](t, &e); body.Dedup != "" || body.Priority != 2 {
		t.Errorf("the fork begins with %+v", body.Turn)
	}
	if _, err := g.Start(t.Context(), rt, state{}, fermata.Dedup("k")); !errors.Is(err, fermata.ErrConflict) {
		t.Errorf("the key of %s: %v", holds.ID(), err)
	}
}

func codeOf(err error) fermata.Code {
	if e, ok := errors.AsType[*fermata.Error](err); ok {
		return e.Code
	}
	return ""
}
