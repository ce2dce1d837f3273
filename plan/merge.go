package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// MergeConflictError reports a field that several branches changed and no rule merges (law G4).
type MergeConflictError struct {
	Node     string   // the join; "" where that is not known
	Field    string   // the JSON names that lead to the field, joined with dots; "" for the whole value
	Branches []int    // which branches changed it: places in declared order, from 0
	Names    []string // of these branches, parallel to Branches; nil where they are not known
	Reason   string   // what stands against a merge, and what to do
}

// Error names the field, the branches and what to do.
func (e *MergeConflictError) Error() string {
	var b strings.Builder
	if e.Node != "" {
		fmt.Fprintf(&b, "join %q: ", e.Node)
	}
	if e.Field == "" {
		b.WriteString("the whole value")
	} else {
		fmt.Fprintf(&b, "field %q", e.Field)
	}
	b.WriteString(" was changed by branch")
	if len(e.Branches) > 1 {
		b.WriteString("es")
	}
	for i := range e.Branches {
		switch {
		case i == 0:
			b.WriteString(" ")
		case i == len(e.Branches)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(e.branch(i))
	}
	return b.String() + ": " + e.Reason
}

// Is reports whether target is ErrMergeConflict.
func (e *MergeConflictError) Is(target error) bool { return target == ErrMergeConflict }

func (e *MergeConflictError) branch(i int) string {
	if i < len(e.Names) && e.Names[i] != "" {
		return strconv.Quote(e.Names[i])
	}
	return strconv.Itoa(e.Branches[i])
}

// MergeConflictsError is every conflict of a merge, in the order of the fields; there is at least one. errors.As finds
// the first of them as a *MergeConflictError.
type MergeConflictsError []*MergeConflictError

// Error lists the conflicts, one a line.
func (e MergeConflictsError) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d fields cannot be merged:", len(e))
	for _, c := range e {
		b.WriteString("\n  " + c.Error())
	}
	return b.String()
}

// Unwrap gives the conflicts as errors.
func (e MergeConflictsError) Unwrap() []error {
	all := make([]error, len(e))
	for i, c := range e {
		all[i] = c
	}
	return all
}

// Name writes the join and the names of its branches into every conflict. names holds one name for each merged value,
// in declared order.
func (e MergeConflictsError) Name(join string, names []string) {
	for _, c := range e {
		c.Node, c.Names = join, make([]string, len(c.Branches))
		for i, n := range c.Branches {
			if n < len(names) {
				c.Names[i] = names[n]
			}
		}
	}
}
