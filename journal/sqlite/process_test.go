package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// childMode is the environment variable that makes the test binary another process on a file: what it does, and the
// file.
const childMode = "FERMATA_SQLITE_CHILD"

func TestMain(m *testing.M) {
	if mode, path, ok := strings.Cut(os.Getenv(childMode), " "); ok {
		if err := child(mode, path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	lawtest.CollectLess()
	lawtest.KeepFilesInMemory()
	goleak.VerifyTestMain(m)
}

// child appends to the file, and prints what was acknowledged: a run and its head.
func child(mode, path string) error {
	s, err := sqlite.OpenWith(path, sqlite.Options{Sync: sqlite.Normal})
	if err != nil {
		return err
	}
	switch mode {
	case "race":
		err = race(s)
	case "forever":
		err = forever(s)
	case "compact":
		err = compactForever(s)
	case "once":
		err = writeRun(s, fmt.Sprint("run_", os.Getpid()))
	}
	return errors.Join(err, s.Close())
}

func writeRun(s journal.Store, run string) error {
	return s.Append(context.Background(), journal.Batch{Run: run, Row: &journal.RunRow{ID: run}, Entries: step(0, nil)})
}

// race appends 60 steps to a run that others append to, too, signed with the process' id.
func race(s journal.Store) error {
	ctx, me := context.Background(), fmt.Sprint(os.Getpid())
	for done := 0; done < 60; {
		rows, err := s.Runs(ctx, journal.RunFilter{ID: "run_1"})
		if err != nil || len(rows) != 1 {
			return fmt.Errorf("%d runs: %w", len(rows), err)
		}
		head := rows[0].Head
		b := journal.Batch{Run: "run_1", After: head, Entries: step(head, nil)}
		b.Entries[0].Op, b.Entries[1].Op = me, me
		if done%5 == 0 {
			b.Row = &journal.RunRow{ID: "run_1"}
		}
		switch err := s.Append(ctx, b); {
		case err == nil:
			done++
			fmt.Println("run_1", b.Head())
		case !errors.Is(err, journal.ErrConflict):
			return err
		}
	}
	return nil
}

// forever appends to three runs, sometimes to several at once, until the process is killed.
func forever(s journal.Store) error {
	heads := make(map[string]uint64)
	rows, err := s.Runs(context.Background(), journal.RunFilter{})
	if err != nil {
		return err
	}
	for _, r := range rows {
		heads[r.ID] = r.Head
	}
	for {
		run := fmt.Sprint("run_", rand.IntN(3))
		b := journal.Batch{Run: run, After: heads[run], Entries: step(heads[run], []byte(`"value"`))}
		if heads[run] == 0 || rand.IntN(5) == 0 {
			b.Row = &journal.RunRow{ID: run, Updated: int64(b.Head())}
			b.Timers = []journal.Timer{{Run: run, ID: "t", Due: int64(b.Head())}}
		}
		if err := s.Append(context.Background(), b); err != nil {
			return err
		}
		heads[run] = b.Head()
		fmt.Println(run, b.Head())
	}
}

// start runs the test binary as another process on the file.
func start(t *testing.T, mode, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childMode+"="+mode+" "+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// acknowledged reads what a child prints, and returns the heads of runs and how many lines there were.
func acknowledged(t *testing.T, out *bufio.Scanner, seen func(line int)) (heads map[string]uint64, lines int) {
	t.Helper()
	heads = make(map[string]uint64)
	for out.Scan() {
		run, head, _ := strings.Cut(out.Text(), " ")
		n, err := strconv.ParseUint(head, 10, 64)
		if err != nil {
			continue // a line that the end of the process cut
		}
		heads[run] = n
		lines++
		seen(lines)
	}
	return heads, lines
}

func TestJ3_ProcessesRaceForOneRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := openFile(t, path, sqlite.Options{Sync: sqlite.Normal})
	defer s.Close()
	create(t, s, "run_1")
	const children = 3
	var cmds [children]*exec.Cmd
	var outs [children]*bufio.Scanner
	for i := range children {
		cmds[i], outs[i] = start(t, "race", path)
	}
	total := 0
	for i := range children {
		_, lines := acknowledged(t, outs[i], func(int) {})
		if err := cmds[i].Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
		total += lines
	}
	list, err := readAll(t, s, "run_1")
	if err != nil {
		t.Fatal(err)
	}
	if total != 60*children || len(list) != 2+2*total {
		t.Errorf("%d steps were acknowledged, and the journal has %d entries; expected %d and %d", total, len(list), 60*children, 2+120*children)
	}
	by := make(map[string]int)
	for i := 2; i < len(list); i += 2 {
		if list[i].Op != list[i+1].Op {
			t.Fatalf("entries %d and %d are of two processes", i+1, i+2)
		}
		by[list[i].Op]++
	}
	for op, n := range by {
		if n != 60 {
			t.Errorf("process %s wrote %d steps, expected 60", op, n)
		}
	}
}

func TestJ2_WhatWasAcknowledgedSurvivesKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	known := make(map[string]uint64)
	for round := range 6 {
		cmd, out := start(t, "forever", path)
		last := 20 + rand.IntN(400)
		heads, lines := acknowledged(t, out, func(line int) {
			if line == last {
				_ = cmd.Process.Kill()
			}
		})
		_ = cmd.Wait()
		if lines < last {
			t.Fatalf("round %d: the process ended by itself after %d steps", round, lines)
		}
		maps.Copy(known, heads)
		s := openFile(t, path, sqlite.Options{})
		rows, err := s.Runs(t.Context(), journal.RunFilter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			list, err := readAll(t, s, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			// One step may be there that the process did not get to say.
			if n := uint64(len(list)); n != r.Head || n < known[r.ID] || n > known[r.ID]+2 {
				t.Errorf("round %d: %s has %d entries and head %d, %d were acknowledged", round, r.ID, n, r.Head, known[r.ID])
			}
			known[r.ID] = r.Head
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWatchTellsOfOtherProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := openFile(t, path, sqlite.Options{Sync: sqlite.Normal})
	defer s.Close()
	create(t, s, "run_1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var calls atomic.Int64
	told := make(chan struct{}, 100)
	err := s.Watch(ctx, func() {
		calls.Add(1)
		told <- struct{}{}
	})
	if err != nil {
		t.Fatal(err)
	}
	for head := uint64(2); head < 20; head += 2 { // what the store writes itself is no news
		if err := s.Append(t.Context(), journal.Batch{Run: "run_1", After: head, Entries: step(head, nil)}); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(50 * time.Millisecond)
	if n := calls.Load(); n != 0 {
		t.Errorf("the store's own writes were told %d times", n)
	}
	for round := range 3 {
		cmd, _ := start(t, "once", path)
		select {
		case <-told:
		case <-time.After(20 * time.Second):
			t.Fatalf("round %d: nothing was told", round)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if rows, err := s.Runs(t.Context(), journal.RunFilter{}); err != nil || len(rows) != round+2 {
			t.Errorf("found %d runs (%v), expected %d", len(rows), err, round+2)
		}
	}
}

func TestAWatcherEndsWithItsStore(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "a.db"), sqlite.Options{})
	if err := s.Watch(t.Context(), func() {}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Watch(t.Context(), func() {}); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("found %v, expected ErrClosed", err)
	}
} // that its goroutine has ended is seen by goleak

// TestACallerMayLeaveTheQueue: an append whose context ends while others are written is withdrawn, or written.
func TestACallerMayLeaveTheQueue(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "a.db"), sqlite.Options{})
	defer s.Close()
	heads := make([]uint64, 32)
	done := make(chan error)
	for r := range heads {
		go func() {
			run := fmt.Sprint("run_", r)
			if err := writeRun(s, run); err != nil {
				done <- err
				return
			}
			heads[r] = 2
			for range 40 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(600))*time.Microsecond)
				err := s.Append(ctx, journal.Batch{Run: run, After: heads[r], Entries: step(heads[r], nil)})
				cancel()
				switch {
				case err == nil:
					heads[r] += 2
				case !errors.Is(err, context.DeadlineExceeded):
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range heads {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for r, head := range heads {
		if list, err := readAll(t, s, fmt.Sprint("run_", r)); err != nil || uint64(len(list)) != head {
			t.Errorf("run %d has %d entries (%v), expected the %d that were acknowledged", r, len(list), err, head)
		}
	}
}
