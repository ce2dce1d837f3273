package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// What users say is shown in a review, and in the changes of a file, and nothing of it acts.
func TestH9_NoReviewShowsWhatActs(t *testing.T) {
	dir := t.TempDir()
	file, db := filepath.Join(dir, "shop.yaml"), filepath.Join(dir, "chat.db")
	text := "kind: Dialogue\nflows:\n  buy:\n    trigger: [buy it]\n    steps: [{type: say, message: Done.}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := dialogue.Load(file, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(db)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	hostile := []string{"gimme \x1b]0;HOSTILE\a\u202e dosh\nFORGED", "zork \x1b[31;41m\u009b31m\u2066\r\nFORGED\x7f"}
	talks, id := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{}), "c"
	if _, _, err := talks.Open(t.Context(), id, nil); err != nil {
		t.Fatal(err)
	}
	for _, said := range hostile {
		if _, err := talks.Send(t.Context(), id, dialogue.Message{Text: said}); err != nil {
			t.Fatal(err)
		}
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shows string
		args  []string
	}{
		{"dosh", nil},
		{"dosh", []string{"--json"}},
		{"dosh", []string{"--thread", id}},
		{"dosh", []string{"--thread", id, "--json"}},
		{"zork", []string{"--add-test", id + "/2", "--flow", "buy"}},
		{"dosh", []string{"--add-trigger", id + "/1", "--flow", "buy", "--dry-run", "--phrase", "dosh \x1b\u202e\nFORGED"}},
		{"no message", []string{"--add-test", id + "/9", "--flow", "buy"}},
		{"no conversation", []string{"--thread", id + "x"}},
	} {
		m, stdout, stderr := command(t)
		m.Run(t.Context(), append([]string{"chat", "--review", file, "--store", db}, c.args...))
		out := stdout.String() + stderr.String()
		for _, bad := range []string{"\x1b", "\a", "\u202e", "\u2066", "\u009b", "\x7f", "\nFORGED"} {
			if strings.Contains(out, bad) {
				t.Errorf("%q: %q was written: %q", c.args, bad, out)
			}
		}
		if !strings.Contains(out, c.shows) {
			t.Errorf("%q does not show %q: %q", c.args, c.shows, out)
		}
	}
	tests, err := dialogue.LoadTests(file)
	if err != nil || len(tests) != 1 || len(tests[0].Talk) != 1 || tests[0].Talk[0].User != hostile[1] {
		t.Errorf("%+v %v", tests, err)
	}
}
