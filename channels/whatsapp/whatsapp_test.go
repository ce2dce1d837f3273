package whatsapp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/channeltest"
	"github.com/fermata-go/fermata/channels/whatsapp"
)

func signed(body []byte) *http.Request {
	return channeltest.POST("/channels/whatsapp", body, "X-Hub-Signature-256", "sha256="+channels.HexHMAC("app-secret", body))
}

// read reads a message from a request of the Cloud API.
func read(r *http.Request, data []byte) (s channeltest.Sent, err error) {
	var p struct {
		To          string
		Recipient   string
		Text        struct{ Body string }
		Interactive struct {
			Body   struct{ Text string }
			Action struct {
				Buttons  []struct{ Reply struct{ ID, Title string } }
				Sections []struct{ Rows []struct{ ID, Title string } }
			}
		}
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return s, err
	}
	if r.URL.Path != "/106540352242922/messages" || r.Header.Get("Authorization") != "Bearer token" {
		return s, fmt.Errorf("a request to %s with %v", r.URL, r.Header)
	}
	s = channeltest.Sent{To: p.To + p.Recipient, Text: p.Text.Body + p.Interactive.Body.Text}
	for _, b := range p.Interactive.Action.Buttons {
		s.Choices, s.Payloads = append(s.Choices, b.Reply.Title), append(s.Payloads, strings.TrimPrefix(b.Reply.ID, "choice:"))
	}
	for _, sec := range p.Interactive.Action.Sections {
		for _, row := range sec.Rows {
			s.Choices, s.Payloads = append(s.Choices, row.Title), append(s.Payloads, strings.TrimPrefix(row.ID, "choice:"))
		}
	}
	return s, nil
}

func newChannel(t testing.TB, p *channeltest.Provider) channels.Channel {
	api := httptest.NewServer(p.HTTP(read, `{"messages": [{"id": "wamid.0"}]}`))
	t.Cleanup(api.Close)
	return whatsapp.New(whatsapp.Options{
		AppSecret: "app-secret", VerifyToken: "verify", Token: "token", PhoneNumberID: "106540352242922",
		API: api.URL,
	})
}

func TestWhatsApp(t *testing.T) {
	order := channeltest.Recording(t, "text.json")
	none, wrong, other := signed(order), signed(order), signed(order)
	none.Header.Del("X-Hub-Signature-256")
	wrong.Header.Set("X-Hub-Signature-256", "sha256="+strings.Repeat("0", 64))
	other.Body = signed(channeltest.Recording(t, "text.json", "wamid.text", "wamid.other")).Body
	verify := func(query string) *http.Request {
		return httptest.NewRequest(http.MethodGet, "/channels/whatsapp?"+query, nil)
	}
	channeltest.Suite{
		New: newChannel,
		Message: func(id, text string) *http.Request {
			return signed(channeltest.Recording(t, "text.json", "wamid.text", "wamid."+id, `"order something"`, strconv.Quote(text)))
		},
		Press: func(id, choice string) *http.Request {
			return signed(channeltest.Recording(t, "pressed.json", "wamid.pressed", "wamid."+id, "choice:yes", "choice:"+choice))
		},
		Forged: map[string]*http.Request{
			"no signature": none, "a wrong signature": wrong, "another body": other,
			"a wrong verify token": verify("hub.mode=subscribe&hub.verify_token=guess&hub.challenge=1"), "no verify token": verify("hub.mode=subscribe"),
			"another mode": verify("hub.mode=unsubscribe&hub.verify_token=verify&hub.challenge=1"),
		},
		Ignored: map[string]*http.Request{
			"a message in a group":         signed(channeltest.Recording(t, "text.json", `"from": "16505551234",`, `"from": "16505551234", "group_id": "Y2FwaV9ncm91cDox",`)),
			"an edited message":            signed(channeltest.Recording(t, "text.json", `"type": "text"`, `"type": "edit"`)),
			"a message that is taken back": signed(channeltest.Recording(t, "text.json", `"type": "text"`, `"type": "revoke"`)),
			"a receipt":                    signed(channeltest.Recording(t, "status.json")),
			"a message to another number":  signed(channeltest.Recording(t, "text.json", `"phone_number_id": "106540352242922"`, `"phone_number_id": "2"`)),
			"the verification":             verify("hub.mode=subscribe&hub.verify_token=verify&hub.challenge=1158201444"),
		},
		Recorded: map[string]channeltest.Recorded{
			"a text": {Request: signed(order), User: "16505551234", Texts: []string{"order something"}},
			"all kinds": {Request: signed(channeltest.Recording(t, "several.json")), User: "16505551234", Texts: []string{
				"my bill [image]", "[location: Office, 1 Hacker Way 37.4421,-122.1615]", "[file: invoice.pdf]", "Priority Mail Express",
				"[contact: Grace Hopper]", "[unsupported]",
			}},
			"the chat is opened": {
				Request: signed(channeltest.Recording(t, "text.json", `"type": "text"`, `"type": "request_welcome"`)), User: "16505551234", Texts: []string{""},
			},
			"a user without a number": {
				Request: signed(channeltest.Recording(t, "username.json")), User: "US.13491208655302741918", Texts: []string{"order something"},
			},
			"a place without a name": {
				Request: signed(channeltest.Recording(t, "several.json", `, "name": "Office", "address": "1 Hacker Way"`, "")), User: "16505551234", Texts: []string{
					"my bill [image]", "[location: 37.4421,-122.1615]", "[file: invoice.pdf]", "Priority Mail Express", "[contact: Grace Hopper]", "[unsupported]",
				},
			},
		},
		Markup: "tea & milk <b>", Shown: "tea & milk <b>", // nothing in it is a mention or a link
	}.Run(t)
}

// TestNothingIsSignedWithoutASecret refuses what is signed with the secret "", and what is verified with the token "".
func TestNothingIsSignedWithoutASecret(t *testing.T) {
	ch, order := whatsapp.New(whatsapp.Options{PhoneNumberID: "106540352242922"}), channeltest.Recording(t, "text.json")
	for _, r := range []*http.Request{
		channeltest.POST("/channels/whatsapp", order, "X-Hub-Signature-256", "sha256="+channels.HexHMAC("", order)),
		httptest.NewRequest(http.MethodGet, "/channels/whatsapp?hub.mode=subscribe&hub.verify_token=&hub.challenge=1", nil),
	} {
		if _, err := ch.Receive(channeltest.Request(t, r)); !errors.Is(err, channels.ErrForged) {
			t.Errorf("%s: %v", r.Method, err)
		}
	}
}

// TestTheAddressIsVerified answers the challenge.
func TestTheAddressIsVerified(t *testing.T) {
	q := url.Values{"hub.mode": {"subscribe"}, "hub.verify_token": {"verify"}, "hub.challenge": {"1158201444"}}
	got, err := newChannel(t, &channeltest.Provider{}).Receive(channeltest.Request(t, httptest.NewRequest(http.MethodGet, "/channels/whatsapp?"+q.Encode(), nil)))
	if err != nil || string(got.Response.Body) != "1158201444" {
		t.Errorf("%s, %v", got.Response.Body, err)
	}
}

// TestChoicesFit shows 3 short choices as buttons, up to 10 as a list, and a long text in several messages.
func TestChoicesFit(t *testing.T) {
	p := &channeltest.Provider{}
	ch := newChannel(t, p)
	four := []string{"one", "two", "three", "four"}
	long := strings.Repeat("word ", 300)
	for _, o := range []channels.Outgoing{
		{User: "1", Text: "Which?", Choices: []string{"a choice of 24 letters.."}}, {User: "1", Text: "Which?", Choices: four}, {User: "1", Text: long, Choices: four[:2]},
	} {
		if !ch.Buttons(o.Choices) {
			t.Errorf("no buttons for %q", o.Choices)
		}
		if err := ch.Send(t.Context(), &o); err != nil {
			t.Fatal(err)
		}
	}
	all, _ := p.Sent()
	want := []channeltest.Sent{
		{To: "1", Text: "Which?", Choices: []string{"a choice of 24 letters.."}, Payloads: []string{"a choice of 24 letters.."}},
		{To: "1", Text: "Which?", Choices: four, Payloads: four},
		{To: "1", Text: strings.Repeat("word ", 204)},
		{To: "1", Text: strings.Repeat("word ", 96), Choices: four[:2], Payloads: four[:2]},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
	for _, bad := range [][]string{make([]string, 11), {"a choice of 25 letters..."}, {""}} {
		if ch.Buttons(bad) {
			t.Errorf("buttons for %q", bad)
		}
	}
}

// TestUsersWithoutANumber are sent answers by their id for this business.
func TestUsersWithoutANumber(t *testing.T) {
	for user, want := range map[string]string{"16505551234": `"to":"16505551234"`, "US.13491208655302741918": `"recipient":"US.13491208655302741918"`} {
		var sent string
		api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = string(body)
		}))
		ch := whatsapp.New(whatsapp.Options{Token: "token", PhoneNumberID: "106540352242922", API: api.URL})
		err := ch.Send(t.Context(), &channels.Outgoing{User: user, Text: "Hello"})
		api.Close()
		if err != nil || !strings.Contains(sent, want) || strings.Contains(sent, `"to"`) == strings.Contains(sent, `"recipient"`) {
			t.Errorf("%s, %v; expected %s", sent, err, want)
		}
	}
}

// TestCodesOfErrors tells limits of the rate, which have status 400, from refusals.
func TestCodesOfErrors(t *testing.T) {
	for code, permanent := range map[int]bool{130429: false, 131056: false, 131047: true, 100: true} {
		p := &channeltest.Provider{}
		p.Plan(channeltest.Verdict{Status: http.StatusBadRequest})
		api := httptest.NewServer(p.HTTP(read, fmt.Sprintf(`{"error": {"message": "m", "code": %d}}`, code)))
		t.Cleanup(api.Close)
		ch := whatsapp.New(whatsapp.Options{Token: "token", PhoneNumberID: "106540352242922", API: api.URL})
		why, ok := errors.AsType[*channels.SendError](ch.Send(t.Context(), &channels.Outgoing{User: "1", Text: "Hello"}))
		if !ok || why.Permanent != permanent || !strings.Contains(why.Reason, strconv.Itoa(code)) {
			t.Errorf("%d: %v", code, why)
		}
	}
}

func FuzzReceive(f *testing.F) {
	ch := whatsapp.New(whatsapp.Options{AppSecret: "app-secret", PhoneNumberID: "106540352242922"})
	channeltest.FuzzReceive(f, ch, signed, channeltest.Recording(f, "text.json"), channeltest.Recording(f, "several.json"), channeltest.Recording(f, "pressed.json"))
}
