package expression

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/expr-lang/expr/ast"
)

func (in *inference) binary(n *ast.BinaryNode) *Type {
	if turned[n.Operator] != "" {
		in.compares++
		defer func() { in.compares-- }()
	}
	switch n.Operator {
	case "and", "&&", "or", "||":
		in.want(n.Left, in.typ(n.Left, strict), BoolKind, n.Operator)
		truth := n.Operator == "and" || n.Operator == "&&"
		in.want(n.Right, in.given(n.Left, truth, n.Right, strict), BoolKind, n.Operator)
		return Plain(BoolKind)
	case "??":
		l, r := in.typ(n.Left, lenient), in.typ(n.Right, strict)
		switch {
		case l.Kinds == NullKind:
			return r
		case l.Kinds&NullKind == 0:
			return l
		}
		return Union(l.NotNull(), r)
	case "==", "!=":
		return in.equality(n)
	}
	l, r := in.typ(n.Left, strict), in.typ(n.Right, strict)
	switch n.Operator {
	case "+", "<", "<=", ">", ">=":
		return in.pair(n, l, r)
	case "-", "*", "/", "**", "^":
		in.want(n.Left, l, NumberKind, n.Operator)
		in.want(n.Right, r, NumberKind, n.Operator)
		if n.Operator == "/" && in.compares == 0 {
			in.divides(n, r)
		}
		return arithmetic(n.Operator, l, r)
	case "%":
		in.want(n.Left, l, WholeKind, n.Operator)
		in.want(n.Right, r, WholeKind, n.Operator)
		in.divides(n, r)
		return Plain(WholeKind)
	case "..":
		in.want(n.Left, l, WholeKind, n.Operator)
		in.want(n.Right, r, WholeKind, n.Operator)
		return ListOf(Plain(WholeKind))
	case "contains", "startsWith", "endsWith", "matches":
		if text, written := n.Right.(*ast.StringNode); written && n.Operator == "matches" {
			in.pattern(text)
		}
		in.want(n.Left, l, TextKind|NullKind, n.Operator)
		in.want(n.Right, r, TextKind|NullKind, n.Operator)
		return Plain(BoolKind)
	case "in":
		switch isObject := r.certain()&ObjectKind != 0; {
		case isObject && r.grouped:
			in.want(n.Left, l, scalars, "in groups")
		case isObject && in.isNil(n.Left):
			return in.fault(n, "the names of an object are texts, found null")
		case isObject:
			in.want(n.Left, l, TextKind|NullKind, "in an object")
		}
		return in.membership(n, l, r)
	}
	return Anything
}

// pattern checks a regular expression that is written as such.
func (in *inference) pattern(n *ast.StringNode) {
	if _, err := regexp.Compile(n.Value); err != nil {
		in.fault(n, "%v", patternFault(err))
	}
}

// arithmetic is the type of what is calculated with two numbers.
func arithmetic(op string, l, r *Type) *Type {
	if l.Kinds|r.Kinds == WholeKind && (op == "-" || op == "*" || op == "+") {
		return Plain(WholeKind)
	}
	if op == "/" || op == "**" || op == "^" || !l.Open && !r.Open {
		return Plain(NumberKind)
	}
	return Plain(NumberKind).With(func(t *Type) { t.Open = true })
}

// divides checks that a divisor of which the values are listed is not 0.
func (in *inference) divides(n *ast.BinaryNode, by *Type) {
	if by.Open || !in.fold {
		return // within a constant, its value tells
	}
	for _, v := range by.Values {
		if number, ok := v.(json.Number); ok {
			if f, err := number.Float64(); err == nil && f == 0 {
				which := ""
				if !constant(n.Right) {
					which = fmt.Sprintf(", and %s %s 0", in.subject(n.Right), verbOf(by.Values))
				}
				in.fault(n, "nothing can be divided by 0%s", which)
			}
		}
	}
}

// verbOf is how a message says that a value is one of those that are listed.
func verbOf(values []any) string {
	if len(values) == 1 {
		return "is"
	}
	return "may be"
}

// pair checks an operator that takes two numbers or two texts.
func (in *inference) pair(n *ast.BinaryNode, l, r *Type) *Type {
	both := l.Kinds & r.Kinds
	numbers := l.Kinds&NumberKind != 0 && r.Kinds&NumberKind != 0
	texts := both&TextKind != 0
	lNumber, rNumber := l.Kinds&^NumberKind == 0, r.Kinds&^NumberKind == 0
	lText, rText := l.Kinds == TextKind, r.Kinds == TextKind
	cl, cr := l.certain(), r.certain()
	sure := cl&NumberKind != 0 && cr&TextKind != 0 || cl&TextKind != 0 && cr&NumberKind != 0
	switch {
	case !numbers && !texts, sure, l.May(NumberKind | TextKind), r.May(NumberKind | TextKind):
		hint := "; it takes two numbers or two texts"
		switch {
		case n.Operator == "+" && (l.Kinds|r.Kinds)&^(NumberKind|TextKind) == 0:
			hint = "; string(…) makes a text of a number"
		case n.Operator == "+" && l.Kinds&r.Kinds == ListKind:
			hint = "; concat(…, …) makes one list of two"
		case (l.Kinds|r.Kinds)&NullKind != 0:
			hint = "; say with ?? what null counts as"
		}
		return in.fault(n, "%s does not go with %s and %s%s", n.Operator, in.described(n.Left, l), in.described(n.Right, r), hint)
	case n.Operator != "+":
		return Plain(BoolKind)
	case lText || rText:
		return Plain(TextKind)
	case lNumber || rNumber:
		return arithmetic("+", l, r)
	}
	return Plain(NumberKind | TextKind).With(func(t *Type) { t.Open = true })
}

// described is the kind of an operand, and its name where it has one.
func (in *inference) described(n ast.Node, t *Type) string {
	k := t.Kinds
	if t.certain() != 0 {
		k = t.certain()
	}
	switch n.(type) {
	case *ast.IdentifierNode, *ast.MemberNode, *ast.ChainNode:
		if s := in.subject(n); s != "it" {
			return fmt.Sprintf("%s (%s)", k, s)
		}
	}
	return k.String()
}

// equality checks == and !=: they never fail, but may compare what is never equal.
func (in *inference) equality(n *ast.BinaryNode) *Type {
	leftNil, rightNil := isNil(n.Left), isNil(n.Right)
	l, r := in.typ(n.Left, mode(rightNil)), in.typ(n.Right, mode(leftNil))
	if leftNil || rightNil {
		return Plain(BoolKind)
	}
	common := widened(l.Kinds) & widened(r.Kinds)
	if common == 0 && l.Kinds != 0 && r.Kinds != 0 {
		in.fault(n, "%s does not go with %s and %s: they are never equal", n.Operator, in.described(n.Left, l), in.described(n.Right, r))
		return Plain(BoolKind)
	}
	if lit, ok := literalOf(n.Right); ok {
		in.never(n.Operator, n.Right, n.Left, lit, l)
	} else if lit, ok := literalOf(n.Left); ok {
		in.never(n.Operator, n.Left, n.Right, lit, r)
	}
	return Plain(BoolKind)
}

// widened treats all numbers alike.
func widened(k Kinds) Kinds {
	if k&NumberKind != 0 {
		k |= NumberKind
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
		v, err := Dynamic(n.Value)
		return v, err == nil
	}
	return nil, false
}

// membership checks the operator in.
func (in *inference) membership(n *ast.BinaryNode, l, r *Type) *Type {
	in.want(n.Right, r, ListKind|ObjectKind|NullKind, "in")
	items := r.item()
	looked := l.Kinds &^ NullKind
	switch never := widened(looked)&widened(items.Kinds) == 0 && looked != 0 && items.Kinds != 0; {
	case in.isNil(n.Right):
		return in.fault(n, "in looks for a value in a list or an object, found null")
	case r.Kinds == ListKind && !r.Open && never && in.plain(n.Left) && in.plainList(n.Right):
		return in.fault(n, "this is never true: %s is %s, and an element of %s is %s", in.subject(n.Left), l.Kinds, in.subject(n.Right), items.Kinds)
	}
	if of, words := wordsOfTypes(n); of != nil {
		in.ofTypes(n, l, words)
		return Plain(BoolKind)
	}
	if list, ok := n.Right.(*ast.ArrayNode); ok {
		for _, item := range list.Nodes {
			if lit, ok := literalOf(item); ok {
				in.never("==", item, n.Left, lit, l)
			}
		}
	}
	return Plain(BoolKind)
}

// plain reports whether the kind of a part follows from the expression and the names that it reads alone: of members and elements,
// schemas may say more than is so.
func (in *inference) plain(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		i := in.binding(n.Value)
		return i < 0 || in.bound[i].plain
	case *ast.MemberNode:
		env, ok := n.Node.(*ast.IdentifierNode)
		return ok && env.Value == "$env"
	case *ast.ChainNode:
		return in.plain(n.Node)
	case *ast.BuiltinNode:
		return signatures[n.Name].gives != 0 || n.Name == "type"
	case *ast.CallNode, *ast.UnaryNode, *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return true
	case *ast.BinaryNode:
		return n.Operator != "+" && n.Operator != "??" || in.plain(n.Left) && in.plain(n.Right)
	case *ast.ConditionalNode:
		return in.plain(n.Exp1) && in.plain(n.Exp2)
	case *ast.SliceNode:
		return in.plain(n.Node)
	}
	return false
}

// plainList reports whether the expression itself makes a list, of elements that are plain.
func (in *inference) plainList(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ArrayNode:
		return !slices.ContainsFunc(n.Nodes, func(e ast.Node) bool { return !in.plain(e) })
	case *ast.BinaryNode:
		return n.Operator == ".."
	case *ast.BuiltinNode:
		p, ok := n.Arguments[len(n.Arguments)-1].(*ast.PredicateNode)
		return n.Name == "split" || n.Name == "map" && ok && in.plain(p.Node)
	}
	return false
}

// ofTypes checks type(x) in ['int', 'float']: the value may be of one of the types that are listed.
func (in *inference) ofTypes(n *ast.BinaryNode, l *Type, words []*ast.StringNode) {
	all, may := Plain(AllKinds).words(), false
	for _, w := range words {
		in.never("==", w, n.Left, w.Value, all)
		may = may || slices.Contains(l.Values, any(w.Value))
	}
	if len(words) > 0 && !may {
		in.never("==", words[0], n.Left, words[0].Value, l)
	}
}
