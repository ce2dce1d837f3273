package redis_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	driver "github.com/redis/go-redis/v9"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis"
)

// own is a server of the test's own, on a socket, to be configured, filled up and killed.
type own struct {
	t    *testing.T
	dir  string
	args []string
	cmd  *exec.Cmd
}

func startOwn(t *testing.T, args ...string) *own {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("no redis-server to start: ", err)
	}
	dir := t.TempDir()
	o := &own{t: t, dir: dir, args: append([]string{
		"--port", "0", "--unixsocket", filepath.Join(dir, "s"), "--dir", dir, "--loglevel", "warning", "--logfile", filepath.Join(dir, "log"),
	}, args...)}
	o.start()
	t.Cleanup(o.kill)
	return o
}

func (o *own) start() {
	o.t.Helper()
	o.cmd = exec.CommandContext(context.Background(), "redis-server", o.args...)
	if err := o.cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	c := o.client()
	defer c.Close()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		err := c.Ping(o.t.Context()).Err()
		if _, said := errors.AsType[driver.Error](err); err == nil || said && !strings.HasPrefix(err.Error(), "LOADING") {
			return
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(o.dir, "log"))
			o.t.Fatalf("the server does not start: %v\n%s", err, log)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (o *own) kill() {
	_ = o.cmd.Process.Kill()
	_ = o.cmd.Wait()
}

func (o *own) client() *driver.Client {
	return driver.NewClient(&driver.Options{Network: "unix", Addr: filepath.Join(o.dir, "s"), MaxRetries: -1, DialerRetries: 1})
}

func (o *own) do(args ...any) {
	o.t.Helper()
	c := o.client()
	defer c.Close()
	if err := c.Do(o.t.Context(), args...).Err(); err != nil {
		o.t.Fatalf("%v: %v", args, err)
	}
}

// dsn is the server's address, with a user and a password where they are given.
func (o *own) dsn(user *url.Userinfo) string {
	u := url.URL{Scheme: "unix", User: user, Path: filepath.Join(o.dir, "s")}
	return u.String()
}

func (o *own) open(options redis.Options) *redis.Store {
	o.t.Helper()
	s, err := redis.OpenWith(o.dsn(nil), options)
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestJ2_WhatAServerPromises(t *testing.T) {
	t.Parallel()
	o := startOwn(t, "--save", "")
	for _, tc := range []struct {
		set    []any
		accept redis.Level
		want   redis.Promises
		says   string // that, and how it is refused with a stronger level
	}{
		{
			[]any{"appendonly", "yes", "appendfsync", "always"},
			redis.Always,
			redis.Promises{Level: redis.Always, Known: true, Policy: "noeviction", AOF: "yes always"},
			"What is acknowledged is on disk (appendfsync always). When memory is full, appends fail and nothing is thrown away.",
		},
		{
			[]any{"appendfsync", "everysec"},
			redis.EverySecond,
			redis.Promises{Level: redis.EverySecond, Known: true, Policy: "noeviction", AOF: "yes everysec"},
			"A crash of the machine may lose about the last two seconds (appendfsync everysec). When memory is full, appends fail and nothing is thrown away.",
		},
		{
			[]any{"appendfsync", "no"},
			redis.Snapshots,
			redis.Promises{Level: redis.Snapshots, Known: true, Policy: "noeviction", AOF: "yes no"},
			"A crash of the machine may lose what the system had not written yet (appendfsync no). When memory is full, appends fail and nothing is thrown away.",
		},
		{
			[]any{"appendonly", "no", "save", "60 1000"},
			redis.Snapshots,
			redis.Promises{Level: redis.Snapshots, Known: true, Policy: "noeviction", AOF: "no no", Save: "60 1000"},
			`A crash may lose all since the last snapshot (save "60 1000"). When memory is full, appends fail and nothing is thrown away.`,
		},
		{
			[]any{"save", ""},
			redis.Memory,
			redis.Promises{Level: redis.Memory, Known: true, Policy: "noeviction", AOF: "no no"},
			"Nothing is kept when the server stops (appendonly no, no save). When memory is full, appends fail and nothing is thrown away.",
		},
	} {
		t.Run(tc.accept.String(), func(t *testing.T) {
			for i := 0; i < len(tc.set); i += 2 {
				o.do("CONFIG", "SET", tc.set[i], tc.set[i+1])
			}
			s := o.open(redis.Options{Accept: tc.accept})
			if diff := cmp.Diff(tc.want, s.Promises()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.says, s.Promises().String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tc.accept == redis.Always {
				return
			}
			_, err := redis.OpenWith(o.dsn(nil), redis.Options{Accept: tc.accept - 1})
			if !errors.Is(err, redis.ErrPromise) || !strings.Contains(err.Error(), "?accept="+tc.accept.String()) {
				t.Errorf("found %v, expected ErrPromise and what to do", err)
			}
		})
	}
	o.do("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	_, err := redis.OpenWith(o.dsn(nil), redis.Options{Accept: redis.Memory})
	if !errors.Is(err, redis.ErrPromise) || !strings.Contains(err.Error(), "allkeys-lru, expected noeviction") {
		t.Errorf("found %v, expected ErrPromise and the policy", err)
	}
	s := o.open(redis.Options{Accept: redis.Memory, AcceptEviction: true})
	if p := s.Promises(); !p.Evicts || !strings.Contains(p.String(), "a journal may be lost") {
		t.Errorf("found %+v: %v", p, p)
	}
}

// TestAServerThatSaysNothing lets the store in as a user who may not ask for the configuration.
func TestAServerThatSaysNothing(t *testing.T) {
	t.Parallel()
	o := startOwn(t, "--save", "", "--appendonly", "yes", "--appendfsync", "always")
	const secret = "very/secret?#@"
	o.do("ACL", "SETUSER", "writer", "on", ">"+secret, "~fermata:*", "&fermata:*", "+@all", "-config", "-info")
	user := url.UserPassword("writer", secret)
	_, err := redis.Open(o.dsn(user))
	if !errors.Is(err, redis.ErrPromise) || !strings.Contains(err.Error(), "CONFIG GET is not allowed") {
		t.Errorf("found %v, expected ErrPromise", err)
	}
	s, err := redis.Open(o.dsn(user) + "?accept=memory")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := redis.Promises{Level: redis.Memory, Replicas: -1}
	if diff := cmp.Diff(want, s.Promises()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := s.Append(t.Context(), batch("run_1", 0)); err != nil {
		t.Error(err)
	}
	_, err = redis.Open(o.dsn(url.UserPassword("writer", secret+"x")))
	if err == nil || strings.Contains(err.Error(), "very") {
		t.Errorf("found %v, expected an error without the password", err)
	}
	_, err = redis.Open(o.dsn(user) + "?accept=memory&prefix=other:")
	if !errors.Is(err, journal.ErrReadOnly) {
		t.Errorf("keys that the user may not write: found %v, expected ErrReadOnly", err)
	}
}

// TestJ2_AServerThatIsKilled kills the server between appends. A server that promises to keep what it acknowledged has
// it again, and the store goes on with it, its scripts forgotten.
func TestJ2_AServerThatIsKilled(t *testing.T) {
	t.Parallel()
	o := startOwn(t, "--save", "", "--appendonly", "yes", "--appendfsync", "always")
	s := o.open(redis.Options{})
	for head := uint64(0); head < 2*steps; head += 2 {
		if err := s.Append(t.Context(), batch("run_1", head)); err != nil {
			t.Fatal(err)
		}
		if head%6 == 4 {
			o.kill()
			o.start()
		}
	}
	checkWhole(t, s, "run_1")
}

// TestAServerThatIsFull: a batch that does not fit is wholly refused, and what is deleted makes room again.
func TestAServerThatIsFull(t *testing.T) {
	t.Parallel()
	o := startOwn(t, "--save", "")
	s := o.open(redis.Options{Accept: redis.Memory})
	if err := s.Append(t.Context(), batch("run_2", 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), batch("run_1", 0)); err != nil {
		t.Fatal(err)
	}
	before := state(t, s, "run_1")
	o.do("CONFIG", "SET", "maxmemory", "1")
	b := batch("run_1", 0)
	b.After, b.Entries, b.Row.Status = 2, step(2, nil), "completed"
	if err := s.Append(t.Context(), b); !errors.Is(err, journal.ErrNoSpace) {
		t.Fatalf("found %v, expected ErrNoSpace", err)
	}
	b.Entries = nil
	if err := s.Append(t.Context(), b); !errors.Is(err, journal.ErrNoSpace) {
		t.Fatalf("without entries: found %v, expected ErrNoSpace", err)
	}
	if diff := cmp.Diff(before, state(t, s, "run_1")); diff != "" {
		t.Errorf("after batches that did not fit (-want +got):\n%s", diff)
	}
	if err := s.Delete(t.Context(), "run_2"); err != nil {
		t.Fatal(err)
	}
	o.do("CONFIG", "SET", "maxmemory", "0")
	b.Entries = step(2, nil)
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if timers, err := s.Timers(t.Context(), 99, 0); err != nil || len(timers) > 0 {
		t.Errorf("found the timers %v (%v), expected none", timers, err)
	}
}

// state is all that a store says of a run.
func state(t *testing.T, s journal.Store, run string) []any {
	t.Helper()
	list, err := readAll(t, s, run)
	rows, err1 := s.Runs(t.Context(), journal.RunFilter{ID: run})
	timers, err2 := s.Timers(t.Context(), 1<<62, 0)
	inbox, err3 := s.Inbox(t.Context(), journal.InboxFilter{Run: run})
	if err := errors.Join(err, err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	return []any{list, rows, timers, inbox}
}

func TestAReplicaIsNotWritten(t *testing.T) {
	t.Parallel()
	o := startOwn(t, "--save", "")
	o.do("REPLICAOF", "127.0.0.1", "1")
	_, err := redis.OpenWith(o.dsn(nil), redis.Options{Accept: redis.Memory})
	if !errors.Is(err, journal.ErrReadOnly) {
		t.Errorf("found %v, expected ErrReadOnly", err)
	}
	o.do("REPLICAOF", "NO", "ONE")
	s := o.open(redis.Options{Accept: redis.Memory})
	o.do("REPLICAOF", "127.0.0.1", "1")
	err = s.Append(t.Context(), batch("run_1", 0))
	if at, ok := errors.AsType[*journal.StoreError](err); !ok || !errors.Is(err, journal.ErrReadOnly) || at.Run != "run_1" {
		t.Errorf("found %v, expected ErrReadOnly", err)
	}
}

// freePort is a port on which nobody listens, and that the system gives to no connection by itself.
func freePort(t *testing.T) string {
	t.Helper()
	for port := 20000 + os.Getpid()%10000; port < 32000; port++ {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(port)
	}
	t.Fatal("there is no free port")
	return ""
}

func TestAClusterIsRefused(t *testing.T) {
	t.Parallel()
	o := startOwn(t, "--save", "", "--cluster-enabled", "yes", "--cluster-port", freePort(t), "--bind", "127.0.0.1")
	_, err := redis.OpenWith(o.dsn(nil), redis.Options{Accept: redis.Memory})
	if err == nil || !strings.Contains(err.Error(), "cluster mode") {
		t.Errorf("found %v, expected that cluster mode is refused", err)
	}
}
