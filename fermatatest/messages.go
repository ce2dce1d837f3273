package fermatatest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// mailbox holds the messages of the task that is tested.
type mailbox struct {
	queued  []letter        // not taken, the oldest first
	ids     map[string]bool // the ids of all messages
	sent    uint64          // how many there were
	replies []Reply         // in the order in which they were given
}

// letter is a message, or the end of a wait for one.
type letter struct {
	journal.SentBody
	value  []byte // JSON
	seq    uint64 // its number, from 1
	expire bool   // the wait of a call ends instead
}

// Reply is the answer of a node to a message, or its refusal.
type Reply struct {
	Message string // name of the message
	ID      string // the message's id, "" for none
	Value   string // JSON; "" for a refusal
	Error   string // why the message was refused; "" for an answer
}

// Message queues a message, as Runtime.Send does: node.Receive takes those of a name in their order. One with the id
// (fermata.MessageID) of an earlier one has no effect (law M2). One that does not fit the call is refused, as [Context.Replies]
// shows, and the call takes the next (law M3).
func (c *Context) Message(name string, value any, opts ...runtype.SendOption) *Context {
	c.t.Helper()
	p := runtype.Posted{Name: name, Value: value, Options: opts}
	body := p.Body()
	data, err := canonical.Marshal(value, 0)
	if err := cmp.Or(p.Check(), err); err != nil {
		c.t.Fatal(err)
	}
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	c.host.mail.put(letter{SentBody: body, value: data})
	return c
}

// NoMessage lets the wait of a call for a message of the name end, once it has had those given before.
// Its time passes (node.Within), and the call fails with node.ErrNoMessage.
func (c *Context) NoMessage(name string) *Context {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	c.host.mail.put(letter{SentBody: journal.SentBody{Name: name}, expire: true})
	return c
}

// Replies are the answers to messages and their refusals, in order.
func (c *Context) Replies() []Reply {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	return slices.Clone(c.host.mail.replies)
}

func (m *mailbox) put(l letter) {
	if l.ID != "" {
		if m.ids[l.ID] {
			return
		}
		if m.ids == nil {
			m.ids = make(map[string]bool)
		}
		m.ids[l.ID] = true
	}
	m.sent++
	l.seq = m.sent
	m.queued = append(m.queued, l)
}

// next is the place of the oldest letter of a name, -1 for none.
func (m *mailbox) next(name string) int {
	return slices.IndexFunc(m.queued, func(l letter) bool { return l.Name == name })
}

var _ nodehost.MessageHost = (*host)(nil)

// Receive implements nodehost.MessageHost. The pass is left even if the message is there, so that each test replays (law N1).
func (h *host) Receive(pass uint64, called nodehost.Op, want nodehost.MessageWant) (nodehost.Op, error) {
	if err := h.enter(pass); err != nil {
		return called, err
	}
	defer h.mu.Unlock()
	o := h.find(called.ID)
	if o != nil && o.wants.Name != want.Name {
		h.broken = &node.DivergedError{
			Task: h.info.Task(), Expected: fmt.Sprintf("%s for messages %q", called.ID, o.wants.Name), Found: fmt.Sprintf("it for messages %q", want.Name),
		}
		return called, h.broken
	}
	if o != nil && o.Done {
		return o.Op, nil
	}
	if o == nil {
		o = h.record(called)
		o.due = h.clock.Now().Add(want.Within)
	}
	o.wants = want
	h.waits = append(h.waits, o)
	return called, node.ErrSuspended
}

// deliver gives a call the oldest message that it can take, or ends its wait.
func (h *host) deliver(o *op) error {
	for i := h.mail.next(o.wants.Name); i >= 0; i = h.mail.next(o.wants.Name) {
		l := h.mail.queued[i]
		switch {
		case l.expire && !o.wants.Limited:
			return fmt.Errorf("%s waits for ever; it needs node.Within for NoMessage(%q)", o.ID, o.wants.Name)
		case l.expire:
			h.mail.queued = slices.Delete(h.mail.queued, i, i+1)
			h.clock.AdvanceTo(o.due)
			o.Done, o.Failure, o.At = true, node.ErrNoMessage.Error(), h.clock.Now()
			return nil
		}
		h.mail.queued = slices.Delete(h.mail.queued, i, i+1)
		if err := o.wants.Fits(l.value); err != nil {
			delete(h.mail.ids, l.ID) // the sender may correct it
			h.mail.replies = append(h.mail.replies, Reply{Message: l.Name, ID: l.ID, Error: fmt.Sprintf("message %q: %v", l.Name, err)})
			continue
		}
		o.Done, o.Value, o.By, o.At, o.Message, o.MessageID = true, l.value, l.By, h.clock.Now(), l.seq, l.ID
		return nil
	}
	return h.noMessage(o)
}

// noMessage says which message is missing.
func (h *host) noMessage(o *op) error {
	err := fmt.Errorf("%s: %w for a message; give one with Message(%q, …)", o.ID, node.ErrSuspended, o.wants.Name)
	for _, l := range h.mail.queued {
		err = fmt.Errorf("%w; there is one of the name %q, which nobody has taken", err, l.Name)
	}
	return err
}

// Reply implements nodehost.MessageHost.
func (h *host) Reply(pass uint64, called nodehost.Op, r nodehost.MessageReply) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	h.record(called).Done = true
	name := ""
	for _, o := range h.ops {
		if o.Kind == nodehost.KindReceive && o.Message == r.Message {
			name = o.wants.Name
		}
	}
	h.mail.replies = append(h.mail.replies, Reply{Message: name, ID: r.ID, Value: string(r.Value), Error: r.Error})
	return nil
}
