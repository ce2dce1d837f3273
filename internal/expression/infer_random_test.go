package expression

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/nearest"
)

// calculations are expressions with places for others: n a number, i a whole number, t a text, b a condition, l a list, o an
// object, x anything. In brackets a place is within a loop, where # is an element.
var calculations = map[byte][]string{
	'n': {
		"n", "0.5", "some[0]", "i", "n + n", "n - n", "n * n", "n / n", "n ** n", "-n", "abs(n)", "round(n)", "max(l)", "max(n, l)", "min(n, n)",
		"mean(l)", "median(l)", "sum(l)", "sum(l, n)", "float(x)", "(n ?? n)", "(b ? n : n)", "reduce(l, #acc + n, n)", "reduce(l, #acc + #)",
		"maybe.x", "maybe?.x", "#", "#.x", "#?.y", "#acc",
	},
	'i': {
		"n", "few", "2", "0", "len(x)", "len(l)", "len(t)", "i % i", "i + i", "int(x)", "int(t)", "int(n)", "count(l, b)", "indexOf(t, t)", "findIndex(l, b)",
		"bitand(i, i)", "#index", "list[i]", "list[0]", "list[-1]", "some[few]", "(i ?? i)", "(b ? i : i)", "few - 1",
	},
	't': {
		"text", "k", "'a'", "'x'", "t + t", "upper(t)", "trim(t)", "string(x)", "toJSON(x)", "type(x)", "join(l, t)", "join(l)", "replace(t, t, t)",
		"repeat(t, i)", "split(t, t)[0]", "first(split(t, t))", "t[i:i]", "(t ?? t)", "(b ? t : t)", "maybe.tags[0]", "maybe?.tags?.[0]", "#",
		"toBase64(t)", "fromBase64(t)", "{'a': t, 'b': t}[k]", "{'a': t}[k]", "{'a': t}?.[k]",
	},
	'b': {
		"flag", "true", "n > n", "n <= n", "t < t", "x == x", "x != x", "x == nil", "x != nil", "b and b", "b or b", "not b", "k == 'a'", "k != 'b'", "few != 0",
		"few == 1", "len(l) > 0", "len(l) == 0", "len(list) > 1", "all(l, b)", "any(l, b)", "none(l, b)", "one(l, b)", "t contains t", "t matches t",
		"t startsWith t", "x in l", "x in o", "t in o", "hasPrefix(t, t)", "# != nil", "# == nil", "#?.y != nil", "maybe != nil", "(b ? b : b)", "all(kept, # != nil)",
	},
	'l': {
		"list", "some", "numbers", "kept", "[x, x]", "[n]", "[]", "filter(l, b)", "map(l, x)", "map(l, n)", "sort(l)", "sort(l, 'desc')", "sortBy(l, n)",
		"sortBy(l, x, t)", "reverse(l)", "uniq(l)", "concat(l, l)", "flatten(l)", "take(l, i)", "keys(o)", "values(o)", "toPairs(o)", "split(t, t)", "0..i",
		"l[i:i]", "(l ?? l)", "(b ? l : l)", "maybe.tags", "maybe?.tags", "groupBy(l, t)[t]", "values(groupBy(l, x))", "filter(kept, # != nil)",
	},
	'o': {
		"maybe", "{}", "{a: x}", "{a: n, b: t}", "{(t): x}", "groupBy(l, t)", "groupBy(l, n)", "fromPairs(l)", "fromPairs(toPairs(o))", "(o ?? o)", "(b ? o : o)",
		"kept[0]", "#", "find(kept, b)", "first(kept)", "last(l)",
	},
	'x': {
		"n", "t", "b", "l", "o", "i", "nil", "any", "any.p", "any?.p", "get(o, t)", "get(l, i)", "get(x, x)", "first(l)", "last(l)", "find(l, b)", "findLast(l, b)",
		"o.a", "o?.a", "o[t]", "o?.[t]", "o[x]", "l[i]", "l?.[i]", "l[x]", "fromJSON(t)", "reduce(l, x, x)", "(let v = x; v)", "(let v = x; v != nil ? v : x)",
		"#", "#?.x", "max(x)", "(x ?? x)", "(b ? x : x)", "kept[0]?.x",
	},
}

// filled is a calculation of a kind with its places filled in, in parentheses.
func filled(r *rand.Rand, kind byte, depth int) string {
	all := calculations[kind]
	text := all[r.IntN(len(all))]
	for tries := 0; depth > 3 && tries < 20 && places(text) > 0; tries++ {
		text = all[r.IntN(len(all))]
	}
	if depth > 6 {
		text = map[byte]string{'n': "0.5", 'i': "1", 't': "text", 'b': "flag", 'l': "list", 'o': "{}", 'x': "n + 0"}[kind]
	}
	var b strings.Builder
	for i := range len(text) {
		if place(text, i) && text != "n" {
			fmt.Fprintf(&b, "(%s)", filled(r, text[i], depth+1))
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// place says whether the letter at i stands alone.
func place(text string, i int) bool {
	letter := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '.' || c == '\'' || c == '#'
	}
	return strings.IndexByte("nitblox", text[i]) >= 0 && (i == 0 || !letter(text[i-1])) &&
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
	"no regular expression", "number of elements to take", "repeat: expected", "the order is neither", "shift by less", "longer than", "take more than",
	"turn more than", "more than 1000000", "lists of two", "nested more than",
}

// randomBoard is some values that fit the schema of these tests.
func randomBoard(t *testing.T, r *rand.Rand) map[string]any {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	return boardOf(t, fmt.Sprintf(`{"kept": %s, "numbers": %s, "some": %s, "list": %s, "maybe": %s, "n": %s, "k": %s, "few": %s, "flag": %s, "text": %s, "any": %s}`,
		pick("[]", "[null]", `[{"x": 1, "y": null}, null]`, `[{"x": 3, "y": 2.5}, {"x": -1, "y": 1}]`), pick("[]", "[1, null, 2.5]", "[1]"),
		pick("[3]", "[-1, 0, 5]"), pick("[]", "[1]", "[2, 1, 0, 7]"), pick("null", `{"x": 1, "tags": []}`, `{"x": 0, "tags": ["a", "b"]}`),
		pick("0", "1", "-3", "7"), pick(`"a"`, `"b"`, `"c"`), pick("0", "1", "2"), pick("true", "false"), pick(`""`, `"a"`, `"some words"`, `"12"`),
		pick("null", "1", `"t"`, "[]", `{"p": 1}`)))
}

// TestG7_WhatIsCheckedIsCalculated draws expressions of all operators and functions. What the check of types takes does not
// fail over values that fit the schemas, but for reasons of data alone.
func TestG7_WhatIsCheckedIsCalculated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	known := NoNames()
	for name, p := range TypeOfSchema(boardOf(t, narrowSchema)).Fields {
		known.Set(name, p)
	}
	taken, refused := 0, 0
	for range 6000 {
		text := filled(r, "nitblox"[r.IntN(7)], 0)
		e, fault := Compile(text)
		if fault != nil {
			continue
		}
		if _, faults := e.Check(Place{Names: known, Hints: new(nearest.Hints)}); len(faults) > 0 {
			refused++
			continue
		}
		taken++
		for range 6 {
			bb := randomBoard(t, r)
			if _, err := e.Result(NewScope(bb, nil)); err != nil && !reasonOfData(e, err) {
				t.Errorf("%v\nover %v", err, bb)
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
	calculated := strings.Contains(e.text, "[(") && strings.Contains(err.Error(), "it holds no") // a member that data names
	return calculated || strings.Contains(e.text, "any")                                         // what no schema declares
}
