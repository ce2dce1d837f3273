package dialogue_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
)

// dentist is the dialogue of testdata/promises, held in one language at a time.
type dentist struct {
	*held
	lang string
}

// atTheDentist holds conversations in a language.
func atTheDentist(t *testing.T, lang string, do func(*testing.T, *dentist)) {
	t.Helper()
	heldAt(t, "testdata/promises/dialogue.yaml", map[string]any{"number": "B-1", "done": true}, func(t *testing.T, h *held) { do(t, &dentist{h, lang}) })
}

// booked are the answers to the questions of the flow book, in their order, and what each question is called in a table.
var booked = []struct{ question, slot, value string }{
	{"day", "day", "2026-12-08"}, {"hour", "at", "10:30"}, {"why", "reason", "my tooth hurts"}, {"phone", "phone", "+4915123456789"},
}

// at begins a conversation that asks a question of the flow book ("day", "hour", "why", "phone", "ok"), or "cancel" for a
// yes to the cancellation, or "nothing" at all; "more" is at the end of a flow.
func (p *dentist) at(t *testing.T, question string) (id string) {
	t.Helper()
	id = p.begin(t, p.lang)
	var commands []dialogue.Command
	switch question {
	case "nothing":
		return id
	case "cancel":
		commands = []dialogue.Command{{Type: dialogue.StartFlow, Flow: "cancel_appointment"}}
	case "more":
		commands = []dialogue.Command{{Type: dialogue.StartFlow, Flow: "hours"}}
	default:
		commands = []dialogue.Command{{Type: dialogue.StartFlow, Flow: "book"}}
		for _, b := range booked {
			if b.question == question {
				break
			}
			value := b.value
			if b.slot == "reason" {
				value = map[string]string{"de": "Zahnschmerzen", "fr": "mal aux dents"}[p.lang]
				if value == "" {
					value = b.value
				}
			}
			commands = append(commands, dialogue.Command{Type: dialogue.SetSlot, Slot: b.slot, Value: value})
		}
	}
	send(t, p.c, id, dialogue.Message{Commands: commands})
	return id
}

// hears is what comes of some words at a question: actions that are made, slots that change, a value that the user is asked
// about, flows that begin and end; "nothing" for none of it.
func (p *dentist) hears(t *testing.T, question, said string) (comes string, told dialogue.Reply) {
	t.Helper()
	id := p.at(t, question)
	var before dialogue.State
	if question != "nothing" && question != "more" { // there, a look would be an answer
		before = p.seen(t, id)
	}
	p.made = nil
	told = send(t, p.c, id, dialogue.Message{Text: said})
	made := slices.Clone(p.made)
	if told.Closed {
		return strings.Join(append(made, "closed"), ", "), told
	}
	after := p.seen(t, id)
	var all []string
	for _, name := range made {
		all = append(all, map[string]string{"practice.book": "booked", "practice.cancel": "cancelled"}[name])
	}
	was, is := frameOf(before), frameOf(after)
	switch {
	case is.Flow == was.Flow:
		for _, b := range booked {
			v, ok := is.Slots[b.slot]
			if o, had := was.Slots[b.slot]; had && !ok {
				all = append(all, "-"+b.slot)
			} else if ok && !reflect.DeepEqual(v, o) {
				all = append(all, fmt.Sprintf("%s=%v", b.slot, v))
			}
		}
	case len(made) > 0:
	case is.Flow == "":
		all = append(all, "ended")
	default:
		all = append(all, "start "+is.Flow)
		for _, name := range slices.Sorted(maps.Keys(is.Slots)) {
			all = append(all, fmt.Sprintf("%s=%v", name, is.Slots[name]))
		}
	}
	if doubt := after.Doubt; doubt != nil {
		all = append(all, fmt.Sprintf("asks %s=%v", doubt.Slot, doubt.Value))
	} else if told.Pending != nil && told.Pending.IsConfirm() && told.Pending.Slot != "" {
		all = append(all, "asks "+told.Pending.Slot)
	}
	if len(all) == 0 {
		return "nothing", told
	}
	return strings.Join(all, ", "), told
}

func frameOf(s dialogue.State) dialogue.Frame {
	if len(s.Stack) == 0 {
		return dialogue.Frame{}
	}
	return s.Stack[len(s.Stack)-1]
}

// TestPromises reads tables of what newcomers say at the dentist, and what comes of it: testdata/promises/*.txt. A heading
// names the language and the question, see dentist.at; a line what is said, and what comes of it, see dentist.hears.
func TestPromises(t *testing.T) {
	tables, err := filepath.Glob("testdata/promises/*.txt")
	if err != nil || len(tables) == 0 {
		t.Fatal("no tables", err)
	}
	for _, table := range tables {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, lang := range []string{"en", "de", "fr"} {
			t.Run(strings.TrimSuffix(filepath.Base(table), ".txt")+"/"+lang, func(t *testing.T) {
				atTheDentist(t, lang, func(t *testing.T, p *dentist) { p.table(t, string(text)) })
			})
		}
	}
}

// table holds the lines of a table that are in the language.
func (p *dentist) table(t *testing.T, text string) {
	t.Helper()
	eachLine(t, text, func(line int, lang, question, said, want string) {
		if lang != p.lang {
			return
		}
		if got, told := p.hears(t, question, said); got != want {
			t.Errorf("%d: %s %s: %q\n  expected %s\n  found    %s  %q", line, lang, question, said, want, got, told.Texts())
		}
	})
}

// TestOnlyAPlainYesActs says a yes with something beside it to the two questions for one: nothing is booked and nothing
// cancelled. In the package phrase a test goes through all sayings of a yes.
func TestOnlyAPlainYesActs(t *testing.T) {
	beside := map[string][]string{
		"en": {"morning", "in the morning", "tomorrow", "on Tuesday", "at 10", "at noon", "now", "2", "the second one", "0151 2345", "phone", "the date", "hello", "actually", "hm", ":(", "not private", "no rush", "if it is free", "in a minute", "and another one on Friday at 9", "when I am back", "for Bob"},
		"de": {"morgen", "am Morgen", "übermorgen", "am Dienstag", "um 10", "jetzt", "2", "der zweite", "0151 2345", "Telefon", "Tag", "hallo", "eigentlich", "tja", ":(", "nur nicht so früh", "wenn es geht", "gleich", "und noch einen am Freitag um 9", "für Bob"},
		"fr": {"demain", "le matin", "mardi", "à 10 heures", "à midi", "maintenant", "2", "le deuxième", "0151 2345", "téléphone", "la date", "bonjour", "en fait", "euh", ":(", "mais pas mardi", "si c'est gratuit", "dans une minute", "et un autre vendredi à 9 heures", "pour Bob"},
	}
	yes := map[string][]string{"en": {"yes", "ok", "sure"}, "de": {"ja", "ok", "klar"}, "fr": {"oui", "ok", "d'accord"}}
	for lang := range beside {
		t.Run(lang, func(t *testing.T) {
			atTheDentist(t, lang, func(t *testing.T, p *dentist) {
				for _, question := range []string{"ok", "cancel"} {
					for _, y := range yes[lang] {
						if comes, _ := p.hears(t, question, y); comes != "booked" && comes != "cancelled" {
							t.Errorf("%s: %q does nothing: %s", question, y, comes)
						}
						for _, left := range beside[lang] {
							for _, said := range []string{y + " " + left, y + ", " + left} {
								if comes, told := p.hears(t, question, said); len(p.made) > 0 {
									t.Errorf("%s: %q: %s %q", question, said, comes, told.Texts())
								}
							}
						}
					}
				}
			})
		})
	}
}
