package phrase_test

import (
	"fmt"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

func Example() {
	locale := phrase.Locale{Language: phrase.English, Currency: "EUR", DayFirst: true}
	slots := func(_ int, name string) (phrase.Slot, bool) {
		switch name {
		case "amount":
			return phrase.Slot{Kind: phrase.Money}, true
		case "payee":
			return phrase.Slot{}, true
		}
		return phrase.Slot{}, false
	}
	m, err := phrase.Compile([]phrase.Phrase{{ID: 1, Text: "transfer {amount} to {payee}"}}, slots, nil, locale)
	if err != nil {
		panic(err)
	}
	wednesday := time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)

	best := m.Match("please transfer fifty euros to Zoë", wednesday)[0]
	fmt.Println(best.ID, best.Values["amount"].Value, best.Values["payee"].Value)

	when, _ := locale.Read(phrase.Slot{Kind: phrase.Date}, "uh, next friday please", wednesday)
	fmt.Println(when.Value)

	yes, no, rest, _ := locale.Assent("no, make it 60")
	fmt.Println(yes, no, rest)

	said, _ := locale.Common("change the amount to 60")
	fmt.Println(said.Command, said.About, said.Rest)
	// Output:
	// 1 50 Zoë
	// 2026-12-04
	// false true make it 60
	// correct amount 60
}
