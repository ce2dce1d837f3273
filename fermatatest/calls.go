package fermatatest

import (
	"fmt"
	"slices"
	"strings"
	"time"

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

// Begin implements node.Host.
func (h *host) Begin(pass uint64, kind node.Kind, key string) (node.Op, error) {
	if err := h.enter(pass); err != nil {
		return node.Op{}, err
	}
	defer h.mu.Unlock()
	name := string(kind) + ":" + key
	h.counts[name]++
	id := fmt.Sprintf("%s#%d", name, h.counts[name])
	h.made[id] = true
	if known := h.find(id); known != nil {
		found := known.Op
		found.Known = true
		return found, nil
	}
	if h.begunBefore(id) {
		return node.Op{Kind: kind, ID: id}, nil
	}
	if kind != node.KindData { // which is recorded in its end
		if err := h.inOrder(id); err != nil {
			return node.Op{}, err
		}
	}
	if h.replay && (kind != node.KindTool && kind != node.KindInterrupt || !strings.Contains(id, node.Inside)) { // a model's calls have names also where they are not made
		h.strange = append(h.strange, fmt.Sprintf("law N3: replayed, the function makes a call that it did not make before: %s", id))
	}
	return node.Op{Kind: kind, ID: id}, nil
}

// begunBefore reports whether calls are recorded that were made in a reasoning: it has no outcome where what it failed of
// is recorded already, or is nothing to record.
func (h *host) begunBefore(reasoning string) bool {
	return node.CallKind(reasoning) == node.KindReason &&
		slices.ContainsFunc(h.ops, func(o *op) bool { return node.CallInside(o.ID, reasoning) })
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
func (h *host) record(called node.Op) *op {
	if o := h.find(called.ID); o != nil {
		return o
	}
	key := strings.TrimPrefix(called.ID, string(called.Kind)+":")
	o := &op{Op: called, attempt: h.info.Attempt, key: key[:strings.LastIndex(key, "#")]}
	h.ops = append(h.ops, o)
	return o
}

// Intend implements node.Host.
func (h *host) Intend(pass uint64, called node.Op) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	h.record(called).Begun = called.Call == nil || called.Call.Once
	return nil
}

// Together implements node.Host.
func (h *host) Together(pass uint64, called node.Op, done bool) error {
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
		h.waits = slices.DeleteFunc(h.waits, func(o *op) bool { return node.CallInside(o.ID, called.ID) })
	}
	if h.together == 0 && len(h.waits) > 0 {
		return node.ErrSuspended
	}
	return nil
}

// inOrder breaks the pass off where another call is recorded in the place of a new one (law N3).
func (h *host) inOrder(id string) error {
	missed := h.missed()
	if missed == "" || strings.Contains(id, node.Inside) {
		return nil
	}
	h.broken = &node.DivergedError{Task: h.info.Task(), Expected: missed, Found: id}
	return h.broken
}

// Data implements node.Host.
func (h *host) Data(pass uint64, called node.Op, v node.Data) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if v.Mode == node.DataFinal && called.Kind == node.KindData {
		if err := h.inOrder(called.ID); err != nil {
			return err
		}
	}
	v.Whole = nil
	h.shown = append(h.shown, v)
	if v.Mode == node.DataFinal {
		o := h.record(called)
		o.Done, o.Value, o.attempt = true, v.Value, h.info.Attempt
	}
	return nil
}

// Record implements node.Host.
func (h *host) Record(pass uint64, called node.Op, value []byte, failure string) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if slices.ContainsFunc(h.waits, func(o *op) bool { return node.CallInside(o.ID, called.ID) }) {
		return node.ErrSuspended // what it was made of waits (law N6)
	}
	o := h.record(called)
	o.Done, o.Begun, o.Value, o.Failure, o.attempt = true, false, value, failure, h.info.Attempt
	o.Usage = called.Usage
	o.Terminal, o.RetryAfter = called.Terminal, called.RetryAfter
	o.ended = len(h.ops)
	for _, other := range h.ops {
		o.ended = max(o.ended, other.ended+1)
	}
	return nil
}

// Sleep implements node.Host.
func (h *host) Sleep(pass uint64, called node.Op, d time.Duration) error {
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

// Ask implements node.Host.
func (h *host) Ask(pass uint64, called node.Op, q node.Question) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if o := h.find(called.ID); o != nil {
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
		if d.Do != node.DeadlineDefault {
			continue
		}
		if err := checked(q.ResponseSchema, d.Answer); err != nil {
			return fmt.Errorf("task %s, %s: default answer: %w", h.info.Task(), called.ID, err)
		}
	}
	o := h.record(called)
	o.asked, o.state = q, "open"
	return nil
}

// Answered implements node.Host.
func (h *host) Answered(pass uint64, called node.Op) (node.Op, error) {
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

// Emit implements node.Host.
func (h *host) Emit(pass uint64, called node.Op, eventType string, data []byte) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	h.record(called).Done = true
	h.emitted = append(h.emitted, Emitted{Type: eventType, Data: string(data)})
	return nil
}

// Chunk implements node.Host.
func (h *host) Chunk(pass uint64, called node.Op, channel, text string, last bool) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	b := h.streams[called.ID]
	if b == nil {
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
