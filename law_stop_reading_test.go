package fermata_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// lateReader is a store that takes its time to read what somebody has answered.
type lateReader struct {
	journal.Store
	journal.Leaser
	answered atomic.Bool
	outrun   chan struct{} // where set, what follows the question is written after the answer, and so meets a conflict
	*gate
}

func (s *lateReader) Append(ctx context.Context, b journal.Batch) error {
	has := func(kind journal.Kind) bool {
		return slices.ContainsFunc(b.Entries, func(e journal.Entry) bool { return e.Kind == kind })
	}
	if s.outrun != nil && has(journal.NodeFinished) && !has(journal.InterruptOpened) {
		<-s.outrun
	}
	err := s.Store.Append(ctx, b)
	if has(journal.InterruptResolved) {
		s.answered.Store(true)
		if s.outrun != nil {
			close(s.outrun)
		}
	}
	return err
}

func (s *lateReader) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		if s.answered.CompareAndSwap(true, false) {
			if err := errors.Join(s.pass(context.Background()), ctx.Err()); err != nil {
				yield(journal.Entry{}, err)
				return
			}
		}
		s.Store.Read(ctx, run, after)(yield)
	}
}

// TestF3_F4_WhatEndsDrivingMayMeetARead has a drive read what somebody else has written while it is stopped, the runtime is
// closed, or the run's time is over: it was signalled, or its own append met a conflict. None of these is a failure of the store.
func TestF3_F4_WhatEndsDrivingMayMeetARead(t *testing.T) {
	isStopped := func(_ graph.Result[state], err error) bool {
		return errors.Is(err, fermata.ErrStopped) || errors.Is(err, fermata.ErrClosed)
	}
	cases := map[string]struct {
		end   func(rt *fermata.Runtime, run *graph.Run[state], c *clock) error
		holds func(res graph.Result[state], err error) bool
	}{
		"stopped": {
			func(_ *fermata.Runtime, run *graph.Run[state], _ *clock) error { return run.Stop(time.Hour) },
			isStopped,
		},
		"closed": {
			func(rt *fermata.Runtime, _ *graph.Run[state], _ *clock) error { return rt.Close() },
			isStopped,
		},
		"out of time": {
			func(_ *fermata.Runtime, _ *graph.Run[state], c *clock) error { c.Advance(time.Hour); return nil },
			func(res graph.Result[state], err error) bool {
				return err == nil && res.Status == fermata.Failed && errors.Is(res.Err, fermata.ErrLimit)
			},
		},
	}
	for name, c := range cases {
		whenRead := func(t *testing.T, outrun chan struct{}) {
			inner, begun, told := memory.New(), make(chan struct{}), make(chan struct{})
			s, clock := &lateReader{Store: inner, Leaser: inner.(journal.Leaser), outrun: outrun, gate: newGate()}, newClock()
			rt := newRuntime(t, fermata.Options{Store: s, Clock: clock})
			g := graph.New[state]("beside").
				Node("ask", func(ctx node.Context, s state) (state, error) {
					_, err := node.Ask[bool](ctx, nil)
					<-begun
					return s, err
				}).
				Node("work", func(ctx node.Context, s state) (state, error) {
					close(begun)
					<-ctx.Done()
					close(told)
					return s, ctx.Err()
				}).
				Edge(graph.Start, "ask", "work").Limits(plan.Limits{Time: time.Minute}).MustCompile()
			run := start(t, rt, g, state{})
			q := waitForQuestions(t, rt, run.ID(), 1)
			answer(t, rt, q[0].ID, true)
			s.waitEntered(t)
			ended := make(chan error, 1)
			go func() { ended <- c.end(rt, run, clock) }()
			<-told
			close(s.open)
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if res, err := run.Wait(timeLimit(t)); !c.holds(res, err) {
				t.Errorf("the run is %q, %v, and Wait says %v", res.Status, res.Err, err)
			}
		}
		t.Run(name, func(t *testing.T) { whenRead(t, nil) })
		t.Run(name+" after a conflict", func(t *testing.T) { whenRead(t, make(chan struct{})) })
	}
}
