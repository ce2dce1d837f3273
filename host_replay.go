package fermata

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/node"
)

// mustCome reports whether a replay has to make a call (law N3): not what was made inside a step, which answers for it,
// nor text that was begun and did not come to its end.
func mustCome(op *machine.Op, attempt uint16) bool {
	stream := op.Kind == node.KindStream || op.Kind == node.KindChunks
	return op.Attempt == attempt && (op.Done || !stream) && !strings.Contains(op.ID, node.Inside)
}

// begunIn notes the reasoning that a call was made in, where its outcome is not recorded: a replay has to come to it
// again (law N3).
func (h *host) begunIn(t *machine.Task, op *machine.Op) {
	if op.Attempt != t.Attempt || !strings.Contains(op.ID, node.Inside) {
		return
	}
	outer := operation(op.ID)
	if outer == op.ID || slices.Contains(h.begun, outer) {
		return
	}
	if known := t.Op(outer); known == nil || !mustCome(known, t.Attempt) {
		h.begun = append(h.begun, outer)
		h.recorded++
	}
}

// begunBefore reports whether the journal holds calls that were made in a reasoning: it has no outcome where what it
// failed of is recorded already, or is nothing to record, and the node may have gone on with other calls.
func begunBefore(t *machine.Task, reasoning string) bool {
	return node.CallKind(reasoning) == node.KindReason &&
		slices.ContainsFunc(t.Ops, func(op machine.Op) bool { return op.ID != reasoning && operation(op.ID) == reasoning })
}

// skipped names a call that the journal holds and the pass did not make, "" for none. What was made inside a step
// does not count: its step answers for it.
func (h *host) skipped() string { return h.missing(false) }

// missing is skipped; with ordered, it leaves out calls of goroutines that the node had started: they come when they come
// (law N3).
func (h *host) missing(ordered bool) string {
	if h.consumed >= h.recorded {
		return ""
	}
	t := h.task.in(h.d.m)
	if t == nil {
		return ""
	}
	for i := range t.Ops {
		op := &t.Ops[i]
		if mustCome(op, h.attempt) && !(ordered && op.Apart) && !h.wasMade(op.ID) {
			return op.ID
		}
	}
	for _, id := range h.begun {
		if !(ordered && apart(t, id)) && !h.wasMade(id) {
			return id
		}
	}
	return ""
}

// apart reports whether a reasoning without an outcome went on in a goroutine that the node had started.
func apart(t *machine.Task, reasoning string) bool {
	return slices.ContainsFunc(t.Ops, func(op machine.Op) bool { return op.Apart && operation(op.ID) == reasoning })
}

func (h *host) wasMade(id string) bool {
	for _, m := range h.made {
		for n := 1; n <= m.n; n++ {
			if opID(m.kind, m.key, n) == id {
				return true
			}
		}
	}
	return false
}

func opID(kind node.Kind, key string, n int) string {
	return string(kind) + ":" + key + "#" + strconv.Itoa(n)
}

// passed notes that the pass has come to where the last one was left.
func (h *host) passed(op string) {
	if h.behind == op || node.CallInside(op, h.behind) {
		h.behind = ""
	}
}

// replaying reports whether the pass still does what an earlier one has done.
func (h *host) replaying() bool { return h.consumed < h.recorded || h.behind != "" || h.d.looksOn }

// count numbers a call among those of its kind and key. They are made by one goroutine: nothing else tells them apart.
func (h *host) count(kind node.Kind, key string, by uint64) (int, error) {
	for i := range h.made {
		if m := &h.made[i]; m.kind == kind && m.key == key {
			if m.by != by && hasOutcome(kind) {
				h.broken = &node.SharedKeyError{Task: node.TaskID(h.path, int(h.visit)), Kind: kind, Key: key}
				return 0, h.broken
			}
			m.n++
			return m.n, nil
		}
	}
	h.made = append(h.made, made{kind: kind, key: key, n: 1, by: by})
	return 1, nil
}

// hasOutcome reports whether code goes on by what a call of the kind has come to.
func hasOutcome(kind node.Kind) bool {
	switch kind {
	case node.KindEmit, node.KindStream, node.KindChunks, node.KindData:
		return false
	}
	return true
}

// Break breaks a pass off: a recorded value has no place in the code any more (law J8).
func (h *host) Break(pass uint64, err error) {
	if h.enter(pass) == nil {
		h.broken = err
		h.mu.Unlock()
	}
}

// inPlace breaks the pass off where the journal holds a call of the node's own goroutine before one that the pass has made
// already (law N3).
func (h *host) inPlace(known *machine.Op) error {
	if known.Apart || known.Attempt != h.attempt { // an earlier attempt may have come by it in another place
		return nil
	}
	switch {
	case h.latest != nil && h.latest.Place > known.Place:
		h.broken = &node.DivergedError{Task: node.TaskID(h.path, int(h.visit)), Expected: known.ID, Found: h.latest.ID}
		return h.broken
	case !spans(known.Kind):
		op := *known // the machine may be folded anew
		h.latest = &op
	}
	return nil
}

// shows reports whether a call is recorded when something comes of it, and other calls may be recorded before that: text with
// its first piece, data in its end.
func shows(kind node.Kind) bool {
	return kind == node.KindData || kind == node.KindStream || kind == node.KindChunks
}

// showsInOrder is inOrder for a call that shows something, when that is about to be recorded.
func (h *host) showsInOrder(op node.Op) error {
	t := h.task.in(h.d.m)
	if !shows(op.Kind) || t != nil && t.Op(op.ID) != nil {
		return nil
	}
	return h.inOrder(t, op)
}

// refusable reports whether a call that has begun may be refused for what it was given, before it is recorded: a node that
// goes on then comes to the same when it runs again, so the call has its place once it is recorded.
func refusable(kind node.Kind) bool { return kind == node.KindInterrupt || kind == node.KindEmit }

// spans reports whether other calls may come between the beginning of a call and its record: it says nothing of what begins
// after it.
func spans(kind node.Kind) bool {
	return shows(kind) || kind == node.KindModel || kind == node.KindReason
}

// inOrder breaks the pass off where the journal holds another call in the place of a new one (law N3).
func (h *host) inOrder(t *machine.Task, op node.Op) error {
	if op.Apart || strings.Contains(op.ID, node.Inside) || t != nil && begunBefore(t, op.ID) {
		return nil
	}
	expected := h.missing(true)
	if expected == "" {
		return nil
	}
	h.broken = &node.DivergedError{Task: node.TaskID(h.path, int(h.visit)), Expected: expected, Found: op.ID}
	return h.broken
}
