package twilio_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/channeltest"
	"github.com/fermata-go/fermata/channels/twilio"
)

const token = "auth-token-of-a-test"

// signed is a request as Twilio signs it, to a path of the bot.
func signed(path string, body []byte) *http.Request {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		form = nil
	}
	return channeltest.POST(path, body, "Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", twilio.Sign(token, "https://bot.example.com"+path, form))
}

// recording is a form of testdata in which fields are replaced: names and values.
func recording(t testing.TB, name string, fields ...string) []byte {
	t.Helper()
	form, err := url.ParseQuery(strings.TrimSpace(string(channeltest.Recording(t, name))))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return []byte(form.Encode())
}

// read reads an SMS from a request to the Messages API.
func read(r *http.Request, body []byte) (s channeltest.Sent, err error) {
	form, err := url.ParseQuery(string(body))
	user, password, _ := r.BasicAuth()
	if err != nil || r.URL.Path != "/2010-04-01/Accounts/AC0001/Messages.json" || user != "AC0001" || password != token || form.Get("From") != "+15550100" {
		return s, fmt.Errorf("a request to %s: %s: %w", r.URL, body, err)
	}
	return channeltest.Sent{To: form.Get("To"), Text: form.Get("Body")}, nil
}

func newSMS(t testing.TB, p *channeltest.Provider) channels.Channel {
	api := httptest.NewServer(p.HTTP(read, `{"sid": "SM0009", "status": "queued"}`))
	t.Cleanup(api.Close)
	return twilio.NewSMS(twilio.Options{
		AccountSID: "AC0001", AuthToken: token, From: "+15550100", API: api.URL,
	})
}

func TestSMS(t *testing.T) {
	const path = "/channels/twilio-sms"
	order := recording(t, "sms.txt")
	none, wrong, other, elsewhere := signed(path, order), signed(path, order), signed(path, order), signed("/channels/other", order)
	none.Header.Del("X-Twilio-Signature")
	wrong.Header.Set("X-Twilio-Signature", "RSOYDt4T1cUTdK1PDd93/VVr8B8=")
	other.Body = signed(path, recording(t, "sms.txt", "Body", "order something else")).Body
	channeltest.Suite{
		New: newSMS,
		Message: func(id, text string) *http.Request {
			return signed(path, recording(t, "sms.txt", "MessageSid", "SM"+id, "Body", text))
		},
		Forged: map[string]*http.Request{"no signature": none, "a wrong signature": wrong, "another body": other, "a request to another address": elsewhere},
		Ignored: map[string]*http.Request{
			"a receipt": signed(path, recording(t, "status.txt")),
		},
		Recorded: map[string]channeltest.Recorded{
			"a text": {Request: signed(path, order), User: "+14158675309", Texts: []string{"order something"}},
			"files":  {Request: signed(path, recording(t, "mms.txt")), User: "+14158675309", Texts: []string{"my bill [image] [file]"}},
			"a place": {
				Request: signed(path, recording(t, "sms.txt", "Body", "", "Latitude", "48.2082", "Longitude", "16.3738", "Address", "Main Street 1")),
				User:    "+14158675309", Texts: []string{"[location: Main Street 1 48.2082,16.3738]"},
			},
		},
		Markup: "<Say>tea & milk</Say>", Shown: "<Say>tea & milk</Say>", // an SMS is plain text
	}.Run(t)
}

// TestTheDocumentedSignature is the example of Twilio's own libraries.
func TestTheDocumentedSignature(t *testing.T) {
	form := url.Values{"CallSid": {"CA1234567890ABCDE"}, "Digits": {"1234"}, "From": {"+14158675309"}, "To": {"+18005551212"}, "Caller": {"+14158675309"}}
	if got := twilio.Sign("12345", "https://mycompany.com/myapp.php?foo=1&bar=2", form); got != "RSOYDt4T1cUTdK1PDd93/VVr8B8=" {
		t.Errorf("found %s", got)
	}
}

// TestRepeatedValuesAreSignedOnce signs a name with several values: each value once, in their order.
func TestRepeatedValuesAreSignedOnce(t *testing.T) {
	const address = "https://mycompany.com/myapp.php"
	if got, want := twilio.Sign("12345", address, url.Values{"b": {"2", "1", "2"}, "a": {"3"}}), twilio.Sign("12345", address+"a3b1b2", nil); got != want {
		t.Errorf("found %s, expected %s", got, want)
	}
}

// TestNothingIsSignedWithoutAToken refuses what is signed with the token "", which is a variable that nobody has set.
func TestNothingIsSignedWithoutAToken(t *testing.T) {
	const path = "/channels/twilio-sms"
	r := signed(path, recording(t, "sms.txt"))
	form, err := url.ParseQuery(string(recording(t, "sms.txt")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Twilio-Signature", twilio.Sign("", "https://bot.example.com"+path, form))
	if _, err := twilio.NewSMS(twilio.Options{}).Receive(channeltest.Request(t, r)); !errors.Is(err, channels.ErrForged) {
		t.Errorf("%v", err)
	}
}

// TestALongSMSTakesSeveral splits a text behind a word.
func TestALongSMSTakesSeveral(t *testing.T) {
	p := &channeltest.Provider{}
	if err := newSMS(t, p).Send(t.Context(), &channels.Outgoing{User: "+1", Text: strings.Repeat("nine char ", 200)}); err != nil {
		t.Fatal(err)
	}
	all, _ := p.Sent()
	want := []channeltest.Sent{{To: "+1", Text: strings.Repeat("nine char ", 160)}, {To: "+1", Text: strings.Repeat("nine char ", 40)}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}

// call makes a request of a call and returns the TwiML.
func call(t *testing.T, h *channeltest.House, path string, body []byte) string {
	t.Helper()
	r := signed(path, body)
	to, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.TrimSuffix(h.URL, "/channels/twilio-voice")+path, r.Body)
	if err != nil {
		t.Fatal(err)
	}
	to.Header = r.Header
	res, err := http.DefaultClient.Do(to)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s, %v", res.StatusCode, text, err)
	}
	return string(text)
}

// gathers is the TwiML that says texts and listens.
func gathers(turn int, texts ...string) string {
	says := ""
	for _, text := range texts {
		says += `<Say language="en-US">` + text + `</Say>`
	}
	next := fmt.Sprintf("https://bot.example.com/channels/twilio-voice?turn=%d", turn)
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<Response><Gather input="speech dtmf" action="` + next + `" method="POST" language="en-US" speechTimeout="auto">` +
		says + `</Gather><Redirect method="POST">` + next + `</Redirect></Response>`
}

// TestACall orders by phone: said and typed, with a request that comes twice, and words that would be markup.
func TestACall(t *testing.T) {
	bought := &channeltest.Purchases{}
	h := channeltest.Open(t, channeltest.Stores(t)["memory"](), channeltest.Shop(t, bought), twilio.NewVoice(twilio.Options{AuthToken: token}))
	const path = "/channels/twilio-voice"
	says := func(turn int, text string) string {
		return call(t, h, fmt.Sprintf("%s?turn=%d", path, turn), recording(t, "speech.txt", "SpeechResult", text))
	}
	same := func(got, want string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	same(call(t, h, path, recording(t, "call.txt")), gathers(1))
	same(says(1, "order something"), gathers(2, "What?"))
	same(call(t, h, path+"?turn=2", recording(t, "speech.txt", "SpeechResult", "")), gathers(3, "What?")) // the caller was silent
	same(says(3, "tea & <Hangup/>"), gathers(4, "Order tea &amp; &lt;Hangup/&gt;?&#xA;1. yes&#xA;2. no"))
	same(call(t, h, path+"?turn=4", recording(t, "speech.txt", "SpeechResult", "", "Digits", "1")), gathers(5, "Ordered tea &amp; &lt;Hangup/&gt;.", "Is there anything else?"))
	same(call(t, h, path+"?turn=4", recording(t, "speech.txt", "SpeechResult", "", "Digits", "1")), gathers(5)) // again
	same(call(t, h, path, recording(t, "hangup.txt")), "<Response/>")
	if n := bought.Count("tea & <Hangup/>"); n != 1 {
		t.Errorf("bought %d times", n)
	}
	same(call(t, h, path, recording(t, "call.txt", "CallSid", "CA0002")), gathers(1)) // another call knows nothing of it
}

// TestASlowConversationIsWaitedFor has no driver at work: the caller is asked to wait.
func TestASlowConversationIsWaitedFor(t *testing.T) {
	h := channeltest.Open(t, channeltest.Stores(t)["memory"](), channeltest.Shop(t, &channeltest.Purchases{}), twilio.NewVoice(twilio.Options{AuthToken: token}),
		func(p *channeltest.Process) { p.Patience = 20 * time.Millisecond; p.Idle = true })
	const path = "/channels/twilio-voice"
	got := call(t, h, path, recording(t, "call.txt"))
	want := `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<Response><Pause length="1"></Pause><Redirect method="POST">https://bot.example.com/channels/twilio-voice?turn=1</Redirect></Response>`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestForgedCallsAreRefused checks what TestSMS does for texts.
func TestForgedCallsAreRefused(t *testing.T) {
	v := twilio.NewVoice(twilio.Options{AuthToken: token})
	r := signed("/channels/twilio-voice?turn=1", recording(t, "speech.txt"))
	r.URL.RawQuery = "turn=2"
	if _, err := v.Receive(channeltest.Request(t, r)); !errors.Is(err, channels.ErrForged) {
		t.Errorf("another turn: %v", err)
	}
}

func FuzzReceive(f *testing.F) {
	ch := twilio.NewSMS(twilio.Options{AuthToken: token})
	sign := func(body []byte) *http.Request { return signed("/channels/twilio-sms", body) }
	channeltest.FuzzReceive(f, ch, sign, recording(f, "sms.txt"), recording(f, "mms.txt"))
}

func FuzzReceiveCall(f *testing.F) {
	ch := twilio.NewVoice(twilio.Options{AuthToken: token})
	sign := func(body []byte) *http.Request { return signed("/channels/twilio-voice?turn=1", body) }
	channeltest.FuzzReceive(f, ch, sign, recording(f, "speech.txt"), recording(f, "hangup.txt"))
}
