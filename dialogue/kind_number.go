package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// numberKind is the type of numbers.
var numberKind = plainKind{facts{
	name: Number, aliases: []string{"float"}, said: phrase.Number, document: map[string]any{"type": "number"},
	traits: traits{family: numbers, counts: true, labelled: true, ordered: true},
}}
