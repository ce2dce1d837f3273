package dialogue

import (
	"testing"
	"time"
)

// TestAMissingTimeKeepsTheDay answers the question for a moment with a day alone, and then with a time: the day holds.
func TestAMissingTimeKeepsTheDay(t *testing.T) {
	for _, tt := range []struct{ name, day, at, want string }{
		{"rental_en", "Monday", "at 10", "2026-11-23T10:00:00Z"},
		{"rental_en", "tomorrow", "half past nine", "2026-11-21T09:30:00Z"},
		{"rental_en", "3 December", "10am", "2026-12-03T10:00:00Z"},
		{"rental_en", "3 December", "Friday at 10am", "2026-11-27T10:00:00Z"},
		{"rental_en", "hm", "at 10", "2026-11-21T10:00:00Z (10)?"}, // no day is known: it is asked about
		{"rental_de", "Montag", "um 10", "2026-11-23T10:00:00+01:00"},
		{"rental_de", "morgen", "halb zehn", "2026-11-21T09:30:00+01:00"},
		{"rental_de", "3. Dezember", "10 Uhr", "2026-12-03T10:00:00+01:00"},
		{"rental_fr", "lundi", "à 10h", "2026-11-23T10:00:00+01:00"},
		{"rental_fr", "demain", "neuf heures et demie", "2026-11-21T09:30:00+01:00"},
	} {
		d := example(t, tt.name)
		turn := turnAt(t, d, `[stay asks arrival] period={"from":"2026-12-04","to":"2026-12-06"}`)
		turn.Now = time.Date(2026, 11, 20, 10, 30, 0, 0, d.zone)
		q := turn.Pending.Prompt
		turn.Lines = []Line{{By: byBot, Text: q}, {By: byUser, Text: tt.day}, {By: byBot, Text: "?"}, {By: byBot, Text: q}, {By: byUser, Text: tt.at}}
		turn.Text = tt.at
		if got, want := understoodAs(t, d, turn), "arrival="+tt.want; got != want {
			t.Errorf("%s: %q and %q: expected %s, found %s", tt.name, tt.day, tt.at, want, got)
		}
		if turn.Lines[0].Text = "another question"; tt.day != "hm" && tt.at != "Friday at 10am" {
			if got := understoodAs(t, d, turn); got == "arrival="+tt.want && tt.day != "tomorrow" && tt.day != "morgen" && tt.day != "demain" {
				t.Errorf("%s: the day of another question is taken: %q", tt.name, tt.day)
			}
		}
	}
}
