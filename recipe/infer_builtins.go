package recipe

import "github.com/expr-lang/expr/ast"

// takes are the kinds that the language's functions take; for the others the language itself checks.
var takes = map[string][]kinds{
	"len": {textKind | listKind | objectKind}, "abs": {numberKind}, "ceil": {numberKind}, "floor": {numberKind},
	"round": {numberKind}, "int": {numberKind | textKind}, "float": {numberKind | textKind},
	"trim": {textKind, textKind}, "trimPrefix": {textKind, textKind}, "trimSuffix": {textKind, textKind},
	"upper": {textKind}, "lower": {textKind}, "split": {textKind, textKind, wholeKind},
	"splitAfter": {textKind, textKind, wholeKind}, "indexOf": {textKind, textKind}, "lastIndexOf": {textKind, textKind},
	"hasPrefix": {textKind, textKind}, "hasSuffix": {textKind, textKind}, "first": {listKind}, "last": {listKind},
	"take": {listKind, wholeKind}, "keys": {objectKind}, "values": {objectKind}, "toPairs": {objectKind},
	"reverse": {listKind}, "uniq": {listKind}, "sort": {listKind}, "fromPairs": {listKind}, "flatten": {listKind},
	"all": {listKind}, "none": {listKind}, "any": {listKind}, "one": {listKind}, "filter": {listKind}, "map": {listKind},
	"find": {listKind}, "findIndex": {listKind}, "findLast": {listKind}, "findLastIndex": {listKind}, "count": {listKind},
	"sum": {listKind}, "groupBy": {listKind}, "sortBy": {listKind}, "reduce": {listKind},
}

// gives are the kinds that functions give, whatever they are given.
var gives = map[string]kinds{
	"len": wholeKind, "abs": numberKind, "ceil": numberKind, "floor": numberKind, "round": numberKind, "int": wholeKind,
	"float": numberKind, "string": textKind, "type": textKind, "trim": textKind, "trimPrefix": textKind,
	"trimSuffix": textKind, "upper": textKind, "lower": textKind, "indexOf": wholeKind, "lastIndexOf": wholeKind,
	"hasPrefix": boolKind, "hasSuffix": boolKind, "toJSON": textKind, "toBase64": textKind, "all": boolKind,
	"none": boolKind, "any": boolKind, "one": boolKind, "count": wholeKind, "mean": numberKind, "median": numberKind,
	"max": numberKind, "min": numberKind, "findIndex": wholeKind | nullKind, "findLastIndex": wholeKind | nullKind,
}

// builtin is a function of the language.
func (in *inference) builtin(n *ast.BuiltinNode) *valueType {
	var all []*valueType
	var body *valueType // of the loop, where the function is one
	for i, a := range n.Arguments {
		_, loops := a.(*ast.PredicateNode)
		if loops && len(all) > 0 {
			in.items = append(in.items, orAnything(all[0].items))
		}
		t := in.typ(a, strict)
		if loops {
			if len(all) > 0 {
				in.items = in.items[:len(in.items)-1]
			}
			body = t
			in.wantBody(n, a, t)
		} else if k := takes[n.Name]; i < len(k) {
			in.want(a, t, k[i], n.Name)
		}
		all = append(all, t)
	}
	if k, ok := gives[n.Name]; ok {
		return plain(k)
	}
	if len(all) == 0 {
		return anything
	}
	items := orAnything(all[0].items)
	switch n.Name {
	case "filter", "take":
		return listOf(items)
	case "sortBy", "sort", "reverse":
		return all[0].with(func(t *valueType) { t.kinds, t.values = listKind, nil })
	case "uniq":
		return &valueType{kinds: listKind, items: items, least: min(1, all[0].least)}
	case "map":
		return &valueType{kinds: listKind, items: orAnything(body), least: all[0].least, open: all[0].open}
	case "find", "findLast":
		return union(items, typeOfValues(nil))
	case "first", "last":
		if all[0].least > 0 {
			return items
		}
		return union(items, typeOfValues(nil))
	case "sum":
		return in.sum(n, items, body)
	case "split", "splitAfter":
		return listOf(plain(textKind))
	case "keys":
		return listOf(plain(textKind))
	case "concat":
		u := &valueType{kinds: listKind, items: nil}
		for i, t := range all {
			in.want(n.Arguments[i], t, listKind, "concat")
			u.items = union(u.items, orAnything(t.items))
			u.least += t.least
		}
		return u
	case "groupBy":
		return &valueType{kinds: objectKind, rest: listOf(items).optional()}
	}
	return anything
}

func orAnything(t *valueType) *valueType {
	if t == nil || t.kinds == 0 {
		return anything
	}
	return t
}

// wantBody checks what a loop calculates for each element.
func (in *inference) wantBody(n *ast.BuiltinNode, at ast.Node, t *valueType) {
	switch n.Name {
	case "all", "none", "any", "one", "filter", "find", "findIndex", "findLast", "findLastIndex", "count":
		if p, ok := at.(*ast.PredicateNode); ok {
			in.want(p.Node, t, boolKind, n.Name)
		}
	}
}

func (in *inference) sum(n *ast.BuiltinNode, items, body *valueType) *valueType {
	if body == nil {
		body = items
	}
	if body.may(numberKind) {
		in.fault(n.Arguments[len(n.Arguments)-1], "sum adds numbers; an element %s", body.is(numberKind))
	}
	if body.kinds == wholeKind {
		return plain(wholeKind)
	}
	return plain(numberKind)
}
