package recipes_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

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
	opts := make([]recipetest.Options, len(files))
	for i, file := range files {
		if opts[i].Crash = true; !exploring() {
			opts[i].Every, opts[i].Only = 10, longest(t, file)
		}
	}
	for name, open := range map[string]func(t *testing.T) func(dir string) (journal.Store, error){
		"sqlite": onSQLite, "postgres": onPostgres, "redis": onRedis,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, began, tests, crashes := open(t), time.Now(), 0, 0
			for i, file := range files {
				opts := opts[i]
				opts.Store = store
				report, err := recipetest.Check(t.Context(), file, opts)
				if err != nil {
					t.Error(err)
					continue
				}
				for i := range report.Results {
					r := &report.Results[i]
					tests, crashes = tests+1, crashes+r.Crashes
					for _, v := range r.Broken {
						t.Errorf("%s: %s: %s", file, r.Test.Name, v)
					}
					for _, f := range r.Failures {
						t.Error(f)
					}
				}
			}
			t.Logf("%d recipes, %d tests, %d crashes, %v", len(files), tests, crashes, time.Since(began).Round(time.Millisecond))
			if crashes < tests {
				t.Errorf("%d crashes show little", crashes)
			}
		})
	}
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

func onSQLite(*testing.T) func(dir string) (journal.Store, error) {
	return func(dir string) (journal.Store, error) {
		return sqlite.Open(filepath.Join(dir, "runs.db"))
	}
}

// onPostgres keeps all runs in one schema, one after the other: making one for each takes longer than the runs.
func onPostgres(t *testing.T) func(dir string) (journal.Store, error) {
	server, err := aPostgres()
	needServer(t, "FERMATA_TEST_POSTGRES", err)
	schema := "fermata_test_" + strings.ToLower(rand.Text()[:12])
	t.Cleanup(func() {
		c, err := pgx.Connect(context.Background(), server)
		if err == nil {
			_, err = c.Exec(context.Background(), "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
			err = errors.Join(err, c.Close(context.Background()))
		}
		if err != nil {
			t.Errorf("schema %s is left behind: %v", schema, err)
		}
	})
	return emptied(t, func() (journal.Store, error) { return postgres.OpenWith(server, postgres.Options{Schema: schema}) })
}

func aPostgres() (string, error) {
	dsns := []string{os.Getenv("FERMATA_TEST_POSTGRES")}
	if dsns[0] == "" {
		dsns[0] = "postgres://postgres@127.0.0.1:5432/test"
		if me, err := user.Current(); err == nil {
			dsns = append(dsns, "postgres://"+url.PathEscape(me.Username)+"@127.0.0.1:5432/test")
		}
	}
	var all error
	for _, dsn := range dsns {
		if err := reaches(dsn); err != nil {
			all = errors.Join(all, err)
			continue
		}
		return dsn, nil
	}
	return "", all
}

func reaches(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

func onRedis(t *testing.T) func(dir string) (journal.Store, error) {
	goredis.SetLogger(&logging.VoidLogger{})
	server := os.Getenv("FERMATA_TEST_REDIS")
	if server == "" {
		server = "redis://127.0.0.1:6379/0"
	}
	o, err := goredis.ParseURL(server)
	if err != nil {
		t.Fatal("FERMATA_TEST_REDIS is not the address of a Redis server")
	}
	c := goredis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	needServer(t, "FERMATA_TEST_REDIS", c.Ping(t.Context()).Err())
	prefix := "fermata-test:" + rand.Text() + ":"
	t.Cleanup(func() {
		ctx := context.Background()
		for it := c.Scan(ctx, 0, prefix+"*", 1000).Iterator(); it.Next(ctx); {
			c.Unlink(ctx, it.Val())
		}
	})
	return emptied(t, func() (journal.Store, error) {
		return redis.OpenWith(server, redis.Options{Prefix: prefix, Accept: redis.Memory}) // whatever the server does
	})
}

// emptied is a server's store that is the same for all folders, and empty for a new one. What a process knows of it is
// its connections, and making those takes longer than a run: they outlive a crash unless there is time for more.
func emptied(t *testing.T, open func() (journal.Store, error)) func(dir string) (journal.Store, error) {
	if !exploring() {
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		open = func() (journal.Store, error) { return connected{s}, nil }
	}
	last := ""
	return func(dir string) (journal.Store, error) {
		s, err := open()
		if err != nil || dir == last {
			return s, err
		}
		last = dir
		rows, err := s.Runs(t.Context(), journal.RunFilter{})
		for i := range rows {
			err = errors.Join(err, s.Delete(t.Context(), rows[i].ID))
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return s, nil
	}
}

// connected is a store that Close does not close.
type connected struct{ journal.Store }

func (connected) Close() error { return nil }

// exploring reports whether there is time for more: FERMATA_EXPLORE is set.
func exploring() bool { return os.Getenv("FERMATA_EXPLORE") != "" }

// needServer skips a test without its server. With CI=true there must be one.
func needServer(t *testing.T, variable string, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skipf("no server to test with (set %s): %v", variable, err)
	}
}
