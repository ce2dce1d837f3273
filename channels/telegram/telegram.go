package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata/channels"
)

// Options configure the channel. Token and Secret are required.
type Options struct {
	Token  string       // of the bot, as BotFather gave it
	Secret string       // that setWebhook was called with: letters, digits, _ and -
	Client *http.Client // defaults to channels.DefaultClient
	API    string       // defaults to https://api.telegram.org
}

// Channel is a Telegram bot. New makes one.
type Channel struct{ o Options }

// New makes the channel "telegram".
func New(o Options) *Channel {
	o.Client = cmp.Or(o.Client, channels.DefaultClient())
	o.API = cmp.Or(o.API, "https://api.telegram.org")
	return &Channel{o}
}

// Name implements channels.Channel.
func (*Channel) Name() string { return "telegram" }

// update is the body of a request.
type update struct {
	ID       int64    `json:"update_id"`
	Message  *message `json:"message"`
	Callback *struct {
		ID      string   `json:"id"`
		From    user     `json:"from"`
		Message *message `json:"message"`
		Data    string   `json:"data"`
	} `json:"callback_query"`
}

type user struct {
	ID  int64 `json:"id"`
	Bot bool  `json:"is_bot"`
}

type message struct {
	From *user `json:"from"`
	Chat struct {
		ID   int64  `json:"id"`
		Type string `json:"type"` // private, group, supergroup, channel
	} `json:"chat"`
	Topic    int64  `json:"message_thread_id"`
	Text     string `json:"text"`
	Caption  string `json:"caption"`
	Location *struct {
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
	} `json:"location"`
	Venue *struct {
		Title   string `json:"title"`
		Address string `json:"address"`
	} `json:"venue"`
	Contact *struct {
		First string `json:"first_name"`
		Last  string `json:"last_name"`
		Phone string `json:"phone_number"`
	} `json:"contact"`
	Document *struct {
		Name string `json:"file_name"`
	} `json:"document"`
	Photo, Voice, Audio, Video, Sticker json.RawMessage
}

// address is where answers go.
type address struct {
	Chat    int64 `json:"chat"`
	Topic   int64 `json:"topic,omitempty"`
	Private bool  `json:"private,omitempty"`
}

// Receive implements channels.Channel.
func (c *Channel) Receive(r *channels.Request) (got channels.Received, err error) {
	if !channels.SameSecret(r.Header.Get("X-Telegram-Bot-Api-Secret-Token"), c.o.Secret) {
		return got, channels.ErrForged
	}
	var u update
	if err := r.ReadJSON(&u); err != nil {
		return got, err
	}
	from, m, text := (*user)(nil), u.Message, ""
	switch {
	case m != nil:
		from, text = m.From, m.read()
	case u.Callback != nil:
		from, m, text = &u.Callback.From, u.Callback.Message, u.Callback.Data
		got.Response = ends(u.Callback.ID)
	}
	if m == nil || from == nil || from.Bot || text == "" {
		return got, nil
	}
	to, err := json.Marshal(address{Chat: m.Chat.ID, Topic: m.Topic, Private: m.Chat.Type == "private"})
	if err != nil {
		return got, err
	}
	one := channels.Message{User: strconv.FormatInt(m.Chat.ID, 10), ID: strconv.FormatInt(u.ID, 10), Text: text, Address: to}
	if m.Chat.Type != "private" {
		one.User += "." + strconv.FormatInt(from.ID, 10)
	}
	if one.Text == "/start" || strings.HasPrefix(one.Text, "/start ") { // the user has opened the chat
		one.Text = ""
	}
	got.Messages = []channels.Message{one}
	return got, nil
}

// ends is a response that ends the progress bar of a pressed button.
func ends(query string) channels.Response {
	body, _ := json.Marshal(map[string]string{"method": "answerCallbackQuery", "callback_query_id": query}) //nolint:errchkjson // texts
	return channels.Response{Type: "application/json", Body: body}
}

// read is the message in words; "" for one that says nothing, such as a new title of a group.
func (m *message) read() string {
	what := ""
	switch {
	case m.Venue != nil && m.Location != nil:
		what = channels.Location(m.Location.Latitude, m.Location.Longitude, m.Venue.Title, m.Venue.Address)
	case m.Location != nil:
		what = channels.Location(m.Location.Latitude, m.Location.Longitude)
	case m.Contact != nil:
		what = fmt.Sprintf("[contact: %s %s]", strings.TrimSpace(m.Contact.First+" "+m.Contact.Last), m.Contact.Phone)
	case m.Document != nil:
		what = "[file: " + m.Document.Name + "]"
	case m.Photo != nil:
		what = "[image]"
	case m.Voice != nil, m.Audio != nil:
		what = "[voice message]"
	case m.Video != nil:
		what = "[video]"
	case m.Sticker != nil:
		what = "[sticker]"
	}
	return strings.TrimSpace(m.Text + m.Caption + " " + what)
}

// Limits of messages.
const (
	longestText = 4096
	longestData = 64 // bytes that a button holds
	mostChoices = 50
)

// Buttons implements channels.Channel: 50 of 64 bytes.
func (*Channel) Buttons(choices []string) bool {
	for _, c := range choices {
		if c == "" || len(c) > longestData {
			return false
		}
	}
	return len(choices) <= mostChoices
}

// post is the body of sendMessage. Without a parse mode nothing in a text is markup.
type post struct {
	Chat    int64    `json:"chat_id"`
	Topic   int64    `json:"message_thread_id,omitempty"`
	Text    string   `json:"text"`
	Preview *preview `json:"link_preview_options,omitempty"`
	Markup  *markup  `json:"reply_markup,omitempty"`
}

type preview struct {
	Disabled bool `json:"is_disabled"`
}

type markup struct {
	Keyboard [][]button `json:"keyboard,omitempty"`
	Once     bool       `json:"one_time_keyboard,omitempty"`
	Resize   bool       `json:"resize_keyboard,omitempty"`
	Remove   bool       `json:"remove_keyboard,omitempty"`
	Inline   [][]button `json:"inline_keyboard,omitempty"`
}

type button struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
}

// Send implements channels.Channel. A long text takes several messages.
func (c *Channel) Send(ctx context.Context, o *channels.Outgoing) error {
	var to address
	if err := o.ReadAddress(&to); err != nil {
		return err
	}
	parts := channels.Split(o.Text, longestText)
	for i, part := range parts {
		p := post{Chat: to.Chat, Topic: to.Topic, Text: part, Preview: &preview{Disabled: true}}
		if i == len(parts)-1 {
			p.Markup = to.markup(o.Choices)
		}
		data, err := channels.PostJSON(ctx, c.o.Client, c.o.API+"/bot"+c.o.Token+"/sendMessage", "", p)
		if err != nil {
			return explain(data, err)
		}
	}
	return nil
}

// markup shows choices, and takes the keyboard of earlier ones away.
func (a address) markup(choices []string) *markup {
	if len(choices) == 0 {
		if a.Private {
			return &markup{Remove: true}
		}
		return nil
	}
	m := &markup{}
	for _, c := range choices {
		if a.Private {
			m.Keyboard, m.Once, m.Resize = append(m.Keyboard, []button{{Text: c}}), true, true
		} else {
			m.Inline = append(m.Inline, []button{{Text: c, Data: c}})
		}
	}
	return m
}

// explain adds how long Telegram wants to be left alone.
func explain(data []byte, err error) error {
	why, ok := errors.AsType[*channels.SendError](err)
	var in struct {
		Parameters struct {
			RetryAfter int `json:"retry_after"`
		} `json:"parameters"`
	}
	if !ok || json.Unmarshal(data, &in) != nil || in.Parameters.RetryAfter <= 0 {
		return err
	}
	with := *why
	with.RetryAfter = max(why.RetryAfter, time.Duration(min(in.Parameters.RetryAfter, 1<<20))*time.Second)
	return &with
}
