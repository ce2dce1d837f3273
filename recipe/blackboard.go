package recipe

import (
	"errors"
	"fmt"

	"github.com/fermata-go/fermata/internal/expression"
)

// CheckBlackboard checks what somebody wants to put in the place of a run's blackboard, as an edit of a fork does: every
// name that the recipe declares as an input or in its state, and that is there, fits its schema.
func (r *Recipe) CheckBlackboard(blackboard map[string]any) error {
	inputs, state := portsOf(r.doc.inputs), portsOf(r.doc.state)
	var problems []error
	for _, name := range expression.Keys(blackboard) {
		declared := state
		if _, ok := state[name]; !ok {
			declared = inputs
		}
		if err := declared.checkOne(name, blackboard[name]); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(problems...)
}
