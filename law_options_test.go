package fermata_test

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// rude is a handler and a clock that panic in one of their methods.
type rude struct {
	at     string
	called *atomic.Int64
}

func (r rude) does(method string) {
	if r.at == method {
		r.called.Add(1)
		panic("rude " + method)
	}
}

func (r rude) Enabled(context.Context, slog.Level) bool  { r.does("Enabled"); return true }
func (r rude) Handle(context.Context, slog.Record) error { r.does("Handle"); return nil }
func (r rude) WithAttrs([]slog.Attr) slog.Handler        { r.does("WithAttrs"); return r }
func (r rude) WithGroup(string) slog.Handler             { r.does("WithGroup"); return r }
func (r rude) Now() time.Time                            { r.does("Now"); return time.Now() }
func (r rude) AfterFunc(d time.Duration, f func()) func() bool {
	r.does("AfterFunc")
	stop := time.AfterFunc(d, f).Stop
	return func() bool { r.does("stop"); return stop() }
}

// TestN7_LoggersAndClocksMayPanic checks that a run comes to its end whatever the handler of its logger and its clock do.
func TestN7_LoggersAndClocksMayPanic(t *testing.T) {
	for _, at := range []string{"Enabled", "Handle", "WithAttrs", "WithGroup", "Now", "AfterFunc", "stop"} {
		t.Run(at, func(t *testing.T) {
			r := rude{at, &atomic.Int64{}}
			rt := newRuntime(t, fermata.Options{Logger: slog.New(r), Clock: r})
			g := graph.New[state]("rude").
				Node("a", func(ctx node.Context, s state) (state, error) {
					ctx.Logger().WithGroup("g").With("k", 1).Info("it is at work")
					return s, node.Sleep(ctx, time.Millisecond)
				}).
				Node("b", func(ctx node.Context, s state) (state, error) {
					_, err := node.Interrupt[bool](ctx, "well?", node.Within(5*time.Millisecond), node.OrDefault(true))
					return s, err
				}).Edge(graph.Start, "a", "b").Node("c", logged, graph.All()).Edge("a", "c").Edge("b", "c").MustCompile()
			run := start(t, rt, g, state{})
			standsAt(t, rt, run.ID(), fermata.Completed)
			if r.called.Load() == 0 && at != "stop" {
				t.Error("nobody has called it")
			}
		})
	}
}

// loud is a store that tells of others' writes what a test says, and whose append of an outcome takes as long as that wants.
type loud struct {
	journal.Store
	watched chan func(journal.Change)
	begun   chan struct{}
	begins  sync.Once
	goOn    chan struct{}
}

func (l *loud) Watch(context.Context, func()) error { return nil }

func (l *loud) WatchRuns(_ context.Context, changed func(journal.Change)) error {
	l.watched <- changed
	return nil
}

func (l *loud) Append(ctx context.Context, b journal.Batch) error {
	if slices.ContainsFunc(b.Entries, func(e journal.Entry) bool { return e.Kind == journal.StepFinished }) {
		l.begins.Do(func() { close(l.begun) }) // it is made again where somebody else has written
		<-l.goOn
	}
	return l.Store.Append(ctx, b)
}

// TestE3_OthersWritesCostNoGoroutines checks that a run which is at work has no more goroutines when others write to it ten
// thousand times, while nobody can look after that because the store takes its time.
func TestE3_OthersWritesCostNoGoroutines(t *testing.T) {
	store := &loud{
		Store: memory.New(), watched: make(chan func(journal.Change), 1), begun: make(chan struct{}), goOn: make(chan struct{}),
	}
	rt := newRuntime(t, fermata.Options{Store: store})
	asked := make(chan struct{})
	g := graph.New[state]("busy").
		Node("works", func(ctx node.Context, s state) (state, error) {
			<-asked
			_, err := node.Step(ctx, "slow", func(node.Context) (int, error) { return 1, nil })
			return s, err
		}).
		Node("asks", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "well?")
			return s, err
		}).Node("end", logged, graph.All()).
		Edge(graph.Start, "works", "asks").Edge("works", "end").Edge("asks", "end").MustCompile()
	run := start(t, rt, g, state{})
	q := waitForQuestions(t, rt, run.ID(), 1)[0].ID
	changed := <-store.watched // who is at work listens for answers
	close(asked)
	<-store.begun
	before := runtime.NumGoroutine()
	for range 10_000 {
		changed(journal.Change{Runs: []string{run.ID()}})
	}
	after := runtime.NumGoroutine()
	t.Logf("%d goroutines before, %d after", before, after)
	if after > before+20 {
		t.Errorf("%d goroutines after others have written, %d before", after, before)
	}
	close(store.goOn)
	answer(t, rt, q, true)
	ends(t, run, fermata.Completed)
}
