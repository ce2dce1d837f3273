package crypt

import (
	"context"

	"github.com/fermata-go/fermata/journal"
)

// FindRuns implements [journal.Finder].
func (s *Store) FindRuns(ctx context.Context, q journal.RunQuery) (journal.RunPage, error) {
	page, err := journal.Find(s.inner).FindRuns(ctx, q)
	page.Runs, err = opened(page.Runs, err, func(row *journal.RunRow) error { return fail("find runs", row.ID, 0, s.ring.openRow(row)) })
	if err != nil {
		return journal.RunPage{}, err
	}
	return page, nil
}

// CountRuns implements [journal.Finder]. Runs are counted by what is clear.
func (s *Store) CountRuns(ctx context.Context, q journal.RunQuery, by string, most int) (journal.Counts, error) {
	return journal.Find(s.inner).CountRuns(ctx, q, by, most)
}

// byReading finds in what Runs and Inbox of the sealed store return, all of it: where the inner store cannot know, because
// people are sealed.
func (s *Store) byReading() journal.Finder { return journal.Find(struct{ journal.Store }{s}) }

// FindInterrupts implements [journal.Finder]. A query for what a person holds reads all interrupts that it may mean: names of
// people are sealed.
func (s *Store) FindInterrupts(ctx context.Context, q journal.InterruptQuery) (journal.InterruptPage, error) {
	if q.Holder != "" {
		return s.byReading().FindInterrupts(ctx, q)
	}
	whole := q
	whole.Brief = false // the request is the seal
	page, err := journal.Find(s.inner).FindInterrupts(ctx, whole)
	page.Interrupts, err = opened(page.Interrupts, err, func(in *journal.Interrupt) error {
		err := fail("find interrupts", in.Run, 0, s.ring.openInterrupt(in))
		if q.Brief {
			in.Request, in.RequestSchema, in.ResponseSchema = nil, nil, nil
		}
		return err
	})
	if err != nil {
		return journal.InterruptPage{}, err
	}
	return page, nil
}

// CountInterrupts implements [journal.Finder], as FindInterrupts does.
func (s *Store) CountInterrupts(ctx context.Context, q journal.InterruptQuery, by string, most int) (journal.Counts, error) {
	if q.Holder != "" {
		return s.byReading().CountInterrupts(ctx, q, by, most)
	}
	return journal.Find(s.inner).CountInterrupts(ctx, q, by, most)
}
