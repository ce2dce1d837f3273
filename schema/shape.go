package schema

import (
	"encoding/base64"
	"math"
	"math/big"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// shape is a schema in a form that can be checked while reading JSON, without decoding it. It only ever says yes: a
// value that it accepts is valid JSON that the schema allows and that encoding/json takes for the type it was derived
// from. In every case of doubt (an escape in a name, a number at a bound, any error) it says no, and the full check
// decides and explains.
type shape struct {
	all  []*shape // must accept too
	any  []*shape // one of them must accept, where there are any
	bare bool     // asks for nothing beside all and any

	kinds kinds
	textShape
	numberShape
	objectShape
	arrayShape
}

// textShape is what a shape asks of strings.
type textShape struct {
	words          []string // allowed ones; nil for all
	literals       []string // of true, false and null: the allowed ones, where words are given
	format         func(any) error
	strictTime     bool
	pattern        jsonschema.Regexp
	base64         bool
	minLen, maxLen int // characters; maxLen < 0 for no bound
}

// numberShape is what a shape asks of numbers. Bounds are inclusive for integers; other numbers are accepted only between
// them.
type numberShape struct {
	least, most  int64
	above, below float64
}

// objectShape is what a shape asks of objects.
type objectShape struct {
	members  []property
	required uint64 // bits of members
	others   *shape // of members that are not listed; nil when there may be none
}

// arrayShape is what a shape asks of arrays.
type arrayShape struct {
	items              *shape
	minItems, maxItems int // maxItems < 0 for no bound
}

type property struct {
	name  string
	shape *shape
}

// newShape returns nil for a schema that uses anything beyond what a shape can say.
func newShape(root *jsonschema.Schema) *shape {
	b := &shapes{made: make(map[*jsonschema.Schema]*shape)}
	s := b.shape(root)
	if b.beyond {
		return nil
	}
	return s
}

type shapes struct {
	made   map[*jsonschema.Schema]*shape
	beyond bool
}

func (b *shapes) shape(s *jsonschema.Schema) *shape {
	if done, ok := b.made[s]; ok {
		return done
	}
	if onlyRefers(s) {
		return b.shape(s.Ref)
	}
	sh := unbounded()
	b.made[s] = sh
	if s.Bool != nil {
		if *s.Bool {
			sh.open()
		}
		return sh
	}
	if s.DraftVersion != 2020 || usesMore(s) {
		b.beyond = true
		return sh
	}
	if s.Ref != nil {
		sh.all = append(sh.all, b.shape(s.Ref))
	}
	for _, part := range s.AllOf {
		sh.all = append(sh.all, b.shape(part))
	}
	for _, part := range s.AnyOf {
		sh.any = append(sh.any, b.shape(part))
	}
	if asksNothing(s) && len(sh.all)+len(sh.any) > 0 {
		sh.bare = true
		return sh
	}
	b.kinds(sh, s)
	b.strings(sh, s)
	b.numbers(sh, s)
	b.objects(sh, s)
	b.arrays(sh, s)
	return sh
}

// unbounded is a shape without bounds, which accepts nothing yet.
func unbounded() *shape {
	return &shape{
		textShape:   textShape{maxLen: -1},
		numberShape: numberShape{least: math.MinInt64, most: math.MaxInt64, above: -maxPlain, below: maxPlain},
		arrayShape:  arrayShape{maxItems: -1},
	}
}

// open makes sh accept all JSON.
func (sh *shape) open() { sh.kinds, sh.others, sh.items = anything, sh, sh }

// onlyRefers reports a schema that is nothing but a reference (and descriptions).
func onlyRefers(s *jsonschema.Schema) bool {
	return s.Ref != nil && s.DraftVersion == 2020 && len(s.AllOf) == 0 && len(s.AnyOf) == 0 && asksNothing(s) && !usesMore(s)
}

// asksNothing reports a schema without keywords of its own, but for those that combine others.
func asksNothing(s *jsonschema.Schema) bool {
	return s.Types == nil && s.Enum == nil && s.Const == nil && s.Format == nil && s.Pattern == nil &&
		s.MinLength == nil && s.MaxLength == nil && s.ContentEncoding == nil &&
		s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil &&
		s.Properties == nil && s.AdditionalProperties == nil && s.Required == nil &&
		s.Items2020 == nil && s.MinItems == nil && s.MaxItems == nil
}

// usesMore reports keywords that a shape does not know.
func usesMore(s *jsonschema.Schema) bool {
	return s.RecursiveRef != nil || s.DynamicRef != nil || s.Not != nil || len(s.OneOf) > 0 || s.If != nil ||
		s.MaxProperties != nil || s.MinProperties != nil || s.PropertyNames != nil || len(s.PatternProperties) > 0 ||
		len(s.Dependencies) > 0 || len(s.DependentRequired) > 0 || len(s.DependentSchemas) > 0 ||
		s.UnevaluatedProperties != nil || s.UniqueItems || s.Contains != nil || len(s.PrefixItems) > 0 ||
		s.UnevaluatedItems != nil || s.ContentMediaType != nil || s.ContentSchema != nil || s.MultipleOf != nil ||
		len(s.Extensions) > 0 || len(s.Properties) > 64
}

func (b *shapes) kinds(sh *shape, s *jsonschema.Schema) {
	sh.kinds = typesOf(s)
	if s.Enum != nil {
		b.choices(sh, s.Enum.Values)
	}
	if s.Const != nil {
		if s.Enum != nil {
			b.beyond = true
		}
		b.choices(sh, []any{*s.Const})
	}
}

// choices notes the allowed strings, booleans and null. Other allowed values are left to the full check.
func (b *shapes) choices(sh *shape, values []any) {
	sh.words = []string{}
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			sh.literals = append(sh.literals, "null")
		case bool:
			sh.literals = append(sh.literals, map[bool]string{true: "true", false: "false"}[v])
		case string:
			sh.words = append(sh.words, v)
		}
	}
	sh.kinds &= aNull | aBoolean | aString
}

func (b *shapes) strings(sh *shape, s *jsonschema.Schema) {
	if s.Format != nil {
		sh.format = s.Format.Validate
		sh.strictTime = s.Format.Name == "date-time"
	}
	sh.pattern = s.Pattern
	if s.MinLength != nil {
		sh.minLen = *s.MinLength
	}
	if s.MaxLength != nil {
		sh.maxLen = *s.MaxLength
	}
	if s.ContentEncoding != nil {
		if s.ContentEncoding.Name != "base64" {
			b.beyond = true
		}
		sh.base64 = true
	}
}

// maxPlain bounds the numbers that are accepted without looking closer: all of them fit a float32.
const maxPlain = 1e30

func (b *shapes) numbers(sh *shape, s *jsonschema.Schema) {
	if s.Minimum != nil {
		b.from(sh, s.Minimum, 0)
	}
	if s.ExclusiveMinimum != nil {
		b.from(sh, s.ExclusiveMinimum, 1)
	}
	if s.Maximum != nil {
		b.upTo(sh, s.Maximum, 0)
	}
	if s.ExclusiveMaximum != nil {
		b.upTo(sh, s.ExclusiveMaximum, 1)
	}
}

// from sets a lower bound, raised by step for integers. A bound that no int64 can say stops integers altogether: the
// full check decides on them.
func (b *shapes) from(sh *shape, bound *big.Rat, step int64) {
	f, _ := bound.Float64()
	sh.above = max(sh.above, f)
	switch n := bound.Num(); {
	case bound.IsInt() && n.IsInt64() && n.Int64() < math.MaxInt64:
		sh.least = max(sh.least, n.Int64()+step)
	case bound.IsInt() && !n.IsInt64() && n.Sign() < 0: // below every int64
	default:
		sh.least, sh.most = 1, 0
	}
}

func (b *shapes) upTo(sh *shape, bound *big.Rat, step int64) {
	f, _ := bound.Float64()
	sh.below = min(sh.below, f)
	switch n := bound.Num(); {
	case bound.IsInt() && n.IsInt64() && n.Int64() > math.MinInt64:
		sh.most = min(sh.most, n.Int64()-step)
	case bound.IsInt() && !n.IsInt64() && n.Sign() > 0: // above every int64
	default:
		sh.least, sh.most = 1, 0
	}
}

func (b *shapes) objects(sh *shape, s *jsonschema.Schema) {
	index := make(map[string]int)
	for _, name := range sortedKeys(s.Properties) {
		index[name] = len(sh.members)
		sh.members = append(sh.members, property{name, b.shape(s.Properties[name])})
	}
	switch extra := s.AdditionalProperties.(type) {
	case nil:
		sh.others = b.anything()
	case bool:
		if extra {
			sh.others = b.anything()
		}
	case *jsonschema.Schema:
		sh.others = b.shape(extra)
	}
	for _, name := range s.Required {
		i, ok := index[name]
		if !ok {
			b.beyond = true // required, but of no known shape
			return
		}
		sh.required |= 1 << i
	}
}

func (b *shapes) arrays(sh *shape, s *jsonschema.Schema) {
	sh.items = b.anything()
	if s.Items2020 != nil {
		sh.items = b.shape(s.Items2020)
	}
	if s.MinItems != nil {
		sh.minItems = *s.MinItems
	}
	if s.MaxItems != nil {
		sh.maxItems = *s.MaxItems
	}
}

func (b *shapes) anything() *shape {
	sh := unbounded()
	sh.open()
	return sh
}

// text reports whether a string's content is allowed. The content is as it stands between the quotes.
func (sh *shape) text(raw []byte, plain bool) bool {
	if sh.free() {
		return true
	}
	if !plain {
		return false
	}
	if sh.words != nil && !sh.word(raw) {
		return false
	}
	if sh.minLen > 0 || sh.maxLen >= 0 {
		n := utf8.RuneCount(raw)
		if n < sh.minLen || (sh.maxLen >= 0 && n > sh.maxLen) {
			return false
		}
	}
	if sh.base64 && !isBase64(raw) {
		return false
	}
	if sh.format == nil && sh.pattern == nil {
		return true
	}
	if !utf8.Valid(raw) {
		return false
	}
	s := string(raw)
	if sh.strictTime && new(time.Time).UnmarshalText(raw) != nil {
		return false
	}
	if sh.format != nil && sh.format(s) != nil {
		return false
	}
	return sh.pattern == nil || sh.pattern.MatchString(s)
}

// free reports whether any string will do.
func (sh *shape) free() bool {
	return sh.words == nil && sh.format == nil && sh.pattern == nil && !sh.base64 && sh.minLen <= 0 && sh.maxLen < 0
}

func (sh *shape) word(raw []byte) bool {
	return slices.Contains(sh.words, string(raw)) && utf8.Valid(raw)
}

func isBase64(raw []byte) bool {
	n := len(raw) / 4 * 3
	var small [256]byte
	into := small[:]
	if n > len(small) {
		into = make([]byte, n)
	}
	_, err := base64.StdEncoding.Decode(into, raw)
	return err == nil
}

func (sh *shape) literal(text string) bool {
	return sh.words == nil || slices.Contains(sh.literals, text)
}
