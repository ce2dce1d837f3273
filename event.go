package fermata

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// EventVersion is the version of the event envelope.
const EventVersion = 1

// Event is what observers see of a run: one for each entry of its journal (law E1), and transient ones in between.
// It marshals to the envelope that all faces show.
type Event struct {
	Run   string
	Sub   uint32        // above 0 for a transient event, which follows the entry Seq
	soFar bool          // a text delta that holds its segment so far, for a reader that came late (law E2)
	Entry journal.Entry // the fact
	token string
}

// Type is the event's type: "node.finished".
func (e *Event) Type() string {
	if tool := string(node.KindTool) + ":"; strings.HasPrefix(e.Entry.Op, tool) {
		switch e.Entry.Kind {
		case journal.StepStarted:
			return "tool.call"
		case journal.StepFinished:
			return "tool.result"
		}
	}
	return e.Entry.Kind.String()
}

// Seq is the number of the entry; a reader that has seen it goes on after it.
func (e *Event) Seq() uint64 { return e.Entry.Seq }

// Time is when it happened, in UTC.
func (e *Event) Time() time.Time { return e.Entry.Time() }

type envelope struct {
	V    int             `json:"v"`
	Seq  uint64          `json:"seq"`
	Sub  uint32          `json:"sub"`
	Time time.Time       `json:"ts"`
	Run  string          `json:"run"`
	Task string          `json:"task,omitempty"`
	OpID string          `json:"opId,omitempty"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// MarshalJSON writes the envelope.
func (e *Event) MarshalJSON() ([]byte, error) {
	data, err := e.Data()
	if err != nil {
		return nil, err
	}
	return json.Marshal(envelope{
		V: EventVersion, Seq: e.Entry.Seq, Sub: e.Sub, Time: e.Time(), Run: e.Run,
		Task: e.Task(), OpID: e.OpID(), Type: e.Type(), Data: data,
	})
}
