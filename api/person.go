package api

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
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

// authorise finds out who asks, and whether they have a right for any plan, before anything is done.
func (h *Handler) authorise(r *http.Request, right identity.Right) (*person, error) {
	if h.o.Server.Authorize == nil {
		return nil, nil //nolint:nilnil // nobody is known
	}
	who := new(person)
	err := fault.Call("Options.Authorize", func() (err error) { who.Person, err = h.o.Server.Authorize(r); return err })
	why := fault.Capture(err)
	shown, _ := err.(*identity.RefusedError) //nolint:errorlint // methods of other errors may not return
	failed, _ := err.(*fermata.Error)        //nolint:errorlint // likewise
	switch {
	case err == nil && (right == "" || h.may(who, right, "")):
		return who, nil
	case err == nil, why.Is(fermata.ErrForbidden):
		return nil, refused(http.StatusForbidden, fermata.CodeForbidden, "not allowed")
	case why.Marks.Has(fault.Panic): // and nobody is let in (law N7)
		h.o.Server.Logger.ErrorContext(r.Context(), "who makes a request could not be found out", "request", r.Pattern, "error", why)
		return nil, refused(http.StatusInternalServerError, fermata.CodeInternal, "an internal error")
	case failed != nil && failed.Code == fermata.CodeStore: // nobody can be known now
		return nil, failed
	case shown != nil:
		p := refused(http.StatusUnauthorized, identity.CodeUnauthenticated, "%s", shown.Detail)
		p.Login = shown.Login
		return nil, p
	}
	return nil, refused(http.StatusUnauthorized, identity.CodeUnauthenticated, "who asks is not known")
}

// byDefault are the rights of people without Person.May. The routes of package server decide by themselves.
var byDefault = []identity.Right{identity.View, identity.Talk, identity.Tasks}

// may reports whether a person has a right for a plan or, where it is "", for any plan (law W5). A function that does not return
// gives none (law N7).
func (h *Handler) may(who *person, right identity.Right, plan string) (may bool) {
	switch {
	case h.o.Server.Authorize == nil:
		return true
	case who == nil:
		return false
	case who.May == nil:
		return slices.Contains(byDefault, right)
	}
	if err := fault.Call("Person.May", func() error { may = who.May(right, plan); return nil }); err != nil {
		h.o.Server.Logger.Error("the right to do something could not be checked", "right", right, "plan", plan, "error", err)
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
