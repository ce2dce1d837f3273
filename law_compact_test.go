package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

func onDisk(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.OpenWith(filepath.Join(t.TempDir(), "runs.db"), sqlite.Options{Sync: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// seen is all that can be seen of runs, from each seq on.
func seen(t *testing.T, rt *fermata.Runtime, runs ...string) map[string]any {
	t.Helper()
	all := make(map[string]any)
	note := func(what string, v any, err error) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		all[what] = v
	}
	for _, run := range runs {
		info, err := rt.Info(t.Context(), run)
		note(run, info, err)
		for after := range info.Head + 1 {
			var events []fermata.Event
			for e, err := range rt.Events(t.Context(), run, after, false) {
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, e)
			}
			all[fmt.Sprintf("events of %s after %d", run, after)] = events
			d, err := rt.Diff(t.Context(), fermata.At{Run: run, Seq: max(after, 1)}, fermata.At{Run: runs[0]})
			note(fmt.Sprintf("%s at %d and %s", run, after, runs[0]), d, err)
		}
		var moments []fermata.Moment
		for m, err := range rt.History(t.Context(), run) {
			if err != nil {
				t.Fatal(err)
			}
			moments = append(moments, m)
		}
		all["history of "+run] = moments
	}
	rows, err := rt.Runs(t.Context(), journal.RunFilter{})
	note("runs", rows, err)
	inbox, err := rt.Inbox(t.Context(), journal.InboxFilter{All: true})
	note("inbox", inbox, err)
	return all
}

// Compacting changes nothing that can be seen, and a run goes on from where it was: a paused one with an answer, a
// failed one from where it failed, without doing again what it has done (J4, J5).
func TestE1_CompactingChangesNothingThatCanBeSeen(t *testing.T) {
	store, effects, down := onDisk(t), new(calls), true
	g := graph.New[state]("plan").
		Node("a", func(ctx node.Context, s state) (state, error) {
			if _, err := node.Step(ctx, "charge", func(node.Context) (int, error) { return effects.add("charge"), nil }); err != nil {
				return s, err
			}
			said, err := node.Interrupt[string](ctx, nil, node.ID("way"))
			s.Text = said
			return s, err
		}).
		Node("b", func(ctx node.Context, s state) (state, error) {
			if effects.add("b " + s.Text); s.Text == "fail" && down {
				return s, errors.New("no")
			}
			return logged(ctx, s)
		}).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	begin := func() *fermata.Runtime {
		rt, err := fermata.New(fermata.Options{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		return rt
	}
	rt := begin()
	for _, id := range []string{"run_done", "run_fails", "run_waits"} {
		run := start(t, rt, g, state{}, fermata.WithID(id))
		switch q := question(t, run); id {
		case "run_done":
			answer(t, rt, q.ID, "left")
			ends(t, run, fermata.Completed)
		case "run_fails":
			answer(t, rt, q.ID, "fail")
			ends(t, run, fermata.Failed)
		}
	}
	runs := []string{"run_done", "run_fails", "run_waits"}
	before := seen(t, rt, runs...)
	did, err := rt.Compact(t.Context(), fermata.CompactOptions{})
	if err != nil || len(did) != 3 {
		t.Fatalf("compacted %+v, %v; expected 3 runs", did, err)
	}
	for _, c := range did {
		if c.After >= c.Before || c.Entries != int(c.Run.Head) {
			t.Errorf("%s: %+v, expected %d entries in fewer bytes", c.Run.ID, c.Compaction, c.Run.Head)
		}
	}
	if diff := cmp.Diff(before, seen(t, rt, runs...), cmpopts.IgnoreUnexported(fermata.Event{}, fermata.Interrupt{})); diff != "" {
		t.Errorf("to the one who has compacted (-before +after):\n%s", diff)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	rt = begin()
	defer func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}()
	if diff := cmp.Diff(before, seen(t, rt, runs...), cmpopts.IgnoreUnexported(fermata.Event{}, fermata.Interrupt{})); diff != "" {
		t.Errorf("to another one (-before +after):\n%s", diff)
	}
	down = false
	waits := resume(t, rt, g, "run_waits")
	answer(t, rt, question(t, waits).ID, "right")
	retried, err := g.Retry(timeLimit(t), rt, "run_fails")
	if err != nil {
		t.Fatal(err)
	}
	fork := forked(t, rt, g, "run_done", fermata.ForkOptions{AskAgain: []string{"a#1"}, ID: "run_fork"})
	asked := waitFork(t, fork, fermata.Paused).Interrupts
	answer(t, rt, asked[0].ID, "back")
	waitFork(t, fork, fermata.Completed)
	var log []string
	for _, run := range []*graph.Run[state]{waits, retried} {
		s := ends(t, run, fermata.Completed).State
		log = append(log, s.Text+": "+strings.Join(s.Log, ", "))
	}
	log = append(log, effects.lines()...)
	want := []string{"right: b#1", "fail: b#1", "b back: 1", "b fail: 2", "b left: 1", "b right: 1", "charge: 3"}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCompactSelectsRuns(t *testing.T) {
	c := newClock()
	rt := newRuntime(t, fermata.Options{Store: onDisk(t), Clock: c})
	plans := map[string]*graph.Graph[state]{
		"done": graph.New[state]("done").Node("a", logged).Edge(graph.Start, "a").MustCompile(),
		"asks": graph.New[state]("asks").Node("b", asking).Edge(graph.Start, "b").MustCompile(),
	}
	for n := range 2 {
		for _, name := range []string{"done", "asks"} {
			wait(t, start(t, rt, plans[name], state{}, fermata.WithID(fmt.Sprintf("run_%s%d", name, n))))
		}
		c.Advance(time.Hour)
	}
	forked(t, rt, plans["done"], "run_done0", fermata.ForkOptions{ID: "run_goes", At: 2, Hold: true})
	tests := []struct {
		name string
		o    fermata.CompactOptions
		want string
	}{
		{"nothing is that old", fermata.CompactOptions{Before: epoch}, ""},
		{"by age", fermata.CompactOptions{Before: epoch.Add(time.Minute)}, "asks0 done0"},
		{"by status", fermata.CompactOptions{Statuses: []fermata.Status{fermata.Paused}}, "asks1 asks0"},
		{"by plan", fermata.CompactOptions{Plan: "done"}, "done1 done0"},
		{"what is running", fermata.CompactOptions{Statuses: []fermata.Status{fermata.Running}}, "goes"},
		{"one", fermata.CompactOptions{Run: "run_goes"}, "goes"},
		{"all", fermata.CompactOptions{}, "asks1 done1 asks0 done0"},
	}
	for _, tt := range tests {
		did, err := rt.Compact(t.Context(), tt.o)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var ids []string
		for _, c := range did {
			ids = append(ids, strings.TrimPrefix(c.Run.ID, "run_"))
		}
		if diff := cmp.Diff(tt.want, strings.Join(ids, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	ends(t, resume(t, rt, plans["done"], "run_goes"), fermata.Completed)
}

func TestCompactRefuses(t *testing.T) {
	inMemory, _ := inMemory(t)
	disk := newRuntime(t, fermata.Options{Store: onDisk(t)})
	for _, tt := range []struct {
		rt   *fermata.Runtime
		o    fermata.CompactOptions
		code fermata.Code
		is   error
		want string
	}{
		{
			inMemory,
			fermata.CompactOptions{},
			fermata.CodeInvalid, errors.ErrUnsupported,
			"compact: unsupported operation: the store (*memory.store) is no journal.Compactor; the one in journal/sqlite is",
		},
		{
			disk,
			fermata.CompactOptions{Statuses: []fermata.Status{"complete"}},
			fermata.CodeInvalid, nil,
			`compact: expected statuses of runs (running, paused, completed, failed, cancelled, expired, stuck), found "complete"; did you mean "completed"?`,
		},
		{disk, fermata.CompactOptions{Run: "run_none"}, fermata.CodeNotFound, fermata.ErrNotFound, "run run_none: no such run"},
	} {
		_, err := tt.rt.Compact(t.Context(), tt.o)
		known, ok := errors.AsType[*fermata.Error](err)
		if !ok || known.Code != tt.code || tt.is != nil && !errors.Is(err, tt.is) || err.Error() != tt.want {
			t.Errorf("found %v, expected %s: %s", err, tt.code, tt.want)
		}
	}
}

// Between any two processes the journal is compacted, and what has crashed goes on.
func TestJ4_CrashAtEveryAppendOfACompactedRun(t *testing.T) {
	t.Parallel()
	crashOnDisk(t, 5, 5, func(t *testing.T, crash func(open func(file string) (journal.Store, error))) {
		saved := int64(0)
		crash(func(file string) (journal.Store, error) {
			s, err := sqlite.OpenWith(file, sqlite.Options{Sync: sqlite.Normal})
			if err != nil {
				return nil, err
			}
			rows, err := s.Runs(t.Context(), journal.RunFilter{})
			for i := 0; err == nil && i < len(rows); i++ {
				var did journal.Compaction
				did, err = s.Compact(t.Context(), rows[i].ID)
				saved += did.Before - did.After
			}
			return s, err
		})
		if saved <= 0 {
			t.Error("nothing was compacted")
		}
	})
}

// compacted is a store that compacts a run with each append to it.
type compacted struct{ *sqlite.Store }

// Append implements [journal.Store].
func (s compacted) Append(ctx context.Context, b journal.Batch) error {
	if err := s.Store.Append(ctx, b); err != nil {
		return err
	}
	_, err := s.Compact(ctx, b.Run)
	return err
}

// A run that is compacted again and again while it is driven can be forked behind any of its entries, and the forks,
// compacted likewise, come to the same end.
func TestJ4_AForkOfACompactedRunComesToTheSameEnd(t *testing.T) {
	t.Parallel()
	for _, c := range crashCases {
		if !c.onDisk && !exploring() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o, stride := finished(t, c), 1
			if lawtest.Racing {
				stride = 7
			}
			for at := 1; at <= len(o.journal); at += stride {
				s := compacted{onDisk(t)}
				o.forkAndFinish(t, s, at, o.journal[at-1].Time(), true)
			}
		})
	}
}
