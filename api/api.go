package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/originguard"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/reply"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/server"
)

// Options configure a handler. The zero value serves runs of a runtime of which none can be started.
type Options struct {
	// Definitions are what runs are started of, each name once. Handler.Replace gives others in their place later.
	Definitions []Definition
	// Plans finds the plan of a run that is drawn, retried or forked. Defaults to the definition whose plan has the name of the run's.
	Plans func(ctx context.Context, run fermata.RunInfo) (*plan.Plan, error)
	// Executes says why this process cannot execute a run, before one is retried or forked. Defaults to nothing.
	Executes func(ctx context.Context, run fermata.RunInfo) error
	// Edits returns the check of a value that a fork of a run has changed. Defaults to the plan's own.
	Edits func(ctx context.Context, run fermata.RunInfo) (func(value any) error, error)
	// Talks serves the conversations of a dialogue that is none of Definitions any more, or returns nil; see Definition.Talks.
	// Defaults to none.
	Talks func(dialogue string) http.Handler
	// Queued leaves every run that is started to a worker (fermata.Queued). By default this process executes it at once, unless
	// the request names a queue or a time.
	Queued bool
	// ReadOnly refuses every request that changes something, with status 403. Conversations are read without WebSockets.
	ReadOnly bool
	// Fires says that this process starts the runs of schedules, for those who ask. It starts none by itself.
	Fires bool
	// Pauses keep which schedules people have paused, for those who ask and those who pause: schedule.Pauses does. The scheduler has to
	// ask them, too (schedule.Schedule.Stopped). Defaults to a refusal.
	Pauses Pauses
	// Ready says why the process takes no requests; /readyz is 503 then. Defaults to asking the store alone.
	Ready func() error
	// MaxBody limits the body of a start, in bytes. Defaults to 8 MiB. Other bodies have at most 1 MiB.
	MaxBody int64
	// Journals is the store of the runtime, from which /api/audit reads who has done what. Defaults to none: the route is 404.
	Journals journal.Store
	// Version is what the OpenAPI document says of the program's version. Defaults to "1".
	Version string
	// Server are the options of the routes of package server, and who asks: Authorize, Origins and Hosts count for all routes.
	// With Hold, a retry is refused, too: this process executes nothing.
	Server server.Options
}

const (
	defaultBody = 8 << 20
	otherBody   = 1 << 20
)

// Handler serves the routes. It is an http.Handler.
type Handler struct {
	rt      *fermata.Runtime
	o       Options
	serving http.Handler              // all routes, behind the checks of origins and rights
	now     atomic.Pointer[catalogue] // what runs are started of
}

// New makes the handler; see the package documentation for what it serves. It fails where a definition has no plan, a name is
// given twice, or an origin is none.
//
// Streams last as long as their runs: see [server.New].
func New(rt *fermata.Runtime, o Options) (*Handler, error) {
	if o.MaxBody <= 0 {
		o.MaxBody = defaultBody
	}
	if o.Version == "" {
		o.Version = "1"
	}
	if o.Server.Logger == nil {
		o.Server.Logger = slog.New(slog.DiscardHandler)
	}
	o.Server.Logger = printable.Logger(o.Server.Logger)
	h := &Handler{rt: rt, o: o}
	if err := h.Replace(o.Definitions); err != nil {
		return nil, err
	}
	guard, err := originguard.New(originguard.Rules{
		Origins: o.Server.Origins, Named: o.Server.Authorize == nil, Hosts: o.Server.Hosts, Options: "server.Options",
		Refuse: func(w http.ResponseWriter, text string) {
			refused(http.StatusForbidden, fermata.CodeForbidden, "%s", text).write(w)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	h.serving = guard.Handler(h.problems(h.readOnly(h.mux())))
	return h, nil
}

// ServeHTTP serves a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serving.ServeHTTP(w, r) }

// mux has all routes.
func (h *Handler) mux() *http.ServeMux {
	mux := http.NewServeMux()
	shown := http.StripPrefix("/api", server.New(h.rt, h.o.Server))
	for _, route := range server.Routes() {
		method, path, _ := strings.Cut(route, " ")
		mux.Handle(method+" /api"+path, shown)
	}
	mux.HandleFunc("GET /healthz", h.healthy)
	mux.HandleFunc("GET /readyz", h.ready)
	all := h.operations()
	for i := range all {
		mux.HandleFunc(all[i].method+" "+all[i].path, h.handle(&all[i]))
	}
	silent, talking := h.document(false), h.document(true)
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		document := silent
		if h.talks() {
			document = talking
		}
		w.Header().Set("Content-Type", "application/vnd.oai.openapi+json;version=3.1")
		_, _ = w.Write(document)
	})
	mux.HandleFunc(dialoguePath("{name}")+"/", h.talk)
	return mux
}

// talks reports whether there may be conversations now.
func (h *Handler) talks() bool {
	if h.o.Talks != nil {
		return true
	}
	for _, d := range h.now.Load().definitions {
		if d.Talks != nil {
			return true
		}
	}
	return false
}

// talk serves the conversations of a dialogue. Its handler decides whose they are: people who talk may be others than those who log in.
func (h *Handler) talk(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	var talks http.Handler
	if d := h.now.Load().definitions[name]; d != nil && d.Talks != nil {
		talks = d.Talks
	} else if h.o.Talks != nil {
		talks = h.o.Talks(name)
	}
	if talks == nil {
		http.NotFound(w, r)
		return
	}
	http.StripPrefix(dialoguePath(name), talks).ServeHTTP(w, r)
}

// readOnly refuses what changes something, where the handler only shows.
func (h *Handler) readOnly(next http.Handler) http.Handler {
	if !h.o.ReadOnly {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" || r.Method == http.MethodHead || r.Method == http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		what := r.Method
		if r.Header.Get("Upgrade") != "" {
			what = "a WebSocket"
		}
		refused(http.StatusForbidden, fermata.CodeForbidden, "this server is read-only: %s is refused; expected GET or HEAD", what).write(w)
	})
}

// stands is what the routes for those who watch the process answer.
type stands struct {
	Status string `json:"status" jsonschema:"ok"`
}

// healthy says that the process serves.
func (h *Handler) healthy(w http.ResponseWriter, _ *http.Request) {
	reply.JSON(w, http.StatusOK, stands{"ok"})
}

// storeTimeout is how long the store may take to answer /readyz.
const storeTimeout = 2 * time.Second

// ready says that the process takes requests and its store answers.
func (h *Handler) ready(w http.ResponseWriter, r *http.Request) {
	if h.o.Ready != nil {
		if err := h.o.Ready(); err != nil {
			refused(http.StatusServiceUnavailable, fermata.CodeStopped, "%v", err).write(w)
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	if _, err := h.rt.FindRuns(ctx, journal.RunQuery{Limit: 1}); err != nil {
		h.o.Server.Logger.WarnContext(r.Context(), "the store does not answer", "error", err)
		refused(http.StatusServiceUnavailable, fermata.CodeStore, "the store does not answer").write(w)
		return
	}
	reply.JSON(w, http.StatusOK, stands{"ok"})
}
