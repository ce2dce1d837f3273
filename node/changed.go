package node

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/fermata-go/fermata/internal/nodehost"
)

// Changed reports whether the task takes the way of the code since a change (law N13).
//
// A node function whose recorded calls change would diverge in a task that began with the old code and goes on with the new
// one (law N3). Keep both, and let Changed choose:
//
//	changed, err := node.Changed(ctx, "fees")
//	if err != nil {
//		return s, err
//	}
//	if changed {
//		s.Fee, err = node.Step(ctx, "fee", fee)
//	}
//
// It is false in an attempt for which calls are recorded that come behind it: code without the change has made them. Else it is true, and
// that is recorded: the task keeps to it. The name tells changes apart; each call with one name in an attempt has one outcome. A
// task that fails and is tried again does so with the change.
//
// Once no task that began before the change is open, the call and the old code may be removed; a task that recorded a change does not
// miss it.
//
// An error is a name that is empty or has a control character, or a call inside a step or in a goroutine that the node has started: there,
// what comes behind is not known.
func Changed(ctx Context, name string) (bool, error) {
	at := func(text string, args ...any) error {
		return fmt.Errorf("task %s, node.Changed(%q): %s", ctx.Info().Task(), name, fmt.Sprintf(text, args...))
	}
	switch {
	case name == "":
		return false, at("expected the name of a change, found an empty text")
	case strings.IndexFunc(name, unicode.IsControl) >= 0:
		return false, at("the name has a control character")
	case ctx.scope != "":
		return false, at("expected a call outside of steps, found one inside %s", nodehost.CallText(ctx.scope))
	case ctx.apart || ctx.elsewhere():
		return false, at("expected a call in the goroutine that the function of the node runs in, found another one")
	}
	h, ok := ctx.host.(nodehost.ChangeHost)
	if !ok {
		return false, at("this host records no changes")
	}
	return h.Changed(ctx.pass, name)
}
