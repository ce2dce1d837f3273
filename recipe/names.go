package recipe

import (
	"maps"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/types"
)

// names is what may be on the blackboard at some place of a recipe: which names, of which types as far as they are
// known, and whether there may be others.
type names struct {
	types map[string]types.Type
	open  bool
}

func newNames() names { return names{types: make(map[string]types.Type)} }

func (n names) has(name string) bool {
	_, ok := n.types[name]
	return ok || n.open
}

func (n names) list() []string { return slices.Sorted(maps.Keys(n.types)) }

// add adds a name. Where it may come from several places of different types, its type is not known.
func (n names) add(name string, t types.Type) {
	if before, ok := n.types[name]; ok && !sameType(before, t) {
		t = types.Any
	}
	n.types[name] = t
}

func sameType(a, b types.Type) bool {
	return a == types.Any && b == types.Any || a != types.Any && b != types.Any && a.Equal(b)
}

// join adds all of other, and reports whether that changed anything.
func (n *names) join(other names) bool {
	changed := other.open && !n.open
	n.open = n.open || other.open
	for name, t := range other.types {
		before, ok := n.types[name]
		n.add(name, t)
		changed = changed || !ok || !sameType(before, n.types[name])
	}
	return changed
}

func (n names) clone() names { return names{types: maps.Clone(n.types), open: n.open} }

func keysOf(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// typeOfShape is the type of the values of a schema, as far as it says.
func typeOfShape(doc map[string]any) types.Type {
	kind, _ := doc["type"].(string)
	switch kind {
	case "string":
		return types.String
	case "boolean":
		return types.Bool
	case "integer":
		return types.Int
	case "number":
		return types.Float64
	case "array":
		if items, ok := doc["items"].(map[string]any); ok {
			return types.Array(typeOfShape(items))
		}
		return types.Array(types.Any)
	case "object":
		fields, closed := fieldsOfShape(doc)
		t := make(types.Map, len(fields)+1)
		for name, f := range fields {
			t[name] = typeOfShape(f)
		}
		if !closed {
			t[types.Extra] = types.Any
		}
		return t
	}
	return types.Any
}

// fieldsOfShape are the properties of an object's schema, and whether it has no others.
func fieldsOfShape(doc map[string]any) (fields map[string]map[string]any, closed bool) {
	fields = make(map[string]map[string]any)
	properties, _ := doc["properties"].(map[string]any)
	for name, p := range properties {
		f, _ := p.(map[string]any)
		fields[name] = f
	}
	more, ok := doc["additionalProperties"].(bool)
	return fields, ok && !more && doc["patternProperties"] == nil
}

// typeOfResult is the type of an expression.
func typeOfResult(t reflect.Type) types.Type {
	switch t.Kind() {
	case reflect.String:
		return types.String
	case reflect.Bool:
		return types.Bool
	case reflect.Int:
		return types.Int
	case reflect.Float64:
		return types.Float64
	}
	return types.Any
}
