package machine

import (
	"encoding/json"

	"github.com/fermata-go/fermata/journal"
)

// WholeFacts says of each entry whether a run may be cut behind it. What is stored in one append is one fact: a cut in
// the middle of an outcome and what follows from it would leave half of a decision (laws J3 and J4). Where something
// new begins in the middle of an append, a cut does no harm: what is cut off is begun again.
func WholeFacts(all []journal.Entry) []bool {
	whole := make([]bool, len(all))
	for i := range all {
		whole[i] = !halfFact(all, i)
	}
	for i := range all {
		for j := i; all[i].Kind == journal.NodeFailed && j < failsUntil(all, i); j++ {
			whole[j] = false
		}
	}
	for i := range all {
		if all[i].Kind != journal.RouteTaken || all[i].Flags&journal.FlagExpired == 0 {
			continue
		}
		for j := i - 1; j >= 0 && all[j].Kind == journal.InterruptResolved; j-- { // a deadline that routes
			whole[j] = false
		}
	}
	return whole
}

// halfFact reports whether the entry after the i-th one belongs to it.
func halfFact(all []journal.Entry, i int) bool {
	e := &all[i]
	if Completes(e) {
		return true // nothing goes on behind it
	}
	if i+1 == len(all) {
		return false
	}
	next := &all[i+1]
	same := next.Node == e.Node && next.Visit == e.Visit
	switch e.Kind {
	case journal.NodeFinished, journal.NodeCached:
		return same && next.Kind == journal.RouteTaken
	case journal.Diagnostic:
		return e.Op == "" && same && next.Kind == journal.NodeSuspended
	case journal.InterruptResolved, journal.RunResumed:
		return beginsFork(all, i)
	case journal.RouteTaken: // the items of a map
		var body journal.RouteBody
		return len(e.Body) > 0 && json.Unmarshal(e.Body, &body) == nil && body.Item < body.Of
	case journal.NodeStarted: // a join whose branches could not be merged
		return len(e.Body) > 0 && !e.HasValue() && same && (next.Kind == journal.NodeFailed || next.Kind == journal.NodeRetrying)
	default:
	}
	return false
}

// failsUntil is the place of the entry that says what follows from the failure at the i-th one: a route, another
// attempt of what is around it, the end of the run. It is i where something else comes first.
func failsUntil(all []journal.Entry, i int) int {
	for j := i + 1; j < len(all); j++ {
		switch all[j].Kind {
		case journal.NodeFailed, journal.InterruptResolved:
			continue
		case journal.NodeRetrying, journal.RunFinished:
			return j
		case journal.RouteTaken:
			if all[j].Flags&journal.FlagCatch != 0 {
				return j
			}
		default:
		}
		break
	}
	return i
}

// beginsFork reports whether the i-th entry is one of those that begin a fork, and not the last of them.
func beginsFork(all []journal.Entry, i int) bool {
	j := i + 1
	for j < len(all) && all[j].Kind == journal.InterruptResolved && resolvedTo(&all[j]) == journal.Withdrawn {
		j++
	}
	if j == len(all) || resumedFor(&all[j]) != ReasonFork {
		return false
	}
	return resumedFor(&all[i]) == ReasonFork || resolvedTo(&all[i]) == journal.Withdrawn
}

func resolvedTo(e *journal.Entry) string {
	var body journal.ResolvedBody
	if e.Kind != journal.InterruptResolved || json.Unmarshal(e.Body, &body) != nil {
		return ""
	}
	return body.State
}

func resumedFor(e *journal.Entry) string {
	var body journal.ResumedBody
	if e.Kind != journal.RunResumed || json.Unmarshal(e.Body, &body) != nil {
		return ""
	}
	return body.Reason
}

// Completes reports whether an entry is the end of a run that has completed. Nothing goes on behind it.
func Completes(e *journal.Entry) bool {
	var body journal.FinishedBody
	return e.Kind == journal.RunFinished && json.Unmarshal(e.Body, &body) == nil && body.Status == Completed
}
