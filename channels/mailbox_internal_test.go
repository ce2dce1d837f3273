package channels

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestACursorBelongsToItsConversation has a late worker record what it sent, and the end, of a conversation that another
// one has followed.
func TestACursorBelongsToItsConversation(t *testing.T) {
	var m mailbox
	for _, c := range []change{
		{Channel: "desk", User: "ada", In: &Message{ID: "1"}},
		{Took: "1"},
		{Took: "1"}, // recorded twice
		{Sent: 9},
		{Over: true},
		{In: &Message{ID: "2"}, Next: true},
		{Sent: 12},
		{Over: true},
		{Sent: 3, Round: 1},
		{Sent: 2, Round: 1},
	} {
		m.apply(&c)
	}
	want := mailbox{Channel: "desk", User: "ada", Round: 1, Sent: 3, Waiting: []Message{{ID: "2"}}, Heard: []string{digest("1"), digest("2")}}
	if diff := cmp.Diff(want, m); diff != "" || m.conversation() != "desk:ada:1" {
		t.Error(m.conversation(), diff)
	}
}

// TestACheckpointIsTheFold reads a mailbox back from any entry of a long journal, and bounds what it knows.
func TestACheckpointIsTheFold(t *testing.T) {
	var whole mailbox
	for i := range 3 * maxHeard {
		id := fmt.Sprint(i)
		for _, c := range []change{{Channel: "desk", User: "ada", In: &Message{ID: id, Text: "x"}}, {Took: id}, {Sent: uint64(i)}} {
			whole.apply(&c)
			data, err := json.Marshal(whole)
			var again mailbox
			if err == nil {
				err = json.Unmarshal(data, &again)
			}
			if diff := cmp.Diff(fmt.Sprintf("%+v", whole), fmt.Sprintf("%+v", again)); err != nil || diff != "" {
				t.Fatal(err, diff)
			}
		}
	}
	if len(whole.Heard) != maxHeard || !whole.heard("299") || whole.heard("199") || len(whole.Waiting) != 0 {
		t.Errorf("%d ids, %d messages", len(whole.Heard), len(whole.Waiting))
	}
}

// TestUsersHaveSafeIds keeps what would be another id, or a path, out of ids.
func TestUsersHaveSafeIds(t *testing.T) {
	seen := make(map[string]string)
	for _, user := range []string{"ada", "ada:1", "../x", "a b", "", "ä", "T1-D2-U3", "+4367012345"} {
		id := mailboxID("c", user)
		if other, twice := seen[id]; twice || !plainUser.MatchString(address(user)) {
			t.Errorf("%q has the id %q, as %q", user, id, other)
		}
		seen[id] = user
	}
}
