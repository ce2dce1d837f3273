package machine

import (
	"slices"
	"sort"

	"github.com/fermata-go/fermata/plan"
)

// Standing is where a path of the run goes on, and with which state.
type Standing struct {
	Node  int    // index in the flat plan; -1 for a path that has ended
	Ref   uint64 // the entry that holds the state
	By    string // the task, or the node of a token
	Scope int    // which paths belong together: they run in one subgraph, or item of a map, or are the run's own
	Waits bool   // for other branches, at a node or the end where they meet
	Left  bool   // its node has run, and what it has made is on its way
}

// FlatAt is a node of the flat plan.
func (m *Machine) FlatAt(node int) *plan.Flat { return &m.flat[node] }

// Standings lists where the paths of control graphs continue. These are open tasks, tokens, and branches that wait for
// others. A node of a dataflow is given what it reads, see [Machine.Reads].
func (m *Machine) Standings() (all []Standing) {
	var scopes []*scope
	add := func(s *scope, one Standing) {
		if one.Scope = slices.Index(scopes, s); one.Scope < 0 {
			one.Scope = len(scopes)
			scopes = append(scopes, s)
		}
		all = append(all, one)
	}
	for i := range m.tokens {
		tok := &m.tokens[i]
		if tok.at < len(m.flat) && tok.scope.flow == nil {
			add(tok.scope, Standing{Node: tok.at, Ref: tok.ref, By: m.pathOf(tok.scope.space, tok.at), Waits: m.flat[tok.at].Join == plan.All})
		}
	}
	for _, t := range m.tasks {
		if t.Node >= len(m.flat) || t.scope.flow != nil {
			continue
		}
		for i := range t.taken {
			add(t.scope, Standing{Node: t.Node, Ref: t.taken[i].ref, By: m.TaskID(t), Waits: true})
		}
		switch t.State {
		case Ready, Waiting, Backoff, Inside:
			if !t.Joined() {
				add(t.scope, Standing{Node: t.Node, Ref: t.Ref, By: m.TaskID(t)})
			}
		case Leaving, Broken, Choosing:
			add(t.scope, Standing{Node: t.Node, Ref: t.Ref, By: m.TaskID(t), Left: true})
		}
	}
	for _, s := range scopes {
		for i := range s.ends {
			add(s, Standing{Node: -1, Ref: s.ends[i].ref, By: "the end", Waits: true})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Scope < all[j].Scope }) // slices.SortFunc would be compiled for the type (ADR 060)
	return all
}
