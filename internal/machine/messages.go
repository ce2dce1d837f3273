package machine

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// mailbox holds the messages that a run got from outside (law M1). Which call takes which message follows from the order of the
// entries, so no entry says it: the call that has waited longest takes the oldest message of its name.
type mailbox struct {
	queued map[string][]message // not taken, by name, the oldest first
	ids    map[string]bool      // the ids of all messages
}

// message is one that no call has taken.
type message struct {
	seq   uint64           // of its entry
	body  journal.SentBody // its name, id and sender
	at    int64            // when it was sent, in microseconds
	value []byte           // JSON
}

// opMessage is the message that a call has taken.
type opMessage struct {
	Name    string // of the messages that the call takes
	Message uint64 // seq of the message's entry; 0 for none yet
	Letter  string // the message's id
}

// HasMessage reports whether a message of a name is queued.
func (m *Machine) HasMessage(name string) bool { return len(m.mail.queued[name]) > 0 }

// OnMessages reports whether the run waits for a message, and for no time but that of the call.
func (m *Machine) OnMessages() (waits bool) {
	for _, t := range m.tasks {
		if t.State == Backoff {
			return false
		}
		for i := range t.Ops {
			switch op := &t.Ops[i]; {
			case op.Done:
			case op.Kind == nodehost.KindSleep:
				return false
			case op.Kind == nodehost.KindReceive:
				waits = true
			}
		}
	}
	return waits
}

// Queued is a message that no call has taken.
type Queued struct {
	Seq  uint64           // of its entry
	Body journal.SentBody // its name, id and sender
	At   int64            // when it was sent, in microseconds
}

// Queued are the messages that no call has taken, the oldest first.
func (m *Machine) Queued() (all []Queued) {
	for _, name := range slices.Sorted(maps.Keys(m.mail.queued)) {
		for _, q := range m.mail.queued[name] {
			all = append(all, Queued{q.seq, q.body, q.at})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Seq < all[j].Seq }) // slices.SortFunc would be compiled for the type (ADR 060)
	return all
}

// messageSent gives a message to the call that waits for it, or queues it. One whose id is known has no effect (law M2).
func (m *Machine) messageSent(e *journal.Entry) error {
	body, err := bodyOf[journal.SentBody](m, e)
	if err != nil {
		return err
	}
	if body.Name == "" {
		return m.corrupt(e, "it has no name")
	}
	if body.ID != "" {
		if m.mail.ids[body.ID] {
			return nil
		}
		if m.mail.ids == nil {
			m.mail.ids = make(map[string]bool)
		}
		m.mail.ids[body.ID] = true
	}
	m.mail.add(message{e.Seq, body, e.At, e.Value})
	m.deliver(body.Name)
	return nil
}

// add queues a message behind those that came before it.
func (b *mailbox) add(q message) {
	if b.queued == nil {
		b.queued = make(map[string][]message)
	}
	list := b.queued[q.body.Name]
	at, _ := slices.BinarySearchFunc(list, q.seq, func(q message, seq uint64) int { return cmp.Compare(q.seq, seq) })
	b.queued[q.body.Name] = slices.Insert(list, at, q)
}

// deliver gives the queued messages of a name to the calls that wait for them.
func (m *Machine) deliver(name string) {
	for list := m.mail.queued[name]; len(list) > 0; list = m.mail.queued[name] {
		q := list[0]
		t, op := m.receiver(&q)
		if op == nil {
			return
		}
		if m.mail.queued[name] = list[1:]; len(list) == 1 {
			delete(m.mail.queued, name)
		}
		op.Done, op.Value, op.By, op.At, op.Message, op.Letter = true, q.value, q.body.By, q.at, q.seq, q.body.ID
		m.dropTimer(t, op)
		m.wake(t, op.ID, ReasonMessage)
	}
}

// receiver returns the call that has waited longest for a message, and its task; nil for none. A call whose time was over when
// the message was sent does not get it, whether or not its timer has fired.
func (m *Machine) receiver(q *message) (of *Task, first *Op) {
	for _, t := range m.tasks {
		for i := range t.Ops {
			op := &t.Ops[i]
			waits := op.Kind == nodehost.KindReceive && !op.Done && op.Name == q.body.Name && (op.Due == 0 || q.at <= op.Due)
			if waits && (first == nil || op.Place < first.Place) {
				of, first = t, op
			}
		}
	}
	return of, first
}

// messageAwaited notes a call that waits for a message, which may be there already.
func (m *Machine) messageAwaited(e *journal.Entry, op *Op) error {
	body, err := bodyOf[journal.AwaitedBody](m, e)
	if err != nil {
		return err
	}
	if body.Name == "" || op.Kind != nodehost.KindReceive || op.Done {
		return m.corrupt(e, "call %q cannot wait for messages %q", op.ID, body.Name)
	}
	op.Name, op.Due, op.Place = body.Name, body.Due, e.Seq
	m.deliver(op.Name)
	return nil
}

// messageReplied notes the answer to a message. A call whose message was refused waits for the next one, and the id of the message
// counts no more: its sender may correct it.
func (m *Machine) messageReplied(e *journal.Entry, op *Op) error {
	body, err := bodyOf[journal.RepliedBody](m, e)
	if err != nil {
		return err
	}
	if !body.Refused {
		op.Done = true
		return nil
	}
	if op.Kind != nodehost.KindReceive || op.Message != body.Message || body.Message == 0 {
		return m.corrupt(e, "call %q has not taken message %d", op.ID, body.Message)
	}
	delete(m.mail.ids, op.Letter)
	op.Done, op.Value, op.By, op.At, op.opMessage = false, nil, "", 0, opMessage{Name: op.Name}
	m.deliver(op.Name)
	return nil
}

// expired closes a call whose time is over.
func (op *Op) expired() {
	if op.Done = true; op.Kind == nodehost.KindReceive {
		op.Failure = node.ErrNoMessage.Error()
	}
}

// stopReceiving drops the calls of a failed attempt that wait for messages: the next attempt makes them anew.
func (m *Machine) stopReceiving(t *Task) {
	t.Ops = slices.DeleteFunc(t.Ops, func(op Op) bool {
		waits := op.Kind == nodehost.KindReceive && !op.Done
		if waits {
			m.dropTimer(t, &op)
		}
		return waits
	})
}

// giveBack queues the messages that calls had taken, as a fork makes the calls again (law M4).
func (m *Machine) giveBack(calls []Op) {
	for i := range calls {
		op := &calls[i]
		if op.Kind != nodehost.KindReceive || op.Message == 0 {
			continue
		}
		m.mail.add(message{op.Message, journal.SentBody{Name: op.Name, ID: op.Letter, By: op.By}, op.At, op.Value})
	}
}

// Send queues a message from outside (law M1).
func (m *Machine) Send(at int64, body journal.SentBody, value []byte) error {
	e := m.entry(journal.MessageSent, at)
	e.Value = value
	return m.applyBody(e, place0, nil, &body)
}

// Await records that a call of a task waits for a message. apart says that a goroutine of the node made it.
func (m *Machine) Await(at int64, t *Task, op string, body journal.AwaitedBody, apart bool) error {
	e := m.taskEntry(journal.MessageAwaited, t, at)
	if e.Op = op; apart {
		e.Flags = journal.FlagApart
	}
	return m.applyBody(e, t.spot(), t, &body)
}

// Reply records the answer to a message, as the outcome of a call. For a message that is refused, the call is the one that has
// taken it.
func (m *Machine) Reply(at int64, t *Task, op string, body journal.RepliedBody, value []byte, apart bool) error {
	e := m.taskEntry(journal.MessageReplied, t, at)
	if e.Op, e.Value = op, value; apart {
		e.Flags = journal.FlagApart
	}
	return m.applyBody(e, t.spot(), t, &body)
}
