package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// flow makes a definition of a dataflow of a few lines: "search: query top_k? > docs scores" (a node that reads two values and
// writes two), "check: score ? generate END=good" (a gate, with labels), "pick: x ?? a b" (one that chooses several), "ask! text
// > answer" (a person), "entry b c". Wire makes it a dataflow.
func flow(t testing.TB, name, text string) plan.Definition {
	t.Helper()
	def := plan.Definition{Name: name, Kind: "dataflow", State: codec{}}
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		if names, ok := strings.CutPrefix(l, "entry "); ok {
			def.Entry = strings.Fields(names)
			continue
		}
		at, rest, person := strings.Cut(l, "! ")
		if !person {
			at, rest, _ = strings.Cut(l, ": ")
		}
		n := plan.Node{Name: at, Run: run, Flow: &plan.Flow{Input: codec{}}}
		if person {
			n.Kind = plan.Human
		}
		rest, outputs, _ := strings.Cut(rest+" ", " > ")
		reads, targets, chooses := strings.Cut(rest+" ", " ? ")
		if !chooses {
			reads, targets, chooses = strings.Cut(rest+" ", " ?? ")
			if chooses {
				n.RouteMany = several
			}
		} else {
			n.Route = route
		}
		if chooses {
			n.Kind, n.Run = plan.Router, nil
		}
		n.Flow.Inputs, n.Flow.Outputs = ports(reads), ports(outputs)
		if len(n.Flow.Outputs) > 0 {
			n.Flow.Output = codec{}
		}
		for target := range strings.FieldsSeq(targets) {
			to, label, _ := strings.Cut(target, "=")
			if to == "END" {
				to = node.End
			}
			def.Edges = append(def.Edges, choice(at, to, label))
		}
		def.Nodes = append(def.Nodes, n)
	}
	return def
}

func ports(text string) []plan.Port {
	var all []plan.Port
	for name := range strings.FieldsSeq(text) {
		name, typ, _ := strings.Cut(name, "/")
		name, optional := strings.CutSuffix(name, "?")
		p := plan.Port{Name: name, Optional: optional}
		if typ != "" {
			p.Type, p.Schema = typ, []byte(`{"type":"`+typ+`"}`)
		}
		all = append(all, p)
	}
	return all
}

// wire makes a definition that of a dataflow, whose result is the named values, or all that is written.
func wire(def plan.Definition, result ...string) (plan.Definition, error) {
	d, err := plan.Wire(def)
	if err != nil {
		return def, err
	}
	var outputs []plan.Port
	known := make(map[string]bool)
	for i := range def.Nodes {
		for _, p := range def.Nodes[i].Flow.Outputs {
			if !known[p.Name] && (len(result) == 0 || slices.Contains(result, p.Name)) {
				outputs = append(outputs, p)
			}
			known[p.Name] = true
		}
	}
	def.Dataflow = d.WithResult(plan.Result{Outputs: outputs, Output: codec{}})
	return def, nil
}

func wired(t testing.TB, def plan.Definition, result ...string) *plan.Plan {
	t.Helper()
	def, err := wire(def, result...)
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, def)
}

// mapped makes a node of a plan that runs once for each item.
func mapped(name, text string, p *plan.Plan, limit int, keep bool) plan.Node {
	n := nested(name, text, p)
	n.Map = &plan.Map{
		Split:  func(any) ([]any, error) { return nil, nil },
		Gather: func(any, []plan.Item) (any, error) { return nil, nil },
		Limit:  limit, Keep: keep,
	}
	return n
}

// nested makes a node of a plan: "query > docs" says what it reads and writes.
func nested(name, text string, p *plan.Plan) plan.Node {
	reads, writes, _ := strings.Cut(text, ">")
	return plan.Node{Name: name, Sub: p, Flow: &plan.Flow{Inputs: ports(reads), Outputs: ports(writes), Input: codec{}, Output: codec{}}}
}

// with puts nodes in the place of those of the same name.
func with(def plan.Definition, nodes ...plan.Node) plan.Definition {
	for _, n := range nodes {
		def.Nodes[slices.IndexFunc(def.Nodes, func(m plan.Node) bool { return m.Name == n.Name })] = n
	}
	return def
}

// flows are the dataflows whose drawings are pinned.
func flows(t testing.TB) map[string]*plan.Plan {
	refine := wired(t, flow(t, "refine", `
		generate: prompt feedback? > draft
		evaluate: draft > score feedback
		quality_gate: score threshold? ? generate END
	`))
	call := wired(t, flow(t, "call", `
		clip: chunk size? > text
		call: text model? > vector
	`), "vector")
	return map[string]*plan.Plan{
		"flow-pipeline": wired(t, flow(t, "pipeline", `
			load: path/string encoding?/string > raw/string
			clean: raw > rows/array
			split: rows ratio?/number > train/array test/array
			fit: train test seed?/integer > model/object
			report: model test > summary/string
		`), "model", "summary"),
		"flow-refine": refine,
		"flow-branch": wired(t, flow(t, "branch", `
			classify: question > topic
			is_billing: topic ? billing=true general=false
			billing: question account > answer
			general: question > answer
			polish: answer tone? > reply
		`)),
		"flow-nested-loops": wired(t, flow(t, "write a book", `
			outline: topic notes? > chapters
			write: chapters advice? > text
			edit: text > advice quality
			good_enough: quality ? write=no review=yes
			review: text chapters > notes verdict
			accepted: verdict ? outline=no publish=yes
			publish: text > book
		`)),
		"flow-chat": wired(t, flow(t, "chat", `
			answer: messages documents? > reply
			ask! reply > question
			remember: messages reply question > messages
			over: question ? answer=no END=yes
		`)),
		"flow-nested": wired(t, with(flow(t, "index", `
			split: document > chunks
			embed: chunks model? > vectors
			describe: document > description
			improve: description > summary
			store: vectors summary > id
		`),
			mapped("embed", "chunks model? size? > vectors", call, 4, true),
			nested("improve", "description > summary", refine))),
		"flow-entry": wired(t, flow(t, "entry", `
			entry review
			write: brief remarks? > text
			review! text > verdict remarks
			approved: verdict ? write=no publish=yes
			publish: text > url
		`)),
		"flow-many": wired(t, flow(t, "assist", `
			understand: message > intent entities
			dispatch: intent ?? search=facts ask=unclear calculate=numbers END=nothing
			search: entities > found
			ask! entities > told
			calculate: entities > figures
			compose: message found? told? figures? > reply
		`)),
		"flow-research": wired(t, flow(t, "research", `
			plan: question style? gaps? > queries outline
			web: queries region? > pages
			papers: queries since? > articles
			notes: queries > remembered
			sift: pages articles remembered > sources
			read: sources > facts doubts
			covered: doubts rounds? ? plan=no write=yes
			write: outline facts style? > draft
			cite: draft sources > cited
			critique: cited house_rules? > remarks grade
			good: grade threshold? ? revise=no approve=yes
			revise: cited remarks > draft_two
			check: draft_two facts > claims
			settle: claims ? publish=sound revise=unsound
			approve! cited > verdict
			decide: verdict ? publish=approved archive=rejected
			publish: cited draft_two? > url
			archive: cited > shelf
			announce: url channel? > message
			count: tally? url? > tally
		`), "url", "message", "tally"),
		"flow-wide": wired(t, flow(t, "wide", `
			gather: `+many("parameter_", 40)+` config > first second and_a_third_value and_one_with_a_long_name the_last_of_them
			count: one two three? four five six? seven eight config > sum
			use: first second and_a_third_value and_one_with_a_long_name the_last_of_them sum config > result
			show: `+many("v", 12)+` config > seen
			`+lines("w%: config > v%", 12)+`
		`)),
		"flow-mixed": compile(t, define("mixed", "fetch",
			[]plan.Node{task("fetch"), sub("index", call), task("done")}, edge("fetch", "index"), edge("index", "done"))),
		"flow-control": wired(t, with(flow(t, "control", `
			load: path > rows
			release: rows > notes
			send: notes > receipt
		`), nested("release", "rows > notes", compile(t, release())))),
		"flow-hostile": wired(t, flow(t, `a "quoted" <plan> %%{init}%%`, `
			say"hi"];end: <b>x"|y --> > `+"`z`"+`
			END: `+"`z`"+` ? END="];evil 日本語=a|b say"hi"];end=\
			日本語: `+"`z`"+` config? > ünï%%
		`)),
	}
}

// many are names of values.
func many(name string, n int) string { return strings.Join(strings.Fields(lines(name+"%", n)), " ") }

// lines repeats a line with the numbers from 0 in the place of %.
func lines(text string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "%", itoa(i)) + "\n")
	}
	return b.String()
}
