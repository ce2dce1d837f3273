package web

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/originguard"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/reply"
)

// Options configure a handler.
type Options struct {
	// Authorize says whether a request may speak in, and listen to, a conversation, and whether as the agent who has taken
	// it over. Of a WebSocket it is asked with the request that opened it, and again for each message that comes. Of streams
	// and WebSockets it is asked again before each thing that was said is told, and every Recheck, maybe while another
	// request is served: a client that has lost the right is told nothing more. An error is status 403, and shown to nobody. Defaults to refusing everybody.
	Authorize func(r *http.Request, conversation string) (agent bool, err error)
	// Open says which conversation a request begins: its id, and what it is begun with (see dialogue.Conversations.Open).
	// Authorize is asked about it, too. An error is status 403, and shown to nobody. Defaults to refusing everybody: the
	// program opens conversations itself.
	Open func(r *http.Request) (conversation string, with map[string]any, err error)
	// Desk says whether a request may see which conversations are with a person. An error is status 403, and shown to nobody.
	// Defaults to refusing everybody.
	Desk func(r *http.Request) error
	// Review says whether a request may read what all users have said and how it was understood, for those who look after the
	// dialogue. Neither Authorize nor Desk opens that. An error is status 403, and shown to nobody. Defaults to refusing everybody.
	Review func(r *http.Request) error
	// Events says whether a request may tell a conversation of an event (see dialogue.Conversations.Tell): for programs of the
	// operator. Authorize does not open that. An error is status 403, and shown to nobody. Defaults to refusing everybody.
	Events func(r *http.Request, conversation string) error
	// ReadOnly refuses what begins or says something, with status 403, and continues no conversation that a process has left in
	// the middle of a turn.
	ReadOnly bool
	// Origins are the origins ("https://shop.example.com") besides the handler's own whose pages may speak and listen. Their
	// requests may carry credentials. Defaults to none.
	Origins []string
	// Hosts are the names ("shop.example.com") by which requests may ask for the handler, besides localhost and addresses.
	// Defaults to any name. List some, if only localhost, where Authorize lets in everybody who reaches this machine: a page of a
	// stranger could point a name of its own at it.
	Hosts []string
	// Recheck is how often Authorize is asked about a stream or WebSocket that is open and silent, or that shows pieces of
	// what an action streams. Defaults to 15 seconds.
	Recheck time.Duration
	// Heartbeat is how long a stream is silent before it says that it is alive, and how often a WebSocket is pinged.
	// Defaults to 15 seconds.
	Heartbeat time.Duration
	// WriteTimeout is how long a client may take to read what was sent before it is cut off. Defaults to 30 seconds.
	WriteTimeout time.Duration
	// Logger gets what failed here. Defaults to discarding it.
	Logger *slog.Logger
}

const bodyLimit = 64 << 10

type handler struct {
	talks *dialogue.Conversations
	guard *originguard.Guard
	o     Options
}

// New makes the handler; see the package documentation for what it serves. It panics where one of the origins is none.
//
// Streams and WebSockets last as long as their conversations: a server that is to shut down closes the runtime first, or
// cancels the context that its BaseContext gave.
func New(talks *dialogue.Conversations, o Options) http.Handler {
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.Recheck <= 0 {
		o.Recheck = 15 * time.Second
	}
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = 30 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = printable.Logger(o.Logger)
	guard, err := originguard.New(originguard.Rules{
		Origins: o.Origins, Named: len(o.Hosts) > 0, Hosts: o.Hosts, Options: "web.Options",
		Refuse: func(w http.ResponseWriter, text string) { refuse(w, forbidden(text)) },
	})
	if err != nil {
		panic("web: " + err.Error())
	}
	h := &handler{talks: talks, guard: guard, o: o}
	mux := http.NewServeMux()
	for pattern, serve := range h.routes() {
		mux.HandleFunc(pattern, serve)
	}
	return guard.Handler(h.readOnly(mux))
}

// readOnly refuses what changes something, where the handler only shows.
func (h *handler) readOnly(next http.Handler) http.Handler {
	if !h.o.ReadOnly {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions || r.Header.Get("Upgrade") != "" {
			refuse(w, forbidden("conversations can only be read here"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// routes are all that is served. A test asks of each who may use it (laws H7 and H8).
func (h *handler) routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"POST /conversations":               h.open,
		"GET /conversations":                h.handoffs,
		"GET /conversations/{id}":           h.authorized(h.stands),
		"POST /conversations/{id}/messages": h.authorized(h.send),
		"GET /conversations/{id}/messages":  h.authorized(h.listen),
		"GET /conversations/{id}/socket":    h.authorized(h.connect),
		"POST /conversations/{id}/events":   h.tell,
		"GET /review":                       h.reviews(h.review),
		"GET /review/{id}":                  h.reviews(h.turns),
	}
}

// Routes returns the patterns of all that a handler serves: "GET /conversations/{id}". A program that describes its routes describes
// these.
func Routes() []string { return slices.Sorted(maps.Keys(new(handler).routes())) }

// authorized asks who is there before anything is done.
func (h *handler) authorized(serve func(w http.ResponseWriter, r *http.Request, id string, agent bool)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		agent, no := h.may(r, id)
		if no != nil {
			refuse(w, no)
			return
		}
		serve(w, r, id, agent)
	}
}

// may asks whether a request may speak in a conversation, and as whom.
func (h *handler) may(r *http.Request, id string) (agent bool, no *refusal) {
	if h.o.Authorize == nil {
		return false, forbidden("nobody is authorised; see web.Options.Authorize")
	}
	no = h.ask(r, "Options.Authorize", func() (err error) { agent, err = h.o.Authorize(r, id); return err })
	return agent && no == nil, no
}

// ask asks a function of the program's whether a request may be served. One that does not return lets nobody in (law N7).
func (h *handler) ask(r *http.Request, name string, f func() error) *refusal {
	err := fault.Call(name, f)
	why := fault.Capture(err)
	switch {
	case err == nil:
		return nil
	case why.Marks.Has(fault.Panic):
		h.o.Logger.ErrorContext(r.Context(), "whether a request is served could not be decided", "request", r.Pattern, "error", why)
		return &refusal{http.StatusInternalServerError, "an internal error", string(fermata.CodeInternal)}
	}
	return forbidden("not allowed")
}

// open begins a conversation, or finds the one that there is.
func (h *handler) open(w http.ResponseWriter, r *http.Request) {
	if h.o.Open == nil {
		refuse(w, forbidden("nobody may open conversations; see web.Options.Open"))
		return
	}
	var id string
	var with map[string]any
	no := h.ask(r, "Options.Open", func() (err error) { id, with, err = h.o.Open(r); return err })
	if no == nil {
		_, no = h.may(r, id)
	}
	if no != nil {
		refuse(w, no)
		return
	}
	opened, created, err := h.talks.OpenIn(lasting(r), r.Header.Get("Accept-Language"), id, with)
	said := opened.Said
	if err == nil && !created {
		said, err = h.greeting(r.Context(), id)
	}
	var standing dialogue.Reply
	if err == nil {
		standing, err = h.talks.Standing(r.Context(), id)
	}
	if fe, ok := errors.AsType[*fermata.Error](err); ok && fe.Code == fermata.CodeInvalid { // such as an id that no run can have
		refuse(w, malformed(fe.Error()))
		return
	}
	if err != nil {
		refuse(w, h.explain(r.Context(), id, err))
		return
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	reply.JSON(w, status, struct {
		Conversation string `json:"conversation"`
		Created      bool   `json:"created"`
		talk
	}{id, created, talkOf(said, &standing)})
}

// greeting is what was said when a conversation began, for a client that begins it once more.
func (h *handler) greeting(ctx context.Context, id string) (all []dialogue.Said, err error) {
	for d, err := range h.talks.Said(ctx, id, 0) {
		if err != nil {
			return nil, err
		}
		if d.Said.Turn > 0 {
			break
		}
		all = append(all, d.Said)
	}
	return all, nil
}

// handoffs shows which conversations are with a person.
func (h *handler) handoffs(w http.ResponseWriter, r *http.Request) {
	if h.o.Desk == nil {
		refuse(w, forbidden("nobody may see the conversations; see web.Options.Desk"))
		return
	}
	if no := h.ask(r, "Options.Desk", func() error { return h.o.Desk(r) }); no != nil {
		refuse(w, no)
		return
	}
	all, err := h.talks.Handoffs(r.Context())
	if err != nil {
		refuse(w, h.explain(r.Context(), "", err))
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"handoffs": all})
}

// stands shows how a conversation stands.
func (h *handler) stands(w http.ResponseWriter, r *http.Request, id string, _ bool) {
	standing, err := h.talks.Standing(r.Context(), id)
	if err != nil {
		refuse(w, h.explain(r.Context(), id, err))
		return
	}
	reply.JSON(w, http.StatusOK, stateOf(&standing))
}
