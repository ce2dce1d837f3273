package dialogue_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// corpora is the folder of public test data; the test is skipped where there is none.
func corpora(t *testing.T, name string) string {
	t.Helper()
	folder := cmp.Or(os.Getenv("FERMATA_CORPORA"), "../../shared/corpora")
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no corpora: %v; set FERMATA_CORPORA to the folder that holds %s", err, name)
	}
	return path
}

// calmTalk is a conversation of the corpus of CALM, as its lines say it.
//
//	# cancel: changes mind on a whim      the pattern, and the conversation
//	> I want to send money                the user
//	@ [{"type":"cancel_flow"}]            the commands of the next message, where a model understands it
//	= who should | amount                 all of it is in the reply; HANDOFF is a person's turn
//	! amount                              is not in the reply
//	$ none                                no action was made so far
type calmTalk struct {
	pattern, name string
	lines         []string
}

func conversationsOf(t *testing.T, path string) (all []*calmTalk) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if name, ok := strings.CutPrefix(line, "# "); ok {
			pattern, rest, _ := strings.Cut(name, ": ")
			all = append(all, &calmTalk{pattern: pattern, name: rest})
			continue
		}
		if line != "" {
			s := all[len(all)-1]
			s.lines = append(s.lines, line)
		}
	}
	return all
}

// TestCorporaConversations holds the 75 conversations of a CALM demo, as phrases understand them, and those of which the
// corpus gives the commands of a model, too.
func TestCorporaConversations(t *testing.T) {
	folder := corpora(t, "calm")
	for file, least := range map[string]int{"words.txt": 69, "commands.txt": 26} {
		t.Run(file, func(t *testing.T) {
			right, of, total := map[string]int{}, map[string]int{}, 0
			for _, s := range conversationsOf(t, filepath.Join(folder, file)) {
				of[s.pattern]++
				var wrong, story string
				synctest.Test(t, func(t *testing.T) { wrong, story = s.hold(t, filepath.Join(folder, "dialogue.yaml")) })
				if wrong == "" {
					right[s.pattern]++
					total++
					continue
				}
				t.Logf("%s: %s: %s\n%s", s.pattern, s.name, wrong, story)
			}
			for _, pattern := range slices.Sorted(maps.Keys(of)) {
				t.Logf("%-12s %2d of %2d", pattern, right[pattern], of[pattern])
			}
			t.Logf("%d in all", total)
			if total < least {
				t.Errorf("%d conversations go as they should, and at least %d are promised", total, least)
			}
		})
	}
}

// hold holds a conversation, and says what went wrong first; "" for nothing.
func (s *calmTalk) hold(t *testing.T, file string) (wrong, story string) {
	t.Helper()
	time.Sleep(time.Until(time.Date(2026, time.November, 20, 10, 0, 0, 0, time.UTC)))
	made := 0
	nlu := &givenOrPhrases{}
	var o dialogue.Options
	for _, name := range []string{"pay", "contact_add", "contact_remove", "login"} {
		o.Actions = append(o.Actions, dialogue.Action{Name: name, Run: func(_ node.Context, in map[string]any) (any, error) {
			if name != "login" {
				made++
			}
			return map[string]any{"ref": "R1", "ok": in["username"] == "Max"}, nil
		}})
	}
	d, err := dialogue.Load(file, o)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{Services: []any{&dialogue.Services{NLU: nlu}}})
	if err != nil {
		t.Fatal(err)
	}
	nlu.phrases = dialogue.PhraseNLU(d)
	defer rt.Close()
	c := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	var log strings.Builder
	reply := ""
	fail := func(format string, args ...any) {
		if wrong == "" {
			wrong = fmt.Sprintf(format, args...)
		}
	}
	for _, line := range s.lines {
		fmt.Fprintln(&log, "   ", line)
		kind, text := line[0], strings.TrimSpace(line[1:])
		switch kind {
		case '@':
			nlu.next = []dialogue.Command{}
			if err := json.Unmarshal([]byte(text), &nlu.next); err != nil {
				t.Fatal(err)
			}
		case '>':
			r, err := c.Send(t.Context(), "c", dialogue.Message{Text: text})
			if err != nil {
				fail("%v", err)
			}
			reply = strings.Join(r.Texts(), "\n")
			for _, said := range r.Said {
				reply += "\n" + strings.Join(said.Options, "\n")
			}
			if r.Handoff {
				reply += "\nHANDOFF"
			}
			fmt.Fprintln(&log, "       ", strings.ReplaceAll(reply, "\n", "\n        "))
		case '=':
			for part := range strings.SplitSeq(text, "|") {
				if part = strings.TrimSpace(part); !strings.Contains(plainly(reply), strings.ToLower(part)) {
					fail("expected %q", part)
				}
			}
		case '!':
			if strings.Contains(plainly(reply), strings.ToLower(text)) {
				fail("found %q", text)
			}
		case '$':
			if made > 0 {
				fail("an action was made")
			}
		}
	}
	return wrong, log.String()
}

// givenOrPhrases understands as phrases do, but for a message of which the commands are given.
type givenOrPhrases struct {
	phrases dialogue.NLU
	next    []dialogue.Command
}

func (n *givenOrPhrases) Understand(ctx node.Context, t *dialogue.Turn) ([]dialogue.Command, error) {
	if c := n.next; c != nil {
		n.next = nil
		return c, nil
	}
	return n.phrases.Understand(ctx, t)
}

// shownDay is a day as English messages show it.
var shownDay = regexp.MustCompile(`[A-Z][a-z]+day (\d+ [A-Z][a-z]+)( \d{4})?`)

// plainly is what was said as the expectations of the corpora have it: without case, days in digits, amounts without a sign.
func plainly(reply string) string {
	reply = shownDay.ReplaceAllStringFunc(reply, func(day string) string {
		m := shownDay.FindStringSubmatch(day)
		at, err := time.Parse("2 January 2006", m[1]+cmp.Or(m[2], " 2026"))
		if err != nil {
			return day
		}
		return at.Format(time.DateOnly)
	})
	return strings.NewReplacer("$", "", "€", "").Replace(strings.ToLower(reply))
}
