package dialogue

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// reviewSaid draws what a user may have said.
func reviewSaid(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"Can I move money to Ada", "can i move money to ada?", "can i move mony to ada", "can i move moneey to ada", "can i move momey to ada", "move 50 to ada",
		"move 1,250.50 to Ada!", "yes", "yea", "???", "!!!", "überweise das geld", "überweise das gelt", "\x1b[31mred", strings.Repeat("long ", 100),
	}).Draw(t, "said")
}

// Every text is in one group, whatever the order in which conversations are read; equal ones are in the same.
func TestUtterancesAreGroupedAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Custom(reviewSaid), 1, 30).Draw(t, "texts")
		turns := make([]*ReviewTurn, len(texts))
		for i, text := range texts {
			turns[i] = &ReviewTurn{Conversation: "c", Turn: i + 1, Text: text, At: time.Unix(int64(i), 0), Marks: []Mark{MarkMiss}}
		}
		group := func() []ReviewUtterance {
			var all utterances
			for _, turn := range turns {
				all.add(turn)
			}
			return all.groups()
		}
		first, total := group(), 0
		for _, u := range first {
			if total += u.Count; u.Misses != u.Count || u.Clarified != 0 || u.Conversations != 1 {
				t.Errorf("%+v", u)
			}
		}
		if total != len(texts) {
			t.Errorf("%d texts are in groups, of %d", total, len(texts))
		}
		slices.Reverse(turns)
		if second := group(); !reflect.DeepEqual(first, second) {
			t.Errorf("in another order:\n%+v\n%+v", first, second)
		}
	})
}

func TestUtterancesThatAreNearlyEqual(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"Move money to Ada", "move   money, to ada!", true},
		{"move 50 to ada", "move 1,250.50 to ada", true},
		{"überweise 5 €", "Überweise 7", true},
		{"can i move money", "can i move mony", true},
		{"can i move mony", "can i move money", true},
		{"can i move money", "can i move momey", true},
		{"can i move money", "can i have money", false},
		{"yes", "yea", false},
		{"move it to ada", "move it two ada", true},
		{"???", "!!!", false},
		{"move 5 6 to ada", "move 5 to ada", false},
	} {
		var all utterances
		for _, text := range []string{test.a, test.b} {
			all.add(&ReviewTurn{Text: text, Marks: []Mark{MarkMiss}})
		}
		if same := len(all.groups()) == 1; same != test.same {
			t.Errorf("%q and %q are the same: %v", test.a, test.b, same)
		}
	}
}

// The message that a row names says the text of the row, also where others of the row are newer: it becomes a test.
func TestUtterancesNameAMessageWithTheirText(t *testing.T) {
	said := []string{"1030", "13", "1030", "25"}
	var all utterances
	for i, text := range said {
		all.add(&ReviewTurn{Conversation: "c", Turn: i + 1, Text: text, At: time.Unix(int64(i), 0), Marks: []Mark{MarkMiss}})
	}
	want := []ReviewUtterance{{
		Text: "1030", Others: []string{"13", "25"}, Count: 4, Conversations: 1, Misses: 4, Places: []Place{{}}, Conversation: "c", Turn: 3,
	}}
	if got := all.groups(); !reflect.DeepEqual(got, want) {
		t.Errorf("expected\n%+v, found\n%+v", want, got)
	}
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Custom(reviewSaid), 1, 30).Draw(t, "texts")
		var all utterances
		for i, text := range texts {
			all.add(&ReviewTurn{Conversation: "c", Turn: i + 1, Text: text, At: time.Unix(int64(i), 0), Marks: []Mark{MarkMiss}})
		}
		for _, u := range all.groups() {
			if found := texts[u.Turn-1]; found != u.Text {
				t.Errorf("the row %q names the message %q", u.Text, found)
			}
		}
	})
}
