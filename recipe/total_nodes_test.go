package recipe_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// node draws a node with its agent. In a branch n is 0. It reports whether the node is a review, which leads elsewhere too.
func (g *generator) node(id string, i, n int) bool {
	switch c := g.below(20); {
	case c < 5:
		g.calculates(id, "")
	case c < 8:
		g.service(id, "")
	case c < 10:
		g.function(id, "")
	case c < 12:
		g.model(id, "")
	case c < 14:
		g.each(id)
	case c < 16:
		g.recipe(id, "")
	case c < 18 && n > 0:
		return g.reviews(id, i, n)
	default:
		g.asks(id, i, n)
	}
	return false
}

// calls writes a node that calls the agent of its own name; more is what else it says.
func (g *generator) calls(id, more string) {
	fmt.Fprintf(&g.nodes, "  - {type: agent, id: %s, agent_ref: %s%s}\n", id, id, more)
}

// given draws how an agent gets its arguments: all of the blackboard, or what inputs_map names; and what the agent says
// of them. It gives the place where the agent's expressions are.
func (g *generator) given(id string) (mapping string, args board) {
	args = g.board
	if g.often(25) {
		g.feature("inputs_map")
		args = board{kinds: g.kinds, sure: make(map[string]bool), maybe: make(map[string]bool), failed: g.failed}
		var parts []string
		for _, name := range g.names {
			switch from := g.from(name); {
			case from == "" || !g.often(60):
				continue
			case g.sure[from] || g.slip(10):
				parts = append(parts, name+": "+from)
				args.sure[name] = true
			case g.maybe[from]:
				parts = append(parts, fmt.Sprintf("%s: %q", name, from+"?"))
			default:
				continue
			}
			args.names, args.maybe[name] = append(args.names, name), true
		}
		mapping = fmt.Sprintf(", inputs_map: {%s}", strings.Join(parts, ", "))
	}
	return mapping, args
}

// from is the name of something of the same kind; "" for none.
func (g *generator) from(name string) string {
	want := inline(g.kinds[name].schema())
	var all []string
	for _, other := range g.names {
		if (g.maybe[other] || g.slip(3)) && (inline(g.kinds[other].schema()) == want || g.slip(3)) {
			all = append(all, other)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return oneOfList(g, all)
}

// takes draws what an agent says of its arguments.
func (g *generator) takes(args board) string {
	if !g.often(20) || len(args.names) == 0 {
		return ""
	}
	g.feature("input of agents")
	o := &kind{word: "object"}
	for _, name := range args.names {
		if args.maybe[name] && g.often(50) {
			o.members, o.types = append(o.members, name), append(o.types, g.kinds[name])
			o.required = append(o.required, args.sure[name] || g.slip(20))
		}
	}
	return ", input: " + inline(o.schema())
}

// taken draws what is taken from an output: all of it, or what outputs_map names. It gives what that brings.
func (g *generator) taken(out *kind) (mapping string, brings *kind) {
	if !g.often(25) {
		return "", out
	}
	g.feature("outputs_map")
	brings = &kind{word: "object", closed: true}
	var parts []string
	for i, m := range out.members {
		path, k, required := m, out.types[i], out.required[i]
		if len(k.members) > 0 && !(g.right && k.null) && g.often(50) {
			path, required, k = m+"."+k.members[0], required && k.required[0] && !k.null, k.types[0]
		}
		to := g.like(k)
		if to == "" || slices.Contains(brings.members, to) {
			continue
		}
		if !required && !g.slip(10) {
			path += "?"
		}
		parts = append(parts, fmt.Sprintf("%s: %q", to, path))
		brings.members, brings.types, brings.required = append(brings.members, to), append(brings.types, g.kinds[to]), append(brings.required, required)
	}
	return fmt.Sprintf(", outputs_map: {%s}", strings.Join(parts, ", ")), brings
}

// like is a name of the kind that agents give here; "" for none.
func (g *generator) like(k *kind) string {
	var all []string
	for _, name := range g.letters {
		if inline(g.kinds[name].schema()) == inline(k.schema()) || g.slip(3) {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return oneOfList(g, all)
}

// within draws with another place in the place of this one.
func (g *generator) within(args board, draw func()) {
	own := g.board
	g.board = args
	g.sure, g.maybe = maps.Clone(args.sure), maps.Clone(args.maybe)
	draw()
	g.board = own
}

// calculates draws an agent of expressions. each is what the node says of for_each; then what the agent gives is
// collected, and not brought.
func (g *generator) calculates(id, each string) *kind {
	mapping, args := g.given(id)
	out := g.some(1)
	takes := g.takes(args)
	fmt.Fprintf(&g.agents, "  %s:\n    kind: expr%s\n    set:\n", id, strings.ReplaceAll(takes, ", input", "\n    input"))
	g.within(args, func() {
		for i, name := range out.members {
			fmt.Fprintf(&g.agents, "      %s: %q\n", name, g.expression(out.types[i], 0))
			out.required[i] = true
			if !slices.Contains(g.names, name) {
				g.names = append(slices.Clone(g.names), name)
			}
			g.sure[name], g.maybe[name] = true, true
		}
	})
	return g.finish(id, each, mapping, out)
}

// finish writes the node of an agent that gives something.
func (g *generator) finish(id, each, mapping string, out *kind) *kind {
	if each != "" {
		g.calls(id, mapping+each)
		return out
	}
	taken, brings := g.taken(out)
	g.calls(id, mapping+taken)
	g.brings(brings)
	return out
}

func (g *generator) service(id, each string) *kind {
	g.feature("http agents")
	mapping, args := g.given(id)
	out := g.some(1)
	g.d.services[id] = out
	fmt.Fprintf(&g.agents, "  %s: {kind: http, url: %q, output: %s%s}\n", id, g.d.url+"/"+id, inline(out.schema()), g.takes(args))
	return g.finish(id, each, mapping, out)
}

// function draws a Go function, of which the recipe says nothing: what it gives is taken where the state says what it is.
func (g *generator) function(id, each string) *kind {
	out := &kind{word: "object", closed: true}
	var parts []string
	for _, name := range g.letters {
		if g.state[name] != nil && g.often(70) {
			out.members, out.types, out.required = append(out.members, name), append(out.types, g.kinds[name]), append(out.required, true)
			parts = append(parts, name+": "+name)
		}
	}
	if len(parts) == 0 {
		return g.service(id, each)
	}
	g.feature("Go agents")
	g.d.services[id], g.d.functions[id] = out, true
	if each != "" {
		g.calls(id, each)
		return nil // whose elements may be anything
	}
	g.calls(id, fmt.Sprintf(", outputs_map: {%s}", strings.Join(parts, ", ")))
	g.brings(out)
	return out
}

// model draws a model that says what is written down.
func (g *generator) model(id, each string) *kind {
	g.feature("model agents")
	mapping, args := g.given(id)
	out, output := g.some(1), ""
	said := out.value(rand.New(rand.NewPCG(uint64(g.below(1000)), 1)))
	if g.often(30) {
		out, said = &kind{word: "string"}, "Yes."
	} else {
		output = ", output: " + inline(out.schema())
	}
	file := id + ".turns.yaml"
	g.d.files[file] = "turns: " + inline(slices.Repeat([]any{map[string]any{"output": said}}, 3))
	if out.word == "string" {
		g.d.files[file] = "turns: [Yes, Yes, Yes]"
	}
	prompt := ""
	g.within(args, func() { prompt = "Well {{ " + g.expression(&kind{word: "string"}, 1) + " }}?" })
	fmt.Fprintf(&g.agents, "  %s: {kind: model, model: \"scripted:%s\", prompt: %q%s}\n", id, file, prompt, output)
	if out.word != "string" {
		return g.finish(id, each, mapping, out)
	}
	g.calls(id, mapping+each)
	if each == "" {
		g.leaves(id, out)
	}
	return out
}

// recipe draws a recipe within this one, which knows the same names.
func (g *generator) recipe(id, each string) *kind {
	if g.depth >= 2 {
		return g.calculates(id, each)
	}
	g.feature("recipes within")
	inner := &generator{t: g.t, right: g.right, careless: g.careless, d: g.d, depth: g.depth + 1}
	inner.kinds = maps.Clone(g.kinds)
	g.d.count++
	inner.id = fmt.Sprintf("s%d", g.d.count)
	among := []string{}
	for _, name := range boardNames {
		if g.sure[name] || g.slip(15) {
			among = append(among, name)
		}
	}
	text, inputs, out := inner.draw(among)
	file := inner.id + ".yaml"
	g.d.files[file] = text
	fmt.Fprintf(&g.agents, "  %s: {kind: recipe, file: %s}\n", id, file)
	mapping := g.hands(inputs)
	if len(out.members) > 0 {
		for i := range out.members {
			out.required[i] = true // or there is a default
		}
		if each == "" && slices.ContainsFunc(out.members, func(m string) bool { return !slices.Contains(g.letters, m) }) {
			return g.apart(id, mapping, out)
		}
		return g.finish(id, each, mapping, out)
	}
	if each == "" {
		mapping += ", outputs_map: {}" // it gives its whole blackboard
	}
	g.calls(id, mapping+each)
	return nil
}

// apart writes the node of a recipe that gives more than may be brought here: what it gives comes under names of the
// node's own.
func (g *generator) apart(id, mapping string, out *kind) *kind {
	var parts []string
	for i, m := range out.members {
		to := id + m
		parts = append(parts, to+": "+m)
		g.leaves(to, out.types[i])
	}
	g.calls(id, fmt.Sprintf("%s, outputs_map: {%s}", mapping, strings.Join(parts, ", ")))
	return out
}

// hands draws how a recipe within this one gets its inputs.
func (g *generator) hands(inputs *kind) string {
	if !g.often(50) {
		return ""
	}
	var parts []string
	for i, name := range inputs.members {
		from := g.from(name)
		for tries := 0; tries < 5 && (from == "" || !g.sure[from]) && !g.slip(10); tries++ {
			from = g.from(name)
		}
		switch {
		case from == "" || !g.sure[from] && !g.slip(20):
			if !inputs.required[i] {
				continue
			}
			from = name
		case !inputs.required[i] && g.often(50):
			from += "?"
		}
		if g.kinds[from] != nil && len(g.kinds[from].members) > 0 && g.slip(10) {
			from += "." + g.kinds[from].members[0]
		}
		parts = append(parts, fmt.Sprintf("%s: %q", name, from))
	}
	g.feature("inputs_map of recipes")
	return fmt.Sprintf(", inputs_map: {%s}", strings.Join(parts, ", "))
}

// each draws a node that calls its agent for each element of a list, or each entry of an object.
func (g *generator) each(id string) {
	list := ""
	for range 6 {
		if name := oneOfList(g, g.names); (g.kinds[name].word == "array" || g.kinds[name].word == "object") && (g.maybe[name] || g.slip(3)) {
			list = name
			break
		}
	}
	if list == "" {
		g.service(id, "")
		return
	}
	k, path := g.kinds[list], list
	if !(g.sure[list] && !k.null) && !g.slip(30) {
		path += "?"
	}
	item := k.items
	if k.word == "object" {
		g.feature("for_each over objects")
		item = nil
	}
	each := fmt.Sprintf(", for_each: {in: %q, as: it, index: nth", path)
	if g.often(50) {
		each += fmt.Sprintf(", limit: %d", 1+g.below(3))
	}
	keep := g.often(30)
	if keep {
		g.feature("on_error: keep")
		each += ", on_error: keep"
	}
	each += "}"
	g.feature("for_each")
	mapped := g.often(40)
	if mapped {
		each += fmt.Sprintf(", outputs_map: {%sr: results, %se: errors}", id, id)
	}
	args := g.board
	args.kinds, args.sure, args.maybe = maps.Clone(g.kinds), maps.Clone(g.sure), maps.Clone(g.maybe)
	args.names, args.failed = append(slices.Clone(g.names), "nth"), false
	args.kinds["nth"], args.sure["nth"], args.maybe["nth"] = &kind{word: "integer"}, true, true
	if item != nil {
		args.names = append(args.names, "it")
		args.kinds["it"], args.sure["it"], args.maybe["it"] = item, true, true
	}
	var out *kind
	g.within(args, func() {
		agents := []func(id, each string) *kind{g.calculates, g.calculates, g.service, g.function, g.model, g.recipe}
		out = oneOfList(g, agents)(id, each)
	})
	results, failures := id, ""
	if mapped {
		results, failures = id+"r", id+"e"
	}
	if out != nil { // else elements may be anything
		collected := *out
		collected.null = collected.null || keep
		g.leaves(results, &kind{word: "array", items: &collected})
	}
	if mapped {
		g.leaves(failures, &kind{word: "array", items: &kind{
			word: "object", members: []string{"index", "message"}, types: []*kind{{word: "integer"}, {word: "string"}}, required: []bool{true, true},
		}})
	}
}

// asks draws a person who is asked for a value, one of some texts, or any text.
func (g *generator) asks(id string, i, n int) {
	answer, form := &kind{word: "string"}, ""
	switch g.below(4) {
	case 0:
		g.feature("options")
		answer.enum, form = []string{"x", "y"}, ", options: [x, y]"
	case 1:
	default:
		answer = g.kind(1)
		form = ", response: " + inline(answer.schema())
	}
	mapping := ""
	if g.often(20) {
		mapping, _ = g.given(id)
	}
	before := g.ways()
	deadline := g.deadline(answer, i, n, before)
	fmt.Fprintf(&g.nodes, "  - {type: human, id: %s, prompt: %q%s%s%s}\n", id, g.prompt(), form, mapping, deadline)
	g.leaves(id, answer)
}

func (g *generator) prompt() string {
	return "Well {{ " + g.expression(&kind{word: "string"}, 1) + " }}?"
}

// deadline draws what happens when nobody answers; answer is nil for reviews.
func (g *generator) deadline(answer *kind, i, n int, before ways) string {
	if !g.often(35) {
		return ""
	}
	g.feature("deadlines")
	text := ", timeout_seconds: 60"
	if g.often(25) {
		g.feature("escalations")
		return text + ", on_timeout: {escalate: boss, timeout_seconds: 60" + g.outcome(answer, i, n, before) + "}"
	}
	return text + g.outcome(answer, i, n, before)
}

func (g *generator) outcome(answer *kind, i, n int, before ways) string {
	switch c := g.below(4); {
	case c == 0:
		return ", on_timeout: fail"
	case c == 1:
		var v any = oneOfList(g, []string{"approve", "reject"})
		if answer != nil {
			v = answer.value(rand.New(rand.NewPCG(uint64(g.below(1000)), 1)))
		}
		return ", on_timeout: {answer: " + inline(v) + "}"
	case c == 2 && i+1 < n:
		to := i + 1 + g.below(n-i-1)
		g.arrive(to, before)
		return fmt.Sprintf(", on_timeout: {route: %sn%d}", g.id, to)
	}
	return ""
}

// reviews draws a person who looks at a value; where nothing is there to look at, one who is asked. It reports whether it
// is a review.
func (g *generator) reviews(id string, i, n int) bool {
	path := ""
	for range 6 {
		name := oneOfList(g, g.names)
		if !g.sure[name] && !g.slip(10) {
			continue
		}
		path = name
		if k := g.kinds[name]; len(k.members) > 0 && k.required[0] && !k.null && g.often(40) {
			path += "." + k.members[0]
		}
		break
	}
	if path == "" {
		g.asks(id, i, n)
		return false
	}
	g.feature("reviews")
	before := g.ways()
	actions := []string{"approve"}
	more, back := "", -1
	root, _, _ := strings.Cut(path, ".")
	if schema := inline(g.kinds[root].schema()); g.often(40) || g.right && g.state[root] == nil && (strings.Contains(schema, "enum") || strings.Contains(schema, "minItems")) {
		more += ", edit: false" // else it may be edited to what is no more of the few, and to fewer
	} else {
		g.feature("edits")
		actions = append(actions, "edit")
	}
	actions = append(actions, "reject")
	if g.often(40) {
		for j := range i + 1 {
			if !g.lacks(g.arrivals[j]) && (g.often(50) || j == i) {
				back = j
			}
		}
	}
	if back >= 0 {
		g.feature("sent back")
		actions = append(actions, "send_back")
		more += fmt.Sprintf(", send_back: %sn%d", g.id, back)
	}
	deadline := g.deadline(nil, i, n, before)
	prompt := g.prompt()
	g.leaves(id, &kind{
		word: "object", closed: true, members: []string{"action", "note"},
		types: []*kind{{word: "string", enum: actions}, {word: "string"}}, required: []bool{true, true},
	})
	if i+1 < n && g.often(50) {
		to := i + 1 + g.below(n-i-1)
		more += fmt.Sprintf(", reject: %sn%d", g.id, to)
		g.arrive(to, g.ways())
	} else {
		g.end(g.ways())
	}
	if back >= 0 {
		g.arrive(back, g.ways())
	}
	fmt.Fprintf(&g.nodes, "  - {type: human, id: %s, prompt: %q, review: {value: %s%s}%s}\n", id, prompt, path, more, deadline)
	return true
}

// lacks says whether a place has names that are not there here.
func (g *generator) lacks(w ways) bool {
	for name, is := range w.sure {
		if is && !g.sure[name] {
			return !g.slip(10)
		}
	}
	return false
}
