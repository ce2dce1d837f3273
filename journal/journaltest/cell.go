package journaltest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
)

// swapping runs a test on a store with cells.
func swapping(test func(t *testing.T, s journal.Store, c journal.Swapper)) func(t *testing.T, s journal.Store) {
	return func(t *testing.T, s journal.Store) {
		c, ok := journal.As[journal.Swapper](s)
		if !ok {
			t.Skip("the store has no cells")
		}
		test(t, s, c)
	}
}

// swap swaps, and checks what is reported.
func swap(t *testing.T, c journal.Swapper, name string, was, next, now []byte, swapped bool) {
	t.Helper()
	got, did, err := c.Swap(t.Context(), name, was, next)
	if err != nil {
		t.Fatal(err)
	}
	if took(did, got, next) != swapped && did != swapped || !sameCell(got, now) {
		t.Errorf("swap of %q from %q to %q: swapped is %t and the cell %q; expected %t and %q", name, was, next, did, got, swapped, now)
	}
}

// took reports whether a swap took effect, also where the answer that said so was lost.
func took(swapped bool, now, next []byte) bool { return swapped || sameCell(now, next) }

// sameCell compares values of cells: none is not an empty one.
func sameCell(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// cell checks the value of a cell.
func cell(t *testing.T, c journal.Swapper, name string, want []byte) {
	t.Helper()
	got, err := c.Cell(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if !sameCell(got, want) {
		t.Errorf("the cell %q is %q, expected %q", name, got, want)
	}
}

func testSwap(t *testing.T, s journal.Store, c journal.Swapper) {
	one, two, none := []byte("one\x00\xff"), []byte(`{"two": 2}`), []byte{}
	cell(t, c, "a", nil)
	swap(t, c, "a", one, two, nil, false)
	swap(t, c, "a", nil, one, one, true)
	swap(t, c, "a", nil, two, one, false)
	swap(t, c, "a", two, none, one, false)
	swap(t, c, "a", none, two, one, false)
	swap(t, c, "a", one, one, one, true)
	swap(t, c, "a", one, none, none, true)
	cell(t, c, "a", none)
	swap(t, c, "a", nil, two, none, false)
	swap(t, c, "a", none, nil, nil, true)
	cell(t, c, "a", nil)
	swap(t, c, "a", nil, nil, nil, true)
	swap(t, c, "a", nil, one, one, true)
	swap(t, c, "a", nil, nil, one, false)

	// What is handed over stays the caller's.
	mine := []byte("mine")
	swap(t, c, "b", nil, mine, []byte("mine"), true)
	mine[0] = 'X'
	cell(t, c, "b", []byte("mine"))

	// A cell is no run.
	rows, err := s.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "runs", 0, len(rows))

	for _, name := range []string{"", "a\nb", "a\x00", "\xff", strings.Repeat("a", 1025)} {
		_, _, err := c.Swap(t.Context(), name, nil, one)
		fails(t, fmt.Sprintf("a cell %.10q", name), err, journal.ErrRefused, "")
		cell(t, c, name, nil)
	}
	swap(t, c, strings.Repeat("ü", 512), nil, one, one, true)
}

func testCells(t *testing.T, _ journal.Store, c journal.Swapper) {
	for _, name := range []string{"pool:b", "pool:a/x", "pool:%_/y", "pol", "pool:a", "q"} {
		swap(t, c, name, nil, []byte(name), []byte(name), true)
	}
	for _, tc := range []struct {
		prefix string
		limit  int
		want   []string
	}{
		{"pool:", 0, []string{"pool:%_/y", "pool:a", "pool:a/x", "pool:b"}},
		{"pool:a", 0, []string{"pool:a", "pool:a/x"}},
		{"pool:%", 0, []string{"pool:%_/y"}},
		{"po", 2, []string{"pol", "pool:%_/y"}},
		{"POOL", 0, nil},
		{"", 0, []string{"pol", "pool:%_/y", "pool:a", "pool:a/x", "pool:b", "q"}},
	} {
		list, err := c.Cells(t.Context(), tc.prefix, tc.limit)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, cell := range list {
			names = append(names, cell.Name)
			if string(cell.Value) != cell.Name {
				t.Errorf("the cell %q is %q", cell.Name, cell.Value)
			}
		}
		same(t, fmt.Sprintf("cells with %q, %d at most", tc.prefix, tc.limit), tc.want, names)
	}
}

// testCellsDrawn compares cells with a map.
func testCellsDrawn(t *testing.T, _ journal.Store, c journal.Swapper) {
	model := make(map[string][]byte)
	names, values := []string{"a", "a/b", "ü"}, [][]byte{nil, {}, []byte("x"), []byte("y"), {0, 1}}
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom(names).Draw(r, "name")
		was, next := rapid.SampledFrom(values).Draw(r, "was"), rapid.SampledFrom(values).Draw(r, "next")
		if rapid.Bool().Draw(r, "known") {
			was = model[name]
		}
		fits := sameCell(model[name], was)
		if fits && next == nil {
			delete(model, name)
		} else if fits {
			model[name] = next
		}
		now, swapped, err := c.Swap(t.Context(), name, was, next)
		if err != nil || swapped != fits && !(fits && took(swapped, now, next)) || !sameCell(now, model[name]) {
			r.Fatalf("%q from %q to %q: %q, %t, %v; expected %q, %t", name, was, next, now, swapped, err, model[name], fits)
		}
		list, err := c.Cells(t.Context(), "", 0)
		if err != nil || len(list) != len(model) {
			r.Fatalf("cells: %v, %v; expected %v", list, err, model)
		}
		for i, name := range slices.Sorted(maps.Keys(model)) {
			if list[i].Name != name || !sameCell(list[i].Value, model[name]) {
				r.Fatalf("cells: %v; expected %v", list, model)
			}
		}
	})
}

// count counts to n in a cell that several count in, each on a line of its own. No line goes back: a swap by others keeps
// what it was told. A swap that was made and reported as not made is found on the line.
func count(ctx context.Context, c journal.Swapper, who, n int) error {
	was, err := c.Cell(ctx, "count")
	for done := 0; done < n && err == nil; {
		lines := counted(was)
		if found := lines[who]; found != done && found != done+1 {
			return fmt.Errorf("%d counted to %d and found %d", who, done, found)
		}
		lines[who] = done + 1
		next := fmt.Append(nil, lines[:])
		var swapped bool
		if was, swapped, err = c.Swap(ctx, "count", was, next); swapped {
			done++
		} else if err == nil && counted(was)[who] == done+1 {
			done++
		}
	}
	return err
}

// counted is what a cell says of those who count in it.
func counted(value []byte) (lines [8]int) {
	for i, n := range strings.Fields(strings.Trim(string(value), "[]")) {
		lines[i], _ = strconv.Atoi(n) // no cell is 0
	}
	return lines
}

// testSwapRace shows that no swap is lost.
func testSwapRace(t *testing.T, _ journal.Store, c journal.Swapper) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := count(t.Context(), c, i, 10); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	cell(t, c, "count", []byte("[10 10 10 10 10 10 10 10]"))
}

func testSwapClosed(t *testing.T, s journal.Store, c journal.Swapper) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := c.Swap(ctx, "a", nil, []byte("a"))
	fails(t, "swap with a done context", err, context.Canceled, "")
	cell(t, c, "a", nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, swapped := c.Swap(t.Context(), "a", nil, []byte("a"))
	_, one := c.Cell(t.Context(), "a")
	_, all := c.Cells(t.Context(), "", 0)
	for _, err := range []error{swapped, one, all} {
		fails(t, "a closed store", err, journal.ErrClosed, "")
	}
}

// testSwapSecond shows that two handles have the same cells, and that one is told of what the other changes.
func testSwapSecond(t *testing.T, o Options) {
	one := open(t, o)
	a, ok := journal.As[journal.Swapper](one)
	if !ok {
		t.Skip("the store has no cells")
	}
	two := o.Second(t, one)
	t.Cleanup(func() { _ = two.Close() })
	b := two.(journal.Swapper)
	told := make(chan string, 100)
	if w, ok := journal.As[journal.RunWatcher](two); ok {
		err := w.WatchRuns(t.Context(), func(c journal.Change) {
			for _, name := range c.Runs {
				told <- name
			}
			if c.Any {
				told <- ""
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	} else {
		told = nil
	}
	hears := func(name string) {
		t.Helper()
		for told != nil {
			select {
			case got := <-told:
				if got == name || got == "" {
					return
				}
			case <-time.After(aLongTime):
				t.Fatalf("nobody was told of the cell %q", name)
			}
		}
	}
	swap(t, a, "pool:a", nil, []byte("1"), []byte("1"), true)
	hears("pool:a")
	cell(t, b, "pool:a", []byte("1"))
	swap(t, b, "pool:a", []byte("1"), []byte("2"), []byte("2"), true)
	swap(t, a, "pool:a", []byte("1"), []byte("3"), []byte("2"), false)
	swap(t, a, "pool:b", nil, []byte("1"), []byte("1"), true)
	hears("pool:b")
	swap(t, a, "pool:a", []byte("2"), nil, nil, true)
	swap(t, a, "pool:a", nil, []byte("1"), []byte("1"), true)
	hears("pool:a")
	var wg sync.WaitGroup
	for who, c := range []journal.Swapper{a, b} {
		wg.Go(func() {
			if err := count(t.Context(), c, who, 20); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	cell(t, b, "count", []byte("[20 20 0 0 0 0 0 0]"))
}

func testSwapReopen(t *testing.T, o Options) {
	s := o.Open(t)
	c, ok := journal.As[journal.Swapper](s)
	if !ok {
		t.Skip("the store has no cells")
	}
	swap(t, c, "a", nil, []byte("1"), []byte("1"), true)
	s = o.Reopen(t, s)
	cell(t, s.(journal.Swapper), "a", []byte("1"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
