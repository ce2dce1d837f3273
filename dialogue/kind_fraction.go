package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// fractionKind is the type of parts of a whole: 0.75 for "three quarters".
var fractionKind = fractionValues{plainKind{facts{
	name: Fraction, aliases: []string{"share", "ratio"}, said: phrase.Fraction, document: map[string]any{"type": "number", "minimum": 0},
	traits: traits{family: numbers, labelled: true},
}}}

type fractionValues struct{ plainKind }

// show is the fraction as people write it: 3/4 for 0.75.
func (fractionValues) show(w showing, _ Slot, v any) string {
	return w.Part(shown(v))
}

func (fractionValues) about(Slot) string { return "fraction, as a number: 0.5 for a half" }
