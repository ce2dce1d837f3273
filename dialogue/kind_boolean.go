package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// booleanKind is the type of questions that a yes or a no answers.
var booleanKind = booleanValues{plainKind{facts{
	name: Boolean, aliases: []string{"bool"}, said: phrase.Boolean, document: map[string]any{"type": "boolean"},
	traits: traits{verdict: true},
}}}

type booleanValues struct{ plainKind }

func (booleanValues) few(Slot) []any { return []any{true, false} }
