package redis_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis"
)

func TestAnAddressThatIsWrong(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		"":                                     "expected redis://user:password@host:6379/0",
		"127.0.0.1:6379":                       "expected redis://user:password@host:6379/0",
		"postgres://127.0.0.1/0":               "expected redis://user:password@host:6379/0",
		"redis:127.0.0.1":                      "expected redis://user:password@host:6379/0",
		"redis://:geheim/x@127.0.0.1/0":        "written %2F",
		"redis://:geheim%zz@127.0.0.1/0":       "written %2F",
		"redis://user/geheim@127.0.0.1/0":      "the number of a database",
		"redis://127.0.0.1/geheim":             "the number of a database",
		"redis://127.0.0.1/0?accept=sometimes": "accept=sometimes: expected one of always, everysec, snapshots, memory",
		"redis://127.0.0.1/0?pool=9":           "known are prefix, accept and those of go-redis, found pool",
		"redis://127.0.0.1/0?prefix=a%00":      "the prefix has a NUL in it",
		"redis://u:geheim@127.0.0.1:1/0":       "open redis://127.0.0.1:1/0 (fermata:): ",
	} {
		_, err := redis.Open(dsn)
		at, ok := errors.AsType[*journal.StoreError](err)
		if !ok || at.Op != "open" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, expected a *StoreError with %q", dsn, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v says the password", dsn, err)
		}
	}
}

// What the address says counts before the options.
func TestOptionsInTheAddress(t *testing.T) {
	t.Parallel()
	p := prefix(t)
	s, err := redis.OpenWith(withQuery(t, url.Values{"prefix": {p}, "accept": {"memory"}, "pool_size": {"1"}}), redis.Options{Prefix: "fermata-test:unused:"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Append(t.Context(), batch("run_1", 0)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{p + "asked", p + "asks", p + "feed", p + "found", p + "inbox", p + "interrupts", p + "meta", p + "runs", p + "timers", p + "{run_1}", p + "{run_1}:journal", p + "{run_1}:timers"}, keysOf(t, p)); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if err := s.Delete(t.Context(), "run_1"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{p + "feed", p + "gone", p + "meta"}, keysOf(t, p)); diff != "" {
		t.Errorf("keys after deleting the only run (-want +got):\n%s", diff)
	}
}

func TestJ9_KeysOfAnotherVersion(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		format string
		want   error
	}{{"5", journal.ErrNewer}, {"17", journal.ErrNewer}, {"0", journal.ErrCorrupt}, {"", journal.ErrCorrupt}} {
		p := prefix(t)
		raw(t).HSet(t.Context(), p+"meta", "format", tc.format)
		fails(t, "format "+tc.format, p, tc.want)
	}
	p := prefix(t)
	raw(t).Set(t.Context(), p+"meta", "x", 0)
	fails(t, "a string", p, journal.ErrCorrupt)
}

func fails(t *testing.T, what, p string, want error) {
	t.Helper()
	s, err := redis.OpenWith(server(t), redis.Options{Prefix: p, Accept: redis.Memory})
	if err == nil {
		_ = s.Close()
	}
	if !errors.Is(err, want) {
		t.Errorf("%s: found %v, expected %v", what, err, want)
	}
}

// TestJ6_DamageIsTyped damages one key at a time. Every method that comes across says so; none reads less than there
// was, and an append that fails has written nothing.
func TestJ6_DamageIsTyped(t *testing.T) {
	t.Parallel()
	const run = "run_1"
	read := func(s *redis.Store) error {
		for _, err := range s.Read(context.Background(), run, 0) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	write := func(s *redis.Store) error { b := batch(run, 6); return s.Append(context.Background(), b) }
	runs := func(s *redis.Store) error { _, err := s.Runs(context.Background(), journal.RunFilter{}); return err }
	inbox := func(s *redis.Store) error {
		_, err := s.Inbox(context.Background(), journal.InboxFilter{})
		return err
	}
	timers := func(s *redis.Store) error { _, err := s.Timers(context.Background(), 99, 0); return err }
	check := func(s *redis.Store) error { _, err := s.Checkpoint(context.Background(), run); return err }
	remove := func(s *redis.Store) error { return s.Delete(context.Background(), run) }
	frame := string(journal.AppendEntries(nil, step(2, []byte(`"a value"`))))
	for _, tc := range []struct {
		name   string
		damage [][]any // %r stands for the run's key, %p for the prefix
		want   error
		calls  []func(*redis.Store) error
	}{
		{"no stream", [][]any{{"DEL", "%r:journal"}}, journal.ErrCorrupt, []func(*redis.Store) error{read, write}},
		{"a frame is missing", [][]any{{"XDEL", "%r:journal", "4-0"}}, journal.ErrCorrupt, []func(*redis.Store) error{read}},
		{"the last frame is missing", [][]any{{"XDEL", "%r:journal", "6-0"}}, journal.ErrCorrupt, []func(*redis.Store) error{read}},
		{"a frame too many", [][]any{{"XADD", "%r:journal", "7-0", "f", "\x01x"}, {"HSET", "%r", "head", "7"}}, journal.ErrCorrupt, []func(*redis.Store) error{read}},
		{"a frame of no fields that are known", [][]any{{"XDEL", "%r:journal", "6-0"}, {"XADD", "%r:journal", "7-0", "g", frame}, {"HSET", "%r", "head", "7"}}, journal.ErrCorrupt, []func(*redis.Store) error{read}},
		{"a frame twice", [][]any{{"XDEL", "%r:journal", "6-0"}, {"XADD", "%r:journal", "7-0", "f", frame}}, journal.ErrCorrupt, []func(*redis.Store) error{read}},
		{"a truncated frame", [][]any{{"XDEL", "%r:journal", "6-0"}, {"XADD", "%r:journal", "7-0", "f", frame[:9]}}, journal.ErrCorrupt, []func(*redis.Store) error{read}},
		{"a frame of a later format", [][]any{{"XDEL", "%r:journal", "6-0"}, {"XADD", "%r:journal", "7-0", "f", "\x09" + frame}}, journal.ErrNewer, []func(*redis.Store) error{read}},
		{"the stream is a string", [][]any{{"SET", "%r:journal", "x"}}, journal.ErrCorrupt, []func(*redis.Store) error{read, write}},
		{"no run", [][]any{{"DEL", "%r"}}, journal.ErrCorrupt, []func(*redis.Store) error{read, runs}},
		{"the run is a string", [][]any{{"SET", "%r", "x"}}, journal.ErrCorrupt, []func(*redis.Store) error{read, write, runs, check, remove}},
		{"a head that is no number", [][]any{{"HSET", "%r", "head", "x"}}, journal.ErrCorrupt, []func(*redis.Store) error{read, runs}},
		{"half of a row", [][]any{{"HDEL", "%r", "plan", "error"}}, journal.ErrCorrupt, []func(*redis.Store) error{runs}},
		{"a row's time that is no number", [][]any{{"HSET", "%r", "updated", "today"}}, journal.ErrCorrupt, []func(*redis.Store) error{runs}},
		{"half of a checkpoint", [][]any{{"HSET", "%r", "checkSeq", "4"}}, journal.ErrCorrupt, []func(*redis.Store) error{check}},
		{"no interrupts", [][]any{{"DEL", "%pinterrupts"}}, journal.ErrCorrupt, []func(*redis.Store) error{inbox}},
		{"an interrupt without a place", [][]any{{"HSET", "%pinterrupts", "int_run_1", "{}"}}, journal.ErrCorrupt, []func(*redis.Store) error{inbox, write}},
		{"interrupts are a list", [][]any{{"DEL", "%pinterrupts"}, {"RPUSH", "%pinterrupts", "x"}}, journal.ErrCorrupt, []func(*redis.Store) error{inbox, write, remove}},
		{"the inbox is a string", [][]any{{"SET", "%pinbox", "x"}}, journal.ErrCorrupt, []func(*redis.Store) error{inbox, write, remove}},
		{"a foreign member of the inbox", [][]any{{"ZADD", "%pinbox", 0, "o:x"}}, journal.ErrCorrupt, []func(*redis.Store) error{inbox}},
		{"the index is a string", [][]any{{"SET", "%pruns", "x"}}, journal.ErrCorrupt, []func(*redis.Store) error{runs, write, remove}},
		{"a foreign member of the index", [][]any{{"ZADD", "%pruns", 0, "r\x00x"}}, journal.ErrCorrupt, []func(*redis.Store) error{runs}},
		{"a foreign timer", [][]any{{"ZADD", "%ptimers", 0, "0"}}, journal.ErrCorrupt, []func(*redis.Store) error{timers}},
		{"a timer at no time", [][]any{{"ZADD", "%ptimers", 0, "00x0\x00run\x00t"}}, journal.ErrCorrupt, []func(*redis.Store) error{timers}},
		{"timers are a string", [][]any{{"SET", "%ptimers", "x"}}, journal.ErrCorrupt, []func(*redis.Store) error{timers, write, remove}},
		{"a run's timers are a string", [][]any{{"SET", "%r:timers", "x"}}, journal.ErrCorrupt, []func(*redis.Store) error{write, remove}},
		{"a counter that is no number", [][]any{{"HSET", "%pmeta", "born", "x"}}, journal.ErrCorrupt, []func(*redis.Store) error{write}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, c := prefix(t), raw(t)
			s := open(t, p)
			for head := uint64(0); head < 6; head += 2 {
				if err := s.Append(t.Context(), batch(run, head)); err != nil {
					t.Fatal(err)
				}
			}
			for _, args := range tc.damage {
				for i, a := range args {
					if text, ok := a.(string); ok {
						args[i] = strings.NewReplacer("%r", p+"{"+run+"}", "%p", p).Replace(text)
					}
				}
				if err := c.Do(t.Context(), args...).Err(); err != nil {
					t.Fatal(args, err)
				}
			}
			before := dump(t, p)
			for i, call := range tc.calls {
				err := call(s)
				if at, ok := errors.AsType[*journal.StoreError](err); !ok || !errors.Is(err, tc.want) || at.File == "" {
					t.Errorf("call %d: found %v, expected %v", i, err, tc.want)
				}
			}
			if diff := cmp.Diff(before, dump(t, p)); diff != "" {
				t.Errorf("what failed has written (-want +got):\n%s", diff)
			}
		})
	}
}
