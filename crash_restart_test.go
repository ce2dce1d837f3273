package fermata_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// heldGraph is at work for an hour when it is driven first, beside a branch that sleeps as childNap says; later it is done at once.
func heldGraph(o outside) *graph.Graph[order] {
	b := graph.New[order]("held").Merge(func(base order, _ []order) (order, error) { return base, nil })
	b.Node("head", func(_ node.Context, s order) (order, error) { return s, nil })
	b.Node("hold", func(ctx node.Context, s order) (order, error) {
		takes := time.Duration(0)
		if _, err := os.Stat(o.file); errors.Is(err, fs.ErrNotExist) {
			takes = time.Hour
		}
		return s, o.step(ctx, "hold", takes)
	})
	b.Node("nap", func(ctx node.Context, s order) (order, error) {
		nap, err := node.Step(ctx, "how long", func(node.Context) (time.Duration, error) { return time.ParseDuration(os.Getenv(childNap)) })
		if err != nil {
			return s, err
		}
		return s, node.Sleep(ctx, nap)
	})
	b.Node("join", func(_ node.Context, s order) (order, error) { return s, nil }, graph.All())
	return b.Edge(graph.Start, "head").Edge("head", "hold", "nap").Edge("hold", "join").Edge("nap", "join").MustCompile()
}

// Another process holds the file for far longer than the store waits, while a run is driven: Wait does not fail, and the
// run is driven on when the file is free.
func TestJ2_AForeignLockDoesNotEndAWait(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.db")
	store, err := sqlite.OpenWith(path, sqlite.Options{Busy: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	execute := func(statement string) {
		if _, err := other.ExecContext(t.Context(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	at, locked := make(chan bool, 10), make(chan bool)
	g := single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Step(ctx, "first", func(node.Context) (int, error) { return 1, nil })
		if err != nil {
			return s, err
		}
		at <- true
		<-locked
		if _, err = node.Step(ctx, "second", func(node.Context) (int, error) { return 2, nil }); err != nil {
			return s, err
		}
		return logged(ctx, s)
	})
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	run, err := g.Start(t.Context(), rt, state{})
	if err != nil {
		t.Fatal(err)
	}
	<-at
	execute("BEGIN EXCLUSIVE")
	const lock = 3 * time.Second
	began := time.Now()
	time.AfterFunc(lock, func() { execute("ROLLBACK") })
	close(locked)
	result, err := run.Wait(timeLimit(t))
	if err != nil || result.Status != fermata.Completed || len(result.State.Log) != 1 {
		t.Errorf("found %v, %v, %v; expected %s", result.Status, result.State, err, fermata.Completed)
	}
	if took := time.Since(began); took < lock {
		t.Errorf("the run was done after %v, while the file was locked", took)
	}
	if len(at) == 0 {
		t.Error("the store has not failed: the lock was no trouble")
	}
}
