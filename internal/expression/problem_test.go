package expression

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/nearest"
)

// TestProblems shows every problem once: at which character it is, what was expected, what was found, and what to write.
func TestProblems(t *testing.T) {
	known := schemaNames(t)
	for _, tc := range []struct {
		text   string
		offset int
		says   string
	}{
		{"amuont > 1", 0, `nothing that comes before is called "amuont"; if a text is meant, write 'amuont'`},
		{"list > 1", 5, `> does not go with a list ("list") and a whole number; it takes two numbers or two texts`},
		{"text + n", 5, `+ does not go with a text ("text") and a whole number ("n"); string(…) makes a text of a number`},
		{"text - n", 0, `- takes a number; "text" is a text`},
		{"not text", 4, `not takes a boolean; "text" is a text`},
		{"text and flag", 0, `and takes a boolean; "text" is a text`},
		{"n ? 1 : 2", 0, `a choice ( ? : ) takes a boolean; "n" is a whole number`},
		{"text in n", 8, `in takes a list, an object or null; "n" is a whole number`},
		{"n in ['a']", 2, `this is never true: "n" is a whole number, and an element of "[\"a\"]" is a text`},
		{"n .. text", 5, `.. takes a whole number; "text" is a text`},
		{"text contains n", 14, `contains takes a text or null; "n" is a whole number`},
		{"text matches '('", 13, "the pattern is no regular expression: missing closing ): `(`"},
		{"opt.z", 4, `"opt" holds no "z"; it holds a, b`},
		{"opt.a", 4, `"opt.a" may be missing: no schema requires it; write opt?.a ?? '…', or put a in required`},
		{"maybe.x", 6, `"maybe" may be null, and null holds nothing; write maybe?.x`},
		{"n.x", 2, `"n" is a whole number and holds no "x"`},
		{"list.x", 5, `"list" is a list and holds no "x"`},
		{"list['a']", 5, `"list" is a list and holds no "a"`},
		{"text[0]", 5, `"text" is a text, and a text has no elements; text[0:1] is its first character`},
		{"some[9]", 5, `"some" may have fewer elements than 10; write some?.[9] ?? '…', or give its schema minItems: 10`},
		{"nil.x", 3, `"." does not belong here`},
		{"opt[n]", 4, `"opt" is an object: expected the name of a member, found a whole number`},
		{"prices[n]", 7, `"prices" is an object: expected the name of a member, found a whole number`},
		{"uper(text)", 0, `there is no function "uper"; did you mean "upper"?`},
		{"now()", 0, "there is no function now: expressions have no clock; let an agent read the time"},
		{"text.upper()", 5, "values have no functions of their own; call a function by its name: len(items), not items.len()"},
		{"upper()", 0, "upper takes a text, found nothing"},
		{"upper(text, text)", 0, "upper takes a text, found 2 arguments"},
		{"replace(text)", 0, "replace takes a text, a text, a text and perhaps a whole number, found one argument"},
		{"max()", 0, "max takes one or more of: a number or a list, found nothing"},
		{"upper(n)", 6, `upper takes a text; "n" is a whole number`},
		{"filter(n, true)", 7, `filter takes a list; "n" is a whole number`},
		{"filter(list, #)", 13, `filter takes a boolean; "#" is a whole number`},
		{"map(list, nil)", 10, "map calculates something for each element, and this is nil, whatever the element is"},
		{"map(list, #acc)", 10, "#acc is known in reduce alone; # is the element"},
		{"filter(list, #index > 0)", 13, "#index is known in map and reduce alone, and not in filter; # is the element"},
		{"map(list, #item)", 10, "there is no #item; # is the element, and .item its member"},
		{"sort(text)", 5, `sort takes a list; "text" is a text`},
		{"sortBy(list, #, 'up')", 16, "the order is 'asc' or 'desc', and this is 'up'"},
		{"sum(kept)", 4, "sum adds numbers; an element is an object or null; write sum(filter(kept, # != nil))"},
		{"reduce(list, #acc + #)", 0, "reduce of a list that may be empty needs a value to begin with; write it as the third argument, reduce(list, …, 0), ask len(list) > 0 before, or give the schema minItems: 1"},
		{"get(text, 1)", 4, `"text" is a text, and a text has no elements; text[0:1] is its first character`},
		{"take(list, 1.5)", 11, "take takes a whole number; 1.5 is calculated with fractions; int(…) makes a whole number of it"},
		{"list[0:'a']", 7, `[from:to] takes a whole number; "a" is a text`},
		{"let len = 1; len", 4, "let cannot name a value len, for that is a function; choose another name"},
		{"let x = 1; let x = 2; x", 15, "let names x twice; choose another name"},
		{"let n = n; n", 4, "let cannot name a value n, for the expression reads that name, too; choose another"},
		{"b'ab'", 0, "b'…' is no text: values are JSON, which has no bytes; leave out the b"},
		{"$env[n]", 4, `$env is read by name: $env["a-name"]`},
		{"$env", 0, `$env stands for the blackboard and is read by name: $env["a-name"]`},
		{"k == 'd'", 5, `this is never true: "k" is never 'd', only 'a', 'b' or 'c'`},
		{"n == text", 2, `== does not go with a whole number ("n") and a text ("text"): they are never equal`},
		{"10 % 0", 3, "10 % 0 fails in every run: the divisor is 0, and nothing can be divided by 0"},
		{"n / 0", 2, "nothing can be divided by 0"},
		{"int('x')", 0, `int("x") fails in every run: int makes no number of the text "x"`},
		{"null", 0, "there is no null here; write nil"},
		{"1 +", 2, "the expression ends in the middle"},
		{"1 = 2", 2, `"=" does not belong here; == compares`},
		{"n is 1", 2, `"is" does not belong here; == compares`},
		{"1 <> 2", 3, `">" does not belong here; != compares`},
		{"in > 1", 0, `"in" does not belong here; it is a word of the language, and a name that is called so is written $env["in"]`},
		{"{{ n }}", 1, "braces are for texts; here the expression stands alone, as in review == 'approve'"},
		{"map(list, {a: #})", 12, `":" does not belong here; in map, filter and the like an object has braces of its own: map(list, {{name: #}})`},
		{"filter(list)", 11, "filter takes a list and what is calculated for each element; an argument is missing"},
		{"a ?? b == c", 7, "?? and == need parentheses around one of them: (a ?? b) == c"},
		{"'abc", 0, "the text that begins here is not closed; expected another '"},
		{`'a\q'`, 3, `a backslash in a text begins an escape, as in \n, \', \\ or \u00e9; this is none`},
		{"n /* c", 2, "the comment that begins here is not closed; it ends with */"},
		{"@", 0, "the character '@' does not belong here"},
		{"12abc", 0, "12a is no number; a name begins with a letter"},
		{"99999999999999999999", 0, "99999999999999999999 is too large, or no number"},
		{"n.", 1, "the expression ends in the middle"},
		{"n.(1)", 2, "expected the name of a member after the dot, found ("},
		{"f(1; 2)", 3, `";" does not belong here; a let or several steps in a loop stand in braces: map(list, {let x = #; x + 1})`},
		{"1 2", 2, `"2" does not belong here`},
		{"(1", 0, "the ( that begins here is not closed; expected )"},
		{"1 + max(n, len(text)", 7, "the ( that begins here is not closed; expected )"},
		{"[n, {a: n}", 0, "the [ that begins here is not closed; expected ]"},
		{"(1 +", 3, "the expression ends in the middle"},
		{"${NAME}", 1, `"${NAME}" is no expression; a name is written as it is: NAME`},
		{"`abc", 0, "the text that begins here is not closed; expected another `"},
		{"0x", 0, "0x is too large, or no number"},
		{"#", 0, `"#" does not belong here`},
	} {
		e, fault := Compile(tc.text)
		faults := []Fault{}
		if fault != nil {
			faults = append(faults, *fault)
		} else {
			_, faults = e.Check(Place{Names: known, Hints: new(nearest.Hints)})
		}
		if diff := cmp.Diff([]Fault{{tc.offset, tc.says}}, faults); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.text, diff)
		}
	}
}
