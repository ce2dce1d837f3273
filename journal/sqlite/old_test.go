package sqlite_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

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
