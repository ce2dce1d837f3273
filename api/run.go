package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

type cancelBody struct {
	Reason string `json:"reason,omitempty" jsonschema:"Why, for the record"`
	By     string `json:"by,omitempty" jsonschema:"Who cancels, for the record, where the server knows nobody"`
}

type retryBody struct {
	Deadline string `json:"deadline,omitempty" jsonschema:"A new deadline of the run, needed where its own has passed (law F9): a time (RFC 3339), or a time from now, such as 2h"`
	By       string `json:"by,omitempty" jsonschema:"Who retries, for the record, where the server knows nobody"`
}

// options are those of a retry by a person.
func (b *retryBody) options(by string) ([]fermata.RetryOption, error) {
	who := fermata.RetriedBy(by)
	if b.Deadline == "" {
		return []fermata.RetryOption{who}, nil
	}
	if wait, err := time.ParseDuration(b.Deadline); err == nil {
		return []fermata.RetryOption{who, fermata.RetryWithin(wait)}, nil
	}
	at, err := time.Parse(time.RFC3339, b.Deadline)
	if err != nil {
		return nil, refused(http.StatusBadRequest, fermata.CodeInvalid,
			"deadline: expected a time (2026-12-24T08:00:00Z) or a time from now (2h), found %q", b.Deadline)
	}
	return []fermata.RetryOption{who, fermata.RetryUntil(at)}, nil
}

// stood is how a run stands after something was done about it.
type stood struct {
	Run    string `json:"run" jsonschema:"Its id"`
	Status string `json:"status" jsonschema:"running, paused, cancelled, …"`
}

// shown is a run that the person may read.
func (h *Handler) shown(in *request, id string) (fermata.RunInfo, error) {
	info, err := h.rt.Info(in.Context(), id)
	if err == nil && (info.Kind == journal.KindDefinition || !h.reads(in.who, info)) {
		err = fermata.ErrNotFound
	}
	if errors.Is(err, fermata.ErrNotFound) {
		p := refused(http.StatusNotFound, fermata.CodeNotFound, "there is no run %q; GET /api/runs lists them", id)
		p.Run = id
		err = p
	}
	return info, err
}

// run decodes the body of a request to do something about a run, and returns the run if the person may.
func (h *Handler) run(in *request, body any) (fermata.RunInfo, error) {
	if err := in.decode(body); err != nil {
		return fermata.RunInfo{}, err
	}
	info, err := h.shown(in, in.PathValue("run"))
	if err == nil && !h.may(in.who, identity.Operate, info.Plan) {
		err = refused(http.StatusForbidden, fermata.CodeForbidden, "not allowed")
	}
	return info, err
}

// cancel cancels a run. One that is cancelled already stays so.
func (h *Handler) cancel(in *request) (*answer, error) {
	var body cancelBody
	ctx := in.Context()
	info, err := h.run(in, &body)
	if err != nil {
		return nil, err
	}
	err = h.rt.Cancel(ctx, info.ID, body.Reason, h.by(in.who, body.By))
	if err != nil && !errors.Is(err, fermata.ErrConflict) {
		return nil, err
	}
	now, found := h.rt.Info(ctx, info.ID)
	switch {
	case found != nil:
		return nil, found
	case err != nil && fermata.Status(now.Status) != fermata.Cancelled:
		p := h.explain(ctx, "POST /api/runs/{run}/cancel", err)
		p.Run = info.ID
		return nil, p
	}
	return &answer{body: stood{Run: info.ID, Status: now.Status}}, nil
}

// retry continues a failed run from the tasks that failed.
func (h *Handler) retry(in *request) (*answer, error) {
	ctx := in.Context()
	var body retryBody
	info, err := h.run(in, &body)
	if err != nil {
		return nil, err
	}
	opts, err := body.options(h.by(in.who, body.By))
	if err != nil {
		return nil, err
	}
	if err := h.executes(ctx, info, "a retry", "runs retry"); err != nil {
		return nil, err
	}
	switch fermata.Status(info.Status) {
	case fermata.Failed, fermata.Expired, fermata.Blocked:
	default:
		p := refused(http.StatusConflict, fermata.CodeConflict,
			"run %s is %s; expected one that is failed, expired or blocked", info.ID, info.Status)
		p.Run = info.ID
		return nil, p
	}
	p, err := h.planOf(ctx, info)
	if err != nil {
		return nil, err
	}
	run, err := h.rt.Retry(ctx, info.ID, p, opts...)
	if err != nil {
		return nil, err
	}
	now, err := h.rt.Info(ctx, run.ID())
	if err != nil {
		return nil, err
	}
	return &answer{body: stood{Run: now.ID, Status: now.Status}}, nil
}

// executes refuses what goes on in this process, where it does not execute the run.
func (h *Handler) executes(ctx context.Context, info fermata.RunInfo, what, command string) error {
	if h.o.Server.Hold {
		p := refused(http.StatusConflict, fermata.CodeConflict,
			"this server executes no runs, and %s goes on where it is asked for: ask where a worker is, or with the command %s", what, command)
		p.Run = info.ID
		return p
	}
	if h.o.Executes == nil {
		return nil
	}
	if err := h.o.Executes(ctx, info); err != nil {
		p := refused(http.StatusConflict, fermata.CodeConflict, "%v", err)
		p.Run = info.ID
		return p
	}
	return nil
}

// planOf is the plan of a run.
func (h *Handler) planOf(ctx context.Context, info fermata.RunInfo) (p *plan.Plan, err error) {
	if h.o.Plans != nil {
		p, err = h.o.Plans(ctx, info)
	} else {
		for _, d := range h.now.Load().definitions {
			if d.Plan.Name() == info.Plan {
				p = d.Plan
			}
		}
	}
	if err == nil && p == nil {
		err = &fermata.Error{
			Code: fermata.CodePlanChanged, Run: info.ID,
			Err: fmt.Errorf("this process does not know its plan, %q; it knows those of GET /api/definitions", info.Plan),
		}
	}
	return p, err
}

// problemsOf are the places that an error names.
func problemsOf(err error) []schema.Problem {
	if misfit, ok := errors.AsType[*schema.Error](err); ok {
		return misfit.Problems
	}
	return nil
}
