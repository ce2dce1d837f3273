package journaltest

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
)

// The runs that stores of before runs named their drivers keep as test data: what was appended to them.
//
//go:embed testdata/runs-before-drivers.json
var beforeDrivers []byte

// HoldsRunsBeforeDrivers checks a store that was made before runs named their drivers (law J9). It holds the entries,
// rows, questions and timers that were appended to it. Its runs have no owner.
func HoldsRunsBeforeDrivers(t *testing.T, s journal.Store) {
	t.Helper()
	var batches []journal.Batch
	if err := json.Unmarshal(beforeDrivers, &batches); err != nil {
		t.Fatal(err)
	}
	var rows []journal.RunRow
	var inbox []journal.Interrupt
	var timers []journal.Timer
	for i := range batches {
		b := &batches[i]
		same(t, b.Run, b.Entries, read(t, s, b.Run, 0))
		row := *b.Row
		row.Head = uint64(len(b.Entries))
		rows = append([]journal.RunRow{row}, rows...) // the newest first
		inbox, timers = append(inbox, b.Interrupts...), append(timers, b.Timers...)
	}
	gotRows, err := s.Runs(t.Context(), journal.RunFilter{})
	if diff := gocmp.Diff(rows, gotRows); diff != "" || err != nil {
		t.Errorf("runs (-want +got), %v:\n%s", err, diff)
	}
	gotInbox, err := s.Inbox(t.Context(), journal.InboxFilter{All: true})
	if diff := gocmp.Diff(inbox, gotInbox); diff != "" || err != nil {
		t.Errorf("questions (-want +got), %v:\n%s", err, diff)
	}
	byID := func(a, b journal.RunRow) int { return cmp.Compare(a.ID, b.ID) }
	page, err := journal.Find(s).FindRuns(t.Context(), journal.RunQuery{})
	if diff := gocmp.Diff(slices.SortedFunc(slices.Values(rows), byID), slices.SortedFunc(slices.Values(page.Runs), byID)); diff != "" || err != nil {
		t.Errorf("runs that are found (-want +got), %v:\n%s", err, diff)
	}
	asked, err := journal.Find(s).FindInterrupts(t.Context(), journal.InterruptQuery{States: journal.States()})
	if diff := gocmp.Diff(inbox, asked.Interrupts); diff != "" || err != nil {
		t.Errorf("questions that are found (-want +got), %v:\n%s", err, diff)
	}
	gotTimers, err := s.Timers(t.Context(), 1<<62, 0)
	if diff := gocmp.Diff(timers, gotTimers); diff != "" || err != nil {
		t.Errorf("timers (-want +got), %v:\n%s", err, diff)
	}
	deserted, err := s.(journal.Leaser).Deserted(t.Context(), journal.WantedQuery{})
	if diff := gocmp.Diff(rows[len(rows)-1:], deserted); diff != "" || err != nil {
		t.Errorf("the one run that is on its way is nobody's (-want +got), %v:\n%s", err, diff)
	}
}
