package recipe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/nearest"
)

// Problem is one thing that is wrong with a recipe.
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

// Error is what Load, Parse and Restore return for a recipe that cannot be run: everything that is wrong with it, in
// the order of its text.
type Error struct{ Problems []Problem }

// Error lists the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// spot is where something was written.
type spot struct {
	src  *source
	node *yaml.Node // nil for the file as a whole
	path string
}

// maxProblems bounds how many problems are listed; a file with more is not read by anybody.
const maxProblems = 200

// Bounds of the work that a file full of mistakes can cause: problems that are collected, and names that are compared
// with all others.
const (
	maxCollected = 10_000
	maxHints     = 500
)

// report collects problems.
type report struct {
	files    []string // in the order in which they were read
	problems []Problem
	warnings []Problem
	seen     map[Problem]bool
	hints    int

	undeclared *undeclared // by the document that is checked; nil while none is
}

// hint is the end of a message about a name that is not there: the nearest that is, or nothing.
func (r *report) hint(found string, known []string) string {
	if r.hints++; r.hints > maxHints {
		return ""
	}
	return nearest.Hint(found, known)
}

func (r *report) add(at spot, format string, args ...any) {
	line, column := 0, 0
	if at.node != nil {
		line, column = at.node.Line, at.node.Column
	}
	r.at(at, line, column, fmt.Sprintf(format, args...))
}

// inside reports a problem at a character within a scalar's text.
func (r *report) inside(at spot, offset int, format string, args ...any) {
	line, column := at.src.locate(at.node, offset)
	r.at(at, line, column, fmt.Sprintf(format, args...))
}

func (r *report) at(at spot, line, column int, message string) {
	p := Problem{File: at.src.file, Line: line, Column: column, Path: at.path, Message: message}
	if r.seen == nil {
		r.seen = make(map[Problem]bool)
	}
	if !r.seen[p] && len(r.problems) < maxCollected {
		r.seen[p] = true
		r.problems = append(r.problems, p)
	}
}

// sort puts problems in file order.
func (r *report) sort(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(slices.Index(r.files, a.File), slices.Index(r.files, b.File)),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
		)
	})
}

// err is the error of all problems, in file order, or nil.
func (r *report) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	r.sort(r.problems)
	if more := len(r.problems) - maxProblems; more > 0 {
		r.problems = append(r.problems[:maxProblems:maxProblems], Problem{
			File: r.problems[maxProblems].File, Message: fmt.Sprintf("and %d more problems", more),
		})
	}
	return &Error{Problems: r.problems}
}
