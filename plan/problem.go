package plan

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// Code names a sort of problem. Codes are stable: tools may decide by them, where messages are for people.
type Code string

// The sorts of problems that New finds.
const (
	BadName       Code = "bad-name"       // empty, not UTF-8, or with characters that names may not hold
	DuplicateName Code = "duplicate-name" // two nodes of one name
	NoNodes       Code = "no-nodes"
	BadEntry      Code = "bad-entry"    // none, or not a node
	UnknownNode   Code = "unknown-node" // an edge's end that is not a node
	BadEdge       Code = "bad-edge"     // of no known kind, or out of END
	DuplicateEdge Code = "duplicate-edge"
	AmbiguousJoin Code = "ambiguous-join" // branches meet at a node that does not say what happens then (law G3)
	BadGate       Code = "bad-gate"       // a gate without choices, choices without a gate, a gate with plain edges
	BadCatch      Code = "bad-catch"      // several failure edges without Catch, or Catch without failure edges
	BadUndo       Code = "bad-undo"       // an undo that nothing leads to, or that is more than a function (law F10)
	BadNode       Code = "bad-node"       // parts that do not go together
	BadSubgraph   Code = "bad-subgraph"   // a subgraph that is missing, unchecked or too large
	BadPolicy     Code = "bad-policy"     // a negative retry, timeout or limit
	NoState       Code = "no-state"       // no codec
	BadSchema     Code = "bad-schema"     // an input or output schema that is not one
	Unreachable   Code = "unreachable"    // a node that no path leads to (law G7)
	BadPort       Code = "bad-port"       // a value that a node of a dataflow reads or writes, badly named or twice
	Conflict      Code = "conflict"       // two nodes write one value, and may both run (law D1)
	NeverRuns     Code = "never-runs"     // a node that needs what never comes together (law D1)
	NoHead        Code = "no-head"        // a loop of a dataflow that cannot begin (law D4)
	AmbiguousHead Code = "ambiguous-head" // one that could begin in several ways (law D4)
	Endless       Code = "endless-loop"   // a loop that no gate can leave (law G7)
)

// Problem is one thing that is wrong with a definition.
type Problem struct {
	Code    Code   // kind of the problem
	Message string // what was expected, what was found and what to do; without the place
	Node    string // name of the node concerned, "" for none
	Edge    Edge   // the edge concerned, zero for none
	Port    string // of a dataflow: the value concerned, "" for none
	Found   string // the name that is not known, "" for none
	Nearest string // the known name that may have been meant, "" for none

	NodeIndex int // in Definition.Nodes, or -1
	EdgeIndex int // in Definition.Edges, or -1
}

// String is the place and the message.
func (p Problem) String() string {
	switch {
	case p.EdgeIndex >= 0:
		return fmt.Sprintf("edge %s: %s", p.Edge, p.Message)
	case p.NodeIndex >= 0:
		return fmt.Sprintf("node %q: %s", p.Node, p.Message)
	}
	return p.Message
}

// String is the edge as people write it: "a" -> END.
func (e Edge) String() string { return quoteTarget(e.From) + " -> " + quoteTarget(e.To) }

func quoteTarget(name string) string {
	switch name {
	case node.End:
		return "END"
	case node.Stop:
		return "STOP"
	}
	return fmt.Sprintf("%q", name)
}

// shownProblems is how many problems Error lists.
const shownProblems = 25

// Error is what New returns for a definition that is not a plan.
type Error struct {
	Plan     string    // the plan's name
	Problems []Problem // at least one: of the plan itself, then of its nodes, then of its edges, each in declared order
}

// Error lists the problems, one a line; of very many it lists the first 25 and counts the rest.
func (e *Error) Error() string {
	if len(e.Problems) == 1 {
		return fmt.Sprintf("plan %q: %s", e.Plan, e.Problems[0])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "plan %q has %d problems:", e.Plan, len(e.Problems))
	for _, p := range e.Problems[:min(len(e.Problems), shownProblems)] {
		b.WriteString("\n  " + p.String())
	}
	if more := len(e.Problems) - shownProblems; more > 0 {
		fmt.Fprintf(&b, "\n  … and %d more", more)
	}
	return b.String()
}

func sortProblems(problems []Problem) {
	place := func(p Problem) (int, int) {
		switch {
		case p.EdgeIndex >= 0:
			return 2, p.EdgeIndex
		case p.NodeIndex >= 0:
			return 1, p.NodeIndex
		}
		return 0, 0
	}
	sort.SliceStable(problems, func(i, j int) bool {
		ak, ai := place(problems[i])
		bk, bi := place(problems[j])
		return cmp.Or(cmp.Compare(ak, bk), cmp.Compare(ai, bi)) < 0
	})
}
