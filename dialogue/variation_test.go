package dialogue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/memory"
)

// tables is a dialogue whose messages have several texts, in English and in German.
func tables(t *testing.T) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Parse([]byte(`
kind: Dialogue
settings: {translations: {de: de.yaml}}
flows:
  table:
    trigger: [book a table]
    slots: {people: integer}
    steps:
      - {id: many, type: collect, slot: people, message: [For how many?, How many?, {text: Number?, channel: sms}]}
      - {id: ok, type: confirm, message: ["Book for {{ people }}?", "A table for {{ people }}?"]}
      - {id: done, type: say, message: [Booked., {text: OK, channel: sms}]}
patterns: {completed: "", cannot_handle: [Pardon?, What?]}
`), "tables.yaml", dialogue.Options{Files: fstest.MapFS{"de.yaml": {Data: []byte(`
kind: Translation
language: de
flows:
  table:
    trigger: [einen Tisch]
    steps:
      many: {message: Für wie viele?}
      ok: {message: ["Für {{ people }} reservieren?", "Ein Tisch für {{ people }}?", {text: "Ein großer Tisch für {{ people }}?", when: people > 8}]}
      done: {message: Reserviert.}
patterns: {cannot_handle: [Bitte?, Wie bitte?, Wie?]}
`)}}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestN10_AConversationKeepsItsTexts begins many conversations: they do not all have the same text, and each repeats the
// one it has, in another process, too. A yes counts for the text that was shown.
func TestN10_AConversationKeepsItsTexts(t *testing.T) {
	store, d := memory.New(), tables(t)
	seen := make(map[string]int)
	first, second := talks(t, store, d, dialogue.ConversationOptions{}), talks(t, store, d, dialogue.ConversationOptions{})
	for i := range 20 {
		id := fmt.Sprint("c", i)
		asked := said(t, first, id, "", "book a table")
		confirm := said(t, first, id, "", "4")
		again := said(t, second, id, "", "xyzzy plugh")
		if again[len(again)-1] != confirm[0] {
			t.Errorf("%s: the question %q was repeated as %q", id, confirm[0], again[len(again)-1])
		}
		done := said(t, first, id, "", "yes")
		if diff := cmp.Diff([]string{"Booked."}, done); diff != "" {
			t.Errorf("%s: after a yes (-want +got):\n%s", id, diff)
		}
		seen[asked[0]]++
		seen[confirm[0]]++
	}
	for _, text := range []string{"For how many?", "How many?", "Book for 4?", "A table for 4?"} {
		if seen[text] == 0 {
			t.Errorf("no conversation said %q: %v", text, seen)
		}
	}
}

// TestN10_ATextForAChannel says texts that are for the channel of the last message.
func TestN10_ATextForAChannel(t *testing.T) {
	c := talks(t, memory.New(), tables(t), dialogue.ConversationOptions{})
	if diff := cmp.Diff([]string{"Number?"}, said(t, c, "a", "sms", "book a table")); diff != "" {
		t.Errorf("by SMS (-want +got):\n%s", diff)
	}
	if asked := said(t, c, "a", "web", "xyzzy plugh"); !slices.Contains([]string{"For how many?", "How many?"}, asked[1]) {
		t.Errorf("on the web: %q", asked)
	}
	said(t, c, "a", "sms", "4")
	if diff := cmp.Diff([]string{"OK"}, said(t, c, "a", "sms", "yes")); diff != "" {
		t.Errorf("by SMS (-want +got):\n%s", diff)
	}
}

// TestTranslationsHaveTextsOfTheirOwn checks that a translation may have another number of texts, with conditions.
func TestTranslationsHaveTextsOfTheirOwn(t *testing.T) {
	c := talks(t, memory.New(), tables(t), dialogue.ConversationOptions{})
	if _, _, err := c.OpenIn(t.Context(), "de", "a", nil); err != nil {
		t.Fatal(err)
	}
	got := slices.Concat(said(t, c, "a", "", "einen Tisch"), said(t, c, "a", "", "9"), said(t, c, "a", "", "ja"))
	want := []string{"Für wie viele?", "Ein großer Tisch für 9?", "Reserviert."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in German (-want +got):\n%s", diff)
	}
}

// said is what a conversation answers to a message, which comes by a channel.
func said(t *testing.T, c *dialogue.Conversations, id, channel, text string) []string {
	t.Helper()
	if _, _, err := c.Open(t.Context(), id, nil); err != nil {
		t.Fatal(err)
	}
	r, err := c.Send(t.Context(), id, dialogue.Message{Text: text, Channel: channel})
	if err != nil {
		t.Fatalf("%s: %v", strings.TrimSpace(text), err)
	}
	return r.Texts()
}
