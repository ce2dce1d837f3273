package api

import (
	"cmp"
	"net/http"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/server"
)

// person is who makes a request; nil where the server knows nobody.
type person struct{ server.Person }

func (p *person) id() string {
	if p == nil {
		return ""
	}
	return cmp.Or(p.ID, p.Name)
}

// authorise finds out who asks before anything is done.
func (h *Handler) authorise(r *http.Request) (*person, error) {
	if h.o.Server.Authorize == nil {
		return nil, nil //nolint:nilnil // nobody is known
	}
	who := new(person)
	err := fault.Call("Options.Authorize", func() (err error) { who.Person, err = h.o.Server.Authorize(r); return err })
	why := fault.Capture(err)
	switch {
	case err == nil:
		return who, nil
	case why.Marks.Has(fault.Panic): // and nobody is let in (law N7)
		h.o.Server.Logger.ErrorContext(r.Context(), "who makes a request could not be found out", "request", r.Pattern, "error", why)
		return nil, refused(http.StatusInternalServerError, fermata.CodeInternal, "an internal error")
	case why.Is(fermata.ErrForbidden):
		return nil, refused(http.StatusForbidden, fermata.CodeForbidden, "not allowed")
	}
	return nil, refused(http.StatusUnauthorized, fermata.CodeForbidden, "who asks is not known")
}

// may reports whether a person may start, cancel and retry runs of a definition. A function that does not return lets nobody
// (law N7).
func (h *Handler) may(who *person, definition string) (may bool) {
	if h.o.Server.Authorize == nil {
		return true
	}
	if who == nil || h.o.Starts == nil {
		return false
	}
	err := fault.Call("Options.Starts", func() error { may = h.o.Starts(who.Person, definition); return nil })
	if err != nil {
		h.o.Server.Logger.Error("the right to start a run could not be checked", "definition", definition, "error", err)
		return false
	}
	return may
}

// reads reports whether a person may read a run (law H8).
func (h *Handler) reads(who *person, info fermata.RunInfo) bool {
	return h.readsQuestion(who, info, nil)
}

// readsQuestion reports whether a person may read a question of a run, or, where it is nil, the run (law H8).
func (h *Handler) readsQuestion(who *person, info fermata.RunInfo, q *journal.Interrupt) (may bool) {
	if h.o.Server.Authorize == nil {
		return true
	}
	if who == nil {
		return false
	}
	if who.Reads == nil {
		return true
	}
	if q != nil {
		shown := q.Clone()
		shown.TokenHash, shown.Digest = "", ""
		q = &shown
	}
	err := fault.Call("Person.Reads", func() error { may = who.Reads(info, q); return nil })
	if err != nil {
		h.o.Server.Logger.Error("the right to read a run could not be checked", "run", info.ID, "error", err)
		return false
	}
	return may
}
