package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/journal/sqlite/sqlitetest"
)

// packed is what the journals of these tests hold: three blocks, the one in the middle of a single entry.
func packed() []journal.Entry {
	var list []journal.Entry
	for n := range uint64(40) {
		value := fmt.Appendf(nil, `{"text":"Thank you, that helped.","n":%d}`, n*n)
		if n == 20 {
			value = []byte(`"` + strings.Repeat("all work and no play ", 13_000) + `"`)
		}
		list = append(list, step(2*n, value)...)
	}
	return list
}

func appendPacked(t *testing.T, s journal.Store) {
	t.Helper()
	list := packed()
	for n := 0; n < len(list); n += 2 {
		b := journal.Batch{Run: "run_1", After: uint64(n), Entries: list[n : n+2], Durability: journal.Async}
		if n == 0 {
			b.Row = &journal.RunRow{ID: "run_1", Plan: "triage", Status: "completed"}
		}
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

func checkPacked(t *testing.T, s journal.Store) {
	t.Helper()
	list, err := readAll(t, s, "run_1")
	if err != nil {
		t.Fatal(err)
	}
	if want := packed(); !reflect.DeepEqual(want, list) { // cmp takes its time over large values
		t.Fatalf("the journal (-want +got):\n%s", cmp.Diff(want, list))
	}
}

// compacted is the path of a closed file with one compacted run.
func compacted(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	s := openFile(t, path, sqlite.Options{})
	appendPacked(t, s)
	if did, err := s.Compact(t.Context(), "run_1"); err != nil || did.Entries != 80 || did.After*20 > did.Before {
		t.Fatalf("found %+v, %v; expected 80 entries in a twentieth of the bytes", did, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each write and each sync of a compaction fails in its turn: what is stored is the old or the new, and never
// something else.
func TestJ2_EveryWriteAndSyncOfACompactionFailsOnce(t *testing.T) {
	for _, fault := range []struct {
		name string
		fail func(d *sqlitetest.Disk, n int)
		is   error
	}{
		{"full disk", (*sqlitetest.Disk).FillUp, journal.ErrNoSpace},
		{"sync", (*sqlitetest.Disk).FailSync, nil},
	} {
		t.Run(fault.name, func(t *testing.T) {
			hits := 0
			for n := 1; ; n++ {
				path := filepath.Join(t.TempDir(), "a.db")
				disk := sqlitetest.New(t)
				s := openFile(t, path, sqlite.Options{VFS: disk.Name()})
				appendPacked(t, s)
				checkPacked(t, s) // all is written
				fault.fail(disk, n)
				_, failure := s.Compact(t.Context(), "run_1")
				if at, ok := errors.AsType[*journal.StoreError](failure); failure != nil &&
					(!ok || at.File != path || at.Run != "run_1" || fault.is != nil && !errors.Is(failure, fault.is)) {
					t.Errorf("%s %d: found %v, expected a *StoreError with file and run, %v", fault.name, n, failure, fault.is)
				}
				checkPacked(t, s)
				if err := s.Close(); err != nil {
					t.Logf("%s %d: close: %v", fault.name, n, err)
				}
				s = openFile(t, path, sqlite.Options{})
				checkPacked(t, s)
				if _, err := s.Compact(t.Context(), "run_1"); err != nil {
					t.Errorf("%s %d: afterwards: %v", fault.name, n, err)
				}
				checkPacked(t, s)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if failure == nil {
					break // there are no more than n
				}
				hits++
			}
			if hits < 4 {
				t.Errorf("only %d faults were hit", hits)
			}
			t.Logf("%d faults", hits)
		})
	}
}

// TestJ6_DamageOfABlockIsSeen damages blocks behind the store's back.
func TestJ6_DamageOfABlockIsSeen(t *testing.T) {
	for _, tc := range []struct {
		name, statement string
		is              error
		seq             uint64
		want            string
	}{
		{"a block is cut", "UPDATE journal SET data = substr(data, 1, length(data) - 1) WHERE last = 80", journal.ErrCorrupt, 43, "the block's check is"},
		{"a block is changed", "UPDATE journal SET data = CAST(substr(data, 1, 40) || x'00' || substr(data, 42) AS BLOB) WHERE last = 40", journal.ErrCorrupt, 1, "the block's check is"},
		{"a block is empty", "UPDATE journal SET data = x'02' WHERE last = 80", journal.ErrCorrupt, 43, "a block of 1 bytes"},
		{"a block is missing", "DELETE FROM journal WHERE last = 42", journal.ErrCorrupt, 1, "expected seq 1, found seq 43"},
		{"a block is there twice", "UPDATE journal SET data = (SELECT data FROM journal WHERE last = 40) WHERE last = 42", journal.ErrCorrupt, 41, "expected seq 41, found seq 1"},
		{"a later block is in its place", "UPDATE journal SET data = (SELECT data FROM journal WHERE last = 80) WHERE last = 42", journal.ErrCorrupt, 41, "expected seq 41, found seq 43"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := compacted(t)
			execute(t, path, tc.statement)
			s := openFile(t, path, sqlite.Options{})
			defer s.Close()
			check := func(what string, err error) {
				t.Helper()
				at, ok := errors.AsType[*journal.StoreError](err)
				if !ok || at.Run != "run_1" || at.File != path || at.Seq != tc.seq || !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%s: found %v, expected seq %d, %v, %q", what, err, tc.seq, tc.is, tc.want)
				}
			}
			_, err := readAll(t, s, "run_1")
			check("read", err)
			if err := s.Append(t.Context(), journal.Batch{Run: "run_1", After: 80, Entries: step(80, nil)}); err != nil {
				t.Fatal(err) // who appends has read before
			}
			_, err = readAll(t, s, "run_1")
			check("read again", err)
		})
	}
}

// A damaged journal is not packed: what is left of it stays as it is.
func TestJ6_DamageIsNotPacked(t *testing.T) {
	for name, statement := range map[string]string{
		"a frame is cut":           "UPDATE journal SET data = substr(data, 1, length(data) - 1) WHERE last = 4",
		"a frame is missing":       "DELETE FROM journal WHERE last = 4",
		"a frame is there twice":   "UPDATE journal SET data = (SELECT data FROM journal WHERE last = 2) WHERE last = 4",
		"a block is there instead": "UPDATE journal SET data = x'02' WHERE last = 4",
	} {
		t.Run(name, func(t *testing.T) {
			path := fresh(t)
			execute(t, path, statement)
			s := openFile(t, path, sqlite.Options{})
			defer s.Close()
			_, want := readAll(t, s, "run_1")
			_, err := s.Compact(t.Context(), "run_1")
			if at, ok := errors.AsType[*journal.StoreError](err); !ok || at.Run != "run_1" || at.Seq == 0 || !errors.Is(err, journal.ErrCorrupt) {
				t.Errorf("found %v, expected ErrCorrupt with run and seq", err)
			}
			if _, got := readAll(t, s, "run_1"); fmt.Sprint(got) != fmt.Sprint(want) || got == nil {
				t.Errorf("reading before: %v, and after: %v", want, got)
			}
		})
	}
}

// The file shrinks. One of an earlier version does not, and is read and compacted all the same.
func TestJ9_ACompactedFileIsSmaller(t *testing.T) {
	for _, earlier := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.db")
		if earlier {
			s := openFile(t, path, sqlite.Options{})
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			execute(t, path, "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM")
		}
		s := openFile(t, path, sqlite.Options{})
		appendPacked(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		before := fileSize(t, path)
		s = openFile(t, path, sqlite.Options{})
		if _, err := s.Compact(t.Context(), "run_1"); err != nil {
			t.Fatal(err)
		}
		checkPacked(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		after := fileSize(t, path)
		if earlier && after != before || !earlier && after > before/2 {
			t.Errorf("earlier version %v: the file had %d bytes, and has %d", earlier, before, after)
		}
		s = openFile(t, path, sqlite.Options{ReadOnly: true})
		checkPacked(t, s)
		if _, err := s.Compact(t.Context(), "run_1"); !errors.Is(err, journal.ErrReadOnly) {
			t.Errorf("found %v, expected ErrReadOnly", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// compactForever appends to three runs, and compacts one of them every now and then, until the process is killed.
func compactForever(s *sqlite.Store) error {
	ctx, heads := context.Background(), make(map[string]uint64)
	rows, err := s.Runs(ctx, journal.RunFilter{})
	if err != nil {
		return err
	}
	for _, r := range rows {
		heads[r.ID] = r.Head
	}
	for {
		run := fmt.Sprint("run_", rand.IntN(3))
		b := journal.Batch{Run: run, After: heads[run], Entries: step(heads[run], fmt.Append(nil, heads[run]))}
		if heads[run] == 0 {
			b.Row = &journal.RunRow{ID: run}
		}
		if err := s.Append(ctx, b); err != nil {
			return err
		}
		heads[run] = b.Head()
		fmt.Println(run, b.Head())
		if rand.IntN(8) > 0 {
			continue
		}
		if _, err := s.Compact(ctx, run); err != nil {
			return err
		}
	}
}

func TestJ2_ACompactionSurvivesKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	known := make(map[string]uint64)
	for round := range 6 {
		cmd, out := start(t, "compact", path)
		last := 20 + rand.IntN(300)
		heads, _ := acknowledged(t, out, func(line int) {
			if line == last {
				_ = cmd.Process.Kill()
			}
		})
		_ = cmd.Wait()
		maps.Copy(known, heads)
		s := openFile(t, path, sqlite.Options{})
		for run, head := range known {
			list, err := readAll(t, s, run)
			if err != nil {
				t.Fatal(err)
			}
			found := uint64(len(list))
			var want []journal.Entry
			for n := uint64(0); n < found; n += 2 {
				want = append(want, step(n, fmt.Append(nil, n))...)
			}
			if diff := cmp.Diff(want, list); diff != "" || found < head || found > head+2 {
				t.Errorf("round %d: %s has %d entries, %d were acknowledged (-want +got):\n%s", round, run, found, head, diff)
			}
			known[run] = found
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
