package fermata_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// panel is a graph of so many branches, each of which asks one question and notes the answer; they meet in one node.
func panel(n int, opts ...node.AskOption) *graph.Graph[team] {
	b := graph.New[team]("panel").Node("join", says("join"), graph.All())
	for i := range n {
		name := fmt.Sprint("p", i)
		b.Node(name, asksFor(name, opts...)).Edge(graph.Start, name).Edge(name, "join")
	}
	return b.MustCompile()
}

// asksFor is a node that asks and notes what was said.
func asksFor(name string, opts ...node.AskOption) graph.Func[team] {
	return func(ctx node.Context, s team) (team, error) {
		said, err := node.Interrupt[string](ctx, map[string]string{"who": name}, opts...)
		if err != nil {
			return s, err
		}
		s.Log = append(s.Log, name+" "+said)
		return s, nil
	}
}

func startTeam(t *testing.T, rt *fermata.Runtime, g *graph.Graph[team], s team, opts ...fermata.StartOption) *graph.Run[team] {
	t.Helper()
	run, err := g.Start(timeLimit(t), rt, s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// teamEnds waits for a run to end, or to pause, as it should.
func teamEnds(t *testing.T, run *graph.Run[team], want fermata.Status) graph.Result[team] {
	t.Helper()
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != want {
		t.Fatalf("the run is %s (%v), want %s; error %v", res.Status, res.Err, want, err)
	}
	return res
}

// byTask are open questions by the task that asks.
func byTask(list []fermata.Interrupt) map[string]string {
	ids := make(map[string]string)
	for _, q := range list {
		ids[q.Task] = q.ID
	}
	return ids
}

// Answers to several questions of a run are one append; given again, they have no effect, and other ones are a conflict.
func TestH2_SeveralAnswersAreOneAppend(t *testing.T) {
	store := journaltest.NewFaulty(memory.New())
	rt := newRuntime(t, fermata.Options{Store: store})
	g := panel(5)
	run := startTeam(t, rt, g, team{})
	open := byTask(teamEnds(t, run, fermata.Paused).Interrupts)
	all := make(map[string]any)
	for task, id := range open {
		all[id] = "says " + task
	}
	before := store.Appends()
	if err := rt.AnswerAll(t.Context(), all, fermata.AsPerson("Ada"), fermata.Hold()); err != nil {
		t.Fatal(err)
	}
	for _, again := range []error{rt.AnswerAll(t.Context(), all, fermata.AsPerson("Ada"), fermata.Hold()), rt.AnswerAll(t.Context(), nil)} {
		if again != nil {
			t.Errorf("the same again: %v", again)
		}
	}
	if n := store.Appends() - before; n != 1 {
		t.Errorf("five answers took %d appends", n)
	}
	all[open["p3#1"]] = "something else"
	err := rt.AnswerAll(t.Context(), all, fermata.AsPerson("Ada"))
	if known, ok := errors.AsType[*fermata.Error](err); !ok || known.Code != fermata.CodeConflict || known.Task != "p3#1" || !errors.Is(err, fermata.ErrAnswered) {
		t.Errorf("a different answer: expected a conflict of p3#1, found %v", err)
	}
	all[open["p3#1"]] = "says p3#1"
	if err := rt.AnswerAll(t.Context(), all, fermata.AsPerson("Ada")); err != nil { // recorded; now the run is driven on
		t.Fatal(err)
	}
	res := teamEnds(t, run, fermata.Completed)
	want := []string{"p0 says p0#1", "p1 says p1#1", "p2 says p2#1", "p3 says p3#1", "p4 says p4#1", "join"}
	if diff := cmp.Diff(want, res.State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Where an answer does not fit, none of its run is recorded, and each that does not fit is named; the answers of other
// runs are recorded.
func TestH2_SeveralAnswersAreAllOrNoneOfARun(t *testing.T) {
	rt, store := inMemory(t)
	g := panel(3, node.Role("judge"))
	bad, good := startTeam(t, rt, g, team{}), startTeam(t, rt, g, team{})
	wrong := byTask(teamEnds(t, bad, fermata.Paused).Interrupts)
	right := byTask(teamEnds(t, good, fermata.Paused).Interrupts)
	if err := rt.Claim(t.Context(), wrong["p2#1"], "Bob", "judge"); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"int_nobody": "x", wrong["p0#1"]: "fits", wrong["p1#1"]: 7, wrong["p2#1"]: "is Bob's"}
	for _, id := range right {
		all[id] = "yes"
	}
	err := rt.AnswerAll(t.Context(), all, fermata.AsPerson("Ada"), fermata.AsRole("judge"))
	var found []string
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("expected several errors, found %v", err)
	}
	for _, one := range joined.Unwrap() {
		if known, ok := errors.AsType[*fermata.Error](one); ok {
			found = append(found, fmt.Sprintf("%s %s", known.Code, known.Task))
		}
	}
	slices.Sort(found)
	if diff := cmp.Diff([]string{"conflict p2#1", "invalid p1#1", "not_found "}, found); diff != "" {
		t.Errorf("what does not fit (-want +got):\n%s%v", diff, err)
	}
	if !errors.Is(err, fermata.ErrInvalid) || !errors.Is(err, fermata.ErrClaimed) {
		t.Errorf("the causes cannot be found in %v", err)
	}
	if res := teamEnds(t, good, fermata.Completed); len(res.State.Log) != 4 {
		t.Errorf("the run whose answers fit has %q", res.State.Log)
	}
	if n := count(lines(t, store, bad.ID()), "interrupt.resolved"); n != 0 {
		t.Errorf("%d answers of the other run were recorded", n)
	}
	if open := teamEnds(t, bad, fermata.Paused).Interrupts; len(open) != 3 {
		t.Errorf("%d questions of it are open", len(open))
	}
}

// Five branches ask at once: they are answered in any order, one by one or together, before or after a restart.
func TestH2_FiveQuestionsInAnyOrder(t *testing.T) {
	g := panel(5)
	want := team{Log: []string{"p0 0", "p1 1", "p2 2", "p3 3", "p4 4", "join"}, Sum: 1}
	orders := [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}}
	for _, at := range []int{-1, 0, 2, 5} { // how many answers are given before the restart; -1 for no restart
		for _, order := range orders {
			for _, together := range []bool{false, true} {
				onStores(t, func(t *testing.T, s journal.Store) {
					rt := newRuntime(t, fermata.Options{Store: s})
					run := startTeam(t, rt, g, team{})
					open := byTask(teamEnds(t, run, fermata.Paused).Interrupts)
					if together {
						answerTogether(t, rt, open, at)
					} else {
						for n, i := range order {
							if n == at {
								rt, run = restart(t, rt, s, g, run.ID())
							}
							answer(t, rt, open[fmt.Sprintf("p%d#1", i)], fmt.Sprint(i))
						}
					}
					if at == 5 || together && at >= 0 {
						_, run = restart(t, rt, s, g, run.ID())
					}
					if diff := cmp.Diff(want, teamEnds(t, run, fermata.Completed).State); diff != "" {
						t.Errorf("restart at %d, order %v, together %t (-want +got):\n%s", at, order, together, diff)
					}
				})
			}
		}
	}
}

// answerTogether answers what is open by one call; only as a record where a restart follows.
func answerTogether(t *testing.T, rt *fermata.Runtime, open map[string]string, restart int) {
	t.Helper()
	all := make(map[string]any)
	for task, id := range maps.All(open) {
		all[id] = task[1:2]
	}
	var opts []fermata.AnswerOption
	if restart >= 0 {
		opts = append(opts, fermata.Hold())
	}
	if err := rt.AnswerAll(t.Context(), all, opts...); err != nil {
		t.Fatal(err)
	}
}

// restart closes a runtime and takes the run up in a new one.
func restart(t *testing.T, rt *fermata.Runtime, s journal.Store, g *graph.Graph[team], id string) (*fermata.Runtime, *graph.Run[team]) {
	t.Helper()
	mustReturn(t, "Close", func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	rt = newRuntime(t, fermata.Options{Store: s})
	run, err := g.Resume(timeLimit(t), rt, id)
	if err != nil {
		t.Fatal(err)
	}
	return rt, run
}

// An answer that came too late, or from somebody without the right, records none; whoever waits past a deadline is told.
func TestH2_SeveralAnswersCheckWhoAndWhen(t *testing.T) {
	rt, store := inMemory(t)
	run := startTeam(t, rt, panel(2, node.Role("judge")), team{})
	res := teamEnds(t, run, fermata.Paused)
	all := make(map[string]any)
	for _, q := range res.Interrupts {
		all[q.ID] = "yes"
	}
	for name, opts := range map[string][]fermata.AnswerOption{
		"no role": {}, "one token for two": {fermata.AsRole("judge"), fermata.WithToken(res.Interrupts[0].Token)},
	} {
		err := rt.AnswerAll(t.Context(), all, opts...)
		if !errors.Is(err, fermata.ErrForbidden) {
			t.Errorf("%s: expected that it is forbidden, found %v", name, err)
		}
	}
	if n := count(lines(t, store, run.ID()), "interrupt.resolved"); n != 0 {
		t.Errorf("%d answers were recorded", n)
	}
	if err := rt.AnswerAll(t.Context(), map[string]any{res.Interrupts[0].ID: func() {}}); err == nil {
		t.Error("a function is no answer")
	}
	if err := rt.Cancel(t.Context(), run.ID(), "", ""); err != nil {
		t.Fatal(err)
	}
	if err := rt.AnswerAll(t.Context(), all, fermata.AsRole("judge")); !errors.Is(err, node.ErrWithdrawn) {
		t.Errorf("after the end: %v", err)
	}
}
