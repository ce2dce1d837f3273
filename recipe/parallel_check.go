package recipe

import (
	"regexp"
	"slices"
	"strings"
)

// checkBranches reports names that two branches write which may both run: where they meet, nothing would say what to
// take (law G4). What a node writes is known of some only; the rest is found when branches meet.
func (c *checked) checkBranches() {
	if !c.parallel || c.wiring.dangling {
		return
	}
	ruled := make(map[string]bool)
	for _, p := range c.state {
		ruled[p.name.text] = p.merge != ""
	}
	for _, fork := range c.nodes {
		if fork.kind == typeRouter || !c.wiring.seen[fork] {
			continue
		}
		branches := c.branchesOf(fork)
		for i, a := range branches {
			for _, b := range branches[i+1:] {
				if !excludes(a.edge.when.text, b.edge.when.text) {
					c.checkPair(fork, a, b, ruled)
				}
			}
		}
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
		to := c.wiring.byID[e.target.text]
		same := func(b branch) bool { return b.edge.target.text == e.target.text }
		if e.condition == onFailure || to == fork || slices.ContainsFunc(all, same) {
			continue
		}
		b := branch{edge: e, nodes: map[*step]bool{to: true}}
		for todo := []*step{to}; len(todo) > 0; todo = todo[1:] {
			for _, l := range c.wiring.out[todo[0]] {
				if l.to != fork && !b.nodes[l.to] {
					b.nodes[l.to] = true
					todo = append(todo, l.to)
				}
			}
		}
		all = append(all, b)
	}
	return all
}

// checkPair compares what two branches of a fork write where they are apart.
func (c *checked) checkPair(fork *step, a, b branch, ruled map[string]bool) {
	wrote := make(map[string]*step)
	for _, n := range c.nodes {
		if !a.nodes[n] || b.nodes[n] {
			continue
		}
		for _, name := range c.certain(n) {
			if wrote[name] == nil {
				wrote[name] = n
			}
		}
	}
	for _, n := range c.nodes {
		if !b.nodes[n] || a.nodes[n] {
			continue
		}
		for _, name := range c.certain(n) {
			first := wrote[name]
			if first == nil || ruled[name] {
				continue
			}
			ruled[name] = true // once for each name
			c.report.add(n.id.spot, "%s and %s both write %q, in branches of %s that may both run, and nothing says what to "+
				"take where they meet; give it a rule in state.properties, as in %s: {merge: last}, or write to different names "+
				"(outputs_map)", quote(first.id.text), quote(n.id.text), name, quote(fork.id.text), name)
		}
	}
}

// certain are the names that a node writes whenever it succeeds, as far as that is known.
func (c *checked) certain(n *step) []string {
	if n.kind == typeHuman {
		return []string{n.id.text}
	}
	a := c.agents[n.ref.text]
	if n.kind != typeAgent || a == nil {
		return nil
	}
	var all []string
	switch {
	case n.outputs != nil:
		for _, b := range n.outputs {
			if !b.path.optional {
				all = append(all, b.name.text)
			}
		}
	case n.each != nil:
		all = append(all, n.id.text)
	case a.nested != nil:
		for _, p := range a.nested.doc.outputs {
			all = append(all, p.name.text)
		}
	case a.kind == kindExpr:
		for _, s := range a.set {
			all = append(all, s.key.text)
		}
	case a.output != nil && a.output.doc != nil:
		switch kind, _ := a.output.doc["type"].(string); kind {
		case "object":
			required, _ := a.output.doc["required"].([]any)
			for _, name := range required {
				if text, ok := name.(string); ok {
					all = append(all, text)
				}
			}
		case "string", "number", "integer", "boolean", "array":
			all = append(all, n.id.text)
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
