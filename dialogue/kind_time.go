package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// timeKind is the type of times of the day: "15:30".
var timeKind = plainKind{facts{
	name: Time, said: phrase.Time, document: map[string]any{"type": "string", "pattern": `^([01]\d|2[0-3]):[0-5]\d$`},
	shows:  func(w showing, v any) string { return w.clock(w.ShowTime(shown(v))) },
	traits: traits{family: times, labelled: true, distinct: true},
}}
