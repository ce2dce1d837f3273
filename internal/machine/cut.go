package machine

import (
	"encoding/json"

	"github.com/fermata-go/fermata/journal"
)

// WholeFacts reports for each entry whether a run may be cut after it. The entries of one append belong
// together: a cut between an outcome and its consequences would leave half a decision (laws J3 and J4). A cut
// before the start of something new is harmless, since it starts again.
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
		return true // nothing goes on after it
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
	case journal.RouteTaken: // items of a map
		var body journal.RouteBody
		return len(e.Body) > 0 && json.Unmarshal(e.Body, &body) == nil && body.Item < body.Of
	case journal.NodeStarted: // a join whose branches could not be merged
		return len(e.Body) > 0 && !e.HasValue() && same && (next.Kind == journal.NodeFailed || next.Kind == journal.NodeRetrying)
	default:
	}
	return false
}

// failsUntil returns the index of the entry that handles the failure at index i: a route, another attempt of
// the surrounding task, or the end of the run. It returns i if something else comes first.
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

// beginsFork reports whether the i-th entry begins a fork and is not the last to do so.
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

// Completes reports whether an entry completes a run. Nothing goes on after it.
func Completes(e *journal.Entry) bool {
	var body journal.FinishedBody
	return e.Kind == journal.RunFinished && json.Unmarshal(e.Body, &body) == nil && body.Status == Completed
}
