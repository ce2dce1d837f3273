package schema

import (
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/message"
)

// placesOf lists a compiled schema and all its parts by their location.
func placesOf(root *jsonschema.Schema) map[string]*jsonschema.Schema {
	found := make(map[string]*jsonschema.Schema)
	open := []*jsonschema.Schema{root}
	for len(open) > 0 {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		if s == nil || found[s.Location] != nil {
			continue
		}
		found[s.Location] = s
		open = append(open, sameValue(s)...)
		open = append(open, s.Then, s.Else, s.RecursiveRef, s.Contains, s.ContentSchema, s.PropertyNames)
		open = append(open, s.UnevaluatedProperties, s.UnevaluatedItems, s.Items2020)
		open = append(open, s.PrefixItems...)
		for _, group := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
			for _, part := range group {
				open = append(open, part)
			}
		}
		for _, part := range s.PatternProperties {
			open = append(open, part)
		}
		for _, part := range s.Dependencies {
			open = append(open, asSchema(part))
		}
		open = append(open, asSchema(s.AdditionalProperties), asSchema(s.AdditionalItems), asSchema(s.Items))
		if list, ok := s.Items.([]*jsonschema.Schema); ok {
			open = append(open, list...)
		}
		for _, e := range s.Extensions {
			if names, ok := e.(nameCheck); ok {
				open = append(open, names.schema)
			}
		}
	}
	return found
}

func asSchema(v any) *jsonschema.Schema {
	s, _ := v.(*jsonschema.Schema)
	return s
}

// sameValue lists the parts of s that are always checked against the same value as s itself.
func sameValue(s *jsonschema.Schema) []*jsonschema.Schema {
	parts := []*jsonschema.Schema{s.Ref, s.Not, s.If}
	if s.DynamicRef != nil {
		parts = append(parts, s.DynamicRef.Ref)
	}
	for _, group := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		parts = append(parts, group...)
	}
	return parts
}

// selfReference finds a schema that leads back to itself without going down into the value, so that checking against
// it would never end.
func selfReference(root *jsonschema.Schema) *jsonschema.Schema {
	const open, done = 1, 2
	state := make(map[*jsonschema.Schema]int)
	var visit func(s *jsonschema.Schema) *jsonschema.Schema
	visit = func(s *jsonschema.Schema) *jsonschema.Schema {
		if s == nil || state[s] == done {
			return nil
		}
		if state[s] == open {
			return s
		}
		state[s] = open
		for _, part := range sameValue(s) {
			if loop := visit(part); loop != nil {
				return loop
			}
		}
		state[s] = done
		return nil
	}
	places := placesOf(root)
	for _, location := range sortedKeys(places) {
		if loop := visit(places[location]); loop != nil {
			return loop
		}
	}
	return nil
}

// nameCheck checks the names of an object's properties in place of the library, which reports the place of a wrong
// name in memory that it goes on to use.
type nameCheck struct {
	schema *jsonschema.Schema
}

// ownNames replaces the library's check of property names by ours.
func ownNames(s *jsonschema.Schema) {
	if s.PropertyNames != nil {
		s.Extensions = append(s.Extensions, nameCheck{s.PropertyNames})
		s.PropertyNames = nil
	}
}

// Validate implements jsonschema.SchemaExt.
func (c nameCheck) Validate(ctx *jsonschema.ValidatorContext, v any) {
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, name := range sortedKeys(object) {
		if invalid := asInvalid(c.schema.Validate(name)); invalid != nil {
			ctx.AddError(&badName{name, invalid})
		}
	}
}

// badName is the library's kind of error for a name of a property that is not allowed.
type badName struct {
	name string
	why  *jsonschema.ValidationError
}

// KeywordPath implements jsonschema.ErrorKind.
func (*badName) KeywordPath() []string { return (&kind.PropertyNames{}).KeywordPath() }

// LocalizedString implements jsonschema.ErrorKind.
func (n *badName) LocalizedString(p *message.Printer) string {
	return (&kind.PropertyNames{Property: n.name}).LocalizedString(p)
}
