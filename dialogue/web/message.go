package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/reply"
)

// message is what a client says. It has no member that says who speaks.
type message struct {
	ID       string             `json:"id"`
	Text     string             `json:"text"`
	Question string             `json:"question"` // the id of the pending task that it answers
	Commands []dialogue.Command `json:"commands"`
	Done     bool               `json:"done"`     // of an agent
	Language string             `json:"language"` // of the message, and of the conversation from here on
}

// read reads a message.
func (m *message) read(data []byte) *refusal {
	if err := json.Unmarshal(data, m); err != nil {
		return malformed(fmt.Sprintf(`expected {"id": …, "text": …} of at most %d bytes`, bodyLimit))
	}
	return nil
}

// state is how a conversation stands after a message.
type state struct {
	Pending  *dialogue.PendingTask `json:"pending,omitempty"`
	Again    bool                  `json:"again,omitempty"`
	Handoff  bool                  `json:"handoff,omitempty"`
	Busy     bool                  `json:"busy,omitempty"`
	Closed   bool                  `json:"closed,omitempty"`
	Language string                `json:"language,omitempty"` // where the dialogue has several
	Seq      uint64                `json:"seq"`
}

func stateOf(r *dialogue.Reply) state {
	return state{Pending: r.Pending, Again: r.Again, Handoff: r.Handoff, Busy: r.Busy, Closed: r.Closed, Language: r.Language, Seq: r.Seq}
}

// talk is what was said, and how a conversation stands.
type talk struct {
	Said []dialogue.Said `json:"said"`
	state
}

func talkOf(said []dialogue.Said, r *dialogue.Reply) talk {
	if said == nil {
		said = []dialogue.Said{}
	}
	return talk{said, stateOf(r)}
}

// lasting is the context of what is not given up when its client goes away: a turn that has begun is carried through.
// Closing the runtime stops it.
func lasting(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }

// say says a message in a conversation.
func (h *handler) say(ctx context.Context, id string, agent bool, given *message) (dialogue.Reply, *refusal) {
	m := dialogue.Message{ID: given.ID, Text: given.Text, Question: given.Question, Commands: given.Commands, Language: given.Language, Channel: "web"}
	m.Commands = slices.DeleteFunc(m.Commands, func(c dialogue.Command) bool { return c.Type == dialogue.Silence })
	if agent {
		m.From, m.Done, m.Commands = "agent", given.Done, nil
	}
	if strings.TrimSpace(m.Text) == "" && len(m.Commands) == 0 && !m.Done && m.Language == "" {
		return dialogue.Reply{}, malformed("the message says nothing; expected a text, or a language")
	}
	out, err := h.talks.Send(ctx, id, m)
	if err != nil {
		return out, h.explain(ctx, id, err)
	}
	return out, nil
}

func (h *handler) send(w http.ResponseWriter, r *http.Request, id string, agent bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		body = nil // it is too large, or cut off
	}
	var given message
	if no := given.read(body); no != nil {
		refuse(w, no)
		return
	}
	out, no := h.say(lasting(r), id, agent, &given)
	if no != nil {
		refuse(w, no)
		return
	}
	reply.JSON(w, http.StatusOK, talkOf(out.Said, &out))
}
