package fermata

import (
	"fmt"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// settle gives a value as the journal would give it, whether it is stored or not (law N10), or says why it cannot be kept
// (law N8). With own the value's own memory may be changed; what it leads to never is, as others may hold it.
func settle(codec plan.Codec, v any, known *value.Known, own bool) (settled any, err error) {
	defer panicked(&err)
	if k, ok := codec.(value.Changer); ok {
		settled, err = k.Settle(v, known, true, own)
	} else {
		var data []byte
		if data, err = codec.Encode(v); err == nil {
			settled, err = codec.Decode(data)
		}
	}
	if err != nil {
		return nil, notStorable(err)
	}
	return settled, nil
}

// changeOf settles a value and compares it with a snapshot. The codec may call marshalers of the author's (law N7).
func (d *drive) changeOf(codec plan.Codec, snap, out any) (delta []byte, next, settled any, err error) {
	defer panicked(&err)
	codec = d.sized(codec)
	if k, ok := codec.(value.Changer); ok {
		return value.Change(k, snap, out, &d.known)
	}
	if settled, err = settle(codec, out, &d.known, true); err == nil {
		delta, next, err = codec.Delta(snap, settled)
	}
	return delta, next, settled, err
}

// maxValue is how much JSON one value may take.
func (d *drive) maxValue() int {
	if d.rt != nil {
		return d.rt.options.maxValue()
	}
	return d.options.maxValue()
}

// sized is a codec that keeps to the runtime's limit of values.
func (d *drive) sized(codec plan.Codec) plan.Codec { return value.Within(codec, d.maxValue()) }

// settleOutput settles what a node's function has returned; a node of a dataflow may write nothing.
func settleOutput(flat *plan.Flat, out any, known *value.Known) (any, error) {
	codec := outputCodec(flat)
	if codec == nil {
		return out, nil
	}
	return settle(codec, out, known, true)
}

// MaxValue says how much JSON a value of the node may take.
func (h *host) MaxValue() int { return h.d.maxValue() }

// holds refuses what a call has to record where that is too large: package node looks at values, and this at whatever else
// comes with a call (law N8).
func (h *host) holds(op node.Op, parts ...[]byte) error {
	limit := h.d.maxValue()
	for _, part := range parts {
		if len(part) > limit {
			return h.tooLarge(op, len(part))
		}
	}
	return nil
}

func (h *host) tooLarge(op node.Op, found int) error {
	task := node.TaskID(h.path, int(h.visit))
	return fmt.Errorf("task %s, %s: %w", task, node.CallText(op.ID), notStorable(&canonical.Excess{Limit: h.d.maxValue(), Found: found}))
}
