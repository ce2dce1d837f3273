package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// integerKind is the type of whole numbers.
var integerKind = plainKind{facts{
	name: Integer, aliases: []string{"int"}, said: phrase.Integer, document: map[string]any{"type": "integer"},
	traits: traits{family: numbers, counts: true, zero: true, labelled: true, ordered: true},
}}
