package peers

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	_ "modernc.org/sqlite" // the driver of all engines in Go, and of Fermata's store

	"github.com/fermata-go/fermata/bench/internal/workload"
)

// place is where an engine keeps what it stores: in memory, or in SQLite. Files have a write-ahead log and are not synced
// at each commit (NORMAL), as Fermata's are by that name.
type place struct {
	tb   testing.TB
	disk bool
	made atomic.Int64 // of ids
}

func (p *place) name() string {
	if p.disk {
		return "sqlite"
	}
	return "memory"
}

// file is the path of a new file.
func (p *place) file() string { return filepath.Join(p.tb.TempDir(), "peer.db") }

const pragmas = "?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(5000)&_txlock=immediate"

// db is a new database in SQLite, with one connection.
func (p *place) db() (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+p.file()+pragmas)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	p.tb.Cleanup(func() { _ = db.Close() })
	return db, nil
}

// id is an id that no run has yet.
func (p *place) id() string { return fmt.Sprintf("run %d", p.made.Add(1)) }

// table keeps values by keys in SQLite, for engines that leave the store to the program.
type table struct {
	get, set *sql.Stmt
}

func (p *place) table() (*table, error) {
	db, err := p.db()
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec("CREATE TABLE kept (id TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID"); err != nil {
		return nil, err
	}
	t := &table{}
	if t.get, err = db.Prepare("SELECT data FROM kept WHERE id = ?"); err != nil {
		return nil, err
	}
	t.set, err = db.Prepare("INSERT INTO kept VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET data = excluded.data")
	return t, err
}

// Get and Set are the store of checkpoints that Eino asks for.
func (t *table) Get(ctx context.Context, id string) ([]byte, bool, error) {
	var data []byte
	switch err := t.get.QueryRowContext(ctx, id).Scan(&data); err {
	case nil:
		return data, true, nil
	case sql.ErrNoRows:
		return nil, false, nil
	default:
		return nil, false, err
	}
}

func (t *table) Set(ctx context.Context, id string, data []byte) error {
	_, err := t.set.ExecContext(ctx, id, data)
	return err
}

// pauseOf starts a run, waits until it asks, answers, and waits for its end.
func pauseOf(p *place) workloadOf[workload.Messages] {
	return workloadOf[workload.Messages]{
		unit: "run", units: 1,
		make: func(e engine) (run[workload.Messages], error) {
			if e.pause == nil {
				return nil, errNot
			}
			return e.pause(p)
		},
		input: func() workload.Messages { return workload.Messages{} },
		floor: func() workload.Messages { return workload.Count(workload.Messages{}) },
	}
}

// storedOf is a chain whose nodes are each stored before the next begins.
func storedOf(p *place, n int) workloadOf[workload.Messages] {
	w := sequentialOf(n)
	w.make = func(e engine) (run[workload.Messages], error) {
		if e.storedSequential == nil {
			return nil, errNot
		}
		return e.storedSequential(p, n)
	}
	return w
}

// storedReactOf is the conversation of an agent, likewise.
func storedReactOf(p *place, n int) workloadOf[workload.Agent] {
	w := reactOf(n)
	s := workload.NewScript(n)
	w.make = func(e engine) (run[workload.Agent], error) {
		if e.storedReact == nil {
			return nil, errNot
		}
		return e.storedReact(p, s)
	}
	return w
}

func places(tb testing.TB) []*place {
	return []*place{{tb: tb}, {tb: tb, disk: true}}
}

func BenchmarkPauseAndResume(b *testing.B) {
	for _, p := range places(b) {
		b.Run(p.name(), func(b *testing.B) { p.tb = b; measure(b, pauseOf(p)) })
	}
}

func BenchmarkStoredSequential10(b *testing.B) {
	for _, p := range places(b) {
		b.Run(p.name(), func(b *testing.B) { p.tb = b; measure(b, storedOf(p, 10)) })
	}
}

func BenchmarkStoredReactAgent10(b *testing.B) {
	for _, p := range places(b) {
		b.Run(p.name(), func(b *testing.B) { p.tb = b; measure(b, storedReactOf(p, 10)) })
	}
}

// Every engine comes to the same results also with a store.
func TestStoredResults(t *testing.T) {
	for _, e := range engines() {
		for _, p := range places(t) {
			t.Run(e.name+"/"+p.name(), func(t *testing.T) {
				p.tb = t
				same(t, "pause", e, pauseOf(p))
				same(t, "sequential", e, storedOf(p, 10))
				same(t, "react", e, storedReactOf(p, 10))
			})
		}
	}
}
