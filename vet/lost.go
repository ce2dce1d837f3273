package vet

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// lost reports variables of a node that the function of a step sets and the node reads behind the step: a replay gets what the
// step returned, and does not call its function. Where the node sets the variable behind the step, too, nothing is said.
func (c *checker) lost(f *function) {
	for i := range f.events {
		e := &f.events[i]
		args := e.at.Common().Args
		if e.kind != "Step" || len(args) < 3 {
			continue
		}
		closure, ok := args[2].(*ssa.MakeClosure)
		if !ok {
			continue
		}
		for i, outer := range closure.Bindings {
			for _, set := range setIn(literal(closure), i) {
				c.lostAt(f, e, spot{outer, set.path}, set.at)
			}
		}
	}
}

// setting is where a literal sets a variable, or a part of it.
type setting struct {
	path string
	at   ssa.Instruction
}

// setIn is where a literal sets the variable that it has from outside as its i-th.
func setIn(fn *ssa.Function, i int) (all []setting) {
	if fn == nil || i >= len(fn.FreeVars) {
		return nil
	}
	for instr := range instructions(fn) {
		if store, ok := instr.(*ssa.Store); ok {
			if at := spotOf(store.Addr); at.root == fn.FreeVars[i] {
				all = append(all, setting{at.path, store})
			}
		}
	}
	return all
}

func (c *checker) lostAt(f *function, step *event, at spot, set ssa.Instruction) {
	read := false
	for instr := range instructions(f.fn) {
		switch instr := instr.(type) {
		case *ssa.Store:
			if overlap(spotOf(instr.Addr), at) && f.paths.follows(step.at, instr) {
				return
			}
		case *ssa.UnOp:
			read = read || instr.Op == token.MUL && overlap(spotOf(instr.X), at) && f.paths.follows(step.at, instr)
		case *ssa.MakeClosure:
			read = read || f.paths.follows(step.at, instr) && readsIn(instr, at)
		}
	}
	if !read {
		return
	}
	text := fmt.Sprintf("what %s sets here is not set when the node runs again: the step is recorded and its function is not called "+
		"(law J5), and it is read behind the step. Let the step return it", c.named(step))
	w := f.next(step.at, func(e *event) bool { return e.waits && e != step })
	c.report(finding{pos: set.Pos(), rule: ruleLost, advice: w == nil, text: text})
}

// readsIn reports whether a literal reads a part of a place.
func readsIn(closure *ssa.MakeClosure, at spot) bool {
	fn := literal(closure)
	for i, binding := range closure.Bindings {
		if binding == at.root && fn != nil && i < len(fn.FreeVars) && reads(fn, fn.FreeVars[i], at.path) {
			return true
		}
	}
	return false
}

// overlap reports whether two places are one, or one is a part of the other.
func overlap(a, b spot) bool {
	return a.root == b.root && (strings.HasPrefix(a.path, b.path) || strings.HasPrefix(b.path, a.path))
}
