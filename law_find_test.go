package fermata_test

import (
	"errors"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
)

// A query that cannot be answered is CodeInvalid, a store that fails CodeStore, and neither gives half a page.
func TestJ14_QueriesOfARuntime(t *testing.T) {
	store := journaltest.NewFaulty(memory.New())
	rt := newRuntime(t, fermata.Options{Store: store})
	ends(t, start(t, rt, single(logged), state{}), fermata.Completed)
	question(t, start(t, rt, single(review()), state{}))
	for name, ask := range map[string]func(limit int) (int, error){
		"runs": func(limit int) (int, error) {
			p, err := rt.FindRuns(t.Context(), journal.RunQuery{Limit: limit})
			return len(p.Runs), err
		},
		"counts of runs": func(limit int) (int, error) {
			c, err := rt.CountRuns(t.Context(), journal.RunQuery{Limit: limit}, journal.CountStatus)
			return len(c.By), err
		},
		"interrupts": func(limit int) (int, error) {
			p, err := rt.FindInterrupts(t.Context(), journal.InterruptQuery{Limit: limit})
			return len(p.Interrupts), err
		},
		"counts of interrupts": func(limit int) (int, error) {
			c, err := rt.CountInterrupts(t.Context(), journal.InterruptQuery{Limit: limit}, journal.CountState)
			return len(c.By), err
		},
	} {
		if n, err := ask(0); n == 0 || err != nil {
			t.Errorf("%s: %d rows, %v", name, n, err)
		}
		_, err := ask(-1)
		refused(t, err, refusal{fermata.CodeInvalid, journal.ErrQuery})
		for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
			store.FailRead(store.Reads()+1, mode)
			var door *fermata.Error
			if n, err := ask(0); n != 0 || !errors.As(err, &door) || door.Code != fermata.CodeStore {
				t.Errorf("%s of a store that fails: %d rows, %v", name, n, err)
			}
		}
	}
}
