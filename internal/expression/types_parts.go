package expression

import (
	"maps"
	"slices"
)

// maxTuple is how many first items of a list are known each for itself.
const maxTuple = 16

// part is the type of an item by its number from the beginning; nil where there is none.
func (t *Type) part(i int) *Type {
	if i >= 0 && i < len(t.parts) {
		return t.parts[i]
	}
	return t.items
}

// item is the type of an item of a list, whichever it is.
func (t *Type) item() *Type {
	if !t.Open && t.Kinds == ListKind && t.items == nil {
		return mistaken // of an empty list
	}
	return OrAnything(t.items)
}

// namesOf is the type of the names of an object.
func (t *Type) namesOf() *Type {
	if t.names == nil {
		return Plain(TextKind)
	}
	return t.names
}

// counts is the type of a number that numbers or counts something: there 2.0 is 2.
func (t *Type) counts() *Type {
	if t.Open || t.Kinds != NumberKind || len(t.Values) == 0 {
		return t
	}
	return t.With(func(u *Type) { u.Kinds = typeOfValues(u.Values...).Kinds })
}

// onBoard is the type of a value once it has left the expression that made it: all names are texts then, and 2.0 is 2.
func (t *Type) onBoard(depth int) *Type {
	if t == nil || t.Open || depth > maxTypeDepth {
		return t
	}
	return t.With(func(u *Type) {
		u.names, u.grouped = nil, false
		if u.Values != nil {
			u.Kinds = typeOfValues(u.Values...).Kinds
		}
		u.Fields = maps.Clone(t.Fields)
		for name, f := range t.Fields {
			u.Fields[name] = f.onBoard(depth + 1)
		}
		u.Rest, u.items, u.parts = t.Rest.onBoard(depth+1), t.items.onBoard(depth+1), slices.Clone(t.parts)
		for i, p := range u.parts {
			u.parts[i] = p.onBoard(depth + 1)
		}
	})
}
