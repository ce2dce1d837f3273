package fermata_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// wire is what a process has of a store that others use, too. While it is cut, nothing gets through.
type wire struct {
	journal.Store
	leases journal.Leaser
	cells  journal.Swapper

	mu  sync.Mutex
	cut bool
}

func newWire(s journal.Store) *wire {
	return &wire{Store: s, leases: s.(journal.Leaser), cells: s.(journal.Swapper)}
}

func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
}

var errCut = &journal.StoreError{Op: "call", Err: errors.New("the wire is cut")}

func (w *wire) broken() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return errCut
	}
	return nil
}

func (w *wire) Append(ctx context.Context, b journal.Batch) error {
	if err := w.broken(); err != nil {
		return err
	}
	return w.Store.Append(ctx, b)
}

func (w *wire) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	if err := w.broken(); err != nil {
		return nil, err
	}
	return w.Store.Runs(ctx, f)
}

func (w *wire) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	if err := w.broken(); err != nil {
		return err
	}
	return w.leases.Beat(ctx, driver, ttl)
}

func (w *wire) Left(ctx context.Context, driver string) (time.Duration, error) {
	return w.leases.Left(ctx, driver)
}

func (w *wire) Deserted(ctx context.Context, q journal.WantedQuery) ([]journal.RunRow, error) {
	if err := w.broken(); err != nil {
		return nil, err
	}
	return w.leases.Deserted(ctx, q)
}

func (w *wire) Claim(ctx context.Context, driver, run string) (bool, error) {
	if err := w.broken(); err != nil {
		return false, err
	}
	return w.leases.Claim(ctx, driver, run)
}

func (w *wire) Cell(ctx context.Context, name string) ([]byte, error) {
	if err := w.broken(); err != nil {
		return nil, err
	}
	return w.cells.Cell(ctx, name)
}

func (w *wire) Swap(ctx context.Context, name string, was, next []byte) ([]byte, bool, error) {
	if err := w.broken(); err != nil {
		return nil, false, err
	}
	return w.cells.Swap(ctx, name, was, next)
}

func (w *wire) Cells(ctx context.Context, prefix string, limit int) ([]journal.Cell, error) {
	return w.cells.Cells(ctx, prefix, limit)
}

// shop is several processes on one store; they know one graph.
type shop struct {
	t     *testing.T
	store journal.Store
	plan  *plan.Plan

	mu     sync.Mutex
	story  []string // what workers said, without ids
	errors []string // what was logged as an error
}

func newShop(t *testing.T, g *graph.Graph[state]) *shop {
	return &shop{t: t, store: memory.New(), plan: g.Plan()}
}

func (s *shop) tell(words ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.story = append(s.story, strings.Join(words, " "))
}

// Enabled, Handle, WithAttrs and WithGroup implement slog.Handler: errors are kept.
func (s *shop) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

func (s *shop) Handle(_ context.Context, r slog.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errors = append(s.errors, r.Message)
	return nil
}

func (s *shop) WithAttrs([]slog.Attr) slog.Handler { return s }
func (s *shop) WithGroup(string) slog.Handler      { return s }

// bystander observes all runs and expects to be told only of something.
type bystander struct{ t *testing.T }

func (b bystander) Follow(fermata.RunInfo) fermata.Follower { return b }
func (bystander) Recall(*journal.Entry)                     {}
func (b bystander) Stored(entries []journal.Entry, _ time.Duration) {
	if len(entries) == 0 {
		b.t.Error("the observer was told of no entries")
	}
}
func (bystander) Context(ctx context.Context, _ fermata.Scope) context.Context { return ctx }

// process is a runtime of the shop, over a wire of its own.
func (s *shop) process(name string) (*fermata.Runtime, *wire) {
	w := newWire(s.store)
	return newRuntime(s.t, fermata.Options{
		Store: w, Name: name, Logger: slog.New(s), Observer: bystander{s.t},
		Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return s.plan, nil },
	}), w
}

// work lets a runtime work until the returned function is called, which returns when it has stopped.
func (s *shop) work(rt *fermata.Runtime, name string) (stop func()) {
	return s.workWith(rt, fermata.WorkOptions{
		Took: func(run fermata.RunInfo) {
			from, _, _ := strings.Cut(run.Driver, "@")
			s.tell(name, "takes it from", who(from))
		},
		Rested: func(r fermata.Result) { s.tell(name, "says", string(r.Status)) },
	})
}

func who(name string) string {
	if name == "" {
		return "nobody"
	}
	return name
}

// told checks what workers said, and that nothing went wrong.
func (s *shop) told(want ...string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.story); diff != "" {
		s.t.Errorf("what the workers say (-want +got):\n%s", diff)
	}
}

func (s *shop) info(run string) fermata.RunInfo {
	s.t.Helper()
	rows, err := s.store.Runs(s.t.Context(), journal.RunFilter{ID: run})
	if err != nil || len(rows) != 1 {
		s.t.Fatalf("run %s: %d rows, %v", run, len(rows), err)
	}
	return rows[0]
}

// awaits returns when the run stands like this, and how long it took.
func (s *shop) awaits(run string, want fermata.Status) time.Duration {
	s.t.Helper()
	began := time.Now()
	for time.Since(began) < time.Hour {
		if s.info(run).Status == string(want) {
			synctest.Wait() // all that follows from it at this moment has happened
			return time.Since(began)
		}
		time.Sleep(max(10*time.Millisecond, time.Since(began)/1000)) // an hour of looking every 10 ms takes minutes
	}
	s.t.Fatalf("the run is %+v after an hour, expected it to be %s", s.info(run), want)
	return 0
}

// slow is a graph of two nodes, of which the first takes its time.
func slow(takes time.Duration) *graph.Graph[state] {
	return graph.New[state]("slow").
		Node("a", func(ctx node.Context, s state) (state, error) {
			select {
			case <-time.After(takes):
				return logged(ctx, s)
			case <-ctx.Done():
				return s, ctx.Err()
			}
		}).
		Node("b", logged).
		Edge(graph.Start, "a").Edge("a", "b").MustCompile()
}

// A run whose process is gone is taken over when its lease has run out, and not before.
func TestJ10_ADeadDriversRunIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := slow(time.Minute)
		s := newShop(t, g)
		dead, wire := s.process("dead")
		worker, _ := s.process("worker")
		defer s.work(worker, "worker")()
		run := start(t, dead, g, state{})
		time.Sleep(20 * time.Second)
		s.told() // the first one lives
		if by := s.info(run.ID()).Driver; !strings.HasPrefix(by, "dead@") {
			t.Errorf("the run is driven by %q", by)
		}
		wire.set(true)
		cut := time.Now()
		for !strings.HasPrefix(s.info(run.ID()).Driver, "worker@") {
			if time.Since(cut) > time.Minute {
				t.Fatal("nobody takes the run over")
			}
			time.Sleep(10 * time.Millisecond)
		}
		took := time.Since(cut)
		t.Logf("taken over after %v", took)
		if least, most := fermata.DefaultLease*2/3, fermata.DefaultLease*4/3+time.Second; took < least-20*time.Millisecond || took > most {
			t.Errorf("taken over after %v, expected %v to %v", took, least, most)
		}
		s.awaits(run.ID(), fermata.Completed)
		s.told("worker takes it from dead", "worker says completed")
		wire.set(false)
		time.Sleep(time.Minute) // the first one finds out, at its next append (law J3)
		if _, err := run.Wait(timeLimit(t)); err != nil && !errors.Is(err, fermata.ErrConflict) {
			t.Errorf("the loser says %v", err)
		}
	})
}

// A run whose process lives is left alone, however long its nodes take, and whoever asks for it.
func TestJ10_ALivingDriverIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := slow(time.Hour)
		s := newShop(t, g)
		first, _ := s.process("first")
		other, _ := s.process("other")
		defer s.work(other, "other")()
		run := start(t, first, g, state{})
		for range 3 {
			time.Sleep(15 * time.Minute)
			_, resumed := g.Resume(t.Context(), other, run.ID())
			_, retried := other.Retry(t.Context(), run.ID(), g.Plan())
			for _, err := range []error{resumed, retried} {
				refused(t, err, refusal{fermata.CodeConflict, fermata.ErrDriven})
				by, ok := errors.AsType[*fermata.DrivenError](err)
				if !ok || !strings.HasPrefix(by.Driver, "first@") || by.Until.Before(time.Now()) || by.Until.After(time.Now().Add(fermata.DefaultLease)) {
					t.Errorf("found %+v, expected who drives it and until when", err)
				}
			}
		}
		s.awaits(run.ID(), fermata.Completed)
		s.told()
		if by := s.info(run.ID()).Driver; by != "" {
			t.Errorf("a run that has ended is driven by %q", by)
		}
	})
}

// A process that stops in order gives its runs back at once.
func TestJ10_ACleanStopReleasesAtOnce(t *testing.T) {
	for name, stop := range map[string]func(rt *fermata.Runtime, run *graph.Run[state]) error{
		"run":     func(_ *fermata.Runtime, run *graph.Run[state]) error { return run.Stop(0) },
		"runtime": func(rt *fermata.Runtime, _ *graph.Run[state]) error { return rt.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := slow(10 * time.Minute)
				s := newShop(t, g)
				first, _ := s.process("first")
				other, _ := s.process("other")
				run := start(t, first, g, state{})
				time.Sleep(time.Second)
				if err := stop(first, run); err != nil {
					t.Fatal(err)
				}
				again, err := g.Resume(t.Context(), other, run.ID())
				if err != nil {
					t.Fatal(err)
				}
				s.awaits(run.ID(), fermata.Completed)
				ends(t, again, fermata.Completed)
			})
		})
	}
}

// A run that is stored and not driven is driven by a worker, once.
func TestJ10_AQueuedRunIsLeftToWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := slow(time.Minute)
		s := newShop(t, g)
		front, _ := s.process("front")
		one, _ := s.process("one")
		run := start(t, front, g, state{}, fermata.Queued())
		if _, err := run.Wait(t.Context()); !errors.Is(err, fermata.ErrStopped) {
			t.Errorf("found %v, expected that nobody here drives it", err)
		}
		time.Sleep(time.Minute)
		if info := s.info(run.ID()); info.Status != "running" || info.Driver != "" || info.Head != 2 {
			t.Errorf("found %+v, expected a run that has begun and nobody drives", info)
		}
		stop := s.work(one, "one")
		if took := s.awaits(run.ID(), fermata.Completed); took > time.Minute+2*time.Second {
			t.Errorf("it took %v", took)
		}
		stop()
		s.told("one takes it from nobody", "one says completed")
		if res := wait(t, run); res.Status != fermata.Completed || len(res.State.Log) != 2 {
			t.Errorf("found %+v, expected the end of the run", res)
		}
		_, err := front.Start(t.Context(), g.Plan(), &state{}, fermata.Queued(), fermata.WithDurability(fermata.None))
		if known, ok := errors.AsType[*fermata.Error](err); !ok || known.Code != fermata.CodeInvalid {
			t.Errorf("found %v, expected that what is not stored cannot be queued", err)
		}
	})
}

// An answer by somebody who does not drive the run on is noticed by a worker.
func TestJ10_AnAnswerFromElsewhereIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := graph.New[state]("asks").
			Node("a", func(ctx node.Context, s state) (state, error) {
				for range 2 {
					if _, err := node.Interrupt[string](ctx, "go on?"); err != nil {
						return s, err
					}
				}
				return logged(ctx, s)
			}).Edge(graph.Start, "a").MustCompile()
		s := newShop(t, g)
		front, _ := s.process("front")
		one, _ := s.process("one")
		defer s.work(one, "one")()
		run := start(t, front, g, state{}, fermata.Queued())
		s.awaits(run.ID(), fermata.Paused)
		for i := range 2 {
			time.Sleep(time.Minute)
			open, err := front.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()})
			if err != nil || len(open) != 1 {
				t.Fatalf("question %d: found %d, %v", i, len(open), err)
			}
			if err := front.Answer(t.Context(), open[0].ID, "yes", fermata.Hold()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second)
		}
		s.awaits(run.ID(), fermata.Completed)
		s.told("one takes it from nobody", "one says paused", "one takes it from nobody", "one says paused",
			"one takes it from nobody", "one says completed")
	})
}

// An answer from another process leaves the run with its driver, which hears of it.
func TestJ10_AnAnswerLeavesTheRunWithItsDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := graph.New[state]("two ways").
			Node("ask", func(ctx node.Context, s state) (state, error) {
				said, err := node.Interrupt[string](ctx, "go on?")
				s.Text = said
				return s, err
			}).
			Node("work", func(ctx node.Context, s state) (state, error) {
				for range 3 {
					if _, err := node.Step(ctx, "step", func(ctx node.Context) (int, error) {
						time.Sleep(time.Minute)
						return 0, ctx.Err()
					}); err != nil {
						return s, err
					}
				}
				return s, nil
			}).
			Node("end", func(_ node.Context, s state) (state, error) { return s, nil }, graph.All()).
			Edge(graph.Start, "ask").Edge(graph.Start, "work").Edge("ask", "end").Edge("work", "end").MustCompile()
		s := newShop(t, g)
		first, _ := s.process("first")
		other, _ := s.process("other")
		run := start(t, first, g, state{})
		time.Sleep(30 * time.Second)
		open, err := other.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()})
		if err != nil || len(open) != 1 {
			t.Fatalf("found %d questions, %v", len(open), err)
		}
		if err := other.Answer(t.Context(), open[0].ID, "yes"); err != nil {
			t.Fatal(err)
		}
		if by := s.info(run.ID()).Driver; !strings.HasPrefix(by, "first@") {
			t.Errorf("the run is driven by %q", by)
		}
		s.awaits(run.ID(), fermata.Completed)
		if res := ends(t, run, fermata.Completed); res.State.Text != "yes" {
			t.Errorf("the driver has %+v", res.State)
		}
		if len(s.errors) > 0 {
			t.Errorf("what was logged: %q", s.errors)
		}
	})
}

// Timers of a run that several processes know fire once, and nobody complains; also when the process that set them
// is gone.
func TestJ10_ATimerFiresOnce(t *testing.T) {
	for _, dies := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := single(func(ctx node.Context, s state) (state, error) {
				for range 5 {
					if err := node.Sleep(ctx, time.Minute); err != nil {
						return s, err
					}
				}
				return logged(ctx, s)
			})
			s := newShop(t, g)
			first, wire := s.process("first")
			for _, name := range []string{"one", "two", "three"} {
				rt, _ := s.process(name)
				defer s.work(rt, name)() //nolint:gocritic // all of them work until the end
			}
			run := start(t, first, g, state{})
			time.Sleep(90 * time.Second)
			wire.set(dies)
			if took := s.awaits(run.ID(), fermata.Completed); took > 4*time.Minute {
				t.Errorf("it took %v more", took)
			}
			fired := 0
			for e, err := range s.store.Read(t.Context(), run.ID(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Kind == journal.TimerFired {
					fired++
				}
			}
			if fired != 5 {
				t.Errorf("%d timers have fired, expected 5", fired)
			}
			if len(s.errors) > 0 && !dies {
				t.Errorf("what was logged: %q", s.errors)
			}
		})
	}
}

// A process that lives and has lost a run by an error of its store takes it up again by itself, and keeps its name on it.
func TestJ10_AnErrorTakesNoRunAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := slow(time.Minute)
		s := newShop(t, g)
		one, wire := s.process("one")
		defer s.work(one, "one")()
		run := start(t, one, g, state{})
		time.Sleep(time.Minute - time.Second)
		wire.set(true)
		time.Sleep(10 * time.Second)
		wire.set(false)
		s.awaits(run.ID(), fermata.Completed)
		s.told("one says completed")
	})
}

// A worker needs what it works with, and says what is missing.
func TestJ10_AWorkerSaysWhatItNeeds(t *testing.T) {
	plans := func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return nil, nil }
	for want, o := range map[string]fermata.Options{
		"Options.Lease is negative":      {Lease: -1, Plans: plans},
		"journal.Leaser":                 {Store: &spy{Store: memory.New()}, Plans: plans},
		"a worker needs Options.Plans: ": {},
	} {
		err := newRuntime(t, o).Work(t.Context(), fermata.WorkOptions{})
		known, ok := errors.AsType[*fermata.Error](err)
		if !ok || known.Code != fermata.CodeInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %q", err, want)
		}
	}
}

// TestJ10_AShortLeaseIsRefused checks that a lease below a second is refused, whoever asks for it, unless a clock is given that the
// program moves by itself.
func TestJ10_AShortLeaseIsRefused(t *testing.T) {
	for _, d := range []time.Duration{1, time.Millisecond, time.Second - 1} {
		rt, err := fermata.New(fermata.Options{Lease: d})
		if known, ok := errors.AsType[*fermata.Error](err); !ok || known.Code != fermata.CodeInvalid || !strings.Contains(err.Error(), "expected at least 1s") {
			t.Errorf("a lease of %v: found %v, %v", d, rt, err)
		}
	}
	for _, o := range []fermata.Options{{}, {Lease: -1}, {Lease: time.Second}, {Lease: time.Millisecond, Clock: fermatatest.NewClock(time.Unix(0, 0))}} {
		newRuntime(t, o)
	}
}

// meddled is a store in which something happens before a journal is read.
type meddled struct {
	journal.Store
	journal.Leaser
	before func()
}

func (m *meddled) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	if f := m.before; f != nil {
		m.before = nil
		f()
	}
	return m.Store.Read(ctx, run, after)
}

// Who takes a run up looks who drives it, and then reads its journal. Another one that begins in between is left alone:
// what it is at is not done a second time (laws J5 and J10).
func TestJ10_WhoBeganMeanwhileIsLeftAlone(t *testing.T) {
	store := memory.New()
	gate := newGate()
	g := graph.New[state]("held").Node("a", func(ctx node.Context, s state) (state, error) {
		return s, gate.pass(ctx)
	}).Edge(graph.Start, "a").MustCompile()
	desk := newRuntime(t, fermata.Options{Store: store})
	first := newRuntime(t, fermata.Options{Store: store})
	if _, err := g.Start(t.Context(), desk, state{}, fermata.WithID("run_held"), fermata.Queued()); err != nil {
		t.Fatal(err)
	}
	var run *graph.Run[state]
	second := newRuntime(t, fermata.Options{Store: &meddled{Store: store, Leaser: store.(journal.Leaser), before: func() {
		var err error
		if run, err = g.Resume(t.Context(), first, "run_held"); err != nil {
			t.Error(err)
			return
		}
		gate.waitEntered(t)
	}}})
	if _, err := g.Resume(t.Context(), second, "run_held"); !errors.Is(err, fermata.ErrDriven) {
		t.Errorf("a run that another one drives is resumed: %v", err)
	}
	close(gate.open)
	ends(t, run, fermata.Completed)
	taken := 0
	for _, l := range lines(t, store, "run_held") {
		taken += strings.Count(l, "run.resumed")
	}
	if taken != 1 {
		t.Errorf("it was taken up %d times", taken)
	}
}
