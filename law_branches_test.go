package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// team is the state of graphs with branches.
type team struct {
	Log   []string          `json:"log,omitempty" merge:"append"`
	Sum   int               `json:"sum,omitempty" merge:"sum"`
	Left  string            `json:"left,omitempty"`
	Right string            `json:"right,omitempty"`
	Notes map[string]string `json:"notes,omitempty" merge:"union"`
	Deep  [][]string        `json:"deep,omitempty"`
}

func says(text string) graph.Func[team] {
	return func(ctx node.Context, s team) (team, error) {
		s.Log = append(s.Log, text)
		s.Sum++
		return s, nil
	}
}

// diamond forks into left and right, and joins them.
func diamond(left, right graph.Func[team]) *graph.Graph[team] {
	return graph.New[team]("diamond").
		Node("a", says("a")).Node("left", left).Node("right", right).Node("join", says("join"), graph.All()).
		Edge(graph.Start, "a").Edge("a", "left", "right").Edge("left", "join").Edge("right", "join").
		MustCompile()
}

// both runs a graph without a store and with one, and gives what both agree on.
func both[S any](t *testing.T, g *graph.Graph[S], input S) S {
	t.Helper()
	plain, err := g.Run(timeLimit(t), input)
	if err != nil {
		t.Fatalf("without a store: %v", err)
	}
	rt := newRuntime(t, fermata.Options{})
	run, err := g.Start(t.Context(), rt, input)
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Completed {
		t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
	if diff := cmp.Diff(plain, res.State); diff != "" {
		t.Errorf("with a store it ends otherwise (-without +with):\n%s", diff)
	}
	return res.State
}

// Branches run side by side, each with a state of its own, and meet merged in declared order, whatever finished first.
func TestG4_BranchesMeetInDeclaredOrder(t *testing.T) {
	for _, slow := range []string{"left", "right"} {
		branch := func(name string) graph.Func[team] {
			return func(ctx node.Context, s team) (team, error) {
				if name == slow {
					time.Sleep(5 * time.Millisecond)
				}
				if name == "left" {
					s.Left = "L"
				} else {
					s.Right = "R"
				}
				return says(name)(ctx, s)
			}
		}
		got := both(t, diamond(branch("left"), branch("right")), team{})
		want := team{Log: []string{"a", "left", "right", "join"}, Sum: 4, Left: "L", Right: "R"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("slow %s (-want +got):\n%s", slow, diff)
		}
	}
}

// Both branches are at work at the same time.
func TestG2_BranchesAreAtWorkTogether(t *testing.T) {
	for _, stored := range []bool{false, true} {
		first, second := make(chan bool), make(chan bool)
		meet := func(mine, other chan bool) graph.Func[team] {
			return func(ctx node.Context, s team) (team, error) {
				close(mine)
				select {
				case <-other:
				case <-ctx.Done():
					return s, ctx.Err()
				}
				return s, nil
			}
		}
		g := diamond(meet(first, second), meet(second, first))
		if !stored {
			if _, err := g.Run(timeLimit(t), team{}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		rt := newRuntime(t, fermata.Options{})
		run, err := g.Start(t.Context(), rt, team{})
		if err != nil {
			t.Fatal(err)
		}
		if res, err := run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
			t.Fatalf("%s, %v", res.Status, err)
		}
	}
}

// What a branch changes in place is seen by no other branch, nor by the value at the fork.
func TestN9_BranchesAreIsolated(t *testing.T) {
	change := func(text string) graph.Func[team] {
		return func(_ node.Context, s team) (team, error) {
			if s.Deep[0][0] != "base" {
				return s, fmt.Errorf("it sees %q", s.Deep[0][0])
			}
			s.Deep[0][0] = text
			time.Sleep(time.Millisecond)
			if s.Deep[0][0] != text {
				return s, fmt.Errorf("it sees %q", s.Deep[0][0])
			}
			s.Deep[0][0] = "base"
			return s, nil
		}
	}
	b := graph.New[team]("many").Node("join", says("join"), graph.All())
	for i := range 10 {
		name := fmt.Sprint(i)
		b.Node(name, change(name)).Edge(graph.Start, name).Edge(name, "join")
	}
	got := both(t, b.MustCompile(), team{Deep: [][]string{{"base"}}})
	if diff := cmp.Diff(team{Deep: [][]string{{"base"}}, Log: []string{"join"}, Sum: 1}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A field that two branches changed, without a rule, is a conflict that names field and branches.
func TestG4_Conflict(t *testing.T) {
	sets := func(text string) graph.Func[team] {
		return func(_ node.Context, s team) (team, error) { s.Left = text; return s, nil }
	}
	g := diamond(sets("x"), sets("y"))
	_, err := g.Run(timeLimit(t), team{})
	for _, stored := range []bool{false, true} {
		if stored {
			rt := newRuntime(t, fermata.Options{})
			run, err2 := g.Start(t.Context(), rt, team{})
			if err2 != nil {
				t.Fatal(err2)
			}
			res, _ := run.Wait(timeLimit(t))
			err = res.Err
		}
		if !errors.Is(err, fermata.ErrMergeConflict) {
			t.Fatalf("stored %t: the error is %v", stored, err)
		}
		for _, want := range []string{`join "join"`, `field "left"`, `"left" and "right"`} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("stored %t: it does not say %s: %v", stored, want, err)
			}
		}
	}
}

// Where branches end without meeting, the run's result is merged.
func TestG4_EndsAreMerged(t *testing.T) {
	g := graph.New[team]("ends").Node("a", says("a")).Node("b", says("b")).Node("c", says("c")).
		Edge(graph.Start, "a").Edge("a", "b", "c").MustCompile()
	got := both(t, g, team{})
	if diff := cmp.Diff(team{Log: []string{"a", "b", "c"}, Sum: 3}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each runs once for each branch.
func TestG3_Each(t *testing.T) {
	g := graph.New[team]("each").Node("b", says("b")).Node("c", says("c")).Node("d", says("d"), graph.Each()).
		Edge(graph.Start, "b", "c").Edge("b", "d").Edge("c", "d").MustCompile()
	got := both(t, g, team{})
	if diff := cmp.Diff(team{Log: []string{"b", "d", "c", "d"}, Sum: 4}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A gate may choose several targets.
func TestG2_AGateThatChoosesSeveral(t *testing.T) {
	b := graph.New[team]("several").Node("plan", says("plan")).Node("join", says("join"), graph.All()).Edge(graph.Start, "plan")
	for _, name := range []string{"x", "y", "z"} {
		b.Node(name, says(name)).Edge(name, "join")
	}
	g := b.RouteMany("plan", func(node.Context, team) ([]string, error) { return []string{"z", "x"}, nil }, "x", "y", "z").MustCompile()
	got := both(t, g, team{})
	if diff := cmp.Diff(team{Log: []string{"plan", "x", "z", "join"}, Sum: 4}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A loop with a fork and a join inside goes round after round.
func TestG3_AForkInALoop(t *testing.T) {
	g := graph.New[team]("rounds").Node("head", says("head")).Node("b", says("b")).Node("c", says("c")).Node("join", says("join"), graph.All()).
		Edge(graph.Start, "head").Edge("head", "b", "c").Edge("b", "join").Edge("c", "join").
		Route("join", func(_ node.Context, s team) (string, error) {
			if s.Sum < 12 {
				return "head", nil
			}
			return graph.End, nil
		}, "head", graph.End).MustCompile()
	got := both(t, g, team{})
	round := []string{"head", "b", "c", "join"}
	if diff := cmp.Diff(team{Log: slices.Concat(round, round, round), Sum: 12}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// letter is an item of a map.
type letter struct {
	To   string `json:"to"`
	Text string `json:"text,omitempty"`
}

func mailing(limit int, write graph.Func[letter], opts ...graph.NodeOption) *graph.Graph[team] {
	child := graph.Of("write", write, opts...).MustCompile()
	b := graph.New[team]("mailing")
	graph.Map(b, "each", func(s team) ([]letter, error) {
		var all []letter
		for _, to := range s.Log {
			all = append(all, letter{To: to})
		}
		return all, nil
	}, child, func(s team, letters []letter) (team, error) {
		s.Log = nil
		for _, l := range letters {
			s.Log = append(s.Log, l.Text)
		}
		return s, nil
	}, graph.Limit(limit))
	return b.Edge(graph.Start, "each").MustCompile()
}

// A map runs its items side by side, no more than its limit, and keeps their order.
func TestG5_MapKeepsOrderAndLimit(t *testing.T) {
	var input team
	var want team
	for i := range 100 {
		input.Log = append(input.Log, fmt.Sprint(i))
		want.Log = append(want.Log, fmt.Sprint("to ", i))
	}
	var now, most atomic.Int32
	g := mailing(10, func(_ node.Context, l letter) (letter, error) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(100 * time.Microsecond)
		now.Add(-1)
		l.Text = "to " + l.To
		return l, nil
	})
	if diff := cmp.Diff(want, both(t, g, input)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := most.Load(); n > 10 || n < 2 {
		t.Errorf("%d items were at work at once; at most 10 may be, and more than one should", n)
	}
	if diff := cmp.Diff(team{}, both(t, g, team{})); diff != "" {
		t.Errorf("no items (-want +got):\n%s", diff)
	}
}

// Other branches go on while a question is open, and the run is paused when nothing else can (law H3).
func TestH3_OtherBranchesGoOn(t *testing.T) {
	ask := func(ctx node.Context, s team) (team, error) {
		answer, err := node.Interrupt[string](ctx, nil)
		s.Left = answer
		return s, err
	}
	gate := make(chan struct{})
	slow := func(ctx node.Context, s team) (team, error) {
		select {
		case <-gate:
		case <-ctx.Done():
			return s, ctx.Err()
		}
		s.Right = "done"
		return s, nil
	}
	rt := newRuntime(t, fermata.Options{})
	g := graph.New[team]("people").Node("ask", ask).Node("then", says("then")).Node("slow", slow).Node("join", says("join"), graph.All()).
		Edge(graph.Start, "ask", "slow").Edge("ask", "then").Edge("then", "join").Edge("slow", "join").MustCompile()
	run, err := g.Start(t.Context(), rt, team{})
	if err != nil {
		t.Fatal(err)
	}
	q := waitForQuestions(t, rt, run.ID(), 1)
	if err := rt.Answer(t.Context(), q[0].ID, "yes"); err != nil { // the other branch is still at work
		t.Fatal(err)
	}
	waitForEvent(t, rt, run.ID(), "node.finished then#1")
	close(gate)
	res, err := run.Wait(timeLimit(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(team{Log: []string{"then", "join"}, Sum: 2, Left: "yes", Right: "done"}, res.State); diff != "" {
		t.Errorf("%s %v (-want +got):\n%s", res.Status, res.Err, diff)
	}
}

// A function that maps values may wait for what a node beside it holds while that calls its context.
func TestG5_MappingsDoNotHoldUpTheirSiblings(t *testing.T) {
	var mu sync.Mutex
	held := make(chan struct{})
	holds := func(ctx node.Context, s team) (team, error) {
		mu.Lock()
		defer mu.Unlock()
		close(held)
		time.Sleep(10 * time.Millisecond)
		did, err := node.Step(ctx, "while it is held", func(node.Context) (string, error) { return ctx.Info().Task(), nil })
		s.Left = did
		return s, err
	}
	child := graph.Of("write", func(_ node.Context, l letter) (letter, error) { return l, nil }).MustCompile()
	b := graph.New[team]("beside").Node("holds", holds)
	graph.Map(b, "each", func(team) ([]letter, error) {
		<-held
		mu.Lock()
		defer mu.Unlock()
		return []letter{{To: "a"}}, nil
	}, child, func(s team, letters []letter) (team, error) {
		s.Right = letters[0].To
		return s, nil
	})
	g := b.Edge(graph.Start, "holds", "each").MustCompile()
	rt := newRuntime(t, fermata.Options{})
	run, err := g.Start(t.Context(), rt, team{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(timeLimit(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(team{Left: "holds#1", Right: "a"}, res.State); diff != "" {
		t.Errorf("%s, %v (-want +got):\n%s", res.Status, res.Err, diff)
	}
}

// An answer that another process records is noticed while a branch is at work, which may be for hours (law H3).
func TestH3_AnswersOfOtherProcessesAreNoticedAtWork(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.db")
	open := func() *fermata.Runtime {
		store, err := sqlite.OpenWith(file, sqlite.Options{Sync: sqlite.Normal})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return newRuntime(t, fermata.Options{Store: store})
	}
	asks := func(ctx node.Context, s team) (team, error) {
		answer, err := node.Interrupt[string](ctx, nil)
		s.Left = answer
		return s, err
	}
	gate := make(chan struct{})
	slow := func(ctx node.Context, s team) (team, error) {
		select {
		case <-gate:
		case <-ctx.Done():
			return s, ctx.Err()
		}
		return s, nil
	}
	g := graph.New[team]("people").Node("ask", asks).Node("then", says("then")).Node("slow", slow).Node("join", says("join"), graph.All()).
		Edge(graph.Start, "ask", "slow").Edge("ask", "then").Edge("then", "join").Edge("slow", "join").MustCompile()
	here, there := open(), open()
	run, err := g.Start(t.Context(), here, team{})
	if err != nil {
		t.Fatal(err)
	}
	q := waitForQuestions(t, there, run.ID(), 1)
	if err := there.Answer(t.Context(), q[0].ID, "yes", fermata.Hold()); err != nil {
		t.Fatal(err)
	}
	waitForEvent(t, here, run.ID(), "node.finished then#1")
	close(gate)
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Completed || res.State.Left != "yes" {
		t.Errorf("%s, %v, %v, %v", res.Status, res.State, res.Err, err)
	}
}

func waitForQuestions(t *testing.T, rt *fermata.Runtime, run string, n int) []fermata.Interrupt {
	t.Helper()
	for ctx := timeLimit(t); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		open, err := rt.Inbox(ctx, journal.InboxFilter{Run: run})
		if err != nil {
			t.Fatal(err)
		}
		if len(open) == n {
			return open
		}
	}
	t.Fatalf("there are not %d questions", n)
	return nil
}

func waitForEvent(t *testing.T, rt *fermata.Runtime, run, what string) {
	t.Helper()
	ctx, cancel := context.WithCancel(timeLimit(t))
	defer cancel()
	for e, err := range rt.Events(ctx, run, 0, true) {
		if err != nil {
			t.Fatalf("waiting for %s: %v", what, err)
		}

		if e.Type()+" "+e.Task() == what {
			return
		}
	}
	t.Fatalf("%s did not come", what)
}

// Tasks that run when another one fails the run are let finish, what they did is kept, and a retry runs the failed ones only.
func TestF2_SiblingsOfAFailureAreKept(t *testing.T) {
	broken, runs := true, make(map[string]*atomic.Int32)
	for _, name := range []string{"good", "bad"} {
		runs[name] = new(atomic.Int32)
	}
	failed := make(chan struct{})
	good := func(ctx node.Context, s team) (team, error) {
		runs["good"].Add(1)
		<-failed
		s.Left = "kept"
		return s, nil
	}
	bad := func(_ node.Context, s team) (team, error) {
		if runs["bad"].Add(1); broken {
			close(failed)
			return s, errors.New("no luck")
		}
		s.Right = "at last"
		return s, nil
	}
	rt := newRuntime(t, fermata.Options{})
	g := diamond(good, bad)
	run, err := g.Start(t.Context(), rt, team{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Failed {
		t.Fatalf("%s %v", res.Status, err)
	}
	broken = false
	if run, err = g.Retry(t.Context(), rt, run.ID()); err != nil {
		t.Fatal(err)
	}
	if res, err = run.Wait(timeLimit(t)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(team{Log: []string{"a", "join"}, Sum: 2, Left: "kept", Right: "at last"}, res.State); diff != "" {
		t.Errorf("%s %v (-want +got):\n%s", res.Status, res.Err, diff)
	}
	if g, b := runs["good"].Load(), runs["bad"].Load(); g != 1 || b != 2 {
		t.Errorf("the good one ran %d times, the bad one %d times", g, b)
	}
}

// Whatever append a process dies at, branches, joins and maps come to the same end.
func TestJ4_CrashWithBranches(t *testing.T) {
	w := newWorld()
	does := func(name string) graph.Func[team] {
		return func(ctx node.Context, s team) (team, error) {
			did, err := w.step(ctx, name)
			s.Log = append(s.Log, did)
			return s, err
		}
	}
	asks := func(ctx node.Context, s team) (team, error) {
		answer, err := node.Interrupt[string](ctx, nil)
		s.Log = append(s.Log, answer)
		return s, err
	}
	write := func(ctx node.Context, l letter) (letter, error) {
		did, err := w.step(ctx, "write to "+l.To)
		if err != nil {
			return l, err
		}
		if l.To == "b" {
			if did, err = node.Interrupt[string](ctx, l.To); err != nil {
				return l, err
			}
		}
		l.Text = did
		return l, nil
	}
	graphs := map[string]*graph.Graph[team]{
		"diamond":             diamond(does("left"), does("right")),
		"a question each":     diamond(asks, asks),
		"a question and work": diamond(asks, does("right")),
		"a map":               mailing(2, write),
		"ends":                graph.New[team]("ends").Node("b", does("b")).Node("c", does("c")).Edge(graph.Start, "b", "c").MustCompile(),
	}
	for name, g := range graphs {
		t.Run(name, func(t *testing.T) {
			w2 := w
			fermatatest.Crash(t, g.Plan(), func() any { return &team{Log: []string{"a", "b", "c"}} },
				fermatatest.Effects(w2.effects), fermatatest.AnswerFunc(func(q fermata.Interrupt) any { return "answer to " + q.Task }))
		})
	}
}

// TestH3_WaitReturnsWhileAnotherBranchRetries checks that Wait returns with the questions that are left after an answer, also
// if the run has come to rest again before the call and another branch waits for a retry.
func TestH3_WaitReturnsWhileAnotherBranchRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asks := func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "well?")
			return s, err
		}
		fails := func(ctx node.Context, s state) (state, error) {
			if ctx.Info().Attempt == 1 {
				return s, errFlaky
			}
			return s, nil
		}
		g := graph.New[state]("side by side").Node("one", asks).Node("two", asks).
			Node("flaky", fails, func(n *plan.Node) { n.Retry = plan.Retry{Attempts: 2, Backoff: time.Hour, Max: time.Hour} }).
			Edge(graph.Start, "one", "two", "flaky").MustCompile()
		rt := newRuntime(t, fermata.Options{Store: memory.New()})
		run := start(t, rt, g, state{})
		for left := 2; left > 0; left-- {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			res, err := run.Wait(ctx)
			cancel()
			if err != nil || len(res.Interrupts) != left {
				t.Fatalf("Wait returns %d questions, %v; expected %d", len(res.Interrupts), err, left)
			}
			answer(t, rt, res.Interrupts[0].ID, true)
			time.Sleep(time.Second) // the branch ends
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed {
			t.Errorf("the run is %s, %v", res.Status, err)
		}
	})
}
