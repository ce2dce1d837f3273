package fermatatest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// story is a graph in which much happens; slow is the branch that takes its time.
func story(slow string) *graph.Graph[tally] {
	late := func(name string, f graph.Func[tally]) graph.Func[tally] {
		return func(ctx node.Context, s tally) (tally, error) {
			if name == slow {
				time.Sleep(3 * time.Millisecond)
			}
			return f(ctx, s)
		}
	}
	b := pair(
		late("b", func(ctx node.Context, s tally) (tally, error) {
			said, err := node.Interrupt[string](ctx, 1, node.ID("who"), node.Prompt("Who?"), node.Role("clerk"), node.Options("me", "you"))
			s.Log = append(s.Log, said)
			return s, err
		}),
		late("c", logs("c")),
	)
	b.Node("e", late("e", func(ctx node.Context, s tally) (tally, error) {
		if ctx.Info().Attempt == 1 {
			return s, errors.New("not yet")
		}
		_, err := node.Step(ctx, "pay", func(ctx node.Context) (string, error) { return node.IdempotencyKey(ctx), nil })
		if err != nil {
			return s, err
		}
		return s, errors.Join(node.Sleep(ctx, time.Millisecond), errors.New("declined"))
	}), graph.Retry(2, time.Millisecond))
	b.Node("x", logs("x"), graph.Each()).Edge("a", "e").OnError("e", "x").Edge("e", "d").Edge("b", "x").Edge("x", "d")
	graph.Map(b, "many", func(tally) ([]tally, error) { return make([]tally, 2), nil },
		graph.Of("one", late("one", logs("one"))).MustCompile(), func(s tally, all []tally) (tally, error) {
			s.Sum += len(all)
			return s, nil
		})
	return b.Edge("d", "many").MustCompile()
}

// goldenRun brings a run of the story to its end.
func goldenRun(t *testing.T, g *graph.Graph[tally]) (*fermata.Runtime, string) {
	t.Helper()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	run, err := g.Start(t.Context(), rt, tally{})
	for err == nil {
		var res graph.Result[tally]
		if res, err = run.Wait(t.Context()); err != nil || res.Status.Ended() {
			break
		}
		err = rt.Answer(t.Context(), res.Interrupts[0].ID, "me", fermata.AsRole("clerk"), fermata.AsPerson("Ann"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return rt, run.ID()
}

// A transcript does not depend on what was slow.
func TestGoldenDoesNotDependOnTiming(t *testing.T) {
	for _, slow := range []string{"b", "c", "e", "one"} {
		g := story(slow)
		rt, run := goldenRun(t, g)
		fermatatest.Golden(t, rt, g.Plan(), run)
	}
}

// A run that does something else than the file says is shown as a difference, and a missing file as a whole.
func TestGoldenShowsWhatDiffers(t *testing.T) {
	t.Setenv("FERMATA_UPDATE", "")
	t.Chdir(t.TempDir())
	g := pair(logs("b"), logs("c")).MustCompile()
	rt, run := goldenRun(t, g)
	r := &recorder{T: t}
	fermatatest.Golden(r, rt, g.Plan(), run)
	file := filepath.Join("testdata", "TestGoldenShowsWhatDiffers.golden")
	if len(r.wrong) != 1 || !strings.Contains(r.wrong[0], "there is no "+file+" yet; run the test with FERMATA_UPDATE=1 to write it:\nplan pair\n") {
		t.Errorf("found %q", r.wrong)
	}
	t.Setenv("FERMATA_UPDATE", "1")
	fermatatest.Golden(t, rt, g.Plan(), run)
	t.Setenv("FERMATA_UPDATE", "")
	fermatatest.Golden(t, rt, g.Plan(), run)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Replace(string(data), "d#1\n", "d#1\n  calls step:pay#1: 7\n", 1)
	if err := os.WriteFile(file, []byte(was), 0o600); err != nil {
		t.Fatal(err)
	}
	r.wrong = nil
	fermatatest.Golden(r, rt, g.Plan(), run)
	want := fmt.Sprintf(`golden: the run does something else than %s says (- the file, + the run):
  … 9 lines
      given {"log":["a"],"sum":1}
      gives {"log":["a","c"],"sum":2}
    d#1
  -   calls step:pay#1: 7
      given {"log":["a","b","c"],"sum":3}, of b#1 and c#1
      gives {"log":["a","b","c","d"],"sum":4}
    completed
if that is right, run the test with FERMATA_UPDATE=1 and review the change`, file)
	if !slices.Equal(r.wrong, []string{want}) {
		t.Errorf("expected:\n%s\nfound:\n%s", want, strings.Join(r.wrong, "\n"))
	}
}
