// Package originguard decides which web pages may use an HTTP handler. These are pages of its own origin and of listed
// ones. A browser sends the requests of any page with the cookies of its user, and a stranger can point a host name at
// this machine; so the host name of a request counts, too.
package originguard

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Rules say whose pages may do what. The zero value lets in pages of the handler's own origin under any name.
type Rules struct {
	// Origins are the origins besides the handler's own whose pages may read and change: "https://desk.example.com".
	Origins []string
	// Named says that requests must name the handler by an address, as localhost, or by one of Hosts.
	Named bool
	Hosts []string
	// Options is what these are members of, for messages: "server.Options". fermata serve has flags for both.
	Options string
	// Refuse answers a request that is not served, with status 403.
	Refuse func(w http.ResponseWriter, text string)
}

// Guard keeps the rules.
type Guard struct {
	r          Rules
	protection *http.CrossOriginProtection
}

// New checks the rules; an origin that is none is an error.
func New(r Rules) (*Guard, error) {
	g := &Guard{r: r, protection: http.NewCrossOriginProtection()}
	for _, o := range r.Origins {
		if err := g.protection.AddTrustedOrigin(o); err != nil {
			return nil, fmt.Errorf("origin %q: expected a scheme and a host as in \"https://desk.example.com\": %w", o, err)
		}
	}
	g.protection.SetDenyHandler(http.HandlerFunc(g.refuse))
	return g, nil
}

// Handler serves what keeps the rules. Reading is free to any page as far as the server goes: the browser shows what was
// read to pages of the handler's own origin and of the listed ones.
func (g *Guard) Handler(next http.Handler) http.Handler {
	return g.named(g.shared(g.protection.Handler(next)))
}

// Connects reports whether the page of a request may open a two-way connection. There the browser hides nothing from
// any page. Where it may not, the request has been answered.
func (g *Guard) Connects(w http.ResponseWriter, r *http.Request) bool {
	changes := *r
	changes.Method = http.MethodPost
	if g.protection.Check(&changes) == nil {
		return true
	}
	g.refuse(w, r)
	return false
}

func (g *Guard) refuse(w http.ResponseWriter, r *http.Request) {
	g.r.Refuse(w, fmt.Sprintf("pages of origin %q may not do that; fermata serve lets them with --origin, a program with %s.Origins", r.Header.Get("Origin"), g.r.Options))
}

// shared lets pages of the listed origins in.
func (g *Guard) shared(next http.Handler) http.Handler {
	if len(g.r.Origins) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		if slices.Contains(g.r.Origins, origin) {
			header.Set("Access-Control-Allow-Origin", origin)
			header.Set("Access-Control-Allow-Credentials", "true")
			header.Set("Access-Control-Expose-Headers", "Retry-After")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				header.Set("Access-Control-Allow-Methods", "GET, POST")
				header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID")
				header.Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// named lets requests in that name the handler by an address, as localhost, or by one of the listed names. A page of a
// stranger whose name was pointed at this machine is stopped by that: to the browser it is of the handler's own origin.
func (g *Guard) named(next http.Handler) http.Handler {
	if !g.r.Named {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Host
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		_, err := netip.ParseAddr(strings.Trim(name, "[]"))
		if err == nil || name == "localhost" || slices.Contains(g.r.Hosts, name) {
			next.ServeHTTP(w, r)
			return
		}
		g.r.Refuse(w, fmt.Sprintf("the host %q is not known; fermata serve is told of it with --host, a program with %s.Hosts", name, g.r.Options))
	})
}
