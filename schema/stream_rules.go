package schema

import (
	"math/bits"
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

	kinds  kinds     // of values that may be valid
	whole  kinds     // of values that have to be checked as a whole
	fit    *shape    // accepts most good ones of these; nil when the library has to be asked
	parts  []*rule   // $ref and allOf: they hold too
	either [][]*rule // anyOf and oneOf: of each list one holds

	// Strings, numbers and literals: closed ones are valid where quick says so, and checked by the library where it
	// does not.
	quick  *shape
	chosen bool     // the only strings allowed are words
	words  []string // open ones must begin one of them
	maxLen int      // characters; < 0 for no bound

	// Objects.
	members  map[string]namedRule
	patterns []patternRule
	others   *rule   // of members not named above; nil for anything
	closed   bool    // there are no others
	names    []*rule // of the names themselves

	// Arrays.
	prefix   []*rule
	items    *rule // behind the prefix; nil for anything
	maxItems int   // < 0 for no bound

	reaches [6]*reach // by kind
}

type namedRule struct {
	name string
	rule *rule
}

type patternRule struct {
	pattern jsonschema.Regexp
	rule    *rule
}

// reach is all that applies to a value of one kind at a place. The kind, which is known from the first character, often
// settles an anyOf: of a schema or null, say, only the schema is left where an object begins.
type reach struct {
	never  bool       // no value of this kind can be valid
	rules  []*rule    // each of these holds
	whole  []*rule    // what must be checked when the value is closed, with the library
	either [][]*reach // of strings: lists of which one must go on to fit

	free     bool // any string will do
	watched  bool // an open string may turn out not to fit
	maxLen   int  // least of the rules'; < 0 for no bound
	maxItems int  // likewise
	tuple    int  // items with rules of their own
}

// outline is the rules of a schema.
type outline struct {
	root  *rule
	local bool // each part of the schema can be checked alone: no $dynamicRef looks at what is around it
}

func newOutline(root *jsonschema.Schema) *outline {
	b := &outliner{made: make(map[*jsonschema.Schema]*rule)}
	o := &outline{root: b.rule(root), local: true}
	for s, r := range b.made {
		o.local = o.local && s.DynamicRef == nil && s.RecursiveRef == nil
		for i := range r.reaches {
			b.reach(r, kinds(1)<<i)
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
	r := &rule{schema: s, kinds: anything, maxLen: -1, maxItems: -1}
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
	k := anything
	if s.Types != nil && !s.Types.IsEmpty() {
		k = 0
		for _, name := range s.Types.ToStrings() {
			k |= kindOf[name]
		}
	}
	if s.Enum != nil {
		var listed kinds
		for _, v := range s.Enum.Values {
			listed |= kindOfValue(v)
		}
		k &= listed
	}
	if s.Const != nil {
		k &= kindOfValue(*s.Const)
	}
	return k
}

func kindOfValue(v any) kinds {
	switch v.(type) {
	case nil:
		return aNull
	case bool:
		return aBoolean
	case string:
		return aString
	case []any:
		return anArray
	case map[string]any:
		return anObject
	}
	return aNumber
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
	for _, list := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(list) == 0 {
			continue
		}
		var rules []*rule
		for _, part := range list {
			rules = append(rules, b.rule(part)) // nil too: that one always holds
		}
		r.either = append(r.either, rules)
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

// reach works out what a rule means for values of one kind.
func (b *outliner) reach(r *rule, k kinds) *reach {
	at := &r.reaches[bits.TrailingZeros8(uint8(k))]
	if *at == nil {
		x := newReach()
		*at = x
		b.collect(x, r, k)
		x.conclude()
	}
	return *at
}

func newReach() *reach { return &reach{maxLen: -1, maxItems: -1} }

// collect adds a rule to what applies, and what follows from it for a value of kind k. No schema leads back to itself
// without going down into the value (see selfReference), so this ends.
func (b *outliner) collect(x *reach, r *rule, k kinds) {
	if slices.Contains(x.rules, r) {
		return
	}
	x.rules = append(x.rules, r)
	x.never = x.never || r.kinds&k == 0
	whole := r.whole&k != 0
	for _, part := range r.parts {
		b.collect(x, part, k)
	}
	for _, list := range r.either {
		var left []*reach
		var only *rule
		for _, one := range list {
			if one == nil {
				left = append(left, &reach{free: true})
			} else if y := b.reach(one, k); !y.never {
				left, only = append(left, y), one
			}
		}
		switch {
		case len(left) == 0:
			x.never = true
		case len(left) == 1 && only != nil:
			b.collect(x, only, k)
		default:
			whole = true
			if !slices.ContainsFunc(left, func(y *reach) bool { return !y.watched }) {
				x.either = append(x.either, left)
			}
		}
	}
	if whole {
		x.whole = append(x.whole, r)
	}
}

// conclude sums up what the rules say.
func (x *reach) conclude() {
	x.free = len(x.whole) == 0
	for _, r := range x.rules {
		x.maxLen = least(x.maxLen, r.maxLen)
		x.maxItems = least(x.maxItems, r.maxItems)
		x.tuple = max(x.tuple, len(r.prefix))
		x.free = x.free && r.quick != nil && r.quick.kinds&aString != 0 && r.quick.free()
		x.watched = x.watched || r.chosen
	}
	x.watched = x.watched || x.maxLen >= 0 || len(x.either) > 0
}

func least(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// reachOf is what several rules together mean for a value of kind k; nil where there are none.
func reachOf(rules []*rule, k kinds) *reach {
	switch len(rules) {
	case 0:
		return nil
	case 1:
		return rules[0].reaches[bits.TrailingZeros8(uint8(k))]
	}
	x := newReach()
	for _, r := range rules {
		one := r.reaches[bits.TrailingZeros8(uint8(k))]
		x.never = x.never || one.never
		x.rules = append(x.rules, one.rules...)
		x.whole = append(x.whole, one.whole...)
		x.either = append(x.either, one.either...)
	}
	x.conclude()
	return x
}

// certain reports whether a closed scalar certainly fits. The text is that of a string, or else its JSON.
func (x *reach) certain(k kinds, text []byte) bool {
	if x.never || len(x.whole) > 0 {
		return false
	}
	for _, r := range x.rules {
		q := r.quick
		if q == nil || q.kinds&k == 0 {
			return false
		}
		var ok bool
		switch k {
		case aString:
			ok = q.text(text, true)
		case aNumber:
			ok = (&reader{text}).number(q, 0) == len(text)
		default:
			ok = q.literal(string(text))
		}
		if !ok {
			return false
		}
	}
	return true
}

// begun reports whether an open string may still become one that fits. Of what it finds wrong it names the rule, or
// none where it is several alternatives that say no.
func (x *reach) begun(text []byte, length int) (by *rule, ok bool) {
	for _, r := range x.rules {
		if r.maxLen >= 0 && length > r.maxLen {
			return r, false
		}
		if r.chosen && !slices.ContainsFunc(r.words, func(word string) bool { return beginsWith(word, text) }) {
			return r, false
		}
	}
	for _, list := range x.either {
		if !slices.ContainsFunc(list, func(y *reach) bool {
			_, ok := y.begun(text, length)
			return ok
		}) {
			return nil, false
		}
	}
	return nil, true
}

func beginsWith(word string, text []byte) bool {
	return len(word) >= len(text) && word[:len(text)] == string(text)
}

// member finds the rules of a member of an object, its name without memory of its own where a rule knows it, and the
// rule that does not allow it.
func (x *reach) member(name []byte) (rules []*rule, known string, against *rule) {
	if x == nil {
		return nil, "", nil
	}
	for _, r := range x.rules {
		listed := false
		if m, ok := r.members[string(name)]; ok {
			listed, known = true, m.name
			rules = with(rules, m.rule)
		}
		for _, p := range r.patterns {
			if p.pattern.MatchString(string(name)) {
				listed = true
				rules = with(rules, p.rule)
			}
		}
		switch {
		case listed:
		case r.closed:
			against = r
		default:
			rules = with(rules, r.others)
		}
	}
	return rules, known, against
}

// item finds the rules of an item of an array.
func (x *reach) item(i int) (rules []*rule) {
	if x == nil {
		return nil
	}
	for _, r := range x.rules {
		if i < len(r.prefix) {
			rules = with(rules, r.prefix[i])
		} else {
			rules = with(rules, r.items)
		}
	}
	return rules
}

func with(rules []*rule, r *rule) []*rule {
	switch {
	case r == nil || slices.Contains(rules, r):
		return rules
	case rules == nil:
		return r.alone
	}
	return append(slices.Clip(rules), r)
}
