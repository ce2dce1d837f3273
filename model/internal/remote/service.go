package remote

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/fermata-go/fermata/model"
)

// Provider is what is known of a provider beforehand.
type Provider struct {
	Name      string      // "OpenAI"
	Env       string      // how its variables begin: "OPENAI", for OPENAI_API_KEY and OPENAI_BASE_URL
	URL       string      // of its own service
	KeyHeader string      // the header that has the key
	KeyPrefix string      // what is in front of the key there: "Bearer "
	Header    http.Header // of all requests beside that
}

// Options say which service is meant, where not the provider's own. The zero value means that one.
type Options struct {
	BaseURL    string        // defaults to the variable …_BASE_URL, or else to the provider's
	KeyEnv     string        // the variable that has the key. Defaults to …_API_KEY
	KeyFile    string        // a file that has the key, in place of a variable
	NoKey      bool          // the service wants none
	Idle       time.Duration // how long nothing may come. Defaults to DefaultIdle; below 0 for ever
	HTTPClient *http.Client  // defaults to http.DefaultClient
}

// Service is where a model is asked, and the key to it.
type Service struct {
	URL  string // ends with a slash
	Host string // of the URL, with its port
	Key  Key    // the zero Key for none

	client   *http.Client // follows no redirects
	provider Provider
	idle     time.Duration
}

// Open finds the service and its key. It fails with model.ErrInvalid for a URL that is none, and where there is no key;
// a service on this machine needs none. The service is not asked anything.
func Open(p Provider, o Options) (*Service, error) {
	base := cmp.Or(o.BaseURL, os.Getenv(p.Env+"_BASE_URL"), p.URL)
	u, err := url.Parse(base)
	switch { // a URL may hold secrets, and is shown by its host alone
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, invalid("the base URL of %s is not a URL: expected one like %s", p.Name, p.URL)
	case u.User != nil:
		return nil, invalid("the base URL of %s at %s has a user or a password in it; keys are read from a variable or a file", p.Name, u.Host)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, invalid("the base URL of %s at %s has a query or a fragment, which would get lost", p.Name, u.Host)
	}
	s := &Service{URL: strings.TrimRight(u.String(), "/") + "/", Host: u.Host, client: unredirected(o.HTTPClient, p.Name), provider: p, idle: o.Idle}
	if o.NoKey {
		return s, nil
	}
	var sought string
	s.Key, sought, err = findKey(cmp.Or(o.KeyEnv, p.Env+"_API_KEY"), o.KeyFile)
	if err != nil {
		return nil, err
	}
	if s.Key.Secret() == "" && !loopback(u.Hostname()) {
		return nil, invalid("there is no key for %s at %s: looked for %s; a service that wants no key needs NoKey", p.Name, u.Host, sought)
	}
	return s, nil
}

// loopback says whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// unredirected is the client, but without redirects: they would take the key, and what is asked, to somebody else.
func unredirected(client *http.Client, name string) *http.Client {
	if client == nil {
		client = http.DefaultClient
	}
	with := *client
	with.CheckRedirect = func(next *http.Request, _ []*http.Request) error {
		return invalid("the base URL of %s leads elsewhere, to %s://%s; name the place itself", name, next.URL.Scheme, next.URL.Host)
	}
	return &with
}

// refused is the error for an answer that says why there is no reply.
func (s *Service) refused(resp *http.Response, p *problem) *model.Error {
	err := &model.Error{Kind: kindOf(resp.StatusCode, p)}
	if err.Kind == model.ErrRateLimited || err.Kind == model.ErrUnavailable {
		err.RetryAfter = retryAfter(resp.Header)
	}
	said := strings.TrimSpace(fmt.Sprintf("%s answered %d %s", s.Host, resp.StatusCode, http.StatusText(resp.StatusCode)))
	switch {
	case p.message != "":
		said += ": " + p.message
	case resp.StatusCode == http.StatusNotFound:
		said += "; is the base URL right?"
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		if s.Key.From() == "" {
			said += "; no key was sent"
		} else {
			said += "; the key is from " + s.Key.From()
		}
	}
	err.Message = s.tidy(said)
	return err
}

// gaveUp is the error for an event of a stream that says why the reply does not go on.
func (s *Service) gaveUp(event []byte) error {
	p := readProblem(event)
	text := s.Host + " gave up in the middle of the reply"
	if p.message != "" {
		text += ": " + p.message
	}
	return &model.Error{Kind: kindOf(p.status, &p), Message: s.tidy(text)}
}

// cut is the error for a stream that ended before its reply did.
func (s *Service) cut() error {
	return &model.Error{Kind: model.ErrUnavailable, Message: "the stream from " + s.Host + " ended before the reply did"}
}

// failed is the error that a caller is given for an error of a request or a stream: the context's where that is done;
// model.ErrMalformed for an event that is not what it must be; and model.ErrUnavailable for connections that cannot be
// made or break, since the next one may hold. The error itself is not kept: it has the request in it, and so the key.
func (s *Service) failed(ctx context.Context, err error) error {
	if stopped := ctx.Err(); stopped != nil {
		return stopped
	}
	if known, ok := errors.AsType[*model.Error](err); ok {
		said := *known
		said.Message = s.tidy(said.Message) // where a redirect leads is said by the service, which has the key
		return &said
	}
	kind := model.ErrUnavailable
	if malformed(err) {
		kind = model.ErrMalformed
	}
	return &model.Error{Kind: kind, Message: s.tidy(err.Error())}
}

// tidy is a text for an error: without the key, on one line, and not too long.
func (s *Service) tidy(text string) string {
	text = strings.Join(strings.Fields(s.Key.Scrub(text)), " ")
	if short := []rune(text); len(short) > 600 {
		text = string(short[:600]) + "…"
	}
	return text
}

// Idempotency hashes the key of a request, so that it fits any header and tells the service nothing.
func Idempotency(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

//go:noinline // called in many places, for the weight of the command (ADR 060)
func invalid(format string, args ...any) *model.Error {
	return &model.Error{Kind: model.ErrInvalid, Message: fmt.Sprintf(format, args...)}
}

// Invalid is the error for a request that cannot be put in the words of a service.
func Invalid(format string, args ...any) error { return invalid(format, args...) }
