package expression

import "github.com/expr-lang/expr/ast"

// builtin is a function of the language.
func (in *inference) builtin(n *ast.BuiltinNode) *Type {
	all, counted := in.arguments(n, n.Name, n.Arguments)
	if !counted {
		return Anything
	}
	var body *predicate // of the loop, where the function is one
	if len(all) > 1 {
		if p, loops := n.Arguments[1].(*ast.PredicateNode); loops {
			body = in.loop(n, p, all)
		}
	}
	in.elements(n, all, body)
	if k := signatures[n.Name].gives; k != 0 {
		return Plain(k)
	}
	return in.made(n, all, body)
}

// arguments checks what a function is given against its signature, and reports whether there are as many as it takes.
func (in *inference) arguments(n ast.Node, name string, args []ast.Node) (all []*Type, counted bool) {
	s := signatures[name]
	if why := s.counted(name, args); why != "" {
		in.fault(n, "%s", why)
		return nil, false
	}
	all = make([]*Type, len(args))
	for i, a := range args {
		if _, loops := a.(*ast.PredicateNode); loops {
			continue
		}
		all[i] = in.typ(a, strict)
		if name == "take" && all[0].Open {
			all[i] = all[i].counts()
		}
		if name != "fromCSV" || all[i].Never(TextKind) { // of which a run may say more
			in.want(a, all[i], s.of(i), name)
		}
	}
	return all, true
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
		for _, t := range all {
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
	if in.isNil(n.Arguments[1]) && from.Kinds == ObjectKind && !from.grouped {
		return in.fault(at, "the names of an object are texts, found null")
	}
	if from.Open {
		return Anything
	}
	switch {
	case in.isNil(n.Arguments[0]):
		return in.fault(n.Arguments[0], "%s is null, and null holds nothing", in.subject(n.Arguments[0]))
	case !in.plain(n.Arguments[0]):
	case from.Kinds == TextKind:
		return in.fault(n.Arguments[0], "%s is a text, and a text has no elements; text[0:1] is its first character", in.subject(n.Arguments[0]))
	case from.Kinds == BoolKind, from.Kinds&^NumberKind == 0:
		return in.fault(n.Arguments[0], "%s is %s and has no elements", in.subject(n.Arguments[0]), from.Kinds)
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
	case from.Kinds == ListKind:
		in.want(at, key.counts(), WholeKind, "get of a list")
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
