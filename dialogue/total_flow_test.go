package dialogue_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/internal/expression"
)

// drawFlow draws the steps of a flow: each leads to later ones, but for loops that ask something.
func (g *dialogueDraw) drawFlow(i int) {
	f := g.flow
	f.doc["description"] = "Flow " + f.name
	if f.doc["hidden"] == nil {
		triggers := []any{"do " + f.name}
		for _, name := range slices.Sorted(maps.Keys(f.slots)) {
			if g.often(20) {
				triggers = append(triggers, fmt.Sprintf("do %s with {%s}", f.name, name))
			}
		}
		f.doc["trigger"] = triggers
	}
	n := 2 + g.below(6)
	g.nested, g.loop, g.sure = "s", false, make(map[string]bool)
	for name, s := range g.shared {
		g.begins(name, s)
	}
	for name, s := range f.slots {
		g.begins(name, s)
	}
	g.arrivals = make([]map[string]bool, n+1)
	g.arrivals[0] = g.sure
	f.doc["steps"] = g.sequence(n, i)
	if p := g.patterns(); len(p) > 0 && g.often(50) {
		f.doc["patterns"] = p
	}
}

// begins notes that a slot has a value from the beginning: one that is checked against others may not have it.
func (g *dialogueDraw) begins(name string, s *drawnSlot) {
	if s.initial && (s.doc["validate"] == nil || s.check.good != nil && s.check.text != "NAME <= balance" && s.check.text != "NAME or balance > 10") {
		g.sure[name] = true
	}
}

// sequence draws steps, one after the other.
func (g *dialogueDraw) sequence(n, flow int) []any {
	var steps []any
	for i := range n {
		if g.arrivals[i] == nil {
			continue
		}
		g.sure = maps.Clone(g.arrivals[i])
		steps = append(steps, g.step(i, n, flow))
	}
	return steps
}

// arrive notes a way to a step.
func (g *dialogueDraw) arrive(i int, sure map[string]bool) {
	if i >= len(g.arrivals) {
		return
	}
	if g.arrivals[i] == nil {
		g.arrivals[i] = maps.Clone(sure)
		return
	}
	maps.DeleteFunc(g.arrivals[i], func(name string, _ bool) bool { return !sure[name] })
}

// ahead is a later step, or an end.
func (g *dialogueDraw) ahead(i, n int, sure map[string]bool) string {
	to := i + 1 + g.below(n-i+1)
	switch {
	case to >= n:
		return drawOne(g, []string{"end", "stop"})
	case g.arrivals[to] == nil && to > i+1 && g.loop:
		return "end"
	}
	g.arrive(to, sure)
	return fmt.Sprint(g.nested, to)
}

// step draws a step; the one behind it follows, unless it says something else.
func (g *dialogueDraw) step(i, n, flow int) map[string]any {
	st := map[string]any{"id": fmt.Sprint(g.nested, i)}
	before := maps.Clone(g.sure)
	kinds := []string{"collect", "collect", "confirm", "confirm", "inform", "say", "action", "action", "set", "branch", "while", "call", "link"}
	kind := drawOne(g, kinds)
	if kind == "while" && g.loop || kind == "link" && (g.loop || i+1 < n && g.arrivals[i+1] == nil) {
		kind = "collect"
	}
	after := g.last == "confirm" && g.often(70) // what is done after a yes matters most
	if after {
		kind = "action"
	}
	g.last = kind
	g.use(kind)
	st["type"] = kind
	switch kind {
	case "collect":
		g.collect(st)
	case "confirm":
		st["message"] = "Sure? " + g.message()
		if g.often(50) {
			st["on_deny"] = g.denied(i, n)
		}
	case "inform", "say":
		st["message"] = "Note. " + g.message()
		if g.often(30) {
			st["wait_for_ack"] = true
		}
	case "action":
		g.action(st, after)
		if g.often(40) {
			if to := g.ahead(i, n-1, before); to != "end" && to != "stop" {
				st["on_error"] = to
			}
		}
	case "set":
		g.set(st)
	case "branch":
		g.branch(st, i, n)
	case "while":
		g.while(st, i, flow)
	case "call", "link":
		g.other(st, flow)
		if st["type"] == "link" { // and not what stands in its place where there is no further flow
			return st
		}
	}
	if i+1 < n && g.arrivals[i+1] != nil && g.often(25) && kind != "while" && st["default"] == nil {
		st["next"] = g.ahead(i, n, g.sure)
		return st
	}
	g.arrive(i+1, g.sure)
	return st
}

// denied is the step that follows a no: a later one, or an earlier one.
func (g *dialogueDraw) denied(i, n int) string {
	if g.often(30) {
		if back := g.below(i + 1); g.arrivals[back] != nil && !g.loop && g.keeps(g.arrivals[back]) {
			return fmt.Sprint(g.nested, back)
		}
	}
	return g.ahead(i, n, g.sure)
}

// keeps reports whether all names are sure here that are sure where a way leads back to.
func (g *dialogueDraw) keeps(before map[string]bool) bool {
	for name := range before {
		if !g.sure[name] {
			return g.slip(20)
		}
	}
	return true
}

func (g *dialogueDraw) collect(st map[string]any) {
	names := slices.Concat(slices.Sorted(maps.Keys(g.flow.slots)), sharedNames)
	name := drawOne(g, names)
	s := g.flow.slots[name]
	if s == nil {
		s = g.shared[name]
	}
	for _, other := range []string{"count", "limit", "who"} { // what it is checked against comes first
		if s.doc["validate"] != nil && s.check.good == nil && other != name && contains(s.check.text, other) && !g.sure[other] && !g.slip(20) {
			if has(g.flow.slots, other) || has(g.shared, other) {
				name = other
			}
		}
	}
	if s = g.flow.slots[name]; s == nil {
		s = g.shared[name]
	}
	if s.doc["validate"] != nil && s.check.good == nil && name == "count" && !g.sure["limit"] && contains(s.check.text, "limit") {
		name = "limit"
	}
	st["slot"], st["message"] = name, name+"? "+g.message()
	if g.loop && g.often(50) || g.often(5) {
		st["again"] = true
	}
	if g.often(20) {
		st["options"] = []any{"5", "small"}
	}
	if g.often(10) {
		st["metadata"] = map[string]any{"tone": "warm"}
	}
	g.sure[name] = true
}

// action draws a call of one of the actions of [outside].
func (g *dialogueDraw) action(st map[string]any, pays bool) {
	call := drawOne(g, []string{"look", "typed", "pay", "flaky", "own"})
	if pays {
		call = "pay"
	}
	st["call"] = call
	switch call {
	case "look":
		if g.often(50) {
			st["inputs"] = map[string]any{"x": g.expression(drawOne(g, []sort{numbers, texts, lists}), 1)}
		}
		if g.often(50) {
			st["outputs"] = map[string]any{"raw": drawOne(g, []string{".", "any"})}
			g.sure["raw"] = true
		}
	case "typed":
		st["inputs"] = map[string]any{"number": g.expression(numbers, 1)}
		members := map[string]string{"total": "sum", "note": "word", "fine": "good", "num": "sum", "word": "word", "flag": "good", "things": "list", "limit": "whole", "size": "size", "day": "day"}
		if !g.right {
			members["hour"], members["thing"] = "maybe", "maybe"
		}
		out := make(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if _, variable := variables[name]; g.often(25) && (variable || has(g.flow.slots, name) || has(g.shared, name)) {
				out[name] = members[name]
				g.sure[name] = true
			}
		}
		st["outputs"] = out
	case "pay":
		in := make(map[string]any)
		for name := range g.flow.slots {
			if g.isSure(name) {
				in[name] = name
			}
		}
		st["inputs"] = in
		g.use("payments")
	case "flaky":
		st["retries"] = g.below(3)
	case "own":
		st["outputs"] = map[string]any{"note": "."}
		g.sure["note"] = true
	}
	if g.often(10) {
		st["final"] = g.often(50)
	}
	if g.often(10) {
		st["timeout_seconds"] = 30
	}
}

// set draws values of slots and of variables.
func (g *dialogueDraw) set(st map[string]any) {
	all := maps.Clone(variables)
	delete(all, "raw")
	for name, s := range g.flow.slots {
		if s.sort != objects && name != "day" && name != "hour" && name != "moment" && name != "size" && name != "sizes" && name != "count" {
			all[name] = s.sort
		}
	}
	values := make(map[string]any)
	for range 1 + g.below(2) {
		name := drawOne(g, slices.Sorted(maps.Keys(all)))
		values[name] = g.given(name, all[name])
	}
	if len(values) > 1 { // their order is that of their names, and what the first writes the second reads
		for _, name := range slices.Sorted(maps.Keys(values)) {
			values[name] = g.given(name, all[name])
			g.sure[name] = true
		}
	}
	for name := range values {
		g.sure[name] = true
	}
	st["values"] = values
}

// given is an expression for what a step writes. One that is the same always is good for the slot.
func (g *dialogueDraw) given(name string, of sort) string {
	text := g.expression(of, 0)
	s := g.flow.slots[name]
	if s == nil || s.check.good == nil || g.slip(50) {
		return text
	}
	code, fault := expression.Compile(text)
	if fault != nil || len(code.Names()) > 0 {
		return text
	}
	if v, err := code.Result(expression.NewScope(nil, nil)); err != nil || s.check.good(plain(v)) {
		return text
	}
	return literals[of]
}

func (g *dialogueDraw) branch(st map[string]any, i, n int) {
	var cases []any
	mapping := make(map[string]any)
	for range 1 + g.below(2) {
		when, next := g.condition(0), g.ahead(i, n, g.sure)
		cases = append(cases, map[string]any{"when": when, "next": next})
		mapping[when] = next
	}
	if st["cases"] = cases; g.often(30) {
		st["cases"] = mapping
	}
	if g.often(40) && i+1 < n && g.arrivals[i+1] != nil {
		st["default"] = g.ahead(i, n, g.sure)
	}
}

// while draws a loop that asks in each round, or that counts.
func (g *dialogueDraw) while(st map[string]any, i, flow int) {
	st["when"] = g.condition(0)
	before, arrivals, nested := maps.Clone(g.sure), g.arrivals, g.nested
	g.nested, g.loop = fmt.Sprint("w", i, "_"), true
	n := 1 + g.below(2)
	g.arrivals = make([]map[string]bool, n+1)
	g.arrivals[0] = maps.Clone(before)
	steps := g.sequence(n, flow)
	g.arrivals, g.nested, g.loop, g.sure = arrivals, nested, false, before
	if g.right || g.often(80) {
		steps = append(steps, map[string]any{"id": fmt.Sprint("w", i, "_goes"), "type": "confirm", "message": "Go on?", "on_deny": "end"})
	}
	st["steps"] = steps
}

// other draws a call of another flow, most often of one further on.
func (g *dialogueDraw) other(st map[string]any, flow int) {
	to := g.flows[flow]
	if flow+1 < len(g.flows) {
		to = g.flows[flow+1+g.below(len(g.flows)-flow-1)]
	} else if !g.slip(20) {
		st["type"], st["message"] = "inform", "Nothing more. "+g.message()
		return
	}
	if g.slip(5) {
		to = drawOne(g, g.flows)
	}
	st["flow"] = to.name
	in := make(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(to.slots)) {
		if g.flow.slots[name] != nil && g.isSure(name) && g.often(60) {
			in[name] = name
		}
	}
	if len(in) > 0 {
		st["inputs"] = in
	}
	if st["type"] == "link" {
		return
	}
	out := make(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(to.slots)) {
		if g.loop && g.sure[name] && !g.slip(20) { // the next round counts on it
			continue
		}
		if s := g.flow.slots[name]; s != nil && g.often(40) && (s.optional || !to.slots[name].optional || g.slip(20)) {
			out[name] = name
			delete(g.sure, name)
		}
	}
	if len(out) > 0 {
		st["outputs"] = out
	}
}
