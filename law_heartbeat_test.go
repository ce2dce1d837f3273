package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// TestN11_ASilentAttemptIsEnded checks that an attempt which says nothing for as long as Idle says fails at that moment, that
// it is tried again, and that what its function still does is nobody's.
func TestN11_ASilentAttemptIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, store := inMemory(t)
		var late []error
		began := time.Now()
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			if ctx.Info().Attempt == 2 {
				return logged(ctx, s)
			}
			time.Sleep(3 * time.Second)
			if err := node.Heartbeat(ctx, "here"); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			_, err := node.Step(ctx, "late", func(node.Context) (int, error) { return 1, nil })
			late = append(late, context.Cause(ctx), err, node.Heartbeat(ctx, "late"))
			return s, nil
		}, graph.Idle(10*time.Second), graph.Retry(2, time.Second)), state{})
		time.Sleep(5 * time.Second)
		ends(t, run, fermata.Completed)
		if took := time.Since(began); took != 14*time.Second {
			t.Errorf("it took %v, expected 3 s and 10 s of silence, and a second until the next attempt", took)
		}
		synctest.Wait()
		if len(late) != 3 || !errors.Is(late[0], fermata.ErrIdle) || !errors.Is(late[1], node.ErrTaskOver) || !errors.Is(late[2], node.ErrTaskOver) {
			t.Errorf("the late function found %v", late)
		}
		all := strings.Join(lines(t, store, run.ID()), "\n")
		if !strings.Contains(all, "silent for too long: nothing for more than 10s") || strings.Contains(all, "late") {
			t.Errorf("the journal:\n%s", all)
		}
	})
}

// TestN11_CallsAfterABoundAreRefused checks that calls are refused from the moment at which the context is done, before the engine
// has heard of it: the function and the engine wake together, and either may be first.
func TestN11_CallsAfterABoundAreRefused(t *testing.T) {
	for name, bound := range map[string]graph.NodeOption{"timeout": graph.Timeout(time.Second), "idle": graph.Idle(time.Second)} {
		t.Run(name, func(t *testing.T) {
			for range 200 {
				synctest.Test(t, func(t *testing.T) {
					rt, store := inMemory(t)
					var calls atomic.Int32
					run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
						<-ctx.Done()
						if _, err := node.Step(ctx, "late", func(node.Context) (int, error) { calls.Add(1); return 1, nil }); !errors.Is(err, node.ErrTaskOver) {
							t.Errorf("a step after the bound: %v", err)
						}
						if err := node.Heartbeat(ctx, "late"); !errors.Is(err, node.ErrTaskOver) {
							t.Errorf("a heartbeat after the bound: %v", err)
						}
						return s, nil
					}, bound), state{})
					ends(t, run, fermata.Failed)
					synctest.Wait()
					if all := strings.Join(lines(t, store, run.ID()), "\n"); calls.Load() > 0 || strings.Contains(all, "late") {
						t.Fatalf("the late step ran %d times; the journal:\n%s", calls.Load(), all)
					}
				})
			}
		})
	}
}

// TestN11_LateCallsAreNoSignsOfLife checks that what the function of an attempt still calls does not keep the next one alive.
func TestN11_LateCallsAreNoSignsOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		g := single(func(ctx node.Context, s state) (state, error) {
			<-ctx.Done()
			if ctx.Info().Attempt == 1 {
				for time.Since(began) < time.Hour {
					_ = node.Heartbeat(ctx, "late") // refused
					time.Sleep(time.Second)
				}
			}
			return s, context.Cause(ctx)
		}, graph.Idle(10*time.Second), graph.Retry(2, time.Second))
		if _, err := g.Run(t.Context(), state{}); !errors.Is(err, fermata.ErrIdle) {
			t.Errorf("it ended with %v", err)
		}
		if took := time.Since(began); took != 21*time.Second {
			t.Errorf("it took %v, expected twice 10 s of silence and a second between them", took)
		}
		time.Sleep(time.Hour) // the late function returns
	})
}

// TestN11_ALateSleepBelongsToItsTask checks that a sleep in a goroutine that its node leaves behind ends nothing in the next node.
func TestN11_ALateSleepBelongsToItsTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, said := time.Now(), make(chan error, 1)
		g := graph.New[state]("late").
			Node("a", func(ctx node.Context, s state) (state, error) {
				go func() { said <- node.Sleep(ctx, 2*time.Second) }()
				synctest.Wait()
				return logged(ctx, s)
			}).
			Node("b", func(ctx node.Context, s state) (state, error) {
				time.Sleep(5 * time.Second)
				if err := node.Sleep(ctx, 10*time.Second); err != nil {
					return s, err
				}
				return logged(ctx, s)
			}).
			Edge(graph.Start, "a").Edge("a", "b").Edge("b", graph.End).MustCompile()
		if _, err := g.Run(t.Context(), state{}); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 15*time.Second {
			t.Errorf("it took %v, expected 5 s and 10 s", took)
		}
		if late := <-said; !errors.Is(late, node.ErrTaskOver) {
			t.Errorf("the sleep that was left behind ended with %v", late)
		}
	})
}

// TestF8_SilenceIsAKindOfItsOwn checks that the error of a silent attempt is found again in another process, and is no timeout.
func TestF8_SilenceIsAKindOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		g := single(func(ctx node.Context, s state) (state, error) { <-ctx.Done(); return s, nil }, graph.Idle(time.Second), graph.Timeout(time.Minute))
		first := newRuntime(t, fermata.Options{Store: store})
		run := start(t, first, g, state{})
		here := ends(t, run, fermata.Failed)
		again, err := g.Resume(t.Context(), newRuntime(t, fermata.Options{Store: store}), run.ID())
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{here.Err, ends(t, again, fermata.Failed).Err} {
			if !errors.Is(err, fermata.ErrIdle) || errors.Is(err, fermata.ErrTimeout) {
				t.Errorf("the error is %v", err)
			}
		}
	})
}

// ponders is a model that says a word every so often, or only that it is at work.
type ponders struct {
	every time.Duration
	words int
	mute  bool
}

func (p *ponders) Generate(ctx context.Context, _ *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for range p.words {
			select {
			case <-time.After(p.every):
			case <-ctx.Done():
				yield(model.Chunk{}, ctx.Err())
				return
			}
			if p.mute {
				model.SignOfLife(ctx)
			} else if !yield(model.Chunk{Text: "and "}, nil) {
				return
			}
		}
		for chunk, err := range scripted.Func(func(string) (string, error) { return "so on", nil }).Generate(ctx, model.Ask("")) {
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// TestN11_SignsOfLife checks that an attempt which says something now and then may take much longer than its Idle.
func TestN11_SignsOfLife(t *testing.T) {
	const idle, times = 10 * time.Second, 12
	pause := func() { time.Sleep(idle - time.Second) }
	each := func(do func(ctx node.Context, i int) error) graph.Func[state] {
		return func(ctx node.Context, s state) (state, error) {
			for i := range times {
				if pause(); ctx.Err() != nil {
					return s, context.Cause(ctx)
				}
				if err := do(ctx, i); err != nil {
					return s, err
				}
			}
			return s, nil
		}
	}
	ask := func(ctx node.Context, s state) (state, error) {
		_, err := ctx.LLM().Complete(ctx, "well?")
		return s, err
	}
	for name, c := range map[string]struct {
		do    graph.Func[state]
		model model.Model
	}{
		"heartbeats": {do: each(node.Heartbeat)},
		"in a step": {do: func(ctx node.Context, s state) (state, error) {
			return node.Step(ctx, "long", func(ctx node.Context) (state, error) {
				return each(node.Heartbeat)(ctx, s)
			})
		}},
		"steps": {do: each(func(ctx node.Context, _ int) error {
			_, err := node.Step(ctx, "s", func(node.Context) (int, error) { return 1, nil })
			return err
		})},
		"messages": {do: each(func(ctx node.Context, i int) error {
			return node.Emit(ctx, node.EventMessage, map[string]any{"text": fmt.Sprint(i)})
		})},
		"words of a model":     {do: ask, model: &ponders{every: idle - time.Second, words: times}},
		"a model that is mute": {do: ask, model: &ponders{every: idle - time.Second, words: times, mute: true}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := fermata.Options{}
				if c.model != nil {
					o.Services = []any{c.model}
				}
				began := time.Now()
				run := start(t, newRuntime(t, o), single(c.do, graph.Idle(idle)), state{})
				res, err := run.Wait(t.Context())
				if err != nil || res.Status != fermata.Completed {
					t.Fatalf("it is %s after %v: %v, %v", res.Status, time.Since(began), res.Err, err)
				}
				if took := time.Since(began); took < 5*idle {
					t.Errorf("it took %v, which shows nothing", took)
				}
			})
		})
	}
	t.Run("and silence", func(t *testing.T) { // the same, when nothing more comes
		synctest.Test(t, func(t *testing.T) {
			o := fermata.Options{Services: []any{&ponders{every: 2 * idle, words: 1}}}
			run := start(t, newRuntime(t, o), single(ask, graph.Idle(idle)), state{})
			time.Sleep(5 * time.Second)
			if res := ends(t, run, fermata.Failed); !errors.Is(res.Err, fermata.ErrIdle) {
				t.Errorf("a silent model gives %v", res.Err)
			}
		})
	})
}

// stalls is a store that takes its time for the outcome of a step.
type stalls struct {
	journal.Store
	journal.Leaser
	d time.Duration
}

func (s *stalls) Append(ctx context.Context, b journal.Batch) error {
	if slices.ContainsFunc(b.Entries, func(e journal.Entry) bool { return e.Kind == journal.StepFinished }) {
		time.Sleep(s.d)
	}
	return s.Store.Append(ctx, b)
}

// TestN11_WhoWaitsForTheStoreIsNotSilent checks that a slow store does not end an attempt.
func TestN11_WhoWaitsForTheStoreIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := memory.New()
		rt := newRuntime(t, fermata.Options{Store: &stalls{Store: inner, Leaser: inner.(journal.Leaser), d: time.Minute}})
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			_, err := node.Step(ctx, "s", func(node.Context) (int, error) { return 1, nil })
			return s, err
		}, graph.Idle(time.Second)), state{})
		if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
			t.Errorf("it is %s: %v, %v", res.Status, res.Err, err)
		}
	})
}

// TestN11_SubgraphsAndMapsRefuseIdle checks that what has no function cannot be silent, and that Compile says so.
func TestN11_SubgraphsAndMapsRefuseIdle(t *testing.T) {
	inner := single(logged)
	_, sub := graph.New[state]("outer").Sub("sub", inner, graph.Idle(time.Second)).Edge(graph.Start, "sub").Compile()
	_, each := graph.Map(graph.New[state]("outer"), "each", func(state) ([]state, error) { return nil, nil }, inner,
		func(s state, _ []state) (state, error) { return s, nil }, graph.Idle(time.Second)).Edge(graph.Start, "each").Compile()
	_, negative := graph.New[state]("outer").Node("less", logged, graph.Idle(-1)).Edge(graph.Start, "less").Compile()
	for name, err := range map[string]error{"sub": sub, "each": each, "less": negative} {
		if err == nil || !strings.Contains(err.Error(), "idle time") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: Compile says %v", name, err)
		}
	}
}

// reads notes what each attempt of a node reads, and gives further heartbeats.
func reads(seen *[]string, attempts int) graph.Func[state] {
	return func(ctx node.Context, s state) (state, error) {
		last, ok := node.LastHeartbeat[map[string]any](ctx)
		*seen = append(*seen, fmt.Sprintf("%d: %v %v", ctx.Info().Attempt, last["at"], ok))
		for i := range 3 {
			if err := node.Heartbeat(ctx, map[string]any{"at": 10*ctx.Info().Attempt + i}); err != nil {
				return s, err
			}
		}
		if ctx.Info().Attempt < attempts {
			return s, errFlaky
		}
		return s, nil
	}
}

// TestN12_TheNextAttemptReadsTheLastHeartbeat checks that each attempt reads the last value of the one before, stored or not.
func TestN12_TheNextAttemptReadsTheLastHeartbeat(t *testing.T) {
	for _, durability := range []fermata.Durability{fermata.Sync, fermata.Async, fermata.None} {
		synctest.Test(t, func(t *testing.T) {
			rt, store := inMemory(t)
			var seen []string
			run := start(t, rt, single(reads(&seen, 3), graph.Retry(3, time.Second)), state{}, fermata.WithDurability(durability))
			ends(t, run, fermata.Completed)
			if diff := cmp.Diff([]string{"1: <nil> false", "2: 12 true", "3: 22 true"}, seen); diff != "" {
				t.Errorf("durability %v (-want +got):\n%s", durability, diff)
			}
			if durability == fermata.None {
				return
			}
			if n := strings.Count(strings.Join(lines(t, store, run.ID()), "\n"), "node.heartbeat"); n != 2 {
				t.Errorf("%d heartbeats are stored, expected the last one of each attempt that failed", n)
			}
		})
	}
}

// TestN12_AHeartbeatIsReadAgain checks that a replay reads what the first pass has read, whatever was said since.
func TestN12_AHeartbeatIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, _ := inMemory(t)
		var seen []string
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			last, ok := node.LastHeartbeat[int](ctx)
			seen = append(seen, fmt.Sprintf("%d: %d %v", ctx.Info().Attempt, last, ok))
			if err := node.Heartbeat(ctx, 10*ctx.Info().Attempt); err != nil {
				return s, err
			}
			if err := node.Sleep(ctx, time.Minute); err != nil {
				return s, err
			}
			_, err := node.Step(ctx, "s", func(node.Context) (int, error) { return 1, nil })
			if err == nil && ctx.Info().Attempt == 1 {
				err = errFlaky
			}
			return s, err
		}, graph.Retry(2, time.Second)), state{})
		time.Sleep(time.Hour)
		ends(t, run, fermata.Completed)
		if diff := cmp.Diff([]string{"1: 0 false", "1: 0 false", "2: 10 true"}, seen); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestN12_AHeartbeatOutlivesItsProcess checks that who takes a run over reads what its process said last, at most five seconds
// before it died; and that a process which stops in order loses nothing.
func TestN12_AHeartbeatOutlivesItsProcess(t *testing.T) {
	for name, c := range map[string]struct {
		end         func(t *testing.T, first *fermata.Runtime, w *wire)
		least, most int
	}{
		"killed":  {func(_ *testing.T, _ *fermata.Runtime, w *wire) { w.set(true) }, 25, 30},
		"stopped": {func(t *testing.T, first *fermata.Runtime, _ *wire) { go func() { _ = first.Close() }() }, 30, 30},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var read atomic.Int64
				var dead atomic.Bool
				g := single(func(ctx node.Context, s state) (state, error) {
					if last, ok := node.LastHeartbeat[int](ctx); ok {
						read.Store(int64(last))
						return logged(ctx, s)
					}
					for i := range 10_000 {
						if ctx.Err() != nil {
							return s, ctx.Err()
						}
						if !dead.Load() {
							_ = node.Heartbeat(ctx, i)
						}
						time.Sleep(time.Second)
					}
					return s, nil
				}, graph.Idle(time.Hour))
				s := newShop(t, g)
				first, w := s.process("first")
				other, _ := s.process("other")
				defer s.work(other, "other")()
				run := start(t, first, g, state{})
				time.Sleep(30500 * time.Millisecond)
				dead.Store(true)
				c.end(t, first, w)
				s.awaits(run.ID(), fermata.Completed)
				if n := int(read.Load()); n < c.least || n > c.most {
					t.Errorf("read is %d, expected %d to %d", n, c.least, c.most)
				}
				w.set(false)
			})
		})
	}
}

// TestJ7_HeartbeatsDoNotFloodTheJournal checks that a node which says a hundred times a second that it lives writes every five
// seconds, and one that is done soon writes nothing.
func TestJ7_HeartbeatsDoNotFloodTheJournal(t *testing.T) {
	for d, want := range map[time.Duration]int{4 * time.Second: 0, 10 * time.Minute: 120} {
		synctest.Test(t, func(t *testing.T) {
			rt, store := inMemory(t)
			run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
				for began := time.Now(); time.Since(began) < d; time.Sleep(10 * time.Millisecond) {
					if err := node.Heartbeat(ctx, s.N); err != nil {
						return s, err
					}
				}
				return s, nil
			}), state{})
			if _, err := run.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(strings.Join(lines(t, store, run.ID()), "\n"), "node.heartbeat"); n < want-2 || n > want {
				t.Errorf("in %v it wrote %d heartbeats, expected %d", d, n, want)
			}
		})
	}
}

// TestJ4_CrashAtEveryAppendWithHeartbeats checks that a node which goes on behind its last heartbeat comes to the same end
// wherever a crash cuts it off, and counts nothing twice that it had said.
func TestJ4_CrashAtEveryAppendWithHeartbeats(t *testing.T) {
	counts := func(ctx node.Context, s state) (state, error) {
		from, _ := node.LastHeartbeat[state](ctx)
		for s.N = from.N; s.N < 4; s.N++ {
			if err := node.Heartbeat(ctx, state{N: s.N}); err != nil {
				return s, err
			}
			time.Sleep(6 * time.Second) // it is stored
		}
		if _, err := node.Step(ctx, "counted", func(node.Context) (int, error) { return s.N, nil }); err != nil {
			return s, err
		}
		if err := node.Heartbeat(ctx, state{N: 100}); err != nil {
			return s, err
		}
		if err := node.Sleep(ctx, time.Minute); err != nil {
			return s, err
		}
		if ctx.Info().Attempt == 1 {
			return s, errFlaky
		}
		s.Log = append(s.Log, fmt.Sprintf("attempt %d began at %d", ctx.Info().Attempt, from.N))
		return s, nil
	}
	g := single(counts, graph.Retry(2, time.Second), graph.Idle(time.Minute))
	synctest.Test(t, func(t *testing.T) {
		report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} }, fermatatest.Within(time.Hour))
		if last, ok := report.Result.Value.(*state); !ok || !slices.Equal(last.Log, []string{"attempt 2 began at 100"}) {
			t.Errorf("the result is %+v, %v", report.Result.Value, report.Result.Err)
		}
	})
}

// TestN8_AHeartbeatThatCannotBeKept checks that a value which JSON cannot hold is refused where it is made.
func TestN8_AHeartbeatThatCannotBeKept(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		return s, node.Heartbeat(ctx, make(chan int))
	}), state{})
	if res := ends(t, run, fermata.Failed); !errors.Is(res.Err, node.ErrNotStorable) {
		t.Errorf("a channel gives %v", res.Err)
	}
}

// beats is a node whose first attempt gives a value, and whose second one reads another type.
func beats[Old, New any](value Old, attempts int) *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		if ctx.Info().Attempt == 1 {
			return s, errors.Join(errFlaky, node.Heartbeat(ctx, value))
		}
		last, ok := node.LastHeartbeat[New](ctx)
		s.Text = fmt.Sprintf("%v %v", last, ok)
		return s, nil
	}, graph.Retry(attempts, time.Millisecond))
}

// TestJ8_AHeartbeatNeverReadsZero checks that a heartbeat of another type is read whole, or blocks the run as a step does: the
// attempts are not used up, and the code that fits goes on with it (law N12).
func TestJ8_AHeartbeatNeverReadsZero(t *testing.T) {
	const odd = int64(9007199254740993)
	for _, tt := range []struct {
		name string
		g    *graph.Graph[state]
		fits *graph.Graph[state]
		want string // what the attempt reads; "" where it is stopped
	}{
		{"an integer as a float", beats[int64, float64](120, 2), nil, "120 true"},
		{"an integer that no float holds", beats[int64, float64](odd, 2), beats[int64, int64](odd, 2), ""},
		{"integers of a list", beats[[]int64, []float64]([]int64{odd}, 2), beats[[]int64, []int64](nil, 2), ""},
		{"a field that is gone", beats[receipt, receiptTotal](receipt{120}, 2), beats[receipt, receipt](receipt{}, 2), ""},
		{"a number as a text", beats[int, string](120, 2), beats[int, int](0, 2), ""},
		{"a number as a shorter one", beats[int, int8](1200, 2), beats[int, int](0, 2), ""},
		{"a truth as a text", beats[bool, string](true, 2), beats[bool, bool](true, 2), ""},
		{"a text as a time", beats[string, time.Time]("text", 2), beats[string, string]("", 2), ""},
		{"a text as a number", beats[string, int]("text", 2), beats[string, string]("", 2), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rt, _ := inMemory(t)
			run := start(t, rt, tt.g, state{})
			if tt.want != "" {
				if res := ends(t, run, fermata.Completed); res.State.Text != tt.want {
					t.Errorf("read %s, want %s", res.State.Text, tt.want)
				}
				return
			}
			res := ends(t, run, fermata.Blocked)
			if text := fmt.Sprint(res.Err); !errors.Is(res.Err, fermata.ErrPlanChanged) || !strings.Contains(text, "task a#1: heartbeat:last#1 recorded") ||
				strings.Contains(text, `"text"`) {
				t.Errorf("the run is %s: %v; want it blocked for what is recorded, which is not shown", res.Status, res.Err)
			}
			again, err := tt.fits.Retry(timeLimit(t), rt, run.ID())
			if err != nil {
				t.Fatal(err)
			}
			if res = ends(t, again, fermata.Completed); !strings.HasSuffix(res.State.Text, " true") {
				t.Errorf("read %s", res.State.Text)
			}
		})
	}
}
