package server

import (
	"cmp"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/originguard"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
)

// Person is who makes a request.
type Person struct {
	ID    string   // who they are: recorded with what they do, and compared. Defaults to the Name
	Name  string   // what they are called where they are shown. Defaults to the ID
	Role  string   // a name for what they may do, where it is shown; "" for none
	Roles []string // in which they may answer
	Login string   // how they have logged in, as identity.Person has it; "" where it is not known

	// May decides what the person may do at all: whether they have a right for a plan or, where plan is "", for any plan. Each route
	// asks for its right first (law W5); the status is 403 without it. Defaults to all that the routes of this package do, and, with
	// package api, to looking at definitions and talking.
	May func(right identity.Right, plan string) bool
	// Reads decides which runs the person may read, and which questions in them: q is nil where it is about the run,
	// its events and its state. It is asked for each run and each question, also in lists and before anything is done
	// about one. Everything else is hidden from them: status 404, and left out of lists. Defaults to all of them.
	Reads func(run fermata.RunInfo, q *journal.Interrupt) bool
	// Sends decides which messages the person may send to the runs that they may read; name is the message's. Defaults to none.
	Sends func(run fermata.RunInfo, name string) bool
}

// PersonOf returns a person with the rights, the task roles and the plans that identity knows of them.
func PersonOf(p identity.Person) Person {
	out := Person{ID: p.ID, Name: p.Name, Role: p.Role, Roles: p.TaskRoles, Login: p.Login, May: p.May}
	out.Sends = func(run fermata.RunInfo, _ string) bool { return p.May(identity.Operate, run.Plan) }
	if len(p.Plans) > 0 {
		out.Reads = func(run fermata.RunInfo, _ *journal.Interrupt) bool { return p.Sees(run.Plan) }
	}
	return out
}

// id is what is recorded of a person.
func (p *Person) id() string { return cmp.Or(p.ID, p.Name) }

// as says who a person is.
func (p *Person) as() fermata.AnswerOption {
	return fermata.AsPerson(fermata.Person{ID: p.id(), Name: p.Name})
}

// reads reports whether a person may read a run, or a question in it. Where the function that decides does not return, they
// may not (laws H8 and N7).
func (h *handler) reads(p *Person, run fermata.RunInfo, q *journal.Interrupt) (may bool) {
	if p.Reads == nil {
		return true
	}
	if q != nil {
		shown := q.Clone()
		shown.TokenHash, shown.Digest = "", ""
		q = &shown
	}
	if err := fault.Call("Person.Reads", func() error { may = p.Reads(run, q); return nil }); err != nil {
		h.o.Logger.Error("the right to read a run could not be checked", "run", run.ID, "error", err)
		return false
	}
	return may
}

// may reports whether a person has a right. Where the function that decides does not return, they have it not (laws W5 and N7).
func (h *handler) may(p *Person, right identity.Right) (may bool) {
	if p.May == nil {
		return true
	}
	if err := fault.Call("Person.May", func() error { may = p.May(right, ""); return nil }); err != nil {
		h.o.Logger.Error("the right to do something could not be checked", "right", right, "error", err)
		return false
	}
	return may
}

// Options configure a handler. The zero value works, for networks in which everybody is trusted.
type Options struct {
	// Authorize says who makes a request, before anything is done for it; the path values run and id are set. With it, a
	// person answers in their own name and roles, whatever the body says, and in the list of questions finds those of
	// their roles alone. Person.Reads decides which runs and questions they see; without it, all. An error is status 401, and 403
	// where it is fermata.ErrForbidden; its text is shown to nobody, but for that of an *identity.RefusedError. A *fermata.Error with CodeStore is status 500.
	// Defaults to none: name and role are what the body says.
	Authorize func(r *http.Request) (Person, error)
	// Origins are the origins ("https://desk.example.com") besides the handler's own whose pages may read and answer.
	// Their requests may carry credentials. Defaults to none.
	Origins []string
	// Hosts are the names ("desk.example.com") by which requests may ask for the handler where there is no Authorize,
	// besides localhost and addresses: a page of a stranger could point a name of its own at this machine.
	Hosts []string
	// Hold only records answers; the process that owns the run reads them from the store. By default this process
	// continues the run.
	Hold bool
	// Recheck is how often Authorize and Person.Reads are asked again about a stream that is open, with the request
	// that opened it, and maybe while another request is served. They are asked at each event, too, that is about a
	// question or about how the run stands: a reader who has lost the right gets nothing more. Defaults to 15 seconds.
	Recheck time.Duration
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
	o.Recheck = orElse(o.Recheck, 15*time.Second)
	o.Retry = orElse(o.Retry, time.Second)
	o.WriteTimeout = orElse(o.WriteTimeout, 30*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = printable.Logger(o.Logger)
	h := &handler{rt: rt, o: o}
	mux := http.NewServeMux()
	for pattern, r := range h.routes() {
		mux.HandleFunc(pattern, h.guard(r))
	}
	guard, err := originguard.New(originguard.Rules{
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

// Routes returns the patterns of all that a handler serves: "GET /runs/{run}". A program that mounts the handler beside routes of its
// own under the same paths registers each of them, so that a method that no route takes is answered with all that are.
func Routes() []string { return slices.Sorted(maps.Keys((&handler{}).routes())) }

// Right returns the right that a route asks for (law W5): one of Routes.
func Right(route string) identity.Right { return (&handler{}).routes()[route].right }

// route is the right that a request needs, and what serves it.
type route struct {
	right identity.Right
	serve func(http.ResponseWriter, *http.Request, Person)
}

// routes are all that is served, each behind guard. A test asks of each who may use it (laws H7 and H8).
func (h *handler) routes() map[string]route {
	return map[string]route{
		"GET /runs":                        {identity.View, h.runs},
		"GET /runs/counts":                 {identity.View, h.countRuns},
		"GET /interrupts/counts":           {identity.Tasks, h.countInterrupts},
		"GET /runs/{run}":                  {identity.View, h.showRun},
		"GET /runs/{run}/events":           {identity.View, h.events},
		"POST /runs/{run}/messages/{name}": {identity.Operate, h.message},
		"GET /feed":                        {identity.View, h.changes},
		"GET /interrupts":                  {identity.Tasks, h.inbox},
		"POST /interrupts/{id}/answer":     {identity.Tasks, h.answer},
		"POST /interrupts/{id}/claim":      {identity.Tasks, h.claim},
		"POST /interrupts/{id}/release":    {identity.Tasks, h.release},
		"POST /interrupts/{id}/reassign":   {identity.Tasks, h.reassign},
		"POST /interrupts/{id}/escalate":   {identity.Tasks, h.escalate},
	}
}

func orElse(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// guard finds out who asks, and whether they may, before anything is done.
func (h *handler) guard(to route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		person, no := h.who(r, to.right)
		if no != nil {
			refuse(w, no)
			return
		}
		to.serve(w, r, person)
	}
}

// who finds out who makes a request that needs a right.
func (h *handler) who(r *http.Request, right identity.Right) (Person, *refusal) {
	if h.o.Authorize == nil {
		return Person{}, nil
	}
	var person Person
	err := fault.Call("Options.Authorize", func() (err error) { person, err = h.o.Authorize(r); return err })
	why := fault.Capture(err)
	shown, _ := err.(*identity.RefusedError) //nolint:errorlint // methods of other errors may not return
	failed, _ := err.(*fermata.Error)        //nolint:errorlint // likewise
	switch {
	case err == nil && h.may(&person, right):
		return person, nil
	case err == nil, why.Is(fermata.ErrForbidden):
		return person, &refusal{status: http.StatusForbidden, Code: fermata.CodeForbidden, Text: "not allowed"}
	case why.Marks.Has(fault.Panic): // and nobody is let in (law N7)
		h.o.Logger.ErrorContext(r.Context(), "who makes a request could not be found out", "request", r.Pattern, "error", why)
		return Person{}, &refusal{status: http.StatusInternalServerError, Code: fermata.CodeInternal, Text: "an internal error"}
	case failed != nil && failed.Code == fermata.CodeStore: // nobody can be known now
		return Person{}, h.explain(r.Context(), r.Pattern, failed)
	case shown != nil:
		return person, &refusal{status: http.StatusUnauthorized, Code: identity.CodeUnauthenticated, Text: shown.Detail, Login: shown.Login}
	}
	return person, &refusal{status: http.StatusUnauthorized, Code: identity.CodeUnauthenticated, Text: "who asks is not known"}
}
