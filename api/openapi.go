package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/reply"
	"github.com/fermata-go/fermata/schema"
)

// operation is a route, as it is served and as the OpenAPI document describes it.
type operation struct {
	method, path string
	id, summary  string
	right        identity.Right // that a request needs; "" for nothing but a login
	open         bool           // to everybody, without a login
	takes        reflect.Type   // the body of a request; nil for none
	example      string         // of that body
	needs        bool           // the body may not be left out
	raw          string         // content type of a body that the operation reads by itself; "" for none
	limit        int64          // of that body, in bytes
	gives        reflect.Type   // the body of the answer; nil where docs/formats.md alone describes it
	kind         string         // content type of an answer that is no JSON; "" for JSON
	reads        []parameter    // headers and query parameters
	serve        func(*request) (*answer, error)
}

// parameter is a header or a query parameter of a request.
type parameter struct {
	name, in string // in: "header" or "query"
	kind     string // "string", "integer", "boolean"
	text     string
}

// request is a request whose body was read, and whose person is known.
type request struct {
	*http.Request
	op   *operation
	body []byte
	who  *person
}

// answer is what a request gets that is not refused.
type answer struct {
	status  int // 0 for 200
	headers map[string]string
	body    any
	stream  func(io.Writer) error // in place of body
}

// Parameters that several routes read.
var (
	key = parameter{keyHeader, "header", "string", "At most 200 bytes. The same request with the same key takes effect once"}
	at  = parameter{"at", "query", "integer", "The seq of an entry; the end of the run by default"}
)

// operations are the routes of this package.
func (h *Handler) operations() []operation {
	return append([]operation{
		{
			method: http.MethodGet, path: "/api/me", id: "me", summary: "Who asks, and what they may do",
			gives: reflect.TypeFor[meShown](), serve: h.me,
		},
		{
			method: http.MethodGet, path: "/api/definitions", id: "list-definitions", right: identity.View, summary: "What runs can be started of",
			gives: reflect.TypeFor[listedDefinitions](), serve: h.listDefinitions,
		},
		{
			method: http.MethodGet, path: "/api/definitions/{name}", id: "show-definition", right: identity.View,
			summary: "A definition, with the schema of its inputs and its drawing", gives: reflect.TypeFor[definitionShown](), serve: h.showDefinition,
		},
		{
			method: http.MethodGet, path: "/api/definitions/{name}/graph.svg", id: "draw-definition", right: identity.View,
			summary: "The drawing of a definition", kind: svgType, serve: h.drawDefinition,
		},
		{
			method: http.MethodGet, path: "/api/schedules", id: "list-schedules", right: identity.View, summary: "Schedules, their next occurrences and newest runs",
			gives: reflect.TypeFor[listedSchedules](), serve: h.listSchedules, reads: []parameter{
				{"next", "query", "integer", "How many next occurrences are listed of each, from 0 to 100; 3 by default"},
			},
		},
		{
			method: http.MethodPost, path: "/api/runs", id: "start-run", right: identity.Start, summary: "Start a run", takes: reflect.TypeFor[startBody](), needs: true,
			example: `{"definition": "NAME", "input": {…}}`,
			limit:   h.o.MaxBody, gives: reflect.TypeFor[startedBody](), serve: h.start,
			reads: []parameter{key},
		},
		{
			method: http.MethodPost, path: "/api/runs/{run}/cancel", id: "cancel-run", right: identity.Operate, summary: "Cancel a run",
			takes: reflect.TypeFor[cancelBody](), example: `{"reason": "why"}`, limit: otherBody, gives: reflect.TypeFor[stood](), serve: h.cancel,
		},
		{
			method: http.MethodPost, path: "/api/runs/{run}/retry", id: "retry-run", right: identity.Operate, summary: "Retry a run that failed, expired or is blocked",
			takes: reflect.TypeFor[retryBody](), example: `{"deadline": "2h"}`, limit: otherBody, gives: reflect.TypeFor[stood](), serve: h.retry,
		},
		{
			method: http.MethodPost, path: "/api/runs/{run}/fork", id: "fork-run", right: identity.Operate, summary: "Start a run from a point of another run",
			takes: reflect.TypeFor[forkBody](), example: `{"at": 7, "set": {"amount": 120}}`, limit: h.o.MaxBody, gives: reflect.TypeFor[forkedBody](),
			serve: h.fork, reads: []parameter{key},
		},
		{
			method: http.MethodGet, path: "/api/runs/{run}/state", id: "show-state", right: identity.View, summary: "The state of a run when an entry was stored",
			gives: reflect.TypeFor[stateShown](), serve: h.state, reads: []parameter{at},
		},
		{
			method: http.MethodGet, path: "/api/runs/{run}/graph.svg", id: "draw-run", right: identity.View, summary: "The drawing of a run with the path that it took",
			kind: svgType, serve: h.drawRun, reads: []parameter{at},
		},
		{
			method: http.MethodGet, path: "/api/runs/{run}/diff", id: "compare-runs", right: identity.View, summary: "Two seqs of a run, or two runs: what differs",
			gives: reflect.TypeFor[fermata.Difference](), serve: h.compare, reads: []parameter{
				at,
				{"with", "query", "string", "The run of the other side (b). Defaults to the same run; without with and withAt a fork is b, and its origin a"},
				{"withAt", "query", "integer", "A seq of the other side; its end by default"},
			},
		},
		{
			method: http.MethodGet, path: "/api/runs/{run}/export", id: "export-run", right: identity.Operate,
			summary: "The run as a file that fermata runs import reads", kind: linesType, serve: h.export,
		},
	}, slices.Concat(h.holdOperations(), h.scheduleOperations(), []operation{h.bulkOperation(), h.migrateOperation(), h.importOperation(), h.auditOperation()})...)
}

// composed are the routes of package server, and those for who watches the process. docs/formats.md describes their bodies.
var composed = []operation{
	{method: http.MethodGet, path: "/api/runs", id: "list-runs", summary: "A page of runs, the newest first"},
	{method: http.MethodGet, path: "/api/runs/counts", id: "count-runs", summary: "How many runs there are by status, plan or label"},
	{method: http.MethodGet, path: "/api/runs/{run}", id: "show-run", summary: "How a run stands: status, outputs, open questions"},
	{method: http.MethodGet, path: "/api/runs/{run}/events", id: "follow-run", summary: "The events of a run, as server-sent events"},
	{
		method: http.MethodGet, path: "/api/feed", id: "follow-feed", summary: "Which runs have changed, as server-sent events (law W8)",
		reads: []parameter{
			{"after", "query", "string", "The cursor of an event, or now; the start by default, where each run is told once. The header Last-Event-ID counts more"},
			{"follow", "query", "boolean", "Whether to go on with changes to come; true by default"},
		},
	},
	{method: http.MethodPost, path: "/api/runs/{run}/messages/{name}", id: "send-message", summary: "Send a message to a run"},
	{method: http.MethodGet, path: "/api/interrupts", id: "list-interrupts", summary: "What waits for people, the oldest first"},
	{method: http.MethodGet, path: "/api/interrupts/counts", id: "count-interrupts", summary: "How many questions there are by state or role"},
	{method: http.MethodPost, path: "/api/interrupts/{id}/answer", id: "answer", summary: "Answer a question"},
	{method: http.MethodPost, path: "/api/interrupts/{id}/claim", id: "claim", summary: "Keep a question for one person"},
	{method: http.MethodPost, path: "/api/interrupts/{id}/release", id: "release", summary: "Give a claimed question back"},
	{method: http.MethodPost, path: "/api/interrupts/{id}/reassign", id: "reassign", summary: "Ask another person or role"},
	{method: http.MethodPost, path: "/api/interrupts/{id}/escalate", id: "escalate", summary: "Ask another role instead"},
	{method: http.MethodGet, path: "/openapi.json", id: "openapi", open: true, summary: "This document"},
	{method: http.MethodGet, path: "/healthz", id: "healthz", open: true, summary: "200 while the process serves"},
	{method: http.MethodGet, path: "/readyz", id: "readyz", open: true, summary: "200 while the store answers, else 503"},
}

// Parameters that several routes of conversations read.
var (
	since = parameter{"after", "query", "integer", "A seq: what was said up to it is left out"}
	as    = parameter{"as", "query", "string", "agent: what the person says who has taken over. Read by fermata serve; other programs tell by the login"}
)

// conversing are the routes of package dialogue/web, where a dialogue is served. docs/formats.md and its package describe their bodies.
var conversing = []operation{
	{
		method: http.MethodPost, path: dialoguePath("{name}") + "/conversations", id: "begin-conversation", summary: "Begin a conversation, or find it",
		reads: []parameter{{keyHeader, "header", "string", "Read by fermata serve. The same request with the same key begins one conversation"}},
	},
	{method: http.MethodGet, path: dialoguePath("{name}") + "/conversations", id: "list-handoffs", summary: "The conversations that are with a person"},
	{
		method: http.MethodGet, path: dialoguePath("{name}") + "/conversations/{id}", id: "show-conversation",
		summary: "How a conversation stands: its question, whether a person has taken over, whether it is over",
	},
	{
		method: http.MethodPost, path: dialoguePath("{name}") + "/conversations/{id}/messages", id: "say", summary: "Say something, and get what is said in answer",
		reads: []parameter{as},
	},
	{
		method: http.MethodGet, path: dialoguePath("{name}") + "/conversations/{id}/messages", id: "follow-conversation",
		summary: "What is said, as server-sent events", kind: "text/event-stream", reads: []parameter{
			since, as, {"Last-Event-ID", "header", "integer", "The id of the last event that was seen, in place of after"},
		},
	},
	{
		method: http.MethodGet, path: dialoguePath("{name}") + "/conversations/{id}/socket", id: "connect",
		summary: "A WebSocket: takes messages, and tells what is said", reads: []parameter{since, as},
	},
	{
		method: http.MethodPost, path: dialoguePath("{name}") + "/conversations/{id}/events", id: "report-event",
		summary: "Tell a conversation that something has happened",
	},
	{
		method: http.MethodGet, path: dialoguePath("{name}") + "/review", id: "review-conversations", summary: "What there is to learn from all conversations",
		reads: []parameter{
			{"since", "query", "string", "A time (RFC 3339): messages from then on"},
			{"until", "query", "string", "A time (RFC 3339): messages before it"},
			{"flow", "query", "string", "Messages in that flow, or that began or offered it"},
			{"mark", "query", "string", "Lists conversations with that mark; may be there several times"},
			{"left", "query", "string", "After how long a silence its user counts as gone; 24h by default"},
			{"limit", "query", "integer", "How many conversations are listed, at most 500; 20 by default"},
			{"after", "query", "string", "Lists the conversations after that one: next of the page before"},
		},
	},
	{method: http.MethodGet, path: dialoguePath("{name}") + "/review/{id}", id: "look", summary: "How each message of a conversation was understood, and where it stands"},
}

// handle serves an operation: it finds out who asks, reads the body, and writes the answer.
func (h *Handler) handle(op *operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := h.answered(op, w, r)
		switch {
		case err != nil:
			h.explain(r.Context(), r.Pattern, err).write(w)
		case out.stream != nil:
			header(w, out)
			h.stream(w, r, out.stream)
		default:
			header(w, out)
			reply.JSON(w, max(out.status, http.StatusOK), out.body)
		}
	}
}

// stream writes an answer piece by piece. Where it fails after a piece, the connection is cut off: half an answer is none.
func (h *Handler) stream(w http.ResponseWriter, r *http.Request, write func(io.Writer) error) {
	out := &started{Writer: w}
	err := write(out)
	switch {
	case err == nil:
	case out.begun:
		_ = h.explain(r.Context(), r.Pattern, err)
		panic(http.ErrAbortHandler)
	default:
		w.Header().Del("Content-Disposition")
		h.explain(r.Context(), r.Pattern, err).write(w)
	}
}

// started knows whether something was written.
type started struct {
	io.Writer
	begun bool
}

// Flush sends what was written so far on its way.
func (s *started) Flush() {
	if f, ok := s.Writer.(http.Flusher); ok {
		f.Flush()
	}
}

func (s *started) Write(data []byte) (int, error) {
	s.begun = true
	return s.Writer.Write(data)
}

func header(w http.ResponseWriter, out *answer) {
	for name, text := range out.headers {
		w.Header().Set(name, text)
	}
}

func (h *Handler) answered(op *operation, w http.ResponseWriter, r *http.Request) (*answer, error) {
	who, err := h.authorise(r, op.right)
	if err != nil {
		return nil, err
	}
	in := &request{Request: r, op: op, who: who}
	if op.takes == nil && op.raw == "" {
		return op.serve(in)
	}
	given := r.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(given)
	switch { // forms, which pages send without asking, are refused
	case op.raw != "":
		if kind != op.raw {
			return nil, refused(http.StatusUnsupportedMediaType, fermata.CodeInvalid, "expected a body as %s; found %q", op.raw, given)
		}
		r.Body = http.MaxBytesReader(w, r.Body, op.limit)
		return op.serve(in)
	case given != "" && (err != nil || kind != jsonType && !strings.HasSuffix(kind, "+json")):
		return nil, refused(http.StatusUnsupportedMediaType, fermata.CodeInvalid, "expected a body as application/json; found %q", given)
	}
	in.body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, op.limit))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, refused(http.StatusRequestEntityTooLarge, fermata.CodeInvalid, "the body is larger than %d bytes", op.limit)
	}
	if err != nil {
		return nil, malformed("the body broke off")
	}
	if len(bytes.TrimSpace(in.body)) == 0 && !op.needs {
		in.body = []byte("{}")
	}
	return op.serve(in)
}

// decode reads the body of a request by the schema of its type.
func (in *request) decode(body any) error {
	shape, err := schema.Of(in.op.takes)
	if err != nil {
		return err
	}
	if !json.Valid(in.body) {
		return malformed("expected a body of the form %s; found no JSON", in.op.example)
	}
	if err := shape.Decode(in.body, body); err != nil {
		p := malformed("expected a body of the form %s: %v", in.op.example, err)
		p.Problems = problemsOf(err)
		return p
	}
	return nil
}

// segment is a parameter in a path.
var segment = regexp.MustCompile(`{(\w+)}`)

// document makes the OpenAPI document of all routes, or of all but those of conversations. It panics where a type has no schema.
func (h *Handler) document(talks bool) []byte {
	schemas, paths := map[string]any{}, map[string]map[string]any{}
	problem := map[string]any{
		"description": "A problem document (RFC 9457)", "content": map[string]any{problemType: map[string]any{"schema": component(schemas, reflect.TypeFor[Problem]())}},
	}
	all := append(h.operations(), composed...)
	if talks {
		all = append(all, conversing...)
	}
	for i := range all {
		op := &all[i]
		ok := map[string]any{"description": "OK"}
		if op.kind != "" {
			ok["content"] = map[string]any{op.kind: map[string]any{}}
		}
		if op.gives != nil {
			ok["content"] = map[string]any{jsonType: map[string]any{"schema": component(schemas, op.gives)}}
		}
		described := map[string]any{"operationId": op.id, "summary": op.summary, "responses": map[string]any{"2XX": ok, "default": problem}}
		if op.open {
			described["security"] = []any{}
		}
		switch {
		case op.raw != "":
			described["requestBody"] = map[string]any{"required": true, "content": map[string]any{op.raw: map[string]any{}}}
		case op.takes != nil:
			described["requestBody"] = map[string]any{
				"required": op.needs, "content": map[string]any{jsonType: map[string]any{"schema": component(schemas, op.takes)}},
			}
		}
		var parameters []any
		for _, name := range segment.FindAllStringSubmatch(op.path, -1) {
			parameters = append(parameters, map[string]any{"name": name[1], "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
		}
		for _, p := range op.reads {
			parameters = append(parameters, map[string]any{
				"name": p.name, "in": p.in, "description": p.text, "schema": map[string]any{"type": p.kind},
			})
		}
		if parameters != nil {
			described["parameters"] = parameters
		}
		if paths[op.path] == nil {
			paths[op.path] = map[string]any{}
		}
		paths[op.path][strings.ToLower(op.method)] = described
	}
	data, err := json.MarshalIndent(map[string]any{
		"openapi": "3.1.0", "info": map[string]any{
			"title": "Fermata", "version": h.o.Version, "description": "Definitions, runs and questions of a Fermata server.",
		},
		"paths": paths, "security": h.security(),
		"components": map[string]any{"schemas": schemas, "securitySchemes": map[string]any{"token": map[string]any{
			"type": "http", "scheme": "bearer", "description": "A token of fermata tokens create, or what the program that mounts these routes asks for",
		}}},
	}, "", "  ")
	if err != nil {
		panic("api: " + err.Error())
	}
	return data
}

// security is what the routes ask for: a token, or none where the server knows nobody.
func (h *Handler) security() []any {
	token := map[string]any{"token": []string{}}
	if h.o.Server.Authorize == nil {
		return []any{map[string]any{}, token}
	}
	return []any{token}
}

// Content types of bodies.
const (
	jsonType  = "application/json"
	linesType = "application/x-ndjson" // lines of JSON
	svgType   = "image/svg+xml"
)

// component adds the schema of a type to the document, and refers to it.
func component(schemas map[string]any, t reflect.Type) any {
	s, err := schema.Of(t)
	if err != nil {
		panic(fmt.Sprintf("api: the schema of %v: %v", t, err))
	}
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	schemas[name] = s.JSON()
	return map[string]any{"$ref": "#/components/schemas/" + name}
}
