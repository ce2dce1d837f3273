package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/server"
)

// How requests say who makes them.
const (
	authNone   = "none"   // nobody is known
	authTokens = "tokens" // by a token of the store
)

// checkAuth refuses ways to log in that there are not, and a store that has no tokens.
func (f *serveFlags) checkAuth(d dsn) error {
	known := []string{authNone, authTokens}
	switch {
	case f.auth == authNone:
	case f.auth != authTokens:
		return usagef("--auth %q: expected %s%s", f.auth, strings.Join(known, " or "), nearest.Hint(f.auth, known))
	case d.memory():
		return usagef("--auth tokens: a store in memory has no tokens; name one that lasts with --store")
	}
	return nil
}

// checkListen refuses addresses that other machines reach, unless requests need a token, and origins that are none.
func (f *serveFlags) checkListen() error {
	if _, port, err := net.SplitHostPort(f.listen); err != nil || port == "" {
		return usagef("--listen %q: expected HOST:PORT, such as 127.0.0.1:7788", f.listen)
	}
	if f.drain <= 0 {
		return usagef("--drain %v: expected a time above zero", f.drain)
	}
	for _, o := range f.origins {
		if err := http.NewCrossOriginProtection().AddTrustedOrigin(o); err != nil {
			return usagef("--origin %q: expected a scheme and a host, such as https://shop.example.com", o)
		}
	}
	if f.insecure || f.auth == authTokens || f.loopback() {
		return nil
	}
	return usagef("--listen %s: other machines reach this address, and nobody has to log in: everyone there could start and answer runs. "+
		"Ask for tokens with --auth tokens; or listen on 127.0.0.1 and let a reverse proxy with a login in front of it (--host NAME), or an SSH "+
		"tunnel (ssh -L 7788:127.0.0.1:7788 HOST); --insecure listens all the same", f.listen)
}

// loopback reports whether this machine alone reaches the address that is listened on.
func (f *serveFlags) loopback() bool {
	host, _, _ := net.SplitHostPort(f.listen)
	at, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && at.IsLoopback()
}

// authorize says who makes a request, by the tokens of the store; nil where nobody has to log in.
func (f *serveFlags) authorize(h *house) func(r *http.Request) (server.Person, error) {
	if f.auth != authTokens {
		return nil
	}
	tokens := h.tokens()
	return func(r *http.Request) (server.Person, error) {
		person, err := tokens.Request(r)
		switch {
		case err == nil:
			return server.PersonOf(person), nil
		case errors.Is(err, identity.ErrNoLogin):
			return server.Person{}, err
		}
		return server.Person{}, &fermata.Error{Code: fermata.CodeStore, Err: err}
	}
}

// countTokens counts the tokens that work.
func (f *serveFlags) countTokens(ctx context.Context, h *house) (n int, err error) {
	tokens := h.tokens()
	if f.auth != authTokens || tokens == nil {
		return 0, nil
	}
	all, err := tokens.List(ctx)
	for i := range all {
		if !all[i].Expired(h.Now()) {
			n++
		}
	}
	return n, err
}

// loginFacts are the lines of the start screen about logging in.
func (s *startScreen) loginFacts(m *Main, fact func(name, text string) []string) (facts [][]string) {
	if s.flags.auth != authTokens {
		return nil
	}
	text := "by a token; " + strconv.Itoa(s.tokens) + " of the store work"
	switch s.tokens {
	case 0:
		text = "by a token, and there is none yet; make the first: " + m.command("tokens", "create", "NAME", "--role", "admin")
	case 1:
		text = "by a token; one of the store works"
	}
	facts = append(facts, fact("login", text))
	if !s.flags.loopback() {
		facts = append(facts, fact("network", "not encrypted: put a proxy with TLS in front, or everyone on the way has the tokens"))
	}
	return facts
}
