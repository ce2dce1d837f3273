package recipe

import (
	"slices"
	"strings"
)

// wiring is which node leads to which.
type wiring struct {
	entry    *step
	byID     map[string]*step
	ids      []string
	out      map[*step][]link
	edges    map[*step][]*edge // those whose ends are there, in written order
	seen     map[*step]bool
	dangling bool // a name was wrong somewhere: what follows from a missing link is not reported
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
func (d *document) wire(r *report) *wiring {
	g := &wiring{byID: make(map[string]*step), out: make(map[*step][]link), edges: make(map[*step][]*edge), seen: make(map[*step]bool)}
	for _, n := range d.nodes {
		id := n.id.text
		if id == "" {
			g.dangling = true
			continue
		}
		if before, twice := g.byID[id]; twice {
			r.add(n.id.spot, "the id %s is taken: the node in line %d has it; every node needs one of its own",
				quote(id), before.id.node.Line)
			g.dangling = true
			continue
		}
		g.byID[id] = n
		g.ids = append(g.ids, id)
	}
	if d.entry.text != "" {
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
	return g
}

func (g *wiring) link(from *step, l link) {
	if !slices.Contains(g.out[from], l) {
		g.out[from] = append(g.out[from], l)
	}
}

var routed, byDefault = true, false

// targets resolves the nodes that a node itself names.
func (g *wiring) targets(n *step, r *report) {
	for _, route := range n.routes {
		if to := g.find(route.value, r, "the route leads nowhere: "); to != nil {
			g.link(n, link{to: to, success: true, route: &routed})
		}
	}
	if n.fallback.text != "" {
		if to := g.find(n.fallback, r, "the default route leads nowhere: "); to != nil {
			g.link(n, link{to: to, success: true, route: &byDefault})
		}
	}
	if n.review != nil {
		g.aside(n, n.review.reject, "a rejected value leads nowhere: ", r)
		g.aside(n, n.review.sendBack, "what is sent back leads nowhere: ", r)
	}
	for x := n.expiry; x != nil; x = x.then {
		if x.do != "route" || x.target.text == "" {
			continue
		}
		if to := g.find(x.target, r, "the deadline's route leads nowhere: "); to != nil {
			g.link(n, link{to: to})
		}
	}
}

// aside resolves where a review leads with what is not approved.
func (g *wiring) aside(n *step, id word, what string, r *report) {
	if id.text == "" {
		return
	}
	if to := g.find(id, r, what); to != nil {
		g.link(n, link{to: to, success: true})
	}
}

// find is the node of an id; nil, and reported, where there is none.
func (g *wiring) find(id word, r *report, what string) *step {
	if n, ok := g.byID[id.text]; ok {
		return n
	}
	g.dangling = true
	if id.text == "" || len(g.ids) == 0 {
		return nil // reported where it was read
	}
	if up := strings.ToUpper(id.text); up == "END" || up == "STOP" {
		r.add(id.spot, "%sthere is no node %s; a path ends at a node that no edge leads out of", what, quote(id.text))
		return nil
	}
	r.add(id.spot, "%sthere is no node %s%s", what, quote(id.text), r.hint(id.text, g.ids))
	return nil
}

// checkEdges reports edges that can never be taken: an edge before them holds whenever they do.
func (d *document) checkEdges(n *step, g *wiring, r *report) {
	type side struct {
		whole bool            // an edge without a condition came before
		seen  map[string]bool // conditions that came before
	}
	success, failure := side{seen: make(map[string]bool)}, side{seen: make(map[string]bool)}
	dead := func(s *side, e *edge) bool {
		when := strings.Join(strings.Fields(e.when.text), " ")
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
			r.add(e.spot, "the edge is never taken: an edge out of %s before it holds whenever this one does; "+
				"give them conditions (when) that differ", quote(n.id.text))
		}
	}
}

// checkRouterEdge lets an edge that only repeats a route stand.
func (d *document) checkRouterEdge(n *step, e *edge, r *report) {
	repeats := n.fallback.text == e.target.text
	for _, route := range n.routes {
		repeats = repeats || route.value.text == e.target.text
	}
	if !repeats || e.when.text != "" || e.condition == always {
		r.add(e.spot, "a router goes where its routes say; make %s a route or the default_route of %s",
			quote(e.target.text), quote(n.id.text))
	}
}
