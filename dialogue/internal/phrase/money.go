package phrase

import (
	"encoding/json"
	"slices"
	"strings"

	"golang.org/x/text/currency"
)

// Money is the kind of amounts in the locale's currency: json.Number.
var Money = &Kind{name: "money", scan: always((*reading).moneyAt), none: (*reading).noneAtAll, money: true, exact: true}

// coin is what a sign or word for money stands for.
type coin struct {
	codes []string // the currencies it may be: "dollar" is the one that the locale has
	minor bool     // a hundredth: "cents"
}

// isOf reports whether it may be of a currency, any being what "" stands for.
func (c coin) isOf(currency string) bool {
	return currency == "" || slices.Contains(c.codes, strings.ToUpper(currency))
}

// places is how many decimal places amounts in a currency have, which are those of ISO 4217.
func places(code string) int {
	switch code {
	case "":
		return maxDigits
	case "BTC":
		return 8
	}
	unit, err := currency.ParseISO(code)
	if err != nil {
		return 2
	}
	n, _ := currency.Standard.Rounding(unit)
	return n
}

// code is the locale's currency as ISO 4217 has it.
func (l Locale) code() string { return strings.ToUpper(l.Currency) }

// Amount writes an amount as the locale shows it: 5.5 euros are 5.50, and 5,50 in German. A whole one stays as it is.
func (l Locale) Amount(digits string) string {
	_, fraction, ok := strings.Cut(digits, ".")
	if n := places(l.code()); ok && n <= 4 && !strings.ContainsAny(digits, "eE") && len(fraction) < n {
		digits += strings.Repeat("0", n-len(fraction))
	}
	return l.language().digits(digits)
}

// digits writes a number with the language's point.
func (l *language) digits(number string) string {
	return strings.Replace(number, ".", string(l.point()), 1)
}

// coin is the money that a token stands for.
func (r *reading) coin(i int) (coin, bool) {
	if i < 0 || i >= len(r.tokens) {
		return coin{}, false
	}
	if r.tokens[i].sort == mark {
		c, ok := signs[r.tokens[i].sign]
		return c, ok
	}
	c, ok := r.language.currencies[r.tokens[i].means]
	return c, ok
}

// signs are the signs of currencies. The locale decides which dollar, pound or crown is meant.
var signs = map[rune]coin{
	'€': {codes: []string{"EUR"}}, '£': {codes: pounds}, '$': {codes: dollars}, '＄': {codes: dollars},
	'¥': {codes: []string{"JPY", "CNY"}}, '₹': {codes: []string{"INR"}}, '₽': {codes: []string{"RUB"}},
	'₩': {codes: []string{"KRW"}}, '₺': {codes: []string{"TRY"}}, '₴': {codes: []string{"UAH"}},
	'₪': {codes: []string{"ILS"}}, '₫': {codes: []string{"VND"}}, '₿': {codes: []string{"BTC"}}, '¢': {codes: cents, minor: true},
}

var (
	dollars = []string{"USD", "CAD", "AUD", "NZD", "SGD", "HKD"}
	pounds  = []string{"GBP"}
	cents   = []string{"EUR", "USD", "CAD", "AUD", "NZD", "SGD", "HKD", "ZAR"}
	crowns  = []string{"SEK", "NOK", "DKK", "CZK"}
)

// moneyAt reads an amount that begins at a token: "€50", "50 euros", "fifty bucks", "3 dollars and 20 cents", "a quid",
// and a number by itself.
func (r *reading) moneyAt(i int) (found, bool) {
	m, ok := r.amount(i)
	if !ok {
		return found{}, false
	}
	if m.long {
		return r.refusal(because(LongAmount, Args{"digits": maxDigits}), m.i, m.j), true
	}
	want := strings.ToUpper(r.locale.Currency)
	if m.said && !m.coin.isOf(want) {
		why := because(OtherCurrency, Args{"said": r.said(m.i, m.j), "currency": want})
		return r.refusal(why, m.i, m.j), true
	}
	if m.mixed {
		why := because(TwoCurrencies, Args{"said": r.said(m.i, m.j)})
		return r.refusal(why, m.i, m.j), true
	}
	if most := places(want); max(m.places(), m.fine) > most { // of 1,234 euros nobody knows whether they are thousands
		value := m.FloatString(max(m.places(), m.fine))
		why := because(SmallAmount, Args{"currency": want, "count": most, "value": r.language.digits(value)})
		return r.refusal(why, m.i, m.j), true
	}
	score := 1.0
	if !m.said {
		score = 0.9
	}
	f := r.value(json.Number(m.String()), m.i, m.j, score)
	if !m.said && m.words && !m.IsInt() && m.Cmp(&newDecimal(1).Rat) < 0 {
		f.Left = f.Text // half of what?
	}
	return f, true
}

// amount is a number of a currency, if one was said.
type amount struct {
	number
	coin  coin
	said  bool // a currency was said
	mixed bool // another one was said too
}

func (r *reading) amount(i int) (amount, bool) {
	m := amount{}
	at := i
	if isMinus(r.sign(i)) && r.isGlued(i+1) { // -€50
		at++
	}
	if r.word(at) == "us" && r.sign(at+1) == '$' && r.isGlued(at+1) {
		m.coin, m.said, at = coin{codes: dollars[:1]}, true, at+1
	}
	c, before := r.coin(at)
	if before && c.minor {
		before = false
	}
	if before {
		m.join(c)
		at++
		if c2, twice := r.coin(at); twice && r.tokens[at].sort == mark { // US$, "EUR €"
			m.join(c2)
			at++
		}
	} else if word, ok := r.single(i); ok {
		return word, true
	} else {
		at = i
	}
	outer := r.priced
	if at > i {
		r.priced = at
	}
	n, ok := r.number(at)
	r.priced = outer
	if !ok {
		return amount{}, false
	}
	if at > i && isMinus(r.sign(i)) && !n.long {
		n.negate()
	}
	m.number = n
	m.i = i
	r.unit(&m)
	return m, true
}

// single reads "a buck", "a pound": one of a currency that is said in words.
func (r *reading) single(i int) (amount, bool) {
	if w := r.word(i); w != "a" && w != "an" {
		return amount{}, false
	}
	c, ok := r.coin(i + 1)
	if !ok || r.tokens[i+1].sort == mark || len(r.word(i+1)) < 4 {
		return amount{}, false
	}
	d := newDecimal(1)
	if c.minor {
		d.shift(-2)
	}
	return amount{number: number{decimal: d, i: i, j: i + 2, words: true}, coin: c, said: true}, true
}

func (m *amount) join(c coin) {
	if !m.said {
		m.coin, m.said = c, true
		return
	}
	var both []string
	for _, code := range m.coin.codes {
		if slices.Contains(c.codes, code) {
			both = append(both, code)
		}
	}
	if both == nil {
		m.mixed = true
		return
	}
	m.coin.codes = both
}

// unit reads the currency behind a number, and cents behind that.
func (r *reading) unit(m *amount) {
	at := m.j
	if r.word(at) == "of" || r.word(at) == "a" {
		at++ // a couple of pounds, half a dollar
	}
	if next := at + 1; r.word(at) == "us" { // a pronoun otherwise
		if r.sign(next) == '-' { // US-Dollar
			next++
		}
		if _, named := r.language.currencies[r.word(next)]; named {
			m.join(coin{codes: dollars[:1]})
			at = next
		}
	}
	c, ok := r.coin(at)
	if !ok {
		if m.said {
			r.cents(m, true)
		}
		return
	}
	if r.tokens[at].sort == mark && !r.isGlued(at) && r.isGlued(at+1) {
		return // the sign belongs to the number behind it: "5 €6"
	}
	m.j = at + 1
	if c.minor {
		if !m.long {
			m.shift(-2)
		}
		m.join(coin{codes: c.codes})
		return
	}
	m.join(c)
	if next, twice := r.coin(m.j); twice && !next.minor && r.isCode(m.j-1) != r.isCode(m.j) { // "$ USD", "Australian dollars"
		m.join(next)
		m.j++
	}
	r.cents(m, false)
}

// isCode reports a sign or an adjective, which may stand beside the name of the currency.
func (r *reading) isCode(i int) bool {
	return r.tokens[i].sort == mark || r.language.adjectives[r.word(i)]
}

// cents reads "and 20 cents", and "20" behind "3 dollars" unless they have to be called by name.
func (r *reading) cents(m *amount, byName bool) {
	at, and := m.j, false
	if r.word(at) == "and" {
		at, and = at+1, true
	}
	n, ok := r.number(at)
	if !ok || n.long || m.long || n.places() > 0 || m.places() > 0 || n.Sign() < 0 || n.Cmp(&newDecimal(100).Rat) >= 0 {
		return
	}
	if parted, _ := r.separator(at + 1); parted != 0 { // "5 euros 50.00" are two amounts
		return
	}
	c, named := r.coin(n.j)
	named = named && c.minor
	if !named && (and || byName || n.Cmp(&newDecimal(10).Rat) < 0 || r.word(n.j) != "" && !r.isEnd(n.j)) {
		return // "3 dollars and 20 for Bob" are two things; "3 dollars 20" is one
	}
	n.shift(-2)
	if m.Sign() < 0 {
		n.negate()
	}
	m.add(n.decimal)
	m.j = n.j
	if named {
		m.join(coin{codes: c.codes})
		m.j++
	}
}

// isEnd reports whether what was said ends at a token, or goes on with a word that every sentence has.
func (r *reading) isEnd(i int) bool {
	return i >= len(r.tokens) || r.tokens[i].sort == mark || r.language.class(r.tokens[i].fold) != content
}
