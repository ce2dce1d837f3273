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
	From  string `json:"from"`         // a number; "" for users who show a name instead
	BSUID string `json:"from_user_id"` // the user's id for this business
	Group string `json:"group_id"`
	ID    string `json:"id"`
	Type  string `json:"type"`
	Text  struct {
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
				one := channels.Message{User: cmp.Or(m.From, m.BSUID), ID: m.ID}
				one.Question, one.Text = m.read()
				opened := m.Type == "request_welcome" // the user has opened the chat and says nothing
				if (one.Text != "" || opened) && m.Group == "" && one.User != "" && one.ID != "" {
					got.Messages = append(got.Messages, one)
				}
			}
		}
	}
	return got, nil
}

// read is the message in words, and the question that a pressed button answers. The text is "" for a message that says nothing,
// such as a reaction, and for one that changes or takes back an earlier message.
func (m *message) read() (question, text string) {
	switch m.Type {
	case "text":
		text = m.Text.Body
	case "button":
		text = m.Button.Text
	case "interactive":
		if m.Interactive.List != (choice{}) {
			return m.Interactive.List.read()
		}
		return m.Interactive.Button.read()
	case "image":
		text = m.Image.text("image")
	case "video":
		text = m.Video.text("video")
	case "audio":
		text = m.Audio.text("voice message")
	case "document":
		text = m.Document.text("file")
	case "sticker":
		text = m.Sticker.text("sticker")
	case "location":
		text = channels.Location(m.Location.Latitude, m.Location.Longitude, m.Location.Name, m.Location.Address)
	case "contacts":
		names := make([]string, len(m.Contacts))
		for i, contact := range m.Contacts {
			names[i] = contact.Name.Formatted
		}
		text = "[contact: " + strings.Join(names, ", ") + "]"
	case "reaction", "system", "edit", "revoke", "request_welcome", "":
	default:
		text = "[" + m.Type + "]"
	}
	return "", text
}

// read is the choice: buttons of this channel hold all of it in their id.
func (c choice) read() (question, text string) {
	if whole, ours := strings.CutPrefix(c.ID, choicePrefix); ours {
		return channels.ReadPayload(whole)
	}
	return "", c.Title
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
	To          string       `json:"to,omitempty"`        // a number
	BSUID       string       `json:"recipient,omitempty"` // a user without one
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
	most := longestText
	if len(o.Choices) > 0 {
		most = longestBody
	}
	return o.Parts(most, func(part string, last bool) error {
		p := post{Product: "whatsapp", Recipient: "individual", To: o.User, Type: "text", Text: &body{Body: part, Preview: new(bool)}}
		if strings.Contains(o.User, ".") { // "US.13491208655302741918"
			p.To, p.BSUID = "", o.User
		}
		if last && len(o.Choices) > 0 {
			p.Type, p.Text, p.Interactive = "interactive", nil, asked(part, o)
		}
		data, err := channels.PostJSON(ctx, c.o.Client, c.o.API+"/"+c.o.PhoneNumberID+"/messages", c.o.Token, p)
		if err != nil {
			return explain(data, err)
		}
		return nil
	})
}

// asked is a text with the choices of a message.
func asked(text string, o *channels.Outgoing) *interactive {
	in := &interactive{Type: "button", Body: body{Text: text}}
	list := len(o.Choices) > mostButtons
	for _, c := range o.Choices {
		list = list || utf8.RuneCountInString(c) > longestButton
	}
	rows := make([]choice, len(o.Choices))
	for i, c := range o.Choices {
		rows[i] = choice{ID: choicePrefix + o.Payload(c), Title: c}
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
