package identity

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// CodeUnauthenticated is the code of refusals of requests without a login.
const CodeUnauthenticated = "unauthenticated"

// Challenge is the value of the header WWW-Authenticate of such refusals.
const Challenge = `Bearer realm="fermata"`

// RefusedError says why a request is not one of a person who is known. Its text may be shown.
type RefusedError struct {
	Detail string // what was expected and found, without any part of a secret
	Login  string // the path at which a browser logs in; "" for none
}

func (e *RefusedError) Error() string { return e.Detail }

// Is makes the error match ErrNoLogin.
func (e *RefusedError) Is(target error) bool { return target == ErrNoLogin }

// Request finds the person who makes a request, by its header Authorization. A request with a token in its address is refused
// whatever its header is: addresses are kept in logs and histories.
func (t *Tokens) Request(r *http.Request) (Person, error) {
	if inAddress(r.URL) {
		return Person{}, &RefusedError{Detail: `there is a token in the address, which logs and histories keep: revoke it, and send "Authorization: Bearer ft_…"`}
	}
	given := r.Header.Values("Authorization")
	if len(given) == 0 {
		return Person{}, &RefusedError{Detail: `expected the header "Authorization: Bearer ft_…"; found none`}
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	if len(given) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return Person{}, &RefusedError{Detail: `expected one header "Authorization: Bearer ft_…"; found something else`}
	}
	person, err := t.Check(r.Context(), strings.TrimSpace(token))
	if errors.Is(err, ErrNoLogin) {
		return Person{}, &RefusedError{Detail: "the token is not known, was revoked, or has expired"}
	}
	return person, err
}

// Way finds people by their tokens, for Any.
func (t *Tokens) Way() Way {
	return Way{
		Expects: `the header "Authorization: Bearer ft_…"`,
		Find: func(r *http.Request) (Person, bool, error) {
			_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
			if !strings.HasPrefix(strings.TrimSpace(token), Prefix) && !inAddress(r.URL) {
				return Person{}, false, nil
			}
			p, err := t.Request(r)
			return p, true, err
		},
	}
}

// inAddress reports whether a token is in an address, as it is or escaped.
func inAddress(u *url.URL) bool {
	if holdsToken(u.Path) || holdsToken(u.RawQuery) {
		return true
	}
	query, err := url.QueryUnescape(u.RawQuery)
	return err == nil && holdsToken(query)
}
