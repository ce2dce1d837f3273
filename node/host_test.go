package node_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/node"
)

// host is a nodehost.Host in memory that writes down what it is asked for. It keeps what is recorded, so that a second
// pass is a replay.
type host struct {
	calls     []string
	ops       map[string]*nodehost.Op
	count     map[string]int
	questions map[string]nodehost.Question
	pass      uint64
	suspended bool
	fail      map[string]error // by call: "Record"
	services  []any
	now       time.Time
	cause     *node.Failure
}

var _ nodehost.Host = (*host)(nil)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func newHost() *host {
	return &host{ops: make(map[string]*nodehost.Op), questions: make(map[string]nodehost.Question), fail: make(map[string]error), now: noon}
}

// next begins a pass over a node function.
func (h *host) next(t *testing.T) node.Context {
	t.Helper()
	h.pass++
	h.calls, h.count, h.suspended = nil, make(map[string]int), false
	return node.NewContext(t.Context(), h, h.pass)
}

// call writes a call down and says whether it is refused.
func (h *host) call(pass uint64, name, format string, args ...any) error {
	h.calls = append(h.calls, name+" "+fmt.Sprintf(format, args...))
	switch {
	case h.fail[name] != nil:
		return h.fail[name]
	case pass != h.pass:
		return node.ErrTaskOver
	case h.suspended:
		return node.ErrSuspended
	}
	return nil
}

// shown is an id as people read it.
func shown(id string) string { return strings.ReplaceAll(id, nodehost.Inside, "/") }

func (h *host) Begin(pass uint64, kind nodehost.Kind, key string) (nodehost.Op, error) {
	id := string(kind) + ":" + key
	h.count[id]++
	id += "#" + strconv.Itoa(h.count[id])
	if err := h.call(pass, "Begin", "%s", shown(id)); err != nil {
		return nodehost.Op{}, err
	}
	if known := h.ops[id]; known != nil {
		return *known, nil
	}
	return nodehost.Op{Kind: kind, ID: id}, nil
}

// op is where the outcome of a call is kept.
func (h *host) op(op nodehost.Op) *nodehost.Op {
	if h.ops[op.ID] == nil {
		h.ops[op.ID] = &op
	}
	return h.ops[op.ID]
}

func (h *host) Intend(pass uint64, op nodehost.Op) error {
	if err := h.call(pass, "Intend", "%s", shown(op.ID)); err != nil {
		return err
	}
	h.op(op).Begun = true
	return nil
}

func (h *host) Record(pass uint64, op nodehost.Op, value []byte, failure string) error {
	if err := h.call(pass, "Record", "%s value=%s failure=%s", shown(op.ID), value, failure); err != nil {
		return err
	}
	known := h.op(op)
	known.Done, known.Begun, known.Value, known.Failure = true, false, value, failure
	known.Terminal, known.RetryAfter, known.Marks = op.Terminal, op.RetryAfter, op.Marks
	return nil
}

func (h *host) Sleep(pass uint64, op nodehost.Op, d time.Duration) error {
	if err := h.call(pass, "Sleep", "%s %s", shown(op.ID), d); err != nil {
		return err
	}
	h.op(op)
	h.suspended = true
	return node.ErrSuspended
}

func (h *host) Ask(pass uint64, op nodehost.Op, q nodehost.Question) error {
	if err := h.call(pass, "Ask", "%s", shown(op.ID)); err != nil {
		return err
	}
	h.op(op).Shape = q.Shape
	h.questions[op.ID] = q
	return nil
}

func (h *host) Answered(pass uint64, op nodehost.Op) (nodehost.Op, error) {
	if err := h.call(pass, "Answered", "%s", shown(op.ID)); err != nil {
		return op, err
	}
	if known := h.ops[op.ID]; known != nil && known.Done {
		return *known, nil
	}
	h.suspended = true
	return op, node.ErrSuspended
}

// answer closes a question: with a value, or with the text of why there is none.
func (h *host) answer(id, value, failure string) {
	op := h.ops[id]
	op.Done, op.Value, op.Failure, op.By, op.At = true, []byte(value), failure, "Ada", h.now
}

func (h *host) Emit(pass uint64, op nodehost.Op, eventType string, data []byte) error {
	if err := h.call(pass, "Emit", "%s %s %s", shown(op.ID), eventType, data); err != nil {
		return err
	}
	h.op(op).Done = true
	return nil
}

func (h *host) Data(pass uint64, op nodehost.Op, v node.Data) error {
	if err := h.call(pass, "Data", "%s %s %s %s", shown(op.ID), v.DataType, v.Mode, v.Value); err != nil {
		return err
	}
	if v.Mode == node.DataFinal {
		known := h.op(op)
		known.Done, known.Value = true, v.Value
	}
	return nil
}

func (h *host) Together(pass uint64, op nodehost.Op, done bool) error {
	return h.call(pass, "Together", "%s done=%t", shown(op.ID), done)
}

func (h *host) Chunk(pass uint64, op nodehost.Op, channel, text string, last bool) error {
	if err := h.call(pass, "Chunk", "%s %s %q last=%t", shown(op.ID), channel, text, last); err != nil {
		return err
	}
	if last {
		h.op(op).Done = true
	}
	return nil
}

func (h *host) Info() node.Info {
	return node.Info{Run: "run_1", Plan: "plan", Node: "in/a", Visit: 2, Attempt: 3}
}

func (h *host) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
func (h *host) Cause() *node.Failure { return h.cause }
func (h *host) Clock() time.Time     { return h.now }
func (h *host) Service(t reflect.Type) any {
	for _, s := range h.services {
		if reflect.TypeOf(s) == t || t.Kind() == reflect.Interface && reflect.TypeOf(s).Implements(t) {
			return s
		}
	}
	return nil
}

type ctxKey struct{}

func TestContextIsFoundBehindOthers(t *testing.T) {
	h := newHost()
	ctx := h.next(t)
	derived, cancel := context.WithCancel(context.WithValue(ctx, ctxKey{}, "mine"))
	defer cancel()
	for name, c := range map[string]context.Context{"itself": ctx, "derived": derived, "wrapped": ctx.WithContext(derived)} {
		found, ok := node.FromContext(c)
		if !ok || found.Info() != h.Info() {
			t.Errorf("%s: %v, %t", name, found, ok)
		}
	}
	if _, ok := node.FromContext(t.Context()); ok {
		t.Error("a node context was found where none is")
	}
	wrapped := ctx.WithContext(derived)
	if wrapped.Value(ctxKey{}) != "mine" {
		t.Error("WithContext lost the values of the context that it was given")
	}
	cancel()
	if wrapped.Err() == nil || ctx.Err() != nil {
		t.Errorf("after cancelling: wrapped %v, original %v", wrapped.Err(), ctx.Err())
	}
}

func TestInfoNamesTheTask(t *testing.T) {
	if got := newHost().next(t).Info().Task(); got != "in/a#2" {
		t.Errorf("task %q", got)
	}
	if got := node.TaskID("review", 1); got != "review#1" {
		t.Errorf("task %q", got)
	}
}

func TestServiceIsFoundByType(t *testing.T) {
	h := newHost()
	h.services = []any{&strings.Builder{}}
	ctx := h.next(t)
	if _, err := node.Service[*strings.Builder](ctx); err != nil {
		t.Error(err)
	}
	if _, err := node.Service[io.StringWriter](ctx); err != nil {
		t.Error(err)
	}
	_, err := node.Service[*slog.Logger](ctx)
	if want := "no such service: *slog.Logger; add it to Options.Services"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}
