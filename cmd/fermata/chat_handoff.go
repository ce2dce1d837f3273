package main

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/ordered"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
)

// byAgent is who speaks for the person who has taken over a conversation.
const byAgent = "agent"

// waitingOf is what a conversation asks its user, or the person who has taken over; false for other questions.
func waitingOf(q *journal.Interrupt) (w dialogue.Waiting, ok bool) {
	if q.Kind != dialogueKind {
		return w, false
	}
	return w, json.Unmarshal(q.Request, &w) == nil
}

// forPeople leaves out the conversations that wait for nothing but their users; those that a person has taken over stay.
func forPeople(list []fermata.Interrupt) []fermata.Interrupt {
	return slices.DeleteFunc(list, func(q fermata.Interrupt) bool {
		w, ok := waitingOf(&q.Interrupt)
		return ok && !w.Handoff
	})
}

// asks is the sentence of a question; for a person who has taken over a conversation it is what the user has said last.
func asks(q *journal.Interrupt) string {
	w, ok := waitingOf(q)
	if !ok || !w.Handoff {
		return q.Prompt
	}
	for _, line := range slices.Backward(w.Transcript) {
		if line.By != "bot" && w.Language != "" {
			return line.By + " (" + w.Language + "): " + line.Text
		}
		if line.By != "bot" {
			return line.By + ": " + line.Text
		}
	}
	return "a conversation"
}

// spoken is an answer to a conversation as the message that it takes: a text is one, too. In a conversation that a person
// has taken over it comes from them.
func spoken(q *journal.Interrupt, value json.RawMessage) json.RawMessage {
	w, ok := waitingOf(q)
	given, err := ordered.Decode(value)
	if !ok || err != nil {
		return value
	}
	message, isObject := given.(ordered.Object)
	if text, isText := given.(string); isText {
		message, isObject = ordered.Object{}.Set("text", text), true
	}
	if !isObject {
		return value // it is refused where it is taken
	}
	if w.Handoff && !message.Has("from") {
		message = message.Set("from", byAgent)
	}
	data, err := ordered.Encode(message)
	if err != nil {
		return value
	}
	return data
}

// overtaken adds to the refusal of a person's words what their user has said meanwhile, and the task that takes an answer now.
func (m *Main) overtaken(ctx context.Context, h *house, q *journal.Interrupt, as string, err error) error {
	if w, ok := waitingOf(q); !ok || !w.Handoff {
		return err
	}
	open, failed := h.Inbox(ctx, journal.InboxFilter{Run: q.Run})
	if failed != nil {
		return err
	}
	for i := range open {
		next := &open[i].Interrupt
		if w, ok := waitingOf(next); ok && w.Handoff && next.ID != q.ID {
			return &withAdvice{err, "said meanwhile, " + strconv.Quote(asks(next)) + "; to answer: " +
				m.answerCommand(next, next.ID, as, true)}
		}
	}
	return err
}
