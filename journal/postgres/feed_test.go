package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
)

// feed reads all that is settled behind a cursor, and what is early.
func feed(t *testing.T, s journal.Feeder, cursor *string) (settled, early []string) {
	t.Helper()
	for more := true; more; {
		page, err := s.Feed(t.Context(), journal.FeedQuery{After: *cursor, Limit: 3})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range page.Changes {
			text := c.Row.ID + " " + c.Row.Status
			if c.Gone {
				text = c.Row.ID + " gone"
			}
			if i < len(page.Changes)-page.Early {
				settled = append(settled, text)
			} else {
				early = append(early, text)
			}
		}
		*cursor, more = page.Next, page.More
	}
	return settled, early
}

// settle reads until nothing is early: tests of other packages have transactions of their own on the server.
func settle(t *testing.T, s journal.Feeder, cursor *string) (told []string) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		settled, early := feed(t, s, cursor)
		if told = append(told, settled...); len(early) == 0 {
			return told
		}
		if time.Now().After(until) {
			t.Fatalf("%v is early for 20 seconds", early)
		}
	}
}

func created(id string) journal.Batch {
	return journal.Batch{
		Run: id, Row: &journal.RunRow{ID: id, Plan: "plan", Kind: "graph", Status: "running", Created: 1, Updated: 1},
		Entries: []journal.Entry{{Seq: 1, At: 1, Kind: journal.RunStarted}},
	}
}

func add(t *testing.T, s journal.Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := s.Append(t.Context(), created(id)); err != nil {
			t.Fatal(err)
		}
	}
}

// A transaction that began before others and commits after them is told when it has: no cursor has passed it. What came after it
// is told at once, and again when it has ended.
func TestW8_ALateCommitIsNotPassedOver(t *testing.T) {
	schema := newSchema(t)
	s := open(t, postgres.Options{Schema: schema})
	defer closeIt(t, s)
	add(t, s, "run_a", "run_b")
	var cursor string
	if got := settle(t, s, &cursor); !slices.Equal(got, []string{"run_a running", "run_b running"}) {
		t.Fatalf("told %v", got)
	}
	late, err := raw(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := late.Exec(t.Context(), "UPDATE "+schema+".runs SET head = 1, status = 'completed', updated = 2 WHERE run = 'run_a'"); err != nil {
		t.Fatal(err)
	}
	add(t, s, "run_c", "run_d")
	if settled, early := feed(t, s, &cursor); len(settled) > 0 || !slices.Equal(early, []string{"run_c running", "run_d running"}) {
		t.Errorf("told %v, and early %v", settled, early)
	}
	now := journal.FeedNow
	if _, early := feed(t, s, &now); !slices.Equal(early, []string{"run_c running", "run_d running"}) {
		t.Errorf("told early from now on %v", early)
	}
	kept := cursor // as a follower stores it that is restarted meanwhile
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for what, cursor := range map[string]string{"a follower that goes on": cursor, "one that was restarted": kept, "one that began in between": now} {
		got := settle(t, s, &cursor)
		if got = slices.Compact(slices.Sorted(slices.Values(got))); !slices.Equal(got, []string{"run_a completed", "run_c running", "run_d running"}) {
			t.Errorf("%s was told %v", what, got)
		}
	}
}

// Statements of schema 4, as processes of before go on to send them.
const (
	oldCreate = `WITH fence AS (INSERT INTO SCHEMA.runs (run, head, plan, kind, fingerprint, definition, status, error, created, updated, waiting, driver, ready, labels,
		queue, priority, notbefore, dedup) VALUES ('run_new', 1, 'plan', 'graph', '', '', 'running', '', 1, 1, 0, '', false, '', '', 0, 0, '') RETURNING id)
		INSERT INTO SCHEMA.journal (run, last, data) SELECT id, 1, '' FROM fence`
	oldUpdate = `UPDATE SCHEMA.runs SET head = 2, plan = CASE WHEN true THEN 'plan' ELSE plan END, status = CASE WHEN true THEN 'completed' ELSE status END,
		updated = CASE WHEN true THEN 7 ELSE updated END WHERE run = 'run_a' AND head = 1`
	oldFrame  = "UPDATE SCHEMA.runs SET head = 9 WHERE run = 'run_b'"
	oldClaim  = "UPDATE SCHEMA.runs SET driver = 'them' WHERE run = 'run_b'"
	oldDelete = "DELETE FROM SCHEMA.runs WHERE run = 'run_b'"
)

// What a process of before writes beside this one is told.
func TestW8_AnEarlierVersionWritesBesideThisOne(t *testing.T) {
	schema, c := newSchema(t), raw(t)
	s := open(t, postgres.Options{Schema: schema})
	defer closeIt(t, s)
	add(t, s, "run_a", "run_b")
	var cursor string
	settle(t, s, &cursor)
	for _, tc := range []struct {
		statement string
		told      []string
	}{
		{oldCreate, []string{"run_new running"}}, {oldUpdate, []string{"run_a completed"}}, {oldFrame, nil}, {oldClaim, nil}, {oldDelete, []string{"run_b gone"}},
	} {
		exec(t, c, strings.ReplaceAll(tc.statement, "SCHEMA", schema))
		if diff := cmp.Diff(tc.told, settle(t, s, &cursor)); diff != "" {
			t.Errorf("%.60s (-want +got):\n%s", tc.statement, diff)
		}
	}
}

// Runs of before the feed are told from the start, as many as there are.
func TestW8_RunsOfBeforeAreTold(t *testing.T) {
	schema, c := newSchema(t), raw(t)
	exec(t, c, "CREATE SCHEMA "+schema)
	exec(t, c, strings.ReplaceAll(ofVersion1, "SCHEMA.", schema+"."), pgx.QueryExecModeSimpleProtocol)
	s := open(t, postgres.Options{Schema: schema})
	defer closeIt(t, s)
	rows, err := s.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, r := range rows {
		want = append(want, r.ID+" "+r.Status)
	}
	var cursor string
	if got := settle(t, s, &cursor); len(want) < 3 || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("told %v, expected %v", got, want)
	}
}

// A cursor from before a deletion that was forgotten is refused; one that has begun at the start since is not.
func TestW8_DeletionsAreForgottenAfterAMonth(t *testing.T) {
	schema, c := newSchema(t), raw(t)
	s := open(t, postgres.Options{Schema: schema})
	defer closeIt(t, s)
	add(t, s, "run_a", "run_b", "run_c", "run_d", "run_e", "run_f")
	var old string
	settle(t, s, &old)
	for _, id := range []string{"run_a", "run_b"} {
		if err := s.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	recent := old
	settle(t, s, &recent)
	exec(t, c, "UPDATE "+schema+".gone SET at = at - interval '31 days'")
	if err := s.Delete(t.Context(), "run_c"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Feed(t.Context(), journal.FeedQuery{After: old})
	if !errors.Is(err, journal.ErrQuery) || !strings.Contains(err.Error(), "has forgotten runs that were deleted since (it remembers them for 30 days)") {
		t.Errorf("a cursor of before: %v", err)
	}
	if diff := cmp.Diff([]string{"run_c gone"}, settle(t, s, &recent)); diff != "" {
		t.Errorf("a cursor of since (-want +got):\n%s", diff)
	}
	var first string
	if diff := cmp.Diff([]string{"run_d running", "run_e running", "run_f running"}, settle(t, s, &first)); diff != "" { // in pages, whose cursors are at old changes
		t.Errorf("from the start (-want +got):\n%s", diff)
	}
}

// Marks of a schema that was brought here from another server are those of its transactions. Its cursors are refused, and
// no run is left out.
func TestW8_ASchemaFromAnotherServer(t *testing.T) {
	schema, c := newSchema(t), raw(t)
	s := open(t, postgres.Options{Schema: schema})
	defer closeIt(t, s)
	add(t, s, "run_a", "run_b")
	var theirs string
	settle(t, s, &theirs)
	exec(t, c, fmt.Sprintf("ALTER TABLE %[1]s.runs DISABLE TRIGGER ALL; UPDATE %[1]s.runs SET tx = '9000000000000'; ALTER TABLE %[1]s.runs ENABLE TRIGGER ALL; UPDATE %[1]s.feed SET cluster = 'theirs'", schema),
		pgx.QueryExecModeSimpleProtocol)
	reader := open(t, postgres.Options{Schema: schema, ReadOnly: true})
	if _, err := reader.Feed(t.Context(), journal.FeedQuery{}); !errors.Is(err, journal.ErrReadOnly) {
		t.Errorf("who may only read: %v", err)
	}
	closeIt(t, reader)
	var cursor string
	if got := settle(t, s, &cursor); !slices.Equal(got, []string{"run_a running", "run_b running"}) {
		t.Errorf("told %v", got)
	}
	add(t, s, "run_c")
	if got := settle(t, s, &cursor); !slices.Equal(got, []string{"run_c running"}) {
		t.Errorf("told %v", got)
	}
	exec(t, c, "UPDATE "+schema+".feed SET store = 'another'")
	if _, err := s.Feed(t.Context(), journal.FeedQuery{After: theirs}); !errors.Is(err, journal.ErrQuery) || !strings.Contains(err.Error(), "of another store") {
		t.Errorf("a cursor of another store: %v", err)
	}
}

// The next changes are read from indexes, however many there have been.
func TestW8_TheFeedIsReadFromAnIndex(t *testing.T) {
	schema, c := newSchema(t), raw(t)
	s := open(t, postgres.Options{Schema: schema})
	defer closeIt(t, s)
	exec(t, c, fmt.Sprintf(`INSERT INTO %s.runs (run, head, plan, kind, fingerprint, definition, status, error, created, updated, waiting)
		SELECT 'run_' || n, 1, 'p', 'graph', '', '', 'running', '', n, n, 0 FROM generate_series(1, 20000) n`, schema))
	exec(t, c, "ANALYZE "+schema+".runs")
	rows, err := c.Query(context.Background(), "EXPLAIN "+postgres.ReadFeed(schema), "5", int64(0), int64(101), "0")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	text := strings.Join(lines, "\n")
	if err != nil || !strings.Contains(text, "Index Scan using runs_tx on runs") || strings.Contains(text, "Seq Scan on runs") {
		t.Errorf("%v\n%s", err, text)
	}
}

// A step does the same work as before there was a feed: a trigger before the update would lock its row first, and an index on the head would get an
// entry. A change of the row brings one entry of an index.
func TestW8_AStepDoesNoWorkForTheFeed(t *testing.T) {
	now, before, c := newSchema(t), newSchema(t), raw(t)
	for _, schema := range []string{now, before} {
		s := open(t, postgres.Options{Schema: schema})
		add(t, s, "run_a")
		closeIt(t, s)
	}
	exec(t, c, strings.ReplaceAll("DROP TRIGGER runs_marked ON @.runs; DROP TRIGGER runs_gone ON @.runs; ALTER TABLE @.runs DROP COLUMN tx CASCADE", "@", before), pgx.QueryExecModeSimpleProtocol)
	records := func(schema, set string) (n int) {
		t.Helper()
		for range 3 { // the first one may write a whole page
			rows, err := c.Query(t.Context(), "EXPLAIN (ANALYZE, WAL, COSTS OFF, TIMING OFF) UPDATE "+schema+".runs SET "+set+" WHERE run = 'run_a'")
			if err != nil {
				t.Fatal(err)
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "WAL: records=") })
			if err != nil || at < 0 {
				t.Fatalf("%v: %v", lines, err)
			}
			if _, err := fmt.Sscanf(strings.TrimSpace(lines[at]), "WAL: records=%d", &n); err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	const step, row = "head = head + 1", "head = head + 1, status = 'paused', updated = updated + 1"
	if is, was := records(now, step), records(before, step); is != was {
		t.Errorf("a step writes %d records of the log, and %d without a feed", is, was)
	}
	if is, was := records(now, row+", tx = pg_current_xact_id()"), records(before, row); is != was+1 {
		t.Errorf("a change of the row writes %d records of the log, and %d without a feed", is, was)
	}
}
