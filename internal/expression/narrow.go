package expression

import (
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/fermata-go/fermata/internal/document"
)

// view is what is known at a place of an expression. It is immutable: where a condition has been asked, there is
// another one.
type view struct {
	known Names
	bound []boundName // what let has named, innermost last
	loops []loop      // those around, innermost last
}

type boundName struct {
	name  string
	typ   *Type
	null  bool // it is written as nil
	plain bool // see inference.plain
}

// loop is a function that calculates something for each element of a list.
type loop struct {
	call *ast.BuiltinNode
	item *Type // of #
	acc  *Type // of #acc
}

// narrow is what is known where a condition has been calculated and is true, or false.
func (in *inference) narrow(cond ast.Node, truth bool) view {
	v := in.view
	v.narrow(cond, truth)
	return v
}

func (v *view) narrow(n ast.Node, truth bool) {
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			v.narrow(n.Node, !truth)
			return
		}
	case *ast.BinaryNode:
		switch and, or := n.Operator == "and" || n.Operator == "&&", n.Operator == "or" || n.Operator == "||"; {
		case and && truth, or && !truth:
			v.narrow(n.Left, truth)
			v.narrow(n.Right, truth)
			return
		case and, or:
			v.needs(n.Left)
			return
		}
		v.compared(n, truth)
		v.typed(n, truth)
	case *ast.BuiltinNode:
		v.tested(n, truth)
	}
	v.needs(n)
}

// turned are comparisons with their sides exchanged, and inverse those that hold where they do not.
var (
	turned  = map[string]string{"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
	inverse = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
)

// compared takes what a comparison says: whether something is there, and how long a list is at least.
func (v *view) compared(n *ast.BinaryNode, truth bool) {
	left, right, op := n.Left, n.Right, n.Operator
	if turned[op] == "" {
		return
	}
	if _, ok := literalOf(left); ok || isNil(left) {
		left, right, op = right, left, turned[op]
	}
	if !truth {
		op = inverse[op]
	}
	lit, isLiteral := literalOf(right)
	switch {
	case isNil(right) && op == "!=":
		v.change(left, (*Type).NotNull)
	case isLiteral && op == "==":
		v.change(left, func(t *Type) *Type { return t.only([]any{lit}) })
	case isLiteral && op == "!=":
		v.refine(left, AsItIs, func(t *Type) *Type { return t.besidesValue(lit) }) // which says nothing of whether it is there
	}
	if number, ok := right.(*ast.IntegerNode); ok && isLiteral {
		v.counted(left, op, number.Value)
	}
}

func isNil(n ast.Node) bool {
	_, ok := n.(*ast.NilNode)
	return ok
}

// typed takes what a comparison with the word for a type says: type(x) == 'string', type(x) in ['int', 'float'].
func (v *view) typed(n *ast.BinaryNode, truth bool) {
	of, words := wordsOfTypes(n)
	if of == nil {
		return
	}
	var k Kinds
	for _, w := range words {
		for _, known := range kindsOfWord {
			if known.word == w.Value {
				k |= known.kinds
			}
		}
	}
	is := truth == (n.Operator != "!=")
	passed := AsItIs
	if is && k&NullKind == 0 {
		passed = Known
	}
	v.refine(of, passed, func(t *Type) *Type { return t.ofKinds(k, is) })
}

// wordsOfTypes are the value whose type a comparison asks for, and the types that it is compared with; nil for any other.
func wordsOfTypes(n *ast.BinaryNode) (of ast.Node, words []*ast.StringNode) {
	left, right := n.Left, []ast.Node{n.Right}
	switch list, ok := n.Right.(*ast.ArrayNode); {
	case n.Operator == "in" && ok:
		right = list.Nodes
	case n.Operator != "==" && n.Operator != "!=":
		return nil, nil
	}
	if _, ok := left.(*ast.StringNode); ok && n.Operator != "in" {
		left, right = n.Right, []ast.Node{n.Left}
	}
	call, ok := left.(*ast.BuiltinNode)
	if !ok || call.Name != "type" || len(call.Arguments) != 1 {
		return nil, nil
	}
	for _, r := range right {
		w, ok := r.(*ast.StringNode)
		if !ok {
			return nil, nil
		}
		words = append(words, w)
	}
	return call.Arguments[0], words
}

// ofKinds is the type of a value that is of some kinds, or of none of them.
func (t *Type) ofKinds(k Kinds, is bool) *Type {
	if t.failed {
		return t
	}
	if !is {
		k = AllKinds &^ k
	}
	missing := t.Missing && k&NullKind != 0 // what is not there is null to the function type
	switch {
	case t.Kinds&k == 0 && missing:
		return t
	case t.Kinds&k == 0:
		return mistaken // it never is
	}
	return t.With(func(u *Type) {
		u.Kinds, u.sure, u.Missing = t.Kinds&k, t.sure&k, missing
		if k&NullKind == 0 {
			u.kept = ""
		}
		if t.Values != nil {
			u.Values = slices.DeleteFunc(slices.Clone(t.Values), func(v any) bool { return kindOfValue(v)&k == 0 })
			if len(u.Values) == 0 {
				u.Values = nil
			}
		}
		if is && (t.unknown() || u.Kinds&(ListKind|ObjectKind) == 0) {
			u.Open, u.sure = false, 0 // it has been asked for these
		}
	})
}

// counted takes what a comparison of len(list) with a number says.
func (v *view) counted(n ast.Node, op string, number int) {
	call, ok := n.(*ast.BuiltinNode)
	if !ok || call.Name != "len" || len(call.Arguments) != 1 {
		return
	}
	switch {
	case op == ">":
		number++
	case op == "!=" && number == 0:
		number = 1
	case op != "==" && op != ">=":
		return
	}
	v.change(call.Arguments[0], func(t *Type) *Type { return t.atLeast(number) })
}

// atLeast is the type of a list that has some number of elements.
func (t *Type) atLeast(number int) *Type {
	return t.With(func(u *Type) {
		if u.Kinds&ListKind != 0 && number <= document.MaxCount {
			u.least = max(u.least, number)
		}
	})
}

// tested takes what a test of all elements says of each, or that there is one.
func (v *view) tested(n *ast.BuiltinNode, truth bool) {
	if len(n.Arguments) != 2 {
		return
	}
	each, holds := true, n.Name == "all"
	switch {
	case n.Name == "all" && truth, n.Name == "none" && truth, n.Name == "any" && !truth:
	case n.Name == "all", n.Name == "none", n.Name == "any", n.Name == "one" && truth:
		each = false
		v.change(n.Arguments[0], func(t *Type) *Type { return t.atLeast(1) })
	default:
		return
	}
	p, ok := n.Arguments[1].(*ast.PredicateNode)
	if !each || !ok {
		return
	}
	v.change(n.Arguments[0], func(t *Type) *Type {
		if t.items == nil || t.Kinds&ListKind == 0 {
			return t
		}
		inner := *v
		inner.loops = append(slices.Clip(v.loops), loop{call: n, item: t.items})
		inner.narrow(p.Node, holds)
		return t.With(func(u *Type) { u.items, u.parts = inner.loops[len(v.loops)].item, nil })
	})
}

// change changes what is known of a name, of an element (#), or of a member of these, which is there then and not null,
// as is all that it is in.
func (v *view) change(n ast.Node, by func(*Type) *Type) {
	v.refine(n, Known, by)
}

// Known is the type of what a condition has found there and not null.
func Known(t *Type) *Type {
	if t.Kinds == NullKind {
		return mistaken // it is always null: what is said of it otherwise never counts
	}
	return t.NotNull()
}

// AsItIs changes nothing.
func AsItIs(t *Type) *Type { return t }

// refine changes what is known of a name, an element or a member, and on the way what it is in.
func (v *view) refine(n ast.Node, passed, by func(*Type) *Type) {
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
		case *ast.PointerNode:
			v.changeElement(t.Name, segments, passed, by)
		case *ast.IdentifierNode:
			v.changeName(t.Value, segments, passed, by)
		case *ast.BinaryNode: // (a ?? 'x') == 'y' says nothing
		}
		return
	}
}

func (v *view) changeElement(pointer string, segments []string, passed, by func(*Type) *Type) {
	if len(v.loops) == 0 || pointer != "" {
		return
	}
	v.loops = slices.Clone(v.loops)
	last := &v.loops[len(v.loops)-1]
	last.item = last.item.refined(segments, passed, by)
}

func (v *view) changeName(name string, segments []string, passed, by func(*Type) *Type) {
	if i := v.binding(name); i >= 0 {
		v.bound = slices.Clone(v.bound)
		v.bound[i].typ = v.bound[i].typ.refined(segments, passed, by)
		return
	}
	if name != "$env" {
		segments = append([]string{name}, segments...)
	}
	v.known.Refine(segments, passed, by)
}

// binding is where let has bound a name; -1 where it has not.
func (v *view) binding(name string) int {
	for i, b := range slices.Backward(v.bound) {
		if b.name == name {
			return i
		}
	}
	return -1
}

// Refine says that what is at a path is there and not null, and what else is known of it.
func (n *Names) Refine(segments []string, passed, by func(*Type) *Type) {
	if len(segments) == 0 || segments[0] == ErrorName && n.Failure.Kinds != 0 {
		if len(segments) > 0 {
			n.Failure = n.Failure.Present()
		}
		return
	}
	t := n.Board(segments[0])
	if t.Kinds == 0 {
		return
	}
	n.Set(segments[0], t.refined(segments[1:], passed, by))
}

func (t *Type) refined(segments []string, passed, by func(*Type) *Type) *Type {
	t = passed(t)
	if len(segments) == 0 {
		return by(t)
	}
	f := t.Member(segments[0])
	if f.Kinds == 0 || t.Kinds&ObjectKind == 0 {
		return t
	}
	return t.With(func(u *Type) {
		fields := make(map[string]*Type, len(t.Fields)+1)
		maps.Copy(fields, t.Fields)
		fields[segments[0]] = f.refined(segments[1:], passed, by)
		u.Fields = fields
	})
}

// needs says that the names that an expression reads in any case are there, once it has been calculated.
func (v *view) needs(n ast.Node) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if t := v.known.Board(n.Value); t.Missing && t.Kinds != 0 && v.binding(n.Value) < 0 {
			v.known.Set(n.Value, t.Present())
		}
	case *ast.ChainNode:
		v.needs(n.Node)
	case *ast.MemberNode:
		if !n.Optional && !optionalChain(n.Node) {
			v.needs(n.Node)
		}
	case *ast.UnaryNode:
		v.needs(n.Node)
	case *ast.ConditionalNode:
		v.needs(n.Cond)
	case *ast.BinaryNode:
		switch n.Operator {
		case "??":
		case "and", "&&", "or", "||":
			v.needs(n.Left)
		case "==", "!=":
			if !isNil(n.Left) && !isNil(n.Right) {
				v.needs(n.Left)
				v.needs(n.Right)
			}
		default:
			v.needs(n.Left)
			v.needs(n.Right)
		}
	}
}

// orWithout is the other way to go on where an element may be null: without these. "" where the node is no element.
func (in *inference) orWithout(n ast.Node) string {
	p, ok := n.(*ast.PointerNode)
	if !ok || p.Name != "" || len(in.loops) == 0 {
		return ""
	}
	return " ?? …, or " + withoutNull(in.loops[len(in.loops)-1].call)
}

// withoutNull writes a loop over the elements that are not null.
func withoutNull(call *ast.BuiltinNode) string {
	const shown = 60
	list, rest := call.Arguments[0].String(), ""
	for _, a := range call.Arguments[1:] {
		rest += ", " + a.String()
	}
	if len(list) > shown {
		list = "…"
	}
	if len(rest) > shown {
		rest = ", …"
	}
	return call.Name + "(filter(" + list + ", # != nil)" + strings.TrimSuffix(rest, " ") + ")"
}
