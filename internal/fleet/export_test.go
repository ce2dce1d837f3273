package fleet

import "github.com/fermata-go/fermata/internal/runtype"

// Hold takes the lock of a fleet until release is called.
func (f *Fleet) Hold() (release func()) {
	f.mu.Lock()
	return f.mu.Unlock
}

// SetClock sets the clock before the first run.
func (f *Fleet) SetClock(c runtype.Clock) { f.Clock = c }
