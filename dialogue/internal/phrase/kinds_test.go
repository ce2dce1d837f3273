package phrase_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	_ "github.com/fermata-go/fermata/internal/lawtest"
)

// spoken are the locales of all languages.
var spoken = []phrase.Locale{euros, deutsch, {Language: phrase.French, Currency: "EUR"}}

// Every fraction of up to a hundred parts is read from the way it is shown, and from the way it is written.
func TestFractionsAreReadBack(t *testing.T) {
	for under := 1; under <= 100; under++ {
		for over := range under + 1 {
			f := float64(over) / float64(under)
			want := json.Number(strconv.FormatFloat(f, 'f', -1, 64))
			for _, loc := range spoken {
				for _, said := range []string{loc.Part(want.String()), fmt.Sprintf("%d/%d", over, under)} {
					if under == 100 && said == fmt.Sprintf("%d/100", over) {
						continue // three digits are no fraction that people write
					}
					if v, ok := loc.Read(phrase.Slot{Kind: phrase.Fraction}, said, now); !certain(v, ok) || v.Value != want {
						t.Fatalf("%q is %+v, want %s", said, v, want)
					}
				}
			}
		}
	}
}

// Every name of a time zone is that zone in every language, and nothing else is.
func TestZonesAreReadBack(t *testing.T) {
	n := 0
	for _, name := range phrase.ZoneNames() {
		n++
		for _, loc := range spoken {
			if v, ok := loc.Read(phrase.Slot{Kind: phrase.TimeZone}, name, now); !certain(v, ok) || v.Value != name {
				t.Errorf("%q in %s is %+v", name, loc.Spoken().Tag, v)
			}
		}
		if _, err := time.LoadLocation(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if n < 400 {
		t.Errorf("%d zones", n)
	}
}

// A range is read from the way it is shown, in every language.
func TestRangesAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc := rapid.SampledFrom(spoken).Draw(t, "language")
		kind := rapid.SampledFrom([]*phrase.Kind{phrase.Number, phrase.Integer, phrase.Money, phrase.Date}).Draw(t, "ends")
		end := func(n int) any {
			if kind == phrase.Date {
				return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n).Format(time.DateOnly)
			}
			return json.Number(strconv.Itoa(n))
		}
		a := rapid.IntRange(0, 5000).Draw(t, "from")
		b := a + rapid.IntRange(0, 5000).Draw(t, "more")
		ends := map[string]any{"from": end(a), "to": end(b)}
		if gone := rapid.SampledFrom([]string{"", "from", "to"}).Draw(t, "gone"); gone != "" {
			delete(ends, gone)
		}
		said := renderRange(loc.Spoken(), ends)
		v, ok := loc.Read(phrase.Slot{Kind: phrase.Range, Items: &phrase.Slot{Kind: kind}}, said, now)
		if !certain(v, ok) || fmt.Sprint(v.Value) != fmt.Sprint(ends) {
			t.Fatalf("%q is %+v, want %v", said, v, ends)
		}
	})
}
