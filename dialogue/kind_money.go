package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// moneyKind is the type of amounts of money, in the slot's currency.
var moneyKind = moneyValues{plainKind{facts{
	name: Money, aliases: []string{"amount"}, said: phrase.Money, document: map[string]any{"type": "number"},
	traits: traits{family: numbers, labelled: true, distinct: true, loose: true, currency: true, ordered: true},
}}}

type moneyValues struct{ plainKind }

// show has the sign and the digits of the currency: €5.50 for 5.5. Where the text beside it names the currency, or nothing does,
// it is the number.
func (moneyValues) show(w showing, _ Slot, v any) string {
	if w.unnamed || w.NamesCurrency(w.before, w.behind) {
		return w.Amount(shown(v))
	}
	return w.ShowMoney(shown(v))
}

func (moneyValues) about(s Slot) string {
	if s.Currency == "" {
		return string(Money)
	}
	return string(Money) + " in " + s.Currency
}
