package phrase

import (
	"strings"
	"time"
)

// Keys of values as people write them. The language says which parts there are, and in which order.
const (
	DayShown     Key = "day_shown"     // day, month, year: "3 December 2026"
	DateShown    Key = "date_shown"    // weekday, day, month: the year goes without saying
	DateAtShown  Key = "date_at_shown" // date, time
	DateOfShown  Key = "date_of_shown" // weekday, day, month, year
	MoneyShown   Key = "money_shown"   // sign, amount
	CodeShown    Key = "code_shown"    // code, amount: a currency without a sign of its own
	HolidayShown Key = "holiday_shown" // name, date
)

// near is how long before a day its year goes without saying.
const near = 300 * 24 * time.Hour

// ShowDate returns a day such as "2026-11-27" as people write it: "Friday 27 November".
//
// One that is not in the next ten months has its year.
// Today is a day, too; "" for one that is not known. A text that is no day stays as it is.
func (l Locale) ShowDate(date, today string) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil || day.Year() < 1000 {
		return date
	}
	args := Args{"weekday": day.Weekday(), "day": day.Day(), "month": day.Month(), "year": day.Year()}
	if now, err := time.Parse(time.DateOnly, today); err == nil && !day.Before(now) && day.Sub(now) < near {
		return l.Spoken().Say(DateShown, args)
	}
	return l.Spoken().Say(DateOfShown, args)
}

// ShowDay returns a day beside a name that says its weekday already: "29 March 2027".
func (l Locale) ShowDay(date string) string {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return dayOf(at).shown(l.Spoken())
}

// ShowMoment returns a moment in RFC 3339 as people write it: "Friday 27 November at 19:00".
func (l Locale) ShowMoment(moment, today string) string {
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil || at.Year() < 1000 {
		return moment
	}
	at = at.In(l.zone())
	form := "15:04"
	if at.Second() != 0 {
		form = time.TimeOnly
	}
	return l.Spoken().Say(DateAtShown, Args{"date": l.ShowDate(at.Format(time.DateOnly), today), "time": at.Format(form)})
}

// signOf is the sign that amounts of a currency are written with. Dollars of other countries than the United States have none,
// since the sign alone does not say whose they are.
var signOf = map[string]string{"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹"}

// ShowMoney returns an amount as people write it: "€49.90", "49,90 €". Without a currency it is the number alone.
func (l Locale) ShowMoney(digits string) string {
	code := l.code()
	if code == "" {
		return l.Amount(digits)
	}
	number, minus := strings.CutPrefix(digits, "-")
	text := l.Spoken().Say(CodeShown, Args{"code": code, "amount": l.Amount(number)})
	if sign, ok := signOf[code]; ok {
		text = l.Spoken().Say(MoneyShown, Args{"sign": sign, "amount": l.Amount(number)})
	}
	if minus {
		return "-" + text
	}
	return text
}

// NamesCurrency reports whether the words right before or behind an amount name its currency: "euros".
func (l Locale) NamesCurrency(before, behind string) bool {
	left, right := l.reading(before, epoch), l.reading(behind, epoch)
	if _, ok := left.coin(len(left.tokens) - 1); ok {
		return true
	}
	_, ok := right.coin(0)
	return ok && len(right.tokens) > 0
}

// shown is a day as messages about it write it.
func (d day) shown(l *Language) string {
	return l.Say(DayShown, Args{"day": d.day, "month": d.month, "year": d.year})
}
