package fermata

import "time"

// KnownPlans is how many plans a runtime keeps.
func KnownPlans(rt *Runtime) int {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return len(rt.plans.known)
}

// Hurry has a runtime take up at once what a store took from it.
func Hurry(rt *Runtime) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	rt.recovery.first = time.Millisecond
}

// WithProcessClock are options for a process that takes its time of day, and the time that has passed, from now.
func WithProcessClock(o Options, now func() (wall time.Time, passed time.Duration)) Options {
	o.processClock = now
	return o
}

// MachineLook is how long a runtime may take to notice that the machine's clock was set forward.
const MachineLook = machineLook

// Driving is how many runs a runtime drives, or is about to.
func Driving(rt *Runtime) int {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return len(rt.drives) + len(rt.loading) + len(rt.waking)
}
