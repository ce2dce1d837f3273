package expression

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// member is a field or an element.
func (in *inference) member(n *ast.MemberNode, m mode) *Type {
	key, named := n.Property.(*ast.StringNode)
	if env, ok := n.Node.(*ast.IdentifierNode); ok && env.Value == "$env" && named {
		return in.name(n, key.Value, m || mode(n.Optional))
	}
	if n.Optional || optionalChain(n.Node) {
		m = lenient
	}
	base := in.typ(n.Node, m)
	null := base.Kinds&NullKind != 0
	if base.mayBeNull() && m == strict && base.Kinds != NullKind {
		in.fault(n.Property, "%s may be null%s, and null holds nothing; write %s%s", in.subject(n.Node), base.because(), optionalForm(n), in.orWithout(n.Node))
	}
	base = base.NotNull()
	if null && base.Kinds == 0 {
		if m == strict {
			return in.fault(n.Property, "%s is null, and null holds nothing", in.subject(n.Node))
		}
		if !named {
			in.typ(n.Property, strict) // which is calculated all the same
		}
		return typeOfValues(nil)
	}
	var t *Type
	if named {
		t = in.field(n, base, key.Value, m)
	} else {
		t = in.element(n, base, m)
	}
	if null && m == lenient {
		t = Union(t, typeOfValues(nil))
	}
	return t
}

// field is a named member of an object.
func (in *inference) field(n *ast.MemberNode, base *Type, key string, m mode) *Type {
	if base.May(ObjectKind) {
		return in.fault(n.Property, "%s %s and holds no %q", in.subject(n.Node), base.Is(ObjectKind), key)
	}
	f := base.Member(key)
	switch {
	case f.Kinds == 0:
		return in.fault(n.Property, "%s holds no %q%s", in.subject(n.Node), key, in.nearestMember(key, base.Names()))
	case m == lenient:
		return f.orNull()
	case f.Missing && base.names != nil && base.Fields[key] == nil:
		in.fault(n.Property, "%s may be missing, for its name is calculated; write %s ?? '…'", in.subject(n), optionalForm(n))
	case f.Missing:
		in.fault(n.Property, "%s may be missing: no schema requires it; write %s ?? '…', or put %s in required",
			in.subject(n), optionalForm(n), key)
	}
	return f.Present()
}

// nearestMember is the nearest member, or all of them where none is near.
func (in *inference) nearestMember(found string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	if hint := in.Hints.Hint(found, known); hint != "" {
		return hint
	}
	return "; it holds " + strings.Join(known, ", ")
}

// element is a numbered element of a list or text, or whatever a calculated key leads to.
func (in *inference) element(n *ast.MemberNode, base *Type, m mode) *Type {
	key := in.typ(n.Property, strict).counts()
	number, fixed := indexOf(n.Property)
	switch {
	case base.grouped && base.Kinds == ObjectKind && !base.Open:
		in.want(n.Property, key, scalars, "a group's name")
		if m == lenient {
			return Union(base.members(), typeOfValues(nil))
		}
		return base.members()
	case base.Kinds == ObjectKind && !base.Open && !fixed:
		return in.lookup(n, base, key, m)
	case base.Kinds&^(ListKind|TextKind) != 0:
		return in.notElement(n, base)
	case base.Kinds == TextKind && !base.Open && in.plain(n.Node):
		return in.fault(n.Property, "%s is a text, and a text has no elements; text[0:1] is its first character", in.subject(n.Node))
	case key.May(WholeKind):
		hint := ""
		if key.Kinds&^NumberKind == 0 {
			hint = "; int(…) makes a whole one"
		}
		return in.fault(n.Property, "%s is %s: expected the number of an element, found %s%s", in.subject(n.Node), base.Kinds, key, hint)
	}
	t := Anything
	items := base.item()
	if fixed && number >= 0 {
		items = OrAnything(base.part(number))
	}
	switch character := Plain(WholeKind); base.Kinds { // a character of a text is its number
	case ListKind:
		t = items
	case TextKind:
		t = character
	case ListKind | TextKind:
		t = Union(items, character)
	}
	if base.Kinds&TextKind != 0 && m == lenient {
		t = Union(t, typeOfValues(nil))
	}
	if !fixed && !key.Open && len(key.Values) > 0 {
		number, fixed = farthest(key.Values)
	}
	needed := number + 1
	if number < 0 {
		needed = -number
	}
	if base.Kinds == ListKind && !base.Open && (!fixed || needed > base.least) {
		switch {
		case m == lenient && base.items == nil: // of an empty list
			return typeOfValues(nil)
		case m == lenient:
			return Union(t, typeOfValues(nil))
		case fixed:
			in.fault(n.Property, "%s may have fewer elements than %d; write %s ?? '…', or give its schema minItems: %d",
				in.subject(n.Node), needed, optionalForm(n), needed)
		}
	}
	return t
}

// notElement says why what is no list has no element. What is not known may have any.
func (in *inference) notElement(n *ast.MemberNode, base *Type) *Type {
	number, fixed := indexOf(n.Property)
	whole, either := ListKind|TextKind|ObjectKind|NullKind, base.certain()
	switch {
	case fixed && base.May(ListKind|TextKind):
		hint := ""
		if base.Kinds == ObjectKind {
			hint = fmt.Sprintf("; its members have texts for names: ['%d']", number)
		}
		return in.fault(n.Property, "%s %s and has no element %d%s", in.subject(n.Node), base.Is(ListKind|TextKind), number, hint)
	case either&ObjectKind != 0 && either&(ListKind|TextKind) != 0:
		return in.fault(n.Property, "%s may be %s, and has elements or members; ask type(%s) == 'map' before", in.subject(n.Node),
			either, pathOf(n.Node))
	case base.Never(whole), base.May(whole) && !base.unknown():
		return in.fault(n.Property, "%s %s and has no elements", in.subject(n.Node), base.Is(whole))
	}
	return Anything
}

// farthest is the number of those listed that needs the longest list.
func farthest(values []any) (number int, ok bool) {
	needs := func(i int) int { return max(i+1, -i) }
	for _, v := range values {
		n, isNumber := v.(json.Number)
		i, err := strconv.Atoi(n.String())
		if !isNumber || err != nil {
			return 0, false
		}
		if !ok || needs(i) > needs(number) {
			number, ok = i, true
		}
	}
	return number, ok
}

// lookup is a member whose name is calculated.
func (in *inference) lookup(n *ast.MemberNode, base, key *Type, m mode) *Type {
	if key.May(TextKind) {
		return in.fault(n.Property, "%s is an object: expected the name of a member, found %s", in.subject(n.Node), key)
	}
	if key.Open || len(key.Values) == 0 || !in.fold {
		if m == lenient {
			return Union(base.members(), typeOfValues(nil))
		}
		return base.members()
	}
	var t *Type
	for _, v := range key.Values {
		name, _ := v.(string)
		f := base.Member(name)
		switch {
		case f.Kinds == 0 && m == lenient:
			f = typeOfValues(nil)
		case f.Kinds == 0:
			return in.fault(n.Property, "%s holds no %q, and %s %s %s%s; write %s", in.subject(n.Node), name,
				in.subject(n.Property), verbOf(key.Values), literal(name), in.nearestMember(name, base.Names()), optionalForm(n))
		case m == lenient:
			f = f.orNull()
		case f.Missing:
			in.fault(n.Property, "%s may hold no %q, and %s %s %s; write %s", in.subject(n.Node), name, in.subject(n.Property),
				verbOf(key.Values), literal(name), optionalForm(n))
		}
		t = Union(t, f.Present())
	}
	return t
}

// indexOf is the number that an index is written as.
func indexOf(n ast.Node) (int, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return n.Value, true
	case *ast.UnaryNode:
		if i, ok := n.Node.(*ast.IntegerNode); ok && n.Operator == "-" {
			return -i.Value, true
		}
	}
	return 0, false
}

// optionalForm writes a member as one that may be missing.
func optionalForm(n *ast.MemberNode) string {
	base := pathOf(n.Node)
	switch p := n.Property.(type) {
	case *ast.StringNode:
		return base + "?." + p.Value
	default:
		if i, ok := indexOf(p); ok {
			return fmt.Sprintf("%s?.[%d]", base, i)
		}
	}
	return base + "?.[" + written(n.Property) + "]"
}
