package expression

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// signature is what a function takes and gives. The check of types and that of arguments at run time both read it.
type signature struct {
	takes []Kinds // of each argument; predicateArg is what is calculated for each element
	least int     // how many arguments it needs
	many  bool    // it takes any number of arguments of the last kind
	gives Kinds   // whatever it is given; 0 where that depends
	loops bool    // it calculates something for each element of a list
}

// predicateArg stands among the kinds of arguments for what a loop calculates.
const predicateArg Kinds = 0

//go:noinline // it is called in a table, as are the two below
func fn(gives Kinds, least int, takes ...Kinds) signature {
	return signature{takes: takes, least: least, gives: gives}
}

//go:noinline
func fnOfMany(gives, takes Kinds) signature {
	return signature{takes: []Kinds{takes}, least: 1, many: true, gives: gives}
}

//go:noinline
func loopFn(gives Kinds, least int, more ...Kinds) signature {
	return signature{takes: append([]Kinds{ListKind, predicateArg}, more...), least: least, gives: gives, loops: true}
}

// signatures are those of all functions of expressions.
var signatures = map[string]signature{
	"len": fn(WholeKind, 1, TextKind|ListKind|ObjectKind), "type": fn(0, 1, AllKinds), "get": fn(0, 2, AllKinds, AllKinds),
	"abs": fn(NumberKind, 1, NumberKind), "ceil": fn(NumberKind, 1, NumberKind), "floor": fn(NumberKind, 1, NumberKind), "round": fn(NumberKind, 1, NumberKind),
	"int": fn(WholeKind, 1, NumberKind|TextKind), "float": fn(NumberKind, 1, NumberKind|TextKind), "string": fn(TextKind, 1, AllKinds),

	"trim": fn(TextKind, 1, TextKind, TextKind), "trimPrefix": fn(TextKind, 1, TextKind, TextKind), "trimSuffix": fn(TextKind, 1, TextKind, TextKind),
	"upper": fn(TextKind, 1, TextKind), "lower": fn(TextKind, 1, TextKind),
	"split": fn(0, 2, TextKind, TextKind, WholeKind), "splitAfter": fn(0, 2, TextKind, TextKind, WholeKind),
	"indexOf": fn(WholeKind, 2, TextKind, TextKind), "lastIndexOf": fn(WholeKind, 2, TextKind, TextKind),
	"hasPrefix": fn(BoolKind, 2, TextKind, TextKind), "hasSuffix": fn(BoolKind, 2, TextKind, TextKind),
	"replace": fn(TextKind, 3, TextKind, TextKind, TextKind, WholeKind), "repeat": fn(TextKind, 2, TextKind, WholeKind), "join": fn(TextKind, 1, ListKind, TextKind),
	"toJSON": fn(TextKind, 1, AllKinds), "fromJSON": fn(0, 1, TextKind), "fromCSV": fn(0, 1, TextKind),
	"toBase64": fn(TextKind, 1, TextKind), "fromBase64": fn(TextKind, 1, TextKind),

	"first": fn(0, 1, ListKind), "last": fn(0, 1, ListKind), "take": fn(0, 2, ListKind, WholeKind), "concat": fnOfMany(0, ListKind),
	"reverse": fn(0, 1, ListKind), "uniq": fn(0, 1, ListKind), "flatten": fn(0, 1, ListKind), "sort": fn(0, 1, ListKind, TextKind),
	"keys": fn(0, 1, ObjectKind), "values": fn(0, 1, ObjectKind), "toPairs": fn(0, 1, ObjectKind), "fromPairs": fn(0, 1, ListKind),
	"max": fnOfMany(0, NumberKind|ListKind), "min": fnOfMany(0, NumberKind|ListKind),
	"mean": fnOfMany(NumberKind, NumberKind|ListKind), "median": fnOfMany(NumberKind, NumberKind|ListKind),

	"all": loopFn(BoolKind, 2), "none": loopFn(BoolKind, 2), "any": loopFn(BoolKind, 2), "one": loopFn(BoolKind, 2),
	"filter": loopFn(0, 2), "map": loopFn(0, 2), "find": loopFn(0, 2), "findLast": loopFn(0, 2),
	"findIndex": loopFn(WholeKind|NullKind, 2), "findLastIndex": loopFn(WholeKind|NullKind, 2),
	"count": loopFn(WholeKind, 1), "sum": loopFn(0, 1), "groupBy": loopFn(0, 2), "sortBy": loopFn(0, 2, TextKind), "reduce": loopFn(0, 2, AllKinds),

	"bitand": fn(WholeKind, 2, WholeKind, WholeKind), "bitor": fn(WholeKind, 2, WholeKind, WholeKind), "bitxor": fn(WholeKind, 2, WholeKind, WholeKind),
	"bitnand": fn(WholeKind, 2, WholeKind, WholeKind), "bitnot": fn(WholeKind, 1, WholeKind),
	"bitshl": fn(WholeKind, 2, WholeKind, WholeKind), "bitshr": fn(WholeKind, 2, WholeKind, WholeKind), "bitushr": fn(WholeKind, 2, WholeKind, WholeKind),
}

// of are the kinds that an argument may have; AllKinds where nothing is asked of it.
func (s signature) of(i int) Kinds {
	switch {
	case s.many:
		return s.takes[0]
	case i < len(s.takes) && s.takes[i] != predicateArg:
		return s.takes[i]
	}
	return AllKinds
}

// String writes what the function takes for a message: "a text and a whole number".
func (s signature) String() string {
	var words []string
	for i, k := range s.takes {
		word := k.String()
		switch k {
		case predicateArg:
			word = "what is calculated for each element"
		case AllKinds:
			word = "any value"
		}
		if i >= s.least {
			word = "perhaps " + word
		}
		words = append(words, word)
	}
	if s.many {
		return "one or more of: " + words[0]
	}
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
	return words[0]
}

// counted says what is wrong with the number of arguments of a call; "" for nothing.
func (s signature) counted(name string, args []ast.Node) string {
	if len(args) >= s.least && (s.many || len(args) <= len(s.takes)) {
		return ""
	}
	found := fmt.Sprintf("%d arguments", len(args))
	switch len(args) {
	case 0:
		found = "nothing"
	case 1:
		found = "one argument"
	}
	return fmt.Sprintf("%s takes %s, found %s", name, s, found)
}
