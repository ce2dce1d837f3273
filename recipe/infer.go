package recipe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/fermata-go/fermata/internal/nearest"
)

// inference finds the type of an expression and what in it can fail for a reason that the file shows: a name or member
// that need not be there, a value of a kind that an operator or function does not take, a comparison that never holds.
type inference struct {
	source string
	known  names
	ways   func(name string) string // on which way to this place a name is missing
	report *report
	bound  []boundName
	items  []*valueType // of the loops around, innermost last
	faults []expressionError
	asked  map[string]bool // names that were reported as missing
	said   int             // where a name was read that means something else, which explains what follows
	end    int             // of that name; 0 for none
}

type boundName struct {
	name string
	typ  *valueType
}

func (in *inference) fault(at ast.Node, format string, args ...any) *valueType {
	if in.end > 0 && at.Location().From != in.said {
		return anything // a name that was read otherwise explains it
	}
	f := expressionError{offset: at.Location().From, message: fmt.Sprintf(format, args...)}
	if !slices.Contains(in.faults, f) {
		in.faults = append(in.faults, f)
	}
	return anything
}

func (in *inference) types(nodes []ast.Node) []*valueType {
	all := make([]*valueType, len(nodes))
	for i, n := range nodes {
		all[i] = in.typ(n, strict)
	}
	return all
}

// typ is the type of a part of the expression.
func (in *inference) typ(n ast.Node, m mode) *valueType {
	switch n := n.(type) {
	case *ast.NilNode:
		return typeOfValues(nil)
	case *ast.BoolNode:
		return typeOfValues(n.Value)
	case *ast.StringNode:
		return typeOfValues(n.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		return typeOfLiteral(n)
	case *ast.IdentifierNode:
		return in.identifier(n, m)
	case *ast.ChainNode:
		return in.typ(n.Node, m)
	case *ast.MemberNode:
		return in.member(n, m)
	case *ast.UnaryNode:
		return in.unary(n)
	case *ast.BinaryNode:
		return in.binary(n)
	case *ast.ConditionalNode:
		return in.conditional(n, m)
	case *ast.SliceNode:
		return in.slice(n)
	case *ast.CallNode:
		return in.call(n)
	case *ast.BuiltinNode:
		return in.builtin(n)
	case *ast.PredicateNode:
		return in.typ(n.Node, strict)
	case *ast.PointerNode:
		return in.pointer(n)
	case *ast.VariableDeclaratorNode:
		in.bound = append(in.bound, boundName{n.Name, in.typ(n.Value, strict)})
		t := in.typ(n.Expr, strict)
		in.bound = in.bound[:len(in.bound)-1]
		return t
	case *ast.SequenceNode:
		all := in.types(n.Nodes)
		return all[len(all)-1]
	case *ast.ArrayNode:
		return in.array(n)
	case *ast.MapNode:
		return in.object(n)
	}
	return anything
}

func typeOfLiteral(n ast.Node) *valueType {
	switch n := n.(type) {
	case *ast.IntegerNode:
		v, _ := dynamic(n.Value)
		return typeOfValues(v)
	case *ast.FloatNode:
		if v, err := dynamic(n.Value); err == nil {
			return typeOfValues(v)
		}
	}
	return plain(numberKind)
}

func (in *inference) pointer(n *ast.PointerNode) *valueType {
	switch {
	case n.Name == "index":
		return plain(wholeKind)
	case n.Name == "" && len(in.items) > 0:
		return in.items[len(in.items)-1]
	}
	return anything
}

func (in *inference) array(n *ast.ArrayNode) *valueType {
	var items *valueType // none of an empty list, which fits any other
	for _, t := range in.types(n.Nodes) {
		items = union(items, t)
	}
	return &valueType{kinds: listKind, items: items, least: len(n.Nodes)}
}

func (in *inference) object(n *ast.MapNode) *valueType {
	t := &valueType{kinds: objectKind, fields: make(map[string]*valueType)}
	for _, p := range n.Pairs {
		pair, ok := p.(*ast.PairNode)
		if !ok {
			continue
		}
		v := in.typ(pair.Value, strict)
		if key, ok := pair.Key.(*ast.StringNode); ok {
			t.fields[key.Value] = v
		} else {
			in.typ(pair.Key, strict)
			t.rest, t.open = anything, true
		}
	}
	return t
}

func (in *inference) identifier(n *ast.IdentifierNode, m mode) *valueType {
	for _, b := range slices.Backward(in.bound) {
		if b.name == n.Value {
			return b.typ
		}
	}
	return in.name(n, n.Value, m)
}

// name is a name of the blackboard.
func (in *inference) name(at ast.Node, name string, m mode) *valueType {
	t := in.known.typ(name)
	offset := at.Location().From
	switch {
	case offset < in.end:
		return anything
	case t.kinds == 0:
		message, length := in.unknown(nameUse{name, offset})
		if length > 0 {
			in.end, in.said = offset+length, offset
		}
		return in.fault(at, "%s", message)
	case m == lenient:
		return t.orNull()
	case t.missing && name == errorName && in.known.board(name).kinds == 0:
		in.fault(at, "error may be missing: not every way here is an on_failure edge; write error?.message ?? '…'")
	case t.missing && !in.asked[name]:
		in.fault(at, "%s", in.missing(name))
		if in.asked == nil {
			in.asked = make(map[string]bool)
		}
		in.asked[name] = true
	default:
		in.report.read(name, in.known)
	}
	return t.present()
}

// missing says that a name may be missing, on which way, and what to do.
func (in *inference) missing(name string) string {
	way, shown := "", name
	if in.ways != nil {
		way = in.ways(name)
	}
	if strings.ContainsAny(name, " -") {
		shown = fmt.Sprintf("$env[%q]", name)
	}
	return fmt.Sprintf("%q may be missing%s; write %s ?? '…' or ask %s != nil before, or give it a default in state.properties",
		name, way, shown, shown)
}

// member is a field or an element.
func (in *inference) member(n *ast.MemberNode, m mode) *valueType {
	key, named := n.Property.(*ast.StringNode)
	if env, ok := n.Node.(*ast.IdentifierNode); ok && env.Value == "$env" && named {
		return in.name(n, key.Value, m || mode(n.Optional))
	}
	if n.Optional || optionalChain(n.Node) {
		m = lenient
	}
	base := in.typ(n.Node, m)
	null := base.kinds&nullKind != 0
	if null && m == strict && !base.open && base.kinds != nullKind {
		in.fault(n.Property, "%s may be null, and null holds nothing; write %s", in.subject(n.Node), optionalForm(n))
	}
	base = base.notNull()
	if null && base.kinds == 0 {
		if m == strict {
			return in.fault(n.Property, "%s is null, and null holds nothing", in.subject(n.Node))
		}
		return typeOfValues(nil)
	}
	var t *valueType
	if named {
		t = in.field(n, base, key.Value, m)
	} else {
		t = in.element(n, base, m)
	}
	if null && m == lenient {
		t = union(t, typeOfValues(nil))
	}
	return t
}

// field is a named member of an object.
func (in *inference) field(n *ast.MemberNode, base *valueType, key string, m mode) *valueType {
	if base.may(objectKind) {
		return in.fault(n.Property, "%s %s and holds no %q", in.subject(n.Node), base.is(objectKind), key)
	}
	f := base.member(key)
	switch {
	case f.kinds == 0:
		return in.fault(n.Property, "%s holds no %q%s", in.subject(n.Node), key, in.report.nearestMember(key, base.names()))
	case m == lenient:
		return f.orNull()
	case f.missing:
		in.fault(n.Property, "%s may be missing: no schema requires it; write %s ?? '…', or put %s in required",
			in.subject(n), optionalForm(n), key)
	}
	return f.present()
}

// is says what a value is that should be of other kinds.
func (t *valueType) is(want kinds) string {
	if t.never(want) {
		return "is " + t.kinds.String()
	}
	return "may be " + (t.kinds &^ want).String()
}

// nearestMember is the nearest member, or all of them where none is near.
func (r *report) nearestMember(found string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	if hint := r.hint(found, known); hint != "" {
		return hint
	}
	return "; it holds " + strings.Join(known, ", ")
}

// element is a numbered element of a list or text, or whatever a calculated key leads to.
func (in *inference) element(n *ast.MemberNode, base *valueType, m mode) *valueType {
	key := in.typ(n.Property, strict)
	number, fixed := indexOf(n.Property)
	switch {
	case base.kinds&^(listKind|textKind) != 0:
		if fixed && base.may(listKind|textKind) {
			return in.fault(n.Property, "%s %s and has no element %d", in.subject(n.Node), base.is(listKind|textKind), number)
		}
		return anything
	case key.may(wholeKind):
		return in.fault(n.Property, "%s is %s: expected the number of an element, found %s", in.subject(n.Node), base.kinds, key)
	}
	t := anything
	if base.kinds == listKind {
		t = orAnything(base.items)
	}
	needed := number + 1
	if number < 0 {
		needed = -number
	}
	if base.kinds == listKind && !base.open && (!fixed || needed > base.least) {
		switch {
		case m == lenient && base.items == nil: // of an empty list
			return typeOfValues(nil)
		case m == lenient:
			return union(t, typeOfValues(nil))
		case fixed:
			in.fault(n.Property, "%s may have fewer elements than %d; write %s ?? '…', or give its schema minItems: %d",
				in.subject(n.Node), needed, optionalForm(n), needed)
		}
	}
	return t
}

// indexOf is the number that an index is written as.
func indexOf(n ast.Node) (int, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return n.Value, true
	case *ast.UnaryNode:
		if i, ok := n.Node.(*ast.IntegerNode); ok && n.Operator == "-" {
			return -i.Value, true
		}
	}
	return 0, false
}

// subject is how a message calls a part of the expression.
func (in *inference) subject(n ast.Node) string {
	if p := pathOf(n); !strings.Contains(p, "…") {
		return strconv.Quote(p)
	}
	return "it"
}

// optionalForm writes a member as one that may be missing.
func optionalForm(n *ast.MemberNode) string {
	base := pathOf(n.Node)
	switch p := n.Property.(type) {
	case *ast.StringNode:
		return base + "?." + p.Value
	default:
		if i, ok := indexOf(p); ok {
			return fmt.Sprintf("%s?.[%d]", base, i)
		}
	}
	return base + "?.[…]"
}

func (in *inference) unary(n *ast.UnaryNode) *valueType {
	t := in.typ(n.Node, strict)
	switch n.Operator {
	case "not", "!":
		in.want(n.Node, t, boolKind, n.Operator)
		if len(t.values) == 1 && t.kinds == boolKind {
			return typeOfValues(t.values[0] == false)
		}
		return plain(boolKind)
	}
	in.want(n.Node, t, numberKind, n.Operator)
	if t.kinds == wholeKind {
		return plain(wholeKind)
	}
	return plain(numberKind)
}

// want checks what an operator or a function is given.
func (in *inference) want(at ast.Node, t *valueType, k kinds, by string) {
	if !t.may(k) {
		return
	}
	hint := ""
	if t.kinds&nullKind != 0 && t.kinds&k != 0 {
		hint = "; say what then with ??"
	}
	in.fault(at, "%s takes %s; %s %s%s", by, k, in.subject(at), t.is(k), hint)
}

func (in *inference) conditional(n *ast.ConditionalNode, m mode) *valueType {
	in.want(n.Cond, in.typ(n.Cond, strict), boolKind, "a choice ( ? : )")
	return union(in.given(n.Cond, true, n.Exp1, m), in.given(n.Cond, false, n.Exp2, m))
}

// given is the type of a part that is calculated only where a condition is true, or false.
func (in *inference) given(cond ast.Node, truth bool, n ast.Node, m mode) *valueType {
	before := in.known
	in.known = in.narrow(cond, truth)
	t := in.typ(n, m)
	in.known = before
	return t
}

func (in *inference) slice(n *ast.SliceNode) *valueType {
	t := in.typ(n.Node, strict)
	in.want(n.Node, t, listKind|textKind, "[from:to]")
	for _, bound := range []ast.Node{n.From, n.To} {
		if bound != nil {
			in.want(bound, in.typ(bound, strict), wholeKind, "[from:to]")
		}
	}
	return t.with(func(u *valueType) { u.values, u.least = nil, 0 })
}

func (in *inference) call(n *ast.CallNode) *valueType {
	all := in.types(n.Arguments)
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return anything
	}
	switch callee.Value {
	case "repeat", "replace", "fromJSON":
		for i, t := range all {
			k := textKind
			if callee.Value == "repeat" && i == 1 || i == 3 {
				k = wholeKind
			}
			in.want(n.Arguments[i], t, k, callee.Value)
		}
		if callee.Value != "fromJSON" {
			return plain(textKind)
		}
	case "toJSON", "string":
		return plain(textKind)
	case "join":
		if len(all) > 0 {
			in.want(n.Arguments[0], all[0], listKind, "join")
		}
		if len(all) > 1 {
			in.want(n.Arguments[1], all[1], textKind, "join")
		}
		return plain(textKind)
	}
	return anything
}

// unknown says that a name is not there, and how many characters that explains. A name with a minus in it reads as a
// subtraction: that is worth a hint.
func (in *inference) unknown(use nameUse) (message string, length int) {
	switch use.name {
	case "null":
		return "there is no null here; write nil", 0
	case errorName:
		return noError, 0
	}
	rest := string([]rune(in.source)[use.offset:])
	var candidates []string
	if in.report.hints < maxHints {
		candidates = in.known.list()
	}
	for _, name := range candidates {
		if strings.Contains(name, "-") && strings.HasPrefix(rest, name) {
			return fmt.Sprintf("nothing is called %q; for the name %q write $env[%q]", use.name, name, name), len([]rune(name))
		}
	}
	hint := in.report.hint(use.name, candidates)
	if hint == "" {
		hint = fmt.Sprintf("; if a text is meant, write '%s'", use.name)
	}
	return fmt.Sprintf("nothing that comes before is called %q%s", use.name, hint), 0
}

// noError says why the name error is not known.
const noError = "there is no error here: the name is known at the end of on_failure edges only"

// never reports a comparison of a value with a text or number that it never is.
func (in *inference) never(op string, at, other ast.Node, lit any, t *valueType) {
	values, few := t.listed()
	if !few || t.open || slices.Contains(values, lit) {
		return
	}
	result := "true"
	if op == "!=" {
		result = "false"
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = literal(v)
	}
	in.fault(at, "this is never %s: %s is never %s, only %s%s", result, in.subject(other), literal(lit), oneOf(words),
		nearest.Hint(textOf(lit), textsOf(values)))
}

func textsOf(values []any) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = textOf(v)
	}
	return all
}
