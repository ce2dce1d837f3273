package dataflow

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/plan"
)

// Errors to look for with errors.Is. Those of a run are fermata's own: ErrInvalidRoute, ErrStuck, ErrLimit, ErrPlanChanged.
var (
	ErrConfig             = fault.Sentinel("dataflow.config", "the graph is not right")
	ErrConflict           = fault.Sentinel("dataflow.conflict", "two nodes write one value") // a ConfigError with such a problem (law D1)
	ErrInput              = fault.Sentinel("dataflow.input", "the run is not given what it needs")
	ErrIncompatibleRunner = fault.Sentinel("dataflow.incompatible_runner", "the graph has to wait for people, and nothing keeps it")
)

// TypeMismatch is the code of a problem: nodes mean different types by one name. The other codes are those of package plan.
const TypeMismatch plan.Code = "type-mismatch"

// Problem is one thing that is wrong with a graph.
type Problem struct {
	Code     plan.Code
	Node     string // "" for none
	Port     string // the value concerned, "" for none
	Expected string // "" where the message says all
	Found    string
	Nearest  string // the name that may have been meant, "" for none
	Message  string
}

// String is the place and the message.
func (p Problem) String() string {
	if p.Node != "" {
		return fmt.Sprintf("node %q: %s", p.Node, p.Message)
	}
	return p.Message
}

// ConfigError is everything that is wrong with a graph.
type ConfigError struct {
	Graph    string
	Problems []Problem // at least one
}

// Error lists the problems, one a line.
func (e *ConfigError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "dataflow %q:", e.Graph)
	const shown = 20
	for i, p := range e.Problems {
		if i == shown {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Problems)-shown)
			break
		}
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

// Is reports whether target is ErrConfig, or ErrConflict where one of the problems is one.
func (e *ConfigError) Is(target error) bool {
	return target == ErrConfig ||
		target == ErrConflict && slices.ContainsFunc(e.Problems, func(p Problem) bool { return p.Code == plan.Conflict })
}

// InputError says what is wrong with the values that a run is given.
type InputError struct {
	Graph    string
	Input    string // the name of the value
	Missing  bool
	Needed   []string // the nodes that need what is missing
	Expected string
	Found    string
	Nearest  string // a known name that may have been meant, "" for none
	Writer   string // of a missing value: the node that writes Nearest
	Reason   string
}

func (e *InputError) Error() string {
	text := fmt.Sprintf("input %q", e.Input)
	switch {
	case e.Missing:
		verb := "needs"
		if len(e.Needed) > 1 {
			verb = "need"
		}
		text += fmt.Sprintf(" is missing: expected a value of type %s, which node %s %s", e.Expected, strings.Join(quoted(e.Needed), " and "), verb)
		if e.Found != "" {
			text += fmt.Sprintf("; found %q instead", e.Found)
		}
		if e.Nearest != "" {
			text += fmt.Sprintf("; no node writes it, did that one mean %q, which %q writes?", e.Nearest, e.Writer)
		}
		return text
	case e.Expected != "" && e.Reason != "":
		return text + fmt.Sprintf(": expected %s, found %s: %s", e.Expected, e.Found, e.Reason)
	}
	return text + ": " + e.Reason
}

// Is reports whether target is ErrInput.
func (e *InputError) Is(target error) bool { return target == ErrInput }

// IncompatibleRunnerError reports that a graph with questions was run where it cannot wait.
type IncompatibleRunnerError struct {
	Graph string
	Nodes []string // paths of those that ask
}

func (e *IncompatibleRunnerError) Error() string {
	return fmt.Sprintf("dataflow %q: %v: %s asks; start it on a runtime, or give it a handler (see Handle)",
		e.Graph, ErrIncompatibleRunner, strings.Join(quoted(e.Nodes), ", "))
}

// Is reports whether target is ErrIncompatibleRunner, or fermata.ErrMustWait.
func (e *IncompatibleRunnerError) Is(target error) bool {
	return target == ErrIncompatibleRunner || target == fermata.ErrMustWait
}

func quoted(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	return list
}

func hint(found string, names []string) string { return nearest.Hint(found, names) }

func near(found string, names []string) string { return nearest.Name(found, names) }

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// fromPlan takes over the problems that package plan has found.
func (b *builder) fromPlan(err error) {
	found, ok := errors.AsType[*plan.Error](err)
	if !ok {
		b.problem(Problem{Code: plan.BadNode, Message: err.Error()})
		return
	}
	for _, p := range found.Problems {
		mine := Problem{Code: p.Code, Node: p.Node, Port: p.Port, Nearest: p.Nearest, Found: p.Found, Message: p.Message}
		if p.EdgeIndex >= 0 {
			mine.Node, mine.Message = p.Edge.From, fmt.Sprintf("target %q: %s", p.Edge.To, p.Message)
			if p.Code == plan.UnknownNode && mine.Found == "" {
				mine.Found, mine.Nearest = p.Edge.To, near(p.Edge.To, b.nodeNames())
			}
		}
		b.problem(mine)
	}
}

func (b *builder) nodeNames() []string {
	names := make([]string, len(b.nodes))
	for i, d := range b.nodes {
		names[i] = d.Name()
	}
	return names
}

func (b *builder) fault() error { return &ConfigError{Graph: b.name, Problems: b.problems} }
