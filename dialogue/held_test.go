package dialogue_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// held holds conversations of one dialogue.
type held struct {
	c     *dialogue.Conversations
	made  []string        // the actions that were made since it was emptied
	state *dialogue.State // as it was when the user looked
	turns int
}

// look is a command of the tests alone: it shows the state.
const look dialogue.CommandType = "look"

// heldAt holds conversations of the dialogue in a file, whose actions all have one result. They know no other time than that of the
// test: Thursday, 26 November 2026, 10:00 in London.
func heldAt(t *testing.T, file string, result map[string]any, do func(*testing.T, *held)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, time.November, 26, 10, 0, 0, 0, time.UTC)))
		h := &held{}
		d, err := dialogue.Load(file, dialogue.Options{ActionsFrom: func(name string, _ any) (dialogue.Action, error) {
			return dialogue.Action{Name: name, Run: func(node.Context, map[string]any) (any, error) {
				h.made = append(h.made, name)
				return result, nil
			}}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		looks := func(_ node.Context, _ dialogue.Command, s *dialogue.State) (dialogue.Delta, error) {
			h.state = s
			return dialogue.Delta{}, nil
		}
		rt, err := fermata.New(fermata.Options{Services: []any{&dialogue.Services{Handlers: map[dialogue.CommandType]dialogue.Handler{look: looks}}}})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		h.c = dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
		do(t, h)
	})
}

// begin begins a conversation in a language.
func (h *held) begin(t *testing.T, lang string) (id string) {
	t.Helper()
	h.turns++
	id = fmt.Sprint("c", h.turns)
	if _, _, err := h.c.OpenIn(t.Context(), lang, id, nil); err != nil {
		t.Fatal(err)
	}
	return id
}

// seen is the state of a conversation.
func (h *held) seen(t *testing.T, id string) dialogue.State {
	t.Helper()
	send(t, h.c, id, dialogue.Message{Commands: []dialogue.Command{{Type: look}}})
	return *h.state
}

// eachLine goes through a table: a heading names a language and a place, and a line has what is said there and what comes of it.
func eachLine(t *testing.T, table string, do func(line int, lang, place, said, want string)) {
	t.Helper()
	lang, place := "", ""
	for i, line := range strings.Split(table, "\n") {
		said, want, isCase := strings.Cut(line, " -> ")
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			lang, place, _ = strings.Cut(strings.Trim(line, "[]"), " ")
		case !isCase:
			t.Fatalf("line %d: %q is no heading and no line of the table", i+1, line)
		default:
			do(i+1, lang, place, said, want)
		}
	}
}
