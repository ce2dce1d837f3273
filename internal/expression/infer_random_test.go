package expression

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/expr-lang/expr/ast"

	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/nearest"
)

// calculations are expressions with places for others: n a number, i a whole number, t a text, b a condition, l a list, o an
// object, x anything. In brackets a place is within a loop, where # is an element.
var calculations = map[byte][]string{
	'n': {
		"n", "0.5", "2.0", "some[0]", "i", "n + n", "n - n", "n * n", "n / n", "n ** n", "-n", "abs(n)", "round(n)", "max(l)", "max(n, l)", "min(n, n)",
		"mean(l)", "median(l)", "sum(l)", "sum(l, n)", "float(x)", "(n ?? n)", "(b ? n : n)", "reduce(l, #acc + n, n)", "reduce(l, #acc + #)",
		"half", "prices[t]", "(prices?.[t] ?? n)", "opt?.a ?? n", "maybe.x", "maybe?.x", "#", "#.x", "#?.y", "#acc", "#[1]", "6 / 2", "fromJSON(toJSON(n))", "type(x) in ['int', 'float'] ? 1 : n",
	},
	'i': {
		"n", "few", "2", "0", "len(x)", "len(l)", "len(t)", "i % i", "i + i", "int(x)", "int(t)", "int(n)", "count(l, b)", "indexOf(t, t)", "findIndex(l, b)",
		"bitand(i, i)", "#index", "list[i]", "list[0]", "list[-1]", "some[few]", "(i ?? i)", "(b ? i : i)", "few - 1", "2.0", "t[i]", "get(t, i)",
	},
	't': {
		"opt.b", "rows[0][0]", "(mixed ?? t)", "text", "k", "'a'", "'x'", "t + t", "upper(t)", "trim(t)", "string(x)", "toJSON(x)", "type(x)", "join(l, t)", "join(l)", "replace(t, t, t)",
		"repeat(t, i)", "split(t, t)[0]", "first(split(t, t))", "t[few:i]", "(t ?? t)", "(b ? t : t)", "maybe.tags[0]", "maybe?.tags?.[0]", "#",
		"toBase64(t)", "fromBase64(t)", "{'a': t, 'b': t}[k]", "{'a': t}[k]", "{'a': t}?.[k]", "#[0]", "keys(o)[0]", "first(keys(o))",
	},
	'b': {
		"flag", "true", "n > n", "n <= n", "t < t", "x == x", "x != x", "x == nil", "x != nil", "b and b", "b or b", "not b", "k == 'a'", "k != 'b'", "few != 0",
		"few == 1", "len(l) > 0", "len(l) == 0", "len(list) > 1", "all(l, b)", "any(l, b)", "none(l, b)", "one(l, b)", "t contains t", "t matches t",
		"t startsWith t", "x in l", "x in o", "t in o", "hasPrefix(t, t)", "# != nil", "# == nil", "#?.y != nil", "maybe != nil", "(b ? b : b)", "all(kept, # != nil)",
		"type(x) == 'int'", "type(x) != 'nil'", "type(maybe) == 'map'", "type(#) == 'string'", "type(#) in ['int', 'float']", "type(l) == 'array'",
	},
	'l': {
		"rows", "rows[i]", "either", "flatten(rows)", "(type(either) == 'array' ? either : l)", "list", "some", "numbers", "kept", "[x, x]", "[n]", "[]", "filter(l, b)", "map(l, x)", "map(l, n)", "sort(l)", "sort(l, 'desc')", "sortBy(l, n)",
		"sortBy(l, x, t)", "reverse(l)", "uniq(l)", "concat(l, l)", "flatten(l)", "take(l, i)", "keys(o)", "values(o)", "toPairs(o)", "split(t, t)", "0..i",
		"l[few:i]", "l[:i]", "(l ?? l)", "(b ? l : l)", "maybe.tags", "maybe?.tags", "groupBy(l, t)[t]", "values(groupBy(l, x))", "filter(kept, # != nil)",
		"[t, x]", "map(l, [t, x])", "map(toPairs(o), #[1])", "filter(toPairs(o), b)", "filter(l, type(#) == 'string')", "filter(l, type(#) in ['int', 'float'])",
		"toPairs(groupBy(l, x))",
	},
	'o': {
		"prices", "opt", "either", "(type(either) == 'map' ? either : o)", "maybe", "{}", "{a: x}", "{a: n, b: t}", "{(t): x}", "groupBy(l, t)", "groupBy(l, n)", "fromPairs(l)", "fromPairs(toPairs(o))", "(o ?? o)", "(b ? o : o)",
		"kept[0]", "#", "find(kept, b)", "first(kept)", "last(l)", "{(k): x}", "{a: n, (t): x}", "{(t): x, b: t}", "fromPairs(map(l, [t, x]))",
		"fromPairs(map(l, [x, x]))", "fromJSON(toJSON(o))", "(type(x) == 'map' ? o : o)",
	},
	'x': {
		"mixed", "either", "prices.a", "prices?.a", "opt.a", "opt?.a", "opt[k]", "opt?.[k]", "get(opt, k)", "get(either, x)", "either?.[x]",
		"n", "t", "b", "l", "o", "i", "nil", "any", "any.p", "any?.p", "get(o, t)", "get(l, i)", "get(x, x)", "first(l)", "last(l)", "find(l, b)", "findLast(l, b)",
		"o.a", "o?.a", "o[t]", "o?.[t]", "o[x]", "l[i]", "l?.[i]", "l[x]", "fromJSON(t)", "reduce(l, x, x)", "(let v = x; v)", "(let v = x; v != nil ? v : x)",
		"#", "#?.x", "max(x)", "(x ?? x)", "(b ? x : x)", "kept[0]?.x", "o.b", "o['b']", "get(o, 'a')", "fromJSON(toJSON(x))", "#[0]", "#?.[1]", "l[0]?.[1]",
		"(let v = x; type(v) == 'string' ? upper(v) : x)", "(let v = x; type(v) in ['int', 'float'] ? v + 1 : x)", "(let v = x; type(v) == 'map' ? keys(v) : x)",
		"(let v = x; type(v) != 'nil' ? v : x)", "(let v = x; type(v) == 'array' ? len(v) : x)", "(type(any) == 'int' ? any + 1 : x)", "[x, t][1]", "[l, t, n][0]",
	},
}

// undeclared says whether a calculation brings what no schema declares.
func undeclared(text string) bool {
	return strings.Contains(text, "any.") || strings.Contains(text, "any?") || strings.Contains(text, "(any)") || text == "any" || strings.Contains(text, "fromJSON(t)")
}

// drawer draws calculations.
type drawer struct {
	*rand.Rand
	known Names
	open  bool // what no schema declares may be among them
}

// checked is the expression, and whether the check takes it; nil where it is none.
func (d drawer) checked(text string) (e *Expression, taken bool) {
	e, fault := Compile(text)
	if fault != nil {
		return nil, false
	}
	_, faults := e.Check(Place{Names: d.known, Hints: new(nearest.Hints)})
	return e, len(faults) == 0
}

// part is a calculation in the place of another. Most parts are ones that the check takes, so that it takes some of the whole.
func (d drawer) part(kind byte, depth int) string {
	text := d.filled(kind, depth)
	for range d.IntN(5) {
		if _, taken := d.checked(text); taken || strings.Contains(text, "#") {
			break
		}
		text = d.filled(kind, depth)
	}
	return text
}

func (d drawer) calculation(kind byte) string {
	all := calculations[kind]
	for {
		if text := all[d.IntN(len(all))]; d.open || !undeclared(text) {
			return text
		}
	}
}

// filled is a calculation of a kind with its places filled in, in parentheses.
func (d drawer) filled(kind byte, depth int) string {
	text := d.calculation(kind)
	for tries := 0; depth > 3 && tries < 20 && places(text) > 0; tries++ {
		text = d.calculation(kind)
	}
	if depth > 6 {
		text = map[byte]string{'n': "0.5", 'i': "1", 't': "text", 'b': "flag", 'l': "list", 'o': "{}", 'x': "n + 0"}[kind]
	}
	var b strings.Builder
	for i := range len(text) {
		if place(text, i) && text != "n" {
			fmt.Fprintf(&b, "(%s)", d.part(text[i], depth+1))
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// place says whether the letter at i stands alone.
func place(text string, i int) bool {
	letter := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '\'' || c == '#'
	}
	member := i > 0 && text[i-1] == '.' && !strings.HasSuffix(text[:i], "..")
	return strings.IndexByte("nitblox", text[i]) >= 0 && !member && (i == 0 || !letter(text[i-1])) &&
		(i+1 == len(text) || !letter(text[i+1]) && text[i+1] != ':' && text[i+1] != '(')
}

func places(text string) int {
	found := 0
	for i := range len(text) {
		if place(text, i) {
			found++
		}
	}
	return found
}

// ofData is what a calculation can fail of that no schema shows.
var ofData = []string{
	"the divisor is 0", "no finite number", "and none with the number", "makes no number of", "fromJSON:", "is not base64",
	"no regular expression", "less than 0 times", "the order is neither", "shift by less", "longer than", "take more than",
	"turn more than", "more than 1000000", "lists of two, found a list", "nested more than",
}

// randomBoard is some values that fit the schema of these tests.
func randomBoard(t *testing.T, r *rand.Rand) map[string]any {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	bb := boardOf(t, fmt.Sprintf(`{"half": %s, "mixed": %s, "rows": %s, "prices": %s, "opt": %s, "either": %s}`,
		pick("0", "1.0", "-2.5"), pick(`"a"`, "1", "null"), pick("[]", `[["a"], [null, "b"]]`), pick("{}", `{"a": 1, "12": 2.5}`),
		pick(`{"b": "a"}`, `{"a": 1, "b": ""}`), pick("[]", "[1]", "{}", `{"a": 2}`)))
	maps.Copy(bb, boardOf(t, fmt.Sprintf(`{"kept": %s, "numbers": %s, "some": %s, "list": %s, "maybe": %s, "n": %s, "k": %s, "few": %s, "flag": %s, "text": %s, "any": %s}`,
		pick("[]", "[null]", `[{"x": 1, "y": null}, null]`, `[{"x": 3, "y": 2.5}, {"x": -1, "y": 1}]`), pick("[]", "[1, null, 2.5]", "[1]"),
		pick("[3]", "[-1, 0, 5]"), pick("[]", "[1]", "[2, 1, 0, 7]"), pick("null", `{"x": 1, "tags": []}`, `{"x": 0, "tags": ["a", "b"]}`),
		pick("0", "1", "-3", "7"), pick(`"a"`, `"b"`, `"c"`), pick("0", "1", "2"), pick("true", "false"), pick(`""`, `"a"`, `"some words"`, `"12"`),
		pick("null", "1", `"t"`, "[]", `{"p": 1}`))))
	return bb
}

// TestG7_WhatIsCheckedIsCalculated draws expressions of all operators and functions, with FERMATA_EXPLORE so many and from
// FERMATA_SEED on. What the check of types takes does not fail over values that fit the schemas, but for reasons of data alone.
func TestG7_WhatIsCheckedIsCalculated(t *testing.T) {
	r := rand.New(rand.NewPCG(lawtest.FromEnvironment(t, "FERMATA_SEED", 1), 7))
	known := NoNames()
	for name, p := range TypeOfSchema(boardOf(t, narrowSchema)).Fields {
		known.Set(name, p)
	}
	taken, refused := 0, 0
	for range lawtest.FromEnvironment(t, "FERMATA_EXPLORE", 3000) {
		d := drawer{Rand: r, known: known, open: r.IntN(4) == 0}
		text := d.filled("nitblox"[r.IntN(7)], 0)
		e, right := d.checked(text)
		if !right {
			refused++
			continue
		}
		taken++
		for range 6 {
			bb := randomBoard(t, r)
			if _, err := e.Result(NewScope(bb, nil)); err != nil && !d.open && !reasonOfData(e, err) {
				t.Errorf("%s\n%v\nover %v", text, err, bb)
				break
			}
		}
	}
	t.Logf("%d expressions were taken, %d refused", taken, refused)
	if taken < 100 || refused < 100 {
		t.Errorf("%d expressions were taken and %d refused: expected more of both", taken, refused)
	}
}

func reasonOfData(e *Expression, err error) bool {
	for _, why := range ofData {
		if strings.Contains(err.Error(), why) {
			return true
		}
	}
	return byKey(e.root) && strings.Contains(err.Error(), "it holds no") // a member that data names
}

// byKey says whether an expression reads a member whose name is calculated.
func byKey(n ast.Node) bool {
	if m, ok := n.(*ast.MemberNode); ok {
		if _, named := m.Property.(*ast.StringNode); !named {
			return true
		}
	}
	return slices.ContainsFunc(children(n), byKey)
}
