package fermata_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// versions of a node's code: as it was, with a change that node.Changed guards, and without what was before.
const (
	before = iota
	guarded
	after
)

// The ways that the versions take.
var (
	oldWay = []string{"reserve", "charge", "note", "ship"}
	newWay = []string{"reserve", "fee", "charge with fee", "note", "ship"}
)

// orders is a graph of one node in a version of its code. It asks whether the change is there in two places.
func orders(version int, made func(key string)) *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		do := func(key string) error {
			s.Log = append(s.Log, key)
			_, err := node.Step(ctx, key, func(node.Context) (int, error) {
				made(key)
				return 0, nil
			})
			return err
		}
		changed := func() (bool, error) {
			if version == guarded {
				return node.Changed(ctx, "fees")
			}
			return version == after, nil
		}
		if err := do("reserve"); err != nil {
			return s, err
		}
		fees, err := changed()
		if err != nil {
			return s, err
		}
		first := []string{"charge"}
		if fees {
			first = []string{"fee", "charge with fee"}
		}
		for _, key := range first {
			if err := do(key); err != nil {
				return s, err
			}
		}
		if err := do("note"); err != nil {
			return s, err
		}
		if still, err := changed(); err != nil || still != fees {
			return s, errors.Join(err, fmt.Errorf("the change was %t, and is %t", fees, still))
		}
		return s, do("ship")
	})
}

// A process with one version of a node's code dies at each append, and one with the next version takes the run over and dies at
// each append, too. The run never diverges; it has the change unless the old code had recorded a call behind it.
func TestN13_CodeIsChangedUnderALiveTask(t *testing.T) {
	t.Parallel()
	for _, change := range []struct{ from, to int }{{before, guarded}, {guarded, guarded}, {guarded, after}} {
		for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
			t.Run(fmt.Sprintf("%d to %d, %d", change.from, change.to, mode), func(t *testing.T) {
				t.Parallel()
				ways := make(map[string]int)
				for n, m := 1, 1; ; m++ {
					way, first, second := deploysBetween(t, change.from, change.to, n, m, mode)
					if way != "" {
						ways[way]++
					}
					if !first {
						break
					}
					if !second {
						n, m = n+1, 0
					}
				}
				if len(ways) == 0 || change.from == before && len(ways) != 2 || change.from != before && ways[strings.Join(newWay, ",")] == 0 {
					t.Errorf("found the ways %v", ways)
				}
			})
		}
	}
}

// deploysBetween runs an order with a process that dies at its n-th append, with one of the next version that dies at its m-th, and
// with one that lives. It returns the way that the order took, "" for one that was never stored, and which processes died.
func deploysBetween(t *testing.T, from, to, n, m int, mode journaltest.Mode) (way string, first, second bool) {
	t.Helper()
	const id = "run_order"
	var mu sync.Mutex
	effects := make(map[string]int)
	made := func(key string) {
		mu.Lock()
		defer mu.Unlock()
		effects[key]++
	}
	store := memory.New()
	dying := func(at int) *journaltest.Faulty {
		faulty := journaltest.NewFaulty(store)
		dies(faulty, at, mode)
		return faulty
	}
	faulty := dying(n)
	run, err := orders(from, made).Start(timeLimit(t), newRuntime(t, fermata.Options{Store: faulty}), state{}, fermata.WithID(id))
	if err == nil {
		_, _ = run.Wait(timeLimit(t))
	}
	first = faulty.Appends() >= n
	recorded := ""
	for _, e := range entriesOf(t, store, id) {
		if e.Kind == journal.StepFinished {
			recorded = e.Op
		}
	}

	faulty = dying(m)
	if run, err = orders(to, made).Resume(timeLimit(t), newRuntime(t, fermata.Options{Store: faulty}), id); err == nil {
		_, _ = run.Wait(timeLimit(t))
	}
	second = faulty.Appends() >= m

	run, err = orders(to, made).Resume(timeLimit(t), newRuntime(t, fermata.Options{Store: store}), id)
	if errors.Is(err, fermata.ErrNotFound) {
		return "", first, second
	}
	if err != nil {
		t.Fatalf("deaths at %d and %d: %v", n, m, err)
	}
	res := ends(t, run, fermata.Completed)
	want := newWay
	if from == before && slices.Contains([]string{"step:charge#1", "step:note#1", "step:ship#1"}, recorded) {
		want = oldWay
	}
	if diff := cmp.Diff(want, res.State.Log); diff != "" {
		t.Errorf("deaths at %d and %d, after %s: (-want +got):\n%s", n, m, recorded, diff)
	}
	for key, times := range effects {
		if times > 3 || !slices.Contains(res.State.Log, key) && !(from == before && key == "charge") {
			t.Errorf("deaths at %d and %d: %s was called %d times", n, m, key, times)
		}
	}
	return strings.Join(res.State.Log, ","), first, second
}

// entriesOf are the entries of a run, none of one that is not there.
func entriesOf(t *testing.T, store journal.Store, id string) (list []journal.Entry) {
	t.Helper()
	for e, err := range store.Read(t.Context(), id, 0) {
		if errors.Is(err, journal.ErrNotFound) {
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// A task that waits for a person goes on with the code that is there: the old way where the question lies behind the change, and
// the new one where it comes before.
func TestN13_WhoWaitsGoesOnWithTheCodeThatIsThere(t *testing.T) {
	ask := func(ctx node.Context) error {
		_, err := node.Interrupt[string](ctx, nil)
		return err
	}
	version := func(guards, early bool) *graph.Graph[state] {
		return single(func(ctx node.Context, s state) (state, error) {
			if early {
				if err := ask(ctx); err != nil {
					return s, err
				}
			}
			s.Text = "old"
			if guards {
				changed, err := node.Changed(ctx, "text")
				if err != nil {
					return s, err
				}
				if changed {
					s.Text = "new"
				}
			}
			if !early {
				return s, ask(ctx)
			}
			return s, nil
		})
	}
	for early, want := range map[bool]string{true: "new", false: "old"} {
		rt, store := inMemory(t)
		run := start(t, rt, version(false, early), state{})
		q := question(t, run)
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		later := newRuntime(t, fermata.Options{Store: store})
		answer(t, later, q.ID, "yes")
		if res := ends(t, resume(t, later, version(true, early), run.ID()), fermata.Completed); res.State.Text != want {
			t.Errorf("the question comes early (%t): the task took the %s way, expected the %s one", early, res.State.Text, want)
		}
	}
}

// An attempt after a failure has the change, also where the one before it had not.
func TestN13_ANewAttemptHasTheChange(t *testing.T) {
	rt, store := inMemory(t)
	fails := single(func(ctx node.Context, s state) (state, error) {
		if _, err := node.Step(ctx, "a", func(node.Context) (int, error) { return 1, nil }); err != nil {
			return s, err
		}
		return s, errors.New("the old code is wrong")
	})
	run := start(t, rt, fails, state{})
	ends(t, run, fermata.Failed)
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	later := newRuntime(t, fermata.Options{Store: store})
	g := single(func(ctx node.Context, s state) (state, error) {
		changed, err := node.Changed(ctx, "mended")
		if err != nil || !changed {
			return s, errors.Join(err, errors.New("it has no change"))
		}
		s.N, err = node.Step(ctx, "a", func(node.Context) (int, error) { return 2, nil })
		return s, err
	})
	again, err := g.Retry(t.Context(), later, run.ID())
	if err != nil {
		t.Fatal(err)
	}
	if res := ends(t, again, fermata.Completed); res.State.N != 1 {
		t.Errorf("the recorded step gave %d, expected 1", res.State.N)
	}
}

// Every crash of code with a change comes to the same end, live, compacted and moved to another store.
func TestN13_CrashAtEveryAppend(t *testing.T) {
	report := fermatatest.Crash(t, orders(guarded, func(string) {}).Plan(), func() any { return &state{} })
	if report.Crashes < 6 {
		t.Errorf("only %d crashes", report.Crashes)
	}
}

// Changed is refused where nobody knows what is recorded behind it, and for names that are none.
func TestN13_RefusedCalls(t *testing.T) {
	for name, test := range map[string]struct {
		call func(ctx node.Context) error
		want string
	}{
		"no name": {func(ctx node.Context) error {
			_, err := node.Changed(ctx, "")
			return err
		}, `node.Changed(""): expected the name of a change, found an empty text`},
		"a control character": {func(ctx node.Context) error {
			_, err := node.Changed(ctx, "a\nb")
			return err
		}, "the name has a control character"},
		"in a step": {func(ctx node.Context) error {
			_, err := node.Step(ctx, "pay", func(ctx node.Context) (bool, error) { return node.Changed(ctx, "x") })
			return err
		}, "expected a call outside of steps, found one inside step:pay#1"},
		"in a goroutine": {func(ctx node.Context) error {
			done := make(chan error)
			go func() {
				_, err := node.Changed(ctx, "x")
				done <- err
			}()
			return <-done
		}, "expected a call in the goroutine that the function of the node runs in"},
	} {
		t.Run(name, func(t *testing.T) {
			rt, _ := inMemory(t)
			res := ends(t, start(t, rt, single(func(ctx node.Context, s state) (state, error) { return s, test.call(ctx) }), state{}), fermata.Failed)
			if !strings.Contains(res.Err.Error(), test.want) {
				t.Errorf("found %v, expected %q", res.Err, test.want)
			}
		})
	}
}
