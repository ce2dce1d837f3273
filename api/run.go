package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

type cancelBody struct {
	Reason string `json:"reason,omitempty" jsonschema:"Why, for the record"`
	By     string `json:"by,omitempty" jsonschema:"Who cancels, for the record, where the server knows nobody"`
}

// retryBody has no members.
type retryBody struct{}

// stood is how a run stands after something was done about it.
type stood struct {
	Run    string `json:"run" jsonschema:"Its id"`
	Status string `json:"status" jsonschema:"running, paused, cancelled, …"`
}

// run is a run that the person may do something about.
func (h *handler) run(in *request) (fermata.RunInfo, error) {
	id := in.PathValue("run")
	info, err := h.rt.Info(in.Context(), id)
	if err == nil && (info.Kind == "definition" || !h.reads(in.who, info)) {
		err = &fermata.Error{Code: fermata.CodeNotFound, Run: id, Err: fermata.ErrNotFound}
	}
	switch {
	case errors.Is(err, fermata.ErrNotFound):
		p := refused(http.StatusNotFound, fermata.CodeNotFound, "there is no run %q; GET /api/runs lists them", id)
		p.Run = id
		return info, p
	case err != nil:
		return info, err
	case !h.may(in.who, info.Plan):
		return info, refused(http.StatusForbidden, fermata.CodeForbidden, "not allowed")
	}
	return info, nil
}

// cancel cancels a run. One that is cancelled already stays so.
func (h *handler) cancel(in *request) (*answer, error) {
	body, err := decode[cancelBody](in, `{"reason": "why"}`)
	if err != nil {
		return nil, err
	}
	ctx := in.Context()
	info, err := h.run(in)
	if err != nil {
		return nil, err
	}
	by := in.who.id()
	if h.o.Server.Authorize == nil {
		by = body.By
	}
	err = h.rt.Cancel(ctx, info.ID, body.Reason, by)
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
	return &answer{body: stood{Run: info.ID, Status: string(fermata.Cancelled)}}, nil
}

// retry continues a failed run from the tasks that failed.
func (h *handler) retry(in *request) (*answer, error) {
	if _, err := decode[retryBody](in, `{}`); err != nil {
		return nil, err
	}
	ctx := in.Context()
	info, err := h.run(in)
	if err != nil {
		return nil, err
	}
	if h.o.Server.Hold {
		p := refused(http.StatusConflict, fermata.CodeConflict,
			"this server executes no runs, and a retry goes on where it is asked for: retry it where a worker is, or with the command runs retry")
		p.Run = info.ID
		return nil, p
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
	run, err := h.rt.Retry(ctx, info.ID, p)
	if err != nil {
		return nil, err
	}
	now, err := h.rt.Info(ctx, run.ID())
	if err != nil {
		return nil, err
	}
	return &answer{body: stood{Run: now.ID, Status: now.Status}}, nil
}

// planOf is the plan on which a run is retried.
func (h *handler) planOf(ctx context.Context, info fermata.RunInfo) (p *plan.Plan, err error) {
	if h.o.Plans != nil {
		p, err = h.o.Plans(ctx, info)
	} else {
		for _, d := range h.definitions {
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
