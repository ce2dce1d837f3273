package settings_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/internal/teststore"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/crypt"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/settings"
)

// onEachStore runs a test on an empty store of each kind, and on a sealed one.
func onEachStore(t *testing.T, test func(t *testing.T, store journal.Store)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) { test(t, memory.New()) })
	t.Run("sqlite", func(t *testing.T) {
		store, err := sqlite.Open(t.TempDir() + "/runs.db")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = store.Close() }()
		test(t, store)
	})
	for _, kind := range testserver.Kinds() {
		t.Run(kind, func(t *testing.T) { test(t, teststore.Open(t, kind)) })
	}
	t.Run("sealed", func(t *testing.T) {
		key, err := crypt.NewKey("k1")
		if err != nil {
			t.Fatal(err)
		}
		store, err := crypt.Wrap(memory.New(), crypt.Keys{Current: key})
		if err != nil {
			t.Fatal(err)
		}
		test(t, store)
	})
}

// clock is a time that goes on by a second each time it is asked.
func clock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

func value(text string) settings.Change { return settings.Change{Value: []byte(text), By: "ada"} }

// TestW4_EveryVersionStays takes random changes, right and wrong ones, and compares documents, lists and histories with a model of them.
func TestW4_EveryVersionStays(t *testing.T) {
	onEachStore(t, func(t *testing.T, store journal.Store) {
		s, ctx := settings.New(store, settings.Options{Now: clock()}), t.Context()
		r := rand.New(rand.NewPCG(1, 2))
		model := make(map[string][]settings.Document) // by what/name
		newest := func(key string) (d settings.Document, seq uint64) {
			if all := model[key]; len(all) > 0 && !all[len(all)-1].Deleted() {
				d = all[len(all)-1]
			}
			return d, d.Seq
		}
		for i := range 120 {
			what, name := []string{"limit", "limits"}[r.IntN(2)], []string{"a", "a@example.com", "B"}[r.IntN(3)]
			key := what + "/" + name
			_, seq := newest(key)
			c := settings.Change{Value: []byte(fmt.Sprintf(`{"i":%d}`, i)), By: "ada", Why: fmt.Sprintf("because\nof %d", i)}
			if r.IntN(4) == 0 {
				c.Value = nil
			}
			given := seq
			if r.IntN(3) == 0 {
				given = uint64(r.IntN(4))
			}
			d, err := s.Put(ctx, what, name, given, c)
			conflict, isConflict := errors.AsType[*settings.ConflictError](err)
			switch {
			case given != seq:
				if !isConflict || conflict.Found != seq || conflict.Expected != given || !errors.Is(err, journal.ErrConflict) {
					t.Fatalf("%s at %d, given %d: %+v, %v", key, seq, given, d, err)
				}
			case seq == 0 && c.Value == nil:
				if !errors.Is(err, settings.ErrNotFound) {
					t.Fatalf("%s is deleted twice: %v", key, err)
				}
			default:
				want := settings.Document{What: what, Name: name, Seq: uint64(len(model[key]) + 1), At: d.At, Change: c}
				if diff := cmp.Diff(want, d); err != nil || diff != "" {
					t.Fatalf("%s: %v\n%s", key, err, diff)
				}
				model[key] = append(model[key], d)
			}
		}
		for _, what := range []string{"limit", "limits", "other"} {
			var want []settings.Document
			for _, name := range []string{"B", "a", "a@example.com", "none"} {
				all, err := s.History(ctx, what, name)
				if diff := cmp.Diff(model[what+"/"+name], all); diff != "" || (err != nil) != (len(all) == 0) {
					t.Errorf("%s/%s: %v\n%s", what, name, err, diff)
				}
				d, err := s.Get(ctx, what, name)
				expected, seq := newest(what + "/" + name)
				if diff := cmp.Diff(expected, d); diff != "" || (seq == 0) != errors.Is(err, settings.ErrNotFound) {
					t.Errorf("%s/%s: %v\n%s", what, name, err, diff)
				}
				if seq > 0 {
					want = append(want, d)
				}
			}
			var names []string
			for _, name := range []string{"B", "a", "a@example.com"} {
				if len(model[what+"/"+name]) > 0 {
					names = append(names, name)
				}
			}
			if got, err := s.Names(ctx, what); err != nil || !cmp.Equal(names, got) {
				t.Errorf("names of %s: %q (%v), want %q", what, got, err, names)
			}
			all, err := s.List(ctx, what)
			if diff := cmp.Diff(want, all); err != nil || diff != "" {
				t.Errorf("%s: %v\n%s", what, err, diff)
			}
		}
	})
}

// TestW4_OneOfTwoChangesTakesEffect has several writers count in one document, each of which reads again after a conflict.
func TestW4_OneOfTwoChangesTakesEffect(t *testing.T) {
	onEachStore(t, func(t *testing.T, store journal.Store) {
		const writers, each = 4, 6
		var together sync.WaitGroup
		for w := range writers {
			s := settings.New(store, settings.Options{})
			together.Go(func() {
				for done := 0; done < each; {
					var n int
					d, err := s.Get(t.Context(), "count", "one")
					if err == nil {
						_, err = fmt.Sscan(string(d.Value), &n)
					} else if errors.Is(err, settings.ErrNotFound) {
						err = nil
					}
					if err != nil {
						t.Error(err)
						return
					}
					_, err = s.Put(t.Context(), "count", "one", d.Seq, settings.Change{Value: []byte(fmt.Sprint(n + 1)), By: fmt.Sprint("writer ", w)})
					switch {
					case err == nil:
						done++
					case !errors.Is(err, journal.ErrConflict):
						t.Error(err)
						return
					}
				}
			})
		}
		together.Wait()
		d, err := settings.New(store, settings.Options{}).Get(t.Context(), "count", "one")
		if err != nil || string(d.Value) != fmt.Sprint(writers*each) || d.Seq != writers*each {
			t.Errorf("%+v (%v)", d, err)
		}
	})
}

var nothing = graph.New[int]("nothing").Node("n", func(_ node.Context, n int) (int, error) { return n, nil }).Edge(graph.Start, "n").MustCompile()

// TestW4_SettingsAreNoRuns looks for a setting wherever runs are shown and removed, and for a run where settings are.
func TestW4_SettingsAreNoRuns(t *testing.T) {
	onEachStore(t, func(t *testing.T, store journal.Store) {
		ctx := t.Context()
		s := settings.New(store, settings.Options{Now: func() time.Time { return time.Now().AddDate(-1, 0, 0) }})
		if _, err := s.Put(ctx, "limit", "one", 0, value(`{"most":1}`)); err != nil {
			t.Fatal(err)
		}
		rt := fermata.MustNew(fermata.Options{Store: store})
		defer func() { _ = rt.Close() }()
		run, err := nothing.Start(ctx, rt, 1, fermata.WithID("set/limit/two"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		page, err := rt.FindRuns(ctx, journal.RunQuery{})
		if err != nil || len(page.Runs) != 1 || page.Runs[0].ID != "set/limit/two" {
			t.Errorf("runs: %+v (%v)", page, err)
		}
		if counts, err := rt.CountRuns(ctx, journal.RunQuery{}, journal.CountStatus); err != nil || len(counts.By) != 1 || counts.By[0].N != 1 {
			t.Errorf("counts: %+v (%v)", counts, err)
		}
		for name, err := range map[string]error{
			"get":  second(s.Get(ctx, "limit", "two")),
			"put":  second(s.Put(ctx, "limit", "two", 0, value(`1`))),
			"hist": second(s.History(ctx, "limit", "two")),
		} {
			if !errors.Is(err, journal.ErrCorrupt) {
				t.Errorf("%s of a run: %v", name, err)
			}
		}
		if _, err := rt.Prune(ctx, fermata.PruneOptions{}); err != nil {
			t.Fatal(err)
		}
		if all, err := s.List(ctx, "limit"); err != nil || len(all) != 1 || all[0].Name != "one" {
			t.Errorf("after prune: %+v (%v)", all, err)
		}
	})
}

func second[T any](_ T, err error) error { return err }

// TestW4_AChangeThatFailedChangesNothing has each append fail once, before it was written and behind it.
func TestW4_AChangeThatFailedChangesNothing(t *testing.T) {
	for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
		store := journaltest.NewFaulty(memory.New())
		s := settings.New(store, settings.Options{Now: clock()})
		d, err := s.Put(t.Context(), "limit", "one", 0, value(`1`))
		if err != nil {
			t.Fatal(err)
		}
		store.FailAppend(2, mode)
		if _, err := s.Put(t.Context(), "limit", "one", d.Seq, value(`2`)); !errors.Is(err, journaltest.ErrFault) {
			t.Errorf("mode %d: %v", mode, err)
		}
		want := map[journaltest.Mode]string{journaltest.Before: "1", journaltest.After: "2"}[mode]
		if d, err = s.Get(t.Context(), "limit", "one"); err != nil || string(d.Value) != want {
			t.Errorf("mode %d: %+v (%v)", mode, d, err)
		}
		if _, err := s.Put(t.Context(), "limit", "one", d.Seq, value(`3`)); err != nil {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
}

func TestWrongSettingsAreRefused(t *testing.T) {
	s, ctx := settings.New(memory.New(), settings.Options{}), t.Context()
	for _, tt := range []struct {
		what, name string
		change     settings.Change
		want       string
	}{
		{"", "a", value(`1`), "expected a word of small letters"},
		{"a/b", "a", value(`1`), "expected a word of small letters"},
		{"limit", "", value(`1`), "at most 100"},
		{"limit", "../x", value(`1`), "at most 100"},
		{"limit", strings.Repeat("a", 101), value(`1`), "at most 100"},
		{"limit", "a", value(`{`), "no JSON"},
		{"limit", "a", value(``), "no JSON"},
		{"limit", "a", value(`"` + strings.Repeat("a", settings.MaxValue) + `"`), "expected at most 65536"},
		{"limit", "a", settings.Change{Value: []byte(`1`), By: "a\nb"}, "author"},
		{"limit", "a", settings.Change{Value: []byte(`1`), Why: strings.Repeat("a", 1001)}, "at most 1000 bytes"},
	} {
		if _, err := s.Put(ctx, tt.what, tt.name, 0, tt.change); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s/%s: got %v, want %q", tt.what, tt.name, err, tt.want)
		}
	}
	for name, err := range map[string]error{
		"list": second(s.List(ctx, "A")), "get": second(s.Get(ctx, "limit", "/")), "history": second(s.History(ctx, "/", "a")),
	} {
		if err == nil {
			t.Errorf("%s takes a wrong name", name)
		}
	}
}

func ExampleSettings_Put() {
	s, ctx := settings.New(memory.New(), settings.Options{}), context.Background()
	first, _ := s.Put(ctx, "limit", "refunds", 0, settings.Change{Value: []byte(`{"most": 100}`), By: "ada", Why: "audit"})
	_, _ = s.Put(ctx, "limit", "refunds", first.Seq, settings.Change{Value: []byte(`{"most": 50}`), By: "bob"})
	_, err := s.Put(ctx, "limit", "refunds", first.Seq, settings.Change{Value: []byte(`{"most": 10}`), By: "eve"})
	fmt.Println(err)
	all, _ := s.History(ctx, "limit", "refunds")
	for _, d := range all {
		fmt.Println(d.Seq, string(d.Value), d.By, d.Why)
	}
	// Output:
	// setting limit/refunds was changed meanwhile: expected version 1, found version 2; read it again
	// 1 {"most":100} ada audit
	// 2 {"most":50} bob
}
