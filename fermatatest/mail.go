package fermatatest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// Mail is a message to a run, see [Messages].
type Mail struct {
	Name  string // which calls of node.Receive take it
	Value any    // anything that encoding/json writes
}

// Messages sends messages to the run, one after the other. [Crash] sends one whenever the run pauses, and sends it again after a
// crash, with the same id (law M2); [Schedules] sends each at any time. The run may end before all are sent.
func Messages(list ...Mail) Option { return func(x *explorer) { x.mail = list } }

// send sends the next message.
func (tr *trial) send(ctx context.Context, rt *fermata.Runtime) error {
	n := tr.sent.Load()
	m := tr.x.mail[n]
	err := rt.Send(ctx, runID, m.Name, m.Value, fermata.MessageID(fmt.Sprintf("message-%d", n+1)))
	if err != nil && !errors.Is(err, fermata.ErrConflict) { // which says that the run has ended
		return fmt.Errorf("message %q: %w", m.Name, err)
	}
	tr.sent.Add(1)
	return nil
}

// unsent reports whether there are more messages.
func (tr *trial) unsent() bool { return int(tr.sent.Load()) < len(tr.x.mail) }

// willPost reports whether a message is due: the run has paused, and asks nobody.
func (p *process) willPost(row *fermata.RunInfo) bool {
	return p.tr.unsent() && row.Status == string(fermata.Paused) && row.Waiting == 0
}

// willReceive reports whether a timer is the deadline of a call that waits for a message, while more are to be sent: they come
// before it, as soon as the run has paused.
func (p *process) willReceive(t *journal.Timer) bool {
	return p.tr.unsent() && strings.Contains(t.ID, " "+string(nodehost.KindReceive)+":") // TASK CALL
}

// post sends messages while the run waits, until all are sent or the process dies.
func (p *process) post(ctx context.Context) {
	for p.tr.unsent() {
		changed := p.store.changes()
		row, err := p.row(ctx)
		if err == nil && p.willPost(&row) {
			if p.tr.send(ctx, p.rt) != nil {
				return // the process dies: the next one sends it again
			}
			p.store.tell() // the run may wait for time alone now
			continue
		}
		if err == nil && row.Ended() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// refuses reports whether an entry refuses a message that does not fit.
func refuses(e *journal.Entry) bool {
	var body journal.RepliedBody
	return json.Unmarshal(e.Body, &body) == nil && body.Refused
}
