package telegram_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/channeltest"
	"github.com/fermata-go/fermata/channels/telegram"
)

func signed(body []byte) *http.Request {
	return channeltest.POST("/channels/telegram", body, "X-Telegram-Bot-Api-Secret-Token", "a-secret")
}

// read reads a message from a call of sendMessage.
func read(r *http.Request, data []byte) (s channeltest.Sent, err error) {
	var p struct {
		Chat   int64 `json:"chat_id"`
		Text   string
		Mode   *string `json:"parse_mode"`
		Markup struct {
			Keyboard [][]struct{ Text string }
			Inline   [][]struct {
				Text string
				Data string `json:"callback_data"`
			} `json:"inline_keyboard"`
		} `json:"reply_markup"`
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return s, err
	}
	if r.URL.Path != "/bot110201543:token/sendMessage" || p.Mode != nil {
		return s, fmt.Errorf("a request to %s: %s", r.URL, data)
	}
	s = channeltest.Sent{To: strconv.FormatInt(p.Chat, 10), Text: p.Text}
	for _, row := range p.Markup.Keyboard {
		for _, b := range row {
			s.Choices = append(s.Choices, b.Text)
		}
	}
	for _, row := range p.Markup.Inline {
		for _, b := range row {
			s.Choices, s.Payloads = append(s.Choices, b.Text), append(s.Payloads, b.Data)
		}
	}
	return s, nil
}

func newChannel(t testing.TB, p *channeltest.Provider) channels.Channel {
	api := httptest.NewServer(p.HTTP(read, `{"ok": true, "result": {}}`))
	t.Cleanup(api.Close)
	return telegram.New(telegram.Options{Token: "110201543:token", Secret: "a-secret", API: api.URL})
}

// number is an id as Telegram has them.
func number(id string) string {
	n := uint32(7)
	for _, r := range id {
		n = n*31 + uint32(r)
	}
	return strconv.FormatUint(uint64(n), 10)
}

func TestTelegram(t *testing.T) {
	order := channeltest.Recording(t, "message.json")
	none, wrong, part := signed(order), signed(order), signed(order)
	none.Header.Del("X-Telegram-Bot-Api-Secret-Token")
	wrong.Header.Set("X-Telegram-Bot-Api-Secret-Token", "another")
	part.Header.Set("X-Telegram-Bot-Api-Secret-Token", "a-secre")
	says := func(id, text string) *http.Request {
		return signed(channeltest.Recording(t, "message.json", "10000", number(id), `"order something"`, strconv.Quote(text)))
	}
	channeltest.Suite{
		New:     newChannel,
		Message: says,
		Press:   says, // a key of the keyboard sends its text
		In: func(id, text, language string) *http.Request {
			return signed(channeltest.Recording(t, "message.json", "10000", number(id), `"order something"`, strconv.Quote(text),
				`"username": "ada"}`, `"username": "ada"}`, `"is_bot": false,`, `"is_bot": false, "language_code": "`+language+`",`))
		},
		Forged: map[string]*http.Request{"no secret": none, "a wrong secret": wrong, "a part of the secret": part},
		Ignored: map[string]*http.Request{
			"a new title": signed(channeltest.Recording(t, "joined.json")), "an update of another kind": signed([]byte(`{"update_id": 1, "poll": {"id": "1"}}`)),
			"an edited message":  signed(channeltest.Recording(t, "message.json", `"message":`, `"edited_message":`)),
			"a message of a bot": signed(channeltest.Recording(t, "message.json", `"is_bot": false`, `"is_bot": true`)),
		},
		Recorded: map[string]channeltest.Recorded{
			"a text":  {Request: signed(order), User: "1111111", Texts: []string{"order something"}},
			"a start": {Request: signed(channeltest.Recording(t, "message.json", "order something", "/start")), User: "1111111", Texts: []string{""}},
			"a place": {Request: signed(channeltest.Recording(t, "location.json")), User: "1111111", Texts: []string{"[location: 48.2082,16.3738]"}},
			"a venue": {
				Request: signed(channeltest.Recording(t, "location.json", `"location": {`, `"venue": {"title": "Café", "address": "Main Street 1"}, "location": {`)),
				User:    "1111111", Texts: []string{"[location: Café, Main Street 1 48.2082,16.3738]"},
			},
			"an animation": {
				Request: signed(channeltest.Recording(t, "document.json", `"document":`, `"animation": {"file_id": "x"}, "document":`)),
				User:    "1111111", Texts: []string{"my bill [animation]"},
			},
			"a video note": {
				Request: signed(channeltest.Recording(t, "document.json", `"document":`, `"video_note": {"file_id": "x"}, "no":`)),
				User:    "1111111", Texts: []string{"my bill [video]"},
			},
			"a sticker": {
				Request: signed(channeltest.Recording(t, "message.json", `"text": "order something"`, `"sticker": {"emoji": "x", "file_id": "x"}`)),
				User:    "1111111", Texts: []string{"[sticker]"},
			},
			"a voice message": {
				Request: signed(channeltest.Recording(t, "message.json", `"text": "order something"`, `"voice": {"file_id": "x", "duration": 1}`)),
				User:    "1111111", Texts: []string{"[voice message]"},
			},
			"a file":           {Request: signed(channeltest.Recording(t, "document.json")), User: "1111111", Texts: []string{"my bill [file: invoice.pdf]"}},
			"a pressed button": {Request: signed(channeltest.Recording(t, "callback.json")), User: "-1001234.2222222", Texts: []string{"yes"}},
		},
		Markup: "*tea* [x](https://e.example) <b>", Shown: "*tea* [x](https://e.example) <b>", // there is no parse mode
	}.Run(t)
}

// inGroup is a channel of the bot @shop_bot, and a message of a group: changes are old and new texts of the recording.
func inGroup(t *testing.T, p *channeltest.Provider, changes ...string) (channels.Channel, *http.Request) {
	t.Helper()
	api := httptest.NewServer(p.HTTP(read, `{"ok": true, "result": {}}`))
	t.Cleanup(api.Close)
	ch := telegram.New(telegram.Options{Token: "110201543:token", Secret: "a-secret", Name: "shop_bot", API: api.URL})
	return ch, signed(channeltest.Recording(t, "group.json", changes...))
}

// TestGroupsSpeakToEachOther leaves alone what people of a group say to each other, and to other bots.
func TestGroupsSpeakToEachOther(t *testing.T) {
	const replies = `"from": {"id": 110201543, "is_bot": true, "first_name": "Shop"}`
	for name, c := range map[string]struct {
		changes []string
		want    string
	}{
		"a reply to the bot":       {nil, "tea, please"},
		"a reply to a person":      {[]string{replies, `"from": {"id": 2222222, "is_bot": false}`}, ""},
		"a message to all":         {[]string{`"reply_to_message"`, `"no"`}, ""},
		"a mention":                {[]string{`"reply_to_message"`, `"no"`, "tea, please", "@Shop_Bot order something"}, "order something"},
		"a mention of another one": {[]string{`"reply_to_message"`, `"no"`, "tea, please", "@shop_bot2 order something"}, ""},
		"an address in a text":     {[]string{`"reply_to_message"`, `"no"`, "tea, please", "write to me@shop_bot"}, ""},
		"a command":                {[]string{`"reply_to_message"`, `"no"`, "tea, please", "/order@shop_bot tea"}, "/order tea"},
		"a command of another bot": {[]string{"tea, please", "/order@other_bot tea"}, ""},
		"a reply by another bot":   {[]string{`"is_bot": false, "first_name": "Grace"`, `"is_bot": true, "first_name": "Grace"`}, ""},
	} {
		ch, r := inGroup(t, &channeltest.Provider{}, c.changes...)
		got, err := ch.Receive(channeltest.Request(t, r))
		text := ""
		for _, m := range got.Messages {
			text += m.Text
			if m.User != "-1001234.2222222" {
				t.Errorf("%s: the user is %q", name, m.User)
			}
		}
		if err != nil || text != c.want {
			t.Errorf("%s: found %q, %v; expected %q", name, text, err, c.want)
		}
	}
}

// TestTopics answers in the topic of a forum. A reply in a group without topics names a thread, in which nobody can write.
func TestTopics(t *testing.T) {
	for topic, want := range map[bool]string{false: `{"chat":-1001234}`, true: `{"chat":-1001234,"topic":1360}`} {
		ch, r := inGroup(t, &channeltest.Provider{}, `"message_thread_id"`, fmt.Sprintf(`"is_topic_message": %v, "message_thread_id"`, topic))
		got, err := ch.Receive(channeltest.Request(t, r))
		if err != nil || len(got.Messages) != 1 || string(got.Messages[0].Address) != want {
			t.Errorf("%v, %v; expected %s", got.Messages, err, want)
		}
	}
}

// TestOldButtonsInGroups runs the suite in a group, where buttons stay visible.
func TestOldButtonsInGroups(t *testing.T) {
	_, forged := inGroup(t, &channeltest.Provider{})
	forged.Header.Del("X-Telegram-Bot-Api-Secret-Token")
	channeltest.Suite{
		New: newChannel,
		Message: func(id, text string) *http.Request {
			_, r := inGroup(t, &channeltest.Provider{}, "10005", number(id), `"tea, please"`, strconv.Quote(text))
			return r
		},
		Press: func(id, choice string) *http.Request {
			return signed(channeltest.Recording(t, "callback.json", "10003", number(id), `"data": "yes"`, `"data": `+strconv.Quote(choice)))
		},
		Forged: map[string]*http.Request{"no secret": forged, "no secret again": forged, "nor here": forged},
		Markup: "*tea* <b>", Shown: "*tea* <b>",
	}.Run(t)
}

// TestNothingIsSignedWithoutASecret refuses a request without a secret where none is set, as where nobody has set a variable.
func TestNothingIsSignedWithoutASecret(t *testing.T) {
	r := signed(channeltest.Recording(t, "message.json"))
	r.Header.Del("X-Telegram-Bot-Api-Secret-Token")
	if _, err := telegram.New(telegram.Options{Token: "110201543:token"}).Receive(channeltest.Request(t, r)); !errors.Is(err, channels.ErrForged) {
		t.Errorf("%v", err)
	}
}

// TestAPressedButtonIsAnswered ends its progress bar by the response.
func TestAPressedButtonIsAnswered(t *testing.T) {
	ch := newChannel(t, &channeltest.Provider{})
	got, err := ch.Receive(channeltest.Request(t, signed(channeltest.Recording(t, "callback.json"))))
	if err != nil || string(got.Response.Body) != `{"callback_query_id":"4382bfdwdsb323b2d9","method":"answerCallbackQuery"}` {
		t.Errorf("%s, %v", got.Response.Body, err)
	}
}

// TestChoicesInGroupsAreButtons sends to a group, and a long text.
func TestChoicesInGroupsAreButtons(t *testing.T) {
	p := &channeltest.Provider{}
	ch := newChannel(t, p)
	text := strings.Repeat("é", 4000) + "\n" + strings.Repeat("😀", 100)
	err := ch.Send(t.Context(), &channels.Outgoing{Address: json.RawMessage(`{"chat":-1001234}`), Text: text, Choices: []string{"yes", "no"}})
	all, _ := p.Sent()
	want := []channeltest.Sent{{To: "-1001234", Text: strings.Repeat("é", 4000) + "\n"}, {To: "-1001234", Text: strings.Repeat("😀", 100), Choices: []string{"yes", "no"}, Payloads: []string{"yes", "no"}}}
	if diff := cmp.Diff(want, all); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if ch.Buttons([]string{strings.Repeat("é", 33)}) {
		t.Error("a button holds more than 64 bytes")
	}
}

// TestRetryAfterIsInTheBody reads how long Telegram wants to be left alone, and never shows the token.
func TestRetryAfterIsInTheBody(t *testing.T) {
	p := &channeltest.Provider{}
	p.Plan(channeltest.Verdict{Status: http.StatusTooManyRequests})
	api := httptest.NewServer(p.HTTP(read, `{"ok": false, "error_code": 429, "description": "Too Many Requests: retry after 7", "parameters": {"retry_after": 7}}`))
	ch := telegram.New(telegram.Options{Token: "110201543:token", API: api.URL})
	o := &channels.Outgoing{Address: json.RawMessage(`{"chat":1}`), Text: "Hello"}
	why, ok := errors.AsType[*channels.SendError](ch.Send(t.Context(), o))
	if !ok || why.Permanent || why.RetryAfter != 7*time.Second {
		t.Errorf("%v", why)
	}
	api.Close()
	if err := ch.Send(t.Context(), o); err == nil || strings.Contains(err.Error(), "token") {
		t.Errorf("%v", err)
	}
}

func FuzzReceive(f *testing.F) {
	ch := telegram.New(telegram.Options{Secret: "a-secret"})
	channeltest.FuzzReceive(f, ch, signed, channeltest.Recording(f, "message.json"), channeltest.Recording(f, "location.json"), channeltest.Recording(f, "callback.json"))
}
