package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// dateKind is the type of days of the calendar: "2026-11-25".
var dateKind = dateValues{plainKind{facts{
	name: Date, said: phrase.Date, document: map[string]any{"type": "string", "format": "date", "pattern": `^\d{4}-\d{2}-\d{2}$`},
	traits: traits{family: days, day: true, labelled: true, distinct: true, ordered: true},
}}}

type dateValues struct{ plainKind }

// show is the day as people write it: "Friday 27 November".
func (dateValues) show(w showing, _ Slot, v any) string { return w.ShowDate(shown(v), w.today) }
