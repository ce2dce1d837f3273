package recipes_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/redis"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

// TestJ5_RecipesSurviveCrashesOnStores lets them crash on stores that outlive the process: with FERMATA_EXPLORE every
// test at every append, else the longest test of each recipe at some.
func TestJ5_RecipesSurviveCrashesOnStores(t *testing.T) {
	if testing.Short() {
		t.Skip("opens each store some hundred times")
	}
	files, err := recipetest.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	opts := make(map[string]recipetest.Options)
	for _, file := range files {
		o := recipetest.Options{Crash: true}
		if !exploring() {
			o.Every, o.Only = 20, longest(t, file)
		}
		opts[file] = o
	}
	for name, place := range map[string]func(t *testing.T) opener{"sqlite": onSQLite, "postgres": onPostgres, "redis": onRedis} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tests, crashes atomic.Int64
			began := time.Now()
			sideBySide(t, files, place, func(t *testing.T, file string, open opener) {
				opts := opts[file]
				opts.Store = open
				n, c := survives(t, file, opts)
				tests.Add(n)
				crashes.Add(c)
			})
			t.Logf("%d recipes, %d tests, %d crashes, %v", len(files), tests.Load(), crashes.Load(), time.Since(began).Round(time.Millisecond))
			if crashes.Load() < tests.Load() {
				t.Errorf("%d crashes show little", crashes.Load())
			}
		})
	}
}

// opener opens the store of a run that is kept in a folder.
type opener = func(dir string) (journal.Store, error)

// lanes is how many recipes crash side by side on one store: most of the time each waits for a server or a disk.
const lanes = 8

// sideBySide has each recipe tested once, in one of several places of a store. A place serves one recipe after the other.
func sideBySide(t *testing.T, files []string, place func(t *testing.T) opener, test func(t *testing.T, file string, open opener)) {
	t.Helper()
	next := make(chan string)
	var all sync.WaitGroup
	for range lanes {
		open := place(t)
		all.Go(func() {
			for file := range next {
				t.Run(filepath.ToSlash(file), func(t *testing.T) { test(t, file, open) })
			}
		})
	}
	for _, file := range files {
		next <- file
	}
	close(next)
	all.Wait()
}

// survives runs a recipe's tests with crashes, and says how many of each there were.
func survives(t *testing.T, file string, opts recipetest.Options) (tests, crashes int64) {
	t.Helper()
	began := time.Now()
	report, err := recipetest.Check(t.Context(), file, opts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range report.Results {
		r := &report.Results[i]
		tests, crashes = tests+1, crashes+int64(r.Crashes)
		for _, v := range r.Broken {
			t.Errorf("%s: %s", r.Test.Name, v)
		}
		for _, f := range r.Failures {
			t.Error(f)
		}
	}
	t.Logf("%d tests, %d crashes, %v", tests, crashes, time.Since(began).Round(time.Millisecond))
	return tests, crashes
}

// longest is the test of a recipe whose run has the most steps.
func longest(t *testing.T, file string) *regexp.Regexp {
	t.Helper()
	report, err := recipetest.Check(t.Context(), file, recipetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name, most := "", -1
	for i := range report.Results {
		if r := &report.Results[i]; r.Trace != nil && len(r.Trace.Steps) > most {
			name, most = r.Test.Name, len(r.Trace.Steps)
		}
	}
	return regexp.MustCompile("^" + regexp.QuoteMeta(name) + "$")
}

func onSQLite(*testing.T) opener {
	return func(dir string) (journal.Store, error) {
		return sqlite.Open(filepath.Join(dir, "runs.db"))
	}
}

// onPostgres keeps all runs in one schema, one after the other: making one for each takes longer than the runs.
func onPostgres(t *testing.T) opener {
	t.Helper()
	dsn, o := testserver.Postgres(t), postgres.Options{Schema: testserver.Schema(t), Conns: 4} // a server has a hundred
	return emptied(t, func() (journal.Store, error) { return postgres.OpenWith(dsn, o) })
}

func onRedis(t *testing.T) opener {
	t.Helper()
	dsn, o := testserver.Redis(t), redis.Options{Prefix: testserver.Prefix(t), Accept: redis.Memory} // whatever the server does
	return emptied(t, func() (journal.Store, error) { return redis.OpenWith(dsn, o) })
}

// emptied is a server's store that is the same for all folders, and empty for a new one. What a process knows of it is
// its connections, and making those takes longer than a run: they outlive crashes, or where there is time for more every
// other crash.
func emptied(t *testing.T, open func() (journal.Store, error)) opener {
	t.Helper()
	p := &place{t: t, open: open}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	return p.enter
}

// place is where runs are kept on a server, one after the other.
type place struct {
	t       *testing.T
	open    func() (journal.Store, error)
	store   journal.Store // nil before the first run
	run     string        // the folder of the run
	crashes int
}

// enter is the store as a process finds it: one that begins a run, or one that takes it up after a crash.
func (p *place) enter(dir string) (journal.Store, error) {
	crashed := dir == p.run
	if crashed {
		p.crashes++
	}
	if crashed && exploring() && p.crashes%2 == 0 {
		if err := p.close(); err != nil {
			return nil, err
		}
	}
	if p.store == nil {
		s, err := p.open()
		if err != nil {
			return nil, err
		}
		p.store = s
	}
	if !crashed {
		p.run = dir
		if err := p.empty(); err != nil {
			return nil, err
		}
	}
	return connected{p.store}, nil
}

func (p *place) empty() error {
	rows, err := p.store.Runs(p.t.Context(), journal.RunFilter{})
	for i := range rows {
		err = errors.Join(err, p.store.Delete(p.t.Context(), rows[i].ID))
	}
	return err
}

func (p *place) close() (err error) {
	if p.store != nil {
		err = p.store.Close()
	}
	p.store = nil
	return err
}

// connected is a store that Close does not close.
type connected struct{ journal.Store }

func (connected) Close() error { return nil }

// exploring reports whether there is time for more: FERMATA_EXPLORE is set.
func exploring() bool { return os.Getenv("FERMATA_EXPLORE") != "" }
