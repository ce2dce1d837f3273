package recipe

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/nearest"
)

// redacted stands for a value that came from the environment.
const redacted = "[redacted]"

// shortestSecret is how long a value of the environment must be to be hidden: to hide every "1" would only make texts
// unreadable.
const shortestSecret = 4

// redactor hides values that came from ${NAME} in what people see. It is immutable.
type redactor struct{ replacer *strings.Replacer }

// newRedactor hides values as they are, and as they look in addresses, in JSON, in base64 and in hexadecimal digits.
func newRedactor(values []string) *redactor {
	var forms []string
	for _, v := range values {
		values = append(values, partsOf(v)...)
	}
	for _, v := range values {
		if len(v) < shortestSecret {
			continue
		}
		quoted, err := json.Marshal(v)
		if err != nil {
			continue // texts always encode
		}
		unescaped, err := document.Encode(v)
		if err != nil {
			continue
		}
		for _, form := range []string{
			v, strings.TrimSpace(v), url.QueryEscape(v), url.PathEscape(v), string(quoted[1 : len(quoted)-1]),
			string(unescaped[1 : len(unescaped)-1]),
			base64.StdEncoding.EncodeToString([]byte(v)), base64.RawStdEncoding.EncodeToString([]byte(v)),
			base64.URLEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v)),
			hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))),
		} {
			if len(form) >= shortestSecret && !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	if len(forms) == 0 {
		return &redactor{}
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) }) // the longest first: one may hold another
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range forms {
		pairs = append(pairs, f, redacted)
	}
	return &redactor{replacer: strings.NewReplacer(pairs...)}
}

// longPart is how long a piece of an address's path must be to be taken for a secret.
const longPart = 8

// partsOf are the pieces of an address that may be secrets of their own: password, query, and long pieces of the path.
func partsOf(value string) []string {
	parts := passwordOf(value)
	u, err := url.Parse(strings.TrimSpace(value))
	if err != nil || u.Host == "" {
		return parts
	}
	for _, list := range u.Query() {
		parts = append(parts, list...)
	}
	for piece := range strings.SplitSeq(u.Path, "/") {
		if len(piece) >= longPart {
			parts = append(parts, piece)
		}
	}
	return parts
}

func (r *redactor) text(s string) string {
	if r == nil || r.replacer == nil {
		return s
	}
	return r.replacer.Replace(s)
}

// expansion fills in ${NAME}.
type expansion struct {
	env     func(string) (string, bool)
	report  *document.Report
	used    []string // the values that were filled in
	private []string // those of them whose variables are called as secrets are
}

// text fills in the variables of a text. Only ${NAME} is one; $ alone and $NAME are text, and $${ is ${.
func (x *expansion) text(w document.Word) string {
	var b strings.Builder
	rest := w.Text
	for {
		before, after, found := strings.Cut(rest, "${")
		if !found {
			b.WriteString(rest)
			return b.String()
		}
		if head, escaped := strings.CutSuffix(before, "$"); escaped {
			b.WriteString(head + "${")
			rest = after
			continue
		}
		b.WriteString(before)
		name, tail, closed := strings.Cut(after, "}")
		offset := len([]rune(w.Text)) - len([]rune(after)) - 2
		switch {
		case !closed:
			x.report.Inside(w.Spot, offset, "${ is not closed; expected ${NAME}, or $${ for the text ${")
			return b.String()
		case !variableName.MatchString(name):
			x.report.Inside(w.Spot, offset, "%s is not a name of a variable; expected ${NAME}, or $${ for the text ${", document.Quote(name))
		default:
			v, ok := x.env(name)
			if !ok {
				x.report.Inside(w.Spot, offset, "the variable %s is not set in the environment%s", name, hintVariable(name, x.env))
			}
			b.WriteString(v)
			x.used = append(x.used, v)
			within := passwordOf(v)
			x.private = append(x.private, within...)
			if isPrivate(name) {
				x.private, within = append(x.private, v), append(within, v)
			}
			if i := slices.IndexFunc(within, func(v string) bool { return v != "" && len(v) < shortestSecret }); i >= 0 {
				x.report.Inside(w.Spot, offset, "the variable %s holds a secret of %d characters, which is too short to be blacked out where it comes "+
					"back; expected %d at least, or another name where it is none", name, len(within[i]), shortestSecret)
			}
		}
		rest = tail
	}
}

// inherit notes the secrets of an environment that a program is given whole: what it says of them is not kept, either.
func (x *expansion) inherit(environ []string) {
	for _, variable := range environ {
		name, v, _ := strings.Cut(variable, "=")
		within := passwordOf(v)
		if isPrivate(name) {
			within = append(within, v)
		}
		x.used, x.private = append(x.used, within...), append(x.private, within...)
	}
}

// withheld are variables that no program of a recipe inherits: where runs are kept, and what may be answered there.
var withheld = []string{"FERMATA_TOKEN", "FERMATA_STORE", "FERMATA_POSTGRES", "FERMATA_REDIS", "FERMATA_KEYS", "FERMATA_KEYS_FILE", "FERMATA_OIDC_SECRET", "FERMATA_OIDC_SECRET_FILE"}

// inherited is an environment without what is withheld.
func inherited(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(withheld, strings.ToUpper(name))
	})
}

// hintVariable looks for a variable that differs in case only: others are nobody's business.
func hintVariable(name string, env func(string) (string, bool)) string {
	for _, other := range []string{strings.ToUpper(name), strings.ToLower(name)} {
		if _, ok := env(other); ok && other != name {
			return nearest.Hint(name, []string{other})
		}
	}
	return ""
}

// The words by which names of variables say that they hold a secret: anywhere in the name, or as a word of it.
var (
	privateParts = []string{"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "APIKEY"}
	privateWords = []string{"KEY", "AUTH", "PASS", "COOKIE", "PWD", "PSWD", "PAT"}
)

// isPrivate reports whether a variable is called as secrets are.
func isPrivate(name string) bool {
	upper := strings.ToUpper(name)
	if upper == "PWD" { // the folder that a shell is in
		return false
	}
	return slices.ContainsFunc(privateParts, func(part string) bool { return strings.Contains(upper, part) }) ||
		slices.ContainsFunc(strings.Split(upper, "_"), func(word string) bool { return slices.Contains(privateWords, word) })
}

// Passwords in addresses: in front of the host, also where the rest is no proper address, and as a member (of a query, or of
// the form with keywords that libpq knows).
var (
	passwordBeforeHost = regexp.MustCompile(`://[^:/?#@\s]*:([^\s]+)@`)
	passwordMember     = regexp.MustCompile(`(?i)(?:^|[?&;\s])[a-z_]*(?:password|passwd|pwd|secret|token)\s*=\s*('(?:[^'\\]|\\.)*'|[^&;\s]*)`)
)

// passwordOf are the passwords in an address, which are secrets whatever its variable is called; nothing where there are
// none.
func passwordOf(value string) (found []string) {
	add := func(password string) {
		if password != "" && !slices.Contains(found, password) {
			found = append(found, password)
		}
	}
	if u, err := url.Parse(strings.TrimSpace(value)); err == nil && u.Host != "" {
		password, _ := u.User.Password()
		add(password)
		if password != "" {
			add(u.User.Username() + ":" + password) // a header of HTTP is made of it
		}
	}
	if m := passwordBeforeHost.FindStringSubmatch(value); m != nil {
		add(m[1])
	}
	for _, m := range passwordMember.FindAllStringSubmatch(value, -1) {
		add(strings.Trim(m[1], "'"))
		if text, err := url.QueryUnescape(m[1]); err == nil {
			add(text)
		}
	}
	return found
}

// value takes secrets out of the texts of a value, and of the names in it.
func (r *redactor) value(v any) any {
	if r == nil || r.replacer == nil {
		return v
	}
	switch v := v.(type) {
	case string:
		return r.text(v)
	case []any:
		for i := range v {
			v[i] = r.value(v[i])
		}
	case map[string]any:
		for _, name := range expression.Keys(v) {
			was := v[name]
			delete(v, name)
			v[r.text(name)] = r.value(was)
		}
	}
	return v
}

// output takes secrets out of what a program or a service gave, before it is recorded.
func (r *redactor) output(data json.RawMessage) (json.RawMessage, error) {
	if r == nil || r.replacer == nil || len(data) == 0 {
		return data, nil
	}
	v, err := document.Decode(data)
	if err != nil {
		return nil, err
	}
	return document.Encode(r.value(v))
}

// variableName is how the name of a variable looks.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand fills in the variables of all agents: in url, headers, command and env, and nowhere else. An agent that is
// not used needs no variables: a file of agents may serve several recipes.
func (d *draft) expand(env func(string) (string, bool), r *document.Report) {
	used := d.called()
	for name, a := range d.agents {
		x := &expansion{env: env, report: r}
		if !used[name] {
			x.env = func(string) (string, bool) { return "", true }
		}
		if w, expands := can[expander](a); expands {
			w.expand(x, used[name])
		}
		a.secrets = newRedactor(x.used)
		a.private = newRedactor(x.private)
	}
}

// called are the agents that nodes call, and those that their models may call.
func (d *draft) called() map[string]bool {
	names := make(map[string]bool)
	for _, n := range d.nodes {
		names[n.ref.Text] = true
		for _, t := range d.agents[n.ref.Text].tools() {
			names[t.server+t.agent] = true
		}
	}
	return names
}
