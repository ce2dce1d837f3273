package channels

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// mailbox is what is known of one user of a channel: a fold over a journal of its own, which lies in the store of the
// conversations. Whatever counts is appended before anything follows from it.
type mailbox struct {
	Channel string          `json:"channel"`
	User    string          `json:"user"`
	Address json.RawMessage `json:"address,omitempty"` // of the latest message
	Round   int             `json:"round,omitempty"`   // how many conversations with the user are over
	Waiting []Message       `json:"waiting,omitempty"` // accepted, and not known to be taken by the conversation
	Heard   []string        `json:"heard,omitempty"`   // the last ids that were accepted, hashed; see maxHeard
	Sent    uint64          `json:"sent,omitempty"`    // the cursor: the last seq of the conversation that was sent
	Try     uint64          `json:"try,omitempty"`     // what is being sent: known where Options.AtMostOnce
	Worker  string          `json:"worker,omitempty"`  // the process that works on the mailbox; "" for none
	Over    bool            `json:"over,omitempty"`    // the conversation is, and all of it was sent
	Tongue  tongue          `json:"tongue,omitzero"`
}

// tongue is what a mailbox knows of the user's language, in tags of the dialogue. It outlasts conversations.
type tongue struct {
	Hint     string `json:"hint,omitempty"`     // what the provider said last
	Language string `json:"language,omitempty"` // of the conversation, as far as it is known
	Chosen   bool   `json:"chosen,omitempty"`   // the user has asked for Language: hints do not count any more
}

// hear takes in what became known.
func (t *tongue) hear(more tongue) {
	t.Hint, t.Language, t.Chosen = cmp.Or(more.Hint, t.Hint), cmp.Or(more.Language, t.Language), t.Chosen || more.Chosen
}

// change is one entry of a mailbox's journal, as its Value.
type change struct {
	Channel string   `json:"channel,omitempty"` // of the first entry
	User    string   `json:"user,omitempty"`    // likewise
	In      *Message `json:"in,omitempty"`      // a message was accepted
	Took    string   `json:"took,omitempty"`    // the conversation has taken the message with this id
	Sent    uint64   `json:"sent,omitempty"`    // all up to this seq was sent
	Try     *uint64  `json:"try,omitempty"`     // what is being sent from now on; 0 after a failure that is known
	Over    bool     `json:"over,omitempty"`    // see mailbox.Over
	Round   int      `json:"round,omitempty"`   // the one that Sent, Try and Over belong to
	Next    bool     `json:"next,omitempty"`    // the next conversation begins
	Worker  *string  `json:"worker,omitempty"`  // who works on the mailbox from now on
	Tongue  tongue   `json:"tongue,omitzero"`   // what became known
}

const (
	maxHeard   = 100 // ids of messages that a mailbox knows again
	maxWaiting = 100 // messages that wait in a mailbox
	foldEvery  = 32  // entries after which a checkpoint is stored
)

// apply folds an entry in.
func (m *mailbox) apply(c *change) {
	if c.User != "" {
		m.Channel, m.User = c.Channel, c.User
	}
	if c.In != nil {
		m.Waiting, m.Address = append(m.Waiting, *c.In), c.In.Address
		m.Heard = append(m.Heard, digest(c.In.ID))
		m.Heard = m.Heard[max(0, len(m.Heard)-maxHeard):]
	}
	if c.Took != "" {
		m.Waiting = slices.DeleteFunc(m.Waiting, func(w Message) bool { return w.ID == c.Took })
	}
	if c.Next {
		m.Round, m.Sent, m.Try, m.Over = m.Round+1, 0, 0, false
	}
	if c.Round == m.Round {
		if c.Try != nil {
			m.Try = *c.Try
		}
		m.Sent = max(m.Sent, c.Sent)
		m.Over = m.Over || c.Over
	}
	if c.Worker != nil {
		m.Worker = *c.Worker
	}
	m.Tongue.hear(c.Tongue)
}

// heard reports whether a message was accepted before.
func (m *mailbox) heard(id string) bool { return slices.Contains(m.Heard, digest(id)) }

func digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// conversation is the id of the user's conversation.
func (m *mailbox) conversation() string {
	id := m.Channel + ":" + address(m.User)
	if m.Round > 0 {
		id += ":" + strconv.Itoa(m.Round)
	}
	return id
}

var plainUser = regexp.MustCompile(`^[A-Za-z0-9._@+=-]{1,100}$`)

// address is a user's part of an id: their name at the provider, or its hash where it holds unusual characters.
func address(user string) string {
	if plainUser.MatchString(user) {
		return user
	}
	sum := sha256.Sum256([]byte(user))
	return "h" + hex.EncodeToString(sum[:16])
}

// mailboxPlan marks the rows of mailboxes.
const mailboxPlan = "mailbox"

func mailboxID(channel, user string) string { return "mailbox:" + channel + ":" + address(user) }

// box is a mailbox in memory. What it holds may be behind the store; an append finds out.
type box struct {
	id    string        // of its journal
	store journal.Store // that holds it

	mu      sync.Mutex    // guards all below
	state   mailbox       // as of head
	head    uint64        // the last entry that was read; 0 before the first
	folded  uint64        // the last checkpoint
	changed chan struct{} // closed at the next change; nil while nobody waits

	users   int    // how many hold the box, besides a worker; guarded by Driver.mu
	over    bool   // the conversation was, when its worker rested; likewise
	working bool   // a worker of this process is at it; likewise
	again   bool   // it has to look once more; likewise
	seen    uint64 // the head of the conversation up to which everything was sent; likewise
	round   int    // the round that seen belongs to; likewise
}

// load reads what was appended since the last time. A mailbox that does not exist stays empty.
func (b *box) load(ctx context.Context) error {
	if b.head == 0 {
		c, err := b.store.Checkpoint(ctx, b.id)
		if err != nil && !errors.Is(err, journal.ErrNotFound) {
			return err
		}
		if c.Seq > 0 {
			if err := json.Unmarshal(c.Data, &b.state); err != nil {
				return fmt.Errorf("mailbox %s: its checkpoint cannot be read: %w", b.id, err)
			}
			b.head, b.folded = c.Seq, c.Seq
		}
	}
	for e, err := range b.store.Read(ctx, b.id, b.head) {
		if errors.Is(err, journal.ErrNotFound) {
			b.state, b.head, b.folded = mailbox{}, 0, 0 // or it was deleted
			return nil
		}
		if err != nil {
			return err
		}
		var c change
		if err := json.Unmarshal(e.Value, &c); err != nil {
			return fmt.Errorf("mailbox %s: entry %d cannot be read: %w", b.id, e.Seq, err)
		}
		b.fold(e.Seq, &c)
	}
	return nil
}

func (b *box) fold(seq uint64, c *change) {
	b.state.apply(c)
	b.head = seq
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// read returns the mailbox as the store has it, and a channel that is closed when this process changes it.
func (b *box) read(ctx context.Context) (mailbox, <-chan struct{}, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.load(ctx); err != nil {
		return mailbox{}, nil, err
	}
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.copy(), b.changed, nil
}

// upTo returns the mailbox with all entries up to a seq.
func (b *box) upTo(ctx context.Context, head uint64) (mailbox, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.head < head {
		if err := b.load(ctx); err != nil {
			return mailbox{}, err
		}
	}
	return b.copy(), nil
}

// copy is the state for readers outside of the lock.
func (b *box) copy() mailbox {
	m := b.state
	m.Waiting, m.Heard = slices.Clone(m.Waiting), nil
	return m
}

// update appends what decide makes of the mailbox; nil appends nothing. Where another process was first, decide is
// asked again (law J3). It returns the mailbox after it.
func (b *box) update(ctx context.Context, decide func(m *mailbox) (*change, error)) (mailbox, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if b.head == 0 {
			if err := b.load(ctx); err != nil {
				return b.copy(), err
			}
		}
		c, err := decide(&b.state)
		if c == nil || err != nil {
			return b.copy(), err
		}
		err = b.append(ctx, c)
		if err == nil || !errors.Is(err, journal.ErrConflict) {
			return b.copy(), err
		}
		if err := b.load(ctx); err != nil {
			return b.copy(), err
		}
	}
}

func (b *box) append(ctx context.Context, c *change) error {
	value, err := json.Marshal(c)
	if err != nil {
		return err
	}
	now := time.Now().UnixMicro()
	next := b.state
	next.Waiting, next.Heard = slices.Clone(next.Waiting), slices.Clone(next.Heard)
	next.apply(c)
	batch := journal.Batch{
		Run: b.id, After: b.head,
		Entries: []journal.Entry{{Seq: b.head + 1, At: now, Kind: journal.Definition, Value: value}},
	}
	if b.head == 0 || next.Over != b.state.Over {
		status := "paused"
		if next.Over {
			status = "completed"
		}
		batch.Row = &journal.RunRow{ID: b.id, Kind: journal.KindDefinition, Plan: mailboxPlan, Status: status, Created: now, Updated: now}
	}
	if batch.Head()-b.folded >= foldEvery {
		data, err := json.Marshal(next)
		if err != nil {
			return err
		}
		batch.Checkpoint = &journal.Checkpoint{Seq: batch.Head(), Data: data}
	}
	if err := b.store.Append(ctx, batch); err != nil {
		if !errors.Is(err, journal.ErrConflict) { // it may have been written nevertheless
			b.state, b.head, b.folded = mailbox{}, 0, 0
		}
		return err
	}
	if batch.Checkpoint != nil {
		b.folded = batch.Head()
	}
	b.fold(batch.Head(), c)
	return nil
}
