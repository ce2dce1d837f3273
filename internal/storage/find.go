package storage

import (
	"context"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// asked gives an error of a query its code.
func (s *Storage) asked(wrong error, ask func(journal.Finder) error) error {
	if wrong != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Err: wrong}
	}
	return s.StoreError("", ask(journal.Find(s.Store)))
}

// FindRuns returns a page of runs.
func (s *Storage) FindRuns(ctx context.Context, q journal.RunQuery) (page journal.RunPage, err error) {
	err = s.asked(q.Check(), func(f journal.Finder) (err error) { page, err = f.FindRuns(ctx, q); return err })
	return page, err
}

// CountRuns counts runs by a dimension.
func (s *Storage) CountRuns(ctx context.Context, q journal.RunQuery, by string) (counts journal.Counts, err error) {
	err = s.asked(q.CheckCount(by), func(f journal.Finder) (err error) { counts, err = f.CountRuns(ctx, q, by, 0); return err })
	return counts, err
}

// FindInterrupts returns a page of interrupts.
func (s *Storage) FindInterrupts(ctx context.Context, q journal.InterruptQuery) (page runtype.InterruptPage, err error) {
	err = s.asked(q.Check(), func(f journal.Finder) error {
		found, err := f.FindInterrupts(ctx, q)
		for _, in := range found.Interrupts {
			page.Interrupts = append(page.Interrupts, runtype.Interrupt{Interrupt: in})
		}
		page.Next = found.Next
		return err
	})
	return page, err
}

// CountInterrupts counts interrupts by a dimension.
func (s *Storage) CountInterrupts(ctx context.Context, q journal.InterruptQuery, by string) (counts journal.Counts, err error) {
	err = s.asked(q.CheckCount(by), func(f journal.Finder) (err error) { counts, err = f.CountInterrupts(ctx, q, by, 0); return err })
	return counts, err
}
