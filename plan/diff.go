package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// Changes is what differs between two plans, as far as their fingerprints cover it. It is empty when the fingerprints
// are equal. Everything in it is sorted by path.
type Changes struct {
	Plan    []string     // of the plan as a whole: "the input schema changed"
	Removed []string     // paths of nodes; of a subgraph, without the nodes in it
	Added   []string     // nodes that only the new plan has
	Changed []NodeChange // nodes that differ
	// RemovedEdges and AddedEdges lead from paths to paths. The edges out of a node that is itself removed or added
	// are not among them.
	RemovedEdges []Edge
	AddedEdges   []Edge // edges that only the new plan has
}

// NodeChange is what changed about a node that both plans have.
type NodeChange struct {
	Path string // of the node
	What string // "kind task is now human"
}

// Empty reports whether nothing differs.
func (c Changes) Empty() bool {
	return len(c.Plan)+len(c.Removed)+len(c.Added)+len(c.Changed)+len(c.RemovedEdges)+len(c.AddedEdges) == 0
}

// String is one sentence: what was removed, what was added, what changed. It is "nothing changed" for no changes.
func (c Changes) String() string {
	var parts []string
	for _, path := range c.Removed {
		parts = append(parts, fmt.Sprintf("node %s removed", path))
	}
	for _, path := range c.Added {
		parts = append(parts, fmt.Sprintf("node %s added", path))
	}
	for _, change := range c.Changed {
		parts = append(parts, fmt.Sprintf("node %s: %s", change.Path, change.What))
	}
	for _, e := range c.RemovedEdges {
		parts = append(parts, edgeText(e)+" removed")
	}
	for _, e := range c.AddedEdges {
		parts = append(parts, edgeText(e)+" added")
	}
	parts = append(parts, c.Plan...)
	if len(parts) == 0 {
		return "nothing changed"
	}
	return graphic(strings.Join(parts, "; "))
}

func edgeText(e Edge) string {
	kind := ""
	if e.Kind != Plain {
		kind = string(e.Kind) + " "
	}
	return fmt.Sprintf("%sedge %s -> %s", kind, endText(e.From), endText(e.To))
}

func endText(name string) string {
	switch name {
	case node.End:
		return "END"
	case node.Stop:
		return "STOP"
	}
	return name
}

// Diff compares two outlines, to explain why a run does not fit a plan (see [Plan.Outline]). It fails for an
// outline that this release cannot read.
func Diff(oldOutline, newOutline []byte) (Changes, error) {
	older, err := readOutline(oldOutline)
	if err != nil {
		return Changes{}, fmt.Errorf("the old plan: %w", err)
	}
	newer, err := readOutline(newOutline)
	if err != nil {
		return Changes{}, fmt.Errorf("the new plan: %w", err)
	}
	var c Changes
	c.compare("", older, newer)
	sort.Slice(c.Changed, func(i, j int) bool { return c.Changed[i].Path < c.Changed[j].Path })
	return c, nil
}

// compare compares two plans that stand in the same place.
func (c *Changes) compare(prefix string, older, newer *outline) {
	c.whole(prefix, older, newer)
	was, is := byName(older), byName(newer)
	names := maps.Clone(was)
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		path := prefix + name
		before, after := was[name], is[name]
		switch {
		case after == nil:
			c.Removed = append(c.Removed, path)
		case before == nil:
			c.Added = append(c.Added, path)
		default:
			c.node(prefix, before, after)
			if before.Sub != nil && after.Sub != nil {
				c.compare(path+"/", before.Sub, after.Sub)
			}
		}
	}
}

func byName(o *outline) map[string]*outlineNode {
	nodes := make(map[string]*outlineNode, len(o.Nodes))
	for i := range o.Nodes {
		nodes[o.Nodes[i].Name] = &o.Nodes[i]
	}
	return nodes
}

// whole compares what is not of a single node.
func (c *Changes) whole(prefix string, older, newer *outline) {
	of := ""
	if prefix != "" {
		of = " of " + strings.TrimSuffix(prefix, "/")
	}
	differ := func(what, before, after string) {
		if before != after {
			c.Plan = append(c.Plan, fmt.Sprintf("the %s%s was %s and is %s", what, of, cmp.Or(before, "none"), cmp.Or(after, "none")))
		}
	}
	differ("kind", older.Kind, newer.Kind)
	differ("version", older.Version, newer.Version)
	differ("entry", strings.Join(older.Entry, ", "), strings.Join(newer.Entry, ", "))
	schema := func(what, before, after string) {
		switch {
		case before == after:
		case before == "":
			c.Plan = append(c.Plan, fmt.Sprintf("the %s schema%s was added", what, of))
		case after == "":
			c.Plan = append(c.Plan, fmt.Sprintf("the %s schema%s was removed", what, of))
		default:
			c.Plan = append(c.Plan, fmt.Sprintf("the %s schema%s changed", what, of))
		}
	}
	schema("input", older.Input, newer.Input)
	schema("output", older.Output, newer.Output)
}

// node compares a node that both plans have, and the edges out of it.
func (c *Changes) node(prefix string, before, after *outlineNode) {
	differ := func(what, was, is string) {
		if was != is {
			c.Changed = append(c.Changed, NodeChange{
				Path: prefix + after.Name, What: fmt.Sprintf("%s was %s and is %s", what, cmp.Or(was, "none"), cmp.Or(is, "none")),
			})
		}
	}
	differ("kind", before.kind(), after.kind())
	differ("version", before.Version, after.Version)
	differ("join", string(before.Join), string(after.Join))
	differ("gate", before.gate(), after.gate())
	differ("map", before.mapped(), after.mapped())
	differ("undo", string(before.Undoes), string(after.Undoes))
	c.values(prefix+after.Name, "read", before.Reads, after.Reads)
	c.values(prefix+after.Name, "write", before.Writes, after.Writes)
	edges := func(kind EdgeKind, was, is []string) {
		c.RemovedEdges = append(c.RemovedEdges, missing(prefix, after.Name, kind, was, is)...)
		c.AddedEdges = append(c.AddedEdges, missing(prefix, after.Name, kind, is, was)...)
	}
	edges(Plain, before.Plain, after.Plain)
	edges(Choice, before.Choices, after.Choices)
	edges(Failure, before.Failures, after.Failures)
	edges(Deadline, before.Deadlines, after.Deadlines)
	edges(Undo, before.Undos, after.Undos)
	if reordered(before.Plain, after.Plain) || before.Many && after.Many && reordered(before.Choices, after.Choices) {
		c.Changed = append(c.Changed, NodeChange{Path: prefix + after.Name, What: "its branches are in another order"})
	}
}

// values compares what a node of a dataflow reads or writes.
func (c *Changes) values(path, verb string, was, is []string) {
	say := func(format, name string) {
		c.Changed = append(c.Changed, NodeChange{Path: path, What: fmt.Sprintf(format, name)})
	}
	before := make(map[string]string, len(was))
	for _, p := range was {
		name, _, _ := readPort(p)
		before[name] = p
	}
	for _, p := range is {
		name, digest, optional := readPort(p)
		old, known := before[name]
		delete(before, name)
		_, oldDigest, oldOptional := readPort(old)
		switch {
		case !known && optional:
			say("it "+verb+"s %q now, where there is one", name)
			continue
		case !known:
			say("it "+verb+"s %q now", name)
			continue
		case optional && !oldOptional:
			say("it can do without %q now", name)
		case !optional && oldOptional:
			say("it cannot do without %q any more", name)
		}
		if digest != oldDigest {
			say("it "+verb+"s %q as another type now", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		say("it does not "+verb+" %q any more", name)
	}
}

// reordered reports whether two lists hold the same in another order.
func reordered(a, b []string) bool {
	return !slices.Equal(a, b) && slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func (n *outlineNode) gate() string {
	if n.Many {
		return "one that chooses several"
	}
	return ""
}

func (n *outlineNode) mapped() string {
	if n.Map {
		return "over a list"
	}
	return ""
}

func (n *outlineNode) kind() string { return string(cmp.Or(n.Kind, Task)) }

// missing gives the edges to targets that other does not have.
func missing(prefix, from string, kind EdgeKind, targets, other []string) []Edge {
	var edges []Edge
	for _, to := range targets {
		if slices.Contains(other, to) {
			continue
		}
		switch to {
		case outlineEnd:
			to = node.End
		case outlineStop:
			to = node.Stop
		default:
			to = prefix + to
		}
		edges = append(edges, Edge{From: prefix + from, To: to, Kind: kind})
	}
	return edges
}

// ValuesOf lists the values that dataflows of an outlined plan read or write. Names follow the path of the
// subgraph and a slash: "/topic", "inner/topic".
func ValuesOf(data []byte) (map[string]bool, error) {
	o, err := readOutline(data)
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	o.values("", names)
	return names, nil
}

func (o *outline) values(path string, names map[string]bool) {
	for i := range o.Nodes {
		n := &o.Nodes[i]
		for _, p := range slices.Concat(n.Reads, n.Writes) {
			name, _, _ := readPort(p)
			names[path+"/"+name] = true
		}
		if n.Sub != nil {
			n.Sub.values(strings.TrimPrefix(path+"/"+n.Name, "/"), names)
		}
	}
}
