package expression

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
)

// Kinds is a set of kinds of JSON values.
type Kinds uint8

// The kinds, and sets of them.
const (
	NullKind Kinds = 1 << iota
	BoolKind
	WholeKind    // a number that is written as an integer
	fractionKind // any other number
	TextKind
	ListKind
	ObjectKind

	NumberKind = WholeKind | fractionKind
	AllKinds   = NullKind | BoolKind | NumberKind | TextKind | ListKind | ObjectKind
)

var kindNames = []struct {
	kinds Kinds
	name  string
}{
	{TextKind, "a text"},
	{NumberKind, "a number"},
	{WholeKind, "a whole number"},
	{fractionKind, "a fraction"},
	{BoolKind, "a boolean"},
	{ListKind, "a list"},
	{ObjectKind, "an object"},
	{NullKind, "null"},
}

// String lists the kinds for a message: "a text or null".
func (k Kinds) String() string {
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
	return document.OneOf(words)
}

// Type is what the file says of a value. It is immutable: types share their parts.
//
// One struct: a value of several kinds has the parts of each, and a union must keep those of both.
type Type struct {
	Kinds   Kinds            // the value is of one of these
	Open    bool             // not all that is said here need be possible: the file does not say it exactly
	sure    Kinds            // those of an open type that some way certainly brings
	Missing bool             // it may not be there
	Values  []any            // all that it may be, where that is a few scalars; nil for any of its kinds
	Fields  map[string]*Type // of an object
	Rest    *Type            // its other members; nil for none
	items   *Type            // of a list
	parts   []*Type          // of the first items of a list, as far as each is known for itself
	least   int              // how many items a list has at least
	most    int              // and at most; 0 where that is not known
	whole   *Type            // what it was before a condition asked for its value; nil where none has
	fixed   []any            // the list, object or boolean that it always is; none where it may be another
	limits  *limits          // what its schema says beside all this
	names   *Type            // of the names of an object, where they are calculated
	grouped bool             // an object that groupBy or fromPairs made: it is asked for any scalar, not for texts alone
	kept    string           // the node that certainly may leave null here for what fails (for_each, on_error: keep); "" for none
	failed  bool             // nothing makes it, or an expression that fails: what else there may be counts alone
}

// Types that say little.
var (
	Anything = newAnything()                                                       // the file does not say
	AnyInput = &Type{Kinds: AllKinds, Open: true, Rest: Anything, items: Anything} // nor does it of an input, which only the caller that starts the run can bring
	Absent   = &Type{Missing: true}
	mistaken = Anything.With(func(t *Type) { t.failed = true }) // what a wrong expression makes, and what never comes to be
)

func newAnything() *Type {
	t := &Type{Kinds: AllKinds, Open: true}
	t.Rest, t.items = t, t
	return t
}

// Plain is the type of which no more than the kinds is known.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func Plain(k Kinds) *Type {
	return &Type{Kinds: k, Rest: Anything, items: Anything}
}

// ListOf is the type of lists of such items, or of none.
func ListOf(items *Type) *Type { return &Type{Kinds: ListKind, items: items} }

// Keys are the keys of an object, sorted.
func Keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// maxValues is how many values a type lists.
const maxValues = 64

// maxTypeDepth bounds how deep types are followed.
const maxTypeDepth = 8

// typeOfValues is the type of a value that is one of these.
func typeOfValues(values ...any) *Type {
	t := &Type{Rest: Anything, items: Anything, Values: []any{}}
	for _, v := range values {
		k := kindOfValue(v)
		t.Kinds |= k
		if k&(ListKind|ObjectKind) != 0 || len(t.Values) >= maxValues {
			t.Values = nil
		}
		if t.Values != nil && !slices.Contains(t.Values, v) {
			t.Values = append(t.Values, v)
		}
	}
	return t
}

func kindOfValue(v any) Kinds {
	switch v := v.(type) {
	case nil:
		return NullKind
	case bool:
		return BoolKind
	case string:
		return TextKind
	case json.Number:
		if _, err := strconv.Atoi(v.String()); err == nil {
			return WholeKind
		}
		return fractionKind
	case []any:
		return ListKind
	}
	return ObjectKind
}

// optional is the type of a value that may not be there.
func (t *Type) optional() *Type { return t.With(func(u *Type) { u.Missing = true }) }

// Present is the type of a value that is there.
func (t *Type) Present() *Type { return t.With(func(u *Type) { u.Missing = false }) }

// orNull is the type where nothing is read as null.
func (t *Type) orNull() *Type {
	return t.With(func(u *Type) {
		if u.Missing {
			u.Kinds |= NullKind
			if u.Missing = false; u.Open {
				u.sure |= NullKind
			}
			if u.Values != nil && !slices.Contains(u.Values, nil) {
				u.Values = append(slices.Clone(u.Values), nil)
			}
		}
	})
}

// NotNull is the type of a value that is there and is not null.
func (t *Type) NotNull() *Type {
	return t.With(func(u *Type) {
		u.Missing, u.kept = false, ""
		u.Kinds &^= NullKind
		u.sure &^= NullKind
		if i := slices.Index(u.Values, nil); i >= 0 {
			u.Values = slices.Delete(slices.Clone(u.Values), i, i+1)
		}
	})
}

// With is a changed copy; the type itself where the change is none.
func (t *Type) With(change func(*Type)) *Type {
	u := *t
	change(&u)
	if u.same(t) {
		return t
	}
	return &u
}

// Never says whether the value is of none of the kinds, whatever happens.
func (t *Type) Never(k Kinds) bool { return t.Kinds&k == 0 && t.Kinds != 0 }

// May says whether the file allows a value of none of the kinds.
func (t *Type) May(other Kinds) bool {
	return t.Never(other) || t.certain()&^other != 0
}

// certain are the kinds of which the file shows that the value may be each.
func (t *Type) certain() Kinds {
	switch {
	case !t.Open:
		return t.Kinds
	case t.kept != "":
		return t.sure | NullKind
	}
	return t.sure
}

// besides says what a value may be that is none of the kinds.
func (t *Type) besides(other Kinds) string {
	return (t.certain() &^ other).String()
}

// mayBeNull says whether the file allows null.
func (t *Type) mayBeNull() bool { return t.certain()&NullKind != 0 }

// OrFailed is the type of a value in whose place a node leaves null where it failed.
func (t *Type) OrFailed(node string) *Type {
	return Union(t, typeOfValues(nil)).With(func(u *Type) { u.Kinds, u.kept = u.Kinds|NullKind, node })
}

// because says why null may be there, where a node leaves it.
func (t *Type) because() string {
	if t.kept == "" {
		return ""
	}
	return fmt.Sprintf(" (on_error: keep of the node %s leaves it for what failed)", strconv.Quote(t.kept))
}

// Member is the type of a member of an object.
func (t *Type) Member(name string) *Type {
	if f, ok := t.Fields[name]; ok {
		return f
	}
	if t.Rest == nil {
		return Absent
	}
	return t.Rest
}

// Names are the members that an object is known to have, sorted.
func (t *Type) Names() []string { return slices.Sorted(maps.Keys(t.Fields)) }

// String describes a value of the type for a message. It lists the values if they are few, else the kinds.
func (t *Type) String() string {
	if t.Values != nil && len(t.Values) <= 6 && len(t.Values) > 0 {
		return document.OneOf(literals(t.Values))
	}
	if t.Open && t.Kinds == AllKinds {
		return "anything"
	}
	return t.Kinds.String()
}

func literals(values []any) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = literal(v)
	}
	return all
}

// literal writes a scalar as an expression has it.
func literal(v any) string {
	if s, ok := v.(string); ok {
		return "'" + strings.ReplaceAll(s, "'", `\'`) + "'"
	}
	return Text(v)
}

// Listed are all values that a type may have, where they are few; booleans are.
func (t *Type) Listed() ([]any, bool) {
	if t.Values != nil {
		return t.Values, true
	}
	if t.Kinds != 0 && t.Kinds&^(BoolKind|NullKind) == 0 {
		var all []any
		if t.Kinds&BoolKind != 0 {
			all = append(all, true, false)
		}
		if t.Kinds&NullKind != 0 {
			all = append(all, nil)
		}
		return all, true
	}
	return nil, false
}

// Before is the type as it was before a condition asked for its value.
func (t *Type) Before() *Type {
	if t.whole != nil {
		return t.whole
	}
	return t
}

// only is the type of a text or number that is one of some values, for a condition has asked.
func (t *Type) only(values []any) *Type {
	k := t.Kinds & widened(typeOfValues(values...).Kinds)
	if t.Kinds&^(TextKind|NumberKind) != 0 || k == 0 {
		return t // which never holds, or says too little
	}
	return t.With(func(u *Type) { u.Kinds, u.Values, u.whole, u.Open, u.sure = k, values, t.Before(), false, 0 })
}

// besidesValue is the type of a value that is not this one.
func (t *Type) besidesValue(v any) *Type {
	i := slices.Index(t.Values, v)
	if i < 0 || t.Open {
		return t
	}
	return t.only(slices.Delete(slices.Clone(t.Values), i, i+1))
}

// unknown says whether the type says nothing.
func (t *Type) unknown() bool { return t.Open && t.Kinds == AllKinds && t.certain() == 0 }

// same says whether two types say the same.
func (t *Type) same(o *Type) bool {
	if t == o {
		return true
	}
	if t == nil || o == nil {
		return false
	}
	if t.Kinds != o.Kinds || t.Open != o.Open || t.Missing != o.Missing || t.failed != o.failed || t.least != o.least || t.most != o.most ||
		t.sure != o.sure || t.grouped != o.grouped || !t.names.same(o.names) || !slices.EqualFunc(t.parts, o.parts, (*Type).same) || t.kept != o.kept || !t.limits.same(o.limits) || !t.whole.same(o.whole) || !reflect.DeepEqual(t.fixed, o.fixed) ||
		(t.Values == nil) != (o.Values == nil) || len(t.Values) != len(o.Values) || len(t.Fields) != len(o.Fields) {
		return false
	}
	for _, v := range t.Values {
		if !slices.Contains(o.Values, v) {
			return false
		}
	}
	for name, f := range t.Fields {
		if !f.same(o.Fields[name]) {
			return false
		}
	}
	return t.Rest.same(o.Rest) && t.items.same(o.items)
}

// Element returns the type of the items that for_each visits in a list. The types of an object's entries are not
// followed.
func (t *Type) Element() *Type {
	if t.Kinds == ListKind {
		return OrAnything(t.items)
	}
	return Anything
}
