package fermata

import (
	"context"
	"time"

	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/plan"
)

// SendOption describes a message to a run.
type SendOption = runtype.SendOption

// Untaken is a message that waits in a run: no call has taken it (law M1). Its JSON is for readers.
//
//	type Untaken struct {
//	    Seq  uint64    // of its entry
//	    Name string    // that a call asks for
//	    ID   string    // its sender's; "" for none
//	    By   string    // who sent it; "" for nobody named
//	    Sent time.Time // when it was stored
//	}
type Untaken = runtype.Untaken

// MessageID is the sender's id of a message. A second message to a run with the same id has no effect (law M2), so a sender that
// does not know whether the first one arrived sends it again. An empty id is refused: it would keep nothing apart.
func MessageID(id string) SendOption { return runtype.MessageID(id) }

// SentBy records who sends a message.
func SentBy(name string) SendOption { return runtype.SentBy(name) }

// ReplyWithin bounds how long [Runtime.Call] waits for the reply once the message is stored. After that, its error is CodeStopped
// and context.DeadlineExceeded, and the message stays in the run. It bounds no other way of sending.
func ReplyWithin(d time.Duration) SendOption { return runtype.ReplyWithin(d) }

// WithMessage starts the run with a message in its queue (law M1), in the append that starts the run.
func WithMessage(name string, value any, opts ...SendOption) StartOption {
	return runtype.WithMessage(name, value, opts...)
}

// Send queues a message into a run, whichever process executes it (law M1). There, node.Receive takes it. A message may come
// before the run looks for it, and waits in the run then. The value is anything that encoding/json writes.
//
// When Send has returned, the message is stored. After an error of the store it may be stored or not: give it a [MessageID], and
// send it again. A run that has ended takes no message (CodeConflict), except that one which it has had has no effect again. A run
// may end before it has looked at all of its messages: they stay in its journal.
func (rt *Runtime) Send(ctx context.Context, run, name string, value any, opts ...SendOption) error {
	_, err := rt.send(ctx, run, runtype.Posted{Name: name, Value: value, Options: opts})
	return err
}

// Call is [Runtime.Send] and waits for the answer that node code gives with Message.Reply. The answer is decoded into reply, a
// pointer; nil drops it. A message that was refused, by the node or because it does not fit the type that the node receives, is
// ErrRefused (CodeInvalid), and a run that ends without an answer is CodeConflict. With the [MessageID] of an earlier call, it
// returns the answer to that, also after the end of the run. Call waits until ctx is done, or as long as [ReplyWithin] says, where
// the run is blocked, or waits for another person or process. The error is CodeStopped then, and the message is stored.
func (rt *Runtime) Call(ctx context.Context, run, name string, value, reply any, opts ...SendOption) error {
	m := runtype.Posted{Name: name, Value: value, Options: opts}
	seq, err := rt.send(ctx, run, m)
	if err != nil {
		return err
	}
	if within := m.SendOptions().Within; within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	data, err := rt.fleet.AwaitReply(ctx, run, seq, m.Body().ID)
	if err != nil || reply == nil {
		return err
	}
	return question.FromJSON(data, reply)
}

// StartOrSend starts a run with its messages, or sends them to the run that has its id already.
// They are set with [WithMessage], the id with [WithID].
// Either is one append: of many callers one starts the run, and no message is lost. A run that has ended takes none, as in
// [Runtime.Send].
func (rt *Runtime) StartOrSend(ctx context.Context, p *plan.Plan, input any, opts ...StartOption) (*Run, error) {
	send := func(run string, messages []runtype.Posted) error {
		_, err := rt.send(ctx, run, messages...)
		return err
	}
	return rt.fleet.StartOrSend(ctx, p, input, send, opts)
}

func (rt *Runtime) send(ctx context.Context, run string, messages ...runtype.Posted) (first uint64, err error) {
	if err := rt.fleet.Open(run); err != nil {
		return 0, err
	}
	return rt.inbox.Send(ctx, run, messages...)
}
