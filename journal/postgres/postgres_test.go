package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/postgres"
)

func TestMain(m *testing.M) {
	lawtest.RunBeside(12)
	goleak.VerifyTestMain(m)
}

// database is the address of the one to test with.
func database(t testing.TB) string {
	t.Helper()
	return testserver.Postgres(t)
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
	return testserver.Schema(t)
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
	t.Parallel()
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
