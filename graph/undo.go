package graph

import (
	"fmt"
	"reflect"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Undo adds a node that undoes the tasks of another one where the run ends without success (law F10). It failed for good,
// was cancelled, has expired or is stuck. For each finished task of that node, the function is called with the state
// that the task recorded. The last task is undone first, and the next one when its undo has ended.
//
// An undo is a task as any other: its steps are recorded, and it has a retry policy and a timeout where opts give them. One
// that fails for good leaves the effect as it is: the others still run, and the run's failure names both. The function may
// change nothing of the run's state. node.UndoneKey is the idempotency key that the task had.
//
// A run that was undone is not retried. No edge leads to a node that undoes, or from it.
func (b *Builder[S]) Undo(of, name string, f func(ctx node.Context, state S) error, opts ...NodeOption) *Builder[S] {
	if f == nil {
		b.problem("undo %q of node %q has no function", name, of)
		return b
	}
	return b.addUndo(of, plan.Node{Name: name, Kind: plan.Task, Undoes: plan.UndoTask, Run: func(ctx node.Context, in any) (any, error) {
		return nil, f(ctx, *in.(*S)) //nolint:forcetypeassert // the codec makes nothing else
	}}, opts)
}

// Unfinished lets an [Builder.Undo] also undo tasks that began and recorded no outcome. Their effect may have happened:
// they failed for good, or were at work or waited when the run ended. The function is then called with the state
// that the task was given.
func Unfinished() NodeOption { return func(n *plan.Node) { n.Unfinished = true } }

// Compensation adds a node that undoes steps of another one, which name it with [node.Compensate]. Its
// function is called with the recorded result of the step. Else it is as [Builder.Undo] says.
func Compensation[T, S any](b *Builder[S], of, name string, f func(ctx node.Context, result T) error, opts ...NodeOption) *Builder[S] {
	if f == nil {
		b.problem("compensation %q of node %q has no function", name, of)
		return b
	}
	return b.addUndo(of, plan.Node{Name: name, Kind: plan.Task, Undoes: plan.UndoStep, Run: func(ctx node.Context, in any) (any, error) {
		var result T
		if err := canonical.Decode(in.([]byte), &result); err != nil { //nolint:forcetypeassert // the engine gives nothing else
			return nil, node.Terminal(fmt.Errorf("the result of %s does not fit %s: %w", ctx.Info().Undoes, reflect.TypeFor[T](), err))
		}
		return nil, f(ctx, result)
	}}, opts)
}

func (b *Builder[S]) addUndo(of string, n plan.Node, opts []NodeOption) *Builder[S] {
	b.add(n, opts)
	return b.edges(of, plan.Undo, []string{n.Name})
}
