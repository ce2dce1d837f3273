package schema

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/fermata-go/fermata/internal/nearest"
)

// explain checks a value in full and says everything that is wrong with it.
func (s *Schema) explain(value []byte) error {
	v, problem := parse(value)
	if problem != nil {
		return &Error{[]Problem{*problem}}
	}
	invalid := validate(s.compiled, v)
	if invalid == nil {
		if s.typ != nil {
			return s.try(value)
		}
		return nil
	}
	return newError((&explainer{value: v, places: s.places}).problems(invalid))
}

// validate runs the library's check, guarded like build.
func validate(s *jsonschema.Schema, v any) (invalid *jsonschema.ValidationError) {
	defer func() {
		if r := recover(); r != nil {
			invalid = &jsonschema.ValidationError{ErrorKind: &crash{fmt.Sprintf("the check itself failed: %v", r)}}
		}
	}()
	return asInvalid(s.Validate(v))
}

// asInvalid is the library's error, in the form that it documents.
func asInvalid(err error) *jsonschema.ValidationError {
	if err == nil {
		return nil
	}
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return invalid
	}
	return &jsonschema.ValidationError{ErrorKind: &crash{err.Error()}}
}

// crash is the library's kind of error for a panic of the library.
type crash struct{ message string }

// KeywordPath implements jsonschema.ErrorKind.
func (*crash) KeywordPath() []string { return nil }

// LocalizedString implements jsonschema.ErrorKind.
func (c *crash) LocalizedString(*message.Printer) string { return c.message }

// explainer turns the library's tree of errors into problems in our words.
type explainer struct {
	value  any
	places func() map[string]*jsonschema.Schema // the schema's parts by location; nil when they are not at hand
}

// part is the schema in which an error arose, or nil.
func (x *explainer) part(e *jsonschema.ValidationError) *jsonschema.Schema {
	if x.places == nil {
		return nil
	}
	return x.places()[e.SchemaURL]
}

func (x *explainer) problems(e *jsonschema.ValidationError) []Problem {
	at := pointer(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		var all []Problem
		for _, cause := range e.Causes {
			all = append(all, x.problems(cause)...)
		}
		return all
	case *kind.AnyOf:
		return x.alternatives(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 2 {
			return []Problem{{at, fmt.Sprintf("expected a value that fits one alternative, found one that fits two: "+
				"alternatives %d and %d", k.Subschemas[0]+1, k.Subschemas[1]+1)}}
		}
		return x.alternatives(e)
	case *kind.Required:
		return x.missing(e, k.Missing, "required, but missing")
	case *kind.DependentRequired:
		return x.missing(e, k.Missing, fmt.Sprintf("required where %q is present, but missing", k.Prop))
	case *kind.Dependency:
		return x.missing(e, k.Missing, fmt.Sprintf("required where %q is present, but missing", k.Prop))
	case *kind.AdditionalProperties:
		var all []Problem
		for _, name := range k.Properties {
			all = append(all, x.unknown(e, name, x.part(e)))
		}
		return all
	case *kind.PropertyNames:
		return []Problem{{x.placeOfName(e, k.Property), wrongName(k.Property, e)}}
	case *badName:
		return []Problem{{at, wrongName(k.name, k.why)}}
	case *kind.FalseSchema:
		if name, ok := strings.CutSuffix(e.SchemaURL, "/unevaluatedProperties"); ok && x.places != nil && at != "" {
			last := len(e.InstanceLocation) - 1
			owner := *e
			owner.InstanceLocation = e.InstanceLocation[:last]
			return []Problem{x.unknown(&owner, e.InstanceLocation[last], x.places()[name])}
		}
	}
	return []Problem{{at, x.message(e)}}
}

// missing gives each missing property a problem of its own, at the place where it should be.
func (x *explainer) missing(e *jsonschema.ValidationError, names []string, text string) []Problem {
	var all []Problem
	for _, name := range names {
		message := text
		if part := x.part(e); part != nil {
			if expected := describe(part.Properties[name]); expected != "" {
				message += "; expected " + expected
			}
		}
		all = append(all, Problem{pointer(e.InstanceLocation) + pointer([]string{name}), message})
	}
	return all
}

// unknown reports a property that the schema does not know, and of the known one that was probably meant: one that is
// not set already, if possible.
func (x *explainer) unknown(e *jsonschema.ValidationError, name string, part *jsonschema.Schema) Problem {
	p := Problem{Path: pointer(e.InstanceLocation) + pointer([]string{name}), Message: unknownProperty}
	if part == nil {
		return p
	}
	found, _ := lookUp(x.value, e.InstanceLocation)
	present, _ := found.(map[string]any)
	p.Message += hintForName(name, sortedKeys(part.Properties), func(k string) bool {
		_, ok := present[k]
		return ok
	})
	return p
}

const unknownProperty = "unknown property"

// hintForName says which of the known properties was probably meant, or which there are.
func hintForName(name string, known []string, present func(string) bool) string {
	hint := nearest.Hint(name, slices.DeleteFunc(slices.Clone(known), present))
	if hint == "" {
		hint = nearest.Hint(name, known)
	}
	switch {
	case hint != "":
		return hint
	case len(known) == 0:
		return "; none is allowed here"
	}
	return "; expected " + oneOf(quoteAll(known))
}

// wrongName says what is wrong with the name of a property.
func wrongName(name string, why *jsonschema.ValidationError) string {
	causes := &jsonschema.ValidationError{ErrorKind: &kind.Group{}, Causes: why.Causes}
	problems := (&explainer{value: name}).problems(causes)
	if len(problems) == 0 {
		return fmt.Sprintf("the property name %q is not allowed", name)
	}
	return fmt.Sprintf("the property name %q is not allowed: %s", name, problems[0].Message)
}

// placeOfName is the place of an object with a wrong name. The library may have used the memory of the place for
// another one by now (see nameCheck, which cannot be put into the rules for schemas); then it is searched for.
func (x *explainer) placeOfName(e *jsonschema.ValidationError, name string) string {
	has := func(v any) bool {
		object, ok := v.(map[string]any)
		_, there := object[name]
		return ok && there
	}
	if v, ok := lookUp(x.value, e.InstanceLocation); ok && has(v) {
		return pointer(e.InstanceLocation)
	}
	var search func(v any, at []string) (string, bool)
	search = func(v any, at []string) (string, bool) {
		if has(v) {
			return pointer(at), true
		}
		for _, token := range children(v) {
			inner, _ := lookUp(v, []string{token})
			if place, ok := search(inner, append(at, token)); ok {
				return place, true
			}
		}
		return "", false
	}
	place, _ := search(x.value, nil)
	return place
}

// children lists the tokens that lead from a value to those in it.
func children(v any) []string {
	switch v := v.(type) {
	case map[string]any:
		return sortedKeys(v)
	case []any:
		tokens := make([]string, len(v))
		for i := range v {
			tokens[i] = strconv.Itoa(i)
		}
		return tokens
	}
	return nil
}

var english = message.NewPrinter(language.English)

// message says what one keyword expected and what it found.
func (x *explainer) message(e *jsonschema.ValidationError) string {
	v, _ := lookUp(x.value, e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return fmt.Sprintf("expected %s, found %s", oneOf(withArticles(k.Want)), found(v))
	case *kind.Enum:
		return fmt.Sprintf("expected %s, found %s%s", oneOf(showAll(k.Want)), found(v), hintFor(v, k.Want))
	case *kind.Const:
		return fmt.Sprintf("expected %s, found %s%s", show(k.Want), found(v), hintFor(v, []any{k.Want}))
	case *kind.Format:
		text := fmt.Sprintf("expected %s, found %s", formatName(k.Want), found(v))
		if k.Want == "regex" {
			text += ": " + k.Err.Error()
		}
		return text
	case *kind.Pattern:
		return fmt.Sprintf("expected a string that matches %s, found %s", k.Want, show(v))
	case *kind.ContentEncoding:
		return fmt.Sprintf("expected a string in %s, found %s", k.Want, show(v))
	case *kind.ContentMediaType:
		return fmt.Sprintf("expected a string that holds %s, found %s", k.Want, show(v))
	case *kind.UniqueItems:
		return fmt.Sprintf("expected items that differ, but items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "expected at least one item of the kind that \"contains\" describes, found none"
	case *kind.MinContains:
		return fmt.Sprintf("expected at least %s of the kind that \"contains\" describes, found %d",
			count(k.Want, "item"), len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("expected at most %s of the kind that \"contains\" describes, found %d",
			count(k.Want, "item"), len(k.Got))
	case *kind.Not:
		return fmt.Sprintf("found %s, which the schema excludes (\"not\")", found(v))
	case *kind.FalseSchema:
		return "expected nothing here, found " + found(v)
	case *kind.AdditionalItems:
		return fmt.Sprintf("expected %s fewer", count(k.Count, "item"))
	}
	if text := limitMessage(e.ErrorKind); text != "" {
		return text
	}
	return e.ErrorKind.LocalizedString(english)
}

// limitMessage is the message of the keywords that set a bound.
func limitMessage(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("expected at least %s, found %d", count(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("expected at most %s, found %d", count(k.Want, "character"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("expected at least %s, found %d", count(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("expected at most %s, found %d", count(k.Want, "item"), k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("expected at least %s, found %d", count(k.Want, "property"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("expected at most %s, found %d", count(k.Want, "property"), k.Got)
	case *kind.Minimum:
		return fmt.Sprintf("expected at least %s, found %s", exact(k.Want), exact(k.Got))
	case *kind.Maximum:
		return fmt.Sprintf("expected at most %s, found %s", exact(k.Want), exact(k.Got))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("expected more than %s, found %s", exact(k.Want), exact(k.Got))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("expected less than %s, found %s", exact(k.Want), exact(k.Got))
	case *kind.MultipleOf:
		return fmt.Sprintf("expected a multiple of %s, found %s", exact(k.Want), exact(k.Got))
	}
	return ""
}

// exact writes a number without rounding it where that takes few digits.
func exact(r *big.Rat) string {
	if r.IsInt() {
		return shorten(r.Num().String())
	}
	if n, ok := r.FloatPrec(); ok && n <= 20 {
		return shorten(r.FloatString(n))
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// hintFor finds the allowed string that was probably meant.
func hintFor(v any, allowed []any) string {
	text, ok := v.(string)
	if !ok {
		return ""
	}
	var names []string
	for _, a := range allowed {
		if name, ok := a.(string); ok {
			names = append(names, name)
		}
	}
	if slices.Contains(names, text) {
		return ""
	}
	return nearest.Hint(text, names)
}
