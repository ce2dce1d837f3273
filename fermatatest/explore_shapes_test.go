package fermatatest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
)

// shape is a dataflow as data, so that it can be made smaller. Its values are strings that tell where they come from.
type shape struct {
	nodes []part
	entry []string
}

// part is a node of a shape.
type part struct {
	name string
	must []string // what it needs, at most three
	may  []string // what it can do without, at most two
	out  []string // what it writes, at most two
	to   []string // of a gate: its targets; the last one ends its loops
	many bool
	does string // work, step, sleep, ask, late, flaky
	sub  *shape // it is a subgraph, of what the first value is called outside
	list bool   // the subgraph runs once for each item of a list
}

func digest(parts ...any) uint64 {
	h := fnv.New64a()
	h.Write(fmt.Append(nil, parts...))
	return h.Sum64() >> 3
}

// shaped makes a random shape: blocks one behind the other, and some values that are read across.
func shaped(r *rand.Rand, depth int) *shape {
	s := new(shape)
	s.block(r, "a", depth)
	for range r.IntN(4) {
		p, from := &s.nodes[r.IntN(len(s.nodes))], &s.nodes[r.IntN(len(s.nodes))]
		if len(from.out) > 0 && p.sub == nil && !p.reads(from.out[0]) {
			p.read(from.out[0], r.IntN(3) > 0)
		}
	}
	calm := r.IntN(3) == 0
	for i := range s.nodes {
		if p := &s.nodes[i]; !calm && p.sub == nil {
			p.does = pickOne(r, "work", "work", "work", "work", "step", "sleep", "ask", "late", "flaky")
		}
	}
	if r.IntN(12) == 0 {
		s.entry = []string{s.nodes[r.IntN(len(s.nodes))].name}
	}
	return s
}

func (p *part) reads(name string) bool {
	return slices.Contains(p.must, name) || slices.Contains(p.may, name)
}

// read lets a node read a value, if there is room.
func (p *part) read(name string, optional bool) {
	switch {
	case optional && len(p.may) < 2:
		p.may = append(p.may, name)
	case !optional && len(p.must) < 3:
		p.must = append(p.must, name)
	}
}

// add adds a node that needs some values and writes one.
func (s *shape) add(must ...string) *part {
	i := len(s.nodes)
	s.nodes = append(s.nodes, part{name: fmt.Sprintf("n%d", i), must: slices.Compact(must), out: []string{fmt.Sprintf("v%d", i)}, does: "work"})
	return &s.nodes[i]
}

// block adds steps, loops, branches, subgraphs and what runs side by side. It says what the last of them writes.
func (s *shape) block(r *rand.Rand, in string, depth int) string {
	for range 1 + r.IntN(2) {
		kind := r.IntN(9)
		if depth == 0 || len(s.nodes) > 9 {
			kind = 0
		}
		switch kind {
		case 0, 1:
			in = s.add(in).out[0]
		case 2, 3, 4:
			in = s.loop(r, in, depth)
		case 5, 6:
			in = s.branches(r, in, depth)
		case 7:
			p := s.add(in)
			in = p.out[0]
			p.sub, p.list = shaped(r, depth-1), r.IntN(2) == 0
		default:
			first, second := s.block(r, in, depth-1), s.block(r, in, depth-1)
			in = s.add(first, second).out[0]
		}
	}
	return in
}

// loop adds a loop: its head, what is in it, what it accumulates, and a gate that leads back.
func (s *shape) loop(r *rand.Rand, in string, depth int) string {
	i := len(s.nodes)
	head := s.add(in)
	out := s.block(r, head.out[0], depth-1)
	if r.IntN(3) == 0 {
		p := s.add(out)
		p.out = []string{"all" + p.name}
		p.may = append(p.may, p.out[0])
		out = p.out[0]
	}
	gate := s.add(out)
	gate.to, gate.out = []string{s.nodes[i].name, dataflow.End}, nil
	if r.IntN(2) == 0 {
		s.nodes[i].read(out, true)
	}
	return out
}

// branches adds a gate and two branches, which write one value.
func (s *shape) branches(r *rand.Rand, in string, depth int) string {
	i := len(s.nodes)
	name := "x" + s.add(in).name
	s.nodes[i].out = nil
	if s.nodes[i].many = r.IntN(5) == 0; s.nodes[i].many {
		name = ""
	}
	out := in
	for range 2 {
		k := len(s.nodes)
		s.nodes[i].to = append(s.nodes[i].to, fmt.Sprintf("n%d", k))
		if s.add(in); r.IntN(3) == 0 {
			s.block(r, s.nodes[k].out[0], depth-1)
		}
		if last := &s.nodes[len(s.nodes)-1]; name != "" && last.sub == nil && len(last.out) < 2 {
			last.out = append(slices.Clone(last.out), name)
			out = name
		}
	}
	return out
}

// waits reports whether a node waits for time or people.
func (s *shape) waits() bool {
	return slices.ContainsFunc(s.nodes, func(p part) bool { return p.sub != nil && p.sub.waits() || p.does != "work" && p.does != "step" })
}

// Inputs of nodes, by how many values they must and may have. Fields are renamed to the values that they read.
type (
	takes00 struct{}
	takes01 struct {
		O1 *string `json:"o1,omitempty"`
	}
	takes02 struct {
		O1 *string `json:"o1,omitempty"`
		O2 string  `default:"none"`
	}
	takes10 struct{ R1 string }
	takes11 struct {
		R1 string
		O1 *string `json:"o1,omitempty"`
	}
	takes12 struct {
		R1 string
		O1 *string `json:"o1,omitempty"`
		O2 string  `default:"none"`
	}
	takes20 struct{ R1, R2 string }
	takes21 struct {
		R1, R2 string
		O1     *string `json:"o1,omitempty"`
	}
	takes22 struct {
		R1, R2 string
		O1     *string `json:"o1,omitempty"`
		O2     string  `default:"none"`
	}
	takes30 struct{ R1, R2, R3 string }
	takes31 struct {
		R1, R2, R3 string
		O1         *string `json:"o1,omitempty"`
	}
	takes32 struct {
		R1, R2, R3 string
		O1         *string `json:"o1,omitempty"`
		O2         string  `default:"none"`
	}
	gives0 struct{}
	gives1 struct{ W1 string }
	gives2 struct{ W1, W2 string }
)

// made makes a node of a part, by how many values it must and may have.
var made = [4][3]func(p *part) *dataflow.NodeDef{
	{nodeThatTakes[takes00], nodeThatTakes[takes01], nodeThatTakes[takes02]},
	{nodeThatTakes[takes10], nodeThatTakes[takes11], nodeThatTakes[takes12]},
	{nodeThatTakes[takes20], nodeThatTakes[takes21], nodeThatTakes[takes22]},
	{nodeThatTakes[takes30], nodeThatTakes[takes31], nodeThatTakes[takes32]},
}

func nodeThatTakes[In any](p *part) *dataflow.NodeDef {
	switch {
	case p.many:
		return dataflow.RouteMany(p.name, func(ctx node.Context, in In) ([]string, error) {
			seen, err := p.work(ctx, in)
			return p.choose(ctx, seen), err
		}, p.to...)
	case len(p.to) > 0:
		return dataflow.Route(p.name, func(ctx node.Context, in In) (string, error) {
			seen, err := p.work(ctx, in)
			return p.choose(ctx, seen)[0], err
		}, p.to...)
	}
	switch len(p.out) {
	case 0:
		return dataflow.Node(p.name, func(ctx node.Context, in In) (gives0, error) {
			_, err := p.work(ctx, in)
			return gives0{}, err
		})
	case 1:
		return dataflow.Node(p.name, func(ctx node.Context, in In) (gives1, error) {
			seen, err := p.work(ctx, in)
			return gives1{p.value(ctx, seen, 0)}, err
		})
	}
	return dataflow.Node(p.name, func(ctx node.Context, in In) (gives2, error) {
		seen, err := p.work(ctx, in)
		return gives2{p.value(ctx, seen, 0), p.value(ctx, seen, 1)}, err
	})
}

// node makes a node that calls its values as the shape does.
func (p *part) node() *dataflow.NodeDef {
	opts := []dataflow.NodeOption{dataflow.Retry(2, time.Minute)}
	for i, name := range p.must {
		opts = append(opts, dataflow.RenameInput(fmt.Sprintf("r%d", i+1), name))
	}
	for i, name := range p.may {
		opts = append(opts, dataflow.RenameInput(fmt.Sprintf("o%d", i+1), name))
	}
	if len(p.to) == 0 {
		for i, name := range p.out {
			opts = append(opts, dataflow.RenameOutput(fmt.Sprintf("w%d", i+1), name))
		}
	}
	return made[len(p.must)][len(p.may)](p).With(opts...)
}

// around makes a subgraph of a graph whose first input and output are called as the shape does; for a map, between nodes that
// make a list and put one together.
func (p *part) around(inner *dataflow.Graph) ([]dataflow.Part, error) {
	d := inner.Describe()
	if len(p.must) != 1 || len(p.out) == 0 || len(d.Inputs) == 0 || len(d.Outputs) == 0 {
		return nil, fmt.Errorf("%s is no subgraph", p.name)
	}
	in, out := p.must[0], p.out[0]
	var opts []dataflow.NodeOption
	for i, v := range d.Inputs {
		if name := v.Name; i > 0 {
			opts = append(opts, dataflow.RenameInput(name, p.name+"_"+name))
		}
	}
	for i, v := range d.Outputs {
		if name := v.Name; i > 0 {
			opts = append(opts, dataflow.RenameOutput(name, p.name+"_"+name))
		}
	}
	if !p.list {
		opts = append(opts, dataflow.RenameInput(d.Inputs[0].Name, in), dataflow.RenameOutput(d.Outputs[0].Name, out))
		return []dataflow.Part{inner.As(p.name).With(opts...)}, nil
	}
	items, results := p.name+"_items", p.name+"_results"
	opts = append(opts, dataflow.RenameInput(d.Inputs[0].Name, items), dataflow.RenameOutput(d.Outputs[0].Name, results))
	split := dataflow.Unary(p.name+"_split", in, items, dataflow.Plain(func(s string) []string {
		list := make([]string, digest(s)%4)
		for i := range list {
			list[i] = fmt.Sprint(s, "/", i)
		}
		return list
	}))
	join := dataflow.Unary(p.name+"_join", results, out, dataflow.Plain(func(list []string) string {
		return fmt.Sprintf("%s.%04x", out, digest(strings.Join(list, " "))&0xffff)
	}))
	each := inner.Map(p.name, []string{d.Inputs[0].Name}, dataflow.Limit(int(digest(p.name)%3))).With(opts...)
	return []dataflow.Part{split, each, join}, nil
}

// work does what a node does before it writes or chooses, and says what it has seen: it depends on its input alone.
func (p *part) work(ctx node.Context, in any) (string, error) {
	seen := ""
	for _, v := range reflect.ValueOf(in).Fields() {
		seen += " " + fmt.Sprint(reflect.Indirect(v))
	}
	switch d := digest(p.name, seen); p.does {
	case "step":
		got, err := node.Step(ctx, "do", func(node.Context) (uint64, error) { return d % 10, nil })
		return fmt.Sprint(seen, got), err
	case "sleep":
		return seen, node.Sleep(ctx, time.Duration(1+d%3)*time.Minute)
	case "ask", "late":
		said, err := node.Interrupt[string](ctx, d, node.ID(p.does), node.Within(time.Hour), node.OrDefault("nothing"))
		return seen + said, err
	case "flaky":
		if ctx.Info().Attempt == 1 {
			return seen, fmt.Errorf("%s: the first time", p.name)
		}
	}
	return seen, nil
}

// value is what a visit writes.
func (p *part) value(ctx node.Context, seen string, i int) string {
	return fmt.Sprintf("%s.%d.%04x", p.out[i], ctx.Info().Visit, digest(p.name, i, seen)&0xffff)
}

// choose is what a gate chooses: after a while the last of its targets.
func (p *part) choose(ctx node.Context, seen string) []string {
	last, d := len(p.to)-1, digest(p.name, ctx.Info().Visit, seen)
	if ctx.Info().Visit > 3 {
		return p.to[last:]
	}
	if !p.many {
		return p.to[d%uint64(len(p.to)):]
	}
	var list []string
	for i, to := range p.to {
		if d>>i&1 == 0 {
			list = append(list, to)
		}
	}
	if len(list) == 0 {
		return p.to[last:]
	}
	return list
}

// String shows a shape, a node a line: what it needs and can do without, what it writes, chooses and does.
func (s *shape) String() string {
	var b strings.Builder
	for i := range s.nodes {
		p := &s.nodes[i]
		in := slices.Clone(p.must)
		for _, name := range p.may {
			in = append(in, name+"?")
		}
		fmt.Fprintf(&b, "%s(%s) -> %s", p.name, strings.Join(in, ", "), strings.Join(p.out, ", "))
		if len(p.to) > 0 {
			fmt.Fprintf(&b, " chooses %q, several: %t", p.to, p.many)
		}
		if p.sub == nil {
			fmt.Fprintf(&b, ", %s\n", p.does)
			continue
		}
		fmt.Fprintf(&b, ", for each item: %t\n  %s\n", p.list, strings.ReplaceAll(strings.TrimSpace(p.sub.String()), "\n", "\n  "))
	}
	if len(s.entry) > 0 {
		fmt.Fprintf(&b, "begins at %q\n", s.entry)
	}
	return b.String()
}

// smaller lists shapes that are a little less than this one.
func (s *shape) smaller() (list []*shape) {
	change := func(f func(c *shape)) {
		c := &shape{nodes: slices.Clone(s.nodes), entry: slices.Clone(s.entry)}
		for i := range c.nodes {
			p := &c.nodes[i]
			p.must, p.may, p.out, p.to = slices.Clone(p.must), slices.Clone(p.may), slices.Clone(p.out), slices.Clone(p.to)
		}
		f(c)
		list = append(list, c)
	}
	for i := range s.nodes {
		change(func(c *shape) { c.drop(i) })
		p := &s.nodes[i]
		if p.sub != nil {
			change(func(c *shape) { c.nodes[i].sub = nil })
			for _, sub := range p.sub.smaller() {
				change(func(c *shape) { c.nodes[i].sub = sub })
			}
			continue
		}
		if p.does != "work" {
			change(func(c *shape) { c.nodes[i].does = "work" })
		}
		for k := range p.must {
			change(func(c *shape) { c.nodes[i].must = slices.Delete(c.nodes[i].must, k, k+1) })
		}
		for k := range p.may {
			change(func(c *shape) { c.nodes[i].may = slices.Delete(c.nodes[i].may, k, k+1) })
		}
		for k := range p.out {
			change(func(c *shape) { c.nodes[i].out = slices.Delete(c.nodes[i].out, k, k+1) })
		}
		if len(p.to) > 0 {
			change(func(c *shape) { c.nodes[i].to, c.nodes[i].many = nil, false })
		}
	}
	if len(s.entry) > 0 {
		change(func(c *shape) { c.entry = nil })
	}
	return list
}

// drop takes a node out.
func (s *shape) drop(i int) {
	gone := func(name string) bool { return name == s.nodes[i].name }
	for k := range s.nodes {
		s.nodes[k].to = slices.DeleteFunc(s.nodes[k].to, gone)
	}
	s.entry = slices.DeleteFunc(s.entry, gone)
	s.nodes = slices.Delete(s.nodes, i, i+1)
}
