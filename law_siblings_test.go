package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Branches beside each other: what one does, or fails to do, is no business of the others.

// stepsIn is a node that makes a step with an effect, and notes it.
func stepsIn(w *world, name string) graph.Func[team] {
	return func(ctx node.Context, s team) (team, error) {
		_, err := w.step(ctx, name)
		s.Log = append(s.Log, name)
		return s, err
	}
}

// trouble is a node that makes a step and fails as long as broken says so.
func trouble(w *world, name string, broken *atomic.Bool) graph.Func[team] {
	return func(ctx node.Context, s team) (team, error) {
		if _, err := w.step(ctx, name); err != nil {
			return s, err
		}
		w.effect(ctx, "pass over "+name)
		if broken.Load() {
			return s, errors.New(name + " is broken")
		}
		s.Log = append(s.Log, name)
		return s, nil
	}
}

// around puts graphs into each other: a graph of one subgraph.
func around(inner *graph.Graph[team]) *graph.Graph[team] {
	return graph.New[team]("outer").Sub("sub", inner).Edge(graph.Start, "sub").MustCompile()
}

// What siblings of a failure did is kept, and a retry runs the failed task only: at the top, in subgraphs, in the items
// of a map, in this process and in the next.
func TestF2_OnlyTheFailedTaskRunsAgain(t *testing.T) {
	for name, build := range map[string]func(w *world, broken *atomic.Bool) *graph.Graph[team]{
		"branches": func(w *world, broken *atomic.Bool) *graph.Graph[team] {
			return diamond(stepsIn(w, "good"), trouble(w, "bad", broken))
		},
		"branches of a subgraph of a subgraph": func(w *world, broken *atomic.Bool) *graph.Graph[team] {
			return around(around(diamond(stepsIn(w, "good"), trouble(w, "bad", broken))))
		},
		"a subgraph beside a branch": func(w *world, broken *atomic.Bool) *graph.Graph[team] {
			return graph.New[team]("beside").Sub("left", around(diamond(says("l"), trouble(w, "bad", broken)))).
				Node("right", stepsIn(w, "good")).Node("join", says("join"), graph.All()).
				Edge(graph.Start, "left", "right").Edge("left", "join").Edge("right", "join").MustCompile()
		},
		"items of a map": func(w *world, broken *atomic.Bool) *graph.Graph[team] {
			b := graph.New[team]("items")
			item := graph.New[letter]("item").Node("write", func(ctx node.Context, l letter) (letter, error) {
				if _, err := w.step(ctx, l.To); err != nil {
					return l, err
				}
				if l.To == "bad" {
					w.effect(ctx, "pass over bad")
					if broken.Load() {
						return l, errors.New("bad is broken")
					}
				}
				l.Text = l.To
				return l, nil
			}).Edge(graph.Start, "write").MustCompile()
			graph.Map(b, "map", func(team) ([]letter, error) { return []letter{{To: "good"}, {To: "bad"}}, nil }, item,
				func(s team, done []letter) (team, error) {
					for _, l := range done {
						s.Log = append(s.Log, l.Text)
					}
					return s, nil
				})
			return b.Edge(graph.Start, "map").MustCompile()
		},
	} {
		t.Run(name, func(t *testing.T) {
			onStores(t, func(t *testing.T, s journal.Store) {
				for _, anew := range []bool{false, true} {
					w, broken := newWorld(), new(atomic.Bool)
					broken.Store(true)
					g := build(w, broken)
					rt := newRuntime(t, fermata.Options{Store: s})
					run := startTeam(t, rt, g, team{})
					teamEnds(t, run, fermata.Failed)
					broken.Store(false)
					if anew {
						if err := rt.Close(); err != nil {
							t.Fatal(err)
						}
						rt = newRuntime(t, fermata.Options{Store: s})
					}
					run, err := g.Retry(timeLimit(t), rt, run.ID())
					if err != nil {
						t.Fatal(err)
					}
					res := teamEnds(t, run, fermata.Completed)
					if diff := cmp.Diff(map[string]int{"good": 1, "bad": 1, "pass over bad": 2}, w.effects()); diff != "" {
						t.Errorf("anew %t: effects (-want +got):\n%s", anew, diff)
					}
					if !slices.Contains(res.State.Log, "good") || !slices.Contains(res.State.Log, "bad") {
						t.Errorf("anew %t: the state has %q", anew, res.State.Log)
					}
					journalOf(t, s, run.ID())
				}
			})
		})
	}
}

// A task is not stopped because another one asks, nor because another one fails.
func TestH3_AQuestionStopsNobody(t *testing.T) {
	for name, other := range map[string]graph.Func[team]{
		"asks":  asksFor("other"),
		"fails": func(_ node.Context, s team) (team, error) { return s, errors.New("no") },
	} {
		t.Run(name, func(t *testing.T) {
			rt, _ := inMemory(t)
			hold := newGate()
			var cause error
			g := diamond(other, func(ctx node.Context, s team) (team, error) {
				err := hold.pass(ctx)
				cause = context.Cause(ctx)
				s.Right = "done"
				return s, err
			})
			run := startTeam(t, rt, g, team{})
			hold.waitEntered(t)
			if name == "asks" {
				waitForQuestions(t, rt, run.ID(), 1)
			} else {
				waitForEvent(t, rt, run.ID(), "node.failed left#1")
			}
			time.Sleep(5 * time.Millisecond)
			close(hold.open)
			if name == "asks" {
				answer(t, rt, byTask(teamEnds(t, run, fermata.Paused).Interrupts)["left#1"], "yes")
				want := team{Log: []string{"a", "other yes", "join"}, Sum: 2, Right: "done"}
				if diff := cmp.Diff(want, teamEnds(t, run, fermata.Completed).State); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			} else {
				teamEnds(t, run, fermata.Failed)
			}
			if cause != nil {
				t.Errorf("the other task was stopped: %v", cause)
			}
		})
	}
}

// A reader that does not read keeps no task from running out of time, and no run from ending.
func TestE3_AReaderThatSleepsDefeatsNoTimeout(t *testing.T) {
	rt, _ := inMemory(t)
	chatty := func(ctx node.Context, s team) (team, error) {
		for ctx.Err() == nil {
			if err := node.Emit(ctx, node.EventStatus, "still here"); err != nil {
				return s, err
			}
		}
		return s, ctx.Err()
	}
	b := graph.New[team]("late").Node("join", says("join"), graph.All())
	for _, name := range []string{"left", "right"} {
		b.Node(name, chatty, graph.Timeout(30*time.Millisecond)).Edge(graph.Start, name).Edge(name, "join").OnError(name, "join")
	}
	asleep, awake := make(chan struct{}), make(chan struct{})
	run := startTeam(t, rt, b.MustCompile(), team{})
	read := make(chan struct{})
	go func() {
		defer close(read)
		for _, err := range run.Events(t.Context(), 0) {
			if err != nil {
				t.Error(err)
			}
			close(asleep)
			<-awake
			return
		}
	}()
	<-asleep
	res := teamEnds(t, run, fermata.Completed)
	close(awake)
	<-read
	if diff := cmp.Diff(team{Log: []string{"join"}, Sum: 1}, res.State); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What takes errors does not take questions: neither an error edge nor a gate for failures, around a node, a subgraph or
// an item.
func TestN1_AnErrorHandlerDoesNotTakeAQuestion(t *testing.T) {
	catch := func(b *graph.Builder[team], name string) {
		b.Catch(name, func(_ node.Context, _ team, cause error) (string, error) { return "handler", nil }, "handler")
	}
	edge := func(b *graph.Builder[team], name string) { b.OnError(name, "handler") }
	add := map[string]func(b *graph.Builder[team]){
		"node": func(b *graph.Builder[team]) { b.Node("asks", asksFor("it"), graph.Retry(3, time.Microsecond)) },
		"subgraph": func(b *graph.Builder[team]) {
			b.Sub("asks", around(diamond(asksFor("it"), says("beside"))), graph.Retry(3, time.Microsecond))
		},
		"items": func(b *graph.Builder[team]) {
			graph.MapKeep(b, "asks", func(team) ([]team, error) { return make([]team, 1), nil }, around(diamond(asksFor("it"), says("beside"))),
				func(s team, items []graph.Item[team]) (team, error) {
					s.Log = append(s.Log, items[0].Value.Log...)
					return s, items[0].Err
				}, graph.Retry(3, time.Microsecond))
		},
	}
	for name, handle := range map[string]func(b *graph.Builder[team], name string){"OnError": edge, "Catch": catch} {
		for what, add := range add {
			t.Run(name+" around a "+what, func(t *testing.T) {
				rt, store := inMemory(t)
				b := graph.New[team]("asking")
				add(b)
				handle(b, "asks")
				g := b.Node("handler", says("handler")).Node("other", says("other")).
					Edge(graph.Start, "asks", "other").MustCompile()
				run := startTeam(t, rt, g, team{})
				res := teamEnds(t, run, fermata.Paused)
				if len(res.Interrupts) != 1 {
					t.Fatalf("%d questions", len(res.Interrupts))
				}
				answer(t, rt, res.Interrupts[0].ID, "yes")
				log := teamEnds(t, run, fermata.Completed).State.Log
				if !slices.Contains(log, "it yes") || slices.Contains(log, "handler") {
					t.Errorf("the run ends with %q", log)
				}
				if n := count(lines(t, store, run.ID()), "node.failed") + count(lines(t, store, run.ID()), "node.retrying"); n != 0 {
					t.Errorf("a question was taken for %d failures", n)
				}
			})
		}
	}
}

// Where a run is to stop what is at work when it fails, siblings are stopped, and nothing of what they were at is
// recorded as done; a retry begins them again.
func TestF2_FailFast(t *testing.T) {
	for _, stored := range []bool{false, true} {
		broken := new(atomic.Bool)
		broken.Store(true)
		inside := make(chan struct{}, 2)
		starts := new(atomic.Int32)
		slow := func(ctx node.Context, s team) (team, error) {
			starts.Add(1)
			if !broken.Load() {
				s.Left = "in the end"
				return s, nil
			}
			inside <- struct{}{}
			<-ctx.Done()
			return s, ctx.Err()
		}
		bad := func(_ node.Context, s team) (team, error) {
			if !broken.Load() {
				return s, nil
			}
			<-inside
			return s, errors.New("no luck")
		}
		g := graph.New[team]("fast").FailFast().Node("left", slow).Node("right", bad).Node("join", says("join"), graph.All()).
			Edge(graph.Start, "left", "right").Edge("left", "join").Edge("right", "join").MustCompile()
		if !stored {
			if _, err := g.Run(timeLimit(t), team{}); err == nil || err.Error() == "" {
				t.Errorf("not stored: %v", err)
			}
			continue
		}
		rt, store := inMemory(t)
		run := startTeam(t, rt, g, team{})
		res := teamEnds(t, run, fermata.Failed)
		if known, ok := errors.AsType[*fermata.Error](res.Err); !ok || known.Task != "right#1" {
			t.Errorf("it failed because of %v", res.Err)
		}
		want := []string{
			"run.started", "node.started left#1", "node.started right#1", "node.failed right#1 no luck", "run.finished failed no luck",
		}
		if diff := cmp.Diff(want, lines(t, store, run.ID())); diff != "" {
			t.Errorf("the journal (-want +got):\n%s", diff)
		}
		broken.Store(false)
		run, err := g.Retry(timeLimit(t), rt, run.ID())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(team{Log: []string{"join"}, Sum: 1, Left: "in the end"}, teamEnds(t, run, fermata.Completed).State); diff != "" {
			t.Errorf("after a retry (-want +got):\n%s", diff)
		}
	}
}

// Where nothing is stored, a sleep holds its goroutine; it is left when the run fails, too.
func TestF2_FailFastWakesSleepers(t *testing.T) {
	for name, sleeps := range map[string]func(b *graph.Builder[team]){
		"sleep": func(b *graph.Builder[team]) {
			b.Node("left", func(ctx node.Context, s team) (team, error) { return s, node.Sleep(ctx, time.Hour) })
		},
		"backoff": func(b *graph.Builder[team]) {
			b.Node("left", func(node.Context, team) (team, error) { return team{}, errors.New("again") }, graph.Retry(2, time.Hour))
		},
		"backoff of a join": func(b *graph.Builder[team]) {
			b.Node("x", says("x")).Node("y", says("y")).Node("left", says("left"), graph.All(), graph.Retry(2, time.Hour),
				graph.MergeWith(func(base team, _ []team) (team, error) { return base, errors.New("again") })).
				Edge(graph.Start, "x", "y").Edge("x", "left").Edge("y", "left")
		},
		"backoff of a subgraph": func(b *graph.Builder[team]) {
			b.Sub("left", around(diamond(says("x"), func(node.Context, team) (team, error) { return team{}, errors.New("again") })),
				graph.Retry(2, time.Hour))
		},
	} {
		for how, end := range map[string]func(b *graph.Builder[team]){
			"fails": func(b *graph.Builder[team]) {
				b.Node("right", func(_ node.Context, s team) (team, error) {
					time.Sleep(10 * time.Millisecond)
					return s, errors.New("no luck")
				})
			},
			"stops": func(b *graph.Builder[team]) {
				b.Node("right", func(_ node.Context, s team) (team, error) {
					time.Sleep(10 * time.Millisecond)
					return s, nil
				}).Route("right", func(node.Context, team) (string, error) { return graph.Stop, nil }, graph.Stop)
			},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				b := graph.New[team]("fast").FailFast()
				end(b)
				sleeps(b)
				if name != "backoff of a join" {
					b.Edge(graph.Start, "left")
				}
				g := b.Edge(graph.Start, "right").MustCompile()
				ctx, cancel := context.WithTimeout(t.Context(), soon)
				defer cancel()
				if _, err := g.Run(ctx, team{}); (err == nil) != (how == "stops") || ctx.Err() != nil {
					t.Errorf("%v, the caller's time: %v", err, ctx.Err())
				}
			})
		}
	}
}

// A branch that stops the run ends it: others are told to stop, and neither they nor what they ask are waited for.
func TestF6_StopInABranch(t *testing.T) {
	rt, store := inMemory(t)
	hold := newGate()
	b := graph.New[team]("stop").Node("asks", asksFor("asks")).Node("works", func(ctx node.Context, s team) (team, error) {
		return s, hold.pass(ctx)
	}).Node("stops", func(ctx node.Context, s team) (team, error) {
		hold.waitEntered(t)
		s.Left = "stopped"
		return s, nil
	}).Node("join", says("join"), graph.All())
	b.Route("stops", func(node.Context, team) (string, error) { return graph.Stop, nil }, "join", graph.Stop)
	g := b.Edge(graph.Start, "asks", "works", "stops").Edge("asks", "join").Edge("works", "join").MustCompile()
	run := startTeam(t, rt, g, team{})
	if diff := cmp.Diff(team{Left: "stopped"}, teamEnds(t, run, fermata.Completed).State); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if open, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()}); err != nil || len(open) != 0 {
		t.Errorf("%d questions are open, %v", len(open), err)
	}
	if n := count(lines(t, store, run.ID()), "node.finished works#1"); n != 0 {
		t.Error("what was left behind is recorded as done")
	}
}

// Cancel ends a run while branches are at work: they are told to stop, questions are withdrawn, and nothing comes behind.
func TestF3_CancelWhileBranchesWork(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		rt := newRuntime(t, fermata.Options{Store: s})
		hold := newGate()
		b := graph.New[team]("cancel").Node("asks", asksFor("asks")).Node("join", says("join"), graph.All())
		for i := range 4 {
			name := fmt.Sprint("w", i)
			b.Node(name, func(ctx node.Context, s team) (team, error) { return s, hold.pass(ctx) }).Edge(graph.Start, name).Edge(name, "join")
		}
		run := startTeam(t, rt, b.Edge(graph.Start, "asks").Edge("asks", "join").MustCompile(), team{})
		for range 4 {
			hold.waitEntered(t)
		}
		waitForQuestions(t, rt, run.ID(), 1)
		mustReturn(t, "Cancel", func() {
			if err := rt.Cancel(t.Context(), run.ID(), "enough", "Ada"); err != nil {
				t.Error(err)
			}
		})
		res := teamEnds(t, run, fermata.Cancelled)
		if !errors.Is(res.Err, fermata.ErrCancelled) {
			t.Errorf("%v", res.Err)
		}
		all := journalOf(t, s, run.ID())
		if last := all[len(all)-1]; last.Kind != journal.RunFinished {
			t.Errorf("the journal ends with %s", last.Kind)
		}
		if open, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()}); err != nil || len(open) != 0 {
			t.Errorf("%d questions are open, %v", len(open), err)
		}
	})
}

// The run's limit of time ends all branches.
func TestF4_TheLimitOfTimeEndsAllBranches(t *testing.T) {
	rt, store := inMemory(t)
	waits := func(ctx node.Context, s team) (team, error) {
		<-ctx.Done()
		return s, ctx.Err()
	}
	g := graph.New[team]("limit").Limits(plan.Limits{Time: 20 * time.Millisecond}).Node("l", waits).Node("r", waits).
		Node("asks", asksFor("asks")).Edge(graph.Start, "l", "r", "asks").MustCompile()
	run := startTeam(t, rt, g, team{})
	res := teamEnds(t, run, fermata.Failed)
	limit, ok := errors.AsType[*fermata.LimitError](res.Err)
	if !ok || limit.Limit != "time" {
		t.Errorf("it failed with %v", res.Err)
	}
	if n := count(lines(t, store, run.ID()), "node.f"); n != 0 {
		t.Errorf("what the tasks said after they were told to stop is recorded: %q", lines(t, store, run.ID()))
	}
	if _, err := g.Run(timeLimit(t), team{}); err == nil {
		t.Error("without a store: no error")
	}
}

// A branch that sleeps beside one that works wakes when its time has come, once, and not when the other is done.
func TestH4_ASleeperWakesWhileOthersWork(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		clock := newClock()
		rt := newRuntime(t, fermata.Options{Store: s, Clock: clock})
		hold := newGate()
		g := diamond(func(ctx node.Context, s team) (team, error) {
			s.Left = "slept"
			return s, node.Sleep(ctx, time.Hour)
		}, func(ctx node.Context, s team) (team, error) {
			s.Right = "worked"
			return s, hold.pass(ctx)
		})
		run := startTeam(t, rt, g, team{})
		hold.waitEntered(t)
		waitForEvent(t, rt, run.ID(), "node.suspended left#1")
		clock.Advance(59 * time.Minute)
		time.Sleep(5 * time.Millisecond)
		if n := count(lines(t, s, run.ID()), "timer.fired"); n != 0 {
			t.Error("it fired too early")
		}
		clock.Advance(time.Minute)
		waitForEvent(t, rt, run.ID(), "node.finished left#1")
		close(hold.open)
		want := team{Log: []string{"a", "join"}, Sum: 2, Left: "slept", Right: "worked"}
		if diff := cmp.Diff(want, teamEnds(t, run, fermata.Completed).State); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if n := count(lines(t, s, run.ID()), "timer.fired"); n != 1 {
			t.Errorf("it fired %d times", n)
		}
	})
}

// A deadline in a branch leads out of it, once, while another branch works.
func TestH4_ADeadlineInABranch(t *testing.T) {
	clock := newClock()
	_, store := inMemory(t)
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	hold := newGate()
	b := graph.New[team]("deadline").Node("asks", asksFor("asks", node.Within(time.Hour), node.OrRoute("late"))).
		Node("works", func(ctx node.Context, s team) (team, error) { s.Right = "worked"; return s, hold.pass(ctx) }).
		Node("late", says("late")).Node("join", says("join"), graph.All())
	g := b.Edge(graph.Start, "asks", "works").Edge("asks", "join").Edge("works", "join").Edge("late", "join").
		OnDeadline("asks", "late").MustCompile()
	run := startTeam(t, rt, g, team{})
	hold.waitEntered(t)
	q := waitForQuestions(t, rt, run.ID(), 1)
	waitForEvent(t, rt, run.ID(), "node.suspended asks#1")
	clock.Advance(time.Hour)
	waitForEvent(t, rt, run.ID(), "node.finished late#1")
	if err := rt.Answer(t.Context(), q[0].ID, "too late"); !errors.Is(err, fermata.ErrExpired) {
		t.Errorf("an answer after the deadline: %v", err)
	}
	clock.Advance(10 * time.Hour)
	close(hold.open)
	want := team{Log: []string{"late", "join"}, Sum: 2, Right: "worked"}
	if diff := cmp.Diff(want, teamEnds(t, run, fermata.Completed).State); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := count(lines(t, store, run.ID()), "interrupt.resolved"); n != 1 {
		t.Errorf("the deadline came %d times", n)
	}
}

// Answers that come through another runtime on the same store, while branches work here.
func TestJ3_AnswersFromElsewhereWhileBranchesWork(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		here, elsewhere := newRuntime(t, fermata.Options{Store: s}), newRuntime(t, fermata.Options{Store: s})
		step := newGate()
		g := graph.New[team]("beside").Node("p0", asksFor("p0")).Node("p1", asksFor("p1")).
			Node("works", func(ctx node.Context, s team) (team, error) {
				if err := step.pass(ctx); err != nil {
					return s, err
				}
				_, err := node.Step(ctx, "note", func(node.Context) (int, error) { return 1, nil }) // comes upon the answers
				return s, err
			}).Node("join", says("join"), graph.All()).
			Edge(graph.Start, "p0", "p1", "works").Edge("p0", "join").Edge("p1", "join").Edge("works", "join").MustCompile()
		run := startTeam(t, here, g, team{})
		step.waitEntered(t)
		open := waitForQuestions(t, here, run.ID(), 2)
		all := make(map[string]any)
		for _, q := range open {
			all[q.ID] = "yes"
		}
		waitForEvent(t, here, run.ID(), "node.suspended p0#1")
		waitForEvent(t, here, run.ID(), "node.suspended p1#1")
		if err := elsewhere.AnswerAll(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		close(step.open)
		want := team{Log: []string{"p0 yes", "p1 yes", "join"}, Sum: 1}
		if diff := cmp.Diff(want, teamEnds(t, run, fermata.Completed).State); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		checkRow(t, s, run.ID())
	})
}

// Whoever looks while a branch asks and others work sees how it stands; who waits goes on waiting until nothing works.
func TestH3_LookingOnWhileBranchesWork(t *testing.T) {
	rt, _ := inMemory(t)
	hold := newGate()
	g := diamond(asksFor("left"), func(ctx node.Context, s team) (team, error) { return s, hold.pass(ctx) })
	run := startTeam(t, rt, g, team{})
	hold.waitEntered(t)
	waitForQuestions(t, rt, run.ID(), 1)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if res, err := run.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait while a branch works: %s, %v", res.Status, err)
	}
	res, err := rt.Result(t.Context(), run.ID(), g.Plan())
	if err != nil || res.Status != fermata.Running || len(res.Interrupts) != 1 {
		t.Errorf("it is %s with %d questions, %v", res.Status, len(res.Interrupts), err)
	}
	info, err := rt.Info(t.Context(), run.ID())
	if err != nil || info.Waiting != 1 || info.Status != string(fermata.Running) {
		t.Errorf("its row is %+v, %v", info, err)
	}
	close(hold.open)
	paused := teamEnds(t, run, fermata.Paused)
	answer(t, rt, paused.Interrupts[0].ID, "yes")
	if diff := cmp.Diff(team{Log: []string{"a", "left yes", "join"}, Sum: 2}, teamEnds(t, run, fermata.Completed).State); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Close while branches work, sleep and ask leaves the run resumable, and the next runtime brings it to its end.
func TestF3_CloseWhileBranchesWork(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		w, hold := newWorld(), newGate()
		works := func(name string) graph.Func[team] {
			return func(ctx node.Context, s team) (team, error) {
				if _, err := w.step(ctx, name); err != nil {
					return s, err
				}
				if err := hold.pass(ctx); err != nil {
					return s, err
				}
				s.Log = append(s.Log, name)
				return s, nil
			}
		}
		g := graph.New[team]("close").Node("w0", works("w0")).Sub("w1", around(diamond(works("w1"), says("beside")))).Node("asks", asksFor("asks")).
			Node("sleeps", func(ctx node.Context, s team) (team, error) {
				s.Left = "slept"
				return s, node.Sleep(ctx, time.Millisecond)
			}).Node("join", says("join"), graph.All()).Edge(graph.Start, "w0", "w1", "asks", "sleeps").
			Edge("w0", "join").Edge("w1", "join").Edge("asks", "join").Edge("sleeps", "join").MustCompile()
		rt := newRuntime(t, fermata.Options{Store: s})
		run := startTeam(t, rt, g, team{})
		hold.waitEntered(t)
		hold.waitEntered(t)
		q := waitForQuestions(t, rt, run.ID(), 1)
		rt2, run2 := restart(t, rt, s, g, run.ID())
		if _, err := run.Wait(timeLimit(t)); !errors.Is(err, fermata.ErrClosed) && !errors.Is(err, fermata.ErrStopped) {
			t.Errorf("whoever waited at the closed runtime is told %v", err)
		}
		close(hold.open)
		answer(t, rt2, q[0].ID, "yes")
		want := team{Log: []string{"w0", "a", "w1", "beside", "join", "asks yes", "join"}, Sum: 4, Left: "slept"}
		if diff := cmp.Diff(want, teamEnds(t, run2, fermata.Completed).State); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]int{"w0": 1, "w1": 1}, maps.Clone(w.effects())); diff != "" {
			t.Errorf("effects (-want +got):\n%s", diff)
		}
	})
}

// Branches that could not be merged are merged by a retry on a plan that says how: the rule is no part of what the run
// is pinned to (law J8).
func TestG4_AConflictIsMergedByARetry(t *testing.T) {
	sets := func(text string) graph.Func[team] {
		return func(_ node.Context, s team) (team, error) { s.Left = text; return s, nil }
	}
	build := func(opts ...graph.NodeOption) *graph.Graph[team] {
		return graph.New[team]("conflict").Node("l", sets("x")).Node("r", sets("y")).
			Node("join", says("join"), append(opts, graph.All())...).
			Edge(graph.Start, "l", "r").Edge("l", "join").Edge("r", "join").MustCompile()
	}
	g := build()
	better := build(graph.MergeWith(func(base team, branches []team) (team, error) {
		base.Left = branches[0].Left + branches[1].Left
		return base, nil
	}))
	if g.Plan().Fingerprint() != better.Plan().Fingerprint() {
		t.Fatal("a merge is code, and no part of the fingerprint")
	}
	onStores(t, func(t *testing.T, s journal.Store) {
		for _, anew := range []bool{false, true} {
			rt := newRuntime(t, fermata.Options{Store: s})
			run := startTeam(t, rt, g, team{})
			if res := teamEnds(t, run, fermata.Failed); !errors.Is(res.Err, fermata.ErrMergeConflict) {
				t.Fatal(res.Err)
			}
			if anew {
				if err := rt.Close(); err != nil {
					t.Fatal(err)
				}
				rt = newRuntime(t, fermata.Options{Store: s})
			}
			again, err := g.Retry(timeLimit(t), rt, run.ID()) // the same plan: the same conflict
			if err != nil {
				t.Fatal(err)
			}
			if res := teamEnds(t, again, fermata.Failed); !errors.Is(res.Err, fermata.ErrMergeConflict) {
				t.Fatal(res.Err)
			}
			if again, err = better.Retry(timeLimit(t), rt, run.ID()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(team{Log: []string{"join"}, Sum: 1, Left: "xy"}, teamEnds(t, again, fermata.Completed).State); diff != "" {
				t.Errorf("anew %t (-want +got):\n%s", anew, diff)
			}
		}
	})
}

// A late reader gets the segments that other branches are still streaming so far, also where a segment of the same name
// has ended.
func TestE2_SegmentsOfBranchesAreApart(t *testing.T) {
	rt, _ := inMemory(t)
	hold, wrote := newGate(), make(chan struct{})
	g := diamond(func(ctx node.Context, s team) (team, error) {
		out, err := node.Stream(ctx, "answer")
		if err == nil {
			err = out.Write("left so far")
		}
		if err == nil {
			close(wrote)
			err = hold.pass(ctx)
		}
		if err == nil {
			err = out.Close()
		}
		return s, err
	}, func(ctx node.Context, s team) (team, error) {
		<-wrote
		return s, streams(ctx, "answer", "right")
	})
	run := startTeam(t, rt, g, team{})
	hold.waitEntered(t)
	waitForEvent(t, rt, run.ID(), "node.finished right#1")
	ctx, cancel := context.WithCancel(timeLimit(t))
	defer cancel()
	var got []string
	for e, err := range rt.Events(ctx, run.ID(), 0, true) {
		if err != nil {
			break
		}
		if e.Sub > 0 {
			got = append(got, e.Task()+" "+e.Entry.To)
			break
		}
		if e.Type() == "run.finished" {
			break
		}
		if len(got) == 0 && e.Type()+" "+e.Task() == "node.finished right#1" {
			time.AfterFunc(200*time.Millisecond, cancel)
		}
	}
	close(hold.open)
	if diff := cmp.Diff([]string{"left#1 left so far"}, got); diff != "" {
		t.Errorf("what a late reader gets of open segments (-want +got):\n%s", diff)
	}
	teamEnds(t, run, fermata.Completed)
}
