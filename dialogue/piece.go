package dialogue

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// Piece is something that an action streams while it runs (see Action.Stream). It is a part of a text that a model writes,
// or of a value that it fills. Pieces are transient (law E2): listeners of the time get them, and what is said in the end
// holds the result of the action.
type Piece struct {
	Conversation string `json:"conversation"`
	// Type is text.delta, structured-data, or structured-data.invalidated: what was shown before does not hold (law E4).
	Type string `json:"type"`
	Task string `json:"task"`
	Op   string `json:"opId,omitempty"` // "" where all that the task has shown does not hold
	// Data is what the event of the run says: segmentId with text, which soFar makes all of the segment so far; or with
	// mode and patch, or data.
	Data json.RawMessage `json:"data"`
}

// Streamer is a Sink that receives pieces, too, between deliveries and in order. A piece that it does not take is lost.
type Streamer interface {
	Sink
	Stream(ctx context.Context, p Piece)
}

// streamed finds the pieces among the events of a conversation.
type streamed struct {
	dialogue *Dialogue
	shown    map[string]bool // the tasks that have streamed
}

// tell tells of the piece that an event is, if it is one and somebody wants it.
func (p *streamed) tell(e *fermata.Event, stream func(Piece)) {
	if stream == nil {
		return
	}
	if piece, ok := p.of(e); ok {
		stream(piece)
	}
}

// of is the piece that an event is; false for none.
func (p *streamed) of(e *fermata.Event) (Piece, bool) {
	kind := e.Entry.Kind
	transient := e.Sub > 0 && (kind == journal.StructuredData || kind == journal.TextDelta && channelOf(e.Entry.Op) == "answer")
	withdrawn := kind == journal.DataInvalidated && p.shown[e.Task()]
	if !transient && !withdrawn || !p.dialogue.streams(e.Entry.Node) {
		return Piece{}, false
	}
	var piece Piece
	data, err := e.AppendJSON(nil)
	if err != nil || json.Unmarshal(data, &piece) != nil {
		return Piece{}, false // the conversation does not end for that
	}
	if p.shown == nil {
		p.shown = make(map[string]bool)
	}
	p.shown[e.Task()] = true
	piece.Conversation = e.Run
	return piece, true
}

// channelOf is the channel of a text that is streamed: it is the key of the call.
func channelOf(op string) string {
	key := op[strings.LastIndex(op, nodehost.Inside)+1:]
	if !strings.Contains(op, nodehost.Inside) {
		_, key, _ = strings.Cut(op, ":")
	}
	channel, _, _ := strings.Cut(key, "#")
	return channel
}

// streams reports whether a task, by the path of its node, is that of an action which streams to users: transfer/send, or
// transfer/(send)/… of one that is a plan.
func (d *Dialogue) streams(path string) bool {
	flow, rest, _ := strings.Cut(path, "/")
	f := d.flows[flow]
	if f == nil {
		return false
	}
	name, _, inside := strings.Cut(rest, "/")
	if inside {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "("), ")")
	}
	st := f.steps[name]
	return st != nil && st.action != nil && st.action.Stream && inside == (st.action.Plan != nil)
}
