package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// percentKind is the type of percentages: 50 for "50%".
var percentKind = plainKind{facts{
	name: Percent, aliases: []string{"percentage"}, said: phrase.Percent, document: map[string]any{"type": "number"},
	shows:  func(w showing, v any) string { return w.ShowPercent(shown(v), w.behind) },
	traits: traits{family: numbers, labelled: true, ordered: true},
}}
