package channeltest

import (
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Sent is a message as a provider got it.
type Sent struct {
	To       string // where it goes, as the provider names it
	Text     string
	Choices  []string
	Payloads []string // of the buttons, where they hold more than the choices: see channels.ReadPayload
}

// Verdict is what a provider does with a message. The zero value takes it.
type Verdict struct {
	Status     int           // of HTTP; 0 for success
	RetryAfter time.Duration // in whole seconds
	Silent     bool          // it ends the connection without an answer
}

// Provider is the other side of a channel, in memory.
type Provider struct {
	mu       sync.Mutex
	verdicts []Verdict
	sent     []Sent
	tries    int
	changed  chan struct{} // closed at the next message
}

// Plan has the next messages met by these verdicts, one each.
func (p *Provider) Plan(v ...Verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.verdicts = append(p.verdicts, v...)
}

// Take takes a message in, or says why not.
func (p *Provider) Take(s Sent) Verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tries++
	var v Verdict
	if len(p.verdicts) > 0 {
		v, p.verdicts = p.verdicts[0], p.verdicts[1:]
	}
	if v.Status/100 == 2 || v == (Verdict{}) {
		p.sent = append(p.sent, s)
		if p.changed != nil {
			close(p.changed)
			p.changed = nil
		}
	}
	return v
}

// Sent is all that was taken, and how often something was tried.
func (p *Provider) Sent() (all []Sent, tries int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Sent(nil), p.sent...), p.tries
}

// wait returns a channel that is closed when more was taken.
func (p *Provider) wait() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// HTTP serves the provider's API. Read finds the message of a request; ok is the response to one that was taken.
func (p *Provider) HTTP(read func(r *http.Request, body []byte) (Sent, error), ok string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s, err := read(r, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		v := p.Take(s)
		switch {
		case v.Silent:
			panic(http.ErrAbortHandler)
		case v.RetryAfter > 0:
			w.Header().Set("Retry-After", strconv.Itoa(int(v.RetryAfter/time.Second)))
		}
		w.Header().Set("Content-Type", "application/json")
		if v.Status != 0 {
			w.WriteHeader(v.Status)
		}
		_, _ = io.WriteString(w, ok)
	})
}
