package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/plan"
)

// maxImport limits the body of an import, in bytes. fermata runs import takes larger files.
const maxImport = 64 << 20

// take stores a run that was exported (law J6). It brings its definition, which is code.
func (h *Handler) take(in *request) (*answer, error) {
	body := &bounded{Reader: in.Body}
	info, err := h.rt.Import(in.Context(), body, fermata.ImportOptions{
		ID: in.URL.Query().Get("id"), By: h.by(in.who, ""),
		Admit: func(info fermata.RunInfo) error {
			if !h.may(in.who, identity.Deploy, info.Plan) {
				return refused(http.StatusForbidden, fermata.CodeForbidden, "not allowed")
			}
			return nil
		},
		Plans: func(ctx context.Context, info fermata.RunInfo) (*plan.Plan, error) {
			p, err := h.planOf(ctx, info)
			if unknown, ok := errors.AsType[*fermata.Error](err); ok && unknown.Code == fermata.CodePlanChanged {
				return nil, nil //nolint:nilnil // of a plan that is not known here only what holds for every plan is checked
			}
			return p, err
		},
	})
	if body.ended {
		return nil, refused(http.StatusRequestEntityTooLarge, fermata.CodeInvalid,
			"the body is larger than %d bytes; import it with the command fermata runs import", maxImport)
	}
	if err != nil {
		return nil, err
	}
	return &answer{
		status: http.StatusCreated, headers: map[string]string{"Location": "/api/runs/" + escaped(info.ID)},
		body: stood{Run: info.ID, Status: info.Status},
	}, nil
}

// importOperation is the route by which exported runs are taken in.
func (h *Handler) importOperation() operation {
	return operation{
		method: http.MethodPost, path: "/api/runs/import", id: "import-run", right: identity.Deploy,
		summary: "Store a run that was exported; it brings the code that it goes on with", raw: linesType, limit: maxImport,
		gives: reflect.TypeFor[stood](), serve: h.take,
		reads: []parameter{{"id", "query", "string", "Another id: the run is one of its own then, as a fork is. Defaults to that in the file"}},
	}
}

// bounded knows whether a body has reached its limit.
type bounded struct {
	io.Reader
	ended bool
}

func (b *bounded) Read(data []byte) (int, error) {
	n, err := b.Reader.Read(data)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		b.ended = true
	}
	return n, err
}
