package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/identity"
	"github.com/fermata-go/fermata/internal/nearest"
)

// ErrQuery says that a query cannot be answered: its cursor, limit, order or a name in it is wrong.
var ErrQuery = errors.New("the query cannot be answered")

// Limits of queries.
const (
	DefaultPage = 100   // rows of a page whose query has no limit
	MaxPage     = 1000  // rows of a page
	MaxCount    = 10000 // rows that are counted for one value
	MaxValues   = 200   // values that are counted apart
)

// Order is the order of a page.
type Order string

// Orders of runs, the newest first, and of interrupts, the oldest first. Rows of one time are in the order in which the
// store got them.
const (
	ByCreated Order = "created" // of runs; the default
	ByUpdated Order = "updated" // of runs
	ByOpened  Order = "opened"  // of interrupts; the default
	ByDue     Order = "due"     // of interrupts; those without a deadline come last
)

// Span is a time from From on and before To, in microseconds; 0 is no bound.
type Span struct {
	From int64 `json:"from,omitempty"` // the first moment in it
	To   int64 `json:"to,omitempty"`   // the first moment after it
}

// Has reports whether the span has a moment.
func (s Span) Has(at int64) bool { return at >= s.From && (s.To == 0 || at < s.To) || s == Span{} }

// RunQuery selects a page of runs (law J14). A zero field selects all of them; definitions are never among them.
type RunQuery struct {
	Statuses []string          // one of these, see RunRow.Status
	Plans    []string          // one of these names of plans
	Kinds    []string          // one of these kinds of plans
	Labels   map[string]string // all of these labels
	Created  Span              // when the run was created
	Updated  Span              // when it was last written
	Prefix   string            // the beginning of its id
	Order    Order             // defaults to ByCreated
	After    string            // the cursor of the page before; "" for the first
	Limit    int               // rows of the page, at most MaxPage. Defaults to DefaultPage
}

// InterruptQuery selects a page of interrupts (law J14). A zero field selects all that are open or claimed.
type InterruptQuery struct {
	States []string // one of these, see Interrupt.State. Defaults to Open and Claimed
	Runs   []string // of one of these runs
	Plans  []string // of runs of one of these plans
	Roles  []string // one of these is asked; "" is a question for anybody
	Holder string   // a person: who has claimed it, or, of one that nobody has claimed, who is asked (law H7)
	Due    Span     // its deadline; a question without one is in no span
	Prefix string   // the beginning of its id
	Skip   string   // leave out questions of this kind that ask no role and no person, as conversations ask their users
	Order  Order    // defaults to ByOpened
	Brief  bool     // leave out request and schemas
	After  string   // the cursor of the page before; "" for the first
	Limit  int      // rows of the page, at most MaxPage. Defaults to DefaultPage
}

// RunPage is a page of runs.
type RunPage struct {
	Runs []RunRow
	Next string // the cursor of the next page; "" where there is none
}

// InterruptPage is a page of interrupts.
type InterruptPage struct {
	Interrupts []Interrupt
	Next       string // the cursor of the next page; "" where there is none
}

// Count is how many rows have a value.
type Count struct {
	Value string `json:"value"`
	N     int    `json:"n"`              // how many, at most as many as were asked for
	More  bool   `json:"more,omitempty"` // there are more
}

// String is the number, "10000+" where there are more.
func (c Count) String() string {
	if c.More {
		return fmt.Sprintf("%d+", c.N)
	}
	return fmt.Sprint(c.N)
}

// Counts are the counts of values, in the order of the values.
type Counts struct {
	By   []Count `json:"by"`
	More bool    `json:"more,omitempty"` // there are further values: MaxValues are told
}

// Dimensions by which runs and interrupts are counted. A label's is LabelPrefix and its key.
const (
	CountStatus = "status" // of runs
	CountPlan   = "plan"   // of runs, or of the runs that ask
	CountState  = "state"  // of interrupts
	CountRole   = "role"   // of interrupts
	LabelPrefix = "label:"
)

// Finder is a store that finds runs and interrupts by what they are, page by page. [Find] makes one of any store.
type Finder interface {
	// FindRuns returns a page of runs. A query that [RunQuery.Check] refuses is ErrQuery.
	FindRuns(ctx context.Context, q RunQuery) (RunPage, error)
	// CountRuns counts the runs of a query by a dimension, whatever its page: at most so many of each value; 0 is MaxCount.
	CountRuns(ctx context.Context, q RunQuery, by string, most int) (Counts, error)
	// FindInterrupts returns a page of interrupts.
	FindInterrupts(ctx context.Context, q InterruptQuery) (InterruptPage, error)
	// CountInterrupts counts the interrupts of a query by a dimension, as CountRuns does runs.
	CountInterrupts(ctx context.Context, q InterruptQuery, by string, most int) (Counts, error)
}

// Statuses are the statuses of a run (law F4).
func Statuses() []string {
	return []string{"running", "paused", "blocked", "completed", "failed", "cancelled", "expired", "stuck"}
}

// States are the states of an interrupt (law H1).
func States() []string { return []string{Open, Claimed, Answered, Expired, Withdrawn} }

// PersonKey is the form of a person's id in which stores compare it (law H6).
func PersonKey(id string) string { return identity.Key(id) }

// Holder is who holds an interrupt (law H7): who has claimed it, else who is asked; "" for nobody.
func (in *Interrupt) Holder() string {
	if in.State == Claimed && in.ClaimedBy != "" {
		return in.ClaimedBy
	}
	return in.Assignee
}

// known refuses a name that is not in a list.
func known(what, given string, names []string) error {
	if slices.Contains(names, given) {
		return nil
	}
	return fmt.Errorf("%w: %s %q: expected %s%s", ErrQuery, what, given, strings.Join(names, ", "), nearest.Hint(given, names))
}

func checkPage(limit int, order Order, orders ...Order) error {
	if limit < 0 || limit > MaxPage {
		return fmt.Errorf("%w: limit %d: expected 1 to %d", ErrQuery, limit, MaxPage)
	}
	if order != "" && !slices.Contains(orders, order) {
		return fmt.Errorf("%w: order %q: expected %s or %s", ErrQuery, order, orders[0], orders[1])
	}
	return nil
}

func checkSpans(spans ...Span) error {
	for _, s := range spans {
		if s.From < 0 || s.To < 0 || s.To != 0 && s.To < s.From {
			return fmt.Errorf("%w: a span from %d to %d: expected times since 1970 in their order", ErrQuery, s.From, s.To)
		}
	}
	return nil
}

// Check returns why the query cannot be answered, an ErrQuery.
//
// The reasons are an unknown status or order, a limit that is too large, a label that no run can have, and a cursor that is
// damaged, of a later version or of another query.
func (q *RunQuery) Check() error {
	var err error
	for _, s := range q.Statuses {
		err = cmp.Or(err, known("status", s, Statuses()))
	}
	for _, key := range slices.Sorted(maps.Keys(q.Labels)) {
		if bad := CheckLabel(key, q.Labels[key]); bad != nil {
			err = cmp.Or(err, fmt.Errorf("%w: %w", ErrQuery, bad))
		}
	}
	_, _, bad := q.Start()
	return cmp.Or(err, checkPage(q.Limit, q.Order, ByCreated, ByUpdated), checkSpans(q.Created, q.Updated), bad)
}

// Check returns why the query cannot be answered, an ErrQuery.
func (q *InterruptQuery) Check() error {
	var err error
	for _, s := range q.States {
		err = cmp.Or(err, known("state", s, States()))
	}
	_, _, bad := q.Start()
	return cmp.Or(err, checkPage(q.Limit, q.Order, ByOpened, ByDue), checkSpans(q.Due), bad)
}

// CheckCount returns why runs cannot be counted by a dimension, an ErrQuery.
func (q *RunQuery) CheckCount(by string) error {
	if key, ok := strings.CutPrefix(by, LabelPrefix); ok {
		if err := CheckLabel(key, ""); err != nil {
			return fmt.Errorf("%w: %w", ErrQuery, err)
		}
	} else if by != CountStatus && by != CountPlan {
		return fmt.Errorf("%w: runs are counted by %q: expected status, plan or label:KEY", ErrQuery, by)
	}
	counted := *q
	counted.After = ""
	return counted.Check()
}

// CheckCount returns why interrupts cannot be counted by a dimension, an ErrQuery.
func (q *InterruptQuery) CheckCount(by string) error {
	if err := known("interrupts are counted by", by, []string{CountState, CountPlan, CountRole}); err != nil {
		return err
	}
	counted := *q
	counted.After = ""
	return counted.Check()
}

// Size is how many rows the page has at most.
func (q *RunQuery) Size() int { return cmp.Or(q.Limit, DefaultPage) }

// Size is how many rows the page has at most.
func (q *InterruptQuery) Size() int { return cmp.Or(q.Limit, DefaultPage) }

func among(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }

// Match reports whether the query selects the run, whatever its page.
func (q *RunQuery) Match(r *RunRow) bool {
	if r.Kind == KindDefinition || !among(q.Statuses, r.Status) || !among(q.Plans, r.Plan) || !among(q.Kinds, r.Kind) ||
		!q.Created.Has(r.Created) || !q.Updated.Has(r.Updated) || !strings.HasPrefix(r.ID, q.Prefix) {
		return false
	}
	for key, value := range q.Labels {
		if has, ok := r.Labels[key]; !ok || has != value {
			return false
		}
	}
	return true
}

// Match reports whether the query selects the interrupt of a run of that plan, whatever its page.
func (q *InterruptQuery) Match(in *Interrupt, plan string) bool {
	switch {
	case len(q.States) == 0 && !in.IsOpen(), !among(q.States, in.State), !among(q.Runs, in.Run), !among(q.Plans, plan),
		!among(q.Roles, in.Role), !strings.HasPrefix(in.ID, q.Prefix):
		return false
	case q.Due != Span{} && (in.Deadline == 0 || !q.Due.Has(in.Deadline)):
		return false
	case q.Skip != "" && in.Kind == q.Skip && in.Role == "" && PersonKey(in.Holder()) == "":
		return false
	}
	return q.Holder == "" || PersonKey(q.Holder) == PersonKey(in.Holder())
}

// time is where the run is in the order of the query.
func (q *RunQuery) time(r *RunRow) int64 {
	if q.Order == ByUpdated {
		return r.Updated
	}
	return r.Created
}

// time is where the interrupt is in the order of the query.
func (q *InterruptQuery) time(in *Interrupt) int64 {
	switch {
	case q.Order != ByDue:
		return in.Opened
	case in.Deadline == 0:
		return math.MaxInt64
	}
	return in.Deadline
}
