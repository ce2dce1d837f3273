package dialogue

import (
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// timeZoneKind is the type of time zones, by their names in the IANA database: "Europe/Berlin".
var timeZoneKind = timeZoneValues{plainKind{facts{
	name: TimeZone, aliases: []string{"timezone", "zone"}, said: phrase.TimeZone, document: map[string]any{"type": "string", "pattern": `^[A-Z][A-Za-z0-9_+/-]+$`},
	traits: traits{labelled: true},
}}}

type timeZoneValues struct{ plainKind }

// read takes nothing as it stands: "CST" has the form of a name, and is that of three zones.
func (timeZoneValues) read(d *Dialogue, sl *slot, text string, now time.Time) (any, error) {
	if phrase.IsZone(text) {
		return text, nil
	}
	return d.inWords(sl, text, now)
}

func (timeZoneValues) wrong(d *Dialogue, _ Slot, v any) string {
	if name, _ := v.(string); !phrase.IsZone(name) {
		return d.language.Say(phrase.NoZone, phrase.Args{"said": d.language.Quote(shown(v))})
	}
	return ""
}

// show is the zone as people call it: "New York".
func (timeZoneValues) show(w showing, _ Slot, v any) string { return w.ShowZone(shown(v)) }

func (timeZoneValues) about(Slot) string { return "time zone, by its IANA name: Europe/Berlin" }
