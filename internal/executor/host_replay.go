package executor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/node"
)

// mustCome reports whether a replay has to repeat a call (law N3). Calls inside a step are covered by the step,
// incomplete text need not come again, and the code may ask for a change no more (law N13).
func mustCome(op *machine.Op, attempt uint16) bool {
	stream := op.Kind == nodehost.KindStream || op.Kind == nodehost.KindChunks
	return op.Attempt == attempt && op.Kind != nodehost.KindChanged && (op.Done || !stream) && !strings.Contains(op.ID, nodehost.Inside)
}

// begunIn records the reasoning around a call if it has no outcome. A replay has to reach it again (law N3).
func (h *host) begunIn(t *machine.Task, op *machine.Op) {
	if op.Attempt != t.Attempt || !strings.Contains(op.ID, nodehost.Inside) {
		return
	}
	outer := runtype.Operation(op.ID)
	if outer == op.ID || slices.Contains(h.begun, outer) {
		return
	}
	if known := t.Op(outer); known == nil || !mustCome(known, t.Attempt) {
		h.begun = append(h.begun, outer)
		h.recorded++
	}
}

// begunBefore reports whether the journal holds calls made in a reasoning without an outcome. Its failure may
// be recorded already or leave no record, and the node may have gone on.
func begunBefore(t *machine.Task, reasoning string) bool {
	return nodehost.CallKind(reasoning) == nodehost.KindReason &&
		slices.ContainsFunc(t.Ops, func(op machine.Op) bool { return op.ID != reasoning && runtype.Operation(op.ID) == reasoning })
}

// skipped returns a recorded call that the pass did not make, "" for none. Calls inside a step are covered by
// the step.
func (h *host) skipped() string { return h.missing(false) }

// missing is skipped; if ordered, it ignores calls of goroutines that the node started, which come in any order
// (law N3).
func (h *host) missing(ordered bool) string {
	if h.consumed >= h.recorded {
		return ""
	}
	t := h.task.in(h.run.Machine)
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

// apart reports whether a reasoning without an outcome ran in a goroutine that the node started.
func apart(t *machine.Task, reasoning string) bool {
	return slices.ContainsFunc(t.Ops, func(op machine.Op) bool { return op.Apart && runtype.Operation(op.ID) == reasoning })
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

func opID(kind nodehost.Kind, key string, n int) string {
	return string(kind) + ":" + key + "#" + strconv.Itoa(n)
}

// idOf is opID, without making it again where the task has a call of this id.
func idOf(t *machine.Task, kind nodehost.Kind, key string, n int) string {
	if t != nil {
		for i := range t.Ops {
			if op := &t.Ops[i]; op.Kind == kind && isOpID(op.ID, kind, key, n) {
				return op.ID
			}
		}
	}
	return opID(kind, key, n)
}

// isOpID reports whether an id is opID of the same.
func isOpID(id string, kind nodehost.Kind, key string, n int) bool {
	rest, ok := strings.CutPrefix(id, string(kind))
	if ok {
		rest, ok = strings.CutPrefix(rest, ":")
	}
	if ok {
		rest, ok = strings.CutPrefix(rest, key)
	}
	if !ok || !strings.HasPrefix(rest, "#") {
		return false
	}
	var digits [20]byte
	return rest[1:] == string(strconv.AppendInt(digits[:0], int64(n), 10))
}

// passed records that the pass has reached the call at which the last one stopped.
func (h *host) passed(op string) {
	if h.behind == op || nodehost.CallInside(op, h.behind) {
		h.behind = ""
	}
}

// replaying reports whether the pass still repeats an earlier one.
func (h *host) replaying() bool { return h.consumed < h.recorded || h.behind != "" || h.run.rehearses }

// count numbers a call among those of its kind and key. One goroutine must make them all, since only their
// order tells them apart.
func (h *host) count(kind nodehost.Kind, key string, by uint64) (int, error) {
	for i := range h.made {
		if m := &h.made[i]; m.kind == kind && m.key == key {
			if m.by != by && hasOutcome(kind) {
				h.broken = &node.SharedKeyError{Task: nodehost.TaskID(h.path, int(h.visit)), Kind: kind, Key: key}
				return 0, h.broken
			}
			m.n++
			return m.n, nil
		}
	}
	h.made = append(h.made, made{kind: kind, key: key, n: 1, by: by})
	return 1, nil
}

// hasOutcome reports whether code depends on the outcome of calls of the kind.
func hasOutcome(kind nodehost.Kind) bool {
	switch kind {
	case nodehost.KindEmit, nodehost.KindStream, nodehost.KindChunks, nodehost.KindData:
		return false
	}
	return true
}

// Break ends a pass because a recorded value no longer fits the code (law J8).
func (h *host) Break(pass uint64, err error) {
	if h.enter(pass) == nil {
		h.broken = err
		h.mu.Unlock()
	}
}

// inPlace ends the pass if the journal holds a call of the node's own goroutine before one that the pass has
// already made (law N3).
func (h *host) inPlace(known *machine.Op) error {
	if known.Apart || known.Attempt != h.attempt { // an earlier attempt may have made it in another place
		return nil
	}
	switch {
	case h.latest.place > known.Place:
		h.broken = &node.DivergedError{Task: nodehost.TaskID(h.path, int(h.visit)), Expected: known.ID, Found: h.latest.id}
		return h.broken
	case !spans(known.Kind):
		h.latest = lastMade{known.Place, known.ID} // and no pointer: the machine may be folded anew
	}
	return nil
}

// shows reports whether a call is recorded only when it produces something, and others may come before that:
// text with its first piece, data with its end.
func shows(kind nodehost.Kind) bool {
	return kind == nodehost.KindData || kind == nodehost.KindStream || kind == nodehost.KindChunks
}

// showsInOrder is inOrder for a call that shows something and is about to be recorded.
func (h *host) showsInOrder(op nodehost.Op) error {
	t := h.task.in(h.run.Machine)
	if !shows(op.Kind) || t != nil && t.Op(op.ID) != nil {
		return nil
	}
	return h.inOrder(t, op)
}

// refusable reports whether a call that has begun may be refused for its arguments before it is recorded. A
// node that goes on then does the same on replay, so the call gets its place when it is recorded.
func refusable(kind nodehost.Kind) bool {
	return kind == nodehost.KindInterrupt || kind == nodehost.KindEmit || kind == nodehost.KindLabel
}

// spans reports whether other calls may come between a call's beginning and its record.
func spans(kind nodehost.Kind) bool {
	return shows(kind) || kind == nodehost.KindModel || kind == nodehost.KindReason
}

// inOrder ends the pass if the journal holds another call in the place of a new one (law N3).
func (h *host) inOrder(t *machine.Task, op nodehost.Op) error {
	if op.Apart || strings.Contains(op.ID, nodehost.Inside) || t != nil && begunBefore(t, op.ID) {
		return nil
	}
	expected := h.missing(true)
	if expected == "" {
		return nil
	}
	h.broken = &node.DivergedError{Task: nodehost.TaskID(h.path, int(h.visit)), Expected: expected, Found: op.ID}
	return h.broken
}
