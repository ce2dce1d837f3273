package main

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

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
	if f.insecure || !f.login.has(authNone) || f.loopback() {
		return nil
	}
	return usagef("--listen %s: other machines reach this address, and nobody has to log in: everyone there could start and answer runs. "+
		"Ask for a login with --auth tokens, oidc or proxy; or listen on 127.0.0.1 and let a reverse proxy with a login in front of it (--host NAME), or an SSH "+
		"tunnel (ssh -L 7788:127.0.0.1:7788 HOST); --insecure listens all the same", f.listen)
}

// loopback reports whether this machine alone reaches the address that is listened on.
func (f *serveFlags) loopback() bool {
	host, _, _ := net.SplitHostPort(f.listen)
	at, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && at.IsLoopback()
}

// countTokens counts the tokens that work.
func (f *serveFlags) countTokens(ctx context.Context, h *house) (n int, err error) {
	tokens := h.tokens()
	if !f.login.has(authTokens) || tokens == nil {
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
	f := &s.flags.login
	if f.has(authOIDC) {
		facts = append(facts, fact("login", "at "+f.issuer+", by browsers under "+f.at(cmp.Or(s.url, "http://"+s.flags.listen))))
	}
	if f.has(authProxy) {
		facts = append(facts, fact("login", "at a proxy at "+strings.Join(f.proxyFrom, ", ")+", which sends "+f.proxy.Person))
	}
	if f.has(authTokens) {
		text := "by a token; " + strconv.Itoa(s.tokens) + " of the store work"
		switch s.tokens {
		case 0:
			text = "by a token, and there is none yet; make the first: " + m.command("tokens", "create", "NAME", "--role", "admin")
		case 1:
			text = "by a token; one of the store works"
		}
		facts = append(facts, fact("login", text))
	}
	if !f.has(authNone) && !s.flags.loopback() {
		facts = append(facts, fact("network", "not encrypted: put a proxy with TLS in front, or everyone on the way has the logins"))
	}
	return facts
}
