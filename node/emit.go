package node

import (
	"fmt"
	"reflect"

	"github.com/fermata-go/fermata/internal/nodehost"
)

// Types of the events that nodes emit.
const (
	EventMessage    = "message"    // something said to the user
	EventStatus     = "status"     // what the node is doing
	EventDiagnostic = "diagnostic" // what an operator may want to know
)

// Emit shows data to the observers of the run, once: a replay emits nothing again (law N4). The type is one of
// [EventMessage], [EventStatus] and [EventDiagnostic].
func Emit(ctx Context, eventType string, data any) error {
	switch eventType {
	case EventMessage, EventStatus, EventDiagnostic:
	default:
		return fmt.Errorf("emit: event type %q: expected message, status or diagnostic", eventType)
	}
	op, err := ctx.begin(nodehost.KindEmit, eventType)
	if err != nil || op.Done {
		return err
	}
	encoded, err := ctx.encode(data)
	if err != nil {
		return fmt.Errorf("task %s, %s: %w: %w", ctx.Info().Task(), nodehost.CallText(op.ID), ErrNotStorable, err)
	}
	return ctx.host.Emit(ctx.pass, op, eventType, encoded)
}

// TextStream shows text as it comes. The chunks are transient; Close stores the whole (law E2).
type TextStream struct {
	ctx     Context
	op      nodehost.Op
	channel string
}

// Stream opens a segment of text on a channel: "answer" or "reasoning".
func Stream(ctx Context, channel string) (*TextStream, error) {
	op, err := ctx.begin(nodehost.KindStream, channel)
	if err != nil {
		return nil, err
	}
	return &TextStream{ctx: ctx, op: op, channel: channel}, nil
}

// Write shows one chunk. It never waits for a reader (law E3).
func (s *TextStream) Write(text string) error {
	if s.op.Done {
		return nil
	}
	return s.ctx.host.Chunk(s.ctx.pass, s.op, s.channel, text, false)
}

// Chunks opens a segment of text that the node then returns: Close does not store the text again.
func Chunks(ctx Context, channel string) (*TextStream, error) {
	op, err := ctx.begin(nodehost.KindChunks, channel)
	if err != nil {
		return nil, err
	}
	return &TextStream{ctx: ctx, op: op, channel: channel}, nil
}

// Close ends the segment and stores its whole text; of [Chunks], that it has ended.
func (s *TextStream) Close() error {
	if s.op.Done {
		return nil
	}
	return s.ctx.host.Chunk(s.ctx.pass, s.op, s.channel, "", true)
}

// Service finds the program's service of type T: the one that was given to the runtime's Options. Services are how
// nodes reach databases and clients without globals.
func Service[T any](ctx Context) (T, error) {
	t := reflect.TypeFor[T]()
	service, ok := ctx.host.Service(t).(T)
	if !ok {
		return service, fmt.Errorf("%w: %s; add it to Options.Services", ErrNoService, t)
	}
	return service, nil
}
