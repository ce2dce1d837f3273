package runtype

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
)

// SendOption describes a message to a run.
type SendOption func(*SendOptions)

// SendOptions holds the settings made by SendOption functions.
type SendOptions struct {
	ID    string // the sender's id of the message; "" for none
	HasID bool   // the sender gave one
	From  string // who sends it; "" for nobody named

	Within time.Duration // how long its sender waits for the reply once it is stored; 0 for as long as the context lasts
}

// MessageID is the sender's id of a message. A second message to a run with the same id has no effect (law M2), so a sender that
// does not know whether the first one arrived sends it again. An empty id is refused: it would keep nothing apart.
func MessageID(id string) SendOption { return func(o *SendOptions) { o.ID, o.HasID = id, true } }

// SentBy records who sends a message.
func SentBy(name string) SendOption { return func(o *SendOptions) { o.From = name } }

// ReplyWithin bounds how long Call waits for the reply once the message is stored. After that, its error is CodeStopped and
// context.DeadlineExceeded, and the message stays in the run.
func ReplyWithin(d time.Duration) SendOption { return func(o *SendOptions) { o.Within = d } }

// Posted is a message as its sender gives it.
type Posted struct {
	Name    string       // of the message
	Value   any          // anything that encoding/json writes
	Options []SendOption // of its sender
}

// SendOptions are the settings of its sender.
func (p *Posted) SendOptions() (o SendOptions) {
	for _, opt := range p.Options {
		opt(&o)
	}
	return o
}

// Body returns the body of the message's entry.
func (p *Posted) Body() journal.SentBody {
	o := p.SendOptions()
	return journal.SentBody{Name: p.Name, ID: o.ID, By: o.From}
}

// WithMessage starts the run with a message in its queue (law M1), in the append that starts the run.
func WithMessage(name string, value any, opts ...SendOption) StartOption {
	return func(o *StartOptions) { o.Messages = append(o.Messages, Posted{name, value, opts}) }
}

// Untaken is a message that waits in a run: no call has taken it (law M1). Its JSON is for readers.
type Untaken struct {
	Seq  uint64    `json:"seq"`          // of its entry
	Name string    `json:"name"`         // that a call asks for
	ID   string    `json:"id,omitempty"` // its sender's; "" for none
	By   string    `json:"by,omitempty"` // who sent it; "" for nobody named
	Sent time.Time `json:"sent"`         // when it was stored
}

// UntakenOf is the message of an entry.
func UntakenOf(seq uint64, body journal.SentBody, at int64) Untaken {
	return Untaken{Seq: seq, Name: body.Name, ID: body.ID, By: body.By, Sent: time.UnixMicro(at).UTC()}
}

// longestMessageID limits the id of a message, in bytes: a run keeps the ids of all its messages.
const longestMessageID = 512

// Check refuses names and ids that are empty, too long or cannot be shown (law H9).
func (p *Posted) Check() error {
	o := p.SendOptions()
	switch {
	case o.HasID && o.ID == "":
		return errors.New("the id of the message is empty; leave MessageID out where it has none")
	case len(o.ID) > longestMessageID:
		return fmt.Errorf("the id of the message has %d bytes; expected %d at most", len(o.ID), longestMessageID)
	}
	return cmp.Or(nodehost.CheckMessageName(p.Name), printable.Check("the id of the message", o.ID), printable.Check("who sends the message", o.From))
}
