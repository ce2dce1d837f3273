package node

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/schema"
)

// Message is one that a program or a person has sent to the run.
type Message[T any] struct {
	Value T         // what it says
	ID    string    // its sender's id of it; "" for none
	From  string    // who sent it; "" for nobody named
	At    time.Time // when it was sent, in UTC

	ctx  Context
	name string
	op   nodehost.Op
	done bool // it is answered
}

// Receive takes the oldest message of a name that no other call of the run has taken (laws M1 to M3). Runtime.Send has queued it,
// or it comes later: then the task is left ([ErrSuspended]): return the error. When there is a message, the function runs again
// from its first line.
//
// A message that does not fit T is refused, on record, and never reaches the node; members that T does not have are ignored.
// Of the options, [Within] sets how long to wait, after which the error is [ErrNoMessage]; with 0 or less the call takes what is
// there. [ResponseSchema] says what fits in place of T, and [ID] names the call within its task, instead of the name of the message. A run that is not stored cannot receive.
//
// Each call of a function is repeated when it runs again: a function that takes many messages one after the other is faster as a
// node with an edge to itself.
func Receive[T any](ctx Context, name string, opts ...AskOption) (T, error) {
	m, err := ReceiveMessage[T](ctx, name, opts...)
	if err != nil {
		var zero T
		return zero, err
	}
	return m.Value, nil
}

// ReceiveMessage is [Receive] with the message's sender, id and time, and with a way to answer it.
// Runtime.Call waits for the answer: see [Message.Reply].
func ReceiveMessage[T any](ctx Context, name string, opts ...AskOption) (*Message[T], error) {
	want, key, doc, err := wantOf(name, opts)
	if err != nil {
		return nil, fmt.Errorf("task %s: receive %q: %w", ctx.Info().Task(), name, err)
	}
	h, ok := ctx.host.(nodehost.MessageHost)
	if !ok {
		return nil, fmt.Errorf("task %s: receive %q: this host has no messages: %w", ctx.Info().Task(), name, errors.ErrUnsupported)
	}
	s, err := messageSchema[T](doc)
	if err != nil {
		return nil, fmt.Errorf("task %s: receive %q: the type of the message: %w", ctx.Info().Task(), name, err)
	}
	want.Fits = func(value []byte) error {
		if err := s.Check(value); err != nil {
			return err
		}
		var v T
		return canonical.Decode(value, &v)
	}
	op, err := ctx.begin(nodehost.KindReceive, key)
	if err != nil {
		return nil, err
	}
	if op, err = h.Receive(ctx.pass, op, want); err != nil {
		return nil, ctx.leave(err)
	}
	if op.Failure != "" {
		return nil, fmt.Errorf("task %s, %s: %w", ctx.Info().Task(), nodehost.CallText(op.ID), ErrNoMessage)
	}
	m := &Message[T]{ID: op.MessageID, From: op.By, At: op.At, ctx: ctx, name: key, op: op}
	if want.Fits(op.Value) != nil { // the node has gone on with it, and its code was changed since
		m.Value, err = recorded[T](ctx, op)
		return m, err
	}
	return m, canonical.Decode(op.Value, &m.Value)
}

// wantOf reads the options of a call of Receive, and returns the call's key and the schema that is given.
func wantOf(name string, opts []AskOption) (want nodehost.MessageWant, key string, doc []byte, err error) {
	if err := nodehost.CheckMessageName(name); err != nil {
		return want, "", nil, err
	}
	const unlimited = math.MinInt64
	a := ask{key: name}
	a.Within = unlimited
	for _, opt := range opts {
		opt(&a)
	}
	want = nodehost.MessageWant{Name: name}
	if want.Limited = a.Within != unlimited; want.Limited {
		want.Within = max(a.Within, 0)
	}
	if a.Kind+a.Role+a.Assignee+a.Override+a.Prompt != "" || a.FourEyes || a.RequireToken || a.RequestSchema != nil ||
		len(a.NotBy)+len(a.Options)+len(a.defaults)+len(a.AtDeadline.Do) > 0 {
		return want, "", nil, errors.New("only the options Within, ID and ResponseSchema apply to messages")
	}
	return want, a.key, a.ResponseSchema, nil
}

// messageSchema is the schema that is given, or else that of T.
func messageSchema[T any](doc []byte) (*schema.Schema, error) {
	if doc != nil {
		return schema.Parse(doc)
	}
	return openSchema[T]()
}

// openSchema is the schema of T, except that objects may have more members.
func openSchema[T any]() (*schema.Schema, error) {
	s, err := schema.For[T]()
	if err != nil {
		return nil, err
	}
	closed, open := []byte(`"additionalProperties":false`), []byte(`"additionalProperties":true`)
	if !bytes.Contains(s.JSON(), closed) {
		return s, nil
	}
	return schema.Parse(bytes.ReplaceAll(s.JSON(), closed, open))
}

// Reply answers the message; Runtime.Call returns the value to its sender. It is recorded once, and a replay does not repeat it.
// A second answer is an error.
func (m *Message[T]) Reply(value any) error {
	data, err := m.ctx.encode(value)
	if err != nil {
		return fmt.Errorf("task %s: reply to %q: %w: %w", m.ctx.Info().Task(), m.name, ErrNotStorable, err)
	}
	return m.reply(nodehost.MessageReply{Value: data})
}

// Refuse answers the message with an error; Runtime.Call returns its text to the sender.
func (m *Message[T]) Refuse(why error) error {
	if why == nil {
		return fmt.Errorf("task %s: message %q is refused without a reason", m.ctx.Info().Task(), m.name)
	}
	return m.reply(nodehost.MessageReply{Error: m.ctx.capture(why).Error()})
}

func (m *Message[T]) reply(r nodehost.MessageReply) error {
	if m.done {
		return fmt.Errorf("task %s: message %q is answered already", m.ctx.Info().Task(), m.name)
	}
	op, err := m.ctx.begin(nodehost.KindReply, m.name)
	if err != nil {
		return err
	}
	if m.done = true; op.Done {
		return nil
	}
	r.Message, r.ID = m.op.Message, m.op.MessageID
	return m.ctx.host.(nodehost.MessageHost).Reply(m.ctx.pass, op, r) //nolint:forcetypeassert // it has given the message
}
