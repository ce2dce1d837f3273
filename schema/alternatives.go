package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// alternatives explains a value that fits none of several schemas. Where one of them was clearly meant, because the
// value is of its type and carries its marks, that one's problems are the explanation; else all alternatives are named.
func (x *explainer) alternatives(e *jsonschema.ValidationError) []Problem {
	here := pointer(e.InstanceLocation)
	best, bestCost, tie := -1, 0, false
	all := make([][]Problem, len(e.Causes))
	for i, cause := range e.Causes {
		all[i] = x.problems(cause)
		cost := distance(cause, len(e.InstanceLocation))
		switch {
		case best < 0 || cost < bestCost:
			best, bestCost, tie = i, cost, false
		case cost == bestCost:
			tie = true
		}
	}
	if best < 0 {
		return []Problem{{here, "expected one of the alternatives, found none that fits"}}
	}
	if p, ok := x.wrongMarks(e); ok {
		return []Problem{p}
	}
	if bestCost < wrongKind && !tie {
		return all[best]
	}
	if bestCost >= wrongKind {
		if text := x.noneOf(e, all); text != "" {
			return []Problem{{here, text}}
		}
	}
	return []Problem{noneFits(here, all)}
}

// noneFits tells what is wrong by each of several alternatives.
func noneFits(here string, all [][]Problem) Problem {
	texts := make([]string, len(all))
	for i, problems := range all {
		parts := make([]string, len(problems))
		for j, p := range newError(problems).Problems {
			p.Path = strings.TrimPrefix(p.Path, here)
			parts[j] = p.String()
		}
		texts[i] = fmt.Sprintf("(%d) %s", i+1, strings.Join(parts, ", "))
	}
	return Problem{here, "fits none of the alternatives: " + strings.Join(texts, "; ")}
}

// wrongMarks explains alternatives that are told apart by the value of one member, where that has none of their values.
func (x *explainer) wrongMarks(e *jsonschema.ValidationError) (Problem, bool) {
	var place []string
	var allowed []any
	for i, cause := range e.Causes {
		mark := markIn(cause, len(e.InstanceLocation))
		if mark == nil || i > 0 && !slices.Equal(place, mark.InstanceLocation) {
			return Problem{}, false
		}
		place = mark.InstanceLocation
		switch k := mark.ErrorKind.(type) {
		case *kind.Const:
			allowed = append(allowed, k.Want)
		case *kind.Enum:
			allowed = append(allowed, k.Want...)
		}
	}
	v, _ := lookUp(x.value, place)
	return Problem{pointer(place), fmt.Sprintf("expected %s, found %s%s",
		oneOf(showAll(allowed)), found(v), hintFor(v, allowed))}, place != nil
}

// markIn finds the error about a member's fixed value, if there is just one.
func markIn(e *jsonschema.ValidationError, depth int) *jsonschema.ValidationError {
	if marks := marksIn(e, depth); len(marks) == 1 {
		return marks[0]
	}
	return nil
}

func marksIn(e *jsonschema.ValidationError, depth int) (marks []*jsonschema.ValidationError) {
	switch e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			marks = append(marks, marksIn(cause, depth)...)
		}
	case *kind.Const, *kind.Enum:
		if len(e.InstanceLocation) == depth+1 {
			marks = append(marks, e)
		}
	}
	return marks
}

// noneOf says, of alternatives that are all of another type or value than what was found, which they are.
func (x *explainer) noneOf(e *jsonschema.ValidationError, all [][]Problem) string {
	var wants []string
	var allowed []any
	for i := range all {
		leaf := e.Causes[i]
		for {
			if _, ok := leaf.ErrorKind.(*kind.Reference); !ok || len(leaf.Causes) != 1 {
				break
			}
			leaf = leaf.Causes[0]
		}
		switch k := leaf.ErrorKind.(type) {
		case *kind.Type:
			wants = append(wants, withArticles(k.Want)...)
		case *kind.Enum:
			wants = append(wants, showAll(k.Want)...)
			allowed = append(allowed, k.Want...)
		case *kind.Const:
			wants = append(wants, show(k.Want))
			allowed = append(allowed, k.Want)
		default:
			return ""
		}
	}
	v, _ := lookUp(x.value, e.InstanceLocation)
	return fmt.Sprintf("expected %s, found %s%s", oneOf(wants), found(v), hintFor(v, allowed))
}

// Costs of errors when alternatives are compared.
const (
	wrongKind  = 1000 // the value is of another type
	wrongMark  = 100  // a member that tells alternatives apart has another value
	wrongValue = 1
)

// distance says how far a value is from a schema that it does not fit.
func distance(e *jsonschema.ValidationError, depth int) int {
	below := len(e.InstanceLocation) - depth
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		sum := 0
		for _, cause := range e.Causes {
			sum += distance(cause, depth)
		}
		return sum
	case *kind.AnyOf, *kind.OneOf:
		least := wrongValue
		for i, cause := range e.Causes {
			if d := distance(cause, depth); i == 0 || d < least {
				least = d
			}
		}
		return least
	case *kind.Type:
		if below <= 0 {
			return wrongKind
		}
	case *kind.Const:
		return markOrKind(below)
	case *kind.Enum:
		if below <= 0 {
			if _, isText := k.Got.(string); isText && hintFor(k.Got, k.Want) != "" {
				return wrongMark // a slip of the pen
			}
		}
		return markOrKind(below)
	}
	return wrongValue
}

func markOrKind(below int) int {
	if below <= 0 {
		return wrongKind
	}
	return wrongMark
}
