package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata/channels"
)

// Options configure the channel. Token and Secret are required.
type Options struct {
	Token  string       // of the bot, as BotFather gave it
	Secret string       // that setWebhook was called with: letters, digits, _ and -
	Name   string       // of the bot, "shop_bot": in groups, messages that mention it count as well
	Client *http.Client // defaults to channels.DefaultClient
	API    string       // defaults to https://api.telegram.org
}

// Channel is a Telegram bot. New makes one.
type Channel struct {
	o       Options
	id      string         // of the bot, which its token begins with
	mention *regexp.Regexp // of the bot's name; nil where it is not known
}

// New makes the channel "telegram".
func New(o Options) *Channel {
	o.Client = cmp.Or(o.Client, channels.DefaultClient())
	o.API = cmp.Or(o.API, "https://api.telegram.org")
	c := &Channel{o: o}
	c.id, _, _ = strings.Cut(o.Token, ":")
	if o.Name != "" {
		c.mention = regexp.MustCompile(`(?i)(^|\s)@` + regexp.QuoteMeta(o.Name) + `\b`)
	}
	return c
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
	ID       int64  `json:"id"`
	Bot      bool   `json:"is_bot"`
	Language string `json:"language_code"` // of the user's app
}

type message struct {
	From *user `json:"from"`
	Chat struct {
		ID   int64  `json:"id"`
		Type string `json:"type"` // private, group, supergroup, channel
	} `json:"chat"`
	Topic   int64 `json:"message_thread_id"` // of a reply as well, which is no topic to write in
	InTopic bool  `json:"is_topic_message"`
	ReplyTo *struct {
		From *user `json:"from"`
	} `json:"reply_to_message"`
	Text    string `json:"text"`
	Caption string `json:"caption"`
	content
}

// content is what a message has beside its text.
type content struct {
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
	Photo, Voice, Audio, Video, Sticker, Animation, Dice, Poll, Story json.RawMessage

	Note json.RawMessage `json:"video_note"`
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
	from, m := (*user)(nil), u.Message
	var one channels.Message
	switch {
	case m != nil:
		from, one.Text = m.From, c.addressed(m)
	case u.Callback != nil:
		from, m = &u.Callback.From, u.Callback.Message
		one.Question, one.Text = channels.ReadPayload(u.Callback.Data)
		got.Response = ends(u.Callback.ID)
	}
	if m == nil || from == nil || from.Bot || one.Text == "" {
		return got, nil
	}
	to := address{Chat: m.Chat.ID, Private: m.Chat.Type == "private"}
	if m.InTopic {
		to.Topic = m.Topic
	}
	if one.Address, err = json.Marshal(to); err != nil {
		return got, err
	}
	one.User, one.ID, one.Language = strconv.FormatInt(m.Chat.ID, 10), strconv.FormatInt(u.ID, 10), from.Language
	if !to.Private {
		one.User += "." + strconv.FormatInt(from.ID, 10)
	}
	if one.Text == "/start" || strings.HasPrefix(one.Text, "/start ") { // the user has opened the chat
		one.Text = ""
	}
	got.Messages = []channels.Message{one}
	return got, nil
}

// addressed is a message in words; "" for one that says nothing, or that people of a group say to each other. Those for the
// bot reply to it, mention it, or are commands that name no other bot.
func (c *Channel) addressed(m *message) string {
	text := m.read()
	if m.Chat.Type == "private" {
		return text
	}
	command, rest, _ := strings.Cut(text, " ")
	word, name, named := strings.Cut(command, "@")
	switch {
	case strings.HasPrefix(word, "/"):
		if named && c.o.Name != "" && !strings.EqualFold(name, c.o.Name) {
			return ""
		}
		return strings.TrimSpace(word + " " + rest)
	case c.mention != nil && c.mention.MatchString(text):
		return strings.TrimSpace(c.mention.ReplaceAllString(text, ""))
	case m.ReplyTo != nil && m.ReplyTo.From != nil && strconv.FormatInt(m.ReplyTo.From.ID, 10) == c.id:
		return text
	}
	return ""
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
	case m.Animation != nil: // which is a document, too
		what = "[animation]"
	case m.Document != nil:
		what = "[file: " + m.Document.Name + "]"
	case m.Photo != nil:
		what = "[image]"
	case m.Voice != nil, m.Audio != nil:
		what = "[voice message]"
	case m.Video != nil, m.Note != nil:
		what = "[video]"
	case m.Sticker != nil:
		what = "[sticker]"
	case m.Dice != nil:
		what = "[dice]"
	case m.Poll != nil:
		what = "[poll]"
	case m.Story != nil:
		what = "[story]"
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
	return o.Parts(longestText, func(part string, last bool) error {
		p := post{Chat: to.Chat, Topic: to.Topic, Text: part, Preview: &preview{Disabled: true}}
		if last {
			p.Markup = to.markup(o)
		}
		data, err := channels.PostJSON(ctx, c.o.Client, c.o.API+"/bot"+c.o.Token+"/sendMessage", "", p)
		if err != nil {
			return explain(data, err)
		}
		return nil
	})
}

// markup shows choices, and takes the keyboard of earlier ones away.
func (a address) markup(o *channels.Outgoing) *markup {
	if len(o.Choices) == 0 {
		if a.Private {
			return &markup{Remove: true}
		}
		return nil
	}
	m := &markup{}
	for _, c := range o.Choices {
		if a.Private {
			m.Keyboard, m.Once, m.Resize = append(m.Keyboard, []button{{Text: c}}), true, true
		} else {
			data := o.Payload(c)
			if len(data) > longestData {
				data = c
			}
			m.Inline = append(m.Inline, []button{{Text: c, Data: data}})
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
