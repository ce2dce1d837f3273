package vet

import (
	"fmt"
	"go/constant"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// goroutines reports recorded calls that goroutines make with one key or none, and choices between channels that decide
// about recorded calls.
func (c *checker) goroutines(f *function) {
	c.selects(f)
	made := map[string]string{} // key of a call, and where it is made
	for i := range f.events {
		if e := &f.events[i]; e.call != nil {
			if key, fixed := keyText(e); fixed {
				made[key] = "here, in " + c.line(e.at.Pos())
			}
		}
	}
	for i := range f.events {
		at := f.events[i].at
		_, own := at.(*ssa.Go)
		if !own && !launches(at.Common()) {
			continue
		}
		for _, fn := range launched(at.Common()) {
			for _, e := range c.function(fn).events {
				key, fixed := "", false
				if e.call != nil {
					key, fixed = keyText(&e)
				}
				switch {
				case !fixed:
				case f.paths.loops(at):
					c.sharedKey(&e, "several goroutines make this call of "+e.name+" with one key, or without any")
				case made[key] != "":
					c.sharedKey(&e, "a goroutine makes this call of "+e.name+" with the key of another one, "+made[key])
				default:
					made[key] = "in " + c.line(e.at.Pos())
				}
			}
		}
	}
}

func (c *checker) sharedKey(e *event, text string) {
	c.report(finding{
		pos: e.at.Pos(), rule: ruleGoroutine,
		text: text + ": no replay can tell them apart, and the call fails with ErrSharedKey (law N3). " +
			"Give each goroutine a key of its own, such as one with the item's name in it",
	})
}

// launches reports whether a call starts a goroutine for a function: those of errgroup and sync.WaitGroup.
func launches(call *ssa.CallCommon) bool {
	fn := callee(call)
	if fn == nil {
		return false
	}
	name := callName(fn)
	return name == "sync.WaitGroup.Go" || strings.HasSuffix(name, "errgroup.Group.Go") || strings.HasSuffix(name, "errgroup.Group.TryGo")
}

// launched are the functions that a goroutine begins with.
func launched(call *ssa.CallCommon) []*ssa.Function {
	var all []*ssa.Function
	add := func(fn *ssa.Function) {
		if fn != nil && len(fn.Blocks) > 0 {
			all = append(all, fn)
		}
	}
	add(source(call.StaticCallee()))
	for _, arg := range call.Args {
		add(literal(arg))
	}
	return all
}

// keyText names a call for others of its kind: by its key where that is a constant, or has none; fixed is false where the
// key may differ between goroutines.
func keyText(e *event) (text string, fixed bool) {
	common := e.at.Common()
	var keys []ssa.Value
	switch {
	case e.kind == "Step":
		keys = []ssa.Value{common.Args[e.call.key]}
	case e.call.key >= 0 && e.call.key < len(common.Args):
		if _, given := common.Args[e.call.key].(*ssa.Parameter); given {
			return "", false
		}
		keys = keysOf(common.Args[e.call.key])
	}
	if len(keys) == 0 {
		return e.kind, e.call.unkeys
	}
	key, ok := keys[0].(*ssa.Const)
	if !ok || key.Value == nil || key.Value.Kind() != constant.String {
		return "", false
	}
	return fmt.Sprintf("%s %q", e.kind, constant.StringVal(key.Value)), true
}

// selects reports choices between channels that decide which recorded calls are made.
func (c *checker) selects(f *function) {
	for instr := range instructions(f.fn) {
		choice, ok := instr.(*ssa.Select)
		if !ok || !isChance(choice) {
			continue
		}
		var which []ssa.Value
		for _, r := range *choice.Referrers() {
			if e, ok := r.(*ssa.Extract); ok && e.Index == 0 {
				which = append(which, e)
			}
		}
		k := follow(f.fn, true, which)
		if e := f.decided(k); e != nil {
			c.report(finding{
				pos: choice.Pos(), rule: ruleSelect,
				text: fmt.Sprintf("the channel that is ready first decides whether %s is called, and may be another one when the node runs "+
					"again: the run is blocked with ErrDiverged (law N3). Choose within a node.Step, which is recorded", c.named(e)),
			})
		}
	}
}

// isChance reports whether a select has several ways to go on: the end of the context does not count, because what the
// node does then is no outcome (law F3).
func isChance(choice *ssa.Select) bool {
	n := 0
	if !choice.Blocking {
		n++
	}
	for _, state := range choice.States {
		if call, ok := state.Chan.(*ssa.Call); ok {
			if fn := callee(&call.Call); fn != nil && fn.Name() == "Done" {
				continue
			}
		}
		n++
	}
	return n > 1
}

// decided is a recorded call that a condition with such a value in it decides about; nil for none.
func (f *function) decided(k *carried) *event {
	for _, b := range f.fn.Blocks {
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !k.carries(branch.Cond) {
			continue
		}
		for i := range f.events {
			if e := &f.events[i]; e.record && f.paths.decides(branch, e.at) {
				return e
			}
		}
	}
	return nil
}
