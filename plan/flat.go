package plan

import "github.com/fermata-go/fermata/node"

// Indexes of targets that are not nodes.
const (
	EndIndex  = -1
	StopIndex = -2
)

// Target is where an edge leads: a name as the author wrote it, and its index in the flat plan.
type Target struct {
	Name  string // of the target
	Index int    // in the flat plan
}

// Flat is a node in its place in the whole plan. Subgraphs are laid out in one list, so that the engine counts and
// names the tasks of all depths alike (law G6).
type Flat struct {
	*Node
	Path      string   // names from the outermost plan, joined by "/"
	Owner     *Plan    // the plan that declares the node: its codec keeps the node's values
	Local     int      // its number in Owner's definition
	Parent    int      // index of the enclosing subgraph's node, or -1
	Entries   []int    // of a subgraph: where it begins
	Inside    []int    // of a subgraph: the flat indexes of its nodes, by their numbers in its definition
	Size      int      // of a subgraph: how many nodes it has, those inside its subgraphs counted. They follow it
	Simple    bool     // a function and what follows it, and nothing that would let it be called twice, or elsewhere
	Next      []int    // targets of plain edges
	Choices   []Target // of the gate
	Failures  []Target // of the failure edges
	Deadlines []Target // of the deadline edges
	Undos     []Target // of the undo edges
	undoneBy  int      // see UndoneBy
}

// Find returns the target with the given name.
func Find(targets []Target, name string) (Target, bool) {
	for _, t := range targets {
		if t.Name == name {
			return t, true
		}
	}
	return Target{}, false
}

// Flat lists the nodes of the plan and of all its subgraphs. The slice is shared: do not change it.
func (p *Plan) Flat() []Flat { return p.flat }

// Index finds a node of the flat plan by its path.
func (p *Plan) Index(path string) (int, bool) {
	i, ok := p.index[path]
	return i, ok
}

// Entries are the flat indexes of the nodes where the run starts; several are a fork.
func (p *Plan) Entries() []int { return p.entries }

// layOut fills in the flat list of a checked plan.
func (p *Plan) layOut() {
	p.index = make(map[string]int)
	p.inside = p.addNodes(p, "", -1)
	for i := range p.flat {
		p.flat[i].Simple = simple(&p.flat[i])
	}
	for _, name := range p.def.Entry {
		p.entries = append(p.entries, p.index[name])
	}
}

func (p *Plan) addNodes(owner *Plan, prefix string, parent int) []int {
	inside := make([]int, len(owner.def.Nodes))
	for i := range owner.def.Nodes {
		n := &owner.def.Nodes[i]
		at := len(p.flat)
		inside[i] = at
		path := prefix + n.Name
		p.flat = append(p.flat, Flat{Node: n, Path: path, Owner: owner, Local: i, Parent: parent, undoneBy: -1})
		p.index[path] = at
		if n.Sub != nil {
			nodes := p.addNodes(n.Sub, path+"/", at)
			p.flat[at].Inside = nodes
			p.flat[at].Size = len(p.flat) - at - 1
			for _, name := range n.Sub.def.Entry {
				p.flat[at].Entries = append(p.flat[at].Entries, p.index[path+"/"+name])
			}
		}
	}
	for _, e := range owner.def.Edges {
		p.connect(prefix, e)
	}
	return inside
}

// Inside are the flat indexes of the plan's own nodes, by their numbers in the definition.
func (p *Plan) Inside() []int { return p.inside }

func simple(f *Flat) bool {
	return f.Sub == nil && f.RouteMany == nil && f.Join != All && !f.governed() &&
		len(f.Failures) == 0 && f.undoneBy < 0 && f.Undoes == "" && f.Owner.joins == nil && f.Flow == nil
}

// connect adds an edge of the plan that stands at prefix.
func (p *Plan) connect(prefix string, e Edge) {
	t := Target{Name: e.To, Index: EndIndex}
	switch e.To {
	case node.End:
	case node.Stop:
		t.Index = StopIndex
	default:
		t.Index = p.index[prefix+e.To]
	}
	f := &p.flat[p.index[prefix+e.From]]
	switch e.Kind {
	case Plain:
		f.Next = append(f.Next, t.Index)
	case Choice:
		f.Choices = append(f.Choices, t)
	case Failure:
		f.Failures = append(f.Failures, t)
	case Deadline:
		f.Deadlines = append(f.Deadlines, t)
	case Undo:
		p.undo(f, t)
	}
}

// Name is the plan's name.
func (p *Plan) Name() string { return p.def.Name }

// Definition is what the plan was made from. Its slices are shared: do not change them.
func (p *Plan) Definition() Definition { return p.def }

// State is the codec of the plan's values.
func (p *Plan) State() Codec { return p.def.State }

// Limits are the plan's limits of a run.
func (p *Plan) Limits() Limits { return p.def.Limits }
