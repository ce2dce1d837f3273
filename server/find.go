package server

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/reply"
	"github.com/fermata-go/fermata/journal"
)

// runRow is a run in a list.
type runRow struct {
	Run     string            `json:"run"`
	Plan    string            `json:"plan"`
	Kind    string            `json:"kind"`
	Status  string            `json:"status"`
	Error   string            `json:"error,omitempty"`
	Waiting int               `json:"waiting"` // open questions
	Seq     uint64            `json:"seq"`     // of the last event, at least
	Created time.Time         `json:"created"`
	Updated time.Time         `json:"updated"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// query reads the parameters of a request.
type query struct {
	values url.Values
	err    error
}

func newQuery(r *http.Request, known ...string) *query {
	q := &query{values: r.URL.Query()}
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		if len(known) > 0 && !slices.Contains(known, name) {
			q.wrong("parameter %q: expected %s%s", name, strings.Join(known, ", "), nearest.Hint(name, known))
		}
	}
	return q
}

func (q *query) wrong(format string, args ...any) {
	if q.err == nil {
		q.err = malformed(fmt.Sprintf(format, args...))
	}
}

// list is a parameter with commas, given once or several times; nil for none.
func (q *query) list(name string) (all []string) {
	for _, text := range q.values[name] {
		all = append(all, strings.Split(text, ",")...)
	}
	return all
}

func (q *query) time(name string) int64 {
	text := q.values.Get(name)
	if text == "" {
		return 0
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		q.wrong("%s %q: expected a time such as 2026-01-31T12:00:00Z", name, text)
	}
	return t.UnixMicro()
}

func (q *query) span(name string) journal.Span {
	return journal.Span{From: q.time(name + "From"), To: q.time(name + "To")}
}

func (q *query) limit() int {
	text := q.values.Get("limit")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > journal.MaxPage {
		q.wrong("limit %q: expected 1 to %d", text, journal.MaxPage)
	}
	return n
}

func (q *query) labels() map[string]string {
	labels := make(map[string]string)
	for _, text := range q.values["label"] {
		key, value, ok := strings.Cut(text, ":")
		if !ok {
			q.wrong("label %q: expected KEY:VALUE", text)
		}
		labels[key] = value
	}
	return labels
}

// Parameters of lists and counts of runs, and of counts of questions.
var (
	runParameters = []string{
		"status", "plan", "kind", "label", "createdFrom", "createdTo", "updatedFrom", "updatedTo", "prefix", "order", "limit", "cursor", "by",
	}
	countParameters = []string{"state", "role", "run", "plan", "holder", "dueFrom", "dueTo", "prefix", "skip", "order", "limit", "cursor", "by"}
)

func (q *query) runs() journal.RunQuery {
	return journal.RunQuery{
		Statuses: q.list("status"), Plans: q.list("plan"), Kinds: q.list("kind"), Labels: q.labels(), Created: q.span("created"),
		Updated: q.span("updated"), Prefix: q.values.Get("prefix"), Order: journal.Order(q.values.Get("order")), Limit: q.limit(),
		After: q.values.Get("cursor"),
	}
}

func (q *query) interrupts() journal.InterruptQuery {
	return journal.InterruptQuery{
		States: q.list("state"), Roles: q.list("role"), Runs: q.list("run"), Plans: q.list("plan"), Holder: q.values.Get("holder"),
		Due: q.span("due"), Prefix: q.values.Get("prefix"), Skip: q.values.Get("skip"), Order: journal.Order(q.values.Get("order")), Limit: q.limit(),
		After: q.values.Get("cursor"),
	}
}

// fetch reads rows behind a cursor.
type fetch[T any] func(after string, limit int) (rows []T, next string, err error)

// allowed reads a page of the rows that somebody may read, as if there were no others (law H8): its cursor names a row of
// it, and it is there if such a row is behind it. The function keep leaves out the others.
func allowed[T any](after string, limit int, read fetch[T], keep func([]T) ([]bool, error)) (list []T, next string, err error) {
	for {
		rows, behind, err := read(after, journal.MaxPage)
		if err != nil {
			return nil, "", err
		}
		may, err := keep(rows)
		if err != nil {
			return nil, "", err
		}
		enough := len(rows)
		for i, n := 0, len(list); i < len(rows); i++ {
			if may[i] {
				n++
			}
			if n == limit && may[i] {
				enough = i + 1
				break
			}
		}
		if next != "" { // the page is full: is there one behind it?
			if slices.Contains(may, true) {
				return list, next, nil
			}
		} else if enough < len(rows) { // the page ends within these: read up to there, for its cursor
			if rows, next, err = read(after, enough); err == nil {
				may, err = keep(rows)
			}
			if err != nil {
				return nil, "", err
			}
			behind = next
		}
		for i := range rows {
			if len(list) < limit && may[i] {
				list = append(list, rows[i])
			}
		}
		switch {
		case len(list) < limit: // rows have changed meanwhile
			next = ""
		case next == "":
			next = behind
		}
		if behind == "" {
			return list, "", nil
		}
		after = behind
	}
}

// findRuns finds runs that the person may read.
func (h *handler) findRuns(ctx context.Context, q journal.RunQuery, person *Person) (rows []fermata.RunInfo, next string, err error) {
	read := func(after string, limit int) ([]fermata.RunInfo, string, error) {
		q.After, q.Limit = after, limit
		page, err := h.rt.FindRuns(ctx, q)
		return page.Runs, page.Next, err
	}
	if err := q.Check(); err != nil {
		return nil, "", malformed(err.Error())
	}
	if person.Reads == nil {
		return read(q.After, q.Size())
	}
	return allowed(q.After, q.Size(), read, func(rows []fermata.RunInfo) ([]bool, error) {
		may := make([]bool, len(rows))
		for i := range rows {
			may[i] = h.reads(person, rows[i], nil)
		}
		return may, nil
	})
}

func (h *handler) runs(w http.ResponseWriter, r *http.Request, person Person) {
	q := newQuery(r, runParameters...)
	asked := q.runs()
	if q.err != nil {
		h.fail(w, r, q.err)
		return
	}
	rows, next, err := h.findRuns(r.Context(), asked, &person)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	list := make([]runRow, len(rows))
	for i := range rows {
		x := &rows[i]
		list[i] = runRow{
			x.ID, x.Plan, x.Kind, x.Status, x.Error, x.Waiting, x.Head, time.UnixMicro(x.Created).UTC(), time.UnixMicro(x.Updated).UTC(), x.Labels,
		}
	}
	reply.JSON(w, http.StatusOK, paged("runs", list, next))
}

// paged is a page with its cursor, where one is behind it.
func paged(name string, list any, next string) map[string]any {
	page := map[string]any{name: list}
	if next != "" {
		page["next"] = next
	}
	return page
}

// counted shows counts. With people who may not read everything all is read, and those that they may read are counted.
func counted[T any](h *handler, w http.ResponseWriter, r *http.Request, count func() (journal.Counts, error), all fetch[T], value func(*T) (string, bool)) {
	if count != nil {
		counts, err := count()
		if err != nil {
			h.fail(w, r, err)
			return
		}
		reply.JSON(w, http.StatusOK, counts)
		return
	}
	t := journal.NewTally(0)
	for after, more := "", true; more; more = after != "" {
		rows, next, err := all(after, journal.MaxPage)
		if err != nil {
			h.fail(w, r, err)
			return
		}
		for i := range rows {
			if v, ok := value(&rows[i]); ok {
				t.Add(v, 1)
			}
		}
		after = next
	}
	reply.JSON(w, http.StatusOK, t.Counts())
}

func (h *handler) countRuns(w http.ResponseWriter, r *http.Request, person Person) {
	q := newQuery(r, runParameters...)
	asked, by := q.runs(), q.values.Get("by")
	if err := asked.CheckCount(by); err != nil {
		q.wrong("%v", err)
	}
	if q.err != nil {
		h.fail(w, r, q.err)
		return
	}
	count := func() (journal.Counts, error) { return h.rt.CountRuns(r.Context(), asked, by) }
	if person.Reads != nil {
		count = nil
	}
	counted(h, w, r, count, func(after string, limit int) ([]fermata.RunInfo, string, error) {
		asked.After, asked.Limit = after, limit
		return h.findRuns(r.Context(), asked, &person)
	}, func(x *fermata.RunInfo) (string, bool) { return x.Value(by) })
}

// findInterrupts finds questions that the person may read and do something about.
func (h *handler) findInterrupts(ctx context.Context, q journal.InterruptQuery, person *Person) (list []fermata.Interrupt, next string, err error) {
	read := func(after string, limit int) ([]fermata.Interrupt, string, error) {
		q.After, q.Limit = after, limit
		page, err := h.rt.FindInterrupts(ctx, q)
		return page.Interrupts, page.Next, err
	}
	if err := q.Check(); err != nil {
		return nil, "", malformed(err.Error())
	}
	if h.o.Authorize == nil {
		return read(q.After, q.Size())
	}
	return allowed(q.After, q.Size(), read, func(rows []fermata.Interrupt) ([]bool, error) {
		mine := slices.DeleteFunc(slices.Clone(rows), func(q fermata.Interrupt) bool { return !person.may(&q.Interrupt) })
		mine, err := h.readable(ctx, mine, person)
		ids := make(map[string]bool, len(mine))
		for i := range mine {
			ids[mine[i].ID] = true
		}
		may := make([]bool, len(rows))
		for i := range rows {
			may[i] = ids[rows[i].ID]
		}
		return may, err
	})
}

// inbox lists questions: all of them, or, with a limit, a page.
func (h *handler) inbox(w http.ResponseWriter, r *http.Request, person Person) {
	q := newQuery(r) // which has always taken whatever else there is
	asked, whole := q.interrupts(), q.values.Get("limit") == ""
	if q.err != nil {
		h.fail(w, r, q.err)
		return
	}
	if whole {
		asked.Limit = journal.MaxPage
	}
	list := []fermata.Interrupt{}
	for {
		page, next, err := h.findInterrupts(r.Context(), asked, &person)
		if err != nil {
			h.fail(w, r, err)
			return
		}
		list = append(list, page...)
		if next == "" || !whole {
			reply.JSON(w, http.StatusOK, paged("interrupts", public(list), next))
			return
		}
		asked.After = next
	}
}

func (h *handler) countInterrupts(w http.ResponseWriter, r *http.Request, person Person) {
	q := newQuery(r, countParameters...)
	asked, by := q.interrupts(), q.values.Get("by")
	if err := asked.CheckCount(by); err != nil {
		q.wrong("%v", err)
	}
	if by == journal.CountPlan && h.o.Authorize != nil {
		q.wrong("by %q: expected state or role", by)
	}
	if q.err != nil {
		h.fail(w, r, q.err)
		return
	}
	count := func() (journal.Counts, error) { return h.rt.CountInterrupts(r.Context(), asked, by) }
	if h.o.Authorize != nil {
		count = nil
	}
	counted(h, w, r, count, func(after string, limit int) ([]fermata.Interrupt, string, error) {
		asked.After, asked.Limit = after, limit
		return h.findInterrupts(r.Context(), asked, &person)
	}, func(q *fermata.Interrupt) (string, bool) {
		a := journal.Asked{Interrupt: q.Interrupt}
		return a.Value(by), true
	})
}
