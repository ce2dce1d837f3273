package sqlite_test

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// ofSchema1 is a file as it was made before runs named their drivers.
func ofSchema1(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "schema-1.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "old.db")
	write(t, path, data)
	return path
}

// TestJ9_AFileOfSchema1 opens a file of before: it holds what it held, and is brought to this version by whoever may
// write.
func TestJ9_AFileOfSchema1(t *testing.T) {
	path := ofSchema1(t)
	for range 2 { // as it was, and as it has become
		s := openFile(t, path, sqlite.Options{})
		journaltest.HoldsRunsBeforeDrivers(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := openFile(t, path, sqlite.Options{})
	defer s.Close()
	if err := s.Beat(t.Context(), "new", time.Minute); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Claim(t.Context(), "new", "run_cut"); !got || err != nil {
		t.Errorf("claimed: %t, %v", got, err)
	}
	rows, err := s.Runs(t.Context(), journal.RunFilter{ID: "run_cut"})
	if err != nil || len(rows) != 1 || rows[0].Driver != "new" {
		t.Errorf("claimed: %+v, %v", rows, err)
	}
	if err := s.Append(t.Context(), journal.Batch{Run: "run_cut", After: 2, Entries: step(2, []byte(`"value"`))}); err != nil {
		t.Errorf("an old run does not go on: %v", err)
	}
}

// TestJ9_AFileOfSchema1ToBeReadOnly reads a file of before, and leaves it as it is.
func TestJ9_AFileOfSchema1ToBeReadOnly(t *testing.T) {
	path := ofSchema1(t)
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := openFile(t, path, sqlite.Options{ReadOnly: true})
	journaltest.HoldsRunsBeforeDrivers(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if is, err := os.ReadFile(path); !bytes.Equal(was, is) || err != nil {
		t.Errorf("a file that may only be read has changed, %v", err)
	}
}

// TestJ9_AnOldFileBecomesLikeANewOne compares the tables, columns, indexes and triggers of a file that was brought to this
// version with those of one that was made by it.
func TestJ9_AnOldFileBecomesLikeANewOne(t *testing.T) {
	layout := func(path string) map[string]string {
		s := openFile(t, path, sqlite.Options{})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		rows, err := db.QueryContext(t.Context(), `
			SELECT type || ' ' || name, CASE type WHEN 'table' THEN
				(SELECT group_concat(name || ' ' || type || ' ' || "notnull" || ' ' || ifnull(dflt_value, '-') || ' ' || pk || ' ' || hidden, ', ')
				FROM pragma_table_xinfo(m.name)) || (SELECT ' ' || strict || ' ' || wr FROM pragma_table_list(m.name))
				ELSE ifnull(sql, '-') END
			FROM sqlite_schema m
			UNION SELECT 'pragma', (SELECT application_id FROM pragma_application_id) || ' ' || (SELECT user_version FROM pragma_user_version)`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		all := make(map[string]string)
		for rows.Next() {
			var name, is string
			if err := rows.Scan(&name, &is); err != nil {
				t.Fatal(err)
			}
			all[name] = is
		}
		if err := rows.Err(); err != nil || len(all) < 20 {
			t.Fatal(err, all)
		}
		return all
	}
	if diff := cmp.Diff(layout(filepath.Join(t.TempDir(), "new.db")), layout(ofSchema1(t))); diff != "" {
		t.Errorf("a new file, and an old one (-new +old):\n%s", diff)
	}
}
