package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
)

// deadlineOf reads --until: how long a run may last, or when it expires.
func deadlineOf(text string) ([]fermata.StartOption, error) {
	if text == "" {
		return nil, nil
	}
	wait, at, err := momentOf("--until", text)
	switch {
	case err != nil:
		return nil, err
	case wait > 0:
		return []fermata.StartOption{fermata.Within(wait)}, nil
	}
	return []fermata.StartOption{fermata.Until(at)}, nil
}

// renewalOf reads --deadline of a retry: a new deadline.
func renewalOf(text string) ([]fermata.RetryOption, error) {
	if text == "" {
		return nil, nil
	}
	wait, at, err := momentOf("--deadline", text)
	switch {
	case err != nil:
		return nil, err
	case wait > 0:
		return []fermata.RetryOption{fermata.RetryWithin(wait)}, nil
	}
	return []fermata.RetryOption{fermata.RetryUntil(at)}, nil
}

// momentOf reads a time that a flag names: from now, or on the clock of this machine's zone.
func momentOf(flag, text string) (wait time.Duration, at time.Time, err error) {
	if d, ok := durationOf(text); ok && d > 0 {
		return d, time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return 0, t, nil
		}
	}
	return 0, time.Time{}, usagef("%s %q: expected a time from now (2h, 3d), or a time (2026-01-31T18:00:00Z, 2026-01-31 18:00)", flag, text)
}

// durationOf reads a duration, of days and weeks as well.
func durationOf(text string) (time.Duration, bool) {
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if n, err := strconv.Atoi(strings.TrimSuffix(text, unit)); err == nil && strings.HasSuffix(text, unit) && n < 100_000/int(length/(24*time.Hour)) {
			return time.Duration(n) * length, true
		}
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}
