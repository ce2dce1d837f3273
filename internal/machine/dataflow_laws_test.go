package machine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lawful runs a sketch by the text of laws D1 to D10. It counts nothing and keeps nothing but what has happened: whatever
// it has to know, it finds out each time from that, and from what the laws call things. It is slow, and short enough to be
// compared with the laws.
type lawful struct {
	*flowSketch
	*world
	edges    []lawEdge
	loops    []lawLoop
	before   [][]bool          // by node: its forward ancestors
	inputs   map[string]string // what the run was given
	path     string            // of a subgraph: what the names of its tasks begin with
	visited  map[string]int    // of the run, and of its subgraphs, by path: the last visit
	inside   map[int]*lawful   // by node: how its subgraph has ended
	within   told              // what the tasks in subgraphs did
	happened []happening
	pick     func(n int) int // which of the tasks at work ends next; nil lets each end at once
	tasks    int
	broken   string
}

// A subgraph that is stuck stays at work for ever.
func (l *lawful) hangs(v int) bool {
	sub := l.inside[v]
	return sub != nil && sub.isStuck()
}

// lawEdge leads from a node to another one. It carries a value, or a decision.
type lawEdge struct {
	from, to int
	name     string // "" for a decision
	back     bool
	depth    int  // of one that leads back: how many loops are around its loop
	read     bool // it carries what is accumulated, and nobody waits for it
	fail     bool // it carries a failure to its handler (law D14)
}

// lawLoop is a loop of law D4.
type lawLoop struct {
	nodes  []bool
	head   int
	heads  int // how many nodes could be the head
	depth  int
	region []bool // law D7; shared by loops whose regions touch
}

// happening is a task that begins, or ends.
type happening struct {
	node, visit int
	ends        bool
	took        *selection        // it begins: the round's selection, nil where it runs forward
	wrote       map[string]string // it ends
	chose       []int             // it ends: the nodes that it has chosen
	failed      bool              // it ends: without what it writes, and its handler is chosen
}

// selection is what nothing was begun for yet of a decision.
type selection struct {
	gate, to int
	at       int // when it was made: its place in what happened
	back     bool
	depth    int
	failed   bool // by a failure
}

func (s *flowSketch) index(name string) int {
	return slices.IndexFunc(s.nodes, func(at flowSpot) bool { return at.name == name })
}

// newLawful finds the edges and loops. It fails where law D4 says that there is no head, or that there are several.
func newLawful(w *world, inputs map[string]string) (*lawful, error) {
	l := &lawful{flowSketch: w.sketch, world: w, inputs: inputs, visited: make(map[string]int), inside: make(map[int]*lawful)}
	l.within.tasks = make(map[string]string)
	for v := range l.nodes {
		for _, in := range l.nodes[v].in {
			for _, u := range l.writers(in.name) {
				if u != v { // an accumulator is read, not waited for (law D2)
					l.edges = append(l.edges, lawEdge{from: u, to: v, name: in.name})
				}
			}
		}
		for _, to := range l.nodes[v].to {
			if to != end {
				l.edges = append(l.edges, lawEdge{from: v, to: l.index(to)})
			}
		}
		if to := l.nodes[v].err; to != "" && to != end {
			l.edges = append(l.edges, lawEdge{from: v, to: l.index(to), fail: true})
		}
	}
	for l.takeApart(l.all(true), 0); slices.ContainsFunc(l.loops, l.readBack); l.takeApart(l.all(true), 0) {
		l.loops = nil
		for i := range l.edges {
			l.edges[i].back = false
		}
	}
	for _, o := range l.loops {
		if o.heads != 1 {
			return nil, fmt.Errorf("law D4: the loop of %v has %d heads", o.nodes, o.heads)
		}
	}
	for v := range l.nodes {
		l.before = append(l.before, l.reach(l.nodesWhere(func(u int) bool { return u == v }), l.waits, true))
		l.before[v][v] = false
	}
	l.findRegions()
	return l, nil
}

// accumulated reports whether somebody both reads and writes a value; must, whether he needs it.
func (l *lawful) accumulated(name string, must bool) bool {
	return slices.ContainsFunc(l.writers(name), func(u int) bool {
		return slices.ContainsFunc(l.nodes[u].in, func(in flowInput) bool { return in.name == name && !(must && in.optional) })
	})
}

// readBack finds the edges in a loop without a head that carry what is accumulated to nodes that its writer follows from:
// those read it, too, and do not wait for it (law D2). It reports whether there were any.
func (l *lawful) readBack(o lawLoop) (found bool) {
	if o.heads > 0 {
		return false
	}
	part := o.nodes
	plain := func(e lawEdge) bool {
		return part[e.from] && part[e.to] && (e.name == "" || !l.accumulated(e.name, false))
	}
	for i := range l.edges {
		e := &l.edges[i]
		if !e.read && part[e.from] && part[e.to] && e.name != "" && l.accumulated(e.name, false) {
			e.read = l.reach(l.nodesWhere(func(u int) bool { return u == e.to }), plain, false)[e.from]
			found = found || e.read
		}
	}
	return found
}

func (l *lawful) all(in bool) []bool { return l.nodesWhere(func(int) bool { return in }) }

func (l *lawful) nodesWhere(is func(v int) bool) []bool {
	nodes := make([]bool, len(l.nodes))
	for v := range nodes {
		nodes[v] = is(v)
	}
	return nodes
}

// reach are the nodes that some edges lead to from others, which are among them; against their direction, if reverse.
func (l *lawful) reach(from []bool, by func(e lawEdge) bool, reverse bool) []bool {
	seen := slices.Clone(from)
	for again := true; again; {
		again = false
		for _, e := range l.edges {
			u, v := e.from, e.to
			if reverse {
				u, v = v, u
			}
			if by(e) && seen[u] && !seen[v] {
				seen[v], again = true, true
			}
		}
	}
	return seen
}

// takeApart finds the loops among some nodes (law D4), and those inside of them.
func (l *lawful) takeApart(nodes []bool, depth int) {
	inside := func(e lawEdge) bool { return nodes[e.from] && nodes[e.to] && forwards(e) }
	done := l.all(false)
	for v := range l.nodes {
		if !nodes[v] || done[v] {
			continue
		}
		next := l.all(false)
		for _, e := range l.edges {
			next[e.to] = next[e.to] || inside(e) && e.from == v
		}
		before, behind := l.reach(l.nodesWhere(func(u int) bool { return u == v }), inside, true), l.reach(next, inside, false)
		part := l.nodesWhere(func(u int) bool { return before[u] && behind[u] })
		if !part[v] {
			continue
		}
		for u := range part {
			done[u] = done[u] || part[u]
		}
		heads := l.heads(part)
		l.loops = append(l.loops, lawLoop{nodes: part, heads: len(heads), depth: depth})
		if len(heads) == 0 {
			continue
		}
		head := heads[0]
		l.loops[len(l.loops)-1].head = head
		for i := range l.edges {
			if e := &l.edges[i]; e.to == head && part[e.from] && forwards(*e) {
				e.back, e.depth = true, depth
			}
		}
		l.takeApart(part, depth+1)
	}
}

// heads are the targets of gates of the loop that can start without the loop: there should be one. An entry that is a target is
// the head.
func (l *lawful) heads(part []bool) (heads []int) {
	for v := range part {
		aimed := slices.ContainsFunc(l.edges, func(e lawEdge) bool { return e.name == "" && !e.fail && e.to == v && part[e.from] })
		if !part[v] || !aimed {
			continue
		}
		if slices.Contains(l.entry, l.nodes[v].name) {
			return []int{v}
		}
		if l.starts(v, part) {
			heads = append(heads, v)
		}
	}
	return heads
}

// starts reports whether a node has all that it requires from runs, defaults and other nodes than some. A value is given to
// the run first that somebody both needs and writes (law D2).
func (l *lawful) starts(v int, part []bool) bool {
	return !slices.ContainsFunc(l.nodes[v].in, func(in flowInput) bool {
		writers := l.writers(in.name)
		first := l.accumulated(in.name, true)
		elsewhere := slices.ContainsFunc(writers, func(u int) bool { return !part[u] })
		return !in.optional && len(writers) > 0 && !first && !elsewhere
	})
}

func (l *lawful) writers(name string) (nodes []int) {
	for u := range l.nodes {
		if slices.Contains(l.nodes[u].out, name) {
			nodes = append(nodes, u)
		}
	}
	return nodes
}

// waits reports whether the node that an edge leads to waits while the other one is live: along forward edges (law D5c).
// And a node waits for what writes its inputs along another edge and does not follow from it: that may start by itself,
// beside it.
func (l *lawful) waits(e lawEdge) bool {
	if forwards(e) {
		return true
	}
	behind := l.reach(l.nodesWhere(func(u int) bool { return u == e.to }), forwards, false)
	return e.name != "" && !behind[e.from]
}

func forwards(e lawEdge) bool { return !e.back && !e.read }

// findRegions finds what holds up the rounds of each loop (law D7).
func (l *lawful) findRegions() {
	for i := range l.loops {
		follows := l.reach(l.loops[i].nodes, forwards, false)
		l.loops[i].region = l.reach(follows, forwards, true)
	}
	for again := true; again; {
		again = false
		for i := range l.loops {
			for k := range l.loops {
				a, b := l.loops[i].region, l.loops[k].region
				touch := slices.ContainsFunc(l.order(), func(v int) bool { return a[v] && b[v] })
				for v := range a {
					if touch && a[v] != b[v] {
						a[v], b[v], again = true, true, true
					}
				}
			}
		}
	}
}

func (l *lawful) order() []int {
	var all []int
	for v := range l.nodes {
		all = append(all, v)
	}
	return all
}

// run runs the sketch to its end; false where that takes too long.
func (l *lawful) run() bool {
	for l.tasks < mostFlowTasks {
		if !l.step() {
			return true
		}
	}
	return false
}

// mostFlowTasks is how many tasks a run may take that is compared.
const mostFlowTasks = 120

// step begins or ends one task; false when nothing can happen any more.
func (l *lawful) step() bool {
	var working []int
	for v := range l.nodes {
		if l.running(v) && !l.hangs(v) {
			working = append(working, v)
		}
	}
	if l.pick == nil && len(working) > 0 {
		l.finish(working[0])
		return true
	}
	open := l.selections()
	for v := range l.nodes {
		if l.enabled(v, open) && !l.running(v) && !l.held(v, open) {
			l.begin(v, nil)
			return true
		}
	}
	if s, ok := l.round(open); ok {
		l.begin(s.to, &s)
		return true
	}
	if len(working) == 0 {
		return false
	}
	l.finish(working[l.pick(len(working))])
	return true
}

func (l *lawful) begin(v int, took *selection) {
	l.tasks++
	if took == nil {
		l.watch(v)
	}
	l.visited[l.path+l.nodes[v].name]++
	l.happened = append(l.happened, happening{node: v, visit: l.visited[l.path+l.nodes[v].name], took: took})
}

// watch looks for nodes that write one value and run in one round: law D1 says that there are none.
func (l *lawful) watch(v int) {
	for i := len(l.happened) - 1; i >= 0; i-- {
		h := &l.happened[i]
		if both := slices.ContainsFunc(l.nodes[v].out, func(name string) bool { return slices.Contains(l.nodes[h.node].out, name) }); both && h.node != v && !l.failedAt(i) {
			l.broken = fmt.Sprintf("law D1: %s and %s write one value in one round", l.nodes[h.node].name, l.nodes[v].name)
		}
		if h.took != nil {
			return
		}
	}
}

// failedAt reports whether the task that begins or ends at a place in what happened has failed: then it wrote nothing.
func (l *lawful) failedAt(i int) bool {
	h := &l.happened[i]
	return slices.ContainsFunc(l.happened[i:], func(o happening) bool { return o.node == h.node && o.visit == h.visit && o.ends && o.failed })
}

func (l *lawful) finish(v int) {
	began := l.began(v)
	h := happening{node: v, visit: began.visit, ends: true}
	in := l.given(v, l.last(v, false))
	if l.nodes[v].sub != nil {
		if h.wrote = l.enter(v, in); l.hangs(v) {
			return
		}
	} else {
		h.wrote = l.world.writes(&l.nodes[v], h.visit, in)
	}
	if h.failed = l.world.fails(&l.nodes[v], h.visit, in); h.failed {
		h.wrote = nil
		if to := l.nodes[v].err; to != end {
			h.chose = []int{l.index(to)}
		}
	} else if l.nodes[v].gate() {
		for _, to := range l.world.chooses(&l.nodes[v], h.visit, in) {
			if to != end {
				h.chose = append(h.chose, l.index(to))
			}
		}
	}
	l.happened = append(l.happened, h)
}

// enter runs a subgraph to its end, and says what it brings (law G6).
func (l *lawful) enter(v int, in given) map[string]string {
	at := &l.nodes[v]
	inputs := make(map[string]string)
	for i, name := range at.sub.inputs() {
		if in[i] != "" {
			inputs[name] = in[i]
		}
	}
	sub, err := newLawful(&world{sketch: at.sub, seed: l.seed}, inputs)
	if err != nil {
		l.broken = err.Error()
		return nil
	}
	sub.path, sub.visited = l.path+at.name+"/", l.visited
	l.inside[v] = sub
	if !sub.run() || sub.broken != "" {
		l.broken = or(sub.broken, "a subgraph goes on for too long")
	}
	l.tasks += sub.tasks
	t := sub.tell()
	for id, line := range t.tasks {
		l.within.tasks[at.name+"/"+id] = line
	}
	for _, name := range t.skipped {
		l.within.skipped = append(l.within.skipped, at.name+"/"+name)
	}
	for _, name := range t.stuck {
		l.within.stuck = append(l.within.stuck, at.name+"/"+name)
	}
	out := make(map[string]string)
	for k, name := range at.sub.results() {
		if value := sub.value(name, len(sub.happened)); value != "" {
			out[at.out[k]] = value
		}
	}
	return out
}

// last is when a node has begun, or ended, last; -1 for never.
func (l *lawful) last(v int, ends bool) int {
	for i := len(l.happened) - 1; i >= 0; i-- {
		if h := &l.happened[i]; h.node == v && h.ends == ends {
			return i
		}
	}
	return -1
}

func (l *lawful) began(v int) *happening {
	if i := l.last(v, false); i >= 0 {
		return &l.happened[i]
	}
	return nil
}

func (l *lawful) ran(v int) bool { return l.began(v) != nil }

func (l *lawful) running(v int) bool { return l.last(v, false) > l.last(v, true) }

// value is the last version of a value at a time (laws D3 and D10); "" for none.
func (l *lawful) value(name string, at int) string {
	for i := at - 1; i >= 0; i-- {
		if v, ok := l.happened[i].wrote[name]; ok {
			return v
		}
	}
	return l.inputs[name]
}

// wroteLast is the last version of a value that a node has written by itself.
func (l *lawful) wroteLast(v int, name string, at int) string {
	for i := at - 1; i >= 0; i-- {
		if h := &l.happened[i]; h.node == v && h.wrote[name] != "" {
			return h.wrote[name]
		}
	}
	return ""
}

// given is what a node is given that begins at a time.
func (l *lawful) given(v, at int) given {
	var in given
	for _, p := range l.nodes[v].in {
		in = append(in, l.value(p.name, at))
	}
	return in
}

// needs are the required inputs that have no value (law D5a).
func (l *lawful) needs(v int) (names []string) {
	for _, p := range l.nodes[v].in {
		if !p.optional && l.value(p.name, len(l.happened)) == "" {
			names = append(names, p.name)
		}
	}
	return names
}

// enabled reports whether laws D5a, D5b and D6 let a node run.
func (l *lawful) enabled(v int, open []selection) bool {
	if len(l.needs(v)) > 0 {
		return false
	}
	if l.gated(v) {
		return slices.ContainsFunc(open, func(s selection) bool { return s.to == v && !s.back })
	}
	return !l.ran(v) && !l.closed(v) || l.fresh(v)
}

func (l *lawful) gated(v int) bool {
	return slices.ContainsFunc(l.edges, func(e lawEdge) bool { return e.to == v && e.name == "" && !e.back })
}

// closed reports whether a node lies before the entries (law D10).
func (l *lawful) closed(v int) bool {
	first := l.nodesWhere(func(u int) bool { return slices.Contains(l.entry, l.nodes[u].name) })
	return len(l.entry) > 0 && !l.reach(first, l.waits, false)[v]
}

// fresh reports whether a forward input has a new version.
func (l *lawful) fresh(v int) bool {
	return slices.ContainsFunc(l.happened[l.last(v, false)+1:], func(h happening) bool {
		return slices.ContainsFunc(l.edges, func(e lawEdge) bool {
			return e.to == v && e.from == h.node && forwards(e) && h.wrote[e.name] != ""
		})
	})
}

// live reports whether a node has begun and not ended, or is held back only by others that are live.
func (l *lawful) live(v int, open []selection) bool { return l.running(v) || l.enabled(v, open) }

// held reports whether a forward ancestor is live (law D5c).
func (l *lawful) held(v int, open []selection) bool {
	return slices.ContainsFunc(l.order(), func(u int) bool { return l.before[v][u] && l.live(u, open) })
}

// selections are the decisions that nothing was begun for (laws D7 and D8).
func (l *lawful) selections() (open []selection) {
	for i, h := range l.happened {
		switch {
		case h.took != nil:
			open = slices.DeleteFunc(open, func(s selection) bool { return s == *h.took })
		case !h.ends:
			open = slices.DeleteFunc(open, func(s selection) bool { return s.to == h.node && !s.back })
		case l.nodes[h.node].gate() || l.nodes[h.node].err != "":
			open = slices.DeleteFunc(open, func(s selection) bool { return s.gate == h.node })
			for _, e := range l.edges {
				if e.from == h.node && e.name == "" && e.fail == h.failed && slices.Contains(h.chose, e.to) {
					open = append(open, selection{h.node, e.to, i, e.back, e.depth, h.failed})
				}
			}
			open = l.lost(h.node, open)
		}
	}
	return open
}

// lost takes their open selections from the gates that a gate leads to and that no gate has chosen, and so on behind them
// (law D8).
func (l *lawful) lost(gate int, open []selection) []selection {
	for _, e := range l.edges {
		if e.from != gate || e.name != "" || e.back || slices.ContainsFunc(open, func(s selection) bool { return s.to == e.to && !s.back }) {
			continue
		}
		open = slices.DeleteFunc(open, func(s selection) bool { return s.gate == e.to })
		open = l.lost(e.to, open)
	}
	return open
}

// round is the selection that the next round of some loop begins with (law D7).
func (l *lawful) round(open []selection) (best selection, ok bool) {
	for _, s := range open {
		if !s.back || len(l.needs(s.to)) > 0 {
			continue
		}
		i := slices.IndexFunc(l.loops, func(o lawLoop) bool { return o.head == s.to })
		if slices.ContainsFunc(l.order(), func(v int) bool { return l.loops[i].region[v] && l.live(v, open) }) {
			continue
		}
		sooner := s.depth > best.depth || s.depth == best.depth && (s.to < best.to || s.to == best.to && s.gate < best.gate)
		if !ok || sooner {
			best, ok = s, true
		}
	}
	return best, ok
}

func (l *lawful) isStuck() bool {
	_, stuck := l.ends()
	return len(stuck) > 0
}

// ends says how the run has ended (laws D9 and F5): which nodes were skipped, and which wait for ever, and for what. Where a
// subgraph hangs, what waits for it is not judged.
func (l *lawful) ends() (skipped []string, stuck []string) {
	for v := range l.nodes {
		if l.hangs(v) {
			return slices.Clone(l.within.skipped), slices.Clone(l.within.stuck)
		}
	}
	open := l.selections()
	chosen := func(v int) bool { return slices.ContainsFunc(open, func(s selection) bool { return s.to == v }) }
	idle := func(v int) bool { return !l.ran(v) && !l.closed(v) && !chosen(v) }
	skips := l.all(false)
	for range l.nodes { // what follows from what is skipped is skipped
		for v := range l.nodes {
			skips[v] = skips[v] || idle(v) && (l.gated(v) && l.passedBy(v, skips, chosen) || !l.gated(v) && l.robbed(v, skips))
		}
	}
	skipped = slices.Clone(l.within.skipped)
	for v := range l.nodes {
		switch {
		case skips[v]:
			skipped = append(skipped, l.nodes[v].name)
		case idle(v) || chosen(v):
			needs := l.needs(v)
			if l.gated(v) && !chosen(v) { // it waits for a gate first
				needs = nil
			}
			stuck = append(stuck, l.nodes[v].name+" needs "+strings.Join(needs, " "))
		}
	}
	return skipped, stuck
}

// passedBy reports whether each gate over a node has chosen others, or is skipped itself.
func (l *lawful) passedBy(v int, skips []bool, chosen func(v int) bool) bool {
	return !slices.ContainsFunc(l.edges, func(e lawEdge) bool {
		decided := l.ran(e.from) || l.closed(e.from) && !chosen(e.from)
		return e.to == v && e.name == "" && !e.back && !decided && !skips[e.from]
	})
}

// robbed reports whether a value that a node requires cannot come, because who would write it is skipped; or has run, and
// what would write it in its subgraph was skipped.
func (l *lawful) robbed(v int, skips []bool) bool {
	return slices.ContainsFunc(l.needs(v), func(name string) bool {
		writers := slices.DeleteFunc(l.writers(name), func(u int) bool { return u == v })
		return len(writers) > 0 && !slices.ContainsFunc(writers, func(u int) bool { return !skips[u] && !l.ran(u) })
	})
}

// told is what a run did: a line for each task, and how it ended.
type told struct {
	tasks          map[string]string
	skipped, stuck []string
	ended          string
	order          []string // for people: what happened, one after the other
}

// tell tells what has happened.
func (l *lawful) tell() *told {
	t := &told{tasks: maps.Clone(l.within.tasks)}
	for i, h := range l.happened {
		at := &l.nodes[h.node]
		id := fmt.Sprintf("%s#%d", at.name, h.visit)
		if h.failed {
			t.tasks[id] += " fails"
			t.order = append(t.order, id+" fails")
			continue
		}
		if h.ends {
			if at.sub != nil { // what it does not bring is what it brought last
				h.wrote = maps.Clone(h.wrote)
				for _, name := range at.out {
					h.wrote[name] = l.wroteLast(h.node, name, i+1)
				}
			}
			t.tasks[id] += wroteLine(at, h.wrote)
			var chose []string
			for _, to := range h.chose {
				chose = append(chose, l.nodes[to].name)
			}
			t.order = append(t.order, fmt.Sprintf("%s ends:%s, chooses %q", id, wroteLine(at, h.wrote), chose))
			continue
		}
		why := ""
		if h.took != nil {
			gate := &l.happened[h.took.at]
			why = fmt.Sprintf("%s#%d", l.nodes[gate.node].name, gate.visit)
		}
		t.tasks[id] = givenLine(at, l.given(h.node, i), why) + causeLine(l.cause(h.node, i))
		t.order = append(t.order, id+" begins: "+t.tasks[id])
	}
	var results []string
	for _, name := range l.results() {
		results = append(results, l.value(name, len(l.happened)))
	}
	t.skipped, t.stuck = l.ends()
	t.ended = endLine(t.skipped, t.stuck, results)
	return t
}

// inputs are the names of what a subgraph may be given.
func (s *flowSketch) inputs() (names []string) {
	p, err := s.wire()
	if err != nil {
		panic(err)
	}
	for _, in := range p.Dataflow().Inputs {
		names = append(names, in.Name)
	}
	return names
}

// results are the names of all values that nodes write.
func (s *flowSketch) results() (names []string) {
	for i := range s.nodes {
		for _, name := range s.nodes[i].out {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func givenLine(at *flowSpot, in given, round string) string {
	var parts []string
	for i, p := range at.in {
		parts = append(parts, p.name+"="+in[i])
	}
	text := "given " + strings.Join(parts, " ")
	if round != "" {
		text += ", for the round of " + round
	}
	return text
}

// cause is the failure for which a task begins at a time: that of the first node, of several.
func (l *lawful) cause(v, at int) string {
	if l.happened[at].took != nil {
		return ""
	}
	before := *l
	before.happened = l.happened[:at]
	var first *selection
	for _, s := range before.selections() {
		if s.to == v && s.failed && (first == nil || s.gate < first.gate) {
			first = &s
		}
	}
	if first == nil {
		return ""
	}
	h := &l.happened[first.at]
	return fmt.Sprintf("%s#%d", l.nodes[h.node].name, h.visit)
}

func causeLine(cause string) string {
	if cause == "" {
		return ""
	}
	return ", as " + cause + " failed"
}

func wroteLine(at *flowSpot, out map[string]string) string {
	text := " writes"
	for _, name := range at.out {
		text += " " + out[name]
	}
	return text
}

func endLine(skipped, stuck, results []string) string {
	slices.Sort(skipped)
	slices.Sort(stuck)
	if len(stuck) > 0 {
		results = nil
	}
	return fmt.Sprintf("skipped %q, stuck %q, results %q", skipped, stuck, results)
}
