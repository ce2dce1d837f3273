package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/reply"
	"github.com/fermata-go/fermata/journal"
)

// info describes a run. Definitions, whose journals lie beside those of runs, are none.
func (h *handler) info(ctx context.Context, id string) (fermata.RunInfo, error) {
	info, err := h.rt.Info(ctx, id)
	if err == nil && info.Kind == "definition" {
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
	Interrupts []journal.Interrupt `json:"interrupts"`
}

func (h *handler) showRun(w http.ResponseWriter, r *http.Request, _ Person) {
	info, err := h.info(r.Context(), r.PathValue("run"))
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
		Run: info.ID, Plan: info.Plan, Status: res.Status, Seq: info.Head, Outputs: res.Output, Interrupts: public(res.Interrupts),
	}
	if res.Err != nil {
		shown.Error, shown.Code = res.Err.Error(), fermata.CodeFailed
		if door, ok := res.Err.(*fermata.Error); ok { //nolint:errorlint // Result promises an *Error
			shown.Error, shown.Code = door.Err.Error(), door.Code
		}
	}
	reply.JSON(w, http.StatusOK, shown)
}

// public are interrupts without what only the engine needs.
func public(list []fermata.Interrupt) []journal.Interrupt {
	all := make([]journal.Interrupt, len(list))
	for i := range list {
		all[i] = list[i].Interrupt
		all[i].TokenHash, all[i].Digest = "", ""
	}
	return all
}

func (h *handler) inbox(w http.ResponseWriter, r *http.Request, person Person) {
	query := r.URL.Query()
	filter := journal.InboxFilter{Run: query.Get("run"), Role: query.Get("role")}
	list, err := h.rt.Inbox(r.Context(), filter)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	if h.o.Authorize != nil {
		list = slices.DeleteFunc(list, func(q fermata.Interrupt) bool { return !person.may(q.Role) })
	}
	reply.JSON(w, http.StatusOK, map[string]any{"interrupts": public(list)})
}

// may reports whether the person answers questions that ask for the role.
func (p *Person) may(role string) bool { return role == "" || slices.Contains(p.Roles, role) }

// interrupt finds a question, open or not.
func (h *handler) interrupt(ctx context.Context, id string) (fermata.Interrupt, error) {
	list, err := h.rt.Inbox(ctx, journal.InboxFilter{ID: id, All: true})
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
