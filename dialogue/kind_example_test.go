package dialogue

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// mailbox is a type of slots whose values are e-mail addresses.
const mailbox SlotType = "mailbox"

// mailboxKind is that type.
var mailboxKind = mailboxValues{plainKind{facts{
	name: mailbox, aliases: []string{"mbox"}, said: phrase.Text, document: map[string]any{"type": "string", "pattern": `^[^@ ]+@[^@ ]+$`},
	traits: traits{labelled: true},
}}}

type mailboxValues struct{ plainKind }

// spoken says what an address looks like.
func (k mailboxValues) spoken(s Slot) phrase.Slot {
	out := k.plainKind.spoken(s)
	out.Pattern = emailForm
	return out
}

var emailForm = regexp.MustCompile(`[^@\s]+@[^@\s]+`)

// withKind lists a type of slots, and its name in every language, until the test ends.
func withKind(t *testing.T, k kind, names map[string]string) {
	t.Helper()
	before := kinds
	kinds = append(slices.Clone(before), k)
	kindOf = byName(kinds)
	for _, l := range languages {
		texts := l.Texts
		l.Texts = maps.Clone(texts)
		l.Texts[typeKey(k.is().name)] = names[l.Tag]
		t.Cleanup(func() { l.Texts = texts })
	}
	t.Cleanup(func() { kinds, kindOf = before, byName(before) })
}

// TestAddingASlotType lists the type of the example, and does with it all that is done with types.
func TestAddingASlotType(t *testing.T) {
	def := Definition{Name: "letters", Flows: []Flow{{
		Name: "letter", Trigger: []string{"write to {address}", "write a letter"},
		Slots: []Slot{{Name: "address", Type: mailbox}, {Name: "copies", Type: List, Items: mailbox}},
		Steps: []Step{{ID: "to", Type: CollectStep, Slot: "address", Message: "To whom?"}, {ID: "cc", Type: CollectStep, Slot: "copies", Message: "Copies?"}},
	}}}
	if _, err := Compile(def, Options{}); err == nil || !strings.Contains(err.Error(), `"mailbox" is no type of slots`) {
		t.Fatalf("before the type is listed: %v", err)
	}
	withKind(t, mailboxKind, map[string]string{"en": "an e-mail address", "de": "eine E-Mail-Adresse"})
	d, err := Compile(def, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(SlotTypes(), mailbox) {
		t.Error("it is not among the types")
	}
	if !strings.Contains(string(Schema()), `"holiday", "mailbox"]`) || !strings.Contains(string(Schema()), `"fraction", "time_zone", "mailbox"]`) {
		t.Error("editors do not know it")
	}
	sl, now := d.flows["letter"].slots["address"], time.Time{}
	for said, want := range map[string]string{
		"ada@example.com":               "ada@example.com",
		"my address is ada@example.com": "ada@example.com",
		"ada":                           `“ada” does not have the expected form.`,
	} {
		v, err := d.read(sl, said, now)
		if err != nil {
			v = err.Error()
		}
		if v != want {
			t.Errorf("%q is %v, want %s", said, v, want)
		}
	}
	if _, err := d.read(sl, 5, now); err == nil || err.Error() != "5 is not an e-mail address." {
		t.Errorf("a number: %v", err)
	}
	commands, err := d.phrases.understand(&Turn{Dialogue: d, Now: now, Text: "write to ada@example.com"})
	want := []Command{{Type: StartFlow, Flow: "letter", Confidence: 1}, {Type: SetSlot, Slot: "address", Value: "ada@example.com", Confidence: 1}}
	for i := range commands {
		commands[i].Confidence = 1
	}
	if diff := cmp.Diff(want, commands); diff != "" || err != nil {
		t.Error(err, diff)
	}
	def.Flows[0].Slots[0].Type = "mbox"
	if _, err := Compile(def, Options{}); err == nil || !strings.Contains(err.Error(), `did you mean "mailbox"?`) {
		t.Errorf("another name of the type: %v", err)
	}
	if list := d.flows["letter"].slots["copies"]; d.shownIn(showing{}, list, []any{"a@b", "c@d"}) != "a@b and c@d" {
		t.Errorf("a list is shown as %s", d.shownIn(showing{}, list, []any{"a@b", "c@d"}))
	}
}
