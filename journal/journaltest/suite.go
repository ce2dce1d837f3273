package journaltest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fermata-go/fermata/journal"
)

// Options say what a store can do. Open is needed.
type Options struct {
	// Open opens a new, empty store. The suite closes it.
	Open func(t *testing.T) journal.Store
	// Reopen closes a store and opens what it kept; nil for a store that keeps nothing.
	Reopen func(t *testing.T, s journal.Store) journal.Store
	// Second opens a store again while it is open, as another process would; nil where nobody can.
	Second func(t *testing.T, s journal.Store) journal.Store
}

// Run runs the suite on a store that keeps nothing beyond Close.
func Run(t *testing.T, open func(t *testing.T) journal.Store) {
	RunWith(t, Options{Open: open})
}

// RunWith runs the suite.
func RunWith(t *testing.T, o Options) {
	t.Helper()
	tests := []struct {
		name string
		test func(t *testing.T, s journal.Store)
	}{
		{"J3_AppendIsFenced", testFence},
		{"J3_OneOfManyWritersWins", testRace},
		{"ABatchIsWhollyWrittenOrNotAtAll", testAtomic},
		{"ABatchThatDoesNotFitIsRefused", testInvalid},
		{"ReadFromASeq", testRead},
		{"EveryFieldIsKept", testFields},
		{"LargeValues", testLarge},
		{"ReadIsOfOneMoment", testReadWhileWriting},
		{"ManyRunsAtOnce", testManyRuns},
		{"Runs", testRuns},
		{"Inbox", testInbox},
		{"Timers", testTimers},
		{"J14_RunsAreFound", testFindRuns},
		{"J14_InterruptsAreFound", testFindInterrupts},
		{"J14_PagesWhileRunsChange", testFindWhileChanging},
		{"J14_PagesOfAStoreThatIsNoFinder", func(t *testing.T, s journal.Store) { testFindWhileChanging(t, struct{ journal.Store }{s}) }},
		{"J14_QueriesThatCannotBeAnswered", testFindRefuses},
		{"FindingOnAClosedStore", testFindContext},
		{"Delete", testDelete},
		{"J6_ACheckpointIsNeverNeeded", testCheckpoint},
		{"J2_AsyncIsInOrder", testAsync},
		{"N9_SlicesAreIsolated", testIsolation},
		{"UnknownRuns", testUnknown},
		{"ADoneContextWritesNothing", testContext},
		{"AClosedStore", testClosed},
		{"Faults", testFaults},
		{"E1_CompactingLosesNothing", compacting(testCompact)},
		{"E1_AJournalOfManyBlocks", compacting(testCompactLarge)},
		{"J3_CompactingWhileOthersWriteAndRead", compacting(testCompactBusy)},
		{"E1_AReaderThatIsOvertakenByCompacting", compacting(testCompactReader)},
		{"WhatCannotBeCompacted", compacting(testCompactRefused)},
		{"J10_ADriverLivesAsLongAsItsBeat", leasing(testBeat)},
		{"J10_DesertedRuns", leasing(testDeserted)},
		{"J16_RunsAreTakenInOrder", leasing(testTurns)},
		{"J16_RunsAreTakenInTheOrderOfAModel", leasing(testTurnsDrawn)},
		{"J17_AKeyIsHeldByOneOpenRun", testDedup},
		{"J17_OneOfManyGetsTheKey", func(t *testing.T, s journal.Store) { testDedupRace(t, s) }},
		{"J10_OneOfManyClaims", leasing(testClaim)},
		{"E1_HeadsAreAskedAtOnce", testHeads},
		{"J10_ARowDoesNotUndoAClaim", leasing(testClaimKept)},
		{"J11_ABlockedRunIsClaimedByOne", leasing(testClaimBlocked)},
		{"J3_AClaimIsNoFence", leasing(testClaimFence)},
		{"J10_LeasesOfAClosedStore", leasing(testLeaseClosed)},
		{"J12_TheClockGoesOn", testClock},
		{"J20_CellsAreSwapped", swapping(testSwap)},
		{"J20_CellsAreListed", swapping(testCells)},
		{"J20_CellsAreThoseOfAModel", swapping(testCellsDrawn)},
		{"J20_NoSwapIsLost", swapping(testSwapRace)},
		{"J20_CellsOfAClosedStore", swapping(testSwapClosed)},
		{"W8_TheFeedPassesOverNoChange", feeding(testFeed)},
		{"W8_WhatIsAChange", feeding(testFeedTells)},
		{"W8_TheFeedFromNowOn", feeding(testFeedNow)},
		{"W8_TheFeedWhileManyWrite", feeding(func(t *testing.T, s journal.Store) { testFeedBusy(t, s) })},
		{"W8_CursorsThatMeanNothing", feeding(testFeedRefuses)},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) { tc.test(t, open(t, o)) })
	}
	if o.Reopen != nil {
		t.Run("J2_WhatWasAppendedIsThereAgain", func(t *testing.T) { testReopen(t, o) })
		t.Run("J17_KeysAreThereAgain", func(t *testing.T) { testDedupReopen(t, o) })
		t.Run("J10_LeasesAreThereAgain", func(t *testing.T) { testLeaseReopen(t, o) })
		t.Run("J20_CellsAreThereAgain", func(t *testing.T) { testSwapReopen(t, o) })
		t.Run("W8_ACursorOutlivesTheProcess", func(t *testing.T) { testFeedReopen(t, o) })
		t.Run("J2_WhatWasCompactedIsThereAgain", func(t *testing.T) { testCompactReopen(t, o) })
	}
	if o.Second != nil {
		t.Run("J3_TwoHandlesOnOneStore", func(t *testing.T) { testSecond(t, o) })
		t.Run("E1_AWatchNamesRuns", func(t *testing.T) { testWatchSecond(t, o) })
		t.Run("W8_TwoHandlesWrite", func(t *testing.T) { testFeedSecond(t, o) })
		t.Run("J17_TwoHandlesAskForAKey", func(t *testing.T) { testDedupSecond(t, o) })
		t.Run("J10_TwoHandlesLease", func(t *testing.T) { testLeaseSecond(t, o) })
		t.Run("J20_TwoHandlesSwap", func(t *testing.T) { testSwapSecond(t, o) })
		t.Run("J3_TwoHandlesCompact", func(t *testing.T) { testCompactSecond(t, o) })
	}
}

func open(t *testing.T, o Options) journal.Store {
	s := o.Open(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// moment is when the suite's entries happen.
const moment = 1_790_000_000_000_000

// entries are n entries after a seq, each with a value of its own.
func entries(after uint64, n int) []journal.Entry {
	var list []journal.Entry
	for i := range uint64(n) {
		seq := after + 1 + i
		list = append(list, journal.Entry{
			Seq: seq, At: moment + int64(seq), Kind: journal.NodeFinished, Attempt: 1, Visit: uint32(seq), Node: "node",
			Value: fmt.Appendf(nil, `{"seq":%d}`, seq),
		})
	}
	return list
}

// row is a run's row, created at a moment after the suite's.
func row(run string, created int64) *journal.RunRow {
	return &journal.RunRow{
		ID: run, Plan: "plan", Kind: "graph", Fingerprint: "f00", Status: "running",
		Created: moment + created, Updated: moment + created,
	}
}

// first is the batch that creates a run with n entries.
func first(run string, n int) journal.Batch {
	return journal.Batch{Run: run, Row: row(run, 0), Entries: entries(0, n)}
}

func appendAll(t *testing.T, s journal.Store, batches ...journal.Batch) {
	t.Helper()
	for _, b := range batches {
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatalf("append to %s after %d: %v", b.Run, b.After, err)
		}
	}
}

// read is the run's journal after a seq.
func read(t *testing.T, s journal.Store, run string, after uint64) []journal.Entry {
	t.Helper()
	list, err := readErr(t.Context(), s, run, after)
	if err != nil {
		t.Fatalf("read %s after %d: %v", run, after, err)
	}
	return list
}

func readErr(ctx context.Context, s journal.Store, run string, after uint64) (list []journal.Entry, err error) {
	for e, err := range s.Read(ctx, run, after) {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return // cmp takes its time over large values
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// fails checks that an error is typed, is the wanted one and names the run.
func fails(t *testing.T, what string, err, want error, run string) {
	t.Helper()
	typed, ok := errors.AsType[*journal.StoreError](err)
	switch {
	case !ok:
		t.Errorf("%s: found %v, expected a *StoreError", what, err)
	case want != nil && !errors.Is(err, want):
		t.Errorf("%s: found %v, expected %v", what, err, want)
	case typed.Run != run:
		t.Errorf("%s: %v is of run %q, expected %q", what, err, typed.Run, run)
	}
}
