package recipe

import (
	"maps"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/types"
)

// vocabulary is all names that a recipe can bring on the blackboard. A name's type is the one that all who bring it
// agree on: it is the same everywhere, so that the names of a place are a set of numbers and a long recipe stays cheap.
type vocabulary struct {
	index map[string]int
	words []vocable
}

type vocable struct {
	name  string
	typ   types.Type
	fixed bool // enforced: whatever is written there is of this type

	later  bool       // the type is found later
	before types.Type // what others make of it until then; nil for nobody
}

func newVocabulary() *vocabulary { return &vocabulary{index: make(map[string]int)} }

// add adds a name, or a further type of a name.
func (v *vocabulary) add(name string, t types.Type) int {
	i, ok := v.index[name]
	if !ok {
		i = len(v.words)
		v.index[name] = i
		v.words = append(v.words, vocable{name: name, typ: t})
		return i
	}
	switch w := &v.words[i]; {
	case w.fixed:
	case w.later && w.before == nil:
		w.before = t
	case w.later && !sameType(w.before, t):
		w.before = types.Any
	case !w.later && !sameType(w.typ, t):
		w.typ = types.Any
	}
	return i
}

// fix says that a name always has a type.
func (v *vocabulary) fix(name string, t types.Type) {
	i := v.add(name, t)
	v.words[i].typ, v.words[i].fixed = t, true
}

// reserve adds a name whose type is found later, by settle. Until then it is not known.
func (v *vocabulary) reserve(name string) int {
	i, ok := v.index[name]
	if !ok {
		i = v.add(name, types.Any)
		v.words[i].later = true
		return i
	}
	if w := &v.words[i]; !w.fixed && !w.later {
		w.before, w.typ, w.later = w.typ, types.Any, true
	}
	return i
}

// settle gives a reserved name its type: the one found, where all others who bring the name agree.
func (v *vocabulary) settle(name string, t types.Type) {
	w := &v.words[v.index[name]]
	if w.fixed || !w.later || w.before != nil && !sameType(w.before, t) {
		return
	}
	w.typ = t
}

func sameType(a, b types.Type) bool {
	return a == types.Any && b == types.Any || a != types.Any && b != types.Any && a.Equal(b)
}

// names is what may be on the blackboard at some place of a recipe.
type names struct {
	vocabulary *vocabulary
	bits       []uint64
	under      *names // what is there beside these; nil for nothing
	open       bool   // there may be others, and those that are known may have been overwritten
	failed     bool   // error is what went wrong
}

// newNames are none, with a vocabulary of their own.
func newNames() names { return names{vocabulary: newVocabulary()} }

// anyNames may be any.
func anyNames() names { return names{vocabulary: newVocabulary(), open: true} }

func (n *names) set(i int) {
	for len(n.bits) <= i/64 {
		n.bits = append(n.bits, 0)
	}
	n.bits[i/64] |= 1 << (i % 64)
}

// overwrite gives a name another type, in a vocabulary of its own.
func (n *names) overwrite(name string, t types.Type) {
	n.add(name, t)
	n.vocabulary.words[n.vocabulary.index[name]].typ = t
}

// add adds a name of a type.
func (n *names) add(name string, t types.Type) { n.set(n.vocabulary.add(name, t)) }

func (n names) has(name string) bool {
	if n.open || name == errorName && n.failed {
		return true
	}
	return n.own(name) || n.under != nil && n.under.has(name)
}

func (n names) own(name string) bool {
	i, ok := n.vocabulary.index[name]
	return ok && i/64 < len(n.bits) && n.bits[i/64]&(1<<(i%64)) != 0
}

// typ is the type of a name that is there.
func (n names) typ(name string) types.Type {
	if name == errorName && n.failed {
		return errorType
	}
	if n.under != nil && !n.own(name) {
		return n.under.typ(name)
	}
	i, ok := n.vocabulary.index[name]
	if !ok || n.open && !n.vocabulary.words[i].fixed {
		return types.Any
	}
	return n.vocabulary.words[i].typ
}

// list are all names that are there, sorted.
func (n names) list() []string {
	var all []string
	if n.under != nil {
		all = n.under.list()
	}
	for i, w := range n.vocabulary.words {
		if i/64 < len(n.bits) && n.bits[i/64]&(1<<(i%64)) != 0 {
			all = append(all, w.name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// join adds all of other, of the same vocabulary, and reports whether that changed anything.
func (n *names) join(other names) bool {
	changed := other.open && !n.open || other.failed && !n.failed
	n.open, n.failed = n.open || other.open, n.failed || other.failed
	for i, b := range other.bits {
		if i >= len(n.bits) {
			n.bits = append(n.bits, 0)
		}
		changed = changed || n.bits[i]|b != n.bits[i]
		n.bits[i] |= b
	}
	return changed
}

// afterFailure are the names where error is known.
func (n names) afterFailure() names {
	n.failed = true
	return n
}

var errorType = types.Map{"message": types.String, "task": types.String}

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
