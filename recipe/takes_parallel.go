package recipe

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/plan"
)

// takesBranches is takes for branches that run at the same time. A name that one lacks another one may bring to where they meet.
func (c *checked) takesBranches(held []standing) *plan.Misfit {
	if len(held) == 0 {
		return nil
	}
	var names []string
	for _, n := range append(slices.Clone(c.nodes), end) {
		if known, ok := c.flow.before[n]; ok {
			names = append(names, known.List()...)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if f := c.takesName(name, held); f != nil {
			return f
		}
	}
	return nil
}

// takesName finds a node that reads a name which does not come there.
func (c *checked) takesName(name string, held []standing) *plan.Misfit {
	l := &lacking{checked: c, name: name, held: held, at: make(map[*step]bool)}
	l.spread()
	if len(l.at) == 0 {
		return nil
	}
	first, path, reason := l.first()
	was, where := "", standing{}
	for _, s := range held {
		if _, there := s.board[name]; there || s.left {
			continue
		}
		if was = c.stray(c.widest(name), s.board); was != "" {
			where = s
			break
		}
	}
	for _, n := range append(slices.Clone(c.nodes), end) {
		if !l.at[n] {
			continue
		}
		reader := "node " + n.id.Text
		if n == end {
			reader = theResult
		}
		if l.must && c.readsAt(n, name, "") {
			return &plan.Misfit{
				Value: path, Reason: fmt.Sprintf("the state at %s: %s reads %s", first.by, reader, reason),
				Hint: formerly(name, path, first.board[name], first.board, c.flow.before[n]),
			}
		}
		if was != "" && c.readsAt(n, name, name) {
			f := standsIn(reader, name, was)
			f.Reason = fmt.Sprintf("the state at %s: %s", where.by, f.Reason)
			return f
		}
	}
	return nil
}

// widest is what a name may be anywhere.
func (c *checked) widest(name string) *expression.Type {
	t := expression.Absent
	for n := range c.flow.before {
		if found := c.flow.before[n].Board(name); found.Kinds != 0 {
			t = expression.Union(t, found.Present())
		}
	}
	return t
}

// readsAt reports whether a node, or the result, reads a name; with asked, also if something stands in for it.
func (c *checked) readsAt(n *step, name, asked string) bool {
	if n == end {
		return slices.ContainsFunc(c.outputs, func(p port) bool { return p.name.Text == name && (!p.optional || asked == name) })
	}
	without := maps.Clone(c.flow.before)
	names := without[n]
	names.Set(name, expression.Absent)
	without[n] = names
	return differ(c.problemsAt(n, c.flow.before, ""), c.problemsAt(n, without, asked))
}

// problemsAt checks one node.
func (c *checked) problemsAt(n *step, before map[*step]expression.Names, asked string) (all []string) {
	r := newReport()
	f := *c.flow
	f.before = before
	at := &checked{draft: c.draft, report: r, undeclared: new(undeclared), when: c.when, wiring: c.wiring, flow: &f, asked: asked}
	at.checkStep(n)
	for _, p := range r.Problems {
		all = append(all, p.Message)
	}
	return all
}

// lacking is where a name does not come to, although the recipe says that it does, or may.
type lacking struct {
	*checked
	name string
	held []standing

	at   map[*step]bool
	must bool // the recipe says that it comes there
}

// spread finds the nodes at which the name is missing: from where the run stands along the edges until it is written. Where
// branches meet it is missing if no branch has it, of those that wait there and those that may come.
func (l *lacking) spread() {
	for _, s := range l.held {
		if t := l.flow.before[s.at].Board(l.name); !s.waits && !s.left && l.lacks(s) {
			l.at[s.at] = true
			l.must = l.must || certain(t)
		}
	}
	for more := true; more; {
		more = false
		for _, n := range append(slices.Clone(l.nodes), end) {
			if l.at[n] || !l.comes(n) {
				continue
			}
			l.at[n], more = true, true
			t := l.flow.before[n].Board(l.name)
			l.must = l.must || l.meets(n) && certain(t)
		}
	}
}

// certain reports whether the check of a recipe says that a name is there. Of one that only open inputs or an agent without a declared
// output may bring it does not.
func certain(t *expression.Type) bool { return t.Kinds != 0 && !t.Missing && !t.Open }

func (l *lacking) lacks(s standing) bool {
	_, reason := lacks(l.name, l.flow.before[s.at].Board(l.name), s.board)
	return reason != ""
}

// first is the first blackboard that lacks the name, and what is wrong with it; one where it must be comes before others.
func (l *lacking) first() (s standing, path, reason string) {
	for _, must := range []bool{true, false} {
		for _, s := range l.held {
			t := l.flow.before[s.at].Board(l.name)
			if s.left {
				continue
			}
			if path, reason := lacks(l.name, t, s.board); reason != "" && (!must || certain(t)) {
				return s, path, reason
			}
		}
	}
	return l.held[0], l.name, fmt.Sprintf("%q, which the run does not hold", l.name)
}

func (l *lacking) meets(n *step) bool { return n == end || l.joined[n.id.Text] }

// comes reports whether the run comes to a node without the name.
func (l *lacking) comes(n *step) bool {
	some := false
	if l.meets(n) {
		for _, s := range l.held {
			if s.at == n && s.waits {
				if !l.lacks(s) {
					return false
				}
				some = true
			}
		}
	}
	live := l.live(n)
	for _, from := range l.nodes {
		for _, out := range l.flow.outOf(from) {
			if out.to != n || !live[from] {
				continue
			}
			lacks := l.at[from] && !l.brings(from, out)
			if l.meets(n) && !lacks {
				return false
			}
			some = some || lacks
		}
	}
	return some
}

// live are the nodes that run before the run comes to a node.
func (l *lacking) live(until *step) map[*step]bool {
	live := make(map[*step]bool)
	var todo []*step
	reach := func(n *step) {
		if n != end && n != until && !live[n] {
			live[n] = true
			todo = append(todo, n)
		}
	}
	for _, s := range l.held {
		reach(s.at)
		if s.at == until && !s.waits && !live[until] { // a loop: it runs now, and may again
			live[until] = true
			todo = append(todo, until)
		}
	}
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		for _, out := range l.flow.outOf(n) {
			reach(out.to)
		}
	}
	return live
}

// brings reports whether the name is there at the end of a link, of a node that is run without it. A condition that asks for the
// name says itself what holds without it.
func (l *lacking) brings(from *step, out link) bool {
	if out.edge != nil {
		if code := l.when[out.edge]; code != nil && slices.Contains(code.Names(), l.name) {
			return true
		}
	}
	names := l.flow.before[from]
	names.Set(l.name, expression.Absent)
	t := l.flow.through(from, out, names).Board(l.name)
	return t.Kinds != 0 && !t.Missing
}
