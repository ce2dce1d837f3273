package recipe

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/node"
)

// boardOf reads a blackboard from JSON.
func boardOf(t testing.TB, text string) map[string]any {
	t.Helper()
	v, err := decodeJSON([]byte(text))
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
	"items": [{"p": 2, "done": true}, {"p": 3}]
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
		{"toPairs({a: 1})", `[["a",1]]`},
		{"split('a,b', ',')", `["a","b"]`},
	} {
		e, fault := compileExpression(tc.expr)
		if fault != nil {
			t.Errorf("%s: %s at %d", tc.expr, fault.message, fault.offset)
			continue
		}
		v, err := e.result(newScope(boardOf(t, sample), nil))
		if err != nil {
			t.Errorf("%s: %v", tc.expr, err)
			continue
		}
		got, err := encodeJSON(v)
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
		{"1..100000000", "memory budget exceeded"},
		{"fromJSON('{')", "fromJSON: unexpected EOF"},
	} {
		e, fault := compileExpression(tc.expr)
		if fault != nil {
			t.Errorf("%s: %s at %d", tc.expr, fault.message, fault.offset)
			continue
		}
		_, err := e.result(newScope(boardOf(t, sample), nil))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; expected %q", tc.expr, err, tc.want)
		}
		if strings.HasPrefix(tc.want, "path") {
			if _, ok := errors.AsType[*PathError](err); !ok {
				t.Errorf("%s: expected a *PathError, got %T", tc.expr, err)
			}
		}
	}
}

// TestExpressionRefused checks what is not an expression at all.
func TestExpressionRefused(t *testing.T) {
	for _, tc := range []struct {
		expr string
		want expressionError
	}{
		{"", expressionError{0, "the expression is empty"}},
		{"  ", expressionError{0, "the expression is empty"}},
		{"1 + ", expressionError{3, "the expression ends in the middle"}},
		{"in.x > 1", expressionError{0, `"in" does not belong here; it is a word of the language, and a name that is called so is written $env["in"]`}},
		{"map(list, {a: #})", expressionError{12, `":" does not belong here; in map, filter and the like an object has braces of its own: map(list, {{name: #}})`}},
		{"1 ) 2", expressionError{2, `")" does not belong here`}},
		{"now()", expressionError{0, "there is no function now: expressions have no clock; let an agent read the time"}},
		{"1 + date('2024-01-01')", expressionError{4, "there is no function date: expressions have no clock; let an agent read the time"}},
		{"uper('x')", expressionError{0, `there is no function "uper"; did you mean "upper"?`}},
		{"o.x()", expressionError{2, "values have no functions of their own; call a function by its name: len(items), not items.len()"}},
		{"keys($env)", expressionError{5, `$env stands for the blackboard and is read by name: $env["a-name"]`}},
		{"$env[n]", expressionError{4, `$env is read by name: $env["a-name"]`}},
		{"\xff", expressionError{0, "the expression is not UTF-8 text"}},
		{strings.Repeat("(", 10_001), expressionError{0, "the expression has 10001 bytes; at most 10000 are read"}},
		{"::join([1])+::repeat(n)", expressionError{14, "not enough arguments to call repeat"}},
	} {
		_, fault := compileExpression(tc.expr)
		if fault == nil {
			t.Errorf("%q was taken", tc.expr)
			continue
		}
		if diff := cmp.Diff(tc.want, *fault, cmp.AllowUnexported(expressionError{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.expr, diff)
		}
	}
}

func TestCondition(t *testing.T) {
	e, fault := compileExpression("s")
	if fault != nil {
		t.Fatal(fault.message)
	}
	_, err := e.holds(newScope(boardOf(t, sample), nil))
	if want := `expression "s": expected true or false, found the text "text"`; err == nil || err.Error() != want {
		t.Errorf("got %v; expected %s", err, want)
	}
}

// TestErrorName checks that the name error stands for the failure at the end of an error edge, and only there.
func TestErrorName(t *testing.T) {
	e, fault := compileExpression("error.message ?? error")
	if fault != nil {
		t.Fatal(fault.message)
	}
	for _, tc := range []struct {
		failure *node.Failure
		want    any
	}{{nil, "mine"}, {&node.Failure{Task: "a#1", Message: "broken"}, "broken"}} {
		v, err := e.result(newScope(map[string]any{"error": "mine"}, tc.failure))
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
		c, fault := compileTemplate(tc.text)
		if fault != nil {
			t.Errorf("%s: %s", tc.text, fault.message)
			continue
		}
		got, err := c.render(newScope(boardOf(t, sample), nil))
		if err != nil || got != tc.want {
			t.Errorf("%s = %q, %v; expected %q", tc.text, got, err, tc.want)
		}
	}
	for _, tc := range []struct{ text, want string }{
		{"{{ nope }}", `path "nope": nothing is called that here`},
		{"{{ o.kk }}", `expression "o.kk": path "o": it holds no "kk"`},
		{"{{ repeat('x', 1000000) }}{{ repeat('x', 1000000) }}", "longer than 1048576 bytes"},
	} {
		c, fault := compileTemplate(tc.text)
		if fault != nil {
			t.Fatal(fault.message)
		}
		if _, err := c.render(newScope(boardOf(t, sample), nil)); err == nil || !strings.Contains(err.Error(), tc.want) {
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
	known := anyNames()
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		e, fault := compileExpression(text)
		if fault != nil {
			if fault.offset < 0 || fault.offset > len([]rune(text)) || fault.message == "" {
				t.Errorf("%q: fault %+v", text, fault)
			}
			return
		}
		e.check(known, &report{}, nil)
		if v, err := e.result(newScope(boardOf(t, sample), nil)); err == nil {
			if _, err := encodeJSON(v); err != nil {
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
		c, fault := compileTemplate(text)
		if fault != nil {
			if fault.offset < 0 || fault.offset > len([]rune(text)) {
				t.Errorf("%q: fault at %d", text, fault.offset)
			}
			return
		}
		c.check(anyNames(), &report{}, nil)
		out, err := c.render(newScope(boardOf(t, sample), nil))
		if err == nil && len(out) > maxRendered {
			t.Errorf("%q renders to %d bytes", text, len(out))
		}
		if err == nil && !strings.Contains(text, "{{") && out != text {
			t.Errorf("%q renders to %q", text, out)
		}
	})
}

func BenchmarkCondition(b *testing.B) {
	e, fault := compileExpression("review == 'approve' and amount > 100")
	if fault != nil {
		b.Fatal(fault.message)
	}
	bb := boardOf(b, `{"review": "approve", "amount": 120, "other": [1, 2, 3]}`)
	b.ReportAllocs()
	for b.Loop() {
		if yes, err := e.holds(newScope(bb, nil)); err != nil || !yes {
			b.Fatal(yes, err)
		}
	}
}

func BenchmarkTemplate(b *testing.B) {
	c, fault := compileTemplate("Refund {{ amount }} to {{ who.name }}?")
	if fault != nil {
		b.Fatal(fault.message)
	}
	bb := boardOf(b, `{"amount": 120, "who": {"name": "Ann"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.render(newScope(bb, nil)); err != nil {
			b.Fatal(err)
		}
	}
}
