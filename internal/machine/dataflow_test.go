package machine

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/plan"
)

// readSketch makes a sketch of how one is shown, so that what exploring has found can be kept.
func readSketch(t *testing.T, text string) *flowSketch {
	t.Helper()
	s := new(flowSketch)
	list := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		if names, ok := strings.CutPrefix(line, "begins at "); ok {
			s.entry = list(names)
			continue
		}
		at := flowSpot{constant: strings.Contains(line, ", always the same")}
		line = strings.Replace(line, ", always the same", "", 1)
		line, targets, _ := strings.Cut(line, " chooses ")
		if some, ok := strings.CutPrefix(targets, "some of "); ok {
			at.many, at.to = true, list(some)
		} else {
			at.to = list(strings.TrimPrefix(targets, "one of "))
		}
		name, rest, ok := strings.Cut(line, "(")
		inputs, outputs, closed := strings.Cut(rest, ")")
		if at.name = name; !ok || !closed {
			t.Fatalf("no node: %s", line)
		}
		for _, in := range list(inputs) {
			in, optional := strings.CutSuffix(in, "?")
			at.in = append(at.in, flowInput{in, optional})
		}
		at.out = list(strings.TrimPrefix(outputs, " -> "))
		s.nodes = append(s.nodes, at)
	}
	return s
}

// exploreText compares what a sketch does with what the laws say, for some behaviours of its nodes.
func exploreText(t *testing.T, text string) {
	t.Helper()
	s := readSketch(t, text)
	p, err := s.wire()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(40) {
		if d := exploreFlow(s, p, seed, new(flowStats)); d != nil {
			t.Fatal(d)
		}
	}
}

// What a sketch is shown as can be read.
func TestSketchesCanBeRead(t *testing.T) {
	const text = `h(a?, x?) -> q
g(q, b) chooses one of p, END
p(q) -> x, y, always the same
m() -> z chooses some of h, p
begins at h, g
`
	if got := readSketch(t, text).String(); got != text {
		t.Errorf("expected\n%sfound\n%s", text, got)
	}
}

// What may begin begins in declared order, whenever it was listed: a machine that is folded from the journal has not
// listed it at the same times.
func TestJ1_NodesBeginInDeclaredOrder(t *testing.T) {
	exploreText(t, `
		n4() -> x chooses one of n8, n4
		n5(x?)
		n8()
	`)
	exploreText(t, `
		n2() -> v2
		n3(v2)
		n4() -> v4
		n5()
		n7(v2, v4) chooses one of n2, n5
	`)
}

// What a node needs may be written behind it, in its loop, by one that is skipped: then it is skipped as well.
func TestD9_WhatWouldWriteBehindTheReaderIsSkipped(t *testing.T) {
	s := readSketch(t, `
		n1(a) chooses one of n6, END
		n3(a, x) -> v3
		n5(v3) chooses one of n3, END
		n6() chooses one of n7
		n7(v3, x) -> x
	`)
	p, err := s.wire()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{sketch: s}
	for w.chooses(&s.nodes[0], 1, given{"run.a"})[0] != end {
		w.seed++
	}
	inputs := map[string]string{"a": "run.a"} // and not x, which the loop reads before it writes it
	l, err := newLawful(w, inputs)
	if err != nil {
		t.Fatal(err)
	}
	l.run()
	want := `skipped ["n3" "n5" "n6" "n7"], stuck [], results ["" ""]`
	if got := l.tell().ended; got != want {
		t.Errorf("by the laws: expected %s, found %s", want, got)
	}
	o := &ordering{world: w, m: New(p), r: rand.New(rand.NewPCG(1, 1)), inputs: inputs}
	if what := o.run(); what != "" || o.ended != want {
		t.Errorf("by the machine: expected %s, found %s %s", want, o.ended, what)
	}
}

// Where several nodes are entries, the head of a loop may begin beside nodes of its loop that write what it reads: it waits
// for them, or it would be given what they have written by then.
func TestD5_TheHeadWaitsForWhatBeginsBesideIt(t *testing.T) {
	exploreText(t, `
		n0() -> v0
		n1(v0) -> v1
		n2(v1) chooses one of n3
		n3(v1) chooses one of n2, n0
		begins at n2, n1
	`)
}

// What is accumulated is read, and not waited for, by nodes that its writer follows from. Where it only follows by way of
// another round, they are beside each other: the reader waits, or what it is given would be a matter of who is faster.
func TestD2_WhatIsAccumulatedBesideItsReader(t *testing.T) {
	exploreText(t, `
		h(m) -> x
		w(x, m?) -> m
		v(m, x) -> y
		g(y) chooses one of h, END
	`)
}

// Dataflows of which exploring has found, or could have found, that orders make a difference.
func TestD11_DataflowsThatTellOrdersApart(t *testing.T) {
	for name, text := range map[string]string{
		"feedback and an accumulator": `
			write(a, note?, all?) -> draft, all
			check(draft) -> note
			enough(note, all) chooses one of write, END
			print(draft, all)
		`,
		"loops beside each other, behind each other and around each other": `
			outer(a?, z?) -> o
			left(o, l?) -> l
			again(l) chooses one of left, END
			right(o, r?) -> r
			more(r) chooses one of right, END
			both(l, r) -> z
			whole(z) chooses one of outer, END
			last(z, l, r)
		`,
		"a gate that takes back what another gate has not used": `
			head(a?) -> q
			first(q) chooses one of second, other
			second(q) chooses one of late, END
			perhaps(q) chooses one of extra, END
			extra(q) -> x
			late(x) -> y
			other(q) -> w
			again(q, y?, w?) chooses one of head, END
		`,
		"two gates over one node, and a gate that chooses several": `
			head(a?) -> q
			one(q) chooses some of p, r, END
			two(q) chooses one of p, s, END
			p(q, s?) -> x
			r(q) -> y
			s(q) -> s
			again(x?, y?, s?, q) chooses one of head, END
		`,
		"branches of a loop that write one value": `
			head(a?, out?) -> q
			choose(q) chooses one of p, r
			p(q) -> x, b
			v(x, b) -> out
			r(q) -> out
			again(out) chooses one of head, END
			last(out)
		`,
		"a choice that needs what another round has brought": `
			head(a?) -> q
			choose(q) chooses one of count, tell
			count(q) -> n
			tell(n) -> text
			again(q, text?) chooses one of head, END
		`,
		"the first of two loops begins behind the second one's gate": `
			one(a?, x?) -> v
			gate(v) chooses one of one, two
			two(v, w?) -> w
			back(w) chooses one of two, END
			sum(v, w?) -> x
		`,
	} {
		t.Run(name, func(t *testing.T) { exploreText(t, text) })
	}
}

// A dataflow in which two nodes of one round write one value is refused: what is written last would be a matter of order
// (law D1). The laws as they are kept here would let it be so.
func TestD1_WritersOfOneRoundWouldRace(t *testing.T) {
	s := readSketch(t, `
		head(a?) -> q
		choose(q) chooses one of p, r
		p(q) -> x
		v(x, q) -> out
		r(q) -> out
		again(out?, q) chooses one of head, END
	`)
	if _, err := s.wire(); err == nil {
		t.Fatal("it is accepted")
	} else if bad, ok := errors.AsType[*plan.Error](err); !ok || bad.Problems[0].Code != plan.Conflict {
		t.Fatalf("expected a conflict, found %v", err)
	}
	for seed := range uint64(40) {
		l, err := newLawful(&world{sketch: s, seed: seed}, map[string]string{})
		if err != nil {
			t.Fatal(err)
		}
		if l.run(); l.broken != "" {
			return
		}
	}
	t.Error("no two nodes have written one value in one round: the exploring tests would not see it either")
}
