package dialogue

import (
	"slices"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
)

// StartedBy says who may begin a flow.
type StartedBy string

// Those who may begin flows. Each may do what those after it may.
const (
	ByUser   StartedBy = "user"   // anybody: users in words, too
	ByButton StartedBy = "button" // a button that the user presses, but no words
	ByLink   StartedBy = "link"   // other flows, and patterns
)

var startedBy = []StartedBy{ByUser, ByButton, ByLink}

// guard compiles what a flow may be begun by, and where. Its condition knows what there is before the flow has begun.
func (c *compiler) guard(f *flow, path string) {
	switch {
	case f.Starts == "" && f.Hidden:
		f.Starts = ByLink
	case f.Starts == "":
		f.Starts = ByUser
	case !slices.Contains(startedBy, f.Starts):
		c.fault(path+".starts", "expected %s, found %q%s", listed(startedBy), f.Starts, c.hints.Hint(string(f.Starts), texts(startedBy)))
	case f.Hidden && f.Starts != ByLink:
		c.fault(path+".hidden", "a hidden flow is begun by links alone; leave out hidden, or starts")
	}
	if f.Hidden = f.Starts == ByLink; f.Starts == ByButton && len(f.Trigger) > 0 {
		c.fault(path+".trigger", "no words begin this flow, since starts is button; leave out the trigger, or starts")
	}
	if f.If == "" {
		return
	}
	code, fault := expression.Compile(f.If)
	if f.guard = code; fault != nil {
		c.faults(path+".if", *fault)
		return
	}
	c.checkCondition(code, path+".if", c.names(nil))
}

// named reports whether users can begin a flow in words.
func (f *flow) named() bool { return f.Starts == ByUser }

// shut reports whether a flow cannot be begun now: its condition does not hold, or cannot be calculated. One that is going
// on is not shut.
func (d *Dialogue) shut(s *State, f *flow) bool {
	if f.guard == nil {
		return false
	}
	holds, err := f.guard.Holds(scopeOf(d.scope(s, nil)))
	return err != nil || !holds
}

// shutFlows are the flows that cannot be begun now.
func (d *Dialogue) shutFlows(s *State) (names []string) {
	for _, f := range d.order {
		if d.shut(s, f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// unavailable says that a flow cannot be begun now. An operator is told why, where its condition cannot be calculated.
func (d *Dialogue) unavailable(ctx node.Context, s *State, f *flow) error {
	if _, err := f.guard.Holds(scopeOf(d.scope(s, nil))); err != nil {
		if err := d.tell(ctx, s, "flow %s: if: %v", f.Name, err); err != nil {
			return err
		}
	}
	return d.pattern(ctx, s, OnUnavailable, &Frame{Flow: f.Name}, nil)
}

// withoutShut leaves out the values that a message gives to flows which cannot be begun: no other flow means them.
func (d *Dialogue) withoutShut(s *State, commands []Command) []Command {
	isShut := func(name string) bool {
		f := d.flows[name]
		return f != nil && d.shut(s, f) && !slices.ContainsFunc(s.Stack, func(o Frame) bool { return o.Flow == name })
	}
	last := ""
	return slices.DeleteFunc(slices.Clone(commands), func(c Command) bool {
		switch c.Type {
		case StartFlow:
			last = c.Flow
		case SetSlot, CorrectSlot:
			if c.Flow != "" {
				return isShut(c.Flow)
			}
			return last != "" && isShut(last)
		}
		return false
	})
}

// rankedWithout is the ranker of the flows that can be begun now.
func (p *phrases) rankedWithout(shut []string) *flowRanker {
	if len(shut) == 0 {
		return p.ranker
	}
	key := string(encoded(shut))
	p.guarded.mu.Lock()
	defer p.guarded.mu.Unlock()
	if r := p.guarded.byShut[key]; r != nil {
		return r
	}
	r := p.dialogue.newFlowRanker(p.locale, shut)
	const most = 32 // sets of flows that are kept
	if p.guarded.byShut == nil || len(p.guarded.byShut) >= most {
		p.guarded.byShut = make(map[string]*flowRanker)
	}
	p.guarded.byShut[key] = r
	return r
}

// asked reports whether a message asks for a flow by its triggers.
func (p *phrases) asksFor(t *Turn, flow string) bool {
	if p.triggers == nil {
		return false
	}
	return slices.ContainsFunc(p.triggers.Match(t.Text, t.Now), func(m phrase.Match) bool { return p.meant[m.ID].flow == flow && m.Score >= likely })
}
