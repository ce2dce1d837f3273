package identity

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fermata-go/fermata/settings"
)

// Session is a login in a browser: what an issuer has signed about a person, and how long it counts.
type Session struct {
	ID         string    `json:"id"`                   // in the secret behind its prefix; not a secret
	Realm      string    `json:"realm"`                // of whose logins it is one; another realm does not know it
	Subject    string    `json:"subject"`              // who the person is at the issuer
	IssuerID   string    `json:"issuerId,omitempty"`   // the id of the session at the issuer, where it has one
	Person     string    `json:"person"`               // the id of the person
	PersonName string    `json:"personName,omitempty"` // what the person is called where they are shown
	Groups     []string  `json:"groups,omitempty"`     // of the person, as the issuer names them
	Created    time.Time `json:"created"`
	Expires    time.Time `json:"expires"`
}

// MaxSession is how long a session can last.
const MaxSession = 7 * 24 * time.Hour

// keepSessions is how long sessions are kept since they have begun or were ended.
const keepSessions = 30 * 24 * time.Hour

// whatSession is the kind of settings that sessions are.
const whatSession = "session"

type keptSession struct {
	SHA256 string `json:"sha256"` // of the whole secret, in hexadecimal digits
	Session
}

// Sessions are the sessions of a store. Its methods may be called from several goroutines and processes.
type Sessions struct {
	settings *settings.Settings
	now      func() time.Time

	mu    sync.Mutex
	swept time.Time // when old sessions were looked for last
}

// NewSessions returns the sessions among settings. The time decides what is over: give that of the runtime (law J12).
func NewSessions(s *settings.Settings, now func() time.Time) *Sessions {
	return &Sessions{settings: s, now: now}
}

// Begin begins a session under a new id, and returns the secret that stands for it.
func (s *Sessions) Begin(ctx context.Context, session Session, lasts time.Duration) (Secret, Session, error) {
	if lasts <= 0 || lasts > MaxSession {
		return Secret{}, Session{}, fmt.Errorf("a session of %v: expected more than 0 and at most %v", lasts, MaxSession)
	}
	now := s.now().UTC().Truncate(time.Microsecond)
	secret, id := newSecret(sessionPrefix)
	session.ID, session.Created, session.Expires = id, now, now.Add(lasts)
	data, err := json.Marshal(keptSession{SHA256: digest(secret.Reveal()), Session: session})
	if err != nil {
		return Secret{}, Session{}, err
	}
	if len(data) > settings.MaxValue {
		return Secret{}, Session{}, fmt.Errorf("%d groups, in %d bytes: expected at most %d bytes; name a claim with fewer groups", len(session.Groups), len(data), settings.MaxValue)
	}
	if _, err := s.settings.Put(ctx, whatSession, id, 0, settings.Change{Value: data, By: session.Person}); err != nil {
		return Secret{}, Session{}, err
	}
	return secret, session, s.sweep(ctx, now)
}

// sweep removes old sessions, once an hour at most.
func (s *Sessions) sweep(ctx context.Context, now time.Time) error {
	s.mu.Lock()
	due := s.swept.IsZero() || now.Sub(s.swept) >= time.Hour
	if due {
		s.swept = now
	}
	s.mu.Unlock()
	if !due {
		return nil
	}
	_, err := s.settings.Forget(ctx, whatSession, now.Add(-keepSessions))
	return err
}

// Check finds the session of a secret. It fails with ErrNoLogin where the text is none, or that of a session that is not known or over.
func (s *Sessions) Check(ctx context.Context, text string) (Session, error) {
	id, err := idBehind(sessionPrefix, text)
	if err != nil {
		return Session{}, ErrNoLogin
	}
	d, err := s.settings.Get(ctx, whatSession, id)
	if errors.Is(err, settings.ErrNotFound) {
		return Session{}, ErrNoLogin
	}
	if err != nil {
		return Session{}, err
	}
	k, err := decodeSession(&d)
	if err != nil {
		return Session{}, err
	}
	if subtle.ConstantTimeCompare([]byte(digest(text)), []byte(k.SHA256)) != 1 || !s.now().Before(k.Expires) {
		return Session{}, ErrNoLogin
	}
	return k.Session, nil
}

func decodeSession(d *settings.Document) (k keptSession, err error) {
	if err := json.Unmarshal(d.Value, &k); err != nil {
		return k, fmt.Errorf("session %s: the document cannot be read: %w", d.Name, err)
	}
	k.ID = d.Name
	return k, nil
}

// End ends a session by its id: it is known no more, in any process, from the next request on. One that is over already is no error.
func (s *Sessions) End(ctx context.Context, id, by, why string) error {
	d, err := s.settings.Get(ctx, whatSession, id)
	if err == nil {
		_, err = s.settings.Put(ctx, whatSession, id, d.Seq, settings.Change{By: by, Why: why})
	}
	if errors.Is(err, settings.ErrNotFound) {
		return nil
	}
	return err
}

// List returns the sessions that are not over, in no order.
func (s *Sessions) List(ctx context.Context) (all []Session, err error) {
	list, err := s.settings.List(ctx, whatSession)
	if err != nil {
		return nil, err
	}
	now := s.now()
	for i := range list {
		k, err := decodeSession(&list[i])
		if err != nil {
			return nil, err
		}
		if now.Before(k.Expires) {
			all = append(all, k.Session)
		}
	}
	return all, nil
}
