package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// durationKind is the type of lengths of time: "PT1H30M" for an hour and a half.
var durationKind = plainKind{facts{
	name: Duration, aliases: []string{"timespan"}, said: phrase.Duration, document: map[string]any{"type": "string", "pattern": `^P(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?$`},
	shows:  func(w showing, v any) string { return w.ShowDuration(shown(v)) },
	traits: traits{labelled: true},
}}
