package vet

import (
	"fmt"
	"go/constant"
	"go/token"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"
)

// effects reports effects that happen again: those that a wait follows, and, as advice, those that other work follows.
// An effect that nothing follows is as safe as a step: it can happen once more after a crash, and so can a step's.
func (c *checker) effects(f *function) {
	if f.keyed() {
		return
	}
	for i := range f.events {
		e := &f.events[i]
		if e.effect == "" {
			continue
		}
		what := e.effect
		if e.via {
			what = e.name + ", which does " + e.effect + ","
			if e.name == "" {
				what = e.effect
			}
		}
		if w := f.next(e.at, func(e *event) bool { return e.waits }); w != nil {
			c.report(finding{
				pos: e.at.Pos(), rule: ruleEffect, fixes: c.stepFix(f.fn, e),
				text: fmt.Sprintf("%s happens again each time the node goes on after %s: the function runs again from its first "+
					"line (law N1). Make it in a node.Step: a recorded step happens no second time (law J5)", what, c.named(w)),
			})
			continue
		}
		if w := f.next(e.at, func(o *event) bool { return o.works && o != e }); w != nil {
			c.report(finding{
				pos: e.at.Pos(), rule: ruleEffect, advice: true, fixes: c.stepFix(f.fn, e),
				text: fmt.Sprintf("%s happens again when %s fails and the node is tried again, or when a crash comes in between: "+
					"nothing records it (law J5). Make it in a node.Step of its own", what, c.named(w)),
			})
		}
	}
}

// named is an event in a message: "node.Interrupt (line 12)".
func (c *checker) named(e *event) string {
	name := e.name
	if name == "" {
		name = "the call"
	}
	return name + " (" + c.line(e.at.Pos()) + ")"
}

// shortest is the pause from which on it matters that a goroutine is held and that a crash forgets it.
const shortest = time.Second

// pauses reports waits that are not the run's.
func (c *checker) pauses(f *function) {
	for call := range calls(f.fn) {
		fn := callee(call.Common())
		if fn == nil || !isPause(callName(fn), call) || isShort(call.Common()) {
			continue
		}
		name := shown(fn, c.pass.Pkg)
		if w := f.next(call, func(e *event) bool { return e.waits }); w != nil {
			c.report(finding{
				pos: call.Pos(), rule: ruleTime, fixes: c.sleepFix(f.fn, call),
				text: fmt.Sprintf("%s waits again each time the node goes on after %s (law N1). "+
					"node.Sleep waits once, and holds no goroutine", name, c.named(w)),
			})
			continue
		}
		if strings.HasSuffix(c.pass.Fset.Position(call.Pos()).Filename, "_test.go") {
			continue // tests pause to stand for work
		}
		c.report(finding{
			pos: call.Pos(), rule: ruleTime, advice: true, fixes: c.sleepFix(f.fn, call),
			text: name + " holds a goroutine, and a crash begins the wait anew. node.Sleep is a timer that lasts and holds nothing (law N1)",
		})
	}
}

// isPause reports whether a call only lets time pass: time.Sleep, and time.After where nothing else is waited for but the
// end of the context.
func isPause(name string, call *ssa.Call) bool {
	if name != "time.After" {
		return name == "time.Sleep"
	}
	return slices.ContainsFunc(*call.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.UnOp:
			return r.Op == token.ARROW
		case *ssa.Select:
			return r.Blocking && !isChance(r)
		}
		return false
	})
}

// isShort reports whether a pause is known to be shorter than matters.
func isShort(common *ssa.CallCommon) bool {
	c, ok := common.Args[0].(*ssa.Const)
	if !ok || c.Value == nil {
		return false
	}
	n, exact := constant.Int64Val(constant.ToInt(c.Value))
	return exact && time.Duration(n) < shortest
}

// globals reports writes to variables of a package.
func (c *checker) globals(f *function) {
	for instr := range instructions(f.fn) {
		global := written(instr)
		if global == nil || f.fn.Name() == "init" {
			continue
		}
		c.report(finding{
			pos: instr.Pos(), rule: ruleGlobal, advice: true,
			text: fmt.Sprintf("the node writes the package's variable %s, which no journal holds: it is written again when the node "+
				"runs again, and another process does not have it (law J1). Keep it in the state, or in a service (node.Service)",
				global.Name()),
		})
	}
}

// written is the package's variable that an instruction writes to; nil for none.
func written(instr ssa.Instruction) *ssa.Global {
	switch instr := instr.(type) {
	case *ssa.Store:
		global, _ := spotOf(instr.Addr).root.(*ssa.Global)
		return global
	case *ssa.MapUpdate:
		if load, ok := instr.Map.(*ssa.UnOp); ok {
			global, _ := spotOf(load.X).root.(*ssa.Global)
			return global
		}
	}
	return nil
}

// origin is where a value comes from that is another one each time.
type origin struct {
	name             string
	time, random, id bool
}

func (o origin) is() bool { return o.time || o.random }

// source says whether a call gives a value that is another one each time.
func (c *checker) source(call *ssa.Call) origin {
	fn := callee(call.Common())
	if fn == nil || fn.Pkg() == nil {
		return origin{}
	}
	name := callName(fn)
	o := origin{name: shown(fn, c.pass.Pkg), time: timeCalls[name], random: isRandom(fn), id: isID(fn)}
	if o.is() {
		return o
	}
	for _, sum := range c.directly(call.Common()) {
		o.time, o.random, o.id = o.time || sum.Time, o.random || sum.Random, o.id || sum.ID
	}
	return o
}
