package expression

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
)

// The language gives nil for a name that is not there, and loops without a bound. A rewriter replaces what it reads
// by calls of functions that are strict about names (see scope), and lets every loop count its turns.

// mode says what a name that is not there gives.
type mode bool

const (
	strict  mode = false // an error
	lenient mode = true  // nil: left of ?? and ?., and where it is compared to nil
)

// The functions that rewritten expressions call. Their names cannot be written in an expression.
const (
	callName  = "·name"
	callField = "·field"
	callTurn  = "·turn"
	callAdd   = "·add"
	callWeigh = "·weigh"
)

type rewritten struct {
	node ast.Node
	mode mode
}

type rewriter struct {
	bound  []string               // names that let has declared, innermost last
	names  []nameUse              // names of the blackboard that were read
	err    *Fault                 // the first problem; nil for none
	early  int                    // how many parts are calculated before the loop that they begin
	done   map[rewritten]ast.Node // comparison chains share parts of the tree
	guards bool                   // a guard stands before each operator and function
}

func (w *rewriter) fail(at ast.Node, format string, args ...any) ast.Node {
	if w.err == nil {
		w.err = &Fault{Offset: at.Location().From, Message: fmt.Sprintf(format, args...)}
	}
	return at
}

func (w *rewriter) rewrite(n ast.Node, m mode) ast.Node {
	if n == nil {
		return nil
	}
	key := rewritten{n, m}
	if out, ok := w.done[key]; ok && len(w.bound) == 0 {
		return out
	}
	out := w.replace(n, m)
	if out != n {
		out.SetLocation(n.Location())
	}
	w.done[key] = out
	return out
}

func (w *rewriter) all(nodes []ast.Node) []ast.Node {
	out := make([]ast.Node, len(nodes))
	for i, n := range nodes {
		out[i] = w.rewrite(n, strict)
	}
	return out
}

func (w *rewriter) replace(n ast.Node, m mode) ast.Node {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return w.identifier(n, m)
	case *ast.ChainNode:
		return w.rewrite(n.Node, m)
	case *ast.MemberNode:
		return w.member(n, m)
	case *ast.UnaryNode:
		k := BoolKind
		switch n.Operator {
		case "-":
			k = NumberKind
		case "+":
			return &ast.UnaryNode{Operator: n.Operator, Node: w.rewrite(n.Node, strict)} // which does nothing
		}
		return &ast.UnaryNode{Operator: n.Operator, Node: w.want(n, w.rewrite(n.Node, strict), k, n.Operator)}
	case *ast.BinaryNode:
		return w.binary(n)
	case *ast.SliceNode:
		return &ast.SliceNode{
			Node: w.want(n, w.rewrite(n.Node, strict), ListKind|TextKind, "[from:to]"),
			From: w.want(n, w.rewrite(n.From, strict), NumberKind, "[from:to]"),
			To:   w.want(n, w.rewrite(n.To, strict), NumberKind, "[from:to]"),
		}
	case *ast.CallNode:
		return w.call(n)
	case *ast.BuiltinNode:
		return weighed(n, w.listing(n, n.Name, w.inPlace(n, w.all(n.Arguments))))
	case *ast.PredicateNode:
		// body becomes: turn() ? body : nil. turn is true, or an error once the loops have turned too often.
		return &ast.PredicateNode{Node: &ast.ConditionalNode{
			Cond: call(callTurn, &ast.IdentifierNode{Value: "$env"}),
			Exp1: w.rewrite(n.Node, strict),
			Exp2: &ast.NilNode{},
		}}
	case *ast.VariableDeclaratorNode:
		value := w.rewrite(n.Value, strict)
		w.bound = append(w.bound, n.Name)
		body := w.rewrite(n.Expr, strict)
		w.bound = w.bound[:len(w.bound)-1]
		return &ast.VariableDeclaratorNode{Name: n.Name, Value: value, Expr: body}
	case *ast.SequenceNode:
		return &ast.SequenceNode{Nodes: w.all(n.Nodes)}
	case *ast.ConditionalNode:
		return &ast.ConditionalNode{
			Ternary: n.Ternary, Cond: w.want(n, w.rewrite(n.Cond, strict), BoolKind, "a choice ( ? : )"), Exp1: w.rewrite(n.Exp1, m), Exp2: w.rewrite(n.Exp2, m),
		}
	case *ast.ArrayNode:
		return w.listing(n, "[]", &ast.ArrayNode{Nodes: w.all(n.Nodes)})
	case *ast.MapNode:
		return w.listing(n, "{}", &ast.MapNode{Pairs: w.all(n.Pairs)})
	case *ast.PairNode:
		return &ast.PairNode{Key: w.want(n, w.rewrite(n.Key, strict), TextKind, "the name of a member"), Value: w.rewrite(n.Value, strict)}
	}
	return n // constants, and # in a loop
}

func call(name string, args ...ast.Node) *ast.CallNode {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args}
}

// weighed counts what a call makes against what an expression may make in all.
func weighed(at, made ast.Node) ast.Node {
	made.SetLocation(at.Location())
	return call(callWeigh, &ast.IdentifierNode{Value: "$env"}, made)
}

func (w *rewriter) identifier(n *ast.IdentifierNode, m mode) ast.Node {
	switch {
	case slices.Contains(w.bound, n.Value):
		return n
	case n.Value == "$env":
		return w.fail(n, `$env stands for the blackboard and is read by name: $env["a-name"]`)
	}
	return w.name(n, n.Value, m)
}

// name reads a name of the blackboard.
func (w *rewriter) name(at ast.Node, name string, m mode) ast.Node {
	if use := (nameUse{name, at.Location().From}); !slices.Contains(w.names, use) {
		w.names = append(w.names, use)
	}
	return call(callName, &ast.IdentifierNode{Value: "$env"}, &ast.StringNode{Value: name}, &ast.BoolNode{Value: bool(m)})
}

// member reads a field or an element. Once a chain has a ?. in it, all that follows may be missing too.
func (w *rewriter) member(n *ast.MemberNode, m mode) ast.Node {
	key, named := n.Property.(*ast.StringNode)
	if env, ok := n.Node.(*ast.IdentifierNode); ok && env.Value == "$env" {
		if !named {
			return w.fail(n, `$env is read by name: $env["a-name"]`)
		}
		return w.name(n, key.Value, m || mode(n.Optional))
	}
	if n.Optional || optionalChain(n.Node) {
		m = lenient
	}
	base, property := w.rewrite(n.Node, m), w.rewrite(n.Property, strict)
	return call(callField, base, property, &ast.StringNode{Value: pathOf(n.Node)}, &ast.BoolNode{Value: bool(m)})
}

func optionalChain(n ast.Node) bool {
	for {
		switch t := n.(type) {
		case *ast.ChainNode:
			n = t.Node
		case *ast.MemberNode:
			if t.Optional {
				return true
			}
			n = t.Node
		default:
			return false
		}
	}
}

// pathOf writes a chain of names as a path, for messages.
func pathOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value
	case *ast.PointerNode:
		return "#" + n.Name
	case *ast.ChainNode:
		return pathOf(n.Node)
	case *ast.MemberNode:
		base := pathOf(n.Node)
		switch p := n.Property.(type) {
		case *ast.StringNode:
			if base == "$env" {
				return p.Value
			}
			return document.Join(base, p.Value)
		case *ast.IntegerNode:
			return fmt.Sprintf("%s[%d]", base, p.Value)
		}
		return base + "[" + written(n.Property) + "]"
	}
	return written(n)
}

// written is a part of an expression as it could be written, where it is short.
func written(n ast.Node) string {
	const shown = 40
	if text := n.String(); len(text) <= shown {
		return text
	}
	return "…"
}

func (w *rewriter) binary(n *ast.BinaryNode) ast.Node {
	left, right := strict, strict
	switch n.Operator {
	case "??":
		left = lenient
	case "==", "!=":
		left, right = mode(isNil(n.Right)), mode(isNil(n.Left))
	}
	l, r := w.rewrite(n.Left, left), w.rewrite(n.Right, right)
	if n.Operator == "+" {
		return weighed(n, call(callAdd, l, r))
	}
	if w.guards {
		return w.guardedBinary(n, l, r)
	}
	return &ast.BinaryNode{Operator: n.Operator, Left: l, Right: r}
}

// call checks that a function exists. Values have no methods.
func (w *rewriter) call(n *ast.CallNode) ast.Node {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return w.fail(n, "values have no functions of their own; call a function by its name: len(items), not items.len()")
	}
	if _, own := ownFunctions[callee.Value]; own {
		return weighed(n, &ast.CallNode{Callee: callee, Arguments: w.all(n.Arguments)})
	}
	if slices.Contains(noClock, callee.Value) {
		return w.fail(n, "there is no function %s: expressions have no clock; let an agent read the time", callee.Value)
	}
	return w.fail(n, "there is no function %q%s", callee.Value, nearest.Hint(callee.Value, functionNames()))
}

// functionNames are the functions that expressions have.
func functionNames() []string {
	list := make([]string, 0, len(builtin.Names)+len(ownFunctions))
	for _, name := range slices.Concat(builtin.Names, slices.Collect(maps.Keys(ownFunctions))) {
		if !slices.Contains(noClock, name) && !strings.HasPrefix(name, "·") {
			list = append(list, name)
		}
	}
	return list
}

// inPlace is the call of a function of the language, or of what stands in its place.
func (w *rewriter) inPlace(n *ast.BuiltinNode, args []ast.Node) ast.Node {
	if len(args) == 3 && (n.Name == "reduce" || n.Name == "sortBy") && element(n.Arguments[2]) {
		return w.before(n, args)
	}
	_, ours := ownFunctions["·"+n.Name]
	if ours && n.Name != "groupBy" {
		return call("·"+n.Name, args...)
	}
	if w.guards {
		args = guardedArguments(n, args)
	}
	made := &ast.BuiltinNode{Name: n.Name, Arguments: args}
	made.SetLocation(n.Location())
	if ours {
		return call("·groupBy", made)
	}
	return fromTheEnd(made)
}

// before calculates the third argument of a loop before the loop: the language would take an element (#) in it for one of the
// list that the loop goes over, and there may be none.
func (w *rewriter) before(n *ast.BuiltinNode, args []ast.Node) ast.Node {
	w.early++
	name := fmt.Sprintf("·%d", w.early)
	inside := []ast.Node{args[0], args[1], &ast.IdentifierNode{Value: name}}
	if w.guards {
		inside = guardedArguments(n, inside)
	}
	made := &ast.BuiltinNode{Name: n.Name, Arguments: inside}
	made.SetLocation(n.Location())
	return &ast.VariableDeclaratorNode{Name: name, Value: args[2], Expr: made}
}

// element says whether a part reads the element of a loop around it.
func element(n ast.Node) bool {
	switch n.(type) {
	case *ast.PointerNode:
		return true
	case *ast.PredicateNode:
		return false
	}
	return slices.ContainsFunc(children(n), element)
}

// fromTheEnd writes a search from the end of a list as one from its beginning: the language's own leaves behind what it has
// compared, and a call around it takes that for its arguments.
func fromTheEnd(n *ast.BuiltinNode) *ast.BuiltinNode {
	if len(n.Arguments) != 2 {
		return n
	}
	p, ok := n.Arguments[1].(*ast.PredicateNode)
	switch {
	case n.Name == "findLast":
		return &ast.BuiltinNode{Name: "last", Arguments: []ast.Node{&ast.BuiltinNode{Name: "filter", Arguments: n.Arguments}}}
	case n.Name == "findLastIndex" && ok:
		last := &ast.ConditionalNode{Cond: p.Node, Exp1: &ast.PointerNode{Name: "index"}, Exp2: &ast.PointerNode{Name: "acc"}}
		return &ast.BuiltinNode{Name: "reduce", Arguments: []ast.Node{n.Arguments[0], &ast.PredicateNode{Node: last}, &ast.NilNode{}}}
	}
	return n
}
