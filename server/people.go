package server

import (
	"net/http"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// claim reserves a question for who asks.
func (h *handler) claim(w http.ResponseWriter, r *http.Request, person Person) {
	h.do(w, r, person, takes, func(q *journal.Interrupt, g *given) (string, error) {
		return journal.Claimed, h.rt.Claim(r.Context(), q.ID, "", "", g.options()...)
	})
}

// release gives a claimed question back.
func (h *handler) release(w http.ResponseWriter, r *http.Request, person Person) {
	h.do(w, r, person, takes, func(q *journal.Interrupt, g *given) (string, error) {
		return journal.Open, h.rt.Release(r.Context(), q.ID, "", g.options()...)
	})
}

// handsOver are the members of a body that hands a question over.
var handsOver = []string{"to", "toRole", "note", "by", "role", "token"}

// takes are the members of a body that claims a question or gives it back.
var takes = []string{"note", "by", "role", "token"}

// reassign hands a question to another person or role.
func (h *handler) reassign(w http.ResponseWriter, r *http.Request, person Person) {
	h.do(w, r, person, handsOver, func(q *journal.Interrupt, g *given) (string, error) {
		return journal.Open, h.rt.Reassign(r.Context(), q.ID, g.assignment(), g.options()...)
	})
}

// escalate has another role asked.
func (h *handler) escalate(w http.ResponseWriter, r *http.Request, person Person) {
	h.do(w, r, person, handsOver, func(q *journal.Interrupt, g *given) (string, error) {
		return journal.Open, h.rt.Escalate(r.Context(), q.ID, g.assignment(), g.options()...)
	})
}

func (g *given) assignment() fermata.Assignment {
	return fermata.Assignment{Person: g.To, Role: g.ToRole, Note: g.Note}
}
