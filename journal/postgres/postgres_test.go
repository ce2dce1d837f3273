package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/user"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/postgres"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is the address of a database for tests: FERMATA_TEST_POSTGRES, or one on this machine that trusts its users.
var server = sync.OnceValues(func() (dsn string, err error) {
	if dsn = os.Getenv("FERMATA_TEST_POSTGRES"); dsn != "" {
		return dsn, try(dsn)
	}
	names := []string{"postgres"}
	if me, err := user.Current(); err == nil {
		names = append(names, me.Username)
	}
	var all []error
	for _, name := range names {
		dsn := "postgres://" + name + "@127.0.0.1:5432/test"
		if err = try(dsn); err == nil {
			return dsn, nil
		}
		all = append(all, err)
	}
	return "", errors.Join(all...)
})

func try(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

// database is the address, or skips the test where there is no server. With CI=true there must be one.
func database(t testing.TB) string {
	t.Helper()
	dsn, err := server()
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("no PostgreSQL to test with: %v", err)
	case err != nil:
		t.Skipf("no PostgreSQL to test with (set FERMATA_TEST_POSTGRES to the address of one): %v", err)
	}
	return dsn
}

// raw is a connection that knows nothing of the store.
func raw(t testing.TB) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(context.Background(), database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func exec(t testing.TB, c *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := c.Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// newSchema is the name of a schema that is not there, and is removed at the end of the test.
func newSchema(t testing.TB) string {
	t.Helper()
	name := "t_" + strings.ToLower(rand.Text())
	dsn := database(t)
	t.Cleanup(func() {
		c, err := pgx.Connect(context.Background(), dsn)
		if err == nil {
			_, err = c.Exec(context.Background(), "SET synchronous_commit = off; DROP SCHEMA IF EXISTS "+name+" CASCADE")
			err = errors.Join(err, c.Close(context.Background()))
		}
		if err != nil {
			t.Errorf("schema %s is left behind: %v", name, err)
		}
	})
	return name
}

func open(t testing.TB, o postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.OpenWith(database(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeIt(t testing.TB, s journal.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestStore(t *testing.T) {
	schemas := make(map[journal.Store]string)
	again := func(t *testing.T, s journal.Store) journal.Store {
		next := open(t, postgres.Options{Schema: schemas[s]})
		schemas[next] = schemas[s]
		return next
	}
	journaltest.RunWith(t, journaltest.Options{
		Open: func(t *testing.T) journal.Store {
			schema := newSchema(t)
			s := open(t, postgres.Options{Schema: schema})
			schemas[s] = schema
			return s
		},
		Reopen: func(t *testing.T, s journal.Store) journal.Store {
			closeIt(t, s)
			return again(t, s)
		},
		Second: again,
	})
}
