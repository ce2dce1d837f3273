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
	"float": NumberKind, "string": TextKind, "trim": TextKind, "trimPrefix": TextKind,
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
		if n.Name == "take" {
			all[i] = all[i].counts()
		}
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
	items := all[0].item()
	switch n.Name {
	case "filter":
		return ListOf(body.chosen)
	case "take":
		return ListOf(items)
	case "sortBy", "sort", "reverse":
		return all[0].With(func(t *Type) { t.Kinds, t.Values, t.parts, t.fixed = ListKind, nil, nil, nil })
	case "uniq":
		return &Type{Kinds: ListKind, items: items, least: min(1, all[0].least)}
	case "map":
		return &Type{Kinds: ListKind, items: OrAnything(body.gives), least: all[0].least, most: all[0].most, Open: all[0].Open}
	case "find", "findLast":
		return body.chosen.orNone(all[0])
	case "first", "last":
		switch a := all[0]; {
		case a.least > 0 && n.Name == "first":
			return OrAnything(a.part(0))
		case a.least > 0:
			return items
		}
		return items.orNone(all[0])
	case "sum":
		return summed(items, body)
	case "max", "min":
		return extreme(all)
	case "reduce":
		return body.gives
	case "keys":
		return ListOf(all[0].namesOf())
	case "get":
		return in.got(n, all[0], all[1])
	case "toPairs":
		name, value := all[0].namesOf(), all[0].members()
		return ListOf(&Type{Kinds: ListKind, items: Union(name, value), parts: []*Type{name, value}, least: 2, most: 2})
	case "fromPairs":
		name, value := OrAnything(items.part(0)), OrAnything(items.part(1))
		in.shaped = true
		return &Type{Kinds: ObjectKind, Rest: value.optional(), names: name, grouped: true}
	case "type":
		return all[0].words()
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
			u.items = Union(u.items, t.item()) // that of an empty list adds none
			u.least += t.least
		}
		return u
	case "groupBy":
		in.shaped = true
		group := &Type{Kinds: ListKind, items: items, least: 1}
		return &Type{Kinds: ObjectKind, Rest: group.optional(), names: OrAnything(body.gives), grouped: true}
	}
	return Anything
}

// flat is the type of an element once lists in lists are one list.
func (t *Type) flat(depth int) *Type {
	if t.Kinds&ListKind == 0 || t.Open || depth > maxTypeDepth {
		return t
	}
	inner := t.item().flat(depth + 1)
	if t.Kinds == ListKind {
		return inner
	}
	return Union(t.With(func(u *Type) { u.Kinds &^= ListKind }), inner)
}

// got is the type of what get finds: null where there is nothing.
func (in *inference) got(n *ast.BuiltinNode, from, key *Type) *Type {
	at, nothing := n.Arguments[1], typeOfValues(nil)
	if from.Open {
		return Anything
	}
	isObject, isList := from.Kinds&ObjectKind != 0, from.Kinds&(ListKind|TextKind) != 0
	switch {
	case isObject && isList:
		return in.fault(n, "get takes the name of a member or the number of an element, and %s may be %s; ask type(%s) == 'map' before",
			in.subject(n.Arguments[0]), from.besides(NullKind), pathOf(n.Arguments[0]))
	case isObject && from.grouped:
		in.want(at, key, scalars, "get of groups")
	case isObject && key.Kinds != NullKind:
		in.want(at, key.NotNull(), TextKind, "get of an object")
	case isList:
		in.want(at, key, NumberKind, "get of a list")
	}
	t := nothing
	name, fixed := theText(key)
	switch {
	case isObject && fixed && !from.grouped && from.Kinds == ObjectKind:
		if f := from.Member(name); f.Kinds != 0 {
			return f.orNull()
		}
		return nothing
	case isObject:
		t = Union(t, from.members())
	}
	if from.Kinds&ListKind != 0 {
		t = Union(t, from.item())
	}
	if from.Kinds&TextKind != 0 {
		t = Union(t, Plain(WholeKind))
	}
	return t
}

// members is the type of all members of an object.
func (t *Type) members() *Type {
	if t.Open || t.Kinds&ObjectKind == 0 {
		return Anything
	}
	all := t.Rest
	for _, name := range t.Names() {
		if f := t.Fields[name]; f.Kinds != 0 {
			all = Union(all, f)
		}
	}
	if all == nil {
		return mistaken // of an empty object
	}
	return OrAnything(all.Present())
}

// orNone is the type of an element, or null where a list has none. What is not known to be a list may have any.
func (t *Type) orNone(list *Type) *Type {
	if list.Open && !list.failed {
		return Anything
	}
	return Union(t, typeOfValues(nil))
}

// kindsOfWord are the kinds that the function type tells apart.
var kindsOfWord = []struct {
	word  string
	kinds Kinds
}{
	{"nil", NullKind},
	{"bool", BoolKind},
	{"int", WholeKind},
	{"float", fractionKind},
	{"string", TextKind},
	{"array", ListKind},
	{"map", ObjectKind},
}

// words is the type of what the function type says of a value.
func (t *Type) words() *Type {
	var all []any
	for _, w := range kindsOfWord {
		if t.Kinds&w.kinds != 0 {
			all = append(all, w.word)
		}
	}
	return typeOfValues(all...)
}

// extreme is the type of the largest or smallest of some numbers and lists: null where there is none.
func extreme(all []*Type) *Type {
	t := Plain(NumberKind | NullKind)
	for _, a := range all {
		switch {
		case a.Kinds&^NumberKind == 0, a.Kinds == ListKind && a.least > 0 && a.item().Kinds&^NumberKind == 0:
			return Plain(NumberKind)
		case !a.Open && a.item().Open && !a.item().failed:
			t = t.With(func(u *Type) { u.Open, u.sure = true, NullKind })
		case a.Open:
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
