package recipe

import (
	"fmt"
	"maps"

	"github.com/expr-lang/expr/ast"
)

func (in *inference) binary(n *ast.BinaryNode) *valueType {
	switch n.Operator {
	case "and", "&&", "or", "||":
		in.want(n.Left, in.typ(n.Left, strict), boolKind, n.Operator)
		truth := n.Operator == "and" || n.Operator == "&&"
		in.want(n.Right, in.given(n.Left, truth, n.Right, strict), boolKind, n.Operator)
		return plain(boolKind)
	case "??":
		l, r := in.typ(n.Left, lenient), in.typ(n.Right, strict)
		switch {
		case l.kinds == nullKind:
			return r
		case l.kinds&nullKind == 0:
			return l
		}
		return union(l.notNull(), r)
	case "==", "!=":
		return in.equality(n)
	}
	l, r := in.typ(n.Left, strict), in.typ(n.Right, strict)
	switch n.Operator {
	case "+", "<", "<=", ">", ">=":
		return in.pair(n, l, r)
	case "-", "*", "/", "**", "^":
		in.want(n.Left, l, numberKind, n.Operator)
		in.want(n.Right, r, numberKind, n.Operator)
		return arithmetic(n.Operator, l, r)
	case "%":
		in.want(n.Left, l, wholeKind, n.Operator)
		in.want(n.Right, r, wholeKind, n.Operator)
		return plain(wholeKind)
	case "..":
		in.want(n.Left, l, wholeKind, n.Operator)
		in.want(n.Right, r, wholeKind, n.Operator)
		return listOf(plain(wholeKind))
	case "contains", "startsWith", "endsWith", "matches":
		in.want(n.Left, l, textKind|nullKind, n.Operator)
		in.want(n.Right, r, textKind|nullKind, n.Operator)
		return plain(boolKind)
	case "in":
		return in.membership(n, l, r)
	}
	return anything
}

// arithmetic is the type of what is calculated with two numbers.
func arithmetic(op string, l, r *valueType) *valueType {
	if l.kinds|r.kinds == wholeKind && (op == "-" || op == "*" || op == "+") {
		return plain(wholeKind)
	}
	if op == "/" || op == "**" || op == "^" || !l.open && !r.open {
		return plain(numberKind)
	}
	return plain(numberKind).with(func(t *valueType) { t.open = true })
}

// pair checks an operator that takes two numbers or two texts.
func (in *inference) pair(n *ast.BinaryNode, l, r *valueType) *valueType {
	both := l.kinds & r.kinds
	numbers := l.kinds&numberKind != 0 && r.kinds&numberKind != 0
	texts := both&textKind != 0
	lNumber, rNumber := l.kinds&^numberKind == 0, r.kinds&^numberKind == 0
	lText, rText := l.kinds == textKind, r.kinds == textKind
	sure := !l.open && !r.open && !(lNumber && rNumber) && !(lText && rText)
	switch {
	case !numbers && !texts, sure, l.may(numberKind | textKind), r.may(numberKind | textKind):
		hint := "; it takes two numbers or two texts"
		switch {
		case n.Operator == "+" && (l.kinds|r.kinds)&^(numberKind|textKind) == 0:
			hint = "; string(…) makes a text of a number"
		case n.Operator == "+" && l.kinds&r.kinds == listKind:
			hint = "; concat(…, …) makes one list of two"
		case (l.kinds|r.kinds)&nullKind != 0:
			hint = "; say with ?? what null counts as"
		}
		return in.fault(n, "%s does not go with %s and %s%s", n.Operator, in.described(n.Left, l), in.described(n.Right, r), hint)
	case n.Operator != "+":
		return plain(boolKind)
	case lText || rText:
		return plain(textKind)
	case lNumber || rNumber:
		return arithmetic("+", l, r)
	}
	return plain(numberKind | textKind).with(func(t *valueType) { t.open = true })
}

// described is the kind of an operand, and its name where it has one.
func (in *inference) described(n ast.Node, t *valueType) string {
	switch n.(type) {
	case *ast.IdentifierNode, *ast.MemberNode, *ast.ChainNode:
		if s := in.subject(n); s != "it" {
			return fmt.Sprintf("%s (%s)", t.kinds, s)
		}
	}
	return t.kinds.String()
}

// equality checks == and !=: they never fail, but may compare what is never equal.
func (in *inference) equality(n *ast.BinaryNode) *valueType {
	_, leftNil := n.Left.(*ast.NilNode)
	_, rightNil := n.Right.(*ast.NilNode)
	l, r := in.typ(n.Left, mode(rightNil)), in.typ(n.Right, mode(leftNil))
	if leftNil || rightNil {
		return plain(boolKind)
	}
	common := widened(l.kinds) & widened(r.kinds)
	if common == 0 && l.kinds != 0 && r.kinds != 0 {
		in.fault(n, "%s does not go with %s and %s: they are never equal", n.Operator, in.described(n.Left, l), in.described(n.Right, r))
		return plain(boolKind)
	}
	if lit, ok := literalOf(n.Right); ok {
		in.never(n.Operator, n.Right, n.Left, lit, l)
	} else if lit, ok := literalOf(n.Left); ok {
		in.never(n.Operator, n.Left, n.Right, lit, r)
	}
	return plain(boolKind)
}

// widened treats all numbers alike.
func widened(k kinds) kinds {
	if k&numberKind != 0 {
		k |= numberKind
	}
	return k
}

// literalOf is the value of a text, number or boolean that is written as such.
func literalOf(n ast.Node) (any, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.BoolNode:
		return n.Value, true
	case *ast.IntegerNode:
		v, err := dynamic(n.Value)
		return v, err == nil
	}
	return nil, false
}

// membership checks the operator in.
func (in *inference) membership(n *ast.BinaryNode, l, r *valueType) *valueType {
	in.want(n.Right, r, listKind|objectKind|nullKind, "in")
	if list, ok := n.Right.(*ast.ArrayNode); ok {
		for _, item := range list.Nodes {
			if lit, ok := literalOf(item); ok {
				in.never("==", item, n.Left, lit, l)
			}
		}
	}
	return plain(boolKind)
}

// narrow is what is known where a condition has been calculated and is true, or false.
func (in *inference) narrow(cond ast.Node, truth bool) names {
	known := in.known
	var visit func(n ast.Node, truth bool)
	visit = func(n ast.Node, truth bool) {
		switch n := n.(type) {
		case *ast.UnaryNode:
			if n.Operator == "not" || n.Operator == "!" {
				visit(n.Node, !truth)
				return
			}
		case *ast.BinaryNode:
			switch and, or := n.Operator == "and" || n.Operator == "&&", n.Operator == "or" || n.Operator == "||"; {
			case and && truth, or && !truth:
				visit(n.Left, truth)
				visit(n.Right, truth)
				return
			case and, or:
				in.needs(n.Left, &known)
				return
			}
			in.compared(n, truth, &known)
		}
		in.needs(n, &known)
	}
	visit(cond, truth)
	return known
}

// compared takes what a comparison says about whether something is there.
func (in *inference) compared(n *ast.BinaryNode, truth bool, known *names) {
	left, right := n.Left, n.Right
	if _, ok := left.(*ast.NilNode); ok {
		left, right = right, left
	}
	_, isNil := right.(*ast.NilNode)
	_, isLiteral := literalOf(right)
	switch {
	case isNil && (n.Operator == "!=") == truth, isLiteral && (n.Operator == "==") == truth && (n.Operator == "==" || n.Operator == "!="):
		in.refine(left, known)
	}
}

// refine says that a name or member, and all that it is in, is there and not null.
func (in *inference) refine(n ast.Node, known *names) {
	var segments []string
	for {
		switch t := n.(type) {
		case *ast.ChainNode:
			n = t.Node
			continue
		case *ast.MemberNode:
			key, ok := t.Property.(*ast.StringNode)
			if !ok {
				return
			}
			segments = append([]string{key.Value}, segments...)
			n = t.Node
			continue
		case *ast.IdentifierNode:
			if t.Value != "$env" {
				segments = append([]string{t.Value}, segments...)
			}
			for _, b := range in.bound {
				if b.name == t.Value {
					return
				}
			}
			known.refine(segments)
		case *ast.BinaryNode: // (a ?? 'x') == 'y' says nothing
		}
		return
	}
}

// refine says that what is at a path is there and not null.
func (n *names) refine(segments []string) {
	if len(segments) == 0 || segments[0] == errorName && n.failure.kinds != 0 {
		if len(segments) > 0 {
			n.failure = n.failure.present()
		}
		return
	}
	t := n.board(segments[0])
	if t.kinds == 0 {
		return
	}
	n.set(segments[0], t.refined(segments[1:]))
}

func (t *valueType) refined(segments []string) *valueType {
	if t.kinds == nullKind {
		return anything // it is always null: what is said of it otherwise never counts
	}
	t = t.notNull()
	if len(segments) == 0 || t.kinds&objectKind == 0 {
		return t
	}
	f := t.member(segments[0])
	if f.kinds == 0 {
		return t
	}
	return t.with(func(u *valueType) {
		fields := make(map[string]*valueType, len(t.fields)+1)
		maps.Copy(fields, t.fields)
		fields[segments[0]] = f.refined(segments[1:])
		u.fields = fields
	})
}

// needs says that the names that an expression reads in any case are there, once it has been calculated.
func (in *inference) needs(n ast.Node, known *names) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if t := known.board(n.Value); t.missing && t.kinds != 0 {
			for _, b := range in.bound {
				if b.name == n.Value {
					return
				}
			}
			known.set(n.Value, t.present())
		}
	case *ast.ChainNode:
		in.needs(n.Node, known)
	case *ast.MemberNode:
		if !n.Optional && !optionalChain(n.Node) {
			in.needs(n.Node, known)
		}
	case *ast.UnaryNode:
		in.needs(n.Node, known)
	case *ast.ConditionalNode:
		in.needs(n.Cond, known)
	case *ast.BinaryNode:
		switch n.Operator {
		case "??":
		case "and", "&&", "or", "||":
			in.needs(n.Left, known)
		case "==", "!=":
			_, leftNil := n.Left.(*ast.NilNode)
			_, rightNil := n.Right.(*ast.NilNode)
			if !leftNil && !rightNil {
				in.needs(n.Left, known)
				in.needs(n.Right, known)
			}
		default:
			in.needs(n.Left, known)
			in.needs(n.Right, known)
		}
	}
}
