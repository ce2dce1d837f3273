package fermata_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// versions are two versions of one plan, whose node keeps its state.
func versions() [2]*graph.Graph[state] {
	same := func(_ node.Context, s state) (state, error) { return s, nil }
	return [2]*graph.Graph[state]{
		single(same),
		graph.New[state]("single").Node("a", same).Node("b", same).Edge(graph.Start, "a").Edge("a", "b").MustCompile(),
	}
}

// debounced is what a model says of a run that has not begun.
type debounced struct {
	id       string
	key      string // that it holds; "" for one that was let go
	first    time.Time
	at       time.Time // when it begins
	version  int
	input    int
	replaced int // how often
}

// TestJ21_AModelOfStarts draws starts with keys in two runtimes, times that pass, workers' turns and cancellations, and compares each
// outcome with a model: which run a start is told, whether it has replaced an input, when the run begins and with what.
func TestJ21_AModelOfStarts(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s journal.Store) {
		n := 0
		rapid.Check(t, func(r *rapid.T) {
			n++
			modelOfStarts(t, r, s, fmt.Sprint("round ", n, " "))
		})
	})
}

func modelOfStarts(t *testing.T, r *rapid.T, s journal.Store, prefix string) {
	clock, plans := newClock(), versions()
	var doors []*fermata.Runtime
	for range 2 {
		rt, err := fermata.New(fermata.Options{Store: s, Clock: clock})
		if err != nil {
			r.Fatal(err)
		}
		defer rt.Close() //nolint:gocritic // until the round ends: both are needed
		doors = append(doors, rt)
	}
	var model []*debounced
	door := func() *fermata.Runtime { return doors[rapid.IntRange(0, 1).Draw(r, "door")] }
	begin := func(w *debounced) {
		run, err := plans[w.version].Resume(t.Context(), door(), w.id)
		if err != nil {
			r.Fatal(err)
		}
		res, err := run.Wait(t.Context())
		if err != nil || res.Status != fermata.Completed || res.State.N != w.input {
			r.Fatalf("%s ends as %s with input %d, %v; expected %d", w.id, res.Status, res.State.N, err, w.input)
		}
		replacedTimes(t, r, s, w)
	}
	inputs := 0
	r.Repeat(map[string]func(*rapid.T){
		"start": func(r *rapid.T) {
			inputs++
			key := prefix + rapid.SampledFrom([]string{"a", "b"}).Draw(r, "key")
			wait := time.Duration(rapid.IntRange(1, 5).Draw(r, "wait")) * time.Second
			most := time.Duration(rapid.SampledFrom([]int{0, 5, 8}).Draw(r, "most")) * time.Second
			version := rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(r, "version")
			run, err := plans[version].Start(t.Context(), door(), state{N: inputs}, fermata.Debounce(key, wait, most))
			if err != nil {
				r.Fatal(err)
			}
			i := slices.IndexFunc(model, func(w *debounced) bool { return w.key == key })
			if i >= 0 && model[i].version != version {
				model[i].key, i = "", -1
			}
			if run.Replaced() != (i >= 0) || i >= 0 && run.ID() != model[i].id {
				r.Fatalf("the start is told %s, replaced: %t; the model has %+v", run.ID(), run.Replaced(), model)
			}
			now := clock.Now()
			if i < 0 {
				model, i = append(model, &debounced{id: run.ID(), key: key, first: now, version: version}), len(model)
			} else {
				model[i].replaced++
			}
			w := model[i]
			if w.input, w.at = inputs, now.Add(wait); most > 0 && w.first.Add(most).Before(w.at) {
				w.at = w.first.Add(most)
			}
		},
		"pass": func(r *rapid.T) {
			clock.Advance(time.Duration(rapid.IntRange(1, 4000).Draw(r, "milliseconds")) * time.Millisecond)
		},
		"work": func(r *rapid.T) {
			due := clock.Now()
			model = slices.DeleteFunc(model, func(w *debounced) bool {
				if w.at.After(due) {
					return false
				}
				begin(w)
				return true
			})
		},
		"resume": func(r *rapid.T) { // a program does not wait for the time
			if len(model) > 0 {
				i := rapid.IntRange(0, len(model)-1).Draw(r, "run")
				begin(model[i])
				model = slices.Delete(model, i, i+1)
			}
		},
		"cancel": func(r *rapid.T) {
			if len(model) > 0 {
				i := rapid.IntRange(0, len(model)-1).Draw(r, "run")
				if err := door().Cancel(t.Context(), model[i].id, "", ""); err != nil {
					r.Fatal(err)
				}
				model = slices.Delete(model, i, i+1)
			}
		},
		"hold and release": func(r *rapid.T) {
			if len(model) > 0 {
				w := model[rapid.IntRange(0, len(model)-1).Draw(r, "run")]
				if err := door().HoldRun(t.Context(), w.id, "", "ann"); err != nil {
					r.Fatal(err)
				}
				if err := door().ReleaseRun(t.Context(), w.id, "", "ann"); err != nil {
					r.Fatal(err)
				}
				begin(w)
				model = slices.DeleteFunc(model, func(o *debounced) bool { return o == w })
			}
		},
		"": func(r *rapid.T) {
			for _, w := range model {
				row, err := doors[0].Info(t.Context(), w.id)
				if err != nil || row.NotBefore != w.at.UnixMicro() || row.Dedup != w.key || row.Status != string(fermata.Running) {
					r.Fatalf("the row is %+v, %v; expected %+v", row, err, w)
				}
			}
		},
	})
	for _, w := range model {
		begin(w)
	}
}

// replacedTimes checks that the journal of a run says how often its input was replaced, and by which one last.
func replacedTimes(t *testing.T, r *rapid.T, s journal.Store, w *debounced) {
	n := 0
	for _, e := range entries(t, s, w.id) {
		if e.Kind == journal.RunResumed && e.HasValue() && storage.BodyOf[journal.ResumedBody](&e).Reason == "replaced" {
			n++
		}
	}
	if n != w.replaced {
		r.Fatalf("%s says that it was replaced %d times; expected %d", w.id, n, w.replaced)
	}
}

// TestJ21_AWorkerBeginsTheLast checks the times at which workers begin debounced runs, also where each start puts the run off.
func TestJ21_AWorkerBeginsTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		began := make(map[int]time.Duration)
		at := time.Now()
		g := single(func(_ node.Context, s state) (state, error) {
			mu.Lock()
			defer mu.Unlock()
			began[s.N] = time.Since(at).Round(time.Second)
			return s, nil
		})
		s := newShop(t, g)
		var doors []*fermata.Runtime
		for _, name := range []string{"one", "two"} {
			rt, _ := s.process(name)
			doors = append(doors, rt)
			defer s.workWith(rt, fermata.WorkOptions{Every: 48 * time.Hour})() //nolint:gocritic // all work until the end
		}
		var ids []string
		for i := range 10 { // each 19 s after the one before: 100 s after the first one, it begins
			ids = append(ids, start(t, doors[i%2], g, state{N: i}, fermata.Debounce("k", 30*time.Second, 100*time.Second)).ID())
			time.Sleep(19 * time.Second)
		}
		time.Sleep(time.Hour)
		want := map[int]time.Duration{5: 100 * time.Second, 9: (9*19 + 30) * time.Second}
		mu.Lock()
		defer mu.Unlock()
		if fmt.Sprint(began) != fmt.Sprint(want) {
			t.Errorf("these began: %v, expected %v", began, want)
		}
		ids = slices.Compact(ids)
		if len(ids) != 2 {
			t.Errorf("the starts made %d runs: %q", len(ids), ids)
		}
		for _, id := range ids {
			s.awaits(id, fermata.Completed)
		}
	})
}

// TestJ21_StartsAtOnce checks many starts in two processes while a third one begins what there is: each input runs, or was replaced by
// a later one of the same run.
func TestJ21_StartsAtOnce(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s journal.Store) {
		doors := []*fermata.Runtime{runtimeOn(t, s), runtimeOn(t, s), runtimeOn(t, s)}
		g := versions()[0]
		const n = 40
		ids := make([]string, n)
		fresh := make([]bool, n)
		for i, err := range atOnce(n, func(i int) error {
			run, err := g.Start(t.Context(), doors[i%2], state{N: i + 1}, fermata.Debounce("k", time.Hour, 0))
			if err != nil {
				return err
			}
			ids[i], fresh[i] = run.ID(), !run.Replaced()
			if i%5 == 0 {
				_, err = g.Resume(t.Context(), doors[2], run.ID())
			}
			if errors.Is(err, fermata.ErrConflict) {
				err = nil
			}
			return err
		}) {
			if err != nil {
				t.Errorf("start %d: %v", i, err)
			}
		}
		slices.Sort(ids)
		runs, begun := slices.Compact(ids), 0
		for _, f := range fresh {
			if f {
				begun++
			}
		}
		if begun != len(runs) {
			t.Errorf("%d starts were told that they began a run, and there are %d", begun, len(runs))
		}
		seen := make(map[string]int)
		for _, id := range runs {
			res := ends(t, resume(t, doors[2], g, id), fermata.Completed)
			last := ""
			for _, e := range entries(t, s, id) {
				if e.Kind == journal.RunStarted || e.Kind == journal.RunResumed && len(e.Value) > 0 {
					last = string(e.Value)
					seen[last]++
				}
			}
			if want := fmt.Sprintf(`{"n":%d}`, res.State.N); last != want {
				t.Errorf("%s has run with %s; its last input is %s", id, want, last)
			}
		}
		for i := range n {
			if seen[fmt.Sprintf(`{"n":%d}`, i+1)] != 1 {
				t.Errorf("input %d is in %d entries", i+1, seen[fmt.Sprintf(`{"n":%d}`, i+1)])
			}
		}
	})
}

// TestJ21_CrashAtEachAppend checks that a start whose process dies has either happened or not, and that the runs go on with that.
func TestJ21_CrashAtEachAppend(t *testing.T) {
	for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
		for at := 1; ; at++ {
			inner := memory.New()
			faulty := journaltest.NewFaulty(inner)
			broken := false
			fault := func(n int) error {
				if n != at {
					return nil
				}
				broken = true
				return errDead
			}
			if mode == journaltest.Before {
				faulty.BeforeAppend = fault
			} else {
				faulty.AfterAppend = fault
			}
			leaser, _ := inner.(journal.Leaser)
			startsUntilCrash(t, leasedFaulty{faulty, leaser}, inner, at)
			if at > faulty.Appends() { // one that was refused does not come to its fault
				if broken || at < 10 {
					t.Fatalf("only %d appends", at-1)
				}
				break
			}
		}
	}
}

// leasedFaulty is a faulty store that knows who lives.
type leasedFaulty struct {
	*journaltest.Faulty
	journal.Leaser
}

func startsUntilCrash(t *testing.T, faulty, inner journal.Store, at int) {
	plans := versions()
	rt, err := fermata.New(fermata.Options{Store: faulty})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	starts := []int{0, 0, 0, 1, 1} // versions: the fourth start lets the run of the first three go
	done := 0
	for i, v := range starts {
		if _, err := plans[v].Start(t.Context(), rt, state{N: i + 1}, fermata.Debounce("k", time.Hour, 0)); err != nil {
			if !errors.Is(err, errDead) {
				t.Errorf("append %d: %v", at, err)
			}
			break
		}
		done = i + 1
	}
	next := runtimeOn(t, inner)
	page, err := next.FindRuns(t.Context(), journal.RunQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var ran []int
	for _, row := range page.Runs {
		g := plans[0]
		if row.Fingerprint == plans[1].Plan().Fingerprint() {
			g = plans[1]
		}
		ran = append(ran, ends(t, resume(t, next, g, row.ID), fermata.Completed).State.N)
	}
	slices.Sort(ran)
	possible := map[int][]int{0: nil, 1: {1}, 2: {2}, 3: {3}, 4: {3, 4}, 5: {3, 5}}
	if !slices.Equal(ran, possible[done]) && !slices.Equal(ran, possible[min(done+1, 5)]) {
		t.Errorf("append %d: %d starts were acknowledged, and the inputs %v ran", at, done, ran)
	}
	if run := start(t, next, plans[0], state{N: 9}, fermata.Debounce("k", time.Hour, 0)); run.Replaced() {
		t.Errorf("append %d: a run that has ended still holds the key", at)
	}
}

// TestJ21_Refused checks what cannot be given, and whose keys are not taken.
func TestJ21_Refused(t *testing.T) {
	rt, store := inMemory(t)
	g := versions()[0]
	for _, opts := range [][]fermata.StartOption{
		{fermata.Debounce("", time.Second, 0)},
		{fermata.Debounce("k", 0, 0)},
		{fermata.Debounce("k", time.Second, time.Millisecond)},
		{fermata.Debounce("k", time.Second, -1)},
		{fermata.Debounce("k", time.Second, 0), fermata.WithID("r")},
		{fermata.Debounce("k", time.Second, 0), fermata.Attach()},
		{fermata.Debounce("k", time.Second, 0), fermata.NotBefore(time.Now())},
		{fermata.Dedup("k"), fermata.Debounce("l", time.Second, 0)},
		{fermata.Debounce("k", time.Second, 0), fermata.Dedup("l")},
		{fermata.Debounce("k", time.Second, 0), fermata.WithDurability(fermata.None)},
	} {
		if _, err := g.Start(t.Context(), rt, state{}, opts...); codeOf(err) != fermata.CodeInvalid {
			t.Errorf("a start that cannot be: %v", err)
		}
	}
	unleased := newRuntime(t, fermata.Options{Store: store, Lease: -1})
	if _, err := g.Start(t.Context(), unleased, state{}, fermata.Debounce("k", time.Second, 0)); codeOf(err) != fermata.CodeInvalid {
		t.Errorf("without workers: %v", err)
	}
	holds := start(t, rt, g, state{}, fermata.NotBefore(time.Now().Add(time.Hour)), fermata.Dedup("mine"))
	_, err := g.Start(t.Context(), rt, state{}, fermata.Debounce("mine", time.Second, 0))
	if dup, ok := errors.AsType[*fermata.DuplicateError](err); !ok || dup.Run != holds.ID() {
		t.Errorf("a key of a run that is not debounced: %v", err)
	}
	start(t, rt, g, state{}, fermata.Debounce("theirs", time.Hour, 0))
	other := graph.New[state]("other").Node("a", logged).Edge(graph.Start, "a").MustCompile()
	if _, err := other.Start(t.Context(), rt, state{}, fermata.Debounce("theirs", time.Hour, 0)); !errors.Is(err, fermata.ErrConflict) {
		t.Errorf("a key of another plan: %v", err)
	}
}

// TestJ21_TheLastStartsLabelsAndDeadline checks what a start replaces beside the input, that a file keeps it, and that a fork is no
// debounced run.
func TestJ21_TheLastStartsLabelsAndDeadline(t *testing.T) {
	rt, store := inMemory(t)
	g := versions()[0]
	first := start(t, rt, g, state{N: 1}, fermata.Debounce("k", time.Hour, 0), fermata.WithLabel("who", "ann"))
	until := time.Now().Add(3 * time.Hour).Truncate(time.Second)
	run := start(t, rt, g, state{N: 2}, fermata.Debounce("k", time.Hour, 0), fermata.WithLabel("who", "bo"), fermata.Until(until), fermata.StartedBy("bo"))
	row, err := rt.Info(t.Context(), run.ID())
	if err != nil || run.ID() != first.ID() || row.Labels["who"] != "bo" {
		t.Errorf("the row is %+v, %v", row, err)
	}
	timers, err := store.Timers(t.Context(), 1<<62, 0)
	if err != nil || len(timers) != 1 || timers[0].Due != until.UnixMicro() {
		t.Errorf("the timers are %+v, %v", timers, err)
	}
	var file bytes.Buffer
	if err := rt.Export(t.Context(), run.ID(), &file); err != nil {
		t.Fatal(err)
	}
	elsewhere, _ := inMemory(t)
	if _, err := elsewhere.Import(t.Context(), &file, fermata.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, err := elsewhere.Info(t.Context(), run.ID()); err != nil || got.Turn != row.Turn || got.Labels["who"] != "bo" || got.Status != row.Status {
		t.Errorf("the row after an import is %+v, %v; expected %+v", got, err, row)
	}
	ends(t, resume(t, rt, g, run.ID()), fermata.Completed)
	fork, err := g.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{At: uint64(len(entries(t, store, run.ID())) - 1)})
	if err != nil {
		t.Fatal(err)
	}
	if res := ends(t, fork, fermata.Completed); res.State.N != 2 {
		t.Errorf("the fork has run with %d", res.State.N)
	}
}

// onEveryStore runs a test on every store that there is.
func onEveryStore(t *testing.T, test func(t *testing.T, s journal.Store)) {
	for name, open := range everyStore() {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}
