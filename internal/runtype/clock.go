package runtype

import "time"

// SystemClock is the clock of the process, for code that has no runtime.
type SystemClock struct{}

// Now returns the time of the process.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc calls f after d. The function it returns stops that, and reports whether it came in time.
func (SystemClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
