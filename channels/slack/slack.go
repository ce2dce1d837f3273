package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/fermata-go/fermata/channels"
)

// Options configure the channel. SigningSecret and Token are required.
type Options struct {
	SigningSecret string       // of the app, under Basic Information
	Token         string       // of the bot, "xoxb-…", with the scope chat:write
	Locale        bool         // conversations begin in the user's language in Slack; the bot needs the scope users:read
	Client        *http.Client // defaults to channels.DefaultClient
	API           string       // defaults to https://slack.com/api
}

// Channel is a Slack app. New makes one.
type Channel struct{ o Options }

// New makes the channel "slack".
func New(o Options) *Channel {
	o.Client = cmp.Or(o.Client, channels.DefaultClient())
	o.API = cmp.Or(o.API, "https://slack.com/api")
	return &Channel{o}
}

// Name implements channels.Channel.
func (*Channel) Name() string { return "slack" }

// address is where answers go.
type address struct {
	Channel string `json:"channel"`
	Thread  string `json:"thread,omitempty"` // the ts of the message that began it; "" in direct messages
}

// event is the body of a request of the Events API.
type event struct {
	Type      string `json:"type"` // url_verification, event_callback
	Challenge string `json:"challenge"`
	Team      string `json:"team_id"`
	ID        string `json:"event_id"`
	Event     struct {
		Type        string `json:"type"`
		Subtype     string `json:"subtype"`
		ChannelType string `json:"channel_type"`
		Channel     string `json:"channel"`
		User        string `json:"user"`
		Bot         string `json:"bot_id"`
		Text        string `json:"text"`
		TS          string `json:"ts"` // identifies the message: an edited mention comes again as another event
		Thread      string `json:"thread_ts"`
		Files       []struct {
			Name  string `json:"name"`
			Title string `json:"title"`
		} `json:"files"`
	} `json:"event"`
}

// interaction is the form value "payload" of a request about a pressed button.
type interaction struct {
	Type string `json:"type"` // block_actions
	User struct {
		ID   string `json:"id"`
		Team string `json:"team_id"`
	} `json:"user"`
	Team struct {
		ID string `json:"id"`
	} `json:"team"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Container struct {
		Message string `json:"message_ts"`
		Thread  string `json:"thread_ts"`
	} `json:"container"`
	Actions []struct {
		ID    string `json:"action_id"`
		Value string `json:"value"`
		TS    string `json:"action_ts"`
	} `json:"actions"`
}

// Receive implements channels.Channel.
func (c *Channel) Receive(r *channels.Request) (channels.Received, error) {
	stamp := r.Header.Get("X-Slack-Request-Timestamp")
	signed := "v0=" + channels.HexHMAC(c.o.SigningSecret, []byte("v0:"+stamp+":"), r.Body)
	if c.o.SigningSecret == "" || !channels.SameSecret(r.Header.Get("X-Slack-Signature"), signed) {
		return channels.Received{}, channels.ErrForged
	}
	if err := channels.Recent(stamp, r.Now); err != nil {
		return channels.Received{}, err
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return c.pressed(r)
	}
	var e event
	if err := r.ReadJSON(&e); err != nil {
		return channels.Received{}, err
	}
	if e.Type == "url_verification" {
		return channels.Received{Response: channels.Text(e.Challenge)}, nil
	}
	if e.Type != "event_callback" {
		return channels.Received{}, nil
	}
	if e.ID == "" {
		return channels.Received{}, fmt.Errorf("%w: an event without an id", channels.ErrMalformed)
	}
	return e.read(), nil
}

// read reads an event. Direct messages count, and mentions elsewhere; what bots say, this one included, does not.
func (e *event) read() (got channels.Received) {
	ev := &e.Event
	direct := ev.Type == "message" && ev.ChannelType == "im" && spoken[ev.Subtype]
	if !direct && ev.Type != "app_mention" || ev.Bot != "" || ev.User == "" {
		return got
	}
	to := address{Channel: ev.Channel, Thread: ev.Thread}
	if !direct && to.Thread == "" {
		to.Thread = ev.TS
	}
	parts := []string{plain(ev.Text)}
	for _, f := range ev.Files {
		parts = append(parts, "[file: "+cmp.Or(f.Name, f.Title, "without a name")+"]")
	}
	got.Messages = append(got.Messages, channels.Message{
		User: user(e.Team, ev.Channel, ev.User), ID: cmp.Or(ev.TS, e.ID), Text: strings.TrimSpace(strings.Join(parts, " ")), Address: to.json(),
	})
	return got
}

// spoken are the subtypes of messages that a person writes.
var spoken = map[string]bool{"": true, "file_share": true, "thread_broadcast": true, "me_message": true}

// user is one user in one channel, so that nobody goes on with the conversation of another one.
func user(team, channel, id string) string { return team + "-" + channel + "-" + id }

func (a address) json() json.RawMessage {
	data, _ := json.Marshal(a) //nolint:errchkjson // two strings
	return data
}

// pressed reads a pressed button.
func (c *Channel) pressed(r *channels.Request) (got channels.Received, err error) {
	form, err := r.ReadForm()
	if err != nil {
		return got, err
	}
	var in interaction
	payload := channels.Request{Body: []byte(form.Get("payload"))}
	if err := payload.ReadJSON(&in); err != nil {
		return got, err
	}
	if in.Type != "block_actions" {
		return got, nil
	}
	for _, a := range in.Actions {
		if a.Value == "" || !strings.HasPrefix(a.ID, actionPrefix) {
			continue
		}
		question, choice := channels.ReadPayload(a.Value)
		got.Messages = append(got.Messages, channels.Message{
			User: user(cmp.Or(in.Team.ID, in.User.Team), in.Channel.ID, in.User.ID), ID: in.Container.Message + "/" + a.ID + "/" + a.TS,
			Text: choice, Question: question,
			Address: address{Channel: in.Channel.ID, Thread: in.Container.Thread}.json(),
		})
	}
	return got, nil
}

// actionPrefix begins the ids of this channel's buttons.
const actionPrefix = "choice-"

// Limits of Block Kit.
const (
	mostButtons   = 25
	longestButton = 75
	longestBlock  = 3000
	longestText   = 2500 // each character may be escaped: Slack refuses blocks of more than some 13,000 characters
)

// Buttons implements channels.Channel: 25 of 75 characters.
func (*Channel) Buttons(choices []string) bool {
	for _, c := range choices {
		if c == "" || len([]rune(c)) > longestButton {
			return false
		}
	}
	return len(choices) <= mostButtons
}

type text struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

type block struct {
	Type     string   `json:"type"`
	Text     *text    `json:"text,omitempty"`
	Elements []button `json:"elements,omitempty"`
}

type button struct {
	Type   string `json:"type"`
	Text   text   `json:"text"`
	Action string `json:"action_id"`
	Value  string `json:"value"`
}

// post is the body of chat.postMessage.
type post struct {
	Channel string  `json:"channel"`
	Thread  string  `json:"thread_ts,omitempty"`
	Text    string  `json:"text"`
	Parse   string  `json:"parse"`
	Markup  bool    `json:"mrkdwn"`
	Unfurl  bool    `json:"unfurl_links"`
	Media   bool    `json:"unfurl_media"`
	Blocks  []block `json:"blocks,omitempty"`
}

// Send implements channels.Channel. Slack has no key that tells a repeated message.
func (c *Channel) Send(ctx context.Context, o *channels.Outgoing) error {
	var to address
	if err := o.ReadAddress(&to); err != nil {
		return err
	}
	return o.Parts(longestText, func(part string, last bool) error {
		p := post{Channel: to.Channel, Thread: to.Thread, Text: escape(part), Parse: "none"}
		if last {
			p.Blocks = blocks(part, o)
		}
		data, err := channels.PostJSON(ctx, c.o.Client, c.o.API+"/chat.postMessage", c.o.Token, p)
		if err != nil {
			return err
		}
		return outcome(data)
	})
}

// Language implements channels.Localizer.
func (c *Channel) Language(ctx context.Context, m *channels.Message) (string, error) {
	if !c.o.Locale {
		return "", nil
	}
	id := m.User[strings.LastIndex(m.User, "-")+1:]
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.o.API+"/users.info?"+url.Values{"user": {id}, "include_locale": {"true"}}.Encode(), nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+c.o.Token)
	data, err := channels.Post(ctx, c.o.Client, r)
	if err != nil {
		return "", err
	}
	if err := outcome(data); err != nil {
		return "", err
	}
	var in struct {
		User struct {
			Locale string `json:"locale"`
		} `json:"user"`
	}
	err = json.Unmarshal(data, &in)
	return in.User.Locale, err
}

// outcome reads the response: Slack says most failures with status 200.
func outcome(data []byte) error {
	var res struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(data, &res); err != nil {
		return &channels.SendError{Reason: "the response is not JSON"}
	}
	if res.OK {
		return nil
	}
	e := &channels.SendError{Reason: res.Error, Permanent: true}
	switch res.Error {
	case "ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org", "",
		"invalid_auth", "not_authed", "token_expired", "token_revoked": // another token is entered one day
		e.Permanent = false
	}
	return e
}

// blocks are a text and the buttons below it; nil where there are none.
func blocks(of string, o *channels.Outgoing) []block {
	if len(o.Choices) == 0 {
		return nil
	}
	var all []block
	for _, part := range channels.Split(of, longestBlock/len("&amp;")) { // each character may be escaped
		all = append(all, block{Type: "section", Text: &text{Type: "mrkdwn", Text: escape(part), Verbatim: true}})
	}
	row := block{Type: "actions"}
	for i, choice := range o.Choices {
		row.Elements = append(row.Elements, button{
			Type: "button", Text: text{Type: "plain_text", Text: choice}, Action: actionPrefix + string(rune('a'+i)), Value: o.Payload(choice),
		})
	}
	return append(all, row)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape makes a text that mentions and links nobody: "<!channel>" is shown as it is.
func escape(s string) string { return escaper.Replace(s) }

var unescaper = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")

// plain is a text of Slack as the user sees it: without mentions at its beginning, and links as their labels.
func plain(s string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, "<")
		out.WriteString(before)
		inner, after, closed := strings.Cut(rest, ">")
		if !found {
			break
		}
		if !closed {
			out.WriteString("<" + rest)
			break
		}
		s = after
		target, label, labelled := strings.Cut(inner, "|")
		switch {
		case strings.HasPrefix(target, "@") && strings.TrimSpace(out.String()) == "": // of the bot, as a rule
			s = strings.TrimLeft(s, " ")
		case labelled:
			out.WriteString(label)
		default:
			out.WriteString(strings.TrimPrefix(target, "mailto:"))
		}
	}
	return unescaper.Replace(out.String())
}
