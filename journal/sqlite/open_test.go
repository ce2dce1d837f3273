package sqlite_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// execute runs a statement on a file behind the store's back.
func execute(t *testing.T, path, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// fresh is the path of a closed file with one run of three steps.
func fresh(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	s := openFile(t, path, sqlite.Options{})
	create(t, s, "run_1")
	for _, after := range []uint64{2, 4} {
		if err := s.Append(t.Context(), journal.Batch{Run: "run_1", After: after, Entries: step(after, []byte(`"value"`))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOpenErrorsAreTypedAndNameTheFile(t *testing.T) {
	for _, tc := range []struct {
		name string
		path func(t *testing.T) string
		o    sqlite.Options
		is   error
		want string
	}{
		{"text", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "notes.txt")
			write(t, path, []byte(strings.Repeat("Dear diary, ", 200)))
			return path
		}, sqlite.Options{}, journal.ErrCorrupt, "file is not a database"},
		{"another program's file", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "other.db")
			execute(t, path, "CREATE TABLE t (a); PRAGMA application_id = 7")
			return path
		}, sqlite.Options{}, journal.ErrCorrupt, "this is another program's SQLite file (application id 0x7, expected 0x4665726d)"},
		{"a newer schema", func(t *testing.T) string {
			path := fresh(t)
			execute(t, path, "PRAGMA user_version = 99")
			return path
		}, sqlite.Options{}, journal.ErrNewer, "schema 99, this version reads up to 5"},
		{"no schema", func(t *testing.T) string {
			path := fresh(t)
			execute(t, path, "PRAGMA user_version = 0")
			return path
		}, sqlite.Options{}, journal.ErrCorrupt, "schema 0 does not exist"},
		{"a folder", func(t *testing.T) string { return t.TempDir() }, sqlite.Options{}, journal.ErrReadOnly, "is a directory"},
		{"below a file", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "file")
			write(t, path, nil)
			return filepath.Join(path, "a.db")
		}, sqlite.Options{}, journal.ErrReadOnly, "not a directory"},
		{"read-only, and not there", func(t *testing.T) string {
			return filepath.Join(t.TempDir(), "a.db")
		}, sqlite.Options{ReadOnly: true}, fs.ErrNotExist, "no such file"},
		{"read-only, and empty", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "a.db")
			write(t, path, nil)
			return path
		}, sqlite.Options{ReadOnly: true}, journal.ErrCorrupt, "the file is empty"},
		{"the first page is damaged", func(t *testing.T) string {
			path := fresh(t)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 100; i < 4096; i++ {
				data[i] = 0x55
			}
			write(t, path, data)
			return path
		}, sqlite.Options{}, journal.ErrCorrupt, "malformed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := tc.path(t)
			_, err := sqlite.OpenWith(path, tc.o)
			at, ok := errors.AsType[*journal.StoreError](err)
			if !ok || at.File != path || !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("found %v, expected a *StoreError of %s: %v, %q", err, path, tc.is, tc.want)
			}
		})
	}
}

func TestMustOpenPanics(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, journal.ErrReadOnly) {
			t.Errorf("found %v, expected a panic with ErrReadOnly", err)
		}
	}()
	sqlite.MustOpen(t.TempDir())
}

func TestAnUnwritableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(filepath.Join(dir, "a.db")); !errors.Is(err, journal.ErrReadOnly) {
		t.Errorf("found %v, expected ErrReadOnly", err)
	}
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "a.db")
	s := openFile(t, path, sqlite.Options{})
	defer s.Close()
	create(t, s, "run_1")
	got := make(map[string]fs.FileMode)
	for _, p := range []string{filepath.Dir(filepath.Dir(path)), filepath.Dir(path), path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.Base(p)] = info.Mode().Perm()
	}
	want := map[string]fs.FileMode{"new": 0o700, "folder": 0o700, "a.db": 0o600, "a.db-wal": 0o600, "a.db-shm": 0o600}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
}

func TestReadOnly(t *testing.T) {
	path := fresh(t)
	s := openFile(t, path, sqlite.Options{ReadOnly: true})
	if list, err := readAll(t, s, "run_1"); err != nil || len(list) != 6 {
		t.Errorf("found %d entries (%v), expected 6", len(list), err)
	}
	for _, d := range []journal.Durability{journal.Sync, journal.Async} {
		err := s.Append(t.Context(), journal.Batch{Run: "run_1", After: 6, Entries: step(6, nil), Durability: d})
		if !errors.Is(err, journal.ErrReadOnly) || !strings.Contains(err.Error(), path) {
			t.Errorf("append: found %v, expected ErrReadOnly", err)
		}
	}
	if err := s.Delete(t.Context(), "run_1"); !errors.Is(err, journal.ErrReadOnly) {
		t.Errorf("delete: found %v, expected ErrReadOnly", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestNoSpace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := openFile(t, path, sqlite.Options{MaxPages: 40})
	defer s.Close()
	create(t, s, "run_1")
	large := []byte(`"` + strings.Repeat("x", 20_000) + `"`)
	head, failed := uint64(2), error(nil)
	for ; failed == nil && head < 100; head += 2 {
		failed = s.Append(t.Context(), journal.Batch{Run: "run_1", After: head, Entries: step(head, large)})
	}
	head -= 2
	if at, ok := errors.AsType[*journal.StoreError](failed); !ok || !errors.Is(failed, journal.ErrNoSpace) || at.File != path || at.Seq != head+1 {
		t.Fatalf("found %v, expected ErrNoSpace with file, run and seq", failed)
	}
	if list, err := readAll(t, s, "run_1"); err != nil || uint64(len(list)) != head {
		t.Fatalf("found %d entries (%v), expected the %d that were acknowledged", len(list), err, head)
	}
	// What is too large for the space fails; what fits, and is committed with it, does not.
	for r, value := range [][]byte{nil, large, nil} {
		run := fmt.Sprint("run_small_", r)
		b := journal.Batch{Run: run, Row: &journal.RunRow{ID: run}, Entries: step(0, value), Durability: journal.Async}
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := s.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 3 {
		t.Errorf("found %d runs (%v), expected 3: the large one does not fit", len(rows), err)
	}
	err = s.Append(t.Context(), journal.Batch{Run: "run_small_1", After: 2, Entries: step(2, nil)})
	if !errors.Is(err, journal.ErrNoSpace) {
		t.Errorf("the large run hears of %v, expected ErrNoSpace", err)
	}
}

// TestJ6_DamageIsSeen damages rows behind the store's back: a reader names run and seq, and never skips anything.
func TestJ6_DamageIsSeen(t *testing.T) {
	third := journal.AppendEntries(nil, step(4, nil))
	for _, tc := range []struct {
		name, statement string
		args            []any
		is              error
		seq             uint64
		want            string
	}{
		{"a frame is cut", "UPDATE journal SET data = substr(data, 1, length(data) - 1) WHERE last = 4", nil, journal.ErrCorrupt, 3, "the frame's check is"},
		{"a frame is empty", "UPDATE journal SET data = x'' WHERE last = 2", nil, journal.ErrCorrupt, 1, "an empty frame"},
		{"a frame is newer", "UPDATE journal SET data = x'0900' WHERE last = 4", nil, journal.ErrNewer, 3, "frame format 9"},
		{"a frame is missing", "DELETE FROM journal WHERE last = 4", nil, journal.ErrCorrupt, 1, "expected seq 1, found seq 5"},
		{"the last frame is missing", "DELETE FROM journal WHERE last = 6; INSERT INTO journal VALUES (9, 99, 0, 0, x'')", nil, journal.ErrCorrupt, 1, "the entries after seq 0 are missing"},
		{"a frame is there twice", "UPDATE journal SET data = ? WHERE last = 4", []any{third}, journal.ErrCorrupt, 3, "expected seq 3, found seq 5"},
		{"a chain leads elsewhere", "UPDATE journal SET back = 2 WHERE last = 6", nil, journal.ErrCorrupt, 1, "row 2 of the log is not where it belongs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := fresh(t)
			if strings.Contains(tc.name, "last") {
				execute(t, path, "UPDATE runs SET row = 3, last = 6; UPDATE state SET folded = 3")
			}
			execute(t, path, tc.statement, tc.args...)
			s := openFile(t, path, sqlite.Options{})
			defer s.Close()
			_, err := readAll(t, s, "run_1")
			at, ok := errors.AsType[*journal.StoreError](err)
			if !ok || at.Run != "run_1" || at.File != path || at.Seq != tc.seq || !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("found %v, expected seq %d, %v, %q", err, tc.seq, tc.is, tc.want)
			}
		})
	}
}

// TestJ6_ADamagedPage overwrites pages of the file in turn: whatever is read then is right, or a typed error.
func TestJ6_ADamagedPage(t *testing.T) {
	whole := fresh(t)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for page := 1; page < len(data)/4096; page++ {
		path := filepath.Join(t.TempDir(), "a.db")
		spoilt := append([]byte(nil), data...)
		for i := range 4096 {
			spoilt[page*4096+i] = byte(i*7 + 3)
		}
		write(t, path, spoilt)
		s, err := sqlite.Open(path)
		if err == nil {
			var list []journal.Entry
			if list, err = readAll(t, s, "run_1"); err == nil && len(list) != 6 {
				t.Errorf("page %d: %d entries and no error", page, len(list))
			}
			_ = s.Close()
		}
		if err != nil {
			if damaged++; !errors.Is(err, journal.ErrCorrupt) {
				t.Errorf("page %d: found %v, expected ErrCorrupt", page, err)
			}
		}
	}
	if damaged == 0 {
		t.Error("no damage was seen")
	}
}

// TestFoldsKeepTheEndsOfChains writes so much that the ends of chains are written to the table of runs many times, by
// two handles in turn.
func TestFoldsKeepTheEndsOfChains(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	one, two := openFile(t, path, sqlite.Options{Sync: sqlite.Normal}), openFile(t, path, sqlite.Options{Sync: sqlite.Normal})
	heads := make(map[string]uint64)
	for i := range 6000 {
		s := []*sqlite.Store{one, two}[i/700%2]
		run := fmt.Sprint("run_", i*i%37)
		b := journal.Batch{Run: run, After: heads[run], Entries: step(heads[run], nil), Durability: journal.Durability(i % 3 / 2)}
		if heads[run] == 0 {
			b.Row = &journal.RunRow{ID: run}
		}
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if heads[run] += 2; i%700 == 699 {
			checkHeads(t, s, heads)
		}
		if i%1500 == 1499 {
			gone := fmt.Sprint("run_", i%5*i%5)
			if err := s.Delete(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
			delete(heads, gone)
			checkHeads(t, s, heads)
		}
	}
	checkHeads(t, two, heads)
	checkHeads(t, one, heads)
	if err := errors.Join(one.Close(), two.Close()); err != nil {
		t.Fatal(err)
	}
	again := openFile(t, path, sqlite.Options{ReadOnly: true})
	defer again.Close()
	checkHeads(t, again, heads)
}

func checkHeads(t *testing.T, s *sqlite.Store, heads map[string]uint64) {
	t.Helper()
	rows, err := s.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	listed, read := make(map[string]uint64), make(map[string]uint64)
	for _, r := range rows {
		listed[r.ID] = r.Head
		list, err := readAll(t, s, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		read[r.ID] = uint64(len(list))
	}
	if diff := cmp.Diff([]any{heads, heads}, []any{listed, read}); diff != "" {
		t.Fatalf("heads as listed, and as read (-want +got):\n%s", diff)
	}
}
