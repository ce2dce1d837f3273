package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/internal/search"
)

// dialect is how statements that find something are written for SQLite.
var dialect = search.Dialect{
	Mark:   func(n int) string { return fmt.Sprintf("?%d", n) },
	Table:  func(name string) string { return name },
	Empty:  "''",
	Plans:  "plans p",
	Name:   "p.plan",
	Kind:   "p.kind",
	Listed: "p.id = r.plan AND r.listed = 1 AND p.kind <> 'definition'",
	Open:   "i.open = 1",
}

// labelText is how the labels of a run are kept: JSON, "" for none.
func labelText(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	text, _ := json.Marshal(labels) //nolint:errchkjson // texts always encode
	return string(text)
}

// labelsOf reads the next column, of labels.
func labelsOf(r *rowScanner) (labels map[string]string) {
	text := column[string](r)
	if text == "" || r.err != nil {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &labels); err != nil {
		r.err = fmt.Errorf("%w: the labels of a run: %w", journal.ErrCorrupt, err)
	}
	return labels
}

// columns are what interrupts are found by.
type columns struct {
	state, kind, role, holder string
	due                       int64
}

func columnsOf(in *journal.Interrupt) columns {
	return columns{in.State, in.Kind, in.Role, journal.PersonKey(in.Holder()), in.Deadline}
}

// refill sets the columns by which interrupts are found, of a file that had none.
func refill(c *conn) error {
	for last, n := int64(0), 1; n > 0; {
		n = 0
		ids, found := []int64(nil), []columns(nil)
		err := c.each(func(row []driver.Value) error {
			r := rowScanner{row: row}
			last = column[int64](&r)
			in := journal.Interrupt{ID: column[string](&r)}
			data := column[[]byte](&r)
			n++
			if r.err == nil && decodeInterrupt(&in, data) == nil { // who reads one that is damaged gets an error
				ids, found = append(ids, last), append(found, columnsOf(&in))
			}
			return r.err
		}, dataOfInterrupts, last)
		for i, f := range found {
			if err == nil {
				_, err = c.exec(refillInterrupt, ids[i], f.state, f.kind, f.role, f.holder, f.due)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wrong is an error of a query.
func (s *Store) wrong(op string, err error) error { return s.fail(op, "", 0, err) }

// FindRuns implements [journal.Finder].
func (s *Store) FindRuns(ctx context.Context, q journal.RunQuery) (journal.RunPage, error) {
	const op = "find runs"
	if err := q.Check(); err != nil {
		return journal.RunPage{}, s.wrong(op, err)
	}
	if s.readers.config.views != "" {
		return journal.Find(struct{ journal.Store }{s}).FindRuns(ctx, q)
	}
	found, err := s.listRuns(ctx, op, "", func(c *conn, row func([]driver.Value) error) error {
		var plans []int64
		if len(q.Plans) > 0 {
			names, _ := json.Marshal(q.Plans)
			if err := c.each(func(row []driver.Value) error {
				id, _ := row[0].(int64)
				plans = append(plans, id)
				return nil
			}, plansNamed, string(names)); err != nil {
				return err
			}
		}
		st, err := dialect.Runs(rowColumns, &q, plans)
		if err != nil {
			return err
		}
		return c.query(row, st.Text, st.Args)
	})
	if err != nil {
		return journal.RunPage{}, err
	}
	return q.Page(found)
}

// FindInterrupts implements [journal.Finder].
func (s *Store) FindInterrupts(ctx context.Context, q journal.InterruptQuery) (journal.InterruptPage, error) {
	const op = "find interrupts"
	if err := q.Check(); err != nil {
		return journal.InterruptPage{}, s.wrong(op, err)
	}
	if s.readers.config.views != "" {
		return journal.Find(struct{ journal.Store }{s}).FindInterrupts(ctx, q)
	}
	found, err := collect(ctx, s, op, "", func(c *conn, list *[]journal.Numbered[journal.Asked]) error {
		st, err := dialect.Interrupts("i.id, i.interrupt, i.data, p.plan", &q)
		if err != nil {
			return err
		}
		return c.query(func(row []driver.Value) error {
			r := rowScanner{row: row}
			a := journal.Numbered[journal.Asked]{N: column[int64](&r)}
			a.Row.ID = column[string](&r)
			data := column[[]byte](&r)
			a.Row.Plan = column[string](&r)
			if r.err == nil {
				r.err = decodeInterrupt(&a.Row.Interrupt, data)
			}
			*list = append(*list, a)
			return r.err
		}, st.Text, st.Args)
	})
	if err != nil {
		return journal.InterruptPage{}, err
	}
	return q.Page(found)
}

// CountRuns implements [journal.Finder].
func (s *Store) CountRuns(ctx context.Context, q journal.RunQuery, by string, most int) (journal.Counts, error) {
	if err := q.CheckCount(by); err != nil {
		return journal.Counts{}, s.wrong("count runs", err)
	}
	if s.readers.config.views != "" {
		return journal.Find(struct{ journal.Store }{s}).CountRuns(ctx, q, by, most)
	}
	t := journal.NewTally(most)
	return s.count(ctx, "count runs", t, dialect.CountRuns(&q, by, t.Most()))
}

// CountInterrupts implements [journal.Finder].
func (s *Store) CountInterrupts(ctx context.Context, q journal.InterruptQuery, by string, most int) (journal.Counts, error) {
	if err := q.CheckCount(by); err != nil {
		return journal.Counts{}, s.wrong("count interrupts", err)
	}
	if s.readers.config.views != "" {
		return journal.Find(struct{ journal.Store }{s}).CountInterrupts(ctx, q, by, most)
	}
	t := journal.NewTally(most)
	return s.count(ctx, "count interrupts", t, dialect.CountInterrupts(&q, by, t.Most()))
}

func (s *Store) count(ctx context.Context, op string, t *journal.Tally, st search.Statement) (journal.Counts, error) {
	err := s.reading(ctx, func(c *conn) error {
		return c.query(func(row []driver.Value) error {
			r := rowScanner{row: row}
			t.Add(column[string](&r), int(column[int64](&r)))
			return r.err
		}, st.Text, st.Args)
	})
	if err != nil {
		return journal.Counts{}, s.fail(op, "", 0, err)
	}
	return t.Counts(), nil
}
