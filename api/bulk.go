package api

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// mostBulk limits how many runs one request changes.
const mostBulk = 10_000

// bulkFilter selects runs as the parameters of GET /api/runs do.
type bulkFilter struct {
	Status      []string          `json:"status,omitempty" jsonschema:"Any of these; by default all to which it can be done (to retry: failed and expired)"`
	Plan        []string          `json:"plan,omitempty" jsonschema:"Any of these"`
	Kind        []string          `json:"kind,omitempty" jsonschema:"Any of these kinds of plans: recipe, dialogue, graph, dataflow"`
	Run         []string          `json:"run,omitempty" jsonschema:"Any of these ids, beside which there is no prefix"`
	Label       map[string]string `json:"label,omitempty" jsonschema:"All of these"`
	CreatedFrom *time.Time        `json:"createdFrom,omitempty"`
	CreatedTo   *time.Time        `json:"createdTo,omitempty"`
	UpdatedFrom *time.Time        `json:"updatedFrom,omitempty"`
	UpdatedTo   *time.Time        `json:"updatedTo,omitempty"`
	Prefix      string            `json:"prefix,omitempty" jsonschema:"Of the id, the plan or the value of a label"`
}

type bulkBody struct {
	Do       string     `json:"do" enum:"cancel,retry,hold,release"`
	Filter   bulkFilter `json:"filter" jsonschema:"Which runs; {} selects all to which it can be done"`
	DryRun   bool       `json:"dryRun,omitempty" jsonschema:"Only list the runs"`
	Limit    int        `json:"limit,omitempty" jsonschema:"The largest number of runs, at most 10,000, which is the default"`
	Reason   string     `json:"reason,omitempty" jsonschema:"Why, for the record of each run"`
	By       string     `json:"by,omitempty" jsonschema:"Who does it, for the record, where the server knows nobody"`
	Deadline string     `json:"deadline,omitempty" jsonschema:"Of retried runs; see retry-run"`
}

// query is the filter as stores read it.
func (f *bulkFilter) query() journal.RunQuery {
	q := journal.RunQuery{Statuses: f.Status, Plans: f.Plan, Kinds: f.Kind, Labels: f.Label, Prefix: f.Prefix}
	for _, edge := range []struct {
		given *time.Time
		to    *int64
	}{{f.CreatedFrom, &q.Created.From}, {f.CreatedTo, &q.Created.To}, {f.UpdatedFrom, &q.Updated.From}, {f.UpdatedTo, &q.Updated.To}} {
		if edge.given != nil {
			*edge.to = edge.given.UnixMicro()
		}
	}
	return q
}

// bulkLine is what came of one run.
type bulkLine struct {
	Run    string   `json:"run"`
	Plan   string   `json:"plan"`
	Status string   `json:"status"` // when it was selected
	Error  *Problem `json:"error,omitempty"`
}

// bulkTotal is the last line.
type bulkTotal struct {
	Total   bool `json:"total"` // true
	Done    int  `json:"done"`
	Refused int  `json:"refused"`
	More    bool `json:"more"` // the limit was reached: there may be others
}

// bulk does the same to all runs that a filter selects: one line of JSON for each as it is done, and one with the numbers.
// Runs that the person may not read or operate are not selected.
func (h *Handler) bulk(in *request) (*answer, error) {
	var body bulkBody
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	if body.Limit < 0 || body.Limit > mostBulk {
		return nil, malformed("limit: expected 1 to %d runs, found %d", mostBulk, body.Limit)
	}
	if body.Limit == 0 {
		body.Limit = mostBulk
	}
	all, err := h.many(in, &body)
	if err != nil {
		return nil, err
	}
	next, stop := iter.Pull2(all)
	first, err, there := next() // a query that is refused is answered as such
	if err != nil {
		stop()
		return nil, err
	}
	return &answer{headers: map[string]string{"Content-Type": linesType}, stream: func(w io.Writer) error {
		defer stop()
		total := bulkTotal{Total: true}
		for r, ok := first, there; ok; {
			if err := h.tellBulk(in.Context(), w, &r, &total); err != nil {
				return err
			}
			var err error
			if r, err, ok = next(); err != nil {
				return err
			}
		}
		total.More = total.Done+total.Refused == body.Limit
		return json.NewEncoder(w).Encode(total)
	}}, nil
}

// tellBulk writes the line of a run, and sends it on its way.
func (h *Handler) tellBulk(ctx context.Context, w io.Writer, r *fermata.BulkResult, total *bulkTotal) error {
	line := bulkLine{Run: r.Info.ID, Plan: r.Info.Plan, Status: r.Info.Status}
	if total.Done++; r.Err != nil {
		total.Done--
		total.Refused++
		line.Error = h.explain(ctx, "POST /api/runs/bulk", r.Err)
	}
	if err := json.NewEncoder(w).Encode(line); err != nil {
		return err
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	return nil
}

// many begins what a request asks for.
func (h *Handler) many(in *request, body *bulkBody) (iter.Seq2[fermata.BulkResult, error], error) {
	if body.Deadline != "" && body.Do != "retry" {
		return nil, malformed("deadline: expected it beside \"do\": \"retry\" alone, found it beside %q", body.Do)
	}
	retry, err := (&retryBody{Deadline: body.Deadline}).options(h.by(in.who, body.By))
	if err != nil {
		return nil, err
	}
	do := map[string]func(context.Context, journal.RunQuery, fermata.BulkOptions) iter.Seq2[fermata.BulkResult, error]{
		"cancel": h.rt.CancelRuns, "retry": h.rt.RetryRuns, "hold": h.rt.HoldRuns, "release": h.rt.ReleaseRuns,
	}[body.Do]
	if len(body.Filter.Run) > 0 && body.Filter.Prefix != "" {
		return nil, malformed("prefix: expected none beside the ids in run, found %q", body.Filter.Prefix)
	}
	q := body.Filter.query()
	q.Limit = body.Limit
	o := fermata.BulkOptions{
		DryRun: body.DryRun, Reason: body.Reason, By: h.by(in.who, body.By), Retry: retry,
		Only: func(info fermata.RunInfo) bool {
			return h.reads(in.who, info) && h.may(in.who, identity.Operate, info.Plan)
		},
		Plans: func(ctx context.Context, info fermata.RunInfo) (*plan.Plan, error) {
			if err := h.executes(ctx, info, "a retry", "runs retry"); err != nil {
				return nil, err
			}
			return h.planOf(ctx, info)
		},
	}
	if len(body.Filter.Run) == 0 {
		return do(in.Context(), q, o), nil
	}
	return oneByOne(slices.Compact(slices.Sorted(slices.Values(body.Filter.Run))), q, o, func(q journal.RunQuery, o fermata.BulkOptions) iter.Seq2[fermata.BulkResult, error] {
		return do(in.Context(), q, o)
	}), nil
}

// oneByOne does it to those of the runs with some ids that a query selects, up to its limit.
func oneByOne(
	ids []string, q journal.RunQuery, o fermata.BulkOptions, do func(journal.RunQuery, fermata.BulkOptions) iter.Seq2[fermata.BulkResult, error],
) iter.Seq2[fermata.BulkResult, error] {
	only := o.Only
	return func(yield func(fermata.BulkResult, error) bool) {
		left := q.Limit
		for _, id := range ids {
			q.Prefix, q.Limit = id, 1 // of the runs whose ids begin so, the one that has this id
			o.Only = func(info fermata.RunInfo) bool { return info.ID == id && only(info) }
			for r, err := range do(q, o) {
				if !yield(r, err) || err != nil {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// bulkOperation is the route by which many runs are changed.
func (h *Handler) bulkOperation() operation {
	return operation{
		method: http.MethodPost, path: "/api/runs/bulk", id: "change-runs", right: identity.Operate,
		summary: "Cancel, retry, hold or release all runs that a filter selects: a line of JSON for each, then one with the numbers",
		takes:   reflect.TypeFor[bulkBody](), needs: true, example: `{"do": "retry", "filter": {"plan": ["order"]}, "dryRun": true}`,
		limit: otherBody, kind: linesType, serve: h.bulk,
	}
}
