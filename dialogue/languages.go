package dialogue

import (
	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// languages are those in which dialogues say their default messages and phrases are understood. To add one, write a file
// such as internal/phrase/german.go and list its variable here.
var languages = []*phrase.Language{phrase.English, phrase.German, phrase.French}

// languageOf finds the language of a tag, such as "de-AT"; nil where there is none.
func languageOf(tag string) *phrase.Language {
	base := phrase.BaseOf(tag)
	for _, l := range languages {
		if l.Tag == base || base == "" && l == phrase.English {
			return l
		}
	}
	return nil
}

// languageTags are the tags of all languages, in alphabetic order.
func languageTags() []string {
	tags := make(map[string]bool, len(languages))
	for _, l := range languages {
		tags[l.Tag] = true
	}
	return keysOf(tags)
}

// The keys of the messages for slot types and patterns.
func typeKey(t SlotType) phrase.Key       { return phrase.Key("type." + t) }
func patternKey(p PatternName) phrase.Key { return phrase.Key("pattern." + p) }

// typeText names a type of slots in a sentence: "an amount of money".
func typeText(l *phrase.Language, t SlotType) string {
	if key := typeKey(t); l.Has(key) {
		return l.Say(key, nil)
	}
	return l.Say(typeKey(Object), nil)
}

// notOfType says that a value, as it is shown, has another type than the slot.
func (d *Dialogue) notOfType(t SlotType, value string) string {
	return d.language.Say(phrase.NotOfType, phrase.Args{"value": value, "type": typeText(d.language, t)})
}

// impossible says that a value, as it is shown, is not good.
func (d *Dialogue) impossible(value string) string {
	return d.language.Say(phrase.Impossible, phrase.Args{"value": value})
}

// replies are the quick replies of a confirmation: the given ones, or yes and no.
func (d *Dialogue) replies(given []string) []string {
	if len(given) > 0 {
		return given
	}
	return []string{d.language.Say(phrase.Yes, nil), d.language.Say(phrase.No, nil)}
}
