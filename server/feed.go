package server

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// changedRun is a run that has changed, as it stands on the wire.
type changedRun struct {
	Cursor  string     `json:"cursor"`
	Run     string     `json:"run"`
	Plan    string     `json:"plan"`
	Kind    string     `json:"kind"`
	Status  string     `json:"status,omitempty"`
	Seq     uint64     `json:"seq,omitempty"`     // of the last event, at least
	Waiting int        `json:"waiting,omitempty"` // open questions
	Updated *time.Time `json:"updated,omitempty"`
	Gone    bool       `json:"gone,omitempty"`
}

// changes streams which runs have changed (law W8).
func (h *handler) changes(w http.ResponseWriter, r *http.Request, person Person) {
	q := newQuery(r, "after", "follow")
	f := &followed{h: h, who: &listener{h: h, r: r, person: person}, after: q.values.Get("after"), follow: true}
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		f.after = id
	}
	if text := q.values.Get("follow"); text != "" {
		var err error
		if f.follow, err = strconv.ParseBool(text); err != nil {
			q.wrong("parameter follow: expected true or false, found %q", text)
		}
	}
	err := q.err
	if err == nil {
		err = f.begin(r.Context())
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	streamed(w)
	if r.Method == http.MethodHead {
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	s := newStream(ctx, func() { cancel(nil) }, w, &h.o)
	defer s.close()
	defer f.who.watch(ctx, cancel)()
	s.text("retry: " + strconv.FormatInt(h.o.Retry.Milliseconds(), 10) + "\n\n")
	defer f.remind(ctx, s)()
	if err := f.send(ctx, s); err != nil {
		s.named("error", h.explain(ctx, "feed", err))
	}
}

// followed is the feed for one client.
type followed struct {
	h      *handler
	who    *listener
	after  string // where it begins
	follow bool
	veil   veil

	mu   sync.Mutex
	last string // the cursor behind what was read; "" before
}

// begin finds out where the client was, and refuses a cursor that means nothing.
func (f *followed) begin(ctx context.Context) error {
	now, err := f.h.rt.FeedCursor(ctx)
	if err != nil {
		return err
	}
	place, err := journal.FeedPlaceOf(now)
	if err != nil {
		return err
	}
	if f.veil, err = newVeil(place.Order); err != nil {
		return err
	}
	switch f.after {
	case fermata.FeedNow:
		f.after = now
	default:
		if plain, ok := f.veil.open(f.after); ok {
			f.after = plain
		}
	}
	f.last = f.after
	for _, err := range f.h.rt.Feed(ctx, f.after, false) {
		if errors.Is(err, journal.ErrQuery) {
			return malformed(fmt.Sprintf("parameter after, or header Last-Event-ID: %v", err))
		}
		return err // of the first change
	}
	return nil
}

// send sends the changes that the person may see.
func (f *followed) send(ctx context.Context, s *stream) error {
	f.cursor(s)
	for c, err := range f.h.rt.Feed(ctx, f.after, f.follow) {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		f.mu.Lock()
		f.last = c.Cursor
		f.mu.Unlock()
		if person := f.who.who(); f.h.reads(&person, c.Run, nil) {
			s.text(f.changed(&c, person.Reads != nil))
		}
	}
	if lost, ok := errors.AsType[*lostError](context.Cause(ctx)); ok {
		return lost.err
	}
	if ctx.Err() == nil && !f.follow {
		f.cursor(s)
	}
	return nil
}

// changed is a change as it stands on the wire.
func (f *followed) changed(c *fermata.RunChange, scoped bool) string {
	row := &c.Run
	shown := changedRun{Cursor: c.Cursor, Run: row.ID, Plan: row.Plan, Kind: row.Kind, Gone: c.Gone}
	if scoped {
		shown.Cursor = f.veil.seal(c.Cursor)
	}
	if !c.Gone {
		at := time.UnixMicro(row.Updated).UTC()
		shown.Status, shown.Seq, shown.Waiting, shown.Updated = row.Status, row.Head, row.Waiting, &at
	}
	return "id: " + shown.Cursor + "\n" + named("changed", shown)
}

// cursor says where the feed has come to, also where the person was shown nothing.
func (f *followed) cursor(s *stream) {
	f.mu.Lock()
	last := f.last
	f.mu.Unlock()
	if last == "" {
		return
	}
	if person := f.who.who(); person.Reads != nil {
		last = f.veil.seal(last)
	}
	s.text("id: " + last + "\n" + named("cursor", map[string]string{"cursor": last}))
}

// remind sends the cursor at intervals: at the same ones whether there are changes or none. The returned function ends that.
func (f *followed) remind(ctx context.Context, s *stream) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(f.h.o.Heartbeat)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				f.cursor(s)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// veil hides from people what cursors count: changes of all runs, also of those that they may not know of (law H8).
type veil struct{ aead cipher.AEAD }

// sealedCursor begins a cursor behind a veil.
const sealedCursor = "s"

// cursorSize is the length of what is sealed, so that its length says nothing.
const cursorSize = 160

// newVeil makes the veil of a store. The name of its order is in no cursor that is sealed, so who has only such ones cannot lift it.
func newVeil(order string) (veil, error) {
	key := sha256.Sum256([]byte("fermata feed " + order))
	c, err := aes.NewCipher(key[:])
	if err != nil {
		return veil{}, err
	}
	aead, err := cipher.NewGCM(c)
	return veil{aead}, err
}

func (v veil) seal(cursor string) string {
	nonce := make([]byte, v.aead.NonceSize(), v.aead.NonceSize()+cursorSize+v.aead.Overhead())
	_, _ = rand.Read(nonce) // which never fails
	plain := append(make([]byte, 0, cursorSize), cursor...)
	for len(plain) < cursorSize {
		plain = append(plain, ' ')
	}
	return sealedCursor + base64.RawURLEncoding.EncodeToString(v.aead.Seal(nonce, nonce, plain, nil))
}

func (v veil) open(text string) (cursor string, ok bool) {
	if len(text) == 0 || text[:1] != sealedCursor {
		return "", false
	}
	data, err := base64.RawURLEncoding.DecodeString(text[1:])
	if err != nil || len(data) < v.aead.NonceSize() {
		return "", false
	}
	plain, err := v.aead.Open(nil, data[:v.aead.NonceSize()], data[v.aead.NonceSize():], nil)
	return string(bytes.TrimRight(plain, " ")), err == nil
}
