package storekind

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/journal"
)

// List is the kinds of stores that a program knows. The first kind of files takes paths that have no scheme.
type List []Kind

// Address names a store.
type Address struct {
	Kind string // About.Name
	At   string // the path of a file, or the address of a server with its secrets; "" for memory, and where the environment says it
}

// looksAddress is a text in which somebody stands before a host.
var looksAddress = regexp.MustCompile(`//[^/\\]*@|^[^/\\]*:[^/\\]*@`)

// Parse reads an address: memory:, a path, sqlite:PATH, postgres://… and so on. A server's scheme alone, "postgres:", has
// no At. Errors show no part that may be a password.
func (l List) Parse(text string) (Address, error) {
	for _, k := range l {
		if c, ok := k.(Claimer); ok && c.Claims(text) {
			return Address{k.About().Name, text}, nil
		}
	}
	scheme, rest, found := strings.Cut(text, ":")
	if !found || strings.ContainsAny(scheme, `/\.`) || len(scheme) == 1 { // a path; C:\ is one too
		return l.path(text)
	}
	k := l.ofScheme(strings.ToLower(scheme))
	if k == nil {
		return Address{}, fmt.Errorf("unknown kind of store %q; expected %s%s", scheme, l.Forms(), nearest.Hint(scheme, l.Names()))
	}
	about := k.About()
	switch {
	case about.Place == Memory && rest != "":
		return Address{}, fmt.Errorf("%s takes nothing after the colon, found %d characters", about.Address, len(rest))
	case about.Place == Memory:
		return Address{Kind: about.Name}, nil
	case about.Place == File && strings.TrimPrefix(rest, "//") == "":
		return Address{}, fmt.Errorf("expected %s, found no path", about.Address)
	case about.Place == File:
		return Address{about.Name, strings.TrimPrefix(rest, "//")}, nil
	case rest == "":
		return Address{Kind: about.Name}, nil
	case !strings.HasPrefix(rest, "//"):
		return Address{}, fmt.Errorf("expected %s, found no // after the kind", about.Address)
	}
	return Address{about.Name, text}, nil
}

// path reads a text without a scheme.
func (l List) path(text string) (Address, error) {
	if looksAddress.MatchString(text) {
		return Address{}, fmt.Errorf("expected %s; found what looks like the address of a server, without its kind in front of :// "+
			"(it is not shown: it may hold a password; a file of that name is sqlite:PATH)", l.Forms())
	}
	for _, k := range l {
		if about := k.About(); about.Place == File {
			return Address{about.Name, text}, nil
		}
	}
	return Address{}, fmt.Errorf("expected %s, found a path", l.Forms())
}

// Open opens the store at an address.
func (l List) Open(text string, o Options) (journal.Store, error) {
	a, err := l.Parse(text)
	if err != nil {
		return nil, &journal.StoreError{Op: "open", Err: err}
	}
	return l.OpenAt(a, o)
}

// OpenAt opens the store at an address that was read.
func (l List) OpenAt(a Address, o Options) (journal.Store, error) {
	k := l.Named(a.Kind)
	switch {
	case k == nil:
		return nil, &journal.StoreError{Op: "open", Err: fmt.Errorf("unknown kind of store %q%s", a.Kind, nearest.Hint(a.Kind, l.Names()))}
	case a.At == "" && k.About().Place != Memory:
		return nil, &journal.StoreError{Op: "open", Err: errors.New("expected " + k.About().Address)}
	}
	return k.Open(a.At, o)
}

// Named finds a kind by its name, nil for none.
func (l List) Named(name string) Kind {
	for _, k := range l {
		if k.About().Name == name {
			return k
		}
	}
	return nil
}

func (l List) ofScheme(scheme string) Kind {
	for _, k := range l {
		if about := k.About(); about.Name == scheme || slices.Contains(about.Schemes, scheme) {
			return k
		}
	}
	return nil
}

// At are the kinds that keep runs in one of the given places.
func (l List) At(places ...Place) (some List) {
	for _, k := range l {
		if slices.Contains(places, k.About().Place) {
			some = append(some, k)
		}
	}
	return some
}

// Names are those of the kinds.
func (l List) Names() []string {
	names := make([]string, len(l))
	for i, k := range l {
		names[i] = k.About().Name
	}
	return names
}

// Forms say how addresses look: "memory:, a path, sqlite:PATH, postgres://… or redis://…".
func (l List) Forms() string {
	var forms []string
	for _, k := range l {
		about := k.About()
		if about.Place == File && !slices.Contains(forms, "a path") {
			forms = append(forms, "a path")
		}
		forms = append(forms, about.Address)
	}
	if n := len(forms); n > 1 {
		return strings.Join(forms[:n-1], ", ") + " or " + forms[n-1]
	}
	return strings.Join(forms, "")
}
