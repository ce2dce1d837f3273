package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/internal/search"
)

// dialect is how statements that find something are written for PostgreSQL.
var dialect = search.Dialect{
	Mark:   func(n int) string { return fmt.Sprintf("$%d", n) },
	Table:  func(name string) string { return schemaMark + name },
	Empty:  `''::text COLLATE "C"`,
	Name:   "r.plan",
	Kind:   "r.kind",
	Listed: "r.kind <> 'definition'",
	Open:   "i.open",
}

// labelText is how the labels of a run are kept: JSON, "" for none.
func labelText(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	text, _ := json.Marshal(labels) //nolint:errchkjson // texts always encode
	return string(text)
}

// holderOf is the person who holds an interrupt, as names are compared, in a form that the server takes for a text.
func holderOf(in *journal.Interrupt) string {
	return strings.ReplaceAll(strings.ToValidUTF8(journal.PersonKey(in.Holder()), "\uFFFD"), "\x00", "\uFFFD")
}

// columnsOf are the columns by which interrupts are found. One that comes twice is what it is last.
func columnsOf(interrupts []journal.Interrupt) []any {
	var states, kinds, holders []string
	var due []int64
	places := make(map[string]int, len(interrupts))
	for i := range interrupts {
		q := &interrupts[i]
		at, again := places[q.ID]
		if !again {
			at = len(states)
			places[q.ID] = at
			states, kinds, holders, due = append(states, ""), append(kinds, ""), append(holders, ""), append(due, 0)
		}
		states[at], kinds[at], holders[at], due[at] = q.State, q.Kind, holderOf(q), q.Deadline
	}
	return []any{states, kinds, holders, due}
}

// refill sets the columns by which interrupts are found, in a schema that had none.
func refill(ctx context.Context, tx pgx.Tx, schema string) error {
	for last := int64(-1); ; {
		rows, err := tx.Query(ctx, in(schema, someInterrupts), last)
		if err != nil {
			return err
		}
		var ids []int64
		var list []journal.Interrupt
		found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (id string, err error) {
			var data []byte
			if err := row.Scan(&last, &id, &data); err != nil {
				return id, err
			}
			if q, err := decodeInterrupt(id, data); err == nil { // who reads one that is damaged is told so
				ids, list = append(ids, last), append(list, q)
			}
			return id, nil
		})
		if err != nil || len(found) == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, in(schema, refillInterrupts), append([]any{ids}, columnsOf(list)...)...); err != nil {
			return err
		}
	}
}

// FindRuns implements [journal.Finder].
func (s *Store) FindRuns(ctx context.Context, q journal.RunQuery) (page journal.RunPage, err error) {
	var found []journal.Numbered[journal.RunRow]
	if err = q.Check(); err == nil {
		var st search.Statement
		if st, err = dialect.Runs("r.id, r."+strings.ReplaceAll(runColumns, ", ", ", r."), &q, nil); err == nil {
			found, err = list(ctx, s, s.found(st), st.Args, func(row pgx.CollectableRow) (r journal.Numbered[journal.RunRow], err error) {
				r.Row, err = scanRunAfter(row, &r.N)
				return r, err
			})
		}
	}
	if err == nil {
		page, err = q.Page(found)
	}
	if err != nil {
		return journal.RunPage{}, s.fail("find runs", "", 0, err)
	}
	return page, nil
}

// found is the text of a statement for the schema.
func (s *Store) found(st search.Statement) string { return in(s.options.Schema, st.Text) }

// FindInterrupts implements [journal.Finder].
func (s *Store) FindInterrupts(ctx context.Context, q journal.InterruptQuery) (page journal.InterruptPage, err error) {
	var found []journal.Numbered[journal.Asked]
	if err = q.Check(); err == nil {
		var st search.Statement
		if st, err = dialect.Interrupts("i.id, i.interrupt, i.data, r.plan", &q); err == nil {
			found, err = list(ctx, s, s.found(st), st.Args, func(row pgx.CollectableRow) (a journal.Numbered[journal.Asked], err error) {
				var id, plan string
				var data []byte
				if err = row.Scan(&a.N, &id, &data, &plan); err == nil {
					a.Row.Interrupt, err = decodeInterrupt(id, data)
					a.Row.Plan = plan
				}
				return a, err
			})
		}
	}
	if err == nil {
		page, err = q.Page(found)
	}
	if err != nil {
		return journal.InterruptPage{}, s.fail("find interrupts", "", 0, err)
	}
	return page, nil
}

// CountRuns implements [journal.Finder].
func (s *Store) CountRuns(ctx context.Context, q journal.RunQuery, by string, most int) (journal.Counts, error) {
	t := journal.NewTally(most)
	return s.count(ctx, "count runs", q.CheckCount(by), t, func() search.Statement { return dialect.CountRuns(&q, by, t.Most()) })
}

// CountInterrupts implements [journal.Finder].
func (s *Store) CountInterrupts(ctx context.Context, q journal.InterruptQuery, by string, most int) (journal.Counts, error) {
	t := journal.NewTally(most)
	return s.count(ctx, "count interrupts", q.CheckCount(by), t, func() search.Statement { return dialect.CountInterrupts(&q, by, t.Most()) })
}

func (s *Store) count(ctx context.Context, op string, err error, t *journal.Tally, statement func() search.Statement) (journal.Counts, error) {
	if err == nil {
		st := statement()
		_, err = list(ctx, s, s.found(st), st.Args, func(row pgx.CollectableRow) (n int, err error) {
			var value string
			if err = row.Scan(&value, &n); err == nil {
				t.Add(value, n)
			}
			return n, err
		})
	}
	if err != nil {
		return journal.Counts{}, s.fail(op, "", 0, err)
	}
	return t.Counts(), nil
}
