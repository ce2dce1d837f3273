package machine

import (
	"slices"

	"github.com/fermata-go/fermata/plan"
)

// States lists the values of tokens, open tasks, ended paths and the forks above them. It leaves out the
// records of dataflows, see [Machine.Reads].
func (m *Machine) States() []Held {
	var all []Held
	take := func(ref *uint64, by string, codec plan.Codec) {
		if *ref != 0 && !slices.ContainsFunc(all, func(h Held) bool { return h.Ref == *ref }) {
			all = append(all, Held{Ref: *ref, By: by, Codec: codec})
		}
	}
	m.eachState(take)
	m.bases(take)
	return all
}

// bases calls do with the value at every fork that branches are merged against later, and who goes back to it.
func (m *Machine) bases(do func(ref *uint64, by string, codec plan.Codec)) {
	m.walk++
	var leaves func(list []leaf, by string, codec plan.Codec)
	leaves = func(list []leaf, by string, codec plan.Codec) {
		for _, l := range list {
			if l.of.seen != m.walk { // branches that were merged go back to the same forks by many ways
				l.of.seen = m.walk
				do(&l.of.base, by, codec)
				leaves(l.of.up, by, codec)
			}
		}
	}
	arrivals := func(list []arrival, by string, codec plan.Codec) {
		for i := range list {
			leaves(list[i].leaves, by, codec)
		}
	}
	for i := range m.tokens {
		tok := &m.tokens[i]
		leaves(tok.leaves, m.pathOf(tok.scope.space, tok.at), m.codecAt(tok.at))
	}
	for _, t := range m.tasks {
		id := m.TaskID(t)
		leaves(t.leaves, id, m.codecAt(t.Node))
		arrivals(t.taken, id, m.codecAt(t.Node))
		if t.inside != nil {
			arrivals(t.inside.ends, id, m.codecInside(t))
		}
		for i := range t.items {
			arrivals(t.items[i].ends, id, m.codecInside(t))
			if s := t.items[i].scope; s != nil {
				arrivals(s.ends, id, m.codecInside(t))
			}
		}
	}
	arrivals(m.root.ends, "", m.plan.State())
}

// Read is a value of a dataflow that a node may still be given.
type Read struct {
	Name  string // of the value
	By    string // who reads it: "task ask#1", "node publish", "the result of the run"
	Scope string // the path of the subgraph that the dataflow runs in, "" for the run

	Ref      uint64     // the entry with the record that the value is in; 0 where nobody has written the value
	Writer   string     // the path of the node that wrote the record; "" for what the dataflow was given
	Codec    plan.Codec // of the record; nil if the plan has none
	Required bool       // the reader has nothing else to take
	Omitted  bool       // the record may be without the value: its writer says so
}

// Reads lists the values that dataflows have read or may still read. They belong to open tasks, to nodes that
// may still run, and to results. A value that is not written and that no node writes has no Ref.
func (m *Machine) Reads() (all []Read) {
	m.eachFlow(func(s *scope) bool {
		if len(s.flow.at) > 0 && !s.flow.over {
			r := reads{m: m, s: s, scope: m.scopePath(s), owner: m.flat[s.flow.at[0]].Owner}
			r.open()
			r.ahead()
			r.results()
			all = append(all, r.all...)
		}
		return false
	})
	return all
}

// scopePath is the path of the node that a dataflow runs in, as the plan has it.
func (m *Machine) scopePath(s *scope) string {
	if s.parent == nil || s.parent.Node >= len(m.flat) {
		return ""
	}
	return m.flat[s.parent.Node].Path
}

// reads lists what is read in one dataflow.
type reads struct {
	m     *Machine   // whose dataflow is listed
	s     *scope     // of the dataflow
	scope string     // path of its subgraph
	owner *plan.Plan // plan of the dataflow
	all   []Read     // the result
}

func (r *reads) add(read Read, from slot) {
	read.Scope, read.Ref = r.scope, from.ref
	if from.ref != 0 {
		read.Codec = r.owner.Keeps(from.from)
		if from.from >= 0 {
			read.Writer = r.m.flat[r.s.flow.at[from.from]].Path
			read.Omitted = omits(r.m.flat[r.s.flow.at[from.from]].Flow.Outputs, read.Name)
		} else {
			read.Omitted = !read.Required
		}
	}
	r.all = append(r.all, read)
}

func omits(outputs []plan.Port, name string) bool {
	return slices.ContainsFunc(outputs, func(p plan.Port) bool { return p.Name == name && p.Optional })
}

// open lists what open tasks were given.
func (r *reads) open() {
	for _, t := range r.m.tasks {
		v := r.m.local(t)
		if t.scope != r.s || v < 0 || t.State == Leaving || t.State == Choosing {
			continue
		}
		for k, from := range t.slots {
			p := r.m.flat[t.Node].Flow.Inputs[k]
			r.add(Read{Name: p.Name, By: "task " + r.m.TaskID(t), Required: !p.Optional}, from)
		}
	}
}

// ahead lists what nodes that may still run would be given now.
func (r *reads) ahead() {
	f := r.s.flow
	may := f.mayRun()
	for v := range f.nodes {
		if !may[v] {
			continue
		}
		flat := &r.m.flat[f.at[v]]
		for k, name := range f.d.Nodes[v].In {
			p, from := flat.Flow.Inputs[k], f.slot(name)
			switch {
			case from.ref != 0:
			case f.latest[name] != nobody, f.written(name):
				continue // it waits for the value
			}
			r.add(Read{Name: p.Name, By: "node " + flat.Path, Required: !p.Optional}, from)
		}
	}
}

// results lists the values that the dataflow ends with, as far as they were written.
func (r *reads) results() {
	f, by := r.s.flow, "the result of the run"
	if r.scope != "" {
		by = "the result of " + r.scope
	}
	for _, name := range f.d.Results {
		if from := f.slot(name); from.ref != 0 {
			r.add(Read{Name: f.d.Names[name], By: by, Required: true}, from)
		}
	}
}

// written reports whether some node writes a value.
func (f *flow) written(name int) (is bool) {
	f.d.Writers(name, func(int) bool {
		is = true
		return false
	})
	return is
}

// mayRun marks the nodes that may begin from now on. A node that runs counts only where it may run once more.
func (f *flow) mayRun() []bool {
	may := make([]bool, len(f.nodes))
	var todo []int
	reach := func(v int) {
		if !may[v] {
			may[v] = true
			todo = append(todo, v)
		}
	}
	follow := func(v int) {
		d := &f.d.Nodes[v]
		for _, to := range d.Next {
			reach(to)
		}
		for _, to := range d.Readers {
			reach(to)
		}
		for _, t := range d.Targets {
			reach(t.To)
		}
	}
	for v := range f.nodes {
		n := &f.nodes[v]
		switch {
		case n.running:
			follow(v)
		case !n.ran && (f.skips == nil || !f.skips[v]), n.fresh, n.chosen > 0:
			reach(v)
		}
	}
	for _, c := range f.pending {
		reach(c.to)
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		follow(v)
	}
	return may
}

// Record is what a node of a dataflow wrote last, or what the dataflow was given.
type Record struct {
	Scope  string     // the path of the subgraph that the dataflow runs in, "" for the run
	Ref    uint64     // seq of the record
	Writer string     // the path of the node, "" for what was given
	Gone   bool       // the plan does not have the node
	Names  []string   // the values that the plan knows in this dataflow
	Codec  plan.Codec // of the record; nil if the plan has none
}

// Records lists the records of all open dataflows.
func (m *Machine) Records() (all []Record) {
	m.eachFlow(func(s *scope) bool {
		f, scope := s.flow, m.scopePath(s)
		add := func(ref uint64, writer string, gone bool, codec plan.Codec) {
			if ref != 0 {
				all = append(all, Record{Scope: scope, Ref: ref, Writer: writer, Gone: gone, Names: f.d.Names, Codec: codec})
			}
		}
		add(f.input, "", false, m.codecOf(s, plan.FromRun))
		for v := range f.nodes {
			add(f.nodes[v].ref, m.flat[f.at[v]].Path, false, m.codecOf(s, v))
		}
		for _, g := range f.ghosts {
			add(g.ref, m.pathOf(s.space, g.at), true, nil)
		}
		return false
	})
	return all
}
