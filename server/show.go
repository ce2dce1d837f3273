package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/reply"
	"github.com/fermata-go/fermata/journal"
)

// info describes a run that the person may read. Definitions, whose journals lie beside those of runs, are none.
func (h *handler) info(ctx context.Context, id string, person *Person) (fermata.RunInfo, error) {
	info, err := h.rt.Info(ctx, id)
	if err == nil && (info.Kind == journal.KindDefinition || !h.reads(person, info, nil)) {
		return info, &fermata.Error{Code: fermata.CodeNotFound, Run: id, Err: fermata.ErrNotFound}
	}
	return info, err
}

// runShown is how a run stands.
type runShown struct {
	Run        string              `json:"run"`
	Plan       string              `json:"plan"`
	Status     fermata.Status      `json:"status"`
	Seq        uint64              `json:"seq"` // of the last event, at least
	Outputs    json.RawMessage     `json:"outputs"`
	Error      string              `json:"error,omitempty"`
	Code       fermata.Code        `json:"code,omitempty"`
	Interrupts []fermata.Interrupt `json:"interrupts"`
	Messages   []fermata.Untaken   `json:"messages,omitempty"` // that no call has taken
	Hold       *held               `json:"hold,omitempty"`     // why nothing begins in it
}

func (h *handler) showRun(w http.ResponseWriter, r *http.Request, person Person) {
	info, err := h.info(r.Context(), r.PathValue("run"), &person)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	res, err := h.rt.Result(r.Context(), info.ID, nil)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	shown := runShown{
		Run: info.ID, Plan: info.Plan, Status: res.Status, Seq: info.Head, Outputs: res.Output, Messages: res.Messages, Hold: heldOf(&res),
		Interrupts: public(slices.DeleteFunc(res.Interrupts, func(q fermata.Interrupt) bool { return !h.reads(&person, info, &q.Interrupt) })),
	}
	if res.Err != nil {
		shown.Error, shown.Code = res.Err.Error(), fermata.CodeFailed
		if door, ok := res.Err.(*fermata.Error); ok { //nolint:errorlint // Result promises an *Error
			shown.Error, shown.Code = door.Err.Error(), door.Code
		}
	}
	reply.JSON(w, http.StatusOK, shown)
}

// public are interrupts as readers are shown them: without resume tokens, which are their openers' (law H5).
func public(list []fermata.Interrupt) []fermata.Interrupt {
	all := make([]fermata.Interrupt, len(list))
	for i := range list {
		all[i].Interrupt = list[i].Interrupt
	}
	return all
}

// may reports whether the person does something about a question in one of their roles.
func (p *Person) may(q *journal.Interrupt) bool {
	return q.Role == "" || slices.Contains(p.Roles, q.Role) || q.OverrideRole != "" && slices.Contains(p.Roles, q.OverrideRole)
}

// readable are the questions that the person may read, of runs that they may read.
func (h *handler) readable(ctx context.Context, list []fermata.Interrupt, person *Person) ([]fermata.Interrupt, error) {
	if person.Reads == nil {
		return list, nil
	}
	runs := make(map[string]fermata.RunInfo)
	var own []fermata.Interrupt
	for i := range list {
		q := &list[i].Interrupt
		info, known := runs[q.Run]
		if !known {
			var err error
			if info, err = h.rt.Info(ctx, q.Run); err != nil && !errors.Is(err, fermata.ErrNotFound) { // it was pruned meanwhile
				return nil, err
			}
			runs[q.Run] = info
		}
		if info.ID != "" && h.reads(person, info, nil) && h.reads(person, info, q) {
			own = append(own, list[i])
		}
	}
	return own, nil
}

// interrupt finds a question that the person may read, open or not.
func (h *handler) interrupt(ctx context.Context, id string, person *Person) (fermata.Interrupt, error) {
	list, err := h.rt.Inbox(ctx, journal.InboxFilter{ID: id, All: true})
	if err == nil {
		list, err = h.readable(ctx, list, person)
	}
	if err != nil {
		return fermata.Interrupt{}, err
	}
	if len(list) == 0 {
		return fermata.Interrupt{}, &refusal{
			status: http.StatusNotFound, Code: fermata.CodeNotFound, Text: fmt.Sprintf("there is no interrupt %q", id),
		}
	}
	return list[0], nil
}
