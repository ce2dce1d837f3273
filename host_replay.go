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
func (h *host) skipped() string {
	if h.consumed >= h.recorded {
		return ""
	}
	t := h.task.in(h.d.m)
	if t == nil {
		return ""
	}
	for i := range t.Ops {
		op := &t.Ops[i]
		if mustCome(op, h.attempt) && !h.wasMade(op.ID) {
			return op.ID
		}
	}
	for _, id := range h.begun {
		if !h.wasMade(id) {
			return id
		}
	}
	return ""
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
func (h *host) replaying() bool { return h.consumed < h.recorded || h.behind != "" }

// count numbers a call among those of its kind and key.
func (h *host) count(kind node.Kind, key string) int {
	for i := range h.made {
		if h.made[i].kind == kind && h.made[i].key == key {
			h.made[i].n++
			return h.made[i].n
		}
	}
	h.made = append(h.made, made{kind: kind, key: key, n: 1})
	return 1
}

// inOrder breaks the pass off where the journal holds another call in the place of a new one (law N3).
func (h *host) inOrder(op string) error {
	expected := h.skipped()
	if expected == "" {
		return nil
	}
	h.broken = &node.DivergedError{Task: node.TaskID(h.path, int(h.visit)), Expected: expected, Found: op}
	return h.broken
}
