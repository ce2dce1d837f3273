package executor

import (
	"fmt"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"
)

// MaxValue returns the size limit of the node's values, in bytes of JSON.
func (h *host) MaxValue() int { return h.run.MaxValue() }

// holds refuses a call whose parts are too large to record. Package node checks values; this checks everything
// else (law N8).
func (h *host) holds(op nodehost.Op, parts ...[]byte) error {
	limit := h.run.MaxValue()
	for _, part := range parts {
		if len(part) > limit {
			return h.tooLarge(op, len(part))
		}
	}
	return nil
}

func (h *host) tooLarge(op nodehost.Op, found int) error {
	task := nodehost.TaskID(h.path, int(h.visit))
	return fmt.Errorf("task %s, %s: %w", task, nodehost.CallText(op.ID), runtype.NotStorable(&canonical.Excess{Limit: h.run.MaxValue(), Found: found}))
}
