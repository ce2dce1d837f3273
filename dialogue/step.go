package dialogue

import (
	"fmt"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
)

// A flow is a plan of its own, whose state is the conversation. It begins where its frame stands. A step that needs the
// user puts a pending task into the state and ends the plan: a flow never interrupts the run.

// enter chooses the step at which a flow goes on.
func (f *flow) enter(s *State) string {
	frame := s.top()
	if frame.Step == "" || frame.Step == End {
		return f.target(f.first)
	}
	return frame.Step
}

// target is a step's name as the plan has it.
func (f *flow) target(name string) string {
	if name == End || name == Stop {
		return node.End
	}
	return name
}

// goTo leaves a step for another.
func (f *flow) goTo(s *State, next string) error {
	frame := s.top()
	switch frame.Step = next; next {
	case End:
		frame.End = ended
	case Stop:
		frame.End = cancelled
	}
	return nil
}

// after is the node that follows a step: the one at which the flow stands now, or the end of the plan where the user, or
// another flow, comes first.
func (f *flow) after(s *State, st *step) string {
	frame := s.top()
	switch {
	case frame.Flow != f.Name, s.Pending != nil, frame.Call != nil, frame.End != "":
		return node.End
	case frame.Step == st.ID && st.action != nil && st.action.Plan != nil:
		return runNode(st)
	}
	return f.target(frame.Step)
}

// maxSteps is how many steps flows may make for one message, so that a dialogue that goes round in circles stops.
const maxSteps = 1000

// errCircles says that flows did not come to a question or an end.
var errCircles = fmt.Errorf("the flows made %d steps for one message", maxSteps)

// step makes a step of the active flow.
func (f *flow) step(ctx node.Context, s *State, st *step) error {
	frame := s.top()
	if frame == nil || frame.Flow != f.Name {
		return fmt.Errorf("the flow %q is not the active one", f.Name) // the orchestrator sees to it
	}
	if frame.End != "" {
		return nil // what the plan of an action gave has ended it
	}
	if s.Steps++; s.Steps > maxSteps {
		return node.Terminal(errCircles)
	}
	frame.Step = st.ID
	return f.run(ctx, s, st)
}

// pause leaves the flow at a step, which is made again when it goes on.
func (f *flow) pause(s *State, st *step, task PendingTask, sum string) error {
	frame := s.top()
	frame.Step = st.ID
	task.Metadata = st.Metadata
	s.Pending, s.Asked = &task, &asked{Frame: frame.ID, Step: st.ID, Sum: sum, At: s.At}
	return nil
}

// run makes a step.
func (f *flow) run(ctx node.Context, s *State, st *step) error {
	switch st.Type {
	case CollectStep:
		return f.collect(ctx, s, st)
	case ConfirmStep:
		return f.confirm(s, st)
	case InformStep:
		return f.inform(ctx, s, st)
	case ActionStep:
		return f.action(ctx, s, st)
	case SetStep:
		return f.set(s, st)
	case BranchStep, WhileStep:
		return f.branch(s, st)
	case CallStep, LinkStep:
		return f.other(s, st)
	}
	return fmt.Errorf("a step of type %q", st.Type) // the check knows all of them
}

func (f *flow) collect(ctx node.Context, s *State, st *step) error {
	frame := s.top()
	p, _ := f.dialogue.find(frame, st.Slot)
	again := f.asksAgain(frame, st, p)
	if v, ok := p.get(s); ok && !again {
		err := f.dialogue.valid(s, p, v)
		if err == nil {
			frame.Trail = append(frame.Trail, mark{Step: st.ID})
			frame.taken(st.Slot)
			return f.goTo(s, st.next)
		}
		if err := f.dialogue.reject(ctx, s, p, v, err); err != nil { // what it was checked against has changed
			return err
		}
		if p.frame != nil && !st.message.mentions(st.Slot) { // else others count on it until there is a better one
			delete(p.frame.Slots, st.Slot)
		}
	}
	prompt, err := f.words(s, st, f.dialogue.scope(s, frame))
	if err != nil {
		return err
	}
	options := st.Options
	if len(options) == 0 {
		options = p.slot.options()
	}
	return f.pause(s, st, NewCollect(prompt, st.Slot, options...), "")
}

func (f *flow) confirm(s *State, st *step) error {
	frame := s.top()
	names := f.dialogue.scope(s, frame)
	if frame.Yes != nil && frame.Yes.At != 0 { // the question is the one that was asked then
		names[nameNow] = f.dialogue.clock(frame.Yes.At).Format(time.RFC3339)
	}
	prompt, err := f.words(s, st, names)
	if err != nil {
		return err
	}
	question := asking(s, prompt)
	switch {
	case frame.Yes != nil && frame.Yes.Step == st.ID && frame.Yes.Sum == question:
		frame.Yes = nil
		frame.Trail = append(frame.Trail, mark{Step: st.ID, Sum: question, Knew: slices.Concat(keysOf(frame.Slots), keysOf(s.Slots))})
		return f.goTo(s, st.next)
	case frame.Choice != "":
		next := st.chosen(frame.Choice)
		frame.Choice = ""
		return f.goTo(s, next)
	case frame.No == st.ID:
		frame.No = ""
		return f.goTo(s, st.onDeny)
	}
	if frame.Yes != nil {
		frame.Yes = nil
		if prompt, err = f.words(s, st, f.dialogue.scope(s, frame)); err != nil {
			return err
		}
		question = asking(s, prompt)
	}
	task := NewConfirm(prompt, f.dialogue.replies(st.Options)...)
	task.Choices = st.taskChoices()
	for _, c := range task.Choices {
		task.Options = append(slices.Clip(task.Options), c.Label)
	}
	return f.pause(s, st, task, question)
}

// asking names a question. The user confirms all that is known, not only what the question shows.
func asking(s *State, prompt string) string {
	known := []any{prompt, s.top().Slots, s.Slots}
	for i, m := range []map[string]any{s.top().Slots, s.Slots} {
		if len(m) == 0 { // one that was stored in between is nil
			known[i+1] = nil
		}
	}
	return sum(known)
}

func (f *flow) inform(ctx node.Context, s *State, st *step) error {
	frame := s.top()
	text, err := f.words(s, st, f.dialogue.scope(s, frame))
	if err != nil {
		return err
	}
	m := mark{Step: st.ID, Sum: sum(text)}
	if frame.Read == st.ID { // acknowledged
		frame.Read = ""
	} else if _, told := frame.made(m.Step, m.Sum); !told {
		task := NewInform(text, st.Options...)
		if task.WaitForAck = st.WaitForAck; task.WaitForAck {
			return f.pause(s, st, task, "")
		}
		task.Metadata = st.Metadata
		if err := say(ctx, s, task, byBot); err != nil {
			return err
		}
	}
	frame.Trail = append(frame.Trail, m)
	return f.goTo(s, st.next)
}

// made takes out of what a correction has put back the mark of a step that was made with equal values.
func (f *Frame) made(step, sum string) (mark, bool) {
	for i, m := range f.Made {
		if m.Step == step && m.Sum == sum {
			f.Made = slices.Delete(f.Made, i, i+1)
			return m, true
		}
	}
	return mark{}, false
}

func (f *flow) action(ctx node.Context, s *State, st *step) error {
	frame := s.top()
	in, err := f.inputs(s, st)
	if err != nil {
		return err
	}
	m := mark{Step: st.ID, Sum: sum(in), Final: f.final(frame, st)}
	if before, ok := frame.made(st.ID, m.Sum); ok {
		m.Out = before.Out
	} else if st.action.Plan != nil {
		return nil // the next node runs it
	} else {
		result, err := st.action.Run(ctx, in)
		if err != nil {
			return f.dialogue.safe(s, fmt.Errorf("action %q: %w", st.Call, err))
		}
		if m.Out, err = st.outputs(result); err != nil { // which does not get better when it is made again
			return node.Terminal(f.dialogue.safe(s, fmt.Errorf("action %q: %w", st.Call, err)))
		}
	}
	return f.wrote(s, st, m)
}

// ran takes what the plan of an action gave.
func (f *flow) ran(s *State, st *step, result any) error {
	in, err := f.inputs(s, st)
	if err != nil {
		return err
	}
	out, err := st.outputs(result)
	if err != nil {
		return node.Terminal(fmt.Errorf("action %q: %w", st.Call, err))
	}
	return f.wrote(s, st, mark{Step: st.ID, Sum: sum(in), Out: out, Final: f.final(s.top(), st)})
}

// final reports whether an action that is made now cannot be taken back.
func (f *flow) final(frame *Frame, st *step) bool {
	if st.Final != nil {
		return *st.Final
	}
	return slices.ContainsFunc(frame.Trail, func(m mark) bool {
		return f.steps[m.Step] != nil && f.steps[m.Step].Type == ConfirmStep
	})
}

// inputs are what an action or a flow is given.
func (f *flow) inputs(s *State, st *step) (map[string]any, error) {
	names := f.dialogue.scope(s, s.top())
	in := make(map[string]any, len(st.inputs))
	for _, a := range st.inputs {
		if a.code == nil {
			if v, ok := names[a.name]; ok {
				in[a.name] = v
			}
			continue
		}
		v, err := a.code.Result(scopeOf(names))
		if err != nil {
			return nil, fmt.Errorf("inputs: %s: %w", a.name, err)
		}
		in[a.name] = v
	}
	return in, nil
}

// wrote puts what a step has made into slots, and remembers what was there. Where a slot cannot hold it, that is a failure
// of the step, which is not made again; without on_error the flow ends, and the pattern refused says why.
func (f *flow) wrote(s *State, st *step, m mark) error {
	frame := s.top()
	if no := f.dialogue.put(s, frame, &m); no != nil {
		if st.OnError != "" {
			return node.Terminal(no)
		}
		frame.Step, frame.End, frame.Refused = End, broken, no
		return nil
	}
	frame.Trail = append(frame.Trail, m)
	return f.goTo(s, st.next)
}

// put writes the mark's values into a frame, all of them or, where one is not good, none. Names that are no slots are
// variables of the flow.
func (d *Dialogue) put(s *State, frame *Frame, m *mark) *refusal {
	for _, name := range keysOf(m.Out) {
		p := d.findOrMake(frame, name)
		old, had := p.get(s)
		if err := d.fill(s, p, m.Out[name]); err != nil {
			d.undo(s, frame, *m)
			if p.slot.Private {
				return &refusal{Step: m.Step, Name: name, Slot: p.slot.title(), Value: hidden, Reason: d.impossible(hidden)}
			}
			value := d.shown(s, p.slot, m.Out[name])
			return &refusal{Step: m.Step, Name: name, Slot: p.slot.title(), Value: value, Reason: d.reasonOf(err, value)}
		}
		m.Out[name], _ = p.get(s)
		if !had {
			m.New = append(m.New, name)
			continue
		}
		if m.Was == nil {
			m.Was = make(map[string]any)
		}
		m.Was[name] = old
	}
	return nil
}

func (f *flow) set(s *State, st *step) error {
	m := mark{Step: st.ID, Out: make(map[string]any, len(st.values))}
	names := f.dialogue.scope(s, s.top())
	for _, a := range st.values {
		v, err := a.code.Result(scopeOf(names))
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		m.Out[a.name], names[a.name] = v, v
	}
	return f.wrote(s, st, m)
}

func (f *flow) branch(s *State, st *step) error {
	frame := s.top()
	names := f.dialogue.scope(s, frame)
	frame.Trail = append(frame.Trail, mark{Step: st.ID})
	for _, c := range st.cases {
		holds, err := c.when.Holds(scopeOf(names))
		if err != nil {
			return err
		}
		if holds {
			return f.goTo(s, c.next)
		}
	}
	if st.Type == WhileStep {
		frame.Trail[len(frame.Trail)-1].Sum = left
	}
	return f.goTo(s, st.otherwise)
}

func (f *flow) other(s *State, st *step) error {
	frame := s.top()
	in, err := f.inputs(s, st)
	if err != nil {
		return err
	}
	if st.Type == LinkStep {
		frame.Step, frame.End = End, ended
		frame.Call = &call{Flow: st.Flow, Slots: in, Late: f.dialogue.lateBehind(s, frame, st)}
		return nil
	}
	frame.Call = &call{Flow: st.Flow, Slots: in, Step: st.ID}
	frame.Step = st.ID
	return nil
}

// outputs are the slots that an action's result fills.
func (st *step) outputs(result any) (map[string]any, error) {
	if len(st.outs) == 0 {
		return nil, nil
	}
	v, err := plainValue(result)
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(st.outs))
	for _, a := range st.outs {
		at := v
		if a.path != "" {
			p, err := expression.ParsePath(a.path)
			if err != nil {
				return nil, err
			}
			var found bool
			if at, found, err = p.In(v); !found && a.open {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("outputs: %s: %w", a.name, err)
			}
		}
		out[a.name] = at
	}
	return out, nil
}
