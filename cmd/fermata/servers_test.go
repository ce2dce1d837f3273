package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fermata-go/fermata/internal/testserver"
)

// onScript is a script that testserver gives a server to. A script asks first whether there is one.
type onScript struct{ *testscript.TestScript }

func (onScript) Helper()                             {}
func (s onScript) Cleanup(f func())                  { s.Defer(f) }
func (s onScript) Errorf(format string, args ...any) { s.Logf(format, args...) } // it is over by then
func (s onScript) Skipf(format string, args ...any)  { s.Fatalf(format, args...) }

// serverFor gives a script the address of a server of a kind in $SERVER, with nothing in it.
func serverFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: server %s", strings.Join(testserver.Kinds(), "|"))
	}
	ts.Setenv("SERVER", testserver.Address(onScript{ts}, args[0]))
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
	goredis.SetLogger(&logging.VoidLogger{})
	eventually(func() bool {
		_, said := errors.AsType[goredis.Error](c.Ping(context.Background()).Err())
		return said || c.Ping(context.Background()).Err() == nil
	}, func() { ts.Fatalf("the server does not start") })
	ts.Setenv("SERVER", "unix://"+socket)
	ts.Setenv("SOCKET", socket)
}

// serverCondition says in scripts which there are: [postgres], [redis].
func serverCondition(name string) (bool, error) {
	if !slices.Contains(testserver.Kinds(), name) {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	err := testserver.Missing(name)
	if err != nil && os.Getenv("CI") == "true" {
		return false, err
	}
	return err == nil, nil
}

// A schema of an older version is there: what it holds is found, and not taken for an empty store.
func TestJ9_OldSchemasAreRead(t *testing.T) {
	address := testserver.Address(t, "postgres")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	schema := u.Query().Get("schema")
	old, err := os.ReadFile(filepath.Join("..", "..", "journal", "postgres", "testdata", "schema-1.sql"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := pgx.Connect(t.Context(), testserver.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Exec(t.Context(), "CREATE SCHEMA "+schema+";"+strings.ReplaceAll(string(old), "SCHEMA.", schema+"."), pgx.QueryExecModeSimpleProtocol)
	if err := errors.Join(err, c.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	m, stdout, stderr := command(t)
	if code := m.Run(t.Context(), []string{"runs", "ls", "--store", address}); code != exitCompleted || !strings.Contains(stdout.String(), "run_cut") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
