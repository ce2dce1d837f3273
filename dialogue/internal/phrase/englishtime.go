package phrase

import (
	"strings"
	"time"
)

// span is a unit of the calendar or of the clock.
type span struct {
	days, months int
	time         time.Duration
}

func englishTime(l *language) {
	l.months, l.weekdays = make(map[string]time.Month), make(map[string]time.Weekday)
	l.lateOrdinals, l.spans = make(map[string]int), make(map[string]span)
	for n, words := range []string{
		"january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sep sept",
		"october oct", "november nov", "december dec",
	} {
		for w := range strings.FieldsSeq(words) {
			l.months[w] = time.Month(n + 1)
		}
	}
	for n, words := range []string{
		"sunday sun", "monday mon", "tuesday tue tues", "wednesday wed weds", "thursday thu thur thurs", "friday fri", "saturday sat",
	} {
		for w := range strings.FieldsSeq(words) {
			l.weekdays[w] = time.Weekday(n)
		}
	}
	for n, w := range strings.Fields("thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth") {
		l.lateOrdinals[w] = 13 + n
	}
	l.lateOrdinals["thirtieth"] = 30
	for words, s := range map[string]span{
		"day days": {days: 1}, "week weeks": {days: 7}, "fortnight fortnights": {days: 14}, "month months": {months: 1}, "year years": {months: 12},
		"hour hours hr hrs": {time: time.Hour}, "minute minutes min mins": {time: time.Minute}, "second seconds sec secs": {time: time.Second},
	} {
		for w := range strings.FieldsSeq(words) {
			l.spans[w] = s
		}
	}
	l.parts = map[string]part{"morning": morning, "afternoon": afternoon, "evening": evening, "night": night, "tonight": tonight}
	l.weekends = set([]string{"weekend", "weekends"})
	l.days.add(0, "today", "tonight", "this morning", "this afternoon", "this evening")
	l.days.add(1, "tomorrow", "tmrw", "tmr", "2moro")
	l.days.add(2, "day after tomorrow", "the day after tomorrow", "overmorrow")
	l.days.add(-1, "yesterday")
	l.days.add(-2, "day before yesterday", "the day before yesterday")
	for saying, d := range map[string]day{
		"christmas": {month: 12, day: 25}, "christmas day": {month: 12, day: 25}, "christmas eve": {month: 12, day: 24}, "boxing day": {month: 12, day: 26},
		"new years eve": {month: 12, day: 31}, "new years day": {month: 1, day: 1}, "new year": {month: 1, day: 1}, "new years": {month: 1, day: 1},
		"halloween": {month: 10, day: 31}, "valentines day": {month: 2, day: 14},
	} {
		l.feasts.add(d, saying)
	}
}

// englishSlips are slips in words that are compared as they are, or that are too far from the word itself.
//
//nolint:misspell // that is what they are
func englishSlips(l *language) {
	l.weekdays["wensday"] = time.Wednesday
	l.moods.add(saysYes, "definately", "definitly")
	l.moods.add(saysNo, "definately not", "definitly not")
}
