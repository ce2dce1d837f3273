package dialogue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
)

const labelled = `kind: Dialogue
metadata: {name: shop}
context: {customer: text, branch: {type: text, optional: true}, pin: {type: text, private: true, optional: true}}
labels:
  customer: "{{ customer }}"
  branch: "{{ branch ?? '' }}"
  kind: order
flows: {order: {trigger: [order a book], steps: [{id: done, type: say, message: Ordered.}]}}
`

// TestJ13_AConversationIsFoundByItsLabels begins conversations: each is found by what it was begun with, also in another language and
// with the dialogue that is restored. A text that turns out empty is no label.
func TestJ13_AConversationIsFoundByItsLabels(t *testing.T) {
	d, err := dialogue.Parse([]byte(labelled), "shop.yaml", dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := dialogue.Restore(d.Source(), dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt := fermata.MustNew(fermata.Options{Store: memory.New()})
	t.Cleanup(func() { _ = rt.Close() })
	open(t, dialogue.NewConversations(rt, d, dialogue.ConversationOptions{}), "c1", map[string]any{"customer": "Ada", "branch": "Berlin"})
	open(t, dialogue.NewConversations(rt, again, dialogue.ConversationOptions{}), "c2", map[string]any{"customer": "Ada"})
	open(t, dialogue.NewConversations(rt, d, dialogue.ConversationOptions{}), "c3", map[string]any{"customer": "Bo"})
	found := make(map[string]map[string]string)
	page, err := rt.FindRuns(t.Context(), journal.RunQuery{Labels: map[string]string{"customer": "Ada", "kind": "order"}, Limit: 10})
	for _, run := range page.Runs {
		found[run.ID] = run.Labels
	}
	if diff := cmp.Diff(map[string]map[string]string{
		"c1": {"customer": "Ada", "branch": "Berlin", "kind": "order"}, "c2": {"customer": "Ada", "kind": "order"},
	}, found); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A context that makes a label that cannot be one begins no conversation.
func TestJ13_AConversationWithAWrongLabelDoesNotBegin(t *testing.T) {
	d, err := dialogue.Parse([]byte(labelled), "shop.yaml", dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	for customer, want := range map[string]string{strings.Repeat("a", 256): "labels.customer: label customer: the value has 256 bytes", "a\x00b": "has a NUL"} {
		if _, _, err := c.Open(t.Context(), "c", map[string]any{"customer": customer}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.10q: %v; expected %s", customer, err, want)
		}
	}
}

// Labels are clear in every list of runs, so they read nothing private, and they have the form of law J13.
func TestJ13_LabelsOfADialogueAreChecked(t *testing.T) {
	many := ""
	for i := range 17 {
		many += fmt.Sprintf("  k%d: x\n", i)
	}
	for labels, want := range map[string]string{
		`  customer: "{{ pin ?? '' }}"`:       `shop.yaml:5:13: "pin" is private, and lists of runs show labels`,
		`  customer: "{{ custmer }}"`:         `did you mean "customer"?`,
		`  customer: "{{ branch }}"`:          `may be missing`,
		`  Customer: "{{ customer }}"`:        `label "Customer": expected 1 to 63 letters`,
		`  fermata.customer: "{{ customer}}"`: `keys that begin with fermata. are the engine's`,
		many:                                  "a conversation has 17 labels; expected 16 at most",
	} {
		text := strings.Replace(labelled, `  customer: "{{ customer }}"
  branch: "{{ branch ?? '' }}"
  kind: order
`, strings.TrimSuffix(labels, "\n")+"\n", 1)
		if _, err := dialogue.Parse([]byte(text), "shop.yaml", dialogue.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v; expected %s", labels, err, want)
		}
	}
}
