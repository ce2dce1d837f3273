package search

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/journal"
)

// Dialect is what differs between servers.
type Dialect struct {
	Mark   func(n int) string       // of the n-th argument, from 1: "$1"
	Table  func(name string) string // the name of a table
	Empty  string                   // the empty text, compared as names are
	Plans  string                   // the table of plans as p, which r.plan names by its id; "" where runs have all of it
	Name   string                   // the column with the name of a plan
	Kind   string                   // the column with the kind of a plan
	Listed string                   // the condition that a run r is no definition
	Open   string                   // the condition that an interrupt i is open
}

// Statement is a statement with its arguments.
type Statement struct {
	Text string
	Args []any
}

// mostBranches is how many values of a list are read each for itself.
const mostBranches = 16

// builder writes one statement.
type builder struct {
	*Dialect
	args []any
}

// arg adds an argument, and returns its mark.
func (b *builder) arg(v any) string {
	b.args = append(b.args, v)
	return b.Mark(len(b.args))
}

// list adds arguments, and returns them with commas between.
func list[T any](b *builder, values []T) string {
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = b.arg(v)
	}
	return strings.Join(marks, ", ")
}

// conditions are joined by AND.
type conditions []string

//go:noinline // called in many places, for the weight of the command (ADR 060)
func (c *conditions) add(format string, args ...any) { *c = append(*c, fmt.Sprintf(format, args...)) }

// among adds that a column has one of the values, unless there are none.
func (c *conditions) among(b *builder, column string, values []string) {
	if len(values) > 0 {
		c.add("%s IN (%s)", column, list(b, values))
	}
}

// span adds that a column is in a span.
func (c *conditions) span(b *builder, column string, s journal.Span) {
	if s.From != 0 {
		c.add("%s >= %s", column, b.arg(s.From))
	}
	if s.To != 0 {
		c.add("%s < %s", column, b.arg(s.To))
	}
}

// prefix adds that a column begins with a text: names are compared by their bytes, and none goes on with four of the last
// characters that there are.
func (c *conditions) prefix(b *builder, column, text string) {
	if text != "" {
		c.add("%s >= %s AND %s <= %s", column, b.arg(text), column, b.arg(text+strings.Repeat("\U0010ffff", 4)))
	}
}

func (c conditions) String() string { return strings.Join(c, " AND ") }

// from are the tables of runs.
func (b *builder) from(more ...string) string {
	tables := slices.Concat(more, []string{b.Table("runs") + " r"})
	if b.Plans != "" {
		tables = append(tables, b.Plans)
	}
	return strings.Join(tables, " CROSS JOIN ")
}

// runs are the conditions of a query for runs, but for its page and the lists that are left to others.
func (b *builder) runs(q *journal.RunQuery, statuses, plans bool) (c conditions) {
	c.add("%s", b.Listed)
	if statuses {
		c.among(b, "r.status", q.Statuses)
	}
	if plans {
		c.among(b, b.Name, q.Plans)
	}
	c.among(b, b.Kind, q.Kinds)
	c.span(b, "r.created", q.Created)
	c.span(b, "r.updated", q.Updated)
	c.prefix(b, "r.run", q.Prefix)
	for _, key := range slices.Sorted(maps.Keys(q.Labels)) {
		c.add("EXISTS (SELECT 1 FROM %s x WHERE x.key = %s AND x.value = %s AND x.created = r.created AND x.run = r.id)",
			b.Table("run_labels"), b.arg(key), b.arg(q.Labels[key]))
	}
	return c
}

// page is a statement that reads the first rows of branches in an order: how many, and one more.
func (b *builder) page(columns, from, order string, branches []conditions, size int) Statement {
	var text strings.Builder
	for i, c := range branches {
		if i > 0 {
			text.WriteString(" UNION ALL ")
		}
		// An order with a limit within a union needs a table of its own.
		fmt.Fprintf(&text, "SELECT * FROM (SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT %d) AS b%d", columns, from, c, order, size+1, i)
	}
	return Statement{text.String(), b.args}
}

// Runs finds runs: of each branch the rows of a page and one more. Of plans, ids are the numbers where runs name them by
// numbers; nil where a name is all that is known.
func (d *Dialect) Runs(columns string, q *journal.RunQuery, ids []int64) (Statement, error) {
	after, behind, err := q.Start()
	if err != nil {
		return Statement{}, err
	}
	b := &builder{Dialect: d}
	time, number, from := "r.created", "r.id", b.from()
	if q.Order == journal.ByUpdated {
		time = "r.updated"
	}
	first := slices.Sorted(maps.Keys(q.Labels))
	branch := func(statuses, plans bool, one func(*conditions)) conditions {
		c := conditions{}
		if len(first) > 0 {
			c.add("l.key = %s AND l.value = %s AND r.id = l.run", b.arg(first[0]), b.arg(q.Labels[first[0]]))
			c.span(b, "l.created", q.Created)
		}
		c = append(c, b.runs(q, statuses, plans)...)
		if one != nil {
			one(&c)
		}
		if behind {
			c.add("(%s, %s) < (%s, %s)", time, number, b.arg(after.Time), b.arg(after.N))
		}
		return c
	}
	var branches []conditions
	switch n := len(q.Statuses); {
	case len(first) > 0:
		from = b.from(b.Table("run_labels") + " l")
		if number = "l.run"; time == "r.created" {
			time = "l.created"
		}
	case n > 0 && n <= mostBranches:
		for _, status := range distinct(q.Statuses) {
			branches = append(branches, branch(false, true, func(c *conditions) { c.add("r.status = %s", b.arg(status)) }))
		}
	case len(ids) > 0 && len(ids) <= mostBranches:
		for _, id := range ids {
			branches = append(branches, branch(true, false, func(c *conditions) { c.add("r.plan = %s", b.arg(id)) }))
		}
	case d.Plans == "" && len(q.Plans) > 0 && len(q.Plans) <= mostBranches:
		for _, plan := range distinct(q.Plans) {
			branches = append(branches, branch(true, false, func(c *conditions) { c.add("r.plan = %s", b.arg(plan)) }))
		}
	}
	if branches == nil {
		branches = []conditions{branch(true, true, nil)}
	}
	return b.page(columns, from, time+" DESC, "+number+" DESC", branches, q.Size()), nil
}

func distinct(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// onlyOpen reports whether a query means no interrupt that is closed.
func onlyOpen(q *journal.InterruptQuery) bool {
	return !slices.ContainsFunc(q.States, func(s string) bool { return s != journal.Open && s != journal.Claimed })
}

// asks are the conditions of a query for interrupts, but for its page and the roles where they are left to others.
func (b *builder) asks(q *journal.InterruptQuery, roles bool) (c conditions) {
	if onlyOpen(q) {
		c.add("%s", b.Open)
	}
	c.among(b, "i.state", q.States)
	if roles {
		c.among(b, "i.role", q.Roles)
	}
	if len(q.Runs) > 0 {
		c.add("i.run IN (SELECT id FROM %s WHERE run IN (%s))", b.Table("runs"), list(b, q.Runs))
	}
	if len(q.Plans) > 0 {
		c.among(b, b.Name, q.Plans)
	}
	if q.Holder != "" {
		c.add("i.holder <> '' AND i.holder = %s", b.arg(journal.PersonKey(q.Holder)))
	}
	if q.Due != (journal.Span{}) {
		c.add("i.due > 0")
		c.span(b, "i.due", q.Due)
	}
	c.prefix(b, "i.interrupt", q.Prefix)
	if q.Skip != "" {
		c.add("NOT (i.kind = %s AND i.role = '' AND i.holder = '')", b.arg(q.Skip))
	}
	return c
}

// asking are the tables of interrupts, with those of runs where they are needed, and how they belong together.
func (b *builder) asking(runs bool) (from string, c conditions) {
	from = b.Table("interrupts") + " i"
	if !runs {
		return from, nil
	}
	c.add("r.id = i.run")
	if b.Plans != "" {
		c.add("p.id = r.plan")
	}
	return b.from(from), c
}

// due is when an interrupt is due; those that have no deadline come last.
var due = fmt.Sprintf("CASE WHEN i.due > 0 THEN i.due ELSE %d END", int64(math.MaxInt64))

// Interrupts finds interrupts: of each branch the rows of a page and one more.
func (d *Dialect) Interrupts(columns string, q *journal.InterruptQuery) (Statement, error) {
	after, behind, err := q.Start()
	if err != nil {
		return Statement{}, err
	}
	b := &builder{Dialect: d}
	time := "i.opened"
	if q.Order == journal.ByDue {
		time = due
	}
	from, joined := b.asking(true)
	branch := func(roles bool, one func(*conditions)) conditions {
		c := append(slices.Clone(joined), b.asks(q, roles)...)
		if one != nil {
			one(&c)
		}
		if behind {
			c.add("(%s, i.id) > (%s, %s)", time, b.arg(after.Time), b.arg(after.N))
		}
		return c
	}
	var branches []conditions
	if n := len(q.Roles); n > 0 && n <= mostBranches && len(q.Runs) == 0 {
		for _, role := range distinct(q.Roles) {
			branches = append(branches, branch(false, func(c *conditions) { c.add("i.role = %s", b.arg(role)) }))
		}
	} else {
		branches = []conditions{branch(true, nil)}
	}
	return b.page(columns, from, time+", i.id", branches, q.Size()), nil
}

// mostSteps is how many values are looked at where they are counted.
const mostSteps = 5 * journal.MaxValues

// counting steps from value to value of a column, and counts the rows of each.
func (b *builder) counting(next, from string, c conditions, most int) Statement {
	text := fmt.Sprintf(`WITH RECURSIVE v (x, n) AS (
	SELECT %s, 0 UNION ALL SELECT (%s), n + 1 FROM v WHERE x IS NOT NULL AND n < %d
) SELECT x, (SELECT count(*) FROM (SELECT 1 FROM %s WHERE %s LIMIT %d) AS counted) FROM v WHERE x IS NOT NULL`,
		b.Empty, next, mostSteps, from, c, most+1)
	return Statement{text, b.args}
}

// CountRuns counts the runs of each value of a dimension: rows of a value and a number.
func (d *Dialect) CountRuns(q *journal.RunQuery, by string, most int) Statement {
	b := &builder{Dialect: d}
	key, label := strings.CutPrefix(by, journal.LabelPrefix)
	switch {
	case label:
		labels := b.Table("run_labels")
		mark := b.arg(key)
		next := fmt.Sprintf("SELECT min(y.value) FROM %s y WHERE y.key = %s AND y.value > v.x", labels, mark)
		c := conditions{fmt.Sprintf("l.key = %s AND l.value = v.x AND r.id = l.run", mark)}
		return b.counting(next, b.from(labels+" l"), append(c, b.runs(q, true, true)...), most)
	case by == journal.CountPlan:
		c := append(conditions{b.Name + " = v.x"}, b.runs(q, true, true)...)
		if b.Plans != "" {
			c = append(conditions{fmt.Sprintf("r.plan IN (SELECT id FROM %s WHERE plan = v.x)", b.Table("plans"))}, c...)
		}
		return b.counting(b.nextPlan(), b.from(), c, most)
	}
	next := fmt.Sprintf("SELECT min(y.status) FROM %s y WHERE y.status > v.x", b.Table("runs"))
	return b.counting(next, b.from(), append(conditions{"r.status = v.x"}, b.runs(q, true, true)...), most)
}

// nextPlan finds the next name of a plan.
func (b *builder) nextPlan() string {
	table := "runs"
	if b.Plans != "" {
		table = "plans"
	}
	return fmt.Sprintf("SELECT min(y.plan) FROM %s y WHERE y.plan > v.x", b.Table(table))
}

// CountInterrupts counts the interrupts of each value of a dimension: rows of a value and a number.
func (d *Dialect) CountInterrupts(q *journal.InterruptQuery, by string, most int) Statement {
	b := &builder{Dialect: d}
	from, c := b.asking(by == journal.CountPlan || len(q.Plans) > 0)
	c = append(c, b.asks(q, true)...)
	column := "i." + by
	next := fmt.Sprintf("SELECT min(y.%s) FROM %s y WHERE y.%s > v.x", by, b.Table("interrupts"), by)
	if onlyOpen(q) {
		next += " AND " + strings.ReplaceAll(b.Open, "i.", "y.")
	}
	if by == journal.CountPlan {
		column, next = b.Name, b.nextPlan()
	}
	return b.counting(next, from, append(c, column+" = v.x"), most)
}
