package testserver

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// told is a test that notes what it is told.
type told struct {
	*testing.T
	said []string
	ends []func()
}

func (r *told) Cleanup(f func()) { r.ends = append(r.ends, f) }
func (r *told) Fatalf(format string, args ...any) {
	r.said = append(r.said, "fails: "+fmt.Sprintf(format, args...))
}

func (r *told) Skipf(format string, args ...any) {
	r.said = append(r.said, "skipped: "+fmt.Sprintf(format, args...))
}

func TestATestWithoutItsServer(t *testing.T) {
	for ci, want := range map[string][]string{"": {"skipped: nobody is there"}, "true": {"fails: nobody is there"}} {
		t.Setenv("CI", ci)
		r := &told{T: t}
		need(r, nil)
		need(r, errors.New("nobody is there"))
		if diff := cmp.Diff(want, r.said); diff != "" {
			t.Errorf("CI=%s (-want +got):\n%s", ci, diff)
		}
	}
	if err := Missing("mysql"); err == nil || err.Error() != `there is no server of the kind "mysql": expected one of postgres, redis` {
		t.Errorf("found %v", err)
	}
}

func TestAddressesHaveOptions(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://a@b:1/c":         "postgres://a@b:1/c?schema=s",
		"redis://b:1/0?pool_size=2":  "redis://b:1/0?pool_size=2&schema=s",
		"host=127.0.0.1 dbname=test": "host=127.0.0.1 dbname=test schema=s",
	} {
		if got := with(dsn, "schema", "s"); got != want {
			t.Errorf("found %s, expected %s", got, want)
		}
	}
}

// What a test has kept is gone when it is over.
func TestPlacesAreRemoved(t *testing.T) {
	r := &told{T: t}
	Postgres(t) // or the test is skipped
	name := Schema(r)
	c, err := pgx.Connect(t.Context(), Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	there := func() (n int) {
		if err := c.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname = $1", name).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if _, err := c.Exec(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	before := there()
	for _, end := range r.ends {
		end()
	}
	if after := there(); before != 1 || after != 0 {
		t.Errorf("the schema was there %d times, and %d times at the end", before, after)
	}
}
