package dialogue

import (
	"slices"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// Languages are those that are listed.
func Languages() []*phrase.Language { return slices.Clone(languages) }

// WithLanguage lists a language until the test ends.
func WithLanguage(t *testing.T, l *phrase.Language) {
	t.Helper()
	before := languages
	languages = append(slices.Clone(before), l)
	t.Cleanup(func() { languages = before })
}

// DefaultMessage returns the default message of a pattern in a language.
func DefaultMessage(l *phrase.Language, name PatternName, args map[string]any) string {
	return (&Dialogue{language: l}).defaultWords(name, nil, args)
}

// PhraseNLU returns the NLU of a dialogue that needs no model.
func PhraseNLU(d *Dialogue) NLU { return d.defaults.NLU }
