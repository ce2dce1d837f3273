package executor

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/stream"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Emit implements nodehost.Host.
func (h *host) Emit(pass uint64, op nodehost.Op, eventType string, data []byte) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if err := h.holds(op, data); err != nil {
		return err
	}
	if t := h.task.in(h.run.Machine); t != nil && t.Op(op.ID) == nil {
		if err := h.inOrder(t, op); err != nil {
			return err
		}
	}
	kind := journal.Message
	switch eventType {
	case node.EventStatus:
		kind = journal.Status
	case node.EventDiagnostic:
		kind = journal.Diagnostic
	}
	return h.record(h.run.pure, func(m *machine.Machine, t *machine.Task, now int64) error {
		return put(m, t, now, kind, op, nil, data)
	})
}

// Chunk implements nodehost.Host. A model writes many pieces: each costs no memory but the text itself.
func (h *host) Chunk(pass uint64, op nodehost.Op, channel, text string, last bool) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	b := h.streams[op.ID]
	if b == nil {
		var err error
		if b, err = h.openText(op, channel); err != nil {
			return err
		}
	}
	if size := b.Len() + len(text); size > h.run.MaxValue() {
		return h.tooLarge(op, size)
	}
	if last {
		return h.closeText(op, channel, b.String())
	}
	h.run.Stream.Chunk(h.source(), op.ID, text, b)
	return nil
}

// openText records that a call begins to write text, and returns where its pieces are put together.
func (h *host) openText(op nodehost.Op, channel string) (*strings.Builder, error) {
	if h.streams == nil {
		h.streams = make(map[string]*strings.Builder)
	}
	b := &strings.Builder{}
	h.streams[op.ID] = b
	body, _ := json.Marshal(textBody{Channel: channel}) //nolint:errchkjson // strings always encode
	if h.brokenOff(op.ID) {
		h.run.add(h.task.do(func(m *machine.Machine, t *machine.Task) error {
			return m.Record(h.run.Now(), t, journal.DataInvalidated, op.ID, nil, invalidated(h.segment(op.ID), "restart"))
		}))
	}
	if err := h.showsInOrder(op); err != nil {
		return nil, err
	}
	err := h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
		return put(m, t, now, journal.TextStart, op, nil, body)
	})
	if err != nil {
		return nil, err
	}
	h.run.Stream.OpenSegment(h.source(), op.ID, b)
	return b, nil
}

// closeText records the whole text of a call.
func (h *host) closeText(op nodehost.Op, channel, text string) error {
	delete(h.streams, op.ID)
	h.run.Stream.CloseSegment(h.path, h.visit, op.ID)
	whole := textBody{Channel: channel, Text: text}
	if op.Kind == nodehost.KindChunks {
		whole.Text, whole.Returned = "", true
	}
	body, err := canonical.Marshal(whole, h.run.MaxValue())
	if err != nil {
		return fmt.Errorf("task %s, %s: %w", nodehost.TaskID(h.path, int(h.visit)), nodehost.CallText(op.ID), runtype.NotStorable(err))
	}
	return h.record(whole.Returned || ofModel(op.ID), func(m *machine.Machine, t *machine.Task, now int64) error {
		return put(m, t, now, journal.TextEnd, op, nil, body)
	})
}

// brokenOff reports whether this attempt began the text before and did not complete it (law E4). Text of an
// earlier attempt was invalidated with its failure.
func (h *host) brokenOff(op string) bool {
	t := h.task.in(h.run.Machine)
	if t == nil || h.run.Unstored {
		return false
	}
	known := t.Op(op)
	return known != nil && !known.Done && known.Attempt == h.attempt
}

// Data implements nodehost.Host.
func (h *host) Data(pass uint64, op nodehost.Op, v nodehost.Data) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	switch v.Mode {
	case nodehost.DataFinal:
		if err := h.holds(op, v.Value); err != nil {
			return err
		}
		if err := h.showsInOrder(op); err != nil {
			return err
		}
		if h.run.Stream.CloseSegment(h.path, h.visit, op.ID) {
			h.shown--
		}
		body, _ := json.Marshal(journal.DataBody{ //nolint:errchkjson // strings always encode
			DataType: v.DataType, Mode: v.Mode, SchemaID: v.SchemaID, SchemaVersion: v.SchemaVersion, Shape: op.Shape,
		})
		return h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
			return put(m, t, now, journal.StructuredData, op, v.Value, body)
		})
	case nodehost.DataDropped:
		if h.run.Stream.CloseSegment(h.path, h.visit, op.ID) {
			h.shown--
		}
		body := invalidated(h.segment(op.ID), string(v.Value))
		return h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
			return m.Record(now, t, journal.DataInvalidated, op.ID, nil, body)
		})
	}
	if h.run.Stream.Data(h.source(), op.ID, v) {
		h.shown++
	}
	return nil
}

// source returns the origin of what the task shows.
func (h *host) source() stream.Source {
	return stream.Source{Run: h.run.ID, Path: h.path, Visit: h.visit, Attempt: h.attempt, Head: h.run.Machine.Head()}
}

// invalidated returns the body of an entry that withdraws shown text; all of it if segment is "".
func invalidated(segment, reason string) []byte {
	body, _ := json.Marshal(journal.InvalidatedBody{SegmentID: segment, Reason: reason}) //nolint:errchkjson // strings always encode
	return body
}

// segment returns the id of a call's stream.
func (h *host) segment(op string) string {
	return runtype.SegmentID(nodehost.TaskID(h.path, int(h.visit)), op)
}

// textBody is the body of TextStart and TextEnd.
type textBody struct {
	Channel string `json:"channel"`        // as the node named it
	Text    string `json:"text,omitempty"` // in TextEnd

	Returned bool `json:"returned,omitempty"` // the whole text is in the task's outcome
}
