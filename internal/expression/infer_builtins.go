package expression

import "github.com/expr-lang/expr/ast"

// takes are the kinds that the language's functions take; for the others the language itself checks.
var takes = map[string][]Kinds{
	"len": {TextKind | ListKind | ObjectKind}, "abs": {NumberKind}, "ceil": {NumberKind}, "floor": {NumberKind},
	"round": {NumberKind}, "int": {NumberKind | TextKind}, "float": {NumberKind | TextKind},
	"trim": {TextKind, TextKind}, "trimPrefix": {TextKind, TextKind}, "trimSuffix": {TextKind, TextKind},
	"upper": {TextKind}, "lower": {TextKind}, "split": {TextKind, TextKind, WholeKind},
	"splitAfter": {TextKind, TextKind, WholeKind}, "indexOf": {TextKind, TextKind}, "lastIndexOf": {TextKind, TextKind},
	"hasPrefix": {TextKind, TextKind}, "hasSuffix": {TextKind, TextKind}, "first": {ListKind}, "last": {ListKind},
	"take": {ListKind, WholeKind}, "keys": {ObjectKind}, "values": {ObjectKind}, "toPairs": {ObjectKind},
	"reverse": {ListKind}, "uniq": {ListKind}, "sort": {ListKind, TextKind}, "fromPairs": {ListKind}, "flatten": {ListKind},
	"all": {ListKind}, "none": {ListKind}, "any": {ListKind}, "one": {ListKind}, "filter": {ListKind}, "map": {ListKind},
	"find": {ListKind}, "findIndex": {ListKind}, "findLast": {ListKind}, "findLastIndex": {ListKind}, "count": {ListKind},
	"sum": {ListKind}, "groupBy": {ListKind}, "sortBy": {ListKind, 0, TextKind}, "reduce": {ListKind},
	"toBase64": {TextKind}, "fromBase64": {TextKind}, "bitand": {WholeKind, WholeKind}, "bitor": {WholeKind, WholeKind},
	"bitxor": {WholeKind, WholeKind}, "bitnand": {WholeKind, WholeKind}, "bitnot": {WholeKind},
	"bitshl": {WholeKind, WholeKind}, "bitshr": {WholeKind, WholeKind}, "bitushr": {WholeKind, WholeKind},
}

// gives are the kinds that functions give, whatever they are given.
var gives = map[string]Kinds{
	"len": WholeKind, "abs": NumberKind, "ceil": NumberKind, "floor": NumberKind, "round": NumberKind, "int": WholeKind,
	"float": NumberKind, "string": TextKind, "type": TextKind, "trim": TextKind, "trimPrefix": TextKind,
	"trimSuffix": TextKind, "upper": TextKind, "lower": TextKind, "indexOf": WholeKind, "lastIndexOf": WholeKind,
	"hasPrefix": BoolKind, "hasSuffix": BoolKind, "toJSON": TextKind, "toBase64": TextKind, "all": BoolKind,
	"none": BoolKind, "any": BoolKind, "one": BoolKind, "count": WholeKind, "mean": NumberKind, "median": NumberKind,
	"fromBase64": TextKind, "bitand": WholeKind, "bitor": WholeKind, "bitxor": WholeKind, "bitnand": WholeKind,
	"bitnot": WholeKind, "bitshl": WholeKind, "bitshr": WholeKind, "bitushr": WholeKind, "findIndex": WholeKind | NullKind, "findLastIndex": WholeKind | NullKind,
}

// builtin is a function of the language.
func (in *inference) builtin(n *ast.BuiltinNode) *Type {
	all := make([]*Type, len(n.Arguments))
	var body *predicate // of the loop, where the function is one
	for i, a := range n.Arguments {
		if _, loops := a.(*ast.PredicateNode); loops {
			continue
		}
		all[i] = in.typ(a, strict)
		if k := takes[n.Name]; i < len(k) {
			in.want(a, all[i], k[i], n.Name)
		}
	}
	if len(all) > 1 && all[0] != nil {
		if p, loops := n.Arguments[1].(*ast.PredicateNode); loops {
			body = in.loop(n, p, all)
		}
	}
	in.elements(n, all, body)
	if k, ok := gives[n.Name]; ok {
		return Plain(k)
	}
	if len(all) == 0 {
		return Anything
	}
	return in.made(n, all, body)
}

// made is the type of what a function makes of what it is given.
func (in *inference) made(n *ast.BuiltinNode, all []*Type, body *predicate) *Type {
	items := OrAnything(all[0].items)
	switch n.Name {
	case "filter":
		return ListOf(body.chosen)
	case "take":
		return ListOf(items)
	case "sortBy", "sort", "reverse":
		return all[0].With(func(t *Type) { t.Kinds, t.Values, t.fixed = ListKind, nil, nil })
	case "uniq":
		return &Type{Kinds: ListKind, items: items, least: min(1, all[0].least)}
	case "map":
		return &Type{Kinds: ListKind, items: OrAnything(body.gives), least: all[0].least, Open: all[0].Open}
	case "find", "findLast":
		return Union(body.chosen, typeOfValues(nil))
	case "first", "last":
		if all[0].least > 0 {
			return items
		}
		if a := all[0]; !a.Open && a.Kinds == ListKind && a.items == nil {
			return typeOfValues(nil) // of an empty list
		}
		return Union(items, typeOfValues(nil))
	case "sum":
		return summed(items, body)
	case "max", "min":
		return extreme(all)
	case "reduce":
		return body.gives
	case "keys":
		if all[0].grouped {
			return ListOf(Anything)
		}
		return ListOf(Plain(TextKind))
	case "get":
		return all[0].got()
	case "toPairs":
		return ListOf(&Type{Kinds: ListKind, items: Anything, least: 2})
	case "flatten":
		return ListOf(items.flat(0))
	case "values":
		return ListOf(all[0].members())
	case "split", "splitAfter":
		return ListOf(Plain(TextKind))
	case "concat":
		u := &Type{Kinds: ListKind, items: nil}
		for i, t := range all {
			in.want(n.Arguments[i], t, ListKind, "concat")
			u.items = Union(u.items, t.items) // that of an empty list adds none
			u.least += t.least
		}
		return u
	case "groupBy":
		return &Type{Kinds: ObjectKind, Rest: ListOf(items).optional(), grouped: true}
	}
	return Anything
}

// flat is the type of an element once lists in lists are one list.
func (t *Type) flat(depth int) *Type {
	if t.Kinds&ListKind == 0 || t.Open || depth > maxTypeDepth {
		return t
	}
	inner := OrAnything(t.items).flat(depth + 1)
	if t.Kinds == ListKind {
		return inner
	}
	return Union(t.With(func(u *Type) { u.Kinds &^= ListKind }), inner)
}

// got is the type of what get finds in a value: null where there is nothing.
func (t *Type) got() *Type {
	switch {
	case !t.Open && t.Kinds == ListKind && t.items == nil:
		return typeOfValues(nil)
	case !t.Open && t.Kinds == ListKind:
		return Union(OrAnything(t.items), typeOfValues(nil))
	case !t.Open && t.Kinds == ObjectKind && t.Rest == nil && len(t.Fields) == 0 && !t.grouped:
		return typeOfValues(nil)
	case !t.Open && t.Kinds == ObjectKind:
		return Union(t.members(), typeOfValues(nil))
	}
	return Anything
}

// members is the type of all members of an object.
func (t *Type) members() *Type {
	if t.Open || t.Kinds != ObjectKind || t.Rest == nil && len(t.Fields) == 0 {
		return Anything
	}
	all := t.Rest
	for _, name := range t.Names() {
		all = Union(all, t.Fields[name])
	}
	return OrAnything(all.Present())
}

// extreme is the type of the largest or smallest of some numbers and lists: null where there is none.
func extreme(all []*Type) *Type {
	t := Plain(NumberKind | NullKind)
	for _, a := range all {
		switch {
		case a.Kinds&^NumberKind == 0, a.Kinds == ListKind && a.least > 0 && OrAnything(a.items).Kinds&^NumberKind == 0:
			return Plain(NumberKind)
		case a.Open || OrAnything(a.items).Open:
			t = t.With(func(u *Type) { u.Open = true })
		}
	}
	return t
}

// OrAnything is the type; Anything where nothing is known, or nothing is there.
func OrAnything(t *Type) *Type {
	if t == nil || t.Kinds == 0 {
		return Anything
	}
	return t
}

// summed is the type of a sum.
func summed(items *Type, body *predicate) *Type {
	if body != nil {
		items = body.gives
	}
	if items.Kinds == WholeKind {
		return Plain(WholeKind)
	}
	return Plain(NumberKind)
}
