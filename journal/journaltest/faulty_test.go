package journaltest_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
)

// TestFaultyPassesTheSuite: a store that was told nothing does what its inner store does.
func TestFaultyPassesTheSuite(t *testing.T) {
	journaltest.Run(t, func(*testing.T) journal.Store { return journaltest.NewFaulty(memory.New()) })
}

func TestFaultyHooks(t *testing.T) {
	inner := memory.New()
	f := journaltest.NewFaulty(inner)
	stop := errors.New("stop here")
	var calls []int
	f.BeforeAppend = func(n int) error {
		calls = append(calls, n)
		if n == 2 {
			return stop
		}
		return nil
	}
	f.AfterAppend = func(n int) error {
		calls = append(calls, -n)
		if n == 3 {
			return stop
		}
		return nil
	}
	var found []bool
	for _, run := range []string{"run_1", "run_2", "run_3"} {
		err := f.Append(t.Context(), journal.Batch{
			Run: run, Row: &journal.RunRow{ID: run}, Entries: []journal.Entry{{Seq: 1, Kind: journal.RunStarted}},
		})
		found = append(found, errors.Is(err, stop))
	}
	rows, err := inner.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{[]int{1, -1, 2, 3, -3}, []bool{false, true, true}, 2}, []any{calls, found, len(rows)}); diff != "" {
		t.Errorf("calls, failures and runs written (-want +got):\n%s", diff)
	}
}
