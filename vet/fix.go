package vet

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// scene is what the source says around a call.
type scene struct {
	call *ast.CallExpr
	stmt ast.Stmt // that the call is all of, or the right side of; nil where it is part of more
	fn   *ast.FuncType
	ctx  string // the name of the node's context
	back string // what the function returns beside an error: the name of its first value; "" where that is not simple
}

// scene looks up a call in the source of its function; ok only where a rewrite is mechanical.
func (c *checker) scene(fn *ssa.Function, at token.Pos) (scene, bool) {
	var s scene
	for _, file := range c.pass.Files {
		if file.FileStart > at || at >= file.FileEnd {
			continue
		}
		path, _ := astutil.PathEnclosingInterval(file, at, at)
		for i, n := range path {
			switch n := n.(type) {
			case *ast.CallExpr:
				if s.call == nil && n.Lparen == at {
					s.call = n
					s.stmt, _ = path[i+1].(ast.Stmt)
				}
			case *ast.FuncLit:
				if s.fn == nil {
					s.fn = n.Type
				}
			case *ast.FuncDecl:
				if s.fn == nil {
					s.fn = n.Type
				}
			}
		}
	}
	if s.call == nil || s.fn == nil || s.stmt == nil || !takesNodeContext(fn.Signature) {
		return s, false
	}
	names := paramNames(s.fn)
	if len(names) == 0 || names[0] == "_" || names[0] == "" {
		return s, false
	}
	s.ctx = names[0]
	results := fn.Signature.Results()
	if results.Len() == 2 && len(names) > 1 && names[1] != "_" && isError(results.At(1).Type()) &&
		types.Identical(results.At(0).Type(), fn.Signature.Params().At(1).Type()) {
		s.back = names[1]
	}
	return s, true
}

func paramNames(fn *ast.FuncType) []string {
	var names []string
	for _, field := range fn.Params.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// text is source as it stands.
func (c *checker) text(n ast.Node) string {
	var b bytes.Buffer
	if format.Node(&b, c.pass.Fset, n) != nil {
		return ""
	}
	return b.String()
}

// stepFix wraps an effect in a step: where its statement is the call alone, and what it returns can be recorded.
func (c *checker) stepFix(fn *ssa.Function, e *event) []analysis.SuggestedFix {
	s, ok := c.scene(fn, e.at.Pos())
	if !ok || strings.ContainsAny(c.text(s.call), "\n") {
		return nil
	}
	results := e.at.Common().Signature().Results()
	assign, ok := s.stmt.(*ast.AssignStmt)
	if !ok || results.Len() == 0 || results.Len() > 2 || !isError(results.At(results.Len()-1).Type()) || len(assign.Rhs) != 1 {
		return nil
	}
	key := strings.ToLower(e.name[strings.LastIndexByte(e.name, '.')+1:])
	open := fmt.Sprintf("node.Step(%s, %q, func(%s node.Context) (", s.ctx, key, s.ctx)
	var edits []analysis.TextEdit
	if results.Len() == 2 {
		basic, ok := results.At(0).Type().(*types.Basic)
		if !ok {
			return nil // a response, a file or a statement's result cannot be recorded: what is read of it can
		}
		edits = []analysis.TextEdit{
			edit(s.call.Pos(), s.call.Pos(), open+basic.Name()+", error) { return "),
			edit(s.call.End(), s.call.End(), " })"),
		}
	} else {
		edits = []analysis.TextEdit{
			edit(assign.Lhs[0].Pos(), assign.Lhs[0].Pos(), "_, "),
			edit(s.call.Pos(), s.call.Pos(), open+"struct{}, error) { return struct{}{}, "),
			edit(s.call.End(), s.call.End(), " })"),
		}
	}
	return []analysis.SuggestedFix{{Message: "make it in a node.Step", TextEdits: edits}}
}

// nowFix replaces `x := time.Now()` by the clock of the run.
func (c *checker) nowFix(fn *ssa.Function, call *ssa.Call) []analysis.SuggestedFix {
	if name := callee(call.Common()); name == nil || callName(name) != "time.Now" {
		return nil
	}
	s, ok := c.scene(fn, call.Pos())
	if !ok || s.back == "" {
		return nil
	}
	assign, ok := s.stmt.(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || c.declared(s, call.Pos(), "err") {
		return nil
	}
	return []analysis.SuggestedFix{{Message: "ask the clock of the run", TextEdits: []analysis.TextEdit{
		edit(assign.Pos(), assign.End(), fmt.Sprintf("%s, err := node.Now(%s)\n%sreturn %s, err\n}",
			c.text(assign.Lhs[0]), s.ctx, "if err != nil {\n", s.back)),
	}}}
}

// declared reports whether a name means something at a place that a new variable would hide or leave unused.
func (c *checker) declared(s scene, at token.Pos, name string) bool {
	scope := c.pass.Pkg.Scope().Innermost(at)
	if scope == nil {
		return true
	}
	found, obj := scope.LookupParent(name, at)
	return obj != nil && found != types.Universe && found != c.pass.Pkg.Scope() && s.fn.Pos() <= obj.Pos()
}

// sleepFix replaces time.Sleep by a timer that lasts.
func (c *checker) sleepFix(fn *ssa.Function, call *ssa.Call) []analysis.SuggestedFix {
	if callName(callee(call.Common())) != "time.Sleep" {
		return nil
	}
	s, ok := c.scene(fn, call.Pos())
	if !ok || s.back == "" {
		return nil
	}
	return []analysis.SuggestedFix{{Message: "wait with node.Sleep", TextEdits: []analysis.TextEdit{
		edit(s.stmt.Pos(), s.stmt.End(), fmt.Sprintf("if err := node.Sleep(%s, %s); err != nil {\nreturn %s, err\n}",
			s.ctx, c.text(s.call.Args[0]), s.back)),
	}}}
}

func edit(from, to token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)}
}
