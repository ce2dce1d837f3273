package phrase_test

import (
	"testing"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

func TestReadDates(t *testing.T) {
	for _, row := range lines(t, "testdata/dates.txt") {
		checkRead(t, euros, row)
	}
}

func TestReadDatesMonthFirst(t *testing.T) {
	for _, row := range []line{
		{"date", "3/5", `"2027-03-05"`},
		{"date", "3/5/2027", `"2027-03-05"`},
		{"date", "12/25", `"2026-12-25"`},
		{"date", "25/12", `"2026-12-25"`}, // no other order is a day
		{"date", "2027-03-05", `"2027-03-05"`},
	} {
		checkRead(t, phrase.Locale{}, row)
	}
}

// Days depend on today: over a weekend, at the end of a month and in February.
func TestReadDatesOnOtherDays(t *testing.T) {
	for _, tt := range []struct{ today, said, want string }{
		{"2026-11-27", "friday", "2026-12-04"}, // a Friday
		{"2026-11-27", "this friday", "2026-11-27"},
		{"2026-11-27", "next friday", "2026-12-04"},
		{"2026-11-27", "last friday", "2026-11-20"},
		{"2026-11-28", "next friday", "2026-12-04"}, // a Saturday
		{"2026-11-29", "next friday", "2026-12-04"}, // a Sunday
		{"2026-11-29", "monday", "2026-11-30"},
		{"2026-11-29", "next monday", "2026-11-30"},
		{"2026-11-30", "next monday", "2026-12-07"}, // a Monday
		{"2026-11-30", "next friday", "2026-12-11"},
		{"2026-01-31", "in a month", "2026-02-28"},
		{"2028-01-31", "in a month", "2028-02-29"},
		{"2026-01-31", "the 31st", "2026-01-31"},
		{"2026-02-01", "the 31st", "2026-03-31"},
		{"2026-02-01", "the 30th", "2026-03-30"},
		{"2026-02-28", "tomorrow", "2026-03-01"},
		{"2028-02-28", "tomorrow", "2028-02-29"},
		{"2028-02-29", "29 February", "2028-02-29"},
		{"2028-03-01", "29 February", "2032-02-29"},
		{"2096-03-01", "29 February", "2104-02-29"}, // 2100 is no leap year
		{"2026-12-31", "tomorrow", "2027-01-01"},
		{"2026-12-31", "the end of the year", "2026-12-31"},
		{"2026-12-31", "the first of next month", "2027-01-01"},
		{"2024-02-29", "in a year", "2025-02-28"},
	} {
		at, err := time.Parse(time.DateOnly, tt.today)
		if err != nil {
			t.Fatal(err)
		}
		v, ok := euros.Read(phrase.Slot{Kind: phrase.Date}, tt.said, at)
		if !ok || v.Value != tt.want {
			t.Errorf("on %s %q is %+v, want %s", tt.today, tt.said, v, tt.want)
		}
	}
}

// What day it is depends on where it is asked.
func TestZones(t *testing.T) {
	zone := func(name string) *time.Location {
		t.Helper()
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	at := func(text string) time.Time {
		t.Helper()
		u, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, tt := range []struct {
		zone, now string
		kind      *phrase.Kind
		said      string
		want      any
		reason    string
	}{
		{"Asia/Tokyo", "2026-11-25T20:00:00Z", phrase.Date, "today", "2026-11-26", ""},
		{"America/New_York", "2026-11-26T02:00:00Z", phrase.Date, "tomorrow", "2026-11-26", ""},
		{"Europe/Berlin", "2026-11-25T09:00:00Z", phrase.DateTime, "tomorrow at 3pm", "2026-11-26T15:00:00+01:00", ""},
		{"Europe/Berlin", "2026-11-25T09:00:00Z", phrase.DateTime, "2027-07-01T12:00:00Z", "2027-07-01T14:00:00+02:00", ""},
		{"Europe/Berlin", "2026-11-25T09:00:00Z", phrase.DateTime, "in two hours", "2026-11-25T12:00:00+01:00", ""},
		{"Europe/Berlin", "2027-03-28T00:30:00Z", phrase.DateTime, "in two hours", "2027-03-28T04:30:00+02:00", ""}, // over the gap
		{"Europe/Berlin", "2026-11-25T09:00:00Z", phrase.DateTime, "2027-03-28 at 2:30am", nil, "There is no 02:30 on 28 March 2027: the clocks go forward."},
		{"Europe/Berlin", "2026-11-25T09:00:00Z", phrase.DateTime, "2027-10-31 at 2:30am", "2027-10-31T02:30:00+02:00", ""}, // the first of two
		{"America/New_York", "2026-11-25T09:00:00Z", phrase.DateTime, "7 November 2027 at 1:30am", "2027-11-07T01:30:00-04:00", ""},
		{"Australia/Lord_Howe", "2026-11-25T09:00:00Z", phrase.DateTime, "4 April 2027 at 1:45am", "2027-04-04T01:45:00+11:00", ""}, // half an hour
	} {
		loc := phrase.Locale{Zone: zone(tt.zone), DayFirst: true}
		v, ok := loc.Read(phrase.Slot{Kind: tt.kind}, tt.said, at(tt.now))
		if !ok || v.Value != tt.want || v.Reason != tt.reason {
			t.Errorf("%s, %s: %q is %+v, want %v%s", tt.zone, tt.now, tt.said, v, tt.want, tt.reason)
		}
	}
}

// Every day and every minute is read back from how it is written.
func TestDatesAndTimesAreReadBack(t *testing.T) {
	for n := range 800 {
		want := now.AddDate(0, 0, n).Format(time.DateOnly)
		d := now.AddDate(0, 0, n)
		for _, layout := range []string{time.DateOnly, "2 January 2006", "January 2, 2006", "02.01.2006", "2/1/2006", "Mon 2 Jan 2006", "Monday, 2 January 2006"} {
			said := d.Format(layout)
			if v, ok := euros.Read(phrase.Slot{Kind: phrase.Date}, said, now); !ok || v.Value != want || v.Score != 1 {
				t.Fatalf("%q is %+v, want %s", said, v, want)
			}
		}
	}
	for n := range 24 * 60 {
		at := now.Truncate(24 * time.Hour).Add(time.Duration(n) * time.Minute)
		for _, layout := range []string{"15:04", "15.04", "3:04pm", "3:04 PM"} {
			said := at.Format(layout)
			if v, ok := euros.Read(phrase.Slot{Kind: phrase.Time}, said, now); !ok || v.Value != at.Format("15:04") {
				t.Fatalf("%q is %+v, want %s", said, v, at.Format("15:04"))
			}
		}
	}
}
