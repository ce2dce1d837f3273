package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/journal/sqlite/sqlitetest"
)

func readAll(t *testing.T, s journal.Store, run string) ([]journal.Entry, error) {
	t.Helper()
	var list []journal.Entry
	for e, err := range s.Read(t.Context(), run, 0) {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

// workload writes 12 steps of one run, projections with every third, and goes on after an error as an engine does: it
// reads where the journal ends. It returns how many appends failed.
func workload(t *testing.T, s *sqlite.Store, run string) (failures []error) {
	t.Helper()
	const steps = 12
	for head := uint64(0); head < 2*steps; {
		b := journal.Batch{Run: run, After: head, Entries: step(head, []byte(`"a value"`))}
		if head%6 == 0 {
			b.Row = &journal.RunRow{ID: run, Plan: "triage", Status: "running", Updated: int64(head)}
			b.Timers = []journal.Timer{{Run: run, ID: "t", Due: int64(head)}}
		}
		err := s.Append(t.Context(), b)
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
		if found := uint64(len(list)); found != head && found != head+2 {
			t.Fatalf("after a failed append behind %d the journal has %d entries", head, found)
		} else {
			head = found
		}
	}
	return failures
}

// wanted is what workload writes.
func wanted() (list []journal.Entry) {
	for head := uint64(0); head < 24; head += 2 {
		list = append(list, step(head, []byte(`"a value"`))...)
	}
	return list
}

// TestJ2_EveryWriteAndSyncFailsOnce lets each write and each sync of a workload fail in its turn: the append that it
// belongs to fails with a typed error, and nothing that was acknowledged is lost, nor by opening the file again.
func TestJ2_EveryWriteAndSyncFailsOnce(t *testing.T) {
	for _, fault := range []struct {
		name string
		fail func(d *sqlitetest.Disk, n int)
		is   error
	}{
		{"write", (*sqlitetest.Disk).FailWrite, nil},
		{"full disk", (*sqlitetest.Disk).FillUp, journal.ErrNoSpace},
		{"sync", (*sqlitetest.Disk).FailSync, nil},
	} {
		t.Run(fault.name, func(t *testing.T) {
			hits := 0
			for n := 1; ; n++ {
				path := filepath.Join(t.TempDir(), "a.db")
				disk := sqlitetest.New(t)
				s := openFile(t, path, sqlite.Options{VFS: disk.Name()})
				fault.fail(disk, n)
				failures := workload(t, s, "run_1")
				for _, err := range failures {
					at, ok := errors.AsType[*journal.StoreError](err)
					if !ok || at.File != path || at.Run != "run_1" || at.Seq == 0 || fault.is != nil && !errors.Is(err, fault.is) {
						t.Errorf("%s %d: found %v, expected a *StoreError with file, run and seq, %v", fault.name, n, err, fault.is)
					}
				}
				checkWhole(t, s)
				if err := s.Close(); err != nil {
					t.Logf("%s %d: close: %v", fault.name, n, err)
				}
				s = openFile(t, path, sqlite.Options{})
				checkWhole(t, s)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if len(failures) == 0 {
					break // there are no more than n
				}
				hits++
			}
			if hits < 12 {
				t.Errorf("only %d faults were hit", hits)
			}
		})
	}
}

func checkWhole(t *testing.T, s journal.Store) {
	t.Helper()
	list, err := readAll(t, s, "run_1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted(), list); diff != "" {
		t.Fatalf("the journal (-want +got):\n%s", diff)
	}
	rows, err1 := s.Runs(t.Context(), journal.RunFilter{})
	timers, err2 := s.Timers(t.Context(), 99, 0)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	want := []any{
		[]journal.RunRow{{ID: "run_1", Plan: "triage", Status: "running", Updated: 18, Head: 24}},
		[]journal.Timer{{Run: "run_1", ID: "t", Due: 18}},
	}
	if diff := cmp.Diff(want, []any{rows, timers}); diff != "" {
		t.Fatalf("the projections (-want +got):\n%s", diff)
	}
}

// TestAFaultOfAGroupIsToldToAll: what is committed together fails together, and each can go on.
func TestAFaultOfAGroupIsToldToAll(t *testing.T) {
	disk := sqlitetest.New(t)
	s := openFile(t, filepath.Join(t.TempDir(), "a.db"), sqlite.Options{VFS: disk.Name(), Within: 1 << 40})
	const runs = 20
	for r := range runs {
		create(t, s, fmt.Sprint("run_", r))
	}
	for r := range runs { // they wait in the queue until someone reads
		b := journal.Batch{Run: fmt.Sprint("run_", r), After: 2, Entries: step(2, nil), Durability: journal.Async}
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	disk.FailSync(1)
	if list, err := readAll(t, s, "run_0"); err != nil || len(list) != 2 {
		t.Fatalf("found %d entries (%v), expected 2", len(list), err)
	}
	for r := range runs {
		b := journal.Batch{Run: fmt.Sprint("run_", r), After: 2, Entries: step(2, nil)}
		err := s.Append(t.Context(), b)
		if at, ok := errors.AsType[*journal.StoreError](err); !ok || errors.Is(err, journal.ErrConflict) || at.Run != b.Run {
			t.Errorf("%s hears of %v, expected the failed sync", b.Run, err)
		}
		if err := s.Append(t.Context(), b); err != nil {
			t.Errorf("%s does not go on: %v", b.Run, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
