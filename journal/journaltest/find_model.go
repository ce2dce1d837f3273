package journaltest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
)

// model is what a store has to hold: runs and questions, each in the order in which the store first got them.
type model struct {
	store     journal.Store
	runs      []journal.RunRow
	questions []journal.Interrupt
	told      int             // how many runs and questions there were, for their ids
	touched   map[string]bool // ids of what changed since it was cleared
}

// Values that runs and questions are drawn from: few, so that many are alike. Times are few as well.
var (
	someStatuses = []string{"running", "paused", "completed", "failed", "blocked"}
	somePlans    = []string{"refund", "Refund", "re", "a plan", "ä"}
	someKinds    = []string{"graph", "recipe", journal.KindDefinition}
	someKeys     = []string{"team", "fermata.schedule", "customer-1", "a.b_c"}
	someValues   = []string{"red", "Red", "red ", "50%", "_", "ü\x1b", "a\\b"}
	someRoles    = []string{"", "manager", "clerk"}
	somePeople   = []string{"", "ada", " ADA", "Bert", "  "}
	someAsked    = []string{"dialogue", "choice", ""}
)

func draw[T any](t *rapid.T, name string, from []T) T { return rapid.SampledFrom(from).Draw(t, name) }

// drawMoment draws one of a few moments, so that many are equal.
func drawMoment(t *rapid.T, name string) int64 { return moment + rapid.Int64Range(0, 4).Draw(t, name) }

func drawLabels(t *rapid.T) map[string]string {
	labels := make(map[string]string)
	for _, key := range someKeys {
		if rapid.Bool().Draw(t, "label "+key) {
			labels[key] = draw(t, "value", someValues)
		}
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}

// shape draws what changes of a run.
func shape(t *rapid.T, r *journal.RunRow) {
	r.Status, r.Labels, r.Updated = draw(t, "status", someStatuses), drawLabels(t), drawMoment(t, "updated")
	r.Plan = draw(t, "plan", somePlans)
}

// ask draws what changes of a question.
func ask(t *rapid.T, q *journal.Interrupt) {
	q.State, q.Role = draw(t, "state", journal.States()), draw(t, "role", someRoles)
	q.Assignee, q.ClaimedBy = draw(t, "assignee", somePeople), ""
	if q.State != journal.Open {
		q.ClaimedBy = draw(t, "claimed by", somePeople)
	}
	q.Deadline = 0
	if rapid.Bool().Draw(t, "deadline") {
		q.Deadline = drawMoment(t, "due")
	}
}

func (m *model) append(t *rapid.T, b journal.Batch) {
	if err := m.store.Append(context.Background(), b); err != nil {
		t.Fatalf("append to %s: %v", b.Run, err)
	}
}

// start adds a run.
func (m *model) start(t *rapid.T) {
	m.told++
	r := *row(fmt.Sprintf("run_%s%d", draw(t, "id", []string{"a", "A", "ab", "%", "_"}), m.told), 0)
	r.Kind, r.Created = draw(t, "kind", someKinds), drawMoment(t, "created")
	shape(t, &r)
	m.append(t, journal.Batch{Run: r.ID, Row: &r, Entries: entries(0, 1)})
	r.Head = 1
	m.runs = append(m.runs, r)
	m.touched[r.ID] = true
}

// one is the place of a run that may be any.
func (m *model) one(t *rapid.T) int { return rapid.IntRange(0, len(m.runs)-1).Draw(t, "which run") }

// change writes a run again.
func (m *model) change(t *rapid.T) {
	r := &m.runs[m.one(t)]
	plan := r.Plan
	shape(t, r)
	m.grow(t, r, nil)
	m.touched[r.ID] = true
	for i := range m.questions { // which are found by the plan, too
		if q := &m.questions[i]; q.Run == r.ID && r.Plan != plan {
			m.touched[q.ID] = true
		}
	}
}

// grow appends an entry to a run.
func (m *model) grow(t *rapid.T, r *journal.RunRow, questions []journal.Interrupt) {
	given := *r
	m.append(t, journal.Batch{Run: r.ID, After: r.Head, Row: &given, Entries: entries(r.Head, 1), Interrupts: questions})
	r.Head++
	for i := range questions {
		m.touched[questions[i].ID] = true
	}
}

// question adds a question to a run.
func (m *model) question(t *rapid.T) {
	m.told++
	r := &m.runs[m.one(t)]
	q := interrupt(fmt.Sprintf("int_%s%d", draw(t, "id", []string{"a", "A", "%"}), m.told), r.ID, 0)
	q.Opened, q.Kind = drawMoment(t, "opened"), draw(t, "kind of question", someAsked)
	ask(t, &q)
	m.grow(t, r, []journal.Interrupt{q.Clone()})
	m.questions = append(m.questions, q)
}

// answer changes a question.
func (m *model) answer(t *rapid.T) {
	q := &m.questions[rapid.IntRange(0, len(m.questions)-1).Draw(t, "which question")]
	ask(t, q)
	i := slices.IndexFunc(m.runs, func(r journal.RunRow) bool { return r.ID == q.Run })
	m.grow(t, &m.runs[i], []journal.Interrupt{q.Clone()})
}

// remove deletes a run with its questions.
func (m *model) remove(t *rapid.T) { m.drop(t, m.one(t)) }

func (m *model) drop(t *rapid.T, i int) {
	id := m.runs[i].ID
	if err := m.store.Delete(context.Background(), id); err != nil {
		t.Fatalf("delete %s: %v", id, err)
	}
	m.runs = slices.Delete(m.runs, i, i+1)
	m.touched[id] = true
	m.questions = slices.DeleteFunc(m.questions, func(q journal.Interrupt) bool {
		m.touched[q.ID] = m.touched[q.ID] || q.Run == id
		return q.Run == id
	})
}

// step does something to the store.
func (m *model) step(t *rapid.T) {
	what := rapid.IntRange(0, 9).Draw(t, "step")
	switch {
	case what < 4 || len(m.runs) == 0:
		m.start(t)
	case what < 6:
		m.change(t)
	case what < 8 || len(m.questions) == 0 && what < 9:
		m.question(t)
	case what == 8:
		m.answer(t)
	default:
		m.remove(t)
	}
}

// some draws a filter of a list: mostly none.
func some(t *rapid.T, name string, from []string) []string {
	if rapid.IntRange(0, 2).Draw(t, name+"?") > 0 {
		return nil
	}
	return rapid.SliceOfN(rapid.SampledFrom(from), 1, 3).Draw(t, name)
}

func drawSpan(t *rapid.T, name string) (s journal.Span) {
	switch rapid.IntRange(0, 5).Draw(t, name) {
	case 0:
		s.From = drawMoment(t, "from")
	case 1:
		s.To = drawMoment(t, "to")
	case 2:
		s.From = drawMoment(t, "from")
		s.To = s.From + rapid.Int64Range(0, 3).Draw(t, "for")
	}
	return s
}

// runQuery draws a query for runs.
func runQuery(t *rapid.T) journal.RunQuery {
	q := journal.RunQuery{
		Statuses: some(t, "statuses", someStatuses), Plans: some(t, "plans", append(somePlans, "none")),
		Kinds: some(t, "kinds", someKinds), Created: drawSpan(t, "created"), Updated: drawSpan(t, "updated"),
		Prefix: draw(t, "prefix", []string{"", "", "", "run_a", "run_%", "run_A", "_"}),
		Order:  draw(t, "order", []journal.Order{"", journal.ByCreated, journal.ByUpdated}),
		Limit:  rapid.IntRange(1, 7).Draw(t, "limit"),
	}
	if rapid.IntRange(0, 2).Draw(t, "labels?") == 0 {
		q.Labels = drawLabels(t)
	}
	return q
}

// interruptQuery draws a query for questions.
func interruptQuery(t *rapid.T, m *model) journal.InterruptQuery {
	runs := []string{"run_x"}
	for i := range m.runs {
		runs = append(runs, m.runs[i].ID)
	}
	return journal.InterruptQuery{
		States: some(t, "states", journal.States()), Plans: some(t, "plans", somePlans), Runs: some(t, "runs", runs),
		Roles: some(t, "roles", someRoles), Holder: draw(t, "holder", []string{"", "", "", "Ada", "bert"}), Due: drawSpan(t, "due"),
		Prefix: draw(t, "prefix", []string{"", "", "", "int_a", "int_%"}), Skip: draw(t, "skip", []string{"", "dialogue"}),
		Order: draw(t, "order", []journal.Order{"", journal.ByOpened, journal.ByDue}), Limit: rapid.IntRange(1, 7).Draw(t, "limit"),
	}
}

// in reports whether a list has a value, as an empty one has all.
func in(list []string, value string) bool { return len(list) == 0 || slices.Contains(list, value) }

// inside reports whether a time is in a span.
func inside(s journal.Span, at int64) bool { return at >= s.From && (s.To == 0 || at < s.To) }

// wanted are the runs that a query selects, in its order.
func (m *model) wanted(q *journal.RunQuery) []journal.RunRow {
	var list []journal.RunRow
	for _, r := range slices.Backward(m.runs) { // the one that the store got last is first among equals
		labelled := true
		for key, value := range q.Labels {
			has, ok := r.Labels[key]
			labelled = labelled && ok && has == value
		}
		if labelled && r.Kind != journal.KindDefinition && in(q.Statuses, r.Status) && in(q.Plans, r.Plan) && in(q.Kinds, r.Kind) &&
			inside(q.Created, r.Created) && inside(q.Updated, r.Updated) && strings.HasPrefix(r.ID, q.Prefix) {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b journal.RunRow) int {
		if q.Order == journal.ByUpdated {
			return cmp.Compare(b.Updated, a.Updated)
		}
		return cmp.Compare(b.Created, a.Created)
	})
	return list
}

// planOf is the plan of a run.
func (m *model) planOf(run string) string {
	for i := range m.runs {
		if m.runs[i].ID == run {
			return m.runs[i].Plan
		}
	}
	return ""
}

// samePerson compares the people that are drawn.
func samePerson(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// asked are the questions that a query selects, in its order.
func (m *model) asked(q *journal.InterruptQuery) []journal.Interrupt {
	states := q.States
	if len(states) == 0 {
		states = []string{journal.Open, journal.Claimed}
	}
	var list []journal.Interrupt
	for _, a := range m.questions {
		holder := a.Assignee
		if a.State == journal.Claimed && a.ClaimedBy != "" {
			holder = a.ClaimedBy
		}
		anybody := a.Role == "" && samePerson(holder, "")
		if in(states, a.State) && in(q.Runs, a.Run) && in(q.Plans, m.planOf(a.Run)) && in(q.Roles, a.Role) &&
			(q.Holder == "" || samePerson(q.Holder, holder)) && strings.HasPrefix(a.ID, q.Prefix) &&
			(q.Due == journal.Span{} || a.Deadline != 0 && inside(q.Due, a.Deadline)) && (q.Skip == "" || a.Kind != q.Skip || !anybody) {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b journal.Interrupt) int {
		if q.Order != journal.ByDue {
			return cmp.Compare(a.Opened, b.Opened)
		}
		if (a.Deadline == 0) != (b.Deadline == 0) {
			return cmp.Compare(b.Deadline, a.Deadline) // those without one come last
		}
		return cmp.Compare(a.Deadline, b.Deadline)
	})
	return list
}

// tally counts texts.
func tally(values []string, most int) (c journal.Counts) {
	n := make(map[string]int)
	for _, v := range values {
		n[v]++
	}
	for _, v := range slices.Sorted(maps.Keys(n)) {
		c.By = append(c.By, journal.Count{Value: v, N: min(n[v], most), More: n[v] > most})
	}
	return c
}
