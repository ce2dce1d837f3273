package memory

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/fermata-go/fermata/journal"
)

// projections are what the index knows of one run.
type projections struct {
	head       atomic.Uint64    // seq of the last entry
	born       uint64           // order of creation in this store; 0 for none, before the first row and once it was removed
	row        journal.RunRow   // as it was last written
	interrupts []*question      // in the order in which they were first stored
	first      [1]*question     // the memory of interrupts until there are several
	timers     map[string]int64 // id -> due
	change     *changed         // the last change; nil for none
}

// question is an interrupt, when it was first stored, and what is known of its run.
type question struct {
	journal.Interrupt
	born uint64
	of   *projections
}

// index holds the projections of all runs, in the orders in which they are asked for.
type index struct {
	born       uint64
	runs       ordered[*run]          // by creation
	interrupts map[string]*question   // by id
	open       ordered[*question]     // by the time they were opened
	timers     ordered[journal.Timer] // by due
	wanted     map[*run]struct{}      // those that somebody has to drive
	held       map[string]string      // runs that hold deduplication keys, by key
	feed       feed                   // what has changed, in order
}

func newIndex() index {
	return index{
		interrupts: make(map[string]*question),
		wanted:     make(map[*run]struct{}),
		held:       make(map[string]string),
		runs:       ordered[*run]{compare: byCreation},
		open:       ordered[*question]{compare: byOpened},
		timers:     ordered[journal.Timer]{compare: byDue},
		feed:       feed{order: rand.Text()[:16], changes: ordered[*changed]{compare: byMark}},
	}
}

func byCreation(a, b *run) int {
	return cmp.Compare(a.index.born, b.index.born)
}

// byTurn is the order in which workers take runs (law J16).
func byTurn(a, b *run) int {
	return cmp.Or(cmp.Compare(b.index.row.Priority, a.index.row.Priority), byCreation(a, b))
}

func byNotBefore(a, b *run) int {
	return cmp.Or(cmp.Compare(a.index.row.NotBefore, b.index.row.NotBefore), byCreation(a, b))
}

func byOpened(a, b *question) int {
	return cmp.Or(cmp.Compare(a.Opened, b.Opened), cmp.Compare(a.born, b.born))
}

func byDue(a, b journal.Timer) int {
	return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.Run, b.Run), cmp.Compare(a.ID, b.ID))
}

// project takes over the batch's projections, all or none.
func (x *index) project(r *run, b *journal.Batch) error {
	for i := range b.Interrupts {
		if was := x.interrupts[b.Interrupts[i].ID]; was != nil && was.Run != b.Run {
			return fmt.Errorf("interrupt %s belongs to run %s", was.ID, was.Run)
		}
	}
	p := &r.index
	if b.Row != nil {
		if holder := x.held[b.Row.Dedup]; holder != "" && holder != b.Run {
			return &journal.HeldError{Key: b.Row.Dedup, Run: holder}
		}
		x.hold(b.Run, p.row.Dedup, b.Row.Dedup)
		if p.born == 0 {
			x.born++
			p.born = x.born
			x.runs.add(r)
		}
		labels := p.row.Labels
		if p.row = *b.Row; !maps.Equal(labels, p.row.Labels) {
			labels = maps.Clone(p.row.Labels)
		}
		if p.row.Labels = labels; p.row.Wanted() {
			x.wanted[r] = struct{}{}
		} else {
			delete(x.wanted, r)
		}
	}
	for i := range b.Interrupts {
		x.putInterrupt(p, &b.Interrupts[i])
	}
	for _, t := range b.Timers {
		x.putTimer(p, t)
	}
	if b.Row != nil && b.Row.Ended() {
		for id := range p.timers {
			x.putTimer(p, journal.Timer{Run: b.Run, ID: id, Done: true})
		}
	}
	if b.Row != nil || len(b.Interrupts) > 0 {
		x.feed.touch(r)
	}
	return nil
}

// hold changes the deduplication key that a run holds.
func (x *index) hold(run, old, key string) {
	if old == key {
		return
	}
	if delete(x.held, old); key != "" {
		x.held[key] = run
	}
}

func (x *index) putInterrupt(p *projections, in *journal.Interrupt) {
	q := x.interrupts[in.ID]
	if q == nil {
		x.born++
		q = &question{in.Clone(), x.born, p}
		x.interrupts[in.ID] = q
		if p.interrupts == nil {
			p.interrupts = p.first[:0]
		}
		p.interrupts = append(p.interrupts, q)
	} else {
		x.open.remove(q) // before what it is ordered by may change
		q.Interrupt = cloneOver(in, &q.Interrupt)
	}
	if q.IsOpen() {
		x.open.add(q)
	}
}

func (x *index) putTimer(p *projections, t journal.Timer) {
	if due, ok := p.timers[t.ID]; ok {
		x.timers.remove(journal.Timer{Run: t.Run, ID: t.ID, Due: due})
		delete(p.timers, t.ID)
	}
	if t.Done {
		return
	}
	if p.timers == nil {
		p.timers = make(map[string]int64)
	}
	p.timers[t.ID] = t.Due
	x.timers.add(t)
}

// cloneOver is a copy of in, which was stored as was before. It shares what has stayed the same with that.
func cloneOver(in, was *journal.Interrupt) journal.Interrupt {
	c := *in
	c.Request, c.RequestSchema, c.ResponseSchema = nil, nil, nil
	c = c.Clone()
	c.Request, c.RequestSchema = cloneUnless(in.Request, was.Request), cloneUnless(in.RequestSchema, was.RequestSchema)
	c.ResponseSchema = cloneUnless(in.ResponseSchema, was.ResponseSchema)
	return c
}

// cloneUnless is a copy of now, or was where that is the same.
func cloneUnless(now, was []byte) []byte {
	if len(now) > 0 && bytes.Equal(now, was) {
		return was
	}
	return bytes.Clone(now)
}

// remove takes out all that belongs to r.
func (x *index) remove(r *run) {
	p := &r.index
	if p.born == 0 {
		return
	}
	for id, due := range p.timers {
		x.timers.remove(journal.Timer{Run: p.row.ID, ID: id, Due: due})
	}
	for _, in := range p.interrupts {
		delete(x.interrupts, in.ID)
		x.open.remove(in)
	}
	x.feed.remove(r)
	x.runs.remove(r)
	x.hold(p.row.ID, p.row.Dedup, "")
	delete(x.wanted, r)
	p.born, p.row, p.interrupts, p.first, p.timers = 0, journal.RunRow{}, nil, [1]*question{}, nil
}

// shown is the row for a caller, who may change it.
func (p *projections) shown() journal.RunRow {
	row := p.row
	row.Head, row.Labels = p.head.Load(), maps.Clone(row.Labels)
	return row
}

// Runs implements [journal.Store].
func (s *store) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	if err := s.ready(ctx, "runs", f.ID); err != nil {
		return nil, err
	}
	var only *run
	if f.ID != "" {
		if only = s.find(f.ID, false); only == nil {
			return nil, nil
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	candidates := s.index.runs.backward()
	if only != nil {
		candidates = slices.Values([]*run{only})
	}
	var rows []journal.RunRow
	for r := range candidates {
		if r.index.born == 0 || !f.Match(&r.index.row) {
			continue
		}
		if rows = append(rows, r.index.shown()); len(rows) == f.Limit {
			break
		}
	}
	return rows, nil
}

// Inbox implements [journal.Store].
func (s *store) Inbox(ctx context.Context, f journal.InboxFilter) ([]journal.Interrupt, error) {
	if err := s.ready(ctx, "inbox", f.Run); err != nil {
		return nil, err
	}
	var of *run
	if f.Run != "" {
		if of = s.find(f.Run, false); of == nil {
			return nil, nil
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	candidates := s.index.open.all()
	switch {
	case f.ID != "":
		in := s.index.interrupts[f.ID]
		if in == nil {
			return nil, nil
		}
		candidates = slices.Values([]*question{in})
	case of != nil:
		candidates = slices.Values(slices.SortedFunc(slices.Values(of.index.interrupts), byOpened))
	case f.All:
		candidates = slices.Values(slices.SortedFunc(maps.Values(s.index.interrupts), byOpened))
	}
	var found []journal.Interrupt
	for in := range candidates {
		if !f.Match(&in.Interrupt) {
			continue
		}
		if found = append(found, in.Clone()); len(found) == f.Limit {
			break
		}
	}
	return found, nil
}

// Timers implements [journal.Store].
func (s *store) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	if err := s.ready(ctx, "timers", ""); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found []journal.Timer
	for t := range s.index.timers.all() {
		if t.Due > due {
			break
		}
		if found = append(found, t); len(found) == limit {
			break
		}
	}
	return found, nil
}
