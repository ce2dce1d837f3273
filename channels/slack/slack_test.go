package slack_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/channeltest"
	"github.com/fermata-go/fermata/channels/slack"
)

const secret = "signing-secret-of-a-test"

// signed is a request as Slack signs it.
func signed(contentType string, body []byte, at time.Time) *http.Request {
	r, err := http.NewRequest(http.MethodPost, "https://bot.example.com/channels/slack", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("X-Slack-Request-Timestamp", stamp)
	r.Header.Set("X-Slack-Signature", "v0="+channels.HexHMAC(secret, []byte("v0:"+stamp+":"), body))
	return r
}

const (
	asJSON = "application/json"
	asForm = "application/x-www-form-urlencoded"
)

func recording(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// message is a direct message with an id and a text.
func message(t testing.TB, id, text string) *http.Request {
	body := strings.NewReplacer(`"ts": "1355517523.000005"`, `"ts": "`+id+`"`, "Ev08MFMKH6", rand.Text()).Replace(string(recording(t, "message.json")))
	quoted, err := json.Marshal(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text))
	if err != nil {
		t.Fatal(err)
	}
	body = strings.Replace(body, `"order something"`, string(quoted), 1)
	return signed(asJSON, []byte(body), time.Now())
}

func press(t testing.TB, id, choice string) *http.Request {
	body := strings.NewReplacer("1767326130.289415", id, `"value": "yes"`, fmt.Sprintf(`"value": %q`, choice)).Replace(string(recording(t, "pressed.json")))
	return signed(asForm, []byte(url.Values{"payload": {body}}.Encode()), time.Now())
}

// read reads a message from a request to chat.postMessage.
func read(r *http.Request, body []byte) (s channeltest.Sent, err error) {
	var p struct {
		Channel string
		Text    string
		Parse   string
		Mrkdwn  bool
		Blocks  []struct {
			Type     string
			Text     struct{ Text string }
			Elements []struct {
				Text  struct{ Text string }
				Value string
			}
		}
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return s, err
	}
	if r.URL.Path != "/chat.postMessage" || r.Header.Get("Authorization") != "Bearer xoxb-test" || p.Parse != "none" || p.Mrkdwn {
		return s, fmt.Errorf("a request to %s with %v: %s", r.URL, r.Header, body)
	}
	s = channeltest.Sent{To: p.Channel, Text: p.Text}
	shown := ""
	for _, b := range p.Blocks {
		shown += b.Text.Text
		for _, e := range b.Elements {
			s.Choices, s.Payloads = append(s.Choices, e.Text.Text), append(s.Payloads, e.Value)
		}
	}
	if len(p.Blocks) > 0 && shown != p.Text {
		return s, fmt.Errorf("the blocks show %q, the text is %q", shown, p.Text)
	}
	return s, nil
}

func newChannel(t testing.TB, p *channeltest.Provider) channels.Channel {
	api := httptest.NewServer(p.HTTP(read, `{"ok": true, "ts": "1767326126.896109"}`))
	t.Cleanup(api.Close)
	return slack.New(slack.Options{SigningSecret: secret, Token: "xoxb-test", API: api.URL})
}

func TestSlack(t *testing.T) {
	order := recording(t, "message.json")
	other, old, none, wrong := signed(asJSON, order, time.Now()), signed(asJSON, order, time.Now().Add(-6*time.Minute)), signed(asJSON, order, time.Now()), signed(asJSON, order, time.Now())
	other.Body = message(t, "Ev2", "order something").Body
	none.Header.Del("X-Slack-Signature")
	wrong.Header.Set("X-Slack-Signature", "v0="+strings.Repeat("0", 64))
	newer := signed(asJSON, order, time.Now().Add(-6*time.Minute))
	newer.Header.Set("X-Slack-Request-Timestamp", strconv.FormatInt(time.Now().Unix(), 10))

	suite := channeltest.Suite{
		New:     newChannel,
		Message: func(id, text string) *http.Request { return message(t, id, text) },
		Press:   func(id, choice string) *http.Request { return press(t, id, choice) },
		Forged: map[string]*http.Request{
			"no signature": none, "a wrong signature": wrong, "another body": other, "an old timestamp": old, "an old signature with a new timestamp": newer,
			"a timestamp of the future": signed(asJSON, order, time.Now().Add(6*time.Minute)),
		},
		Ignored: map[string]*http.Request{
			"a message of the bot":    signed(asJSON, recording(t, "own.json"), time.Now()),
			"a message in a channel":  signed(asJSON, recording(t, "channel.json"), time.Now()),
			"an edited message":       signed(asJSON, recording(t, "edited.json"), time.Now()),
			"the challenge":           signed(asJSON, recording(t, "challenge.json"), time.Now()),
			"a button of another app": press(t, "1", ""),
		},
		Recorded: map[string]channeltest.Recorded{
			"a direct message": {Request: signed(asJSON, order, time.Now()), User: "T061EG9R6-D024BE91L-U2147483697", Texts: []string{"order something"}},
			"a mention":        {Request: signed(asJSON, recording(t, "mention.json"), time.Now()), User: "T061EG9R6-C0LAN2Q65-U061F7AUR", Texts: []string{"order <2 & see example.com"}},
			"a message that is shown in the channel, too": {
				Request: signed(asJSON, []byte(strings.Replace(string(recording(t, "file.json")), "file_share", "thread_broadcast", 1)), time.Now()),
				User:    "T061EG9R6-D024BE91L-U2147483697", Texts: []string{"look [file: invoice.pdf]"},
			},
			"a file":           {Request: signed(asJSON, recording(t, "file.json"), time.Now()), User: "T061EG9R6-D024BE91L-U2147483697", Texts: []string{"look [file: invoice.pdf]"}},
			"a pressed button": {Request: press(t, "1", "yes"), User: "T061EG9R6-D024BE91L-U2147483697", Texts: []string{"yes"}},
		},
		Markup: "<!channel> & <@U1>", Shown: "&lt;!channel&gt; &amp; &lt;@U1&gt;",
	}
	suite.Run(t)
}

// TestTheDocumentedSignature is the example of Slack's own documentation.
func TestTheDocumentedSignature(t *testing.T) {
	body := "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	got := channels.HexHMAC("8f742231b10e8888abcd99yyyzzz85a5", []byte("v0:1531420618:"), []byte(body))
	if want := "a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"; got != want {
		t.Errorf("found %s, expected %s", got, want)
	}
}

// TestNothingIsSignedWithoutASecret refuses what is signed with the secret "", which is a variable that nobody has set.
func TestNothingIsSignedWithoutASecret(t *testing.T) {
	r := signed(asJSON, recording(t, "message.json"), time.Now())
	stamp := r.Header.Get("X-Slack-Request-Timestamp")
	r.Header.Set("X-Slack-Signature", "v0="+channels.HexHMAC("", []byte("v0:"+stamp+":"), recording(t, "message.json")))
	if _, err := slack.New(slack.Options{Token: "xoxb-test"}).Receive(channeltest.Request(t, r)); !errors.Is(err, channels.ErrForged) {
		t.Errorf("%v", err)
	}
}

// TestTheChallengeIsAnswered is what Slack asks of a new address.
func TestTheChallengeIsAnswered(t *testing.T) {
	got, err := newChannel(t, &channeltest.Provider{}).Receive(channeltest.Request(t, signed(asJSON, recording(t, "challenge.json"), time.Now())))
	if err != nil || string(got.Response.Body) != "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P" {
		t.Errorf("%s, %v", got.Response.Body, err)
	}
}

// TestFailuresOfSlackHaveStatus200 tells those that pass from those that do not.
func TestFailuresOfSlackHaveStatus200(t *testing.T) {
	for answer, permanent := range map[string]bool{"channel_not_found": true, "ratelimited": false, "invalid_auth": false, "internal_error": false} {
		api := httptest.NewServer((&channeltest.Provider{}).HTTP(read, `{"ok": false, "error": "`+answer+`"}`))
		t.Cleanup(api.Close)
		ch := slack.New(slack.Options{SigningSecret: secret, Token: "xoxb-test", API: api.URL})
		err := ch.Send(t.Context(), &channels.Outgoing{Address: json.RawMessage(`{"channel":"D1"}`), Text: "Hello"})
		var why *channels.SendError
		if why, _ = err.(*channels.SendError); why == nil || why.Permanent != permanent { //nolint:errorlint // it is not wrapped
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// TestAnEditedMentionCountsOnce has a user edit a message: Slack makes another event of it, with the ts of the message.
func TestAnEditedMentionCountsOnce(t *testing.T) {
	ids := make(map[string]bool)
	for _, name := range []string{"mention.json", "mention_edited.json"} {
		got, err := newChannel(t, &channeltest.Provider{}).Receive(channeltest.Request(t, signed(asJSON, recording(t, name), time.Now())))
		if err != nil || len(got.Messages) != 1 {
			t.Fatalf("%s: %v, %v", name, got.Messages, err)
		}
		ids[got.Messages[0].ID] = true
	}
	if len(ids) != 1 {
		t.Errorf("two ids for one message: %v", ids)
	}
}

// TestTheLocaleOfAUser asks users.info where the app may, and begins the conversation in the user's language.
func TestTheLocaleOfAUser(t *testing.T) {
	for locale, want := range map[bool]string{true: "Welcher Tag?", false: "Which day?"} {
		p := &channeltest.Provider{}
		posts := p.HTTP(read, `{"ok": true}`)
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/users.info" {
				posts.ServeHTTP(w, r)
				return
			}
			if !locale || r.URL.RawQuery != "include_locale=true&user=U2147483697" || r.Header.Get("Authorization") != "Bearer xoxb-test" {
				t.Errorf("a request to %s with %v", r.URL, r.Header)
			}
			_, _ = w.Write(recording(t, "user.json"))
		}))
		t.Cleanup(api.Close)
		ch := slack.New(slack.Options{SigningSecret: secret, Token: "xoxb-test", API: api.URL, Locale: locale})
		h := channeltest.Open(t, channeltest.Stores(t)["memory"](), channeltest.Visit(t), ch)
		h.Post(message(t, "1", "visit"))
		p.Until(t, want, 1)
		h.Post(message(t, "2", "English please"))
		p.Until(t, "Which day?", 1)
	}
}

// TestAnUnknownLocaleIsNoFailure has Slack refuse to tell it.
func TestAnUnknownLocaleIsNoFailure(t *testing.T) {
	p := &channeltest.Provider{}
	posts := p.HTTP(read, `{"ok": true}`)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/users.info" {
			_, _ = io.WriteString(w, `{"ok": false, "error": "missing_scope"}`)
			return
		}
		posts.ServeHTTP(w, r)
	}))
	t.Cleanup(api.Close)
	ch := slack.New(slack.Options{SigningSecret: secret, Token: "xoxb-test", API: api.URL, Locale: true})
	h := channeltest.Open(t, channeltest.Stores(t)["memory"](), channeltest.Visit(t), ch)
	h.Post(message(t, "1", "visit"))
	p.Until(t, "Which day?", 1)
}

func FuzzReceive(f *testing.F) {
	ch := slack.New(slack.Options{SigningSecret: secret})
	sign := func(body []byte) *http.Request {
		if bytes.HasPrefix(body, []byte("payload=")) {
			return signed(asForm, body, time.Now())
		}
		return signed(asJSON, body, time.Now())
	}
	pressed := url.Values{"payload": {string(recording(f, "pressed.json"))}}
	channeltest.FuzzReceive(f, ch, sign, recording(f, "message.json"), recording(f, "mention.json"), recording(f, "file.json"), []byte(pressed.Encode()))
}
