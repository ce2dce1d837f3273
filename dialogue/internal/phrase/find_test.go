package phrase_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// All values of a kind in an utterance: how each was said, and what it is.
func TestFind(t *testing.T) {
	for _, tt := range []struct{ kind, said, want string }{
		{"money", "transfer 50 to Bob", `50=50`},
		{"money", "€50 for Bob and 20 cents for Ann", `€50=50; 20 cents=0.2`},
		{"money", "from fifty to two hundred and fifty euros", `fifty=50; two hundred and fifty euros=250`},
		{"money", "pay $5 or 3 euros", `$5! “$5” is not in EUR.; 3 euros=3`},
		{"money", "5 €6", `5=5; €6=6`},
		{"money", "Bob", ``},
		{"money", "3 tickets for 50 on friday", `50=50`},
		{"number", "rooms 101, 102 and a dozen more", `101=101; 102=102; a dozen=12`},
		{"number", "1,2,3", `1=1; 2=2; 3=3`},
		{"number", "A320 at gate B2 in 3", `3=3`},
		{"integer", "two and 2.5", `two=2; 2.5! 2.5 is not a whole number.`},
		{"date", "from 3 May to the 5th, or next friday", `3 May="2027-05-03"; the 5th="2026-12-05"; next friday="2026-12-04"`},
		{"date", "tomorrow or 31 February", `tomorrow="2026-11-26"; 31 February! February has no day 31.`},
		{"date", "may I march on", ``},
		{"time", "between 3pm and half past four", `3pm="15:00"; half past four="16:30"`},
		{"time", "a table for 3 at 7", `7="07:00"`},
		{"time", "a table for 3", ``},
		{"datetime", "move it from friday 3pm to tomorrow at noon", `friday 3pm="2026-11-27T15:00:00Z"; tomorrow at noon="2026-11-26T12:00:00Z"`},
		{"choice", "from savings to my current account", `savings="savings"; current account="checking"`},
		{"choice", "Bob", ``},
		{"boolean", "yes and no", `yes=true; no=false`},
		{"text", "it's Bob", `Bob="Bob"`},
		{"numbers", "1, 2 and 3", `1, 2 and 3=[1,2,3]`},
		{"list", "", ``},
	} {
		var all []string
		for _, v := range euros.Find(slots[tt.kind], tt.said, now) {
			if tt.said[v.Start:v.End] != v.Text {
				t.Errorf("%s %q: %q is not at %d", tt.kind, tt.said, v.Text, v.Start)
			}
			if v.Reason != "" {
				all = append(all, v.Text+"! "+v.Reason)
			} else {
				all = append(all, v.Text+"="+marshal(t, v.Value))
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(all, "; ")); diff != "" {
			t.Errorf("%s %q: %s", tt.kind, tt.said, diff)
		}
	}
}

// Without a currency of its own, a locale takes any; a dollar is what it is where it is said.
func TestCurrencies(t *testing.T) {
	for _, tt := range []struct{ currency, said, want string }{
		{"", "fifty bucks please", "50"},
		{"", "£20", "20"},
		{"USD", "fifty bucks please", "50"},
		{"usd", "US$ 50", "50"},
		{"CAD", "$50", "50"},
		{"CAD", "50 Canadian dollars", "50"},
		{"CAD", "50 US dollars", `! “50 US dollars” is not in CAD.`},
		{"CAD", "US$50", `! “US$50” is not in CAD.`},
		{"USD", "$50 CAD", `! “$50 CAD” is not in USD.`},
		{"GBP", "twenty quid", "20"},
		{"GBP", "a quid", "1"},
		{"GBP", "5 pounds 20", "5.2"},
		{"GBP", "£5 and 20 pence", "5.2"},
		{"GBP", "20p", "0.2"},
		{"USD", "a buck", "1"},
		{"USD", "3 dollars and 5 cents", "3.05"},
		{"USD", "half a dollar", "0.5"},
		{"JPY", "5000 yen", "5000"},
		{"JPY", "¥5000", "5000"},
		{"KWD", "5.125", "5.125"},
		{"KWD", "5.1255", "! An amount in KWD has at most 3 decimal places, and 5.1255 has more."},
		{"JPY", "10.5", "! An amount in JPY has at most 0 decimal places, and 10.5 has more."},
		{"SEK", "100 kr", "100"},
		{"EUR", "3 dollars and 20 cents", `! “3 dollars and 20 cents” is not in EUR.`},
	} {
		loc := phrase.Locale{Currency: tt.currency}
		v, ok := loc.Read(phrase.Slot{Kind: phrase.Money}, tt.said, now)
		got := "-"
		if ok && v.Reason != "" {
			got = "! " + v.Reason
		} else if ok {
			got = render(v.Value)
		}
		if got != tt.want {
			t.Errorf("%s: %q is %s, want %s", tt.currency, tt.said, got, tt.want)
		}
	}
}

// TestAmount shows amounts with the digits of their currencies.
func TestAmount(t *testing.T) {
	for _, tt := range []struct{ currency, digits, want string }{
		{"EUR", "5.5", "5.50"},
		{"EUR", "5", "5"},
		{"EUR", "5.25", "5.25"},
		{"usd", "-0.1", "-0.10"},
		{"JPY", "500", "500"},
		{"KWD", "5.5", "5.500"},
		{"KWD", "5", "5"},
		{"", "5.5", "5.5"},
		{"BTC", "0.5", "0.5"},
		{"EUR", "5.125", "5.125"},
		{"EUR", "1e-7", "1e-7"},
	} {
		if got := (phrase.Locale{Currency: tt.currency}).Amount(tt.digits); got != tt.want {
			t.Errorf("%s %s is shown as %s, want %s", tt.digits, tt.currency, got, tt.want)
		}
	}
}

// TestReadChoicesThatBeginWithNumbers reads choices whose names begin as a number does, with slips in them.
func TestReadChoicesThatBeginWithNumbers(t *testing.T) {
	trip := phrase.Slot{Kind: phrase.Single, Choices: []phrase.Choice{{Value: "one way"}, {Value: "return", Synonyms: []string{"round trip"}}}}
	for said, want := range map[string]any{
		"one way": "one way", "one-way please": "one way", "oneway": "one way", "one wya": "one way", "on way": nil, "a one way ticket": "one way", "retrun": "return", "round tripp": "return",
		"the second one": "return", "one": "one way", "the way": nil,
	} {
		v, ok := euros.Read(trip, said, now)
		if v.Value != want || ok && want == nil && v.Reason == "" {
			t.Errorf("%q is %v, want %v", said, v.Value, want)
		}
	}
}
