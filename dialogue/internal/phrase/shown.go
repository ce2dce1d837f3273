package phrase

import (
	"strconv"
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
	FirstShown   Key = "first_shown"   // the first day of a month
	TimeShown    Key = "time_shown"    // hour, minute
	HourShown    Key = "hour_shown"    // hour: a time without minutes
	ClockShown   Key = "clock_shown"   // time: one that stands alone
	PercentShown Key = "percent_shown" // number
)

// Keys of lengths of time, by their sign in ISO 8601 (those of a time of the day are small). Each has the argument count.
var unitsShown = map[byte]Key{'Y': "years", 'M': "months", 'D': "days", 'h': "hours", 'm': "minutes", 's': "seconds"}

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
	args := Args{"weekday": day.Weekday(), "day": l.Spoken().dayOfMonth(day.Day()), "month": day.Month(), "year": day.Year()}
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

// ShowMoment returns a moment in RFC 3339 as people write it: "Friday 27 November at 19:00". Its seconds are not shown.
func (l Locale) ShowMoment(moment, today string) string {
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil || at.Year() < 1000 {
		return moment
	}
	at = at.In(l.zone())
	return l.Spoken().Say(DateAtShown, Args{"date": l.ShowDate(at.Format(time.DateOnly), today), "time": l.ShowTime(at.Format("15:04"))})
}

// ShowTime returns a time of the day such as "19:00" as people write it: in French "19 h". The 0 of "07 h" says which half of the
// day is meant.
func (l Locale) ShowTime(text string) string {
	hour, minute, ok := strings.Cut(text, ":")
	if !ok {
		return text
	}
	if minute == "00" {
		return l.Spoken().Say(HourShown, Args{"hour": hour})
	}
	return l.Spoken().Say(TimeShown, Args{"hour": hour, "minute": minute})
}

// ShowDuration returns a length of time in ISO 8601 as people write it: "1 hour and 30 minutes".
func (l Locale) ShowDuration(iso string) string {
	var parts []string
	rest, small := strings.TrimPrefix(iso, "P"), byte(0)
	for rest != "" {
		if more, ok := strings.CutPrefix(rest, "T"); ok {
			rest, small = more, 'a'-'A'
		}
		end := strings.IndexAny(rest, "YMDHS")
		if end < 1 {
			return iso
		}
		n, err := strconv.Atoi(rest[:end])
		key, ok := unitsShown[rest[end]+small]
		if err != nil || !ok {
			return iso
		}
		parts, rest = append(parts, l.Spoken().Say(key, Args{"count": n})), rest[end+1:]
	}
	if len(parts) == 0 {
		return iso
	}
	return l.Spoken().All(parts)
}

// ShowNumber writes a number with the point of the language.
func (l Locale) ShowNumber(digits string) string { return l.language().digits(digits) }

// ShowPercent returns a percentage as people write it: "50%". Where the text behind it names it already, it is the number.
func (l Locale) ShowPercent(digits, behind string) string {
	if r := l.reading(behind, epoch); r.percent(0) > 0 {
		return l.ShowNumber(digits)
	}
	return l.Spoken().Say(PercentShown, Args{"number": l.ShowNumber(digits)})
}

// ShowZone returns a time zone as people call it: "New York". A city with a name that means other things, too, has its area.
func (l Locale) ShowZone(name string) string {
	if hours, ok := strings.CutPrefix(name, "Etc/GMT"); ok && hours != "" { // the database has the sign the other way round
		return "UTC" + strings.Map(func(c rune) rune { return '+' + '-' - c }, hours[:1]) + hours[1:]
	}
	city := plainZone(name[strings.LastIndexByte(name, '/')+1:])
	if of := placesIn(l.language()).of[strings.Join(foldedWords(city), " ")]; len(of) == 1 && of[0] == name {
		return city
	}
	return plainZone(name)
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
	return l.Say(DayShown, Args{"day": l.dayOfMonth(d.day), "month": d.month, "year": d.year})
}

// dayOfMonth is the number of a day before the name of its month.
func (l *Language) dayOfMonth(of int) string {
	if of == 1 {
		return l.Say(FirstShown, nil)
	}
	return strconv.Itoa(of)
}
