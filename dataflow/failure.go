package dataflow

import (
	"fmt"

	"github.com/fermata-go/fermata/plan"
)

// OnError lets a node handle the failures of another one, which then do not fail the run (law D14).
//
// Once from has failed for good, after its retries, the handler runs. It reads values by their names, as every node does, and
// finds the failure with [node.Context.Cause]. It may write the values that from would have written, so that the nodes that wait for
// them go on, or values of its own. Nodes that need a value that nobody has written then are skipped. A handler that cannot help
// returns the cause as its error, and the run fails with it. End in place of a handler sets the failure aside.
//
// A handler runs for failures alone, or if a gate chooses it. One that is for several nodes runs once where several of them have
// failed, with the failure of the first one in declared order, and writes none of their values.
func OnError[F, H Target](from F, handler H) Option {
	e := errorEdge{targetName(from), targetName(handler)}
	return func(b *builder) { b.onError = append(b.onError, e) }
}

// errorEdge says which node handles the failures of another one.
type errorEdge struct{ from, to string }

// checkHandlers reports error edges that lead from nowhere, or of which a node has two.
func (b *builder) checkHandlers() {
	names := b.nodeNames()
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	first := make(map[string]string)
	var sound []errorEdge
	for _, e := range b.onError {
		wrong := func(found, format string, args ...any) {
			b.problem(Problem{Code: plan.BadEdge, Node: e.from, Found: found, Nearest: near(found, names), Message: fmt.Sprintf(format, args...)})
		}
		before, twice := first[e.from]
		switch {
		case e.from == End:
			b.problem(Problem{Code: plan.BadEdge, Message: "an error edge begins at End; expected the node whose failures are handled"})
		case !known[e.from]:
			b.problem(Problem{
				Code: plan.UnknownNode, Found: e.from, Nearest: near(e.from, names),
				Message: fmt.Sprintf("an error edge begins at %q, and there is no such node%s", e.from, hint(e.from, names)),
			})
		case twice && before == e.to:
			wrong("", "its failures lead to %s twice; once is enough", handlerText(e.to))
		case twice:
			wrong("", "its failures lead to %s and to %s; let one node handle them, which may look at the cause", handlerText(before), handlerText(e.to))
		case e.to != End && !known[e.to]:
			wrong(e.to, "its failures lead to %q, and there is no such node%s", e.to, hint(e.to, names))
		default:
			first[e.from], sound = e.to, append(sound, e)
		}
	}
	b.onError = sound
}

func handlerText(target string) string {
	if target == End {
		return "End"
	}
	return fmt.Sprintf("%q", target)
}

// leaveHandlers keeps the error edges of nodes that are left. Handlers go with the last node whose failures they handle, unless a
// gate chooses them or the run begins at them: else they would run always.
func (b *builder) leaveHandlers(keep []bool, at map[string]int) {
	alone := make(map[string]bool)
	for _, e := range b.onError {
		if e.to != End {
			alone[e.to] = true
		}
	}
	for _, name := range b.entry {
		delete(alone, name)
	}
	for i, d := range b.nodes {
		if !keep[i] {
			continue
		}
		for _, to := range d.targets {
			delete(alone, to)
		}
	}
	for again := true; again; { // a handler may have one itself
		again = false
		for to := range alone {
			i, ok := at[to]
			if !ok || !keep[i] || b.handles(to, keep, at) {
				continue
			}
			keep[i], again = false, true
		}
	}
	left := b.onError[:0:0]
	for _, e := range b.onError {
		if from, ok := at[e.from]; ok && keep[from] {
			left = append(left, e)
		}
	}
	b.onError = left
}

func (b *builder) handles(to string, keep []bool, at map[string]int) bool {
	for _, e := range b.onError {
		if from, ok := at[e.from]; ok && e.to == to && keep[from] {
			return true
		}
	}
	return false
}
