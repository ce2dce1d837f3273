package channels_test

import (
	"testing"

	"github.com/fermata-go/fermata/channels/channeltest"
)

// TestALanguageThatWasAskedForOutlastsTheConversation has a user ask for German, and the provider insist on English. The suites of the
// channels show the rest.
func TestALanguageThatWasAskedForOutlastsTheConversation(t *testing.T) {
	_, services := closing(t)
	p := &channeltest.Provider{}
	store := channeltest.Stores(t)["memory"]()
	h := channeltest.Open(t, store, channeltest.Visit(t), newDesk(t, p), channeltest.With(services))
	said := 0
	says := func(id, text string, more int) string {
		t.Helper()
		h.Post(deskSaysIn(id, text, "en"))
		said += more
		return p.UntilCount(t, said)[said-1].Text
	}
	english := says("1", "bye", 1)
	says("2", "Deutsch bitte", 1)
	german := says("3", "bye", 1)
	if english == german {
		t.Fatalf("the conversations end with %q and %q, expected two languages", english, german)
	}
	if got := says("4", "bye", 1); got != german {
		t.Errorf("the next conversation ends with %q, expected %q", got, german)
	}
}
