package server

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/origin"
)

// Person is who makes a request.
type Person struct {
	Name  string   // recorded with what they answer
	Roles []string // in which they may answer
}

// Options configure a handler. The zero value works, for networks in which everybody is trusted.
type Options struct {
	// Authorize says who makes a request, before anything is done for it; the path values run and id are set. With it, a
	// person answers in their own name and roles, whatever the body says, and in the list of questions finds those of
	// their roles alone; whoever is let in to a run sees all that is in it. An error is status 401, and 403 where it is fermata.ErrForbidden; its text is shown to nobody.
	// Defaults to none: name and role are what the body says.
	Authorize func(r *http.Request) (Person, error)
	// Origins are the origins ("https://desk.example.com") besides the handler's own whose pages may read and answer.
	// Their requests may carry credentials. Defaults to none.
	Origins []string
	// Hosts are the names ("desk.example.com") by which requests may ask for the handler where there is no Authorize,
	// besides localhost and addresses: a page of a stranger could point a name of its own at this machine.
	Hosts []string
	// Hold only records answers; whoever drives the run takes them from the store. Defaults to driving the run on here.
	Hold bool
	// Heartbeat is how long a stream is silent before it says that it is alive. Defaults to 15 seconds.
	Heartbeat time.Duration
	// Retry is how long clients are asked to wait before they come back. Defaults to 1 second.
	Retry time.Duration
	// WriteTimeout is how long a client may take to read what was sent before it is cut off. Defaults to 30 seconds.
	WriteTimeout time.Duration
	// Logger gets what failed here: never the fault of a request. Defaults to discarding it.
	Logger *slog.Logger
}

const bodyLimit = 1 << 20

type handler struct {
	rt *fermata.Runtime
	o  Options
}

// New makes the handler; see the package documentation for what it serves. To mount it below a path, use
// http.StripPrefix. It panics where one of the origins is none.
//
// Streams last as long as their runs: a server that is to shut down closes the runtime first, or cancels the context
// that its BaseContext gave.
func New(rt *fermata.Runtime, o Options) http.Handler {
	o.Heartbeat = orElse(o.Heartbeat, 15*time.Second)
	o.Retry = orElse(o.Retry, time.Second)
	o.WriteTimeout = orElse(o.WriteTimeout, 30*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	h := &handler{rt: rt, o: o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /runs/{run}", h.guard(h.showRun))
	mux.HandleFunc("GET /runs/{run}/events", h.guard(h.events))
	mux.HandleFunc("GET /interrupts", h.guard(h.inbox))
	mux.HandleFunc("POST /interrupts/{id}/answer", h.guard(h.answer))
	mux.HandleFunc("POST /interrupts/{id}/claim", h.guard(h.claim))
	mux.HandleFunc("POST /interrupts/{id}/release", h.guard(h.release))
	mux.HandleFunc("POST /interrupts/{id}/reassign", h.guard(h.reassign))
	mux.HandleFunc("POST /interrupts/{id}/escalate", h.guard(h.escalate))

	guard, err := origin.New(origin.Rules{
		Origins: o.Origins, Named: o.Authorize == nil, Hosts: o.Hosts, Options: "server.Options",
		Refuse: func(w http.ResponseWriter, text string) {
			refuse(w, &refusal{status: http.StatusForbidden, Code: fermata.CodeForbidden, Text: text})
		},
	})
	if err != nil {
		panic("server: " + err.Error())
	}
	return guard.Handler(mux)
}

func orElse(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// guard finds out who asks before anything is done.
func (h *handler) guard(serve func(http.ResponseWriter, *http.Request, Person)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var person Person
		if h.o.Authorize != nil {
			var err error
			if person, err = h.o.Authorize(r); err != nil {
				no := &refusal{status: http.StatusUnauthorized, Code: fermata.CodeForbidden, Text: "who asks is not known"}
				if errors.Is(err, fermata.ErrForbidden) {
					no.status, no.Text = http.StatusForbidden, "not allowed"
				}
				refuse(w, no)
				return
			}
		}
		serve(w, r, person)
	}
}
