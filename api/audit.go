package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/audit"
	"github.com/fermata-go/fermata/journal"
)

// auditSpan is how far an audit goes back by default.
const auditSpan = 7 * 24 * time.Hour

// auditShown is what people did in a time.
type auditShown struct {
	From time.Time   `json:"from"`
	Acts []audit.Act `json:"acts" jsonschema:"What people did, the oldest first"`
}

// auditOperation is the route that shows it.
func (h *Handler) auditOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/audit", id: "audit", right: identity.Audit, summary: "Who has done what",
		gives: reflect.TypeFor[auditShown](), serve: h.audit, reads: []parameter{
			{"from", "query", "string", "A time (RFC 3339); seven days ago by default"},
			{"to", "query", "string", "A time (RFC 3339) before which it was; now by default"},
			{"by", "query", "string", "The id of a person; everybody by default"},
			{"run", "query", "string", "The id of a run; all runs, tokens and sessions by default"},
		},
	}
}

// audit shows who has done what. Runs of plans beyond a person's scope are left out, and settings, which are of no plan, for those with one.
func (h *Handler) audit(in *request) (*answer, error) {
	if h.o.Journals == nil {
		return nil, refused(http.StatusNotFound, fermata.CodeNotFound, "this server shows no audit: a program gives api.Options.Journals")
	}
	now := h.rt.Now()
	from, err := in.moment("from", now.Add(-auditSpan))
	if err != nil {
		return nil, err
	}
	to, err := in.moment("to", time.Time{})
	if err != nil {
		return nil, err
	}
	query := in.URL.Query()
	find := func(ctx context.Context, q journal.RunQuery) (journal.RunPage, error) {
		page, err := h.rt.FindRuns(ctx, q)
		own := page.Runs[:0:0]
		for i := range page.Runs {
			if h.reads(in.who, page.Runs[i]) {
				own = append(own, page.Runs[i])
			}
		}
		page.Runs = own
		return page, err
	}
	acts, err := audit.Read(in.Context(), audit.Source{Store: h.o.Journals, Find: find, RunsOnly: in.who != nil && in.who.Reads != nil}, audit.Query{
		From: from, To: to, By: query.Get("by"), Run: query.Get("run"),
	})
	if err != nil {
		return nil, err
	}
	if acts == nil {
		acts = []audit.Act{}
	}
	return &answer{body: auditShown{From: from.UTC(), Acts: acts}}, nil
}

// moment reads a query parameter that is a time.
func (in *request) moment(name string, otherwise time.Time) (time.Time, error) {
	text := in.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, malformed("%s=%q: expected a time such as 2026-01-31T18:00:00Z", name, text)
	}
	return at, nil
}
