package dialogue_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
)

// TestTestsThatAreWrong pins what is said of tests that cannot be held.
func TestTestsThatAreWrong(t *testing.T) {
	tests := []struct{ tests, want string }{
		{`- {talk: [{user: hi}]}`, `3:3: "name" is missing; expected what the test shows`},
		{`- {name: a}`, `3:3: "talk" is missing; expected a list of what is said, such as [{user: …, bot: …}]`},
		{`- hello`, `3:3: expected a test such as {name: …, talk: […]}, found the text "hello"`},
		{`- {name: a, talk: [{user: hi, agent: hi}]}`, `3:20: expected one of user, agent, press, silence and event, found 2 of them`},
		{`- {name: a, talk: [{user: hi, after: soon}]}`, `3:38: expected a time such as 90s or 2h, found the text "soon"`},
		{`- {name: a, now: friday, talk: [{user: hi}]}`, `3:18: expected a time such as 2026-11-20T10:00:00Z, found the text "friday"`},
		{`- {name: a, talk: [{press: [{slot_name: b}]}]}`, `3:29: "type" is missing; expected the type of the command, such as start_flow`},
		{`- {name: a, talk: [{user: hi, calls: [1, {b: {}, c: {}}]}]}`, `3:42: expected the name of an action, or {name: {what it is given}}, found a mapping`},
		{`- {name: a, actions: {b: []}, talk: [{user: hi}]}`, `3:26: the list is empty; expected what the action gives at each call`},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "a.yaml")
		if err := os.WriteFile(file, []byte("kind: Dialogue\ntests:\n"+tt.tests+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := dialogue.LoadTests(file)
		if err == nil {
			t.Errorf("%s is taken", tt.tests)
			continue
		}
		got := strings.TrimPrefix(strings.TrimSpace(err.Error()), file+":")
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.tests, diff)
		}
	}
}
