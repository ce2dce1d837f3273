package fermata_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// listener is an observer that notes what it is told.
type listener struct {
	mu     sync.Mutex
	stored map[uint64]int // how often each entry was stored
	faults []string
	scopes []string
}

func newListener() *listener { return &listener{stored: make(map[uint64]int)} }

func (w *listener) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

func (w *listener) Follow(run fermata.RunInfo) fermata.Follower {
	return &listening{w: w, run: run.ID}
}

type listening struct {
	w    *listener
	run  string
	last uint64
}

func (f *listening) Recall(e *journal.Entry) {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	if e.Seq > f.last+1 {
		f.w.fault("recalled %d after %d", e.Seq, f.last)
	}
	f.last = max(f.last, e.Seq)
}

func (f *listening) Stored(entries []journal.Entry, took time.Duration) {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	for i := range entries {
		if entries[i].Seq != f.last+1 {
			f.w.fault("stored %d after %d", entries[i].Seq, f.last)
		}
		f.last = entries[i].Seq
		f.w.stored[f.last]++
	}
	if took <= 0 {
		f.w.fault("an append took %s", took)
	}
}

type scopeKey struct{}

func (f *listening) Context(ctx context.Context, s fermata.Scope) context.Context {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.w.scopes = append(f.w.scopes, strings.TrimSpace(fmt.Sprintf("%s %d %s", s.Task(), s.Attempt, s.Op)))
	return context.WithValue(ctx, scopeKey{}, s)
}

// inQuestion is a graph with a step on each side of a question.
func inQuestion() *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		for i, key := range []string{"before", "after"} {
			if i == 1 {
				if _, err := node.Interrupt[bool](ctx, "?"); err != nil {
					return s, err
				}
			}
			if _, err := node.Step(ctx, key, func(ctx node.Context) (bool, error) {
				if in, ok := ctx.Value(scopeKey{}).(fermata.Scope); ok && !strings.HasSuffix(in.Op, key+"#1") {
					return false, errors.New("step " + key + " works in the context of " + in.Op)
				}
				return true, nil
			}); err != nil {
				return s, err
			}
		}
		return s, nil
	})
}

// Over all processes, each follower sees a run without a gap, and no entry is told as stored twice; only what a
// process stored with its last breath is told to nobody.
func TestN4_ObserversAreToldOnce(t *testing.T) {
	w := newListener()
	answers := fermatatest.Answers(map[string][]any{"a": {true}})
	runs, missed := 0, 0
	before := func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		runs++
		head := uint64(0)
		for seq, n := range w.stored {
			if n > 1 {
				t.Errorf("run %d: entry %d was told %d times", runs, seq, n)
			}
			head = max(head, seq)
		}
		missed += int(head) - len(w.stored)
		clear(w.stored)
	}
	fermatatest.Crash(t, inQuestion().Plan(), func() any { return &state{} }, answers, fermatatest.Before(before),
		fermatatest.WithOptions(fermata.Options{Observer: w}))
	before()
	if len(w.faults) > 0 {
		t.Errorf("%d faults: %q", len(w.faults), w.faults[:min(5, len(w.faults))])
	}
	if runs < 10 || missed == 0 {
		t.Errorf("%d runs, %d entries that nobody was told of: the crashes did not come where they should", runs, missed)
	}
}

// A node's function gets its context in each pass; a step gets one only when it is done.
func TestN4_ScopesOfPassesAndSteps(t *testing.T) {
	w := newListener()
	rt := newRuntime(t, fermata.Options{Observer: w})
	run := start(t, rt, inQuestion(), state{})
	res, err := run.Wait(timeLimit(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Answer(timeLimit(t), res.Interrupts[0].ID, true); err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Status, err)
	}
	want := []string{"a#1 1", "a#1 1 step:before#1", "a#1 1", "a#1 1 step:after#1"}
	if diff := cmp.Diff(want, w.scopes); diff != "" {
		t.Error(diff)
	}
	if len(w.faults) > 0 {
		t.Error(w.faults)
	}
}

// logLines is a logger whose lines have no time and no run.
func logLines(level slog.Level) (*slog.Logger, func() []string) {
	var b lockedBuffer
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "run" || a.Key == "interrupt" {
			return slog.Attr{}
		}
		return a
	}}))
	return log, func() []string { return strings.Split(strings.TrimSpace(b.take()), "\n") }
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *lockedBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *lockedBuffer) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.b.String()
	s.b.Reset()
	return text
}

// What happens to runs and tasks is logged, by whichever process stored it, once.
func TestN4_TheLogTellsOnce(t *testing.T) {
	ctx, store := timeLimit(t), memory.New()
	log, read := logLines(slog.LevelDebug)
	fails := true
	g := graph.New[state]("plan").
		Node("work", func(ctx node.Context, s state) (state, error) {
			if fails {
				return s, errors.New("no luck")
			}
			ctx.Logger().Info("at work")
			_, err := node.Interrupt[bool](ctx, "?")
			return s, err
		}, graph.Retry(2, time.Nanosecond)).Edge(graph.Start, "work").MustCompile()
	first := newRuntime(t, fermata.Options{Store: store, Logger: log})
	if res, _ := start(t, first, g, state{}, fermata.WithID("run_1")).Wait(ctx); res.Status != fermata.Failed {
		t.Fatal(res.Status)
	}
	fails = false
	run, err := g.Retry(ctx, first, "run_1")
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := newRuntime(t, fermata.Options{Store: store, Logger: log})
	if err := second.Answer(ctx, res.Interrupts[0].ID, true, fermata.AsPerson("ada")); err != nil {
		t.Fatal(err)
	}
	if run, err = g.Resume(ctx, second, "run_1"); err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Status, err)
	}
	want := []string{
		`level=INFO msg="run started" plan=plan event=run.started seq=1`,
		`level=DEBUG msg="task started" task=work#1 attempt=1 event=node.started seq=2`,
		`level=INFO msg="task is tried again" task=work#1 attempt=1 error="no luck" event=node.retrying seq=3`,
		`level=DEBUG msg="task started" task=work#1 attempt=2 event=node.started seq=4`,
		`level=INFO msg="task failed" task=work#1 attempt=2 error="no luck" event=node.failed seq=5`,
		`level=WARN msg="run failed" plan=plan failed=work#1 error="no luck" event=run.finished seq=6`,
		`level=INFO msg="run resumed" plan=plan reason=retry event=run.resumed seq=7`,
		`level=DEBUG msg="task started" task=work#1 attempt=3 event=node.started seq=8`,
		`level=INFO msg="at work" task=work#1 attempt=3`,
		`level=DEBUG msg="task waits" task=work#1 attempt=3 for=interrupt:interrupt#1 event=node.suspended seq=10`,
		`level=INFO msg="run paused" plan=plan event=run.paused seq=11`,
		`level=INFO msg=answered by=ada`,
		`level=INFO msg="run resumed" plan=plan reason=answer event=run.resumed seq=13`,
		`level=DEBUG msg="task finished" task=work#1 attempt=3 event=node.finished seq=14`,
		`level=INFO msg="run completed" plan=plan event=run.finished seq=15`,
	}
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Error(diff)
	}
}

// Each level shows what it is for.
func TestLevelsOfTheLog(t *testing.T) {
	g := single(func(_ node.Context, s state) (state, error) { return s, errors.New("no luck") })
	for level, want := range map[slog.Level][]string{
		slog.LevelError: {""},
		slog.LevelWarn:  {`level=WARN msg="run failed" plan=single failed=a#1 error="no luck" event=run.finished seq=4`},
		slog.LevelInfo: {
			`level=INFO msg="run started" plan=single event=run.started seq=1`,
			`level=INFO msg="task failed" task=a#1 attempt=1 error="no luck" event=node.failed seq=3`,
			`level=WARN msg="run failed" plan=single failed=a#1 error="no luck" event=run.finished seq=4`,
		},
	} {
		log, read := logLines(level)
		if _, err := fermata.Evaluate(timeLimit(t), g.Plan(), &state{}, fermata.Options{Logger: log}); err == nil {
			t.Error("no error")
		}
		got := read()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("level %s: %s", level, diff)
		}
	}
}
