package expression

import (
	"slices"
	"strconv"

	"github.com/expr-lang/expr/ast"
)

// predicate is what is known of a loop.
type predicate struct {
	gives  *Type // what is calculated for each element; of reduce, in the end
	chosen *Type // the elements for which it is true
}

// loop finds what a loop calculates; all are the types of what the function is given beside it.
func (in *inference) loop(n *ast.BuiltinNode, p *ast.PredicateNode, all []*Type) *predicate {
	before := in.view
	defer func() { in.view = before }()
	around := loop{call: n, item: all[0].item()}
	if n.Name == "reduce" {
		return &predicate{gives: in.reduce(n, p, around, all)}
	}
	in.loops = append(slices.Clip(in.loops), around)
	gives := in.typ(p.Node, strict)
	if in.isNil(p.Node) {
		in.fault(p, "%s calculates something for each element, and this is nil, whatever the element is", n.Name)
	}
	chosen := in.narrow(p.Node, true).loops[len(in.loops)-1].item
	return &predicate{gives: gives, chosen: chosen}
}

// reduce is the type of what a list is reduced to: what it begins with, and whatever comes of that.
func (in *inference) reduce(n *ast.BuiltinNode, p *ast.PredicateNode, around loop, all []*Type) *Type {
	const maxNested, rounds = 2, 4
	if len(all) > 2 {
		around.acc = all[2]
	} else {
		around.acc = around.item
		if all[0].Kinds == ListKind && !all[0].Open && all[0].least == 0 {
			in.fault(n, "reduce of a list that may be empty needs a value to begin with; write it as the third argument, reduce(%[1]s, …, 0), ask len(%[1]s) > 0 before, or give the schema minItems: 1",
				in.listed(n))
		}
	}
	nested := 0
	for _, l := range in.loops {
		if l.acc != nil {
			nested++
		}
	}
	for i := 0; nested < maxNested; i++ {
		if i == rounds {
			around.acc = anythingBeside(around.acc, Anything)
			break
		}
		gives, right := in.quietly(around, p)
		next := Union(around.acc, gives)
		if !right || next.same(around.acc) {
			break
		}
		around.acc = next
	}
	if nested >= maxNested {
		around.acc = anythingBeside(around.acc, Anything)
	}
	in.loops = append(slices.Clip(in.loops), around)
	in.typ(p.Node, strict)
	if in.isNil(p.Node) {
		in.fault(p, "reduce calculates something for each element, and this is nil, whatever the element is")
	}
	return around.acc
}

// quietly is the type of what a loop calculates, and whether that is right, without a word of what is not.
func (in *inference) quietly(around loop, p *ast.PredicateNode) (t *Type, right bool) {
	quiet := &inference{view: in.view, source: in.source, compares: in.compares, names: in.names}
	quiet.loops = append(slices.Clip(in.loops), around)
	t = quiet.typ(p.Node, strict)
	return t, len(quiet.faults) == 0
}

// listed is the list that a function goes over, for a message.
func (in *inference) listed(n *ast.BuiltinNode) string {
	if s := in.subject(n.Arguments[0]); s != "it" {
		return pathOf(n.Arguments[0])
	}
	return "list"
}

// scalars are the kinds by which groupBy groups.
const scalars = NullKind | BoolKind | NumberKind | TextKind

// elements checks the elements of a list, or what is calculated of each, against what the function makes of them.
func (in *inference) elements(n *ast.BuiltinNode, all []*Type, body *predicate) {
	if len(all) == 0 {
		return
	}
	at, t := n.Arguments[0], all[0].items
	if p, ok := n.Arguments[len(n.Arguments)-1].(*ast.PredicateNode); ok && body != nil {
		at, t = p.Node, body.gives
	}
	switch n.Name {
	case "all", "none", "any", "one", "filter", "find", "findIndex", "findLast", "findLastIndex":
		in.want(at, t, BoolKind, n.Name)
	case "count":
		in.each(n, at, t, BoolKind, "counts what is true")
	case "sum":
		in.each(n, at, t, NumberKind, "adds numbers")
	case "max", "min", "mean", "median":
		for i, t := range all {
			if arg, ok := n.Arguments[i].(*ast.BuiltinNode); ok && arg.Name == "toPairs" {
				in.fault(arg, "%s takes numbers; an element is a pair of a name and a value", n.Name)
				continue
			}
			for depth := 0; t != nil && t.Kinds&ListKind != 0 && depth < 10; depth++ { // of lists in lists, too
				t = t.items
				in.each(n, n.Arguments[i], t, NumberKind|ListKind, "takes numbers")
			}
		}
	case "sort", "sortBy":
		if n.Name == "sortBy" && body != nil {
			t = body.gives
		}
		in.sorted(n, at, t)
		if len(all) > 2 || n.Name == "sort" && len(all) > 1 {
			in.ordered(n, all)
		}
	case "int", "float":
		in.numbers(n, all[0])
	case "groupBy":
		in.each(n, at, t, scalars, "groups by texts, numbers and booleans")
	case "fromPairs":
		in.each(n, at, t, ListKind, "takes pairs, lists of two")
		in.pairs(n, t)
	}
}

// pairs checks what fromPairs makes members of.
func (in *inference) pairs(n *ast.BuiltinNode, pair *Type) {
	if pair == nil || pair.Open || pair.Kinds != ListKind {
		return
	}
	switch {
	case pair.most > 0 && pair.most == pair.least && pair.most != 2:
		in.fault(n.Arguments[0], "fromPairs takes pairs, lists of two; an element has %d", pair.most)
	case pair.least > 2, pair.items == nil, pair.most > 0 && (pair.least < 2 || pair.most > 2):
		in.fault(n.Arguments[0], "fromPairs takes pairs, lists of two; an element may have another number of elements")
	case pair.part(0).May(scalars):
		in.fault(n.Arguments[0], "fromPairs takes pairs of a name and a value; a name %s", pair.part(0).Is(scalars))
	}
}

// each checks what a function does with each element.
func (in *inference) each(n *ast.BuiltinNode, at ast.Node, t *Type, k Kinds, does string) {
	if t == nil || !t.May(k) {
		return
	}
	hint := ""
	if t.mayBeNull() && k&NullKind == 0 {
		hint = t.because() + "; write " + withoutNull(n)
	}
	in.fault(at, "%s %s; an element %s%s", n.Name, does, t.Is(k), hint)
}

// ordered checks the word for the order.
func (in *inference) ordered(n *ast.BuiltinNode, all []*Type) {
	last := len(all) - 1
	if !in.fold {
		return
	}
	for _, v := range all[last].Values {
		if v != "asc" && v != "desc" {
			in.fault(n.Arguments[last], "the order is 'asc' or 'desc', and this %s %s", verbOf(all[last].Values), literal(v))
		}
	}
}

// numbers checks the texts that a number is made of, where they are listed.
func (in *inference) numbers(n *ast.BuiltinNode, t *Type) {
	if t.Open || !in.fold {
		return
	}
	for _, v := range t.Values {
		s, isText := v.(string)
		if !isText {
			continue
		}
		_, err := strconv.ParseFloat(s, 64)
		if n.Name == "int" {
			_, err = strconv.Atoi(s)
		}
		if err != nil {
			in.fault(n, "%s makes no number of %s, and %s %s that", n.Name, literal(v), in.subject(n.Arguments[0]), verbOf(t.Values))
			return
		}
	}
}

// sorted checks that elements can be put in an order.
func (in *inference) sorted(n *ast.BuiltinNode, at ast.Node, t *Type) {
	if t == nil || t.Kinds&^NumberKind == 0 || t.Kinds == TextKind {
		return
	}
	if !t.Open && t.Kinds&(NumberKind|TextKind) == t.Kinds {
		in.fault(at, "%s puts numbers or texts in order; these may be both", n.Name)
		return
	}
	in.each(n, at, t, NumberKind|TextKind, "puts numbers or texts in order")
}
