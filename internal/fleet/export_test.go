package fleet

import "github.com/fermata-go/fermata/internal/runtype"

// Hold takes the lock of a fleet until release is called.
func (f *Fleet) Hold() (release func()) {
	f.mu.Lock()
	return f.mu.Unlock
}

// SetClock sets the clock before the first run.
func (f *Fleet) SetClock(c runtype.Clock) { f.Clock = c }

// Notifiers returns of how many runs somebody waits for a change.
func (f *Fleet) Notifiers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.notifiers)
}
