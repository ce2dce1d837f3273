package fermata_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// Pruning deletes what has ended and was meant, and nothing else: not what is paused, running or kept, and no text
// that a run needs.
func TestJ9_PruneDeletesWhatHasEnded(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		c := newClock()
		rt, err := fermata.New(fermata.Options{Store: s, Clock: c})
		if err != nil {
			t.Fatal(err)
		}
		plans := map[string]*graph.Graph[state]{
			"done": graph.New[state]("done").Node("a", logged).Edge(graph.Start, "a").MustCompile(),
			"asks": graph.New[state]("asks").Node("b", asking).Edge(graph.Start, "b").MustCompile(),
			"fails": graph.New[state]("fails").Node("c", func(_ node.Context, s state) (state, error) {
				return s, errors.New("no")
			}).Edge(graph.Start, "c").MustCompile(),
		}
		begin := func(name string, n int) {
			digest, err := rt.SaveDefinition(t.Context(), "test", []byte(name))
			if err != nil {
				t.Fatal(err)
			}
			wait(t, start(t, rt, plans[name], state{}, fermata.WithID(fmt.Sprintf("run_%s%d", name, n)), fermata.WithDefinition(digest)))
		}
		for n := range 4 {
			for _, name := range []string{"done", "asks", "fails"} {
				begin(name, n)
			}
			c.Advance(time.Hour)
		}
		if err := rt.Cancel(t.Context(), "run_asks0", "no", ""); err != nil {
			t.Fatal(err)
		}
		forked(t, rt, plans["done"], "run_done0", fermata.ForkOptions{ID: "run_fork", At: 2, Hold: true})
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		if rt, err = fermata.New(fermata.Options{Store: s, Clock: c}); err != nil { // one that knows no plans
			t.Fatal(err)
		}
		defer func() {
			if err := rt.Close(); err != nil {
				t.Error(err)
			}
		}()
		tests := []struct {
			name    string
			o       fermata.PruneOptions
			deleted string
			left    string
		}{
			{
				"nothing is that old",
				fermata.PruneOptions{Before: epoch},
				"",
				"asks0, asks1, asks2, asks3, done0, done1, done2, done3, fails0, fails1, fails2, fails3, fork, outline, outline, outline, " +
					"text of asks, text of done, text of fails",
			},
			{
				"a dry run",
				fermata.PruneOptions{DryRun: true},
				"asks0, done0, done1, done2, done3, fails0, fails1, fails2, fails3, 2 texts",
				"asks0, asks1, asks2, asks3, done0, done1, done2, done3, fails0, fails1, fails2, fails3, fork, outline, outline, outline, " +
					"text of asks, text of done, text of fails",
			},
			{
				"by age and plan",
				fermata.PruneOptions{Before: epoch.Add(90 * time.Minute), Plan: "done"},
				"done0, done1",
				"asks0, asks1, asks2, asks3, done2, done3, fails0, fails1, fails2, fails3, fork, outline, outline, outline, " +
					"text of asks, text of done, text of fails",
			},
			{
				"by status, but one",
				fermata.PruneOptions{Statuses: []fermata.Status{fermata.Failed}, Keep: 1},
				"fails0, fails1, fails2",
				"asks0, asks1, asks2, asks3, done2, done3, fails3, fork, outline, outline, outline, text of asks, text of done, text of fails",
			},
			{
				"all",
				fermata.PruneOptions{},
				"asks0, done2, done3, fails3, 2 texts",
				"asks1, asks2, asks3, fork, outline, outline, text of asks, text of done",
			},
		}
		for _, tt := range tests {
			got, err := rt.Prune(t.Context(), tt.o)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			var deleted []string
			for _, r := range got.Runs {
				deleted = append(deleted, strings.TrimPrefix(r.ID, "run_"))
			}
			slices.Sort(deleted)
			if len(got.Texts) > 0 {
				deleted = append(deleted, fmt.Sprintf("%d texts", len(got.Texts)))
			}
			if diff := cmp.Diff([]string{tt.deleted, tt.left}, []string{strings.Join(deleted, ", "), listed(t, rt)}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
		run := resume(t, rt, plans["done"], "run_fork")
		if diff := cmp.Diff([]string{"a#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
			t.Errorf("a fork of what is deleted (-want +got):\n%s", diff)
		}
		asks := resume(t, rt, plans["asks"], "run_asks1")
		answer(t, rt, question(t, asks).ID, true)
		ends(t, asks, fermata.Completed)
	})
}

func TestPruneRefusesRunsThatGoOn(t *testing.T) {
	rt, _ := inMemory(t)
	_, err := rt.Prune(t.Context(), fermata.PruneOptions{Statuses: []fermata.Status{fermata.Paused}})
	want := `prune: expected statuses of runs that have ended (completed, failed, cancelled, expired, stuck), found "paused"`
	if known, ok := errors.AsType[*fermata.Error](err); !ok || known.Code != fermata.CodeInvalid || err.Error() != want {
		t.Errorf("found %v", err)
	}
}

// A text that was stored just now is not deleted, though no run needs it: one may be about to start.
func TestJ9_PruneSparesYoungTexts(t *testing.T) {
	c := newClock()
	rt := newRuntime(t, fermata.Options{Clock: c})
	digest, err := rt.SaveDefinition(t.Context(), "test", []byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, 1, 0} {
		got, err := rt.Prune(t.Context(), fermata.PruneOptions{})
		if err != nil || len(got.Texts) != want {
			t.Errorf("pruned %v, %v; want %d texts", got, err, want)
		}
		c.Advance(2 * time.Hour)
	}
	if _, _, err := rt.Definition(t.Context(), digest); !errors.Is(err, fermata.ErrNotFound) {
		t.Errorf("the text: %v", err)
	}
}

// TestJ9_PruneSparesJournalsOfOthers keeps what a cache or another package has stored beside the texts.
func TestJ9_PruneSparesJournalsOfOthers(t *testing.T) {
	c, store := newClock(), memory.New()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: c})
	if err := fermata.NewStoreCache(store, c).Put(t.Context(), "cache_1", []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	c.Advance(2 * time.Hour)
	if got, err := rt.Prune(t.Context(), fermata.PruneOptions{}); err != nil || len(got.Texts) != 0 {
		t.Errorf("pruned %v, %v; want nothing", got.Texts, err)
	}
	if v, ok, err := fermata.NewStoreCache(store, c).Get(t.Context(), "cache_1"); string(v) != "1" || !ok || err != nil {
		t.Errorf("the cached outcome is %q, %v, %v", v, ok, err)
	}
}

// listed are all runs and texts of a store.
func listed(t *testing.T, rt *fermata.Runtime) string {
	t.Helper()
	var ids []string
	for _, f := range []journal.RunFilter{{}, {Definition: true}} {
		rows, err := rt.Runs(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			switch id := strings.TrimPrefix(r.ID, "run_"); {
			case f.Definition && r.Plan == "outline":
				ids = append(ids, "outline")
			case f.Definition:
				_, text, err := rt.Definition(t.Context(), r.ID)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, "text of "+string(text))
			default:
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, ", ")
}
