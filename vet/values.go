package vet

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// values reports times and random values that a replay would have otherwise: they lead the code another way than its
// journal, or stand for something else after a wait than before it.
func (c *checker) values(f *function) {
	for call := range calls(f.fn) {
		o := c.source(call)
		if !o.is() {
			continue
		}
		k := follow(f.fn, true, []ssa.Value{call})
		v := variable{name: o.name, at: call, what: "a time", fix: "node.Now, which is recorded", rule: ruleTime}
		if o.random {
			v.what, v.fix, v.rule = "a value", "draw it in a node.Step, which is recorded", ruleRandom
		} else {
			v.fixes = c.nowFix(f.fn, call)
		}
		if c.diverges(f, k, &v) || c.acrossWait(f, k, &v) {
			continue
		}
		if o.id {
			c.stepsWithID(f, k, &v)
		}
	}
}

// variable is a value that is another one each time.
type variable struct {
	name  string // of the call that it comes from
	at    ssa.Instruction
	what  string
	fix   string
	rule  string
	fixes []analysis.SuggestedFix
}

func (c *checker) complain(v *variable, text string) {
	use := "Use "
	if v.rule != ruleTime {
		use = "Instead, "
	}
	c.report(finding{pos: v.at.Pos(), rule: v.rule, text: text + ". " + use + v.fix, fixes: v.fixes})
}

// diverges reports a value that names a recorded call, or decides which recorded calls are made.
func (c *checker) diverges(f *function, k *carried, v *variable) bool {
	for i := range f.events {
		e := &f.events[i]
		if e.call != nil && keyIs(e, k.carries) {
			c.complain(v, fmt.Sprintf("%s is in the key of %s, and another one when the node runs again: the journal's call is not found, "+
				"and the run is blocked with ErrDiverged (law N3)", v.name, c.named(e)))
			return true
		}
	}
	for i := range f.events {
		e := &f.events[i]
		if e.call != nil && asksUnnamed(e) && k.carries(e.at.Common().Args[1]) {
			c.complain(v, fmt.Sprintf("%s is in what %s shows, and another one when the node runs again: the question is not known again, and "+
				"the run is blocked with ErrDiverged (law N3). A node.ID would name it", v.name, c.named(e)))
			return true
		}
	}
	if e := f.decided(k); e != nil {
		c.complain(v, fmt.Sprintf("%s decides whether %s is called, and may decide otherwise when the node runs again: "+
			"the run is blocked with ErrDiverged (law N3)", v.name, c.named(e)))
		return true
	}
	return false
}

// asksUnnamed reports whether a call asks a question without a node.ID, which is known by all that it shows.
func asksUnnamed(e *event) bool {
	args := e.at.Common().Args
	return (e.kind == "Interrupt" || e.kind == "Ask") && len(args) == 3 && len(keysOf(args[2])) == 0
}

// keyIs reports whether the key of a recorded call is such a value.
func keyIs(e *event, is func(ssa.Value) bool) bool {
	common := e.at.Common()
	if e.call.key < 0 || e.call.key >= len(common.Args) {
		return false
	}
	arg := common.Args[e.call.key]
	if e.kind == "Step" {
		return is(arg)
	}
	return slices.ContainsFunc(keysOf(arg), is)
}

// keysOf are the keys among options: the arguments of node.ID and the like. The options are a slice of an array that is
// filled for the call.
func keysOf(options ssa.Value) []ssa.Value {
	slice, ok := options.(*ssa.Slice)
	if !ok {
		return nil
	}
	var keys []ssa.Value
	for _, r := range *slice.X.Referrers() {
		element, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, r := range *element.Referrers() {
			store, ok := r.(*ssa.Store)
			if !ok {
				continue
			}
			call, ok := store.Val.(*ssa.Call)
			if !ok {
				continue
			}
			if fn := callee(call.Common()); fn != nil && strings.HasPrefix(callName(fn), nodePath+".") &&
				slices.Contains(keyOptions, fn.Name()) {
				keys = append(keys, call.Common().Args[0])
			}
		}
	}
	return keys
}

// acrossWait reports a value that is drawn before a wait and used behind it: there it is that of the last time that the
// function ran.
func (c *checker) acrossWait(f *function, k *carried, v *variable) bool {
	for i := range f.events {
		w := &f.events[i]
		if !w.waits || !f.paths.follows(v.at, w.at) {
			continue
		}
		if used := f.usedBehind(k, v.at, w); used != "" {
			c.complain(v, fmt.Sprintf("%s is %s of its own each time the node goes on after %s, because the function runs again from its "+
				"first line (law N1), and it is used behind that, %s", v.name, v.what, c.named(w), used))
			return true
		}
	}
	return false
}

// usedBehind says where a value is used behind a wait, so that it goes on in the run; "" for nowhere.
func (f *function) usedBehind(k *carried, from ssa.Instruction, w *event) string {
	behind := func(at ssa.Instruction) bool { return f.paths.followsWithout(from, w.at, at) }
	for instr := range instructions(f.fn) {
		switch instr := instr.(type) {
		case *ssa.Return:
			if !onFailure(instr) && slices.ContainsFunc(instr.Results, k.contains) && behind(instr) {
				return "in the result"
			}
		case *ssa.Store:
			if k.carries(instr.Val) && outlives(spotOf(instr.Addr)) && behind(instr) {
				return "in what the node was given"
			}
		}
	}
	for i := range f.events {
		e := &f.events[i]
		if e.call != nil && e.at != w.at && behind(e.at) && usedIn(k, e) {
			return "in " + e.name
		}
	}
	return ""
}

// usedIn reports whether a recorded call is given a value: as an argument, or in the function of a step.
func usedIn(k *carried, e *event) bool {
	for _, arg := range e.at.Common().Args {
		if k.contains(arg) {
			return true
		}
		if closure, ok := arg.(*ssa.MakeClosure); ok && captures(k, closure) {
			return true
		}
	}
	return false
}

// captures reports whether a literal reads what is followed.
func captures(k *carried, closure *ssa.MakeClosure) bool {
	fn, ok := closure.Fn.(*ssa.Function)
	if !ok {
		return false
	}
	for i, binding := range closure.Bindings {
		if k.carries(binding) {
			return true
		}
		for at := range k.spots {
			if at.root == binding && reads(fn, fn.FreeVars[i], at.path) {
				return true
			}
		}
	}
	return false
}

// reads reports whether a literal reads a part of a variable that it has from outside.
func reads(fn *ssa.Function, variable ssa.Value, path string) bool {
	for instr := range instructions(fn) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			at := spotOf(instr.X)
			if instr.Op == token.MUL && at.root == variable &&
				(strings.HasPrefix(path, at.path) || strings.HasPrefix(at.path, path)) {
				return true
			}
		case *ssa.MakeClosure:
			if slices.Contains(instr.Bindings, variable) {
				return true
			}
		}
	}
	return false
}

// stepsWithID advises about an identity that is made up outside of the step that uses it.
func (c *checker) stepsWithID(f *function, k *carried, v *variable) {
	for i := range f.events {
		e := &f.events[i]
		if e.kind == "Step" && f.paths.follows(v.at, e.at) && usedIn(k, e) {
			c.report(finding{
				pos: v.at.Pos(), rule: v.rule, advice: true,
				text: fmt.Sprintf("%s makes up another identity when %s is tried again, so that the outside world cannot tell that it is the "+
					"same call (law J5). Use node.IdempotencyKey, or make it in a node.Step of its own", v.name, c.named(e)),
			})
			return
		}
	}
}
