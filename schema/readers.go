package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sub compares what all of the writer's parts allow together with what the reader does.
func (c *comparison) sub(parts []*jsonschema.Schema, r *jsonschema.Schema, path string) {
	for _, w := range c.expand(parts) {
		c.one(w, r, path)
	}
}

// one compares one alternative of what is written.
func (c *comparison) one(w written, r *jsonschema.Schema, path string) {
	if c.steps++; c.steps > mostSteps {
		if len(c.unclear) == 0 { // a trial fails; that there was too much is said in the end
			c.cannotTell(path, "not compared")
		}
		return
	}
	if w.kinds == 0 || r == nil || r.Bool != nil && *r.Bool {
		return
	}
	listed, few := w.values()
	switch {
	case few && len(listed) == 0:
		return
	case r.Bool != nil:
		c.changed(w, path, "allowed", "not allowed")
		return
	case few:
		for _, v := range listed {
			if r.Validate(v) != nil {
				c.gone(w, path, show(v))
			}
		}
		return
	}
	key := w.key() + fmt.Sprintf("|%p", r)
	if c.open[key] {
		return
	}
	c.open[key] = true
	defer delete(c.open, key)
	if slices.ContainsFunc(w.parts, func(s *jsonschema.Schema) bool { return c.same(s, r) }) {
		return
	}
	if r.Ref != nil {
		c.one(w, r.Ref, path)
	}
	for _, part := range r.AllOf {
		c.one(w, part, path)
	}
	if len(r.AnyOf) > 0 {
		c.either(w, r.AnyOf, false, path)
	}
	if len(r.OneOf) > 0 && !c.sameChoice(w, r) {
		c.either(w, r.OneOf, true, path)
	}
	c.own(w, r, path)
}

// own compares the keywords that r has beside those that combine other schemas.
func (c *comparison) own(w written, r *jsonschema.Schema, path string) {
	if left := typesOf(r); w.kinds&^left != 0 {
		c.changed(w, path, w.kinds.String(), left.String())
		if w = w.of(left); w.kinds == 0 {
			return
		}
	}
	if r.Const != nil {
		c.changed(w, path, w.kinds.String(), show(*r.Const))
		return
	}
	if r.Enum != nil {
		c.changed(w, path, w.kinds.String(), oneOf(showAll(r.Enum.Values)))
		return
	}
	if w.kinds&aNumber != 0 {
		c.numbers(w.of(aNumber), r, path)
	}
	if w.kinds&aString != 0 {
		c.strings(w.of(aString), r, path)
	}
	if w.kinds&anArray != 0 {
		c.arrays(w.of(anArray), r, path)
	}
	if w.kinds&anObject != 0 {
		c.objects(w.of(anObject), r, path)
	}
	c.conditions(w, r, path)
}

// sameChoice reports a oneOf that the writer has in the same words.
func (c *comparison) sameChoice(w written, r *jsonschema.Schema) bool {
	return slices.ContainsFunc(w.parts, func(s *jsonschema.Schema) bool { return slices.EqualFunc(s.OneOf, r.OneOf, c.same) })
}

// either compares with a choice, of which a value has to fit one part, or exactly one. All that is written has to fit
// one part as a whole; where it does not, its kinds of values are taken one by one.
func (c *comparison) either(w written, choice []*jsonschema.Schema, exactlyOne bool, path string) {
	if c.fitsOne(w, choice, exactlyOne) {
		return
	}
	if groups := w.kinds.groups(); len(groups) > 1 {
		for _, group := range groups {
			part := w.of(group)
			if values, few := part.values(); few {
				c.listed(part, values, choice, exactlyOne, path)
				continue
			}
			c.either(part, choice, exactlyOne, path)
		}
		return
	}
	if w.kinds == aNumber && c.fitsOne(w.of(anInteger), choice, exactlyOne) && c.fitsOne(w.of(aFraction), choice, exactlyOne) {
		return
	}
	var near []*jsonschema.Schema
	for _, part := range choice {
		if !c.apart(w, part) {
			near = append(near, part)
		}
	}
	switch len(near) {
	case 0:
		c.gone(w, path, w.kinds.String())
	case 1:
		c.one(w, near[0], path)
	default:
		c.cannotTell(path, "%s fits none of the alternatives for certain", w.kinds)
	}
}

// listed compares few values with a choice.
func (c *comparison) listed(w written, values []any, choice []*jsonschema.Schema, exactlyOne bool, path string) {
	for _, v := range values {
		n := 0
		for _, part := range choice {
			if part.Validate(v) == nil {
				n++
			}
		}
		if n == 0 || exactlyOne && n > 1 {
			c.gone(w, path, show(v))
		}
	}
}

func (c *comparison) fitsOne(w written, choice []*jsonschema.Schema, exactlyOne bool) bool {
	for i, part := range choice {
		if !c.fits(w, part) {
			continue
		}
		if !exactlyOne {
			return true
		}
		alone := true
		for j, other := range choice {
			alone = alone && (i == j || c.apart(w, other))
		}
		return alone
	}
	return false
}

// apart reports that certainly no value that is written fits s: it is of another kind, or a property that it always
// has tells it apart.
func (c *comparison) apart(w written, s *jsonschema.Schema) bool {
	if w.kinds&kindsIn(s) == 0 {
		return true
	}
	if w.kinds != anObject {
		return false
	}
	open := []*jsonschema.Schema{s}
	for len(open) > 0 {
		part := open[0]
		open = open[1:]
		if part.Ref != nil {
			open = append(open, part.Ref)
		}
		open = append(open, part.AllOf...)
		for _, name := range part.Required {
			if len(c.expand(w.property(name))) == 0 {
				return true // it is required, and never there
			}
		}
		for name := range part.Properties {
			if w.requires(name) && c.refusesAll(w.property(name), part.Properties[name]) {
				return true
			}
		}
	}
	return false
}

// refusesAll reports that few values are written, and s allows none of them.
func (c *comparison) refusesAll(parts []*jsonschema.Schema, s *jsonschema.Schema) bool {
	for _, w := range c.expand(parts) {
		values, few := w.values()
		if !few || slices.ContainsFunc(values, func(v any) bool { return s.Validate(v) == nil }) {
			return false
		}
	}
	return true
}

// conditions compares keywords that are about whole values in other ways.
func (c *comparison) conditions(w written, r *jsonschema.Schema, path string) {
	has := func(fits func(s *jsonschema.Schema) bool) bool { return slices.ContainsFunc(w.parts, fits) }
	if r.Not != nil && !c.apart(w, r.Not) && !has(func(s *jsonschema.Schema) bool { return c.same(s.Not, r.Not) }) {
		c.cannotTell(path, "what is excluded by not")
	}
	if r.If != nil && !(c.fitsIf(w, r.Then) && c.fitsIf(w, r.Else)) && !has(func(s *jsonschema.Schema) bool {
		return c.same(s.If, r.If) && c.same(s.Then, r.Then) && c.same(s.Else, r.Else)
	}) {
		c.cannotTell(path, "what is asked for by if, then and else")
	}
	if r.DynamicRef != nil || r.RecursiveRef != nil {
		c.cannotTell(path, "what a dynamic reference leads to")
	}
}

func (c *comparison) fitsIf(w written, r *jsonschema.Schema) bool { return r == nil || c.fits(w, r) }

func (c *comparison) numbers(w written, r *jsonschema.Schema, path string) {
	for _, side := range []int{1, -1} {
		words := map[int][3]string{1: {"at least", "more than", "without a lower bound"}, -1: {"at most", "less than", "without an upper bound"}}[side]
		say := func(b *big.Rat, exclusive bool) string {
			switch {
			case b == nil:
				return words[2]
			case exclusive:
				return words[1] + " " + exact(b)
			}
			return words[0] + " " + exact(b)
		}
		has, without := w.bound(side)
		inclusive, exclusive := r.Minimum, r.ExclusiveMinimum
		if side < 0 {
			inclusive, exclusive = r.Maximum, r.ExclusiveMaximum
		}
		if inclusive != nil && (has == nil || has.Cmp(inclusive)*side < 0) {
			c.changed(w, path, say(has, without), say(inclusive, false))
		}
		if exclusive != nil && (has == nil || has.Cmp(exclusive)*side < 0 || has.Cmp(exclusive) == 0 && !without) {
			c.changed(w, path, say(has, without), say(exclusive, true))
		}
	}
	if r.MultipleOf == nil {
		return
	}
	steps := "any number"
	if w.kinds == anInteger {
		if new(big.Rat).Inv(r.MultipleOf).IsInt() {
			return
		}
		steps = "any integer"
	}
	for _, s := range w.parts {
		if s.MultipleOf == nil {
			continue
		}
		if new(big.Rat).Quo(s.MultipleOf, r.MultipleOf).IsInt() {
			return
		}
		steps = "a multiple of " + exact(s.MultipleOf)
	}
	c.changed(w, path, steps, "a multiple of "+exact(r.MultipleOf))
}

func (c *comparison) strings(w written, r *jsonschema.Schema, path string) {
	c.counts(w, path, "character",
		w.least(func(s *jsonschema.Schema) *int { return s.MinLength }), r.MinLength,
		w.most(func(s *jsonschema.Schema) *int { return s.MaxLength }), r.MaxLength)
	has := func(fits func(s *jsonschema.Schema) bool) bool { return slices.ContainsFunc(w.parts, fits) }
	if r.Pattern != nil && !has(func(s *jsonschema.Schema) bool { return s.Pattern != nil && s.Pattern.String() == r.Pattern.String() }) {
		c.form(w, &jsonschema.Schema{DraftVersion: r.DraftVersion, Pattern: r.Pattern}, path, "a string that matches "+r.Pattern.String())
	}
	if r.Format != nil && !has(func(s *jsonschema.Schema) bool { return s.Format != nil && s.Format.Name == r.Format.Name }) {
		c.form(w, &jsonschema.Schema{DraftVersion: r.DraftVersion, Format: r.Format}, path, formatName(r.Format.Name))
	}
	if r.ContentEncoding != nil && !has(func(s *jsonschema.Schema) bool {
		return s.ContentEncoding != nil && s.ContentEncoding.Name == r.ContentEncoding.Name
	}) {
		c.form(w, &jsonschema.Schema{DraftVersion: r.DraftVersion, ContentEncoding: r.ContentEncoding}, path, "in "+r.ContentEncoding.Name)
	}
	if r.ContentMediaType != nil && !has(func(s *jsonschema.Schema) bool {
		return s.ContentMediaType != nil && s.ContentMediaType.Name == r.ContentMediaType.Name && c.same(s.ContentSchema, r.ContentSchema)
	}) {
		c.cannotTell(path, "what a string holds in the form %s", r.ContentMediaType.Name)
	}
}

// form compares what is written with a form of strings that the writer does not name. Where one of a few strings shows
// that it is not always kept to, that is certain.
func (c *comparison) form(w written, only *jsonschema.Schema, path, reads string) {
	for _, sample := range []string{"", "a", "A1", "0", " ", "é", "-", "2026-01-31", "x@example.com"} {
		if w.allows(sample) && only.Validate(sample) != nil {
			c.changed(w, path, "a string in other forms such as "+show(sample), reads)
			return
		}
	}
	c.cannotTell(path, "whether each string is %s", reads)
}

// counts compares bounds of how many there are of something; most is -1 for no bound.
func (c *comparison) counts(w written, path, what string, least int, atLeast *int, most int, atMost *int) {
	if atLeast != nil && least < *atLeast {
		c.changed(w, path, fmt.Sprintf("at least %s", count(least, what)), fmt.Sprintf("at least %s", count(*atLeast, what)))
	}
	if atMost == nil || most >= 0 && most <= *atMost {
		return
	}
	writes := fmt.Sprintf("any number of %s", strings.TrimPrefix(count(2, what), "2 "))
	if most >= 0 {
		writes = fmt.Sprintf("at most %s", count(most, what))
	}
	c.changed(w, path, writes, fmt.Sprintf("at most %s", count(*atMost, what)))
}

func (c *comparison) arrays(w written, r *jsonschema.Schema, path string) {
	most := w.most(func(s *jsonschema.Schema) *int { return s.MaxItems })
	c.counts(w, path, "item",
		w.least(func(s *jsonschema.Schema) *int { return s.MinItems }), r.MinItems, most, r.MaxItems)
	has := func(fits func(s *jsonschema.Schema) bool) bool { return slices.ContainsFunc(w.parts, fits) }
	if r.UniqueItems && (most < 0 || most > 1) && !has(func(s *jsonschema.Schema) bool { return s.UniqueItems }) {
		c.changed(w, path, "items that may be equal", "items that differ")
	}
	if r.Contains != nil && !has(func(s *jsonschema.Schema) bool {
		return c.same(s.Contains, r.Contains) && equalInts(s.MinContains, r.MinContains) && equalInts(s.MaxContains, r.MaxContains)
	}) {
		c.cannotTell(path, "what the items contain")
	}
	if r.UnevaluatedItems != nil || r.Items != nil || r.AdditionalItems != nil {
		c.cannotTell(path, "items, by keywords of another draft or by unevaluatedItems")
	}
	c.around(w, func() {
		longest := len(r.PrefixItems)
		for _, s := range w.parts {
			longest = max(longest, len(s.PrefixItems))
		}
		for i := range longest {
			inner := r.Items2020
			if i < len(r.PrefixItems) {
				inner = r.PrefixItems[i]
			}
			if most < 0 || i < most {
				c.sub(w.item(i), inner, fmt.Sprintf("%s/%d", path, i))
			}
		}
		if most < 0 || longest < most {
			c.sub(w.item(longest), r.Items2020, path+"/*")
		}
	})
}

// around compares what is inside of w: where w is hazy, so is that.
func (c *comparison) around(w written, inside func()) {
	if w.hazy {
		c.hazy++
		defer func() { c.hazy-- }()
	}
	inside()
}

func equalInts(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }
