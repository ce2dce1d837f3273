package sqlite

import (
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/internal/search"
)

// The common pages are read from an index, in its order: no other rows are looked at, and nothing is sorted.
func TestJ14_CommonPagesUseAnIndex(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	runs := func(q journal.RunQuery, plans ...int64) func() (search.Statement, error) {
		return func() (search.Statement, error) { return dialect.Runs(rowColumns, &q, plans) }
	}
	asks := func(q journal.InterruptQuery) func() (search.Statement, error) {
		return func() (search.Statement, error) { return dialect.Interrupts("i.id, i.interrupt, i.data, p.plan", &q) }
	}
	day := journal.Span{From: 1}
	for _, tc := range []struct {
		name      string
		statement func() (search.Statement, error)
		index     string
	}{
		{"all runs", runs(journal.RunQuery{}), "SCAN r USING INDEX runs_created"},
		{"of a day", runs(journal.RunQuery{Created: day}), "SEARCH r USING INDEX runs_created (created>?)"},
		{"updated last", runs(journal.RunQuery{Order: journal.ByUpdated}), "SCAN r USING INDEX runs_updated"},
		{"of a status", runs(journal.RunQuery{Statuses: []string{"paused"}}), "SEARCH r USING INDEX runs_found (status=?)"},
		{"of a status and a day", runs(journal.RunQuery{Statuses: []string{"paused"}, Created: day}), "SEARCH r USING INDEX runs_found (status=? AND created>?)"},
		{"of two statuses", runs(journal.RunQuery{Statuses: []string{"paused", "failed"}}), "SEARCH r USING INDEX runs_found (status=?)"},
		{"of a plan", runs(journal.RunQuery{Plans: []string{"refund"}}, 1), "SEARCH r USING INDEX runs_plan (plan=?)"},
		{"of a label", runs(journal.RunQuery{Labels: map[string]string{"team": "red"}}), "SEARCH l USING PRIMARY KEY (key=? AND value=?)"},
		{"open questions", asks(journal.InterruptQuery{}), "SCAN i USING INDEX interrupts_open"},
		{"of a role", asks(journal.InterruptQuery{Roles: []string{"clerk"}}), "SCAN i USING INDEX interrupts_open"},
		{"of a person", asks(journal.InterruptQuery{Holder: "ada"}), "SEARCH i USING INDEX interrupts_holder (holder=?)"},
		{"besides conversations", asks(journal.InterruptQuery{Skip: "dialogue"}), "SCAN i USING INDEX interrupts_open"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			st, err := tc.statement()
			if err != nil {
				t.Fatal(err)
			}
			var plan []string
			err = s.reading(t.Context(), func(c *conn) error {
				return c.query(func(row []driver.Value) error {
					plan = append(plan, fmt.Sprint(row[3]))
					return nil
				}, "EXPLAIN QUERY PLAN "+st.Text, st.Args)
			})
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(plan, "\n")
			if !strings.Contains(all, tc.index) || strings.Contains(all, "TEMP B-TREE") {
				t.Errorf("expected %q and no sorting, found:\n%s\nof %s", tc.index, all, st.Text)
			}
		})
	}
}
