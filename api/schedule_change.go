package api

import (
	"crypto/rand"
	"errors"
	"net/http"
	"reflect"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/runtype"
)

type fireBody struct {
	By string `json:"by,omitempty" jsonschema:"Who starts it, for the record, where the server knows nobody"`
}

type pauseBody struct {
	Note string `json:"note,omitempty" jsonschema:"Why, for the record"`
	By   string `json:"by,omitempty" jsonschema:"Who does it, for the record, where the server knows nobody"`
}

// pausedShown is how a schedule stands after it was paused or resumed.
type pausedShown struct {
	Schedule string `json:"schedule"`
	Paused   bool   `json:"paused"`
}

// schedule is the one that a request names, and its definition, if the person may do something about it.
func (h *Handler) schedule(in *request, right identity.Right) (*Schedule, *Definition, error) {
	name, c := in.PathValue("name"), h.now.Load()
	for _, of := range c.names {
		d := c.definitions[of]
		for i := range d.Schedules {
			if d.Schedules[i].Name != name || !h.may(in.who, identity.View, d.Plan.Name()) {
				continue
			}
			if !h.may(in.who, right, d.Plan.Name()) {
				return nil, nil, refused(http.StatusForbidden, fermata.CodeForbidden, "not allowed")
			}
			return &d.Schedules[i], d, nil
		}
	}
	return nil, nil, refused(http.StatusNotFound, fermata.CodeNotFound, "there is no schedule %q; GET /api/schedules lists them", name)
}

// fire starts a run of a schedule now.
func (h *Handler) fire(in *request) (*answer, error) {
	var body fireBody
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	s, d, err := h.schedule(in, identity.Start)
	if err != nil {
		return nil, err
	}
	if s.Fire == nil {
		return nil, refused(http.StatusConflict, fermata.CodeConflict, "this server shows schedule %q, and cannot start its runs", s.Name)
	}
	ctx, key := in.Context(), in.Header.Get(keyHeader)
	run, err := ownID(in.who, key, "")
	if err != nil {
		return nil, err
	}
	if key == "" {
		run = RunID(in.who.id(), rand.Text())
	}
	failed := s.Fire(ctx, run, h.rt.Now(), fermata.StartedBy(h.by(in.who, body.By)))
	if failed != nil && (key == "" || !errors.Is(failed, fermata.ErrConflict)) {
		return nil, failed
	}
	now, err := h.rt.Info(ctx, run)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	out := &answer{
		status: http.StatusCreated, headers: map[string]string{"Location": "/api/runs/" + escaped(run)},
		body: startedBody{Run: run, Definition: d.Name, Plan: now.Plan, Status: now.Status},
	}
	if failed == nil {
		return out, nil
	}
	if now.Labels[runtype.ScheduleLabel] != s.Name {
		p := refused(http.StatusUnprocessableEntity, fermata.CodeInvalid,
			"this Idempotency-Key has started run %s of another request: repeat a request as it was, or use a new key", run)
		p.Run = run
		return nil, p
	}
	out.status, out.headers["Idempotency-Replayed"] = http.StatusOK, "true"
	return out, nil
}

// pause pauses a schedule for all processes on the store; one that is paused already stays so.
func (h *Handler) pause(in *request) (*answer, error) { return h.setPaused(in, true) }

// resume lets a schedule go on that a person has paused.
func (h *Handler) resume(in *request) (*answer, error) { return h.setPaused(in, false) }

func (h *Handler) setPaused(in *request, paused bool) (*answer, error) {
	var body pauseBody
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	s, _, err := h.schedule(in, identity.Operate)
	switch {
	case err != nil:
		return nil, err
	case h.o.Pauses == nil:
		return nil, refused(http.StatusConflict, fermata.CodeConflict, "this server keeps no pauses of schedules: change %q where it is defined", s.Name)
	case s.Paused && !paused:
		return nil, refused(http.StatusConflict, fermata.CodeConflict, "schedule %q is paused where it is defined: change it there", s.Name)
	}
	if err := h.o.Pauses.Set(in.Context(), s.Name, paused, h.by(in.who, body.By), body.Note); err != nil {
		return nil, err
	}
	return &answer{body: pausedShown{Schedule: s.Name, Paused: paused}}, nil
}

// scheduleOperations are the routes that change schedules, or start their runs.
func (h *Handler) scheduleOperations() []operation {
	return []operation{
		{
			method: http.MethodPost, path: "/api/schedules/{name}/fire", id: "fire-schedule", right: identity.Start, summary: "Start a run of a schedule now",
			takes: reflect.TypeFor[fireBody](), example: `{"by": "ada"}`, limit: otherBody, gives: reflect.TypeFor[startedBody](), serve: h.fire, reads: []parameter{key},
		},
		{
			method: http.MethodPost, path: "/api/schedules/{name}/pause", id: "pause-schedule", right: identity.Operate, summary: "Pause a schedule: what is due meanwhile is left out",
			takes: reflect.TypeFor[pauseBody](), example: `{"note": "why"}`, limit: otherBody, gives: reflect.TypeFor[pausedShown](), serve: h.pause,
		},
		{
			method: http.MethodPost, path: "/api/schedules/{name}/resume", id: "resume-schedule", right: identity.Operate, summary: "Let a schedule go on that a person has paused",
			takes: reflect.TypeFor[pauseBody](), example: `{"note": "why"}`, limit: otherBody, gives: reflect.TypeFor[pausedShown](), serve: h.resume,
		},
	}
}
