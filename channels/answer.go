package channels

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/fermata-go/fermata/dialogue"
)

// answer responds to a request with what the conversation says. It waits for that within Options.Patience.
func (d *Driver) answer(w http.ResponseWriter, r *http.Request, a Answerer, request *Request, user string) {
	b := d.box(mailboxID(a.Name(), user))
	defer d.leave(b)
	t, round, last, err := d.turn(r.Context(), a, b)
	var response Response
	if err == nil {
		response, err = a.Answer(request, t)
	}
	if err != nil {
		d.refuse(w, r, a, err)
		return
	}
	if err := response.write(w); err != nil {
		return // the next response tells it
	}
	_, err = b.update(context.WithoutCancel(r.Context()), func(have *mailbox) (*change, error) {
		over := t.Closed && !have.Over
		if last <= have.Sent && !over {
			return nil, nil //nolint:nilnil // nothing to append
		}
		return &change{Sent: last, Over: over, Round: round}, nil
	})
	if err != nil {
		d.o.Logger.ErrorContext(r.Context(), "a response could not be recorded; the next one may repeat it", "mailbox", b.id, "error", err)
	}
}

// turn is what the next response tells, the round that it belongs to, and the seq of the last of it.
func (d *Driver) turn(ctx context.Context, a Answerer, b *box) (t *Turn, round int, last uint64, err error) {
	m, err := d.taken(ctx, b)
	if err != nil {
		return nil, 0, 0, err
	}
	t = &Turn{Wait: len(m.Waiting) > 0, Language: cmp.Or(m.Tongue.Language, d.o.Dialogue.Settings().Language)}
	standing, err := d.talks.Standing(ctx, m.conversation())
	if err != nil {
		if t.Wait { // it has not begun
			return t, m.Round, 0, nil
		}
		return nil, 0, 0, err
	}
	last, t.Language = m.Sent, cmp.Or(standing.Language, t.Language) // the end of a conversation is told in its last one
	for said, err := range d.talks.Said(ctx, m.conversation(), m.Sent) {
		if err != nil {
			return nil, 0, 0, err
		}
		t.Said, last = append(t.Said, outgoing(a, &m, &said)), said.Seq
	}
	t.Closed = standing.Closed && !t.Wait
	if len(t.Said) == 0 && !t.Wait && standing.Pending != nil { // the user has said nothing, or did not hear it
		t.Said = append(t.Said, outgoing(a, &m, &dialogue.Delivery{Conversation: m.conversation(), Said: dialogue.Said{PendingTask: *standing.Pending}}))
	}
	return t, m.Round, last, nil
}

// taken waits until the conversation has answered all messages of a mailbox, or patience is over.
func (d *Driver) taken(ctx context.Context, b *box) (mailbox, error) {
	patience := time.NewTimer(d.o.Patience)
	defer patience.Stop()
	for {
		m, changed, err := b.read(ctx)
		if err != nil || len(m.Waiting) == 0 {
			return m, err
		}
		select {
		case <-changed:
		case <-time.After(250 * time.Millisecond): // the worker may be another process
		case <-patience.C:
			return m, nil
		case <-ctx.Done():
			return m, ctx.Err()
		}
	}
}
