package expression

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/vm/runtime"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/nodehost"
)

// Scope is what an expression reads from: the blackboard or an agent's arguments. It belongs to one evaluation at a
// time.
type Scope struct {
	values  map[string]any    // the blackboard, or the arguments
	failure *nodehost.Failure // what the name error stands for; nil where it is a name like any other
	numbers map[string]any    // values in the form that expressions calculate with, as far as they were read
	turns   int               // of all loops, in this evaluation
	made    int               // bytes of texts and lists, in this evaluation
	listed  int               // elements of lists; guards count them
	sorts   [][]any           // what the sortBy around a guard has calculated, innermost last
}

// NewScope makes a scope over values of the blackboard.
func NewScope(values map[string]any, failure *nodehost.Failure) *Scope {
	return &Scope{values: values, failure: failure, numbers: make(map[string]any)}
}

// ErrorName is the name of the failure that led to a node.
const ErrorName = "error"

// FailureValue is what the name error holds.
func FailureValue(f *nodehost.Failure) map[string]any {
	return map[string]any{"message": f.Message, "task": f.Task}
}

// begin starts an evaluation.
func (s *Scope) begin() { s.turns, s.made, s.listed, s.sorts = 0, 0, 0, nil }

// lookup reads a name in the form that expressions calculate with.
func (s *Scope) lookup(name string) (any, bool) {
	if name == ErrorName && s.failure != nil {
		return FailureValue(s.failure), true
	}
	if v, ok := s.numbers[name]; ok {
		return v, true
	}
	v, ok := s.values[name]
	if ok {
		v = numeric(v)
		s.numbers[name] = v
	}
	return v, ok
}

// Set adds a name, for the assignments that follow.
func (s *Scope) Set(name string, value any) {
	s.values[name] = value
	delete(s.numbers, name)
}

// function is a function that expressions call.
type function struct {
	call  func(args ...any) (any, error)
	types []reflect.Type
}

func typeOf[F any]() []reflect.Type { return []reflect.Type{reflect.TypeFor[F]()} }

// ownFunctions are ours: the calls of rewritten expressions, and functions in place of the language's own.
var ownFunctions = map[string]function{
	callName:  {call: readName},
	callField: {call: readField},
	callTurn:  {call: countTurn, types: typeOf[func(any) bool]()},
	callAdd:   {call: add},
	callWeigh: {call: weigh},

	// In the place of the language's own, see inPlace.
	"·keys": {call: keysOf}, "·values": {call: valuesOf}, "·toPairs": {call: toPairs}, "·fromPairs": {call: fromPairs},
	"·groupBy": {call: grouped}, "·get": {call: get}, "·take": {call: take}, "·int": {call: toInt}, "·float": {call: toFloat},

	"toJSON":   {call: toJSON, types: typeOf[func(any) string]()},
	"string":   {call: asText, types: typeOf[func(any) string]()},
	"fromCSV":  {call: fromCSV, types: typeOf[func(string) []any]()},
	"fromJSON": {call: fromJSON, types: typeOf[func(string) any]()},
	"repeat":   {call: repeat, types: typeOf[func(string, int) string]()},
	"replace":  {call: replace, types: append(typeOf[func(string, string, string) string](), typeOf[func(string, string, string, int) string]()...)},
	"join":     {call: joinTexts, types: append(typeOf[func([]any, string) string](), typeOf[func([]any) string]()...)},
}

var (
	errTurns = fmt.Errorf("the loops of the expression turn more than %d times", maxTurns)
	errMade  = fmt.Errorf("the texts and lists that the expression makes take more than %d bytes", maxMade)
	errText  = fmt.Errorf("a text in the expression gets longer than %d bytes", maxText)
)

// readName is ·name(scope, name, lenient).
func readName(args ...any) (any, error) {
	s, name := args[0].(*Scope), args[1].(string) //nolint:forcetypeassert // the rewriter wrote the call
	if v, ok := s.lookup(name); ok || args[2] == true {
		return v, nil
	}
	return nil, &definition.PathError{Path: name, Message: "nothing is called that here" + nearest.Hint(name, Keys(s.values))}
}

// readField is ·field(value, key, path, lenient).
func readField(args ...any) (any, error) {
	value, key, at, lenient := args[0], args[1], args[2].(string), args[3] == true //nolint:forcetypeassert // as above
	miss := func(format string, a ...any) (any, error) {
		if lenient {
			return nil, nil
		}
		return nil, &definition.PathError{Path: at, Message: fmt.Sprintf(format, a...)}
	}
	if kindOf(key)&scalars == 0 {
		if _, texts := value.(map[string]any); !texts && kindOf(value) == ObjectKind {
			return nil, nameFault(key)
		}
	}
	switch v := value.(type) {
	case nil:
		return miss("it is null and holds no %v", key)
	case map[string]any:
		name, ok := key.(string)
		if !ok {
			return nil, &definition.PathError{Path: at, Message: fmt.Sprintf("it is an object: expected a name, found %s", Describe(key))}
		}
		if next, ok := v[name]; ok {
			return next, nil
		}
		return miss("it holds no %q%s", name, nearest.Hint(name, Keys(v)))
	case map[any]any: // fromPairs
		if next, ok := v[key]; ok {
			return next, nil
		}
		return miss("it holds no %v", key)
	case map[any][]any: // groupBy
		if next, ok := v[key]; ok {
			return next, nil
		}
		return miss("it holds no %v", key)
	}
	rv := reflect.ValueOf(value)
	if kind := rv.Kind(); kind != reflect.Slice && kind != reflect.Array && kind != reflect.String {
		return nil, &definition.PathError{Path: at, Message: fmt.Sprintf("it is %s and holds no %v", Describe(value), key)}
	}
	i, ok := wholeOf(key)
	if !ok {
		return nil, &definition.PathError{Path: at, Message: fmt.Sprintf("it is %s: expected the number of an element, found %s", Describe(value), Describe(key))}
	}
	n := rv.Len()
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return miss("it has %d elements and none with the number %v", n, key)
	}
	return plainNumber(runtime.Fetch(value, i)), nil
}

// plainNumber is a value in which a character of a text is a number like any other.
func plainNumber(v any) any {
	if character, ok := v.(uint8); ok {
		return int(character)
	}
	return v
}

// countTurn is ·turn(scope).
func countTurn(args ...any) (any, error) {
	s := args[0].(*Scope) //nolint:forcetypeassert // as above
	if s.turns++; s.turns > maxTurns {
		return nil, errTurns
	}
	return true, nil
}

// weigh is ·weigh(scope, made).
func weigh(args ...any) (any, error) {
	s, size := args[0].(*Scope), 0 //nolint:forcetypeassert // as above
	switch v := args[1].(type) {
	case string:
		size = len(v)
	case []any:
		const element = 16 // bytes of an any
		size = element * len(v)
	case uint8:
		return plainNumber(v), nil
	}
	if s.made += size; s.made > maxMade {
		return nil, errMade
	}
	return args[1], nil
}

// toJSON is the language's own, with a bound on what has the same part many times.
func toJSON(args ...any) (any, error) {
	v, err := kept(args[0])
	if err != nil {
		return nil, fmt.Errorf("toJSON: %w", err)
	}
	data, err := json.MarshalIndent(v, "", "  ")
	return string(data), err
}

// asText is the function string: a text as it is, anything else as JSON.
func asText(args ...any) (any, error) {
	v, err := kept(args[0])
	if err != nil {
		return nil, fmt.Errorf("string: %w", err)
	}
	return Text(v), nil
}

// add is the operator +, with a bound on texts and without a panic.
func add(args ...any) (sum any, err error) {
	a, b := args[0], args[1]
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			if len(x)+len(y) > maxText {
				return nil, errText
			}
			return x + y, nil
		}
	}
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("cannot add %s and %s", Describe(numberText(a)), Describe(numberText(b)))
		}
	}()
	return runtime.Add(a, b), nil
}

// fromJSON is the language's own, but keeps the digits of integers.
func fromJSON(args ...any) (any, error) {
	text, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("fromJSON: expected text, found %s", Describe(args[0]))
	}
	v, err := document.Decode([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("fromJSON: %w", err)
	}
	return numeric(v), nil
}

// repeat is the language's own with a bound.
func repeat(args ...any) (any, error) {
	text, ok := args[0].(string)
	n, isInt := wholeOf(args[1])
	switch {
	case !ok || !isInt:
		return nil, errors.New("repeat: expected a text and how often it is repeated")
	case n < 0:
		return nil, errors.New("repeat: a text cannot be repeated less than 0 times")
	case len(text) > 0 && n > maxText/len(text):
		return nil, errText
	}
	return strings.Repeat(text, n), nil
}

// replace is the language's own with a bound.
func replace(args ...any) (any, error) {
	var texts [3]string
	for i := range texts {
		text, ok := args[i].(string)
		if !ok {
			return nil, fmt.Errorf("replace: expected texts, found %s", Describe(numberText(args[i])))
		}
		texts[i] = text
	}
	n := -1
	if len(args) > 3 {
		var ok bool
		if n, ok = wholeOf(args[3]); !ok {
			return nil, fmt.Errorf("replace: expected how many, found %s", Describe(numberText(args[3])))
		}
	}
	found := utf8.RuneCountInString(texts[0]) + 1
	if texts[1] != "" {
		found = strings.Count(texts[0], texts[1])
	}
	if more := len(texts[2]) - len(texts[1]); more > 0 && found > (maxText-len(texts[0]))/more {
		return nil, errText
	}
	return strings.Replace(texts[0], texts[1], texts[2], n), nil
}

// joinTexts is the language's join, with a bound, of anything that is a text or a number.
func joinTexts(args ...any) (any, error) {
	between := ""
	if len(args) > 1 {
		var ok bool
		if between, ok = args[1].(string); !ok {
			return nil, fmt.Errorf("join: expected a text to put between, found %s", Describe(numberText(args[1])))
		}
	}
	if kindOf(args[0]) != ListKind {
		return nil, fmt.Errorf("join: expected a list, found %s", Describe(numberText(args[0])))
	}
	var b strings.Builder
	for i, e := range elementsIn(args[0]) {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(Text(e))
		if b.Len() > maxText {
			return nil, errText
		}
	}
	return b.String(), nil
}
