package channels

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
)

// longestWish bounds how long a provider's Retry-After is respected.
const longestWish = time.Hour

// errLost says that another process works on the mailbox by now.
var errLost = errors.New("another process has taken the mailbox over")

// session is the work of one process on one mailbox, from taking it to letting it go.
type session struct {
	d     *Driver
	b     *box
	ch    Channel
	m     mailbox        // as it was read last
	talk  string         // the conversation
	state dialogue.Reply // how the conversation stood when it was looked at last
	found bool           // the conversation exists
	tries int            // how often in a row the first message was not taken
}

// work empties a mailbox: it gives the conversation one message after the other, and sends what is said.
func (d *Driver) work(ctx context.Context, b *box) {
	for {
		s := &session{d: d, b: b}
		err := s.run(ctx)
		if err != nil && ctx.Err() == nil && !errors.Is(err, errLost) {
			d.o.Logger.ErrorContext(ctx, "a mailbox could not be worked on", "mailbox", b.id, "error", err)
			_ = d.pause(ctx, 1, 0) // the next sweep tries again, if a message does not before
		}
		if d.rest(b, s.m.Over && len(s.m.Waiting) == 0) {
			return
		}
	}
}

func (s *session) run(ctx context.Context) error {
	if err := s.read(ctx); err != nil || s.ch == nil {
		return err
	}
	if some, err := s.some(ctx); err != nil || !some {
		return err
	}
	if err := s.own(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := s.drain(ctx); err != nil {
			return err
		}
		if len(s.m.Waiting) == 0 {
			if free, err := s.release(ctx); free || err != nil {
				return err
			}
			continue
		}
		if err := s.next(ctx); err != nil {
			return err
		}
		if err := s.read(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// read brings the session up to date: the mailbox, and how its conversation stands.
func (s *session) read(ctx context.Context) (err error) {
	if s.m, _, err = s.b.read(ctx); err != nil {
		return err
	}
	s.ch, s.talk = s.d.channels[s.m.Channel], s.m.conversation()
	s.state, err = s.d.talks.Standing(ctx, s.talk)
	s.found = err == nil
	if fe, ok := errors.AsType[*fermata.Error](err); ok && fe.Code == fermata.CodeNotFound {
		err = nil
	}
	return err
}

// answers reports whether what is said goes into responses, and is not sent here.
func (s *session) answers() bool { _, ok := s.ch.(Answerer); return ok }

// some reports whether there is anything to do. It notes up to where there is not.
func (s *session) some(ctx context.Context) (bool, error) {
	if len(s.m.Waiting) > 0 {
		return true, nil
	}
	if s.m.Over || !s.found {
		return false, nil
	}
	if s.state.Closed && !s.answers() {
		return true, nil // the mailbox is to be over as well
	}
	if !s.answers() {
		for _, err := range s.d.talks.Said(ctx, s.talk, s.m.Sent) {
			return true, err
		}
	}
	s.saw()
	return false, nil
}

// saw notes that all was sent that the conversation had said when it was looked at.
func (s *session) saw() {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.b.seen, s.b.round = s.state.Seq, s.m.Round
}

// own makes this process the owner of the mailbox; errLost where another live process is.
func (s *session) own(ctx context.Context) error {
	was := s.m.Worker
	if was == s.d.name {
		return nil
	}
	if alive, err := s.d.alive(ctx, was); err != nil || alive {
		if err == nil {
			err = errLost // the owner looks again before it lets go
		}
		return err
	}
	return s.update(ctx, func(have *mailbox) *change {
		if have.Worker != was {
			return nil
		}
		return &change{Worker: &s.d.name}
	})
}

// update changes the mailbox, as long as this process owns it then.
func (s *session) update(ctx context.Context, decide func(have *mailbox) *change) (err error) {
	s.m, err = s.b.update(ctx, func(have *mailbox) (*change, error) { return decide(have), nil })
	if err == nil && s.m.Worker != s.d.name {
		err = errLost
	}
	return err
}

// append appends one change of this process, the owner.
func (s *session) append(ctx context.Context, c *change) error {
	return s.update(ctx, func(have *mailbox) *change {
		if have.Worker != s.d.name {
			return nil
		}
		return c
	})
}

// release lets the mailbox go, unless a message has come meanwhile.
func (s *session) release(ctx context.Context) (free bool, err error) {
	nobody := ""
	over := s.found && s.state.Closed && !s.answers()
	s.m, err = s.b.update(ctx, func(have *mailbox) (*change, error) {
		if len(have.Waiting) > 0 || have.Worker != s.d.name {
			return nil, nil //nolint:nilnil // nothing to append
		}
		return &change{Worker: &nobody, Over: over, Round: s.m.Round}, nil
	})
	return s.m.Worker != s.d.name, err
}

// drain sends what was said and not sent.
func (s *session) drain(ctx context.Context) error {
	if s.answers() || !s.found || s.m.Over {
		return nil
	}
	var err error
	if s.state, err = s.d.talks.Standing(ctx, s.talk); err != nil {
		return err
	}
	for said, err := range s.d.talks.Said(ctx, s.talk, s.m.Sent) {
		if err == nil {
			err = s.deliver(ctx, &said)
		}
		if err != nil {
			return err
		}
	}
	s.saw()
	return nil
}

// next gives the conversation the first message that waits.
func (s *session) next(ctx context.Context) error {
	m := s.m.Waiting[0]
	took := &change{Took: m.ID, Tongue: tongue{Hint: s.d.tag(m.Language)}}
	if !s.found {
		var err error
		if took.Tongue.Language, err = s.open(ctx, &m); err != nil {
			return err
		}
	}
	if m.Text == "" {
		return s.append(ctx, took)
	}
	said := dialogue.Message{ID: messageID(m.ID), Text: s.meant(m.Text), Question: m.Question, Channel: s.m.Channel, Language: s.follows(&took.Tongue)}
	r, err := s.say(ctx, said)
	if err == nil {
		s.tries = 0
		took.Tongue.hear(s.heard(&took.Tongue, said.Language, &r))
		return s.append(ctx, took)
	}
	if ctx.Err() != nil || errors.Is(err, errLost) || errors.Is(err, fermata.ErrBlocked) {
		return err
	}
	if errors.Is(err, dialogue.ErrBusy) { // another person is asked first
		s.tries++
		_ = s.d.pause(ctx, s.tries, 0) // run looks at the context before it goes on
		return nil
	}
	if errors.Is(err, dialogue.ErrMessage) {
		s.d.o.Logger.ErrorContext(ctx, "a message was left out", "mailbox", s.b.id, "error", err)
		return s.append(ctx, took)
	}
	standing, lost := s.d.talks.Standing(ctx, s.talk)
	switch {
	case lost != nil || !standing.Closed:
		return err
	case errors.Is(err, dialogue.ErrClosed):
		return s.update(ctx, func(have *mailbox) *change {
			if have.Worker != s.d.name || have.Round != s.m.Round {
				return nil
			}
			return &change{Next: true}
		}) // all of it was sent: the message begins another one
	}
	s.d.o.Logger.ErrorContext(ctx, "a conversation failed", "conversation", s.talk, "error", err)
	return s.append(ctx, took)
}

// open begins the conversation, and returns its language.
func (s *session) open(ctx context.Context, m *Message) (language string, err error) {
	var with map[string]any
	if s.d.o.Open != nil {
		if with, err = s.d.o.Open(ctx, s.m.Channel, *m); err != nil {
			return "", fmt.Errorf("Options.Open: %w", err)
		}
	}
	r, _, err := s.d.talks.OpenIn(ctx, s.begins(ctx, m), s.talk, with)
	s.found = err == nil
	return r.Language, err
}

// say says a message, and meanwhile sends what is said in answer.
func (s *session) say(ctx context.Context, m dialogue.Message) (dialogue.Reply, error) {
	if s.answers() {
		return s.d.talks.Send(ctx, s.talk, m)
	}
	listening, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		for said, err := range s.d.talks.Listen(listening, s.talk, s.m.Sent) {
			if err != nil { // Send meets the same error, or what follows does
				break
			}
			if err := s.deliver(ctx, &said); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	r, err := s.d.talks.Send(ctx, s.talk, m)
	stop()
	return r, errors.Join(err, <-ended)
}

// meant is the choice that a number means, where choices are numbered.
func (s *session) meant(text string) string {
	asked := s.state.Pending
	if asked == nil || !numbered(s.ch, asked.Prompt, asked.Options) {
		return text
	}
	word := strings.TrimRight(strings.TrimSpace(text), ".)")
	n, err := strconv.Atoi(word)
	for _, o := range asked.Options {
		if strings.EqualFold(o, word) {
			return text
		}
	}
	if err != nil || n < 1 || n > len(asked.Options) {
		return text
	}
	return asked.Options[n-1]
}

// numbered reports whether choices are shown as numbered lines, and not as buttons, which stand below a text.
func numbered(ch Channel, prompt string, choices []string) bool {
	return len(choices) > 0 && (prompt == "" || !ch.Buttons(choices))
}

// messageID is the id under which the conversation knows a message.
func messageID(id string) string {
	if len(id) > 150 {
		return "h" + digest(id)
	}
	return id
}

// deliver sends one thing that was said, until the provider has taken it or refuses it for good.
func (s *session) deliver(ctx context.Context, said *dialogue.Delivery) error {
	out := outgoing(s.ch, &s.m, said)
	log := s.d.o.Logger.With("channel", s.m.Channel, "message", out.Key)
	if s.m.Try == said.Seq && s.d.o.AtMostOnce {
		log.ErrorContext(ctx, "a process ended while it sent a message; it was left out")
		out.Text = ""
	}
	began := time.Now()
	for tries := 1; out.Text != ""; tries++ {
		err := s.try(ctx, said.Seq, out)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, errUntried) {
			return err
		}
		why, known := errors.AsType[*SendError](err)
		if known && why.Permanent {
			log.ErrorContext(ctx, "the provider refused a message; it was left out", "error", err)
			break
		}
		if s.d.o.AtMostOnce && (!known || why.Unknown) {
			log.ErrorContext(ctx, "nobody knows whether a message was sent; it was left out", "error", err)
			break
		}
		if time.Since(began) > s.d.o.GiveUp {
			log.ErrorContext(ctx, "a message could not be sent; it was left out", "error", err, "tries", tries)
			break
		}
		log.WarnContext(ctx, "a message could not be sent; it is tried again", "error", err, "tries", tries)
		var wish time.Duration
		if known {
			wish = why.RetryAfter
		}
		if s.d.pause(ctx, tries, wish) != nil {
			return ctx.Err()
		}
	}
	return s.append(ctx, &change{Sent: said.Seq, Round: s.m.Round})
}

// errUntried says that a try could not be recorded, and was not made.
var errUntried = errors.New("the mailbox could not be written")

// try sends a message once. With Options.AtMostOnce it records that before, and afterwards that a try has failed.
func (s *session) try(ctx context.Context, seq uint64, out *Outgoing) error {
	if !s.d.o.AtMostOnce {
		return s.send(ctx, out)
	}
	if err := s.append(ctx, &change{Try: &seq, Round: s.m.Round}); err != nil {
		return fmt.Errorf("%w: %w", errUntried, err)
	}
	err := s.send(ctx, out)
	if why, known := errors.AsType[*SendError](err); known && !why.Unknown {
		if lost := s.append(context.WithoutCancel(ctx), &change{Try: new(uint64), Round: s.m.Round}); lost != nil {
			return fmt.Errorf("%w: %w", errUntried, lost)
		}
	}
	return err
}

// send calls the channel. One that panics has not sent the message.
func (s *session) send(ctx context.Context, out *Outgoing) (err error) {
	defer panicked(&err)
	return s.ch.Send(ctx, out)
}

// panicked makes a panic of a channel an error. The error does not show a value of the channel, which may hold a text.
func panicked(err *error) {
	r := recover()
	if why, ok := r.(runtime.Error); ok {
		*err = fmt.Errorf("the channel panicked: %w", why)
	} else if r != nil {
		*err = fmt.Errorf("the channel panicked with a value of type %T", r)
	}
}

// outgoing is what a user is sent for something that was said.
func outgoing(ch Channel, m *mailbox, said *dialogue.Delivery) *Outgoing {
	out := &Outgoing{
		Key: said.Key(), User: m.User, Address: m.Address, Text: said.Said.Prompt, Choices: said.Said.Options, Question: said.Said.ID,
		Agent: said.Said.By == "agent",
	}
	if numbered(ch, out.Text, out.Choices) {
		for i, c := range out.Choices {
			out.Text += fmt.Sprintf("\n%d. %s", i+1, c)
		}
		out.Text, out.Choices = strings.TrimPrefix(out.Text, "\n"), nil
	}
	return out
}

// pause waits before the next try. It returns early, with an error, when ctx is done.
func (d *Driver) pause(ctx context.Context, tries int, wish time.Duration) error {
	select {
	case <-time.After(d.backoff(tries, wish)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// backoff is how long the next try is waited for: longer from try to try, and as long as the provider wishes.
func (d *Driver) backoff(tries int, wish time.Duration) time.Duration {
	wait := d.o.MaxBackoff
	if tries < 20 {
		wait = min(wait, d.o.Backoff<<(tries-1))
	}
	wait -= rand.N(wait/2 + 1) //nolint:gosec // so that many do not come back together
	return max(wait, min(wish, longestWish))
}
