package node

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/model"
)

// LLM asks a language model of the program. It is a name and nothing more: the model is looked for when it is asked.
type LLM struct{ name string }

// LLM is the program's language model, or the one of that name.
//
// Models are services of the program (Options.Services): one model.Model; or a model.Set of several by name, of which
// a call without a name means the one called "default", or the only one. Where both are given, a call without a
// name means the single one.
func (c Context) LLM(name ...string) LLM {
	if len(name) > 0 {
		return LLM{name: name[0]}
	}
	return LLM{}
}

// CallOption changes one call of a model.
type CallOption func(*modelCall)

type modelCall struct {
	key    string
	system string
	watch  func(ctx Context) watcher // sees the reply as it comes; nil for nobody
}

// watcher sees a reply as it comes. It is closed once the reply is at its end, unless the attempt is over by then.
type watcher interface {
	see(chunk *model.Chunk) error
	close() error
}

// CallID names the call, so that code before it may change (law N2). Loops give distinct occurrences.
func CallID(id string) CallOption { return func(c *modelCall) { c.key = id } }

// System says how the model is to behave. It stands before the request's own.
func System(text string) CallOption { return func(c *modelCall) { c.system = text } }

// Streamed shows observers the reply while it arrives, as streams (see [Stream]). The text is on the channel "answer",
// the reasoning on "reasoning".
func Streamed() CallOption {
	return func(c *modelCall) { c.watch = func(ctx Context) watcher { return &shown{ctx: ctx} } }
}

// Completion is the result of a call of a model.
type Completion struct {
	Text      string // the answer, without reasoning
	TokensIn  int
	TokensOut int
	Cost      int64 // micro-dollars, 0 where it is not known; see model.Usage.Priced
	Response  model.Response
}

// Complete asks the model one thing and returns its answer, see [LLM.Generate].
func (l LLM) Complete(ctx Context, prompt string, opts ...CallOption) (*Completion, error) {
	return l.Generate(ctx, model.Ask(prompt), opts...)
}

// Generate sends the model a request and returns the whole reply.
//
// The call is a step (law J5): it is recorded with what it took, and a replay returns what is recorded without
// asking a model, and whatever the request is by then. A call whose record was lost in a crash is made again, with
// the same model.Request.Key.
//
// A failure is recorded too, and comes back as a [*StepError] in which errors.Is finds its kind, model.ErrRateLimited
// and so on; a new attempt of the task asks again. A reply that was cut off, refused or malformed is such a failure,
// and comes with what there is of it; the completion is nil with all other errors. The tokens of a failed call count.
// Cancellation is not recorded. Once a limit of the run on tokens or cost is reached, no model is asked any more: the
// call fails with the runtime's ErrLimit, and so does the run (law F4).
func (l LLM) Generate(ctx Context, req *model.Request, opts ...CallOption) (*Completion, error) {
	c := modelCall{key: unnamedCall}
	for _, opt := range opts {
		opt(&c)
	}
	op, err := ctx.begin(nodehost.KindModel, c.key)
	if err != nil {
		return nil, err
	}
	if op.Done {
		return completionOf(&op)
	}
	own := *req
	if c.system != "" {
		own.System = joined(c.system, own.System)
	}
	reply, failed := l.ask(ctx.within(op), &own, c.watch)
	caught := ctx.capture(failed)
	if failed != nil && (ctx.Err() != nil || caught.Is(ErrSuspended) || caught.Is(ErrTaskOver)) {
		return nil, failed
	}
	if err = keepReply(ctx, &op, reply, caught); err != nil {
		return nil, fmt.Errorf("task %s, %s: %w: %w", ctx.Info().Task(), nodehost.CallText(op.ID), ErrNotStorable, err)
	}
	if failed == nil || reply.Usage != (model.Usage{}) {
		usage := reply.Usage.Sound()
		op.Usage = &usage
	}
	if err := ctx.host.Record(ctx.pass, op, op.Value, op.Failure); err != nil {
		return nil, err
	}
	return completionOf(&op) // what a replay gets, and nothing that only the first pass has
}

// unnamedCall is the key of calls without a CallID: they are told apart by their order, whichever model they ask.
const unnamedCall = "llm"

func joined(first, second string) string {
	if second == "" {
		return first
	}
	return first + "\n\n" + second
}

// ask asks the model. The response is never nil.
func (l LLM) ask(ctx Context, req *model.Request, watch func(Context) watcher) (*model.Response, error) {
	m, err := l.find(ctx)
	if err != nil {
		return &model.Response{}, err
	}
	req.Key = IdempotencyKey(ctx)
	if watch == nil {
		return model.Collect(alive(ctx, m.Generate(model.Unseen(ctx), req)))
	}
	w := watch(ctx)
	reply, err := model.Collect(watched(w, alive(ctx, m.Generate(ctx, req))))
	if ctx.Err() == nil {
		if failed := w.close(); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	return reply, err
}

// alive makes the parts of a reply signs of life of the node.
func alive(ctx Context, chunks iter.Seq2[model.Chunk, error]) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for chunk, err := range chunks {
			model.SignOfLife(ctx)
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// watched shows chunks to an observer on their way.
func watched(w watcher, chunks iter.Seq2[model.Chunk, error]) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for chunk, err := range chunks {
			if err == nil {
				err = w.see(&chunk)
			}
			if !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

// find looks for the model among the program's services.
func (l LLM) find(ctx Context) (model.Model, error) {
	if l.name == "" {
		if m, ok := ctx.host.Service(reflect.TypeFor[model.Model]()).(model.Model); ok {
			return m, nil
		}
	}
	set, ok := ctx.host.Service(reflect.TypeFor[model.Set]()).(model.Set)
	if ok {
		return set.Find(l.name)
	}
	what := "the program offers none, or several without names"
	if l.name != "" {
		what = fmt.Sprintf("%q is asked for, and the program offers no model.Set", l.name)
	}
	return nil, &model.Error{
		Kind: model.ErrNoModel, Message: what + `; add one to Options.Services: a model.Model, or model.Set{"default": m, "fast": …} for several`,
	}
}

// failure is what is recorded of a call that failed, beside its text.
type failure struct {
	Kind       model.Kind      `json:"kind,omitempty"`
	Message    string          `json:"message,omitempty"`
	RetryAfter int64           `json:"retryAfterMs,omitempty"`
	Reply      *model.Response `json:"reply,omitempty"` // of a reply that was cut off, refused or malformed
}

// keepReply notes what is recorded of a call. What it took is recorded beside it.
func keepReply(ctx Context, op *nodehost.Op, reply *model.Response, failed *fault.Captured) (err error) {
	said := *reply
	said.Usage = model.Usage{}
	if failed == nil {
		op.Value, err = ctx.encode(&said)
		return err
	}
	op.Failure = failed.Text
	known, ok := errors.AsType[*model.Error](failed)
	if !ok {
		kind, _ := errors.AsType[model.Kind](failed) // returned as it is
		known = &model.Error{Kind: kind}
	}
	f := failure{Kind: known.Kind, Message: known.Message, RetryAfter: known.RetryAfter.Milliseconds()}
	if f.Kind == model.ErrTruncated || f.Kind == model.ErrRefused || f.Kind == model.ErrMalformed {
		f.Reply = &said
	}
	op.Marks = failed.Marks
	if f.known() { // it is in the value
		op.Marks = op.Marks.Without("model."+string(f.Kind), "model")
	}
	if f == (failure{}) {
		return nil
	}
	op.Value, err = ctx.encode(&f)
	return err
}

// known reports whether a replay knows the kind of the failure, or when to ask again.
func (f *failure) known() bool { return f.Kind != "" || f.RetryAfter != 0 }

// completionOf is a recorded call as it is returned.
func completionOf(op *nodehost.Op) (*Completion, error) {
	if op.Failure == "" {
		reply, err := decode[model.Response](*op)
		if err != nil {
			return nil, err
		}
		return complete(op, &reply), nil
	}
	failed := &StepError{Step: op.ID, Message: op.Failure, Marks: op.Marks}
	if len(op.Value) == 0 {
		return nil, failed
	}
	f, err := decode[failure](*op)
	if err != nil {
		return nil, err
	}
	if f.known() {
		failed.Model = &model.Error{Kind: f.Kind, Message: f.Message, RetryAfter: time.Duration(f.RetryAfter) * time.Millisecond}
	}
	if f.Reply == nil {
		return nil, failed
	}
	return complete(op, f.Reply), failed
}

func complete(op *nodehost.Op, reply *model.Response) *Completion {
	if op.Usage != nil {
		reply.Usage = *op.Usage
	}
	return &Completion{
		Text: reply.Text(), TokensIn: int(reply.Usage.Input), TokensOut: int(reply.Usage.Output),
		Cost: reply.Usage.Cost, Response: *reply,
	}
}

// shown streams a reply as it comes. Both channels stay open to its end: their whole text is stored together with
// the reply that it belongs to, and not with one whose record was lost.
type shown struct {
	ctx               Context
	answer, reasoning *TextStream
}

func (s *shown) see(chunk *model.Chunk) error {
	if err := s.write(&s.reasoning, "reasoning", chunk.Reasoning); err != nil {
		return err
	}
	return s.write(&s.answer, "answer", chunk.Text)
}

func (s *shown) write(stream **TextStream, channel, text string) error {
	if text == "" {
		return nil
	}
	if *stream == nil {
		opened, err := Stream(s.ctx, channel)
		if err != nil {
			return err
		}
		*stream = opened
	}
	return (*stream).Write(text)
}

func (s *shown) close() error {
	var errs []error
	for _, stream := range []*TextStream{s.reasoning, s.answer} {
		if stream != nil {
			errs = append(errs, stream.Close())
		}
	}
	return errors.Join(errs...)
}
