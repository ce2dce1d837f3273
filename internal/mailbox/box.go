package mailbox

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// Box is the messages of a run and the calls that take them. The zero value is that of a run without entries.
type Box struct {
	queued []Message       // not taken, the oldest first
	waits  []Call          // that have no message, the one that has waited longest first
	taken  []Call          // of tasks that have not ended
	ids    map[string]bool // of all messages but those that did not fit
	asked  map[string]Call // question -> where it was asked: Node, Visit and Seq; its Op says whether it was withdrawn
}

// Message is one that was sent to the run.
type Message struct {
	Seq  uint64 // of its entry
	Name string // that a call asks for
	ID   string // its sender's; "" for none
	By   string // who sent it; "" for nobody named
	At   int64  // when it was sent, in microseconds
}

// Call is a call that takes a message.
type Call struct {
	Node    string  // path of the node that makes it
	Visit   uint32  // with Node the task
	Attempt uint16  // of the task
	Op      string  // identity of the call within the task
	Name    string  // of the messages that it takes
	Due     int64   // until when it waits, microseconds; 0 for ever
	Since   int64   // since when it waits, microseconds
	Seq     uint64  // of the entry that says so
	Message Message // that it has taken; zero for none
}

// Task returns the id of the task that makes the call.
func (c *Call) Task() string { return nodehost.TaskID(c.Node, int(c.Visit)) }

// Change is what an entry does to messages.
type Change struct {
	Taken    []Call // calls that have taken a message by it
	Repeated bool   // it is a message with a known id, which has no effect (law M2)
}

// Waits are the calls of a task that wait, in their order.
func (b *Box) Waits(path string, visit uint32) []Call {
	var of []Call
	for _, c := range b.waits {
		if c.Node == path && c.Visit == visit {
			of = append(of, c)
		}
	}
	return of
}

// All are the calls that wait, in their order.
func (b *Box) All() []Call { return slices.Clone(b.waits) }

// Queued are the messages that no call has taken, the oldest first.
func (b *Box) Queued() []Message { return slices.Clone(b.queued) }

// Knows reports whether a message with this id has no effect any more (law M2).
func (b *Box) Knows(id string) bool { return b.ids[id] }

// Apply folds an entry. A body that cannot be read changes nothing.
func (b *Box) Apply(e *journal.Entry) Change {
	switch e.Kind {
	case journal.MessageSent:
		return b.sent(e)
	case journal.MessageAwaited:
		body := bodyOf[journal.AwaitedBody](e)
		b.wait(Call{
			Node: e.Node, Visit: e.Visit, Attempt: e.Attempt, Op: e.Op, Name: body.Name, Due: body.Due, Since: e.At, Seq: e.Seq,
		})
	case journal.MessageReplied:
		b.refused(e)
	case journal.InterruptOpened:
		if b.asked == nil {
			b.asked = make(map[string]Call)
		}
		b.asked[e.Op] = Call{Node: e.Node, Visit: e.Visit, Seq: e.Seq}
	case journal.RunResumed:
		b.resumed(e)
	case journal.TimerFired:
		b.waits = slices.DeleteFunc(b.waits, func(c Call) bool { return ofTask(e, &c) && c.Op == e.Op })
	case journal.InterruptResolved:
		if q, ok := b.asked[e.Op]; ok && bodyOf[journal.ResolvedBody](e).State == journal.Withdrawn {
			q.Op = journal.Withdrawn
			b.asked[e.Op] = q
		}
	case journal.NodeRetrying, journal.NodeFailed: // the next attempt makes the calls that wait anew, and the others keep their messages
		b.waits = slices.DeleteFunc(b.waits, func(c Call) bool { return ofTask(e, &c) })
	case journal.NodeFinished:
		b.over(func(c Call) bool { return ofTask(e, &c) })
	case journal.RouteTaken:
		b.routed(e)
	default:
	}
	return Change{Taken: b.deliver()}
}

func (b *Box) sent(e *journal.Entry) Change {
	body := bodyOf[journal.SentBody](e)
	if body.ID != "" {
		if b.ids[body.ID] {
			return Change{Repeated: true}
		}
		if b.ids == nil {
			b.ids = make(map[string]bool)
		}
		b.ids[body.ID] = true
	}
	b.queued = append(b.queued, Message{e.Seq, body.Name, body.ID, body.By, e.At})
	return Change{Taken: b.deliver()}
}

// wait adds a call in its place.
func (b *Box) wait(c Call) {
	at, _ := slices.BinarySearchFunc(b.waits, c.Seq, func(c Call, seq uint64) int { return cmp.Compare(c.Seq, seq) })
	b.waits = slices.Insert(b.waits, at, c)
}

// deliver pairs the oldest message of a name with the call that has waited longest for it.
func (b *Box) deliver() (taken []Call) {
	for i := 0; i < len(b.queued); {
		m := b.queued[i]
		at := slices.IndexFunc(b.waits, func(c Call) bool { return c.Name == m.Name && (c.Due == 0 || m.At <= c.Due) })
		if at < 0 {
			i++
			continue
		}
		c := b.waits[at]
		c.Message = m
		b.queued, b.waits = slices.Delete(b.queued, i, i+1), slices.Delete(b.waits, at, at+1)
		b.taken, taken = append(b.taken, c), append(taken, c)
	}
	return taken
}

// refused has a call wait again whose message does not fit it (law M3).
func (b *Box) refused(e *journal.Entry) {
	body := bodyOf[journal.RepliedBody](e)
	at := slices.IndexFunc(b.taken, func(c Call) bool { return ofTask(e, &c) && c.Op == e.Op && c.Message.Seq == body.Message })
	if !body.Refused || at < 0 {
		return
	}
	c := b.taken[at]
	delete(b.ids, c.Message.ID) // the sender may correct it
	c.Message, b.taken = Message{}, slices.Delete(b.taken, at, at+1)
	b.wait(c)
}

// resumed gives back the messages of calls that a fork makes again: those behind the questions that it asks again (law M4).
func (b *Box) resumed(e *journal.Entry) {
	body := bodyOf[journal.ResumedBody](e)
	for id, q := range b.asked {
		if !slices.Contains(body.Again, id) && (body.Reason != "fork" || q.Op != journal.Withdrawn) {
			continue
		}
		again := func(c Call) bool { return c.Node == q.Node && c.Visit == q.Visit && c.Seq > q.Seq }
		for _, c := range b.taken {
			if again(c) {
				at, _ := slices.BinarySearchFunc(b.queued, c.Message.Seq, func(m Message, seq uint64) int { return cmp.Compare(m.Seq, seq) })
				b.queued = slices.Insert(b.queued, at, c.Message)
			}
		}
		b.over(again)
	}
}

// routed drops the calls of tasks that were given up with their subgraph or item, or whose deadline has passed.
func (b *Box) routed(e *journal.Entry) {
	inside := ""
	switch {
	case e.Flags&journal.FlagExpired != 0:
		b.over(func(c Call) bool { return ofTask(e, &c) })
		return
	case e.Flags&journal.FlagItem != 0:
		inside = e.Node[:strings.LastIndexByte(e.Node, '/')+1]
	case e.Flags&journal.FlagCatch == 0:
		return
	default:
		inside = e.Node + "/"
	}
	item := nodehost.TaskID(e.Node, int(e.Visit)) + "."
	b.over(func(c Call) bool { return strings.HasPrefix(c.Node, inside) || strings.HasPrefix(c.Node, item) })
}

// over forgets calls of tasks that have ended.
func (b *Box) over(ended func(Call) bool) {
	b.waits = slices.DeleteFunc(b.waits, ended)
	b.taken = slices.DeleteFunc(b.taken, ended)
}

func ofTask(e *journal.Entry, c *Call) bool { return c.Node == e.Node && c.Visit == e.Visit }

func bodyOf[T any](e *journal.Entry) (body T) {
	_ = json.Unmarshal(e.Body, &body) // what cannot be read is left out
	return body
}
