package schema

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/printable"
)

// Problem is one invalid place of a value, or one place of a document that is not a valid schema.
type Problem struct {
	Path    string `json:"path"`    // JSON pointer: "/items/0/name"; "" is the whole value
	Message string `json:"message"` // what was expected there and what was found
}

// String is the path and the message. Active characters are escaped (law H9): both may hold a person's answer.
func (p Problem) String() string {
	if p.Path == "" {
		return printable.Escape(p.Message)
	}
	return printable.Line(p.Path) + ": " + printable.Escape(p.Message)
}

// Error says everything that is wrong with a value, in the order of its paths.
type Error struct {
	Problems []Problem
}

func (e *Error) Error() string {
	if len(e.Problems) == 1 {
		return e.Problems[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d problems:", len(e.Problems))
	for _, p := range e.Problems {
		b.WriteString("\n  ")
		b.WriteString(p.String())
	}
	return b.String()
}

// newError sorts the problems and drops those that are said twice, as schemas that are built of several parts do.
func newError(problems []Problem) *Error {
	sort.SliceStable(problems, func(i, j int) bool { // slices.SortFunc would be compiled for the type (ADR 060)
		a, b := &problems[i], &problems[j]
		return cmp.Or(comparePaths(a.Path, b.Path), strings.Compare(a.Message, b.Message)) < 0
	})
	return &Error{Problems: slices.Compact(problems)}
}

// comparePaths orders paths member by member, and indexes by number: /items/2 before /items/10.
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(x, y string) int {
		i, errI := strconv.Atoi(x)
		j, errJ := strconv.Atoi(y)
		if errI == nil && errJ == nil && i != j {
			return i - j
		}
		return strings.Compare(x, y)
	})
}

// pointer is a JSON pointer (RFC 6901).
func pointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(pointerEscaper.Replace(t))
	}
	return b.String()
}

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// tokens takes a JSON pointer apart.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer, "/")[1:]
	for i, p := range parts {
		parts[i] = pointerUnescaper.Replace(p)
	}
	return parts
}
