package recipe

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
)

// wiring is which node leads to which.
type wiring struct {
	entry    *step             // nil where it is not known
	byID     map[string]*step  // the first of each id
	ids      []string          // in written order
	out      map[*step][]link  // each way once
	edges    map[*step][]*edge // those whose ends are there, in written order
	seen     map[*step]bool    // what a run may reach, once that was followed
	undoes   map[*step][]*step // by a node that undoes: those that it undoes
	dangling bool              // a name was wrong somewhere: what follows from a missing link is not reported
}

// link is one way from a node to another.
type link struct {
	to      *step
	success bool // taken after the node has succeeded: what it made is on the blackboard
	failure bool // taken because it has failed

	edge  *edge // that it was made from; nil for others
	route *bool // of a router: whether a route has the value; nil for others
}

// wire resolves all names of nodes and reports those that are not there.
func (d *draft) wire(r *document.Report) *wiring {
	g := &wiring{byID: make(map[string]*step), out: make(map[*step][]link), edges: make(map[*step][]*edge), seen: make(map[*step]bool), undoes: make(map[*step][]*step)}
	for _, n := range d.nodes {
		id := n.id.Text
		if id == "" {
			g.dangling = true
			continue
		}
		if before, twice := g.byID[id]; twice {
			r.Add(n.id.Spot, "the id %s is taken: the node in line %d has it; every node needs one of its own",
				document.Quote(id), before.id.Node.Line)
			g.dangling = true
			continue
		}
		g.byID[id] = n
		g.ids = append(g.ids, id)
	}
	if d.entry.Text != "" {
		g.entry = g.find(d.entry, r, "")
	}
	for _, e := range d.edges {
		from, to := g.find(e.source, r, "the edge comes from nowhere: "), g.find(e.target, r, "the edge leads nowhere: ")
		if from == nil || to == nil {
			continue
		}
		g.edges[from] = append(g.edges[from], e)
		if e.condition != onFailure {
			g.link(from, link{to: to, success: true, edge: e})
		}
		if e.condition != onSuccess {
			g.link(from, link{to: to, failure: true, edge: e})
		}
	}
	for _, n := range d.nodes {
		g.targets(n, r)
	}
	if g.entry == nil {
		g.entry = g.likelyEntry(d.nodes)
	}
	return g
}

// likelyEntry is where a run seems to begin whose entry is not known: at the only node that no way leads to, so that what is
// wrong behind it is found, too; nil where there is none, or more than one.
func (g *wiring) likelyEntry(nodes []*step) (entry *step) {
	led := make(map[*step]bool)
	for _, links := range g.out {
		for _, l := range links {
			led[l.to] = true
		}
	}
	for _, n := range nodes {
		switch {
		case led[n] || len(g.undoes[n]) > 0 || g.byID[n.id.Text] != n:
		case entry != nil:
			return nil
		default:
			entry = n
		}
	}
	return entry
}

func (g *wiring) link(from *step, l link) {
	if !slices.Contains(g.out[from], l) {
		g.out[from] = append(g.out[from], l)
	}
}

var routed, byDefault = true, false

// targets resolves the nodes that a node itself names.
func (g *wiring) targets(n *step, r *document.Report) {
	g.dangling = g.dangling || n.unrouted
	for _, route := range n.routes {
		if to := g.find(route.Value, r, "the route leads nowhere: "); to != nil {
			g.link(n, link{to: to, success: true, route: &routed})
		}
	}
	if n.fallback.Text != "" {
		if to := g.find(n.fallback, r, "the default route leads nowhere: "); to != nil {
			g.link(n, link{to: to, success: true, route: &byDefault})
		}
	}
	if n.undo.Text != "" {
		if by := g.find(n.undo, r, "nothing undoes the node: "); by != nil {
			g.undoes[by] = append(g.undoes[by], n)
		}
	}
	if n.review != nil {
		g.aside(n, n.review.reject, "a rejected value leads nowhere: ", r)
		g.aside(n, n.review.sendBack, "what is sent back leads nowhere: ", r)
	}
	for x := n.expiry; x != nil; x = x.then {
		if x.do != "route" || x.target.Text == "" {
			continue
		}
		if to := g.find(x.target, r, "the deadline's route leads nowhere: "); to != nil {
			g.link(n, link{to: to})
		}
	}
}

// aside resolves where a review leads with what is not approved.
func (g *wiring) aside(n *step, id document.Word, what string, r *document.Report) {
	if id.Text == "" {
		return
	}
	if to := g.find(id, r, what); to != nil {
		g.link(n, link{to: to, success: true})
	}
}

// find is the node of an id; nil, and reported, where there is none.
func (g *wiring) find(id document.Word, r *document.Report, what string) *step {
	if n, ok := g.byID[id.Text]; ok {
		return n
	}
	g.dangling = true
	if id.Text == "" || len(g.ids) == 0 {
		return nil // reported where it was read
	}
	if up := strings.ToUpper(id.Text); up == "END" || up == "STOP" {
		r.Add(id.Spot, "%sthere is no node %s; a path ends at a node that no edge leads out of", what, document.Quote(id.Text))
		return nil
	}
	r.Add(id.Spot, "%sthere is no node %s%s", what, document.Quote(id.Text), r.HintOr(id.Text, g.ids))
	return nil
}

// checkEdges reports edges that can never be taken: an edge before them holds whenever they do.
func (d *draft) checkEdges(n *step, g *wiring, r *document.Report) {
	type side struct {
		whole bool            // an edge without a condition came before
		seen  map[string]bool // conditions that came before
	}
	success, failure := side{seen: make(map[string]bool)}, side{seen: make(map[string]bool)}
	dead := func(s *side, e *edge) bool {
		when := strings.Join(strings.Fields(e.when.Text), " ")
		was := s.whole || s.seen[when]
		s.whole = s.whole || when == ""
		s.seen[when] = true
		return was
	}
	for _, e := range g.edges[n] {
		taken := false
		if e.condition != onFailure && !dead(&success, e) {
			taken = true
		}
		if e.condition != onSuccess && !dead(&failure, e) {
			taken = true
		}
		if n.kind == typeRouter && e.condition != onFailure {
			d.checkRouterEdge(n, e, r)
			continue
		}
		if !taken {
			r.Add(e.Spot, "the edge is never taken: an edge out of %s before it holds whenever this one does; "+
				"give them conditions (when) that differ", document.Quote(n.id.Text))
		}
	}
}

// checkRouterEdge lets an edge that only repeats a route stand.
func (d *draft) checkRouterEdge(n *step, e *edge, r *document.Report) {
	repeats := n.fallback.Text == e.target.Text
	for _, route := range n.routes {
		repeats = repeats || route.Value.Text == e.target.Text
	}
	if !repeats || e.when.Text != "" || e.condition == always {
		r.Add(e.Spot, "a router goes where its routes say; make %s a route or the default_route of %s",
			document.Quote(e.target.Text), document.Quote(n.id.Text))
	}
}
