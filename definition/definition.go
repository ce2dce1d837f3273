package definition

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with a definition, or that it leaves open.
type Problem struct {
	File    string
	Line    int    // from 1; 0 where the problem is with the file as a whole
	Column  int    // from 1, in characters
	Path    string // where in the document: "topology.nodes[2].agent_ref"
	Message string // what was expected and found, and the nearest name
}

// String is the problem as a compiler would print it: "refund.yaml:12:5: …".
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Error holds every problem of a definition that cannot be loaded, in the order of its text.
type Error struct{ Problems []Problem }

// Error lists the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// PathError says that nothing is at a path that an agent, a text or a condition needs.
type PathError struct {
	Path    string // as the definition has it: "report.files.0"
	Message string // what is missing, and the nearest name
}

// Error names the path and what is missing at it.
func (e *PathError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return fmt.Sprintf("path %q: %s", e.Path, e.Message)
}
