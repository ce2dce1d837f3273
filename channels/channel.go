package channels

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Channel is a provider through which users write: it reads their messages and sends the answers. A [Driver] does
// everything else: bounds, storage, order, repeats and retries. Its methods may be called from several goroutines.
type Channel interface {
	// Name is the last element of the path that the provider calls, and begins the ids of conversations: "slack". It
	// never changes, since stored conversations are found by it.
	Name() string
	// Receive checks that the provider sent a request, and reads its messages. It does nothing else: the same request may
	// come again. An error is ErrForged or ErrMalformed, or is wrapped around one of them.
	Receive(r *Request) (Received, error)
	// Buttons reports whether the channel shows these choices as buttons. If not, they are numbered lines of the text,
	// and a number that the user sends back is read as the choice.
	Buttons(choices []string) bool
	// Send sends one message to a user. An error is a *SendError where the provider said why; any other error counts as
	// transient, and Unknown. The same message may be sent again, with the same Key, after a crash.
	Send(ctx context.Context, o *Outgoing) error
}

// Answerer is a channel whose answers are the response to a request, as in a phone call. Its Send is not called.
type Answerer interface {
	Channel
	// Answer makes the response that tells the user all that was said since the last response.
	Answer(r *Request, t *Turn) (Response, error)
}

// Turn is what an Answerer tells the user in one response.
type Turn struct {
	Said     []*Outgoing // in order
	Wait     bool        // the conversation is still at work: the provider has to ask again
	Closed   bool        // the conversation is over
	Language string      // of the conversation: a tag of the dialogue, "de"
}

// Localizer is a channel that has to ask the provider for the language of a user.
type Localizer interface {
	Channel
	// Language returns the language of the user of a message, as Message.Language. It is called before a conversation of a
	// dialogue in several languages begins. An error is logged, and the conversation begins in the dialogue's own language.
	Language(ctx context.Context, m *Message) (string, error)
}

// Request is a request of a provider.
type Request struct {
	Method string
	URL    string // the whole address that the provider called, as it signs it: "https://bot.example.com/channels/twilio?x=1"
	Query  url.Values
	Header http.Header
	Body   []byte    // as it came, for the signature
	Now    time.Time // for signatures that expire
}

// Received is the content of a request.
type Received struct {
	Messages []Message // in order; none for receipts and the like
	Response Response  // to the provider, once all messages are stored; an Answerer makes its own where there are messages
}

// Message is what a user said.
type Message struct {
	// User identifies the user at the provider, and with it the conversation: "T012-D345".
	User string `json:"user"`
	// ID is the provider's id of the message. A message with an ID that the user's mailbox knows has no effect.
	ID string `json:"id"`
	// Text is what the user wrote, said or pressed. A file or place is told in words: "[image: invoice.pdf]". A message
	// without Text begins a conversation and says nothing in it.
	Text string `json:"text,omitempty"`
	// Question is the one that a pressed button answers, see ReadPayload; "" for what was typed or said.
	Question string `json:"question,omitempty"`
	// Language is the user's, as the provider says: a tag ("de-AT"), or several as in the header Accept-Language. It counts
	// where the dialogue has it, until the user asks for another one. Defaults to unknown.
	Language string `json:"language,omitempty"`
	// Gone says that the user has left, as at the end of a call: nothing more is sent, and the next message begins
	// another conversation.
	Gone bool `json:"gone,omitempty"`
	// Address is where answers go, for the channel alone. The one of the latest message counts.
	Address json.RawMessage `json:"address,omitempty"`
}

// Outgoing is a message to a user.
type Outgoing struct {
	Key      string          // identifies the message; it is the same when it is sent again
	User     string          // as the channel named them
	Address  json.RawMessage // of the user's latest message
	Text     string          // as a program wrote it: the channel escapes its markup
	Choices  []string        // to show as buttons; nil where Buttons refuses them
	Question string          // that the choices answer, see Payload; "" for none
	Agent    bool            // a person wrote it, who has taken over

	sent int // how many parts of Text the provider has taken, see Parts
}

// Parts calls send with Text in parts of at most so many UTF-16 units, as Split cuts it. After a failure it begins with the
// part that failed when the same message is sent again, so that users read no part twice.
func (o *Outgoing) Parts(most int, send func(part string, last bool) error) error {
	for parts := Split(o.Text, most); o.sent < len(parts); o.sent++ {
		if err := send(parts[o.sent], o.sent == len(parts)-1); err != nil {
			return err
		}
	}
	return nil
}

// Payload is what the button of a choice holds. ReadPayload reads it when the button is pressed.
func (o *Outgoing) Payload(choice string) string {
	if o.Question == "" {
		return choice
	}
	return o.Question + " " + choice
}

var asking = regexp.MustCompile(`^(q_[0-9a-f]{16}) (?s:(.+))$`)

// ReadPayload reads the payload of a button: the question, for Message.Question, and the choice. A button that
// stays visible can be pressed when another question stands by then; the conversation asks that one again.
func ReadPayload(payload string) (question, choice string) {
	if m := asking.FindStringSubmatch(payload); m != nil {
		return m[1], m[2]
	}
	return "", payload
}

// ReadAddress reads the address of a message; an error is a permanent *SendError.
func (o *Outgoing) ReadAddress(v any) error {
	if err := json.Unmarshal(o.Address, v); err != nil {
		return &SendError{Reason: "the address of the user cannot be read", Permanent: true}
	}
	return nil
}

// Response is what a provider gets. The zero value is 200 without a body.
type Response struct {
	Status int // defaults to 200
	Type   string
	Body   []byte
}

// Errors of requests.
var (
	// ErrForged says that a request has no valid signature, or an old one. Its response is 401.
	ErrForged = errors.New("the request was not signed by the provider")
	// ErrMalformed says that a signed request cannot be read. Its response is 400.
	ErrMalformed = errors.New("the request is not what the provider sends")
)

// SendError is why a provider did not take a message.
type SendError struct {
	Reason     string        // without secrets: "status 429", "channel_not_found"
	Permanent  bool          // the same message would be refused again
	Unknown    bool          // the provider may have taken the message nevertheless
	RetryAfter time.Duration // the provider asked to wait this long; 0 for no wish
}

func (e *SendError) Error() string {
	if e.Permanent {
		return "refused: " + e.Reason
	}
	return "failed: " + e.Reason
}

// ReadJSON reads the body of a request; an error is ErrMalformed. It says where the body is wrong and shows none of it, since
// errors are logged.
func (r *Request) ReadJSON(v any) error {
	err := json.Unmarshal(r.Body, v)
	if err == nil {
		return nil
	}
	if at, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		kind, _, _ := strings.Cut(at.Value, " ") // a number follows
		return fmt.Errorf("%w: found a JSON %s in %s", ErrMalformed, kind, cmp.Or(at.Field, "the place of the whole"))
	}
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("%w: expected JSON, which ends at byte %d", ErrMalformed, at.Offset)
	}
	return fmt.Errorf("%w: expected JSON", ErrMalformed)
}

// ReadForm reads a body of form values; an error is ErrMalformed.
func (r *Request) ReadForm() (url.Values, error) {
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return nil, fmt.Errorf("%w: expected form values", ErrMalformed) // the cause shows some of them
	}
	return form, nil
}

// Location describes a place, as the Text of a message. Names that are empty are left out. An example is
// "[location: Town Hall, Main Street 1 48.1,11.5]".
func Location(latitude, longitude float64, names ...string) string {
	degrees := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	at := degrees(latitude) + "," + degrees(longitude)
	if where := strings.Join(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" }), ", "); where != "" {
		at = where + " " + at
	}
	return "[location: " + at + "]"
}

// Text is a response of plain text.
func Text(text string) Response {
	return Response{Type: "text/plain; charset=utf-8", Body: []byte(text)}
}
