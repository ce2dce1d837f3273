package expression

import (
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// An expression that cannot be calculated is calculated once more, with a guard before each operator and function. Expressions
// are pure (law J1), so the same part fails again, and its guard sees the values: it says what was expected and what was found.
// Calculations that succeed pay nothing for it. A guard is exactly as strict as what it stands before: what the language
// calculates, it lets pass.

// The functions that guarded expressions call besides.
const (
	callWant    = "·want"    // (value, kinds, function): the value, if it is of the kinds
	callOperate = "·operate" // (operator, left, right): what the operator makes of the two
	callGuard   = "·guard"   // (scope, function, part, value): the value, if the function takes it there
)

// guards are the functions that guarded expressions call.
var guards = map[string]function{
	callWant: {call: wantKinds}, callOperate: {call: operate}, callGuard: {call: guardPart},
}

// errListed says that an expression lists more than the language lets it.
var errListed = fmt.Errorf("the lists that the expression makes have more than %d elements", maxListed)

// maxListed is how many elements the language lets an expression list.
const maxListed = 1_000_000

// kindOf is the kind of a value within an expression.
func kindOf(v any) Kinds {
	switch v.(type) {
	case nil:
		return NullKind
	case bool:
		return BoolKind
	case int, uint8:
		return WholeKind
	case float64:
		return fractionKind // 2.0, too
	case string:
		return TextKind
	}
	switch reflect.TypeOf(v).Kind() {
	case reflect.Map:
		return ObjectKind
	case reflect.Slice, reflect.Array:
		return ListKind
	}
	return 0
}

// shown is a kind for a message: 2.0 is a number, and no fraction.
func (k Kinds) shown() Kinds {
	if k&fractionKind != 0 {
		k |= NumberKind
	}
	return k
}

// kindFound is what a value is, for a message.
func kindFound(v any) string { return kindOf(v).shown().String() }

// wants is an error unless a value is of one of the kinds.
func wants(v any, k Kinds, by string) error {
	if kindOf(v)&k == 0 {
		return fmt.Errorf("%s takes %s, found %s", by, k, kindFound(v))
	}
	return nil
}

func wantKinds(args ...any) (any, error) {
	k, by := args[1].(int), args[2].(string) //nolint:forcetypeassert // the rewriter wrote the call
	return args[0], wants(args[0], Kinds(k), by)
}

// calculate are the operators that a guard calculates itself.
var calculate = map[string]func(a, b any) any{
	"-": runtime.Subtract, "*": runtime.Multiply,
	"/": func(a, b any) any { return runtime.Divide(a, b) }, "%": func(a, b any) any { return runtime.Modulo(a, b) },
	"**": func(a, b any) any { return runtime.Exponent(a, b) }, "^": func(a, b any) any { return runtime.Exponent(a, b) },
	"<": func(a, b any) any { return runtime.Less(a, b) }, "<=": func(a, b any) any { return runtime.LessOrEqual(a, b) },
	">": func(a, b any) any { return runtime.More(a, b) }, ">=": func(a, b any) any { return runtime.MoreOrEqual(a, b) },
	"in": func(a, b any) any { return runtime.In(a, b) },
	"..": func(a, b any) any { return runtime.MakeRange(runtime.ToInt(a), runtime.ToInt(b)) },
}

// operate is an operator with a guard before it.
func operate(args ...any) (any, error) {
	op, l, r := args[0].(string), args[1], args[2] //nolint:forcetypeassert // the rewriter wrote the call
	lk, rk := kindOf(l), kindOf(r)
	never := fmt.Errorf("%s does not go with %s and %s", op, kindFound(l), kindFound(r))
	switch op {
	case "-", "*", "/", "**", "^":
		if (lk|rk)&^NumberKind != 0 {
			return nil, never
		}
	case "<", "<=", ">", ">=":
		if (lk|rk)&^NumberKind != 0 && (lk|rk) != TextKind {
			return nil, never
		}
	case "%":
		switch {
		case lk|rk != WholeKind:
			return nil, never
		case runtime.ToInt(r) == 0:
			return nil, errors.New("the divisor is 0, and nothing can be divided by 0")
		}
	case "..":
		switch {
		case (lk|rk)&^NumberKind != 0:
			return nil, never
		case runtime.ToInt(r)-runtime.ToInt(l) >= maxListed:
			return nil, errListed
		}
	case "in":
		if err := membershipOf(l, r); err != nil {
			return nil, err
		}
	default:
		return operateTexts(op, l, r)
	}
	return calculate[op](l, r), nil
}

// membershipOf says why in cannot look for a value in another.
func membershipOf(needle, in any) error {
	k := kindOf(in)
	if _, texts := in.(map[string]any); texts && kindOf(needle)&(TextKind|NullKind) == 0 {
		return fmt.Errorf("the names of an object are texts, found %s", kindFound(needle))
	}
	switch {
	case k&(ListKind|ObjectKind|NullKind) == 0:
		return fmt.Errorf("in looks for a value in a list or an object, found %s", kindFound(in))
	case k == ObjectKind && kindOf(needle)&scalars == 0:
		return nameFault(needle)
	}
	return nil
}

// operateTexts are the operators of texts. Null goes with anything and is never found.
func operateTexts(op string, l, r any) (any, error) {
	if l == nil || r == nil {
		return false, nil
	}
	for _, v := range []any{l, r} {
		if err := wants(v, TextKind, op); err != nil {
			return nil, err
		}
	}
	a, b := l.(string), r.(string) //nolint:forcetypeassert // as was asked
	switch op {
	case "contains":
		return strings.Contains(a, b), nil
	case "startsWith":
		return strings.HasPrefix(a, b), nil
	case "endsWith":
		return strings.HasSuffix(a, b), nil
	}
	return matches(a, b)
}

func matches(text, pattern string) (any, error) {
	is, err := regexp.MatchString(pattern, text)
	if err != nil {
		return nil, patternFault(err)
	}
	return is, nil
}

// patternFault says what is wrong with a regular expression.
func patternFault(err error) error {
	if wrong, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Errorf("the pattern is no regular expression: %s: `%s`", wrong.Code, wrong.Expr)
	}
	return err
}

// Parts of a call that guards stand before, beside its arguments by number.
const (
	eachTurn = -1 // what a loop calculates for an element
	allTurns = -2 // the list of a loop that takes its elements as they are
	noStart  = -3 // the list of a reduce without a value to begin with
	alone    = -4 // the one argument of max or min, which may be anything but a list of other things than numbers
	whole    = -5 // what the function makes
)

// guardPart lets a value pass that a function takes as one of its parts.
func guardPart(args ...any) (any, error) {
	s, name, part, v := args[0].(*Scope), args[1].(string), args[2].(int), args[3] //nolint:forcetypeassert // the rewriter wrote the call
	switch part {
	case whole:
		if name == "sortBy" {
			s.sorts = s.sorts[:len(s.sorts)-1]
		}
		if s.listed += sizeOf(v); s.listed > maxListed {
			return nil, errListed
		}
		return v, nil
	case eachTurn:
		return v, guardTurn(s, name, v)
	case allTurns:
		for _, e := range elementsIn(v) {
			if err := guardTurn(s, name, e); err != nil {
				return nil, err
			}
		}
	case noStart:
		if k := kindOf(v); k&(ListKind|ObjectKind) != 0 && sizeOf(v) == 0 || v == "" {
			return nil, errors.New("the list is empty, and there is no value to begin with; write one as the third argument of reduce")
		}
	}
	if part == alone && kindOf(v) != ListKind {
		return v, nil
	}
	if signatures[name].loops && part <= 0 {
		return v, guardList(s, name, v)
	}
	return v, guardArgument(name, part, v)
}

// sizeOf is how many elements or members a value has.
func sizeOf(v any) int {
	if kindOf(v)&(ListKind|ObjectKind) != 0 {
		return reflect.ValueOf(v).Len()
	}
	return 0
}

// guardTurn guards what a loop calculates for an element.
func guardTurn(s *Scope, name string, v any) error {
	switch name {
	case "sum":
		return wants(v, NumberKind, name)
	case "groupBy":
		if kindOf(v)&scalars == 0 {
			return nameFault(v)
		}
		return nil
	case "sortBy":
		last := len(s.sorts) - 1
		s.sorts[last] = append(s.sorts[last], v)
		return wantSortable(s.sorts[last])
	case "map", "reduce":
		return nil
	}
	return wants(v, BoolKind, name)
}

// guardArgument guards an argument by its number.
func guardArgument(name string, i int, v any) error {
	switch name {
	case "max", "min", "mean", "median":
		return wantNumbers(v, name)
	case "sort", "sortBy":
		if i > 0 {
			return wantOrder(v)
		}
		return wantSortable(elementsIn(v))
	case "first", "last", "reduce", "type":
		return nil
	case "split", "splitAfter":
		if i == 2 {
			return wants(v, NumberKind, name)
		}
	case "fromBase64":
		if text, ok := v.(string); ok {
			if _, err := base64.StdEncoding.DecodeString(text); err != nil {
				return errors.New("the text is not base64")
			}
		}
	case "bitshl", "bitshr", "bitushr":
		if n, ok := v.(int); ok && i == 1 && n < 0 {
			return errors.New("a shift by less than 0")
		}
	}
	return wants(v, signatures[name].of(i), name)
}

// guardList guards what a loop goes over. The language goes over the characters of a text, too, and over an empty object.
func guardList(s *Scope, name string, v any) error {
	if kindOf(v) == ObjectKind && sizeOf(v) > 0 || kindOf(v)&(ListKind|TextKind|ObjectKind) == 0 {
		return fmt.Errorf("%s takes a list, found %s", name, kindFound(v))
	}
	if name == "sortBy" {
		s.sorts = append(s.sorts, nil)
	}
	return nil
}

// elementsIn are the elements of a list.
func elementsIn(v any) []any {
	if kindOf(v) != ListKind {
		return nil
	}
	list := reflect.ValueOf(v)
	all := make([]any, list.Len())
	for i := range all {
		all[i] = list.Index(i).Interface()
	}
	return all
}

// wantNumbers is an error unless a value is a number, or a list of such.
func wantNumbers(v any, by string) error {
	if err := wants(v, NumberKind|ListKind, by); err != nil {
		return err
	}
	for _, e := range elementsIn(v) {
		if err := wantNumbers(e, by); err != nil {
			return err
		}
	}
	return nil
}

// wantSortable is an error unless values can be put in order: one alone always can.
func wantSortable(all []any) error {
	var found Kinds
	for _, v := range all {
		found |= kindOf(v)
	}
	if len(all) < 2 || found&^NumberKind == 0 || found == TextKind {
		return nil
	}
	return fmt.Errorf("numbers or texts can be put in order, found %s", found.shown())
}

func wantOrder(v any) error {
	switch v {
	case "asc", "desc":
		return nil
	}
	if kindOf(v) != TextKind {
		return fmt.Errorf("the order is a text, 'asc' or 'desc', found %s", kindFound(v))
	}
	return fmt.Errorf("the order is neither 'asc' nor 'desc', found %s", Describe(v))
}

// guardedBinary is an operator in a guarded expression.
func (w *rewriter) guardedBinary(n *ast.BinaryNode, l, r ast.Node) ast.Node {
	switch n.Operator {
	case "and", "&&", "or", "||":
		return &ast.BinaryNode{Operator: n.Operator, Left: w.want(n, l, BoolKind, n.Operator), Right: r}
	case "==", "!=", "??":
		return &ast.BinaryNode{Operator: n.Operator, Left: l, Right: r}
	}
	made := call(callOperate, &ast.StringNode{Value: n.Operator}, l, r)
	return w.listing(n, n.Operator, made)
}

// lists are the functions and operators whose results the language counts against what an expression may list.
var lists = map[string]bool{
	"..": true, "[]": true, "{}": true, "map": true, "filter": true, "sort": true, "sortBy": true, "concat": true, "reverse": true, "flatten": true,
}

// listing is a part that may make a list: where guards are, one counts its elements.
func (w *rewriter) listing(at ast.Node, name string, made ast.Node) ast.Node {
	if !w.guards || !lists[name] {
		return made
	}
	made.SetLocation(at.Location())
	out := guarded(name, whole, made)
	out.SetLocation(at.Location())
	return out
}

// want is a part that is to be of some kinds, in a guarded expression; in any other it is the part.
func (w *rewriter) want(at, part ast.Node, k Kinds, by string) ast.Node {
	if !w.guards || part == nil {
		return part
	}
	made := call(callWant, part, &ast.IntegerNode{Value: int(k)}, &ast.StringNode{Value: by})
	made.SetLocation(at.Location())
	return made
}

func guarded(name string, part int, n ast.Node) *ast.CallNode {
	return call(callGuard, &ast.IdentifierNode{Value: "$env"}, &ast.StringNode{Value: name}, &ast.IntegerNode{Value: part}, n)
}

// guardedArguments are the arguments of a function of the language, each behind its guard.
func guardedArguments(n *ast.BuiltinNode, args []ast.Node) []ast.Node {
	for i, a := range args {
		part := i
		switch {
		case i == 0 && len(args) == 1 && signatures[n.Name].loops:
			part = allTurns
		case i == 0 && len(args) == 2 && n.Name == "reduce":
			part = noStart
		case len(args) == 1 && (n.Name == "max" || n.Name == "min"):
			part = alone
		}
		if p, loops := a.(*ast.PredicateNode); loops {
			if turn, ok := p.Node.(*ast.ConditionalNode); ok {
				turn.Exp1 = guarded(n.Name, eachTurn, turn.Exp1)
				turn.Exp1.SetLocation(n.Location())
			}
			continue
		}
		args[i] = guarded(n.Name, part, a)
		args[i].SetLocation(n.Location())
	}
	return args
}
