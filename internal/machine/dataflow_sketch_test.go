package machine

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// flowSketch is a dataflow as data, so that it can be made smaller.
type flowSketch struct {
	nodes []flowSpot
	entry []string

	atOnce int // how many of its tasks may be at work at once; 0 for the default
}

// flowSpot is a node of a sketch.
type flowSpot struct {
	name     string
	in       []flowInput
	out      []string
	many     bool     // a gate that chooses several
	to       []string // a gate's targets; the last is what it chooses after a while
	constant bool     // it always writes the same
	err      string   // where its failure leads, "" where it never fails

	sub        *flowSketch // it is a subgraph: in and out follow from what is in it
	from, into []string    // what the first inputs and outputs of a subgraph are called outside of it
}

type flowInput struct {
	name     string
	optional bool
}

// end is how sketches write the end of a path.
const end = "END"

func one[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// sketchedFlow makes a random sketch: of blocks that make sense, a chain with much that leads back, or a wild one. Of what
// leads back, and of what is read before it is written, come loops.
func sketchedFlow(r *rand.Rand) *flowSketch {
	s := new(flowSketch)
	shape := r.IntN(5)
	if shape < 3 {
		s.block(r, "a", 2)
		for range r.IntN(5) {
			s.read(r, r.IntN(len(s.nodes)), true)
		}
	} else {
		s.chain(r, 4+r.IntN(8), shape == 3)
	}
	n := len(s.nodes)
	for i := range s.nodes {
		s.nodes[i].constant = r.IntN(15) == 0
	}
	if r.IntN(10) == 0 {
		for range one(r, 1, 1, 2, 3, 4) {
			if name := s.nodes[r.IntN(n)].name; !slices.Contains(s.entry, name) {
				s.entry = append(s.entry, name)
			}
		}
	}
	for range one(r, 0, 0, 1, 1, 2, 3) {
		s.handle(r, r.IntN(n))
	}
	for range one(r, 0, 0, 0, 1, 2) {
		s.nest(r, &s.nodes[r.IntN(n)], 1)
	}
	s.atOnce = one(r, 0, 0, 1, 2, 3)
	return s
}

// handle lets a failure of a node lead to another one: to a new one, which writes the same or something else, to one that there
// is, or to the end.
func (s *flowSketch) handle(r *rand.Rand, i int) {
	if s.nodes[i].err != "" {
		return
	}
	switch kind := r.IntN(10); {
	case kind < 7:
		handler := s.add().name
		at, from := &s.nodes[len(s.nodes)-1], &s.nodes[i]
		if from.err = handler; r.IntN(2) == 0 {
			at.in = slices.Clone(from.in)
		}
		if r.IntN(3) > 0 {
			if at.out = append(at.out, from.out...); r.IntN(2) == 0 {
				at.out = at.out[1:]
			}
		}
		if r.IntN(3) == 0 {
			s.read(r, len(s.nodes)-1, true)
		}
		if reader := &s.nodes[r.IntN(len(s.nodes)-1)]; r.IntN(3) == 0 && len(at.out) > 0 && !reader.reads(at.out[0]) {
			reader.in = append(reader.in, flowInput{at.out[0], r.IntN(2) == 0})
		}
		if r.IntN(4) == 0 { // another one may fail there, too
			if other := &s.nodes[r.IntN(len(s.nodes))]; other.err == "" {
				other.err = handler
			}
		}
		if r.IntN(5) == 0 { // and the handler as well
			s.handle(r, len(s.nodes)-1)
		}
	case kind < 9:
		s.nodes[i].err = s.nodes[r.IntN(len(s.nodes))].name
	default:
		s.nodes[i].err = end
	}
}

// nest makes a subgraph of a node, which may have one inside of it.
func (s *flowSketch) nest(r *rand.Rand, at *flowSpot, depth int) {
	sub := new(flowSketch)
	if r.IntN(3) > 0 {
		sub.block(r, "a", 1)
	} else {
		sub.chain(r, 3, r.IntN(2) == 0)
	}
	for range r.IntN(3) {
		sub.read(r, r.IntN(len(sub.nodes)), true)
	}
	if depth > 0 && r.IntN(4) == 0 {
		sub.nest(r, &sub.nodes[r.IntN(len(sub.nodes))], depth-1)
	}
	if _, err := sub.wire(); err != nil || at.gate() || at.sub != nil {
		return
	}
	sub.atOnce = one(r, 0, 0, 1, 2)
	at.sub, at.into = sub, at.out
	for _, in := range at.in {
		at.from = append(at.from, in.name)
	}
}

// settle finds what the subgraphs of a sketch read and write.
func (s *flowSketch) settle() (inner []*plan.Plan, err error) {
	inner = make([]*plan.Plan, len(s.nodes))
	for i := range s.nodes {
		at := &s.nodes[i]
		if at.sub == nil {
			continue
		}
		if inner[i], err = at.sub.wire(); err != nil {
			return nil, err
		}
		at.in, at.out = nil, nil
		for k, p := range inner[i].Dataflow().Inputs {
			name := at.name + "_" + p.Name
			if k < len(at.from) {
				name = at.from[k]
			}
			at.in = append(at.in, flowInput{name, p.Optional})
		}
		for k, name := range at.sub.results() {
			if k < len(at.into) {
				at.out = append(at.out, at.into[k])
			} else {
				at.out = append(at.out, at.name+"_"+name)
			}
		}
	}
	return inner, nil
}

// add adds a node that reads some values and writes one of its own.
func (s *flowSketch) add(in ...string) *flowSpot {
	i := len(s.nodes)
	at := flowSpot{name: fmt.Sprintf("n%d", i), out: []string{fmt.Sprintf("v%d", i)}}
	for _, name := range in {
		if !at.reads(name) {
			at.in = append(at.in, flowInput{name, ofRun(name)})
		}
	}
	s.nodes = append(s.nodes, at)
	return &s.nodes[i]
}

// ofRun reports whether a value is an input of the run: it may be missing.
func ofRun(name string) bool { return name == "a" || name == "b" }

// block adds steps, loops, branches and what runs side by side, one behind the other, and says what the last one writes.
func (s *flowSketch) block(r *rand.Rand, in string, depth int) (out string) {
	for range 1 + r.IntN(2) {
		kind := r.IntN(6)
		if depth == 0 || len(s.nodes) > 10 {
			kind = 0
		}
		switch kind {
		case 0, 1:
			in = s.add(in).out[0]
		case 2, 3:
			in = s.loop(r, in, depth)
		case 4:
			in = s.branches(r, in, depth)
		default:
			first, second := s.block(r, in, depth-1), s.block(r, in, depth-1)
			if r.IntN(3) > 0 {
				in = s.add(first, second).out[0]
			} else {
				in = first
			}
		}
	}
	return in
}

// loop adds a loop: its head, what is in it, and a gate that leads back.
func (s *flowSketch) loop(r *rand.Rand, in string, depth int) string {
	i := len(s.nodes)
	head := s.add(in)
	out := s.block(r, head.out[0], depth-1)
	if r.IntN(4) == 0 { // what is accumulated in it
		name := "m" + s.nodes[i].name
		at := s.add(out)
		at.in, at.out = append(at.in, flowInput{name, r.IntN(3) == 0}), []string{name}
		for range 1 + r.IntN(2) {
			if reader := &s.nodes[i+r.IntN(len(s.nodes)-i)]; !reader.reads(name) {
				reader.in = append(reader.in, flowInput{name, r.IntN(3) == 0})
			}
		}
		if r.IntN(3) == 0 {
			out = name
		}
	}
	gate := s.add(out)
	gate.to, gate.out = []string{s.nodes[i].name, end}, nil
	if r.IntN(3) == 0 { // the way out is a node
		gate.to[1] = fmt.Sprintf("n%d", len(s.nodes))
		out = s.add(out).out[0]
	}
	if r.IntN(2) == 0 {
		s.nodes[i].in = append(s.nodes[i].in, flowInput{out, true})
	}
	return out
}

// branches adds a gate and two branches, which write one value.
func (s *flowSketch) branches(r *rand.Rand, in string, depth int) string {
	i := len(s.nodes)
	s.add(in).out = nil
	if name := "x" + s.nodes[i].name; r.IntN(4) > 0 {
		s.nodes[i].many = r.IntN(6) == 0
		for range 2 {
			k := len(s.nodes)
			s.nodes[i].to = append(s.nodes[i].to, fmt.Sprintf("n%d", k))
			if s.add(in); r.IntN(6) == 0 { // it also reads what is written behind it, if anything is
				s.nodes[k].in = []flowInput{{fmt.Sprintf("v%d", k+2+r.IntN(3)), true}}
			}
			if r.IntN(2) == 0 {
				s.block(r, s.nodes[k].out[0], depth-1)
			}
			last := &s.nodes[len(s.nodes)-1]
			last.out = append(slices.Clone(last.out), name)
		}
		return name
	}
	s.nodes[i].to = []string{fmt.Sprintf("n%d", len(s.nodes)), end}
	return s.add(in).out[0]
}

// chain makes nodes of which each reads what others write; if wild, whatever.
func (s *flowSketch) chain(r *rand.Rand, n int, wild bool) {
	for range n {
		if s.add(); r.IntN(10) == 0 {
			s.nodes[len(s.nodes)-1].out = nil
		}
	}
	for i := range s.nodes {
		if !wild && i > 0 && r.IntN(8) > 0 {
			s.nodes[i].in = append(s.nodes[i].in, flowInput{one(r, s.nodes[max(0, i-1-r.IntN(3))].values()...), r.IntN(8) == 0})
		}
		s.read(r, i, !wild)
		if r.IntN(8) < 3 || !wild && i > 1 && r.IntN(4) == 0 {
			s.decide(r, i, !wild)
		}
	}
}

// read lets a node read values: most of them are written before it, some behind it.
func (s *flowSketch) read(r *rand.Rand, i int, chain bool) {
	at, most := &s.nodes[i], one(r, 0, 1, 1, 1, 2, 2, 3)
	if chain {
		most /= 2
	}
	for range most {
		var in flowInput
		switch which := r.IntN(20); {
		case which < 12 && i > 0:
			in = flowInput{one(r, s.nodes[r.IntN(i)].values()...), r.IntN(6) == 0}
		case which < 17:
			in = flowInput{one(r, s.nodes[i+r.IntN(len(s.nodes)-i)].values()...), r.IntN(5) > 0}
		default:
			in = flowInput{one(r, "a", "b"), r.IntN(2) == 0}
		}
		if !at.reads(in.name) {
			at.in = append(at.in, in)
		}
	}
}

// values are what a node writes; of one that writes nothing, what others may read all the same.
func (at *flowSpot) values() []string {
	if len(at.out) == 0 {
		return []string{"a"}
	}
	return at.out
}

func (at *flowSpot) reads(name string) bool {
	return slices.ContainsFunc(at.in, func(in flowInput) bool { return in.name == name })
}

func (at *flowSpot) gate() bool { return len(at.to) > 0 }

// decide makes a gate of a node. Sometimes two of its targets write one value.
func (s *flowSketch) decide(r *rand.Rand, i int, chain bool) {
	at, n := &s.nodes[i], len(s.nodes)
	at.many = r.IntN(4) == 0
	if r.IntN(6) > 0 {
		at.out = nil
	}
	for range one(r, 1, 1, 2, 2, 3) {
		to := r.IntN(n)
		switch {
		case chain && i > 0 && r.IntN(2) == 0:
			to = max(0, i-r.IntN(6))
		case i+1 < n && r.IntN(2) == 0:
			to = i + 1 + r.IntN(n-i-1)
		}
		if name := s.nodes[to].name; !slices.Contains(at.to, name) {
			at.to = append(at.to, name)
		}
	}
	if len(at.to) > 1 && !at.many && r.IntN(2) == 0 {
		s.share(r, at, "x"+at.name)
	}
	if r.IntN(4) > 0 {
		at.to = append(at.to, end)
	}
}

// share lets all targets of a gate write one value, and others read it.
func (s *flowSketch) share(r *rand.Rand, gate *flowSpot, name string) {
	for _, to := range gate.to {
		at := &s.nodes[s.index(to)]
		if at.out = append(at.out, name); r.IntN(2) == 0 {
			at.out = at.out[len(at.out)-1:]
		}
	}
	for k := range s.nodes {
		if reader := &s.nodes[k]; r.IntN(3) == 0 && !reader.reads(name) {
			reader.in = append(reader.in, flowInput{name, r.IntN(2) == 0})
		}
	}
}

// wire makes a plan of a sketch.
func (s *flowSketch) wire() (*plan.Plan, error) {
	def := plan.Definition{Name: "test", Kind: "dataflow", State: stubCodec{}, Entry: s.entry, Concurrency: s.atOnce}
	inner, err := s.settle()
	if err != nil {
		return nil, err
	}
	var outputs []plan.Port
	for i := range s.nodes {
		at := &s.nodes[i]
		n := plan.Node{Name: at.name, Sub: inner[i], Flow: &plan.Flow{Output: stubCodec{}}}
		for _, in := range at.in {
			n.Flow.Inputs = append(n.Flow.Inputs, plan.Port{Name: in.name, Optional: in.optional})
		}
		for _, name := range at.out {
			p := plan.Port{Name: name}
			if n.Flow.Outputs = append(n.Flow.Outputs, p); !slices.ContainsFunc(outputs, func(o plan.Port) bool { return o.Name == name }) {
				outputs = append(outputs, p)
			}
		}
		switch {
		case at.many:
			n.RouteMany = func(node.Context, any) ([]string, error) { return nil, nil }
		case at.gate():
			n.Route = func(node.Context, any) (string, error) { return "", nil }
		}
		def.Nodes = append(def.Nodes, n)
		for _, to := range at.to {
			def.Edges = append(def.Edges, plan.Edge{From: at.name, To: targetNamed(to), Kind: plan.Choice})
		}
		if at.err != "" {
			def.Edges = append(def.Edges, plan.Edge{From: at.name, To: targetNamed(at.err), Kind: plan.Failure})
		}
	}
	d, err := plan.Wire(def)
	if err != nil {
		return nil, err
	}
	def.Dataflow = d.WithResult(plan.Result{Outputs: outputs})
	return plan.New(def)
}

func targetNamed(to string) string {
	if to == end {
		return node.End
	}
	return to
}

// mend changes what plan.Wire refuses in a sketch, so that it may be accepted. It is false where that is not worth while.
func (s *flowSketch) mend(r *rand.Rand, err error) bool {
	problems, ok := errors.AsType[*plan.Error](err)
	if !ok {
		return false
	}
	p := problems.Problems[0]
	if p.EdgeIndex >= 0 && p.Edge.Kind == plan.Failure {
		s.nodes[s.index(p.Edge.From)].err = ""
		return true
	}
	if p.NodeIndex < 0 {
		return false
	}
	at := &s.nodes[p.NodeIndex]
	if at.sub != nil {
		return false
	}
	if at.err != "" && p.Code == plan.BadEdge {
		at.err = ""
		return true
	}
	switch p.Code {
	case plan.Conflict:
		if n := &s.nodes[r.IntN(len(s.nodes))]; r.IntN(3) > 0 && len(n.in) > 0 {
			k := r.IntN(len(n.in))
			n.in = slices.Delete(slices.Clone(n.in), k, k+1)
			break
		}
		at.out = slices.DeleteFunc(slices.Clone(at.out), func(name string) bool { return name == p.Port })
	case plan.NoHead:
		for i := range s.nodes {
			for k := range s.nodes[i].in {
				if in := &s.nodes[i].in[k]; in.name == p.Port || p.Port == "" && r.IntN(2) == 0 {
					in.optional = true
				}
			}
		}
	case plan.AmbiguousHead:
		gates := slices.DeleteFunc(slices.Clone(s.nodes), func(g flowSpot) bool { return !g.gate() })
		if to := one(r, one(r, gates...).to...); to != end && !slices.Contains(s.entry, to) {
			s.entry = append(s.entry, to)
		}
	case plan.Endless:
		at.in = slices.DeleteFunc(slices.Clone(at.in), func(in flowInput) bool { return in.name > "b" && r.IntN(2) == 0 })
	case plan.NeverRuns:
		at.in = slices.DeleteFunc(slices.Clone(at.in), func(flowInput) bool { return r.IntN(2) == 0 })
	default:
		return false
	}
	return true
}

// String shows a sketch, a node a line: what it reads, optional values with ?, what it writes, and what it may choose.
func (s *flowSketch) String() string {
	var b strings.Builder
	for i := range s.nodes {
		at := &s.nodes[i]
		var in []string
		for _, p := range at.in {
			if p.optional {
				p.name += "?"
			}
			in = append(in, p.name)
		}
		fmt.Fprintf(&b, "%s(%s)", at.name, strings.Join(in, ", "))
		if len(at.out) > 0 {
			fmt.Fprintf(&b, " -> %s", strings.Join(at.out, ", "))
		}
		if at.constant {
			b.WriteString(", always the same")
		}
		if at.gate() {
			fmt.Fprintf(&b, " chooses %s of %s", map[bool]string{false: "one", true: "some"}[at.many], strings.Join(at.to, ", "))
		}
		if at.err != "" {
			b.WriteString(", fails to " + at.err)
		}
		b.WriteByte('\n')
		if at.sub != nil {
			b.WriteString("  " + strings.ReplaceAll(strings.TrimSpace(at.sub.String()), "\n", "\n  ") + "\n")
		}
	}
	if len(s.entry) > 0 {
		fmt.Fprintf(&b, "begins at %s\n", strings.Join(s.entry, ", "))
	}
	if s.atOnce > 0 {
		fmt.Fprintf(&b, "at most %d at once\n", s.atOnce)
	}
	return b.String()
}

// smaller lists sketches that are a little less than this one.
func (s *flowSketch) smaller() (list []*flowSketch) {
	change := func(f func(c *flowSketch)) {
		c := &flowSketch{nodes: slices.Clone(s.nodes), entry: slices.Clone(s.entry), atOnce: s.atOnce}
		for i := range c.nodes {
			at := &c.nodes[i]
			at.in, at.out, at.to = slices.Clone(at.in), slices.Clone(at.out), slices.Clone(at.to)
		}
		f(c)
		list = append(list, c)
	}
	if s.atOnce > 0 {
		change(func(c *flowSketch) { c.atOnce = 0 })
	}
	for i := range s.nodes {
		at := &s.nodes[i]
		change(func(c *flowSketch) { c.drop(i) })
		if at.err != "" {
			change(func(c *flowSketch) { c.nodes[i].err = "" })
		}
		if at.sub != nil {
			change(func(c *flowSketch) { c.nodes[i].sub = nil })
			for _, sub := range at.sub.smaller() {
				change(func(c *flowSketch) { c.nodes[i].sub = sub })
			}
			continue
		}
		if at.gate() {
			change(func(c *flowSketch) { c.nodes[i].to, c.nodes[i].many = nil, false })
		}
		if at.many {
			change(func(c *flowSketch) { c.nodes[i].many = false })
		}
		for k := range at.to {
			if len(at.to) > 1 {
				change(func(c *flowSketch) { c.nodes[i].to = slices.Delete(c.nodes[i].to, k, k+1) })
			}
		}
		for k := range at.in {
			change(func(c *flowSketch) { c.nodes[i].in = slices.Delete(c.nodes[i].in, k, k+1) })
		}
		for k := range at.out {
			change(func(c *flowSketch) { c.nodes[i].out = slices.Delete(c.nodes[i].out, k, k+1) })
		}
		if at.constant {
			change(func(c *flowSketch) { c.nodes[i].constant = false })
		}
	}
	for k := range s.entry {
		change(func(c *flowSketch) { c.entry = slices.Delete(c.entry, k, k+1) })
	}
	return list
}

// drop takes a node out.
func (s *flowSketch) drop(i int) {
	gone := func(name string) bool { return name == s.nodes[i].name }
	for k := range s.nodes {
		at := &s.nodes[k]
		if at.to = slices.DeleteFunc(at.to, gone); len(at.to) == 0 {
			at.many = false
		}
		if gone(at.err) {
			at.err = ""
		}
	}
	s.entry = slices.DeleteFunc(s.entry, gone)
	s.nodes = slices.Delete(s.nodes, i, i+1)
}

// world says what the nodes of a sketch do. All of it follows from what a task is given, and which visit it is.
type world struct {
	sketch *flowSketch
	seed   uint64
}

// given is what a task is given: values in the order of its node's inputs, "" for those that there are none of.
type given []string

func (w *world) dice(parts ...any) uint64 {
	h := fnv.New64a()
	h.Write(fmt.Appendln(nil, append(parts, w.seed)...))
	n := h.Sum64()
	return n ^ n>>29
}

// runIsGiven reports whether a run is given an input: half of those that it does not need, and almost all others. Where a
// value that nodes write too is needed to begin, nothing is promised for runs without it.
func (w *world) runIsGiven(name string, optional bool) bool {
	if optional {
		return w.dice("given", name)%2 == 0
	}
	return !ofRun(name) || w.dice("given", name)%40 > 0
}

// writes is what a visit writes, by the place of the output.
func (w *world) writes(at *flowSpot, visit int, in given) map[string]string {
	out := make(map[string]string)
	for _, name := range at.out {
		if out[name] = name; !at.constant {
			out[name] = fmt.Sprintf("%s.%d.%04x", name, visit, w.dice(at.name, name, visit, in)&0xffff)
		}
	}
	return out
}

// fails reports whether a visit fails: only that of a node whose failure is handled does.
func (w *world) fails(at *flowSpot, visit int, in given) bool {
	return at.err != "" && w.dice("fails", at.name, visit, in)%5 < 2
}

// chooses is what a gate chooses: after a while always the last of its targets, so that loops end.
func (w *world) chooses(at *flowSpot, visit int, in given) []string {
	last := len(at.to) - 1
	d := w.dice(at.name, visit, in)
	if visit > 2+int(w.dice(at.name)%2) {
		return at.to[last:]
	}
	if !at.many {
		if to := at.to[d%uint64(len(at.to))]; to != end || d>>20%3 == 0 {
			return []string{to}
		}
		return at.to[:1]
	}
	var list []string
	for i, to := range at.to {
		if d>>i&1 == 0 {
			list = append(list, to)
		}
	}
	if len(list) == 0 {
		list = at.to[last:]
	}
	return list
}
