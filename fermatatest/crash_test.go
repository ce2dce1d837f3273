package fermatatest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// recorder is a test that keeps what is wrong.
type recorder struct {
	*testing.T
	wrong []string
}

func (r *recorder) Error(args ...any) { r.wrong = append(r.wrong, fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }

// line is a graph of one node behind the other.
func line(nodes ...graph.Func[[]string]) func() *graph.Graph[[]string] {
	return func() *graph.Graph[[]string] {
		b := graph.New[[]string]("line")
		for i, f := range nodes {
			b.Node(fmt.Sprint(i), f, graph.Retry(2, time.Minute))
			if i == 0 {
				b.Edge(graph.Start, "0")
			} else {
				b.Edge(fmt.Sprint(i-1), fmt.Sprint(i))
			}
		}
		return b.MustCompile()
	}
}

func counted(counts map[string]int, key string) graph.Func[[]string] {
	return func(ctx node.Context, s []string) ([]string, error) {
		did, err := node.Step(ctx, key, func(node.Context) (string, error) {
			counts[key]++
			return "did " + key, nil
		})
		return append(s, did), err
	}
}

func sleeps(ctx node.Context, s []string) ([]string, error) { return s, node.Sleep(ctx, time.Hour) }

func startWith() any { return &[]string{} }

// What breaks a law is found, and named.
func TestCrashFinds(t *testing.T) {
	counts, calls := make(map[string]int), 0
	effects := fermatatest.Effects(func() map[string]int { return counts })
	step := counted(counts, "pay")
	for _, c := range []struct {
		name  string
		graph func() *graph.Graph[[]string]
		opts  []fermatatest.CrashOption
		want  string // what each finding holds
	}{
		{"an effect outside of a step", line(func(_ node.Context, s []string) ([]string, error) {
			counts["mail"]++
			return s, nil
		}), []fermatatest.CrashOption{effects}, `law J5: the effect "mail" happened`},
		{
			"an effect that may happen only once", line(step),
			[]fermatatest.CrashOption{effects, fermatatest.OnlyOnce("pay")},
			`crash before append 3 (step.finished 0#1 step:pay#1): law J5: the effect "pay" happened 2 times`,
		},
		{"an output that depends on the process", line(func(_ node.Context, s []string) ([]string, error) {
			calls++
			return append(s, fmt.Sprint(calls)), nil
		}), nil, "law J1: the result differs"},
		{"calls that depend on the process", line(func(ctx node.Context, s []string) ([]string, error) {
			calls++
			_, err := node.Step(ctx, fmt.Sprint(calls), func(node.Context) (int, error) { return 0, nil })
			return s, err
		}, step), nil, "law J"},
		{
			"a node that hangs", line(func(ctx node.Context, s []string) ([]string, error) {
				<-ctx.Done()
				return s, ctx.Err()
			}),
			[]fermatatest.CrashOption{fermatatest.Within(50 * time.Millisecond)},
			`without a crash: nothing happened for 50ms; the last append was "run.started, node.started 0#1"`,
		},
		{
			"an answer that does not fit", line(func(ctx node.Context, s []string) ([]string, error) {
				_, err := node.Interrupt[bool](ctx, nil)
				return s, err
			}),
			[]fermatatest.CrashOption{fermatatest.AnswerFunc(func(fermata.Interrupt) any { return "yes" })},
			"without a crash: the answer to 0#1 interrupt:interrupt#1: ",
		},
		{"a store that forgets", line(step, counted(counts, "thank")), []fermatatest.CrashOption{stores(forgets)}, "law E1: "},
		{"a store that keeps timers", line(sleeps), []fermatatest.CrashOption{stores(keepsTimers)}, "law H4: the run is completed, and its timer"},
		{
			"a store that keeps questions open", line(func(ctx node.Context, s []string) ([]string, error) {
				_, err := node.Interrupt[bool](ctx, nil)
				return s, err
			}),
			[]fermatatest.CrashOption{stores(keepsQuestions), fermatatest.AnswerFunc(func(fermata.Interrupt) any { return true })},
			"law H1: the run is completed, and task 0#1 still has a question",
		},
		{
			"a store that cannot be opened again", line(step),
			[]fermatatest.CrashOption{stores(gone)},
			"the store could not be opened again: it is gone",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{T: t}
			fermatatest.Crash(r, c.graph().Plan(), startWith, c.opts...)
			if len(r.wrong) == 0 {
				t.Fatal("nothing was found")
			}
			if !slices.ContainsFunc(r.wrong, func(s string) bool { return strings.Contains(s, c.want) }) {
				t.Errorf("expected %q, found:\n%s", c.want, strings.Join(r.wrong, "\n"))
			}
		})
	}
}

// stores keeps runs in stores that are made of the ones before by change, each time that a process has died.
func stores(change func(was journal.Store) (journal.Store, error)) fermatatest.CrashOption {
	var mu sync.Mutex
	last := make(map[string]journal.Store)
	return fermatatest.On(func(dir string) (journal.Store, error) {
		mu.Lock()
		defer mu.Unlock()
		s, err := change(last[dir])
		if s == nil && err == nil {
			s = memory.New()
		}
		last[dir] = s
		return undying{s}, err
	})
}

// undying is a store that Close does not close.
type undying struct{ journal.Store }

func (undying) Close() error { return nil }

// forgets loses the last entry of every run.
func forgets(was journal.Store) (journal.Store, error) {
	if was == nil {
		return nil, nil
	}
	ctx, now := context.Background(), memory.New()
	rows, err := was.Runs(ctx, journal.RunFilter{})
	for _, row := range rows {
		b := journal.Batch{Run: row.ID, Row: &row}
		for e, err := range was.Read(ctx, row.ID, 0) {
			if err != nil {
				return nil, err
			}
			b.Entries = append(b.Entries, e)
		}
		if n := len(b.Entries); n > 1 {
			b.Entries = b.Entries[:n-1]
		}
		err = errors.Join(err, now.Append(ctx, b))
	}
	return now, err
}

// filtered is a store that changes what is appended.
type filtered struct {
	journal.Store
	change func(b *journal.Batch)
}

func (f filtered) Append(ctx context.Context, b journal.Batch) error {
	f.change(&b)
	return f.Store.Append(ctx, b)
}

// stale is a store that goes on listing a timer.
type stale struct{ journal.Store }

func (s stale) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	timers, err := s.Store.Timers(ctx, due, limit)
	if len(timers) == 0 && err == nil {
		timers = []journal.Timer{{Run: "run_explored", ID: "old", Due: fermatatest.Epoch.UnixMicro()}}
	}
	return timers, err
}

func keepsTimers(was journal.Store) (journal.Store, error) {
	if was != nil {
		return was, nil
	}
	return stale{memory.New()}, nil
}

func keepsQuestions(was journal.Store) (journal.Store, error) {
	if was != nil {
		return was, nil
	}
	return filtered{memory.New(), func(b *journal.Batch) {
		b.Interrupts = slices.DeleteFunc(slices.Clone(b.Interrupts), func(q journal.Interrupt) bool { return !q.IsOpen() })
	}}, nil
}

func gone(was journal.Store) (journal.Store, error) {
	if was != nil {
		return nil, errors.New("it is gone")
	}
	return nil, nil
}

// A run that waits for what nobody says rests, and rests in the same place after any crash.
func TestCrashOfARunThatRests(t *testing.T) {
	asks := func(ctx node.Context, s []string) ([]string, error) {
		first, err := node.Interrupt[string](ctx, nil, node.Within(time.Hour), node.OrDefault("silence"))
		if err != nil {
			return s, err
		}
		second, err := node.Interrupt[string](ctx, first)
		return append(s, first, second), err
	}
	report := fermatatest.Crash(t, line(asks)().Plan(), startWith,
		fermatatest.Answers(map[string][]any{"0": {fermatatest.NoAnswer}}))
	var open []string
	for _, q := range report.Result.Interrupts {
		open = append(open, q.Op+" "+string(q.Request))
	}
	got := []any{report.Result.Status, open, report.Crashes >= 2*len(report.Appends)}
	if diff := cmp.Diff([]any{fermata.Paused, []string{`interrupt:interrupt#2 "silence"`}, true}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Options reach the nodes, and Before comes before each run.
func TestCrashOptions(t *testing.T) {
	runs := 0
	lucky := func(ctx node.Context, s []string) ([]string, error) {
		n, err := node.Service[int](ctx)
		return append(s, fmt.Sprint(n)), err
	}
	report := fermatatest.Crash(t, line(lucky, sleeps)().Plan(), startWith, fermatatest.Every(2),
		fermatatest.Before(func() { runs++ }), fermatatest.WithOptions(fermata.Options{Services: []any{7}}))
	explored := 1 + 2*((len(report.Appends)+1)/2) + 2 // undisturbed, before and after every second append, and two that die on and on
	if got := []any{string(report.Result.Output), runs}; !cmp.Equal([]any{`["7"]`, explored}, got) {
		t.Errorf("expected %d runs, found %v", explored, got)
	}
}
