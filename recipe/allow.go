package recipe

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
)

// Allow limits what a recipe may reach. Use it for recipes from people whose code you would not run. Its zero value
// limits nothing but files, which are the recipe's own folder; a list that is empty but not nil allows nothing of its
// kind.
//
// Loading reports everything that is not allowed as a problem of the recipe, with its place. The rules are checked
// again whenever a run is resumed. To allow a shell or an interpreter is to allow everything.
type Allow struct {
	// Programs are what agents may start: "git", which is searched for as usual, or "./bin/*", with a slash in it, from the
	// recipe's folder. A pattern is that of path.Match. Arguments are not limited.
	Programs []string
	// Addresses are what agents may call: "api.example.org", "*.example.org" (what is below it), "127.0.0.1:8080",
	// "https://example.org/hooks/" (what begins with that path). Without a scheme, http and https are meant; without a
	// port, the scheme's own.
	Addresses []string
	// Folders are where a recipe may read files beside its own folder.
	Folders []string
}

// The kinds of what is allowed, as texts have them.
const (
	allowPrograms  = "exec"
	allowAddresses = "http"
	allowFolders   = "files"
)

// ParseAllow reads the rules of a command line: "exec=git", "http=api.example.org", "files=../shared". The rules
// "exec=" and "http=" allow nothing of their kind unless other rules do; "none" is both. Without rules it returns nil:
// no limits.
func ParseAllow(rules []string) (*Allow, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	a := &Allow{}
	for _, rule := range rules {
		kind, pattern, ok := strings.Cut(rule, "=")
		if rule == "none" {
			a.Programs, a.Addresses = added(a.Programs, ""), added(a.Addresses, "")
			continue
		}
		if !ok {
			return nil, fmt.Errorf("%q: expected exec=PROGRAM, http=ADDRESS, files=FOLDER or none", rule)
		}
		switch kind {
		case allowPrograms:
			if _, err := path.Match(pattern, ""); err != nil {
				return nil, fmt.Errorf("%q: %q is not a pattern such as ./bin/*: %w", rule, pattern, err)
			}
			a.Programs = added(a.Programs, pattern)
		case allowAddresses:
			if _, err := parseAddress(pattern); pattern != "" && err != nil {
				return nil, fmt.Errorf("%q: %w", rule, err)
			}
			a.Addresses = added(a.Addresses, pattern)
		case allowFolders:
			if pattern == "" {
				return nil, fmt.Errorf("%q: expected a folder after files=", rule)
			}
			a.Folders = append(a.Folders, pattern)
		default:
			kinds := []string{allowPrograms, allowAddresses, allowFolders}
			return nil, fmt.Errorf("%q: unknown kind %q; expected %s%s", rule, kind, document.OneOf(kinds), nearest.Hint(kind, kinds))
		}
	}
	return a, nil
}

// added is the list with a rule; an empty one says only that there is a list.
func added(list []string, rule string) []string {
	if rule != "" {
		list = append(list, rule)
	}
	return append([]string{}, list...)
}

// program reports whether a program may be started.
func (a *Allow) program(name string) bool {
	if a == nil || a.Programs == nil {
		return true
	}
	return slices.ContainsFunc(a.Programs, func(pattern string) bool {
		ok, err := path.Match(cleanProgram(pattern), cleanProgram(name))
		return err == nil && ok
	})
}

// cleanProgram takes detours out of a path, so that ./bin/../sh is not taken for something in ./bin. A name without a
// slash stays one: it is looked for elsewhere.
func cleanProgram(name string) string {
	if !strings.Contains(name, "/") {
		return name
	}
	clean := path.Clean(name)
	if path.IsAbs(clean) {
		return clean
	}
	return "./" + clean
}

// address reports whether an address may be called.
func (a *Allow) address(u *url.URL) bool {
	if a == nil || a.Addresses == nil {
		return true
	}
	return slices.ContainsFunc(a.Addresses, func(text string) bool {
		p, err := parseAddress(text)
		return err == nil && p.fits(u)
	})
}

// addressPattern is a rule for addresses, taken apart.
type addressPattern struct {
	scheme string // "" for http and https
	host   string // "*.example.org" for what is below it
	port   string // "" for the scheme's own
	path   string // what the path begins with; "" for any
}

func parseAddress(text string) (addressPattern, error) {
	var p addressPattern
	rest := text
	if scheme, after, ok := strings.Cut(text, "://"); ok {
		p.scheme, rest = strings.ToLower(scheme), after
		if p.scheme != "http" && p.scheme != "https" {
			return p, fmt.Errorf("%q has the scheme %q; expected http or https", text, scheme)
		}
	}
	host, tail, hasPath := strings.Cut(rest, "/")
	if hasPath {
		p.path = "/" + tail
	}
	u, err := url.Parse("//" + host)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Contains(strings.TrimPrefix(host, "*."), "*") {
		return p, fmt.Errorf("%q is not an address; expected one such as api.example.org, *.example.org or https://example.org/hooks/", text)
	}
	p.host, p.port = strings.ToLower(u.Hostname()), u.Port()
	return p, nil
}

func (p addressPattern) fits(u *url.URL) bool {
	host, below := strings.ToLower(u.Hostname()), strings.HasPrefix(p.host, "*.")
	switch {
	case p.scheme != "" && p.scheme != u.Scheme:
		return false
	case below && !strings.HasSuffix(host, p.host[1:]), !below && host != p.host:
		return false
	case portOf(u.Scheme, p.port) != portOf(u.Scheme, u.Port()):
		return false
	case p.path == "":
		return true
	}
	at := path.Clean("/" + u.Path)
	return at == strings.TrimSuffix(p.path, "/") || strings.HasPrefix(at+"/", strings.TrimSuffix(p.path, "/")+"/")
}

func portOf(scheme, port string) string {
	switch {
	case port != "":
		return port
	case scheme == "https":
		return "443"
	}
	return "80"
}

// limit reports what agents would reach and may not. Agents that no node calls reach nothing.
func (d *draft) limit(allow *Allow, r *document.Report) {
	used := d.called()
	for name, a := range d.agents {
		if w, reaches := can[limited](a); reaches && used[name] {
			w.limit(allow, r)
		}
	}
}

// allowed ends a message about what is not.
func allowed(kind string, list []string) string {
	if len(list) == 0 {
		return fmt.Sprintf("; nothing of the kind %s is: the user who runs the recipe can allow it", kind)
	}
	return fmt.Sprintf("; of the kind %s these are: %s", kind, strings.Join(list, ", "))
}
