package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Kinds of faults.
const (
	faultKill    = "workers killed"
	faultFreeze  = "workers frozen"
	faultRestart = "database restarted"
	faultCut     = "network cut"
	faultStall   = "network stalled"
	faultRefuse  = "network closed"
	faultStarved = "workers held up by the machine"
)

// kindsOfFaults are in the order of the table.
var kindsOfFaults = []string{faultKill, faultFreeze, faultRestart, faultCut, faultStall, faultRefuse, faultStarved}

// fault is a time in which something was disturbed.
type fault struct {
	kind     string
	worker   string // "" for the store
	from, to time.Time
}

// faults does them, and keeps account.
type faults struct {
	db    *database
	fleet *fleet
	dice  *rand.Rand
	lease time.Duration

	mu   sync.Mutex
	list []fault
}

func (f *faults) begin(kind, worker string) (end func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := len(f.list)
	f.list = append(f.list, fault{kind: kind, worker: worker, from: time.Now(), to: time.Now().Add(time.Hour)})
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.list[at].to = time.Now()
	}
}

// ended notes that a worker ended, for whatever reason: the effect that it was at may be repeated.
func (f *faults) ended(worker string) { f.begin("", worker)() }

// starved takes what workers say of themselves out of the ledger: that the machine or the store held them up for so long
// that their leases may have run out, as a fault would.
func (f *faults) starved(ledger []line) []line {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(ledger, func(l line) bool {
		if l.name != starvedLine {
			return false
		}
		took, err := time.ParseDuration(l.key)
		if err == nil {
			f.list = append(f.list, fault{kind: faultStarved, worker: l.worker, from: l.at.Add(-took), to: l.at})
		}
		return true
	})
}

// count is how many faults of each kind there were.
func (f *faults) count() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := make(map[string]int)
	for _, x := range f.list {
		n[x.kind]++
	}
	return n
}

// aftermath is how long a fault of the store may still show: connections of a pool are found broken when they are used.
const aftermath = 5 * time.Second

// explain reports whether a fault of this worker, or of the store, lies between two tries of an effect.
func (f *faults) explain(worker string, first, second time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.list {
		if x.worker != "" && x.worker != worker {
			continue
		}
		to := x.to.Add(f.lease) // a worker that was held up does not know at once that others have its runs
		if x.worker == "" {
			to = x.to.Add(aftermath)
		}
		if !x.from.After(second) && !to.Before(first) {
			return true
		}
	}
	return false
}

// rage does one fault after the other until ctx is done, and leaves everything in order.
func (f *faults) rage(ctx context.Context, workers int) {
	for {
		wait(ctx, time.Duration(100+f.dice.IntN(400))*time.Millisecond)
		if ctx.Err() != nil {
			return
		}
		f.one(ctx, f.dice.IntN(100), f.dice.IntN(workers))
	}
}

// one does a fault.
func (f *faults) one(ctx context.Context, roll, place int) {
	server := f.db.proxy != nil
	switch {
	case !server && roll < 60, roll < 35:
		f.kill(place)
	case !server, roll < 55:
		f.freeze(ctx, place)
	case roll < 65:
		end := f.begin(faultRestart, "")
		f.db.stop(f.dice.IntN(2) == 0)
		wait(ctx, time.Duration(f.dice.IntN(1500))*time.Millisecond)
		_ = f.db.start(context.WithoutCancel(ctx))
		end()
	case roll < 80:
		end := f.begin(faultCut, "")
		f.db.proxy.cut()
		end()
	case roll < 92:
		end := f.begin(faultStall, "")
		f.db.proxy.stall(ctx, time.Duration(200+f.dice.IntN(3000))*time.Millisecond)
		end()
	default:
		end := f.begin(faultRefuse, "")
		f.db.proxy.refuse(true)
		f.db.proxy.cut()
		wait(ctx, time.Duration(200+f.dice.IntN(2000))*time.Millisecond)
		f.db.proxy.refuse(false)
		end()
	}
}

func (f *faults) kill(place int) {
	w := f.fleet.at(place)
	end := f.begin(faultKill, w.name)
	_ = w.cmd.Process.Kill()
	<-w.ended
	end()
}

// freeze holds a worker up for longer than its lease, and lets it go on: others have taken its runs then.
func (f *faults) freeze(ctx context.Context, place int) {
	w := f.fleet.at(place)
	end := f.begin(faultFreeze, w.name)
	_ = freeze(w.cmd.Process)
	wait(ctx, f.lease+f.lease/2+time.Duration(f.dice.Int64N(int64(f.lease))))
	_ = thaw(w.cmd.Process)
	end()
}
