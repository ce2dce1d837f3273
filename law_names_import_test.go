package fermata_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
)

// jose is one person in many forms: composed, decomposed, with characters that nobody sees, in full width, in capitals.
var jose = []string{"Jos\u00e9", "Jose\u0301", "Jos\u200b\u00e9", "\ufeffJos\u00e9", "JOS\u00c9", "\uff2aos\u00e9", " Jose\u0301\u00a0"}

// No import takes in an answer of a person whom four eyes forbid, in whatever form the file writes their name.
func TestH6_ImportKnowsAPersonInEveryForm(t *testing.T) {
	for _, one := range jose {
		for _, other := range append([]string{"\u200b", "\u3164"}, jose...) {
			for name, more := range map[string][]journal.Entry{
				"the starter": {opens("int_1", "a#1", `,"notBy":["`+one+`"]`), saidBy("int_1", other)},
				"who answered": {
					opens("int_1", "a#1", ""), opens("int_2", "b#1", `,"notByNodes":["a"]`), saidBy("int_1", one), saidBy("int_2", other),
				},
			} {
				rt, _ := inMemory(t)
				_, err := rt.Import(t.Context(), bytes.NewReader(written(t, startedBy(one), more...)), fermata.ImportOptions{})
				if !errors.Is(err, journal.ErrCorrupt) {
					t.Errorf("%s is %+q, and %+q answers: %v", name, one, other, err)
				}
			}
		}
	}
	second := []journal.Entry{opens("int_1", "a#1", `,"notBy":["Jose\u0301"]`), saidBy("int_1", "Jose")}
	imports(t, memory.New(), written(t, startedBy("Jose\u0301"), second...), fermata.ImportOptions{}) // another letter, another person
}

// A question that an older version has asked, and that was brought here, keeps the same people apart as one that is asked
// now: also those who answered another question of its run before.
func TestH6_OldJournalsKnowAPersonInEveryForm(t *testing.T) {
	no := refusal{fermata.CodeForbidden, fermata.ErrForbidden}
	for _, one := range jose {
		for _, id := range []string{"", "run_again"} {
			rt, _ := inMemory(t)
			file := written(t, startedBy(one), opens("int_1", "a#1", ""), saidBy("int_1", one),
				opens("int_2", "b#1", `,"notBy":["`+one+`"]`), opens("int_3", "c#1", `,"notByNodes":["a"]`))
			info, err := rt.Import(t.Context(), bytes.NewReader(file), fermata.ImportOptions{ID: id})
			if err != nil {
				t.Fatal(err)
			}
			open, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: info.ID})
			if err != nil || len(open) != 2 {
				t.Fatalf("%d questions are open: %v", len(open), err)
			}
			for _, q := range open {
				for _, other := range append([]string{"\u200b"}, jose...) {
					refused(t, rt.Answer(t.Context(), q.ID, true, fermata.AsPerson(other), fermata.Hold()), no)
					if fermata.SamePerson(one, other) {
						refused(t, rt.Claim(t.Context(), q.ID, other, ""), no)
						refused(t, rt.Reassign(t.Context(), q.ID, fermata.Assignment{Person: other}, fermata.AsPerson("Ada")), no)
					}
				}
				answer(t, rt, q.ID, true, fermata.AsPerson("Jose"), fermata.Hold())
			}
		}
	}
}

// The id of a run in a file is a name that comes in: one that acts is refused, and can be replaced.
func TestH9_AnImportedIDThatActsIsRefused(t *testing.T) {
	file := written(t, startedOnly)
	bad := sealed(bytes.ReplaceAll(file, []byte(`"run":"run_x"`), []byte(`"run":"run_\u001b[2Jx"`)))
	if bytes.Equal(file, bad) {
		t.Fatal("the id was not replaced")
	}
	rt, store := inMemory(t)
	_, err := rt.Import(t.Context(), bytes.NewReader(bad), fermata.ImportOptions{})
	refused(t, err, refusal{code: fermata.CodeInvalid})
	if strings.Contains(err.Error(), "\x1b") {
		t.Errorf("the error acts: %q", err)
	}
	if rows, err := store.Runs(t.Context(), journal.RunFilter{}); err != nil || len(rows) != 0 {
		t.Errorf("stored: %+v %v", rows, err)
	}
}
