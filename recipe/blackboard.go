package recipe

import (
	"errors"
	"fmt"

	"github.com/fermata-go/fermata/internal/expression"
)

// CheckBlackboard checks a blackboard that replaces the one of a run, as an edit of a fork does. Each name that the
// recipe declares as an input or in its state must fit its schema if it is set.
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
