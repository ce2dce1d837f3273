package fermatatest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/node"
)

// enter locks the host for a call of a pass, or says why the call is refused.
func (h *host) enter(pass uint64) error {
	h.mu.Lock()
	var err error
	switch {
	case pass != h.pass:
		err = node.ErrTaskOver
	case h.broken != nil:
		err = h.broken
	case len(h.waits) > 0 && h.together == 0:
		err = node.ErrSuspended
	default:
		return nil
	}
	h.mu.Unlock()
	return err
}

// Begin implements nodehost.Host.
func (h *host) Begin(pass uint64, kind nodehost.Kind, key string) (nodehost.Op, error) {
	return h.beginBy(pass, kind, key, false, 0)
}

// BeginApart implements nodehost.ApartHost.
func (h *host) BeginApart(pass uint64, kind nodehost.Kind, key string, by uint64) (nodehost.Op, error) {
	return h.beginBy(pass, kind, key, true, by)
}

func (h *host) beginBy(pass uint64, kind nodehost.Kind, key string, apart bool, by uint64) (nodehost.Op, error) {
	if err := h.enter(pass); err != nil {
		return nodehost.Op{}, err
	}
	defer h.mu.Unlock()
	name := string(kind) + ":" + key
	if first, ok := h.by[name]; ok && first != by {
		switch kind {
		case nodehost.KindEmit, nodehost.KindStream, nodehost.KindChunks, nodehost.KindData:
		default:
			h.broken = &node.SharedKeyError{Task: h.info.Task(), Kind: kind, Key: key}
			return nodehost.Op{}, h.broken
		}
	}
	h.by[name] = by
	h.counts[name]++
	id := fmt.Sprintf("%s#%d", name, h.counts[name])
	h.made[id] = true
	if known := h.find(id); known != nil {
		if err := h.inPlace(known, apart); err != nil {
			return nodehost.Op{}, err
		}
		found := known.Op
		found.Known, found.Apart = true, apart
		return found, nil
	}
	if h.begunBefore(id) {
		return nodehost.Op{Kind: kind, ID: id, Apart: apart}, nil
	}
	if refusable(kind) {
		return nodehost.Op{Kind: kind, ID: id, Apart: apart}, nil
	}
	if !shows(kind) && !apart {
		if err := h.inOrder(id); err != nil {
			return nodehost.Op{}, err
		}
	}
	h.isStrange(kind, id)
	return nodehost.Op{Kind: kind, ID: id, Apart: apart}, nil
}

// isStrange notes a call that a replay makes and the first pass has not made.
func (h *host) isStrange(kind nodehost.Kind, id string) {
	if h.replay && (kind != nodehost.KindTool && kind != nodehost.KindInterrupt || !strings.Contains(id, nodehost.Inside)) { // a model's calls have names also where they are not made
		h.strange = append(h.strange, fmt.Sprintf("law N3: replayed, the function makes a call that it did not make before: %s", id))
	}
}

// begunBefore reports whether calls are recorded that were made in a reasoning: it has no outcome where what it failed of
// is recorded already, or is nothing to record.
func (h *host) begunBefore(reasoning string) bool {
	return nodehost.CallKind(reasoning) == nodehost.KindReason &&
		slices.ContainsFunc(h.ops, func(o *op) bool { return nodehost.CallInside(o.ID, reasoning) })
}

func (h *host) find(id string) *op {
	for _, o := range h.ops {
		if o.ID == id {
			return o
		}
	}
	return nil
}

// record finds the call, or adds it.
func (h *host) record(called nodehost.Op) *op {
	if o := h.find(called.ID); o != nil {
		return o
	}
	key := strings.TrimPrefix(called.ID, string(called.Kind)+":")
	o := &op{Op: called, attempt: h.info.Attempt, place: h.placed(), key: key[:strings.LastIndex(key, "#")]}
	h.ops = append(h.ops, o)
	return o
}

// Intend implements nodehost.Host.
func (h *host) Intend(pass uint64, called nodehost.Op) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	h.record(called).Begun = called.Call == nil || called.Call.Once
	return nil
}

// Together implements nodehost.Host.
func (h *host) Together(pass uint64, called nodehost.Op, done bool) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if !done {
		h.together++
		return nil
	}
	h.together--
	if called.Failure != "" {
		h.waits = slices.DeleteFunc(h.waits, func(o *op) bool { return nodehost.CallInside(o.ID, called.ID) })
	}
	if h.together == 0 && len(h.waits) > 0 {
		return node.ErrSuspended
	}
	return nil
}

// Break breaks a pass off: a recorded value has no place in the code any more (law J8).
func (h *host) Break(pass uint64, err error) {
	if h.enter(pass) == nil {
		h.broken = err
		h.mu.Unlock()
	}
}

// placed is the place of the next call that is recorded.
func (h *host) placed() int {
	h.places++
	return h.places
}

// inPlace breaks the pass off where a call was recorded before one that the pass has made already (law N3).
func (h *host) inPlace(known *op, apart bool) error {
	if apart || known.Apart || known.attempt != h.info.Attempt || strings.Contains(known.ID, nodehost.Inside) {
		return nil
	}
	if h.latest != nil && h.latest.place > known.place {
		h.broken = &node.DivergedError{Task: h.info.Task(), Expected: known.ID, Found: h.latest.ID}
		return h.broken
	}
	if !shows(known.Kind) && known.Kind != nodehost.KindModel && known.Kind != nodehost.KindReason { // others may be recorded before these are
		h.latest = known
	}
	return nil
}

// shows reports whether a call is recorded when something comes of it: text with its first piece, data in its end.
func shows(kind nodehost.Kind) bool {
	return kind == nodehost.KindData || kind == nodehost.KindStream || kind == nodehost.KindChunks
}

// refusable reports whether a call that has begun may be refused for what it was given, before it is recorded.
func refusable(kind nodehost.Kind) bool {
	return kind == nodehost.KindInterrupt || kind == nodehost.KindEmit || kind == nodehost.KindLabel
}

// accepted looks at a refusable call that is about to be recorded.
func (h *host) accepted(called nodehost.Op) error {
	if h.find(called.ID) != nil {
		return nil
	}
	h.isStrange(called.Kind, called.ID)
	if called.Apart {
		return nil
	}
	return h.inOrder(called.ID)
}

// showsInOrder is inOrder for a call that shows something, when that is about to be recorded.
func (h *host) showsInOrder(called nodehost.Op) error {
	if !shows(called.Kind) || called.Apart || h.find(called.ID) != nil {
		return nil
	}
	return h.inOrder(called.ID)
}

// inOrder ends the pass where another call is recorded instead of the new one (law N3).
func (h *host) inOrder(id string) error {
	missed := h.missed(true)
	if missed == "" || strings.Contains(id, nodehost.Inside) {
		return nil
	}
	h.broken = &node.DivergedError{Task: h.info.Task(), Expected: missed, Found: id}
	return h.broken
}

// Data implements nodehost.Host.
func (h *host) Data(pass uint64, called nodehost.Op, v node.Data) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if v.Mode == node.DataFinal {
		if err := h.showsInOrder(called); err != nil {
			return err
		}
	}
	v.Whole = nil
	h.shown = append(h.shown, v)
	if v.Mode == node.DataFinal {
		o := h.record(called)
		o.Done, o.Value, o.Shape, o.attempt = true, v.Value, called.Shape, h.info.Attempt
	}
	return nil
}

// Record implements nodehost.Host.
func (h *host) Record(pass uint64, called nodehost.Op, value []byte, failure string) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if slices.ContainsFunc(h.waits, func(o *op) bool { return nodehost.CallInside(o.ID, called.ID) }) {
		return node.ErrSuspended // what it was made of waits (law N6)
	}
	o := h.record(called)
	if o.attempt != h.info.Attempt {
		o.place = h.placed()
	}
	o.Done, o.Begun, o.Value, o.Failure, o.attempt = true, false, value, failure, h.info.Attempt
	o.Usage, o.Shape = called.Usage, called.Shape
	o.Terminal, o.RetryAfter, o.Marks = called.Terminal, called.RetryAfter, called.Marks
	o.ended = len(h.ops)
	for _, other := range h.ops {
		o.ended = max(o.ended, other.ended+1)
	}
	return nil
}

// Sleep implements nodehost.Host.
func (h *host) Sleep(pass uint64, called nodehost.Op, d time.Duration) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if h.find(called.ID) == nil {
		h.record(called).due = h.clock.Now().Add(d)
		h.slept += d
	}
	h.waits = append(h.waits, h.find(called.ID))
	return node.ErrSuspended
}

// Ask implements nodehost.Host.
func (h *host) Ask(pass uint64, called nodehost.Op, q nodehost.Question) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if o := h.find(called.ID); o != nil {
		q.Shape = o.asked.Shape // a changed type is no other question
		if !same(o.asked, q) {
			h.broken = &node.DivergedError{
				Task: h.info.Task(), Expected: called.ID + " as it was asked",
				Found: "another question in its place (a question whose text may vary needs node.ID)",
			}
			return h.broken
		}
		return nil
	}
	if err := checked(q.RequestSchema, q.Request); err != nil {
		return fmt.Errorf("task %s, %s: request: %w", h.info.Task(), called.ID, err)
	}
	for d := &q.AtDeadline; d != nil; d = d.Then {
		if d.Do != nodehost.DeadlineDefault {
			continue
		}
		var err error
		if d.Answer, err = normalized(q.ResponseSchema, d.Answer); err != nil { // the deadlines are of this call of Ask alone
			return fmt.Errorf("task %s, %s: default answer: %w", h.info.Task(), called.ID, err)
		}
	}
	if err := h.accepted(called); err != nil {
		return err
	}
	o := h.record(called)
	o.asked, o.state, o.Shape = q, "open", q.Shape
	return nil
}

// Answered implements nodehost.Host.
func (h *host) Answered(pass uint64, called nodehost.Op) (nodehost.Op, error) {
	if err := h.enter(pass); err != nil {
		return called, err
	}
	defer h.mu.Unlock()
	o := h.find(called.ID)
	if o == nil {
		return called, node.ErrTaskOver
	}
	if o.Done {
		return o.Op, nil
	}
	h.waits = append(h.waits, o)
	return called, node.ErrSuspended
}

// Emit implements nodehost.Host.
func (h *host) Emit(pass uint64, called nodehost.Op, eventType string, data []byte) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if err := h.accepted(called); err != nil {
		return err
	}
	h.record(called).Done = true
	h.emitted = append(h.emitted, Emitted{Type: eventType, Data: string(data)})
	return nil
}

// Chunk implements nodehost.Host.
func (h *host) Chunk(pass uint64, called nodehost.Op, channel, text string, last bool) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	b := h.streams[called.ID]
	if b == nil {
		if err := h.showsInOrder(called); err != nil {
			return err
		}
		b = &strings.Builder{}
		h.streams[called.ID] = b
	}
	b.WriteString(text)
	if last {
		delete(h.streams, called.ID)
		h.record(called).Done = true
		h.streamed[channel] += b.String()
	}
	return nil
}
