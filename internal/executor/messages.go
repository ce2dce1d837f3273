package executor

import (
	"fmt"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// letter is a message that is checked and encoded.
type letter struct {
	body  journal.SentBody // its name, id and sender
	value []byte           // JSON
}

// outgoing checks and encodes the messages that a run finds at its start.
func (x *Execution) outgoing(messages []runtype.Posted) ([]letter, error) {
	list := make([]letter, len(messages))
	for i := range messages {
		body, value, err := question.Message(&messages[i], x.MaxValue())
		if err != nil {
			return nil, err
		}
		list[i] = letter{body, value}
	}
	return list, nil
}

// post queues messages in a machine.
func post(m *machine.Machine, now int64, messages []letter) error {
	for i := range messages {
		if err := m.Send(now, messages[i].body, messages[i].value); err != nil {
			return err
		}
	}
	return nil
}

var _ nodehost.MessageHost = (*host)(nil)

// Receive implements [nodehost.MessageHost] (laws M1 and M3).
func (h *host) Receive(pass uint64, op nodehost.Op, want nodehost.MessageWant) (nodehost.Op, error) {
	if err := h.enterFor(pass, op); err != nil {
		return op, err
	}
	defer h.mu.Unlock()
	if h.run.Unstored {
		h.storeFailed = runtype.ErrMustWait
		return op, runtype.ErrMustWait
	}
	for {
		t := h.task.in(h.run.Machine)
		if t == nil {
			return op, node.ErrTaskOver
		}
		known := t.Op(op.ID)
		switch {
		case known != nil && known.Name != want.Name:
			h.broken = &node.DivergedError{
				Task: nodehost.TaskID(h.path, int(h.visit)), Expected: fmt.Sprintf("%s for messages %q", op.ID, known.Name),
				Found: fmt.Sprintf("it for messages %q", want.Name),
			}
			return op, h.broken
		case known == nil && h.run.rehearses:
			return op, h.leaveOff()
		case known == nil:
			there := h.run.Machine.HasMessage(want.Name)
			if err := h.await(op, want, !there); err != nil {
				return op, err
			}
			if there {
				continue
			}
		}
		if known == nil || !known.Done {
			h.wait(op.ID)
			return op, node.ErrSuspended
		}
		if err := fits(known, &want); err != nil && !wentPast(t, known) {
			if err := h.refuse(op, known, err); err != nil {
				return op, err
			}
			continue
		}
		op.Done, op.Value, op.Failure = true, known.Value, known.Failure
		op.By, op.At, op.Message, op.MessageID = known.By, time.UnixMicro(known.At).UTC(), known.Message, known.Letter
		h.passed(op.ID)
		return op, nil
	}
}

// await records that a call waits for a message; if lazy, with the suspension of its task.
func (h *host) await(op nodehost.Op, want nodehost.MessageWant, lazy bool) error {
	return h.record(lazy, func(m *machine.Machine, t *machine.Task, now int64) error {
		body := journal.AwaitedBody{Name: want.Name}
		if want.Limited {
			body.Due = now + want.Within.Microseconds()
		}
		return m.Await(now, t, op.ID, body, op.Apart)
	})
}

// refuse records that a message does not fit the call that has taken it. The call then takes the next one.
func (h *host) refuse(op nodehost.Op, known *machine.Op, why error) error {
	body := journal.RepliedBody{Message: known.Message, ID: known.Letter, Refused: true}
	body.Error = fmt.Sprintf("message %q: %v", known.Name, why)
	h.run.Log.Warn("a message was refused", "run", h.run.ID, "task", nodehost.TaskID(h.path, int(h.visit)), "message", known.Name, "error", why)
	return h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
		return m.Reply(now, t, op.ID, body, nil, op.Apart)
	})
}

// fits says why a call cannot take the message that it was given.
func fits(known *machine.Op, want *nodehost.MessageWant) error {
	if known.Failure != "" {
		return nil
	}
	return want.Fits(known.Value)
}

// wentPast reports whether the node has gone on with the message of a call: it has made another call since.
func wentPast(t *machine.Task, known *machine.Op) bool {
	return !known.Apart && slices.ContainsFunc(t.Ops, func(op machine.Op) bool {
		return !op.Apart && op.Place > max(known.Place, known.Message)
	})
}

// Reply implements [nodehost.MessageHost].
func (h *host) Reply(pass uint64, op nodehost.Op, r nodehost.MessageReply) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if err := h.holds(op, r.Value); err != nil {
		return err
	}
	body := journal.RepliedBody{Message: r.Message, ID: r.ID, Error: r.Error}
	return h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
		return m.Reply(now, t, op.ID, body, r.Value, op.Apart)
	})
}
