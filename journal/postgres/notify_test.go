package postgres_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
)

// listener listens to the channel of a schema.
func listener(t *testing.T, schema string) *pgx.Conn {
	t.Helper()
	c := raw(t)
	exec(t, c, "LISTEN "+pgx.Identifier{"fermata_" + schema}.Sanitize())
	return c
}

// heardBy is what a listener is notified of until now. The server delivers notifications in the order of the commits, so
// the last one, which is the test's own, comes after all of earlier transactions.
func heardBy(t *testing.T, c *pgx.Conn, schema string) (payloads []string) {
	t.Helper()
	const last = "the last one"
	exec(t, raw(t), "SELECT pg_notify($1, $2)", "fermata_"+schema, last)
	for {
		n, err := c.WaitForNotification(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n.Payload == last {
			return payloads
		}
		payloads = append(payloads, n.Payload)
	}
}

// TestWritesNotifyNobodyInTheirTransaction checks that no transaction of a write holds a NOTIFY: the server makes commits
// with one wait for one another, each for its own turn at the disk. The store here is silenced after its commits, so
// whatever a listener hears came with a write.
func TestWritesNotifyNobodyInTheirTransaction(t *testing.T) {
	schema := newSchema(t)
	s := open(t, postgres.Options{Schema: schema, Conns: 2})
	defer closeIt(t, s)
	c := listener(t, schema)
	row := func(run, status string) *journal.RunRow {
		return &journal.RunRow{ID: run, Plan: "triage", Kind: "graph", Status: status}
	}
	asked := journal.Interrupt{Run: "run_1", ID: "int_1", Task: "review#1", Opened: 1}
	writes := []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"start", func(ctx context.Context) error {
			return s.Append(ctx, journal.Batch{Run: "run_1", Row: row("run_1", "running"), Entries: step(0, nil)})
		}},
		{"start, async", func(ctx context.Context) error {
			return s.Append(ctx, journal.Batch{Run: "run_2", Row: row("run_2", "running"), Entries: step(0, nil), Durability: journal.Async})
		}},
		{"entries", func(ctx context.Context) error {
			return s.Append(ctx, journal.Batch{Run: "run_1", After: 2, Entries: step(2, nil)})
		}},
		{"entries, async", func(ctx context.Context) error {
			return s.Append(ctx, journal.Batch{Run: "run_2", After: 2, Entries: step(2, nil), Durability: journal.Async})
		}},
		{"pause", func(ctx context.Context) error {
			return s.Append(ctx, journal.Batch{
				Run: "run_1", After: 4, Entries: step(4, nil), Row: row("run_1", "paused"), Interrupts: []journal.Interrupt{asked},
				Timers: []journal.Timer{{Run: "run_1", ID: "t", Due: 1}}, Checkpoint: &journal.Checkpoint{Seq: 4, Data: []byte("{}")},
			})
		}},
		{"pause, async", func(ctx context.Context) error {
			return s.Append(ctx, journal.Batch{Run: "run_2", After: 4, Entries: step(4, nil), Row: row("run_2", "paused"), Durability: journal.Async})
		}},
		{"end", func(ctx context.Context) error {
			return s.Append(ctx, journal.Batch{Run: "run_1", After: 6, Entries: step(6, nil), Row: row("run_1", "completed")})
		}},
		{"end, async", func(ctx context.Context) error {
			return s.Append(ctx, journal.Batch{Run: "run_2", After: 6, Entries: step(6, nil), Row: row("run_2", "completed"), Durability: journal.Async})
		}},
		{"delete", func(ctx context.Context) error { return s.Delete(ctx, "run_1") }},
	}
	s.Hush()
	for _, w := range writes {
		t.Run(w.name, func(t *testing.T) {
			if err := w.do(t.Context()); err != nil {
				t.Fatal(err)
			}
			if heard := heardBy(t, c, schema); heard != nil {
				t.Errorf("the transaction notifies others of %q: tell them after its commit (Store.tell)", heard)
			}
		})
	}
}

// Close tells what a silenced store has not: the listener of the test above listens where the store tells.
func TestWhatWasNotToldIsToldByClose(t *testing.T) {
	schema := newSchema(t)
	s := open(t, postgres.Options{Schema: schema, Conns: 2})
	c := listener(t, schema)
	s.Hush()
	create(t, s, "run_1")
	if heard := heardBy(t, c, schema); heard != nil {
		t.Errorf("a silenced store tells of %q", heard)
	}
	closeIt(t, s)
	if diff := cmp.Diff([]string{"run_1"}, heardBy(t, c, schema)); diff != "" {
		t.Errorf("Close tells (-want +got):\n%s", diff)
	}
}
