package dialogue

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/journal"
)

// Conversations are those of one dialogue on one runtime. A conversation is a run: it has no other state, and while
// nobody speaks it costs no goroutine and no memory (law N1). All methods may be called from several goroutines, and
// from several processes on one store.
type Conversations struct {
	rt       *fermata.Runtime // runs the conversations
	dialogue *Dialogue
	options  ConversationOptions

	mu    sync.Mutex        // guards turns
	turns map[string]*queue // of the conversations that somebody is speaking to

	reviewed remembered // what Review has read
}

// ConversationOptions configure Conversations. The zero value works.
type ConversationOptions struct {
	// Sink gets the answers to the messages that this process takes, while they are said: all that Open and Send return in
	// the end. It gets nothing that is said unasked, as after a silence: see Follow. A Streamer gets pieces, too. Defaults
	// to none.
	Sink Sink
	// Start are given to the runs of new conversations: labels, a definition.
	Start []fermata.StartOption
}

// queue serialises what is said to one conversation.
type queue struct {
	lock  chan struct{} // holds one token
	users int
}

// NewConversations runs conversations of a dialogue.
func NewConversations(rt *fermata.Runtime, d *Dialogue, o ConversationOptions) *Conversations {
	return &Conversations{rt: rt, dialogue: d, options: o, turns: make(map[string]*queue)}
}

// Errors of conversations.
var (
	// ErrClosed says that the conversation is over.
	ErrClosed = fault.Sentinel("dialogue.closed", "the conversation is over")
	// ErrBusy says that the conversation waits for other people than its user, whom a recipe asks. The message was not
	// taken: its sender keeps it, and sends it again later.
	ErrBusy = fault.Sentinel("dialogue.busy", "the conversation waits for another person")
	// ErrNotTakenOver refuses an agent's message (Message.From) while no person has taken over. It was not taken: its words would
	// count as the user's.
	ErrNotTakenOver = fault.Sentinel("dialogue.not_taken_over", "no person has taken over the conversation")
	// ErrMessage says that something is no message of a user.
	ErrMessage = fault.Sentinel("dialogue.message", "not a message")
)

// Reply is what came of a message.
type Reply struct {
	Said    []Said       // in answer to this message and to no other, in order
	Pending *PendingTask // what the user is asked now; nil for nothing
	Again   bool         // the message had come before, and has not counted again; Said is what was said then
	Handoff bool         // a person has taken over
	Busy    bool         // it waits for the people that a recipe asks: the next message is ErrBusy until they have answered
	Closed  bool         // the conversation is over
	// Language is the tag of the language in which the conversation waits for its next message. It is "" where the dialogue has
	// only one.
	Language string
	Seq      uint64 // of the last event of the turn: Listen after it misses and repeats nothing
	Last     uint64 // the Delivery.Seq of the last of Said; 0 where nothing was said
	// SinkErr is why the sink has not taken all that was said; nil where it has, or there is none. The message counts
	// nevertheless, and what was missed is there for Follow and Listen.
	SinkErr error
}

// Texts are the prompts of all that was said.
func (r Reply) Texts() []string {
	all := make([]string, len(r.Said))
	for i, s := range r.Said {
		all[i] = s.Prompt
	}
	return all
}

// Open begins a conversation, or finds the one that has the id already; created says which. The context and
// opts, such as labels of its own, count for a new one only. It returns what was said unasked.
func (c *Conversations) Open(ctx context.Context, id string, with map[string]any, opts ...fermata.StartOption) (r Reply, created bool, err error) {
	return c.OpenIn(ctx, "", id, with, opts...)
}

// OpenIn is Open in one of the user's languages, see Dialogue.In; "" is the dialogue's own. The user, or Message.Language,
// changes it later.
func (c *Conversations) OpenIn(
	ctx context.Context, languages, id string, with map[string]any, opts ...fermata.StartOption,
) (r Reply, created bool, err error) {
	d := c.dialogue.In(languages)
	if d != c.dialogue {
		digest, err := c.rt.SaveDefinition(ctx, planKind, d.source)
		if err != nil {
			return Reply{}, false, err
		}
		opts = append(slices.Clip(opts), fermata.WithDefinition(digest))
	}
	done, err := c.take(ctx, id)
	if err != nil {
		return Reply{}, false, err
	}
	defer done()
	s, err := d.Begin(with)
	if err != nil {
		if info, found := c.rt.Info(ctx, id); found == nil { // what it was begun with is there
			return Reply{Seq: info.Head}, false, nil
		}
		return Reply{}, false, err
	}
	_, err = c.rt.Start(ctx, d.plan, s, slices.Concat(c.options.Start, opts, []fermata.StartOption{fermata.WithID(id)})...)
	if errors.Is(err, journal.ErrConflict) {
		info, err := c.rt.Info(ctx, id)
		return Reply{Seq: info.Head}, false, err
	}
	if err != nil {
		return Reply{}, false, err
	}
	r, err = c.replied(ctx, id, &turn{open: true})
	return r, true, err
}

// longestID bounds the ids of messages: the last ones travel with the conversation.
const longestID = 200

// Send says something to a conversation, and returns when it waits for the next message. Messages that are sent to one
// conversation at the same time, from this process and others, are taken one after the other, and none is lost. When
// Send fails before the message was taken, nothing has happened. A sender that cannot know sends a message with an ID again: of
// the last 50 of a conversation each counts once, and the reply is the one that was missed.
//
// An error is ErrClosed, ErrBusy or ErrMessage, an *fermata.Error of the store or, where there is no such conversation,
// of CodeNotFound.
func (c *Conversations) Send(ctx context.Context, id string, m Message) (Reply, error) {
	if len(m.ID) > longestID {
		return Reply{}, fmt.Errorf("%w: its id has %d bytes; expected %d at most", ErrMessage, len(m.ID), longestID)
	}
	if m.Language != "" && c.dialogue.accepted(m.Language) == nil {
		return Reply{}, fmt.Errorf("%w: its language is %q; the dialogue is held in %s", ErrMessage, m.Language, strings.Join(c.dialogue.Languages(), ", "))
	}
	if m.ID == "" {
		m.Sent = rand.Text() // two that say the same at the same time are two
	}
	done, err := c.take(ctx, id)
	if err != nil {
		return Reply{}, err
	}
	defer done()
	t, err := c.say(ctx, id, m)
	if err != nil {
		return Reply{}, err
	}
	return c.replied(ctx, id, t)
}

// say gives a message to a conversation, once it waits for one.
func (c *Conversations) say(ctx context.Context, id string, m Message) (*turn, error) {
	for {
		info, err := c.rt.Info(ctx, id) // before it is seen that the gate waits: another process may give it the same message
		if err != nil {
			return nil, err
		}
		gate, err := c.waiting(ctx, id)
		if err != nil {
			return nil, err
		}
		if gate != nil {
			if err := c.maySpeak(ctx, gate, &m); err != nil {
				return nil, err
			}
			err = c.rt.Answer(ctx, gate.ID, m, fermata.AsRole(c.dialogue.settings.Role)) // the user's words, too, where a person has taken over
			if err == nil {
				return &turn{gate: gate.ID, after: info.Head}, nil
			}
			if !overtaken(err) {
				return nil, err
			}
		}
		if err := c.goOn(ctx, id); err != nil {
			return nil, err
		}
	}
}

// maySpeak refuses what a person says at a question for the user. A message with which they have given the conversation back may
// come again.
func (c *Conversations) maySpeak(ctx context.Context, gate *fermata.Interrupt, m *Message) error {
	var w Waiting
	if m.From != byAgent || json.Unmarshal(gate.Request, &w) == nil && w.Handoff {
		return nil
	}
	if m.ID == "" {
		return ErrNotTakenOver
	}
	state, err := c.rt.State(ctx, gate.Run)
	var s State
	if err == nil {
		err = json.Unmarshal(state, &s)
	}
	if err == nil && s.turnOf(byAgent, m.ID) == 0 {
		err = ErrNotTakenOver
	}
	return err
}

// overtaken reports whether somebody else has answered first: another process, or the silence.
func overtaken(err error) bool {
	fe, ok := errors.AsType[*fermata.Error](err)
	return ok && (fe.Code == fermata.CodeConflict || fe.Code == fermata.CodeExpired)
}

// take waits until nobody else speaks to a conversation in this process.
func (c *Conversations) take(ctx context.Context, id string) (done func(), err error) {
	c.mu.Lock()
	t := c.turns[id]
	if t == nil {
		t = &queue{lock: make(chan struct{}, 1)}
		c.turns[id] = t
	}
	t.users++
	c.mu.Unlock()
	leave := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(c.turns, id)
		}
	}
	select {
	case t.lock <- struct{}{}:
		return func() { <-t.lock; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// waiting is the question at which a conversation waits for a message; nil where it does not yet.
func (c *Conversations) waiting(ctx context.Context, id string) (*fermata.Interrupt, error) {
	open, err := c.rt.Inbox(ctx, journal.InboxFilter{Run: id})
	if err != nil {
		return nil, err
	}
	for i := range open {
		if isGate(&open[i]) {
			return &open[i], nil
		}
	}
	return nil, nil //nolint:nilnil // it is at work
}

func isGate(q *fermata.Interrupt) bool { return strings.HasPrefix(q.Task, gateNode+"#") }

// goOn brings a conversation to where it waits for a message, or says why it takes none.
func (c *Conversations) goOn(ctx context.Context, id string) error {
	res, err := c.execute(ctx, id)
	if err != nil {
		return err
	}
	if res.Status != fermata.Paused {
		if res.Err != nil {
			return fmt.Errorf("%w: %w", ErrClosed, res.Err)
		}
		return ErrClosed
	}
	if !slices.ContainsFunc(res.Interrupts, func(q fermata.Interrupt) bool { return isGate(&q) }) {
		return ErrBusy
	}
	return nil
}

// pause is how long somebody waits who has found another process at work on a conversation. Nothing tells when it is done.
func pause(ctx context.Context) error {
	select {
	case <-time.After(5*time.Millisecond + mathrand.N(20*time.Millisecond)): //nolint:gosec // so that two do not meet again and again
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// execute executes a conversation until it stands still. Where another process does, it waits until that one has let it go,
// and where both do, the one that loses (law J3) looks again how it stands.
func (c *Conversations) execute(ctx context.Context, id string) (fermata.Result, error) {
	d, err := c.spoken(ctx, id)
	if err != nil {
		return fermata.Result{}, err
	}
	for {
		run, err := c.rt.Resume(ctx, id, d.plan)
		var res fermata.Result
		if err == nil {
			res, err = run.Wait(ctx)
		}
		if !c.contested(ctx, err) {
			return res, err
		}
		if err := pause(ctx); err != nil {
			return res, err
		}
	}
}

// contested reports whether an error is that another process drives the conversation, or has let it go.
func (c *Conversations) contested(ctx context.Context, err error) bool {
	return (errors.Is(err, fermata.ErrConflict) || errors.Is(err, fermata.ErrStopped)) &&
		!errors.Is(err, fermata.ErrClosed) && ctx.Err() == nil
}

// replied executes a conversation until it stands still, and tells what was said in a turn.
func (c *Conversations) replied(ctx context.Context, id string, t *turn) (Reply, error) {
	var r Reply
	take := func(d Delivery) {
		r.Said, r.Last = append(r.Said, d.Said), d.Seq
		if c.options.Sink != nil && r.SinkErr == nil { // one that has missed something is told no more: there is an order
			r.SinkErr = deliver(ctx, c.options.Sink, d)
		}
	}
	stream := streamTo(ctx, c.options.Sink)
	if next := stream; next != nil {
		stream = func(p Piece) {
			if r.SinkErr == nil {
				next(p)
			}
		}
	}
	res, err := c.watched(ctx, id, t, take, stream)
	if err != nil {
		return r, err
	}
	if err := c.read(ctx, id, t, false, take, nil); err != nil {
		return r, err
	}
	r.Seq, r.Closed, r.Busy = t.after, res.Status != fermata.Paused, res.Status == fermata.Paused
	for i := range res.Interrupts {
		if q := &res.Interrupts[i]; isGate(q) {
			if err := c.waits(ctx, &r, id, q.Request); err != nil {
				return r, err
			}
		}
	}
	if t.again > 0 {
		r.Again = true
		if r.Said, r.Last, err = c.saidIn(ctx, id, t.again); err != nil {
			return r, err
		}
	}
	if res.Status != fermata.Paused && res.Status != fermata.Completed {
		return r, res.Err
	}
	return r, nil
}

// watched drives a conversation until it stands still. Where there is a sink it hears what is said when it is said, not at the end.
func (c *Conversations) watched(ctx context.Context, id string, t *turn, take func(Delivery), stream func(Piece)) (fermata.Result, error) {
	if c.options.Sink == nil {
		return c.execute(ctx, id)
	}
	watching, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.read(watching, id, t, true, take, stream) // the reader of the rest meets the same error
	}()
	res, err := c.execute(ctx, id)
	stop()
	<-ended
	return res, err
}

// spoken is the dialogue in the language in which a conversation was begun, which its definition says.
func (c *Conversations) spoken(ctx context.Context, id string) (*Dialogue, error) {
	if !c.dialogue.several() {
		return c.dialogue, nil
	}
	info, err := c.rt.Info(ctx, id)
	if err != nil || info.Definition == "" || info.Definition == c.dialogue.digest {
		return c.dialogue, err
	}
	for _, d := range c.dialogue.family() {
		if d.digest == info.Definition {
			return d, nil
		}
	}
	_, text, err := c.rt.Definition(ctx, info.Definition) // of an earlier version of the dialogue
	var of stored
	if err != nil || json.Unmarshal(text, &of) != nil {
		return c.dialogue, err
	}
	if of.Language == "" {
		return c.dialogue.origin(), nil
	}
	return c.dialogue.In(of.Language), nil
}
