package twilio

import (
	"cmp"
	"context"
	"encoding/xml"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/channels"
)

// Voice is the phone calls of a number. It speaks the answers of the conversation, and understands what the caller says
// or types. NewVoice makes one.
type Voice struct{ o Options }

// NewVoice makes the channel "twilio-voice".
func NewVoice(o Options) *Voice {
	o.fill()
	return &Voice{o}
}

// Name implements channels.Channel.
func (*Voice) Name() string { return "twilio-voice" }

// Receive implements channels.Channel. A call is a user, and what is said in one turn of it a message, so that a request
// which comes twice is heard once.
func (v *Voice) Receive(r *channels.Request) (got channels.Received, err error) {
	form, err := v.o.read(r)
	if err != nil {
		return got, err
	}
	got.Response = channels.Response{Type: "text/xml", Body: []byte("<Response/>")}
	call := form.Get("CallSid")
	if call == "" {
		return got, nil
	}
	m := channels.Message{
		User: call, ID: call + "/" + strconv.Itoa(turn(r)), Text: texts(form.Get("SpeechResult"), form.Get("Digits")), Language: v.o.Language,
	}
	switch form.Get("CallStatus") {
	case "completed", "busy", "failed", "no-answer", "canceled":
		m.Gone, m.Text, m.ID = true, "", call+"/gone"
	}
	got.Messages = []channels.Message{m}
	return got, nil
}

// turn is the number of the response that a request follows; 0 for the beginning of a call.
func turn(r *channels.Request) int {
	n, _ := strconv.Atoi(r.Query.Get("turn"))
	return max(n, 0)
}

// Buttons implements channels.Channel: choices are spoken with their numbers, and keys choose.
func (*Voice) Buttons([]string) bool { return false }

// Send implements channels.Channel. It is not called.
func (*Voice) Send(context.Context, *channels.Outgoing) error {
	return &channels.SendError{Reason: "a call has no messages but the responses", Permanent: true}
}

type response struct {
	XMLName xml.Name `xml:"Response"`
	Verbs   []any
}

type say struct {
	XMLName  xml.Name `xml:"Say"`
	Language string   `xml:"language,attr"`
	Voice    string   `xml:"voice,attr,omitempty"`
	Text     string   `xml:",chardata"`
}

type gather struct {
	XMLName  xml.Name `xml:"Gather"`
	Input    string   `xml:"input,attr"`
	Action   string   `xml:"action,attr"`
	Method   string   `xml:"method,attr"`
	Language string   `xml:"language,attr"`
	Silence  string   `xml:"speechTimeout,attr"`
	Says     []any
}

type pause struct {
	XMLName xml.Name `xml:"Pause"`
	Length  int      `xml:"length,attr"`
}

type redirect struct {
	XMLName xml.Name `xml:"Redirect"`
	Method  string   `xml:"method,attr"`
	URL     string   `xml:",chardata"`
}

type hangup struct {
	XMLName xml.Name `xml:"Hangup"`
}

// longestSay is how much Twilio speaks at once.
const longestSay = 4096

// names are what Twilio calls languages that have no region in a dialogue.
var names = map[string]string{"en": "en-US", "de": "de-DE", "fr": "fr-FR"}

// speaks is what Twilio calls the language of a conversation, and the voice that speaks it.
func (o *Options) speaks(tag string) (language, voice string) {
	base := func(tag string) string { first, _, _ := strings.Cut(tag, "-"); return strings.ToLower(first) }
	if tag == "" || base(tag) == base(o.Language) {
		return cmp.Or(o.Language, "en-US"), o.Voice
	}
	for _, of := range slices.Sorted(maps.Keys(o.Voices)) {
		if base(of) == base(tag) {
			return of, o.Voices[of]
		}
	}
	if o.Language == "" {
		voice = o.Voice
	}
	return cmp.Or(names[tag], tag), voice
}

// Answer implements channels.Answerer, in TwiML.
func (v *Voice) Answer(r *channels.Request, t *channels.Turn) (channels.Response, error) {
	address, err := next(r)
	if err != nil {
		return channels.Response{}, err
	}
	language, voice := v.o.speaks(t.Language)
	var says []any
	for _, o := range t.Said {
		for _, part := range channels.Split(o.Text, longestSay) {
			says = append(says, say{Language: language, Voice: voice, Text: part})
		}
	}
	again := redirect{Method: "POST", URL: address}
	var out response
	switch {
	case t.Closed:
		out.Verbs = slices.Concat(says, []any{hangup{}})
	case t.Wait:
		out.Verbs = slices.Concat(says, []any{pause{Length: 1}, again})
	default: // a caller who says nothing is asked again
		out.Verbs = []any{
			gather{Input: "speech dtmf", Action: address, Method: "POST", Language: language, Silence: "auto", Says: says}, again,
		}
	}
	body, err := xml.Marshal(out)
	if err != nil {
		return channels.Response{}, err
	}
	return channels.Response{Type: "text/xml", Body: append([]byte(xml.Header), body...)}, nil
}

// next is the address of the request that follows.
func next(r *channels.Request) (string, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return "", err
	}
	q := u.Query()
	q.Set("turn", strconv.Itoa(turn(r)+1))
	u.RawQuery = q.Encode()
	return u.String(), nil
}
