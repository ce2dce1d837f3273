package storekind

import (
	"net/url"
	"slices"
)

// Public is an address without its secrets.
func (l List) Public(a Address) string {
	k := l.Named(a.Kind)
	if k == nil {
		return a.Kind + "://…"
	}
	switch about := k.About(); about.Place {
	case Memory:
		return about.Address
	case File:
		return a.At
	default:
		return public(&about, a.At)
	}
}

// public is the address of a server without passwords.
func public(about *About, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.Scheme == "" {
		return about.Name + "://…" // which part is a password cannot be told
	}
	if name := u.User.Username(); name != "" {
		u.User = url.User(name)
	} else {
		u.User = nil
	}
	q := u.Query()
	for name := range q {
		if !slices.Contains(about.Public, name) { // one that is misspelt may be a password
			q.Del(name)
		}
	}
	if u.RawQuery != "" {
		u.RawQuery = q.Encode()
	}
	u.Fragment = ""
	return u.String()
}

// HasSecrets reports whether an address of a server holds more than Public shows.
func (l List) HasSecrets(a Address) bool {
	written := a.At
	if u, err := url.Parse(a.At); err == nil {
		written = u.String()
	}
	return l.Public(a) != written
}
