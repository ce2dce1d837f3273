package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"
	"github.com/rogpeppe/go-internal/testscript"
)

// aPostgres is the address of a database for tests: FERMATA_TEST_POSTGRES, or one on this machine that trusts its users.
var aPostgres = sync.OnceValues(func() (string, error) {
	if dsn := os.Getenv("FERMATA_TEST_POSTGRES"); dsn != "" {
		return dsn, tryPostgres(dsn)
	}
	names := []string{"postgres"}
	if me, err := user.Current(); err == nil {
		names = append(names, me.Username)
	}
	var all []error
	for _, name := range names {
		dsn := "postgres://" + name + "@127.0.0.1:5432/test"
		err := tryPostgres(dsn)
		if err == nil {
			return dsn, nil
		}
		all = append(all, err)
	}
	return "", fmt.Errorf("no PostgreSQL to test with (set FERMATA_TEST_POSTGRES): %w", errors.Join(all...))
})

func tryPostgres(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

// aRedis is the address of a server for tests: FERMATA_TEST_REDIS, or one on this machine.
var aRedis = sync.OnceValues(func() (string, error) {
	quietRedis()
	dsn := os.Getenv("FERMATA_TEST_REDIS")
	if dsn == "" {
		dsn = "redis://127.0.0.1:6379/0"
	}
	o, err := goredis.ParseURL(dsn)
	if err != nil {
		return "", errors.New("FERMATA_TEST_REDIS is not the address of a Redis server")
	}
	c := goredis.NewClient(o)
	defer c.Close()
	if err := c.Ping(context.Background()).Err(); err != nil {
		return "", fmt.Errorf("no Redis server to test with (set FERMATA_TEST_REDIS): %w", err)
	}
	return dsn, nil
})

// with is an address with an option.
func with(dsn, name, value string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		panic(err) // it was used before
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// newPostgres is a schema of its own, which is not there yet, and how to remove it.
func newPostgres() (dsn string, remove func(), err error) {
	server, err := aPostgres()
	if err != nil {
		return "", nil, err
	}
	schema := "fermata_test_" + strings.ToLower(rand.Text()[:12])
	return with(server, "schema", schema), func() {
		ctx := context.Background()
		c, err := pgx.Connect(ctx, server)
		if err == nil {
			_, _ = c.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
			_ = c.Close(ctx)
		}
	}, nil
}

// newRedis is a prefix of its own, whatever the server promises, and how to remove what is under it.
func newRedis() (dsn string, remove func(), err error) {
	server, err := aRedis()
	if err != nil {
		return "", nil, err
	}
	prefix := "fermata-test:" + rand.Text() + ":"
	return with(with(server, "prefix", prefix), "accept", "memory"), func() {
		o, err := goredis.ParseURL(server)
		if err != nil {
			return
		}
		c, ctx := goredis.NewClient(o), context.Background()
		defer c.Close()
		for it := c.Scan(ctx, 0, prefix+"*", 1000).Iterator(); it.Next(ctx); {
			c.Unlink(ctx, it.Val())
		}
	}, nil
}

// needServer skips a test without its server. With CI=true there must be one.
func needServer(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// serverFor gives a script the address of a server of a kind in $SERVER, with nothing in it.
func serverFor(ts *testscript.TestScript, neg bool, args []string) {
	makers := map[string]func() (string, func(), error){"postgres": newPostgres, "redis": newRedis}
	if neg || len(args) != 1 || makers[args[0]] == nil {
		ts.Fatalf("usage: server postgres|redis")
	}
	dsn, remove, err := makers[args[0]]()
	if err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Defer(remove)
	ts.Setenv("SERVER", dsn)
}

// startRedis starts a Redis server of the script's own with some settings, at the address in $SERVER.
func startRedis(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: redis-server SETTING …")
	}
	dir, err := os.MkdirTemp("", "redis") // the path of a socket must be short
	ts.Check(err)
	socket := filepath.Join(dir, "s")
	cmd := exec.Command("redis-server", append([]string{
		"--port", "0", "--unixsocket", socket, "--dir", dir, "--loglevel", "warning", "--logfile", filepath.Join(dir, "log"),
	}, args...)...)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	})
	c := goredis.NewClient(&goredis.Options{Network: "unix", Addr: socket, MaxRetries: -1, DialerRetries: 1})
	defer c.Close()
	quietRedis()
	eventually(func() bool {
		_, said := errors.AsType[goredis.Error](c.Ping(context.Background()).Err())
		return said || c.Ping(context.Background()).Err() == nil
	}, func() { ts.Fatalf("the server does not start") })
	ts.Setenv("SERVER", "unix://"+socket)
	ts.Setenv("SOCKET", socket)
}

// serverCondition says in scripts which there are: [postgres], [redis].
func serverCondition(name string) (bool, error) {
	tests := map[string]func() (string, error){"postgres": aPostgres, "redis": aRedis}
	test := tests[name]
	if test == nil {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	_, err := test()
	if err != nil && os.Getenv("CI") == "true" {
		return false, err
	}
	return err == nil, nil
}
