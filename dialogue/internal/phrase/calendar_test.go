package phrase_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// A holiday is read for the calendars that are declared, and for no others.
func TestHolidaysOfDeclaredCalendars(t *testing.T) {
	at := time.Date(2026, 11, 25, 9, 10, 0, 0, time.UTC)
	for _, tt := range []struct {
		loc        phrase.Locale
		said, want string
	}{
		{phrase.Locale{Calendars: []string{"christian"}}, "easter", "2027-03-28"},
		{phrase.Locale{Calendars: []string{"christian"}}, "last easter", "2026-04-05"},
		{phrase.Locale{Calendars: []string{"christian"}}, "good friday 2030", "2030-04-19"},
		{phrase.Locale{Calendars: []string{"christian"}}, "three days after easter", "2027-03-31"},
		{phrase.Locale{Calendars: []string{"us"}}, "thanksgiving", "2026-11-26"},
		{phrase.Locale{Calendars: []string{"us"}}, "black friday of next year", "2027-11-26"},
		{phrase.Locale{Calendars: []string{"us"}}, "mother's day", "2027-05-09"},
		{phrase.Locale{Calendars: []string{"uk"}}, "mother's day", "2027-03-07"},
		{phrase.Locale{Language: phrase.German, Calendars: []string{"christian"}}, "erster Advent", "2026-11-29"},
		{phrase.Locale{Language: phrase.German, Calendars: []string{"christian"}}, "Buß- und Bettag 2027", "2027-11-17"},
		{phrase.Locale{Language: phrase.German, Calendars: []string{"de"}}, "Tag der Deutschen Einheit", "2027-10-03"},
		{phrase.Locale{Language: phrase.German, Calendars: []string{"de-th"}}, "Weltkindertag", "2027-09-20"},
		{phrase.Locale{Language: phrase.German, Calendars: []string{"christian"}}, "Ostermontag nächstes Jahr", "2027-03-29"},
		{phrase.Locale{Language: phrase.German, Calendars: []string{"christian"}}, "zwei Wochen vor Ostern", "2027-03-14"},
		{phrase.Locale{Language: phrase.German, Calendars: []string{"christian"}}, "1. Advent", "2026-11-29"},
		{phrase.Locale{Language: phrase.French, Calendars: []string{"fr"}}, "lundi de Pâques", "2027-03-29"},
		{phrase.Locale{Language: phrase.French, Calendars: []string{"fr"}}, "la fête des Mères 2026", "2026-05-31"},
		{phrase.Locale{Language: phrase.French, Calendars: []string{"fr"}}, "fête des Mères 2020", "2020-06-07"},
		{phrase.Locale{Calendars: []string{"christian"}}, "easter in two years", "2028-04-16"},
		{phrase.Locale{Calendars: []string{"christian"}}, "easter two years ago", "2024-03-31"},
		{phrase.Locale{Calendars: []string{"christian"}}, "Easter Monday next year", "2027-03-29"},
		{phrase.Locale{Calendars: []string{"us"}}, "St. Patrick's Day", "2027-03-17"},
		{phrase.Locale{Calendars: []string{"us"}}, "saint paddys day", "2027-03-17"},
		{phrase.Locale{Calendars: []string{"us"}}, "president day", "2027-02-15"},
		{phrase.Locale{Calendars: []string{"us"}}, "the day after thanksgiving", "2026-11-27"},
		{phrase.Locale{Calendars: []string{"us"}}, "tax day 2017", "2017-04-18"},
		{phrase.Locale{Calendars: []string{"uk"}}, "summer bank holiday", "2027-08-30"},
	} {
		slot := phrase.Slot{Kind: phrase.Date}
		if v, ok := tt.loc.Read(slot, tt.said, at); !certain(v, ok) || v.Value != tt.want {
			t.Errorf("%q is %+v, want %s", tt.said, v, tt.want)
		}
		if v, ok := tt.loc.Read(slot, "chinese "+tt.said, at); certain(v, ok) {
			t.Errorf("%q is certainly %v", "chinese "+tt.said, v.Value)
		}
		none := tt.loc
		none.Calendars = nil
		if v, ok := none.Read(slot, tt.said, at); certain(v, ok) {
			t.Errorf("without a calendar %q is certainly %v", tt.said, v.Value)
		}
	}
	for year, want := range map[int]string{1961: "1961-04-02", 2000: "2000-04-23", 2008: "2008-03-23", 2038: "2038-04-25", 2076: "2076-04-19", 2285: "2285-03-22"} {
		said := fmt.Sprint("easter ", year)
		if v, _ := (phrase.Locale{Calendars: []string{"christian"}}).Read(phrase.Slot{Kind: phrase.Date}, said, at); v.Value != want {
			t.Errorf("%s is %v, want %s", said, v.Value, want)
		}
	}
	for year, want := range map[int]string{1961: "1961-04-09", 2000: "2000-04-30", 2018: "2018-04-08", 2024: "2024-05-05", 2025: "2025-04-20", 2100: "2100-05-02"} {
		said := fmt.Sprint("orthodox easter ", year)
		if v, _ := (phrase.Locale{Calendars: []string{"orthodox"}}).Read(phrase.Slot{Kind: phrase.Date}, said, at); v.Value != want {
			t.Errorf("%s is %v, want %s", said, v.Value, want)
		}
	}
	if all := strings.Join(phrase.Calendars(), " "); !strings.HasPrefix(all, "christian de de-bb de-be") || !strings.HasSuffix(all, "fr international orthodox uk us") || len(phrase.Calendars()) != 23 {
		t.Error(all)
	}
}

// Holidays that all calendars have need none, and are said as others are.
func TestHolidaysOfNoCalendar(t *testing.T) {
	for said, want := range map[string]string{
		"christmas": "2026-12-25", "next christmas": "2026-12-25", "last christmas": "2025-12-25", "christmas next year": "2027-12-25", "christmas 2031": "2031-12-25",
		"the day after christmas": "2026-12-26", "two weeks before christmas": "2026-12-11", "halloween in 2 years": "2028-10-31",
	} {
		if v, ok := (phrase.Locale{}).Read(phrase.Slot{Kind: phrase.Date}, said, time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)); !certain(v, ok) || v.Value != want {
			t.Errorf("%q is %+v, want %s", said, v, want)
		}
	}
}

// Of a holiday that is just over nobody knows whether the last or the next one is meant, nor of one name in two calendars.
func TestHolidaysThatAreAskedAbout(t *testing.T) {
	both := phrase.Locale{Calendars: []string{"us", "uk"}}
	for _, tt := range []struct {
		now, said string
		certain   bool
	}{
		{"2026-12-28", "christmas", false},
		{"2026-12-28", "christmas at 3pm", false},
		{"2026-12-28", "the day after christmas", false},
		{"2026-12-28", "next christmas", true},
		{"2026-12-28", "last christmas", true},
		{"2026-12-28", "christmas 2026", true},
		{"2026-12-25", "christmas", true},
		{"2027-01-20", "christmas", true},
		{"2027-01-03", "christmas", false},
		{"2027-01-05", "new year", false},
		{"2026-12-28", "mother's day", false},
		{"2026-12-28", "father's day", true},
		{"2026-12-28", "a year after christmas", false},
	} {
		at, err := time.Parse(time.DateOnly, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		kind := phrase.Date
		if strings.Contains(tt.said, "3pm") {
			kind = phrase.DateTime
		}
		if v, ok := both.Read(phrase.Slot{Kind: kind}, tt.said, at); certain(v, ok) != tt.certain {
			t.Errorf("on %s %q is %+v, certain: want %v", tt.now, tt.said, v, tt.certain)
		}
	}
}

// Every holiday of every calendar, by its name and its day, is that holiday in each language that has a name for it.
func TestHolidaysAreReadBack(t *testing.T) {
	at, n := time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC), 0
	for _, loc := range spoken {
		for _, calendar := range phrase.Calendars() {
			loc.Calendars = []string{calendar}
			for _, year := range []int{2024, 2027, 2038} {
				for d := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() == year; d = d.AddDate(0, 0, 1) {
					date := d.Format(time.DateOnly)
					for _, name := range loc.Holidays(date) {
						n++
						for _, said := range []string{fmt.Sprintf("%s (%s)", name, date), fmt.Sprint(name, " ", year)} {
							v, ok := loc.Read(phrase.Slot{Kind: phrase.Holiday}, said, at)
							if want := fmt.Sprint(map[string]any{"date": date, "name": name}); !certain(v, ok) || fmt.Sprint(v.Value) != want {
								t.Errorf("%s, %s: %q is %+v, want %s", loc.Spoken().Tag, calendar, said, v, want)
							}
						}
					}
				}
			}
		}
	}
	if n < 1000 {
		t.Errorf("%d holidays", n)
	}
}

// A slot of holidays takes days that have a name, and no others.
func TestReadHolidays(t *testing.T) {
	loc := phrase.Locale{Calendars: []string{"christian", "us"}}
	for said, want := range map[string]string{
		"easter monday": `{"date":"2027-03-29","name":"Easter Monday"}`, "the day after christmas please": `{"date":"2026-12-26","name":"St Stephen's Day"}`,
		"25 december 2030": `{"date":"2030-12-25","name":"Christmas"}`, "last thanksgiving": `{"date":"2025-11-27","name":"Thanksgiving"}`,
		"4th of july": `{"date":"2027-07-04","name":"Independence Day"}`, "easter or christmas": "! Which one do you mean: easter or christmas?", "not easter": "-",
		"3 may 2027": `! I know no holiday called “3 may 2027”.`, "three weeks before easter": `! I know no holiday called “three weeks before easter”.`,
		"chinese new year": `{"date":"2027-01-01","name":"New Year's Day"} ? chinese`, "easter monday (2027-04-01)": "! Which one do you mean: easter monday or 2027-04-01?",
	} {
		v, ok := loc.Read(phrase.Slot{Kind: phrase.Holiday}, said, time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC))
		got := "-"
		switch {
		case ok && v.Reason != "":
			got = "! " + v.Reason
		case ok:
			if got = marshal(t, v.Value); v.Left != "" {
				got += " ? " + v.Left
			}
		}
		if got != want {
			t.Errorf("%q is %s, want %s", said, got, want)
		}
	}
}
