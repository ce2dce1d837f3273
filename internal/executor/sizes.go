package executor

import (
	"fmt"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/node"
)

// MaxValue returns the size limit of the node's values, in bytes of JSON.
func (h *host) MaxValue() int { return h.run.MaxValue() }

// holds refuses a call whose parts are too large to record. Package node checks values; this checks everything
// else (law N8).
func (h *host) holds(op node.Op, parts ...[]byte) error {
	limit := h.run.MaxValue()
	for _, part := range parts {
		if len(part) > limit {
			return h.tooLarge(op, len(part))
		}
	}
	return nil
}

func (h *host) tooLarge(op node.Op, found int) error {
	task := node.TaskID(h.path, int(h.visit))
	return fmt.Errorf("task %s, %s: %w", task, node.CallText(op.ID), runtype.NotStorable(&canonical.Excess{Limit: h.run.MaxValue(), Found: found}))
}
