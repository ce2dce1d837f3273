package bench

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	modernc "modernc.org/sqlite"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/bench/internal/workload"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// commits are the frames that a run writes, one a transaction.
func commits(b *testing.B, run func(h *host) error) [][]byte {
	b.Helper()
	path := filepath.Join(b.TempDir(), "once.db")
	store, err := sqlite.OpenWith(path, sqlite.Options{Sync: sqlite.Normal})
	if err != nil {
		b.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{Store: store})
	if err == nil {
		err = run(&host{rt: rt})
	}
	if err == nil {
		err = rt.Close()
	}
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT data FROM journal ORDER BY id")
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	var frames [][]byte
	for rows.Next() {
		var frame []byte
		if err := rows.Scan(&frame); err != nil {
			b.Fatal(err)
		}
		frames = append(frames, frame)
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return frames
}

// rawDriver is the driver alone, without database/sql: prepared statements on one connection, the tables that a run's
// journal and its projection need, and the pragmas of the store.
type rawDriver struct {
	conn                        driver.Conn
	begin, commit               driver.Stmt
	insertRun, insert, finished driver.Stmt
	row, run                    int64
}

func newRawDriver(b *testing.B, mode string) *rawDriver {
	b.Helper()
	path := filepath.Join(b.TempDir(), "raw.db")
	conn, err := (&modernc.Driver{}).Open("file:" + path + "?_pragma=journal_mode(WAL)&_pragma=synchronous(" + mode +
		")&_pragma=wal_autocheckpoint(1000)&_pragma=journal_size_limit(8388608)&_pragma=cache_size(-8192)")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := conn.Close(); err != nil {
			b.Error(err)
		}
	})
	d := &rawDriver{conn: conn}
	for _, table := range []string{
		"CREATE TABLE runs (id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, status TEXT NOT NULL) STRICT",
		"CREATE INDEX runs_status ON runs (status)",
		"CREATE TABLE journal (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, last INTEGER NOT NULL, back INTEGER NOT NULL, data BLOB NOT NULL) STRICT",
	} {
		s := d.prepare(b, table)
		if err := execute(s); err != nil {
			b.Fatal(err)
		}
	}
	d.begin, d.commit = d.prepare(b, "BEGIN IMMEDIATE"), d.prepare(b, "COMMIT")
	d.insertRun = d.prepare(b, "INSERT INTO runs VALUES (?, ?, ?)")
	d.insert = d.prepare(b, "INSERT INTO journal VALUES (?, ?, ?, ?, ?)")
	d.finished = d.prepare(b, "UPDATE runs SET status = ? WHERE id = ?")
	return d
}

func (d *rawDriver) prepare(b *testing.B, query string) driver.Stmt {
	b.Helper()
	s, err := d.conn.Prepare(query)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func execute(s driver.Stmt, args ...driver.Value) error {
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	_, err := s.(driver.StmtExecContext).ExecContext(context.Background(), named)
	return err
}

// write writes the frames of one run, one a transaction: the first with the run's row, the last with its status.
func (d *rawDriver) write(frames [][]byte) error {
	d.run++
	for i, frame := range frames {
		d.row++
		args := []driver.Value{d.row, d.run, int64(i), int64(1), frame}
		switch i {
		case 0:
			id := []driver.Value{d.run, "run_" + strconv.FormatInt(d.run, 10), "running"}
			if err := d.together(func() error {
				if err := execute(d.insertRun, id...); err != nil {
					return err
				}
				return execute(d.insert, args...)
			}); err != nil {
				return err
			}
		case len(frames) - 1:
			if err := d.together(func() error {
				if err := execute(d.insert, args...); err != nil {
					return err
				}
				return execute(d.finished, "completed", d.run)
			}); err != nil {
				return err
			}
		default:
			if err := execute(d.insert, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *rawDriver) together(f func() error) error {
	if err := execute(d.begin); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return execute(d.commit)
}

// compareSQLite measures runs that are stored in SQLite beside the driver alone, which writes the same frames in as many
// transactions.
func compareSQLite[S any](b *testing.B, name, unit string, units int, j job[S]) {
	for _, s := range syncs {
		b.Run(name+"/"+s.name, func(b *testing.B) {
			frames := commits(b, func(h *host) error { return j.stored("", false, h).Run() })
			bytes := 0
			for _, f := range frames {
				bytes += len(f)
			}
			raw := newRawDriver(b, s.name)
			contest.Between(b, unit, units,
				contest.Contestant{Name: "driver", Run: func() error { return raw.write(frames) }},
				j.stored("default-sqlite", false, inSQLite(b, s.mode)),
				j.stored("immutable-sqlite", true, inSQLite(b, s.mode)))
			b.ReportMetric(float64(len(frames)), "commits/run")
			b.ReportMetric(float64(bytes), "B/run")
		})
	}
}

// BenchmarkSQLite is the workloads with every commit in SQLite, beside the driver alone.
func BenchmarkSQLite(b *testing.B) {
	for _, n := range few(10, 1000) {
		compareSQLite(b, fmt.Sprintf("sequential/%d", n), "node", n, job[messages]{graph: sequential(n), input: nothing})
	}
	for _, n := range few(10, 100) {
		s := workload.NewScript(n)
		compareSQLite(b, fmt.Sprintf("react/%d", n), "node", s.Nodes(), reactJob(s))
	}
	for _, n := range few(10, 100) {
		compareSQLite(b, fmt.Sprintf("fanout/%d", n), "child", n, fanOutJob(workload.NewTopics(n)))
	}
	for _, w := range wideSizes() {
		compareSQLite(b, "wide/"+w.Name, "node", w.Visits(), wideJob(w))
	}
}
