package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/node"
)

// checker collects what is wrong with a definition.
type checker struct {
	def      *Definition    // that is checked
	names    []string       // of the nodes, in order
	index    map[string]int // of two nodes of one name, the first
	problems []Problem      // found so far
	hints    int            // how many names have been compared with all others
}

// maxHints bounds how many misspelt names are compared with all others; more are not shown anyway.
const maxHints = shownProblems

// check finds all problems, in the order in which Error lists them.
func check(def *Definition) []Problem {
	c := &checker{def: def, index: make(map[string]int, len(def.Nodes))}
	c.head()
	for i := range def.Nodes {
		c.names = append(c.names, def.Nodes[i].Name)
	}
	for i := range def.Nodes {
		c.name(i)
		c.node(i)
	}
	c.size()
	c.undos()
	if def.Dataflow == nil {
		c.entry()
		c.edges()
		c.topology()
		c.branches()
	} else {
		c.flows()
	}
	sortProblems(c.problems)
	return c.problems
}

//go:noinline // called in many places, for the weight of the command (ADR 060)
func (c *checker) plan(code Code, format string, args ...any) {
	c.problems = append(c.problems, Problem{
		Code: code, Message: fmt.Sprintf(format, args...), NodeIndex: -1, EdgeIndex: -1,
	})
}

func (c *checker) at(i int, code Code, format string, args ...any) {
	c.problems = append(c.problems, Problem{
		Code: code, Message: fmt.Sprintf(format, args...), Node: c.def.Nodes[i].Name, NodeIndex: i, EdgeIndex: -1,
	})
}

func (c *checker) on(i int, code Code, format string, args ...any) {
	c.problems = append(c.problems, Problem{
		Code: code, Message: fmt.Sprintf(format, args...), Edge: c.def.Edges[i], NodeIndex: -1, EdgeIndex: i,
	})
}

// unknown says that there is no node of a name, and which one may be meant.
func (c *checker) unknown(name string) string {
	switch strings.ToUpper(name) {
	case "END", "STOP":
		return fmt.Sprintf("there is no node %q; the end of a path is node.End, the end of the run node.Stop", name)
	case "START":
		return fmt.Sprintf("there is no node %q; where the run starts is named by the plan's entry", name)
	}
	hint := ""
	if c.hints++; c.hints <= maxHints {
		hint = nearest.Hint(name, c.names)
	}
	return fmt.Sprintf("there is no node %q%s", name, hint)
}

// meant notes with the last problem which name is not known, and which one may be meant.
func (c *checker) meant(name string) {
	p := &c.problems[len(c.problems)-1]
	if p.Found = name; c.hints <= maxHints {
		p.Nearest = nearest.Name(name, c.names)
	}
}

// head checks what belongs to the plan as a whole.
func (c *checker) head() {
	if fault := nameFault(c.def.Name, ""); fault != "" {
		c.plan(BadName, "the plan's name %s", fault)
	}
	if c.def.State == nil {
		c.plan(NoState, "there is no State: a codec is needed that says how the plan's values are kept")
	}
	if n := c.def.Limits.Tasks; n < Unlimited {
		c.plan(BadPolicy, "the limit of tasks is %d; expected a number of tasks, 0 for the default, or %d (plan.Unlimited) for none", n, Unlimited)
	}
	if d := c.def.Limits.Time; d < 0 {
		c.plan(BadPolicy, "the limit of time is %s; it may not be negative, and 0 is no limit", d)
	}
	if d := c.def.Limits.Within; d < 0 {
		c.plan(BadPolicy, "a run expires %s after its start; expected a time that is not negative, or 0 for never", d)
	}
	switch n := c.def.Concurrency; {
	case n < 0:
		c.plan(BadPolicy, "%d tasks may be at work at once; expected a number of tasks, or 0 for %d", n, DefaultConcurrency)
	case n > 0 && c.def.Dataflow == nil:
		c.plan(BadPolicy, "it says how many of its tasks may be at work at once, and that is for dataflows; limit a map, or put nodes into a pool")
	}
	c.amounts()
	c.schema("input", c.def.Input)
	c.schema("output", c.def.Output)
}

func (c *checker) schema(name string, doc []byte) {
	if len(doc) == 0 {
		return
	}
	if fault := schemaFault(doc); fault != "" {
		c.plan(BadSchema, "the %s schema %s", name, fault)
	}
}

// nameFault says what is wrong with a name; forbidden are characters that it may not hold.
func nameFault(name, forbidden string) string {
	switch {
	case name == "":
		return "is empty"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	}
	for _, r := range name {
		if printable.Acts(r) { // law H9
			return "holds a control character; names are shown on terminals"
		}
		if strings.ContainsRune(forbidden, r) {
			return fmt.Sprintf("holds %q, which task ids are built with; use another character", r)
		}
	}
	return ""
}

// name checks that a node can be told from all others.
func (c *checker) name(i int) {
	name := c.def.Nodes[i].Name
	if fault := nameFault(name, "/#"); fault != "" {
		c.at(i, BadName, "the name %s", fault)
	}
	if first, twice := c.index[name]; twice {
		c.at(i, DuplicateName, "nodes %d and %d have this name; every node needs one of its own", first+1, i+1)
		return
	}
	c.index[name] = i
}

// node checks that the parts of a node go together.
func (c *checker) node(i int) {
	n := &c.def.Nodes[i]
	switch n.Kind {
	case Task, Router, Human:
		if n.Sub != nil {
			c.at(i, BadSubgraph, "it names a subgraph, so its kind must be %q, not %q", Sub, n.Kind)
		}
	case Sub:
		if n.Sub == nil {
			c.at(i, BadSubgraph, "it is of kind %q and names no plan; set Sub", Sub)
		}
	default:
		c.at(i, BadNode, "its kind is %q; expected %q, %q, %q or %q", n.Kind, Task, Router, Human, Sub)
	}
	if n.Sub != nil && len(n.Sub.flat) == 0 {
		c.at(i, BadSubgraph, "its subgraph was never compiled; make it with New")
	}
	if n.Sub != nil && n.Run != nil {
		c.at(i, BadNode, "a subgraph has no Run: its plan does the work")
	}
	if n.Sub == nil && (n.In != nil || n.Out != nil) {
		c.at(i, BadNode, "In and Out are for subgraphs, and it names none")
	}
	c.joins(i)
	for _, p := range policies {
		p.check(&c.def.Nodes[i], func(format string, args ...any) { c.at(i, BadPolicy, format, args...) })
	}
}

// size bounds the flat plan.
func (c *checker) size() {
	if len(c.def.Nodes) == 0 {
		c.plan(NoNodes, "there is no node; a plan needs at least one")
	}
	total := len(c.def.Nodes)
	for i := range c.def.Nodes {
		if sub := c.def.Nodes[i].Sub; sub != nil {
			total += len(sub.flat)
		}
	}
	if total > maxFlat {
		c.plan(BadSubgraph, "with all subgraphs laid out there are %d nodes; at most %d are allowed", total, maxFlat)
	}
}

func (c *checker) entry() {
	entry := c.def.Entry
	if len(entry) == 0 && len(c.def.Nodes) > 0 {
		c.plan(BadEntry, "no entry is named; name the node where the run starts, in a state graph by an edge from graph.Start")
	}
	for i, name := range entry {
		if _, ok := c.index[name]; ok {
			if slices.Contains(entry[:i], name) {
				c.plan(BadEntry, "the entry %q is named twice; one is enough", name)
			}
			continue
		}
		if name == node.End || name == node.Stop {
			c.plan(BadEntry, "the entry is %s; name the node where the run starts", quoteTarget(name))
			continue
		}
		c.plan(BadEntry, "the entry is not known: %s", c.unknown(name))
		c.meant(name)
	}
}

// edges checks every edge on its own, and then each node's edges together.
func (c *checker) edges() {
	type id struct {
		from, to string
		kind     EdgeKind
	}
	seen := make(map[id]bool, len(c.def.Edges))
	outs := make([]outgoing, len(c.def.Nodes))
	for i, e := range c.def.Edges {
		c.ends(i)
		if key := (id{e.From, e.To, e.Kind}); seen[key] {
			c.on(i, DuplicateEdge, "there is a %s edge between these two already; one is enough", e.Kind)
			continue
		}
		seen[id{e.From, e.To, e.Kind}] = true
		from, ok := c.index[e.From]
		if !ok {
			continue
		}
		outs[from].add(e)
		c.gated(i, c.def.Nodes[from].Gate())
	}
	for i := range outs {
		if c.index[c.def.Nodes[i].Name] == i {
			c.outgoing(i, &outs[i])
		}
	}
}

// flows checks what Wire has not checked of a dataflow, whose edges follow from it.
func (c *checker) flows() {
	if len(c.def.Dataflow.Nodes) != len(c.def.Nodes) {
		c.plan(BadNode, "it has %d nodes, and its Dataflow %d: they are not of one definition; make the Dataflow with Wire",
			len(c.def.Nodes), len(c.def.Dataflow.Nodes))
		return
	}
	outs := make([]outgoing, len(c.def.Nodes))
	for _, e := range c.def.Edges {
		if from, ok := c.index[e.From]; ok {
			outs[from].add(e)
		}
	}
	for i := range outs {
		c.outgoing(i, &outs[i])
	}
}

// ends checks what an edge connects.
func (c *checker) ends(i int) {
	e := c.def.Edges[i]
	switch e.Kind {
	case Plain, Choice, Failure, Deadline, Undo:
	default:
		c.on(i, BadEdge, "its kind is %q; expected %q, %q, %q, %q or %q", e.Kind, Plain, Choice, Failure, Deadline, Undo)
	}
	switch _, ok := c.index[e.From]; {
	case e.From == node.End || e.From == node.Stop:
		c.on(i, BadEdge, "nothing follows %s", quoteTarget(e.From))
	case !ok:
		c.on(i, UnknownNode, "it comes from nowhere: %s", c.unknown(e.From))
		c.meant(e.From)
	}
	if _, ok := c.index[e.To]; !ok && e.To != node.End && e.To != node.Stop {
		c.on(i, UnknownNode, "it leads nowhere: %s", c.unknown(e.To))
		c.meant(e.To)
	}
}

// gated checks that an edge suits the node it comes from.
func (c *checker) gated(i int, gate bool) {
	switch kind := c.def.Edges[i].Kind; {
	case kind == Choice && !gate:
		c.on(i, BadGate, "nobody takes this choice: the node has no Route; give it one, or make the edge plain")
	case kind == Plain && gate:
		c.on(i, BadGate, "a gate goes only where its Route says; make the edge a choice, or take the Route away")
	}
}

// outgoing is what leads out of one node.
type outgoing struct {
	plain, choices, failures int // how many edges of each kind
}

func (o *outgoing) add(e Edge) {
	switch e.Kind {
	case Plain:
		o.plain++
	case Choice:
		o.choices++
	case Failure:
		o.failures++
	}
}

func (c *checker) outgoing(i int, o *outgoing) {
	n := &c.def.Nodes[i]
	if n.Gate() && o.choices == 0 && o.plain == 0 {
		c.at(i, BadGate, "it has a Route and nothing to choose from; declare each target as a choice edge")
	}
	if o.failures > 1 && n.Catch == nil {
		c.at(i, BadCatch, "%d failure edges lead out of it; set Catch to choose among them, or keep one", o.failures)
	}
	if o.failures == 0 && n.Catch != nil {
		c.at(i, BadCatch, "it has a Catch and nothing to choose from; declare each target as a failure edge")
	}
}

// list names a few targets.
func list(names []string) string {
	const shown = 5
	var quoted []string
	for _, name := range names[:min(len(names), shown)] {
		quoted = append(quoted, quoteTarget(name))
	}
	if more := len(names) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), more)
	}
	return strings.Join(quoted, ", ")
}
