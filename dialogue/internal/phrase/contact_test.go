package phrase_test

import (
	"fmt"
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
