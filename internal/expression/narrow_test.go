package expression

import (
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/nearest"
)

// narrowSchema is what the expressions of these tests are about.
const narrowSchema = `{"type": "object", "additionalProperties": false,
	"required": ["kept", "numbers", "some", "maybe", "n", "k", "flag", "text", "few", "list", "any"], "properties": {
	"kept": {"type": "array", "items": {"type": ["object", "null"], "properties": {"x": {"type": "integer"}, "y": {"type": ["number", "null"]}}, "required": ["x", "y"], "additionalProperties": false}},
	"numbers": {"type": "array", "items": {"type": ["number", "null"]}},
	"some": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
	"list": {"type": "array", "items": {"type": "integer"}},
	"maybe": {"type": ["object", "null"], "properties": {"x": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}}, "required": ["x", "tags"], "additionalProperties": false},
	"n": {"type": "integer"}, "k": {"enum": ["a", "b", "c"]}, "few": {"enum": [0, 1, 2]}, "flag": {"type": "boolean"},
	"text": {"type": "string"}, "any": {}}}`

// faultsOf are what is wrong with an expression, over the schema.
func faultsOf(t *testing.T, expr string) string {
	t.Helper()
	e, fault := Compile(expr)
	if fault != nil {
		return fault.Message
	}
	known := NoNames()
	for name, p := range TypeOfSchema(boardOf(t, narrowSchema)).Fields {
		known.Set(name, p)
	}
	_, faults := e.Check(Place{Names: known, Hints: new(nearest.Hints)})
	var all []string
	for _, f := range faults {
		all = append(all, f.Message)
	}
	return strings.Join(all, "\n")
}

// TestNarrowing checks what a condition makes good, and that without it the same is refused.
func TestNarrowing(t *testing.T) {
	for _, tc := range []struct{ good, bad string }{
		{"sum(filter(kept, # != nil), .x)", "sum(kept, .x)"},
		{"sum(filter(kept, #?.y != nil), .y)", "sum(filter(kept, # != nil), .y)"},
		{"sum(filter(numbers, # != nil))", "sum(numbers)"},
		{"sum(numbers, # ?? 0)", "sum(numbers, #)"},
		{"sum(kept, # == nil ? 0 : .x)", "sum(kept, # == nil ? .x : 0)"},
		{"sum(kept, #?.x ?? 0)", "sum(kept, #?.x)"},
		{"map(filter(kept, # != nil and .y != nil), .y + 1)", "map(filter(kept, # != nil or n > 1), .y + 1)"},
		{"map(filter(kept, not (# == nil)), .x)", "map(filter(kept, # == nil), .x + 1)"},
		{"filter(kept, # != nil and .x > 1)", "filter(kept, .x > 1)"},
		{"count(kept, # != nil and .x > 1)", "count(kept, .x > 1)"},
		{"all(kept, # == nil or .x > 1)", "all(kept, # != nil or .x > 1)"},
		{"find(filter(kept, # != nil), .x > 1)?.x", "find(kept, # != nil).x"},
		{"all(kept, # != nil) ? sum(kept, .x) : 0", "any(kept, # != nil) ? sum(kept, .x) : 0"},
		{"none(kept, # == nil) ? sum(kept, .x) : 0", "none(kept, # != nil) ? sum(kept, .x) : 0"},
		{"any(kept, # == nil) ? 0 : sum(kept, .x)", "any(kept, # == nil) ? sum(kept, .x) : 0"},
		{"sort(filter(numbers, # != nil))", "sort(numbers)"},
		{"sortBy(filter(kept, # != nil), .x)", "sortBy(kept, #?.x)"},
		{"map(filter(kept, # != nil) | map(.y) | filter(# != nil), # * 2)", "map(filter(kept, # != nil) | map(.y), # * 2)"},
		{"map(filter(kept, # != nil), len(filter(numbers, # != nil)) + .x)", "map(filter(numbers, # != nil), filter(kept, .x > 1))"},
		{"let m = maybe; m != nil ? m.x : 0", "let m = maybe; m.x"},
		{"maybe != nil ? maybe.x : 0", "maybe != nil ? 0 : maybe.x + 1"},
		{"reduce(list, #acc + #, 0)", "reduce(list, #acc + #)"},
		{"reduce(some, #acc + #)", "reduce(filter(some, # > 1), #acc + #)"},
		{"reduce(list, #acc + #, 0) + 1", "reduce(list, #acc + string(#), '') + 1"},
		{"reduce(list, #acc + string(#), '')", "reduce(list, #acc + #, '')"},
		{"len(list) > 0 ? reduce(list, #acc + #) : 0", "len(list) >= 0 ? reduce(list, #acc + #) : 0"},
		{"len(list) == 0 ? 0 : list[0]", "len(list) == 0 ? list[0] : 0"},
		{"len(list) != 0 ? list[-1] : 0", "len(list) != 1 ? list[-1] : 0"},
		{"0 < len(list) ? list[0] : 0", "0 <= len(list) ? list[0] : 0"},
		{"len(list) >= 3 ? list[2] : 0", "len(list) >= 2 ? list[2] : 0"},
		{"maybe != nil and len(maybe.tags) > 1 ? maybe.tags[1] : ''", "maybe != nil and len(maybe.tags) > 0 ? maybe.tags[1] : ''"},
		{"any(list, # > 1) ? list[0] : 0", "all(list, # > 1) ? list[0] : 0"},
		{"max(some) + 1", "max(list) + 1"},
		{"(max(list) ?? 0) + 1", "min(list) * 2"},
		{"groupBy(kept, #?.x)", "groupBy(kept, {x: #?.x})"},
		{"max(any) + 1", "max('x', 1)"},
		{"{(k): 1}", "{(maybe?.x): 1}"},
		{"sum(values({a: n, b: 2}))", "sum(values({a: n, b: text}))"},
		{"upper(keys({a: n})[0] ?? '')", "maybe?.[maybe.x]"},
		{"bitand(n, 1)", "bitand(maybe?.x, 1)"},
	} {
		if got := faultsOf(t, tc.good); got != "" {
			t.Errorf("%s: refused: %s", tc.good, got)
		}
		if got := faultsOf(t, tc.bad); got == "" {
			t.Errorf("%s: taken", tc.bad)
		}
	}
}
