package crypt

import (
	"context"
	"fmt"
	"slices"

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

// FindInterrupts implements [journal.Finder]. A query for what a person holds reads all interrupts that it may mean: names of
// people are sealed.
func (s *Store) FindInterrupts(ctx context.Context, q journal.InterruptQuery) (journal.InterruptPage, error) {
	if q.Holder != "" {
		return s.findHeld(ctx, q)
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

// findHeld finds what a person holds among all that the query may mean, page by page of the inner store: its order is kept.
func (s *Store) findHeld(ctx context.Context, q journal.InterruptQuery) (page journal.InterruptPage, err error) {
	if err := q.Check(); err != nil {
		return page, err
	}
	all := q
	all.Holder, all.Limit = "", journal.MaxPage
	if all.After, err = all.CursorOf(q.After, &q); err != nil {
		return page, err
	}
	last := all // the page that ends with the last one found
	for {
		found, err := s.FindInterrupts(ctx, all)
		if err != nil {
			return journal.InterruptPage{}, err
		}
		for i := range found.Interrupts {
			in := &found.Interrupts[i]
			if journal.PersonKey(in.Holder()) != journal.PersonKey(q.Holder) {
				continue
			}
			if n := len(page.Interrupts); n == q.Size() {
				page.Next, err = s.nextHeld(ctx, &q, last, page.Interrupts[n-1].ID)
				return page, err
			}
			page.Interrupts = append(page.Interrupts, *in)
			last.After, last.Limit = all.After, i+1
		}
		if all.After = found.Next; all.After == "" {
			return page, nil
		}
	}
}

// nextHeld is the cursor behind the last row of a page, which has this id. Where rows have come or gone meanwhile, it looks again.
func (s *Store) nextHeld(ctx context.Context, q *journal.InterruptQuery, last journal.InterruptQuery, id string) (string, error) {
	last.Brief = true
	for {
		found, err := journal.Find(s.inner).FindInterrupts(ctx, last)
		if err != nil {
			return "", err
		}
		at := slices.IndexFunc(found.Interrupts, func(in journal.Interrupt) bool { return in.ID == id })
		switch {
		case at == last.Limit-1:
			return q.CursorOf(found.Next, &last)
		case at >= 0:
			last.Limit = at + 1
		case last.Limit < journal.MaxPage:
			last.Limit = journal.MaxPage
		default:
			return "", fmt.Errorf("%w: question %s changed while it was listed: ask for the page again", journal.ErrConflict, id)
		}
	}
}

// CountInterrupts implements [journal.Finder]. It counts the questions of one person by reading all of them: names of people
// are sealed.
func (s *Store) CountInterrupts(ctx context.Context, q journal.InterruptQuery, by string, most int) (journal.Counts, error) {
	if q.Holder != "" {
		return journal.Find(struct{ journal.Store }{s}).CountInterrupts(ctx, q, by, most)
	}
	return journal.Find(s.inner).CountInterrupts(ctx, q, by, most)
}
