package sqlite

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// async is what is known of batches that nobody waits for. It is under Store.mu.
type async struct {
	ahead  map[string]ahead // of runs with such batches in the queue
	failed map[string]error // of runs that have not heard of it
	bytes  int              // of frames in the queue
	timer  *time.Timer      // set while something is in the queue
}

// ahead is how far a run's journal comes when its batches in the queue are written.
type ahead struct {
	head    uint64
	batches int
}

// maxAhead bounds the bytes that wait in memory: the append that goes beyond writes them.
const maxAhead = 4 << 20

// appendAsync puts a batch into the queue. Its fence is checked against what is written and what is in the queue;
// whether another process comes in between is seen when it is written, and told by the run's next append, or Close.
func (s *Store) appendAsync(ctx context.Context, b *journal.Batch) error {
	r := &request{async: true}
	r.fill(b)
	r.own()
	queued, full, err := s.enqueue(r, false)
	if !queued && err == nil {
		if err = s.fence(ctx, b); err == nil {
			_, full, err = s.enqueue(r, true)
		}
	}
	if err != nil || !full {
		return err
	}
	return s.exclusive(ctx, nothing)
}

// enqueue puts r into the queue if that is known to be right: because the head of its run is fenced, or in the queue.
func (s *Store) enqueue(r *request, fenced bool) (queued, full bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false, false, journal.ErrClosed
	}
	run, a := r.batch.Run, &s.async
	if err := s.heard(run); err != nil {
		return false, false, err
	}
	was, known := a.ahead[run]
	switch {
	case known && was.head != r.batch.After:
		return false, false, journal.ErrConflict
	case !known && !fenced:
		return false, false, nil
	}
	a.ahead[run] = ahead{head: r.head, batches: was.batches + 1}
	a.bytes += len(r.frame)
	s.queue = append(s.queue, r)
	if a.timer == nil {
		a.timer = time.AfterFunc(s.options.Within, s.flush)
	}
	return true, a.bytes > maxAhead, nil
}

// fence compares the batch's After with what is written.
func (s *Store) fence(ctx context.Context, b *journal.Batch) error {
	c, err := s.readers.get()
	if err != nil {
		return err
	}
	defer s.readers.put(c)
	if err := s.tail.catchUp(c); err != nil {
		return err
	}
	_, end, err := s.locate(c, b.Run)
	switch {
	case errors.Is(err, journal.ErrNotFound) && b.After == 0:
		return ctx.Err()
	case errors.Is(err, journal.ErrNotFound):
		return journal.ErrConflict
	case err == nil && end.seq != b.After:
		return journal.ErrConflict
	}
	return err
}

// flush writes what is in the queue. It runs when the time is up.
func (s *Store) flush() {
	s.mu.Lock()
	s.async.timer = nil
	s.mu.Unlock()
	_ = s.exclusive(context.Background(), nothing) // an error is that the store closes, which writes the queue itself
}

// disarm stops the timer, under Store.mu.
func (s *Store) disarm() {
	if t := s.async.timer; t != nil {
		t.Stop()
		s.async.timer = nil
	}
}

// drain writes what is in the queue before someone reads.
func (s *Store) drain(ctx context.Context) error {
	s.mu.Lock()
	waiting := len(s.async.ahead) > 0
	s.mu.Unlock()
	if !waiting {
		return nil
	}
	return s.exclusive(ctx, nothing)
}

// written takes note of what became of the group's async batches.
func (s *Store) written(group []*request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &s.async
	for _, r := range group {
		if !r.async {
			continue
		}
		run := r.batch.Run
		a.bytes -= len(r.frame)
		was := a.ahead[run]
		if was.batches--; was.batches == 0 {
			delete(a.ahead, run)
		} else {
			a.ahead[run] = was
		}
		if r.err != nil && a.failed[run] == nil {
			a.failed[run] = s.fail("append", run, r.batch.After+1, r.err)
		}
	}
}

// hear is the failure of an earlier async batch of the run, told once.
func (s *Store) hear(run string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard(run)
}

// heard is hear under Store.mu.
func (s *Store) heard(run string) error {
	err := s.async.failed[run]
	if err != nil {
		delete(s.async.failed, run)
	}
	return err
}

// unheard is what nobody has been told of.
func (s *Store) unheard() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []error
	for _, err := range s.async.failed {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// own makes the batch's slices r's own. Its entries are a frame already.
func (r *request) own() {
	b := &r.batch
	b.Timers = slices.Clone(b.Timers)
	b.Interrupts = slices.Clone(b.Interrupts)
	for i := range b.Interrupts {
		b.Interrupts[i] = b.Interrupts[i].Clone()
	}
	if b.Row != nil {
		row := *b.Row
		b.Row = &row
	}
	if b.Checkpoint != nil {
		b.Checkpoint = &journal.Checkpoint{Seq: b.Checkpoint.Seq, Data: bytes.Clone(b.Checkpoint.Data)}
	}
}
