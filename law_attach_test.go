package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/internal/teststore"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// TestJ3_OfManyWhoAttachOneStarts checks that one of many who start a run or attach to it starts it, that all are given
// that run, and that its node is called once.
func TestJ3_OfManyWhoAttachOneStarts(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		const n, rounds = 20, 20 // each round is decided by who comes first
		doors, calls := []*fermata.Runtime{runtimeOn(t, s), runtimeOn(t, s)}, make(chan string, n)
		g := single(func(_ node.Context, s state) (state, error) {
			calls <- s.Text
			s.Log = append(s.Log, s.Text)
			return s, nil
		})
		for round := range rounds {
			id := fermata.WithID(fmt.Sprintf("order-%d", round))
			failed := atOnce(n, func(i int) error {
				run, err := g.Start(t.Context(), doors[i%2], state{Text: fmt.Sprint(i)}, id, fermata.Attach())
				if err != nil {
					return err
				}
				res, err := run.Wait(timeLimit(t))
				if err == nil && (res.Status != fermata.Completed || len(res.State.Log) != 1) {
					err = fmt.Errorf("%s: %v", res.Status, res.State.Log)
				}
				return err
			})
			for i, err := range failed {
				if err != nil {
					t.Errorf("round %d, caller %d: %v", round, i, err)
				}
			}
			if len(calls) != 1 || t.Failed() {
				t.Fatalf("round %d: the node was called %d times", round, len(calls))
			}
			<-calls
		}
	})
}

// TestJ3_WhoAttachesElsewhereIsTold checks that Wait and Events of one runtime end soon after another one has ended the run,
// also if both share one store and it tells nobody of what it has written itself, or cannot be watched at all.
func TestJ3_WhoAttachesElsewhereIsTold(t *testing.T) {
	t.Parallel()
	stores := map[string]func(t *testing.T) journal.Store{
		"memory": func(*testing.T) journal.Store { return memory.New() },
		"silent": func(*testing.T) journal.Store { return struct{ journal.Store }{memory.New()} },
		"sqlite": func(t *testing.T) journal.Store { return sqliteStore(t) },
		"unseen": func(t *testing.T) journal.Store { return unseen{sqliteStore(t)} },
	}
	for _, name := range testserver.Kinds() {
		stores[name] = func(t *testing.T) journal.Store { return teststore.Open(t, name) }
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, late := open(t), lawtest.HeldUp(t, time.Second)
			here, there := runtimeOn(t, store), runtimeOn(t, store)
			began, goOn := make(chan bool, 1), make(chan bool)
			g := single(func(_ node.Context, s state) (state, error) {
				began <- true
				<-goOn
				return s, nil
			})
			start(t, here, g, state{}, fermata.WithID("order-7"))
			<-began
			run := start(t, there, g, state{}, fermata.WithID("order-7"), fermata.Attach())
			ended := make(chan error, 2)
			go func() {
				_, err := run.Wait(t.Context())
				ended <- err
			}()
			go func() {
				for _, err := range there.Events(t.Context(), "order-7", 0, true) {
					if err != nil {
						ended <- err
						return
					}
				}
				ended <- nil
			}()
			time.Sleep(50 * time.Millisecond) // most of the time, both are waiting by now; either order must do
			close(goOn)
			for heard, waits := 0, 1; heard < 2; {
				select {
				case err := <-ended:
					if heard++; err != nil {
						t.Error(err)
					}
				case <-time.After(10 * time.Second):
					if waits++; !late() || waits > 4 { // all readers are woken once a minute, which shows nothing
						t.Fatal("the end of the run was not noticed within ten seconds")
					}
				}
			}
		})
	}
}

// unseen is a store on a machine that has no inotify instance left.
type unseen struct{ *sqlite.Store }

func (unseen) Watch(context.Context, func()) error { return syscall.EMFILE }

func (unseen) WatchRuns(context.Context, func(journal.Change)) error { return syscall.EMFILE }

// TestJ3_AttachContinuesWhatExists checks that attaching continues a paused run, leaves one that has ended as it is, and
// refuses a run of another plan, and a call without an id.
func TestJ3_AttachContinuesWhatExists(t *testing.T) {
	rt, store := inMemory(t)
	g := single(func(ctx node.Context, s state) (state, error) {
		answer, err := node.Interrupt[string](ctx, nil, node.Prompt("What?"))
		s.Log = append(s.Log, s.Text, answer)
		return s, err
	})
	attach := func(text string) *graph.Run[state] {
		t.Helper()
		return start(t, rt, g, state{Text: text}, fermata.WithID("ada"), fermata.Attach())
	}
	ends(t, attach("first"), fermata.Paused)
	q := question(t, attach("second"))
	answer(t, rt, q.ID, "yes", fermata.Hold())
	for range 2 { // continued, and then as it has ended
		if got := ends(t, attach("third"), fermata.Completed).State.Log; strings.Join(got, " ") != "first yes" {
			t.Errorf("the run ended with %q", got)
		}
	}
	starts := 0
	for _, e := range entries(t, store, "ada") {
		if e.Kind == journal.RunStarted {
			starts++
		}
	}
	if starts != 1 {
		t.Errorf("it was started %d times", starts)
	}
	other := graph.New[state]("other").Node("a", logged).Edge(graph.Start, "a").MustCompile()
	if _, err := other.Start(t.Context(), rt, state{}, fermata.WithID("ada"), fermata.Attach()); !errors.Is(err, fermata.ErrConflict) || !strings.Contains(err.Error(), `"single"`) {
		t.Errorf("a run of another plan: %v", err)
	}
	if _, err := g.Start(t.Context(), rt, state{}, fermata.Attach()); err == nil || !strings.Contains(err.Error(), "WithID") {
		t.Errorf("without an id: %v", err)
	}
}

// TestJ3_AttachToARunThatIsNotStored checks that a run without a journal can be attached to while it is executed.
func TestJ3_AttachToARunThatIsNotStored(t *testing.T) {
	rt, _ := inMemory(t)
	began, goOn := make(chan bool, 2), make(chan bool)
	g := single(func(_ node.Context, s state) (state, error) {
		began <- true
		<-goOn
		return s, nil
	})
	unstored := fermata.WithDurability(fermata.None)
	run := start(t, rt, g, state{}, fermata.WithID("x"), fermata.Attach(), unstored)
	<-began
	same := start(t, rt, g, state{}, fermata.WithID("x"), fermata.Attach(), unstored)
	close(goOn)
	ends(t, run, fermata.Completed)
	ends(t, same, fermata.Completed)
	if len(began) != 0 {
		t.Error("it was executed twice")
	}
}

// TestJ3_AnEmptyIDIsRefused checks that an id that is empty by mistake starts no second run and sends no second message.
func TestJ3_AnEmptyIDIsRefused(t *testing.T) {
	rt, _ := inMemory(t)
	g := single(logged)
	for name, opts := range map[string][]fermata.StartOption{
		"start": {fermata.WithID("")}, "attach": {fermata.WithID(""), fermata.Attach()},
		"message": {fermata.WithID("run_1"), fermata.WithMessage("add", 1, fermata.MessageID(""))},
	} {
		_, err := g.Start(t.Context(), rt, state{}, opts...)
		if known, ok := errors.AsType[*fermata.Error](err); !ok || known.Code != fermata.CodeInvalid || !strings.Contains(err.Error(), "empty") {
			t.Errorf("%s: expected that the id is refused, found %v", name, err)
		}
	}
	run := start(t, rt, collects(1), state{})
	if err := rt.Send(t.Context(), run.ID(), "payments", paid{1}, fermata.MessageID("")); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("send: expected that the id is refused, found %v", err)
	}
	if list, err := rt.Runs(t.Context(), journal.RunFilter{}); err != nil || len(list) != 1 {
		t.Errorf("%d runs, %v; expected the one", len(list), err)
	}
}
