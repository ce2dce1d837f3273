package fermata_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// slowLog is a logger that takes its time with one message.
type slowLog struct {
	message string
	until   func()
}

// Enabled, Handle, WithAttrs and WithGroup implement slog.Handler.
func (slowLog) Enabled(context.Context, slog.Level) bool { return true }

func (l slowLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == l.message {
		l.until()
	}
	return nil
}

func (l slowLog) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l slowLog) WithGroup(string) slog.Handler      { return l }

// TestJ2_AFailureThatIsOverIsNotTold checks that Wait does not fail with an error of the store after which the run has
// been resumed, however late the failed resumption is noted.
func TestJ2_AFailureThatIsOverIsNotTold(t *testing.T) {
	store, clock := journaltest.NewFaulty(memory.New()), &fermatatest.Clock{}
	resumed, noting, noted := make(chan bool), make(chan bool), make(chan bool)
	rt, err := fermata.New(fermata.Options{Store: store, Clock: clock, Logger: slog.New(slowLog{"resuming a run failed", func() {
		<-resumed
		close(noting)
	}})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	fermata.Hurry(rt)
	g := single(func(ctx node.Context, s state) (state, error) {
		if err := node.Sleep(ctx, time.Hour); err != nil {
			return s, err
		}
		if !isDone(noting) {
			close(resumed)
			<-noted
		}
		_, err := node.Interrupt[string](ctx, nil, node.Prompt("Well?"))
		return s, err
	})
	run := start(t, rt, g, state{}, fermata.WithID("x"))
	for sleeps := false; !sleeps; time.Sleep(time.Millisecond) {
		rows, err := store.Runs(timeLimit(t), journal.RunFilter{ID: "x", Status: string(fermata.Paused)})
		if err != nil {
			t.Fatal(err)
		}
		sleeps = len(rows) == 1
	}
	store.FailAppend(store.Appends()+1, journaltest.Before)
	clock.Advance(time.Hour)
	<-noting
	time.Sleep(10 * time.Millisecond) // the failure is noted behind the log
	close(noted)
	for range 3 { // the first finds the run at work
		question(t, run)
	}
}

func isDone(c chan bool) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
