package sqlite

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"math"

	codes "modernc.org/sqlite/lib"

	"github.com/fermata-go/fermata/journal"
)

// maxSeq is the last seq that a journal here can have.
const maxSeq = math.MaxInt64 - 1<<32

var errTooLong = fmt.Errorf("%w: a journal holds at most %d entries", journal.ErrRefused, int64(maxSeq))

// maxKnown bounds how many numbers, of runs and of plans, a writer remembers.
const maxKnown = 4096

// foldEvery is after how many rows the ends of chains are written to the table of runs.
const foldEvery = 1024

// writer writes, on the one connection that does.
type writer struct {
	conn   *conn            // the only one that writes
	tail   *tail            // the store's
	folded int64            // all rows up to this one are in the table of runs
	runs   map[string]int64 // numbers of runs; one may have been deleted elsewhere since
	plans  map[plan]int64   // numbers of plans
	group  []*request       // the requests of this transaction; the memory is used again
	buf    []byte           // room for encoding

	// Within a transaction:
	next int64           // the id of the next row
	ends map[int64]place // of the chains that it has written to
	news []end           // the ends that the tail is told of after the commit
}

// plan is what many rows of runs have in common.
type plan struct{ plan, kind, fingerprint, definition string }

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
	case len(group) == 1 && plain(group[0]) && w.tail.last()-w.folded < foldEvery:
		group[0].err = w.appendAlone(group[0])
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

// transaction does what do does wholly, or not at all. Nobody else writes meanwhile.
func (w *writer) transaction(do func() error) error {
	if _, err := w.conn.exec(begin); err != nil {
		return err
	}
	err := w.tail.catchUp(w.conn)
	folding := int64(0)
	if err == nil {
		w.next = w.tail.last() + 1
		err = do()
	}
	if err == nil && w.next-w.folded > foldEvery {
		folding = w.next - 1
		err = w.fold()
	}
	if err == nil {
		_, err = w.conn.exec(commit)
	}
	if err != nil {
		_, _ = w.conn.exec(rollback) // fails when SQLite has rolled back already
		clear(w.ends)
		clear(w.runs)
		clear(w.plans)
		return err
	}
	for run, p := range w.ends {
		w.news = append(w.news, end{run, p})
	}
	w.tail.add(w.news...)
	w.news = w.news[:0]
	clear(w.ends)
	if folding > 0 {
		w.folded = folding
		w.tail.folded(folding)
	}
	return nil
}

// fold writes the ends of chains to the table of runs.
func (w *writer) fold() error {
	ends := w.tail.unfolded(w.folded)
	maps.Copy(ends, w.ends)
	for run, p := range ends {
		if p.seq == 0 {
			continue
		}
		if _, err := w.conn.exec(foldRun, run, p.row, int64(p.seq)); err != nil {
			return err
		}
	}
	_, err := w.conn.exec(putFolded, w.next-1)
	return err
}

// find is the run's number, and a conflict if there is no such run.
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
	if len(w.runs) >= maxKnown {
		clear(w.runs)
	}
	w.runs[run] = id
}

// end is the end of a run's chain, and a conflict if it was deleted.
func (w *writer) end(id int64) (place, error) {
	p, ok := w.ends[id]
	if !ok {
		p, ok = w.tail.get(id)
	}
	if !ok {
		var err error
		if p, err = endInTable(w.conn, id); err != nil {
			return place{}, err
		}
	}
	if p.seq == 0 {
		return place{}, errConflict
	}
	return p, nil
}

// endInTable is the end of a run's chain as the table of runs has it; none if it is not there.
func endInTable(c *conn, id int64) (p place, err error) {
	err = c.each(func(row []driver.Value) error {
		r := rowScanner{row: row}
		p.row, p.seq = column[int64](&r), uint64(column[int64](&r))
		return r.err
	}, endOfRun, id)
	return p, err
}

// fence is the number of the batch's run and the end of its chain, if that is where the batch goes.
func (w *writer) fence(b *journal.Batch) (int64, place, error) {
	id, known := w.runs[b.Run]
	var err error
	if !known {
		if id, err = w.find(b.Run); err != nil {
			return 0, place{}, err
		}
	}
	p, err := w.end(id)
	if known && errors.Is(err, journal.ErrConflict) { // deleted elsewhere, and perhaps made anew
		if id, err = w.find(b.Run); err == nil {
			p, err = w.end(id)
		}
	}
	if err == nil && p.seq != b.After {
		err = errConflict
	}
	return id, p, err
}

// appendAlone writes a frame in one statement. It goes behind the last row that this process knew when it looked at
// the fence; if there are others by now, the fence is looked at again.
func (w *writer) appendAlone(r *request) error {
	for {
		last := w.tail.last()
		id, p, err := w.fence(&r.batch)
		if err == nil {
			row := last + 1
			if _, err = w.conn.exec(insertAlone, row, id, int64(r.head), row-p.row, r.frame); err == nil {
				w.tail.add(end{id, place{row, r.head}})
				return nil
			}
		}
		if !errors.Is(err, journal.ErrConflict) && code(err) != codes.SQLITE_MISMATCH {
			return err
		}
		if catchErr := w.tail.catchUp(w.conn); catchErr != nil {
			return catchErr
		}
		if w.tail.last() == last {
			return err // a conflict with all that there is
		}
	}
}

// appendFrame writes a frame behind the batch's fence, within a transaction, and returns the run's number.
func (w *writer) appendFrame(r *request) (int64, error) {
	id, p, err := w.fence(&r.batch)
	if err != nil || len(r.frame) == 0 {
		return id, err
	}
	return id, w.insert(r, id, w.next-p.row)
}

func (w *writer) insert(r *request, id, back int64) error {
	if _, err := w.conn.exec(insertFrame, w.next, id, int64(r.head), back, r.frame); err != nil {
		return err
	}
	w.ends[id] = place{w.next, r.head}
	w.next++
	return nil
}

// write writes a batch within a transaction. When it is refused, nothing of it was written, and other batches may be in the
// transaction. Another error ends that.
func (w *writer) write(r *request) error {
	b := &r.batch
	if err := w.checkDriver(b); err != nil {
		return err
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

// notOwned returns the error of an interrupt that another run has.
func (w *writer) notOwned(interrupt string) error {
	owner := ""
	err := w.conn.each(func(row []driver.Value) error {
		owner, _ = row[0].(string)
		return nil
	}, ownerOfInterrupt, interrupt)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: interrupt %s belongs to run %s", journal.ErrRefused, interrupt, owner)
}

// checkDriver refuses a row by somebody who takes another one for the run's driver.
func (w *writer) checkDriver(b *journal.Batch) error {
	if b.Driver == nil {
		return nil
	}
	return w.conn.each(func(row []driver.Value) error {
		if by, _ := row[0].(string); by != *b.Driver {
			return errConflict
		}
		return nil
	}, driverOf, b.Run)
}

func (w *writer) create(r *request) (int64, error) {
	b, row := &r.batch, r.batch.Row
	plan, err := w.plan(row)
	if err != nil {
		return 0, err
	}
	res, err := w.conn.exec(insertRun, b.Run, plan, row.Status, row.Error, row.Created, row.Updated, int64(row.Waiting), row.Driver, flag(row.Ready),
		labelText(row.Labels), flag(row.Kind != journal.KindDefinition), row.Queue, int64(row.Priority), row.NotBefore, row.Dedup)
	if code(err) == codes.SQLITE_CONSTRAINT {
		return 0, w.held(b)
	}
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, err
	}
	w.remember(b.Run, id)
	return id, w.insert(r, id, 0)
}

// held is why a run cannot be created: it exists, or another one holds its key.
func (w *writer) held(b *journal.Batch) error {
	if _, found, err := w.conn.one(findRun, b.Run); err != nil || found {
		return cmp.Or[error](err, errConflict)
	}
	held := &journal.HeldError{Key: b.Row.Dedup}
	err := w.conn.each(func(row []driver.Value) error {
		held.Run, _ = row[0].(string)
		return nil
	}, holderOf, b.Row.Dedup)
	if err != nil || held.Run == "" {
		return cmp.Or[error](err, errConflict)
	}
	return refusal{held}
}

// plan is the number of what the row says of its plan.
func (w *writer) plan(row *journal.RunRow) (int64, error) {
	p := plan{row.Plan, row.Kind, row.Fingerprint, row.Definition}
	if id, ok := w.plans[p]; ok {
		return id, nil
	}
	id, found, err := w.conn.one(findPlan, p.plan, p.kind, p.fingerprint, p.definition)
	if err != nil {
		return 0, err
	}
	if !found {
		res, err := w.conn.exec(insertPlan, p.plan, p.kind, p.fingerprint, p.definition)
		if err != nil {
			return 0, err
		}
		if id, err = res.LastInsertId(); err != nil {
			return 0, err
		}
	}
	if len(w.plans) >= maxKnown {
		clear(w.plans)
	}
	w.plans[p] = id
	return id, nil
}

// project writes what a batch brings beside its entries.
func (w *writer) project(b *journal.Batch, id int64) error {
	if row := b.Row; row != nil && b.After > 0 {
		plan, err := w.plan(row)
		if err != nil {
			return err
		}
		_, err = w.conn.exec(updateRun, id, plan, row.Status, row.Error, row.Created, row.Updated, int64(row.Waiting), row.Driver, flag(row.Ready),
			labelText(row.Labels), flag(row.Kind != journal.KindDefinition), row.Queue, int64(row.Priority), row.NotBefore, row.Dedup)
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
	if b.Row != nil && b.Row.Ended() && (b.After > 0 || len(b.Timers) > 0) {
		if _, err := w.conn.exec(deleteTimers, id); err != nil {
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
	f := columnsOf(in)
	res, err := w.conn.exec(putInterrupt, in.ID, run, in.Opened, flag(in.IsOpen()), w.buf, f.state, f.kind, f.role, f.holder, f.due)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return w.notOwned(in.ID)
}

// delete removes a run with all that belongs to it.
func (w *writer) delete(run string) error {
	delete(w.runs, run)
	return w.transaction(func() error {
		id, found, err := w.conn.one(findRun, run)
		if err != nil || !found {
			return err
		}
		p, err := w.end(id)
		if err != nil {
			return err
		}
		if _, err := w.conn.exec(deleteFrames, p.row, int64(0)); err != nil {
			return err
		}
		for _, q := range []query{deleteCheckpoint, deleteInterrupts, deleteTimers, deleteRun} {
			if _, err := w.conn.exec(q, id); err != nil {
				return err
			}
		}
		return w.insert(&request{frame: []byte{}}, id, 0)
	})
}
