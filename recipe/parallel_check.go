package recipe

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
)

// checkBranches reports names that two branches write which may both run: where they meet, nothing would say what to
// take (law G4). What a node writes is known of some only; the rest is found when branches meet.
func (c *checked) checkBranches() {
	if !c.parallel || c.wiring.dangling {
		return
	}
	ruled := make(map[string]bool)
	for _, p := range c.state {
		ruled[p.name.Text] = p.merge != ""
	}
	for _, fork := range c.nodes {
		if fork.kind == typeRouter || !c.wiring.seen[fork] {
			continue
		}
		c.checkFork(fork, ruled)
	}
}

// branch is an edge that a fork takes, and the nodes that it can lead to before the fork is come to again.
type branch struct {
	edge  *edge
	nodes map[*step]bool
}

// branchesOf are the branches that a node's success begins, one for each target.
func (c *checked) branchesOf(fork *step) []branch {
	var all []branch
	for _, e := range c.wiring.edges[fork] {
		to := c.wiring.byID[e.target.Text]
		same := func(b branch) bool { return b.edge.target.Text == e.target.Text }
		if e.condition == onFailure || to == fork || slices.ContainsFunc(all, same) {
			continue
		}
		all = append(all, branch{edge: e, nodes: c.flow.reach(func(n *step) bool { return n == fork }, to)})
	}
	return all
}

// checkFork finds names that nodes of two branches write where these are apart.
func (c *checked) checkFork(fork *step, ruled map[string]bool) {
	branches := c.branchesOf(fork)
	writers := make(map[string][]*step)
	var order []string
	for _, n := range c.nodes {
		within := func(b branch) bool { return b.nodes[n] }
		if !slices.ContainsFunc(branches, within) || !slices.ContainsFunc(branches, func(b branch) bool { return !b.nodes[n] }) {
			continue
		}
		for _, name := range c.writes(n) {
			if writers[name] == nil {
				order = append(order, name)
			}
			writers[name] = append(writers[name], n)
		}
	}
	for _, name := range order {
		if ruled[name] || len(writers[name]) < 2 {
			continue
		}
		a, b := apart(branches, writers[name])
		if a == nil {
			continue
		}
		ruled[name] = true // once for each name
		c.report.Add(b.id.Spot, "%s and %s can both write %q, in branches of %s that may both run, and nothing says what to "+
			"take where they meet; give it a rule in state.properties, as in %s: {merge: last}, or write to different names "+
			"(outputs_map)", document.Quote(a.id.Text), document.Quote(b.id.Text), name, document.Quote(fork.id.Text), name)
	}
	c.checkEndings(fork, branches, ruled)
}

// checkEndings finds names that a branch writes before it ends, and that a node writes at which it would have met another
// branch: where the one ends first, the other comes to that node alone.
func (c *checked) checkEndings(fork *step, branches []branch, ruled map[string]bool) {
	within := make(map[*step]int) // how many branches lead to a node
	for _, b := range branches {
		for n := range b.nodes {
			within[n]++
		}
	}
	for _, p := range c.nodes {
		if within[p] < 2 {
			continue
		}
		for _, name := range c.writes(p) {
			if ruled[name] {
				continue
			}
			q := c.endsBefore(p, name, branches, within)
			if q == nil {
				continue
			}
			ruled[name] = true // once for each name
			c.report.Add(p.id.Spot, "%s and %s can both write %q, in branches of %s that may both run: one may end before it comes to %s, "+
				"and nothing says what to take where they meet; give it a rule in state.properties, as in %s: {merge: last}, or write "+
				"to different names (outputs_map)", document.Quote(q.id.Text), document.Quote(p.id.Text), name,
				document.Quote(fork.id.Text), document.Quote(p.id.Text), name)
		}
	}
}

// endsBefore is a node of one branch alone that writes a name and behind which that branch may end without having met
// another one, though it may also meet it at p; nil for none.
func (c *checked) endsBefore(p *step, name string, branches []branch, within map[*step]int) *step {
	for _, q := range c.writers(name) {
		if within[q] != 1 || !c.endsAlone(q, within) {
			continue
		}
		at := slices.IndexFunc(branches, func(b branch) bool { return b.nodes[q] })
		b := branches[at]
		meets := func(a branch) bool {
			return a.edge != b.edge && a.nodes[p] && !excludes(a.edge.when.Text, b.edge.when.Text)
		}
		if b.nodes[p] && slices.ContainsFunc(branches, meets) {
			return q
		}
	}
	return nil
}

// writers are the nodes that may write a name.
func (c *checked) writers(name string) []*step {
	if c.wrote == nil {
		c.wrote = make(map[string][]*step)
		for _, n := range c.nodes {
			for _, name := range c.writes(n) {
				c.wrote[name] = append(c.wrote[name], n)
			}
		}
	}
	return c.wrote[name]
}

// endsAlone reports whether a path may end behind a node without having met another branch.
func (c *checked) endsAlone(n *step, within map[*step]int) bool {
	met := func(m *step) bool { return m != n && m != end && within[m] > 1 }
	return c.flow.reach(met, n)[end]
}

// apart finds two nodes in branches that may both run, each in one of the two alone; nil for none.
func apart(branches []branch, nodes []*step) (one, other *step) {
	only := func(a, b branch) *step {
		for _, n := range nodes {
			if a.nodes[n] && !b.nodes[n] {
				return n
			}
		}
		return nil
	}
	for i, a := range branches {
		for _, b := range branches[i+1:] {
			one, other = only(a, b), only(b, a)
			if one != nil && other != nil && !excludes(a.edge.when.Text, b.edge.when.Text) {
				return one, other
			}
		}
	}
	return nil, nil
}

// writes are the names that a node may write when it succeeds, as far as the file shows them.
func (c *checked) writes(n *step) []string {
	if n.kind == typeHuman {
		if n.review != nil && n.review.edit && len(n.review.value.Segments) > 0 {
			return []string{n.id.Text, n.review.value.Segments[0]}
		}
		return []string{n.id.Text}
	}
	if n.kind == typeReceive {
		return []string{n.id.Text}
	}
	a := c.agents[n.ref.Text]
	if n.kind != typeAgent || a == nil {
		return nil
	}
	var all []string
	w, names := can[naming](a)
	switch {
	case n.outputs != nil:
		for _, b := range n.outputs {
			all = append(all, b.name.Text)
		}
	case n.each != nil:
		all = append(all, n.id.Text)
	case names:
		all = w.writes()
	case a.output != nil && a.output.Doc != nil:
		switch kind, _ := a.output.Doc["type"].(string); kind {
		case "object":
			all = typeOfShape(a.output).Names()
		case "string", "number", "integer", "boolean", "array":
			all = append(all, n.id.Text)
		}
	}
	return all
}

// comparison is a condition of the simplest kind.
var comparison = regexp.MustCompile(`^([\w.]+) ?(==|!=|<=|>=|<|>) ?('[^']*'|"[^"]*"|[\d.]+|true|false|nil)$`)

// opposite are comparisons of which one holds when the other does not.
var opposite = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// excludes reports whether two conditions can be seen never to hold both: the one is the other's negation, or both
// compare the same name with different texts or numbers. It may say no where they do exclude each other.
func excludes(a, b string) bool {
	if complements(a, b) {
		return true
	}
	x, y := comparison.FindStringSubmatch(oneSpaced(a)), comparison.FindStringSubmatch(oneSpaced(b))
	if x == nil || y == nil || x[1] != y[1] || unquoted(x[3]) == unquoted(y[3]) {
		return false
	}
	return x[2] == "==" && y[2] == "==" && (x[3][0] == '\'' || x[3][0] == '"') == (y[3][0] == '\'' || y[3][0] == '"') &&
		x[3] != y[3] && !numeral(x[3])
}

// complements reports whether of two conditions one can be seen to hold whenever the other does not: the one is the
// other's negation, or both compare the same with opposite operators.
func complements(a, b string) bool {
	a, b = oneSpaced(a), oneSpaced(b)
	if a == "" || b == "" {
		return false
	}
	negates := func(a, b string) bool {
		return slices.Contains([]string{"not (" + b + ")", "!(" + b + ")"}, a) ||
			!strings.ContainsAny(b, " ()") && slices.Contains([]string{"not " + b, "!" + b}, a)
	}
	if negates(a, b) || negates(b, a) {
		return true
	}
	x, y := comparison.FindStringSubmatch(a), comparison.FindStringSubmatch(b)
	return x != nil && y != nil && x[1] == y[1] && unquoted(x[3]) == unquoted(y[3]) && opposite[x[2]] == y[2]
}

func oneSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// unquoted is a literal, of a text with quotes of one kind.
func unquoted(literal string) string { return strings.ReplaceAll(literal, `"`, `'`) }

// numeral reports whether a literal is a number, which has several spellings.
func numeral(text string) bool { return text[0] >= '0' && text[0] <= '9' || text[0] == '.' }
