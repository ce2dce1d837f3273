package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// job is a graph with an input, and a judge of its result.
type job[S any] struct {
	graph func(immutable bool) *graph.Graph[S] // as a user writes it at first, or with the promise to change nothing in place
	input func() S
	check func(S) string  // says what is wrong, "" for nothing
	part  *contest.Window // what is measured of a run; nil for all of it
}

// promising makes the promise to change nothing in place, or not.
func promising[S any](b *graph.Builder[S], immutable bool) *graph.Builder[S] {
	if immutable {
		b.Immutable()
	}
	return b
}

// way makes a contestant, whose result is judged once.
func (j *job[S]) way(name string, h *host, run func() (S, error)) contest.Contestant {
	return contest.Contestant{
		Name: name, Ready: h.renew, Over: h.close, Window: j.part,
		Run: func() error {
			_, err := run()
			return err
		},
		Check: func() error {
			s, err := run()
			if err == nil && j.check != nil {
				if wrong := j.check(s); wrong != "" {
					err = errors.New(wrong)
				}
			}
			return err
		},
	}
}

// plain runs the graph in the caller's goroutine, with nothing kept.
func (j *job[S]) plain(name string, immutable bool) contest.Contestant {
	g := j.graph(immutable)
	return j.way(name, nil, func() (S, error) { return g.Run(context.Background(), j.input()) })
}

// stored runs it on a runtime to its end, with a journal of its own.
func (j *job[S]) stored(name string, immutable bool, h *host) contest.Contestant {
	g := j.graph(immutable)
	return j.way(name, h, func() (S, error) {
		run, err := g.Start(context.Background(), h.rt, j.input())
		if err != nil {
			var none S
			return none, err
		}
		return ended(run.Wait(context.Background()))
	})
}

// watched runs it on a runtime, while one reader drains its events.
func (j *job[S]) watched(name string, immutable bool, h *host, opts ...fermata.StartOption) contest.Contestant {
	g := j.graph(immutable)
	return j.way(name, h, func() (s S, err error) {
		ctx := context.Background()
		run, err := g.Start(ctx, h.rt, j.input(), opts...)
		if err != nil {
			return s, err
		}
		seen := uint64(0)
		for e, err := range run.Events(ctx, 0) {
			if err != nil {
				return s, err
			}
			seen = e.Seq()
		}
		if seen == 0 {
			return s, errors.New("no event was seen")
		}
		return ended(run.Wait(ctx))
	})
}

func ended[S any](res graph.Result[S], err error) (S, error) {
	if err == nil && res.Status != fermata.Completed {
		err = fmt.Errorf("the run is %s", res.Status)
	}
	return res.State, err
}

// ways are a job as a user writes it at first (default) and with the promise of Immutable: run without a runtime, stored in
// memory, and stored in SQLite. Events are without a journal, with one reader.
func ways[S any](b *testing.B, j job[S]) []contest.Contestant {
	b.Helper()
	return []contest.Contestant{
		j.plain("default", false),
		j.stored("default-stored", false, inMemory(b)),
		j.stored("default-sqlite", false, inSQLite(b, sqlite.Normal)),
		j.plain("immutable", true),
		j.watched("immutable-events", true, inMemory(b), fermata.WithDurability(fermata.None)),
		j.stored("immutable-stored", true, inMemory(b)),
		j.stored("immutable-sqlite", true, inSQLite(b, sqlite.Normal)),
	}
}

// compare measures the ways of a job beside floors.
func compare[S any](b *testing.B, unit string, units int, j job[S], floors ...contest.Contestant) {
	b.Helper()
	contest.Between(b, unit, units, append(floors, ways(b, j)...)...)
}

func floor(name string, f func()) contest.Contestant {
	return contest.Contestant{Name: name, Run: func() error { f(); return nil }}
}

// host is a runtime that begins with an empty store whenever it is renewed.
type host struct {
	rt    *fermata.Runtime
	kept  journal.Store // by the runtime
	store func() (journal.Store, error)
	gone  func() error // removes the store; may be nil
}

// renew opens an empty store. A host that is nil has none.
func (h *host) renew() error {
	if h == nil {
		return nil
	}
	var err error
	if h.kept, err = h.store(); err == nil {
		h.rt, err = fermata.New(fermata.Options{Store: h.kept})
	}
	return err
}

func (h *host) close() error {
	if h == nil || h.rt == nil {
		return nil
	}
	err := h.rt.Close()
	h.rt, h.kept = nil, nil
	if h.gone != nil {
		err = errors.Join(err, h.gone())
	}
	return err
}

func (h *host) closed(b *testing.B) *host {
	b.Cleanup(func() {
		if err := h.close(); err != nil {
			b.Error(err)
		}
	})
	return h
}

// inMemory keeps runs in the memory store.
func inMemory(b *testing.B) *host {
	b.Helper()
	h := &host{store: func() (journal.Store, error) { return memory.New(), nil }}
	return h.closed(b)
}

// inSQLite keeps runs in a file.
func inSQLite(b *testing.B, mode sqlite.Sync) *host {
	b.Helper()
	dir, files := b.TempDir(), 0
	h := &host{}
	h.store = func() (journal.Store, error) {
		files++
		path := filepath.Join(dir, strconv.Itoa(files)+".db")
		store, err := sqlite.OpenWith(path, sqlite.Options{Sync: mode})
		if err != nil {
			return nil, err
		}
		h.gone = func() error { return errors.Join(store.Close(), os.Remove(path)) }
		return store, nil
	}
	return h.closed(b)
}

func newRuntime(b *testing.B, o fermata.Options) *fermata.Runtime {
	b.Helper()
	rt, err := fermata.New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := rt.Close(); err != nil {
			b.Error(err)
		}
	})
	return rt
}
