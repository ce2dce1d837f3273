package recipe

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/plan"
)

// takes is plan.Definition.Takes of the recipe: it compares the blackboards that a run holds with what the check of the recipe says
// is there. A name that is missing, or of another shape, counts where a node from there on reads it, or the result does. Where
// something stands in for it (tip ?? 0, a path that ends in ?), it counts if the run holds a name that the recipe has no place for
// and that may be the one: then nobody knows that the run never had it.
func (c *checked) takes() func(all []plan.Standing) *plan.Misfit {
	var mu sync.Mutex // the types of names are found while they are asked for
	return func(all []plan.Standing) *plan.Misfit {
		var held []standing
		for _, s := range all {
			v, err := document.Decode(s.State)
			board, ok := v.(map[string]any)
			at := c.wiring.byID[s.Node]
			if s.Node == "" {
				at = end
			}
			if (err == nil && ok || s.Left) && at != nil && (at == end || c.wiring.seen[at]) {
				held = append(held, standing{at: at, by: s.By, board: board, waits: s.Waits, left: s.Left})
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if c.parallel {
			return c.takesBranches(held)
		}
		for _, s := range held {
			if s.waits || s.left {
				continue
			}
			f := c.takesBoard(s)
			if f == nil {
				f = c.takesDefaults(s)
			}
			if f != nil {
				f.Reason = fmt.Sprintf("the state at %s: %s", s.by, f.Reason)
				return f
			}
		}
		return nil
	}
}

// standing is where a run goes on, with a blackboard.
type standing struct {
	at    *step
	by    string
	board map[string]any
	waits bool
	left  bool // only what the node has made goes on from here
}

// takesBoard finds a name that a node must find and does not.
func (c *checked) takesBoard(s standing) *plan.Misfit {
	known := c.flow.before[s.at]
	for _, name := range known.List() {
		t := known.Board(name)
		held, there := s.board[name]
		if !there && t.Missing || t.Kinds == 0 {
			continue
		}
		path, reason := lacks(name, t, s.board)
		if reason == "" {
			continue
		}
		reader := c.reader(s.at, name, false)
		if reader == "" {
			continue
		}
		return &plan.Misfit{Value: path, Reason: reader + " reads " + reason, Hint: formerly(name, path, held, s.board, known)}
	}
	return nil
}

// lacks says what is wrong with what a blackboard has of a name, and where; "" for nothing.
func lacks(name string, t *expression.Type, board map[string]any) (path, reason string) {
	held, there := board[name]
	if !there {
		return name, fmt.Sprintf("%q, which the run does not hold", name)
	}
	within, why := t.Present().Refuses(held)
	if why == "" {
		return name, ""
	}
	path = name
	if within != "" {
		path += "." + within
	}
	return path, fmt.Sprintf("%q, and %q %s in what the run holds", name, path, why)
}

// takesDefaults finds a name for which something stands in, although the run may hold it under a name that is gone.
func (c *checked) takesDefaults(s standing) *plan.Misfit {
	known := c.flow.before[s.at]
	for _, name := range known.List() {
		t := known.Board(name)
		if _, there := s.board[name]; there || t.Kinds == 0 {
			continue
		}
		was := c.stray(t, s.board)
		if was == "" {
			continue
		}
		if reader := c.reader(s.at, name, true); reader != "" {
			return standsIn(reader, name, was)
		}
	}
	return nil
}

func standsIn(reader, name, was string) *plan.Misfit {
	return &plan.Misfit{
		Value:  was,
		Reason: fmt.Sprintf("%s would take something else for %q, and the recipe has no place for %q, which the run holds", reader, name, was),
		Hint:   fmt.Sprintf("if %s is %s now, the recipe can say so: renamed: {values: {%s: %s}}; if it is needed no more: {%s: \"\"}", was, name, was, name, was),
	}
}

// stray is a name that a blackboard holds and the recipe does not know, with a value that may be one of a type; "" for none.
func (c *checked) stray(t *expression.Type, board map[string]any) string {
	for _, name := range expression.Keys(board) {
		if board[name] == nil || c.knows(name) {
			continue
		}
		if _, why := t.Present().Refuses(board[name]); why == "" {
			return name
		}
	}
	return ""
}

// knows reports whether some node of the recipe may find a name. Where inputs or agents may bring any names, it knows all.
func (c *checked) knows(name string) bool {
	for n := range c.wiring.seen {
		if c.flow.before[n].Board(name).Kinds != 0 || c.flow.after(n, c.flow.before[n]).Board(name).Kinds != 0 {
			return true
		}
	}
	return false
}

// formerly says which name that the run holds and the recipe does not know may be the one that is missing; "" for none.
func formerly(name, path string, held any, board map[string]any, known expression.Names) string {
	names, scope := known.List(), ""
	if rest, inside := strings.CutPrefix(path, name+"."); inside {
		object, ok := held.(map[string]any)
		if !ok || strings.Contains(rest, ".") {
			return ""
		}
		board, names, scope, name = object, known.Board(name).Names(), name+".", rest
	}
	var left []string
	for _, other := range expression.Keys(board) {
		if !slices.Contains(names, other) {
			left = append(left, other)
		}
	}
	was := nearest.Name(name, left)
	if was == "" && len(left) == 1 {
		was = left[0]
	}
	switch {
	case was == "":
		return ""
	case scope != "":
		return fmt.Sprintf("%s%s may be %s%s now", scope, was, scope, name)
	}
	return fmt.Sprintf("if %s is %s now, the recipe can say so: renamed: {values: {%s: %s}}", was, name, was, name)
}

// reader is who reads a name that is on the blackboard at a node, from there on and before it is written anew: a node, or the
// result; "" for nobody. With anyway, those who take something else for it count, too.
func (c *checked) reader(at *step, name string, anyway bool) string {
	with := c.flow.before[at]
	without := with
	without.Set(name, expression.Absent)
	asked := ""
	if anyway {
		asked = name
	}
	known, found := c.problemsFrom(at, with, ""), c.problemsFrom(at, without, asked)
	for _, n := range append(slices.Clone(c.nodes), nil) {
		if !differ(known[n], found[n]) {
			continue
		}
		if n == nil {
			return theResult
		}
		return "node " + n.id.Text
	}
	return ""
}

const theResult = "the result of the run"

// differ reports whether something is wrong that was not before.
func differ(known, found []string) bool {
	return slices.ContainsFunc(found, func(problem string) bool { return !slices.Contains(known, problem) })
}

// problemsFrom checks the nodes that are reached from one, with what is on the blackboard there: what is wrong for each of them,
// and under nil for the result.
func (c *checked) problemsFrom(at *step, names expression.Names, asked string) map[*step][]string {
	r := newReport()
	from := &checked{
		draft: c.draft, report: r, undeclared: new(undeclared), when: c.when, wiring: c.draft.wire(newReport()), asked: asked,
	}
	from.wiring.entry = at
	from.flow = &flow{
		document: c.draft, when: c.when, wiring: from.wiring, vocabulary: c.flow.vocabulary, initial: names, fixed: c.flow.fixed,
		before: map[*step]expression.Names{at: names},
	}
	from.wiring.seen[at] = true
	from.flow.spread()
	all := make(map[*step][]string)
	take := func(n *step) {
		for _, p := range r.Problems {
			all[n] = append(all[n], p.Message)
		}
		*r = *newReport()
	}
	for _, n := range c.nodes {
		if from.wiring.seen[n] {
			from.checkStep(n)
			take(n)
		}
	}
	from.checkOutputs()
	take(nil)
	return all
}
