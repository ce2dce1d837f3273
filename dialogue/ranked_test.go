package dialogue

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/node"
)

// agency is a dialogue whose triggers take any words.
const agency = `
kind: Dialogue
metadata: {name: agency}
settings: {language: %s}
flows:
  send:
    description: send money
    trigger: %s
    slots: {amount: money, recipient: text}
    steps: [{id: who, type: collect, slot: recipient, message: "?"}, {id: much, type: collect, slot: amount, message: "?"}]
  explain:
    description: look up what a thing is
    trigger: %s
    slots: {thing: text, place: text}
    steps: [{id: what, type: collect, slot: thing, message: "?"}]
`

func newAgency(t *testing.T, language, send, explain string) *Dialogue {
	t.Helper()
	d, err := Parse(fmt.Appendf(nil, agency, language, send, explain), "agency.yaml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestFreeWordsAreNoTrigger says everyday things to a dialogue whose triggers take any words, "send {amount} to {recipient}" and "what is {thing} in
// {place}": what a placeholder takes says nothing about what is wanted, so none of them begins a flow. What has the words of a trigger does.
func TestFreeWordsAreNoTrigger(t *testing.T) {
	for language, of := range map[string]struct{ send, explain, says, foreign string }{
		"en": {
			`["send {amount} to {recipient}", "transfer money to {recipient}"]`, `["what is the {thing} in {place}", "explain {thing}"]`,
			"send 5 euros to Ada|transfer money to my brother|explain gravity",
			"how do I get rid of an itchy rash|why do we dream|it rains in my street to this day|what were my last ten charges|is there a doctor in the house|to whom it may concern",
		},
		"de": {
			`["überweise {amount} an {recipient}", "schicke Geld an {recipient}"]`, `["was ist der {thing} in {place}", "erkläre {thing}"]`,
			"überweise 5 Euro an Ada|schicke Geld an meinen Bruder|erkläre die Schwerkraft",
			"warum träumen wir|wie werde ich einen Schnupfen los|es regnet in meiner Straße|an wen kann ich mich wenden|ist ein Arzt in der Nähe",
		},
		"fr": {
			`["envoie {amount} à {recipient}", "transférer de l'argent à {recipient}"]`, `["quel est le {thing} dans {place}", "explique {thing}"]`,
			"envoie 5 euros à Ada|transférer de l'argent à mon frère|explique la gravité",
			"pourquoi rêvons-nous|comment soigner un rhume|il pleut dans ma rue|à qui dois-je parler|y a-t-il un médecin dans la salle",
		},
	} {
		d := newAgency(t, language, of.send, of.explain)
		begins := func(text string) string {
			all, err := NewPhraseNLU().Understand(node.Context{}, &Turn{Dialogue: d, Now: time.Unix(0, 0), Text: text})
			if err != nil {
				t.Fatal(err)
			}
			return begunBy(all)
		}
		for text := range strings.SplitSeq(of.says, "|") {
			if begins(text) == "" {
				t.Errorf("%s: %q begins nothing", language, text)
			}
		}
		for _, text := range append(strings.Split(of.foreign, "|"), d.language.OffTopic()...) {
			if flow := begins(text); flow != "" {
				t.Errorf("%s: %q begins %s", language, text, flow)
			}
		}
	}
}

// TestATriggerThatIsNotQuiteSaidIsChecked says what one trigger is like and another flow is nearer to: the user is asked which is meant. What no flow is near to
// is asked about, too. Without the ranker, the trigger counts.
func TestATriggerThatIsNotQuiteSaidIsChecked(t *testing.T) {
	const bank = `
kind: Dialogue
metadata: {name: bank}
settings: {language: en, ranker: %s}
flows:
  verify:
    description: verify your identity
    trigger: [verify my identity, do I have to verify my identity, prove who I am]
    steps: [{type: say, message: x}]
  reason:
    description: learn why your identity is verified
    trigger: [why is my identity checked, why does the bank want to know who I am, what is the reason for the identity check]
    steps: [{type: say, message: x}]
`
	for _, tt := range []struct{ ranker, text, want string }{
		{"on", "why does the bank verify my identity", "verify or reason"},
		{"off", "why does the bank verify my identity", "begins verify"},
		{"on", "do I really have to verify my identity", "begins verify"},
		{"on", "verify my identity", "begins verify"},
	} {
		d, err := Parse(fmt.Appendf(nil, bank, tt.ranker), "bank.yaml", Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := NewPhraseNLU().Understand(node.Context{}, &Turn{Dialogue: d, Now: time.Unix(0, 0), Text: tt.text})
		if err != nil {
			t.Fatal(err)
		}
		got := "nothing"
		if len(all) > 0 {
			if got = strings.Join(all[0].Options, " or "); all[0].Type == StartFlow {
				got = "begins " + all[0].Flow
			}
		}
		if got != tt.want {
			t.Errorf("ranker %s: %q: %s, want %s", tt.ranker, tt.text, got, tt.want)
		}
	}
}
