package phrase_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

func TestReadContacts(t *testing.T) {
	for _, row := range lines(t, "testdata/contacts.txt") {
		checkRead(t, euros, row)
	}
}

// Every duration of hours and minutes, of days and of months is read from the ways to write it, in English and in German.
func TestDurationsAreReadBack(t *testing.T) {
	for h := range 30 {
		for m := range 60 {
			want := "PT"
			if h > 0 {
				want += fmt.Sprint(h) + "H"
			}
			if m > 0 {
				want += fmt.Sprint(m) + "M"
			}
			if h == 0 && m == 0 || h == 0 {
				continue
			}
			for _, said := range []string{fmt.Sprintf("%d hours and %d minutes", h, m), fmt.Sprintf("%d hrs %d min", h, m)} {
				if m == 0 {
					said = fmt.Sprintf("%d hours", h)
				}
				if v, ok := euros.Read(phrase.Slot{Kind: phrase.Duration}, said, now); !certain(v, ok) || v.Value != want {
					t.Fatalf("%q is %+v, want %s", said, v, want)
				}
			}
		}
	}
	for n := 1; n < 60; n++ {
		for unit, want := range map[string]string{"Tage": fmt.Sprintf("P%dD", n), "Stunden": fmt.Sprintf("PT%dH", n), "Wochen": fmt.Sprintf("P%dD", 7*n)} {
			said := fmt.Sprintf("%d %s", n, unit)
			if v, ok := german.Read(phrase.Slot{Kind: phrase.Duration}, said, now); !certain(v, ok) || v.Value != want {
				t.Errorf("%q is %+v, want %s", said, v, want)
			}
		}
	}
}

// The same digits in any grouping are one telephone number.
func TestPhonesAreReadInGroups(t *testing.T) {
	digits := "49301234567"
	for cut := 2; cut < len(digits)-2; cut++ {
		for _, sign := range []string{" ", "-", "/", ".", " - "} {
			said := "+" + digits[:cut] + sign + digits[cut:]
			v, ok := euros.Read(phrase.Slot{Kind: phrase.Phone}, "call me at "+said, now)
			if !certain(v, ok) || v.Value != "+"+digits {
				t.Errorf("%q is %+v", said, v)
			}
		}
	}
}

// TestNationalPhonesAreReadWithTheirCountry says one number of each country in all the ways that callers dial it: it is one value.
// Without its area, and with too few or too many digits, it is none. In a slot without a country it stays as it is said.
func TestNationalPhonesAreReadWithTheirCountry(t *testing.T) {
	codes := map[string][2]string{ // the code of the country, and what a national number begins with
		"AT": {"43", "0"}, "AU": {"61", "0"}, "BE": {"32", "0"}, "CA": {"1", ""}, "CH": {"41", "0"}, "CZ": {"420", ""}, "DE": {"49", "0"}, "DK": {"45", ""},
		"ES": {"34", ""}, "FI": {"358", "0"}, "FR": {"33", "0"}, "GB": {"44", "0"}, "GR": {"30", ""}, "IE": {"353", "0"}, "IN": {"91", "0"}, "IT": {"39", ""}, "LU": {"352", ""},
		"NL": {"31", "0"}, "NO": {"47", ""}, "NZ": {"64", "0"}, "PL": {"48", ""}, "PT": {"351", ""}, "SE": {"46", "0"}, "US": {"1", ""},
	}
	for _, country := range phrase.PhoneCountries() {
		code, trunk := codes[country][0], codes[country][1]
		digits := map[string]string{"DK": "33123456", "NO": "33123456", "CA": "3312345678", "GR": "3312345678", "IN": "3312345678", "US": "3312345678"}[country]
		if digits == "" {
			digits = "331234567"
		}
		slot, want := phrase.Slot{Kind: phrase.Phone, Country: country}, "+"+code+digits
		grouped := digits[:2] + " " + digits[2:5] + "-" + digits[5:]
		exit := cmp.Or(map[string]string{"AU": "0011", "CA": "011", "US": "011"}[country], "00") // dialled before the code of another country
		says := []string{trunk + digits, trunk + grouped, "(" + trunk + digits[:2] + ") " + digits[2:], "+" + code + " " + grouped, exit + code + " " + grouped, want}
		if trunk != "" {
			says = append(says, "+"+code+" ("+trunk+")"+grouped)
		}
		if code == "1" {
			says = append(says, "1 "+grouped)
		}
		for _, said := range says {
			if v, ok := euros.Read(slot, said, now); !certain(v, ok) || v.Value != want {
				t.Errorf("%s: %q is %+v, want %s", country, said, v, want)
			}
		}
		refused := []string{trunk + digits + "123456"}
		if !slices.Contains([]string{"AT", "DE", "FI", "LU"}, country) { // which have numbers of five digits, and shorter ones
			refused = append(refused, trunk+"33 123")
		}
		if country == "GB" || country == "NZ" {
			refused = append(refused, trunk+digits[:7])
		}
		if exit != "00" {
			refused = append(refused, "0049 30 1234567") // nobody there dials that
		}
		if trunk != "" && country != "IN" {
			refused = append(refused, grouped)
		}
		if code == "1" {
			refused = append(refused, "555 0100")
		}
		for _, said := range refused {
			if v, ok := euros.Read(slot, said, now); ok && v.Reason == "" {
				t.Errorf("%s: %q is %+v, and no number of the country", country, said, v)
			}
		}
		if v, _ := euros.Read(phrase.Slot{Kind: phrase.Phone}, trunk+grouped, now); v.Value != trunk+digits {
			t.Errorf("without a country %q is %v", trunk+grouped, v.Value)
		}
	}
}
