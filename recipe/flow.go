package recipe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
)

// flow is what is on the blackboard where, found by following the edges: for each name its type, and whether some way
// does not bring it.
type flow struct {
	document *draft
	when     map[*edge]*expression.Expression // the conditions of edges, where they are right
	wiring   *wiring                          // which node leads to which

	vocabulary *expression.Vocabulary      // of all names below
	initial    expression.Names            // what a run begins with
	fixed      map[string]*expression.Type // what the state says of a name: whatever is written there fits it
	before     map[*step]expression.Names  // what is there when the node starts; none where it is never reached
}

// maxRounds is how often a node is visited before what still changes may be anything.
const maxRounds = 12

// follow finds the names at every node. It goes round until nothing changes; it ends because types only grow, and grow
// to anything after some rounds.
func (d *draft) follow(g *wiring, when map[*edge]*expression.Expression) *flow {
	f := &flow{
		document: d, when: when, wiring: g,
		vocabulary: expression.NewVocabulary(), fixed: make(map[string]*expression.Type), before: make(map[*step]expression.Names),
	}
	f.start()
	if g.entry == nil {
		return f
	}
	f.before[g.entry], g.seen[g.entry] = f.initial, true
	if d.parallel {
		f.followBranches()
	} else {
		f.spread()
	}
	f.followUndos()
	return f
}

// spread follows the edges from the entry, with what is there.
func (f *flow) spread() {
	g := f.wiring
	rounds := make(map[*step]int)
	for todo := []*step{g.entry}; len(todo) > 0; {
		n := todo[0]
		todo = todo[1:]
		rounds[n]++
		for _, out := range g.out[n] {
			next := f.through(n, out, f.before[n])
			changed := true
			if old, ok := f.before[out.to]; ok {
				next, changed = old.Join(next, rounds[n] > maxRounds)
			}
			f.before[out.to], g.seen[out.to] = next, true
			if changed && !slices.Contains(todo, out.to) {
				todo = append(todo, out.to)
			}
		}
	}
}

// start finds the names that a run begins with: inputs, and the state's defaults. What the state says of a name is
// enforced wherever it is written.
func (f *flow) start() {
	n := expression.Names{Vocabulary: f.vocabulary, Failure: expression.Absent}
	if f.document.inputsOpen {
		n.Rest = expression.AnyInput
	}
	for _, p := range f.document.state {
		t := typeOfShape(p.shape)
		f.fixed[p.name.Text] = t
		switch {
		case p.optional:
			n.Set(p.name.Text, t)
		case !f.document.inputsOpen:
			n.Set(p.name.Text, expression.Absent)
		}
	}
	for _, p := range f.document.inputs {
		n.Set(p.name.Text, typeOfShape(p.shape))
	}
	f.initial = n
}

// through is what is there at the end of a link out of a node.
func (f *flow) through(n *step, l link, before expression.Names) expression.Names {
	out := before
	if l.success {
		out = f.after(n, before)
	} else if l.failure {
		out = before.AfterFailure()
	}
	switch {
	case l.edge != nil:
		out = f.chosen(n, l, out)
	case l.route != nil && *l.route:
		out.Refine(n.inputKey.Segments, expression.Known, expression.AsItIs)
	}
	out.Failure = expression.Absent
	if l.failure {
		out.Failure = expression.FailureType
	}
	return out
}

// chosen takes what the conditions of edges say: those before this one were false, its own is true.
func (f *flow) chosen(n *step, l link, known expression.Names) expression.Names {
	for _, e := range f.wiring.edges[n] {
		if l.edge != e && (f.document.parallel || l.success && e.condition == onFailure || l.failure && e.condition == onSuccess) {
			continue
		}
		code := f.when[e]
		if code != nil {
			known = code.Narrowed(known, e == l.edge)
		}
		if e == l.edge {
			break
		}
	}
	return known
}

// ended is what is there where the path ends at a node; not ok where it always goes on.
func (f *flow) ended(n *step) (expression.Names, bool) {
	if n.kind == typeRouter {
		return expression.Names{}, false
	}
	known := f.after(n, f.before[n])
	if n.rejects() {
		return known, true // what is rejected leads nowhere
	}
	if f.goesOn(n) {
		return expression.Names{}, false
	}
	for _, e := range f.wiring.edges[n] {
		if e.condition == onFailure {
			continue
		}
		if e.when.Text == "" {
			return expression.Names{}, false
		}
		if code := f.when[e]; code != nil {
			known = code.Narrowed(known, false)
		}
	}
	return known, true
}

// after is what is there when a node has succeeded.
func (f *flow) after(n *step, before expression.Names) expression.Names {
	if n.of != nil && n.of.after != nil {
		return n.of.after(f, n, before)
	}
	return before
}

// everything are all names that may be on the blackboard after some node.
func (f *flow) everything() expression.Names {
	all := expression.Names{Vocabulary: f.vocabulary}
	for n := range f.wiring.seen {
		all, _ = all.Join(f.after(n, f.before[n]), false)
	}
	return all
}

// output is the type of what a node gives: what its agent gives, or of a node with for_each what is collected.
func (f *flow) output(n *step, before expression.Names) *expression.Type {
	if n.each == nil {
		return f.given(n, before)
	}
	results := f.given(n, before)
	if n.each.keep {
		results = results.OrFailed(n.id.Text)
	}
	if n.outputs == nil {
		return expression.ListOf(results)
	}
	failure := &expression.Type{Kinds: expression.ObjectKind, Fields: map[string]*expression.Type{"index": expression.Plain(expression.WholeKind), "message": expression.Plain(expression.TextKind)}}
	return &expression.Type{Kinds: expression.ObjectKind, Fields: map[string]*expression.Type{eachResults: expression.ListOf(results), eachErrors: expression.ListOf(failure)}}
}

// given is the type of what a node's agent gives when it is called once.
func (f *flow) given(n *step, before expression.Names) *expression.Type {
	a := f.document.agents[n.ref.Text]
	if a == nil {
		return expression.Anything
	}
	if w, knows := can[typed](a); knows {
		return w.gives(f, n, before)
	}
	return typeOfShape(a.output)
}

// merged is what is there once an output was merged.
func (f *flow) merged(n *step, t *expression.Type, before expression.Names) expression.Names {
	out := before
	if n.outputs != nil {
		for _, b := range n.outputs {
			v, _, _ := b.path.Follow(t, 0)
			if v.Missing || v.Kinds == 0 {
				v = expression.Union(before.Board(b.name.Text), v.Present())
			}
			f.write(&out, b.name.Text, v)
		}
		return out
	}
	if t.Kinds&expression.ObjectKind != 0 {
		if t.Rest != nil {
			out = f.opened(before)
		}
		for _, name := range t.Names() {
			v := t.Fields[name]
			if v.Missing || t.Kinds != expression.ObjectKind {
				v = expression.Union(out.Board(name), v.Present())
			}
			f.write(&out, name, v)
		}
	}
	if other := t.Kinds &^ (expression.ObjectKind | expression.NullKind); other != 0 && t.Kinds != expression.AllKinds {
		v := t.With(func(u *expression.Type) { u.Kinds = other }).NotNull()
		if other != t.Kinds {
			v = expression.Union(out.Board(n.id.Text), v)
		}
		f.write(&out, n.id.Text, v)
	}
	return out
}

// opened is what is there after something wrote names that the file does not show.
func (f *flow) opened(before expression.Names) expression.Names {
	out := expression.Names{Vocabulary: f.vocabulary, Rest: expression.Anything, Failure: before.Failure}
	for _, name := range slices.Sorted(maps.Keys(f.fixed)) {
		out.Set(name, f.fixed[name])
	}
	return out
}

// write puts a type on the blackboard; what the state says of the name is enforced.
func (f *flow) write(out *expression.Names, name string, t *expression.Type) {
	if want, ok := f.fixed[name]; ok && (t.Open || t.Misfit(want, "") != "") {
		missing := t.Missing
		t = want.With(func(u *expression.Type) { u.Missing = missing })
	}
	out.Set(name, t)
}

// arguments are the names that an agent's expressions know.
func (f *flow) arguments(n *step, before expression.Names) expression.Names {
	if n.each != nil {
		before = n.each.names(before)
	}
	if n.wholeBoard {
		return before
	}
	args := expression.NoNames()
	args.Failure = before.Failure
	for _, b := range n.inputs {
		t, _, _ := b.path.On(before)
		if t.Kinds == 0 && !b.path.Optional {
			t = expression.Anything
		}
		args.Set(b.name.Text, t)
	}
	return args
}

// arrival is the link that a way takes to a node.
type arrival struct {
	from *step
	link link
}

// way says how a node, or the end of one, is reached without a name; "" where that is not known.
func (f *flow) way(name string, to *step, atEnd bool) string {
	arrivals := make(map[*step]arrival)
	if f.wiring.entry == nil || !f.initial.Board(name).Missing {
		return ""
	}
	seen := map[*step]bool{f.wiring.entry: true}
	for todo := []*step{f.wiring.entry}; len(todo) > 0; todo = todo[1:] {
		n := todo[0]
		without := f.before[n]
		without.Set(name, expression.Absent)
		if n == to && (!atEnd || f.after(n, without).Board(name).Missing) {
			return f.wayText(name, n, atEnd, arrivals)
		}
		for _, l := range f.wiring.out[n] {
			if !seen[l.to] && f.through(n, l, without).Board(name).Missing {
				seen[l.to], arrivals[l.to] = true, arrival{from: n, link: l}
				todo = append(todo, l.to)
			}
		}
	}
	return ""
}

// wayText returns a path for a message.
func (f *flow) wayText(name string, last *step, atEnd bool, arrivals map[*step]arrival) string {
	var words []string
	sometimes := ""
	succeeded, what := atEnd, ""
	for n := last; n != nil; {
		words = append(words, n.id.Text+what)
		if succeeded && n.kind == typeAgent && n.outputs == nil && f.output(n, f.before[n]).Fields[name] != nil {
			sometimes = n.id.Text
		}
		a := arrivals[n]
		n, succeeded, what = a.from, a.link.success, ""
		switch {
		case a.link.failure:
			what = " (fails)"
		case !a.link.success:
			what = " (deadline)"
		}
	}
	slices.Reverse(words)
	if sometimes != "" {
		return fmt.Sprintf(": on the way %s, %s need not bring it, for its output does not require it", wayOf(words), document.Quote(sometimes))
	}
	return fmt.Sprintf(": on the way %s nothing brings it", wayOf(words))
}

// wayOf writes a way along nodes, of a long one the beginning and the end.
func wayOf(nodes []string) string {
	const shown = 7
	if len(nodes) > shown {
		nodes = slices.Concat(nodes[:3], []string{"…"}, nodes[len(nodes)-3:])
	}
	return strings.Join(nodes, " -> ")
}
