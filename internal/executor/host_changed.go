package executor

import (
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Changed implements [nodehost.ChangeHost]. That a task has a change is stored with the next commit: nothing outside depends on it before. That
// it has not is not recorded: the calls that say so are, and stay behind this one.
func (h *host) Changed(pass uint64, name string) (bool, error) {
	if err := h.enter(pass); err != nil {
		return false, err
	}
	defer h.mu.Unlock()
	if changed, known := h.changes[name]; known {
		return changed, nil
	}
	t := h.task.in(h.run.Machine)
	if t == nil {
		return false, node.ErrTaskOver
	}
	op := nodehost.Op{Kind: nodehost.KindChanged, ID: opID(nodehost.KindChanged, name, 1)}
	recorded := t.Op(op.ID) != nil
	changed := recorded || h.behind == "" && h.missing(false) == ""
	if changed && !recorded {
		err := h.record(true, func(m *machine.Machine, t *machine.Task, now int64) error {
			return m.Record(now, t, journal.StepFinished, op.ID, []byte("true"), nil)
		})
		if err != nil {
			return false, err
		}
	}
	if h.changes == nil {
		h.changes = make(map[string]bool)
	}
	h.changes[name] = changed
	return changed, nil
}

var _ nodehost.ChangeHost = (*host)(nil)
