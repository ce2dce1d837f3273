package expression

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
)

// Bounds of an expression: the length of its text, the parts it may have, how many times its loops may turn and how
// long a text may get in it.
const (
	maxExpression = 10_000
	maxParts      = 2_000
	maxTurns      = 1_000_000
	maxText       = 4 << 20
	maxMade       = 64 << 20  // bytes of all texts and lists that it makes
	maxValue      = 1_000_000 // elements and members of its result
)

// Expression is a compiled expression. It is immutable and safe for concurrent use.
type Expression struct {
	text    string // for messages
	source  string
	program *vm.Program
	root    ast.Node  // as it was written
	names   []nameUse // the blackboard names it reads
}

// nameUse is a name that an expression reads, and where.
type nameUse struct {
	name   string
	offset int
}

// Fault is what is wrong with an expression, at a character of its text.
type Fault struct {
	Offset  int
	Message string
}

// noClock are the functions that expressions do not have: a run's path may not depend on when it is looked at (J1).
var noClock = []string{"now", "date", "duration", "timezone"}

// newConfig makes the compiler's settings: the language without clocks, and with functions of our own where the
// language's would lose digits or could take any amount of memory.
func newConfig() *conf.Config {
	c := conf.CreateNew()
	c.MaxNodes = maxParts
	c.Optimize = false
	for _, name := range noClock {
		c.Disabled[name] = true
		delete(c.Builtins, name)
	}
	for name, f := range compiled {
		if _, language := builtin.Index[name]; language {
			c.Disabled[name] = true
			delete(c.Builtins, name)
		}
		c.Functions[name] = f
	}
	return c
}

// compiled are our functions as the compiler takes them.
var compiled = func() map[string]*builtin.Function {
	all := make(map[string]*builtin.Function, len(ownFunctions))
	for name, f := range ownFunctions {
		all[name] = &builtin.Function{Name: name, Func: f.call, Types: f.types}
	}
	return all
}()

// Compile compiles a text.
func Compile(text string) (*Expression, *Fault) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, &Fault{Message: "the expression is empty"}
	case len(text) > maxExpression:
		return nil, &Fault{Message: fmt.Sprintf("the expression has %d bytes; at most %d are read", len(text), maxExpression)}
	case !utf8.ValidString(text):
		return nil, &Fault{Message: "the expression is not UTF-8 text"}
	}
	tree, err := parser.ParseWithConfig(text, newConfig())
	if err != nil {
		fault := asExpressionError(err)
		if m := variableMark.FindStringSubmatch(text); m != nil {
			fault.Message = fmt.Sprintf("%q is no expression; a name is written as it is: %s", m[0], cmp.Or(m[1], "amount"))
		}
		return nil, fault
	}
	if size := unfolded(tree.Node, make(map[ast.Node]int)); size > maxUnfolded {
		return nil, &Fault{Message: fmt.Sprintf("comparisons in comparisons have more than %d parts", maxUnfolded)}
	}
	return assemble(tree.Node, text, strict)
}

// assemble compiles a part of the text.
func assemble(n ast.Node, text string, m mode) (*Expression, *Fault) {
	e := &Expression{text: strings.TrimSpace(text), source: text, root: n}
	w := rewriter{done: make(map[rewritten]ast.Node)}
	root := w.rewrite(n, m)
	if w.err != nil {
		return nil, w.err
	}
	e.names = w.names
	c := newConfig()
	c.WithEnv(nil)
	c.Strict = false
	run := &parser.Tree{Node: root, Source: file.NewSource(text)}
	if _, err := new(checker.Checker).Check(run, c); err != nil {
		return nil, asExpressionError(err)
	}
	program, err := compiler.Compile(run, c)
	if err != nil {
		return nil, asExpressionError(err)
	}
	e.program = program
	return e, nil
}

func asExpressionError(err error) *Fault {
	if fe, ok := errors.AsType[*file.Error](err); ok {
		return &Fault{Offset: fe.From, Message: plainFault(fe.Message)}
	}
	return &Fault{Message: plainFault(err.Error())}
}

// variableMark is how other formats write a name within an expression, and how agents here write a variable of the environment.
var variableMark = regexp.MustCompile(`\$\{\s*([\w.]*)[^}]*\}?`)

// The language's complaints that plainFault puts in other words.
var (
	unexpectedToken = regexp.MustCompile(`^unexpected token (\w+)\("(.+)"\)$`)
	mismatch        = regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types (.+) and (.+)\)$`)
)

// misused are what the language says of values that do not fit, before it calculates anything.
var misused = []complaint{
	{regexp.MustCompile(`^array elements can only be selected using an integer \(got (.+)\)$`), "expected the number of an element, found $1"},
	{regexp.MustCompile(`^type string(?:\[int\] is undefined| does not support indexing)$`), "a text has no elements; text[0:1] is its first character"},
	{regexp.MustCompile(`^type (.+) does not support indexing$`), "$1 has no elements"},
	{regexp.MustCompile(`^predicate should has `), "what is calculated for each element is nil, whatever the element is"},
	{regexp.MustCompile(`^unknown pointer #acc$`), "#acc is known in reduce alone"},
	{regexp.MustCompile(`^cannot use (.+) as type string in map key$`), "the names of an object are texts, found $1"},
	{regexp.MustCompile(`^cannot get (first|last) element from (.+)$`), "$1 takes a list, found $2"},
	{regexp.MustCompile(`^cannot take (.+) elements$`), "take takes a list and a whole number, found $1"},
	{regexp.MustCompile(`^non-integer slice index (.+)$`), "expected the number of an element, found $1"},
	{regexp.MustCompile(`^cannot use (.+) as argument \(type (.+)\) to call (\w+) *$`), "$3 takes $2, found $1"},
}

// spelled are words and signs of other languages, and how they are written here.
var spelled = map[string]string{
	"=": "; == compares", "is": "; == compares", "===": "; == compares", "<>": "; != compares", "&": "; write and", "|": "; write or",
}

// plainFault says in our words what the language's compiler says in those of its tokens and Go types.
func plainFault(message string) string {
	if message == "unexpected token EOF" {
		return "the expression ends in the middle"
	}
	if strings.HasPrefix(message, "a map key must be") && strings.HasSuffix(message, `Bracket("{"))`) {
		return "braces are for texts; here the expression stands alone, as in review == 'approve'"
	}
	if m := unexpectedToken.FindStringSubmatch(message); m != nil {
		hint := spelled[m[2]]
		if m[1] == "Operator" && unicode.IsLetter(rune(m[2][0])) {
			hint = fmt.Sprintf("; it is a word of the language, and a name that is called so is written $env[%q]", m[2])
		} else if m[2] == ":" {
			hint = "; in map, filter and the like an object has braces of its own: map(list, {{name: #}})"
		}
		return fmt.Sprintf("%q does not belong here%s", m[2], hint)
	}
	if m := mismatch.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("%s does not go with %s and %s", m[1], goTypeName(m[2]), goTypeName(m[3]))
	}
	for _, c := range slices.Concat(misused, complaints) {
		if said, ok := c.said(message); ok {
			return said
		}
	}
	if name, ok := strings.CutPrefix(message, "unknown field "); ok {
		return fmt.Sprintf("there is no field %q", name)
	}
	return message
}

func goTypeName(t string) string {
	switch {
	case t == "string":
		return "a text"
	case t == "int":
		return "a whole number"
	case t == "float64", t == "uint8":
		return "a number"
	case t == "bool":
		return "a boolean"
	case t == "interface {}":
		return "anything"
	case t == "nil", t == "<nil>", t == "%!s(<nil>)", t == "unknown", t == "invalid", t == "zero":
		return "null"
	case t == "map", strings.HasPrefix(t, "map["), t == "vm.groupBy":
		return "an object"
	case t == "slice", t == "array", strings.HasPrefix(t, "[]"), strings.HasPrefix(t, "[2]"):
		return "a list"
	}
	return t
}

// Place is where in a definition an expression stands.
type Place struct {
	Names Names                          // what the blackboard may hold there
	Ways  func(name string) string       // on which way a name does not come there, as a part of a message; may be nil
	Hints *nearest.Hints                 // nil for none
	Read  func(name string, known Names) // is told of the names that must be there; may be nil

	Remedy  string // what brings a name that may be missing, as a part of a message: "give it a default"; "" for nothing
	NoError string // what is said where ErrorName is not known; "" for what is said of any name
}

// Check checks an expression against what the blackboard may hold, and says of what type it is. It returns all that is
// wrong.
func (e *Expression) Check(at Place) (*Type, []Fault) {
	known := at.Names
	in := &inference{source: e.source, view: view{known: known}, ways: at.Ways, hints: at.Hints, read: at.Read, remedy: at.Remedy, noError: at.NoError, fold: true}
	t := in.typ(e.root, strict)
	if len(in.faults) > 0 {
		return mistaken, in.faults
	}
	env := types.Map{}
	for _, use := range e.names {
		env[use.name] = types.Any
		if u := known.typ(use.name); !u.Missing {
			env[use.name] = u.language()
		}
	}
	c := newConfig()
	c.WithEnv(env)
	tree, err := parser.ParseWithConfig(e.source, newConfig()) // a name never hides a function
	if err != nil {
		return mistaken, []Fault{*asExpressionError(err)}
	}
	if _, err := new(checker.Checker).Check(tree, c); err != nil {
		return mistaken, []Fault{*asExpressionError(err)}
	}
	if in.shaped {
		t = t.onBoard(0)
	}
	return t, nil
}

// Narrowed is what is known where the expression has been calculated and is true, or false.
func (e *Expression) Narrowed(known Names, truth bool) Names {
	in := &inference{source: e.source, view: view{known: known}}
	return in.narrow(e.root, truth).known
}

// eval calculates the expression over a scope. The result is as expressions have it: int, float64, string, bool, nil,
// lists and maps.
func (e *Expression) eval(s *Scope) (any, error) {
	s.turns, s.made = 0, 0
	v, err := vm.Run(e.program, s)
	if err == nil {
		return v, nil
	}
	return nil, e.failed(err)
}

// Holds calculates a condition.
func (e *Expression) Holds(s *Scope) (bool, error) {
	v, err := e.eval(s)
	if err != nil {
		return false, err
	}
	yes, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("expression %s: expected true or false, found %s", document.Quote(e.text), Describe(numberText(v)))
	}
	return yes, nil
}

// Result calculates a value for the blackboard.
func (e *Expression) Result(s *Scope) (any, error) {
	v, err := e.eval(s)
	if err != nil {
		return nil, err
	}
	d, err := kept(v)
	if err != nil {
		return nil, fmt.Errorf("expression %s: %w", document.Quote(e.text), err)
	}
	return d, nil
}

// numberText is the value as the blackboard has it, for messages.
func numberText(v any) any {
	if d, err := kept(v); err == nil {
		return d
	}
	return v
}

// Names are the names that an expression reads, each as often as it does; none where it was wrong.
func (e *Expression) Names() []string {
	if e == nil {
		return nil
	}
	all := make([]string, len(e.names))
	for i, use := range e.names {
		all[i] = use.name
	}
	return all
}
