package dialogue_test

import (
	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// xx is a language of tests alone: one value, which is all that a language takes. Its messages are the English ones behind
// a mark, so that a message from elsewhere shows.
var xx = &phrase.Language{
	Tag: "xx", And: " e ", Or: " o ",
	Months:   "Unu Du Tri Kvar Kvin Ses Sep Ok Nau Dek Dekunu Dekdu",
	Weekdays: "Dimanĉo Lundo Mardo Merkredo Ĵaŭdo Vendredo Sabato",
	Texts:    marked(phrase.English.Texts),
	Classes:  phrase.Classes{Filler: "mi volas", Function: "la de al", Hum: "hm", Negation: "ne"},
	Verdicts: phrase.Verdicts{Yes: "jes | certe", No: "ne | ne dankon", Turns: "sed", Plain: "jes", Amiss: "se"},
	Answers:  phrase.Answers{Fillers: "estas | bonvolu", Polite: "bonvolu", Joints: "al"},
	Skips:    phrase.Skips{None: "neniu", All: "ambau"},
	Values: phrase.Values{
		Terms: map[string]string{"tomorrow": "morgau", "week": "semajno", "in": "post", "friday": "vendredo", "february": "februaro"},
		Number: func(word string) (string, bool) {
			n, ok := map[string]string{"tri": "3", "kvin": "5"}[word]
			return n, ok
		},
		Days: map[int]string{1: "morgau"},
		Ands: "kaj e", Without: "sen",
		DayFirst: true, Point: ',',
	},
	Change:   "sxangxu ",
	Commands: []phrase.CommandWords{{Command: phrase.Cancel, Phrases: []string{"(cesu|nuligu) [bonvolu]"}}},
}

// marked are the messages of a language, each behind the mark of xx. A text that is silent stays so.
func marked(texts phrase.Texts) phrase.Texts {
	all := make(phrase.Texts, len(texts))
	for key, text := range texts {
		switch {
		case text == "" || key == phrase.Quoted || key == "type.number" || text == "{reason}":
			all[key] = text
		default:
			all[key] = "xx! " + text
		}
	}
	return all
}
