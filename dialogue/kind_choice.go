package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// choiceKind is the type of slots that hold one of their choices.
var choiceKind = choiceValues{plainKind{facts{
	name: Choice, aliases: []string{"enum", "categorical"}, said: phrase.Single,
	traits: traits{labelled: true, distinct: true, named: true, choices: true},
}}}

type choiceValues struct{ plainKind }

// show is the choice's label.
func (choiceValues) show(_ showing, s Slot, v any) string {
	for _, c := range s.Choices {
		if c.Value == v && c.Label != "" {
			return c.Label
		}
	}
	return shown(v)
}

func (k choiceValues) document(s Slot) any { return map[string]any{"type": "string", "enum": k.few(s)} }

func (choiceValues) few(s Slot) []any {
	values := make([]any, len(s.Choices))
	for i, c := range s.Choices {
		values[i] = c.Value
	}
	return values
}
