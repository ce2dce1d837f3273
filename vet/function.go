package vet

import (
	"go/ast"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// summary is what a call of a function does, for its callers: also in other packages of the module.
type summary struct {
	Effect  string // an effect outside of steps that no wait follows within the function: "http.Post (bank.go:12)"; "" for none
	Waits   bool   // the node may be left inside
	Works   bool   // a recorded call is made that takes time and can fail
	Records bool   // any recorded call is made
	Time    bool   // a result comes from the clock of the machine
	Random  bool   // a result was drawn
	ID      bool   // likewise, as an identity that nobody has yet
}

// AFact makes a summary a fact of the analysis.
func (*summary) AFact() {}

func (s *summary) empty() bool { return *s == summary{} }

// event is a call that matters, at its place in a function.
type event struct {
	at     ssa.CallInstruction
	name   string // of what is called: "node.Step", "post"
	effect string // the effect that it has, "" for none
	via    bool   // it is one of a function that is called here
	waits  bool
	works  bool
	record bool
	call   *recorded // of a recorded call itself
	kind   string    // likewise, its name in package node
}

// function is what is known of a function of the package.
type function struct {
	fn     *ssa.Function
	events []event
	paths  *paths
	sum    summary
}

func (f *function) records() bool { return f.sum.Records }

// function looks at a function once. One that calls itself is seen without that call.
func (c *checker) function(fn *ssa.Function) *function {
	if f, ok := c.functions[fn]; ok {
		return f
	}
	f := &function{fn: fn, paths: newPaths(fn)}
	c.functions[fn] = f
	for instr := range instructions(fn) {
		if call, ok := instr.(ssa.CallInstruction); ok {
			c.addEvent(f, call)
		}
	}
	c.summarise(f)
	return f
}

func (c *checker) addEvent(f *function, at ssa.CallInstruction) {
	if _, deferred := at.(*ssa.Defer); deferred {
		return // it comes when the function is done
	}
	e := event{at: at}
	if fn := callee(at.Common()); fn != nil {
		e.name = shown(fn, c.pass.Pkg)
		switch call, ok := recordedCall(fn); {
		case ok:
			e.call, e.kind, e.record, e.works = &call, nodeName(fn), true, call.works
			e.waits = call.waits || e.kind == "Reason" && reasonAsks(at.Common())
			f.events = append(f.events, e)
			return
		case isEffect(fn, at.Common()):
			e.effect = e.name
		}
	}
	for _, sum := range c.called(at.Common()) {
		if e.effect == "" && sum.Effect != "" {
			e.effect, e.via = sum.Effect, true
		}
		e.waits, e.works, e.record = e.waits || sum.Waits, e.works || sum.Works, e.record || sum.Records
	}
	if e.effect != "" || e.record {
		f.events = append(f.events, e)
	}
}

// called are the summaries of the functions that a call runs: the one that it names, and literals that it is given and
// that are no nodes or steps of their own.
func (c *checker) called(common *ssa.CallCommon) []*summary {
	all := c.directly(common)
	for _, lit := range callbacks(common) {
		all = append(all, &c.function(lit).sum)
	}
	return all
}

// directly is the summary of the function that a call names, if there is one.
func (c *checker) directly(common *ssa.CallCommon) []*summary {
	if fn := callee(common); fn != nil && fn.Pkg() != nil && fn.Pkg() != c.pass.Pkg {
		var sum summary
		if c.pass.ImportObjectFact(fn.Origin(), &sum) {
			return []*summary{&sum}
		}
		return nil
	}
	if static := source(common.StaticCallee()); static != nil && len(static.Blocks) > 0 {
		return []*summary{&c.function(static).sum}
	}
	return nil
}

// callbacks are literals that a call is given and that are no nodes or steps of their own: they run within the call.
func callbacks(common *ssa.CallCommon) (all []*ssa.Function) {
	if fn := callee(common); fn != nil && inFermata(fn) {
		return nil
	}
	for _, arg := range common.Args {
		if lit := literal(arg); lit != nil && lit.Parent() != nil && !takesNodeContext(lit.Signature) {
			all = append(all, lit)
		}
	}
	return all
}

func (c *checker) summarise(f *function) {
	for i := range f.events {
		e := &f.events[i]
		f.sum.Waits, f.sum.Works, f.sum.Records = f.sum.Waits || e.waits, f.sum.Works || e.works, f.sum.Records || e.record
		if e.effect == "" || f.sum.Effect != "" || f.next(e.at, func(e *event) bool { return e.waits }) != nil {
			continue
		}
		f.sum.Effect = e.effect
		if !e.via {
			f.sum.Effect += " (" + c.place(e.at.Pos()) + ")"
		}
	}
	if f.keyed() {
		f.sum.Effect = "" // the outside world is given the key by which it knows the second try
	}
	f.sum.Time = c.returns(f, func(call *ssa.Call) bool { return c.source(call).time })
	f.sum.Random = c.returns(f, func(call *ssa.Call) bool { return c.source(call).random })
	f.sum.ID = f.sum.Random && c.returns(f, func(call *ssa.Call) bool { return c.source(call).id })
}

// keyed reports whether a function asks for its idempotency key outside of steps: then it knows that it runs again.
func (f *function) keyed() bool {
	for instr := range instructions(f.fn) {
		if call, ok := instr.(ssa.CallInstruction); ok {
			if fn := callee(call.Common()); fn != nil && callName(fn) == nodePath+".IdempotencyKey" {
				return true
			}
		}
	}
	return false
}

// next is an event that can follow an instruction, the first in the source; nil for none.
func (f *function) next(after ssa.Instruction, is func(*event) bool) *event {
	var found *event
	for i := range f.events {
		e := &f.events[i]
		if is(e) && f.paths.follows(after, e.at) && (found == nil || e.at.Pos() < found.at.Pos()) {
			found = e
		}
	}
	return found
}

// callee is the function or method that a call names; nil where it calls a value.
func callee(common *ssa.CallCommon) *types.Func {
	if common.IsInvoke() {
		return common.Method
	}
	static := common.StaticCallee()
	if static == nil {
		return nil
	}
	fn, ok := source(static).Object().(*types.Func)
	if !ok {
		return nil
	}
	return fn
}

// source is the function as it is written: without its type arguments.
func source(fn *ssa.Function) *ssa.Function {
	if fn != nil && fn.Origin() != nil {
		return fn.Origin()
	}
	return fn
}

// literal is the function that a value holds for sure; nil for none.
func literal(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return source(v)
	case *ssa.MakeClosure:
		fn, _ := v.Fn.(*ssa.Function)
		return source(fn)
	case *ssa.ChangeType:
		return literal(v.X)
	}
	return nil
}

// nodeName is the name of a function of package node without its package: "Asked.Wait".
func nodeName(fn *types.Func) string { return callName(fn)[len(nodePath)+1:] }

func recordedCall(fn *types.Func) (recorded, bool) {
	if fn.Pkg() == nil || fn.Pkg().Path() != nodePath {
		return recorded{}, false
	}
	call, ok := recordedCalls[nodeName(fn)]
	return call, ok
}

// reasonAsks reports whether a call of node.Reason is given people to ask, as far as this shows at its place.
func reasonAsks(common *ssa.CallCommon) bool {
	load, ok := common.Args[len(common.Args)-1].(*ssa.UnOp)
	if !ok {
		return false
	}
	alloc, ok := load.X.(*ssa.Alloc)
	if !ok {
		return false
	}
	return slices.ContainsFunc(*alloc.Referrers(), func(r ssa.Instruction) bool {
		field, ok := r.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		name := fieldName(field)
		return (name == "Interrupt" || name == "Approval") && len(*field.Referrers()) > 0
	})
}

func fieldName(f *ssa.FieldAddr) string {
	p, ok := f.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return ""
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	return s.Field(f.Field).Name()
}

// declarations are the functions and methods that a package declares.
func declarations(pass *analysis.Pass) iter.Seq[*types.Func] {
	return func(yield func(*types.Func) bool) {
		for _, file := range pass.Files {
			for _, decl := range file.Decls {
				d, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if fn, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok && !yield(fn) {
					return
				}
			}
		}
	}
}

// returns reports whether a result of a function comes from a call that counts as a source.
func (c *checker) returns(f *function, is func(call *ssa.Call) bool) bool {
	var from []ssa.Value
	for call := range calls(f.fn) {
		if is(call) {
			from = append(from, call)
		}
	}
	if len(from) == 0 {
		return false
	}
	carried := c.follow(f.fn, from...)
	for ret := range returnsOf(f.fn) {
		if slices.ContainsFunc(ret.Results, carried.carries) {
			return true
		}
	}
	return false
}

// instructions are those of all blocks of a function.
func instructions(fn *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if !yield(instr) {
					return
				}
			}
		}
	}
}

// calls are the calls that a function makes itself, without those in goroutines and deferred ones.
func calls(fn *ssa.Function) iter.Seq[*ssa.Call] {
	return func(yield func(*ssa.Call) bool) {
		for instr := range instructions(fn) {
			if call, ok := instr.(*ssa.Call); ok && !yield(call) {
				return
			}
		}
	}
}
