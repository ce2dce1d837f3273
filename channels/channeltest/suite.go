package channeltest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/journal"
)

// Suite is a channel and its provider, as tests see them.
type Suite struct {
	// New makes the channel, whose provider takes messages as p says. It cleans up behind itself.
	New func(t testing.TB, p *Provider) channels.Channel
	// Message makes a signed request that says a text. The same id is the same message, said by the same user.
	Message func(id, text string) *http.Request
	// Press makes a signed request about a choice that the user pressed, by its payload where the provider keeps one; nil where
	// there are only numbers.
	Press func(id, choice string) *http.Request
	// In makes Message with the user's language as the provider tells it; nil where it does not.
	In func(id, text, language string) *http.Request
	// Forged are requests that must be refused, by what is wrong with them. They say "order something".
	Forged map[string]*http.Request
	// Ignored are signed requests that bring no message, such as receipts, by what they are.
	Ignored map[string]*http.Request
	// Recorded are signed requests with the texts that they bring.
	Recorded map[string]Recorded
	// Markup is a text that would be markup at the provider, and Shown how it is sent so that users read what was written.
	// The suite has the user say the markup, which the dialogue repeats as "Order …?".
	Markup, Shown string
	// NoWishes says that the provider cannot tell how long it wants to be left alone.
	NoWishes bool
	// Refusals are statuses that the provider never takes back. Defaults to 400 and 403.
	Refusals []int
}

// Recorded is a request and its content.
type Recorded struct {
	Request *http.Request
	User    string
	Texts   []string
}

// Run runs the suite.
func (s Suite) Run(t *testing.T) {
	if s.Refusals == nil {
		s.Refusals = []int{http.StatusBadRequest, http.StatusForbidden}
	}
	t.Run("a forged request has no effect", s.forged)
	t.Run("recorded requests", s.recorded)
	t.Run("a conversation", s.conversation)
	t.Run("a repeated request has no effect", s.repeated)
	t.Run("messages keep their order", s.ordered)
	t.Run("an outage is waited for", s.outage)
	t.Run("a refusal is not repeated", s.refused)
	t.Run("markup is shown as it is", s.markup)
	t.Run("no part of a long text comes twice", s.long)
	t.Run("a button answers its own question", s.stale)
	t.Run("the user's language", s.languages)
	t.Run("a crash loses nothing", s.crash)
}

// process is one on the store in memory.
func (s *Suite) process(t *testing.T) (*House, *Provider, *Purchases) {
	t.Helper()
	p, bought := &Provider{}, &Purchases{}
	return Open(t, Stores(t)["memory"](), Shop(t, bought), s.New(t, p)), p, bought
}

// post makes requests that have to be accepted.
func post(t *testing.T, h *House, all ...*http.Request) {
	t.Helper()
	for _, r := range all {
		if status := h.Post(r); status/100 != 2 {
			t.Fatalf("status %d, expected 2xx", status)
		}
	}
}

func (s *Suite) forged(t *testing.T) {
	h, p, _ := s.process(t)
	if len(s.Forged) < 3 {
		t.Errorf("only %d forged requests: expected one without a signature, one with a wrong one, one with another body", len(s.Forged))
	}
	for name, r := range s.Forged {
		if status := h.Post(r); status != http.StatusUnauthorized {
			t.Errorf("%s: status %d, expected 401", name, status)
		}
	}
	post(t, h, s.Message("m1", "order something"))
	p.Until(t, "What?", 1)
	if all, _ := p.Sent(); len(all) != 1 {
		t.Errorf("a forged request had an effect: %q", texts(all))
	}
}

func (s *Suite) recorded(t *testing.T) {
	ch := s.New(t, &Provider{})
	for name, want := range s.Recorded {
		got, err := ch.Receive(Request(t, want.Request))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		said := []string{}
		for _, m := range got.Messages {
			said = append(said, m.Text)
			if m.ID == "" || m.User != want.User {
				t.Errorf("%s: a message of the user %q with the id %q, expected the user %q", name, m.User, m.ID, want.User)
			}
		}
		if diff := cmp.Diff(want.Texts, said); diff != "" {
			t.Errorf("%s: the texts: %s", name, diff)
		}
	}
	for name, r := range s.Ignored {
		got, err := ch.Receive(Request(t, r))
		if err != nil || len(got.Messages) > 0 {
			t.Errorf("%s: messages %v, error %v; expected none", name, got.Messages, err)
		}
	}
}

// Request is a request as a driver gives it to a channel.
func Request(t testing.TB, r *http.Request) *channels.Request {
	t.Helper()
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			t.Fatal(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return &channels.Request{
		Method: r.Method, URL: "https://bot.example.com" + r.URL.RequestURI(), Query: r.URL.Query(), Header: r.Header, Body: body, Now: time.Now(),
	}
}

// told is what the user of a script is told.
func told(what string) []string {
	return []string{"What?", "Order " + what + "?", "Ordered " + what + ".", "Is there anything else?"}
}

// conversation asks, presses or numbers a choice, and compares all that was sent.
func (s *Suite) conversation(t *testing.T) {
	h, p, bought := s.process(t)
	post(t, h, s.Message("m1", "order something"))
	p.Until(t, "What?", 1)
	post(t, h, s.Message("m2", "tea"))
	want := told("tea")
	if s.Press == nil {
		want[1] += "\n1. yes\n2. no"
	}
	all := p.Until(t, want[1], 1)
	if last := all[len(all)-1]; s.Press != nil && !slices.Equal(last.Choices, []string{"yes", "no"}) {
		t.Errorf("the choices are %q, expected yes and no", last.Choices)
	}
	if s.Press != nil {
		post(t, h, s.Press("m3", all[len(all)-1].payload(0)))
	} else {
		post(t, h, s.Message("m3", "1"))
	}
	all = p.Until(t, want[3], 1)
	if diff := cmp.Diff(want, texts(all)); diff != "" {
		t.Error(diff)
	}
	for _, m := range all[1:] {
		if m.To != all[0].To || m.To == "" {
			t.Errorf("%q went to %q, the first message to %q", m.Text, m.To, all[0].To)
		}
	}
	if n := bought.Count("tea"); n != 1 {
		t.Errorf("bought %d times", n)
	}
}

// repeated sends each message three times, at the same time.
func (s *Suite) repeated(t *testing.T) {
	h, p, bought := s.process(t)
	for i, text := range []string{"order something", "tea", "yes"} {
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if status := h.Post(s.Message(fmt.Sprint("m", i), text)); status/100 != 2 {
					t.Errorf("status %d", status)
				}
			})
		}
		all.Wait()
	}
	p.Until(t, "Is there anything else?", 1)
	post(t, h, s.Message("m0", "order something"), s.Message("end", "order something"))
	all := p.Until(t, "What?", 2)
	if diff := cmp.Diff([]string{"What?", s.sure("tea"), "Ordered tea.", "Is there anything else?", "What?"}, texts(all)); diff != "" {
		t.Error(diff)
	}
	if n := bought.Count("tea"); n != 1 {
		t.Errorf("bought %d times", n)
	}
}

// ordered sends messages without waiting for answers.
func (s *Suite) ordered(t *testing.T) {
	h, p, bought := s.process(t)
	n := 0
	for _, what := range []string{"tea", "milk", "bread"} {
		for _, text := range []string{"order something", what, "yes"} {
			n++
			post(t, h, s.Message(fmt.Sprint("m", n), text))
		}
	}
	all := p.Until(t, "Ordered bread.", 1)
	for _, what := range []string{"tea", "milk", "bread"} {
		if c := bought.Count(what); c != 1 {
			t.Errorf("%s was bought %d times; the user was told %q", what, c, texts(all))
		}
	}
}

// outage has the provider fail in every way that passes.
func (s *Suite) outage(t *testing.T) {
	h, p, _ := s.process(t)
	p.Plan(
		Verdict{Status: http.StatusInternalServerError}, Verdict{Status: http.StatusTooManyRequests, RetryAfter: time.Second},
		Verdict{Silent: true}, Verdict{Status: http.StatusServiceUnavailable}, Verdict{},
	)
	began := time.Now()
	post(t, h, s.Message("m1", "order something"), s.Message("m2", "tea"))
	all := p.Until(t, s.sure("tea"), 1)
	if diff := cmp.Diff([]string{"What?", s.sure("tea")}, texts(all)); diff != "" {
		t.Error(diff)
	}
	if _, tries := p.Sent(); tries != 6 {
		t.Errorf("%d tries, expected 6: four failures and two messages", tries)
	}
	if took := time.Since(began); took < time.Second && !s.NoWishes {
		t.Errorf("all was sent after %s: the provider's wish to wait a second was not respected", took)
	}
}

// sure is the question whether to order.
func (s *Suite) sure(what string) string {
	if s.Press == nil {
		return "Order " + what + "?\n1. yes\n2. no"
	}
	return "Order " + what + "?"
}

// refused has the first answer refused: it is left out after one try, and the next one is sent.
func (s *Suite) refused(t *testing.T) {
	for _, status := range s.Refusals {
		h, p, _ := s.process(t)
		p.Plan(Verdict{Status: status})
		post(t, h, s.Message("m1", "order something"), s.Message("m2", "tea"))
		all := p.Until(t, s.sure("tea"), 1)
		if _, tries := p.Sent(); tries != 2 || len(all) != 1 {
			t.Errorf("status %d: %d tries, and %q was taken; expected one try each, and the second answer alone", status, tries, texts(all))
		}
	}
}

func (s *Suite) markup(t *testing.T) {
	h, p, _ := s.process(t)
	post(t, h, s.Message("m1", "order something"), s.Message("m2", s.Markup))
	want := strings.Replace(s.sure(s.Markup), s.Markup, s.Shown, 1)
	all := p.Until(t, want, 1)
	if diff := cmp.Diff([]string{"What?", want}, texts(all)); diff != "" {
		t.Error(diff)
	}
}

// crash kills the process at appends of a conversation, before and after they are made, and starts another one. The
// provider repeats what was not accepted. All appends are tried with FERMATA_EXPLORE, else some.
func (s *Suite) crash(t *testing.T) {
	stride := int64(7)
	if os.Getenv("FERMATA_EXPLORE") != "" {
		stride = 1
	}
	for name := range Stores(t) {
		crashes := 0
		for at, survived := int64(1), false; !survived; at += stride {
			for _, after := range []bool{false, true} {
				survived = !s.crashAt(t, name, at, after)
				if !survived {
					crashes++
				}
			}
		}
		if crashes < 4 {
			t.Errorf("%s: only %d crashes", name, crashes)
		}
	}
}

// crashAt crashes at one append, and reports whether it came to that.
func (s *Suite) crashAt(t *testing.T, store string, at int64, after bool) (crashed bool) {
	t.Helper()
	open := Stores(t)[store]
	p, bought := &Provider{}, &Purchases{}
	shop, ch := Shop(t, bought), s.New(t, p)
	dying := &mortal{after: after, died: make(chan struct{})}
	dying.kept.Store = open()
	dying.left.Store(at)
	h := Open(t, dying, shop, ch, func(p *Process) { p.Lease = 200 * time.Millisecond })
	script := []string{"order something", "tea", "yes"}
	want := told("tea")
	want[1] = s.sure("tea")
	sent := 0 // of the script, and accepted
	for sent < len(script) && !dying.dead() && h.Post(s.Message(fmt.Sprint("m", sent), script[sent]))/100 == 2 {
		sent++
	}
	done := make(chan struct{})
	go func() { defer close(done); p.awaits(want[3], dying.died) }()
	<-done
	crashed = dying.dead()
	h.Close()
	_ = dying.kept.Store.Close()

	next := Open(t, open(), shop, ch)
	defer next.Close()
	for ; sent < len(script); sent++ {
		post(t, next, s.Message(fmt.Sprint("m", sent), script[sent]))
	}
	all := p.Until(t, want[3], 1)
	if diff := cmp.Diff(want, once(texts(all))); diff != "" {
		t.Errorf("%s, append %d, after it %v: what was sent: %s", store, at, after, diff)
	}
	if n := bought.Count("tea"); n != 1 {
		t.Errorf("%s, append %d, after it %v: bought %d times", store, at, after, n)
	}
	return crashed
}

// awaits waits for a text or for the end of a process.
func (p *Provider) awaits(text string, died <-chan struct{}) {
	for {
		more := p.wait()
		all, _ := p.Sent()
		if slices.ContainsFunc(all, func(s Sent) bool { return s.Text == text }) {
			return
		}
		select {
		case <-more:
		case <-died:
			return
		}
	}
}

var _ journal.Leaser = (*mortal)(nil)

// FuzzReceive has a channel read bodies of any kind, whose signature is right. It must neither panic nor make messages
// without a user or an id. Where go test does not fuzz, it reads damaged copies of the seeds, the same each time.
func FuzzReceive(f *testing.F, ch channels.Channel, sign func(body []byte) *http.Request, seeds ...[]byte) {
	copies := 100
	if os.Getenv("FERMATA_EXPLORE") != "" {
		copies = 20000
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same each time
	for _, s := range seeds {
		f.Add(s)
		for range copies {
			f.Add(damaged(random, s))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := ch.Receive(Request(t, sign(body)))
		if err != nil {
			return
		}
		for _, m := range got.Messages {
			if m.ID == "" || m.User == "" {
				t.Errorf("a message without a user or an id: %+v", m)
			}
		}
	})
}

// damaged is a copy of a text in which pieces are gone, doubled or others.
func damaged(random *rand.Rand, text []byte) []byte {
	out := slices.Clone(text)
	for range 1 + random.IntN(4) {
		if len(out) < 2 {
			break
		}
		from := random.IntN(len(out))
		to := min(len(out), from+1+random.IntN(1+random.IntN(len(out))))
		switch random.IntN(4) {
		case 0:
			out = slices.Delete(out, from, to)
		case 1:
			out = slices.Insert(out, random.IntN(len(out)), slices.Clone(out[from:to])...)
		case 2:
			out[from] = byte(random.IntN(256))
		default:
			out = slices.Replace(out, from, min(from+1, to), []byte(`"{}[]<>=;:-0null`)[random.IntN(14)])
		}
	}
	return out
}
