package fermata_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
)

// Children are this test binary, started again. They find what to do in the environment.
const (
	childVariable = "FERMATA_TEST_CHILD"
	childFolder   = "FERMATA_TEST_FOLDER"
	childRun      = "FERMATA_TEST_RUN"
	childLease    = "FERMATA_TEST_LEASE" // "" for the usual one
	childNap      = "FERMATA_TEST_NAP"   // how long a branch of heldGraph sleeps when it is driven first
)

// childGraphs are what children run: a graph over orders, with what it needs of the outside world.
var childGraphs = map[string]func(o outside) *graph.Graph[order]{
	"work": workGraph, "poll": pollGraph, "line": lineGraph, "fork": forkGraph, "reason": reasonGraph, "held": heldGraph,
}

// outside is the world that survives kills: a file with a line for each effect.
type outside struct{ file string }

// effect writes what happens, and the key that would keep a careful world from doing it twice.
func (o outside) effect(ctx context.Context, name string) error {
	f, err := os.OpenFile(o.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %s\n", name, node.IdempotencyKey(ctx))
	return errors.Join(err, f.Close())
}

// mayEnd reports whether the test lets a line end.
func (o outside) mayEnd() bool {
	_, err := os.Stat(o.file + mayEnd)
	return err == nil
}

// mayEnd ends the name of a file that says so.
const mayEnd = ", and it may end"

func (o outside) step(ctx node.Context, name string, takes time.Duration) error {
	_, err := node.Step(ctx, name, func(ctx node.Context) (string, error) {
		if err := o.effect(ctx, name); err != nil {
			return "", err
		}
		select {
		case <-time.After(takes):
			return name, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	return err
}

const workRounds = 24

// workGraph does a bit of everything, round by round.
func workGraph(o outside) *graph.Graph[order] {
	b := graph.New[order]("work")
	b.Node("work", func(ctx node.Context, s order) (order, error) {
		round := ctx.Info().Visit
		if err := o.step(ctx, "first", 0); err != nil {
			return s, err
		}
		if round%3 == 0 {
			if err := node.Sleep(ctx, time.Millisecond); err != nil {
				return s, err
			}
		}
		if round%4 == 0 && ctx.Info().Attempt == 1 {
			return s, errors.New("not at the first attempt")
		}
		if round%6 == 0 {
			said, err := node.Interrupt[int](ctx, map[string]int{"round": round})
			if err != nil {
				return s, err
			}
			s.Amount += said
		}
		if err := node.Emit(ctx, node.EventStatus, round); err != nil {
			return s, err
		}
		s.Rounds++
		return s.note("round %d", round), o.step(ctx, "second", 0)
	}, graph.Retry(2, time.Millisecond))
	b.Route("work", func(ctx node.Context, _ order) (string, error) {
		if ctx.Info().Visit < workRounds {
			return "work", nil
		}
		return graph.End, nil
	}, "work", graph.End)
	return b.Edge(graph.Start, "work").MustCompile()
}

const pollQuestions = 300

// pollGraph asks many questions at once and adds up what is said.
func pollGraph(outside) *graph.Graph[order] {
	return chain([]string{"poll"}, func(b *graph.Builder[order]) {
		b.Node("poll", func(ctx node.Context, s order) (order, error) {
			var asked []*node.Asked[int]
			for n := range pollQuestions {
				q, err := node.Ask[int](ctx, map[string]int{"n": n}, node.ID(strconv.Itoa(n)))
				if err != nil {
					return s, err
				}
				asked = append(asked, q)
			}
			for _, q := range asked {
				n, err := q.Wait()
				if err != nil {
					return s, err
				}
				s.Amount += n
			}
			return s, nil
		})
	})
}

// lineGraph takes its time over a line of steps, and does the second half once it may.
func lineGraph(o outside) *graph.Graph[order] {
	return chain([]string{"line"}, func(b *graph.Builder[order]) {
		b.Node("line", func(ctx node.Context, s order) (order, error) {
			for n := range 20 {
				for n == 10 && !o.mayEnd() {
					select {
					case <-time.After(time.Millisecond):
					case <-ctx.Done():
						return s, ctx.Err()
					}
				}
				if err := o.step(ctx, fmt.Sprintf("step %d", n), 3*time.Millisecond); err != nil {
					return s, err
				}
				s.Rounds++
			}
			return s, nil
		})
	})
}

// childResult is the last line that a child writes.
type childResult struct {
	Status fermata.Status
	State  order
	Code   fermata.Code
	Err    string
}

// beChild is the main function of a child. It says that it is ready, waits for a line, drives its run to the end,
// answering what is asked, and writes how it ended.
func beChild(name string) int {
	var r childResult
	if err := runChild(name, &r); err != nil {
		r.Err = err.Error()
		if known, ok := errors.AsType[*fermata.Error](err); ok {
			r.Code = known.Code
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return 1
	}
	return 0
}

func runChild(name string, r *childResult) (err error) {
	ctx := context.Background()
	folder, id := os.Getenv(childFolder), os.Getenv(childRun)
	store, err := openChild(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	world := outside{file: filepath.Join(folder, "effects of "+id)}
	o := fermata.Options{Store: store, Services: []any{model.Model(world.model())}}
	if text := os.Getenv(childLease); text != "" {
		if o.Lease, err = time.ParseDuration(text); err != nil {
			return err
		}
	}
	rt, err := fermata.New(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	g := childGraphs[name](world)
	if _, err := fmt.Println("ready"); err != nil {
		return err
	}
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	run, err := g.Resume(ctx, rt, id)
	if errors.Is(err, fermata.ErrNotFound) {
		run, err = g.Start(ctx, rt, order{}, fermata.WithID(id))
	}
	if err != nil {
		return err
	}
	for {
		result, err := run.Wait(ctx)
		if err != nil {
			return err
		}
		r.Status, r.State = result.Status, result.State
		if result.Status.Ended() {
			return result.Err
		}
		if err := answerAll(ctx, rt, result.Interrupts); err != nil {
			return err
		}
	}
}

// answerAll gives each question the number that it holds as its answer. Some answers are only recorded.
func answerAll(ctx context.Context, rt *fermata.Runtime, questions []fermata.Interrupt) error {
	for i, q := range questions {
		var request map[string]int
		if err := json.Unmarshal(q.Request, &request); err != nil {
			return err
		}
		value := request["n"] + request["round"]
		var opts []fermata.AnswerOption
		if i%3 > 0 && i < len(questions)-1 {
			opts = append(opts, fermata.Hold())
		}
		if err := rt.Answer(ctx, q.ID, value, opts...); err != nil {
			return err
		}
	}
	return nil
}

func openChild(folder string) (*sqlite.Store, error) {
	return sqlite.OpenWith(filepath.Join(folder, "runs.db"), sqlite.Options{Sync: sqlite.Normal})
}

// child is a process that a test has started.
type child struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
}

func startChild(t *testing.T, name, folder, run string, env ...string) *child {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.CommandContext(t.Context(), binary)}
	c.cmd.Env = append(os.Environ(), childVariable+"="+name, childFolder+"="+folder, childRun+"="+run)
	c.cmd.Env = append(c.cmd.Env, env...)
	c.cmd.Stderr = os.Stderr
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewReader(stdout)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := c.lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("a child began with %q, %v", line, err)
	}
	return c
}

// goOn lets a child begin.
func (c *child) goOn(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(c.stdin, "\n"); err != nil {
		t.Fatal(err)
	}
}

// end waits for a child and reads how its run ended; false when it was killed before it could say.
func (c *child) end(t *testing.T) (r childResult, said bool) {
	t.Helper()
	line, err := c.lines.ReadBytes('\n')
	if err == nil {
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("a child said %q: %v", line, err)
		}
	}
	_ = c.cmd.Wait() // a child that was killed ends with an error
	return r, err == nil
}

// killed runs a graph in processes that are killed at random moments within span, until there have been so many kills
// as wanted and the last run is done. A run that makes little headway is given more time. It returns how often each run
// was killed.
func killed(t *testing.T, name, folder string, wanted int, span time.Duration, check func(run string, r childResult)) map[string]int {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 11))
	kills, total := make(map[string]int), 0
	for n := 0; total < wanted; n++ {
		run := fmt.Sprintf("run_%d", n)
		for {
			c := startChild(t, name, folder, run)
			c.goOn(t)
			within := span * time.Duration(4+kills[run]) / 4
			timer := time.AfterFunc(time.Duration(random.Int64N(int64(within))), func() {
				if total < wanted {
					_ = c.cmd.Process.Kill()
				}
			})
			r, said := c.end(t)
			timer.Stop()
			if said {
				check(run, r)
				break
			}
			kills[run]++
			total++
		}
	}
	t.Logf("%d kills in %d runs", total, len(kills))
	return kills
}

// kills is how many kills a test takes.
func kills(few, many int) int {
	switch {
	case exploring():
		return many
	case lawtest.Racing:
		return few / 4
	}
	return few
}

// A process is killed at any moment, and another one goes on: the run comes to its end, no step is recorded twice, and
// an effect happens twice at most where a kill came between it and its record, with the same key.
func TestJ5_Kill9(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	want := childResult{Status: fermata.Completed, State: order{Rounds: workRounds}}
	for round := 1; round <= workRounds; round++ {
		want.State = want.State.note("round %d", round)
		if round%6 == 0 {
			want.State.Amount += round
		}
	}
	finished := make(map[string]bool)
	killed := killed(t, "work", folder, kills(40, 1000), 30*time.Millisecond, func(run string, r childResult) {
		finished[run] = true
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run, diff)
		}
	})
	checkKilled(t, folder, finished, killed, 2*workRounds)
}

// checkKilled looks whether each effect of runs that were killed happened once, and once more for each kill at most, under
// one key.
func checkKilled(t *testing.T, folder string, finished map[string]bool, killed map[string]int, effects int) {
	t.Helper()
	store, err := openChild(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for run := range finished {
		journalOf(t, store, run)
		happened := effectsOf(t, folder, run)
		twice := 0
		for key, names := range happened {
			twice += len(names) - 1
			if slices.ContainsFunc(names, func(name string) bool { return name != names[0] }) {
				t.Errorf("%s: the key %s stands for several effects: %q", run, key, names)
			}
		}
		if len(happened) != effects || twice > killed[run] {
			t.Errorf("%s: %d effects, expected %d; %d of them happened again, after %d kills", run, len(happened),
				effects, twice, killed[run])
		}
	}
}

// effectsOf reads what happened in a run: key -> names of the effects that had it.
func effectsOf(t *testing.T, folder, run string) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "effects of "+run))
	if err != nil {
		t.Fatal(err)
	}
	happened := make(map[string][]string)
	for line := range strings.Lines(string(data)) {
		name, key, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "+run)
		if !ok {
			t.Errorf("%s: the effect %q has no key of this run", run, line)
		}
		happened[key] = append(happened[key], name)
	}
	return happened
}

// Three hundred answers are given by processes that are killed all the time. Each is applied once.
func TestH2_300AnswersThroughKills(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	sum := pollQuestions * (pollQuestions - 1) / 2
	want := childResult{Status: fermata.Completed, State: order{Amount: sum}}
	finished := make(map[string]bool)
	killed(t, "poll", folder, kills(20, 200), 60*time.Millisecond, func(run string, r childResult) {
		finished[run] = true
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run, diff)
		}
	})
	store, err := openChild(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for run := range finished {
		asked, answered := make(map[string]string), make(map[string][]string)
		for _, e := range journalOf(t, store, run) {
			switch e.Kind {
			case journal.InterruptOpened:
				var q journal.Interrupt
				if err := json.Unmarshal(e.Body, &q); err != nil {
					t.Fatal(err)
				}
				asked[e.Op] = q.Op
			case journal.InterruptResolved:
				answered[asked[e.Op]] = append(answered[asked[e.Op]], string(e.Value))
			}
		}
		expected := make(map[string][]string)
		for n := range pollQuestions {
			expected[fmt.Sprintf("interrupt:%d#1", n)] = []string{strconv.Itoa(n)}
		}
		if diff := cmp.Diff(expected, answered); diff != "" {
			t.Errorf("%s: answers by question (-want +got):\n%s", run, diff)
		}
	}
}

// Two processes take up one run at the same time: one brings it to its end, and the other is told. The run cannot end before that.
func TestJ3_TwoProcessesResumeOneRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for n := range kills(8, 50) {
		run := fmt.Sprintf("run_%d", n)
		first := startChild(t, "line", folder, run)
		first.goOn(t)
		time.Sleep(30 * time.Millisecond)
		if err := first.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if r, said := first.end(t); said {
			t.Fatalf("the first process ended before it was killed: %+v", r)
		}
		var two []*child
		for range 2 {
			two = append(two, startChild(t, "line", folder, run))
		}
		said := make(chan string, 2)
		for _, c := range two {
			c.goOn(t)
			go func() {
				switch r, ok := c.end(t); {
				case !ok:
					said <- "nothing, although nobody killed it"
				case r.Code != "":
					said <- string(r.Code)
				default:
					said <- fmt.Sprintf("%s with %d steps", r.Status, r.State.Rounds)
				}
			}()
		}
		ends := []string{<-said}
		if err := os.WriteFile(filepath.Join(folder, "effects of "+run+mayEnd), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, <-said)
		if diff := cmp.Diff([]string{"conflict", "completed with 20 steps"}, ends); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run, diff)
		}
		twice := 0
		for _, names := range effectsOf(t, folder, run) {
			twice += len(names) - 1
		}
		if twice > 2 { // one for the kill, one for the process that lost
			t.Errorf("%s: %d effects happened again", run, twice)
		}
	}
}
