package phrase

import (
	"strings"
	"sync"
	"time"
)

// terms are the words that the grammar of values is written in: English ones. Other languages say which of their words
// stand for which terms (see [Values]).
type terms struct {
	scales     map[string]int  // "thousand": 3, the power of ten
	currencies map[string]coin // "euro"
	adjectives map[string]bool // "australian", before the name of a currency
	months     map[string]time.Month
	weekdays   map[string]time.Weekday
	spans      map[string]span // "week"
	parts      map[string]part // of the day: "evening"
	weekends   map[string]bool
}

// span is a unit of the calendar or of the clock.
type span struct {
	days, months int
	time         time.Duration
}

// fixedTerms are terms that stand in the grammar itself and may be misspelt.
const fixedTerms = "quarter half hundred dozen midnight midday point minus percent oclock"

// fixedCoins are the words of currencies that may be misspelt. Of the others the names are too near to words that are none of money:
// "starling" is no sterling.
const fixedCoins = "euro euros dollar dollars pound pounds cents"

// short are terms that nobody misspells: a word that is nearly one of them is another word.
const short = "tues thur thurs weds sept mins secs"

// grammarTerms makes the terms when they are first needed.
var grammarTerms = sync.OnceValue(func() *terms {
	return &terms{
		scales: byWord(map[string]int{
			"thousand thousands grand k": 3, "million millions mio mn m": 6, "billion bn b": 9, "trillion tn": 12,
		}),
		adjectives: set("us canadian australian american british swiss hong singapore zealand swedish norwegian danish czech"),
		parts:      map[string]part{"morning": morning, "afternoon": afternoon, "evening": evening, "night": night, "tonight": tonight},
		weekends:   set("weekend weekends"),
		months: byWord(map[string]time.Month{
			"january jan": 1, "february feb": 2, "march mar": 3, "april apr": 4, "may": 5, "june jun": 6, "july jul": 7, "august aug": 8,
			"september sep sept": 9, "october oct": 10, "november nov": 11, "december dec": 12,
		}),
		weekdays: byWord(map[string]time.Weekday{
			"sunday sun": 0, "monday mon": 1, "tuesday tue tues": 2, "wednesday wed weds wensday": 3, //nolint:misspell // a slip that is compared as it is
			"thursday thu thur thurs": 4, "friday fri": 5, "saturday sat": 6,
		}),
		spans: byWord(map[string]span{
			"day days": {days: 1}, "week weeks": {days: 7}, "fortnight fortnights": {days: 14}, "month months": {months: 1}, "year years": {months: 12},
			"hour hours hr hrs h": {time: time.Hour}, "quarterhour": {time: 15 * time.Minute}, "threequarterhour": {time: 45 * time.Minute}, "minute minutes min mins": {time: time.Minute}, "second seconds sec secs": {time: time.Second},
		}),
		currencies: byWord(map[string]coin{
			"euro euros eur":                   {codes: []string{"EUR"}},
			"dollar dollars buck bucks dollah": {codes: dollars},
			"usd american":                     {codes: []string{"USD"}},
			"cad canadian":                     {codes: []string{"CAD"}},
			"aud australian":                   {codes: []string{"AUD"}},
			"nzd":                              {codes: []string{"NZD"}},
			"sgd":                              {codes: []string{"SGD"}},
			"hkd":                              {codes: []string{"HKD"}},
			"pound pounds gbp quid sterling sterlings british": {codes: pounds},
			"yen jpy":                {codes: []string{"JPY"}},
			"yuan renminbi cny rmb":  {codes: []string{"CNY"}},
			"franc francs chf swiss": {codes: []string{"CHF"}},
			"krona kronor krone kroner crown crowns kr": {codes: crowns},
			"sek swedish":                     {codes: []string{"SEK"}},
			"nok norwegian":                   {codes: []string{"NOK"}},
			"dkk danish":                      {codes: []string{"DKK"}},
			"czk koruna kc":                   {codes: []string{"CZK"}},
			"zloty zlotys pln zl":             {codes: []string{"PLN"}},
			"forint forints huf":              {codes: []string{"HUF"}},
			"rupee rupees inr":                {codes: []string{"INR"}},
			"rouble roubles ruble rubles rub": {codes: []string{"RUB"}},
			"won krw":                         {codes: []string{"KRW"}},
			"lira liras":                      {codes: []string{"TRY"}},
			"peso pesos mxn":                  {codes: []string{"MXN"}},
			"real reais brl":                  {codes: []string{"BRL"}},
			"rand zar":                        {codes: []string{"ZAR"}},
			"shekel shekels ils":              {codes: []string{"ILS"}},
			"dirham dirhams aed":              {codes: []string{"AED"}},
			"bitcoin bitcoins btc":            {codes: []string{"BTC"}},
			"ether ethereum eth":              {codes: []string{"ETH"}},
			"cent cents ct cts":               {codes: cents, minor: true},
			"pence penny pennies p":           {codes: pounds, minor: true},
		}),
	}
})

// isTerm reports whether a word is a unit, a scale, a weekday, a month, a currency or a half in the grammar.
func (t *terms) isTerm(w string) bool {
	_, span := t.spans[w]
	_, scale := t.scales[w]
	_, weekday := t.weekdays[w]
	_, month := t.months[w]
	_, money := t.currencies[w]
	return span || scale || weekday || month || money || w == "half"
}

// byWord is what each of some words means, by lists of words that mean the same.
func byWord[T any](lists map[string]T) map[string]T {
	all := make(map[string]T)
	for words, meaning := range lists {
		for w := range strings.FieldsSeq(words) {
			all[w] = meaning
		}
	}
	return all
}
