package schema

import (
	"encoding/json"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// rule is one schema in a form that a value can be held against while it arrives. It is the counterpart of a shape,
// which only ever says yes: of a value that is still open a rule says no, and only where nothing that may follow can
// help. What it cannot tell piece by piece (not, if, contains and the like) is left to the library, which is given the
// value when it is closed.
type rule struct {
	schema *jsonschema.Schema
	alone  []*rule // the rule, as the only one of a place

	kinds  kinds    // of values that may be valid
	whole  kinds    // of values that have to be checked as a whole
	fit    *shape   // accepts most good ones of these; nil when the library has to be asked
	parts  []*rule  // $ref and allOf: they hold too
	either []choice // anyOf and oneOf

	scalarRule
	objectRule
	arrayRule

	reaches [7]*reach // by kind, see kinds.slot
}

// scalarRule is about strings, numbers and literals. Closed ones are valid where quick says so, and checked by the library
// where it does not.
type scalarRule struct {
	quick  *shape
	few    bool     // the only numbers allowed are integers
	listed []int64  // these
	chosen bool     // the only strings allowed are words
	words  []string // open ones must begin one of them
	maxLen int      // characters; < 0 for no bound
}

// objectRule is about objects.
type objectRule struct {
	members  map[string]namedRule
	patterns []patternRule
	others   *rule   // of members not named above; nil for anything
	closed   bool    // there are no others
	names    []*rule // of the names themselves
}

// arrayRule is about arrays.
type arrayRule struct {
	prefix   []*rule
	items    *rule // behind the prefix; nil for anything
	maxItems int   // < 0 for no bound
}

// choice is a list of rules of which one holds.
type choice struct {
	rules []*rule // nil is one that anything fits
	alone bool    // none may hold beside it: oneOf
}

type namedRule struct {
	name string
	rule *rule
}

type patternRule struct {
	pattern jsonschema.Regexp
	rule    *rule
}

// outline is the rules of a schema.
type outline struct {
	root  *rule
	local bool   // each part of the schema can be checked alone: no $dynamicRef looks at what is around it
	free  *reach // of a place without rules
}

func newOutline(root *jsonschema.Schema) *outline {
	b := &outliner{made: make(map[*jsonschema.Schema]*rule)}
	o := &outline{root: b.rule(root), local: true, free: newReach()}
	for s, r := range b.made {
		o.local = o.local && s.DynamicRef == nil && s.RecursiveRef == nil
		for _, k := range eachKind {
			b.reach(r, k)
		}
	}
	for _, s := range placesOf(root) { // those that no rule was made of
		o.local = o.local && s.DynamicRef == nil && s.RecursiveRef == nil
	}
	return o
}

type outliner struct {
	made map[*jsonschema.Schema]*rule
}

// rule makes the rule of a schema; none of one that allows anything.
func (b *outliner) rule(s *jsonschema.Schema) *rule {
	if s == nil || s.Bool != nil && *s.Bool {
		return nil
	}
	if r, ok := b.made[s]; ok {
		return r
	}
	r := &rule{schema: s, kinds: anything, scalarRule: scalarRule{maxLen: -1}, arrayRule: arrayRule{maxItems: -1}}
	r.alone = []*rule{r}
	b.made[s] = r
	if s.Bool != nil {
		r.kinds = 0
		return r
	}
	if s.DraftVersion != 2020 { // the same words say other things
		r.whole = anything
		return r
	}
	r.kinds, r.whole = kindsOf(s), wholeOf(s)
	b.combine(r, s)
	b.scalars(r, s)
	b.object(r, s)
	b.array(r, s)
	if r.whole != 0 || len(r.either) > 0 {
		r.fit = newShape(s)
	}
	return r
}

// kindsOf lists the kinds of values that the keywords about values alone leave.
func kindsOf(s *jsonschema.Schema) kinds {
	k := typesOf(s)
	if s.Enum != nil {
		k &= kindsOfValues(s.Enum.Values)
	}
	if s.Const != nil {
		k &= kindOfValue(*s.Const)
	}
	return k
}

// wholeOf lists the kinds of values of which something can only be told when they are closed, and not from what their
// parts are.
func wholeOf(s *jsonschema.Schema) kinds {
	var k kinds
	if s.Not != nil || s.If != nil || s.DynamicRef != nil || s.RecursiveRef != nil {
		k = anything
	}
	if s.Enum != nil || s.Const != nil {
		k |= aNumber | anArray | anObject // for 1.0 is 1, and members come in any order
	}
	if s.MultipleOf != nil {
		k |= aNumber
	}
	if s.ContentMediaType != nil || s.ContentSchema != nil {
		k |= aString
	}
	if s.MinProperties != nil || s.MaxProperties != nil || len(s.Dependencies) > 0 || len(s.DependentRequired) > 0 ||
		len(s.DependentSchemas) > 0 || s.UnevaluatedProperties != nil {
		k |= anObject
	}
	if s.UniqueItems || s.Contains != nil || s.UnevaluatedItems != nil {
		k |= anArray
	}
	return k
}

func (b *outliner) combine(r *rule, s *jsonschema.Schema) {
	for _, part := range append([]*jsonschema.Schema{s.Ref}, s.AllOf...) {
		if p := b.rule(part); p != nil {
			r.parts = append(r.parts, p)
		}
	}
	for i, list := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(list) == 0 {
			continue
		}
		var rules []*rule
		for _, part := range list {
			rules = append(rules, b.rule(part))
		}
		r.either = append(r.either, choice{rules, i > 0})
	}
}

func (b *outliner) scalars(r *rule, s *jsonschema.Schema) {
	in := &shapes{}
	quick := unbounded()
	in.kinds(quick, s)
	in.strings(quick, s)
	in.numbers(quick, s)
	if !in.beyond {
		r.quick = quick
	}
	b.numbers(r, s)
	if s.MaxLength != nil {
		r.maxLen = *s.MaxLength
	}
	if s.Enum != nil {
		r.chosen = true
		for _, v := range s.Enum.Values {
			if word, ok := v.(string); ok {
				r.words = append(r.words, word)
			}
		}
	}
	if s.Const != nil {
		word, ok := (*s.Const).(string)
		if r.chosen && !slices.Contains(r.words, word) || !ok {
			r.words = nil
		} else {
			r.words = []string{word}
		}
		r.chosen = true
	}
}

// numbers takes the numbers that are listed, if they are integers and there are no other rules for numbers: what is
// written in the same way needs no library.
func (b *outliner) numbers(r *rule, s *jsonschema.Schema) {
	var values []any
	switch {
	case s.Enum != nil && s.Const == nil:
		values = s.Enum.Values
	case s.Const != nil && s.Enum == nil:
		values = []any{*s.Const}
	default:
		return
	}
	if s.Minimum != nil || s.Maximum != nil || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil ||
		s.MultipleOf != nil || s.Not != nil || s.If != nil || s.DynamicRef != nil || s.RecursiveRef != nil {
		return
	}
	var listed []int64
	for _, v := range values {
		if kindOfValue(v)&aNumber == 0 {
			continue
		}
		text, _ := v.(json.Number)
		n, ok := integerOf([]byte(text))
		if !ok {
			return
		}
		listed = append(listed, n)
	}
	r.few, r.listed = true, listed
	r.whole &^= aNumber
}

func (b *outliner) object(r *rule, s *jsonschema.Schema) {
	if len(s.Properties) > 0 {
		r.members = make(map[string]namedRule, len(s.Properties))
	}
	for name, part := range s.Properties {
		r.members[name] = namedRule{name, b.rule(part)}
	}
	for pattern, part := range s.PatternProperties {
		r.patterns = append(r.patterns, patternRule{pattern, b.rule(part)})
	}
	switch others := s.AdditionalProperties.(type) {
	case bool:
		r.closed = !others
	case *jsonschema.Schema:
		if others.Bool != nil && !*others.Bool {
			r.closed = true
			break
		}
		r.others = b.rule(others)
	}
	for _, e := range s.Extensions {
		if check, ok := e.(nameCheck); ok { // in place of propertyNames
			r.names = with(r.names, b.rule(check.schema))
		}
	}
}

func (b *outliner) array(r *rule, s *jsonschema.Schema) {
	for _, part := range s.PrefixItems {
		r.prefix = append(r.prefix, b.rule(part))
	}
	r.items = b.rule(s.Items2020)
	if s.MaxItems != nil {
		r.maxItems = *s.MaxItems
	}
}
