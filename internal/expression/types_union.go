package expression

import (
	"cmp"
	"slices"
)

// Union is the type of a value that is of one of two types; nil is none.
func Union(a, b *Type) *Type { return unionAt(a, b, 0) }

func unionAt(a, b *Type, depth int) *Type {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	case a.failed && b.Kinds != 0:
		return b.With(func(u *Type) { u.Missing = a.Missing || b.Missing })
	case b.failed && a.Kinds != 0:
		return a.With(func(u *Type) { u.Missing = a.Missing || b.Missing })
	case depth > maxTypeDepth, a.unknown(), b.unknown():
		return anythingBeside(a, b)
	case a.Kinds == 0 && b.Kinds == 0:
		return Absent
	case a.Kinds == 0:
		return b.optional()
	case b.Kinds == 0:
		return a.optional()
	}
	u := &Type{Kinds: a.Kinds | b.Kinds, Open: a.Open || b.Open, Missing: a.Missing || b.Missing, kept: cmp.Or(a.kept, b.kept)}
	if u.Open {
		u.sure = a.certain() | b.certain()
	}
	if a.whole != nil || b.whole != nil {
		u.whole = unionAt(a.Before(), b.Before(), depth+1)
	}
	u.uniteValues(a, b)
	u.uniteMembers(a, b, depth)
	u.uniteItems(a, b, depth)
	for _, t := range []*Type{a, b} {
		if u.same(t) {
			return t
		}
	}
	return u
}

// anythingBeside is what a value may be that is of one of two types where nothing can be said of one: of what else the file says,
// it keeps the kinds that are certain. A long schema makes this one many times: where one of the two is it, that is returned.
func anythingBeside(a, b *Type) *Type {
	missing, kept, sure := a.Missing || b.Missing, cmp.Or(a.kept, b.kept), a.certain()|b.certain()
	for _, t := range []*Type{a, b, Anything} {
		says := t.Fields != nil || t.Values != nil || t.whole != nil || t.limits != nil || t.fixed != nil || t.failed
		if !says && t.Open && t.Kinds == AllKinds && t.Rest == Anything && t.items == Anything && t.Missing == missing &&
			t.kept == kept && t.sure == sure {
			return t
		}
	}
	return Anything.With(func(u *Type) { u.Missing, u.kept, u.sure = missing, kept, sure })
}

// uniteValues lists what either may be, where both list it.
func (t *Type) uniteValues(a, b *Type) {
	if a.Values == nil || b.Values == nil {
		return
	}
	t.Values = slices.Clone(a.Values)
	for _, v := range b.Values {
		if !slices.Contains(t.Values, v) {
			t.Values = append(t.Values, v)
		}
	}
	if len(t.Values) > maxValues {
		t.Values = nil
	}
}

// uniteMembers takes the members of either object.
func (t *Type) uniteMembers(a, b *Type, depth int) {
	aIs, bIs := a.Kinds&ObjectKind != 0, b.Kinds&ObjectKind != 0
	if !aIs || !bIs {
		if bIs {
			a = b
		}
		t.Fields, t.Rest, t.names, t.grouped = a.Fields, a.Rest, a.names, a.grouped
		return
	}
	t.Fields = make(map[string]*Type)
	for _, name := range append(a.Names(), b.Names()...) {
		t.Fields[name] = unionAt(a.Member(name), b.Member(name), depth+1)
	}
	t.Rest, t.grouped = unionAt(a.Rest, b.Rest, depth+1), a.grouped && b.grouped
	if a.names != nil || b.names != nil {
		t.names = unionAt(a.namesOf(), b.namesOf(), depth+1)
	}
}

// uniteItems takes the items of either list.
func (t *Type) uniteItems(a, b *Type, depth int) {
	aIs, bIs := a.Kinds&ListKind != 0, b.Kinds&ListKind != 0
	if !aIs || !bIs {
		if bIs {
			a = b
		}
		t.items, t.parts, t.least, t.most = a.items, a.parts, a.least, a.most
		return
	}
	t.items, t.least = unionAt(a.items, b.items, depth+1), min(a.least, b.least)
	if a.most > 0 && b.most > 0 {
		t.most = max(a.most, b.most)
	}
	for i := range max(len(a.parts), len(b.parts)) {
		t.parts = append(t.parts, unionAt(a.part(i), b.part(i), depth+1))
	}
}
