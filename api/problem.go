package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/reply"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// Problem says why a request was refused: a problem document of RFC 9457.
type Problem struct {
	Title    string           `json:"title" jsonschema:"The kind of refusal, as text of its status"`
	Status   int              `json:"status" jsonschema:"HTTP status"`
	Detail   string           `json:"detail" jsonschema:"What was expected and what was found"`
	Code     fermata.Code     `json:"code" jsonschema:"Stable name of the kind: invalid, not_found, conflict, expired, unauthenticated, forbidden, …"`
	Problems []schema.Problem `json:"problems,omitempty" jsonschema:"Invalid places of an input or an answer"`
	Run      string           `json:"run,omitempty" jsonschema:"The run that is meant"`
	Login    string           `json:"login,omitempty" jsonschema:"Where a browser logs in, when nobody is known"`
}

// Error is what was expected and found.
func (p *Problem) Error() string { return p.Detail }

const problemType = "application/problem+json"

func refused(status int, code fermata.Code, format string, args ...any) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...), Code: code}
}

func malformed(format string, args ...any) *Problem {
	return refused(http.StatusBadRequest, fermata.CodeInvalid, format, args...)
}

// write answers with the problem.
func (p *Problem) write(w http.ResponseWriter) {
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", identity.Challenge)
	}
	reply.As(w, problemType, p.Status, p)
}

// explain is the answer to an error of the runtime. What is nobody's business outside is logged and not shown.
func (h *Handler) explain(ctx context.Context, where string, err error) *Problem {
	if known, ok := errors.AsType[*Problem](err); ok {
		return known
	}
	door, ok := errors.AsType[*fermata.Error](err)
	if !ok {
		door = &fermata.Error{Code: fermata.CodeInternal, Err: err}
	}
	status, known := codeStatuses[door.Code]
	p := refused(status, door.Code, "%v", err)
	p.Run = door.Run
	switch {
	case errors.Is(err, node.ErrWithdrawn):
		status = http.StatusGone
	case door.Code == fermata.CodeStopped:
		p.Detail = "the runtime is shutting down"
	case known:
		if misfit, ok := errors.AsType[*schema.Error](err); ok {
			p.Problems = misfit.Problems
		}
	case ctx.Err() != nil: // the caller has gone: nothing has failed
		status, p.Detail = http.StatusInternalServerError, "the request was given up"
	default:
		status, p.Detail = http.StatusInternalServerError, "an internal error"
		if door.Code == fermata.CodeStore {
			p.Detail = "the store failed"
		}
		h.o.Server.Logger.ErrorContext(ctx, "a request failed", "request", where, "run", door.Run, "error", err)
	}
	p.Status, p.Title = status, http.StatusText(status)
	return p
}

// codeStatuses has the statuses of errors that are shown.
var codeStatuses = map[fermata.Code]int{
	fermata.CodeInvalid:     http.StatusUnprocessableEntity,
	fermata.CodeNotFound:    http.StatusNotFound,
	fermata.CodeConflict:    http.StatusConflict,
	fermata.CodePlanChanged: http.StatusConflict,
	fermata.CodeBlocked:     http.StatusConflict,
	fermata.CodeExpired:     http.StatusGone,
	fermata.CodeForbidden:   http.StatusForbidden,
	fermata.CodeStopped:     http.StatusServiceUnavailable,
}

// statusCodes has the codes of refusals that name none.
var statusCodes = map[int]fermata.Code{
	http.StatusForbidden:           fermata.CodeForbidden,
	http.StatusUnauthorized:        identity.CodeUnauthenticated,
	http.StatusNotFound:            fermata.CodeNotFound,
	http.StatusMethodNotAllowed:    fermata.CodeNotFound,
	http.StatusConflict:            fermata.CodeConflict,
	http.StatusGone:                fermata.CodeExpired,
	http.StatusInternalServerError: fermata.CodeInternal,
	http.StatusServiceUnavailable:  fermata.CodeStopped,
}

// problems has every refusal of the handlers behind it written as a problem document, and a panic as an internal error (law N7).
func (h *Handler) problems(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &translator{ResponseWriter: w}
		defer func() {
			v := recover()
			switch {
			case v == nil:
				return
			case v == http.ErrAbortHandler: //nolint:errorlint // net/http compares it so
			default:
				h.o.Server.Logger.ErrorContext(r.Context(), "a request panicked", "request", r.Pattern, "panic", v, "stack", string(debug.Stack()))
				if !t.passes {
					refused(http.StatusInternalServerError, fermata.CodeInternal, "an internal error").write(w)
					return
				}
			}
			panic(http.ErrAbortHandler) // half an answer is none
		}()
		next.ServeHTTP(t, r)
		t.end(r)
	})
}

// translator keeps the text of a refusal that is no problem document yet. Everything else passes.
type translator struct {
	http.ResponseWriter
	status int          // of a refusal that is kept; 0 for none
	body   bytes.Buffer // of that refusal
	passes bool         // the status was written
}

// Unwrap is for http.ResponseController.
func (t *translator) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// WriteHeader writes a status, unless it is that of a refusal.
func (t *translator) WriteHeader(status int) {
	kind, _, _ := mime.ParseMediaType(t.Header().Get("Content-Type"))
	switch {
	case t.passes || t.status != 0:
	case status >= http.StatusBadRequest && kind != problemType:
		t.status = status
	default:
		t.passes = status >= http.StatusOK
		t.ResponseWriter.WriteHeader(status)
	}
}

// Write writes a body, and keeps that of a refusal.
func (t *translator) Write(data []byte) (int, error) {
	if t.status != 0 {
		return t.body.Write(data)
	}
	t.passes = true
	return t.ResponseWriter.Write(data)
}

// end writes the refusal that was kept.
func (t *translator) end(r *http.Request) {
	if t.status == 0 {
		return
	}
	var said struct {
		Error    string
		Code     fermata.Code
		Problems []schema.Problem
		Login    string
	}
	p := refused(t.status, statusCodes[t.status], "%s", strings.TrimSpace(t.body.String()))
	switch {
	case json.Unmarshal(t.body.Bytes(), &said) == nil && said.Error != "":
		p.Detail, p.Code, p.Problems, p.Login = said.Error, said.Code, said.Problems, said.Login
	case t.status == http.StatusNotFound:
		p.Detail = fmt.Sprintf("there is no %s %s; /openapi.json lists what there is", r.Method, r.URL.Path)
	case t.status == http.StatusMethodNotAllowed:
		p.Detail = fmt.Sprintf("%s is not for method %s; expected %s", r.URL.Path, r.Method, t.Header().Get("Allow"))
	}
	if p.Code == "" {
		p.Code = fermata.CodeInvalid
	}
	t.Header().Del("Content-Length")
	p.write(t.ResponseWriter)
}
