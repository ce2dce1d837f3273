package executor

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// beatEvery is the interval at which heartbeats are stored. Only the last one of an interval is.
const beatEvery = 5 * time.Second

// beats holds a pass's heartbeats, and what ends the pass before its function returns. The host's lock guards it.
type beats struct {
	bounds atomic.Pointer[bounds] // needs no lock; nil for nothing

	value []byte      // the last heartbeat not stored yet; nil for none
	timer *time.Timer // stores value; nil while not running
	reads []beatRead  // reads of earlier heartbeats: stored before the next recorded call
}

// beatRead is a call of node.LastHeartbeat and its result.
type beatRead struct {
	op    nodehost.Op // the call
	value []byte      // the heartbeat; nil for none
}

func (b *beats) reset() {
	b.stop()
	b.value, b.reads = nil, nil
}

func (b *beats) stop() {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
}

// Beat implements [nodehost.BeatHost].
func (h *host) Beat(pass uint64, value []byte) error {
	if err := h.enterAt(pass, func() bool { return true }); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if limit := h.run.MaxValue(); len(value) > limit {
		return fmt.Errorf("heartbeat: %w", runtype.NotStorable(&canonical.Excess{Limit: limit, Found: len(value)}))
	}
	b := &h.beats
	if b.value = value; b.timer == nil {
		b.timer = time.AfterFunc(beatEvery, func() { h.beatIsDue(pass) })
	}
	return nil
}

// beatIsDue stores the last heartbeat of a running pass. That is no sign of life.
func (h *host) beatIsDue(pass uint64) {
	h.calls.Add(1) // counts as a call of the pass
	h.mu.Lock()
	defer h.mu.Unlock()
	if pass == h.pass.Load() && h.broken == nil && h.storeFailed == nil {
		h.beats.timer = nil
		_ = h.saveBeat() // a failing store ends the pass
	}
}

// saveBeat stores the last heartbeat.
func (h *host) saveBeat() error {
	value := h.beats.value
	if value == nil {
		return nil
	}
	h.beats.value = nil
	return h.recordBeside(false, beat(value))
}

// keepBeat stores the last heartbeat with the next commit.
func (h *host) keepBeat() {
	value := h.beats.value
	if value == nil {
		return
	}
	h.beats.value = nil
	_ = h.recordBeside(!h.run.Unstored, beat(value)) // lazily: it cannot fail
}

func beat(value []byte) func(m *machine.Machine, t *machine.Task, now int64) error {
	return func(m *machine.Machine, t *machine.Task, now int64) error {
		return m.Record(now, t, journal.NodeHeartbeat, "", value, nil)
	}
}

// LastBeat implements [nodehost.BeatHost]. The read is stored before the next call, not with heartbeats. So a pass
// that crashed before any call reads the latest heartbeat.
func (h *host) LastBeat(pass uint64, op nodehost.Op) []byte {
	if h.enterFor(pass, op) != nil {
		return nil
	}
	defer h.mu.Unlock()
	t := h.task.in(h.run.Machine)
	if t == nil {
		return nil
	}
	h.beats.reads = append(h.beats.reads, beatRead{op, t.Beat})
	return t.Beat
}

// keepReads stores the pass's reads of heartbeats with the next commit.
func (h *host) keepReads() {
	reads := h.beats.reads
	h.beats.reads = nil
	for _, r := range reads {
		_ = h.recordBeside(!h.run.Unstored, func(m *machine.Machine, t *machine.Task, now int64) error {
			return put(m, t, now, journal.StepFinished, r.op, r.value, nil)
		})
	}
}

// Refuse implements [nodehost.BeatHost].
func (h *host) Refuse(pass uint64, err error) {
	if h.enterAt(pass, func() bool { return true }) == nil {
		h.broken = err
		h.mu.Unlock()
	}
}
