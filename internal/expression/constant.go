package expression

import (
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"
)

// children are the parts of a part of an expression.
func children(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.ChainNode:
		return []ast.Node{n.Node}
	case *ast.MemberNode:
		return []ast.Node{n.Node, n.Property}
	case *ast.UnaryNode:
		return []ast.Node{n.Node}
	case *ast.BinaryNode:
		return []ast.Node{n.Left, n.Right}
	case *ast.ConditionalNode:
		return []ast.Node{n.Cond, n.Exp1, n.Exp2}
	case *ast.SliceNode:
		return slices.DeleteFunc([]ast.Node{n.Node, n.From, n.To}, func(n ast.Node) bool { return n == nil })
	case *ast.CallNode:
		return n.Arguments
	case *ast.BuiltinNode:
		return n.Arguments
	case *ast.PredicateNode:
		return []ast.Node{n.Node}
	case *ast.VariableDeclaratorNode:
		return []ast.Node{n.Value, n.Expr}
	case *ast.SequenceNode:
		return n.Nodes
	case *ast.ArrayNode:
		return n.Nodes
	case *ast.MapNode:
		return n.Pairs
	case *ast.PairNode:
		return []ast.Node{n.Key, n.Value}
	}
	return nil
}

// maxUnfolded is how many parts an expression may have where each counts as often as it is calculated: a chain of
// comparisons (1 < n < 3) holds what is in its middle twice, and chains can lie in each other.
const maxUnfolded = 10 * maxParts

// unfolded counts the parts; counted are those that were counted before.
func unfolded(n ast.Node, counted map[ast.Node]int) int {
	if size, ok := counted[n]; ok {
		return size
	}
	size := 1
	for _, part := range children(n) {
		size = min(size+unfolded(part, counted), maxUnfolded+1)
	}
	counted[n] = size
	return size
}

// constant reports whether a part reads nothing but what it names itself, so that its value is the same in every run.
func constant(n ast.Node) bool { return closed(n, nil, 0) }

func closed(n ast.Node, bound []string, loops int) bool {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return slices.Contains(bound, n.Value)
	case *ast.PointerNode:
		return loops > 0
	case *ast.PredicateNode:
		return closed(n.Node, bound, loops+1)
	case *ast.VariableDeclaratorNode:
		return closed(n.Value, bound, loops) && closed(n.Expr, append(slices.Clip(bound), n.Name), loops)
	}
	return !slices.ContainsFunc(children(n), func(part ast.Node) bool { return !closed(part, bound, loops) })
}

// Bounds of what is calculated when a recipe is loaded: where a constant takes more, it is left for the run.
const (
	maxFoldedTurns = 10_000
	maxFoldedBytes = 1 << 20
)

// folded is the type of a part whose value is the same in every run: of that value. Where it cannot be calculated, that is
// an error now. t is what is known of the part without.
func (in *inference) folded(n ast.Node, t *Type, m mode) *Type {
	code, fault := assemble(n, in.source, m, false)
	if fault != nil {
		return t // reported with the whole
	}
	s := NewScope(map[string]any{}, nil)
	s.turns, s.made = maxTurns-maxFoldedTurns, maxMade-maxFoldedBytes
	v, err := vm.Run(code.program, s)
	if err != nil {
		if s.turns > maxTurns || s.made > maxMade {
			return t
		}
		offset, why := code.explained(err, s)
		at := nodeAt(n, offset)
		return in.fault(at, "%s fails in every run: %v", written(at), why)
	}
	number, fraction := v.(float64)
	v, err = kept(v)
	switch {
	case err == nil && fraction:
		in.shaped = true
		return typeOfNumber(number)
	case err != nil && in.compares > 0:
		return t // an infinite number can be compared
	case err != nil:
		return in.fault(n, "%s fails in every run: %v", written(n), err)
	}
	return typeOfConstant(v, t)
}

// typeOfConstant is the type of a value that is always the same; t is what is known of it without.
func typeOfConstant(v any, t *Type) *Type {
	switch kindOfValue(v) {
	case BoolKind: // a condition may say outright what it always is
		return Plain(BoolKind).With(func(u *Type) { u.fixed = []any{v} })
	case ListKind, ObjectKind:
		return t.With(func(u *Type) { u.fixed = []any{v} })
	}
	return typeOfValues(v)
}

// calculated reports whether a part is no value as it stands, and is the same in every run.
func (in *inference) calculated(n ast.Node) bool {
	switch n.(type) {
	case *ast.UnaryNode, *ast.BinaryNode, *ast.ConditionalNode, *ast.SliceNode, *ast.CallNode, *ast.BuiltinNode,
		*ast.VariableDeclaratorNode, *ast.SequenceNode, *ast.ArrayNode, *ast.MapNode, *ast.MemberNode, *ast.ChainNode:
	default:
		return false
	}
	is, asked := in.constant[n]
	if !asked {
		if in.constant == nil {
			in.constant = make(map[ast.Node]bool)
		}
		is = constant(n)
		in.constant[n] = is
	}
	return is
}
