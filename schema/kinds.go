package schema

import (
	"encoding/json"
	"math/big"
	"math/bits"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// kinds is a set of the kinds of JSON values. Of numbers there are two.
type kinds uint8

const (
	aNull kinds = 1 << iota
	aBoolean
	anInteger
	aFraction
	aString
	anArray
	anObject

	aNumber  = anInteger | aFraction
	anything = aNull | aBoolean | aNumber | aString | anArray | anObject
)

// eachKind are the kinds that the beginning of a value tells apart.
var eachKind = [...]kinds{aNull, aBoolean, aNumber, aString, anArray, anObject}

var kindOf = map[string]kinds{
	"null": aNull, "boolean": aBoolean, "number": aNumber, "integer": anInteger,
	"string": aString, "array": anArray, "object": anObject,
}

// slot is the place of one of eachKind in a list by kind.
func (k kinds) slot() int { return bits.TrailingZeros8(uint8(k)) }

// groups are the kinds one by one, but numbers together.
func (k kinds) groups() (all []kinds) {
	for _, one := range eachKind {
		if k&one != 0 {
			all = append(all, k&one)
		}
	}
	return all
}

func (k kinds) String() string {
	if k == anything {
		return "anything"
	}
	var names []string
	for _, name := range []string{"null", "boolean", "number", "integer", "string", "array", "object"} {
		switch {
		case name == "number" && k&aNumber == aFraction:
			names = append(names, "a number that is no integer")
		case name == "integer" && k&aFraction != 0: // a number already
		case kindOf[name]&k == kindOf[name]:
			names = append(names, withArticle(name))
		}
	}
	return oneOf(names)
}

// typesOf are the kinds that the keyword type leaves.
func typesOf(s *jsonschema.Schema) kinds {
	if s.Bool != nil && !*s.Bool {
		return 0
	}
	if s.Types == nil || s.Types.IsEmpty() {
		return anything
	}
	var k kinds
	for _, name := range s.Types.ToStrings() {
		k |= kindOf[name]
	}
	return k
}

func kindsOfValues(values []any) (all kinds) {
	for _, v := range values {
		all |= kindOfValue(v)
	}
	return all
}

func kindOfValue(v any) kinds {
	switch v := v.(type) {
	case nil:
		return aNull
	case bool:
		return aBoolean
	case string:
		return aString
	case []any:
		return anArray
	case map[string]any:
		return anObject
	case json.Number:
		if n, ok := new(big.Rat).SetString(v.String()); ok && n.IsInt() {
			return anInteger
		}
	}
	return aFraction
}
