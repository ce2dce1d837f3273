package fermatatest

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// trace is the state of random graphs: it can be merged whatever happened, and tells what did.
type trace struct {
	Log  []string        `json:"log,omitempty" merge:"append"`
	Sum  int             `json:"sum,omitempty" merge:"sum"`
	Seen map[string]bool `json:"seen,omitempty" merge:"union"`
	Deep []int           `json:"deep,omitempty" merge:"append"`
}

func (s trace) digest(name string) uint64 {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	h := fnv.New64a()
	h.Write(append([]byte(name), data...))
	return h.Sum64()
}

// sketch is a graph as data, so that it can be made smaller.
type sketch struct {
	name  string
	nodes []spot
	entry []int
}

// spot is a node of a sketch.
type spot struct {
	does  string // work, step, sleep, ask, late, flaky, fails
	gate  string // "", one, many
	to    []int  // targets, -1 for END
	err   int    // where its failure goes, -1 for nowhere
	join  plan.Join
	inner *sketch
	items int // of a map, 0 for a subgraph
	limit int
	keep  bool
}

// sketched makes a random sketch.
func sketched(r *rand.Rand, name string, depth int) *sketch {
	n := 2 + r.IntN(7-2*depth)
	g := &sketch{name: name, nodes: make([]spot, n), entry: []int{0}}
	for i := range n {
		s := &g.nodes[i]
		s.does, s.err = pickOne(r, "work", "work", "work", "step", "sleep", "ask", "late", "flaky"), -1
		s.join = pickOne(r, plan.Each, plan.All, plan.All)
		if depth < 2 && r.IntN(6) == 0 {
			s.inner = sketched(r, fmt.Sprint(name, "n", i), depth+1)
			s.items, s.limit, s.keep = r.IntN(4), r.IntN(3), r.IntN(2) == 0
		}
		for range min(i, 1+r.IntN(2)) {
			if from := r.IntN(i); !slices.Contains(g.nodes[from].to, i) {
				g.nodes[from].to = append(g.nodes[from].to, i)
			}
		}
		if i > 0 && r.IntN(12) == 0 {
			g.entry = append(g.entry, i)
		}
	}
	for i := range n {
		g.decide(r, i)
	}
	return g
}

// decide makes gates, loops and failures of what leads out of a node.
func (g *sketch) decide(r *rand.Rand, i int) {
	s := &g.nodes[i]
	if len(s.to) > 0 {
		s.gate = pickOne(r, "", "", "", "one", "many")
	}
	if r.IntN(5) == 0 { // a loop, or a way out
		s.gate = pickOne(r, "one", "one", "many")
		if back := r.IntN(i + 1); !slices.Contains(s.to, back) {
			s.to = append(s.to, back)
		}
		s.to = append(s.to, -1)
	}
	if r.IntN(8) == 0 && i+1 < len(g.nodes) {
		if s.inner == nil {
			s.does = "fails"
		}
		s.err = i + 1 + r.IntN(len(g.nodes)-i-1)
	} else if r.IntN(60) == 0 {
		s.does = "fails"
	}
}

func pickOne[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func spotName(i int) string { return string(rune('a' + i)) }

func targetName(i int) string {
	if i < 0 {
		return graph.End
	}
	return spotName(i)
}

// build compiles a sketch. Joins are declared where plan.New asks for them.
func (g *sketch) build() (*graph.Graph[trace], error) {
	joins := make(map[int]bool)
	for {
		built, err := g.buildWith(joins)
		var problems *plan.Error
		if err == nil || !errors.As(err, &problems) {
			return built, err
		}
		more := false
		for _, p := range problems.Problems {
			if p.Code == plan.AmbiguousJoin && !joins[p.NodeIndex] {
				joins[p.NodeIndex], more = true, true
			}
		}
		if !more {
			return nil, err
		}
	}
}

func (g *sketch) buildWith(joins map[int]bool) (*graph.Graph[trace], error) {
	b := graph.New[trace](g.name).Limits(plan.Limits{Tasks: 120})
	for i := range g.nodes {
		s := &g.nodes[i]
		opts := []graph.NodeOption{graph.Retry(2, time.Minute)}
		if joins[i] || slices.Contains(g.entry, i) && g.reached(i) {
			opts = append(opts, func(n *plan.Node) { n.Join = s.join })
		}
		if err := s.add(b, g.name, spotName(i), opts); err != nil {
			return nil, err
		}
		if s.err >= 0 {
			b.OnError(spotName(i), spotName(s.err))
		}
		var to []string
		for _, t := range s.to {
			to = append(to, targetName(t))
		}
		switch {
		case len(to) == 0:
		case s.gate == "":
			b.Edge(spotName(i), to...)
		case s.gate == "one":
			b.Route(spotName(i), func(_ node.Context, state trace) (string, error) { return choose(state, spotName(i), to)[0], nil }, to...)
		default:
			b.RouteMany(spotName(i), func(_ node.Context, state trace) ([]string, error) { return choose(state, spotName(i), to), nil }, to...)
		}
	}
	for _, i := range g.entry {
		b.Edge(graph.Start, spotName(i))
	}
	return b.Compile()
}

// reached reports whether an edge leads to a node.
func (g *sketch) reached(i int) bool {
	return slices.ContainsFunc(g.nodes, func(s spot) bool { return s.err == i || slices.Contains(s.to, i) })
}

// choose is what a gate chooses: the way out once much has happened, so that loops end.
func choose(s trace, name string, to []string) []string {
	d := s.digest(name)
	if len(s.Log) > 14 {
		return to[len(to)-1:]
	}
	var list []string
	for i, t := range to {
		if d>>i&1 == 0 {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return to[:1]
	}
	return list
}

// add adds a node.
func (s *spot) add(b *graph.Builder[trace], prefix, name string, opts []graph.NodeOption) error {
	if s.inner == nil {
		b.Node(name, s.function(prefix+name), opts...)
		return nil
	}
	inner, err := s.inner.build()
	if err != nil {
		return err
	}
	items := func(state trace) ([]trace, error) {
		list := make([]trace, s.items)
		for i := range list {
			list[i] = trace{Log: []string{fmt.Sprint(i, "of", state.digest(name)%100)}}
		}
		return list, nil
	}
	gather := func(state trace, results []graph.Item[trace]) (trace, error) {
		for i, r := range results {
			state.Log = append(state.Log, fmt.Sprint(i, r.Value.digest(name)%1000, r.Err != nil))
			state.Sum += r.Value.Sum
		}
		return state, nil
	}
	opts = append(opts, graph.Limit(s.limit))
	switch {
	case s.items == 0:
		b.Sub(name, inner, opts...)
	case s.keep:
		graph.MapKeep(b, name, items, inner, gather, opts...)
	default:
		graph.Map(b, name, items, inner, func(state trace, results []trace) (trace, error) {
			kept := make([]graph.Item[trace], len(results))
			for i := range results {
				kept[i].Value = results[i]
			}
			return gather(state, kept)
		}, opts...)
	}
	return nil
}

// function is what a node does: it depends on its input alone, and changes it in place and otherwise.
func (s *spot) function(name string) graph.Func[trace] {
	return func(ctx node.Context, state trace) (trace, error) {
		d := state.digest(name)
		if len(state.Deep) > 0 {
			state.Deep[0]++ // which other branches must not see (law N9)
			state.Deep[0]--
		}
		state.Log = append(state.Log, fmt.Sprintf("%s%d", name, d%100))
		state.Sum += int(d % 7)
		state.Deep = append(state.Deep, len(state.Log))
		if state.Seen == nil {
			state.Seen = make(map[string]bool)
		}
		state.Seen[fmt.Sprint(name, d%1000)] = true
		return s.call(ctx, name, d, state)
	}
}

var errOnPurpose = errors.New("on purpose")

func (s *spot) call(ctx node.Context, name string, d uint64, state trace) (trace, error) {
	switch s.does {
	case "step":
		got, err := node.Step(ctx, "do", func(node.Context) (uint64, error) { return d % 10, nil })
		state.Log = append(state.Log, fmt.Sprint("step ", got))
		return state, err
	case "sleep":
		return state, node.Sleep(ctx, time.Duration(1+d%3)*time.Minute)
	case "ask", "late":
		said, err := node.Interrupt[string](ctx, d, node.ID(s.does), node.Within(time.Hour), node.OrDefault("nothing"))
		state.Log = append(state.Log, said)
		return state, err
	case "flaky":
		if ctx.Info().Attempt == 1 {
			return state, fmt.Errorf("%s: the first time", name)
		}
	case "fails":
		return state, fmt.Errorf("%w: %s", errOnPurpose, name)
	}
	return state, nil
}

// fit reports whether a sketch can be explored. Some are no graphs: a loop has no way out, for one.
//
// Left out are graphs in which the order matters by their nature: a branch goes back to before its fork while another one
// has left that loop, so that the tokens of several rounds are under way behind it. And those in which it matters today:
// an All node behind a loop that it is not in does not wait for what is at the loop's nodes that lead back.
func (g *sketch) fit() bool {
	built, err := g.build()
	if err != nil {
		return false
	}
	c, p := newComparison(built.Plan()), built.Plan()
	for i := range g.nodes {
		if inner := g.nodes[i].inner; inner != nil && !inner.fit() {
			return false
		}
		at, _ := p.Index(spotName(i))
		f := &p.Flat()[at]
		branches := branchesOf(f)
		stays := func(to int) bool { return c.returns(at, []int{to}) }
		if back := slices.ContainsFunc(branches, stays); back && len(branches) > 1 &&
			(f.RouteMany != nil || slices.ContainsFunc(branches, func(to int) bool { return !stays(to) })) {
			return false
		}
	}
	return true
}

// String describes a sketch as calls of a graph.Builder.
func (g *sketch) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s := graph.New[trace](%q)", g.name, g.name)
	for _, i := range g.entry {
		fmt.Fprintf(&b, ".Edge(Start, %q)", spotName(i))
	}
	for i := range g.nodes {
		s, name := &g.nodes[i], spotName(i)
		fmt.Fprintf(&b, "\n  ")
		switch {
		case s.inner == nil:
			fmt.Fprintf(&b, ".Node(%q, %s)", name, s.does)
		case s.items == 0:
			fmt.Fprintf(&b, ".Sub(%q, %s)", name, s.inner.name)
		default:
			fmt.Fprintf(&b, ".Map(%q, %d items of %s, limit %d, keep %t)", name, s.items, s.inner.name, s.limit, s.keep)
		}
		for _, t := range s.to {
			to := strings.TrimPrefix(targetName(t), "\x00")
			fmt.Fprintf(&b, ".%s(%q, %q)", map[string]string{"": "Edge", "one": "Route", "many": "RouteMany"}[s.gate], name, to)
		}
		if s.err >= 0 {
			fmt.Fprintf(&b, ".OnError(%q, %q)", name, spotName(s.err))
		}
		fmt.Fprintf(&b, " // %s, if it is a join", s.join)
	}
	for i := range g.nodes {
		if inner := g.nodes[i].inner; inner != nil {
			b.WriteString("\n" + inner.String())
		}
	}
	return b.String()
}

// smaller lists sketches that are a little less than this one.
func (g *sketch) smaller() (list []*sketch) {
	change := func(f func(c *sketch)) {
		c := &sketch{name: g.name, nodes: slices.Clone(g.nodes), entry: slices.Clone(g.entry)}
		for i := range c.nodes {
			c.nodes[i].to = slices.Clone(c.nodes[i].to)
		}
		f(c)
		list = append(list, c)
	}
	for i := range g.nodes {
		change(func(c *sketch) { c.drop(i) })
		s := g.nodes[i]
		if s.inner != nil {
			change(func(c *sketch) { c.nodes[i].inner = nil })
			for _, inner := range s.inner.smaller() {
				change(func(c *sketch) { c.nodes[i].inner = inner })
			}
		}
		if s.does != "work" {
			change(func(c *sketch) { c.nodes[i].does = "work" })
		}
		if s.gate != "" && !slices.Contains(s.to, -1) {
			change(func(c *sketch) { c.nodes[i].gate = "" })
		}
		if s.err >= 0 {
			change(func(c *sketch) { c.nodes[i].err = -1 })
		}
		for k := range s.to {
			change(func(c *sketch) { c.nodes[i].to = slices.Delete(c.nodes[i].to, k, k+1) })
		}
	}
	for k := range g.entry[1:] {
		change(func(c *sketch) { c.entry = slices.Delete(c.entry, k+1, k+2) })
	}
	return list
}

// drop takes a node out.
func (g *sketch) drop(i int) {
	g.nodes = slices.Delete(g.nodes, i, i+1)
	move := func(list []int) []int {
		list = slices.DeleteFunc(list, func(t int) bool { return t == i })
		for k := range list {
			if list[k] > i {
				list[k]--
			}
		}
		return list
	}
	g.entry = move(g.entry)
	for k := range g.nodes {
		s := &g.nodes[k]
		s.to = move(s.to)
		switch {
		case s.err == i:
			s.err = -1
		case s.err > i:
			s.err--
		}
	}
}
