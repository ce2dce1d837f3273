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

// beats holds a pass's signs of life and its heartbeats. The host's lock guards fields that are not atomic.
type beats struct {
	value []byte      // the last heartbeat not stored yet; nil for none
	timer *time.Timer // stores value; nil while not running
	reads []beatRead  // reads of earlier heartbeats: stored before the next recorded call

	idle time.Duration // how long the pass may be silent; 0 for no limit
	from time.Time     // when the pass began
	last atomic.Int64  // the last sign of life, in nanoseconds since from
	held atomic.Int32  // calls that wait for the store or for a timer: the pass is not silent meanwhile
}

// beatRead is a call of node.LastHeartbeat and its result.
type beatRead struct {
	op    nodehost.Op // the call
	value []byte      // the heartbeat; nil for none
}

func (b *beats) reset() {
	b.stop()
	b.value, b.reads, b.idle = nil, nil, 0
}

func (b *beats) stop() {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
}

// begin starts to watch a pass for silence.
func (b *beats) begin(idle time.Duration) {
	b.idle, b.from = idle, time.Now()
	b.last.Store(0)
}

// sign records a sign of life.
func (b *beats) sign() {
	if b.idle > 0 {
		b.last.Store(int64(time.Since(b.from)))
	}
}

// hold suspends the watch for silence until over is called.
func (b *beats) hold() (over func()) {
	if b.idle == 0 {
		return func() {}
	}
	b.held.Add(1)
	return func() {
		b.sign()
		b.held.Add(-1)
	}
}

// left returns how much longer the pass may be silent.
func (b *beats) left() time.Duration {
	if b.held.Load() > 0 {
		return b.idle
	}
	return b.idle - (time.Since(b.from) - time.Duration(b.last.Load()))
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
