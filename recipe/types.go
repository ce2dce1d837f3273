package recipe

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/fermata-go/fermata/internal/nearest"
)

// kinds is a set of kinds of JSON values.
type kinds uint8

const (
	nullKind kinds = 1 << iota
	boolKind
	wholeKind    // a number that is written as an integer
	fractionKind // any other number
	textKind
	listKind
	objectKind

	numberKind = wholeKind | fractionKind
	allKinds   = nullKind | boolKind | numberKind | textKind | listKind | objectKind
)

var kindNames = []struct {
	kinds kinds
	name  string
}{
	{textKind, "a text"},
	{numberKind, "a number"},
	{wholeKind, "a whole number"},
	{fractionKind, "a fraction"},
	{boolKind, "a boolean"},
	{listKind, "a list"},
	{objectKind, "an object"},
	{nullKind, "null"},
}

func (k kinds) String() string {
	var words []string
	for _, n := range kindNames {
		if n.kinds != 0 && k&n.kinds == n.kinds {
			words = append(words, n.name)
			k &^= n.kinds
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return oneOf(words)
}

// valueType is what the file says of a value. It is immutable: types share their parts.
type valueType struct {
	kinds   kinds                 // the value is of one of these
	open    bool                  // not all that is said here need be possible: the file does not say it exactly
	missing bool                  // it may not be there
	values  []any                 // all that it may be, where that is a few scalars; nil for any of its kinds
	fields  map[string]*valueType // of an object
	rest    *valueType            // its other members; nil for none
	items   *valueType            // of a list
	least   int                   // how many items a list has at least
}

// Types that say little.
var (
	anything = newAnything()                                                            // the file does not say
	anyInput = &valueType{kinds: allKinds, open: true, rest: anything, items: anything} // nor does it of an input, which only whoever starts the run can bring
	absent   = &valueType{missing: true}
)

func newAnything() *valueType {
	t := &valueType{kinds: allKinds, open: true}
	t.rest, t.items = t, t
	return t
}

func plain(k kinds) *valueType {
	return &valueType{kinds: k, rest: anything, items: anything}
}

func listOf(items *valueType) *valueType { return &valueType{kinds: listKind, items: items} }

func keysOf(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// maxValues is how many values a type lists.
const maxValues = 64

// maxTypeDepth bounds how deep types are followed.
const maxTypeDepth = 8

// typeOfValues is the type of a value that is one of these.
func typeOfValues(values ...any) *valueType {
	t := &valueType{rest: anything, items: anything, values: []any{}}
	for _, v := range values {
		k := kindOfValue(v)
		t.kinds |= k
		if k&(listKind|objectKind) != 0 || len(t.values) >= maxValues {
			t.values = nil
		}
		if t.values != nil && !slices.Contains(t.values, v) {
			t.values = append(t.values, v)
		}
	}
	return t
}

func kindOfValue(v any) kinds {
	switch v := v.(type) {
	case nil:
		return nullKind
	case bool:
		return boolKind
	case string:
		return textKind
	case json.Number:
		if _, err := strconv.Atoi(v.String()); err == nil {
			return wholeKind
		}
		return fractionKind
	case []any:
		return listKind
	}
	return objectKind
}

// optional is the type of a value that may not be there.
func (t *valueType) optional() *valueType { return t.with(func(u *valueType) { u.missing = true }) }

// present is the type of a value that is there.
func (t *valueType) present() *valueType { return t.with(func(u *valueType) { u.missing = false }) }

// orNull is the type where nothing is read as null.
func (t *valueType) orNull() *valueType {
	return t.with(func(u *valueType) {
		if u.missing {
			u.kinds |= nullKind
			u.missing = false
			if u.values != nil && !slices.Contains(u.values, nil) {
				u.values = append(slices.Clone(u.values), nil)
			}
		}
	})
}

// notNull is the type of a value that is there and is not null.
func (t *valueType) notNull() *valueType {
	return t.with(func(u *valueType) {
		u.missing = false
		u.kinds &^= nullKind
		if i := slices.Index(u.values, nil); i >= 0 {
			u.values = slices.Delete(slices.Clone(u.values), i, i+1)
		}
	})
}

func (t *valueType) with(change func(*valueType)) *valueType {
	u := *t
	change(&u)
	if u.same(t) {
		return t
	}
	return &u
}

// never says whether the value is of none of the kinds, whatever happens.
func (t *valueType) never(k kinds) bool { return t.kinds&k == 0 && t.kinds != 0 }

// may says whether the file allows a value of none of the kinds.
func (t *valueType) may(other kinds) bool { return t.never(other) || !t.open && t.kinds&^other != 0 }

// member is the type of a member of an object.
func (t *valueType) member(name string) *valueType {
	if f, ok := t.fields[name]; ok {
		return f
	}
	if t.rest == nil {
		return absent
	}
	return t.rest
}

// names are the members that an object is known to have, sorted.
func (t *valueType) names() []string { return slices.Sorted(maps.Keys(t.fields)) }

func (t *valueType) String() string {
	if t.values != nil && len(t.values) <= 6 && len(t.values) > 0 {
		words := make([]string, len(t.values))
		for i, v := range t.values {
			words[i] = literal(v)
		}
		return oneOf(words)
	}
	if t.open && t.kinds == allKinds {
		return "anything"
	}
	return t.kinds.String()
}

// literal writes a scalar as an expression has it.
func literal(v any) string {
	if s, ok := v.(string); ok {
		return "'" + strings.ReplaceAll(s, "'", `\'`) + "'"
	}
	return textOf(v)
}

// listed are all values that a type may have, where they are few; booleans are.
func (t *valueType) listed() ([]any, bool) {
	if t.values != nil {
		return t.values, true
	}
	if t.kinds != 0 && t.kinds&^(boolKind|nullKind) == 0 {
		var all []any
		if t.kinds&boolKind != 0 {
			all = append(all, true, false)
		}
		if t.kinds&nullKind != 0 {
			all = append(all, nil)
		}
		return all, true
	}
	return nil, false
}

// union is the type of a value that is of one of two types; nil is none.
func union(a, b *valueType) *valueType { return unionAt(a, b, 0) }

func unionAt(a, b *valueType, depth int) *valueType {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	case depth > maxTypeDepth, a.unknown(), b.unknown():
		return anything.with(func(u *valueType) { u.missing = a.missing || b.missing })
	case a.kinds == 0 && b.kinds == 0:
		return absent
	case a.kinds == 0:
		return b.optional()
	case b.kinds == 0:
		return a.optional()
	}
	u := &valueType{kinds: a.kinds | b.kinds, open: a.open || b.open, missing: a.missing || b.missing}
	if a.values != nil && b.values != nil {
		u.values = slices.Clone(a.values)
		for _, v := range b.values {
			if !slices.Contains(u.values, v) {
				u.values = append(u.values, v)
			}
		}
		if len(u.values) > maxValues {
			u.values = nil
		}
	}
	switch aIs, bIs := a.kinds&objectKind != 0, b.kinds&objectKind != 0; {
	case aIs && bIs:
		u.fields = make(map[string]*valueType)
		for _, name := range append(a.names(), b.names()...) {
			u.fields[name] = unionAt(a.member(name), b.member(name), depth+1)
		}
		u.rest = unionAt(a.rest, b.rest, depth+1)
	case aIs:
		u.fields, u.rest = a.fields, a.rest
	case bIs:
		u.fields, u.rest = b.fields, b.rest
	}
	switch aIs, bIs := a.kinds&listKind != 0, b.kinds&listKind != 0; {
	case aIs && bIs:
		u.items, u.least = unionAt(a.items, b.items, depth+1), min(a.least, b.least)
	case aIs:
		u.items, u.least = a.items, a.least
	case bIs:
		u.items, u.least = b.items, b.least
	}
	for _, t := range []*valueType{a, b} {
		if u.same(t) {
			return t
		}
	}
	return u
}

// unknown says whether the type says nothing.
func (t *valueType) unknown() bool { return t.open && t.kinds == allKinds }

// same says whether two types say the same.
func (t *valueType) same(o *valueType) bool {
	if t == o {
		return true
	}
	if t == nil || o == nil {
		return false
	}
	if t.kinds != o.kinds || t.open != o.open || t.missing != o.missing || t.least != o.least ||
		(t.values == nil) != (o.values == nil) || len(t.values) != len(o.values) || len(t.fields) != len(o.fields) {
		return false
	}
	for _, v := range t.values {
		if !slices.Contains(o.values, v) {
			return false
		}
	}
	for name, f := range t.fields {
		if !f.same(o.fields[name]) {
			return false
		}
	}
	return t.rest.same(o.rest) && t.items.same(o.items)
}

// misfit says why a value of this type need not fit another; "" where nothing speaks against it. at is the place
// within the value: "" for the whole.
func (t *valueType) misfit(want *valueType, at string) string {
	subject := "it"
	if at != "" {
		subject = strconv.Quote(at)
	}
	if t.kinds == 0 || want.kinds == 0 || t == want || t.unknown() || want.unknown() {
		return ""
	}
	if t.may(want.kinds) {
		verb := "is"
		if !t.never(want.kinds) {
			verb = "may be"
		}
		hint := ""
		if want.kinds&fractionKind == 0 && want.kinds&wholeKind != 0 && t.kinds&fractionKind != 0 && t.kinds&^numberKind == 0 {
			hint = "; int(…) makes one of a number"
		}
		return fmt.Sprintf("%s %s %s, expected %s%s", subject, verb, t, want, hint)
	}
	if why := t.misfitValues(want, subject); why != "" {
		return why
	}
	if t.kinds&objectKind != 0 && want.kinds&objectKind != 0 {
		if why := t.misfitMembers(want, at, subject); why != "" {
			return why
		}
	}
	if t.kinds&listKind != 0 && want.kinds&listKind != 0 && t.items != nil && want.items != nil {
		return t.items.misfit(want.items, join(at, "#"))
	}
	return ""
}

// misfitValues compares what is listed.
func (t *valueType) misfitValues(want *valueType, subject string) string {
	if want.values == nil || t.open {
		return ""
	}
	has, few := t.listed()
	if !few {
		return fmt.Sprintf("%s may be any %s, expected %s", subject, strings.TrimPrefix(t.kinds.String(), "a "), want)
	}
	for _, v := range has {
		if !slices.Contains(want.values, v) {
			verb := "is"
			if len(has) > 1 {
				verb = "may be"
			}
			return fmt.Sprintf("%s %s %s, expected %s%s", subject, verb, literal(v), want, hintValue(v, want.values))
		}
	}
	return ""
}

// hintValue is the nearest of the values to one that is none of them.
func hintValue(v any, values []any) string {
	var known []string
	for _, w := range values {
		known = append(known, textOf(w))
	}
	return nearest.Hint(textOf(v), known)
}

func (t *valueType) misfitMembers(want *valueType, at, subject string) string {
	for _, name := range want.names() {
		w, has := want.fields[name], t.member(name)
		switch {
		case w.missing && has.kinds == 0:
			continue
		case has.kinds == 0:
			return fmt.Sprintf("%s has no member %q, which is required", subject, name)
		case has.missing && !w.missing && !has.open:
			return fmt.Sprintf("%s need not have the member %q, which is required", subject, name)
		}
		if why := has.misfit(w, join(at, name)); why != "" {
			return why
		}
	}
	if want.rest != nil || want.open {
		return ""
	}
	for _, name := range t.names() {
		if _, ok := want.fields[name]; !ok && !t.open && t.fields[name].kinds != 0 {
			return fmt.Sprintf("%s has a member %q, which is not allowed%s", subject, name, nearest.Hint(name, want.names()))
		}
	}
	return ""
}

// language is the type as the compiler of expressions knows it.
func (t *valueType) language() types.Type {
	if t.open {
		return types.Any
	}
	switch t.kinds {
	case textKind:
		return types.String
	case boolKind:
		return types.Bool
	case wholeKind:
		return types.Int
	case numberKind, fractionKind:
		return types.Float64
	case listKind:
		return types.Array(types.Any)
	case objectKind:
		return types.Map{types.Extra: types.Any}
	}
	return types.Any
}
