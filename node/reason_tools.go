package node

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/schema"
)

// Action is what a person does about a call of a tool.
type Action string

// The actions.
const (
	Approve Action = "approve" // it is made
	Edit    Action = "edit"    // it is made with other arguments
	Deny    Action = "deny"    // it is not made
)

// Verdict is a person's answer to a question of the kind "approval": about the call of a tool.
type Verdict struct {
	Action    Action          `json:"action"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // of Edit: all of them; they must fit the tool
	Reason    string          `json:"reason,omitempty"`    // of Deny: the model is told
}

// ApprovalRequest is the request of a question of the kind "approval": a call of a tool.
type ApprovalRequest struct {
	Tool        string          `json:"tool"`
	Description string          `json:"description,omitempty"`
	Arguments   json.RawMessage `json:"arguments"`
}

// KindApproval is the kind of a question that asks for a [Verdict].
const KindApproval = "approval"

// tool is a tool with its schema ready.
type tool struct {
	*Tool
	input *schema.Schema
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// prepare checks what the reasoning was given.
func (t *reasoner) prepare() error {
	switch t.Stream {
	case StreamOff, StreamPatch, StreamSnapshot:
	default:
		return fmt.Errorf("the stream is %q; expected patch, snapshot or nothing", t.Stream)
	}
	if t.Limits.Turns < 0 || t.Limits.Tokens < 0 || t.Limits.Cost < 0 {
		return fmt.Errorf("the limits are %d turns, %d tokens and %s: expected nothing below 0", t.Limits.Turns, t.Limits.Tokens, dollars(t.Limits.Cost))
	}
	if t.Prompt == "" && len(t.Messages) == 0 {
		return errors.New("there is nothing to ask: expected a Prompt or Messages")
	}
	t.tools = make(map[string]*tool, len(t.Tools))
	for i := range t.Tools {
		one := &tool{Tool: &t.Tools[i], input: t.Tools[i].input}
		switch {
		case !toolName.MatchString(one.Name):
			return badName(one.Name)
		case t.tools[one.Name] != nil || t.Interrupt != nil && t.Interrupt.name() == one.Name:
			return fmt.Errorf("two tools are called %q", one.Name)
		case one.Call == nil:
			return fmt.Errorf("tool %q has no function to call", one.Name)
		}
		if one.input == nil && len(one.Input) > 0 {
			var err error
			if one.input, err = schema.Parse(one.Input); err != nil {
				return fmt.Errorf("the arguments of tool %q: %w", one.Name, err)
			}
		}
		t.tools[one.Name] = one
	}
	return nil
}

func badName(tool string) error {
	return fmt.Errorf("the name of tool %q: expected letters, digits, '_' and '-', at most 64 of them", tool)
}

// offers is what the model may call.
func (t *reasoner) offers() []model.Tool {
	offers := make([]model.Tool, 0, len(t.Tools)+1)
	for i := range t.Tools {
		offers = append(offers, model.Tool{Name: t.Tools[i].Name, Description: t.Tools[i].Description, Input: t.Tools[i].Input})
	}
	if t.Interrupt != nil {
		offers = append(offers, t.Interrupt.offer())
	}
	return offers
}

// deed is a call that the model wants made.
type deed struct {
	model.ToolCall
	tool    *tool
	op      nodehost.Op
	asked   *Asked[json.RawMessage] // of a question of the model's
	verdict *Asked[Verdict]         // of a call that a person has to approve
	edited  bool
	result  *model.ToolResult // nil as long as it is not known
}

func (d *deed) told(text string, failed bool) {
	d.result = &model.ToolResult{ID: d.ID, Text: text, Failed: failed}
}

// act makes the calls of a reply, in parallel where possible, and reports their results to the model. The model also
// sees the problems of calls, which are returned as wrong.
func (t *reasoner) act(reply *Completion, calls []model.ToolCall) (wrong, err error) {
	deeds := make([]*deed, len(calls))
	for i := range calls {
		deeds[i] = &deed{ToolCall: calls[i]}
		fault, err := t.ready(deeds[i])
		if err != nil {
			return nil, err
		}
		wrong = errors.Join(wrong, fault)
	}
	if slices.ContainsFunc(deeds, func(d *deed) bool { return d.result == nil }) {
		if err := t.together(deeds); err != nil {
			return nil, err
		}
	}
	said := model.Message{Role: model.User}
	for _, d := range deeds {
		said.Parts = append(said.Parts, model.Part{Kind: model.ResultPart, Result: d.result})
	}
	t.messages = append(t.messages, reply.Response.Message(), said)
	return wrong, nil
}

// ready names a call, and opens the question that comes before it. Calls that cannot be made have their result.
func (t *reasoner) ready(d *deed) (wrong, err error) {
	if t.Interrupt != nil && d.Name == t.Interrupt.name() {
		return t.readyToAsk(d)
	}
	if toolName.MatchString(d.Name) { // also of a call that cannot be made: those behind it keep their names
		if d.op, err = t.ctx.begin(nodehost.KindTool, d.Name); err != nil {
			return nil, err
		}
	}
	if wrong = t.fault(d); wrong == nil {
		return nil, t.readyToCall(d)
	}
	if d.tool == nil && d.op.ID != "" && !d.op.Known { // a person may have been asked under the name
		if d.op, err = t.ctx.begin(nodehost.KindInterrupt, d.Name); err != nil {
			return nil, err
		}
	}
	return wrong, t.diverged(&d.op, "a call that cannot be made")
}

// readyToAsk opens the question that the model asks.
func (t *reasoner) readyToAsk(d *deed) (wrong, err error) {
	if d.op, err = t.ctx.begin(nodehost.KindInterrupt, d.Name); err != nil {
		return nil, err
	}
	if d.asked, wrong, err = t.Interrupt.open(t.ctx, d.op, &d.ToolCall, t.about()); wrong == nil {
		return nil, err
	}
	d.told("Nobody was asked: "+wrong.Error(), true)
	return wrong, t.diverged(&d.op, "a question that cannot be asked")
}

// fault is what is wrong with a call of a tool, which the model is told.
func (t *reasoner) fault(d *deed) error {
	if d.tool = t.tools[d.Name]; d.tool == nil {
		names := slices.Sorted(maps.Keys(t.tools))
		wrong := fmt.Errorf("there is no tool %q, only %s%s",
			d.Name, cmp.Or(strings.Join(names, ", "), "the answer"), nearest.Hint(d.Name, names))
		d.told(wrong.Error(), true)
		return wrong
	}
	if d.tool.input == nil {
		return nil
	}
	wrong := d.tool.input.Check(d.Arguments)
	if wrong != nil {
		d.told("The call was not made: "+wrong.Error(), true)
	}
	return wrong
}

// readyToCall opens the question that comes before a call, if there is one. A call that was made without one is not
// held against a rule that is new.
func (t *reasoner) readyToCall(d *deed) error {
	rule := d.tool.Approval
	if rule == nil {
		rule = t.Approval
	}
	op, err := t.ctx.begin(nodehost.KindInterrupt, "approve:"+d.Name)
	switch {
	case err != nil:
		return err
	case rule == nil || rule.When != nil && !rule.When(d.ToolCall):
		return t.diverged(&op, "the call, for which nobody is asked any more")
	case (d.op.Done || d.op.Begun) && !op.Known:
		return nil
	}
	d.verdict, err = rule.open(t.ctx, op, d.tool.Tool, d.Arguments, t.about())
	return err
}

// diverged is the error of code that has another place for a call than the journal, which holds it (law N3).
func (t *reasoner) diverged(op *nodehost.Op, found string) error {
	if !op.Known {
		return nil
	}
	return &DivergedError{Task: t.ctx.Info().Task(), Expected: nodehost.CallText(op.ID), Found: found}
}

// open asks a person about a call.
func (a *Approval) open(ctx Context, op nodehost.Op, of *Tool, arguments json.RawMessage, about []byte) (*Asked[Verdict], error) {
	request := ApprovalRequest{Tool: of.Name, Description: of.Description, Arguments: arguments}
	opts := slices.Concat(a.Ask, []AskOption{func(q *ask) {
		q.key, q.op, q.Kind, q.About = "approve:"+of.Name, &op, KindApproval, slices.Concat(about, arguments)
		if q.Prompt == "" {
			q.Prompt = "May " + of.Name + " be called?"
		}
		if len(q.Options) > 0 || q.ResponseSchema != nil {
			q.err = errors.New("the answers to an approval are a Verdict; it can have no others")
		}
		q.ResponseSchema = verdicts(of.Input)
	}})
	return Ask[Verdict](ctx, request, opts...)
}

// verdicts is the schema of answers about a call of a tool whose arguments have the given schema.
func verdicts(input []byte) []byte {
	arguments := json.RawMessage(`{"type":"object"}`)
	if len(input) > 0 {
		arguments = rooted("arguments", input)
	}
	data, _ := json.Marshal(map[string]any{ //nolint:errchkjson // a schema is JSON
		"type": "object", "required": []string{"action"}, "additionalProperties": false,
		"properties": map[string]any{
			"action":    map[string]any{"enum": []Action{Approve, Edit, Deny}, "type": "string"},
			"arguments": arguments,
			"reason":    map[string]any{"type": "string"},
		},
		"if":   map[string]any{"properties": map[string]any{"action": map[string]any{"const": Edit}}},
		"then": map[string]any{"required": []string{"arguments"}},
	})
	return data
}

// together makes all calls that can be made, and waits for the answers of people. If an answer is open, the task is
// suspended once all other calls are done.
func (t *reasoner) together(deeds []*deed) error {
	host, pass := t.ctx.host, t.ctx.pass
	op := t.scope
	if err := host.Together(pass, op, false); err != nil {
		return err
	}
	failed := make([]error, len(deeds))
	for i, d := range deeds {
		if d.result == nil {
			failed[i] = t.hear(d)
		}
	}
	if lost(failed) == nil {
		t.callAll(deeds, failed)
	}
	err := lost(failed)
	if err != nil { // nobody waits for what is lost
		op.Failure = cmp.Or(err.Error(), "failed")
	}
	if waits := host.Together(pass, op, true); waits != nil {
		return waits
	}
	if err == nil {
		err = errors.Join(failed...)
	}
	return t.outer.leave(err)
}

// callAll makes the calls whose turn has come, all at once.
func (t *reasoner) callAll(deeds []*deed, failed []error) {
	var group sync.WaitGroup
	for i, d := range deeds {
		if d.result != nil || failed[i] != nil {
			continue
		}
		failed[i] = fmt.Errorf("tool %q: %w", d.Name, fault.Goexit)
		group.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					failed[i] = &PanicError{Value: v, Stack: debug.Stack()}
				}
			}()
			failed[i] = t.call(d)
		})
	}
	group.Wait()
}

// lost is what ends the reasoning, nil where nothing does. That a call waits is no failure.
func lost(failed []error) error {
	return errors.Join(slices.DeleteFunc(slices.Clone(failed), func(err error) bool { return errors.Is(err, ErrSuspended) })...)
}

// hear takes the answer that comes before a call, or in its place. It is ErrSuspended where there is none yet.
func (t *reasoner) hear(d *deed) error {
	if d.asked != nil {
		answer, err := d.asked.Wait()
		if err != nil {
			return err
		}
		var text string
		if json.Unmarshal(answer, &text) != nil {
			text = string(answer)
		}
		t.asked = true
		d.told(text, false)
		return nil
	}
	if d.verdict == nil {
		return nil
	}
	v, err := d.verdict.Wait()
	if err != nil {
		return err
	}
	switch v.Action {
	case Deny:
		text := "A person did not allow this call."
		if v.Reason != "" {
			text += " The reason: " + v.Reason
		}
		d.told(text, true)
	case Edit:
		d.Arguments, d.edited = v.Arguments, true
	case Approve:
	}
	return nil
}

// call makes a call, or returns its record.
func (t *reasoner) call(d *deed) (err error) {
	switch {
	case d.op.Done:
		return d.came()
	case d.op.Begun:
		return t.askOutcome(d, fmt.Errorf("task %s, %s: %w", t.ctx.Info().Task(), nodehost.CallText(d.op.ID), ErrOutcomeUnknown))
	}
	host, pass := t.ctx.host, t.ctx.pass
	d.op.Call = &nodehost.ToolUse{ToolCall: d.ToolCall, Once: d.tool.Once}
	if err := host.Intend(pass, d.op); err != nil {
		return err
	}
	ctx := t.ctx.within(d.op)
	ctx.left = new(atomic.Bool)
	text, failed := d.made(ctx)
	if caught := t.ctx.capture(failed); caught != nil {
		if t.ctx.Err() != nil || caught.Is(ErrSuspended) || caught.Is(ErrTaskOver) || caught.Marks.Has(fault.Panic) {
			return caught
		}
		if lost := d.lost(caught); lost != nil {
			return t.askOutcome(d, fmt.Errorf("task %s, %s: %w", t.ctx.Info().Task(), nodehost.CallText(d.op.ID), lost))
		}
		d.op.Failure = mark(&d.op, caught)
	} else if d.op.Value, err = t.ctx.encode(text); err != nil {
		err = fmt.Errorf("task %s, %s: %w: %w", t.ctx.Info().Task(), nodehost.CallText(d.op.ID), ErrNotStorable, err)
		if lost := d.lost(err); lost != nil {
			return t.askOutcome(d, lost)
		}
		return err
	}
	if err := host.Record(pass, d.op, d.op.Value, d.op.Failure); err != nil {
		return err
	}
	return d.came()
}

// made calls the tool's function (law N7).
func (d *deed) made(ctx Context) (text string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return d.tool.Call(ctx, d.Arguments)
}

// came is what the model is told of a recorded call.
func (d *deed) came() error {
	if d.op.Terminal {
		return stepError(&d.op, d.op.Failure)
	}
	if d.op.Failure != "" {
		d.told(d.op.Failure, true)
		return nil
	}
	text, err := decode[string](d.op)
	if d.edited {
		text = "(A person changed the arguments to " + string(d.Arguments) + ")\n" + text
	}
	d.told(text, false)
	return err
}
