package recipe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
)

// flow is what is on the blackboard where, found by following the edges: for each name its type, and whether some way
// does not bring it.
type flow struct {
	document *document
	when     map[*edge]*expression
	wiring   *wiring

	vocabulary *vocabulary
	initial    names
	fixed      map[string]*valueType // what the state says of a name: whatever is written there fits it
	before     map[*step]names       // what is there when the node starts; none where it is never reached
}

// maxRounds is how often a node is visited before what still changes may be anything.
const maxRounds = 12

// follow finds the names at every node. It goes round until nothing changes; it ends because types only grow, and grow
// to anything after some rounds.
func (d *document) follow(g *wiring, when map[*edge]*expression) *flow {
	f := &flow{
		document: d, when: when, wiring: g,
		vocabulary: newVocabulary(), fixed: make(map[string]*valueType), before: make(map[*step]names),
	}
	f.start()
	if g.entry == nil {
		return f
	}
	f.before[g.entry], g.seen[g.entry] = f.initial, true
	if d.parallel {
		f.followBranches()
		return f
	}
	rounds := make(map[*step]int)
	for todo := []*step{g.entry}; len(todo) > 0; {
		n := todo[0]
		todo = todo[1:]
		rounds[n]++
		for _, out := range g.out[n] {
			next := f.through(n, out, f.before[n])
			changed := true
			if old, ok := f.before[out.to]; ok {
				next, changed = old.join(next, rounds[n] > maxRounds)
			}
			f.before[out.to], g.seen[out.to] = next, true
			if changed && !slices.Contains(todo, out.to) {
				todo = append(todo, out.to)
			}
		}
	}
	return f
}

// start finds the names that a run begins with: inputs, and the state's defaults. What the state says of a name is
// enforced wherever it is written.
func (f *flow) start() {
	n := names{vocabulary: f.vocabulary, failure: absent}
	if f.document.inputsOpen {
		n.rest = anyInput
	}
	for _, p := range f.document.state {
		t := typeOfShape(p.shape)
		f.fixed[p.name.text] = t
		switch {
		case p.optional:
			n.set(p.name.text, t)
		case !f.document.inputsOpen:
			n.set(p.name.text, absent)
		}
	}
	for _, p := range f.document.inputs {
		n.set(p.name.text, typeOfShape(p.shape))
	}
	f.initial = n
}

// through is what is there at the end of a link out of a node.
func (f *flow) through(n *step, l link, before names) names {
	out := before
	if l.success {
		out = f.after(n, before)
	} else if l.failure {
		out = before.afterFailure()
	}
	switch {
	case l.edge != nil:
		out = f.chosen(n, l, out)
	case l.route != nil && *l.route:
		out.refine(n.inputKey.segments)
	}
	out.failure = absent
	if l.failure {
		out.failure = failureType
	}
	return out
}

// chosen takes what the conditions of edges say: those before this one were false, its own is true.
func (f *flow) chosen(n *step, l link, known names) names {
	for _, e := range f.wiring.edges[n] {
		if l.edge != e && (f.document.parallel || l.success && e.condition == onFailure || l.failure && e.condition == onSuccess) {
			continue
		}
		code := f.when[e]
		if code != nil {
			known = code.narrowed(known, e == l.edge)
		}
		if e == l.edge {
			break
		}
	}
	return known
}

// ended is what is there where the path ends at a node; not ok where it always goes on.
func (f *flow) ended(n *step) (names, bool) {
	if n.kind == typeRouter {
		return names{}, false
	}
	known := f.after(n, f.before[n])
	if n.review != nil && n.review.reject.text == "" {
		return known, true // what is rejected leads nowhere
	}
	if f.goesOn(n) {
		return names{}, false
	}
	for _, e := range f.wiring.edges[n] {
		if e.condition == onFailure {
			continue
		}
		if e.when.text == "" {
			return names{}, false
		}
		if code := f.when[e]; code != nil {
			known = code.narrowed(known, false)
		}
	}
	return known, true
}

// after is what is there when a node has succeeded.
func (f *flow) after(n *step, before names) names {
	switch n.kind {
	case typeHuman:
		out := before
		f.write(&out, n.id.text, typeOfSchema(n.leaves()))
		return out
	case typeAgent:
		return f.merged(n, f.output(n, before), before)
	}
	return before
}

// output is the type of what a node gives: what its agent gives, or of a node with for_each what is collected.
func (f *flow) output(n *step, before names) *valueType {
	if n.each == nil {
		return f.given(n, before)
	}
	results := anything // with null among it where failed elements are kept: expressions are not followed as far
	if !n.each.keep {
		results = f.given(n, before)
	}
	if n.outputs == nil {
		return listOf(results)
	}
	failure := &valueType{kinds: objectKind, fields: map[string]*valueType{"index": plain(wholeKind), "message": plain(textKind)}}
	return &valueType{kinds: objectKind, fields: map[string]*valueType{eachResults: listOf(results), eachErrors: listOf(failure)}}
}

// given is the type of what a node's agent gives when it is called once.
func (f *flow) given(n *step, before names) *valueType {
	a := f.document.agents[n.ref.text]
	switch {
	case a == nil:
		return anything
	case a.kind == kindRecipe:
		return a.nested.gives()
	case a.kind == kindModel && a.output == nil:
		return plain(textKind)
	case a.kind == kindExpr:
		return a.calculated(f.arguments(n, before))
	}
	return typeOfShape(a.output)
}

// calculated is the type of what an expr agent gives.
func (a *agent) calculated(args names) *valueType {
	out := &valueType{kinds: objectKind, fields: make(map[string]*valueType)}
	for _, s := range a.set {
		t := anything
		if s.code != nil {
			t, _ = s.code.check(args, &report{hints: maxHints}, nil)
		}
		args.set(s.key.text, t)
		out.fields[s.key.text] = t
	}
	return out
}

// merged is what is there once an output was merged.
func (f *flow) merged(n *step, t *valueType, before names) names {
	out := before
	if n.outputs != nil {
		for _, b := range n.outputs {
			v, _, _ := b.path.follow(t, 0)
			if v.missing || v.kinds == 0 {
				v = union(before.board(b.name.text), v.present())
			}
			f.write(&out, b.name.text, v)
		}
		return out
	}
	if t.kinds&objectKind != 0 {
		if t.rest != nil {
			out = f.opened(before)
		}
		for _, name := range t.names() {
			v := t.fields[name]
			if v.missing || t.kinds != objectKind {
				v = union(out.board(name), v.present())
			}
			f.write(&out, name, v)
		}
	}
	if other := t.kinds &^ (objectKind | nullKind); other != 0 && t.kinds != allKinds {
		v := t.with(func(u *valueType) { u.kinds = other }).notNull()
		if other != t.kinds {
			v = union(out.board(n.id.text), v)
		}
		f.write(&out, n.id.text, v)
	}
	return out
}

// opened is what is there after something wrote names that the file does not show.
func (f *flow) opened(before names) names {
	out := names{vocabulary: f.vocabulary, rest: anything, failure: before.failure}
	for _, name := range slices.Sorted(maps.Keys(f.fixed)) {
		out.set(name, f.fixed[name])
	}
	return out
}

// write puts a type on the blackboard; what the state says of the name is enforced.
func (f *flow) write(out *names, name string, t *valueType) {
	if want, ok := f.fixed[name]; ok && (t.open || t.misfit(want, "") != "") {
		missing := t.missing
		t = want.with(func(u *valueType) { u.missing = missing })
	}
	out.set(name, t)
}

// arguments are the names that an agent's expressions know.
func (f *flow) arguments(n *step, before names) names {
	if n.each != nil {
		before = n.each.names(before)
	}
	if n.wholeBoard {
		return before
	}
	args := noNames()
	args.failure = before.failure
	for _, b := range n.inputs {
		t, _, _ := b.path.on(before)
		if t.kinds == 0 && !b.path.optional {
			t = anything
		}
		args.set(b.name.text, t)
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
	if f.wiring.entry == nil || !f.initial.board(name).missing {
		return ""
	}
	seen := map[*step]bool{f.wiring.entry: true}
	for todo := []*step{f.wiring.entry}; len(todo) > 0; todo = todo[1:] {
		n := todo[0]
		without := f.before[n]
		without.set(name, absent)
		if n == to && (!atEnd || f.after(n, without).board(name).missing) {
			return f.told(name, n, atEnd, arrivals)
		}
		for _, l := range f.wiring.out[n] {
			if !seen[l.to] && f.through(n, l, without).board(name).missing {
				seen[l.to], arrivals[l.to] = true, arrival{from: n, link: l}
				todo = append(todo, l.to)
			}
		}
	}
	return ""
}

// told writes a way for a message.
func (f *flow) told(name string, last *step, atEnd bool, arrivals map[*step]arrival) string {
	var words []string
	sometimes := ""
	succeeded, what := atEnd, ""
	for n := last; n != nil; {
		words = append(words, n.id.text+what)
		if succeeded && n.kind == typeAgent && n.outputs == nil && f.output(n, f.before[n]).fields[name] != nil {
			sometimes = n.id.text
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
	const shown = 7
	if len(words) > shown {
		words = slices.Concat(words[:3], []string{"…"}, words[len(words)-3:])
	}
	if sometimes != "" {
		return fmt.Sprintf(": on the way %s, %s need not bring it, for its output does not require it", strings.Join(words, " -> "), quote(sometimes))
	}
	return fmt.Sprintf(": on the way %s nothing brings it", strings.Join(words, " -> "))
}

// on is the type of what is at a path on the blackboard, and from which of its parts on what can go wrong.
func (p path) on(known names) (t *valueType, at int, fault string) {
	if len(p.segments) == 0 {
		return known.object(), 0, ""
	}
	t = known.typ(p.segments[0])
	if t.kinds == 0 || t.missing && !p.optional {
		return t, 0, ""
	}
	return p.follow(t, 1)
}

// follow is the type of what the path leads to from its i-th part on, and what can go wrong at which part.
func (p path) follow(t *valueType, i int) (found *valueType, at int, fault string) {
	missing := t.missing
	for ; i < len(p.segments); i++ {
		s, parent := p.segments[i], strings.Join(p.segments[:i], ".")
		if parent == "" {
			parent = "."
		}
		if why := t.blocks(s, parent); why != "" {
			return absent, i, why
		}
		if t.kinds&^(objectKind|listKind) != 0 {
			if !t.open && !p.optional {
				return anything, i, fmt.Sprintf("%q may be %s, which holds no %q; end the path with ? if that is all right",
					parent, t.kinds&^(objectKind|listKind), s)
			}
			missing = missing || !t.open
		}
		next := t.child(s)
		switch {
		case next.kinds == 0:
			return absent, i, fmt.Sprintf("%q holds no %q%s", parent, s, nearest.Hint(s, t.names()))
		case next.missing && !p.optional:
			why := fmt.Sprintf("no schema requires it; end the path with ?, or put %s in required", s)
			if t.kinds&listKind != 0 {
				why = "the list may be shorter; end the path with ?, or give its schema minItems"
			}
			return next.present(), i, fmt.Sprintf("%q may be missing: %s", strings.Join(p.segments[:i+1], "."), why)
		}
		missing = missing || next.missing
		t = next.present()
	}
	if missing || p.optional && t.open {
		t = t.optional()
	}
	return t, 0, ""
}

// blocks says why nothing can be at a part of a path: its parent holds nothing by that name.
func (t *valueType) blocks(s, parent string) string {
	_, number := numberOfPart(s)
	switch {
	case t.never(objectKind | listKind):
		return fmt.Sprintf("%q is %s: it holds no %q", parent, t.kinds, s)
	case t.kinds&objectKind == 0 && !number && !t.open:
		return fmt.Sprintf("%q is a list: expected the number of an element, found %q", parent, s)
	}
	return ""
}

func numberOfPart(s string) (int, bool) {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > maxCount {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, s != ""
}

// child is the type of a member or element, by its part of a path.
func (t *valueType) child(s string) *valueType {
	i, number := numberOfPart(s)
	if t.kinds&listKind == 0 || !number && t.kinds&objectKind != 0 {
		return t.member(s)
	}
	element := orAnything(t.items)
	switch {
	case t.open:
		return element
	case i >= t.least:
		element = element.optional()
	}
	if t.kinds&objectKind == 0 {
		return element
	}
	return union(t.member(s), element)
}
