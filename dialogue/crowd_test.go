package dialogue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// talker is a user of the bank. No two have the same payee, amount and balance, so whatever is said to the wrong one shows.
type talker struct {
	id    string
	with  map[string]any
	lines []string
	want  [][]string // what is said in answer to each line

	mu   sync.Mutex
	next int // the line that comes next
}

func newTalker(i int) *talker {
	payee, amount, balance := fmt.Sprintf("Payee%d", i), fmt.Sprint(100+i), fmt.Sprint(200_000+i)
	sure := fmt.Sprintf("Send %s to %s?", amount, payee)
	t := &talker{id: fmt.Sprintf("c%d", i), with: map[string]any{"balance": 200_000 + i}}
	say := func(line string, want ...string) {
		t.lines, t.want = append(t.lines, line), append(t.want, want)
	}
	say("send money", "To whom?")
	say(payee, "How much?")
	say(amount, sure)
	if i%2 == 0 {
		say("show my balance please", "You have "+balance+".", "Let us go on with: Send money.", sure)
	}
	if i%6 == 3 {
		say("never mind", "All right, I will not do that.")
	} else {
		say("yes", "Sent. Reference R1.", "Is there anything else?")
	}
	return t
}

// crowd are users who talk in a random order.
type crowd struct {
	c       *dialogue.Conversations
	talkers []*talker
	order   []int // whose turn it is
	again   bool  // one message in ten is sent twice
}

func newCrowd(c *dialogue.Conversations, n int, seed uint64) *crowd {
	all := &crowd{c: c}
	for i := range n {
		t := newTalker(i)
		all.talkers = append(all.talkers, t)
		for range t.lines {
			all.order = append(all.order, i)
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(all.order), func(i, j int) { all.order[i], all.order[j] = all.order[j], all.order[i] })
	return all
}

// atOnce does something in several goroutines, and returns the first error.
func atOnce(n int, do func(i int) error) error {
	failed := make(chan error, n)
	for i := range n {
		go func() { failed <- do(i) }()
	}
	var first error
	for range n {
		if err := <-failed; err != nil && first == nil {
			first = err
		}
	}
	return first
}

// open begins all conversations.
func (all *crowd) open(ctx context.Context, senders int) error {
	var at atomic.Int64
	return atOnce(senders, func(int) error {
		for i := at.Add(1) - 1; i < int64(len(all.talkers)); i = at.Add(1) - 1 {
			t := all.talkers[i]
			if _, created, err := all.c.Open(ctx, t.id, t.with); err != nil || !created {
				return fmt.Errorf("%s: new %v, %w", t.id, created, err)
			}
		}
		return nil
	})
}

// talk sends the next messages, as many as there are to be, and returns how long each turn took.
func (all *crowd) talk(ctx context.Context, senders, turns int) ([]time.Duration, error) {
	took := make([]time.Duration, turns)
	order := all.order[:turns]
	all.order = all.order[turns:]
	var at atomic.Int64
	err := atOnce(senders, func(int) error {
		for i := at.Add(1) - 1; i < int64(turns); i = at.Add(1) - 1 {
			var err error
			if took[i], err = all.say(ctx, all.talkers[order[i]]); err != nil {
				return err
			}
			if all.again && i%10 == 0 {
				if err := all.repeat(ctx, all.talkers[order[i]]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	slices.Sort(took)
	return took, err
}

func (all *crowd) say(ctx context.Context, t *talker) (time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	began := time.Now()
	r, err := all.c.Send(ctx, t.id, dialogue.Message{ID: fmt.Sprint(t.next), Text: t.lines[t.next]})
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t.id, err)
	}
	if !slices.Equal(r.Texts(), t.want[t.next]) || r.Again {
		return 0, fmt.Errorf("%s: to %q was said %q, again %v; expected %q", t.id, t.lines[t.next], r.Texts(), r.Again, t.want[t.next])
	}
	t.next++
	return took, nil
}

// repeat sends the last message again.
func (all *crowd) repeat(ctx context.Context, t *talker) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.next - 1
	r, err := all.c.Send(ctx, t.id, dialogue.Message{ID: fmt.Sprint(last), Text: t.lines[last]})
	if err == nil && (!r.Again || !slices.Equal(r.Texts(), t.want[last])) {
		err = fmt.Errorf("%s: %q came again: again %v, said %q", t.id, t.lines[last], r.Again, r.Texts())
	}
	return err
}

// all is everything that is said to a user.
func (t *talker) all() []string { return slices.Concat(t.want...) }

// TestE1_ListenersHearTheirOwnInOrderOnce lets 200 users talk at once. Beside each there is a listener that goes away all
// the time and comes back with its cursor, and each hears what is said in its conversation: all of it, in order, once,
// and nothing of others. One message in ten comes twice.
func TestE1_ListenersHearTheirOwnInOrderOnce(t *testing.T) {
	c := talks(t, memory.New(), bank(t), dialogue.ConversationOptions{})
	users := newCrowd(c, 200, lawtest.Seed(t))
	users.again = true
	if err := users.open(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	for i, user := range users.talkers {
		listening.Go(func() { listen(ctx, t, c, user, rand.New(rand.NewPCG(uint64(i), 1))) })
	}
	if _, err := users.talk(t.Context(), 8, len(users.order)); err != nil {
		t.Error(err)
		stop()
	}
	listening.Wait()
	stop()
}

func listen(ctx context.Context, t *testing.T, c *dialogue.Conversations, user *talker, random *rand.Rand) {
	want := user.all()
	var got []string
	after := uint64(0)
	for len(got) < len(want) && ctx.Err() == nil {
		stay := 1 + random.IntN(3) // deliveries
		for d, err := range c.Listen(ctx, user.id, after) {
			if err != nil {
				t.Error(err)
				return
			}
			if d.Conversation != user.id || d.Seq <= after {
				t.Errorf("%s has heard until seq %d, and is told %+v", user.id, after, d)
				return
			}
			got, after = append(got, d.Said.Prompt), d.Seq
			if stay--; stay == 0 || len(got) == len(want) {
				break
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", user.id, diff)
	}
}

// onSQLite opens a store in a file of the test's own.
func onSQLite(t testing.TB, sync sqlite.Sync) (store *sqlite.Store, dir string) {
	t.Helper()
	dir = t.TempDir()
	store, err := sqlite.OpenWith(filepath.Join(dir, "runs.db"), sqlite.Options{Sync: sync})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store, dir
}

// TestE1_ACrowdOnSQLite is three hundred conversations in one file, with FERMATA_EXPLORE ten thousand, that are held at
// once by eight senders in a random order. Each answer is the right one, and in the end each conversation holds what
// was said in it: nothing of others, nothing lost, nothing twice.
func TestE1_ACrowdOnSQLite(t *testing.T) {
	n := 300
	switch {
	case os.Getenv("FERMATA_EXPLORE") != "":
		n = 10_000
	case testing.Short():
		n = 100
	}
	store, _ := onSQLite(t, sqlite.Normal)
	c := talks(t, store, bank(t), dialogue.ConversationOptions{})
	users := newCrowd(c, n, lawtest.Seed(t))
	if err := users.open(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	took, err := users.talk(t.Context(), 8, len(users.order))
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range users.talkers {
		var got []string
		want := user.all()
		for d, err := range c.Listen(t.Context(), user.id, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, d.Said.Prompt); len(got) == len(want) {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", user.id, diff)
		}
	}
	t.Logf("%d turns of %d conversations: p50 %v, p95 %v, p99 %v",
		len(took), n, took[len(took)/2], took[len(took)*95/100], took[len(took)*99/100])
}

// BenchmarkConversations are turns of 10,000 conversations that are held at once in one file, in a random order, where
// one and where eight senders are at work: in full each fact is on disk before the next, in normal the operating system
// has it. There are about 45,000 turns.
func BenchmarkConversations(b *testing.B) {
	modes := []struct {
		name string
		sync sqlite.Sync
	}{{"normal", sqlite.Normal}, {"full", sqlite.Full}}
	for _, mode := range modes {
		b.Run(mode.name, func(b *testing.B) {
			const n = 10_000
			store, dir := onSQLite(b, mode.sync)
			counted := &counting{Store: store}
			users := newCrowd(talks(b, counted, bank(b), dialogue.ConversationOptions{}), n, 1)
			before := heap()
			if err := users.open(b.Context(), 32); err != nil {
				b.Fatal(err)
			}
			idle := float64(heap()-before) / n
			for _, senders := range []int{1, 4, 8} {
				b.Run(fmt.Sprintf("senders=%d", senders), func(b *testing.B) {
					benchTurns(b, users, senders, counted, dir)
					b.ReportMetric(idle, "idle-B/conversation")
				})
			}
		})
	}
}

func benchTurns(b *testing.B, users *crowd, senders int, store *counting, dir string) {
	b.Helper()
	size, appends := diskUse(b, dir), store.appends.Load()
	b.ResetTimer()
	took, err := users.talk(b.Context(), senders, b.N)
	if err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	at := func(percent int) float64 { return took[len(took)*percent/100].Seconds() * 1000 }
	b.ReportMetric(at(50), "p50-ms")
	b.ReportMetric(at(95), "p95-ms")
	b.ReportMetric(at(99), "p99-ms")
	b.ReportMetric(float64(store.appends.Load()-appends)/float64(len(took)), "appends/turn")
	b.ReportMetric((diskUse(b, dir)-size)/float64(len(took)), "disk-B/turn")
}

// counting counts the appends to a store.
type counting struct {
	journal.Store
	appends atomic.Int64
}

func (c *counting) Append(ctx context.Context, b journal.Batch) error {
	c.appends.Add(1)
	return c.Store.Append(ctx, b)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// diskUse is how large the files of a store are.
func diskUse(tb testing.TB, dir string) float64 {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "runs.db*"))
	if err != nil {
		tb.Fatal(err)
	}
	size := 0.0
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			tb.Fatal(err)
		}
		size += float64(info.Size())
	}
	return size
}
