package expression

import (
	"strings"
	"testing"
)

// Expressions of strangers end, and take a bounded amount of memory: by one text, by many, and by parts that are there
// many times.
func TestExpressionsAreBounded(t *testing.T) {
	for _, tc := range []struct{ text, fails string }{
		{"repeat('x', 10000000)", "longer than"},
		{"len(join(map(1..100000, repeat('b', 100000)), ''))", "take more than"},
		{"len(map(1..100000, string(#) + repeat('b', 100000)))", "take more than"},
		{"len(map(1..1000, upper(repeat('b', 100000))))", "take more than"},
		{"reduce(1..40, [#acc, #acc], 1)", "more than 1000000 elements"},
		{"len(toJSON(reduce(1..40, [#acc, #acc], 1)))", "more than 1000000 elements"},
		{"len(toJSON(reduce(1..40, {{'a': #acc, 'b': #acc}}, 1)))", "more than 1000000 elements"},
		{"len(string(reduce(1..60, [#acc, #acc], 'a')))", "more than 1000000 elements"},
		{"map(1..200, repeat('b', 500000))", "take more than"},
		{"all(1..1000, all(1..1000, all(1..1000, true)))", "have more than 1000000 elements"},
	} {
		e, fault := Compile(tc.text)
		if fault != nil {
			t.Errorf("%s: %s", tc.text, fault.Message)
			continue
		}
		_, err := e.Result(NewScope(map[string]any{}, nil))
		if err == nil || !strings.Contains(err.Error(), tc.fails) {
			t.Errorf("%s: expected an error with %q, got %v", tc.text, tc.fails, err)
		}
	}
	for text, want := range map[string]string{
		"string([1, 'a', {'b': nil}])": `[1,"a",{"b":null}]`, "string(1.5)": "1.5", "string('x')": "x", "string(nil)": "null",
		"toJSON({'a': 1})": "{\n  \"a\": 1\n}", "len(map(1..1000, repeat('b', 10000)))": "1000",
	} {
		e, fault := Compile(text)
		if fault != nil {
			t.Errorf("%s: %s", text, fault.Message)
			continue
		}
		got, err := e.Result(NewScope(map[string]any{}, nil))
		if err != nil || Text(got) != want {
			t.Errorf("%s: expected %s, got %v, %v", text, want, got, err)
		}
	}
}
