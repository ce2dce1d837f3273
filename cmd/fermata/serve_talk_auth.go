package main

import (
	"crypto/sha256"
	"encoding/base32"
	"net/http"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/server"
)

// known refuses requests without a login, where one is needed. A dialogue that a person has no right for does not exist for them.
func (t *talking) known(plan string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		person, err := t.person(r)
		refused, _ := err.(*identity.RefusedError) //nolint:errorlint // as identity.Tokens returns it
		switch {
		case err == nil && !slices.ContainsFunc(identity.Rights(), func(right identity.Right) bool { return person.May(right, plan) }):
			http.NotFound(w, r)
		case err == nil:
			next.ServeHTTP(w, r)
		case refused != nil:
			w.Header().Set("WWW-Authenticate", identity.Challenge)
			notTaken(w, http.StatusUnauthorized, identity.CodeUnauthenticated, refused.Detail)
		default:
			t.failed(w, r, err)
		}
	})
}

// person is who makes a request. Without logins it is nobody, who may do everything.
func (t *talking) person(r *http.Request) (server.Person, error) {
	if t.who == nil {
		return server.Person{May: func(identity.Right, string) bool { return true }}, nil
	}
	return t.who(r)
}

// may refuses a request whose person lacks a right for the plan of a dialogue.
func (t *talking) may(r *http.Request, right identity.Right, plan string) error {
	person, err := t.person(r)
	if err == nil && !person.May(right, plan) {
		err = fermata.ErrForbidden
	}
	return err
}

// speaks says whether a request may speak in a conversation, and whether as the agent who has taken it over. Agents answer what waits
// for people; others speak in the conversations that they have begun.
func (t *talking) speaks(r *http.Request, id, plan string) (agent bool, err error) {
	if r.URL.Query().Get("as") == "agent" {
		return true, t.may(r, identity.Tasks, plan)
	}
	person, err := t.person(r)
	if err == nil && (!person.May(identity.Talk, plan) || t.who != nil && !strings.HasPrefix(id, talksOfPerson(person.ID))) {
		err = fermata.ErrForbidden
	}
	return false, err
}

// talksOfPerson begins the ids of the conversations of a person; "" is nobody in particular.
func talksOfPerson(person string) string {
	if person == "" {
		return "chat_"
	}
	sum := sha256.Sum256([]byte(person))
	return "chat_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:26]) + "_"
}
