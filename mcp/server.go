package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server says where an MCP server is, or how it is started: it has either a Command or a URL.
type Server struct {
	Name string // in errors; by default the command, or the address without its query and without keys in its path

	// Command is the program and its arguments. It is started by [Connect] and ended by [Client.Close]. It is given the
	// variables of the environment that programs need to run at all (PATH, HOME and the like), and those in Env.
	Command []string
	Dir     string   // its working directory; by default that of this process
	Env     []string // "NAME=value", or "NAME" for the value that this process has

	// URL is the endpoint of a server that speaks streamable HTTP: "http://127.0.0.1:8080/mcp".
	URL       string
	Header    map[string]string // sent with every request
	HeaderEnv map[string]string // likewise, but the values are names of variables of the environment
	TokenEnv  string            // variable of the environment that holds a bearer token
	TokenFile string            // file that holds it; read whenever a connection is made

	Prefix    string        // put before the names of its tools, so that those of two servers do not clash
	MaxOutput int           // bytes of what one call may say to the model; 0 means 100,000
	Within    time.Duration // how long a connection may take to be made; 0 means 30 s for a program, and 2 s for a URL
	Grace     time.Duration // how long a program may take to end at Close before it is told to, and then killed; 0 means 2 s
}

const (
	defaultMaxOutput = 100_000
	defaultWithin    = 30 * time.Second // programs may have to be downloaded first
	defaultWithinURL = 2 * time.Second
	defaultGrace     = 2 * time.Second
)

// check tells what is wrong with a server's description, and fills in what is not said.
func (s Server) check() (Server, error) {
	switch {
	case len(s.Command) == 0 && s.URL == "":
		return s, errors.New("mcp: expected a server with a Command or a URL, found neither")
	case len(s.Command) > 0 && s.URL != "":
		return s, errors.New("mcp: expected a server with a Command or a URL, found both")
	case len(s.Command) > 0 && (len(s.Header) > 0 || len(s.HeaderEnv) > 0 || s.TokenEnv != "" || s.TokenFile != ""):
		return s, errors.New("mcp: headers and tokens are for a server with a URL; hand secrets to a Command in Env")
	case s.URL != "" && (s.Dir != "" || len(s.Env) > 0):
		return s, errors.New("mcp: Dir and Env are for a server with a Command")
	case s.TokenEnv != "" && s.TokenFile != "":
		return s, errors.New("mcp: expected a token from TokenEnv or from TokenFile, found both")
	}
	if s.URL != "" {
		address, err := url.Parse(s.URL)
		if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
			return s, errors.New("mcp: expected a URL such as \"http://127.0.0.1:8080/mcp\", found another form")
		}
	}
	s.Name = s.called()
	if s.MaxOutput <= 0 {
		s.MaxOutput = defaultMaxOutput
	}
	if s.Within <= 0 {
		s.Within = defaultWithin
		if s.URL != "" {
			s.Within = defaultWithinURL
		}
	}
	if s.Grace <= 0 {
		s.Grace = defaultGrace
	}
	return s, nil
}

// called is the server's name, or what stands for it.
func (s Server) called() string {
	switch {
	case s.Name != "":
		return s.Name
	case len(s.Command) > 0:
		return s.Command[0]
	}
	address, err := url.Parse(s.URL)
	if err != nil || address.Host == "" {
		return "without a name"
	}
	var hidden secrets
	hidden.addPath(address)
	return hidden.scrub(address.Scheme + "://" + address.Host + address.Path)
}

// Format prints the name, whatever the verb: other fields may be secrets.
func (s Server) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "MCP server "+s.called()) }

// LogValue is the name, too.
func (s Server) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(s)) }

// Format prints the name of the server.
func (c *Client) Format(f fmt.State, _ rune) { c.server.Format(f, 'v') }

// secrets are texts that must be in no error.
type secrets []string

// shortestSecret is the length from which a value is taken for a secret. To blank out shorter ones would garble errors
// and tell more than it hides.
const shortestSecret = 4

// shortestPiece is the same for a word of a value: of "Bearer …", or a line of a key in several.
const shortestPiece = 8

func (all *secrets) add(value string) {
	if len(value) >= shortestSecret {
		*all = append(*all, value)
	}
	for word := range strings.FieldsSeq(value) {
		if len(word) >= shortestPiece && word != value {
			*all = append(*all, word)
		}
	}
}

// addAddress adds what of an address may be a secret: who asks, the query, and keys in the path.
func (all *secrets) addAddress(address *url.URL) {
	all.add(address.RawQuery)
	for _, values := range address.Query() {
		for _, value := range values {
			all.add(value)
		}
	}
	if address.User != nil {
		password, _ := address.User.Password()
		for _, value := range []string{address.User.String(), address.User.Username(), password} {
			all.add(value)
			all.add(url.QueryEscape(value))
			all.add(url.PathEscape(value))
		}
	}
	all.addPath(address)
}

// addPath adds the words of a path that no person has chosen: some services put the key there.
func (all *secrets) addPath(address *url.URL) {
	for _, word := range slices.Concat(strings.Split(address.Path, "/"), strings.Split(address.EscapedPath(), "/")) {
		if looksLikeKey(word) {
			all.add(word)
		}
	}
}

// keys are those that look like keys. Others may be names and places, which a model has to read in what a tool says.
func (all secrets) keys() secrets {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !looksLikeKey(s) })
}

func looksLikeKey(s string) bool {
	const shortest, digits = 12, "0123456789"
	return len(s) >= shortest && strings.ContainsAny(s, digits) && strings.Trim(s, digits) != "" &&
		!strings.HasPrefix(s, "/") && !strings.Contains(s, "://")
}

// scrub takes the secrets out of a text, the longest first, as one may be part of another.
func (all secrets) scrub(text string) string {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b string) int { return len(b) - len(a) })
	for _, secret := range sorted {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}

// way makes one connection. Variables and files are read again for each, so that a token may be renewed.
type way struct {
	transport sdk.Transport
	secrets   secrets
	stderr    *tail        // of a program
	client    *http.Client // of a URL
	pulse     *pulse       // likewise
}

func (s Server) way() (way, error) {
	if s.URL != "" {
		return s.overHTTP()
	}
	w := way{stderr: &tail{limit: quotedStderr}}
	env, err := s.environment(&w.secrets)
	if err != nil {
		return w, err
	}
	cmd := exec.Command(s.Command[0], s.Command[1:]...) //nolint:noctx // what the caller says; it outlives the call that starts it
	cmd.Dir, cmd.Env, cmd.Stderr = s.Dir, env, w.stderr
	cmd.WaitDelay = time.Second // a child of the program may hold its outputs open
	w.transport = exactTransport{&sdk.CommandTransport{Command: cmd, TerminateDuration: s.Grace}}
	return w, nil
}

// plainVariables are those that programs need to find their files and to speak the user's language.
func plainVariables() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP",
		"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "USERPROFILE",
	}
}

func (s Server) environment(hidden *secrets) ([]string, error) {
	env := []string{} // not nil: that would hand over everything
	for _, name := range plainVariables() {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, variable := range s.Env {
		name, value, given := strings.Cut(variable, "=")
		if !given {
			var err error
			if value, err = s.variable(name); err != nil {
				return nil, err
			}
		}
		hidden.add(value)
		env = append(env, name+"="+value)
	}
	return env, nil
}

func (s Server) variable(name string) (string, error) {
	value := os.Getenv(name)
	if value == "" {
		return "", fmt.Errorf("mcp server %s: the environment variable %s is not set", s.Name, name)
	}
	return value, nil
}

func (s Server) overHTTP() (way, error) {
	var w way
	address, err := url.Parse(s.URL)
	if err != nil {
		return w, fmt.Errorf("mcp server %s: its URL cannot be read", s.Name)
	}
	w.secrets.addAddress(address)
	header := make(http.Header)
	for name, value := range s.Header {
		header.Set(name, value)
		w.secrets.add(value)
	}
	for _, name := range slices.Sorted(maps.Keys(s.HeaderEnv)) {
		value, err := s.variable(s.HeaderEnv[name])
		if err != nil {
			return w, err
		}
		header.Set(name, value)
		w.secrets.add(value)
	}
	token, err := s.token()
	if err != nil {
		return w, err
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
		w.secrets.add(token)
	}
	base := http.DefaultTransport
	if own, ok := base.(*http.Transport); ok {
		base = own.Clone()
	}
	w.pulse = newPulse()
	w.client = &http.Client{
		Transport:     &headers{base: base, add: header, scheme: address.Scheme, host: address.Host, pulse: w.pulse},
		CheckRedirect: staying(address),
	}
	w.transport = &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: w.client, DisableStandaloneSSE: true}
	return w, nil
}

// staying refuses to be sent to another host: it would be told what a tool is called with, and the session.
func staying(at *url.URL) func(next *http.Request, before []*http.Request) error {
	return func(next *http.Request, before []*http.Request) error {
		const most = 10
		switch {
		case next.URL.Scheme != at.Scheme || next.URL.Host != at.Host:
			return fmt.Errorf("the URL leads elsewhere, to %s://%s; name the place itself", next.URL.Scheme, next.URL.Host)
		case len(before) >= most:
			return fmt.Errorf("the URL leads on more than %d times", most)
		}
		return nil
	}
}

func (s Server) token() (string, error) {
	switch {
	case s.TokenEnv != "":
		return s.variable(s.TokenEnv)
	case s.TokenFile != "":
		data, err := os.ReadFile(s.TokenFile)
		if err != nil {
			return "", fmt.Errorf("mcp server %s: its token: %w", s.Name, err)
		}
		token := strings.TrimSpace(string(data))
		if token == "" || strings.ContainsAny(token, "\r\n") {
			return "", fmt.Errorf("mcp server %s: expected one line with a token in %s, found another text", s.Name, s.TokenFile)
		}
		return token, nil
	}
	return "", nil
}

// headers adds headers to requests for one host. Others get none: they may be secrets.
type headers struct {
	base         http.RoundTripper
	add          http.Header
	scheme, host string
	pulse        *pulse
}

// RoundTrip implements http.RoundTripper.
func (h *headers) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme == h.scheme && req.URL.Host == h.host {
		req = req.Clone(req.Context())
		maps.Copy(req.Header, h.add)
	}
	ctx, cancel := context.WithCancel(req.Context())
	forget := context.AfterFunc(h.pulse.ctx, cancel)
	over := func() {
		forget()
		cancel()
	}
	s := sendingOf(req)
	resp, err := h.base.RoundTrip(req.WithContext(ctx))
	if err != nil {
		over()
	} else {
		h.pulse.hear()
		if s != nil {
			s.unknown.Store(resp.StatusCode == http.StatusNotFound)
		}
		resp.Body = &heard{resp.Body, h.pulse, over}
		kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
		events := kind == "text/event-stream" // which are bounded, each
		if !events {
			resp.Body = &bounded{ReadCloser: resp.Body, left: mostOfAnAnswer}
		}
		resp.Body = newExactBody(resp.Body, events)
	}
	return resp, err
}

// heard is a body that notes that the server says something.
type heard struct {
	io.ReadCloser
	pulse *pulse
	over  func() // releases what the request holds
}

// Close implements io.Closer.
func (b *heard) Close() error {
	defer b.over()
	return b.ReadCloser.Close()
}

// Read implements io.Reader.
func (b *heard) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.pulse.hear()
	}
	return n, err
}

// mostOfAnAnswer is how many bytes a server may answer with at once: what it says is held as a whole.
const mostOfAnAnswer = 16 << 20

// bounded is a body that ends with an error where there is more to it than is left.
type bounded struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return n, fmt.Errorf("the answer has more than %d bytes", mostOfAnAnswer)
	}
	return n, err
}

// CloseIdleConnections is what http.Client asks of a transport.
func (h *headers) CloseIdleConnections() {
	if base, ok := h.base.(*http.Transport); ok {
		base.CloseIdleConnections()
	}
}
