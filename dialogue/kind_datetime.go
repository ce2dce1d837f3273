package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// dateTimeKind is the type of moments: "2026-11-25T15:30:00+01:00".
var dateTimeKind = plainKind{facts{
	name: DateTime, aliases: []string{"timestamp"}, said: phrase.DateTime, document: map[string]any{"type": "string", "format": "date-time"},
	shows:  func(w showing, v any) string { return w.clock(w.ShowMoment(shown(v), w.today)) },
	traits: traits{family: days, moment: true, labelled: true, distinct: true},
}}
