package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/schema"
)

// AskOption describes a question.
type AskOption func(*ask)

type ask struct {
	nodehost.Question
	key string
	op  *nodehost.Op // where the call has its name already
	err error

	loose    bool                      // the schema of the answer does not say all of the type that reads it
	defaults []func(ctx Context) error // encode the answers at deadlines
}

// ID names the question within its task, instead of its order. Loops give distinct occurrences.
func ID(id string) AskOption { return func(a *ask) { a.key = id } }

// Role says who may answer.
func Role(role string) AskOption { return func(a *ask) { a.Role = role } }

// Assignee is the one person who may answer, until the question is reassigned. With [Role], the person needs that role.
func Assignee(name string) AskOption { return func(a *ask) { a.Assignee = name } }

// Override names a role that may release, reassign and escalate another holder's question, on record. Without it, only
// the holder can. To answer, a person in the role first reassigns it to themselves.
func Override(role string) AskOption { return func(a *ask) { a.Override = role } }

// RequireToken requires the question's resume token for answers and claims (law H5). Only the process that opens the
// question receives the token.
func RequireToken() AskOption { return func(a *ask) { a.RequireToken = true } }

// FourEyes refuses answers by the person who started the run, and answers without a name (law H6). The call fails if
// the starter is unknown, or is the one person who may answer.
func FourEyes() AskOption { return func(a *ask) { a.FourEyes = true } }

// NotBy refuses answers by people who answered a question of one of the nodes (law H6). It counts all visits of the
// nodes, and refuses answers without a name. It holds both ways: the nodes also refuse people who have answered this
// question. Nodes are named as in the graph that the asking one is part of; a subgraph or a map stands for all in it.
// One that the plan does not have is an error where it is asked, and so is a node that was answered without a name
// before, and an assignee who may not answer.
func NotBy(nodes ...string) AskOption { return func(a *ask) { a.NotBy = append(a.NotBy, nodes...) } }

// ShownAs says what kind of question it is, for those who show it: "review", "form". Defaults to none.
func ShownAs(kind string) AskOption { return func(a *ask) { a.Kind = kind } }

// Prompt is the sentence that people are shown.
func Prompt(text string) AskOption { return func(a *ask) { a.Prompt = text } }

// Options are the answers to choose from; an answer must be one of them.
func Options(options ...string) AskOption { return func(a *ask) { a.Options = options } }

// ResponseSchema replaces the schema that is derived from the Go type of the answer. For [Receive] it is the message's. The type may
// leave members out. Where the schema of a question is changed while the question is open or its answer recorded, it has to keep
// all of the answer, or the run is blocked with a [*RecordedError] (law J8).
func ResponseSchema(doc []byte) AskOption { return func(a *ask) { a.ResponseSchema = doc } }

// RequestSchema is the schema of the request. The request is checked before the question opens, and the schema is shown
// with it. Without one the request is of its Go type, which is named and not checked.
func RequestSchema(s *schema.Schema) AskOption {
	return func(a *ask) { a.RequestSchema, a.RequestIdentity = s.JSON(), s.Identity() }
}

// Within sets the deadline, from the moment the question is opened. The result is [ErrExpired], unless [OrDefault],
// [OrRoute] or [OrEscalate] sets another. For [Receive] it is [ErrNoMessage].
func Within(d time.Duration) AskOption { return func(a *ask) { a.Within = d } }

// OrDefault answers the question with value at its deadline.
func OrDefault(value any) AskOption {
	return func(a *ask) {
		d := a.last()
		d.Do = nodehost.DeadlineDefault
		a.defaults = append(a.defaults, func(ctx Context) error {
			data, err := ctx.encode(value)
			if err != nil {
				return fmt.Errorf("default answer: %w: %w", ErrNotStorable, err)
			}
			if d.Do == nodehost.DeadlineDefault { // no later option has put something else in its place
				d.Answer = data
			}
			return nil
		})
	}
}

// OrRoute ends the task at the deadline and sends its input over the declared deadline edge to target.
func OrRoute(target string) AskOption {
	return func(a *ask) { a.last().Do, a.last().Target = nodehost.DeadlineRoute, target }
}

// OrEscalate asks another role at the deadline and gives it its own time. Options after it apply to the end of that
// time.
func OrEscalate(role string, within time.Duration) AskOption {
	return func(a *ask) {
		d := a.last()
		*d = nodehost.Deadline{Do: nodehost.DeadlineEscalate, Role: role, Within: within, Then: &nodehost.Deadline{}}
	}
}

func (a *ask) last() *nodehost.Deadline {
	d := &a.AtDeadline
	for d.Then != nil {
		d = d.Then
	}
	return d
}

// Asked is an open question whose answer is an R.
type Asked[R any] struct {
	ctx   Context
	op    nodehost.Op
	host  nodehost.Host
	shape *string // of R; nil where the schema of the answer says all of R, and a change of R is another question
}

// Ask opens a question and goes on without waiting, so that several can be open at once (law N5). The request is
// what people are shown beside the prompt: any value that survives encoding/json, or nil.
func Ask[R any](ctx Context, request any, opts ...AskOption) (*Asked[R], error) {
	return newAsked(openFor[R](ctx, request, false, schemaOf[R], opts))
}

// newAsked returns the result of openFor as its callers keep it.
func newAsked[R any](q Asked[R], err error) (*Asked[R], error) {
	if err != nil {
		return nil, err
	}
	return &q, nil
}

// openFor opens a question with the schema of the answer, where the options do not name one. waits says that its caller waits
// for the answer at once.
func openFor[R any](
	ctx Context, request any, waits bool, response func() (*schema.Schema, error), opts []AskOption,
) (q Asked[R], err error) {
	a := ask{key: unnamed}
	for _, opt := range opts {
		opt(&a)
	}
	a.Unnamed, a.Waits = a.key == unnamed, waits
	if a.err != nil {
		return q, a.err
	}
	q.ctx, q.host = ctx, ctx.host
	if a.op != nil {
		q.op = *a.op
	} else if q.op, err = ctx.begin(nodehost.KindInterrupt, a.key); err != nil {
		return q, err
	}
	if err := a.fill(ctx, request, response); err != nil {
		return q, fmt.Errorf("task %s, %s: %w", ctx.Info().Task(), nodehost.CallText(q.op.ID), err)
	}
	if a.loose {
		a.Shape = loss.Shape(reflect.TypeFor[R]())
		q.shape = &a.Shape
	}
	return q, ctx.host.Ask(ctx.pass, q.op, a.Question)
}

// unnamed is the key of questions without an ID: they are told apart by their order.
const unnamed = "interrupt"

func schemaOf[R any]() (*schema.Schema, error) { return schema.For[R]() }

// fill encodes the request and settles the schemas.
func (a *ask) fill(ctx Context, request any, response func() (*schema.Schema, error)) error {
	for _, encode := range a.defaults {
		if err := encode(ctx); err != nil {
			return err
		}
	}
	if request != nil {
		data, err := ctx.encode(request)
		if err != nil {
			return fmt.Errorf("request: %w: %w", ErrNotStorable, err)
		}
		a.Request = data
		if a.RequestIdentity == (schema.Identity{}) {
			a.RequestIdentity = nameOf(reflect.TypeOf(request))
		}
	}
	if a.loose = a.ResponseSchema != nil; !a.loose {
		s, err := response()
		if err != nil {
			return fmt.Errorf("the type of the answer: %w", err)
		}
		a.loose = bytes.Contains(s.JSON(), []byte(":{}")) || string(s.JSON()) == "{}" // of a type that reads its JSON itself
		for _, option := range a.Options {
			data, _ := json.Marshal(option) //nolint:errchkjson // a string always encodes
			if err := s.Check(data); err != nil {
				return fmt.Errorf("the option %q does not fit the type of the answer: %w", option, err)
			}
		}
		if len(a.Options) > 0 {
			a.ResponseSchema = optionsSchema(a.Options)
		} else {
			a.ResponseSchema, a.ResponseIdentity = s.JSON(), s.Identity()
		}
	}
	return nil
}

// nameOf is what the schema of a named type is called; nothing for others.
func nameOf(t reflect.Type) schema.Identity {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Name() == "" || t.PkgPath() == "" || t == reflect.TypeFor[json.RawMessage]() {
		return schema.Identity{}
	}
	s, err := schema.Of(t)
	if err != nil { // it was encoded all the same
		return schema.Identity{}
	}
	return s.Identity()
}

func optionsSchema(options []string) []byte {
	data, _ := json.Marshal(map[string]any{"type": "string", "enum": options}) //nolint:errchkjson // strings always encode
	return data
}

// By is the name of the person who answered, or "" for an answer without a name or by the deadline. It is known once
// Wait has returned an answer.
func (q *Asked[R]) By() string { return q.op.By }

// At says when the answer came, in UTC; known once Wait has returned an answer.
func (q *Asked[R]) At() time.Time { return q.op.At }

// Wait returns the answer. Where there is none yet, the task is left ([ErrSuspended]) and run again when there is.
func (q *Asked[R]) Wait() (R, error) {
	var zero R
	op, err := q.host.Answered(q.ctx.pass, q.op)
	switch {
	case err != nil:
		return zero, q.ctx.leave(err)
	case op.Failure == ErrExpired.Error():
		return zero, fmt.Errorf("task %s, %s: %w", q.ctx.Info().Task(), nodehost.CallText(op.ID), ErrExpired)
	case op.Failure != "":
		return zero, fmt.Errorf("task %s, %s: %w", q.ctx.Info().Task(), nodehost.CallText(op.ID), ErrWithdrawn)
	}
	q.op = op
	if q.shape == nil || op.Shape == *q.shape { // what the type leaves out, its author left out when the question was asked
		return decode[R](op)
	}
	return recorded[R](q.ctx, op)
}

// Interrupt asks a question and waits for its answer: a durable pause at this line (laws N1 and H1). The answer is
// checked against R's schema, or [Options], before it is taken (law H2).
//
// While there is no answer, the error is [ErrSuspended]: return it. When there is one, the node's function runs again from
// its first line, so what must not happen twice belongs in a [Step] before. Nobody answering in time is [ErrExpired].
func Interrupt[R any](ctx Context, request any, opts ...AskOption) (R, error) {
	q, err := openFor[R](ctx, request, true, schemaOf[R], opts)
	if err != nil {
		var zero R
		return zero, err
	}
	return q.Wait()
}
