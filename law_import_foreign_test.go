package fermata_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// A file with a question of another run takes it from nobody: it is refused, and the question stays as it is, whose it is
// and who may answer it.
func TestH7_AnImportTakesNoQuestionOfAnotherRun(t *testing.T) { onStores(t, importTakes) }

func importTakes(t *testing.T, store journal.Store) {
	rt := newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, single(review(node.Role("chief"), node.Override("lead"))), state{})
	q := question(t, run)
	before := interruptNow(t, rt, q.ID)
	for name, more := range map[string][]journal.Entry{
		"open":     {opens(q.ID, "a#1", "")},
		"answered": {opens(q.ID, "a#1", ""), saidBy(q.ID, "Eve")},
	} {
		if _, err := rt.Import(t.Context(), bytes.NewReader(written(t, startedOnly, more...)), fermata.ImportOptions{}); err == nil {
			t.Errorf("%s: a question of another run is taken in", name)
		}
		if _, err := rt.Info(t.Context(), "run_x"); err == nil {
			t.Errorf("%s: the run is there", name)
		}
		if diff := cmp.Diff(before, interruptNow(t, rt, q.ID)); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
	}
	answer(t, rt, q.ID, decision{Approve: true}, fermata.AsPerson("Bob"), fermata.AsRole("chief"))
	ends(t, run, fermata.Completed)
}
