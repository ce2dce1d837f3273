package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Words says a rule in words: "every day at 02:30". It is the rule itself where there are no short words for it, or it is wrong.
func Words(cron string) string {
	text := strings.TrimSpace(cron)
	if long, ok := shorthands[text]; ok {
		text = long
	}
	fields := strings.Fields(text)
	if len(fields) != len(parts) || Check(Schedule{Name: "words", Cron: text}) != nil {
		return cron
	}
	days, ok := daysInWords(fields[2], fields[3], fields[4])
	if !ok {
		return cron
	}
	minute, hour := fields[0], fields[1]
	at, clock := clockTimes(hour, minute)
	switch {
	case clock:
		return days + " at " + at
	case days != "every day":
		return cron
	case hour == "*" && minute == "*":
		return "every minute"
	case hour == "*" && minute == "0":
		return "every hour"
	case hour == "*" && number.MatchString(minute):
		return fmt.Sprintf("every hour at :%02s", minute)
	case hour == "*" && divides(minute, 60):
		return "every " + minute[2:] + " minutes"
	case divides(hour, 24) && number.MatchString(minute):
		return fmt.Sprintf("every %s hours at :%02s", hour[2:], minute)
	}
	return cron
}

var (
	number  = regexp.MustCompile(`^\d+$`)
	numbers = regexp.MustCompile(`^\d+(,\d+)*$`)
	step    = regexp.MustCompile(`^\*/\d+$`)
)

// divides says whether a field is a step that divides a day or an hour into equal parts.
func divides(field string, whole int) bool {
	if !step.MatchString(field) {
		return false
	}
	n, err := strconv.Atoi(field[2:])
	return err == nil && n > 1 && whole%n == 0
}

// clockTimes are the times of a day, for hours that are listed and one minute.
func clockTimes(hour, minute string) (string, bool) {
	if !numbers.MatchString(hour) || !number.MatchString(minute) {
		return "", false
	}
	hours := strings.Split(hour, ",")
	for i, h := range hours {
		hours[i] = fmt.Sprintf("%02s:%02s", h, minute)
	}
	return listed(hours), true
}

func listed(words []string) string {
	if len(words) < 2 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// daysInWords says on which days a rule holds.
func daysInWords(day, month, weekday string) (string, bool) {
	open := func(field string) bool { return field == "*" || field == "?" }
	switch {
	case open(day) && open(month) && open(weekday):
		return "every day", true
	case open(day) && open(month):
		return weekdays(weekday)
	case number.MatchString(day) && open(month) && open(weekday):
		return "on day " + day + " of each month", true
	case number.MatchString(day) && number.MatchString(month) && open(weekday):
		n, err := strconv.Atoi(month)
		return "on " + day + " " + time.Month(n).String() + " each year", err == nil
	}
	return "", false
}

// weekdays says a field of weekdays, that is a list or a range.
func weekdays(field string) (string, bool) {
	if from, to, isRange := strings.Cut(field, "-"); isRange {
		first, ok := weekday(from)
		last, too := weekday(to)
		return first + " to " + last, ok && too
	}
	names := strings.Split(field, ",")
	for i, name := range names {
		var ok bool
		if names[i], ok = weekday(name); !ok {
			return "", false
		}
	}
	return "each " + listed(names), true
}

func weekday(text string) (string, bool) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n <= 7 {
		return time.Weekday(n % 7).String(), true
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(text, d.String()[:3]) {
			return d.String(), true
		}
	}
	return "", false
}
