package expression

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
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
	source  string // in which the offsets of parts count
	program *vm.Program
	root    ast.Node  // as it was written
	mode    mode      // of the root
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
	c.MaxNodes = 0 // parse counts them
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
	all := make(map[string]*builtin.Function, len(ownFunctions)+len(guards))
	for _, functions := range []map[string]function{ownFunctions, guards} {
		for name, f := range functions {
			all[name] = &builtin.Function{Name: name, Types: f.types, Func: func(args ...any) (any, error) {
				v, err := f.call(args...)
				if err != nil {
					err = &reason{err}
				}
				return v, err
			}}
		}
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
	root, fault := parse(text)
	if fault != nil {
		return nil, fault
	}
	return assemble(root, text, strict, false)
}

// assemble compiles a part of the text, with guards or without.
func assemble(n ast.Node, text string, m mode, guards bool) (*Expression, *Fault) {
	w := rewriter{done: make(map[rewritten]ast.Node), guards: guards}
	e := &Expression{text: strings.TrimSpace(text), source: text, root: n, mode: m}
	root := w.rewrite(n, m)
	if w.err != nil {
		return nil, w.err
	}
	e.names = w.names
	if fault := e.compile(root); fault != nil {
		return nil, fault
	}
	return e, nil
}

// compile makes the program of the rewritten expression.
func (e *Expression) compile(root ast.Node) *Fault {
	c := newConfig()
	c.WithEnv(nil)
	c.Strict = false
	run := &parser.Tree{Node: root, Source: file.NewSource(e.source)}
	if _, err := new(checker.Checker).Check(run, c); err != nil {
		return e.uncompiled(err)
	}
	program, err := compiler.Compile(run, c)
	if err != nil {
		return e.uncompiled(err)
	}
	e.program = program
	return nil
}

// uncompiled explains an expression that the language does not compile, whatever the names are that it reads. That it does not
// is an API, and so is where; its words are not: our own check of types says what is wrong. TestCheckedAsTheLanguageDoes knows
// no expression of which it has nothing to say; the language's words, as they are, would then be better than nothing.
func (e *Expression) uncompiled(err error) *Fault {
	in := &inference{source: e.source, view: view{known: AnyNames()}}
	in.typ(e.root, e.mode)
	fe, placed := errors.AsType[*file.Error](err)
	for _, f := range in.faults {
		if placed && f.Offset == fe.From {
			return &f
		}
	}
	switch {
	case len(in.faults) > 0:
		return &in.faults[0]
	case placed:
		return &Fault{Offset: fe.From, Message: unexplained + fe.Message}
	}
	return &Fault{Message: unexplained + err.Error()}
}

// unexplained begins the message of what our check of types has nothing to say of.
const unexplained = "the expression cannot be compiled: "

// Place is where in a definition an expression stands.
type Place struct {
	Names Names                          // what the blackboard may hold there
	Ways  func(name string) string       // on which way a name does not come there, as a part of a message; may be nil
	Hints *nearest.Hints                 // nil for none
	Read  func(name string, known Names) // is called with the names that must be set; may be nil

	Remedy  string // what brings a name that may be missing, as a part of a message: "give it a default"; "" for nothing
	NoError string // what is said where ErrorName is not known; "" for what is said of any name
}

// Check checks an expression against what the blackboard may hold. It returns the expression's type and every problem.
func (e *Expression) Check(at Place) (*Type, []Fault) {
	in := &inference{source: e.source, view: view{known: at.Names}, Place: at, names: e.Names(), fold: true}
	t := in.typ(e.root, strict)
	if len(in.faults) > 0 {
		return mistaken, in.faults
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
	s.begin()
	v, err := vm.Run(e.program, s)
	if err == nil {
		return v, nil
	}
	return nil, e.failed(err, s)
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
