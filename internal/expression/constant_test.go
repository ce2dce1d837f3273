package expression

import (
	"strings"
	"testing"
	"time"
)

// TestConstants checks that what is the same in every run is calculated when a recipe is loaded: that it fails is said
// then, where it stands; and what it may do in some run is not complained about.
func TestConstants(t *testing.T) {
	for expr, want := range map[string]string{
		"int('abc')":                         `int("abc") fails in every run: int makes no number of the text "abc"`,
		"n > 1 ? int('abc') : 1":             `int("abc") fails in every run`,
		"let x = 'abc'; n > 1 ? int(x) : 1":  `int makes no number of 'abc', and "x" is that`,
		"int(k)":                             `int makes no number of 'a', and "k" may be that`,
		"int(k == 'a' ? '1' : '2')":          "",
		"10 % few":                           `nothing can be divided by 0, and "few" may be 0`,
		"10 / few":                           `nothing can be divided by 0, and "few" may be 0`,
		"10 / few > 1":                       "",
		"few != 0 ? 10 % few : 0":            "",
		"few == 0 ? 0 : 10 % few":            "",
		"few == 2 ? 10 % few : 0":            "",
		"10 % n":                             "",
		"{'a': 1}[k]":                        `"{a: 1}" holds no "b", and "k" may be 'b'; it holds a; write {a: 1}?.[k]`,
		"{'a': 1}?.[k] ?? 0":                 "",
		"{'a': 1, 'b': 2, 'c': n}[k]":        "",
		"k == 'a' ? {'a': 1}[k] : 0":         "",
		"k != 'c' ? {'a': 1, 'b': n}[k] : 0": "",
		"k != 'c' ? {'a': 1}[k] : 0":         `holds no "b"`,
		"not (k in ['b', 'c']) ? 1 : 0":      "",
		"k != 'a' and k != 'b' and k == 'c'": "",
		"k == 'a' and k != 'b'":              "",
		"k == 'a' or k == 'd'":               "never",
		"maybe[n]":                           "expected the name of a member",
		"some[few]":                          "may have fewer elements than 3",
		"list[n]":                            "",
		"n in maybe":                         "takes a text",
		"'a' in maybe":                       "",
		"n in groupBy(list, #)":              "",
		"groupBy(list, #)[n] ?? []":          "",
		"map(list, # + int('abc'))":          `int("abc") fails in every run`,
		"let x = 'abc'; int(x) + n":          `"x" is that`,
		"let x = 'abc'; int(x)":              `int(x) fails in every run`,
		"int('12') + n":                      "",
		"1 > 2 ? int('abc') : 1":             "",
		"2 ** 5000":                          "2 ** 5000 fails in every run: the value has no form in JSON",
		"[2 ** 5000, n]":                     "2 ** 5000 fails in every run",
		"n < 2 ** 5000":                      "",
		"1 / 0 > n":                          "",
		"n + 10 % 0":                         "10 % 0 fails in every run: the divisor is 0",
		"fromJSON('{')":                      "fails in every run: fromJSON: unexpected EOF",
		"fromJSON('[1]')[3]":                 "it has 1 elements and none with the number 3",
		"{'a': 1}['b']":                      `holds no "b"`,
		"{'a': 1}[text]":                     "",
		"[1, 2][n]":                          "",
		"repeat('a', -1)":                    "fails in every run: repeat: a text cannot be repeated less than 0 times",
		"take([1, 2], -1)":                   "",
		"1..100000000":                       "1..100000000 fails in every run: the lists that the expression makes have more than 1000000 elements",
		"len(1..100)":                        "",
		"fromBase64('?')":                    "fails in every run: the text is not base64",
		"all(1..1000, all(1..1000, # > 0))":  "", // it turns too often for now, and not for a run
		"repeat('x', 2000000)":               "",
		"sortBy(list, #, 'up')":              "the order is 'asc' or 'desc', and this is 'up'",
		"get({'a': 1}, 'b')":                 "",
		"take([1], 1.0)":                     "take takes a whole number; 1 is calculated with fractions; int(…) makes a whole number of it",
		"take([1], 1.5)":                     "take takes a whole number",
		"get('abc', 1)":                      "a text has no elements; text[0:1] is its first character",
		"get(1, 1)":                          "1 is a whole number and has no elements",
		"[1, 2][0:1.0]":                      "[from:to] takes a whole number; 1 is calculated with fractions",
		"text matches '('":                   "missing closing",
		"text matches 'a' + '('":             "",
		"reduce([1], #acc + #)":              "",
		"reduce(filter([1], # > 1), #acc+#)": "reduce of a list that may be empty",
	} {
		got := faultsOf(t, expr)
		if want == "" && got != "" || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s: got %q; expected %q", expr, got, want)
		}
	}
}

// TestConstants_bounded checks that recipes cannot make loading work: neither by loops, nor by chains in chains.
func TestConstants_bounded(t *testing.T) {
	chains := strings.Repeat("1 < len(string(", 200) + "2" + strings.Repeat(")) < 3", 200)
	if _, fault := Compile(chains); fault == nil || !strings.Contains(fault.Message, "comparisons in comparisons") {
		t.Errorf("chains in chains: %+v", fault)
	}
	loops := strings.TrimSuffix(strings.Repeat("len(1..900000 | map(string(#))) + ", 100), "+ ")
	start := time.Now()
	if got := faultsOf(t, loops); got != "" {
		t.Errorf("%s", got)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("loading took %s", took)
	}
}
