package sqlite

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math"

	codes "modernc.org/sqlite/lib"

	"github.com/fermata-go/fermata/journal"
)

// maxSeq is the last seq that a journal can have: a key has 32 bits for it.
const maxSeq = math.MaxUint32

var errTooLong = fmt.Errorf("a journal holds at most %d entries", maxSeq)

// key is where the frame is that ends with seq.
func key(run int64, seq uint64) int64 { return run<<32 | int64(seq) }

// maxRuns bounds how many numbers of runs a writer remembers.
const maxRuns = 4096

// writer writes, on the one connection that does.
type writer struct {
	conn  *conn
	runs  map[string]int64 // numbers of runs; one may have been deleted elsewhere since
	group []*request       // what is being written, for the next time
	buf   []byte
}

// refusal is an error that is about one batch and of no concern to the others.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

var errConflict = refusal{journal.ErrConflict}

// commit writes the requests in order and sets their errors.
func (w *writer) commit(group []*request) {
	for len(group) > 0 {
		n := 0
		for n < len(group) && group[n].work == nil {
			n++
		}
		w.commitBatches(group[:n])
		if n < len(group) {
			group[n].err = group[n].work(w)
			n++
		}
		group = group[n:]
	}
}

// plain reports whether a batch is only a frame, as most are: one statement writes it, and its fence.
func plain(r *request) bool {
	b := &r.batch
	return b.After > 0 && len(r.frame) > 0 && b.Row == nil && len(b.Interrupts) == 0 && len(b.Timers) == 0 && b.Checkpoint == nil
}

func (w *writer) commitBatches(group []*request) {
	switch {
	case len(group) == 0:
	case len(group) == 1 && plain(group[0]):
		_, group[0].err = w.appendFrame(group[0])
	case w.together(group) == nil:
	case len(group) > 1: // one of them cannot be written: which one is seen when each is alone
		for i := range group {
			w.commitBatches(group[i : i+1])
		}
	}
}

// together writes the batches in one transaction, or none of them and returns why. A failure to begin or to commit
// is one of all of them, and is no reason to try again.
func (w *writer) together(group []*request) error {
	err := w.transaction(func() error {
		for _, r := range group {
			err := w.write(r)
			if _, refused := errors.AsType[refusal](err); err != nil && !refused {
				return writeError{err}
			}
			r.err = err
		}
		return nil
	})
	if err == nil {
		return nil
	}
	for _, r := range group {
		r.err = err
	}
	if _, ok := errors.AsType[writeError](err); ok {
		return err
	}
	return nil
}

// writeError is an error of a statement between begin and commit.
type writeError struct{ error }

func (e writeError) Unwrap() error { return e.error }

// transaction does what do does wholly, or not at all.
func (w *writer) transaction(do func() error) error {
	if _, err := w.conn.exec(begin); err != nil {
		return err
	}
	err := do()
	if err == nil {
		_, err = w.conn.exec(commit)
	}
	if err != nil {
		_, _ = w.conn.exec(rollback) // fails when SQLite has rolled back already
		clear(w.runs)
	}
	return err
}

// number is the run's number, as far as this process knows, or as it is in the file.
func (w *writer) number(run string) (id int64, known bool, err error) {
	if id, ok := w.runs[run]; ok {
		return id, true, nil
	}
	id, err = w.find(run)
	return id, false, err
}

// find is the run's number as it is in the file, and a conflict if there is no such run.
func (w *writer) find(run string) (int64, error) {
	id, found, err := w.conn.one(findRun, run)
	switch {
	case err != nil:
		return 0, err
	case !found:
		delete(w.runs, run)
		return 0, errConflict
	}
	w.remember(run, id)
	return id, nil
}

func (w *writer) remember(run string, id int64) {
	if len(w.runs) >= maxRuns {
		clear(w.runs)
	}
	w.runs[run] = id
}

// appendFrame writes the frame after the batch's fence, and returns the run's number.
func (w *writer) appendFrame(r *request) (int64, error) {
	b := &r.batch
	id, known, err := w.number(b.Run)
	if err != nil {
		return 0, err
	}
	err = w.fenced(r, id)
	if known && errors.Is(err, journal.ErrConflict) {
		was := id
		if id, err = w.find(b.Run); err != nil {
			return 0, err
		}
		if err = errConflict; id != was {
			err = w.fenced(r, id)
		}
	}
	return id, err
}

// fenced writes the frame of run id if the batch's fence holds.
func (w *writer) fenced(r *request, id int64) error {
	b := &r.batch
	if len(r.frame) == 0 {
		last, _, err := w.conn.one(head, id<<32)
		if err == nil && last != key(id, b.After) {
			err = errConflict
		}
		return err
	}
	_, err := w.conn.exec(insertFrame, id<<32, key(id, b.After), key(id, r.head), r.frame)
	if code(err) == codes.SQLITE_MISMATCH {
		return errConflict
	}
	return err
}

// write writes a batch within a transaction. When it is refused, nothing of it was written.
func (w *writer) write(r *request) error {
	b := &r.batch
	for i := range b.Interrupts {
		if err := w.checkOwner(b.Run, b.Interrupts[i].ID); err != nil {
			return err
		}
	}
	var id int64
	var err error
	if b.After == 0 {
		id, err = w.create(r)
	} else {
		id, err = w.appendFrame(r)
	}
	if err != nil {
		return err
	}
	return w.project(b, id)
}

// checkOwner refuses an interrupt that another run has.
func (w *writer) checkOwner(run, interrupt string) error {
	return w.conn.each(func(row []driver.Value) error {
		if owner, _ := row[0].(string); owner != run {
			return refusal{fmt.Errorf("interrupt %s belongs to run %s", interrupt, owner)}
		}
		return nil
	}, ownerOfInterrupt, interrupt)
}

func (w *writer) create(r *request) (int64, error) {
	b, row := &r.batch, r.batch.Row
	res, err := w.conn.exec(insertRun, b.Run, row.Plan, row.Kind, row.Fingerprint, row.Definition,
		row.Status, row.Error, row.Created, row.Updated, int64(row.Waiting))
	switch code(err) {
	case 0:
	case codes.SQLITE_CONSTRAINT:
		return 0, errConflict
	}
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, err
	}
	if id > math.MaxInt32 {
		return 0, errors.New("the file has had 2147483647 runs and takes no more")
	}
	if _, err := w.conn.exec(insertFirst, key(id, r.head), r.frame); err != nil {
		return 0, err
	}
	w.remember(b.Run, id)
	return id, nil
}

// project writes what a batch brings beside its entries.
func (w *writer) project(b *journal.Batch, id int64) error {
	if row := b.Row; row != nil && b.After > 0 {
		_, err := w.conn.exec(updateRun, id, row.Plan, row.Kind, row.Fingerprint, row.Definition,
			row.Status, row.Error, row.Created, row.Updated, int64(row.Waiting))
		if err != nil {
			return err
		}
	}
	for i := range b.Interrupts {
		if err := w.putInterrupt(id, &b.Interrupts[i]); err != nil {
			return err
		}
	}
	for i := range b.Timers {
		t := &b.Timers[i]
		var err error
		if t.Done {
			_, err = w.conn.exec(deleteTimer, id, t.ID)
		} else {
			_, err = w.conn.exec(putTimer, id, t.ID, t.Due)
		}
		if err != nil {
			return err
		}
	}
	if c := b.Checkpoint; c != nil {
		data := c.Data
		if data == nil {
			data = []byte{}
		}
		if _, err := w.conn.exec(putCheckpoint, id, int64(c.Seq), data); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) putInterrupt(run int64, in *journal.Interrupt) (err error) {
	if w.buf, err = appendInterrupt(w.buf[:0], in); err != nil {
		return err
	}
	open := int64(0)
	if in.IsOpen() {
		open = 1
	}
	_, err = w.conn.exec(putInterrupt, in.ID, run, in.Opened, open, w.buf)
	return err
}

// delete removes a run with all that belongs to it.
func (w *writer) delete(run string) error {
	delete(w.runs, run)
	return w.transaction(func() error {
		id, found, err := w.conn.one(findRun, run)
		if err != nil || !found {
			return err
		}
		if _, err := w.conn.exec(deleteFrames, id<<32); err != nil {
			return err
		}
		for _, q := range []query{deleteCheckpoint, deleteInterrupts, deleteTimers, deleteRun} {
			if _, err := w.conn.exec(q, id); err != nil {
				return err
			}
		}
		return nil
	})
}
