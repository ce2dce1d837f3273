package vet

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// nodes are the functions of the package that are given to Fermata as nodes, and those that they call outside of steps.
func (c *checker) nodes() map[*ssa.Function]bool {
	nodes := map[*ssa.Function]bool{}
	for _, fn := range c.order {
		for instr := range instructions(fn) {
			for _, given := range givenNodes(instr) {
				c.addNode(nodes, given)
			}
		}
	}
	return nodes
}

// addNode adds a function with the functions that it calls.
func (c *checker) addNode(nodes map[*ssa.Function]bool, fn *ssa.Function) {
	if fn == nil || nodes[fn] || len(fn.Blocks) == 0 {
		return
	}
	nodes[fn] = true
	for instr := range instructions(fn) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		c.addNode(nodes, source(call.Common().StaticCallee()))
		for _, lit := range callbacks(call.Common()) {
			c.addNode(nodes, lit)
		}
	}
}

// givenNodes are the functions that an instruction makes nodes of: it hands them to a function of an author's package,
// turns them into a type of one, or puts them into a struct of one.
func givenNodes(instr ssa.Instruction) []*ssa.Function {
	switch instr := instr.(type) {
	case *ssa.ChangeType:
		if isAuthors(instr.Type()) && takesNodeContext(instr.Type()) {
			return []*ssa.Function{literal(instr.X)}
		}
	case *ssa.Store:
		field, ok := instr.Addr.(*ssa.FieldAddr)
		if !ok || !takesNodeContext(instr.Val.Type()) {
			return nil
		}
		if p, ok := field.X.Type().Underlying().(*types.Pointer); ok && isAuthors(p.Elem()) {
			return []*ssa.Function{literal(instr.Val)}
		}
	case ssa.CallInstruction:
		fn := callee(instr.Common())
		if fn == nil || fn.Pkg() == nil || !slices.Contains(authors, fn.Pkg().Path()) {
			return nil
		}
		var all []*ssa.Function
		for _, arg := range instr.Common().Args {
			if takesNodeContext(arg.Type()) {
				all = append(all, literal(arg))
			}
		}
		return all
	}
	return nil
}

// authors are the packages that make plans of functions.
var authors = []string{module + "/graph", module + "/dataflow", module + "/dialogue", module + "/recipe", module + "/plan"}

func isAuthors(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && slices.Contains(authors, n.Obj().Pkg().Path())
}
