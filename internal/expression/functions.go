package expression

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/vm/runtime"
)

// The language goes over objects in the order of Go's maps, which is another one each time, and makes of their entries lists
// that its other functions do not take. What is calculated depends on nothing but values (law J1): the functions of this file
// stand in the place of its own.

// entry is a member of an object, whose name is any scalar where groupBy or fromPairs made it.
type entry struct{ name, value any }

// entriesOf are the members of an object, in the order of their names.
func entriesOf(v any) ([]entry, bool) {
	var all []entry
	switch v := v.(type) {
	case map[string]any:
		all = make([]entry, 0, len(v))
		for name, e := range v {
			all = append(all, entry{name, e})
		}
	case map[any]any: // fromPairs
		for name, e := range v {
			all = append(all, entry{name, e})
		}
	case map[any][]any: // groupBy
		for name, e := range v {
			all = append(all, entry{name, e})
		}
	default:
		return nil, false
	}
	sort.Slice(all, func(i, j int) bool { return compareNames(all[i].name, all[j].name) < 0 })
	return all, true
}

// compareNames orders scalars: null, booleans, numbers and texts.
func compareNames(a, b any) int {
	rank := func(v any) int {
		switch v.(type) {
		case nil:
			return 0
		case bool:
			return 1
		case string:
			return 3
		}
		return 2
	}
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch x := a.(type) {
	case nil:
		return 0
	case bool:
		switch {
		case a == b:
			return 0
		case x:
			return 1
		}
		return -1
	case string:
		return strings.Compare(x, b.(string)) //nolint:forcetypeassert // of the same rank
	}
	if c := cmp.Compare(runtime.ToFloat64(a), runtime.ToFloat64(b)); c != 0 {
		return c
	}
	return strings.Compare(fmt.Sprintf("%T", b), fmt.Sprintf("%T", a)) // 1 is before 1.0
}

func keysOf(args ...any) (any, error) {
	return ofEntries(args[0], func(e entry) any { return e.name })
}

func valuesOf(args ...any) (any, error) {
	return ofEntries(args[0], func(e entry) any { return e.value })
}

func toPairs(args ...any) (any, error) {
	return ofEntries(args[0], func(e entry) any { return []any{e.name, e.value} })
}

// ofEntries lists something of each member of an object.
func ofEntries(object any, of func(entry) any) (any, error) {
	all, ok := entriesOf(object)
	if !ok {
		return nil, fmt.Errorf("expected an object, found %s", kindFound(object))
	}
	list := make([]any, len(all))
	for i, e := range all {
		list[i] = of(e)
	}
	return list, nil
}

func fromPairs(args ...any) (any, error) {
	if kindOf(args[0]) != ListKind {
		return nil, fmt.Errorf("expected a list, found %s", kindFound(args[0]))
	}
	object := make(map[any]any)
	for _, e := range elementsIn(args[0]) {
		pair := elementsIn(e)
		if len(pair) != 2 {
			return nil, fmt.Errorf("expected pairs, which are lists of two, found %s", Describe(numberText(e)))
		}
		if err := nameFault(pair[0]); err != nil {
			return nil, err
		}
		object[pair[0]] = pair[1]
	}
	return object, nil
}

// grouped is what groupBy made, where its names are names.
func grouped(args ...any) (any, error) {
	groups, _ := args[0].(map[any][]any)
	for name := range groups {
		if err := nameFault(name); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// nameFault says why a value does not name a group or a member.
func nameFault(name any) error {
	switch v := name.(type) {
	case nil, bool, string, int, uint8:
		return nil
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return nil
		}
		return errors.New("a group or a name is no finite number, because it is too large or was divided by 0")
	}
	return fmt.Errorf("groups and names are texts, numbers or booleans, found %s", kindFound(name))
}

// get is the member or element of a value, and null where there is none.
func get(args ...any) (any, error) {
	from, key := args[0], args[1]
	switch v := from.(type) {
	case nil, bool, int, float64:
		return nil, nil
	case map[string]any:
		name, ok := key.(string)
		if !ok && key != nil {
			return nil, fmt.Errorf("the names of an object are texts, found %s", kindFound(key))
		}
		return v[name], nil
	case map[any]any, map[any][]any:
		if err := nameFault(key); err != nil {
			return nil, err
		}
		return readField(from, key, "", true)
	}
	switch i := key.(type) {
	case int:
		return readField(from, i, "", true)
	case float64:
		return readField(from, int(i), "", true)
	}
	return nil, fmt.Errorf("the number of an element is a number, found %s", kindFound(key))
}

// take is the beginning of a list: of no element where the number is less than 1.
func take(args ...any) (any, error) {
	if kindOf(args[0]) != ListKind {
		return nil, fmt.Errorf("expected a list, found %s", kindFound(args[0]))
	}
	list := reflect.ValueOf(args[0])
	n, ok := wholeOf(args[1])
	if !ok {
		return nil, fmt.Errorf("expected how many elements to take, found %s", Describe(numberText(args[1])))
	}
	return list.Slice(0, max(0, min(n, list.Len()))).Interface(), nil
}

// wholeOf is a number that counts or numbers something, however it was calculated.
func wholeOf(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
			return int(v), true
		}
	}
	return 0, false
}

// toInt is the function int. A number that has no whole one is an error on every machine alike.
func toInt(args ...any) (any, error) {
	switch v := args[0].(type) {
	case int:
		return v, nil
	case float64:
		if math.IsNaN(v) || v < math.MinInt || v >= math.MaxInt {
			return nil, fmt.Errorf("int makes no whole number of %v: it is no finite number, or too large", v)
		}
		return int(v), nil
	case string:
		if i, err := strconv.Atoi(v); err == nil {
			return i, nil
		}
		return nil, fmt.Errorf("int makes no number of %s", Describe(v))
	}
	return nil, fmt.Errorf("expected a number, found %s", kindFound(args[0]))
}

// toFloat is the function float.
func toFloat(args ...any) (any, error) {
	switch v := args[0].(type) {
	case int:
		return float64(v), nil
	case float64:
		return v, nil
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f, nil
		}
		return nil, fmt.Errorf("float makes no number of %s", Describe(v))
	}
	return nil, fmt.Errorf("expected a number, found %s", kindFound(args[0]))
}
