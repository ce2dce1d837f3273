package contest

import (
	"runtime"
	"time"
)

// Window is the part of a run that is measured: from Open to Close, or as long as Add says.
type Window struct {
	spent   cost
	began   reading
	foreign bool // Add was called
}

// Open begins the part.
func (w *Window) Open() { w.began = read() }

// Close ends it.
func (w *Window) Close() { w.spent = w.spent.plus(w.began.until()) }

// Add adds what another process has measured: the time, and that of its processors. Allocations are then not known.
func (w *Window) Add(wall, processors time.Duration) {
	w.spent.wall += wall
	w.spent.cpu += processors
	w.foreign = true
}

func (w *Window) reset() {
	if w != nil {
		w.spent = cost{}
	}
}

// cost is what something takes.
type cost struct {
	wall, cpu      time.Duration
	objects, bytes uint64 // allocated
}

func (c cost) plus(o cost) cost {
	return cost{c.wall + o.wall, c.cpu + o.cpu, c.objects + o.objects, c.bytes + o.bytes}
}

// reading is how far the clocks and counters of the process are.
type reading struct {
	at     time.Time
	cpu    time.Duration
	memory runtime.MemStats
}

// read begins with the counters of memory, which take long and stop the program.
func read() reading {
	var r reading
	runtime.ReadMemStats(&r.memory)
	r.cpu, r.at = processorTime(), time.Now()
	return r
}

// until is what it took until now.
func (r *reading) until() cost {
	c := cost{wall: time.Since(r.at), cpu: processorTime() - r.cpu}
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	c.objects, c.bytes = now.Mallocs-r.memory.Mallocs, now.TotalAlloc-r.memory.TotalAlloc
	return c
}
