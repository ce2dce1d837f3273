package fermatatest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// Context is what a node function is given in a test: an engine of its own, in memory, for one task. It records steps
// and returns them when the function is run again, answers questions and gives messages as it was told, lets time pass where the
// function sleeps, and keeps what the function shows.
//
// The methods that say how it is set up return it, so that they can be chained. They may be used between runs, too.
type Context struct {
	t     testing.TB
	host  *host
	again func() (out []byte, err error) // the last function that was run, over again
	last  pass
}

// pass is how a run of a function ended.
type pass struct {
	out []byte // JSON
	err error
}

// NewContext makes the context of the first attempt of task "node#1".
func NewContext(t testing.TB) *Context {
	return &Context{t: t, host: newHost(t)}
}

// WithInfo says which task it is. Fields that are empty keep their defaults.
func (c *Context) WithInfo(info node.Info) *Context {
	c.host.setInfo(info)
	return c
}

// WithService offers a service to the node; see node.Service.
func (c *Context) WithService(service any) *Context {
	c.host.services = append(c.host.services, service)
	return c
}

// WithLLM provides a language model for node.Context.LLM without a name. It is a model.Model, or a func(prompt string)
// (string, error) that answers every prompt. Several models by name are a model.Set; give that to
// [Context.WithService].
func (c *Context) WithLLM(m any) *Context {
	c.t.Helper()
	switch m := m.(type) {
	case model.Model:
		return c.WithService(m)
	case func(prompt string) (string, error):
		return c.WithService(scripted.Func(m))
	}
	c.t.Fatalf("WithLLM is given a %T; expected a model.Model or a func(prompt string) (string, error)", m)
	return c
}

// WithCause says which failure led to the task; see node.Context.Cause.
func (c *Context) WithCause(failure node.Failure) *Context {
	c.host.cause = &failure
	return c
}

// Answer gives the answer to a question: the one with that node.ID, or, for "", one without an ID. The first answer is
// for the first question of that key, the second for the second. It must pass the question's response schema.
func (c *Context) Answer(key string, value any) *Context {
	c.t.Helper()
	data, err := canonical.Marshal(value, 0)
	if err != nil {
		c.t.Fatalf("the answer to %q: %v", key, err)
	}
	c.host.script(key, reply{answer: data})
	return c
}

// Expire lets a question's deadline pass, instead of an [Context.Answer]. The question's policy decides the result: the
// call fails with node.ErrExpired, is given the default, or the task ends with a [*RoutedError]. A question that
// escalates is open once more, and needs another Expire or Answer.
func (c *Context) Expire(key string) *Context {
	c.host.script(key, reply{expire: true})
	return c
}

// Clock is the clock that the node's time comes from. It goes on where the node sleeps.
func (c *Context) Clock() *Clock { return c.host.clock }

// RoutedError reports that a deadline sent the task's input to another node; see node.OrRoute.
type RoutedError struct {
	Question string // identity of the call, "interrupt:approve#1"
	Target   string
}

func (e *RoutedError) Error() string {
	return fmt.Sprintf("nobody answered %s before its deadline, and the task went over to %q", e.Question, e.Target)
}

// Run runs a node function to its end, as the engine does. Each time that the function waits, it is called again from
// the top with a copy of its input once it can continue. Where it waits for an answer or a message that nobody gave, Run returns an
// error around node.ErrSuspended that says what is missing; give it with [Context.Answer] or [Context.Message] and call Run again.
func Run[S any](c *Context, f func(ctx node.Context, state S) (S, error), state S) (S, error) {
	c.t.Helper()
	in, err := canonical.Marshal(state, 0)
	if err != nil {
		c.t.Fatalf("the input: %v: %v", node.ErrNotStorable, err)
	}
	var out S
	err = c.run(func(ctx node.Context) ([]byte, error) {
		var own S
		if err := canonical.Decode(in, &own); err != nil {
			return nil, fmt.Errorf("the input is not what it was after encoding/json: %w", err)
		}
		var err error
		if out, err = f(ctx, own); err != nil {
			return nil, err
		}
		data, err := canonical.Marshal(out, 0)
		if err != nil {
			return nil, fmt.Errorf("the output: %w: %w", node.ErrNotStorable, err)
		}
		var given S
		if err := canonical.Decode(data, &given); err != nil {
			return nil, fmt.Errorf("the output is not what it was after encoding/json: %w", err)
		}
		out = given
		return data, nil
	})
	return out, err
}

// Do is [Run] for what has no state.
func (c *Context) Do(f func(ctx node.Context) error) error {
	return c.run(func(ctx node.Context) ([]byte, error) { return nil, f(ctx) })
}

// Begin begins a pass and returns its context, for helpers of nodes that are tested by calling them. The pass before
// is over.
func (c *Context) Begin() node.Context {
	return node.NewContext(c.t.Context(), c.host, c.host.begin(false))
}

// Retry starts the task's next attempt: failed calls are forgotten, and the next Run repeats them.
func (c *Context) Retry() *Context {
	c.host.retry()
	return c
}

// Replay runs the last function again on its records and reports every difference. A replay makes the same calls in the
// same order, makes no step and shows nothing again, and ends with the same value or error (laws N1, N3 and N4). So it
// finds a node that depends on time, chance or the world outside of steps, where that shows in its calls, its questions
// or its end; an effect outside of steps that changes none of these is not found.
func (c *Context) Replay() {
	c.t.Helper()
	if c.again == nil {
		c.t.Fatal("Replay needs a Run or a Do before")
	}
	if errors.Is(c.last.err, node.ErrSuspended) {
		c.t.Fatalf("Replay needs a function that has come to its end: %v", c.last.err)
	}
	c.host.replay = true
	out, err := c.again()
	c.host.replay = false
	for _, found := range c.host.take() {
		c.t.Error(found)
	}
	var routed *RoutedError
	if errors.As(c.last.err, &routed) && errors.Is(err, node.ErrSuspended) {
		return
	}
	if diff := difference([]string{string(c.last.out), text(c.last.err)}, []string{string(out), text(err)}); diff != "" {
		c.t.Errorf("law N1: replayed, the function ends otherwise (-first +replayed):\n%s", diff)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// run runs passes over a function until it ends or waits for an absent answer.
func (c *Context) run(f func(ctx node.Context) ([]byte, error)) error {
	c.t.Helper()
	c.again = func() ([]byte, error) {
		ctx, cancel := context.WithCancel(c.t.Context())
		defer cancel()
		out, err := guarded(f, node.NewContext(ctx, c.host, c.host.begin(c.host.replay)))
		return c.host.end(out, err)
	}
	for {
		out, err := c.again()
		if errors.Is(err, errLeft) {
			if err = c.host.goOn(); err == nil {
				continue
			}
		}
		for _, found := range c.host.take() {
			c.t.Error(found)
		}
		c.last = pass{out: out, err: err}
		return err
	}
}

// guarded turns a panic into an error, as the engine does (law N7).
func guarded(f func(ctx node.Context) ([]byte, error), ctx node.Context) (out []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &node.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f(ctx)
}

// Shown are the typed values of node.Structured, node.Draft and node.Reason, in order.
func (c *Context) Shown() []node.Data {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	return append([]node.Data(nil), c.host.shown...)
}

// Step is a recorded step, a call of a model or of a tool, or a reasoning.
type Step struct {
	Key     string // as the node named it; "llm" for a call of a model without a node.CallID, the name of a tool
	Value   string // JSON
	Failure string // its error, "" for success
}

// Steps are the steps that are recorded, in the order in which they ended.
func (c *Context) Steps() []Step { return c.host.steps() }

// Emitted is an event that the node emitted.
type Emitted struct {
	Type string // node.EventMessage, node.EventStatus or node.EventDiagnostic
	Data string // JSON
}

// Emitted are the events that the node emitted, in order.
func (c *Context) Emitted() []Emitted {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	return append([]Emitted(nil), c.host.emitted...)
}

// Text is what the node streamed on a channel, the segments joined.
func (c *Context) Text(channel string) string {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	return c.host.streamed[channel]
}

// Question is a question that the node asked.
type Question struct {
	nodehost.Question
	Key   string // its node.ID, "" for none
	State string // open, answered or expired
}

// Questions are the questions that the node asked, in order.
func (c *Context) Questions() []Question { return c.host.questions() }

// Slept is how long the node has slept, all in all.
func (c *Context) Slept() time.Duration {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	return c.host.slept
}
