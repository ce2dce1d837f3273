package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/fermata-go/fermata/identity"
)

type holdBody struct {
	Note string `json:"note,omitempty" jsonschema:"Why, for the record"`
	By   string `json:"by,omitempty" jsonschema:"Who does it, for the record, where the server knows nobody"`
}

// hold holds a run (law J18). One that is held already stays so.
func (h *Handler) hold(in *request) (*answer, error) { return h.changeHold(in, h.rt.HoldRun) }

// release lets a run go on that is held. One that is not stays as it is.
func (h *Handler) release(in *request) (*answer, error) { return h.changeHold(in, h.rt.ReleaseRun) }

func (h *Handler) changeHold(in *request, change func(ctx context.Context, run, note, by string) error) (*answer, error) {
	var body holdBody
	ctx := in.Context()
	info, err := h.run(in, &body)
	if err != nil {
		return nil, err
	}
	if err := change(ctx, info.ID, body.Note, h.by(in.who, body.By)); err != nil {
		return nil, err
	}
	now, err := h.rt.Info(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	return &answer{body: stood{Run: now.ID, Status: now.Status}}, nil
}

// holdOperations are the routes by which runs are held and released.
func (h *Handler) holdOperations() []operation {
	return []operation{
		{
			method: http.MethodPost, path: "/api/runs/{run}/hold", id: "hold-run", right: identity.Operate, summary: "Hold a run: nothing begins in it until it is released",
			takes: reflect.TypeFor[holdBody](), example: `{"note": "why"}`, limit: otherBody, gives: reflect.TypeFor[stood](), serve: h.hold,
		},
		{
			method: http.MethodPost, path: "/api/runs/{run}/release", id: "release-run", right: identity.Operate, summary: "Let a run go on that is held",
			takes: reflect.TypeFor[holdBody](), example: `{"note": "why"}`, limit: otherBody, gives: reflect.TypeFor[stood](), serve: h.release,
		},
	}
}
