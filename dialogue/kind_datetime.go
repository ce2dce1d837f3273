package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// dateTimeKind is the type of moments: "2026-11-25T15:30:00+01:00".
var dateTimeKind = dateTimeValues{plainKind{facts{
	name: DateTime, aliases: []string{"timestamp"}, said: phrase.DateTime, document: map[string]any{"type": "string", "format": "date-time"},
	traits: traits{family: days, moment: true, labelled: true, distinct: true},
}}}

type dateTimeValues struct{ plainKind }

// show is the moment as people write it: "Friday 27 November at 19:00".
func (dateTimeValues) show(w showing, _ Slot, v any) string { return w.ShowMoment(shown(v), w.today) }
