package identity

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxy finds people by the headers of a reverse proxy at which they have logged in (law W7).
type Proxy struct {
	From   []netip.Prefix // the addresses of the proxy; requests from others that have its headers are refused
	Person string         // the header with the id of the person, such as X-Forwarded-Email
	Name   string         // the header with what the person is called; "" for none
	Groups string         // the header with the groups of the person, with commas between them; "" for none
	Grants Grants         // what the groups may do
}

// Way finds people by the headers, for Any.
func (p *Proxy) Way() Way {
	return Way{
		Expects: fmt.Sprintf("the header %q of a proxy", http.CanonicalHeaderKey(p.Person)),
		Find:    p.find,
	}
}

// headers are the names of the headers that count.
func (p *Proxy) headers() (names []string) {
	for _, name := range []string{p.Person, p.Name, p.Groups} {
		if name != "" {
			names = append(names, http.CanonicalHeaderKey(name))
		}
	}
	return names
}

func (p *Proxy) find(r *http.Request) (Person, bool, error) {
	from, trusted := p.comesFrom(r)
	for _, name := range p.headers() {
		switch given := r.Header.Values(name); {
		case len(given) > 0 && !trusted:
			return Person{}, false, &RefusedError{Detail: fmt.Sprintf(
				"the header %q is taken from the proxy alone, and this request comes from %s: leave it out, or name that address as the proxy's", name, from)}
		case len(given) > 1:
			return Person{}, false, &RefusedError{Detail: fmt.Sprintf(
				"expected the header %q once, found it %d times: the proxy has to replace what a client sends", name, len(given))}
		}
	}
	id := r.Header.Get(p.Person)
	if id == "" {
		return Person{}, false, nil
	}
	var groups []string
	for group := range strings.SplitSeq(r.Header.Get(p.Groups), ",") {
		if group = strings.TrimSpace(group); group != "" {
			groups = append(groups, group)
		}
	}
	name := ""
	if p.Name != "" {
		name = r.Header.Get(p.Name)
	}
	person, err := p.Grants.Person(id, name, groups)
	if errors.Is(err, ErrNoGrant) {
		return Person{}, false, &RefusedError{Detail: fmt.Sprintf("%s is logged in at the proxy, and has no group that may do anything here", id)}
	}
	if err != nil {
		return Person{}, false, &RefusedError{Detail: fmt.Sprintf("the headers of the proxy name nobody: %v", err)}
	}
	person.Login = ByProxy
	return person, true, nil
}

// comesFrom says from which address a request comes, and whether it is one of the proxy's.
func (p *Proxy) comesFrom(r *http.Request) (netip.Addr, bool) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, false
	}
	from := at.Addr().Unmap().WithZone("")
	return from, slices.ContainsFunc(p.From, func(network netip.Prefix) bool { return network.Contains(from) })
}
