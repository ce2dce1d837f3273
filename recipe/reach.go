package recipe

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
)

// command is a program that an agent starts.
type command struct {
	words []document.Word     // the program and its arguments
	env   []document.TextPair // of its environment
	argv  []string            // words, with the variables of the environment filled in
}

// readCommand reads the keys command and env.
func readCommand(o *document.Object) command {
	return command{words: o.Words("command"), env: readVariables(o, "env")}
}

const emptyCommand = "command is empty; expected the program and its arguments"

// readVariables reads a mapping of names of environment variables to their values.
func readVariables(o *document.Object, key string) []document.TextPair {
	all := o.Texts(key)
	for _, p := range all {
		if p.Key.Text == "" || strings.ContainsAny(p.Key.Text, "=\x00") {
			o.Report.Add(p.Key.Spot, "%s is not a name of an environment variable", document.Quote(p.Key.Text))
		}
	}
	return all
}

// expand fills in the variables, and gives the environment.
func (c *command) expand(x *expansion) (environ []string) {
	for _, w := range c.words {
		c.argv = append(c.argv, x.text(w))
	}
	for _, p := range c.env {
		environ = append(environ, p.Key.Text+"="+x.text(p.Value))
	}
	return environ
}

func (c *command) starts() *command { return c }

// limit reports a program that may not be started.
func (c *command) limit(allow *Allow, r *document.Report) {
	if len(c.argv) > 0 && !allow.program(c.argv[0]) {
		r.Add(c.words[0].Spot, "the program %s is not allowed%s", document.Quote(c.words[0].Text), allowed(allowPrograms, allow.Programs))
	}
}

// endpoint is an address that an agent calls.
type endpoint struct {
	url     document.Word
	headers []document.TextPair
	address *url.URL      // url, with the variables of the environment filled in; nil where it was wrong
	header  []headerField // headers, likewise
}

// headerName is how the name of a header field looks: a token of RFC 9110.
var headerName = regexp.MustCompile(`^[!#$%&'*+.^_|~0-9A-Za-z\x60-]+$`)

// headerField is a header with its value filled in.
type headerField struct{ name, value string }

// expand fills in the variables of the environment. Of an agent that is not called, an address with variables in it is not known.
func (e *endpoint) expand(x *expansion, used bool) {
	before := len(x.report.Problems)
	address := x.text(e.url)
	if e.url.Text != "" && len(x.report.Problems) == before && (used || len(x.used) == 0) {
		u, err := url.Parse(address)
		switch {
		case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
			x.report.Add(e.url.Spot, "%s is not an address; expected one such as https://example.org/hook",
				document.Quote(newRedactor(x.used).text(address)))
		default:
			e.address = u
			within := passwordOf(address)
			x.used, x.private = append(x.used, within...), append(x.private, within...)
		}
	}
	for _, h := range e.headers {
		v := x.text(h.Value)
		if !headerName.MatchString(h.Key.Text) || strings.ContainsAny(v, "\r\n\x00") {
			x.report.Add(h.Key.Spot, "%s is not a header field, or its value holds a line break", document.Quote(h.Key.Text))
			continue
		}
		e.header = append(e.header, headerField{h.Key.Text, v})
	}
}

// limit reports an address that may not be called.
func (e *endpoint) limit(allow *Allow, r *document.Report) {
	if e.address != nil && !allow.address(e.address) {
		r.Add(e.url.Spot, "the address %s is not allowed%s", document.Quote(e.url.Text), allowed(allowAddresses, allow.Addresses))
	}
}
