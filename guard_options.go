package fermata

import (
	"log/slog"
	"time"

	"github.com/fermata-go/fermata/internal/printable"
)

// guardOptions gives the options with their logger and clock where they do no harm (laws H9 and N7).
func guardOptions(o Options) Options {
	log := slog.New(slog.DiscardHandler)
	if o.Logger != nil {
		log = printable.Logger(o.Logger)
		o.Logger = log
	}
	if o.Clock != nil {
		o.Clock = guardedClock{o.Clock, log}
	}
	return o
}

// guardedClock is a clock of the program's. Where it does not return, the time is the machine's (law N7).
type guardedClock struct {
	Clock
	log *slog.Logger
}

func (g guardedClock) Now() time.Time {
	now, told := time.Time{}, false
	ignored(g.log, "Options.Clock.Now", "", func() { now, told = g.Clock.Now(), true })
	if !told {
		return time.Now()
	}
	return now
}

func (g guardedClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	var cancel func() bool
	ignored(g.log, "Options.Clock.AfterFunc", "", func() { cancel = g.Clock.AfterFunc(d, f) })
	if cancel == nil {
		return systemClock{}.AfterFunc(d, f)
	}
	return func() (before bool) {
		ignored(g.log, "a stop of Options.Clock.AfterFunc", "", func() { before = cancel() })
		return before
	}
}
