package dialogue_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/memory"
)

const orderFile = `
kind: Dialogue
metadata: {name: pizza}
settings: {greeting: "Hello!", translations: {de: pizza.de.yaml, fr: pizza.fr.yaml}}
flows:
  order:
    description: order a pizza
    trigger: ["order [a] {size} pizza", "a pizza"]
    slots:
      size: {type: choice, description: size, choices: [small, {value: large, synonyms: [big]}]}
      number: {type: integer, description: number, validate: "number < 10", error: "At most nine."}
    steps:
      - {id: size, type: collect, slot: size, message: "Which size?", options: [small, large]}
      - {id: number, type: collect, slot: number, message: "How many?"}
      - {id: ok, type: confirm, message: "{{ number }} {{ size }}?", on_deny: end}
      - {id: free, type: branch, cases: [{when: "size == 'large'", next: big}], default: done}
      - {id: big, type: inform, message: "That is big."}
      - {id: done, type: inform, message: "Done."}
    patterns: {cancel: "No pizza, then."}
chitchat: [{trigger: [tell me a joke], message: "Ha."}]
`

const orderGerman = `
kind: Translation
language: de
settings: {greeting: "Guten Tag!"}
flows:
  order:
    description: eine Pizza bestellen
    trigger: ["[ich möchte] [eine] {size} Pizza [bestellen]", "eine Pizza"]
    slots:
      size: {description: Größe, choices: {small: {label: klein, synonyms: [kleine]}, large: {label: groß, synonyms: [große]}}}
      number: {description: Anzahl, error: "Höchstens neun."}
    steps:
      size: {message: "Welche Größe?", options: [klein, groß]}
      number: {message: "Wie viele?"}
      ok: {message: "{{ number }} mal {{ size }}?"}
      big: {message: "Das ist groß."}
      done: {message: "Fertig."}
    patterns: {cancel: "Dann keine Pizza."}
chitchat: [{trigger: [erzähl einen Witz], message: "Haha."}]
`

// orderFrench is the translation in which nothing but the words differs.
var orderFrench = strings.NewReplacer("language: de", "language: fr", "Guten Tag!", "Bonjour !", "ich möchte", "je voudrais", "eine Pizza bestellen", "commander une pizza",
	"[eine] {size} Pizza [bestellen]", "[commander] une {size} pizza", `"eine Pizza"`, `"une pizza"`, "label: klein, synonyms: [kleine]", "label: petite, synonyms: [petit]",
	"label: groß, synonyms: [große]", "label: grande, synonyms: [grand]", "Höchstens neun.", "Neuf au plus.", "Welche Größe?", "Quelle taille ?", "[klein, groß]", "[petite, grande]",
	"Wie viele?", "Combien ?", " mal ", " fois ", "Das ist groß.", "C'est grand.", "Fertig.", "C'est fait.", "Dann keine Pizza.", "Pas de pizza, alors.", "erzähl einen Witz", "une blague").Replace(orderGerman)

func pizza(t testing.TB, german string) (*dialogue.Dialogue, error) {
	t.Helper()
	return dialogue.Parse([]byte(orderFile), "pizza.yaml", dialogue.Options{
		Files: fstest.MapFS{"pizza.de.yaml": {Data: []byte(german)}, "pizza.fr.yaml": {Data: []byte(orderFrench)}},
	})
}

// TestADialogueInSeveralLanguages holds one conversation in three languages: the words differ, what is done does not.
func TestADialogueInSeveralLanguages(t *testing.T) {
	d, err := pizza(t, orderGerman)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Languages(); !cmp.Equal(got, []string{"en", "de", "fr"}) {
		t.Errorf("the languages are %q", got)
	}
	for _, tt := range []struct {
		tag  string
		said []string
		want string
	}{
		{"", []string{"order a big pizza", "12", "two", "yes"}, "How many?|At most nine.|How many?|2 large?|That is big.|Done.|Is there anything else?"},
		{"de-AT", []string{"Ich möchte eine große Pizza bestellen", "zwölf", "zwei", "ja"}, "Wie viele?|Höchstens neun.|Wie viele?|2 mal groß?|Das ist groß.|Fertig.|Kann ich sonst noch etwas für Sie tun?"},
		{"it, fr;q=0.9, en;q=0.5", []string{"je voudrais une grande pizza", "douze", "deux", "oui"}, "Combien ?|Neuf au plus.|Combien ?|2 fois grande?|C'est grand.|C'est fait.|Puis-je faire autre chose pour vous ?"},
		{"it, en, de", []string{"order a big pizza"}, "How many?"},
		{"!", []string{"order a big pizza"}, "How many?"},
	} {
		c := talks(t, memory.New(), d, dialogue.ConversationOptions{})
		opened, _, err := c.OpenIn(t.Context(), tt.tag, "c1", nil)
		if err != nil {
			t.Fatal(err)
		}
		greeting := map[string]string{"de-AT": "Guten Tag!", "it, fr;q=0.9, en;q=0.5": "Bonjour !"}[tt.tag]
		if got := opened.Texts(); len(got) == 0 || got[0] != greeting && (greeting != "" || got[0] != "Hello!") {
			t.Errorf("%s: the greeting is %q", tt.tag, got)
		}
		var got []string
		for _, text := range tt.said {
			r, err := c.Send(t.Context(), "c1", dialogue.Message{Text: text})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r.Texts()...)
		}
		if diff := cmp.Diff(strings.Split(tt.want, "|"), got); diff != "" {
			t.Errorf("%s:\n%s", tt.tag, diff)
		}
	}
}

// TestALanguageIsKept goes on with conversations in another process, from what the store holds, and with a later version of
// the dialogue.
func TestALanguageIsKept(t *testing.T) {
	d, err := pizza(t, orderGerman)
	if err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	c := talks(t, store, d, dialogue.ConversationOptions{})
	if _, _, err := c.OpenIn(t.Context(), "de", "c1", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), "c1", dialogue.Message{Text: "eine Pizza"}); err != nil {
		t.Fatal(err)
	}
	later, err := pizza(t, strings.ReplaceAll(orderGerman, "Wie viele?", "Wie viele sollen es sein?"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := talks(t, store, later, dialogue.ConversationOptions{}).Send(t.Context(), "c1", dialogue.Message{Text: "groß"})
	if got := fmt.Sprint(r.Texts()); err != nil || got != "[Wie viele sollen es sein?]" {
		t.Errorf("the next version says %s, %v", got, err)
	}
	for _, tag := range d.Languages() {
		restored, err := dialogue.Restore(d.In(tag).Source(), dialogue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if restored.Digest() != d.In(tag).Digest() || restored.Settings().Language != tag {
			t.Errorf("%s: restored is %s in %s, want %s", tag, restored.Digest(), restored.Settings().Language, d.In(tag).Digest())
		}
	}
}

// TestTranslationErrors shows what is said of texts that are absent, and of names that the dialogue does not have.
func TestTranslationErrors(t *testing.T) {
	for name, tt := range map[string]struct{ from, to, want string }{
		"a message is missing": {
			"big: {message: \"Das ist groß.\"}", "big: {}", `pizza.de.yaml:16:12: "flows.order.steps.big.message" is missing; the dialogue says "That is big.", and this translation nothing`,
		},
		"a choice is missing":       {", large: {label: groß, synonyms: [große]}", "", `"flows.order.slots.size.choices.large" is missing`},
		"a step is misspelt":        {"done: {message", "dome: {message", `pizza.de.yaml:17:7: the dialogue has no step "dome"; did you mean "done"?`},
		"a flow is another":         {"  order:", "  ordr:", `the dialogue has no flow "ordr"; did you mean "order"?`},
		"an expression is wrong":    {"{{ number }} mal", "{{ number + }} mal", "pizza.de.yaml:15:"},
		"a trigger is wrong":        {`"[ich möchte] [eine] {size}`, `"[ich möchte [eine] {size}`, "pizza.de.yaml:8:"},
		"a key is another":          {"big: {message", "big: {next", `pizza.de.yaml:16:13: unknown key "next"`},
		"the language is another":   {"language: de", "language: nl", `pizza.de.yaml:3:11: language is "nl"; the dialogue names this file for "de"`},
		"the kind is another":       {"kind: Translation", "kind: Dialogue", `kind is "Dialogue"; expected Translation`},
		"a pattern is one too many": {`patterns: {cancel: "Dann keine Pizza."`, `patterns: {cancel: "x", close: "y"`, `the dialogue has no message for the pattern "close"`},
	} {
		changed := strings.Replace(orderGerman, tt.from, tt.to, 1)
		if changed == orderGerman {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := pizza(t, changed); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %s", name, err, tt.want)
		}
	}
	if _, err := dialogue.Parse([]byte(orderFile), "pizza.yaml", dialogue.Options{}); err == nil || !strings.Contains(err.Error(), "translations are read from files") {
		t.Errorf("without files: %v", err)
	}
	if _, err := dialogue.Parse([]byte(orderFile), "pizza.yaml", dialogue.Options{Files: fstest.MapFS{}}); err == nil || !strings.Contains(err.Error(), "pizza.yaml:4:51: the translation cannot be read") {
		t.Errorf("with no such file: %v", err)
	}
}
