package channeltest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// soon is how long a test waits for what must come.
const soon = 2 * time.Minute

// Purchases counts what was bought in the shop, by name. A purchase with the same key counts once, as at a real shop:
// an action whose process died before its outcome was stored is called again (law J5).
type Purchases struct {
	mu   sync.Mutex
	keys map[string]bool
	all  map[string]int
}

func (p *Purchases) buy(key, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.keys, p.all = make(map[string]bool), make(map[string]int)
	}
	if !p.keys[key] {
		p.keys[key] = true
		p.all[what]++
	}
}

// Count is how often something was bought.
func (p *Purchases) Count(what string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[what]
}

// Shop is the dialogue of the tests: "order something" asks what, and whether.
func Shop(t testing.TB, p *Purchases) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "shop",
		Flows: []dialogue.Flow{{
			Name: "order", Description: "Order something", Trigger: []string{"order something"},
			Slots: []dialogue.Slot{{Name: "what", Type: dialogue.Text}},
			Steps: []dialogue.Step{
				{ID: "ask", Type: dialogue.CollectStep, Slot: "what", Message: "What?"},
				{ID: "sure", Type: dialogue.ConfirmStep, Message: "Order {{ what }}?"},
				{ID: "buy", Type: dialogue.ActionStep, Call: "buy"},
				{ID: "done", Type: dialogue.InformStep, Message: "Ordered {{ what }}."},
			},
		}},
	}, dialogue.Options{Actions: []dialogue.Action{
		dialogue.MustAction("buy", "", func(ctx node.Context, in struct {
			What string `json:"what"`
		},
		) (bool, error) {
			p.buy(node.IdempotencyKey(ctx), in.What)
			return true, nil
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Stores are the stores that tests run on, by name. Each function opens the same store again.
func Stores(t testing.TB) map[string]func() journal.Store {
	t.Helper()
	inMemory := kept{memory.New()}
	file := filepath.Join(t.TempDir(), "channels.db")
	return map[string]func() journal.Store{
		"memory": func() journal.Store { return inMemory },
		"sqlite": func() journal.Store {
			s, err := sqlite.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	}
}

// kept is a store that outlives the processes on it.
type kept struct{ journal.Store }

func (kept) Close() error { return nil }

// Beat, Left, Deserted and Claim are those of the store in memory.
func (k kept) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	return k.Store.(journal.Leaser).Beat(ctx, driver, ttl)
}

func (k kept) Left(ctx context.Context, driver string) (time.Duration, error) {
	return k.Store.(journal.Leaser).Left(ctx, driver)
}

func (k kept) Deserted(ctx context.Context, q journal.WantedQuery) ([]journal.RunRow, error) {
	return k.Store.(journal.Leaser).Deserted(ctx, q)
}

func (k kept) Claim(ctx context.Context, driver, run string) (bool, error) {
	return k.Store.(journal.Leaser).Claim(ctx, driver, run)
}

var errDead = errors.New("the process is dead, as the test wants it")

// mortal is a store that its process loses at an append, before it is made or, once it is, before anybody knows.
type mortal struct {
	kept
	left  atomic.Int64 // appends until then
	after bool
	once  sync.Once
	died  chan struct{} // closed then
}

func (m *mortal) dead() bool {
	select {
	case <-m.died:
		return true
	default:
		return false
	}
}

// Append implements journal.Store.
func (m *mortal) Append(ctx context.Context, b journal.Batch) error {
	left := m.left.Add(-1)
	if left > 0 {
		return m.kept.Append(ctx, b)
	}
	err := errDead
	if left == 0 && m.after {
		err = errors.Join(m.kept.Append(ctx, b), errDead)
	}
	m.once.Do(func() { close(m.died) })
	return err
}

// Beat implements journal.Leaser: the dead give no sign of life.
func (m *mortal) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	if m.dead() {
		return errDead
	}
	return m.kept.Beat(ctx, driver, ttl)
}

// House is a process with a driver.
type House struct {
	Driver  *channels.Driver
	URL     string // of the channel
	Runtime *fermata.Runtime

	t     testing.TB
	stop  context.CancelFunc
	ended chan struct{}
	http  *httptest.Server
	store journal.Store
}

// With gives a process services beside the dialogue's own.
func With(services ...any) func(*Process) {
	return func(p *Process) { p.Services = services }
}

// Process is what a process is made with.
type Process struct {
	channels.Options
	Services []any // of the runtime
	Idle     bool  // it accepts messages and does nothing else
}

// Open starts a process on a store, quick enough for tests. Its lease outlasts them, and so does its patience with slow
// machines: a test in which it dies gives it a short lease. Change may change its options.
func Open(t testing.TB, store journal.Store, d *dialogue.Dialogue, ch channels.Channel, change ...func(*Process)) *House {
	t.Helper()
	var o Process
	o.Options = channels.Options{
		Dialogue: d, Store: store, Channels: []channels.Channel{ch}, Address: "https://bot.example.com",
		Sweep: 20 * time.Millisecond, Backoff: time.Millisecond, MaxBackoff: 20 * time.Millisecond,
		Lease: 2 * soon, Patience: soon,
	}
	for _, c := range change {
		c(&o)
	}
	rt, err := fermata.New(fermata.Options{Store: store, Lease: -1, Services: o.Services})
	if err != nil {
		t.Fatal(err)
	}
	o.Runtime = rt
	driver, err := channels.New(o.Options)
	if err != nil {
		t.Fatal(err)
	}
	h := &House{Driver: driver, Runtime: rt, t: t, ended: make(chan struct{}), http: httptest.NewServer(driver), store: store}
	h.URL = h.http.URL + "/channels/" + ch.Name()
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	go func() {
		defer close(h.ended)
		if !o.Idle {
			_ = driver.Run(ctx) // a dead process has an error
		}
	}()
	t.Cleanup(h.Close)
	return h
}

// Close ends the process, and closes its store. It may be called twice.
func (h *House) Close() {
	h.Stop()
	_ = h.store.Close()
}

// Stop ends the process, and leaves its store open for others. It may be called twice.
func (h *House) Stop() {
	if h.http == nil {
		return
	}
	h.http.Close()
	h.stop()
	<-h.ended
	_ = h.Runtime.Close()
	h.http = nil
}

// Post makes a request of the provider, and returns the status of the response; 0 for none.
func (h *House) Post(r *http.Request) int {
	h.t.Helper()
	to, err := http.NewRequestWithContext(h.t.Context(), r.Method, h.URL, r.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	to.URL.RawQuery, to.Header = r.URL.RawQuery, r.Header
	res, err := http.DefaultClient.Do(to) //nolint:gosec // to this process
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	return res.StatusCode
}

// Until waits until a provider has taken a text at least a number of times.
func (p *Provider) Until(t testing.TB, text string, times int) []Sent {
	t.Helper()
	return p.until(t, fmt.Sprintf("%q %d times", text, times), func(all []Sent) bool {
		n := 0
		for _, s := range all {
			if s.Text == text {
				n++
			}
		}
		return n >= times
	})
}

// UntilCount waits until a provider has taken a number of messages.
func (p *Provider) UntilCount(t testing.TB, n int) []Sent {
	t.Helper()
	return p.until(t, fmt.Sprint(n, " messages"), func(all []Sent) bool { return len(all) >= n })
}

// UntilAll waits until a provider has taken a text for each of some users. One of them may have got it twice, where a
// process went away before it recorded that it had sent it.
func (p *Provider) UntilAll(t testing.TB, text string, users ...string) []Sent {
	t.Helper()
	return p.until(t, fmt.Sprintf("%q for all of %q", text, users), func(all []Sent) bool {
		return !slices.ContainsFunc(users, func(user string) bool {
			return !slices.ContainsFunc(all, func(s Sent) bool { return s.To == user && s.Text == text })
		})
	})
}

// until waits for messages that are enough.
func (p *Provider) until(t testing.TB, wanted string, enough func(all []Sent) bool) []Sent {
	t.Helper()
	limit := time.After(soon)
	for {
		more := p.wait()
		all, tries := p.Sent()
		if enough(all) {
			return all
		}
		select {
		case <-more:
		case <-limit:
			t.Fatalf("the provider was not sent %s; it has %q after %d tries", wanted, texts(all), tries)
		}
	}
}

func texts(all []Sent) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s.Text
	}
	return out
}

// once leaves out what is sent again directly behind itself: a message whose process died before it was recorded.
func once(all []string) []string { return slices.Compact(slices.Clone(all)) }
