package whatsapp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/fermata-go/fermata/channels"
)

// Options configure the channel. All but Client and API are required.
type Options struct {
	AppSecret     string       // of the Meta app: it signs requests
	VerifyToken   string       // any text, entered beside the address of the webhook
	Token         string       // of a system user, with the permission whatsapp_business_messaging
	PhoneNumberID string       // of the business number; messages to others are left alone
	Client        *http.Client // defaults to channels.DefaultClient
	API           string       // defaults to https://graph.facebook.com/v23.0
}

// Channel is a WhatsApp business number. New makes one.
type Channel struct{ o Options }

// New makes the channel "whatsapp".
func New(o Options) *Channel {
	o.Client = cmp.Or(o.Client, channels.DefaultClient())
	o.API = cmp.Or(o.API, "https://graph.facebook.com/v23.0")
	return &Channel{o}
}

// Name implements channels.Channel.
func (*Channel) Name() string { return "whatsapp" }

// payload is the body of a request.
type payload struct {
	Entry []struct {
		Changes []struct {
			Field string `json:"field"`
			Value struct {
				Metadata struct {
					PhoneNumberID string `json:"phone_number_id"`
				} `json:"metadata"`
				Messages []message `json:"messages"` // and statuses, which say that an answer was delivered or read
			} `json:"value"`
		} `json:"changes"`
	} `json:"entry"`
}

// message is what a user sent.
type message struct {
	From string `json:"from"`
	ID   string `json:"id"`
	Type string `json:"type"`
	Text struct {
		Body string `json:"body"`
	} `json:"text"`
	Button struct { // of a template
		Text string `json:"text"`
	} `json:"button"`
	Interactive struct {
		Button choice `json:"button_reply"`
		List   choice `json:"list_reply"`
	} `json:"interactive"`
	Location struct {
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
		Name      string  `json:"name"`
		Address   string  `json:"address"`
	} `json:"location"`
	Image, Video, Audio, Document, Sticker media
	Contacts                               []struct {
		Name struct {
			Formatted string `json:"formatted_name"`
		} `json:"name"`
	} `json:"contacts"`
}

type choice struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

type media struct {
	Caption  string `json:"caption"`
	Filename string `json:"filename"`
}

// Receive implements channels.Channel.
func (c *Channel) Receive(r *channels.Request) (got channels.Received, err error) {
	if r.Method == http.MethodGet { // Meta asks whether the address is the owner's
		if r.Query.Get("hub.mode") != "subscribe" || !channels.SameSecret(r.Query.Get("hub.verify_token"), c.o.VerifyToken) {
			return got, channels.ErrForged
		}
		got.Response = channels.Text(r.Query.Get("hub.challenge"))
		return got, nil
	}
	want := "sha256=" + channels.HexHMAC(c.o.AppSecret, r.Body)
	if c.o.AppSecret == "" || !channels.SameSecret(r.Header.Get("X-Hub-Signature-256"), want) {
		return got, channels.ErrForged
	}
	var p payload
	if err := r.ReadJSON(&p); err != nil {
		return got, err
	}
	for _, entry := range p.Entry {
		for _, change := range entry.Changes {
			if change.Field != "messages" || change.Value.Metadata.PhoneNumberID != c.o.PhoneNumberID {
				continue
			}
			for i := range change.Value.Messages {
				m := &change.Value.Messages[i]
				if text := m.read(); text != "" && m.From != "" && m.ID != "" {
					got.Messages = append(got.Messages, channels.Message{User: m.From, ID: m.ID, Text: text})
				}
			}
		}
	}
	return got, nil
}

// read is the message in words; "" for one that says nothing, such as a reaction.
func (m *message) read() string {
	switch m.Type {
	case "text":
		return m.Text.Body
	case "button":
		return m.Button.Text
	case "interactive":
		if m.Interactive.List != (choice{}) {
			return m.Interactive.List.text()
		}
		return m.Interactive.Button.text()
	case "image":
		return m.Image.text("image")
	case "video":
		return m.Video.text("video")
	case "audio":
		return m.Audio.text("voice message")
	case "document":
		return m.Document.text("file")
	case "sticker":
		return m.Sticker.text("sticker")
	case "location":
		return channels.Location(m.Location.Latitude, m.Location.Longitude, m.Location.Name, m.Location.Address)
	case "contacts":
		names := make([]string, len(m.Contacts))
		for i, contact := range m.Contacts {
			names[i] = contact.Name.Formatted
		}
		return "[contact: " + strings.Join(names, ", ") + "]"
	case "reaction", "system", "":
		return ""
	}
	return "[" + m.Type + "]"
}

// text is the choice: buttons of this channel hold all of it in their id.
func (c choice) text() string {
	if whole, ours := strings.CutPrefix(c.ID, choicePrefix); ours {
		return whole
	}
	return c.Title
}

func (m media) text(kind string) string {
	name := "[" + kind + "]"
	if m.Filename != "" {
		name = "[" + kind + ": " + m.Filename + "]"
	}
	return strings.TrimSpace(m.Caption + " " + name)
}

// choicePrefix begins the ids of this channel's buttons.
const choicePrefix = "choice:"

// Limits of messages, in characters.
const (
	mostButtons   = 3
	longestButton = 20
	mostRows      = 10
	longestRow    = 24
	longestText   = 4096
	longestBody   = 1024 // above buttons
)

// Buttons implements channels.Channel: 3 buttons of 20 characters, or a list of 10 rows of 24.
func (*Channel) Buttons(choices []string) bool {
	for _, c := range choices {
		if c == "" || utf8.RuneCountInString(c) > longestRow {
			return false
		}
	}
	return len(choices) <= mostRows
}

// post is the body of a request to send a message.
type post struct {
	Product     string       `json:"messaging_product"`
	Recipient   string       `json:"recipient_type"`
	To          string       `json:"to"`
	Type        string       `json:"type"`
	Text        *body        `json:"text,omitempty"`
	Interactive *interactive `json:"interactive,omitempty"`
}

type body struct {
	Body    string `json:"body,omitempty"`
	Text    string `json:"text,omitempty"` // of an interactive message
	Preview *bool  `json:"preview_url,omitempty"`
}

type interactive struct {
	Type   string `json:"type"` // button, list
	Body   body   `json:"body"`
	Action action `json:"action"`
}

type action struct {
	Buttons  []button  `json:"buttons,omitempty"`
	Button   string    `json:"button,omitempty"` // opens the list
	Sections []section `json:"sections,omitempty"`
}

type button struct {
	Type  string `json:"type"`
	Reply choice `json:"reply"`
}

type section struct {
	Rows []choice `json:"rows"`
}

// Send implements channels.Channel. A long text takes several messages.
func (c *Channel) Send(ctx context.Context, o *channels.Outgoing) error {
	parts := channels.Split(o.Text, longestText)
	if len(o.Choices) > 0 {
		parts = channels.Split(o.Text, longestBody)
	}
	for i, part := range parts {
		p := post{Product: "whatsapp", Recipient: "individual", To: o.User, Type: "text", Text: &body{Body: part, Preview: new(bool)}}
		if i == len(parts)-1 && len(o.Choices) > 0 {
			p.Type, p.Text, p.Interactive = "interactive", nil, asked(part, o.Choices)
		}
		data, err := channels.PostJSON(ctx, c.o.Client, c.o.API+"/"+c.o.PhoneNumberID+"/messages", c.o.Token, p)
		if err != nil {
			return explain(data, err)
		}
	}
	return nil
}

// asked is a text with its choices.
func asked(text string, choices []string) *interactive {
	in := &interactive{Type: "button", Body: body{Text: text}}
	list := len(choices) > mostButtons
	for _, c := range choices {
		list = list || utf8.RuneCountInString(c) > longestButton
	}
	rows := make([]choice, len(choices))
	for i, c := range choices {
		rows[i] = choice{ID: choicePrefix + c, Title: c}
		if !list {
			in.Action.Buttons = append(in.Action.Buttons, button{Type: "reply", Reply: rows[i]})
		}
	}
	if list {
		in.Type, in.Action = "list", action{Button: "…", Sections: []section{{Rows: rows}}}
	}
	return in
}

// passing are codes of errors that pass, though their status says otherwise: limits of the rate, and services that are
// down.
var passing = map[int]bool{
	2: true, 4: true, 190: true, 80007: true, 130429: true, 131000: true, 131016: true, 131048: true, 131056: true, 131057: true, 133004: true,
}

// explain adds the code of a failure.
func explain(data []byte, err error) error {
	why, ok := errors.AsType[*channels.SendError](err)
	var in struct {
		Error struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if !ok || json.Unmarshal(data, &in) != nil || in.Error.Code == 0 {
		return err
	}
	with := *why
	with.Reason += fmt.Sprintf(", code %d", in.Error.Code)
	with.Permanent = why.Permanent && !passing[in.Error.Code]
	return &with
}
