package document

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/nearest"
)

// Spot is where something was written.
type Spot struct {
	Source *Source
	Node   *yaml.Node // nil for the file as a whole
	Path   string
}

// maxProblems bounds how many problems are listed; a file with more is not read by anybody.
const maxProblems = 200

// maxCollected bounds the problems that are collected.
const maxCollected = 10_000

// Report collects problems, of one file or of several that belong together. The zero value is ready. It belongs to one
// goroutine.
type Report struct {
	files    []string // in the order in which they were read
	Problems []definition.Problem
	Warnings []definition.Problem
	seen     map[definition.Problem]bool
	Hints    nearest.Hints // of all files together

	Expected string // what an empty file should be: "a recipe"
	// Meant says what may be meant by a key that is not known, as the end of a message; "" where it cannot tell. nil never
	// can.
	Meant func(found string, known []string) string
}

// Hint returns the end of a message about an unknown name: the nearest known name, or nothing.
func (r *Report) Hint(found string, known []string) string { return r.Hints.Hint(found, known) }

// Add reports a problem at a place.
func (r *Report) Add(at Spot, format string, args ...any) {
	r.add(at.problem(fmt.Sprintf(format, args...)))
}

func (at Spot) problem(message string) definition.Problem {
	p := definition.Problem{File: at.Source.File, Path: at.Path, Message: message}
	if at.Node != nil {
		p.Line, p.Column = at.Node.Line, at.Node.Column
	}
	return p
}

// Inside reports a problem at a character within a scalar's text.
func (r *Report) Inside(at Spot, offset int, format string, args ...any) {
	line, column := at.Source.locate(at.Node, offset)
	r.at(at, line, column, fmt.Sprintf(format, args...))
}

func (r *Report) at(at Spot, line, column int, message string) {
	r.add(definition.Problem{File: at.Source.File, Line: line, Column: column, Path: at.Path, Message: message})
}

func (r *Report) add(p definition.Problem) {
	if r.seen == nil {
		r.seen = make(map[definition.Problem]bool)
	}
	if !r.seen[p] && len(r.Problems) < maxCollected {
		r.seen[p] = true
		r.Problems = append(r.Problems, p)
	}
}

// Sort puts problems in file order.
func (r *Report) Sort(problems []definition.Problem) {
	sort.SliceStable(problems, func(i, j int) bool {
		a, b := &problems[i], &problems[j]
		return cmp.Or(
			cmp.Compare(slices.Index(r.files, a.File), slices.Index(r.files, b.File)),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
		) < 0
	})
}

// Err is the error of all problems, in file order, or nil.
func (r *Report) Err() error {
	if len(r.Problems) == 0 {
		return nil
	}
	r.Sort(r.Problems)
	if more := len(r.Problems) - maxProblems; more > 0 {
		r.Problems = append(r.Problems[:maxProblems:maxProblems], definition.Problem{
			File: r.Problems[maxProblems].File, Message: fmt.Sprintf("and %d more problems", more),
		})
	}
	return &definition.Error{Problems: r.Problems}
}

// Warn collects what is worth a word and no error.
func (r *Report) Warn(at Spot, format string, args ...any) {
	p := at.problem(fmt.Sprintf(format, args...))
	if !slices.Contains(r.Warnings, p) && len(r.Warnings) < maxProblems {
		r.Warnings = append(r.Warnings, p)
	}
}
