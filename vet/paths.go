package vet

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// paths says which instruction of a function can follow which.
type paths struct {
	fn    *ssa.Function
	reach []map[*ssa.BasicBlock]bool // by block: those that can come behind it, itself only in a loop
}

func newPaths(fn *ssa.Function) *paths {
	return &paths{fn: fn, reach: make([]map[*ssa.BasicBlock]bool, len(fn.Blocks))}
}

// from are the blocks that can come behind a block.
func (p *paths) from(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	if p.reach[b.Index] == nil {
		p.reach[b.Index] = reachable(b.Succs, nil)
	}
	return p.reach[b.Index]
}

// reachable are the blocks that can be come to from some, not going on behind one.
func reachable(from []*ssa.BasicBlock, end *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	seen := map[*ssa.BasicBlock]bool{}
	todo := append([]*ssa.BasicBlock(nil), from...)
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if b != end {
			todo = append(todo, b.Succs...)
		}
	}
	return seen
}

// follows reports whether b can come behind a.
func (p *paths) follows(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() && index(a) < index(b) {
		return true
	}
	return p.from(a.Block())[b.Block()]
}

// followsWithout reports whether c can come behind b while a does not happen once more.
func (p *paths) followsWithout(a, b, c ssa.Instruction) bool {
	if b.Block() == c.Block() && index(b) < index(c) && !(a.Block() == b.Block() && index(b) < index(a) && index(a) < index(c)) {
		return true
	}
	if a.Block() == b.Block() && index(b) < index(a) {
		return false
	}
	if !reachable(b.Block().Succs, a.Block())[c.Block()] {
		return false
	}
	return c.Block() != a.Block() || index(c) < index(a)
}

// loops reports whether an instruction can come again.
func (p *paths) loops(a ssa.Instruction) bool { return p.from(a.Block())[a.Block()] }

func index(instr ssa.Instruction) int {
	for i, other := range instr.Block().Instrs {
		if other == instr {
			return i
		}
	}
	return -1
}

// decides reports whether it depends on a branch which of the blocks are come to that hold the instruction.
func (p *paths) decides(branch *ssa.If, at ssa.Instruction) bool {
	b := branch.Block()
	yes, no := reachable(b.Succs[:1], b), reachable(b.Succs[1:], b)
	return yes[at.Block()] != no[at.Block()]
}

// onFailure reports whether a return comes only where an error is not nil.
func onFailure(ret *ssa.Return) bool {
	for d := ret.Block(); d != nil; d = d.Idom() {
		if len(d.Preds) != 1 {
			continue
		}
		branch, ok := d.Preds[0].Instrs[len(d.Preds[0].Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cond, ok := branch.Cond.(*ssa.BinOp)
		if !ok || !isError(cond.X.Type()) || !isNil(cond.Y) {
			continue
		}
		if cond.Op == token.NEQ && d.Preds[0].Succs[0] == d || cond.Op == token.EQL && d.Preds[0].Succs[1] == d {
			return true
		}
	}
	return false
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}
