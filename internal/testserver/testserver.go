package testserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/user"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

// T is a test, a benchmark or a script of one: what a testing.TB has that is needed here.
type T interface {
	Helper()
	Cleanup(f func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

// Kinds are the servers that there may be.
func Kinds() []string { return []string{"postgres", "redis"} }

// Address returns the address of a new store on a server of a kind (see Kinds). It is a schema or a prefix of the
// test's own, on a Redis server whatever that promises.
func Address(t T, kind string) string {
	t.Helper()
	switch kind {
	case "postgres":
		return with(Postgres(t), "schema", Schema(t))
	case "redis":
		return with(with(Redis(t), "prefix", Prefix(t)), "accept", "memory")
	}
	t.Fatalf("there is no server of the kind %q: expected one of %s", kind, strings.Join(Kinds(), ", "))
	return ""
}

// with is an address with an option.
func with(dsn, name, value string) string {
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme == "" { // host=… user=…, which PostgreSQL knows as well
		return dsn + " " + name + "=" + value
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// Missing is why there is no server of a kind; nil where there is one.
func Missing(kind string) (err error) {
	switch kind {
	case "postgres":
		_, err = aPostgres()
	case "redis":
		_, err = aRedis()
	default:
		err = fmt.Errorf("there is no server of the kind %q: expected one of %s", kind, strings.Join(Kinds(), ", "))
	}
	return err
}

// need skips a test without its server. With CI=true there must be one.
func need(t T, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%v", err)
	default:
		t.Skipf("%v", err)
	}
}

// Postgres returns the address of a database. It is FERMATA_TEST_POSTGRES, or the database test on this machine, whose
// server trusts postgres or the user that runs the test.
func Postgres(t T) string {
	t.Helper()
	dsn, err := aPostgres()
	need(t, err)
	return dsn
}

// Schema returns the name of a schema that does not exist yet and is dropped at the end of the test.
func Schema(t T) string {
	t.Helper()
	dsn, name := Postgres(t), "fermata_test_"+strings.ToLower(rand.Text()[:12])
	t.Cleanup(func() {
		ctx := context.Background()
		c, err := pgx.Connect(ctx, dsn)
		if err == nil {
			_, err = c.Exec(ctx, "SET synchronous_commit = off; DROP SCHEMA IF EXISTS "+name+" CASCADE")
			err = errors.Join(err, c.Close(ctx))
		}
		if err != nil {
			t.Errorf("schema %s is left behind: %v", name, err)
		}
	})
	return name
}

// Redis is the address of a server: FERMATA_TEST_REDIS, or database 0 of the one on this machine.
func Redis(t T) string {
	t.Helper()
	dsn, err := aRedis()
	need(t, err)
	return dsn
}

// Prefix returns a prefix of keys that do not exist yet and are removed at the end of the test.
func Prefix(t T) string {
	t.Helper()
	dsn, prefix := Redis(t), "fermata-test:"+rand.Text()+":"
	t.Cleanup(func() {
		if err := unlink(dsn, prefix); err != nil {
			t.Errorf("keys %s* are left behind: %v", prefix, err)
		}
	})
	return prefix
}

func unlink(dsn, prefix string) (err error) {
	o, err := redis.ParseURL(dsn)
	if err != nil {
		return err
	}
	c, ctx := redis.NewClient(o), context.Background()
	defer func() { err = errors.Join(err, c.Close()) }()
	found := c.Scan(ctx, 0, prefix+"*", 1000).Iterator()
	for found.Next(ctx) {
		if err := c.Unlink(ctx, found.Val()).Err(); err != nil {
			return err
		}
	}
	return found.Err()
}

// connectTimeout is how long a server is looked for at one address.
const connectTimeout = 5 * time.Second

// aPostgres looks for a database once.
var aPostgres = sync.OnceValues(func() (string, error) {
	dsns := []string{os.Getenv("FERMATA_TEST_POSTGRES")}
	if dsns[0] == "" {
		dsns[0] = "postgres://postgres@127.0.0.1:5432/test"
		if me, err := user.Current(); err == nil {
			dsns = append(dsns, "postgres://"+url.PathEscape(me.Username)+"@127.0.0.1:5432/test")
		}
	}
	var all error
	for _, dsn := range dsns {
		err := tryPostgres(dsn)
		if err == nil {
			return dsn, nil
		}
		all = errors.Join(all, err)
	}
	return "", fmt.Errorf("no PostgreSQL to test with (set FERMATA_TEST_POSTGRES to the address of one): %w", all)
})

func tryPostgres(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

// aRedis looks for a server once.
var aRedis = sync.OnceValues(func() (string, error) {
	dsn := cmp.Or(os.Getenv("FERMATA_TEST_REDIS"), "redis://127.0.0.1:6379/0")
	o, err := redis.ParseURL(dsn)
	if err != nil {
		return "", errors.New("FERMATA_TEST_REDIS is not the address of a Redis server") // which may hold a password
	}
	o.MaxRetries, o.DialerRetries = -1, 1
	c := redis.NewClient(o)
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	if err := errors.Join(c.Ping(ctx).Err(), c.Close()); err != nil {
		return "", fmt.Errorf("no Redis server to test with (set FERMATA_TEST_REDIS to the address of one): %w", err)
	}
	return dsn, nil
})
