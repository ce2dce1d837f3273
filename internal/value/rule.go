package value

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/jsonfield"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/persistent"
)

// The rules for what several branches changed (law G4).
const (
	ruleAppend = "append"
	ruleEdit   = "edit"
	ruleUnion  = "union"
	ruleSum    = "sum"
	ruleMax    = "max"
	ruleMin    = "min"
	ruleFirst  = "first"
	ruleLast   = "last"
)

func allRules() []string {
	return []string{ruleAppend, ruleEdit, ruleUnion, ruleSum, ruleMax, ruleMin, ruleFirst, ruleLast}
}

// merging is what a merge has to know of a field.
type merging struct {
	name    string       // in JSON
	typ     reflect.Type // of the field
	rule    string       // "" for none
	combine rule         // nil without a rule, and for first and last, which any value allows
	simple  bool         // it has nothing but cells
	cells   []cell       // these, counted from the start of the record
}

// rule makes one value of those that several branches gave a field, at c.into, or notes a conflict.
type rule func(m *merge, c *contest)

// merging reads the rule of a field. The error says which rules its type allows.
func (c *compiler) merging(jf jsonfield.Field, path string) (*merging, error) {
	how := &merging{name: jf.Name, typ: jf.Go.Type}
	name, tagged := jf.Go.Tag.Lookup("merge")
	if !tagged {
		return how, nil
	}
	if !slices.Contains(allRules(), name) {
		return nil, &Error{path, unknownRule(name)}
	}
	t := jf.Go.Type
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	allowed := rulesOf(t)
	if !slices.Contains(allowed, name) {
		return nil, &Error{path, fmt.Sprintf("the merge rule %q does not fit a %s: expected %s", name, jf.Go.Type, either(allowed))}
	}
	how.rule = name
	var err error
	how.combine, err = c.ruleOf(name, t, path)
	return how, err
}

// ruleOf returns the code of a rule for a type, none for first and last.
func (c *compiler) ruleOf(name string, t reflect.Type, path string) (rule, error) {
	switch {
	case name == ruleFirst || name == ruleLast:
		return nil, nil
	case t.Kind() == reflect.Interface:
		return anyRule(name), nil
	case t == reflect.TypeFor[json.Number]():
		return numeralRule(name), nil
	}
	if plain, ok := persistent.Plain(t); ok {
		return c.persistentRule(name, plain, path)
	}
	switch {
	case name == ruleAppend, name == ruleEdit:
		return appendLists(name), nil
	case name == ruleUnion && t.Kind() == reflect.Map:
		elem, err := c.compile(t.Elem(), false, path+"[]")
		if err != nil {
			return nil, err
		}
		return unionMaps(newMapping(t, elem)), nil
	case name == ruleUnion:
		return unionLists, nil
	case name == ruleSum:
		return sumOf(t), nil
	}
	return extreme(name, t), nil
}

// rulesOf lists the rules that a type, no pointer, allows.
func rulesOf(t reflect.Type) []string {
	numeric := []string{ruleSum, ruleMax, ruleMin, ruleFirst, ruleLast}
	plain, isPlain := persistent.Plain(t)
	switch p := reflect.PointerTo(t); {
	case t == reflect.TypeFor[time.Time]():
		return numeric[1:]
	case t == reflect.TypeFor[json.Number]():
		return numeric
	case isPlain:
		return rulesOf(plain)
	case p.Implements(jsonMarshaler), p.Implements(textMarshaler):
		return numeric[3:]
	}
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Float64:
		return numeric
	case k == reflect.String:
		return numeric[1:]
	case k == reflect.Slice && !isOctets(t):
		return []string{ruleAppend, ruleEdit, ruleUnion, ruleFirst, ruleLast}
	case k == reflect.Map:
		return []string{ruleUnion, ruleFirst, ruleLast}
	case k == reflect.Interface && t.NumMethod() == 0:
		return allRules()
	}
	return numeric[3:]
}

// rulesFor lists the rules that a value in an interface allows.
func rulesFor(v any) []string {
	switch v.(type) {
	case nil:
		return allRules()
	case bool:
		return []string{ruleFirst, ruleLast}
	}
	return rulesOf(reflect.TypeOf(v))
}

// misplacedRule finds rules that would never be asked: on what encoding/json ignores, and on embedded structs, whose
// fields are merged as if they were the outer struct's.
func misplacedRule(t reflect.Type, path string) error {
	kept := make(map[int]bool)
	for _, jf := range jsonfield.Of(t) {
		kept[jf.Index[0]] = kept[jf.Index[0]] || len(jf.Index) == 1
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		name, tagged := sf.Tag.Lookup("merge")
		direct, found := kept[i]
		switch {
		case !tagged || direct:
		case found:
			return &Error{path + "." + sf.Name, fmt.Sprintf("the merge rule %q is on an embedded struct, "+
				"whose fields are merged one by one: put it on those fields, or give the struct a JSON name", name)}
		default:
			return &Error{path + "." + sf.Name, fmt.Sprintf("the merge rule %q is on a field that encoding/json "+
				"does not write: export it, or remove the rule", name)}
		}
	}
	return nil
}

// WithRules returns a copy that merges the named members by the given rules. The rules are append, edit, union, sum,
// max, min, first and last. They replace earlier rules. The error, an *Error, is about a rule that does not exist; whether
// one fits is seen when values are merged.
func (k *Objects) WithRules(rules map[string]string) (*Objects, error) {
	for _, member := range slices.Sorted(maps.Keys(rules)) {
		if !slices.Contains(allRules(), rules[member]) {
			return nil, &Error{pointerPath.member(member).text, unknownRule(rules[member])}
		}
	}
	return &Objects{limit: k.limit, rules: maps.Clone(rules), share: k.share}, nil
}

func unknownRule(name string) string {
	return fmt.Sprintf("no merge rule %q: expected %s%s", name, either(allRules()), nearest.Hint(name, allRules()))
}

// either lists names for people: "a, b or c".
func either(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// noRule says what to do about a field that has none.
func noRule(allowed []string) string {
	return `nothing says what to take; declare a rule on the field: merge:"` + strings.Join(allowed, "|") + `"`
}
