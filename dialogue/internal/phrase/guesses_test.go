package phrase_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// A wrong value is worse than none. These are classes of texts of which a part was once taken for the whole.

// A word of the language is no slip for a word of values: "thirsty" is not thirty, "hiver" is not hier. Nor has it the meaning that
// the grammar's English word has: "ich tue" is no Tuesday.
func TestWordsAreNoSlips(t *testing.T) {
	words := map[string]string{
		"en": `thirsty flour foul threw steven nina fort semen halt halo hale dozed christian mourning weed moth pint menus minds mines sever fist elements jane jude judy julia marc marsh ties tour tours thugs tubes sees seas miss
			starling stealing spelling random rental lisa reel crowd monte nile nike teeth tents toddy sundae`,
		"de": `mögen mach komm halten hals halle haube froh erde tragen mary julia mark morgan jane tour tue Hüte geistern überzogen soeben siegen neuen zweig vieh zahn zehen funk fund nackt naht wache werk taten sünde ersetzen enten lust
			lost jaguar marsch match sekt seht seit miss mies grad gran tape take drew viper thor`,
		"fr": `hiver avait ayant soit sois soin soif joue jouer mots monte marche marin martin malin match mary mark libre litres livret juge jupe jury jaune hors sent sert grand grande grands miller malle dieux doue quant
			danse mails verts debout début levres pause tuer tours miss mines here about atout maintenance décombres`,
	}
	for _, loc := range []phrase.Locale{euros, deutsch, francais} {
		for w := range strings.FieldsSeq(words[loc.Spoken().Tag]) {
			for _, kind := range []*phrase.Kind{phrase.Date, phrase.Time, phrase.Number, phrase.Money, phrase.Duration} {
				for _, said := range []string{w, "7 " + w} {
					v, ok := loc.Read(phrase.Slot{Kind: kind}, said, now)
					seven := v.Value == any(json.Number("7")) || v.Value == "07:00" // the word itself says nothing
					if certain(v, ok) && (said == w || !seven) {
						t.Errorf("%s: %s %q is %v", loc.Spoken().Tag, kind, said, v.Value)
					}
				}
			}
		}
	}
}

// A half is added to what stands before it, one as well as two.
func TestHalvesAreAdded(t *testing.T) {
	french := strings.Fields("zéro un deux trois quatre cinq six sept huit neuf dix onze douze")
	english := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
	germans := strings.Fields("null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf")
	for n := 1; n <= 12; n++ {
		want := fmt.Sprintf("PT%dH30M", n)
		for _, tt := range []struct {
			loc  phrase.Locale
			said string
		}{
			{euros, english[n] + " and a half hours"},
			{euros, fmt.Sprintf("%d and a half hours", n)},
			{euros, fmt.Sprintf("%d 1/2 hours", n)},
			{deutsch, germans[n] + "einhalb Stunden"},
			{deutsch, fmt.Sprintf("%d einhalb Stunden", n)},
			{francais, french[n] + " heures et demie"},
			{francais, french[n] + " et demi heures"},
			{francais, fmt.Sprintf("%d heures et demie", n)},
		} {
			if v, ok := tt.loc.Read(phrase.Slot{Kind: phrase.Duration}, tt.said, now); certain(v, ok) && v.Value != want || !ok && n == 1 {
				t.Errorf("%q is %+v, want %s", tt.said, v, want)
			}
		}
		for loc, said := range map[string]string{"en": english[n] + " and a half", "fr": french[n] + " et demi"} {
			of := map[string]phrase.Locale{"en": euros, "fr": francais}[loc]
			if v, ok := of.Read(phrase.Slot{Kind: phrase.Number}, said, now); !certain(v, ok) || v.Value != any(json.Number(strconv.Itoa(n)+".5")) {
				t.Errorf("%q is %+v", said, v)
			}
		}
	}
}

// A part of a second is never lost, and a negative length of time is none.
func TestDurationsLoseNothing(t *testing.T) {
	for _, said := range []string{"2.5 seconds", "0.25 sec", "90.125 s", "-4 days", "-4 h", "-90 minutes", "-1 hour, 20 minutes"} {
		if v, ok := euros.Read(phrase.Slot{Kind: phrase.Duration}, said, now); certain(v, ok) {
			t.Errorf("%q is %v", said, v.Value)
		}
	}
	for said, want := range map[string]string{"20''": "PT20S", "20'": "PT20M", "20 - 30 minutes": "", "2-hours": ""} {
		if v, ok := euros.Read(phrase.Slot{Kind: phrase.Duration}, said, now); certain(v, ok) && v.Value != want {
			t.Errorf("%q is %v", said, v.Value)
		}
	}
}

// How many hours there are is no time of day in French, where both are said with "heures".
func TestHoursAreNoTime(t *testing.T) {
	for n := 1; n < 24; n++ {
		for lead, way := range map[string]int{
			"dans %d heures": 1, "dans environ %d heures": 1, "il y a %d heures": -1, "il ya %d h": -1, "ça fait %d heures": -1, "il y a environ %d heures": -1,
			"en %d heures": 0, "pendant %d heures": 0, "durant %d h": 0, "dans les %d heures": 0, "dans les %dh": 0,
		} {
			said := fmt.Sprintf(lead, n)
			at := now.Add(time.Duration(way*n) * time.Hour)
			for kind, want := range map[*phrase.Kind]string{phrase.Time: at.Format("15:04"), phrase.DateTime: at.Format(time.RFC3339)} {
				v, ok := phrase.Locale{Language: phrase.French, Zone: time.UTC}.Read(phrase.Slot{Kind: kind}, said, now)
				if certain(v, ok) != (way != 0) || way != 0 && v.Value != want {
					t.Errorf("%s %q is %+v, want %s", kind, said, v, want)
				}
			}
		}
	}
}

// A number of three words is one number, and a part of a number is not the whole.
func TestPartsOfNumbers(t *testing.T) {
	ones := strings.Fields("null ein zwei drei vier fünf sechs sieben acht neun")
	for n, tens := range strings.Fields("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig") {
		for k := 1; k < 10; k++ {
			said, want := ones[k]+" und "+tens, json.Number(strconv.Itoa(20+10*n+k))
			for _, kind := range []*phrase.Kind{phrase.Number, phrase.Integer, phrase.Money, phrase.Percent} {
				if v, ok := deutsch.Read(phrase.Slot{Kind: kind}, said, now); !certain(v, ok) || v.Value != any(want) {
					t.Errorf("%s %q is %+v, want %s", kind, said, v, want)
				}
			}
		}
	}
	for said, loc := range map[string]phrase.Locale{
		"un sur %s": francais, "une sur %s": francais, "un et %s": francais, "einer von %s": deutsch, "eine von %s": deutsch, "ein und %s": deutsch, "one in %s": euros, "one out of %s": euros, "one of %s": euros,
	} {
		for _, n := range []string{"2", "5", "17", "100"} {
			for _, kind := range []*phrase.Kind{phrase.Number, phrase.Money} {
				if v, ok := loc.Read(phrase.Slot{Kind: kind}, fmt.Sprintf(said, n), now); certain(v, ok) {
					t.Errorf("%s %q is %v", kind, fmt.Sprintf(said, n), v.Value)
				}
			}
		}
	}
	for _, said := range []string{"this one", "that one", "the one", "this is the one", "which one"} {
		for _, kind := range []*phrase.Kind{phrase.Number, phrase.Money, phrase.Time, phrase.DateTime} {
			if v, ok := euros.Read(phrase.Slot{Kind: kind}, said, now); certain(v, ok) {
				t.Errorf("%s %q is %v", kind, said, v.Value)
			}
		}
	}
	for said, want := range map[string]string{"un billion": "1000000000000", "deux billions": "2000000000000", "un milliard": "1000000000", "dix mille": "10000", "10 mille": "10000"} {
		if v, ok := francais.Read(phrase.Slot{Kind: phrase.Number}, said, now); !certain(v, ok) || v.Value != any(json.Number(want)) {
			t.Errorf("%q is %+v, want %s", said, v, want)
		}
	}
	for said, want := range map[string]string{"eine Billion": "1000000000000", "zwei Milliarden": "2000000000"} {
		if v, ok := deutsch.Read(phrase.Slot{Kind: phrase.Number}, said, now); !certain(v, ok) || v.Value != any(json.Number(want)) {
			t.Errorf("%q is %+v, want %s", said, v, want)
		}
	}
	for said, loc := range map[string]phrase.Locale{"deux trillions": francais, "zwei Trillionen": deutsch} { // 10 to the 18th, not to the 12th
		if v, ok := loc.Read(phrase.Slot{Kind: phrase.Number}, said, now); certain(v, ok) {
			t.Errorf("%q is %v", said, v.Value)
		}
	}
}

// An amount is one of money: not of time, not in a currency that nobody knows, and not one of which a sign may part thousands.
func TestAmountsAreOfMoney(t *testing.T) {
	for said, loc := range map[string]phrase.Locale{
		"%d years": euros, "%d years old": euros, "%d hours": euros, "%d o'clock": euros, "%d Jahre": deutsch, "%d Jahre alt": deutsch, "%d Uhr": deutsch, "%d Grad": deutsch, "%d Tage": deutsch,
		"%d ans": francais, "%d heures": francais, "%d jours": francais, "%d grands": francais,
	} {
		for _, n := range []int{2, 12, 40} {
			for _, kind := range []*phrase.Kind{phrase.Money, phrase.Percent} {
				if v, ok := loc.Read(phrase.Slot{Kind: kind}, fmt.Sprintf(said, n), now); certain(v, ok) {
					t.Errorf("%s %q is %v", kind, fmt.Sprintf(said, n), v.Value)
				}
			}
		}
	}
	for _, r := range unicode.Sc.R16 {
		for sign := rune(r.Lo); sign <= rune(r.Hi); sign += rune(r.Stride) {
			if sign == '€' || sign == '¢' {
				continue
			}
			for _, said := range []string{fmt.Sprintf("%c40", sign), fmt.Sprintf("40%c", sign), fmt.Sprintf("40 %c", sign)} {
				if v, ok := euros.Read(phrase.Slot{Kind: phrase.Money}, said, now); certain(v, ok) {
					t.Errorf("%q is %v euros", said, v.Value)
				}
			}
		}
	}
	for n := range 100 {
		fraction := fmt.Sprintf("%03d", 10*n)
		for said, loc := range map[string]phrase.Locale{"7." + fraction: euros, "€48." + fraction: euros, "7," + fraction + " €": deutsch, "315," + fraction: deutsch, "7," + fraction + " euros": francais} {
			if v, ok := loc.Read(phrase.Slot{Kind: phrase.Money}, said, now); certain(v, ok) {
				t.Errorf("%q is %v", said, v.Value)
			}
		}
		whole := json.Number(strconv.Itoa(7000 + 10*n))
		for said, loc := range map[string]phrase.Locale{"7," + fraction: euros, "7." + fraction + " €": deutsch, "7 " + fraction + " euros": francais} {
			if v, ok := loc.Read(phrase.Slot{Kind: phrase.Money}, said, now); !certain(v, ok) || v.Value != any(whole) {
				t.Errorf("%q is %+v, want %s", said, v, whole)
			}
		}
	}
}

// The digit that only callers from inside a country dial is no part of a number with the country's code, whether the slot's country is
// known or not.
func TestTrunkDigitIsNotDialled(t *testing.T) {
	for _, country := range append(phrase.PhoneCountries(), "") {
		for _, code := range []string{"44", "49", "33", "31", "971", "212"} {
			for _, form := range []string{"+%s (0)%s", "+%s(0)%s", "+%s (0) %s"} {
				said, want := fmt.Sprintf(form, code, "612 345 678"), "+"+code+"612345678"
				if v, ok := euros.Read(phrase.Slot{Kind: phrase.Phone, Country: country}, said, now); !certain(v, ok) || v.Value != want {
					t.Errorf("%s: %q is %+v, want %s", country, said, v, want)
				}
			}
		}
		if v, ok := euros.Read(phrase.Slot{Kind: phrase.Phone, Country: country}, "+39 (0)6 1234 5678", now); !certain(v, ok) || v.Value != "+390612345678" {
			t.Errorf("%s: a number of Rome is %+v", country, v)
		}
	}
}

// No evening is at 3, and an evening that is said before a time after midnight leads to the next day.
func TestEveningsAreLate(t *testing.T) {
	for said, loc := range map[string]phrase.Locale{"this evening at 3": euros, "heute Abend um 3": deutsch, "ce soir vers 3 heures": francais, "in the evening at 2": euros} {
		for _, kind := range []*phrase.Kind{phrase.Time, phrase.DateTime} {
			if v, ok := loc.Read(phrase.Slot{Kind: kind}, said, now); certain(v, ok) {
				t.Errorf("%s %q is %v", kind, said, v.Value)
			}
		}
	}
	french := phrase.Locale{Language: phrase.French, Zone: time.UTC}
	if v, ok := french.Read(phrase.Slot{Kind: phrase.DateTime}, "ce soir à 2h du matin", now); !certain(v, ok) || v.Value != "2026-11-26T02:00:00Z" {
		t.Errorf("two in the night is %+v", v)
	}
}

// A limit is asked about, unless the question is for it, also where its words are those of every sentence.
func TestLimitsAreNoValues(t *testing.T) {
	for _, tt := range []struct {
		loc                phrase.Locale
		asked, said, limit string // limit asks for one
	}{
		{euros, "How much do you pay?", "over 40 euros", "How much is it over?"},
		{euros, "How much do you pay?", "up to 40 euros", "Up to how much?"},
		{deutsch, "Wie viel zahlen Sie?", "über 40 Euro", "Über wie viel Euro?"},
		{deutsch, "Wie viel zahlen Sie?", "bis zu 40 Euro", "Bis zu wie viel Euro?"},
		{francais, "Combien payez-vous ?", "jusqu'à 40 euros", "Jusqu'à combien ?"},
	} {
		if v, ok := tt.loc.Read(phrase.Slot{Kind: phrase.Money, Asked: tt.asked}, tt.said, now); certain(v, ok) {
			t.Errorf("%q to %q is %v", tt.said, tt.asked, v.Value)
		}
		if v, ok := tt.loc.Read(phrase.Slot{Kind: phrase.Money, Asked: tt.limit}, tt.said, now); !certain(v, ok) {
			t.Errorf("%q to %q is %+v", tt.said, tt.limit, v)
		}
	}
}
