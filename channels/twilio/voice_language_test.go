package twilio_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/channeltest"
	"github.com/fermata-go/fermata/channels/twilio"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// spoken is what a response says and in which language it listens, without the rest.
func spoken(twiml string) string {
	var out []string
	for part := range strings.SplitSeq(twiml, "<") {
		if said, ok := strings.CutPrefix(part, "Say "); ok {
			out = append(out, said)
		}
		if at := strings.Index(part, "language="); strings.HasPrefix(part, "Gather ") && at > 0 {
			out = append([]string{"hears " + strings.Fields(part[at:])[0]}, out...)
		}
		if strings.HasPrefix(part, "Hangup") {
			out = append(out, "hangs up")
		}
	}
	return strings.Join(out, "; ")
}

// TestACallIsHeldInTheLanguageOfItsConversation begins a call in the language of its number, and changes it in words.
func TestACallIsHeldInTheLanguageOfItsConversation(t *testing.T) {
	const path = "/channels/twilio-voice"
	for name, c := range map[string]struct {
		o                      twilio.Options
		begins, english, again string
	}{
		"of the number": {
			twilio.Options{Language: "de-AT", Voice: "Polly.Hannah"},
			`hears language="de-AT"; language="de-AT" voice="Polly.Hannah">Welcher Tag?`,
			`hears language="en-US"; language="en-US">All right, in English.; language="en-US">Which day?`,
			`hears language="de-AT"; language="de-AT" voice="Polly.Hannah">Gut, auf Deutsch.; language="de-AT" voice="Polly.Hannah">Welcher Tag?`,
		},
		"with a voice for each": {
			twilio.Options{Language: "de-DE", Voices: map[string]string{"en-GB": "Polly.Amy"}},
			`hears language="de-DE"; language="de-DE">Welcher Tag?`,
			`hears language="en-GB"; language="en-GB" voice="Polly.Amy">All right, in English.; language="en-GB" voice="Polly.Amy">Which day?`,
			`hears language="de-DE"; language="de-DE">Gut, auf Deutsch.; language="de-DE">Welcher Tag?`,
		},
		"of the dialogue": {
			twilio.Options{},
			`hears language="en-US"; language="en-US">Which day?`,
			`hears language="en-US"; language="en-US">All right, in English.; language="en-US">Which day?`,
			`hears language="de-DE"; language="de-DE">Gut, auf Deutsch.; language="de-DE">Welcher Tag?`,
		},
	} {
		c.o.AuthToken = token
		h := channeltest.Open(t, channeltest.Stores(t)["memory"](), channeltest.Visit(t), twilio.NewVoice(c.o))
		call(t, h, path, recording(t, "call.txt"))
		for turn, w := range []struct{ text, want string }{{"visit", c.begins}, {"English please", c.english}, {"Deutsch bitte", c.again}} {
			got := spoken(call(t, h, fmt.Sprintf("%s?turn=%d", path, turn+1), recording(t, "speech.txt", "SpeechResult", w.text)))
			if got != w.want {
				t.Errorf("%s, %q: found %s, expected %s", name, w.text, got, w.want)
			}
		}
	}
}

// TestTheEndOfACallIsInItsLanguage hangs up in the language that the caller has asked for.
func TestTheEndOfACallIsInItsLanguage(t *testing.T) {
	const path = "/channels/twilio-voice"
	services := &dialogue.Services{NLU: leaves{}, Handlers: map[dialogue.CommandType]dialogue.Handler{
		"bye": func(node.Context, dialogue.Command, *dialogue.State) (dialogue.Delta, error) {
			return dialogue.Delta{Close: true}, nil
		},
	}}
	h := channeltest.Open(t, channeltest.Stores(t)["memory"](), channeltest.Visit(t), twilio.NewVoice(twilio.Options{AuthToken: token}), channeltest.With(services))
	call(t, h, path, recording(t, "call.txt"))
	call(t, h, path+"?turn=1", recording(t, "speech.txt", "SpeechResult", "Deutsch bitte"))
	got := spoken(call(t, h, path+"?turn=2", recording(t, "speech.txt", "SpeechResult", "bye")))
	if !strings.HasPrefix(got, `language="de-DE">`) || !strings.HasSuffix(got, "hangs up") {
		t.Errorf("found %s", got)
	}
}

// leaves is an NLU that knows bye.
type leaves struct{}

func (leaves) Understand(_ node.Context, t *dialogue.Turn) ([]dialogue.Command, error) {
	return []dialogue.Command{{Type: dialogue.CommandType(t.Text)}}, nil
}

// TestLongTextsAreSpokenInParts says a text that Twilio would refuse as one.
func TestLongTextsAreSpokenInParts(t *testing.T) {
	v := twilio.NewVoice(twilio.Options{AuthToken: token})
	text := strings.Repeat("nine char ", 500)
	got, err := v.Answer(&channels.Request{URL: "https://bot.example.com/channels/twilio-voice"}, &channels.Turn{Said: []*channels.Outgoing{{Text: text}}})
	if err != nil {
		t.Fatal(err)
	}
	whole := ""
	for part := range strings.SplitSeq(string(got.Body), "<Say ") {
		_, said, found := strings.Cut(part, ">")
		if said, _, _ = strings.Cut(said, "<"); found && strings.HasPrefix(part, "language") {
			whole += said
			if len(said) > 4096 {
				t.Errorf("%d characters at once", len(said))
			}
		}
	}
	if whole != text {
		t.Errorf("%d characters are spoken, expected %d", len(whole), len(text))
	}
}
