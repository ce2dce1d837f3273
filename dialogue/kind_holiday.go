package dialogue

import (
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// holidayKind is the type of holidays of the dialogue's calendars: {"date": "2027-03-29", "name": "Easter Monday"}.
var holidayKind = holidayValues{plainKind{facts{
	name: Holiday, aliases: []string{"feast"}, said: phrase.Holiday,
	document: map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"date", "name"},
		"properties": map[string]any{"date": dateKind.facts.document, "name": map[string]any{"type": "string"}},
	},
	traits: traits{labelled: true, whole: true},
}}}

type holidayValues struct{ plainKind }

func (holidayValues) complete(c *compiler, _ *Slot, path string) bool {
	if len(c.d.settings.Holidays) > 0 {
		return true
	}
	c.fault(path+".type", "a slot of type holiday needs calendars, such as settings: {holidays: [christian]}; there are %s", strings.Join(phrase.Calendars(), ", "))
	return false
}

func (holidayValues) wrong(d *Dialogue, _ Slot, v any) string {
	holiday, _ := v.(map[string]any)
	date, _ := holiday["date"].(string)
	name, _ := holiday["name"].(string)
	if !slices.Contains(d.locale.Holidays(date), name) {
		return d.language.Say(phrase.NoHoliday, phrase.Args{"said": d.language.Quote(name + ", " + d.locale.ShowDay(date))})
	}
	return ""
}

// show is the name with the date: "Easter Monday (29 March 2027)".
func (holidayValues) show(w showing, _ Slot, v any) string {
	holiday, ok := v.(map[string]any)
	if !ok {
		return w.plain(v)
	}
	return w.Spoken().Say(phrase.HolidayShown, phrase.Args{"name": shown(holiday["name"]), "date": w.ShowDay(shown(holiday["date"]))})
}

func (holidayValues) read(d *Dialogue, sl *slot, text string, now time.Time) (any, error) {
	return readObject(d, sl, text, now)
}

func (holidayValues) about(Slot) string { return "holiday, as its date and its name" }

// readObject reads what was said, or the value as JSON.
func readObject(d *Dialogue, sl *slot, text string, now time.Time) (any, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if object, err := decoded([]byte(text)); err == nil {
			return object, nil
		}
	}
	return d.spoken(sl, text, now)
}
