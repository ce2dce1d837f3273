package vet

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// spot is a place in memory, as far as it shows: a variable and the fields that lead to it.
type spot struct {
	root ssa.Value
	path string // ".2.0"; "" is all of it
}

// carried is where a value goes within a function.
type carried struct {
	values map[ssa.Value]bool
	spots  map[spot]bool
	// plain has the value go on through operators whose result does not depend on an order, such as sums.
	plain bool
}

// follow follows values through a function: through operators, variables, fields, and calls of the standard library.
func (c *checker) follow(fn *ssa.Function, from ...ssa.Value) *carried { return follow(fn, true, from) }

func follow(fn *ssa.Function, plain bool, from []ssa.Value) *carried {
	k := &carried{values: map[ssa.Value]bool{}, spots: map[spot]bool{}, plain: plain}
	for _, v := range from {
		k.values[v] = true
	}
	k.spread(fn)
	return k
}

func (k *carried) spread(fn *ssa.Function) {
	for changed := true; changed; {
		changed = false
		for instr := range instructions(fn) {
			changed = k.step(instr) || changed
		}
	}
}

// step carries the values through one instruction and reports whether that was new.
func (k *carried) step(instr ssa.Instruction) bool {
	if store, ok := instr.(*ssa.Store); ok {
		at := spotOf(store.Addr)
		if !k.carries(store.Val) || k.spots[at] {
			return false
		}
		k.spots[at] = true
		return true
	}
	v, ok := instr.(ssa.Value)
	if !ok || k.values[v] || !k.through(v) || never(v.Type()) {
		return false
	}
	k.values[v] = true
	return true
}

// never reports whether values of a type are not followed: contexts and errors are no data of the run.
func never(t types.Type) bool {
	if isError(t) || isNodeContext(t) {
		return true
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context"
}

func (k *carried) through(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return k.holds(spotOf(v.X))
		}
		return k.carries(v.X)
	case *ssa.BinOp:
		if isNil(v.X) || isNil(v.Y) {
			return false
		}
		text, _ := v.Type().Underlying().(*types.Basic)
		return (k.plain || text != nil && text.Info()&types.IsString != 0) && (k.carries(v.X) || k.carries(v.Y))
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, k.carries)
	case *ssa.Slice:
		return k.carries(v.X) || k.within(spotOf(v.X))
	case *ssa.Extract:
		return k.carries(v.Tuple)
	case *ssa.Lookup:
		return k.carries(v.X)
	case *ssa.Call:
		return k.throughCall(v)
	case *ssa.Convert, *ssa.ChangeType, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.TypeAssert, *ssa.Field, *ssa.Index,
		*ssa.Range, *ssa.Next:
		return k.carries(*v.(ssa.Instruction).Operands(nil)[0])
	}
	return false
}

func (k *carried) throughCall(call *ssa.Call) bool {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		return (builtin.Name() == "append" || k.plain && (builtin.Name() == "min" || builtin.Name() == "max")) &&
			slices.ContainsFunc(common.Args, k.carries)
	}
	fn := callee(common)
	if fn == nil || fn.Pkg() == nil || !isStandard(fn.Pkg().Path()) && !isID(fn) && !strings.HasSuffix(fn.Pkg().Path(), "/uuid") {
		return false
	}
	if common.IsInvoke() {
		return k.carries(common.Value)
	}
	return slices.ContainsFunc(common.Args, func(arg ssa.Value) bool {
		_, pointer := arg.Type().Underlying().(*types.Pointer)
		return k.carries(arg) || pointer && k.within(spotOf(arg))
	})
}

// isStandard reports whether a package is of the standard library.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && slices.Contains([]string{
		"fmt", "strings", "strconv", "time", "bytes", "slices", "maps", "math", "encoding", "sort", "unicode", "path", "cmp", "crypto", "hash",
	}, first)
}

func (k *carried) carries(v ssa.Value) bool { return v != nil && k.values[v] }

// holds reports whether all of a place holds the value: it, or something that it is a part of.
func (k *carried) holds(s spot) bool {
	if k.values[s.root] {
		return true
	}
	for at := range k.spots {
		if at.root == s.root && (s.path == at.path || strings.HasPrefix(s.path, at.path+".")) {
			return true
		}
	}
	return false
}

// within reports whether a place, or any part of it, holds the value.
func (k *carried) within(s spot) bool {
	if k.holds(s) {
		return true
	}
	for at := range k.spots {
		if at.root == s.root && strings.HasPrefix(at.path, s.path) {
			return true
		}
	}
	return false
}

// contains reports whether a value is or has in it what is followed.
func (k *carried) contains(v ssa.Value) bool {
	if k.carries(v) {
		return true
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.Op == token.MUL && k.within(spotOf(v.X))
	case *ssa.MakeInterface:
		return k.contains(v.X)
	case *ssa.Alloc:
		return k.within(spot{root: v})
	}
	return false
}

// spotOf is the place that an address is of.
func spotOf(addr ssa.Value) spot {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		s := spotOf(a.X)
		return spot{s.root, s.path + "." + strconv.Itoa(a.Field)}
	case *ssa.IndexAddr:
		return spotOf(a.X)
	}
	return spot{root: addr}
}

// outlives reports whether a place is not the function's own: a field behind a pointer that it was given.
func outlives(s spot) bool {
	_, given := s.root.(*ssa.Parameter)
	return given
}
