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
			Inline   [][]struct{ Text string } `json:"inline_keyboard"`
		} `json:"reply_markup"`
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return s, err
	}
	if r.URL.Path != "/bot110201543:token/sendMessage" || p.Mode != nil {
		return s, fmt.Errorf("a request to %s: %s", r.URL, data)
	}
	s = channeltest.Sent{To: strconv.FormatInt(p.Chat, 10), Text: p.Text}
	for _, row := range append(p.Markup.Keyboard, p.Markup.Inline...) {
		for _, b := range row {
			s.Choices = append(s.Choices, b.Text)
		}
	}
	return s, nil
}

func newChannel(t testing.TB, p *channeltest.Provider) channels.Channel {
	api := httptest.NewServer(p.HTTP(read, `{"ok": true, "result": {}}`))
	t.Cleanup(api.Close)
	return telegram.New(telegram.Options{Token: "110201543:token", Secret: "a-secret", API: api.URL})
}

func TestTelegram(t *testing.T) {
	order := channeltest.Recording(t, "message.json")
	none, wrong, part := signed(order), signed(order), signed(order)
	none.Header.Del("X-Telegram-Bot-Api-Secret-Token")
	wrong.Header.Set("X-Telegram-Bot-Api-Secret-Token", "another")
	part.Header.Set("X-Telegram-Bot-Api-Secret-Token", "a-secre")
	says := func(id, text string) *http.Request {
		n := 0
		for _, r := range id {
			n = n*100 + int(r)
		}
		return signed(channeltest.Recording(t, "message.json", "10000", strconv.Itoa(n), `"order something"`, strconv.Quote(text)))
	}
	channeltest.Suite{
		New:     newChannel,
		Message: says,
		Press:   says, // a key of the keyboard sends its text
		Forged:  map[string]*http.Request{"no secret": none, "a wrong secret": wrong, "a part of the secret": part},
		Ignored: map[string]*http.Request{
			"a new title": signed(channeltest.Recording(t, "joined.json")), "an update of another kind": signed([]byte(`{"update_id": 1, "poll": {"id": "1"}}`)),
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
			"a file":           {Request: signed(channeltest.Recording(t, "document.json")), User: "1111111", Texts: []string{"my bill [file: invoice.pdf]"}},
			"a pressed button": {Request: signed(channeltest.Recording(t, "callback.json")), User: "-1001234.2222222", Texts: []string{"yes"}},
		},
		Markup: "*tea* [x](https://e.example) <b>", Shown: "*tea* [x](https://e.example) <b>", // there is no parse mode
	}.Run(t)
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
	want := []channeltest.Sent{{To: "-1001234", Text: strings.Repeat("é", 4000) + "\n"}, {To: "-1001234", Text: strings.Repeat("😀", 100), Choices: []string{"yes", "no"}}}
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
