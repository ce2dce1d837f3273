package expression

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/nodehost"
)

// boardOf reads a blackboard from JSON.
func boardOf(t testing.TB, text string) map[string]any {
	t.Helper()
	v, err := document.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return m
}

const sample = `{
	"n": 3, "big": 9007199254740993, "huge": 123456789012345678901, "f": 2.5, "s": "text", "yes": true, "nothing": null,
	"list": [1, 2, {"x": "y"}], "names": ["b", "a"], "o": {"a": {"b": [10]}, "k": "v"}, "a-b": 7,
	"items": [{"p": 2, "done": true}, {"p": 3}], "whole": 1.0
}`

func TestExpressionValues(t *testing.T) {
	for _, tc := range []struct{ expr, want string }{
		{"n + 1", "4"},
		{"big", "9007199254740993"},
		{"big + 1", "9007199254740994"},
		{"n / 2", "1.5"},
		{"6 / 2", "3"},
		{"f * 2", "5"},
		{"s + '!'", `"text!"`},
		{"[n, s, nil]", `[3,"text",null]`},
		{"{a: n, 'b': o.k}", `{"a":3,"b":"v"}`},
		{"o.a.b[0]", "10"},
		{"o['k']", `"v"`},
		{"list[-1].x", `"y"`},
		{"list[2]?.z", "null"},
		{"findLast(names, # < 'c')", `"a"`},
		{"string(findLast(names, # > 'x')) + upper(findLast(names, # == 'b'))", `"nullB"`},
		{"[n, findLastIndex(names, # < 'c'), findLastIndex(names, # == 'b'), findLastIndex(names, # > 'x'), n]", "[3,1,0,null,3]"},
		{"o?.zz.yy.xx", "null"},
		{"nope?.a.b", "null"},
		{"nope ?? 'x'", `"x"`},
		{"o.zz ?? o.k", `"v"`},
		{"nope.a.b ?? 1", "1"},
		{"list[9] ?? 0", "0"},
		{"nothing ?? 'x'", `"x"`},
		{"nothing", "null"},
		{"nope == nil", "true"},
		{"nil != o.zz", "false"},
		{"$env['a-b'] + 1", "8"},
		{"$env['nope'] ?? 2", "2"},
		{"let x = n; let y = x + 1; x * y", "12"},
		{"if n > 2 { 'big' } else { 'small' }", `"big"`},
		{"map(items, .p * 10)", "[20,30]"},
		{"filter(items, .done ?? false) | map(.p)", "[2]"},
		{"sum(items, .p) + reduce(1..3, #acc + #, 0)", "11"},
		{"groupBy(items, .p > 2)", `{"false":[{"done":true,"p":2}],"true":[{"p":3}]}`},
		{"sort(names)", `["a","b"]`},
		{"join(names, '-')", `"b-a"`},
		{"join([1, 'x'])", `"1x"`},
		{"replace('aaa', 'a', 'bb', 2)", `"bbbba"`},
		{"repeat('ab', 3)", `"ababab"`},
		{"fromJSON('{\"a\": 9007199254740993}').a", "9007199254740993"},
		{"toJSON(1)", `"1"`},
		{"1 < n <= 3 and s matches '^t' and 'k' in o", "true"},
		{"'b' in names and n in [1, 3]", "true"},
		{"n == 3.0", "true"},
		{"0..2", "[0,1,2]"},
		{"len(s) + len(list) + len(o)", "9"},
		{"get(o, 'zz')", "null"},
		{"s[0:2]", `"te"`},
		{"keys({a: 1})", `["a"]`},
		{"keys({d: 1, b: 2, a: 3, c: 4})", `["a","b","c","d"]`},
		{"values({d: 1, b: 2, a: 3, c: 4})", `[3,2,4,1]`},
		{"map(toPairs({b: 2, a: 1}), string(#[1]) + #[0])", `["1a","2b"]`},
		{"sortBy(toPairs({b: 1, a: 2}), #[1])", `[["b",1],["a",2]]`},
		{"toPairs({a: 1}) == [['a', 1]]", "true"},
		{"keys(groupBy([2, 'x', 1.5, true, 1, nil], #))", `[null,true,1,1.5,2,"x"]`},
		{"groupBy([1, '1', 2], #)", `{"1":[1,"1"],"2":[2]}`},
		{"fromPairs([[1, 'number'], ['1', 'text']])", `{"1":"text"}`},
		{"fromPairs(toPairs(groupBy(list[0:2], #)))", `{"1":[1],"2":[2]}`},
		{"map(names, reduce([1, 2], #acc + string(#), #))", `["b12","a12"]`},
		{"map([1, 2], reduce([], #acc + #, #))", "[1,2]"},
		{"map(['desc', 'asc'], reduce(sortBy([1, 2], #, #), #acc * 10 + #))", "[21,12]"},
		{"map([1, 2], reduce([3], #acc + reduce([5], #acc + #, #), #))", "[9,10]"},
		{"get(groupBy([1, 2, 1], #), 1)", "[1,1]"},
		{"get(list, -3) + get(nothing ?? list, 1.5)", "3"},
		{"[get(list, 7), get(o, 'zz'), get(nothing, 'a'), get(n, 1)]", "[null,null,null,null]"},
		{"take(list, n - 9)", "[]"},
		{"take(list, 2.0)", "[1,2]"},
		{"list[6 / 6]", "2"},
		{"list[whole] + whole % 2", "3"},
		{"type(s[0])", `"int"`},
		{"toPairs({a: 1})", `[["a",1]]`},
		{"split('a,b', ',')", `["a","b"]`},
	} {
		e, fault := Compile(tc.expr)
		if fault != nil {
			t.Errorf("%s: %s at %d", tc.expr, fault.Message, fault.Offset)
			continue
		}
		v, err := e.Result(NewScope(boardOf(t, sample), nil))
		if err != nil {
			t.Errorf("%s: %v", tc.expr, err)
			continue
		}
		got, err := document.Encode(v)
		if err != nil || string(got) != tc.want {
			t.Errorf("%s = %s, %v; expected %s", tc.expr, got, err, tc.want)
		}
	}
}

// TestExpressionErrors checks what is said when a value is not what the expression takes it for.
func TestExpressionErrors(t *testing.T) {
	for _, tc := range []struct{ expr, want string }{
		{"name + 1", `path "name": nothing is called that here; did you mean "names"?`},
		{"itms", `path "itms": nothing is called that here; did you mean "items"?`},
		{"items[0].dnoe", `path "items[0]": it holds no "dnoe"; did you mean "done"?`},
		{"o.kk", `path "o": it holds no "kk"`},
		{"o.a.c", `path "o.a": it holds no "c"`},
		{"list[2].z", `path "list[2]": it holds no "z"`},
		{"list[7]", `path "list": it has 3 elements and none with the number 7`},
		{"list.x", `path "list": it is a list of 3: expected the number of an element, found the text "x"`},
		{"s.x", `path "s": it is the text "text": expected the number of an element, found the text "x"`},
		{"n.x", `path "n": it is the number 3 and holds no x`},
		{"nothing.x", `path "nothing": it is null and holds no x`},
		{"map(items, .done)", `path "#": it holds no "done"`},
		{"s + 1", `cannot add the text "text" and the number 1`},
		{"o + o", "cannot add an object and an object"},
		{"error.message", `path "error": nothing is called that here`},
		{"1 / 0 > 1 and NaN", `path "NaN": nothing is called that here`},
		{"[1 / 0]", "has no form in JSON"},
		{"let l = 1..1000; all(l, all(l, all(l, true)))", "turn more than 1000000 times"},
		{"repeat(repeat('xxxxxxxxxx', 100000), 100000)", "longer than 4194304 bytes"},
		{"let a = repeat('x', 1000000); replace(a, 'x', a)", "longer than 4194304 bytes"},
		{"let a = repeat('x', 3000000); a + a", "longer than 4194304 bytes"},
		{"let a = repeat('x', 1000000); join(map(1..10, a), a)", "longer than 4194304 bytes"},
		{"1..100000000", "the lists that the expression makes have more than 1000000 elements"},
		{"fromJSON('{')", "fromJSON: unexpected EOF"},
		{"10 % (n - 3)", `expression "10 % (n - 3)": the divisor is 0, and nothing can be divided by 0`},
		{"1 + 10 % (n - 3)", `expression "1 + 10 % (n - 3)": in 10 % (n - 3): the divisor is 0, and nothing can be divided by 0`},
		{"1 / (n - 3)", "the value has no form in JSON: it is no finite number, because it is too large or was divided by 0"},
		{"int(s) + 1", `in int(s): int makes no number of the text "text"`},
		{"float(o)", "expected a number, found an object"},
		{"s - n", "- does not go with a text and a whole number"},
		{"o * 2", "* does not go with an object and a whole number"},
		{"nothing < 2", "< does not go with null and a whole number"},
		{"-s", "- takes a number, found a text"},
		{"not s", "not takes a boolean, found a text"},
		{"n and true", "and takes a boolean, found a whole number"},
		{"s ? 1 : 2", "a choice ( ? : ) takes a boolean, found a text"},
		{"upper(n)", "upper takes a text, found a whole number"},
		{"s % 2", "% does not go with a text and a whole number"},
		{"s ** 2", "** does not go with a text and a whole number"},
		{"len(n)", "len takes a text, a list or an object, found a whole number"},
		{"abs(s)", "abs takes a number, found a text"},
		{"map(n, #)", "map takes a list, found a whole number"},
		{"map(nothing, #)", "map takes a list, found null"},
		{"take(s, 1)", "expected a list, found a text"},
		{"keys(list)", "expected an object, found a list"},
		{"values(list)", "expected an object, found a list"},
		{"toPairs(list)", "expected an object, found a list"},
		{"fromPairs(list)", "expected pairs, which are lists of two, found the number 1"},
		{"fromPairs([[s, 1], [o, 2]])", "groups and names are texts, numbers or booleans, found an object"},
		{"fromPairs([[n / (n - 3), 1]])", "a group or a name is no finite number"},
		{"groupBy(names, n / (n - 3))", "a group or a name is no finite number"},
		{"get(names, s)", "the number of an element is a number, found a text"},
		{"take(names, f)", "expected how many elements to take, found the number 2.5"},
		{"reverse(o)", "reverse takes a list, found an object"},
		{"uniq(o)", "uniq takes a list, found an object"},
		{"concat(o, list)", "concat takes a list, found an object"},
		{"flatten(s)", "flatten takes a list, found a text"},
		{"sort(list)", "numbers or texts can be put in order, found a whole number or an object"},
		{"sortBy(items, .p, nothing)", "the order is a text, 'asc' or 'desc'"},
		{"sortBy(items, .p, s)", "the order is neither 'asc' nor 'desc'"},
		{"groupBy(items, #)", "groups and names are texts, numbers or booleans, found an object"},
		{"n in o", "the names of an object are texts, found a whole number"},
		{"n in s", "in looks for a value in a list or an object, found a text"},
		{"int(nothing)", "expected a number, found null"},
		{"int(type(nothing))", `int makes no number of the text "nil"`},
		{"int(f * 10 ** 30)", "it is no finite number, or too large"},
		{"get(o, n)", "the names of an object are texts, found a whole number"},
		{"fromBase64(s + '!')", "the text is not base64"},
		{"s matches s + '('", "the pattern is no regular expression: missing closing )"},
		{"reduce(filter(names, # == ''), #acc + #)", "the list is empty, and there is no value to begin with"},
		{"o[0:1]", "[from:to] takes a text or a list, found an object"},
		{"sum(names)", "sum takes a number, found a text"},
		{"max(names)", "max takes a number or a list, found a text"},
		{"bitshl(n, n - 9)", "a shift by less than 0"},
		{"n .. s", ".. does not go with a whole number and a text"},
		{"s contains n", "contains takes a text, found a whole number"},
		{"{(n): 1}", "the name of a member takes a text, found a whole number"},
		{"{'a': 1}[s]", `path "{a: 1}": it holds no "text"`},
		{"o.a[s]", `path "o.a": it holds no "text"`},
	} {
		e, fault := Compile(tc.expr)
		if fault != nil {
			t.Errorf("%s: %s at %d", tc.expr, fault.Message, fault.Offset)
			continue
		}
		_, err := e.Result(NewScope(boardOf(t, sample), nil))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; expected %q", tc.expr, err, tc.want)
		}
		if strings.HasPrefix(tc.want, "path") {
			if _, ok := errors.AsType[*definition.PathError](err); !ok {
				t.Errorf("%s: expected a *PathError, got %T", tc.expr, err)
			}
		}
	}
}

// TestExpressionRefused checks what is not an expression at all.
func TestExpressionRefused(t *testing.T) {
	for _, tc := range []struct {
		expr string
		want Fault
	}{
		{"", Fault{0, "the expression is empty"}},
		{"  ", Fault{0, "the expression is empty"}},
		{"1 + ", Fault{3, "the expression ends in the middle"}},
		{"in.x > 1", Fault{0, `"in" does not belong here; it is a word of the language, and a name that is called so is written $env["in"]`}},
		{"map(list, {a: #})", Fault{12, `":" does not belong here; in map, filter and the like an object has braces of its own: map(list, {{name: #}})`}},
		{"first('abc')", Fault{6, `first takes a list; "abc" is a text`}},
		{"max(nil)", Fault{4, "max takes a number or a list; nil is null"}},
		{"map([1], nil)", Fault{9, "map calculates something for each element, and this is nil, whatever the element is"}},
		{"map([1], #acc)", Fault{9, "#acc is known in reduce alone; # is the element"}},
		{"nil in {}", Fault{4, "the names of an object are texts, found null"}},
		{"max('a')", Fault{4, `max takes a number or a list; "a" is a text`}},
		{"repeat('a', 2.0)", Fault{12, "repeat takes a whole number; 2 is calculated with fractions; int(…) makes a whole number of it"}},
		{"1 ) 2", Fault{2, `")" does not belong here`}},
		{"now()", Fault{0, "there is no function now: expressions have no clock; let an agent read the time"}},
		{"1 + date('2024-01-01')", Fault{4, "there is no function date: expressions have no clock; let an agent read the time"}},
		{"uper('x')", Fault{0, `there is no function "uper"; did you mean "upper"?`}},
		{"o.x()", Fault{2, "values have no functions of their own; call a function by its name: len(items), not items.len()"}},
		{"keys($env)", Fault{5, `$env stands for the blackboard and is read by name: $env["a-name"]`}},
		{"$env[n]", Fault{4, `$env is read by name: $env["a-name"]`}},
		{"\xff", Fault{0, "the expression is not UTF-8 text"}},
		{strings.Repeat("(", 10_001), Fault{0, "the expression has 10001 bytes; at most 10000 are read"}},
		{"::join([1])+::repeat(n)", Fault{14, "repeat takes a text and a whole number, found one argument"}},
	} {
		_, fault := Compile(tc.expr)
		if fault == nil {
			t.Errorf("%q was taken", tc.expr)
			continue
		}
		if diff := cmp.Diff(tc.want, *fault, cmp.AllowUnexported(Fault{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.expr, diff)
		}
	}
}

func TestCondition(t *testing.T) {
	e, fault := Compile("s")
	if fault != nil {
		t.Fatal(fault.Message)
	}
	_, err := e.Holds(NewScope(boardOf(t, sample), nil))
	if want := `expression "s": expected true or false, found the text "text"`; err == nil || err.Error() != want {
		t.Errorf("got %v; expected %s", err, want)
	}
}

// TestErrorName checks that the name error stands for the failure at the end of an error edge, and only there.
func TestErrorName(t *testing.T) {
	e, fault := Compile("error.message ?? error")
	if fault != nil {
		t.Fatal(fault.Message)
	}
	for _, tc := range []struct {
		failure *nodehost.Failure
		want    any
	}{{nil, "mine"}, {&nodehost.Failure{Task: "a#1", Message: "broken"}, "broken"}} {
		v, err := e.Result(NewScope(map[string]any{"error": "mine"}, tc.failure))
		if tc.failure == nil {
			if err == nil {
				t.Errorf("a text has no message, got %v", v)
			}
			continue
		}
		if err != nil || v != tc.want {
			t.Errorf("got %v, %v; expected %v", v, err, tc.want)
		}
	}
}

func TestTemplate(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{"plain { } }} text", "plain { } }} text"},
		{"{{ s }}", "text"},
		{"a{{n}}b{{ f }}c", "a3b2.5c"},
		{"{{ list }}", `[1,2,{"x":"y"}]`},
		{"{{ o }} {{ yes }} {{ nothing }}", `{"a":{"b":[10]},"k":"v"} true null`},
		{`{{ {"a": {"b": 1}}.a }}`, `{"b":1}`},
		{`{{ "}}" }} {{ '{{' }}`, "}} {{"},
		{"{{ `}}` + 'it\\'s' }}", "}}it's"},
		{"{{ '<b>&' }}", "<b>&"},
		{"{{ {a: '<b>&'} }}", `{"a":"<b>&"}`},
		{"{{ nope ?? '' }}|", "|"},
	} {
		c, fault := CompileTemplate(tc.text)
		if fault != nil {
			t.Errorf("%s: %s", tc.text, fault.Message)
			continue
		}
		got, err := c.Render(NewScope(boardOf(t, sample), nil))
		if err != nil || got != tc.want {
			t.Errorf("%s = %q, %v; expected %q", tc.text, got, err, tc.want)
		}
	}
	for _, tc := range []struct{ text, want string }{
		{"{{ nope }}", `path "nope": nothing is called that here`},
		{"{{ o.kk }}", `expression "o.kk": path "o": it holds no "kk"`},
		{"{{ repeat('x', 1000000) }}{{ repeat('x', 1000000) }}", "longer than 1048576 bytes"},
	} {
		c, fault := CompileTemplate(tc.text)
		if fault != nil {
			t.Fatal(fault.Message)
		}
		if _, err := c.Render(NewScope(boardOf(t, sample), nil)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; expected %q", tc.text, err, tc.want)
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, s := range []string{
		"amount > 100 ? 'high' : 'low'", "a?.b ?? c.d[0]", "map(filter(items, .p > 1), {x: #, y: #index})", "let x = n; x + x",
		"all(1..1000, any(1..1000, false))", "repeat(s, 9999999)", "$env['a-b']", "1 < n < 3", "s matches '('", "::len(list)",
		"reduce(1..20, #acc + #acc, s)", "if n > 1 { s } else { o }", "o.a.b[-1] in list", "n ** 999999", "1 % 0", "s[9:1]",
	} {
		f.Add(s)
	}
	known := AnyNames()
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		e, fault := Compile(text)
		if fault != nil {
			if fault.Offset < 0 || fault.Offset > len([]rune(text)) || fault.Message == "" {
				t.Errorf("%q: fault %+v", text, fault)
			}
			return
		}
		e.Check(Place{Names: known, Hints: new(nearest.Hints)})
		if v, err := e.Result(NewScope(boardOf(t, sample), nil)); err == nil {
			if _, err := document.Encode(v); err != nil {
				t.Errorf("%q gives what JSON cannot hold: %v", text, err)
			}
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q took %s", text, took)
		}
	})
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"Refund {{ amount }}?", "{{", "{{ }}", "{{ '}}' }}", "{{ {a: 1} }}", "}} {{ n }} {{", "{{`", `{{ "\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, fault := CompileTemplate(text)
		if fault != nil {
			if fault.Offset < 0 || fault.Offset > len([]rune(text)) {
				t.Errorf("%q: fault at %d", text, fault.Offset)
			}
			return
		}
		c.Check(Place{Names: AnyNames(), Hints: new(nearest.Hints)})
		out, err := c.Render(NewScope(boardOf(t, sample), nil))
		if err == nil && len(out) > maxRendered {
			t.Errorf("%q renders to %d bytes", text, len(out))
		}
		if err == nil && !strings.Contains(text, "{{") && out != text {
			t.Errorf("%q renders to %q", text, out)
		}
	})
}

func BenchmarkCondition(b *testing.B) {
	e, fault := Compile("review == 'approve' and amount > 100")
	if fault != nil {
		b.Fatal(fault.Message)
	}
	bb := boardOf(b, `{"review": "approve", "amount": 120, "other": [1, 2, 3]}`)
	b.ReportAllocs()
	for b.Loop() {
		if yes, err := e.Holds(NewScope(bb, nil)); err != nil || !yes {
			b.Fatal(yes, err)
		}
	}
}

func BenchmarkTemplate(b *testing.B) {
	c, fault := CompileTemplate("Refund {{ amount }} to {{ who.name }}?")
	if fault != nil {
		b.Fatal(fault.Message)
	}
	bb := boardOf(b, `{"amount": 120, "who": {"name": "Ann"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Render(NewScope(bb, nil)); err != nil {
			b.Fatal(err)
		}
	}
}
