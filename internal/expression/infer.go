package expression

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
)

// inference finds the type of an expression and what in it can fail for a reason that the file shows: a name or member
// that need not be there, a value of a kind that an operator or function does not take, a comparison that never holds.
//
// It is one walk.
type inference struct {
	view                       // what is known at the part that is looked at
	Place                      // where the expression stands
	source   string            // in which the offsets of parts count
	names    []string          // that the expression reads of the blackboard; nil where any may be
	faults   []Fault           // what is wrong, in the order in which it was found
	asked    map[string]bool   // names that were reported as missing
	fold     bool              // calculate what is the same in every run
	constant map[ast.Node]bool // what is, as far as it was asked
	compares int               // how many comparisons are around
	said     int               // where a name was read that means something else, which explains what follows
	end      int               // of that name; 0 for none
	shaped   bool              // what is made has a form of its own until it leaves the expression, see onBoard
}

func (in *inference) fault(at ast.Node, format string, args ...any) *Type {
	if in.end > 0 && at.Location().From != in.said {
		return Anything // a name that was read otherwise explains it
	}
	f := Fault{Offset: at.Location().From, Message: fmt.Sprintf(format, args...)}
	if !slices.Contains(in.faults, f) {
		in.faults = append(in.faults, f)
	}
	return Anything
}

func (in *inference) types(nodes []ast.Node) []*Type {
	all := make([]*Type, len(nodes))
	for i, n := range nodes {
		all[i] = in.typ(n, strict)
	}
	return all
}

// typ is the type of a part of the expression.
func (in *inference) typ(n ast.Node, m mode) *Type {
	if !in.fold || !in.calculated(n) {
		return in.inferred(n, m)
	}
	in.fold = false
	before := len(in.faults)
	t := in.inferred(n, m)
	in.fold = true
	if len(in.faults) == before {
		t = in.folded(n, t, m)
	}
	return t
}

// inferred is what follows from the types of the parts of a part.
func (in *inference) inferred(n ast.Node, m mode) *Type {
	switch n := n.(type) {
	case *ast.NilNode:
		return typeOfValues(nil)
	case *ast.BoolNode:
		return typeOfValues(n.Value)
	case *ast.StringNode:
		return typeOfValues(n.Value)
	case *ast.BytesNode:
		return in.fault(n, "b'…' is no text: values are JSON, which has no bytes; leave out the b")
	case *ast.IntegerNode:
		v, _ := Dynamic(n.Value)
		return typeOfValues(v)
	case *ast.FloatNode:
		in.shaped = true
		return typeOfNumber(n.Value)
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
		in.declare(n)
		value, before := in.typ(n.Value, strict), in.view
		in.bound = append(slices.Clip(in.bound), boundName{n.Name, value, in.isNil(n.Value), in.plain(n.Value)})
		t := in.typ(n.Expr, strict)
		in.view = before
		return t
	case *ast.SequenceNode:
		all := in.types(n.Nodes)
		return all[len(all)-1]
	case *ast.ArrayNode:
		return in.array(n)
	case *ast.MapNode:
		return in.object(n)
	}
	return Anything
}

// typeOfNumber is the type of a number that is calculated as a fraction, whichever it is: 2.0 numbers no element.
func typeOfNumber(f float64) *Type {
	v, err := Dynamic(f)
	if err != nil {
		return Plain(NumberKind)
	}
	return typeOfValues(v).With(func(u *Type) { u.Kinds = NumberKind })
}

// pointer is the element of a loop, or what else is known in one.
func (in *inference) pointer(n *ast.PointerNode) *Type {
	if len(in.loops) == 0 {
		return Anything
	}
	around := in.loops[len(in.loops)-1]
	reduces := around.call.Name == "reduce"
	switch {
	case n.Name == "":
		return around.item
	case n.Name == "acc" && reduces:
		return around.acc
	case n.Name == "index" && (reduces || around.call.Name == "map"):
		return Plain(WholeKind)
	case n.Name == "acc":
		return in.fault(n, "#acc is known in reduce alone; # is the element")
	case n.Name == "index":
		return in.fault(n, "#index is known in map and reduce alone, and not in %s; # is the element", around.call.Name)
	}
	return in.fault(n, "there is no #%s%s; # is the element, and .%s its member", n.Name, in.Hints.Hint(n.Name, []string{"index", "acc"}), n.Name)
}

// declare checks the name that let gives a value.
func (in *inference) declare(n *ast.VariableDeclaratorNode) {
	_, function := signatures[n.Name]
	switch {
	case function:
		in.fault(n, "let cannot name a value %s, for that is a function; choose another name", n.Name)
	case in.binding(n.Name) >= 0:
		in.fault(n, "let names %s twice; choose another name", n.Name)
	case slices.Contains(in.names, n.Name):
		in.fault(n, "let cannot name a value %s, for the expression reads that name, too; choose another", n.Name)
	}
}

// isNil reports whether a part is written as nil, so that it is null whatever the names hold.
func (in *inference) isNil(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.NilNode:
		return true
	case *ast.IdentifierNode:
		i := in.binding(n.Value)
		return i >= 0 && in.bound[i].null
	case *ast.ConditionalNode:
		return in.isNil(n.Exp1) && in.isNil(n.Exp2)
	case *ast.BinaryNode:
		return n.Operator == "??" && in.isNil(n.Left) && in.isNil(n.Right)
	case *ast.SequenceNode:
		return in.isNil(n.Nodes[len(n.Nodes)-1])
	case *ast.VariableDeclaratorNode:
		before := in.view
		in.bound = append(slices.Clip(in.bound), boundName{name: n.Name, null: in.isNil(n.Value)})
		is := in.isNil(n.Expr)
		in.view = before
		return is
	}
	return false
}

func (in *inference) array(n *ast.ArrayNode) *Type {
	var items *Type // none of an empty list, which fits any other
	all := in.types(n.Nodes)
	for _, t := range all {
		items = Union(items, t)
	}
	t := &Type{Kinds: ListKind, items: items, least: len(n.Nodes), most: len(n.Nodes)}
	if len(all) <= maxTuple {
		t.parts = all
	}
	return t
}

func (in *inference) object(n *ast.MapNode) *Type {
	t := &Type{Kinds: ObjectKind, Fields: make(map[string]*Type)}
	for _, p := range n.Pairs {
		pair, ok := p.(*ast.PairNode)
		if !ok {
			continue
		}
		v := in.typ(pair.Value, strict)
		if key, ok := pair.Key.(*ast.StringNode); ok {
			t.Fields[key.Value] = v
			continue
		}
		key := in.typ(pair.Key, strict)
		in.want(pair.Key, key, TextKind, "the name of a member")
		t.called(key, v)
	}
	return t
}

// called adds a member whose name is calculated: it may be any of the names, and take the place of another.
func (t *Type) called(key, v *Type) {
	if name, ok := theText(key); ok {
		t.Fields[name] = v
		return
	}
	for name, f := range t.Fields {
		t.Fields[name] = Union(f, v)
	}
	t.Rest = Union(t.Rest, v).optional()
	if t.names = Union(t.names, key); len(t.Fields) > 0 {
		t.names = Union(t.names, Plain(TextKind))
	}
}

// theText is the text that a value always is.
func theText(t *Type) (string, bool) {
	if t.Open || len(t.Values) != 1 {
		return "", false
	}
	name, ok := t.Values[0].(string)
	return name, ok
}

func (in *inference) identifier(n *ast.IdentifierNode, m mode) *Type {
	if i := in.binding(n.Value); i >= 0 {
		return in.bound[i].typ
	}
	return in.name(n, n.Value, m)
}

// name is a name of the blackboard.
func (in *inference) name(at ast.Node, name string, m mode) *Type {
	t := in.known.typ(name)
	offset := at.Location().From
	switch {
	case offset < in.end:
		return Anything
	case t.Kinds == 0:
		message, length := in.unknown(nameUse{name, offset})
		if length > 0 {
			in.end, in.said = offset+length, offset
		}
		return in.fault(at, "%s", message)
	case m == lenient:
		return t.orNull()
	case t.Missing && name == ErrorName && in.known.Board(name).Kinds == 0:
		in.fault(at, "error may be missing: not every way here is an on_failure edge; write error?.message ?? '…'")
	case t.Missing && !in.asked[name]:
		in.fault(at, "%s", in.missing(name))
		if in.asked == nil {
			in.asked = make(map[string]bool)
		}
		in.asked[name] = true
	case in.Read != nil:
		in.Read(name, in.known)
	}
	return t.Present()
}

// missing says that a name may be missing, on which way, and what to do.
func (in *inference) missing(name string) string {
	way, shown := "", name
	if in.Ways != nil {
		way = in.Ways(name)
	}
	if strings.ContainsAny(name, " -") {
		shown = fmt.Sprintf("$env[%q]", name)
	}
	told := fmt.Sprintf("%q may be missing%s; write %s ?? '…' or ask %s != nil before", name, way, shown, shown)
	if in.Remedy != "" {
		told += ", or " + in.Remedy
	}
	return told
}

// Is says what a value is that should be of other kinds.
func (t *Type) Is(want Kinds) string {
	if t.Never(want) {
		return "is " + t.Kinds.String()
	}
	return "may be " + t.besides(want)
}

// subject is how a message calls a part of the expression.
func (in *inference) subject(n ast.Node) string {
	switch n.(type) {
	case *ast.StringNode, *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return cut(pathOf(n))
	}
	if p := pathOf(n); !strings.Contains(p, "…") {
		return strconv.Quote(p)
	}
	return "it"
}

func (in *inference) unary(n *ast.UnaryNode) *Type {
	t := in.typ(n.Node, strict)
	switch n.Operator {
	case "not", "!":
		in.want(n.Node, t, BoolKind, n.Operator)
		if len(t.Values) == 1 && t.Kinds == BoolKind {
			return typeOfValues(t.Values[0] == false)
		}
		return Plain(BoolKind)
	}
	in.want(n.Node, t, NumberKind, n.Operator)
	if t.Kinds == WholeKind {
		return Plain(WholeKind)
	}
	return Plain(NumberKind)
}

// want checks what an operator or a function is given.
func (in *inference) want(at ast.Node, t *Type, k Kinds, by string) {
	if !t.May(k) {
		return
	}
	hint := ""
	if t.Kinds&NullKind != 0 && t.Kinds&k != 0 && k&NullKind == 0 {
		hint = t.because() + "; say what then with ??" + strings.TrimPrefix(in.orWithout(at), " ?? …")
	}
	if k&NumberKind == WholeKind && t.Kinds == NumberKind {
		in.fault(at, "%s takes %s; %s is calculated with fractions; int(…) makes a whole number of it", by, k, in.subject(at))
		return
	}
	in.fault(at, "%s takes %s; %s %s%s", by, k, in.subject(at), t.Is(k), hint)
}

func (in *inference) conditional(n *ast.ConditionalNode, m mode) *Type {
	in.want(n.Cond, in.typ(n.Cond, strict), BoolKind, "a choice ( ? : )")
	return Union(in.given(n.Cond, true, n.Exp1, m), in.given(n.Cond, false, n.Exp2, m))
}

// given is the type of a part that is calculated only where a condition is true, or false.
func (in *inference) given(cond ast.Node, truth bool, n ast.Node, m mode) *Type {
	before := in.view
	in.view = in.narrow(cond, truth)
	t := in.typ(n, m)
	in.view = before
	return t
}

func (in *inference) slice(n *ast.SliceNode) *Type {
	t := in.typ(n.Node, strict)
	in.want(n.Node, t, ListKind|TextKind, "[from:to]")
	for _, bound := range []ast.Node{n.From, n.To} {
		if bound != nil {
			by := in.typ(bound, strict)
			if t.Open {
				by = by.counts()
			}
			in.want(bound, by, WholeKind, "[from:to]")
		}
	}
	return t.With(func(u *Type) { u.Values, u.parts, u.least, u.most, u.fixed = nil, nil, 0, 0, nil })
}

// call is the call of a function that is ours.
func (in *inference) call(n *ast.CallNode) *Type {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return Anything
	}
	if _, counted := in.arguments(n, callee.Value, n.Arguments); !counted {
		return Anything
	}
	if k := signatures[callee.Value].gives; k != 0 {
		return Plain(k)
	}
	if arg, ok := n.Arguments[0].(*ast.CallNode); ok && callee.Value == "fromJSON" && isCallOf(arg, "toJSON") {
		return in.typ(arg.Arguments[0], strict).onBoard(0)
	}
	return Anything
}

func isCallOf(n *ast.CallNode, name string) bool {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	return ok && callee.Value == name && len(n.Arguments) == 1
}

// unknown says that a name is not there, and how many characters that explains. A name with a minus in it reads as a
// subtraction: that is worth a hint.
func (in *inference) unknown(use nameUse) (message string, length int) {
	switch {
	case use.name == "null":
		return "there is no null here; write nil", 0
	case use.name == ErrorName && in.NoError != "":
		return in.NoError, 0
	}
	rest := string([]rune(in.source)[use.offset:])
	var candidates []string
	if in.Hints.Left() {
		candidates = in.known.List()
	}
	for _, name := range candidates {
		if strings.Contains(name, "-") && strings.HasPrefix(rest, name) {
			return fmt.Sprintf("nothing is called %q; for the name %q write $env[%q]", use.name, name, name), len([]rune(name))
		}
	}
	hint := in.Hints.Hint(use.name, candidates)
	if hint == "" {
		hint = fmt.Sprintf("; if a text is meant, write '%s'", use.name)
	}
	return fmt.Sprintf("nothing that comes before is called %q%s", use.name, hint), 0
}

// NoError says of a graph with edges why the name error is not known.
const NoError = "there is no error here: the name is known at the end of on_failure edges only"

// never reports a comparison of a value with a text or number that it never is.
func (in *inference) never(op string, at, other ast.Node, lit any, t *Type) {
	t = t.Before()
	values, few := t.Listed()
	if !few || t.Open || slices.Contains(values, lit) {
		return
	}
	result := "true"
	if op == "!=" {
		result = "false"
	}
	hint := nearest.Hint(Text(lit), TextsOf(values))
	if call, ok := other.(*ast.BuiltinNode); ok && call.Name == "type" && otherWords[lit] != "" {
		hint = "; " + otherWords[lit]
	}
	in.fault(at, "this is never %s: %s is never %s, only %s%s", result, in.subject(other), literal(lit), document.OneOf(literals(values)), hint)
}

// otherWords are the words of schemas for types, and what the function type says in their place.
var otherWords = map[any]string{
	"number": "a number is 'int' or 'float': type(…) in ['int', 'float']", "integer": "a whole number is 'int'",
	"object": "an object is 'map'", "list": "a list is 'array'", "boolean": "a boolean is 'bool'", "text": "a text is 'string'",
	"null": "null is 'nil'",
}

// TextsOf are values as [Text] renders them.
func TextsOf(values []any) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = Text(v)
	}
	return all
}
