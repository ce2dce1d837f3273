package sqlite_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// feed reads all that is behind a cursor.
func feed(t *testing.T, s journal.Feeder, cursor *string) (told []string) {
	t.Helper()
	for more := true; more; {
		page, err := s.Feed(t.Context(), journal.FeedQuery{After: *cursor, Limit: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Changes {
			text := c.Row.ID + " " + c.Row.Status
			if c.Gone {
				text = c.Row.ID + " gone"
			}
			told = append(told, text)
		}
		*cursor, more = page.Next, page.More
	}
	return told
}

func add(t *testing.T, s journal.Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := s.Append(t.Context(), journal.Batch{
			Run: id, Row: &journal.RunRow{ID: id, Plan: "plan", Kind: "graph", Status: "running", Created: 1, Updated: 1},
			Entries: []journal.Entry{{Seq: 1, At: 1, Kind: journal.RunStarted}},
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// others is a connection of a process that is none of this version.
func others(t *testing.T, path string) func(statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// What a process of before writes beside this one, by its statements of schema 4, is told.
func TestW8_AnEarlierVersionWritesBesideThisOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := openFile(t, path, sqlite.Options{})
	defer s.Close()
	add(t, s, "run_a", "run_b")
	var cursor string
	feed(t, s, &cursor)
	exec := others(t, path)
	for _, tc := range []struct {
		statement string
		told      []string
	}{
		{`INSERT INTO runs (run, plan, status, error, created, updated, waiting, driver, ready, labels, listed,
			queue, priority, notbefore, dedup, last, row) VALUES ('run_new', 1, 'running', '', 1, 1, 0, '', 0, '', 1, '', 0, 0, '', 1, 0)`, []string{"run_new running"}},
		{"UPDATE runs SET plan = 1, status = 'completed', error = '', created = 1, updated = 1, waiting = 0, driver = '', ready = 0, labels = '', listed = 1 WHERE id = 1", []string{"run_a completed"}},
		{"INSERT INTO interrupts (interrupt, run, opened, open, data, state, kind, role, holder, due) VALUES ('int_1', 1, 1, 1, x'00', 'open', '', '', '', 0)", []string{"run_a completed"}},
		{"UPDATE interrupts SET opened = 1, open = 0, data = x'01', state = 'answered', kind = '', role = '', holder = '', due = 0 WHERE run = 1", []string{"run_a completed"}},
		{"UPDATE runs SET row = 9, last = 9 WHERE id = 2 AND row < 9", nil},
		{"UPDATE runs SET driver = 'them' WHERE run = 'run_b'", nil},
		{"DELETE FROM runs WHERE id = 2", []string{"run_b gone"}},
	} {
		exec(tc.statement)
		if diff := cmp.Diff(tc.told, feed(t, s, &cursor)); diff != "" {
			t.Errorf("%.60s (-want +got):\n%s", tc.statement, diff)
		}
	}
}

// Runs of before the feed are told from the start, also in pages, and not by who may only read.
func TestW8_RunsOfBeforeAreTold(t *testing.T) {
	path := ofSchema1(t)
	old := openFile(t, path, sqlite.Options{ReadOnly: true})
	if _, err := old.Feed(t.Context(), journal.FeedQuery{}); !errors.Is(err, journal.ErrReadOnly) || !strings.Contains(err.Error(), "the file has schema 1, expected 5") {
		t.Errorf("of a file that may only be read: %v", err)
	}
	_ = old.Close()
	s := openFile(t, path, sqlite.Options{})
	defer s.Close()
	var cursor string
	got := slices.Sorted(slices.Values(feed(t, s, &cursor)))
	if diff := cmp.Diff([]string{"run_asks paused", "run_cut running", "run_done completed"}, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	add(t, s, "run_new")
	if diff := cmp.Diff([]string{"run_new running"}, feed(t, s, &cursor)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// A cursor from before a deletion that was forgotten is refused; one that has begun at the start since is not. Marks are never given twice.
func TestW8_DeletionsAreForgottenAfterAMonth(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := openFile(t, path, sqlite.Options{})
	defer s.Close()
	add(t, s, "run_a", "run_b", "run_c", "run_d", "run_e", "run_f")
	var old string
	feed(t, s, &old)
	for _, id := range []string{"run_a", "run_b"} {
		if err := s.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	recent := old
	feed(t, s, &recent)
	others(t, path)("UPDATE gone SET at = at - 31 * 24 * 60 * 60")
	if err := s.Delete(t.Context(), "run_c"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Feed(t.Context(), journal.FeedQuery{After: old})
	if !errors.Is(err, journal.ErrQuery) || !strings.Contains(err.Error(), "has forgotten runs that were deleted since (it remembers them for 30 days)") {
		t.Errorf("a cursor of before: %v", err)
	}
	add(t, s, "run_g")
	if diff := cmp.Diff([]string{"run_c gone", "run_g running"}, feed(t, s, &recent)); diff != "" {
		t.Errorf("a cursor of since (-want +got):\n%s", diff)
	}
	var first string
	if diff := cmp.Diff([]string{"run_d running", "run_e running", "run_f running", "run_g running"}, feed(t, s, &first)); diff != "" {
		t.Errorf("from the start (-want +got):\n%s", diff)
	}
}
