package phrase_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// asked is a question for a yes in a language, what its values are called, and values of each kind that it does not hold.
var asked = map[*phrase.Language]struct {
	question string
	names    []string
	values   string
}{
	phrase.English: {
		"Shall I book 2026-12-08 at 10:30 (my tooth hurts) for 2 people, phone 0151?",
		[]string{"date", "time", "reason", "phone number", "phone"},
		`today | tonight | in the morning | morning | evening | at night | good morning | at 10 | at 12 | at 30 | 10 | 12 | 08 | 2 | 3 | three | the first | the 8th | on Tuesday | next week | in a minute | an hour later | now |
		right now | in December | december | at noon | 50 euros | bob@example.com | 0152 1234 | for him | for Bob | half | the other one | hello | hi | hey | good evening | sorry | actually | oops | today please`,
	},
	phrase.German: {
		"Soll ich den 2026-12-08 um 10:30 buchen (Zahnschmerzen, Tag 2), Telefon 0151?",
		[]string{"Tag", "Uhrzeit", "Grund", "Telefonnummer", "Telefon"},
		`heute | morgen | am Morgen | abends | am Abend | heute Abend | guten Morgen | guten Tag | Tag | um 10 | um 12 | 10 | 12 | 2 | 3 | drei | der erste | am 8. | am Dienstag | nächste Woche | in einer Minute |
		eine Stunde später | jetzt | im Dezember | mittags | 50 Euro | bob@example.com | 0152 1234 | für ihn | hallo | hi | Entschuldigung | eigentlich | ups | der andere | Mittag | Nacht`,
	},
	phrase.French: {
		"Je réserve le 2026-12-08 à 10:30 (mal aux dents), téléphone 0151 ?",
		[]string{"date", "heure", "motif", "téléphone"},
		`aujourd'hui | demain | le matin | demain matin | le soir | ce soir | bonsoir | bonjour | à 10 heures | à midi | 10 | 12 | 3 | trois | le premier | le 8 | mardi | la semaine prochaine | dans une minute |
		une heure plus tard | maintenant | en décembre | 50 euros | bob@example.com | 0152 1234 | pour lui | salut | pardon | en fait | l'autre`,
	},
}

// leftovers are what may stand beside a yes and is neither a yes nor politeness: days, months and times, values, names of
// slots, doubts, denials, hums, and signs.
func leftovers(l *phrase.Language) (all []string) {
	sayings := func(list string) {
		for s := range strings.SplitSeq(list, "|") {
			all = append(all, strings.TrimSpace(s))
		}
	}
	a := asked[l]
	for _, days := range l.Values.Days {
		sayings(days)
	}
	sayings(a.values)
	sayings(l.Verdicts.Doubts)
	sayings(l.Verdicts.No)
	sayings(l.Verdicts.WeakNo)
	for _, words := range []string{l.Months, l.Weekdays, l.Verdicts.Amiss, l.Classes.Negation} {
		all = append(all, strings.Fields(words)...)
	}
	all = append(all, a.names...)
	for _, name := range a.names {
		all = append(all, strings.Fields(l.Answers.Owners)[0]+" "+name)
	}
	all = append(all, "?", "🤔", "🤷", "👎", "🙄", ":(", ":-(", ":/", "😢", "😡", "Xyzzy")
	return all
}

// TestOnlyAssentAndPolitenessIsAYes puts whatever may be left over beside a yes before and behind each saying of one, in each
// language: none of them is a plain yes, to no question and to one that holds words of its own.
func TestOnlyAssentAndPolitenessIsAYes(t *testing.T) {
	for l, a := range asked {
		t.Run(l.Tag, func(t *testing.T) {
			here, yes, n := phrase.Locale{Language: l}, map[string]bool{}, 0
			for s := range strings.SplitSeq(l.Verdicts.Yes+"|"+l.Verdicts.Around, "|") {
				yes[strings.TrimSpace(s)] = true
			}
			plainly := strings.Fields(l.Verdicts.Plain)
			for i, said := range strings.Split(l.Verdicts.Yes, "|") {
				said = strings.TrimSpace(said)
				every := 11 // of the many sayings, each is beside some of what is left over
				if slices.Contains(plainly, said) {
					every = 1
				}
				if plain, _, rest, _ := here.AssentTo(phrase.Question{Text: a.question, Names: a.names}, said); !plain || rest != "" {
					continue // some sayings are parts of doubts
				}
				for k, left := range leftovers(l) {
					if k%every != i%every || left == "sure right" { // "I am sure, right" is a yes
						continue
					}
					for _, text := range []string{said + " " + left, said + ", " + left, said + ". " + left, left + ", " + said, said + " " + left + " " + strings.Fields(l.Answers.Polite)[0]} {
						folded := strings.Join(phrase.Words(text), " ")
						if yes[left] || yes[strings.Join(phrase.Words(left), " ")] || yes[folded] {
							continue
						}
						n++
						for _, q := range []phrase.Question{{}, {Text: a.question, Names: a.names}} {
							if plain, _, rest, _ := here.AssentTo(q, text); plain && rest == "" {
								t.Errorf("%q is a plain yes to %q", text, q.Text)
							}
						}
					}
				}
			}
			if n < 5000 {
				t.Errorf("only %d combinations", n)
			}
		})
	}
}

// TestARepeatedQuestionIsAYes says the question again behind a yes, whole or in parts that name no value.
func TestARepeatedQuestionIsAYes(t *testing.T) {
	cases := map[*phrase.Language][]string{
		phrase.English: {"yes, book it", "yes, please book it", "yes, book it for 2 people", "ok, book 2026-12-08 at 10:30", "yes, at 10:30", "yes, I want to book"},
		phrase.German:  {"ja, buchen", "ja, bitte buchen", "ja, um 10:30 buchen", "ok, den 2026-12-08 um 10:30"},
		phrase.French:  {"oui, je réserve", "oui, à 10:30"},
	}
	for _, l := range slices.SortedFunc(maps.Keys(cases), func(a, b *phrase.Language) int { return strings.Compare(a.Tag, b.Tag) }) {
		for _, said := range cases[l] {
			yes, _, rest, _ := phrase.Locale{Language: l}.AssentTo(phrase.Question{Text: asked[l].question, Names: asked[l].names}, said)
			if !yes || rest != "" {
				t.Errorf("%q is no plain yes: %v, with the rest %q", said, yes, rest)
			}
		}
	}
}
