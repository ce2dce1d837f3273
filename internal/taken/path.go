// Package taken finds the path that a run took through its plan, for drawings of both.
package taken

import (
	"encoding/json"
	"regexp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Path is the path of a run, by the paths of nodes; items of a map are one.
type Path struct {
	plan  *plan.Plan
	taken map[string]string // by node: the status of its last task
	went  map[plan.Way]int  // how often an edge was taken
	done  map[string]int    // how often a node has finished
	chose map[string]int    // how often it has left by a route
}

// New returns the path of a run that has no entries yet.
func New(p *plan.Plan) *Path {
	return &Path{plan: p, taken: make(map[string]string), went: make(map[plan.Way]int), done: make(map[string]int), chose: make(map[string]int)}
}

// Drawing is the plan with the path. See is not called any more after it.
func (w *Path) Drawing() plan.Drawing {
	w.plain(w.plan, "")
	return plan.Drawing{Plan: w.plan, Taken: w.taken, Went: w.went}
}

// item is what sets an item of a map apart in the path of a node: "each#1.2/send".
var item = regexp.MustCompile(`#\d+(\.\d+)?`)

// See adds an entry of the run; entries come in order.
func (w *Path) See(e *journal.Entry) error {
	if e.Kind == journal.RunResumed {
		var body journal.ResumedBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return err
		}
		moves := plan.Migration{Nodes: body.Nodes}
		for old, status := range w.taken {
			if now := moves.Path(old); now != old {
				delete(w.taken, old)
				w.taken[now] = status
			}
		}
	}
	path := item.ReplaceAllString(e.Node, "")
	if path == "" {
		return nil
	}
	switch e.Kind {
	case journal.NodeStarted, journal.TimerFired, journal.InterruptResolved:
		w.taken[path] = "running"
	case journal.NodeSuspended:
		w.taken[path] = "paused"
	case journal.NodeFinished, journal.NodeCached:
		w.taken[path] = "completed"
		w.done[path]++
	case journal.NodeFailed:
		w.taken[path] = "failed"
	case journal.NodeSkipped:
		w.taken[path] = "skipped"
	case journal.RouteTaken:
		return w.routed(path, e)
	default:
	}
	return nil
}

func (w *Path) routed(path string, e *journal.Entry) error {
	var body journal.RouteBody
	if len(e.Body) > 0 {
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return err
		}
	}
	to := body.To
	if len(to) == 0 {
		to = []string{e.To}
	}
	if body.Of > 0 || e.Flags&journal.FlagItem != 0 {
		return nil
	}
	if e.Flags&journal.FlagExpired != 0 {
		w.taken[path] = "expired"
	}
	w.chose[path]++
	for _, name := range to {
		w.went[plan.Way{From: path, To: item.ReplaceAllString(name, "")}]++
	}
	return nil
}

// plain adds the edges that no entry tells of: those that follow whenever a node has finished.
func (w *Path) plain(p *plan.Plan, prefix string) {
	def := p.Definition()
	for _, name := range def.Entry {
		if w.taken[prefix+name] != "" {
			w.went[plan.Way{From: prefix, To: prefix + name}] = 1
		}
	}
	goesOn := make(map[string]bool)
	for _, e := range def.Edges {
		goesOn[e.From] = goesOn[e.From] || e.Kind == plan.Plain || e.Kind == plan.Choice
		if n := w.done[prefix+e.From] - w.chose[prefix+e.From]; e.Kind == plan.Plain && n > 0 {
			to := prefix + e.To
			if e.To == node.End || e.To == node.Stop {
				to = e.To
			}
			w.went[plan.Way{From: prefix + e.From, To: to}] += n
		}
	}
	for i := range def.Nodes {
		path := prefix + def.Nodes[i].Name
		if !goesOn[def.Nodes[i].Name] && w.done[path] > w.chose[path] {
			w.went[plan.Way{From: path, To: node.End}] = w.done[path] - w.chose[path]
		}
		if sub := def.Nodes[i].Sub; sub != nil {
			w.plain(sub, path+"/")
		}
	}
}
