package recipe

import (
	"errors"
	"fmt"
	"regexp"
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

// expression is a compiled expression. It is immutable and safe for concurrent use.
type expression struct {
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

// expressionError is what is wrong with an expression, at a character of its text.
type expressionError struct {
	offset  int
	message string
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
	for name, f := range ownFunctions {
		c.Disabled[name] = true
		delete(c.Builtins, name)
		c.Functions[name] = &builtin.Function{Name: name, Func: f.call, Types: f.types}
	}
	return c
}

// compileExpression compiles a text.
func compileExpression(text string) (*expression, *expressionError) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, &expressionError{message: "the expression is empty"}
	case len(text) > maxExpression:
		return nil, &expressionError{message: fmt.Sprintf("the expression has %d bytes; at most %d are read", len(text), maxExpression)}
	case !utf8.ValidString(text):
		return nil, &expressionError{message: "the expression is not UTF-8 text"}
	}
	tree, err := parser.ParseWithConfig(text, newConfig())
	if err != nil {
		return nil, asExpressionError(err)
	}
	e := &expression{text: strings.TrimSpace(text), source: text, root: tree.Node}
	w := rewriter{done: make(map[rewritten]ast.Node)}
	root := w.rewrite(tree.Node, strict)
	if w.err != nil {
		return nil, w.err
	}
	e.names = w.names
	c := newConfig()
	c.WithEnv(nil)
	c.Strict = false
	run := &parser.Tree{Node: root, Source: tree.Source}
	if _, err := new(checker.Checker).Check(run, c); err != nil {
		return nil, asExpressionError(err)
	}
	if e.program, err = compiler.Compile(run, c); err != nil {
		return nil, asExpressionError(err)
	}
	return e, nil
}

func asExpressionError(err error) *expressionError {
	if fe, ok := errors.AsType[*file.Error](err); ok {
		return &expressionError{offset: fe.From, message: plainFault(fe.Message)}
	}
	return &expressionError{message: plainFault(err.Error())}
}

// The language's complaints that plainFault puts in other words.
var (
	unexpectedToken = regexp.MustCompile(`^unexpected token (\w+)\("(.+)"\)$`)
	mismatch        = regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types (.+) and (.+)\)$`)
)

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
	if name, ok := strings.CutPrefix(message, "unknown field "); ok {
		return fmt.Sprintf("there is no field %q", name)
	}
	return message
}

func goTypeName(t string) string {
	switch t {
	case "string":
		return "a text"
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "a boolean"
	case "map[string]interface {}":
		return "an object"
	case "[]interface {}":
		return "a list"
	}
	return t
}

// check checks an expression against what the blackboard may hold, and says of what type it is. It returns all names
// that are not there; ways tells how a place is reached without a name, and may be nil.
func (e *expression) check(known names, r *report, ways func(string) string) (*valueType, []expressionError) {
	in := &inference{source: e.source, known: known, ways: ways, report: r}
	t := in.typ(e.root, strict)
	if len(in.faults) > 0 {
		return anything, in.faults
	}
	env := types.Map{}
	for _, use := range e.names {
		env[use.name] = types.Any
		if u := known.typ(use.name); !u.missing {
			env[use.name] = u.language()
		}
	}
	c := newConfig()
	c.WithEnv(env)
	tree, err := parser.ParseWithConfig(e.source, newConfig()) // a name never hides a function
	if err != nil {
		return anything, []expressionError{*asExpressionError(err)}
	}
	if _, err := new(checker.Checker).Check(tree, c); err != nil {
		return anything, []expressionError{*asExpressionError(err)}
	}
	return t, nil
}

// narrowed is what is known where the expression has been calculated and is true, or false.
func (e *expression) narrowed(known names, truth bool) names {
	in := &inference{source: e.source, known: known, report: &report{hints: maxHints}}
	return in.narrow(e.root, truth)
}

// eval calculates the expression over a scope. The result is as expressions have it: int, float64, string, bool, nil,
// lists and maps.
func (e *expression) eval(s *scope) (any, error) {
	s.turns, s.made = 0, 0
	v, err := vm.Run(e.program, s)
	if err == nil {
		return v, nil
	}
	cause := err
	if fe, ok := errors.AsType[*file.Error](err); ok {
		cause = errors.New(fe.Message)
		if fe.Prev != nil {
			cause = fe.Prev
		}
	}
	return nil, fmt.Errorf("expression %s: %w", quote(e.text), cause)
}

// holds calculates a condition.
func (e *expression) holds(s *scope) (bool, error) {
	v, err := e.eval(s)
	if err != nil {
		return false, err
	}
	yes, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("expression %s: expected true or false, found %s", quote(e.text), typeOf(numberText(v)))
	}
	return yes, nil
}

// result calculates a value for the blackboard.
func (e *expression) result(s *scope) (any, error) {
	v, err := e.eval(s)
	if err != nil {
		return nil, err
	}
	d, err := kept(v)
	if err != nil {
		return nil, fmt.Errorf("expression %s: %w", quote(e.text), err)
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
