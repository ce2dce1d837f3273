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
	*gate
}

func (s *lateReader) Append(ctx context.Context, b journal.Batch) error {
	err := s.Store.Append(ctx, b)
	if slices.ContainsFunc(b.Entries, func(e journal.Entry) bool { return e.Kind == journal.InterruptResolved }) {
		s.answered.Store(true)
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
// closed, or the run's time is over. None of these is a failure of the store.
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
		t.Run(name, func(t *testing.T) {
			inner, told := memory.New(), make(chan struct{})
			s, clock := &lateReader{Store: inner, Leaser: inner.(journal.Leaser), gate: newGate()}, newClock()
			rt := newRuntime(t, fermata.Options{Store: s, Clock: clock})
			g := graph.New[state]("beside").
				Node("ask", func(ctx node.Context, s state) (state, error) {
					_, err := node.Ask[bool](ctx, nil)
					return s, err
				}).
				Node("work", func(ctx node.Context, s state) (state, error) {
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
		})
	}
}
