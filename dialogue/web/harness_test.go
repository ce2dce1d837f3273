package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// shop is a dialogue that takes orders, and asks before it makes one. What is bought goes to buy.
func shop(t testing.TB, buy func(what string)) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "shop",
		Flows: []dialogue.Flow{{
			Name: "order", Description: "Order something", Trigger: []string{"order something"},
			Slots: []dialogue.Slot{{Name: "what", Type: dialogue.Text}},
			Steps: []dialogue.Step{
				{ID: "ask", Type: dialogue.CollectStep, Slot: "what", Message: "What?"},
				{ID: "sure", Type: dialogue.ConfirmStep, Message: "Order {{ what }}?"},
				{ID: "buy", Type: dialogue.ActionStep, Call: "buy"},
				{ID: "done", Type: dialogue.InformStep, Message: "Ordered {{ what }}."},
			},
		}},
	}, dialogue.Options{Actions: []dialogue.Action{
		dialogue.MustAction("buy", "", func(_ node.Context, in struct {
			What string `json:"what"`
		},
		) (bool, error) {
			buy(in.What)
			return true, nil
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// order is what a user of the shop says, and told what they are told.
func order(what string) []string { return []string{"order something", what, "yes"} }

func told(what string) []string {
	return []string{"What?", "Order " + what + "?", "Ordered " + what + ".", "Is there anything else?"}
}

// house is a runtime with a handler in front of it.
type house struct {
	rt    *fermata.Runtime
	talks *dialogue.Conversations
	url   string // of the conversations, with a slash behind
	http  *httptest.Server
}

// build serves a dialogue, which the command bye ends. The header User says who asks, and may speak in the conversation of that name; desk is an
// agent everywhere.
func build(t testing.TB, store journal.Store, d *dialogue.Dialogue, o web.Options) *house {
	t.Helper()
	handlers := map[dialogue.CommandType]dialogue.Handler{
		"bye": func(node.Context, dialogue.Command, *dialogue.State) (dialogue.Delta, error) {
			return dialogue.Delta{Close: true}, nil
		},
	}
	rt, err := fermata.New(fermata.Options{Store: store, Services: []any{&dialogue.Services{Handlers: handlers}}})
	if err != nil {
		t.Fatal(err)
	}
	if o.Authorize == nil {
		o.Authorize = own
	}
	h := &house{rt: rt, talks: dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})}
	h.http = httptest.NewServer(web.New(h.talks, o))
	h.url = h.http.URL + "/conversations/"
	t.Cleanup(h.close)
	return h
}

func own(r *http.Request, conversation string) (agent bool, err error) {
	user := r.Header.Get("User")
	if user != conversation && user != "desk" {
		return false, errors.New("somebody else's")
	}
	return user == "desk", nil
}

func (h *house) close() {
	_ = h.rt.Close()
	h.http.CloseClientConnections()
	h.http.Close()
}

func (h *house) open(t testing.TB, users ...string) {
	t.Helper()
	for _, user := range users {
		if _, _, err := h.talks.Open(t.Context(), user, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// soon is how long a test waits for what must come.
const soon = 2 * time.Minute

// frame is what comes over a socket.
type frame struct {
	Event string
	ID    uint64
	Data  struct {
		Conversation string
		Said         struct{ Prompt string }
		To           string
		Error, Code  string
		Status       int
		Again        bool
		Closed       bool
		Seq          uint64
		Type         string // of a piece
		Data         struct{ Text string }
	}
}

// client is a user at a socket.
type client struct {
	t    testing.TB
	conn *websocket.Conn
	last uint64   // the id of the last message that came
	said []string // all that was said
}

// dial connects a user to a conversation.
func dial(t testing.TB, url, user, query string, header ...string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), soon)
	defer stop()
	h := http.Header{"User": {user}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	conn, res, err := websocket.Dial(ctx, url+"/socket"+query, &websocket.DialOptions{HTTPHeader: h, Host: h.Get("Host")})
	if err == nil {
		conn.SetReadLimit(1 << 20)
		t.Cleanup(func() { _ = conn.CloseNow() })
	}
	return conn, res, err
}

func connect(t testing.TB, url, user, query string) *client {
	t.Helper()
	conn, _, err := dial(t, url, user, query)
	if err != nil {
		t.Fatal(err)
	}
	return &client{t: t, conn: conn}
}

func (c *client) write(kind websocket.MessageType, text string) error {
	ctx, stop := context.WithTimeout(c.t.Context(), soon)
	defer stop()
	return c.conn.Write(ctx, kind, []byte(text))
}

// say sends a message.
func (c *client) say(id, text string) {
	c.t.Helper()
	data, err := json.Marshal(map[string]string{"id": id, "text": text})
	if err == nil {
		err = c.write(websocket.MessageText, string(data))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// echo has the conversation say a text.
func (c *client) echo(text string) {
	c.t.Helper()
	if err := c.write(websocket.MessageText, fmt.Sprintf(`{"id":%q,"commands":[{"type":"chitchat","text":%[1]q}]}`, text)); err != nil {
		c.t.Fatal(err)
	}
}

// read is the next frame, or why there is none.
func (c *client) read() (f frame, err error) {
	ctx, stop := context.WithTimeout(c.t.Context(), soon)
	defer stop()
	kind, data, err := c.conn.Read(ctx)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil || kind != websocket.MessageText {
		c.t.Errorf("a frame of type %v: %v: %s", kind, err, data)
	}
	if f.Event == "message" {
		if f.ID <= c.last {
			c.t.Errorf("after the message %d comes %s", c.last, data)
		}
		c.last, c.said = f.ID, append(c.said, f.Data.Said.Prompt)
	}
	return f, nil
}

// until reads up to the next frame of some event other than message.
func (c *client) until(event string) frame {
	c.t.Helper()
	for {
		f, err := c.read()
		switch {
		case err != nil:
			c.t.Fatalf("expected the event %s, found the end: %v; said was %q", event, err, c.said)
		case f.Event == event:
			return f
		case f.Event != "message":
			c.t.Fatalf("expected the event %s, found %+v", event, f)
		}
	}
}

// closed reads up to the end of the connection, and is the code and the reason that it was closed with.
func (c *client) closed() (websocket.StatusCode, string) {
	c.t.Helper()
	for {
		if _, err := c.read(); err != nil {
			why, _ := errors.AsType[websocket.CloseError](err)
			return why.Code, why.Reason
		}
	}
}
