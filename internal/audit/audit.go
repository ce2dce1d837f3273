// Package audit reads who has done what from the journals of runs and settings. It stores nothing of its own.
package audit

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// Act is something that a person did.
type Act struct {
	At      time.Time `json:"at"`
	By      string    `json:"by"`                // the id of the person
	Did     string    `json:"did"`               // started, forked, cancelled, answered, claimed, revoked, …
	Of      string    `json:"of,omitempty"`      // the run that was forked
	Run     string    `json:"run,omitempty"`     // with which run
	Plan    string    `json:"plan,omitempty"`    // of the run
	Seq     uint64    `json:"seq,omitempty"`     // the entry that says so
	Task    string    `json:"task,omitempty"`    // of the run, which asked
	Request string    `json:"request,omitempty"` // the question
	Role    string    `json:"role,omitempty"`    // in which they answered
	To      string    `json:"to,omitempty"`      // whom they handed it to, a person or a role; of a message its name
	What    string    `json:"what,omitempty"`    // the kind of a setting: token, session
	Name    string    `json:"name,omitempty"`    // of a setting: the name of a token, the person of a session
	Why     string    `json:"why,omitempty"`
}

// Query selects acts.
type Query struct {
	From, To time.Time // from on, and before; a zero To is no bound
	By       string    // the id of a person; "" for all
	Run      string    // the id of a run; "" for all, and for settings
}

// Source is where acts are read from.
type Source struct {
	Store journal.Store
	Find  func(ctx context.Context, q journal.RunQuery) (journal.RunPage, error)

	RunsOnly bool // settings are left out
}

// Read returns the acts that a query selects, the oldest first. It reads the journal of each run that was written since Query.From or that has
// not ended.
func Read(ctx context.Context, s Source, q Query) (all []Act, err error) {
	add := func(a *Act) {
		if a.By != "" && !a.At.Before(q.From) && (q.To.IsZero() || a.At.Before(q.To)) && (q.By == "" || a.By == q.By) {
			all = append(all, *a)
		}
	}
	runs, err := s.runs(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, row := range runs {
		if err := s.run(ctx, row, add); err != nil {
			return nil, err
		}
	}
	if q.Run == "" && !s.RunsOnly {
		for _, what := range []string{"token", "session"} {
			if err := s.settings(ctx, what, add); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(all, func(a, b Act) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Seq, b.Seq))
	})
	return all, nil
}

// runs are those in whose journals acts may be.
func (s Source) runs(ctx context.Context, q Query) (map[string]*journal.RunRow, error) {
	all := make(map[string]*journal.RunRow)
	for _, find := range []journal.RunQuery{
		{Prefix: q.Run, Updated: journal.Span{From: q.From.UnixMicro()}},
		{Prefix: q.Run, Statuses: []string{"running", "paused", "blocked"}}, // whose rows an act may leave as they are
	} {
		find.Limit = journal.MaxPage
		for {
			page, err := s.Find(ctx, find)
			if err != nil {
				return nil, err
			}
			for i := range page.Runs {
				if row := &page.Runs[i]; q.Run == "" || row.ID == q.Run {
					all[row.ID] = row
				}
			}
			if find.After = page.Next; page.Next == "" {
				break
			}
		}
	}
	return all, nil
}
