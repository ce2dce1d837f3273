package channels

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
)

// Options configure a Driver. Runtime, Dialogue, Store and Channels are required.
type Options struct {
	Runtime  *fermata.Runtime   // runs the conversations
	Dialogue *dialogue.Dialogue // that is held with every user
	Store    journal.Store      // the runtime's, which holds the mailboxes as well
	Channels []Channel          // each with a name of its own

	// Open says what the conversation of a user begins with (see dialogue.Conversations.Open). An error is logged, and
	// asked about again later. Defaults to nothing.
	Open func(ctx context.Context, channel string, m Message) (map[string]any, error)
	// Address is the public address that providers call, up to the path: "https://bot.example.com". Signatures of Twilio
	// contain it. Defaults to https and the host that a request names.
	Address string
	// Sweep is how often the driver looks for conversations that have said something unasked, as after a silence or by a
	// person who has taken over, and for mailboxes of processes that died. Defaults to 5 seconds.
	Sweep time.Duration
	// Lease is how long a process owns its mailboxes after its last sign of life. Defaults to 15 seconds.
	Lease time.Duration
	// Backoff is the pause before the first repeat of what failed. It doubles, up to MaxBackoff, and is shortened by
	// chance by up to a half. Defaults to half a second.
	Backoff time.Duration
	// MaxBackoff defaults to a minute. A longer wish of a provider (Retry-After) is respected, up to an hour.
	MaxBackoff time.Duration
	// GiveUp is how long sending one message is tried before it is logged and left out. Defaults to 24 hours.
	GiveUp time.Duration
	// AtMostOnce leaves out an answer of which nobody knows whether the provider has taken it, as after a timeout or a crash in the
	// middle of sending, and logs that. Defaults to sending it again.
	AtMostOnce bool
	// Patience is how long an Answerer's request waits for the conversation. Defaults to 8 seconds.
	Patience time.Duration
	// Logger gets what failed, without texts and secrets. Defaults to discarding it.
	Logger *slog.Logger
}

func (o *Options) fill() {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&o.Sweep, 5 * time.Second},
		{&o.Lease, 15 * time.Second},
		{&o.Backoff, time.Second / 2},
		{&o.MaxBackoff, time.Minute},
		{&o.GiveUp, 24 * time.Hour},
		{&o.Patience, 8 * time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.Address = strings.TrimSuffix(o.Address, "/")
}

// Driver connects channels with conversations. It is an http.Handler for the requests of providers; [Driver.Run] does
// the work that follows. Several processes may drive the same channels on one store.
type Driver struct {
	o        Options
	name     string // of this driver, in leases
	talks    *dialogue.Conversations
	channels map[string]Channel

	mu      sync.Mutex      // guards all below, and the marked fields of boxes
	boxes   map[string]*box // that are not over, and those that are used
	running context.Context // of Run; nil where it does not run
	workers sync.WaitGroup
}

// New makes a driver.
func New(o Options) (*Driver, error) {
	o.fill()
	d := &Driver{
		o: o, name: "channels-" + rand.Text(), channels: make(map[string]Channel), boxes: make(map[string]*box),
	}
	if o.Runtime == nil || o.Dialogue == nil || o.Store == nil || len(o.Channels) == 0 {
		return nil, errors.New("channels: expected Options with a Runtime, a Dialogue, a Store and at least one of Channels")
	}
	for _, ch := range o.Channels {
		name := ch.Name()
		if !plainUser.MatchString(name) {
			return nil, fmt.Errorf("channels: the name %q of a channel: expected letters, digits and -._@+=", name)
		}
		if d.channels[name] != nil {
			return nil, fmt.Errorf("channels: two channels have the name %q", name)
		}
		d.channels[name] = ch
	}
	if o.Address != "" {
		if u, err := url.Parse(o.Address); err != nil || u.Host == "" || u.RawQuery != "" {
			return nil, fmt.Errorf("channels: Options.Address %q: expected an address such as https://bot.example.com", o.Address)
		}
	}
	d.talks = dialogue.NewConversations(o.Runtime, o.Dialogue, dialogue.ConversationOptions{})
	return d, nil
}

// Conversations are those that the driver holds. Their ids are "slack:T012-D345": the name of the channel and the user.
func (d *Driver) Conversations() *dialogue.Conversations { return d.talks }

// longestRequest bounds the body of a request. Those of WhatsApp have up to 3 MB.
const longestRequest = 4 << 20

// ServeHTTP takes a request of a provider. The last element of its path is the name of the channel.
func (d *Driver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ch := d.channels[path.Base(r.URL.Path)]
	if ch == nil {
		http.Error(w, "no channel has this name", http.StatusNotFound)
		return
	}
	if r.Method != http.MethodPost && r.Method != http.MethodGet {
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "expected GET or POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longestRequest))
	if err != nil {
		status := http.StatusBadRequest
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, "the body is too large or was cut off", status)
		return
	}
	request := &Request{
		Method: r.Method, URL: d.address(r), Query: r.URL.Query(), Header: r.Header, Body: body, Now: time.Now(),
	}
	got, err := ch.Receive(request)
	if err != nil {
		d.refuse(w, r, ch, err)
		return
	}
	for i := range got.Messages {
		if err := d.accept(r.Context(), ch, &got.Messages[i]); err != nil {
			d.refuse(w, r, ch, err)
			return
		}
	}
	if a, ok := ch.(Answerer); ok && len(got.Messages) > 0 {
		if last := &got.Messages[len(got.Messages)-1]; !last.Gone {
			d.answer(w, r, a, request, last.User)
			return
		}
	}
	_ = got.Response.write(w) // a provider that has gone sends its request again
}

func (d *Driver) address(r *http.Request) string {
	base := d.o.Address
	if base == "" {
		base = "https://" + r.Host
	}
	return base + r.URL.RequestURI()
}

func (r Response) write(w http.ResponseWriter) error {
	if r.Type != "" {
		w.Header().Set("Content-Type", r.Type)
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Status != 0 {
		w.WriteHeader(r.Status)
	}
	if len(r.Body) > 0 {
		if _, err := w.Write(r.Body); err != nil {
			return err
		}
	}
	return http.NewResponseController(w).Flush()
}

// errFull says that too many messages of a user wait.
var errFull = fmt.Errorf("%d messages of the user wait", maxWaiting)

// refuse answers a request that has no effect. Providers repeat those with a status of 5xx or 429.
func (d *Driver) refuse(w http.ResponseWriter, r *http.Request, ch Channel, err error) {
	log := d.o.Logger.With("channel", ch.Name(), "error", err)
	switch {
	case errors.Is(err, ErrForged):
		log.WarnContext(r.Context(), "a request was not signed by its provider")
		http.Error(w, ErrForged.Error(), http.StatusUnauthorized)
	case errors.Is(err, ErrMalformed):
		log.WarnContext(r.Context(), "a request could not be read")
		http.Error(w, ErrMalformed.Error(), http.StatusBadRequest)
	case errors.Is(err, errFull):
		log.WarnContext(r.Context(), "a message was not accepted")
		w.Header().Set("Retry-After", "30")
		http.Error(w, "too many messages wait", http.StatusTooManyRequests)
	default:
		log.ErrorContext(r.Context(), "a message could not be stored")
		w.Header().Set("Retry-After", "5")
		http.Error(w, "the message could not be stored", http.StatusServiceUnavailable)
	}
}

// accept stores a message in the mailbox of its user, once.
func (d *Driver) accept(ctx context.Context, ch Channel, m *Message) error {
	if m.User == "" || m.ID == "" {
		return fmt.Errorf("%w: a message without a user or an id", ErrMalformed)
	}
	if len(m.Language) > longestHint {
		m.Language = ""
	}
	b := d.box(mailboxID(ch.Name(), m.User))
	defer d.leave(b)
	_, err := b.update(context.WithoutCancel(ctx), func(have *mailbox) (*change, error) {
		switch {
		case m.Gone && (have.User == "" || have.Over), have.heard(m.ID), m.Text == "" && have.User != "" && !have.Over && !m.Gone:
			return nil, nil //nolint:nilnil // it changes nothing, or has come before
		case m.Gone:
			return &change{Over: true, Round: have.Round}, nil
		case len(have.Waiting) >= maxWaiting:
			return nil, errFull
		}
		c := &change{In: m, Next: have.Over}
		if have.User == "" {
			c.Channel, c.User = ch.Name(), m.User
		}
		return c, nil
	})
	if err == nil {
		d.wake(b)
	}
	return err
}

// box finds a mailbox, or makes an empty one to load later. The caller leaves it in the end.
func (d *Driver) box(id string) *box {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.boxes[id]
	if b == nil {
		b = &box{id: id, store: d.o.Store}
		d.boxes[id] = b
	}
	b.users++
	return b
}

// Run sends the answers of conversations until ctx is done. It continues after a crash, and keeps the process's lease.
// It returns when its work has stopped; nothing is lost by that.
func (d *Driver) Run(ctx context.Context) error {
	if err := d.beat(ctx, d.o.Lease); err != nil {
		return fmt.Errorf("channels: %w", err)
	}
	d.mu.Lock()
	if d.running != nil {
		d.mu.Unlock()
		return errors.New("channels: the driver is running already")
	}
	d.running = ctx
	d.mu.Unlock()
	beats, sweeps := time.NewTicker(d.o.Lease/3), time.NewTicker(d.o.Sweep)
	defer beats.Stop()
	defer sweeps.Stop()
	for d.sweep(ctx); ctx.Err() == nil; {
		select {
		case <-beats.C:
			if err := d.beat(ctx, d.o.Lease); err != nil && ctx.Err() == nil {
				d.o.Logger.ErrorContext(ctx, "the lease could not be renewed", "error", err)
			}
		case <-sweeps.C:
			d.sweep(ctx)
		case <-ctx.Done():
		}
	}
	d.mu.Lock()
	d.running = nil
	d.mu.Unlock()
	d.workers.Wait()
	return d.beat(context.WithoutCancel(ctx), 0)
}

// beat renews the process's lease, or ends it.
func (d *Driver) beat(ctx context.Context, ttl time.Duration) error {
	if l, ok := journal.As[journal.Leaser](d.o.Store); ok {
		return l.Beat(ctx, d.name, ttl)
	}
	return nil
}

// alive reports whether another process works on a mailbox. A store without leases belongs to one process.
func (d *Driver) alive(ctx context.Context, worker string) (bool, error) {
	l, ok := journal.As[journal.Leaser](d.o.Store)
	if !ok || worker == "" || worker == d.name {
		return false, nil
	}
	left, err := l.Left(ctx, worker)
	return left > 0, err
}

// sweep wakes workers for mailboxes that are not over and whose conversation has moved, or that hold messages.
func (d *Driver) sweep(ctx context.Context) {
	rows, err := d.o.Store.Runs(ctx, journal.RunFilter{Definition: true, Plan: mailboxPlan, Status: "paused"})
	if err == nil {
		var talks []fermata.RunInfo
		if talks, err = d.o.Runtime.Runs(ctx, journal.RunFilter{Plan: d.o.Dialogue.Plan().Name()}); err == nil {
			heads := make(map[string]uint64, len(talks))
			for i := range talks {
				heads[talks[i].ID] = talks[i].Head
			}
			err = d.look(ctx, rows, heads)
		}
	}
	if err != nil && ctx.Err() == nil {
		d.o.Logger.ErrorContext(ctx, "mailboxes could not be read", "error", err)
	}
}

func (d *Driver) look(ctx context.Context, rows []journal.RunRow, heads map[string]uint64) error {
	for i := range rows {
		b := d.box(rows[i].ID)
		m, err := b.upTo(ctx, rows[i].Head)
		if err == nil && d.channels[m.Channel] != nil { // else it is of another program
			d.mu.Lock()
			idle := len(m.Waiting) == 0 && b.round == m.Round && b.seen >= heads[m.conversation()]
			d.mu.Unlock()
			if !idle {
				d.wake(b)
			}
		}
		d.leave(b)
		if err != nil {
			return err
		}
	}
	return nil
}

// wake has a worker look at a mailbox, now or once more.
func (d *Driver) wake(b *box) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b.working || d.running == nil || d.running.Err() != nil {
		b.again = true
		return
	}
	b.working = true
	ctx := d.running
	d.workers.Go(func() { d.work(ctx, b) })
}

// rest ends a worker, unless the mailbox was woken meanwhile.
func (d *Driver) rest(b *box, over bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b.again && d.running != nil && d.running.Err() == nil {
		b.again = false
		return false
	}
	b.working, b.over = false, over
	d.forget(b)
	return true
}

// leave ends a use of a mailbox.
func (d *Driver) leave(b *box) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b.users--
	d.forget(b)
}

// forget drops a mailbox that is over and unused.
func (d *Driver) forget(b *box) {
	if b.over && b.users == 0 && !b.working {
		delete(d.boxes, b.id)
	}
}
