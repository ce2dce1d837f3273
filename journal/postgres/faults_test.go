package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/postgres"
)

var errBroken = errors.New("the connection broke, for a test")

// breaker stands between the driver and the network, and breaks a connection at the n-th thing that is sent.
type breaker struct {
	mu    sync.Mutex
	sent  int
	at    int // 0: never
	mode  journaltest.Mode
	hit   bool
	conns map[*brittle]bool
}

// brittle is a connection of a breaker's.
type brittle struct {
	net.Conn
	breaker *breaker
	mu      sync.Mutex
	deaf    bool // the next reply is lost, and the connection with it
}

func (b *breaker) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conns == nil {
		b.conns = make(map[*brittle]bool)
	}
	n := &brittle{Conn: c, breaker: b}
	b.conns[n] = true
	return n, nil
}

// breakAll breaks every connection, and is how many there were.
func (b *breaker) breakAll() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.conns)
	for c := range b.conns {
		_ = c.Conn.Close()
	}
	clear(b.conns)
	return n
}

func (b *breaker) next() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent++
	b.hit = b.hit || b.sent == b.at
	return b.sent == b.at
}

// breakIn breaks a connection at the n-th thing that is sent from now on; never for 0.
func (b *breaker) breakIn(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > 0 {
		b.at = b.sent + n
	}
}

func (b *breaker) wasHit() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hit
}

func (c *brittle) Write(p []byte) (int, error) {
	breaks := c.breaker.next()
	if breaks && c.breaker.mode == journaltest.Before {
		_ = c.Conn.Close()
		return 0, errBroken
	}
	if breaks {
		c.mu.Lock()
		c.deaf = true
		c.mu.Unlock()
	}
	return c.Conn.Write(p)
}

// Read waits for a reply before it loses it: what was asked for has been done then.
func (c *brittle) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.deaf {
		_ = c.Conn.Close()
		return 0, errBroken
	}
	return n, err
}

func (c *brittle) Close() error {
	c.breaker.mu.Lock()
	delete(c.breaker.conns, c)
	c.breaker.mu.Unlock()
	return c.Conn.Close()
}

func readAll(ctx context.Context, s journal.Store, run string) ([]journal.Entry, error) {
	var list []journal.Entry
	for e, err := range s.Read(ctx, run, 0) {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
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

func create(tb testing.TB, s journal.Store, run string) {
	tb.Helper()
	err := s.Append(context.Background(), journal.Batch{
		Run: run, Row: &journal.RunRow{ID: run, Plan: "triage", Kind: "graph", Status: "running"}, Entries: step(0, nil),
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// trials does something until it works, and collects why it did not.
type trials struct {
	t        *testing.T
	failures []error
}

func (r *trials) until(do func() error) {
	r.t.Helper()
	for {
		err := do()
		if err == nil {
			return
		}
		if r.failures = append(r.failures, err); len(r.failures) > 3 {
			r.t.Fatalf("the store does not recover: %v", r.failures)
		}
	}
}

const steps = 8

// workload writes steps of one run, projections with every third. No append fails.
func workload(t *testing.T, s *postgres.Store, run string) {
	for head := uint64(0); head < 2*steps; head += 2 {
		b := journal.Batch{Run: run, After: head, Entries: step(head, []byte(`"a value"`))}
		if head%6 == 0 {
			b.Row = &journal.RunRow{ID: run, Plan: "triage", Status: "running", Updated: int64(head)}
			b.Timers = []journal.Timer{{Run: run, ID: "t", Due: int64(head)}}
			b.Interrupts = []journal.Interrupt{{ID: "int_1", Run: run, State: journal.Open, Opened: int64(head)}}
		}
		if head%4 == 0 {
			b.Durability = journal.Async
		}
		if err := s.Append(t.Context(), b); err != nil {
			t.Errorf("append behind %d: %v", head, err)
			return
		}
	}
}

// wanted is what workload writes.
func wanted() (list []journal.Entry) {
	for head := uint64(0); head < 2*steps; head += 2 {
		list = append(list, step(head, []byte(`"a value"`))...)
	}
	return list
}

func checkWhole(t *testing.T, s journal.Store, run string) {
	t.Helper()
	list, err1 := readAll(t.Context(), s, run)
	rows, err2 := s.Runs(t.Context(), journal.RunFilter{})
	timers, err3 := s.Timers(t.Context(), 99, 0)
	inbox, err4 := s.Inbox(t.Context(), journal.InboxFilter{})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	want := []any{
		wanted(),
		[]journal.RunRow{{ID: run, Plan: "triage", Status: "running", Updated: 12, Head: 2 * steps}},
		[]journal.Timer{{Run: run, ID: "t", Due: 12}},
		[]journal.Interrupt{{ID: "int_1", Run: run, State: journal.Open, Opened: 12}},
	}
	if diff := cmp.Diff(want, []any{list, rows, timers, inbox}); diff != "" {
		t.Fatalf("the store (-want +got):\n%s", diff)
	}
}

// TestJ3_TheConnectionBreaksAtEveryStatement breaks the connection at each thing that a workload sends in its turn,
// before the server gets it, and after it has done it. Only opening and closing may fail, with a typed error: every other
// call is made again, and takes effect once.
func TestJ3_TheConnectionBreaksAtEveryStatement(t *testing.T) {
	t.Parallel()
	const stripes = 4 // each has every fourth thing that is sent: they wait for the server at the same time
	for i := range 2 * stripes {
		mode, name := journaltest.Before, "Before"
		if i%2 == 1 {
			mode, name = journaltest.After, "After"
		}
		t.Run(fmt.Sprintf("%s/%d", name, i/2), func(t *testing.T) {
			t.Parallel()
			n := 1 + i/2
			for {
				b := &breaker{at: n, mode: mode}
				for _, err := range breakOnce(t, b) {
					at, ok := errors.AsType[*journal.StoreError](err)
					if !ok || at.File == "" || errors.Is(err, journal.ErrCorrupt) || errors.Is(err, journal.ErrConflict) {
						t.Errorf("broken at %d: found %v, expected a *StoreError that names the address", n, err)
					}
				}
				if !b.hit {
					break // nothing more is sent
				}
				n += stripes
			}
			if n < 3*steps {
				t.Errorf("only %d things were sent", n)
			}
		})
	}
}

// breakOnce runs the workload, and what else a store does, through a breaker. It returns why it could not be opened or
// closed.
func breakOnce(t *testing.T, b *breaker) []error {
	t.Helper()
	r := &trials{t: t}
	o := postgres.Options{Schema: newSchema(t), Dial: b.dial}
	dsn := database(t)
	var s *postgres.Store
	r.until(func() (err error) {
		s, err = postgres.OpenWith(dsn, o)
		return err
	})
	other := open(t, postgres.Options{Schema: o.Schema, Conns: 1}) // which nothing breaks
	create(t, other, "run_2")
	workload(t, s, "run_1")
	_, packing := s.Compact(t.Context(), "run_1")
	_, reading := readAll(t.Context(), s, "run_1")
	_, claiming := s.Claim(t.Context(), "somebody", "run_2")
	err := errors.Join(
		s.Beat(t.Context(), "somebody", time.Minute), s.Delete(t.Context(), "run_2"), packing, reading, claiming,
	)
	if err != nil {
		t.Errorf("broken at %d: %v", b.at, err)
	}
	if err := s.Close(); err != nil {
		r.failures = append(r.failures, err)
	}
	checkWhole(t, other, "run_1")
	closeIt(t, other)
	return r.failures
}

// s2 is another store with the schema, until the end of the test.
func s2(t *testing.T, schema string) *postgres.Store {
	t.Helper()
	s := open(t, postgres.Options{Schema: schema, Conns: 1})
	t.Cleanup(func() { closeIt(t, s) })
	return s
}

// TestJ3_TwoStoresRace lets writers of two stores append after the same head, with and without projections.
func TestJ3_TwoStoresRace(t *testing.T) {
	schema := newSchema(t)
	stores := []*postgres.Store{s2(t, schema), s2(t, schema)}
	create(t, stores[0], "run_1")
	const writers, rounds = 8, 25
	var want []journal.Entry
	want = append(want, step(0, nil)...)
	for round := range rounds {
		after := uint64(2 + 2*round)
		var mu sync.Mutex
		var won [][]journal.Entry
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				b := journal.Batch{Run: "run_1", After: after, Entries: step(after, fmt.Appendf(nil, "%d", w))}
				if w%3 == 0 {
					b.Timers = []journal.Timer{{Run: "run_1", ID: fmt.Sprint("t", w), Due: 1}}
				}
				if w%2 == 0 {
					b.Durability = journal.Async
				}
				err := stores[w%2].Append(t.Context(), b)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, b.Entries)
				} else if !errors.Is(err, journal.ErrConflict) {
					t.Errorf("writer %d: %v", w, err)
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			t.Fatalf("round %d: %d of %d writers got through, expected 1", round, len(won), writers)
		}
		want = append(want, won[0]...)
	}
	for i, s := range stores {
		list, err := readAll(t.Context(), s, "run_1")
		if diff := cmp.Diff(want, list); err != nil || diff != "" {
			t.Errorf("through store %d: %v (-want +got):\n%s", i, err, diff)
		}
	}
}
