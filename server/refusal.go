package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/reply"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// refusal is what a request that is not served gets.
type refusal struct {
	status int

	Text     string           `json:"error"`
	Code     fermata.Code     `json:"code"`
	Problems []schema.Problem `json:"problems,omitempty"` // of an answer that does not fit
	Login    string           `json:"login,omitempty"`    // where a browser logs in, when nobody is known
}

func (no *refusal) Error() string { return no.Text }

func malformed(text string) *refusal {
	return &refusal{status: http.StatusBadRequest, Code: fermata.CodeInvalid, Text: text}
}

// refuse answers a request with what is wrong.
func refuse(w http.ResponseWriter, no *refusal) {
	if no.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", identity.Challenge)
	}
	reply.JSON(w, no.status, no)
}

// fail answers with what a call of the runtime said. What is nobody's business outside is logged and not shown.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	refuse(w, h.explain(r.Context(), r.Pattern, err))
}

// explain makes an error fit to be shown. Where is what failed, for the log.
func (h *handler) explain(ctx context.Context, where string, err error) *refusal {
	var no *refusal
	if errors.As(err, &no) {
		return no
	}
	var door *fermata.Error
	if !errors.As(err, &door) {
		door = &fermata.Error{Code: fermata.CodeInternal, Err: err}
	}
	no = &refusal{status: http.StatusInternalServerError, Code: door.Code, Text: err.Error()}
	switch {
	case errors.Is(err, node.ErrWithdrawn), door.Code == fermata.CodeExpired:
		no.status = http.StatusGone
	case door.Code == fermata.CodeNotFound:
		no.status = http.StatusNotFound
	case door.Code == fermata.CodeConflict:
		no.status = http.StatusConflict
	case door.Code == fermata.CodeForbidden:
		no.status = http.StatusForbidden
	case door.Code == fermata.CodeInvalid:
		no.status = http.StatusUnprocessableEntity
		if misfit, ok := errors.AsType[*schema.Error](err); ok {
			no.Problems = misfit.Problems
		}
	case door.Code == fermata.CodeStopped:
		no.status, no.Text = http.StatusServiceUnavailable, "the runtime is shutting down"
	case ctx.Err() != nil: // the caller has gone: nothing has failed
		no.Text = "the request was given up"
	default:
		no.Text = "an internal error"
		if door.Code == fermata.CodeStore {
			no.Text = "the store failed"
		}
		h.o.Logger.ErrorContext(ctx, "a request failed", "request", where, "run", door.Run, "error", err)
	}
	return no
}
