package twilio

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/channels"
)

// SMS is the text messages of a number. NewSMS makes one.
type SMS struct{ o Options }

// NewSMS makes the channel "twilio-sms".
func NewSMS(o Options) *SMS {
	o.fill()
	return &SMS{o}
}

// Name implements channels.Channel.
func (*SMS) Name() string { return "twilio-sms" }

// noAnswer is the response to a message: the answer is sent by itself.
var noAnswer = channels.Response{Type: "text/xml", Body: []byte("<Response/>")}

// mostMedia bounds how many files of a message are told.
const mostMedia = 10

// Receive implements channels.Channel.
func (s *SMS) Receive(r *channels.Request) (got channels.Received, err error) {
	form, err := s.o.read(r)
	if err != nil {
		return got, err
	}
	got.Response = noAnswer
	said := []string{form.Get("Body")}
	n, _ := strconv.Atoi(form.Get("NumMedia"))
	for i := range min(max(n, 0), mostMedia) {
		said = append(said, "["+kindOf(form.Get(fmt.Sprint("MediaContentType", i)))+"]")
	}
	if latitude, err := strconv.ParseFloat(form.Get("Latitude"), 64); err == nil {
		longitude, _ := strconv.ParseFloat(form.Get("Longitude"), 64) // comes with the other
		said = append(said, channels.Location(latitude, longitude, form.Get("Address")))
	}
	text := strings.TrimSpace(texts(said...))
	if form.Get("MessageSid") == "" || form.Get("From") == "" || text == "" {
		return got, nil // the status of an answer
	}
	got.Messages = []channels.Message{{User: form.Get("From"), ID: form.Get("MessageSid"), Text: text}}
	return got, nil
}

// kindOf is a type of media in words: "image" of "image/jpeg".
func kindOf(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	switch kind {
	case "image", "video", "audio":
		return kind
	}
	return "file"
}

// Buttons implements channels.Channel: SMS has none.
func (*SMS) Buttons([]string) bool { return false }

// longestSMS is how much Twilio takes at once.
const longestSMS = 1600

// Send implements channels.Channel. A long text takes several messages.
func (s *SMS) Send(ctx context.Context, o *channels.Outgoing) error {
	return o.Parts(longestSMS, func(part string, _ bool) error {
		form := url.Values{"To": {o.User}, "Body": {part}}
		if strings.HasPrefix(s.o.From, "MG") {
			form.Set("MessagingServiceSid", s.o.From)
		} else {
			form.Set("From", s.o.From)
		}
		address := s.o.API + "/2010-04-01/Accounts/" + url.PathEscape(s.o.AccountSID) + "/Messages.json"
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(s.o.AccountSID, s.o.AuthToken)
		_, err = channels.Post(ctx, s.o.Client, r)
		return err
	})
}
