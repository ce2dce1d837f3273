package identity

import (
	"net/http"
	"strings"
)

// Way is one way to log in.
type Way struct {
	// Expects says what a request presents, for a refusal: `the header "Authorization: Bearer ft_…"`.
	Expects string
	// Login is the path at which a browser logs in this way; "" for none.
	Login string
	// Find says who makes a request. It reports false where the request presents nothing of this kind, and other ways may. An
	// error refuses the request, whatever else it presents; one that is no *RefusedError says that it cannot be decided.
	Find func(r *http.Request) (p Person, presented bool, err error)
}

// Any returns a function that finds the person who makes a request, by one of several ways.
//
// It is the first that the request presents something of. The function is for server.Options.Authorize.
func Any(ways ...Way) func(r *http.Request) (Person, error) {
	var expected []string
	login := ""
	for _, w := range ways {
		expected = append(expected, w.Expects)
		if w.Login != "" {
			login = w.Login
		}
	}
	return func(r *http.Request) (Person, error) {
		for _, w := range ways {
			p, presented, err := w.Find(r)
			if refused, ok := err.(*RefusedError); ok { //nolint:errorlint // ways return it as it is
				return Person{}, &RefusedError{Detail: refused.Detail, Login: login}
			}
			if err != nil {
				return Person{}, err
			}
			if presented {
				return p, nil
			}
		}
		return Person{}, &RefusedError{Detail: "expected " + strings.Join(expected, ", or ") + "; found none", Login: login}
	}
}
