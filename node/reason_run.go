package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/schema"
)

// reasoner is a reasoning while it goes on. All that it knows follows from what is recorded, so that a replay comes to
// the same place.
//
// One struct: it is one loop, and each of its parts reads most fields.
type reasoner struct {
	*Reasoning
	fits  func(value []byte) error // whether a value can be decoded
	shape string                   // of the type that reads the answer, where the schema is the author's; see loss.Shape

	outer Context // of the node
	ctx   Context // of what is done inside
	op    nodehost.Op
	scope nodehost.Op // what is done inside of: op, or which try of it
	tools map[string]*tool

	messages  []model.Message
	used      model.Usage
	unpriced  bool // of some call the cost is not known
	uncounted bool // of some call the tokens are not known
	turns     int
	repairs   int
	asked     bool // a person has answered
	forced    bool // the model was told to ask one
	drafted   bool // this pass has shown something of an answer, which is not at its end
}

// unnamedReasoning is the key of reasonings without an ID: they are told apart by their order.
const unnamedReasoning = "reason"

func (t *reasoner) run(ctx Context) (nodehost.Op, error) {
	if err := t.prepare(); err != nil {
		return nodehost.Op{}, fmt.Errorf("task %s, %s: %w", ctx.Info().Task(), strings.TrimSpace("reasoning "+t.ID), err)
	}
	key := t.ID
	if key == "" {
		key = unnamedReasoning
	}
	op, err := ctx.begin(nodehost.KindReason, key)
	if err != nil {
		return op, err
	}
	if op.Done {
		return op, reasoned(&op)
	}
	t.outer, t.op, t.scope = ctx, op, op
	if op.Tries > 0 { // what it did before is not what it does now, and has other keys for the outside world
		t.scope.ID += "~" + strconv.Itoa(op.Tries+1)
	}
	t.ctx = ctx.within(t.scope)
	t.ctx.left = nil // what waits here may be given up; if not, together says so
	value, err := t.think()
	if failed, final := failureOf(err); final {
		data, _ := json.Marshal(failed) //nolint:errchkjson // texts and numbers always encode
		op.Value, op.Failure = data, err.Error()
		if stored := ctx.host.Record(ctx.pass, op, op.Value, op.Failure); stored != nil {
			return op, stored
		}
		return op, reasoned(&op) // what a replay gets
	}
	if err != nil {
		return op, err
	}
	op.Done, op.Value, op.Shape = true, value, t.shape
	return op, t.show(op, value)
}

// show records the outcome: where the answer was streamed, as the end of that.
func (t *reasoner) show(op nodehost.Op, value []byte) error {
	if t.Stream == StreamOff || t.Schema == nil {
		return t.outer.host.Record(t.outer.pass, op, value, "")
	}
	d := t.data(DataFinal)
	d.Value = value
	return t.outer.host.Data(t.outer.pass, op, d)
}

// data is what an event about the answer says of it.
func (t *reasoner) data(mode string) Data {
	return dataOf(t.DataType, mode, t.Schema)
}

// reasonFailure is what is recorded of a reasoning that failed for good, beside its text.
type reasonFailure struct {
	Output  *OutputError `json:"output,omitempty"`
	Limited *LimitError  `json:"limit,omitempty"`
}

func failureOf(err error) (f reasonFailure, final bool) {
	final = errors.As(err, &f.Output) || errors.As(err, &f.Limited)
	return f, final
}

// reasoned is the error of a recorded reasoning, nil where it has an answer.
func reasoned(op *nodehost.Op) error {
	if op.Failure == "" {
		return nil
	}
	f, err := decode[reasonFailure](*op)
	switch {
	case err != nil:
		return err
	case f.Output != nil:
		return f.Output
	case f.Limited != nil:
		return f.Limited
	}
	return stepError(op, op.Failure)
}

// think asks the model, and does what it wants done, until it gives an answer.
func (t *reasoner) think() ([]byte, error) {
	t.messages = slices.Clone(t.Messages)
	if t.Prompt != "" {
		t.messages = append(t.messages, model.Says(model.User, t.Prompt))
	}
	for {
		reply, err := t.turn()
		if err != nil && !errors.Is(err, model.ErrMalformed) {
			return nil, err
		}
		value, wrong := []byte(nil), error(nil)
		calls := []model.ToolCall(nil)
		if err != nil {
			wrong = &schema.Error{Problems: []schema.Problem{{Message: err.Error()}}}
		} else if calls = reply.Response.Calls(); len(calls) == 0 {
			value, wrong = t.answer(reply.Text)
		}
		switch {
		case len(calls) > 0:
			if err := t.moveOn("turn"); err != nil {
				return nil, err
			}
			wrong, err = t.act(reply, calls)
			if err != nil {
				return nil, err
			}
		case wrong == nil && t.mustAsk():
			if err := t.moveOn("turn"); err != nil {
				return nil, err
			}
			t.forced = true
			t.say(reply, "Before you answer, you have to ask: call "+t.Interrupt.name()+".")
		case wrong == nil:
			return value, nil
		}
		if err := t.repair(reply, wrong, len(calls) > 0); err != nil {
			return nil, err
		}
	}
}

// turn asks the model once.
func (t *reasoner) turn() (*Completion, error) {
	if err := t.spent(); err != nil {
		return nil, err
	}
	t.turns++
	req := &model.Request{
		System: t.System, Messages: t.messages, MaxTokens: t.MaxTokens, Temperature: t.Temperature,
		Tools: t.offers(),
	}
	if t.mustAsk() && t.forced {
		req.Tools, req.ToolChoice = []model.Tool{t.Interrupt.offer()}, model.ToolAny
	}
	if t.Schema != nil {
		req.Output = t.Schema.JSON()
	}
	call := func(c *modelCall) {
		if t.Stream != StreamOff {
			c.watch = t.watch
		}
	}
	reply, err := t.ctx.LLM(t.Model).Generate(t.ctx, req, call)
	if reply != nil {
		u := reply.Response.Usage
		t.used.Input, t.used.Output, t.used.Cost = t.used.Input+u.Input, t.used.Output+u.Output, t.used.Cost+u.Cost
		t.unpriced, t.uncounted = t.unpriced || !u.Priced, t.uncounted || u.Input+u.Output == 0
	}
	return reply, err
}

// spent is the limit that leaves no room for another turn, nil for none.
func (t *reasoner) spent() error {
	turns := t.Limits.Turns
	if turns == 0 {
		turns = defaultTurns
	}
	tokens := t.used.Input + t.used.Output
	switch l := &t.Limits; {
	case t.turns >= turns:
		return &LimitError{Limit: "turns", Max: strconv.Itoa(turns)}
	case l.Tokens > 0 && tokens >= l.Tokens:
		return &LimitError{Limit: "tokens", Max: strconv.FormatInt(l.Tokens, 10)}
	case l.Tokens > 0 && t.uncounted: // a limit that cannot be kept must not seem to be
		return &LimitError{Limit: "tokens", Max: strconv.FormatInt(l.Tokens, 10), Reason: "the model does not say how many it takes"}
	case l.Cost > 0 && t.used.Cost >= l.Cost:
		return &LimitError{Limit: "cost", Max: dollars(l.Cost)}
	case l.Cost > 0 && t.unpriced:
		return &LimitError{Limit: "cost", Max: dollars(l.Cost), Reason: "the model does not say what it costs; give it prices (model.Priced)"}
	}
	return nil
}

func dollars(micro int64) string { return "$" + strconv.FormatFloat(float64(micro)/1e6, 'f', -1, 64) }

// answer checks what the model has said.
func (t *reasoner) answer(text string) (value []byte, wrong error) {
	if t.Schema == nil {
		return t.ctx.encode(text)
	}
	said := payload(text, t.starts())
	if err := t.Schema.Check(said); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, said); err != nil {
		return nil, &schema.Error{Problems: []schema.Problem{{Message: err.Error()}}}
	}
	return b.Bytes(), t.fits(b.Bytes())
}

// payload is the JSON in what a model says: models like to put it in a fence, and a sentence in front of it.
func payload(text, starts string) []byte {
	said := []byte(strings.TrimSpace(text))
	if json.Valid(said) {
		return said
	}
	if starts == anyStart { // words are full of those
		starts = "{["
	}
	start := bytes.IndexAny(said, starts)
	if start < 0 {
		return said
	}
	var first json.RawMessage
	if json.NewDecoder(bytes.NewReader(said[start:])).Decode(&first) != nil {
		return said[start:]
	}
	return first
}

// starts are the characters that the answer's JSON may begin with.
func (t *reasoner) starts() string {
	var root struct {
		Type any `json:"type"`
	}
	if json.Unmarshal(t.Schema.JSON(), &root) == nil {
		switch root.Type {
		case "object":
			return "{"
		case "array":
			return "["
		case "string":
			return `"`
		}
	}
	return anyStart
}

const anyStart = `{["-0123456789tfn`

// about is what a question of the reasoning must come from on every replay: where the reasoning has no ID, from the same
// one. Else a reasoning that is new in front of it could take its place, and the answer with it (law N3).
func (t *reasoner) about() []byte {
	if t.ID != "" {
		return nil
	}
	sum := fnv.New64a()
	_ = json.NewEncoder(sum).Encode([]any{t.System, t.Messages, t.Prompt}) //nolint:errchkjson // a hash never fails, and messages encode
	return sum.Sum(nil)
}

// mustAsk reports whether the model has to ask a person before it answers, and has not.
func (t *reasoner) mustAsk() bool { return t.Interrupt != nil && t.Interrupt.Required && !t.asked }

// repair shows the model what is wrong with what it said. With nothing wrong, it does nothing.
func (t *reasoner) repair(reply *Completion, wrong error, told bool) error {
	if wrong == nil {
		return nil
	}
	most := t.Limits.Repairs
	if most == 0 {
		most = defaultRepairs
	}
	if t.repairs >= most {
		problems := []schema.Problem{{Message: wrong.Error()}}
		if e, ok := errors.AsType[*schema.Error](wrong); ok {
			problems = e.Problems
		}
		failed := &OutputError{Problems: problems, Repairs: t.repairs}
		if reply != nil {
			failed.Output = reply.Text
		}
		return failed
	}
	t.repairs++
	if told { // in the results of its calls
		return nil
	}
	if err := t.moveOn("repair"); err != nil {
		return err
	}
	text := "Your answer cannot be used: " + wrong.Error()
	if t.Schema != nil {
		text += "\nAnswer again: with the whole JSON value that its schema asks for, and nothing else."
	}
	t.say(reply, text)
	return nil
}

// say goes on with the conversation.
func (t *reasoner) say(reply *Completion, text string) {
	if reply != nil && len(reply.Response.Parts) > 0 {
		t.messages = append(t.messages, reply.Response.Message())
	}
	t.messages = append(t.messages, model.Says(model.User, text))
}
