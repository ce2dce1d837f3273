package redis_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/redis"
)

// line makes connections that break. What is sent is counted from 1, over all of them: a command or a pipeline each.
type line struct {
	mu    sync.Mutex
	sent  int
	first int              // the first one that fails; 0 for none
	times int              // and how many fail, one after the other
	every int              // in place of these: each that is a multiple of it fails
	mode  journaltest.Mode // After: the server did what it was told
}

var errCut = errors.New("the line was cut by a test")

// next counts what is about to be sent.
func (l *line) next() (fails bool, mode journaltest.Mode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	if l.every > 0 {
		return l.sent%l.every == 0, journaltest.Mode(l.sent / l.every % 2)
	}
	return l.first > 0 && l.sent >= l.first && l.sent < l.first+l.times, l.mode
}

// cut makes sendings fail from now on, the n-th being the first.
func (l *line) cut(n, times int, mode journaltest.Mode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first, l.times, l.mode = l.sent+n, times, mode
}

// hit is how many of the sendings that were to fail have failed.
func (l *line) hit() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return min(max(0, l.sent-l.first+1), l.times)
}

func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, line: l}, nil
}

// conn is used by one goroutine at a time, as the driver does.
type conn struct {
	net.Conn
	line *line
	lose bool // the next answer
}

func (c *conn) Write(p []byte) (int, error) {
	fails, mode := c.line.next()
	if fails && mode == journaltest.Before {
		_ = c.Close()
		return 0, errCut
	}
	c.lose = fails
	return c.Conn.Write(p)
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.lose && n > 0 { // the server has answered, so it has done it
		_ = c.Close()
		return 0, errCut
	}
	return n, err
}

// asking is a store that sends a batch without entries again when its outcome is unknown. Such a batch leaves no trace in the
// journal, so after a broken connection the store cannot tell who was first; its caller asks again.
type asking struct{ *redis.Store }

func (s asking) Append(ctx context.Context, b journal.Batch) error {
	err := s.Store.Append(ctx, b)
	if err != nil && len(b.Entries) == 0 && strings.Contains(err.Error(), "outcome of the write unknown") {
		return s.Store.Append(ctx, b)
	}
	return err
}

// TestStoreOnABadLine is the whole suite while every 50th sending breaks the connection, in turn before and after the
// server took it. Nobody notices.
func TestStoreOnABadLine(t *testing.T) {
	t.Parallel()
	prefixes := make(map[journal.Store]string)
	l := &line{every: 50}
	again := func(t *testing.T, p string) journal.Store {
		s := asking{openWith(t, p, redis.Options{Dialer: l.dial})}
		prefixes[s] = p
		return s
	}
	journaltest.RunWith(t, journaltest.Options{
		Open: func(t *testing.T) journal.Store { return again(t, prefix(t)) },
		Reopen: func(t *testing.T, s journal.Store) journal.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return again(t, prefixes[s])
		},
		Second: func(t *testing.T, s journal.Store) journal.Store { return again(t, prefixes[s]) },
	})
	if l.sent < 1000 {
		t.Errorf("only %d sendings: the line was hardly used", l.sent)
	}
}

// step is what a run writes when one node has finished with a value and the next one starts.
func step(after uint64, value []byte) []journal.Entry {
	return []journal.Entry{
		{
			Seq: after + 1, At: 1_790_000_000_000_000, Kind: journal.NodeFinished, Flags: journal.FlagBase, Attempt: 1, Visit: 1,
			Node: "classify", Base: max(after, 1) - 1, Value: value,
		},
		{Seq: after + 2, At: 1_790_000_000_000_000, Kind: journal.NodeStarted, Attempt: 1, Visit: 1, Node: "review", Base: after + 1},
	}
}

// batch is a step of a run, with projections in every third.
func batch(run string, head uint64) journal.Batch {
	b := journal.Batch{Run: run, After: head, Entries: step(head, []byte(`"a value"`))}
	if head%6 == 0 {
		b.Row = &journal.RunRow{ID: run, Plan: "triage", Status: "running", Updated: int64(head)}
		b.Timers = []journal.Timer{{Run: run, ID: "t", Due: int64(head)}}
		b.Interrupts = []journal.Interrupt{{ID: "int_" + run, Run: run, Opened: 1, Prompt: fmt.Sprint(head), State: journal.Open}}
	}
	return b
}

const steps = 12

// workload writes steps of one run, and goes on after an error as an engine does: it reads where the journal ends.
func workload(t *testing.T, s *redis.Store, run string) (failures []error) {
	t.Helper()
	for head := uint64(0); head < 2*steps; {
		err := s.Append(t.Context(), batch(run, head))
		if err == nil {
			head += 2
			continue
		}
		if failures = append(failures, err); len(failures) > 3 {
			t.Fatalf("the store does not recover: %v", failures)
		}
		list, err := readAll(t, s, run)
		if err != nil && !errors.Is(err, journal.ErrNotFound) {
			t.Fatalf("reading after %v: %v", failures, err)
		}
		found := uint64(len(list))
		if found != head && found != head+2 {
			t.Fatalf("after a failed append behind %d the journal has %d entries", head, found)
		}
		head = found
	}
	return failures
}

func readAll(t *testing.T, s journal.Store, run string) (list []journal.Entry, err error) {
	t.Helper()
	for e, err := range s.Read(t.Context(), run, 0) {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

// checkWhole checks that the store holds what workload writes, once.
func checkWhole(t *testing.T, s journal.Store, run string) {
	t.Helper()
	list, err := readAll(t, s, run)
	rows, err1 := s.Runs(t.Context(), journal.RunFilter{})
	timers, err2 := s.Timers(t.Context(), 99, 0)
	inbox, err3 := s.Inbox(t.Context(), journal.InboxFilter{})
	if err := errors.Join(err, err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	var entries []journal.Entry
	for head := uint64(0); head < 2*steps; head += 2 {
		entries = append(entries, batch(run, head).Entries...)
	}
	last := batch(run, 18)
	last.Row.Head = 2 * steps
	want := []any{entries, []journal.RunRow{*last.Row}, last.Timers, last.Interrupts}
	if diff := cmp.Diff(want, []any{list, rows, timers, inbox}); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

// TestJ2_EverySendingFails breaks the connection at every sending of a workload in its turn. Once is not noticed; as
// often as the store tries again, the append fails with a typed error, and who reads before going on loses nothing and
// repeats nothing.
func TestJ2_EverySendingFails(t *testing.T) {
	t.Parallel()
	for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
		for _, times := range []int{1, 5} {
			t.Run(fmt.Sprintf("mode %d, %d times", mode, times), func(t *testing.T) {
				t.Parallel()
				for n := 1; ; n++ {
					l := &line{}
					s := openWith(t, prefix(t), redis.Options{Dialer: l.dial})
					s.TellAfter(time.Hour) // its failures would stand for those of an append
					l.cut(n, times, mode)
					failures := workload(t, s, "run_1")
					hit := l.hit()
					l.cut(1, 0, mode) // no more
					checkFailures(t, failures, hit == times && times > 1)
					checkWhole(t, s, "run_1")
					if err := s.Close(); err != nil {
						t.Error(err)
					}
					if hit < times { // there are no more than n
						if n <= steps {
							t.Errorf("only %d sendings were made to fail", n-1)
						}
						break
					}
				}
			})
		}
	}
}

func checkFailures(t *testing.T, failures []error, want bool) {
	t.Helper()
	if want != (len(failures) > 0) {
		t.Errorf("found the failures %v, expected some: %t", failures, want)
	}
	for _, err := range failures {
		at, ok := errors.AsType[*journal.StoreError](err)
		if !ok || !strings.HasPrefix(at.File, "redis://") || at.Run != "run_1" || at.Seq == 0 || !errors.Is(err, errCut) || errors.Is(err, journal.ErrConflict) {
			t.Errorf("found %v, expected a *StoreError with address, run and seq, because the line was cut", err)
		}
	}
}

// TestJ3_ALostAnswerBeforeOthersWrote: the answer to an append is lost, and before it is sent again another store
// writes. What the writer is told is what happened.
func TestJ3_ALostAnswerBeforeOthersWrote(t *testing.T) {
	t.Parallel()
	row := &journal.RunRow{ID: "run_1", Status: "paused"}
	with, without := journal.Batch{Run: "run_1", After: 2, Entries: step(2, nil)}, journal.Batch{Run: "run_1", After: 2, Row: row}
	behind := func(head uint64) []journal.Batch { // two writes, the second with nothing but a projection
		return []journal.Batch{{Run: "run_1", After: head, Entries: step(head, nil)}, {Run: "run_1", After: head + 2, Row: row}}
	}
	for _, tc := range []struct {
		name  string
		mode  journaltest.Mode
		batch journal.Batch
		other []journal.Batch
		want  string
	}{
		{"written", journaltest.After, with, behind(4), ""},
		{"not written", journaltest.Before, with, behind(2), journal.ErrConflict.Error()},
		{"without an entry, written", journaltest.After, without, behind(2)[:1], ""},
		{"without an entry, and so is the other", journaltest.After, without, behind(2), "outcome of the write unknown"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, l := prefix(t), &line{}
			other := open(t, p)
			var once sync.Once
			dial := func(ctx context.Context, network, address string) (net.Conn, error) {
				if l.hit() == 1 {
					once.Do(func() {
						for _, b := range tc.other {
							if err := other.Append(ctx, b); err != nil {
								t.Error(err)
							}
						}
					})
				}
				return l.dial(ctx, network, address)
			}
			s := openWith(t, p, redis.Options{Dialer: dial})
			if err := s.Append(t.Context(), batch("run_1", 0)); err != nil {
				t.Fatal(err)
			}
			l.cut(1, 1, tc.mode)
			err := s.Append(t.Context(), tc.batch)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("found %v, expected %q", err, tc.want)
			}
			if err := s.Append(t.Context(), tc.batch); !errors.Is(err, journal.ErrConflict) {
				t.Errorf("the batch as a new one: found %v, expected a conflict", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestJ3_TwoStoresRace lets two stores append to one journal as fast as they can: every seq is written once, by the
// one that was told so.
func TestJ3_TwoStoresRace(t *testing.T) {
	t.Parallel()
	p := prefix(t)
	const most = 200
	var mu sync.Mutex
	wrote := make(map[uint64]string)
	stores := map[string]*redis.Store{"anna": open(t, p), "bert": open(t, p)}
	var wg sync.WaitGroup
	for name, s := range stores {
		wg.Go(func() {
			for head := uint64(0); head < most; {
				e := journal.Entry{Seq: head + 1, Kind: journal.Message, Op: name}
				b := journal.Batch{Run: "run_1", After: head, Row: &journal.RunRow{ID: "run_1", Status: "running"}, Entries: []journal.Entry{e}}
				err := s.Append(t.Context(), b)
				if err == nil {
					mu.Lock()
					wrote[e.Seq] += name
					mu.Unlock()
				} else if !errors.Is(err, journal.ErrConflict) {
					t.Error(err)
					return
				}
				head++
			}
		})
	}
	wg.Wait()
	list, err := readAll(t, stores["anna"], "run_1")
	if err != nil {
		t.Fatal(err)
	}
	stored := make(map[uint64]string)
	for _, e := range list {
		stored[e.Seq] = e.Op
	}
	if diff := cmp.Diff(wrote, stored); diff != "" || len(list) != most {
		t.Errorf("%d entries; told and stored (-want +got):\n%s", len(list), diff)
	}
}
