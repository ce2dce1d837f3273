package vet

import (
	"fmt"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// maps reports the order of a map where it becomes an order of recorded calls, or of what a node returns.
func (c *checker) maps(f *function) {
	for instr := range instructions(f.fn) {
		switch instr := instr.(type) {
		case *ssa.Range:
			if _, ok := instr.X.Type().Underlying().(*types.Map); ok {
				c.mapLoop(f, instr)
			}
		case *ssa.Call:
			if e := f.eventAt(instr); e != nil && e.record && isMapIterator(instr.Call.Value) {
				c.orderOfCalls(instr.Call.Value.Pos(), e)
			}
			if fn := callee(&instr.Call); fn != nil && callName(fn) == "slices.Collect" && isMapIterator(instr.Call.Args[0]) {
				c.orderOfValues(f, instr.Pos(), []ssa.Value{instr}, nil)
			}
		}
	}
}

func (f *function) eventAt(at ssa.Instruction) *event {
	if i := slices.IndexFunc(f.events, func(e event) bool { return e.at == at }); i >= 0 {
		return &f.events[i]
	}
	return nil
}

// isMapIterator reports whether a value goes over a map: maps.Keys and the like.
func isMapIterator(v ssa.Value) bool {
	if t, ok := v.(*ssa.ChangeType); ok {
		v = t.X
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	fn := callee(&call.Call)
	return fn != nil && slices.Contains([]string{"maps.Keys", "maps.Values", "maps.All"}, callName(fn))
}

func (c *checker) orderOfCalls(pos token.Pos, e *event) {
	calls := "recorded calls are"
	if e.name != "" {
		calls = e.name + " is"
	}
	c.report(finding{
		pos: pos, rule: ruleOrder,
		text: calls + " called in the order of the map, which is another one when the node runs again: the run is blocked with " +
			"ErrDiverged (law N3). Go over slices.Sorted(maps.Keys(…)) instead",
	})
}

// mapLoop looks at a loop over a map.
func (c *checker) mapLoop(f *function, over *ssa.Range) {
	next, body := loopOf(over)
	if next == nil {
		return
	}
	for i := range f.events {
		e := &f.events[i]
		if _, apart := e.at.(*ssa.Go); e.record && !apart && !launches(e.at.Common()) && body[e.at.Block()] {
			c.orderOfCalls(over.Pos(), e)
			return
		}
	}
	var elements []ssa.Value
	for _, r := range *next.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index > 0 {
			elements = append(elements, e)
		}
	}
	k := follow(f.fn, false, elements)
	var gathered []ssa.Value
	var builders []spot
	for b := range body {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Call:
				builtin, ok := instr.Call.Value.(*ssa.Builtin)
				if ok && builtin.Name() == "append" && slices.ContainsFunc(instr.Call.Args[1:], k.appended) {
					gathered = append(gathered, instr)
				} else if s, ok := built(&instr.Call); ok && slices.ContainsFunc(instr.Call.Args[1:], k.appended) {
					builders = append(builders, s)
				}
			case *ssa.BinOp:
				if _, grows := instr.X.(*ssa.Phi); instr.Op == token.ADD && grows && k.carries(instr) {
					gathered = append(gathered, instr)
				}
			}
		}
	}
	if len(gathered)+len(builders) > 0 {
		c.orderOfValues(f, over.Pos(), gathered, builders)
	}
}

// appended reports whether an argument of append, or of a writer, has an element in it.
func (k *carried) appended(v ssa.Value) bool {
	if k.contains(v) {
		return true
	}
	slice, ok := v.(*ssa.Slice)
	return ok && k.within(spotOf(slice.X))
}

// loopOf is the call that takes the next element of a map, and the blocks of the loop's body.
func loopOf(over *ssa.Range) (*ssa.Next, map[*ssa.BasicBlock]bool) {
	for _, r := range *over.Referrers() {
		next, ok := r.(*ssa.Next)
		if !ok {
			continue
		}
		head := next.Block()
		body := reachable(head.Succs[:1], head)
		for b := range reachable(head.Succs[1:], head) {
			delete(body, b) // what comes behind the loop, also by break
		}
		delete(body, head)
		return next, body
	}
	return nil, nil
}

// built is the strings.Builder or bytes.Buffer that a call writes to.
func built(call *ssa.CallCommon) (spot, bool) {
	fn := callee(call)
	if fn == nil || len(call.Args) == 0 {
		return spot{}, false
	}
	name := callName(fn)
	if strings.HasPrefix(name, "strings.Builder.Write") || strings.HasPrefix(name, "bytes.Buffer.Write") {
		return spotOf(call.Args[0]), true
	}
	return spot{}, false
}

// orderOfValues reports where values go that were gathered in the order of a map and not sorted.
func (c *checker) orderOfValues(f *function, pos token.Pos, gathered []ssa.Value, builders []spot) {
	k := &carried{values: map[ssa.Value]bool{}, spots: map[spot]bool{}}
	for _, v := range gathered {
		k.values[v] = true
	}
	for _, s := range builders {
		k.spots[s] = true
	}
	k.spread(f.fn)
	if f.sorts(k) {
		return
	}
	for i := range f.events {
		e := &f.events[i]
		if e.call != nil && (keyIs(e, k.carries) || e.works && f.paths.loops(e.at) && usedIn(k, e)) {
			c.report(finding{
				pos: pos, rule: ruleOrder,
				text: fmt.Sprintf("the order of the map reaches %s, and is another one when the node runs again: a call would get the result of "+
					"another one, or the run is blocked with ErrDiverged (law N3). Sort the values first", c.named(e)),
			})
			return
		}
	}
	if !takesNodeContext(f.fn.Signature) {
		return // its caller may sort
	}
	for ret := range returnsOf(f.fn) {
		if !onFailure(ret) && slices.ContainsFunc(ret.Results, k.contains) {
			c.report(finding{
				pos: pos, rule: ruleOrder, advice: true,
				text: "the order of the map reaches the node's result, which differs from run to run, and from a run to its fork. " +
					"Sort the values first, with slices.Sort",
			})
			return
		}
	}
}

// sorts reports whether a function sorts what is followed.
func (f *function) sorts(k *carried) bool {
	for call := range calls(f.fn) {
		fn := callee(&call.Call)
		if fn == nil || !strings.Contains(strings.ToLower(fn.FullName()), "sort") {
			continue
		}
		if slices.ContainsFunc(call.Call.Args, k.contains) {
			return true
		}
	}
	return false
}

func returnsOf(fn *ssa.Function) iter.Seq[*ssa.Return] {
	return func(yield func(*ssa.Return) bool) {
		for _, b := range fn.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !yield(ret) {
				return
			}
		}
	}
}
