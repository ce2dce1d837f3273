package recipe_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/recipe"
)

// sizes are recipes that grow by one measure each.
var sizes = []struct {
	name string
	text func(n int) string
}{
	{"nodes", chained},
	{"loop", func(n int) string {
		return chained(n) + fmt.Sprintf("  - {source: n%d, target: n0, when: \"x%d < 9\"}\n", n-1, n-1)
	}},
	{"branches", branched},
	{"refs", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "d%d: {$ref: \"#/$defs/d%d\"}, ", i, i+1)
		}
		return taking(fmt.Sprintf("{$ref: \"#/$defs/d0\", $defs: {%sd%d: {type: string}}}", b.String(), n))
	}},
	{"alternatives", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "{type: object, required: [m%d], properties: {m%d: {type: integer}}}, ", i, i)
		}
		return taking(fmt.Sprintf("{anyOf: [%s]}", strings.TrimSuffix(b.String(), ", ")))
	}},
	{"members", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "m%d: {type: [integer, \"null\"]}, ", i)
		}
		return taking(fmt.Sprintf("{type: object, properties: {%s}}", strings.TrimSuffix(b.String(), ", ")))
	}},
}

// chained is a recipe of n nodes, each of which reads what the one before wrote.
func chained(n int) string {
	var agents, nodes, edges strings.Builder
	for i := range n {
		expr := "start + 1"
		if i > 0 {
			expr = fmt.Sprintf("x%d + 1", i-1)
			fmt.Fprintf(&edges, "  - {source: n%d, target: n%d}\n", i-1, i)
		}
		fmt.Fprintf(&agents, "  a%d: {kind: expr, set: {x%d: %q}}\n", i, i, expr)
		fmt.Fprintf(&nodes, "  - {type: agent, id: n%d, agent_ref: a%d}\n", i, i)
	}
	return "interface: {inputs: {start: {type: integer}}}\npolicy: {max_steps: 100000}\nagents:\n" + agents.String() +
		"entry_point: n0\nnodes:\n" + nodes.String() + "edges:\n" + edges.String()
}

// branched is a recipe of n nodes in branches of a fork that meet.
func branched(n int) string {
	var agents, nodes, edges strings.Builder
	for i := range n {
		fmt.Fprintf(&agents, "  a%d: {kind: expr, set: {x%d: \"start + %d\"}}\n", i, i, i)
		fmt.Fprintf(&nodes, "  - {type: agent, id: n%d, agent_ref: a%d}\n", i, i)
		fmt.Fprintf(&edges, "  - {source: begin, target: n%d}\n  - {source: n%d, target: end}\n", i, i)
	}
	return "interface: {inputs: {start: {type: integer}}}\npolicy: {max_steps: 100000, execution_mode: parallel}\nagents:\n" + agents.String() +
		"entry_point: begin\nnodes:\n  - {type: human, id: begin, prompt: Well?}\n  - {type: human, id: end, prompt: \"{{ x0 }}?\"}\n" +
		nodes.String() + "edges:\n" + edges.String()
}

// taking is a recipe whose input, state and output have a schema.
func taking(schema string) string {
	return fmt.Sprintf(`
interface: {inputs: {given: %s}, outputs: {out: %s}}
state: {properties: {mid: %s}}
agents: {copy: {kind: expr, set: {mid: given, out: mid}}}
entry_point: n0
nodes: [{type: agent, id: n0, agent_ref: copy}]
`, schema, schema, schema)
}

// BenchmarkLoad is what loading costs: near to linear in whatever a recipe has more of.
func BenchmarkLoad(b *testing.B) {
	for _, size := range sizes {
		for _, n := range []int{10, 100, 300, 1000} {
			text := []byte(size.text(n))
			b.Run(fmt.Sprintf("%s=%d", size.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := recipe.Parse(text, "sized.yaml", recipe.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
