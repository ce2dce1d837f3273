package node

import (
	"fmt"

	"github.com/fermata-go/fermata/internal/label"
	"github.com/fermata-go/fermata/internal/nodehost"
)

// Label sets a label of the run, by which it is found; an empty value takes the label away (law J13). It is recorded
// once: a replay sets nothing again. A later value takes the place of an earlier one, whichever node sets it.
//
// A key has 1 to 63 letters a to z, digits and _ . -, begins with a letter and not with "fermata.", and a value has at most
// 255 bytes: anything else is an error that wraps [ErrNotStorable]. A run has 16 labels at most: one more fails the attempt.
func Label(ctx Context, key, value string) error {
	if err := label.Given(key, value); err != nil {
		return fmt.Errorf("task %s: %w: %w", ctx.Info().Task(), ErrNotStorable, err)
	}
	op, err := ctx.begin(nodehost.KindLabel, key)
	if err != nil || op.Done {
		return err
	}
	h, ok := ctx.host.(nodehost.LabelHost)
	if !ok {
		return fmt.Errorf("task %s: this host keeps no labels", ctx.Info().Task())
	}
	return h.Label(ctx.pass, op, key, value)
}
