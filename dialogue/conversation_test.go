package dialogue_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/redis"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// echo is a dialogue that says what it is told, see tell.
func echo(t testing.TB) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "echo",
		Flows: []dialogue.Flow{{
			Name: "nothing", Description: "Nothing", Trigger: []string{"nothing"},
			Steps: []dialogue.Step{{ID: "say", Type: dialogue.InformStep, Message: "Nothing."}},
		}},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// tell is a message that the echo says.
func tell(id, text string) dialogue.Message {
	return dialogue.Message{ID: id, Text: text, Commands: []dialogue.Command{{Type: dialogue.Chitchat, Text: text}}}
}

// talks are conversations on a store, in a process of their own.
func talks(t testing.TB, store journal.Store, d *dialogue.Dialogue, o dialogue.ConversationOptions) *dialogue.Conversations {
	t.Helper()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return dialogue.NewConversations(rt, d, o)
}

func open(t testing.TB, c *dialogue.Conversations, id string, with map[string]any) {
	t.Helper()
	if _, created, err := c.Open(t.Context(), id, with); err != nil || !created {
		t.Fatalf("%s is new: %v, %v", id, created, err)
	}
}

func send(t testing.TB, c *dialogue.Conversations, id string, m dialogue.Message) dialogue.Reply {
	t.Helper()
	r, err := c.Send(t.Context(), id, m)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// heard is all that was said in a conversation until now.
func heard(t testing.TB, c *dialogue.Conversations, id string) (all []string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	_, _, err := c.Open(ctx, id, nil) // what the process does for it is over
	if err != nil {
		t.Fatal(err)
	}
	end := send(t, c, id, tell("", "(end)")).Seq
	for d, err := range c.Listen(ctx, id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Said.Prompt == "(end)" {
			break
		}
		if d.Seq > end {
			t.Fatalf("nobody says the end before %d", end)
		}
		all = append(all, d.Said.Prompt)
	}
	return all
}

// TestH2_AMessageThatComesAgainCountsOnce is one that comes at once, and after others; and one that is not known any more.
func TestH2_AMessageThatComesAgainCountsOnce(t *testing.T) {
	c := talks(t, nil, echo(t), dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	first := send(t, c, "c", tell("m1", "one"))
	if diff := cmp.Diff([]string{"one"}, first.Texts()); diff != "" || first.Again {
		t.Error(first.Again, diff)
	}
	for i := range 50 {
		send(t, c, "c", tell(fmt.Sprint("x", i), "x"))
		if i != 0 && i != 48 {
			continue
		}
		again := send(t, c, "c", tell("m1", "another text"))
		if diff := cmp.Diff([]string{"one"}, again.Texts()); diff != "" || !again.Again {
			t.Errorf("after %d others: again %v, %s", i+1, again.Again, diff)
		}
		if again := send(t, c, "c", tell("x0", "x")); !again.Again || len(again.Said) != 1 {
			t.Errorf("after %d others: %v", i+1, again)
		}
	}
	if forgotten := send(t, c, "c", tell("m1", "one")); forgotten.Again {
		t.Error("a conversation remembers more than the last 50")
	}
	if n := len(heard(t, c, "c")); n != 52 {
		t.Errorf("%d things were said, want 52", n)
	}
	if _, err := c.Send(t.Context(), "c", tell(strings.Repeat("m", 201), "long")); !errors.Is(err, dialogue.ErrMessage) {
		t.Errorf("an id of 201 bytes: %v", err)
	}
}

// mortal is a store that a process loses at its nth append, before it is made or, once it is, before anybody is told.
type mortal struct {
	journal.Store
	left  atomic.Int64
	after bool
}

var errDead = errors.New("the process is dead")

func (m *mortal) Append(ctx context.Context, b journal.Batch) error {
	switch left := m.left.Add(-1); {
	case left < 0, left == 0 && !m.after:
		return errDead
	case left == 0:
		return errors.Join(m.Store.Append(ctx, b), errDead)
	}
	return m.Store.Append(ctx, b)
}

// kept is a store that outlives the runtime on it.
type kept struct{ journal.Store }

func (kept) Close() error { return nil }

// TestJ4_ACrashInATurnCountsTheMessageOnce crashes at each append of a turn, before and after it. Whoever has sent the
// message sends it again to another process, and the conversation is as if nothing had happened.
func TestJ4_ACrashInATurnCountsTheMessageOnce(t *testing.T) {
	d := bank(t)
	said := []string{"To whom?", "How much?", "Send 50 to Ada?", "Sent. Reference R1.", "Is there anything else?"}
	crashes := 0
	for n, survived := int64(1), false; !survived; n++ {
		for _, after := range []bool{false, true} {
			inner := kept{memory.New()}
			c := talks(t, inner, d, dialogue.ConversationOptions{})
			open(t, c, "c", map[string]any{"balance": 100})
			send(t, c, "c", dialogue.Message{ID: "1", Text: "send money"})
			send(t, c, "c", dialogue.Message{ID: "2", Text: "Ada"})
			send(t, c, "c", dialogue.Message{ID: "3", Text: "50"})

			dying := &mortal{Store: inner, after: after}
			dying.left.Store(n)
			yes := dialogue.Message{ID: "4", Text: "yes"}
			_, err := talks(t, dying, d, dialogue.ConversationOptions{}).Send(t.Context(), "c", yes)
			if survived = err == nil; !survived {
				crashes++
			}

			c = talks(t, inner, d, dialogue.ConversationOptions{})
			r := send(t, c, "c", yes)
			if diff := cmp.Diff(said[3:], r.Texts()); diff != "" {
				t.Errorf("append %d, after it %v: the reply: %s", n, after, diff)
			}
			if diff := cmp.Diff(said, slices.Collect(func(yield func(string) bool) {
				for d, err := range c.Listen(t.Context(), "c", 0) {
					if err != nil {
						t.Error(err)
					}
					if !yield(d.Said.Prompt) || d.Said.Prompt == said[4] {
						return
					}
				}
			})); diff != "" {
				t.Errorf("append %d, after it %v: all that was said: %s", n, after, diff)
			}
		}
	}
	if crashes < 10 {
		t.Errorf("%d crashes, expected one at each append of a turn", crashes)
	}
}

// TestJ4_ATurnGoesOnWhereAProcessHasDied crashes at each append of a turn. Where the message was taken, another process
// carries the turn through without it, and says the rest once.
func TestJ4_ATurnGoesOnWhereAProcessHasDied(t *testing.T) {
	d := bank(t)
	taken := 0
	for n := range int64(6) { // a turn has about five appends, some of which may be made as one
		inner := kept{memory.New()}
		c := talks(t, inner, d, dialogue.ConversationOptions{})
		open(t, c, "c", map[string]any{"balance": 100})
		for _, text := range []string{"send money", "Ada", "50"} {
			send(t, c, "c", dialogue.Message{Text: text})
		}
		dying := &mortal{Store: inner, after: true}
		dying.left.Store(n + 1)
		_, err := talks(t, dying, d, dialogue.ConversationOptions{}).Send(t.Context(), "c", dialogue.Message{Text: "yes"})
		if err != nil {
			taken++
		}
		c = talks(t, inner, d, dialogue.ConversationOptions{})
		for range 2 { // the second time it waits already
			if err := c.Resume(t.Context(), "c"); err != nil {
				t.Fatal(err)
			}
		}
		standing, err := c.Standing(t.Context(), "c")
		if err != nil || standing.Busy || standing.Closed || standing.Pending != nil {
			t.Errorf("append %d: it stands at %+v, %v", n, standing, err)
		}
		want := []string{"To whom?", "How much?", "Send 50 to Ada?", "Sent. Reference R1.", "Is there anything else?"}
		var got []string
		for d, err := range c.Listen(t.Context(), "c", 0) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, d.Said.Prompt); d.Said.Prompt == want[4] {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || send(t, c, "c", dialogue.Message{Text: "show my balance"}).Texts()[0] != "You have 100." {
			t.Errorf("append %d: %s", n, diff)
		}
	}
	if taken < 2 {
		t.Errorf("%d crashes, expected one at each append of a turn", taken)
	}
	if err := talks(t, nil, d, dialogue.ConversationOptions{}).Resume(t.Context(), "nobody"); !errors.Is(err, fermata.ErrNotFound) {
		t.Errorf("one that there is not: %v", err)
	}
}

// TestJ3_TwoProcessesLoseNothing sends messages at the same time from two processes, some of them twice, and equal ones
// without an id, which are two.
func TestJ3_TwoProcessesLoseNothing(t *testing.T) {
	stores := map[string]func(t *testing.T) func() (journal.Store, error){
		"memory": func(*testing.T) func() (journal.Store, error) {
			store := memory.New()
			return func() (journal.Store, error) { return kept{store}, nil }
		},
		"sqlite": func(t *testing.T) func() (journal.Store, error) {
			path := filepath.Join(t.TempDir(), "runs.db")
			return func() (journal.Store, error) { return sqlite.OpenWith(path, sqlite.Options{Sync: sqlite.Normal}) }
		},
		"postgres": func(t *testing.T) func() (journal.Store, error) {
			dsn := testserver.Address(t, "postgres")
			return func() (journal.Store, error) { return postgres.Open(dsn) }
		},
		"redis": func(t *testing.T) func() (journal.Store, error) {
			dsn := testserver.Address(t, "redis")
			return func() (journal.Store, error) { return redis.Open(dsn) }
		},
	}
	for name, make := range stores {
		t.Run(name, func(t *testing.T) {
			opened, d := make(t), echo(t)
			var both [2]*dialogue.Conversations
			for i := range both {
				store, err := opened()
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = store.Close() })
				both[i] = talks(t, store, d, dialogue.ConversationOptions{})
			}
			open(t, both[0], "c", nil)
			const each = 5
			var want []string
			var all sync.WaitGroup
			for i := range each {
				for p, c := range both {
					own := fmt.Sprintf("%d from %d", i, p)
					want = append(want, own, "equal", "twice "+fmt.Sprint(i))
					for _, m := range []dialogue.Message{tell("", own), tell("", "equal"), tell(fmt.Sprint("id", i), "twice "+fmt.Sprint(i))} {
						all.Go(func() {
							r, err := c.Send(t.Context(), "c", m)
							if err != nil {
								t.Error(err)
								return
							}
							if diff := cmp.Diff([]string{m.Text}, r.Texts()); diff != "" {
								t.Errorf("the reply to %q (again: %v): %s", m.Text, r.Again, diff)
							}
						})
					}
				}
			}
			all.Wait()
			got := heard(t, both[1], "c")
			slices.Sort(got)
			slices.Sort(want)
			want = slices.DeleteFunc(want, func(s string) bool { return strings.HasPrefix(s, "twice") })
			for i := range each {
				want = append(want, fmt.Sprint("twice ", i))
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// between does something once, after the open questions of a run were read.
type between struct {
	kept
	do func()
}

func (s *between) Inbox(ctx context.Context, f journal.InboxFilter) ([]journal.Interrupt, error) {
	all, err := s.kept.Inbox(ctx, f)
	if do := s.do; do != nil && f.Run != "" {
		s.do = nil
		do()
	}
	return all, err
}

// TestJ3_TheSameMessageFromTwoProcesses has one process say what another one is about to say, by the same id: both get the reply.
func TestJ3_TheSameMessageFromTwoProcesses(t *testing.T) {
	store, d, m := memory.New(), echo(t), tell("id", "hello")
	slow := &between{kept: kept{store}}
	one := talks(t, slow, d, dialogue.ConversationOptions{})
	two := talks(t, kept{store}, d, dialogue.ConversationOptions{})
	open(t, one, "c", nil)
	slow.do = func() {
		if got := send(t, two, "c", m).Texts(); !slices.Equal(got, []string{"hello"}) {
			t.Errorf("the first reply: %q", got)
		}
	}
	if got := send(t, one, "c", m).Texts(); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("the second reply: %q", got)
	}
	if got := heard(t, two, "c"); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("said: %q", got)
	}
}

// TestH3_AMessageToABusyConversationIsNotTaken is one to a flow that asks somebody else: it is refused, and taken when it
// is sent again after they have answered.
func TestH3_AMessageToABusyConversationIsNotTaken(t *testing.T) {
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "desk",
		Flows: []dialogue.Flow{{
			Name: "leave", Description: "Ask for leave", Trigger: []string{"leave please"},
			Steps: []dialogue.Step{
				{ID: "ask", Type: dialogue.ActionStep, Call: "boss"},
				{ID: "done", Type: dialogue.InformStep, Message: "Your boss has answered."},
			},
		}},
	}, dialogue.Options{Actions: []dialogue.Action{
		dialogue.MustAction("boss", "", func(ctx node.Context, _ struct{}) (bool, error) {
			return node.Interrupt[bool](ctx, "leave?", node.Role("boss"))
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	c := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	start := dialogue.Message{ID: "1", Text: "leave please"}
	if r := send(t, c, "c", start); !r.Busy || r.Closed {
		t.Errorf("while the boss is asked: %+v", r)
	}
	hello := tell("2", "hello")
	if _, err := c.Send(t.Context(), "c", hello); !errors.Is(err, dialogue.ErrBusy) {
		t.Errorf("expected ErrBusy, found %v", err)
	}
	open, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: "c"})
	if err != nil || len(open) != 1 {
		t.Fatal(open, err)
	}
	if err := rt.Answer(t.Context(), open[0].ID, true, fermata.AsRole("boss")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hello"}, send(t, c, "c", hello).Texts()); diff != "" {
		t.Error(diff)
	}
	again := send(t, c, "c", start)
	if diff := cmp.Diff([]string{"Your boss has answered.", "Is there anything else?"}, again.Texts()); diff != "" || !again.Again {
		t.Error(again.Again, diff)
	}
}

// TestN9_OptionsOfOneConversationAreNotThoseOfAnother opens conversations at the same time, with options that have room
// behind them.
func TestN9_OptionsOfOneConversationAreNotThoseOfAnother(t *testing.T) {
	start := append(make([]fermata.StartOption, 0, 8), fermata.StartedBy("desk"))
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	c := dialogue.NewConversations(rt, echo(t), dialogue.ConversationOptions{Start: start})
	if err := atOnce(50, func(i int) error {
		id := fmt.Sprint("c", i)
		_, created, err := c.Open(t.Context(), id, nil, fermata.WithLabels(map[string]string{"for": id}))
		if err != nil || !created {
			return fmt.Errorf("%s: new %v, %w", id, created, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
