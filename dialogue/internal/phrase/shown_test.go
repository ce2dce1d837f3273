package phrase_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"pgregory.net/rapid"
)

var shownIn = []*phrase.Language{phrase.English, phrase.German, phrase.French}

// TestValuesAreShownAsPeopleWriteThem is a table in three languages.
func TestValuesAreShownAsPeopleWriteThem(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	const today = "2026-11-20"
	for _, c := range []struct {
		what string
		show func(l phrase.Locale) string
		want [3]string
	}{
		{"a near day", func(l phrase.Locale) string { return l.ShowDate("2026-11-27", today) }, [3]string{"Friday 27 November", "Freitag, 27. November", "vendredi 27 novembre"}},
		{"today", func(l phrase.Locale) string { return l.ShowDate(today, today) }, [3]string{"Friday 20 November", "Freitag, 20. November", "vendredi 20 novembre"}},
		{"a far day", func(l phrase.Locale) string { return l.ShowDate("2027-12-01", today) }, [3]string{"Wednesday 1 December 2027", "Mittwoch, 1. Dezember 2027", "mercredi 1er décembre 2027"}},
		{"a day that is over", func(l phrase.Locale) string { return l.ShowDate("1990-03-05", today) }, [3]string{"Monday 5 March 1990", "Montag, 5. März 1990", "lundi 5 mars 1990"}},
		{"a day where today is not known", func(l phrase.Locale) string { return l.ShowDate("2026-11-27", "") }, [3]string{"Friday 27 November 2026", "Freitag, 27. November 2026", "vendredi 27 novembre 2026"}},
		{"no day", func(l phrase.Locale) string { return l.ShowDate("soon", today) }, [3]string{"soon", "soon", "soon"}},
		{"a moment", func(l phrase.Locale) string { return l.ShowMoment("2026-11-27T18:00:00Z", today) }, [3]string{"Friday 27 November at 19:00", "Freitag, 27. November um 19:00", "vendredi 27 novembre à 19 h"}},
		{"a moment with seconds", func(l phrase.Locale) string { return l.ShowMoment("2026-12-01T02:17:22+01:00", today) }, [3]string{"Tuesday 1 December at 02:17", "Dienstag, 1. Dezember um 02:17", "mardi 1er décembre à 02 h 17"}},
		{"a time", func(l phrase.Locale) string { return l.ShowTime("12:30") }, [3]string{"12:30", "12:30", "12 h 30"}},
		{"no time", func(l phrase.Locale) string { return l.ShowTime("noon") }, [3]string{"noon", "noon", "noon"}},
		{"a day", func(l phrase.Locale) string { return l.ShowDuration("P1D") }, [3]string{"1 day", "1 Tag", "1 jour"}},
		{"days", func(l phrase.Locale) string { return l.ShowDuration("P17D") }, [3]string{"17 days", "17 Tage", "17 jours"}},
		{"months and minutes", func(l phrase.Locale) string { return l.ShowDuration("P2Y1M3DT1H30M5S") }, [3]string{"2 years, 1 month, 3 days, 1 hour, 30 minutes and 5 seconds", "2 Jahre, 1 Monat, 3 Tage, 1 Stunde, 30 Minuten und 5 Sekunden", "2 ans, 1 mois, 3 jours, 1 heure, 30 minutes et 5 secondes"}},
		{"no length of time", func(l phrase.Locale) string {
			return l.ShowDuration("P3X") + l.ShowDuration("PT") + l.ShowDuration("soon")
		}, [3]string{"P3XPTsoon", "P3XPTsoon", "P3XPTsoon"}},
		{"a percentage", func(l phrase.Locale) string { return l.ShowPercent("2.5", "") }, [3]string{"2.5%", "2,5 %", "2,5 %"}},
		{"a percentage that is named", func(l phrase.Locale) string { return l.ShowPercent("2.5", " % off") }, [3]string{"2.5", "2,5", "2,5"}},
		{"a number", func(l phrase.Locale) string { return l.ShowNumber("-2.5") }, [3]string{"-2.5", "-2,5", "-2,5"}},
		{"a zone", func(l phrase.Locale) string { return l.ShowZone("America/New_York") }, [3]string{"New York", "New York", "New York"}},
		{"a zone of a rare name", func(l phrase.Locale) string { return l.ShowZone("Pacific/Easter") }, [3]string{"Pacific Easter", "Pacific Easter", "Pacific Easter"}},
		{"an offset", func(l phrase.Locale) string {
			return l.ShowZone("Etc/GMT-2") + l.ShowZone("Etc/GMT+3") + l.ShowZone("UTC")
		}, [3]string{"UTC+2UTC-3UTC", "UTC+2UTC-3UTC", "UTC+2UTC-3UTC"}},
		{"cents", func(l phrase.Locale) string { return l.ShowMoney("49.9") }, [3]string{"€49.90", "49,90 €", "49,90 €"}},
		{"a whole amount", func(l phrase.Locale) string { return l.ShowMoney("50") }, [3]string{"€50", "50 €", "50 €"}},
		{"a debt", func(l phrase.Locale) string { return l.ShowMoney("-5.5") }, [3]string{"-€5.50", "-5,50 €", "-5,50 €"}},
		{"another currency", func(l phrase.Locale) string { l.Currency = "CHF"; return l.ShowMoney("5.5") }, [3]string{"CHF 5.50", "5,50 CHF", "5,50 CHF"}},
		{"no currency", func(l phrase.Locale) string { l.Currency = ""; return l.ShowMoney("5.5") }, [3]string{"5.5", "5,5", "5,5"}},
	} {
		for i, language := range shownIn {
			if got := c.show(phrase.Locale{Language: language, Zone: paris, Currency: "EUR"}); got != c.want[i] {
				t.Errorf("%s in %s: %q, want %q", c.what, language.Tag, got, c.want[i])
			}
		}
	}
}

// TestACurrencyIsNamedOnce tells the words beside an amount that name its currency from others.
func TestACurrencyIsNamedOnce(t *testing.T) {
	for _, c := range []struct {
		before, behind string
		want           bool
	}{{"Send ", " euros to Bob", true}, {"Send €", "", true}, {"", " EUR", true}, {"Send ", " to Bob", false}, {"", "", false}, {"", ".", false}, {"In euros it is ", ".", false}} {
		if got := (phrase.Locale{Currency: "EUR"}).NamesCurrency(c.before, c.behind); got != c.want {
			t.Errorf("%q … %q: %v", c.before, c.behind, got)
		}
	}
}

// TestWhatIsShownIsReadAsTheSame says back what was shown: it is the same value, or it is asked about.
func TestWhatIsShownIsReadAsTheSame(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	same, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		l := phrase.Locale{Language: rapid.SampledFrom(shownIn).Draw(t, "language"), Zone: zone, Currency: rapid.SampledFrom([]string{"EUR", "USD", "GBP", "JPY", "INR", "CHF", "KWD", ""}).Draw(t, "currency")}
		now := time.Date(2026, 1, 1, 10, 0, 0, 0, zone).AddDate(0, 0, rapid.IntRange(0, 1500).Draw(t, "today"))
		today := now.Format(time.DateOnly)
		day := now.AddDate(0, 0, rapid.IntRange(-20000, 20000).Draw(t, "days"))
		if rapid.Bool().Draw(t, "near?") {
			day = now.AddDate(0, 0, rapid.IntRange(-10, 400).Draw(t, "days from today"))
		}
		at := time.Date(day.Year(), day.Month(), day.Day(), rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute"), 0, 0, zone)
		cents := rapid.IntRange(1, 10_000_000).Draw(t, "cents")
		amount := json.Number(fmt.Sprint(cents / 100))
		if l.Currency != "JPY" && cents%100 != 0 {
			amount = json.Number(fmt.Sprintf("%d.%02d", cents/100, cents%100))
		}
		length := rapid.SampledFrom([]string{"P%dY", "P%dM", "P%dD", "P%dDT3H", "PT%dH", "PT%dM", "PT%dH30M", "PT2H%dM5S"}).Draw(t, "length")
		length = fmt.Sprintf(length, rapid.IntRange(1, 11).Draw(t, "of"))
		name := rapid.SampledFrom(phrase.ZoneNames()).Draw(t, "zone")
		percent := json.Number(rapid.SampledFrom([]string{"5", "12.5", "100", "0.25", "-3"}).Draw(t, "percent"))
		for _, c := range []struct {
			kind  *phrase.Kind
			shown string
			want  any
		}{
			{phrase.Date, l.ShowDate(at.Format(time.DateOnly), today), at.Format(time.DateOnly)},
			{phrase.DateTime, l.ShowMoment(at.Format(time.RFC3339), today), at.Format(time.RFC3339)},
			{phrase.Money, l.ShowMoney(amount.String()), amount},
			{phrase.Time, l.ShowTime(at.Format("15:04")), at.Format("15:04")},
			{phrase.Duration, l.ShowDuration(length), length},
			{phrase.TimeZone, l.ShowZone(name), name},
			{phrase.Percent, l.ShowPercent(percent.String(), ""), percent},
		} {
			if rawForm.MatchString(c.shown) {
				t.Errorf("%s %v is shown as %q", l.Language.Tag, c.want, c.shown)
			}
			v, ok := l.Read(phrase.Slot{Kind: c.kind}, c.shown, now)
			all++
			switch {
			case !ok, v.Reason != "", v.Left != "":
			case fmt.Sprint(v.Value) == fmt.Sprint(c.want), c.kind == phrase.Money && equalNumbers(v.Value, c.want):
				same++
			default:
				t.Errorf("%s %v is shown as %q on %s, and read as %v", l.Language.Tag, c.want, c.shown, today, v.Value)
			}
		}
	})
	if same*10 < all*9 {
		t.Errorf("%d of %d values are read without a question, and nine of ten at least were", same, all)
	}
	t.Logf("%d of %d values are read as they were shown", same, all)
}

// rawForm is a form that programs write values in.
var rawForm = regexp.MustCompile(`\d{4}-\d\d|\bP(T?\d+[YMDHS])+\b|[A-Za-z]/[A-Z]|\w_\w|[\[{}\]]|\d\d:\d\d:|\b(true|false|null)\b`)

func equalNumbers(a, b any) bool {
	x, _ := a.(json.Number)
	y, _ := b.(json.Number)
	f, _ := x.Float64()
	g, _ := y.Float64()
	return x != "" && f == g
}
