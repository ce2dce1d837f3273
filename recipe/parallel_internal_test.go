package recipe

import (
	"fmt"
	"strings"
	"testing"
)

// TestExcludes pins which conditions are seen to exclude each other. No is always right.
func TestExcludes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"x > 1", "x <= 1", true},
		{"x  ==  1", "x != 1", true},
		{"risk == 'high'", `risk == "low"`, true},
		{"risk == 'high'", `risk != "high"`, true},
		{"risk == 'high'", `risk == "high"`, false},
		{"ok", "not ok", true},
		{"!ok", "ok", true},
		{"a and b", "not (a and b)", true},
		{"a and b", "not a and b", false},
		{"a", "not a or b", false},
		{"x > 1", "x < 2", false},
		{"x == 1", "x == 1.0", false},
		{"x == 1", "y != 1", false},
		{"x > 1", "x > 2", false},
		{"", "x > 2", false},
	} {
		if got := excludes(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: got %t", c.a, c.b, got)
		}
		if got := excludes(c.b, c.a); got != c.want {
			t.Errorf("%q and %q: got %t", c.b, c.a, got)
		}
	}
}

// TestNamesThatBranchesBring checks what is certain where branches meet, and where a run ends: what is brought by a branch
// that is always taken, and not by one that may be left out (law G3).
func TestNamesThatBranchesBring(t *testing.T) {
	const head = `
policy: {execution_mode: parallel}
interface: {inputs: {n: {type: integer}}, outputs: {%s}}
agents:
  a: {kind: expr, set: {v: "n"}}
  b: {kind: expr, set: {left: "1"}}
  c: {kind: expr, set: {right: "1"}}
  s: {kind: expr, set: {more: "1"}}
  j: {kind: expr, set: {sum: "left + right"}}
topology:
  entry_point: a
  nodes:
    - {type: agent, id: a, agent_ref: a}
    - {type: agent, id: b, agent_ref: b}
    - {type: agent, id: c, agent_ref: c}
`
	const (
		join  = "    - {type: agent, id: j, agent_ref: j}\n"
		again = "    - {type: agent, id: x, agent_ref: b}\n"
		to    = "{source: b, target: j}, {source: c, target: j}"
		left  = `"left" may be missing`
	)
	ends := func(outputs string) string { return fmt.Sprintf(head, outputs) }
	for _, tt := range []struct{ name, text, want string }{
		{"both are taken", ends("") + join + "  edges: [{source: a, target: b}, {source: a, target: c}, " + to + "]", ""},
		{"one has a condition", ends("") + join + "  edges: [{source: a, target: b, when: v > 1}, {source: a, target: c}, " + to + "]", left},
		{"one of two is taken", ends("") + join + again +
			"  edges: [{source: a, target: b, when: v > 1}, {source: a, target: x, when: v <= 1}, {source: a, target: c}, {source: x, target: j}, " + to + "]", ""},
		{
			"a router in a branch", ends("") + join + again + "    - {type: router, id: r, input_key: v, routes: {\"1\": b}, default_route: x}\n" +
				"  edges: [{source: a, target: r}, {source: a, target: c}, {source: x, target: j}, " + to + "]", "",
		},
		{
			"a failure that leads back", ends("") + join + again +
				"  edges: [{source: a, target: b}, {source: a, target: c}, {source: b, target: x, condition: on_failure}, {source: x, target: j}, " + to + "]", "",
		},
		{
			"a failure that leads elsewhere", ends("") + join + again +
				"  edges: [{source: a, target: b}, {source: a, target: c}, {source: b, target: x, condition: on_failure}, " + to + "]", left,
		},
		{
			"a loop where a failure leads, behind branches of different length", ends("") + join + again + "    - {type: agent, id: s, agent_ref: s}\n" +
				"    - {type: agent, id: y, agent_ref: b}\n    - {type: agent, id: k, agent_ref: a}\n" +
				"  edges: [{source: a, target: b}, {source: a, target: s}, {source: s, target: c}, {source: b, target: x}, {source: c, target: x}, " +
				"{source: x, target: k, condition: on_failure}, {source: x, target: y}, {source: y, target: k}, " +
				"{source: k, target: k, when: v > 9}, {source: k, target: j, when: v <= 9}]", "",
		},
		{"branches that end", ends("left: {type: integer}, right: {type: integer}") + "  edges: [{source: a, target: b}, {source: a, target: c}]", ""},
		{
			"a branch that may be left out", ends("left: {type: integer}, right: {type: integer}") +
				"  edges: [{source: a, target: b, when: v > 1}, {source: a, target: c}]", `the output "left" may be missing`,
		},
		{
			"one of two ends", ends("left: {type: integer}") + again +
				"  edges: [{source: a, target: b, when: v > 1}, {source: a, target: x, when: v <= 1}, {source: a, target: c}]", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text), "x.yaml", Options{})
			switch got := fmt.Sprint(err); {
			case tt.want == "" && err != nil:
				t.Errorf("it is refused: %v", err)
			case !strings.Contains(got, tt.want) || tt.want != "" && strings.Count(got, "\n") > 0:
				t.Errorf("got %v, expected one problem with %s", err, tt.want)
			}
		})
	}
}
