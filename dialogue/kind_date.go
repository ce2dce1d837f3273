package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// dateKind is the type of days of the calendar: "2026-11-25".
var dateKind = plainKind{facts{
	name: Date, said: phrase.Date, document: map[string]any{"type": "string", "format": "date", "pattern": `^\d{4}-\d{2}-\d{2}$`},
	shows:  func(w showing, v any) string { return w.ShowDate(shown(v), w.today) },
	traits: traits{family: days, day: true, labelled: true, distinct: true, ordered: true},
}}
