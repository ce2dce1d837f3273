package fermatatest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// divergence is the first thing that another order of completion has changed.
type divergence struct {
	law    string
	what   string   // in one line
	was    []string // in the first order
	is     []string
	likely string
}

// comparison compares what runs of one plan did (law D11, for control graphs).
type comparison struct {
	plan      *plan.Plan
	scattered []bool // of each node: its visits are numbered in the order of arrival
	stops     bool   // some edge ends the run, with what is still at work in it
}

func newComparison(p *plan.Plan) *comparison {
	c := &comparison{plan: p, scattered: make([]bool, len(p.Flat()))}
	for i, f := range p.Flat() {
		if f.Join == plan.Each {
			c.scatter(i)
		}
		if branches := branchesOf(&f); len(branches) > 1 && c.returns(i, branches) {
			for _, to := range branches {
				c.scatter(to)
			}
		}
		for _, to := range targets(&f) {
			c.stops = c.stops || to == plan.StopIndex
		}
	}
	for i, f := range p.Flat() { // what is inside of a subgraph comes behind its node
		if f.Parent >= 0 && c.scattered[f.Parent] && p.Flat()[f.Parent].Map == nil {
			c.scattered[i] = true
		}
	}
	return c
}

// scatter marks a node at which tokens arrive in any order, and those behind it up to where they are one again.
func (c *comparison) scatter(i int) {
	if i < 0 || c.scattered[i] || c.plan.Flat()[i].Join == plan.All {
		return
	}
	c.scattered[i] = true
	for _, to := range targets(&c.plan.Flat()[i]) {
		c.scatter(to)
	}
}

// branchesOf are the nodes that several tokens may go to at once.
func branchesOf(f *plan.Flat) []int {
	switch {
	case f.RouteMany != nil:
		return indexes(f.Choices)
	case f.Gate():
		return nil
	}
	return f.Next
}

// returns reports whether a branch of a fork can come back to the fork: then branches of several rounds may be at work
// at the same time.
func (c *comparison) returns(fork int, branches []int) bool {
	seen := make(map[int]bool)
	var walk func(i int) bool
	walk = func(i int) bool {
		if i == fork {
			return true
		}
		if i < 0 || seen[i] {
			return false
		}
		seen[i] = true
		return slices.ContainsFunc(targets(&c.plan.Flat()[i]), walk)
	}
	return slices.ContainsFunc(branches, walk)
}

func indexes(list []plan.Target) (at []int) {
	for _, t := range list {
		at = append(at, t.Index)
	}
	return at
}

func targets(f *plan.Flat) []int {
	return slices.Concat(f.Next, indexes(f.Choices), indexes(f.Failures), indexes(f.Deadlines))
}

// label is a task's id without the numbers that say only who came first.
func (c *comparison) label(task string) string {
	path, visit := node.CutTask(task)
	parts := strings.Split(path, "/")
	for i := range parts {
		of, number, ok := strings.Cut(parts[i], "#")
		if at, known := c.plan.Index(node.NodeOf(strings.Join(parts[:i+1], "/"))); ok && known && c.scattered[at] {
			_, item, _ := strings.Cut(number, ".")
			parts[i] = of + "#*." + item
		}
	}
	name := strings.Join(parts, "/")
	if at, known := c.plan.Index(node.NodeOf(path)); known && c.scattered[at] {
		return name + "#*"
	}
	return node.TaskID(name, visit)
}

// visits groups what tasks did by their labels, and says it with them.
func (c *comparison) visits(t *transcript) map[string][]*visit {
	groups := make(map[string][]*visit)
	for _, v := range t.tasks {
		own := *v
		own.from = nil
		for _, from := range v.from {
			own.from = append(own.from, c.label(from))
		}
		if own.fails && own.sub { // which of several failures comes first is a matter of order
			own.ends = []string{"fails"}
		}
		label := c.label(v.task)
		groups[label] = append(groups[label], &own)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b *visit) int { return strings.Compare(a.text(), b.text()) })
	}
	return groups
}

// compare finds the first difference, in the order in which the tasks of the second run began; nil for none.
func (c *comparison) compare(first, second *transcript) *divergence {
	was, is := c.visits(first), c.visits(second)
	inner := slices.DeleteFunc(slices.Clone(second.tasks), func(v *visit) bool {
		label := c.label(v.task)
		return v.sub && sameGiven(was[label], is[label]) // what it did follows from what the tasks inside of it did
	})
	for _, list := range [][]*visit{inner, second.tasks, first.tasks} {
		for _, v := range list {
			label := c.label(v.task)
			if is[label] == nil && was[label] == nil {
				continue
			}
			if d := c.differ(label, was[label], is[label], c.loose(v, first, second)); d != nil {
				return d
			}
			delete(was, label)
			delete(is, label)
		}
	}
	if first.status != second.status {
		return &divergence{
			law: "D11", what: "the run ends otherwise", was: []string{first.ended}, is: []string{second.ended},
			likely: "which of several endings comes first decides: failures of two kinds, or a Stop beside other branches",
		}
	}
	if first.output != second.output && !c.stops {
		return &divergence{
			law: "G4", what: "all tasks did the same, and the result differs", was: []string{first.output}, is: []string{second.output},
			likely: "where paths end, their values are merged: " + c.mergeHint(nil),
		}
	}
	return nil
}

func sameGiven(a, b []*visit) bool {
	return slices.EqualFunc(a, b, func(v, w *visit) bool { return slices.Equal(v.given(), w.given()) })
}

// loose reports whether a task may be missing: it runs where something has failed, or was stopped, and how far the
// others came by then is a matter of order (law F2).
func (c *comparison) loose(v *visit, transcripts ...*transcript) bool {
	if c.stops || v.index < 0 {
		return true
	}
	around := make(map[int]bool)
	for i := c.plan.Flat()[v.index].Parent; i >= 0; i = c.plan.Flat()[i].Parent {
		around[i] = true
	}
	return slices.ContainsFunc(transcripts, func(t *transcript) bool {
		return t.status != "completed" || slices.ContainsFunc(t.tasks, func(w *visit) bool {
			return w.doomed && w.index >= 0 && around[c.plan.Flat()[w.index].Parent]
		})
	})
}

// differ compares the visits of one label.
func (c *comparison) differ(label string, was, is []*visit, loose bool) *divergence {
	was, is = without(was, is), without(is, was)
	for _, v := range is {
		i := slices.IndexFunc(was, func(w *visit) bool { return slices.Equal(w.given(), v.given()) })
		if i < 0 {
			continue
		}
		if loose && (!was[i].ended || !v.ended || was[i].fails || v.fails || c.scatters(v)) {
			continue
		}
		if (loose || was[i].hit || v.hit) && slices.Equal(was[i].ends, v.ends) {
			continue // it was tried again with what it runs in, or what led to its outcome is another task's
		}
		return &divergence{
			law: "D11", what: fmt.Sprintf("task %s was given the same, and did something else", label),
			was: was[i].did(), is: v.did(),
			likely: "it reads what is not its input: memory that another branch writes (law N9: a pointer, a map or a counter outside of " +
				"the state), the time, or randomness. Put it into the state, or read it in a node.Step before the fork",
		}
	}
	switch {
	case loose || len(was)+len(is) == 0 || hits(was) && hits(is):
		return nil
	case len(is) == 0:
		return missing(label, "is missing", was[0], nil)
	case len(was) == 0:
		return missing(label, "is one more", nil, is[0])
	}
	d := &divergence{
		law: "N9", what: fmt.Sprintf("task %s was given something else", label), was: was[0].given(), is: is[0].given(),
		likely: "all tasks before it gave the same: a value was changed after it had been handed on, so something in it is shared " +
			"(a pointer that the state's codec does not copy), or a function of a subgraph or a map (In, Out, items, gather) is not pure",
	}
	if len(was[0].from) > 1 || len(is[0].from) > 1 {
		d.law, d.likely = "G4", c.mergeHint(is[0])
	}
	return d
}

func hits(list []*visit) bool {
	return !slices.ContainsFunc(list, func(v *visit) bool { return !v.hit })
}

func missing(label, how string, was, is *visit) *divergence {
	d := &divergence{
		law: "G3", what: fmt.Sprintf("task %s %s in the second order", label, how),
		likely: "all tasks before it gave the same and went the same way, so a join fired at another time: that is a fault of the " +
			"engine. Please report it, with this text",
	}
	if was != nil {
		d.was = was.given()
	}
	if is != nil {
		d.is = is.given()
	}
	return d
}

func (c *comparison) scatters(v *visit) bool { return v.index < 0 || c.scattered[v.index] }

// mergeHint says who merges at a join, nil for where a path ends.
func (c *comparison) mergeHint(v *visit) string {
	owner := c.plan
	if v != nil && v.index >= 0 {
		f := c.plan.Flat()[v.index]
		owner = f.Owner
		if f.Merge != nil {
			return "the node's merge function depends on more than base and branches, which come in declared order whatever finished first"
		}
	}
	if owner.Definition().Merge != nil {
		return "the plan's merge function depends on more than base and branches, which come in declared order whatever finished first"
	}
	return "no function of yours merges here, unless the state has methods that marshal it: else this is a fault of the engine. " +
		"Please report it, with this text"
}

// without gives the visits of a that b has no equal of.
func without(a, b []*visit) []*visit {
	left := slices.Clone(b)
	return slices.DeleteFunc(slices.Clone(a), func(v *visit) bool {
		i := slices.IndexFunc(left, func(w *visit) bool { return w.text() == v.text() })
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
		return i >= 0
	})
}

// joined names the tasks whose branches a task has taken or, in a dataflow, which have written what it was given, and the
// decision that it was begun for.
func joined(e *journal.Entry, sent map[uint64]string) string {
	var b journal.BeginBody
	if json.Unmarshal(e.Body, &b) != nil {
		return string(e.Body)
	}
	var names []string
	for _, via := range b.From {
		names = append(names, sent[via])
	}
	for _, value := range slices.Sorted(maps.Keys(b.In)) {
		names = append(names, value+" of "+sent[b.In[value]])
	}
	if b.Undo != "" {
		names = append(names, "to undo "+b.Undo)
	}
	if b.Took != 0 {
		names = append(names, "for "+sent[b.Took])
	}
	return strings.Join(names, ", ")
}
