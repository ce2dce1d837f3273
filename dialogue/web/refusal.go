package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/reply"
)

// refusal is what a request or a message that is not served gets.
type refusal struct {
	Status int    `json:"-"`
	Text   string `json:"error"`
	Code   string `json:"code"`
}

func forbidden(text string) *refusal {
	return &refusal{http.StatusForbidden, text, string(fermata.CodeForbidden)}
}

func malformed(text string) *refusal {
	return &refusal{http.StatusBadRequest, text, string(fermata.CodeInvalid)}
}

// explain returns the response to an error. Internal errors are logged and not shown.
func (h *handler) explain(ctx context.Context, id string, err error) *refusal {
	switch fe, _ := errors.AsType[*fermata.Error](err); {
	case errors.Is(err, dialogue.ErrBusy):
		return &refusal{http.StatusConflict, dialogue.ErrBusy.Error(), "busy"}
	case errors.Is(err, dialogue.ErrClosed):
		return &refusal{http.StatusGone, dialogue.ErrClosed.Error(), "closed"}
	case errors.Is(err, dialogue.ErrNotTakenOver):
		return &refusal{http.StatusUnprocessableEntity, dialogue.ErrNotTakenOver.Error() + ": only its user speaks in it", "not_taken_over"}
	case errors.Is(err, dialogue.ErrMessage), errors.Is(err, dialogue.ErrEvent):
		return malformed(err.Error())
	case fe != nil && fe.Code == fermata.CodeNotFound:
		return &refusal{http.StatusNotFound, "there is no such conversation", string(fe.Code)}
	case errors.Is(err, fermata.ErrStopped), errors.Is(err, fermata.ErrClosed):
		return &refusal{http.StatusServiceUnavailable, "the server is shutting down", string(fermata.CodeStopped)}
	case ctx.Err() == nil:
		h.o.Logger.ErrorContext(ctx, "a conversation failed", "conversation", id, "error", err)
	}
	return &refusal{http.StatusInternalServerError, "an internal error", string(fermata.CodeInternal)}
}

func refuse(w http.ResponseWriter, no *refusal) {
	if no.Code == "busy" {
		w.Header().Set("Retry-After", "5")
	}
	reply.JSON(w, no.Status, no)
}
