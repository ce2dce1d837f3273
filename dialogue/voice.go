package dialogue

import (
	"fmt"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// voice is what a dialogue says by itself, in the language of its settings: where the file says nothing else, and why a
// value is not good.
type voice struct {
	patterns   map[PatternName]string
	types      map[SlotType]string // as they stand in a sentence
	notA       string              // a value, and such a type
	impossible string              // a value
	options    []string            // quick replies to a confirmation
}

// voices are those of languages other than English.
var voices = map[string]*voice{"de": {
	patterns: map[PatternName]string{
		OnCorrection:   "In Ordnung, {{ slot }} ist jetzt {{ value }}.",
		OnTooLate:      "Das ist schon geschehen und kann nicht mehr geändert werden.",
		OnRejection:    "{{ reason }}",
		OnUnsure:       "Ich bin nicht sicher, ob ich das verstanden habe.",
		OnCancel:       "In Ordnung, ich habe damit aufgehört: {{ flow }}.",
		OnNothing:      "Es gibt nichts abzubrechen.",
		OnDigression:   "",
		OnResume:       "Machen wir weiter: {{ flow }}.",
		OnDenied:       "In Ordnung, dann nicht.",
		OnCleared:      "In Ordnung, {{ slot }} ist wieder offen.",
		OnSkip:         "",
		OnSkipRefused:  "Ohne das kann ich nicht weitermachen.",
		OnClarify:      "Was meinen Sie?",
		OnChitchat:     "Ich plaudere gern, und am besten bin ich in dem, was ich für Sie tun kann.",
		OnCannotHandle: "Das habe ich nicht verstanden.",
		OnHandoff:      "Ich hole jemanden, der Ihnen hilft und lesen kann, was wir gesagt haben.",
		OnReturn:       "Ich bin wieder für Sie da.",
		OnSilence:      "Sind Sie noch da?",
		OnClose:        "Auf Wiedersehen.",
		OnFailure:      "Leider ging etwas schief, und ich musste aufhören: {{ flow }}.",
		OnRefused:      "{{ reason }} Ich musste aufhören: {{ flow }}.",
		OnCompleted:    "Kann ich sonst noch etwas für Sie tun?",
		OnRepeat:       "Was kann ich für Sie tun?",
	},
	types: map[SlotType]string{
		Text: "ein Text", Number: "eine Zahl", Integer: "eine ganze Zahl", Money: "ein Geldbetrag", Date: "ein Datum", Time: "eine Uhrzeit",
		DateTime: "ein Datum mit Uhrzeit", Choice: "eine der Möglichkeiten", Boolean: "ein Ja oder ein Nein", List: "eine Liste", Object: "das, was hier gebraucht wird",
	},
	notA:       "%s ist nicht %s.",
	impossible: "%s ist hier nicht möglich.",
	options:    []string{"ja", "nein"},
}}

// voice is the dialogue's; nil for English.
func (d *Dialogue) voice() *voice { return voices[phrase.Base(d.settings.Language)] }

// own is the message of a pattern of which the dialogue says nothing.
func (d *Dialogue) own(name PatternName) string {
	if v := d.voice(); v != nil {
		return v.patterns[name]
	}
	return defaultPatterns[name].Message
}

// isNo says that a value, as it is shown, is none of the slot's type.
func (d *Dialogue) isNo(t SlotType, value string) string {
	if v := d.voice(); v != nil {
		return fmt.Sprintf(v.notA, value, v.types[t])
	}
	return fmt.Sprintf("%s is not %s.", value, t.described())
}

// isImpossible says that a value, as it is shown, is not good.
func (d *Dialogue) isImpossible(value string) string {
	if v := d.voice(); v != nil {
		return fmt.Sprintf(v.impossible, value)
	}
	return fmt.Sprintf("%s is not possible here.", value)
}

// replies are the quick replies of a confirmation that names none.
func (d *Dialogue) replies(given []string) []string {
	if v := d.voice(); v != nil && len(given) == 0 {
		return v.options
	}
	return given
}
