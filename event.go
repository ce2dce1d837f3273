package fermata

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// EventVersion is the version of the event envelope.
const EventVersion = 1

// Types of the events of calls of tools, which are steps in the journal.
const (
	toolCall   = "tool.call"
	toolResult = "tool.result"
)

// Event is what observers see of a run: one for each entry of its journal (law E1), and transient ones in between.
// It marshals to the envelope that all faces show.
type Event struct {
	Run   string
	Sub   uint32        // above 0 for a transient event, which follows the entry Seq
	soFar bool          // a text delta that holds its segment so far, for a reader that came late (law E2)
	Entry journal.Entry // the fact
}

// Type is the event's type: "node.finished".
func (e *Event) Type() string {
	if node.CallKind(e.Entry.Op) == node.KindTool {
		switch e.Entry.Kind {
		case journal.StepStarted:
			return toolCall
		case journal.StepFinished:
			return toolResult
		}
	}
	return e.Entry.Kind.String()
}

// Seq is the number of the entry; a reader that has seen it goes on after it.
func (e *Event) Seq() uint64 { return e.Entry.Seq }

// Time is when it happened, in UTC.
func (e *Event) Time() time.Time { return e.Entry.Time() }

// MarshalJSON writes the envelope.
func (e *Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// AppendJSON appends the envelope to b, as MarshalJSON writes it: on one line. The many pieces of a text that is being
// written take no memory beside b. When it fails, b is returned as it was.
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
			b = e.appendCall(append(b, `"op_`...), operation(e.Entry.Op))
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
	if e.Entry.Kind == journal.StructuredData && e.Sub > 0 { // its body is what it says
		return append(append(b, e.Entry.Body...), '}'), nil
	}
	data, err := e.Data()
	if err != nil {
		return given, err
	}
	return append(append(b, data...), '}'), nil
}

// appendDelta appends what Data says of a piece of text.
func (e *Event) appendDelta(b []byte) []byte {
	b = append(b, '{')
	if e.Entry.Attempt > 1 {
		b = append(b, `"attempt":`...)
		b = strconv.AppendUint(b, uint64(e.Entry.Attempt), 10)
		b = append(b, ',')
	}
	b = e.appendCall(append(b, `"segmentId":"seg_`...), e.Entry.Op)
	if e.soFar {
		b = append(b, `,"soFar":true`...)
	}
	b = append(b, `,"text":`...)
	return append(appendText(b, e.Entry.To), '}')
}

// appendCall appends a call of the event's task, and the quote that ends it.
func (e *Event) appendCall(b []byte, op string) []byte {
	b = append(e.appendTask(b), '/')
	return append(appendEscaped(b, node.CallText(op)), '"')
}

// appendTask appends what Task says.
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

// appendEscaped appends a text as it stands between the quotes of JSON, as encoding/json writes it.
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
