package dialogue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// requests are plain requests for a language, by the tag of it, in all three.
var requests = map[string][]string{
	"en": {"English please", "can we speak English?", "Englisch bitte", "Könnten wir Englisch sprechen?", "en anglais s'il vous plaît", "passons à l'anglais"},
	"de": {"Deutsch bitte", "auf Deutsch, bitte!", "switch to German", "could you speak German, please?", "peut-on parler allemand ?"},
	"fr": {"en français s'il vous plaît", "parlons français", "French please", "let's speak French", "Können wir bitte auf Französisch weitermachen?"},
}

// TestN10_ALanguageIsChangedAtEveryQuestion asks for another language at every question of the dentist, in every language: what is
// known stays, and what was asked is asked again in the other one. At a question for a text a name with a please may be one.
func TestN10_ALanguageIsChangedAtEveryQuestion(t *testing.T) {
	for _, from := range []string{"en", "de", "fr"} {
		t.Run(from, func(t *testing.T) {
			atTheDentist(t, from, func(t *testing.T, p *dentist) {
				for to, all := range requests {
					for _, question := range []string{"day", "hour", "why", "phone", "ok", "cancel"} {
						for _, said := range all {
							p.changes(t, question, to, said)
						}
					}
				}
			})
		})
	}
}

// changes asks for a language at a question.
func (p *dentist) changes(t *testing.T, question, to, said string) {
	t.Helper()
	id := p.at(t, question)
	before, was := p.seen(t, id), p.pending(t, id)
	told := send(t, p.c, id, dialogue.Message{Text: said})
	after := p.seen(t, id)
	if is := told.Pending; is != nil && is.IsConfirm() && is.Slot == "reason" && question == "why" && (strings.Contains(strings.ToLower(said), "please") || strings.Contains(said, "bitte") || strings.Contains(said, "plaît")) {
		return
	}
	if told.Language != to || after.Language != to || told.Closed {
		t.Errorf("%s %s: %q: the conversation is in %q: %q", p.lang, question, said, told.Language, told.Texts())
		return
	}
	for i := range before.Stack {
		before.Stack[i].Yes = nil
	}
	if diff := cmp.Diff(before.Stack, after.Stack); diff != "" {
		t.Errorf("%s %s: %q changes the flows (-before +after):\n%s", p.lang, question, said, diff)
	}
	is := told.Pending
	switch {
	case is == nil || is.Type != was.Type || is.Slot != was.Slot:
		t.Errorf("%s %s: %q: what is asked is %+v, and was %+v", p.lang, question, said, is, was)
	case to != p.lang && (is.Prompt == was.Prompt || is.ID == was.ID):
		t.Errorf("%s %s: %q: the question has the words and the id that it had: %q", p.lang, question, said, is.Prompt)
	case to == p.lang && is.ID != was.ID:
		t.Errorf("%s %s: %q: the same question has another id", p.lang, question, said)
	}
}

// pending is what a conversation asks.
func (p *dentist) pending(t *testing.T, id string) *dialogue.PendingTask {
	t.Helper()
	r, err := p.c.Standing(t.Context(), id)
	if err != nil || r.Pending == nil {
		t.Fatal(r, err)
	}
	return r.Pending
}

// TestAYesToTheTextBeforeIsNone answers a question in the words and with the id that it had before the language was changed: nothing
// is done, and it is asked again. The yes in the new language, to the new question, counts.
func TestAYesToTheTextBeforeIsNone(t *testing.T) {
	yes := map[string]string{"en": "yes", "de": "ja", "fr": "oui"}
	for from := range requests {
		for to := range requests {
			if from == to {
				continue
			}
			atTheDentist(t, from, func(t *testing.T, p *dentist) {
				for _, question := range []string{"ok", "cancel"} {
					id := p.at(t, question)
					old := p.pending(t, id)
					for _, m := range []dialogue.Message{
						{Text: yes[from], Question: old.ID, Language: to},
						{Text: yes[to], Question: old.ID, Language: to}, // the user has seen the other words
						{Commands: []dialogue.Command{{Type: dialogue.Affirm}}, Question: old.ID},
						{Text: yes[to], Question: old.ID},
						{Commands: []dialogue.Command{{Type: dialogue.Speak, Language: from}, {Type: dialogue.Affirm}}},
						{Commands: []dialogue.Command{{Type: dialogue.Affirm}, {Type: dialogue.Speak, Language: to}}},
					} {
						told := send(t, p.c, id, m)
						if len(p.made) > 0 || told.Pending == nil || !told.Pending.IsConfirm() {
							t.Fatalf("%s to %s: %s: %+v has done %v, and said %q", from, to, question, m, p.made, told.Texts())
						}
					}
					told := send(t, p.c, id, dialogue.Message{Language: to})
					if told = send(t, p.c, id, dialogue.Message{Text: yes[to], Question: told.Pending.ID}); len(p.made) != 1 {
						t.Errorf("%s to %s: %s: a yes has done %v, and said %q", from, to, question, p.made, told.Texts())
					}
					p.made = nil
				}
			})
		}
	}
}

// TestNoOtherTextChangesTheLanguage says everything that the tables of the package hold, at questions and between them: what is no
// plain request for a language changes none.
func TestNoOtherTextChangesTheLanguage(t *testing.T) {
	texts := sayings(t)
	if len(texts) < 500 {
		t.Fatalf("only %d texts were found", len(texts))
	}
	for _, tag := range []string{"en", "de", "fr"} {
		atTheDentist(t, tag, func(t *testing.T, p *dentist) {
			for i, text := range texts {
				question := []string{"nothing", "day", "why", "ok"}[i%4]
				if told := send(t, p.c, p.at(t, question), dialogue.Message{Text: text}); !told.Closed && told.Language != tag {
					t.Errorf("%s: %q at %s: the conversation is in %q: %q", tag, text, question, told.Language, told.Texts())
				}
			}
		})
	}
}

// sayings are what the tables of tests say to dialogues, but for requests for a language.
func sayings(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"testdata/understood/*.txt", "testdata/promises/*.txt"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(string(text), "\n") {
				if said, _, ok := strings.Cut(line, " -> "); ok && !strings.HasPrefix(line, "#") {
					all = append(all, said)
				}
			}
		}
	}
	some := 1200
	if lawtest.Racing { // one goroutine reads them
		some = 600
	}
	step := max(1, len(all)/some)
	for i := range all {
		if i%step == 0 {
			all[i/step] = all[i]
		}
	}
	return all[:len(all)/step]
}

// sentences name a language and ask for none.
const sentences = `I want a German course | German | in German | ok, English | I want to learn French | the German team | not in German please | can we speak German or French? | switch to German and book an appointment |
	ich möchte einen Deutschkurs | Englisch | auf Englisch | kein Englisch bitte | ein deutsches Bier bitte | je voudrais un cours d'anglais | en anglais | pas en anglais s'il vous plaît`

// TestANameIsNoRequest says sentences that only name a language.
func TestANameIsNoRequest(t *testing.T) {
	for _, tag := range []string{"en", "de", "fr"} {
		atTheDentist(t, tag, func(t *testing.T, p *dentist) {
			for text := range strings.SplitSeq(sentences, "|") {
				for _, question := range []string{"nothing", "day", "hour", "why", "phone", "ok"} {
					if told := send(t, p.c, p.at(t, question), dialogue.Message{Text: strings.TrimSpace(text)}); !told.Closed && told.Language != tag {
						t.Errorf("%s: %q at %s: the conversation is in %q: %q", tag, text, question, told.Language, told.Texts())
					}
				}
			}
		})
	}
}

const courseFile = `
kind: Dialogue
settings: {translations: {de: de.yaml}}
flows:
  course:
    description: book a German course
    trigger: ["book a course", "[a] {language} course"]
    slots:
      language: {type: choice, description: language, choices: [{value: German, synonyms: [Deutsch]}, English]}
      manual: {type: text, description: language of the manual, validate: "manual == 'English' or manual == 'German'", error: "Say it politely."}
      title: text
    steps:
      - {id: which, type: collect, slot: language, message: "Which language?"}
      - {id: manual, type: collect, slot: manual, message: "And the manual?"}
      - {id: title, type: collect, slot: title, message: "Its title?", options: [English please, Learn German]}
      - {id: ok, type: confirm, message: "{{ language }}, {{ manual }}, {{ title }}?", choices: [{value: german, label: German, change: title}]}
  settings:
    description: change the language of letters
    trigger: ["change the language to {letters}", "switch to {letters}"]
    slots: {letters: text}
    steps: [{id: what, type: collect, slot: letters, message: "Which one?"}, {id: told, type: say, message: "Letters: {{ letters }}."}]
`

const courseGerman = `
kind: Translation
language: de
flows:
  course:
    description: einen Deutschkurs buchen
    trigger: ["Kurs buchen"]
    slots: {language: {description: Sprache, choices: {German: {label: Deutsch}, English: {label: Englisch}}}, manual: {description: Handbuch, error: "Höflich bitte."}}
    steps: {which: {message: "Welche Sprache?"}, manual: {message: "Und das Handbuch?"}, title: {message: "Der Titel?", options: [Deutsch bitte]}, ok: {message: "{{ language }}, {{ manual }}, {{ title }}?", choices: {german: {label: Deutsch}}}}
  settings:
    description: Sprache der Briefe ändern
    trigger: ["Sprache der Briefe"]
    steps: {what: {message: "Welche?"}, told: {message: "Briefe: {{ letters }}."}}
`

func course(t testing.TB) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Parse([]byte(courseFile), "course.yaml", dialogue.Options{Files: fstest.MapFS{"de.yaml": {Data: []byte(courseGerman)}}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestWhatADialogueIsAboutIsNoRequest asks for languages in a dialogue about them: its choices, its triggers, its quick replies and
// the values that its slots take come first.
func TestWhatADialogueIsAboutIsNoRequest(t *testing.T) {
	c := talks(t, memory.New(), course(t), dialogue.ConversationOptions{})
	open(t, c, "c1", nil)
	for _, tt := range []struct{ said, want, language string }{
		{"switch to German", "Letters: German.|Is there anything else?", "en"},
		{"book a course", "Which language?", "en"},
		{"German please", "And the manual?", "en"},
		{"German please", "Its title?", "en"},
		{"English please", "German, German, English please?", "en"},
		{"German please", "All right, title: open again.|Its title?", "en"},
		{"Deutsch bitte", "Do you mean “Deutsch bitte” as the title?", "en"},
		{"no", "Its title?", "en"},
		{"can we speak German?", "Gut, auf Deutsch.|Der Titel?", "de"},
		{"Deutsch bitte", "Deutsch, German, Deutsch bitte?", "de"},
		{"can we speak English?", "All right, in English.|German, German, Deutsch bitte?", "en"},
	} {
		r := send(t, c, "c1", dialogue.Message{Text: tt.said})
		if got := strings.Join(r.Texts(), "|"); got != tt.want || r.Language != tt.language {
			t.Errorf("%q: %q in %q; expected %q in %q", tt.said, got, r.Language, tt.want, tt.language)
		}
	}
}

// TestALanguageThatIsNotThere asks a dialogue of one language for another one, and one that has it for one that it has not.
func TestALanguageThatIsNotThere(t *testing.T) {
	alone, err := dialogue.Parse([]byte("kind: Dialogue\nflows: {a: {trigger: [do a], slots: {n: integer}, steps: [{id: n, type: collect, slot: n, message: How many?}]}}\n"), "a.yaml", dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := talks(t, memory.New(), alone, dialogue.ConversationOptions{})
	open(t, c, "c1", nil)
	for _, tt := range []struct{ said, want string }{
		{"German please", "I speak English."}, {"do a", "How many?"}, {"Sprechen Sie Deutsch?", "I speak English.|How many?"}, {"can we speak English?", "All right, in English.|How many?"},
	} {
		if got := strings.Join(send(t, c, "c1", dialogue.Message{Text: tt.said}).Texts(), "|"); got != tt.want {
			t.Errorf("%q: %q; expected %q", tt.said, got, tt.want)
		}
	}
	info, err := c.Standing(t.Context(), "c1")
	if _, refused := c.Send(t.Context(), "c1", dialogue.Message{Language: "de"}); err != nil || refused == nil || !strings.Contains(refused.Error(), `its language is "de"; the dialogue is held in en`) {
		t.Errorf("a message in German: %v, %v", err, refused)
	}
	if after, err := c.Standing(t.Context(), "c1"); err != nil || after.Seq != info.Seq {
		t.Errorf("a message that is refused has made events: %v", err)
	}
}

// TestN10_ALanguageIsOfTheConversation changes the language, and goes on in other processes: with the same dialogue, with one that was
// restored in the language of the beginning, with a later version, and with one that has lost the language.
func TestN10_ALanguageIsOfTheConversation(t *testing.T) {
	d, err := pizza(t, orderGerman)
	if err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	c := talks(t, store, d, dialogue.ConversationOptions{Start: []fermata.StartOption{}})
	if _, _, err := c.OpenIn(t.Context(), "de", "c1", nil); err != nil {
		t.Fatal(err)
	}
	says := func(c *dialogue.Conversations, said, want string) {
		t.Helper()
		if got := strings.Join(send(t, c, "c1", dialogue.Message{Text: said}).Texts(), "|"); got != want {
			t.Errorf("%q: %q; expected %q", said, got, want)
		}
	}
	says(c, "eine große Pizza", "Wie viele?")
	says(c, "English please", "All right, in English.|How many?")
	restored, err := dialogue.Restore(d.In("de").Source(), dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := restored.Languages(); !cmp.Equal(got, []string{"en", "de", "fr"}) || restored.In("fr").Settings().Language != "fr" || restored.In("it") != restored {
		t.Errorf("a restored translation has %q", got)
	}
	says(talks(t, store, restored, dialogue.ConversationOptions{}), "12", "At most nine.|How many?")
	later, err := pizza(t, strings.ReplaceAll(orderGerman, "Wie viele?", "Wie viele sollen es sein?"))
	if err != nil {
		t.Fatal(err)
	}
	says(talks(t, store, later, dialogue.ConversationOptions{}), "auf Deutsch bitte", "Gut, auf Deutsch.|Wie viele sollen es sein?")
	says(talks(t, store, later, dialogue.ConversationOptions{}), "French please", "D'accord, en français.|Combien ?")
	lost, err := dialogue.Parse([]byte(strings.Replace(orderFile, ", fr: pizza.fr.yaml", "", 1)), "pizza.yaml", dialogue.Options{Files: fstest.MapFS{"pizza.de.yaml": {Data: []byte(orderGerman)}}})
	if err != nil {
		t.Fatal(err)
	}
	says(talks(t, store, lost, dialogue.ConversationOptions{}), "zwei", "2 mal groß?")
}

// TestThePersonIsToldTheLanguage hands over a conversation whose language was changed, and reviews it.
func TestThePersonIsToldTheLanguage(t *testing.T) {
	d, err := pizza(t, orderGerman)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	c := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
	open(t, c, "c1", nil)
	for _, m := range []dialogue.Message{{Text: "a pizza"}, {Text: "Deutsch bitte"}, {Text: "groß"}, {Text: "three", Language: "en-GB"}, {Language: "fr"}, {Text: "je veux parler à un humain"}, {Language: "de"}} {
		send(t, c, "c1", m)
	}
	inbox, err := rt.Inbox(t.Context(), journal.InboxFilter{})
	if err != nil || len(inbox) != 1 {
		t.Fatal(inbox, err)
	}
	var w dialogue.Waiting
	if err := json.Unmarshal(inbox[0].Request, &w); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range w.Transcript {
		got = append(got, strings.TrimSpace(l.Language+" "+l.By+": "+l.Text))
	}
	want := []string{
		"bot: Hello!", "user: a pizza", "bot: Which size?", "user: Deutsch bitte", "de bot: Gut, auf Deutsch.", "bot: Welche Größe?", "user: groß", "bot: Wie viele?",
		"en user: three", "bot: 3 large?", "fr bot: D'accord, en français.", "bot: 3 fois grande?", "user: je veux parler à un humain",
		"bot: Je fais appel à quelqu'un qui pourra vous aider et lire notre conversation.",
	}
	if diff := cmp.Diff(want, got); diff != "" || w.Language != "de" {
		t.Errorf("the person is told %q (-want +got):\n%s", w.Language, diff)
	}
	turns, err := c.Turns(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, turn := range turns {
		got = append(got, fmt.Sprint(turn.Turn, " ", turn.Language, " ", turn.Marks))
	}
	if diff := cmp.Diff([]string{"1 en [start]", "2 en [language]", "3 de [value]", "4 en [value]", "5 fr [language]", "6 fr [handoff]", "7 de [human]"}, got); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	test, err := c.Excerpt(t.Context(), "c1", 6)
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, l := range test.Talk {
		got = append(got, l.Language+"|"+l.User)
	}
	if diff := cmp.Diff([]string{"|a pizza", "|Deutsch bitte", "|groß", "en|three", "fr|", "|je veux parler à un humain"}, got); diff != "" || test.Language != "" {
		t.Errorf("the test is in %q (-want +got):\n%s", test.Language, diff)
	}
}

// TestAnyNLUIsSparedARequest has an NLU of the program, which is not asked about a request, and told the language of the others.
func TestAnyNLUIsSparedARequest(t *testing.T) {
	d, err := pizza(t, orderGerman)
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	c := talksWith(t, d, &dialogue.Services{NLU: speakNLU(func(_ node.Context, turn *dialogue.Turn) ([]dialogue.Command, error) {
		title, _ := turn.Dialogue.Flow("order")
		asked = append(asked, turn.Dialogue.Settings().Language+" "+title.Description+" "+turn.Text)
		return []dialogue.Command{{Type: dialogue.StartFlow, Flow: "order"}}, nil
	})})
	open(t, c, "c1", nil)
	for _, text := range []string{"hungry", "Deutsch bitte", "hungrig"} {
		send(t, c, "c1", dialogue.Message{Text: text})
	}
	if want := []string{"en order a pizza hungry", "de eine Pizza bestellen hungrig"}; !slices.Equal(asked, want) {
		t.Errorf("it was asked %q; expected %q", asked, want)
	}
}

// speakNLU is an NLU that is a function.
type speakNLU func(node.Context, *dialogue.Turn) ([]dialogue.Command, error)

func (f speakNLU) Understand(ctx node.Context, t *dialogue.Turn) ([]dialogue.Command, error) {
	return f(ctx, t)
}
