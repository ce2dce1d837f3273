package plan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/plan"
)

// analysis is what Wire has found, in words: the inputs, where a run begins, the edges, the loops, and of each node what it
// needs, who waits for it, who reads what it writes, and what its rounds hold up.
func analysis(p *plan.Plan) string {
	def, d := p.Definition(), p.Dataflow()
	var b strings.Builder
	say := func(what string, names []string) {
		if len(names) > 0 {
			fmt.Fprintf(&b, "%s %s\n", what, strings.Join(names, " "))
		}
	}
	var inputs []string
	for _, in := range d.Inputs {
		if in.Optional {
			in.Name += "?"
		}
		inputs = append(inputs, in.Name)
	}
	say("inputs", inputs)
	say("begins at", def.Entry)
	for _, e := range def.Edges {
		fmt.Fprintf(&b, "%s: %s\n", strings.ReplaceAll(e.String(), `"`, ""), strings.TrimSpace(string(e.Kind)+" "+e.Label))
	}
	sayLoops(&b, "", p.Loops())
	node := func(v int) string { return def.Nodes[v].Name }
	for v, n := range d.Nodes {
		parts := []string{node(v)}
		part := func(what string, list []int, name func(int) string) {
			var names []string
			for _, i := range list {
				names = append(names, name(i))
			}
			if len(names) > 0 {
				parts = append(parts, what+" "+strings.Join(names, " "))
			}
		}
		part("needs", n.Needs, func(i int) string { return d.Names[i] })
		part("before", n.Next, node)
		part("read by", n.Readers, node)
		var targets []int
		for i := range n.Targets {
			targets = append(targets, i)
		}
		part("chooses", targets, func(i int) string {
			if t := n.Targets[i]; t.Back {
				return fmt.Sprintf("%s(back, in %d)", t.Name, t.Depth)
			}
			return n.Targets[i].Name
		})
		if n.Gated {
			parts = append(parts, "gated")
		}
		if n.Closed {
			parts = append(parts, "closed")
		}
		if n.Region >= 0 {
			parts = append(parts, fmt.Sprintf("region %d of %d", n.Region+1, d.Regions))
		}
		b.WriteString(strings.Join(parts, "; ") + "\n")
	}
	return b.String()
}

func sayLoops(b *strings.Builder, indent string, loops []plan.Loop) {
	for _, l := range loops {
		var back []string
		for _, e := range l.Back {
			back = append(back, strings.TrimSpace(fmt.Sprintf("%s %s", e.From, e.Label)))
		}
		fmt.Fprintf(b, "%sloop of %s: head %s, back from %s\n", indent, strings.Join(l.Nodes, " "), l.Head, strings.Join(back, ", "))
		sayLoops(b, indent+"  ", l.Inner)
	}
}

type flowCase struct{ name, flow, want string }

func checkAnalysis(t *testing.T, cases []flowCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			var want strings.Builder
			for line := range strings.Lines(strings.TrimLeft(tt.want, "\n")) {
				want.WriteString(strings.TrimPrefix(strings.TrimRight(line, "\t"), "\t\t\t"))
			}
			if diff := cmp.Diff(want.String(), analysis(wired(t, flow(t, "p", tt.flow)))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// D1: an edge runs from each node that writes a value to each that reads it; choices are what gates declare.
func TestD1_EdgesFollowFromNames(t *testing.T) {
	checkAnalysis(t, []flowCase{
		{"one after the other", `
			load: path > raw
			clean: raw > rows
			count: rows > sum
		`, `
			inputs path
			begins at load
			load -> clean: data raw
			clean -> count: data rows
			load; needs path; before clean; read by clean
			clean; needs raw; before count; read by count
			count; needs rows
		`},
		{"two values between two nodes, one read twice", `
			split: rows > train test
			fit: train test > model
			check: test model
		`, `
			inputs rows
			begins at split
			split -> fit: data train
			split -> fit: data test
			split -> check: data test
			fit -> check: data model
			split; needs rows; before fit check; read by fit check
			fit; needs train test; before check; read by check
			check; needs test model
		`},
		{"the order of nodes does not matter", `
			count: rows > sum
			clean: raw > rows
			load: path > raw
		`, `
			inputs path
			begins at load
			clean -> count: data rows
			load -> clean: data raw
			count; needs rows
			clean; needs raw; before count; read by count
			load; needs path; before clean; read by clean
		`},
		{"nodes that have nothing to do with each other", `
			a: x > y
			b: x > z
		`, `
			inputs x
			begins at a b
			a; needs x
			b; needs x
		`},
		{"exclusive producers", `
			check: x ? a b
			a: p > y
			b: q > y
			use: y > z
		`, `
			inputs x p q
			begins at check
			check -> a: choice
			check -> b: choice
			a -> use: data y
			b -> use: data y
			check; needs x; before a b; chooses a b
			a; needs p; before use; read by use; gated
			b; needs q; before use; read by use; gated
			use; needs y
		`},
		{"a gate that chooses several", `
			check: x ?? a b END
			a: p > y
			b: q > z
			use: y z? > w
		`, `
			inputs x p q
			begins at check
			check -> a: choice
			check -> b: choice
			check -> END: choice
			a -> use: data y
			b -> use: data z
			check; needs x; before a b; chooses a b
			a; needs p; before use; read by use; gated
			b; needs q; before use; read by use; gated
			use; needs y
		`},
	})
}

// D2: a value that a node reads and writes makes no edge to itself: a run has to be given it, as far as it is needed.
func TestD2_AccumulatorsAreReadNotWaitedFor(t *testing.T) {
	checkAnalysis(t, []flowCase{
		{"a node alone", `
			add: messages new > messages
		`, `
			inputs messages new
			begins at add
			add; needs messages new
		`},
		{"one that can begin with nothing", `
			count: n? > n
		`, `
			inputs n?
			begins at count
			count
		`},
		{"its readers wait for it", `
			add: messages new > messages
			show: messages > page
		`, `
			inputs messages new
			begins at add
			add -> show: data messages
			add; needs messages new; before show; read by show
			show; needs messages
		`},
		{"in a loop", `
			answer: messages > reply
			remember: messages reply > messages
			over: messages ? answer END
		`, `
			inputs messages
			begins at answer
			over -> answer: choice
			over -> END: choice
			remember -> answer: data messages
			answer -> remember: data reply
			remember -> over: data messages
			loop of answer remember over: head answer, back from remember messages, over
			answer; needs messages; before remember; read by remember; region 1 of 1
			remember; needs messages reply; before over; read by over; region 1 of 1
			over; needs messages; chooses answer(back, in 0); region 1 of 1
		`},
	})
}

// D4: the head is the one target of a gate that can start without the loop; edges into it from inside lead back, and without
// them there are inner loops.
func TestD4_HeadsAndBackEdges(t *testing.T) {
	checkAnalysis(t, []flowCase{
		{"a round with feedback", `
			generate: prompt feedback? > draft
			evaluate: draft > score feedback
			gate: score ? generate END
		`, `
			inputs prompt
			begins at generate
			gate -> generate: choice
			gate -> END: choice
			evaluate -> generate: data feedback
			generate -> evaluate: data draft
			evaluate -> gate: data score
			loop of generate evaluate gate: head generate, back from evaluate feedback, gate
			generate; needs prompt; before evaluate; read by evaluate; region 1 of 1
			evaluate; needs draft; before gate; read by gate; region 1 of 1
			gate; needs score; chooses generate(back, in 0); region 1 of 1
		`},
		{"the head is the target that can start, whatever is declared first", `
			gate: y ? b a END
			b: x > y
			a: p y? > x
		`, `
			inputs p
			begins at a
			gate -> b: choice
			gate -> a: choice
			gate -> END: choice
			b -> gate: data y
			a -> b: data x
			b -> a: data y
			loop of gate b a: head a, back from b y, gate
			  loop of gate b: head b, back from gate
			gate; needs y; chooses b(back, in 1) a(back, in 0); region 1 of 1
			b; needs x; before gate; read by gate; region 1 of 1
			a; needs p; before b; read by b; region 1 of 1
		`},
		{"of two that can, the entry is", `
			entry a
			a: p y? > x
			b: p x? > y
			check: x y ? a b END
		`, `
			inputs p
			begins at a
			check -> a: choice
			check -> b: choice
			check -> END: choice
			b -> a: data y
			a -> b: data x
			a -> check: data x
			b -> check: data y
			loop of a b check: head a, back from b y, check
			  loop of b check: head b, back from check
			a; needs p; before b check; read by b check; region 1 of 1
			b; needs p; before check; read by check; region 1 of 1
			check; needs x y; chooses a(back, in 0) b(back, in 1); region 1 of 1
		`},
	})
}

// D4: what is left of a loop without its back edges is taken apart again, and so is each loop by itself.
func TestD4_LoopsInLoopsAndBesideEachOther(t *testing.T) {
	checkAnalysis(t, []flowCase{
		{"a loop in a loop", `
			plan: goal notes? > steps
			act: steps result? > result2
			look: result2 > result
			enough: result ? act agreed
			agreed: result > notes verdict
			last: verdict ? plan END
		`, `
			inputs goal
			begins at plan
			enough -> act: choice
			enough -> agreed: choice
			last -> plan: choice
			last -> END: choice
			agreed -> plan: data notes
			plan -> act: data steps
			look -> act: data result
			act -> look: data result2
			look -> enough: data result
			look -> agreed: data result
			agreed -> last: data verdict
			loop of plan act look enough agreed last: head plan, back from agreed notes, last
			  loop of act look enough: head act, back from look result, enough
			plan; needs goal; before act; read by act; region 1 of 1
			act; needs steps; before look; read by look; region 1 of 1
			look; needs result2; before enough agreed; read by enough agreed; region 1 of 1
			enough; needs result; before agreed; chooses act(back, in 1) agreed; region 1 of 1
			agreed; needs result; before last; read by last; gated; region 1 of 1
			last; needs verdict; chooses plan(back, in 0); region 1 of 1
		`},
		{"two loops in a row", `
			a: x > y
			one: y ? a b
			b: y > z
			two: z ? b END
		`, `
			inputs x
			begins at a
			one -> a: choice
			one -> b: choice
			two -> b: choice
			two -> END: choice
			a -> one: data y
			a -> b: data y
			b -> two: data z
			loop of a one: head a, back from one
			loop of b two: head b, back from two
			a; needs x; before one b; read by one b; region 1 of 1
			one; needs y; before b; chooses a(back, in 0) b; region 1 of 1
			b; needs y; before two; read by two; gated; region 1 of 1
			two; needs z; chooses b(back, in 0); region 1 of 1
		`},
		{"two loops that have nothing to do with each other", `
			a: x > y
			one: y ? a END
			b: p > q
			two: q ? b END
		`, `
			inputs x p
			begins at a b
			one -> a: choice
			one -> END: choice
			two -> b: choice
			two -> END: choice
			a -> one: data y
			b -> two: data q
			loop of a one: head a, back from one
			loop of b two: head b, back from two
			a; needs x; before one; read by one; region 1 of 2
			one; needs y; chooses a(back, in 0); region 1 of 2
			b; needs p; before two; read by two; region 2 of 2
			two; needs q; chooses b(back, in 0); region 2 of 2
		`},
		{"a gate that chooses itself", `
			again: x ? again END
		`, `
			inputs x
			begins at again
			again -> again: choice
			again -> END: choice
			loop of again: head again, back from again
			again; needs x; chooses again(back, in 0); region 1 of 1
		`},
		{"a node of the loop that starts together with the head", `
			entry h x
			h: p s? > a
			x: q > s
			m: a s > b
			g: b ? x h END
		`, `
			inputs p q
			begins at x
			g -> x: choice
			g -> h: choice
			g -> END: choice
			x -> h: data s
			h -> m: data a
			x -> m: data s
			m -> g: data b
			loop of h x m g: head h, back from x s, g
			  loop of x m g: head x, back from g
			h; needs p; before m; read by m; region 1 of 1
			x; needs q; before m h; read by m; region 1 of 1
			m; needs a s; before g; read by g; region 1 of 1
			g; needs b; chooses x(back, in 1) h(back, in 0); region 1 of 1
		`},
	})
}

// D7: a loop's rounds are held up by all that can still reach it, or what follows from it. Regions that touch are one.
func TestD7_RegionsThatTouchAreOne(t *testing.T) {
	checkAnalysis(t, []flowCase{
		{"what leads to a loop, and follows from it, and leads to that", `
			load: path > x
			a: x > y
			g: y ? a END
			after: y > z
			beside: k > w
			both: z w
			alone: l > m
		`, `
			inputs path k l
			begins at load beside alone
			g -> a: choice
			g -> END: choice
			load -> a: data x
			a -> g: data y
			a -> after: data y
			after -> both: data z
			beside -> both: data w
			loop of a g: head a, back from g
			load; needs path; before a; read by a; region 1 of 1
			a; needs x; before g after; read by g after; region 1 of 1
			g; needs y; chooses a(back, in 0); region 1 of 1
			after; needs y; before both; read by both; region 1 of 1
			beside; needs k; before both; read by both; region 1 of 1
			both; needs z w; region 1 of 1
			alone; needs l
		`},
		{"two loops whose values meet", `
			a: x > y
			one: y ? a END
			b: p > q
			two: q ? b END
			both: y q > z
		`, `
			inputs x p
			begins at a b
			one -> a: choice
			one -> END: choice
			two -> b: choice
			two -> END: choice
			a -> one: data y
			b -> two: data q
			a -> both: data y
			b -> both: data q
			loop of a one: head a, back from one
			loop of b two: head b, back from two
			a; needs x; before one both; read by one both; region 1 of 1
			one; needs y; chooses a(back, in 0); region 1 of 1
			b; needs p; before two both; read by two both; region 1 of 1
			two; needs q; chooses b(back, in 0); region 1 of 1
			both; needs y q; region 1 of 1
		`},
	})
}

// D10: a run is given what no node writes, and what is read before it is written first. It need not be given what no node needs
// then: an input with a default, and what only nodes before the entry read, which do not open by themselves.
func TestD10_WhatARunIsGiven(t *testing.T) {
	checkAnalysis(t, []flowCase{
		{"what one node needs is required, whoever else can do without", `
			a: x? k? > y
			b: x y > z
		`, `
			inputs x k?
			begins at a
			a -> b: data y
			a; before b; read by b
			b; needs x y
		`},
		{"what a node writes is none of it", `
			a: x > y
			b: y? > z
		`, `
			inputs x
			begins at a
			a -> b: data y
			a; needs x; before b; read by b
			b
		`},
		{"what only the next round brings has to have a default", `
			a: x y? > z
			b: z > y
			g: y ? a END
		`, `
			inputs x
			begins at a
			g -> a: choice
			g -> END: choice
			b -> a: data y
			a -> b: data z
			b -> g: data y
			loop of a b g: head a, back from b y, g
			a; needs x; before b; read by b; region 1 of 1
			b; needs z; before g; read by g; region 1 of 1
			g; needs y; chooses a(back, in 0); region 1 of 1
		`},
		{"an entry in the middle", `
			entry review
			write: brief remarks? > text
			review: text > verdict remarks
			approved: verdict ? write publish
			publish: text > url
		`, `
			inputs brief? text
			begins at review
			approved -> write: choice
			approved -> publish: choice
			review -> write: data remarks
			write -> review: data text
			review -> approved: data verdict
			write -> publish: data text
			loop of write review approved: head write, back from review remarks, approved
			write; needs brief; before review publish; read by review publish; closed; region 1 of 1
			review; needs text; before approved; read by approved; region 1 of 1
			approved; needs verdict; before publish; chooses write(back, in 0) publish; region 1 of 1
			publish; needs text; gated; region 1 of 1
		`},
		{"an entry beside others", `
			entry b c
			a: x back? > y
			b: y > z
			c: k > w
			d: z w > v
			g: v ? a END
			h: v > back
		`, `
			inputs x? y k
			begins at b c
			g -> a: choice
			g -> END: choice
			h -> a: data back
			a -> b: data y
			b -> d: data z
			c -> d: data w
			d -> g: data v
			d -> h: data v
			loop of a b d g h: head a, back from h back, g
			a; needs x; before b; read by b; closed; region 1 of 1
			b; needs y; before d; read by d; region 1 of 1
			c; needs k; before d; read by d; region 1 of 1
			d; needs z w; before g h; read by g h; region 1 of 1
			g; needs v; chooses a(back, in 0); region 1 of 1
			h; needs v; region 1 of 1
		`},
	})
}

// D1: two nodes may write one value where one decision of a gate stands between them, and nowhere else; what two exclusive
// branches write is never there together.
func TestD1_WhoMayWriteOneValue(t *testing.T) {
	for _, tt := range []struct{ name, flow, refused string }{
		{"two that always run", "a: x > y\nb: x > y", "conflict b"},
		{"targets of one gate", "g: x ? a b\na: x > y\nb: x > y", ""},
		{"of a gate that may choose both", "g: x ?? a b\na: x > y\nb: x > y", "conflict b"},
		{"of two gates", "g: x ? a END\nh: x ? b END\na: x > y\nb: x > y", "conflict b"},
		{"what follows from targets by what it needs", "g: x ? a b\na: x > p\nb: x > q\nc: p > y\nd: q > y", ""},
		{"what can do without", "g: x ? a b\na: x > p\nb: x > q\nc: p > y\nd: q? > y", "conflict d"},
		{"gates behind gates", "g: x ? h c\nh: x ? a b\na: x > y\nb: x > y\nc: x > y", ""},
		{"a gate behind one of several", "g: x ?? h c\nh: x ? a b\na: x > y\nb: x > y\nc: x > y", "conflict c"},
		{"one target of two gates", "g: x ? a b\nh: x ? a END\na: x > y\nb: x > y", "conflict b"},
		{"needs both branches", "g: x ? a b\na: x > p\nb: x > q\nc: p q > y", "never-runs c"},
		{"needs one and can do without the other", "g: x ? a b\na: x > p\nb: x > q\nc: p q? > y", ""},
		{"needs what either brings", "g: x ? a b\na: x > p\nb: x > p\nc: p > y", ""},
		{"needs both, and chooses one itself", "g: x ? a b\na: x > p\nb: p > q", "never-runs b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := plan.Wire(flow(t, "p", tt.flow))
			var found []string
			if bad, ok := errors.AsType[*plan.Error](err); ok {
				for _, p := range bad.Problems {
					found = append(found, fmt.Sprintf("%s %s", p.Code, p.Node))
				}
			}
			if diff := cmp.Diff(tt.refused, strings.Join(found, ", ")); diff != "" {
				t.Errorf("what is refused (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}
