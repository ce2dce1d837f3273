package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sort"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// kindsIn are the kinds of values that a schema may allow, with all that it refers to.
func kindsIn(s *jsonschema.Schema) kinds {
	f := typesOf(s)
	if values := listedIn(s); values != nil {
		f &= kindsOfValues(values)
	}
	if s.Ref != nil {
		f &= kindsIn(s.Ref)
	}
	for _, part := range s.AllOf {
		f &= kindsIn(part)
	}
	for _, either := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		var some kinds
		for _, part := range either {
			some |= kindsIn(part)
		}
		if len(either) > 0 {
			f &= some
		}
	}
	return f
}

// written is what a writer may write at a place: what all parts allow together, of some kinds. There are no
// alternatives left in it but in parts that are kept for checking values.
type written struct {
	parts []*jsonschema.Schema
	kinds kinds
	hazy  bool // the parts ask for more than is looked at: less may be written than it seems
}

// expand lists what may be written under all the given schemas together: one for each alternative.
func (c *comparison) expand(parts []*jsonschema.Schema) []written {
	budget := 256 // of alternatives; beyond it they are not told apart
	var expand func(w written, open []*jsonschema.Schema, choices [][]*jsonschema.Schema) []written
	expand = func(w written, open []*jsonschema.Schema, choices [][]*jsonschema.Schema) []written {
		for len(open) > 0 {
			s := open[0]
			open = open[1:]
			if s == nil || slices.Contains(w.parts, s) {
				continue
			}
			w.kinds &= typesOf(s)
			if s.Bool != nil {
				continue
			}
			if !asksNothing(s) || usesMore(s) { // else it is the parts that ask
				w.parts = append(slices.Clip(w.parts), s)
			}
			w.hazy = w.hazy || isHazy(s)
			open = append(append(slices.Clip(open), s.Ref), s.AllOf...)
			for _, either := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
				if len(either) > 0 {
					choices = append(slices.Clip(choices), either)
				}
			}
		}
		if w.kinds == 0 {
			return nil
		}
		if len(choices) == 0 {
			return []written{w}
		}
		if budget -= len(choices[0]); budget < 0 {
			w.hazy = true
			return []written{w}
		}
		var all []written
		for _, part := range choices[0] {
			all = append(all, expand(w, []*jsonschema.Schema{part}, choices[1:])...)
		}
		return all
	}
	return expand(written{kinds: anything}, parts, nil)
}

// isHazy reports keywords that are not looked at on the writer's side.
func isHazy(s *jsonschema.Schema) bool {
	return s.Not != nil || s.If != nil || s.DynamicRef != nil || s.RecursiveRef != nil || s.Contains != nil ||
		s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil || s.Items != nil || s.AdditionalItems != nil ||
		len(s.Dependencies) > 0 || len(s.DependentRequired) > 0 || len(s.DependentSchemas) > 0
}

func (w written) of(kinds kinds) written {
	w.kinds &= kinds
	return w
}

// key names what is written, for as long as the compiled schemas are there.
func (w written) key() string {
	keys := make([]string, len(w.parts))
	for i, s := range w.parts {
		keys[i] = fmt.Sprintf("%p", s)
	}
	slices.Sort(keys)
	return fmt.Sprint(w.kinds, slices.Compact(keys))
}

// mostListed is how many integers between two bounds are gone through one by one.
const mostListed = 100

// values lists all that may be written, where that is known to be few.
func (w written) values() (all []any, few bool) {
	var candidates []any
	switch listed := w.listed(); {
	case listed != nil:
		candidates = listed
	case w.kinds&^(aNull|aBoolean) == 0:
		candidates = []any{nil, false, true}
	case w.kinds == anInteger:
		low, _ := w.bound(1)
		high, _ := w.bound(-1)
		if low == nil || high == nil {
			return nil, false
		}
		if n := new(big.Rat).Sub(high, low); n.Cmp(big.NewRat(mostListed, 1)) > 0 {
			return nil, false
		}
		for n := new(big.Rat).Set(low); n.Cmp(high) <= 0; n.Add(n, big.NewRat(1, 1)) {
			candidates = append(candidates, json.Number(n.RatString()))
		}
	default:
		return nil, false
	}
	for _, v := range candidates {
		if w.allows(v) {
			all = append(all, v)
		}
	}
	return all, true
}

// listed are the values of one of the parts that lists them.
func (w written) listed() []any {
	for _, s := range w.parts {
		if values := listedIn(s); values != nil {
			return values
		}
	}
	return nil
}

func listedIn(s *jsonschema.Schema) []any {
	switch {
	case s.Const != nil:
		return []any{*s.Const}
	case s.Enum != nil:
		return s.Enum.Values
	}
	return nil
}

// allows checks one value.
func (w written) allows(v any) bool {
	if w.kinds&kindOfValue(v) == 0 {
		return false
	}
	return !slices.ContainsFunc(w.parts, func(s *jsonschema.Schema) bool { return s.Validate(v) != nil })
}

// bound is the lower bound of numbers, where side is 1, or the upper one, where it is -1; nil for none. For integers
// it is one that is allowed itself.
func (w written) bound(side int) (bound *big.Rat, exclusive bool) {
	take := func(b *big.Rat, ex bool) {
		if b == nil {
			return
		}
		if bound == nil || b.Cmp(bound)*side > 0 || b.Cmp(bound) == 0 && ex {
			bound, exclusive = b, ex
		}
	}
	for _, s := range w.parts {
		if side > 0 {
			take(s.Minimum, false)
			take(s.ExclusiveMinimum, true)
		} else {
			take(s.Maximum, false)
			take(s.ExclusiveMaximum, true)
		}
	}
	if bound == nil || w.kinds&aFraction != 0 {
		return bound, exclusive
	}
	// The next integer on the inner side: with a side of -1 all is mirrored.
	mirrored := new(big.Rat).Mul(bound, big.NewRat(int64(side), 1))
	floor := new(big.Int).Div(mirrored.Num(), mirrored.Denom()) // rounds down: the denominator is positive
	if exclusive || !mirrored.IsInt() {
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(floor), big.NewRat(int64(side), 1)), false
}

// least is the highest of what the parts give, or 0.
func (w written) least(of func(s *jsonschema.Schema) *int) int {
	least := 0
	for _, s := range w.parts {
		if n := of(s); n != nil {
			least = max(least, *n)
		}
	}
	return least
}

// most is the lowest of what the parts give, or -1 for no bound.
func (w written) most(of func(s *jsonschema.Schema) *int) int {
	most := -1
	for _, s := range w.parts {
		if n := of(s); n != nil && (most < 0 || *n < most) {
			most = *n
		}
	}
	return most
}

func (w written) requires(name string) bool {
	return slices.ContainsFunc(w.parts, func(s *jsonschema.Schema) bool { return slices.Contains(s.Required, name) })
}

// item gives the schemas of the item at an index.
func (w written) item(i int) (all []*jsonschema.Schema) {
	for _, s := range w.parts {
		if i < len(s.PrefixItems) {
			all = append(all, s.PrefixItems[i])
		} else if s.Items2020 != nil {
			all = append(all, s.Items2020)
		}
	}
	return all
}

func (w written) property(name string) (all []*jsonschema.Schema) {
	for _, s := range w.parts {
		all = append(all, propertyOf(s, name)...)
	}
	return all
}

// matching gives the schemas of properties that no part names: those that match a pattern of the writer's, or none of
// them, for "". Where a part has other patterns, one of them matches, or none.
func (w written) matching(pattern string) (all []*jsonschema.Schema) {
	for _, s := range w.parts {
		var own *jsonschema.Schema
		for p, inner := range s.PatternProperties {
			if pattern != "" && p.String() == pattern {
				own = inner
			}
		}
		switch {
		case own != nil:
			all = append(all, own)
		case pattern == "" || len(s.PatternProperties) == 0:
			all = append(all, additional(s))
		default:
			some := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{orAnything(additional(s))}}
			for _, p := range patterns(s) {
				some.AnyOf = append(some.AnyOf, s.PatternProperties[p])
			}
			all = append(all, some)
		}
	}
	return all
}

func orAnything(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		yes := true
		return &jsonschema.Schema{Bool: &yes}
	}
	return s
}

// propertyOf gives the schemas that s has for a property.
func propertyOf(s *jsonschema.Schema, name string) (all []*jsonschema.Schema) {
	if inner := s.Properties[name]; inner != nil {
		all = append(all, inner)
	}
	for _, pattern := range patterns(s) {
		if pattern.MatchString(name) {
			all = append(all, s.PatternProperties[pattern])
		}
	}
	if len(all) == 0 {
		all = append(all, additional(s))
	}
	return all
}

func patterns(s *jsonschema.Schema) []jsonschema.Regexp {
	var all []jsonschema.Regexp
	for p := range s.PatternProperties {
		all = append(all, p)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].String() < all[j].String() }) // slices.SortFunc would be compiled for the type (ADR 060)
	return all
}

// additional is the schema of properties that are not listed; nil where anything goes.
func additional(s *jsonschema.Schema) *jsonschema.Schema {
	switch extra := s.AdditionalProperties.(type) {
	case bool:
		if !extra {
			return &jsonschema.Schema{Bool: &extra}
		}
	case *jsonschema.Schema:
		return extra
	}
	return nil
}
