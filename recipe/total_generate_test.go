package recipe_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// kind is a schema of the generated recipes, as far as the generator follows it.
type kind struct {
	word     string // integer, number, string, boolean, array, object
	null     bool
	enum     []string
	items    *kind // of an array
	least    int
	members  []string // of an object
	types    []*kind
	required []bool
	closed   bool
}

// schema is the JSON Schema of the kind.
func (k *kind) schema() map[string]any {
	s := map[string]any{"type": k.word}
	if k.null {
		s["type"] = []any{k.word, "null"}
	}
	if k.enum != nil {
		s["enum"] = k.enum
	}
	if k.items != nil {
		s["items"] = k.items.schema()
		if k.least > 0 {
			s["minItems"] = k.least
		}
	}
	if k.word == "object" {
		properties, required := make(map[string]any), []string{}
		for i, m := range k.members {
			properties[m] = k.types[i].schema()
			if k.required[i] {
				required = append(required, m)
			}
		}
		s["properties"], s["required"] = properties, required
		if k.closed {
			s["additionalProperties"] = false
		}
	}
	return s
}

// value is some value that fits.
func (k *kind) value(r *rand.Rand) any {
	if k.null && r.IntN(3) == 0 {
		return nil
	}
	switch k.word {
	case "integer":
		return r.IntN(5) - 1
	case "number":
		return []any{0.5, 2, -1.25}[r.IntN(3)]
	case "boolean":
		return r.IntN(2) == 0
	case "string":
		if k.enum != nil {
			return k.enum[r.IntN(len(k.enum))]
		}
		return []string{"", "x", "y", "other"}[r.IntN(4)]
	case "array":
		list := make([]any, k.least+r.IntN(3))
		for i := range list {
			list[i] = k.items.value(r)
		}
		return list
	}
	o := make(map[string]any)
	for i, m := range k.members {
		if k.required[i] || r.IntN(2) == 0 {
			o[m] = k.types[i].value(r)
		}
	}
	if !k.closed && r.IntN(3) == 0 {
		o["more"] = 1
	}
	return o
}

// inline writes a value as JSON, which is YAML too.
func inline(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// board is what is on the blackboard at a place of a recipe that is drawn. Each name has one kind throughout; whether it
// is there when it is read is left to chance, as are now and then a value of another kind, a name that is nowhere, and a
// member that need not be there.
type board struct {
	names  []string
	kinds  map[string]*kind
	sure   map[string]bool // names that are there on every way
	maybe  map[string]bool // names that are there on some way
	failed bool            // the name error is known
}

// generator draws a recipe.
type generator struct {
	t *rapid.T
	board
	right    bool     // right by construction
	careless bool     // more mistakes
	letters  []string // names that agents give; a branch has some of its own
	d        *drawn
	depth    int // how deep in others the recipe lies
	sketch
}

var boardNames = []string{"a", "b", "c", "d", "e"}

func (g *generator) below(n int) int        { return rapid.IntRange(0, n-1).Draw(g.t, "n") }
func (g *generator) often(percent int) bool { return g.below(100) >= 100-percent }

// slip is a mistake that is made now and then, and never where all is right.
func (g *generator) slip(percent int) bool {
	if g.right {
		return false
	}
	if !g.careless {
		percent = (percent + 7) / 8
	}
	return g.often(percent)
}

func oneOfList[T any](g *generator, list []T) T { return list[g.below(len(list))] }

func (g *generator) kind(depth int) *kind {
	k := &kind{word: oneOfList(g, []string{"integer", "string", "boolean", "number", "array", "object"}[:6-2*min(depth/2, 1)])}
	k.null = g.often(15)
	switch k.word {
	case "string":
		if g.often(40) && !k.null {
			k.enum = []string{"x", "y"}
		}
	case "array":
		k.items, k.least = g.kind(depth+1), g.below(3)
	case "object":
		k.closed = g.often(50)
		for _, m := range []string{"p", "q"}[:1+g.below(2)] {
			k.members, k.types = append(k.members, m), append(k.types, g.kind(depth+1))
			k.required = append(k.required, g.often(60))
		}
	}
	return k
}

// expression is one of the wanted kind, or of another by mistake.
func (g *generator) expression(want *kind, depth int) string {
	if g.slip(2) {
		want = g.kind(1)
	}
	if depth < 3 && g.often(50) {
		if e, ok := g.read(want); ok {
			return e
		}
	}
	if depth < 3 && g.often(15) {
		return fmt.Sprintf("(%s ? %s : %s)", g.expression(&kind{word: "boolean"}, depth+1), g.expression(want, depth+1), g.expression(want, depth+1))
	}
	if want.null && g.often(30) {
		return "nil"
	}
	switch want.word {
	case "integer", "number":
		return g.number(want, depth)
	case "string":
		return g.text(want, depth)
	case "boolean":
		return g.condition(depth)
	case "array":
		parts := make([]string, want.least+g.below(2))
		for i := range parts {
			parts[i] = g.expression(want.items, depth+1)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	var parts []string
	for i, m := range want.members {
		if want.required[i] || g.right || g.often(50) {
			parts = append(parts, m+": "+g.expression(want.types[i], depth+1))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (g *generator) number(want *kind, depth int) string {
	plain := &kind{word: want.word}
	switch c := g.below(6); {
	case depth > 2 || c < 2:
		if want.word == "number" {
			return "1.5"
		}
		return fmt.Sprint(g.below(4))
	case c < 4:
		return fmt.Sprintf("(%s %s %s)", g.expression(plain, depth+1), oneOfList(g, []string{"+", "-", "*"}), g.expression(plain, depth+1))
	case c == 4 && want.word == "integer":
		return fmt.Sprintf("len(%s)", g.expression(&kind{word: "array", items: plain}, depth+1))
	}
	return fmt.Sprintf("sum(map(%s, # + 1))", g.expression(&kind{word: "array", items: plain, least: 1}, depth+1))
}

func (g *generator) text(want *kind, depth int) string {
	if want.enum != nil {
		return "'" + oneOfList(g, want.enum) + "'"
	}
	if (g.failed || g.slip(1)) && g.often(20) {
		return oneOfList(g, []string{"error.message", "error.task", "(error?.message ?? 'x')"})
	}
	switch c := g.below(5); {
	case depth > 2 || c < 2:
		return "'x'"
	case c == 2:
		return fmt.Sprintf("(%s + %s)", g.expression(&kind{word: "string"}, depth+1), g.expression(&kind{word: "string"}, depth+1))
	case c == 3:
		return fmt.Sprintf("upper(%s)", g.expression(&kind{word: "string"}, depth+1))
	}
	return fmt.Sprintf("string(%s)", g.expression(g.kind(2), depth+1))
}

// condition is true or false, and both may be.
func (g *generator) condition(depth int) string {
	whole, text := &kind{word: "integer"}, &kind{word: "string"}
	if depth > 3 || len(g.names) == 0 {
		return "len(string(1)) > 0"
	}
	switch g.below(7) {
	case 0:
		return fmt.Sprintf("%s %s %s", g.expression(whole, depth+1), oneOfList(g, []string{"<", "<=", ">"}), g.expression(whole, depth+1))
	case 1:
		return fmt.Sprintf("(%s %s %s)", g.condition(depth+1), oneOfList(g, []string{"and", "or"}), g.condition(depth+1))
	case 2:
		return "not (" + g.condition(depth+1) + ")"
	case 3:
		name := oneOfList(g, g.names)
		if !g.maybe[name] && !g.slip(3) {
			return g.condition(depth + 1)
		}
		return name + oneOfList(g, []string{" == nil", " != nil"})
	case 4:
		return fmt.Sprintf("all(%s, # > 1)", g.expression(&kind{word: "array", items: whole}, depth+1))
	case 5:
		return fmt.Sprintf("%s contains %s", g.expression(text, depth+1), g.expression(text, depth+1))
	}
	return fmt.Sprintf("%s > 1", g.expression(whole, depth+1))
}

// read is a name, a member or an element of the kind, read strictly or leniently.
func (g *generator) read(want *kind) (string, bool) {
	var found []string
	literal := g.literal(want)
	add := func(k *kind, sure bool, at, lenient string) {
		if k.word != want.word || !slices.Equal(want.enum, k.enum) || inline(k.schema()) != inline(want.schema()) && want.word != k.word {
			return
		}
		if sure && (!k.null || want.null) || g.slip(30) {
			found = append(found, at)
		}
		found = append(found, fmt.Sprintf("(%s ?? %s)", lenient, literal))
		if !strings.Contains(lenient, "?") {
			found = append(found, fmt.Sprintf("(%s != nil ? %s : %s)", at, at, literal))
		}
	}
	for _, name := range g.names {
		k := g.kinds[name]
		if !g.maybe[name] && !g.slip(2) {
			continue
		}
		if k.word != "object" && k.word != "array" || inline(k.schema()) == inline(want.schema()) {
			add(k, g.sure[name], name, name)
		}
		for i, m := range k.members {
			if inner := k.types[i]; inner.word != "object" && inner.word != "array" {
				add(inner, g.sure[name] && k.required[i] && !k.null, name+"."+m, name+"?."+m)
			}
		}
		if k.items != nil && k.items.word != "object" && k.items.word != "array" {
			add(k.items, g.sure[name] && k.least > 0 && !k.null, name+"[0]", name+"?.[0]")
		}
	}
	if len(found) == 0 {
		return "", false
	}
	return oneOfList(g, found), true
}

// literal is an expression without names.
func (g *generator) literal(want *kind) string {
	switch want.word {
	case "integer":
		return "1"
	case "number":
		return "0.5"
	case "string":
		return "'x'"
	case "boolean":
		return "false"
	case "array":
		parts := slices.Repeat([]string{g.literal(want.items)}, want.least)
		return "[" + strings.Join(parts, ", ") + "]"
	}
	var parts []string
	for i, m := range want.members {
		if want.required[i] || g.right {
			parts = append(parts, m+": "+g.literal(want.types[i]))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
