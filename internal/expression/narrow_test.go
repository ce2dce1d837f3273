package expression

import (
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/nearest"
)

// narrowSchema is what the expressions of these tests are about.
const narrowSchema = `{"type": "object", "additionalProperties": false,
	"required": ["kept", "numbers", "some", "maybe", "n", "k", "flag", "text", "few", "list", "any", "half", "mixed", "rows", "prices", "opt", "either"], "properties": {
	"kept": {"type": "array", "items": {"type": ["object", "null"], "properties": {"x": {"type": "integer"}, "y": {"type": ["number", "null"]}}, "required": ["x", "y"], "additionalProperties": false}},
	"numbers": {"type": "array", "items": {"type": ["number", "null"]}},
	"some": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
	"list": {"type": "array", "items": {"type": "integer"}},
	"maybe": {"type": ["object", "null"], "properties": {"x": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}}, "required": ["x", "tags"], "additionalProperties": false},
	"n": {"type": "integer"}, "k": {"enum": ["a", "b", "c"]}, "few": {"enum": [0, 1, 2]}, "flag": {"type": "boolean"},
	"text": {"type": "string"}, "any": {}, "half": {"type": "number"}, "mixed": {"type": ["string", "integer", "null"]},
	"rows": {"type": "array", "items": {"type": "array", "items": {"type": ["string", "null"]}, "minItems": 1}},
	"prices": {"type": "object", "additionalProperties": {"type": "number"}},
	"opt": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["b"], "additionalProperties": false},
	"either": {"type": ["array", "object"], "items": {"type": "integer"}, "properties": {"a": {"type": "integer"}}, "additionalProperties": false}}}`

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
		{"type(maybe) == 'map' ? maybe.x : 0", "type(maybe) == 'nil' ? maybe.x : 0"},
		{"type(maybe) != 'nil' ? maybe.x : 0", "type(maybe) != 'map' ? maybe.x : 0"},
		{"not ('map' != type(maybe)) ? maybe.x : 0", "not ('map' == type(maybe)) ? maybe.x : 0"},
		{"type(maybe?.tags) == 'array' ? maybe.x : 0", "type(maybe?.tags) == 'nil' ? maybe.x : 0"},
		{"sum(filter(numbers, type(#) in ['int', 'float']))", "sum(filter(numbers, not (type(#) in ['int'])))"},
		{"let v = fromJSON(text); type(v) == 'map' ? keys(v) : []", "let v = fromJSON(text); type(v) == 'string' ? keys(v) : []"},
		{"type(opt?.a) != 'nil' ? opt.a : 0", "type(opt?.a) == 'nil' ? opt.a : 0"},
		{"type(opt?.a) in ['int', 'float'] ? opt.a : 0", "type(opt?.a) in ['int', 'float'] ? 0 : opt.a"},
		{"let v = any; type(v) in ['int', 'float'] ? v + 1 : 0", "let v = any; type(v) in ['int', 'nil'] ? v + 1 : 0"},
		{"let v = flag ? some : maybe; type(v) == 'array' ? v[0] : get(v, 'x')", "let v = flag ? some : maybe; get(v, 'x')"},
		{"(flag ? any : 0) + 1", "(flag ? any : nil) + 1"},
		{"groupBy(list, flag ? any : n)", "groupBy(list, flag ? any : list)"},
	} {
		if got := faultsOf(t, tc.good); got != "" {
			t.Errorf("%s: refused: %s", tc.good, got)
		}
		if got := faultsOf(t, tc.bad); got == "" {
			t.Errorf("%s: taken", tc.bad)
		}
	}
}

// TestTypesOfWhatIsMade checks what functions make: what is right for it is taken, and what is wrong for it refused.
func TestTypesOfWhatIsMade(t *testing.T) {
	for _, tc := range []struct{ good, bad string }{
		{"{(k): n}?.a ?? 0", "{(k): n}.a"},
		{"sum(values({(k): n}))", "sum(values({(k): n, a: text}))"},
		{"{('a'): n}.a + 1", "{a: n, (k): text}.a + 1"},
		{"keys({(k): n})", "map(keys({(k): n}), # + 1)"},
		{"groupBy(list, # > 1)[true]", "groupBy(list, # > 1)[list]"},
		{"map(keys(groupBy(list, #)), # + 1)", "map(keys(groupBy(list, #)), upper(#))"},
		{"map(values(groupBy(list, k)), #[0] + 1)", "map(values(groupBy(list, k)), #[1] + 1)"},
		{"'1' in groupBy(list, #)", "list in groupBy(list, #)"},
		{"(flag ? groupBy(list, #) : {})?.['1']", "(flag ? groupBy(list, #) : {})?.[1]"},
		{"sum(toPairs({a: n, b: 1}), #[1])", "sum(toPairs({a: n, b: 1}), #[0])"},
		{"join(map(toPairs({a: n}), #[0] + '=' + string(#[1])))", "map(toPairs({a: n}), #[2])"},
		{"sum(values(fromPairs(map(list, [string(#), #]))))", "sum(values(fromPairs(map(list, [#, string(#)]))))"},
		{"fromPairs(map(list, [#, #]))?.[1]", "fromPairs(map(list, [#, #])).a"},
		{"fromPairs(map(list, [k, #]))", "fromPairs(map(list, [[#], #]))"},
		{"fromPairs(map(list, [k, #]))", "fromPairs(map(list, [k, #, #]))"},
		{"fromPairs(map(list, [k, #]))", "fromPairs(map(list, flag ? [k, #] : [k]))"},
		{"fromPairs(map(split(text, ','), split(#, '=')))", "fromPairs(split(text, ','))"},
		{"[n, text][1] + '!'", "[n, text][0] + '!'"},
		{"first([text, n]) + '!'", "last([text, n]) + '!'"},
		{"get({a: n}, 'a') + 1", "get({a: n}, k) + 1"},
		{"get(list, 0) ?? 0", "get(list, 0) + 1"},
		{"get(maybe, 'x')", "get(maybe, n)"},
		{"get(list, n)", "get(list, k)"},
		{"get(groupBy(list, #), n)", "get(groupBy(list, #), list)"},
		{"fromJSON(toJSON(maybe))?.x", "fromJSON(toJSON(maybe)).x"},
		{"fromJSON(text).a + 1", "fromJSON(toJSON({a: text})).a + 1"},
		{"first([]) ?? n", "first([]) + n"},
		{"find([], # > 1) ?? n", "find([], # > 1) + n"},
		{"sum(concat(flatten([]), list))", "sum(concat(flatten([]), list), #.x)"},
		{"sum(values({}))", "first(values({})) + 1"},
		{"reduce(list, # + (#acc ?? 0), nil)", "reduce(list, #acc + #, nil)"},
		{"len(reduce(list, [#acc], []))", "len(reduce(list, [#acc], nil))"},
		{"reduce(list, #acc + reduce(some, #acc + reduce(list, # + #acc, 0), 0), 0) + 1", "reduce(list, reduce(list, reduce(list, n, nil) + 1, 0), 0)"},
		{"list?.[max(map(list, any)) ?? 0]", "list?.[max(map(list, any))]"},
		{"some[1:2]?.[0]", "some[1:2][0]"},
		{"string([text, n][1:2]?.[0]) + '!'", "([text, n][0:1]?.[0] ?? '') + '!'"},
		{"[text, n][0] + '!'", "reverse([text, n])[0] + '!'"},
		{"let p = [maybe, maybe]; all(p, # != nil) ? p[0].x : 0", "let p = [maybe, maybe]; any(p, # != nil) ? p[0].x : 0"},
		{"fromJSON(toJSON(groupBy(list, #)))?.['1']", "fromJSON(toJSON(groupBy(list, #)))?.[1]"},
		{"(max(map(list, any)) ?? 0) + 1", "max(map(list, any)) + 1"},
		{"max(map(any, # * 2)) + 1", "max(map([], # * 2)) + 1"},
		{"type(n) == 'int'", "type(n) == 'integer'"},
		{"type(n) in ['int', 'float']", "type(n) in ['int', 'number']"},
		{"maybe?.tags?.[2.0]", "maybe?.tags?.[2.5]"},
		{"maybe?.tags?.[6 / 2]", "maybe?.tags?.[n / 2]"},
		{"list?.[int(n / 2)]", "list?.[n / 2]"},
		{"take(some, few - 1)", "last(take(some, few - 1)) + 1"},
		{"map(list, reduce([], #acc, #) + 1)", "map(kept, reduce([1], #acc, #) + 1)"},
	} {
		if got := faultsOf(t, tc.good); got != "" {
			t.Errorf("%s: refused: %s", tc.good, got)
		}
		if got := faultsOf(t, tc.bad); got == "" {
			t.Errorf("%s: taken", tc.bad)
		}
	}
}
