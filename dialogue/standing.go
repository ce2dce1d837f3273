package dialogue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// Standing returns how a conversation stands. That is the question for its user, whether a person has taken over,
// whether it waits for another person or is over, and the seq of its last event. It changes nothing. Where there is no
// such conversation, the error is an *fermata.Error of CodeNotFound.
func (c *Conversations) Standing(ctx context.Context, id string) (Reply, error) {
	info, err := c.rt.Info(ctx, id)
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Seq: info.Head, Closed: info.Ended()}
	open, err := c.rt.Inbox(ctx, journal.InboxFilter{Run: id})
	if err != nil {
		return r, err
	}
	for i := range open {
		r.Busy = r.Busy || !isGate(&open[i])
	}
	for i := range open {
		if isGate(&open[i]) {
			return r, c.waits(ctx, &r, id, open[i].Request)
		}
	}
	return r, nil
}

// HandedOff is a conversation that a person has taken over, or has to.
type HandedOff struct {
	Conversation string    `json:"conversation"`
	Since        time.Time `json:"since"` // when it began to wait for what is said next, by the person or the user
	Last         Line      `json:"last"`  // what the user or the person has said last
}

// Handoffs returns the conversations that are with a person, the one that waits longest first. Listen reads what has been
// said in one, and Send takes the messages of the person, with From agent.
func (c *Conversations) Handoffs(ctx context.Context) ([]HandedOff, error) {
	open, err := c.rt.Inbox(ctx, journal.InboxFilter{})
	if err != nil {
		return nil, err
	}
	all := []HandedOff{}
	for i := range open {
		q := &open[i]
		var w Waiting
		if !isGate(q) || q.Kind != shownAs || json.Unmarshal(q.Request, &w) != nil || !w.Handoff {
			continue
		}
		info, err := c.rt.Info(ctx, q.Run)
		if err != nil {
			return nil, err
		}
		if info.Plan != c.dialogue.plan.Name() {
			continue
		}
		h := HandedOff{Conversation: q.Run, Since: time.UnixMicro(q.Opened).UTC()}
		for _, l := range w.Transcript {
			if l.By != byBot {
				h.Last = l
			}
		}
		all = append(all, h)
	}
	return all, nil
}

// Resume continues a conversation that was left in the middle of a turn, as by a process that died. It returns when the
// conversation waits for a person or is over. Listen and Follow read what it says then. One that waits for its user is
// left as it is.
func (c *Conversations) Resume(ctx context.Context, id string) error {
	done, err := c.take(ctx, id)
	if err != nil {
		return err
	}
	defer done()
	if gate, err := c.waiting(ctx, id); err != nil || gate != nil {
		return err
	}
	_, err = c.execute(ctx, id)
	return err
}

// waits takes in what a conversation asks its user.
func (c *Conversations) waits(ctx context.Context, r *Reply, id string, request json.RawMessage) error {
	var w Waiting
	if err := json.Unmarshal(request, &w); err != nil {
		return fmt.Errorf("conversation %s: what it waits for cannot be read: %w", id, err)
	}
	r.Pending, r.Handoff, r.Busy = w.PendingTask, w.Handoff, false
	if !c.dialogue.several() {
		return nil
	}
	begun, err := c.spoken(ctx, id)
	r.Language = begun.speaking(&State{Language: w.Language}).settings.Language
	return err
}
