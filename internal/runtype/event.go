package runtype

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// EventVersion is the version of the event envelope.
const EventVersion = 1

// Types of events of tool calls, which are steps in the journal.
const (
	toolCall   = "tool.call"
	toolResult = "tool.result"
)

// Event is one event of a run as readers get it. There is one for each journal entry (law E1), and transient
// ones in between. It marshals to the envelope that all faces show.
type Event struct {
	Run   string        // id of the run
	Sub   uint32        // above 0 for a transient event after entry Seq
	SoFar bool          // a text delta with the whole segment so far, for a reader that came late (law E2)
	Entry journal.Entry // the journal entry
}

// Type returns the event's type: "node.finished".
func (e *Event) Type() string {
	if nodehost.CallKind(e.Entry.Op) == nodehost.KindTool {
		switch e.Entry.Kind {
		case journal.StepStarted:
			return toolCall
		case journal.StepFinished:
			return toolResult
		}
	}
	return e.Entry.Kind.String()
}

// Seq returns the number of the entry. A reader passes it as its cursor.
func (e *Event) Seq() uint64 { return e.Entry.Seq }

// Time returns when the event happened, in UTC.
func (e *Event) Time() time.Time { return e.Entry.Time() }

// MarshalJSON returns the envelope.
func (e *Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// AppendJSON appends the envelope to b on one line, as MarshalJSON writes it. It needs no memory beside b for
// text deltas. On failure it returns b unchanged.
func (e *Event) AppendJSON(b []byte) ([]byte, error) {
	given := b
	b = append(b, `{"v":`...)
	b = strconv.AppendInt(b, EventVersion, 10)
	b = append(b, `,"seq":`...)
	b = strconv.AppendUint(b, e.Entry.Seq, 10)
	b = append(b, `,"sub":`...)
	b = strconv.AppendUint(b, uint64(e.Sub), 10)
	b = append(b, `,"ts":"`...)
	b = e.Time().AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","run":`...)
	b = appendText(b, e.Run)
	if e.Entry.Node != "" {
		b = append(b, `,"task":"`...)
		b = append(e.appendTask(b), '"')
	}
	if e.Entry.Op != "" {
		b = append(b, `,"opId":`...)
		if e.Entry.Kind == journal.TextDelta {
			b = e.appendCall(append(b, `"op_`...), Operation(e.Entry.Op))
		} else {
			b = appendText(b, e.OpID())
		}
	}
	b = append(b, `,"type":`...)
	b = appendText(b, e.Type())
	b = append(b, `,"data":`...)
	if e.Entry.Kind == journal.TextDelta {
		return append(e.appendDelta(b), '}'), nil
	}
	if e.Entry.Kind == journal.StructuredData && e.Sub > 0 { // its body is its data
		return append(append(b, e.Entry.Body...), '}'), nil
	}
	data, err := e.Data()
	if err != nil {
		return given, err
	}
	return append(append(b, data...), '}'), nil
}

// appendDelta appends the data of a text delta.
func (e *Event) appendDelta(b []byte) []byte {
	b = append(b, '{')
	if e.Entry.Attempt > 1 {
		b = append(b, `"attempt":`...)
		b = strconv.AppendUint(b, uint64(e.Entry.Attempt), 10)
		b = append(b, ',')
	}
	b = e.appendCall(append(b, `"segmentId":"seg_`...), e.Entry.Op)
	if e.SoFar {
		b = append(b, `,"soFar":true`...)
	}
	b = append(b, `,"text":`...)
	return append(appendText(b, e.Entry.To), '}')
}

// appendCall appends the event's call and the closing quote.
func (e *Event) appendCall(b []byte, op string) []byte {
	b = append(e.appendTask(b), '/')
	return append(appendEscaped(b, nodehost.CallText(op)), '"')
}

// appendTask appends the id of the event's task.
func (e *Event) appendTask(b []byte) []byte {
	if e.Entry.Node == "" {
		return b
	}
	b = append(appendEscaped(b, e.Entry.Node), '#')
	return strconv.AppendUint(b, uint64(e.Entry.Visit), 10)
}

func appendText(b []byte, text string) []byte {
	return append(appendEscaped(append(b, '"'), text), '"')
}

// appendEscaped appends a text as encoding/json escapes it, without quotes.
func appendEscaped(b []byte, text string) []byte {
	ascii := true
	for i := range len(text) {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			ascii = false
		case c < ' ', c == '"', c == '\\', c == '<', c == '>', c == '&', c == 0x7f:
			return appendEncoded(b, text)
		}
	}
	if !ascii && (!utf8.ValidString(text) || strings.Contains(text, "\u2028") || strings.Contains(text, "\u2029")) {
		return appendEncoded(b, text)
	}
	return append(b, text...)
}

func appendEncoded(b []byte, text string) []byte {
	data, _ := json.Marshal(text) //nolint:errchkjson // a text always encodes
	return append(b, data[1:len(data)-1]...)
}

// ErrSlow says that a reader fell behind and events of an unstored run were dropped (law E3).
var ErrSlow = fault.Sentinel("slow", "the reader was too slow, and the run is not stored")

// Task returns the id of the event's task: "inner/review#2"; "" for events of the run.
func (e *Event) Task() string {
	if e.Entry.Node == "" {
		return ""
	}
	return nodehost.TaskID(e.Entry.Node, int(e.Entry.Visit))
}

// OpID returns the id of the event's call. It is made of task and step, so it stays the same across suspensions
// and restarts (law E4).
func (e *Event) OpID() string {
	if e.Entry.Op == "" {
		return ""
	}
	switch e.Entry.Kind {
	case journal.InterruptOpened, journal.InterruptUpdated, journal.InterruptResolved:
		return e.Entry.Op
	}
	return "op_" + e.Task() + "/" + nodehost.CallText(Operation(e.Entry.Op))
}

// SegmentOf returns the id of the segment that an event is shown in.
func SegmentOf(e *Event) string { return SegmentID(e.Task(), e.Entry.Op) }

// Operation returns the call that an event belongs to: the reasoning around it, else the call itself.
func Operation(op string) string {
	outer := op
	for scope := nodehost.CallScope(op); scope != ""; scope = nodehost.CallScope(scope) {
		outer = scope
	}
	if outer == op || nodehost.CallKind(outer) != nodehost.KindReason {
		return op
	}
	return nodehost.CallUntried(outer)
}

// SegmentID returns the id of a call's stream (law E4).
func SegmentID(task, op string) string { return "seg_" + task + "/" + nodehost.CallText(op) }

// Data returns the data of the event: a JSON object, by the event's type.
func (e *Event) Data() (json.RawMessage, error) {
	data := map[string]any{}
	switch {
	case len(e.Entry.Body) == 0:
	case emitted(e.Entry.Kind) && e.Entry.Body[0] != '{':
		data["value"] = json.RawMessage(e.Entry.Body)
	default:
		if err := json.Unmarshal(e.Entry.Body, &data); err != nil {
			return nil, &journal.StoreError{
				Op: "decode", Run: e.Run, Seq: e.Entry.Seq,
				Err: fmt.Errorf("%w: the body of %s: %w", journal.ErrCorrupt, e.Type(), err),
			}
		}
	}
	en := &e.Entry
	if en.Attempt > 1 {
		data["attempt"] = en.Attempt
	}
	switch en.Kind {
	case journal.RouteTaken:
		e.routeData(data)
	case journal.TextStart, journal.TextDelta, journal.TextEnd:
		data["segmentId"] = SegmentID(e.Task(), en.Op)
		if en.Kind == journal.TextDelta {
			data["text"] = en.To
		}
		if e.SoFar {
			data["soFar"] = true
		}
	case journal.NodeHeartbeat:
		data["value"] = json.RawMessage(en.Value)
	case journal.StructuredData:
		if len(en.Value) > 0 {
			data["data"], data["segmentId"] = json.RawMessage(en.Value), SegmentID(e.Task(), en.Op)
		}
	case journal.InterruptOpened:
		if data["notBy"] != nil { // for the engine alone (law H6)
			data["fourEyes"] = true
		}
		for _, name := range []string{"tokenHash", "digest", "notBy"} {
			delete(data, name)
		}
	case journal.InterruptResolved:
		data["requestId"] = en.Op
		put(data, "answer", en.Value)
	case journal.InterruptUpdated:
		delete(data, "tokenHash")
		data["requestId"] = en.Op
	case journal.MessageSent, journal.MessageReplied:
		put(data, "value", en.Value)
	case journal.StepStarted, journal.StepFinished, journal.TimerSet, journal.TimerFired:
		data["step"] = nodehost.CallText(en.Op)
		put(data, "value", en.Value)
		if value, ok := data["value"]; ok && e.Type() == toolResult {
			data["result"] = value
			delete(data, "value")
		}
	}
	if en.Kind.CarriesState() && len(en.Value) > 0 {
		if en.Flags&journal.FlagBase != 0 {
			data["base"], data["delta"] = en.Base, json.RawMessage(en.Value)
		} else {
			data["value"] = json.RawMessage(en.Value)
		}
	}
	return json.Marshal(data)
}

// put adds a value, unless there is none.
func put(data map[string]any, name string, value []byte) {
	if len(value) > 0 {
		data[name] = json.RawMessage(value)
	}
}

// emitted reports whether entries of a kind have a body of a node's own, of any form.
func emitted(k journal.Kind) bool {
	return k == journal.Message || k == journal.Status || k == journal.Diagnostic || k == journal.StructuredData
}

func (e *Event) routeData(data map[string]any) {
	several, many := data["to"].([]any)
	delete(data, "to")
	if !many {
		several = []any{e.Entry.To}
	}
	var to []any
	for _, target := range several {
		switch target {
		case node.End:
			data["end"] = true
		case node.Stop:
			data["stop"] = true
		default:
			to = append(to, target)
		}
	}
	switch {
	case many:
		data["to"] = append([]any{}, to...)
	case len(to) > 0:
		data["to"] = to[0]
	}
	switch {
	case e.Entry.Flags&journal.FlagCatch != 0:
		data["because"] = "failure"
	case e.Entry.Flags&journal.FlagExpired != 0:
		data["because"] = "deadline"
	}
}
