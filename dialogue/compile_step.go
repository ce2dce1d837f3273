package dialogue

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// step compiles what is in a step. Types and names are checked by analyse.
func (c *compiler) step(f *flow, st *step) {
	types := []StepType{CollectStep, ConfirmStep, InformStep, ActionStep, SetStep, BranchStep, WhileStep, CallStep, LinkStep}
	switch st.Type {
	case CollectStep:
		c.collect(f, st)
	case ConfirmStep:
		c.message(st, "a confirm step needs a message: the question that is answered with yes or no")
		if st.onDeny = Stop; st.OnDeny != "" {
			st.onDeny = c.target(f, st.OnDeny, st.path+".on_deny")
		}
		c.alternatives(f, st)
	case InformStep:
		c.message(st, "an inform step needs a message")
	case ActionStep:
		c.action(f, st)
	case SetStep:
		c.set(st)
	case BranchStep:
		c.branch(f, st)
	case WhileStep:
		c.while(f, st)
	case CallStep, LinkStep:
		c.other(st)
	default:
		c.fault(st.path+".type", "%q is no type of steps; expected %s%s", st.Type, listed(types), nearest.Hint(string(st.Type), texts(types)))
	}
	slices.Sort(st.reads)
	st.reads = slices.Compact(st.reads)
}

func (c *compiler) message(st *step, needed string) {
	if strings.TrimSpace(st.Message) == "" && len(st.Texts) == 0 {
		c.fault(st.path, "%s", needed)
	}
	st.message = c.messageOf(st.Message, st.Texts, st.path+".message")
	st.reads = append(st.reads, st.message.Names()...)
}

func (c *compiler) collect(f *flow, st *step) {
	if st.Slot == "" {
		c.fault(st.path, "a collect step names the slot that it asks for")
		return
	}
	sl := c.d.slotOf(f, st.Slot)
	if sl == nil {
		c.fault(st.path+".slot", "there is no slot %q%s", st.Slot, hintOr(st.Slot, append(keysOf(f.slots), keysOf(c.d.slots)...)))
		return
	}
	sl.asked = true
	st.reads = append(st.reads, st.Slot)
	if sl.validate != nil {
		st.reads = append(st.reads, sl.validate.Names()...)
	}
	c.message(st, "a collect step needs a message: the question that the user is asked")
}

// action compiles a call. Its inputs default to the slots that have the names of its parameters.
func (c *compiler) action(f *flow, st *step) {
	a := c.actions[st.Call]
	for _, out := range st.Outputs {
		path := st.path + ".outputs." + out.Name
		c.valueName(out.Name, path)
		st.outs = append(st.outs, assignment{name: out.Name, path: out.Value, place: path})
		st.writes = append(st.writes, out.Name)
	}
	switch {
	case st.Call == "":
		c.fault(st.path, "an action step names what it calls")
		return
	case a == nil:
		c.fault(st.path+".call", "there is no action %q%s", st.Call, hintOr(st.Call, keysOf(c.actions)))
		return
	}
	if st.action = a; a.Plan != nil && (st.Retries > 0 || st.Timeout > 0) {
		c.tried(st)
	}
	params, required := parameters(a)
	given := make([]string, 0, len(st.Inputs))
	for _, in := range st.Inputs {
		path := st.path + ".inputs." + in.Name
		if params != nil && !slices.Contains(params, in.Name) {
			c.fault(path, "the action %q takes no %q%s", st.Call, in.Name, hintOr(in.Name, params))
		}
		given = append(given, in.Name)
		st.inputs = append(st.inputs, assignment{name: in.Name, code: c.formula(st, in.Value, path), place: path})
	}
	if st.Inputs == nil {
		for _, name := range params {
			st.inputs = append(st.inputs, assignment{name: name, place: st.path, needed: slices.Contains(required, name)})
			st.reads = append(st.reads, name)
		}
	} else {
		for _, name := range required {
			if !slices.Contains(given, name) {
				c.fault(st.path+".inputs", "the action %q needs %q", st.Call, name)
			}
		}
	}
	if st.OnError != "" {
		if c.target(f, st.OnError, st.path+".on_error"); slices.Contains(reservedSteps, st.OnError) {
			c.fault(st.path+".on_error", "on_error names a step; without it a failure ends the flow")
		}
	}
	if st.Retries < 0 || st.Timeout < 0 {
		c.fault(st.path, "retries and timeout cannot be below 0")
	}
}

// tried gives the one node of an action that is a plan the step's retries and timeout.
func (c *compiler) tried(st *step) {
	def := st.action.Plan.Definition()
	if len(def.Nodes) != 1 || def.Nodes[0].Run == nil {
		c.fault(st.path, "the action %q has steps of its own, which say themselves how often and how long they are tried: leave out retries and timeout_seconds", st.Call)
		return
	}
	def.Nodes = slices.Clone(def.Nodes)
	n := &def.Nodes[0]
	n.Retry.Attempts = max(n.Retry.Attempts, st.Retries+1)
	if st.Timeout > 0 {
		n.Timeout = st.Timeout
	}
	p, err := plan.New(def)
	if err != nil {
		c.fault(st.path, "the action %q: %v", st.Call, err)
		return
	}
	with := *st.action
	with.Plan, st.action = p, &with
}

// parameters are the names that an action knows, and those that it needs; nil where it takes anything.
func parameters(a *Action) (known, required []string) {
	if a.In == nil {
		return nil, nil
	}
	var doc struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(a.In.JSON(), &doc); err != nil || doc.Properties == nil {
		return nil, nil // a schema that says less, such as true
	}
	return keysOf(doc.Properties), doc.Required
}

// valueName checks the name of what a step writes: expressions read it.
func (c *compiler) valueName(name, path string) {
	if !wordRule.MatchString(name) {
		c.fault(path, "%q is no name for a value; expected a letter, and then letters, digits and _", name)
	}
}

func (c *compiler) set(st *step) {
	if len(st.Values) == 0 {
		c.fault(st.path, "a set step needs values, such as values: {total: \"price * 2\"}")
	}
	for _, v := range st.Values {
		path := st.path + ".values." + v.Name
		c.valueName(v.Name, path)
		st.values = append(st.values, assignment{name: v.Name, code: c.formula(st, v.Value, path), place: path})
		st.writes = append(st.writes, v.Name)
	}
}

func (c *compiler) branch(f *flow, st *step) {
	if len(st.Cases) == 0 {
		c.fault(st.path, "a branch needs cases, such as cases: [{when: \"amount > 100\", next: check}]")
	}
	for i, k := range st.Cases {
		path := document.Index(st.path+".cases", i)
		code := c.formula(st, k.When, path+".when")
		st.cases = append(st.cases, compiledCase{when: code, next: c.target(f, k.Next, path+".next"), label: k.When, place: path + ".when"})
	}
	if st.otherwise = st.next; st.Default != "" {
		st.otherwise = c.target(f, st.Default, st.path+".default")
	}
}

// while compiles a loop: its steps lead back to it.
func (c *compiler) while(f *flow, st *step) {
	if len(st.Steps) == 0 {
		c.fault(st.path, "a while step needs steps")
		st.otherwise = st.next
		return
	}
	code := c.formula(st, st.When, st.path+".when")
	st.cases = []compiledCase{{when: code, next: st.Steps[0].ID, label: st.When, place: st.path + ".when"}}
	st.otherwise = st.next
	c.sequence(f, st.Steps, st.ID)
}

// other compiles the call of a flow.
func (c *compiler) other(st *step) {
	if st.Flow == "" {
		c.fault(st.path, "a %s step names a flow", st.Type)
		return
	}
	to := c.known(st.Flow, st.path+".flow")
	if to == nil {
		return
	}
	for _, in := range st.Inputs {
		path := st.path + ".inputs." + in.Name
		if to.slots[in.Name] == nil {
			c.fault(path, "the flow %q has no slot %q%s", st.Flow, in.Name, hintOr(in.Name, keysOf(to.slots)))
		}
		st.inputs = append(st.inputs, assignment{name: in.Name, code: c.formula(st, in.Value, path), place: path})
	}
	for _, out := range st.Outputs {
		path := st.path + ".outputs." + out.Name
		c.valueName(out.Name, path)
		if to.slots[out.Value] == nil {
			c.fault(path, "the flow %q has no slot %q%s", st.Flow, out.Value, hintOr(out.Value, keysOf(to.slots)))
		}
		st.outs = append(st.outs, assignment{name: out.Name, path: out.Value, place: path})
		st.writes = append(st.writes, out.Name)
	}
	if st.Type == LinkStep && len(st.Outputs) > 0 {
		c.fault(st.path+".outputs", "a link does not come back, so nothing comes of it; use a call")
	}
}

// membersOf are the members that an object of the schema has.
func membersOf(s *schema.Schema) []string {
	var doc struct{ Properties map[string]json.RawMessage }
	if s == nil || json.Unmarshal(s.JSON(), &doc) != nil {
		return nil
	}
	return keysOf(doc.Properties)
}
