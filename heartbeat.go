package fermata

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// beatEvery is how long a heartbeat waits until it is stored, together with those that come meanwhile.
const beatEvery = 5 * time.Second

// beats are a pass's signs of life, and what it said with them. The host's lock guards what is not atomic.
type beats struct {
	value []byte      // the last heartbeat that is not stored yet, nil for none
	timer *time.Timer // stores it; nil while there is none
	reads []beatRead  // of heartbeats before: stored before the next call that is recorded

	idle time.Duration // how long the pass may be silent; 0 for ever
	from time.Time     // when it began
	last atomic.Int64  // when it last gave a sign of life, since from
	held atomic.Int32  // how many calls wait for the store or for time to pass: nobody is silent meanwhile
}

// beatRead is a call of node.LastHeartbeat, and what it got.
type beatRead struct {
	op    node.Op
	value []byte
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

// begin watches a pass that may be silent for so long.
func (b *beats) begin(idle time.Duration) {
	b.idle, b.from = idle, time.Now()
	b.last.Store(0)
}

// sign notes a sign of life.
func (b *beats) sign() {
	if b.idle > 0 {
		b.last.Store(int64(time.Since(b.from)))
	}
}

// hold says that the pass waits for something else, until the returned function is called.
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

// left is how much longer the pass may be silent.
func (b *beats) left() time.Duration {
	if b.held.Load() > 0 {
		return b.idle
	}
	return b.idle - (time.Since(b.from) - time.Duration(b.last.Load()))
}

// Beat implements [node.BeatHost].
func (h *host) Beat(pass uint64, value []byte) error {
	if err := h.enterAt(pass, func() bool { return true }); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if limit := h.d.maxValue(); len(value) > limit {
		return fmt.Errorf("heartbeat: %w", notStorable(&canonical.Excess{Limit: limit, Found: len(value)}))
	}
	b := &h.beats
	if b.value = value; b.timer == nil {
		b.timer = time.AfterFunc(beatEvery, func() { h.beatIsDue(pass) })
	}
	return nil
}

// beatIsDue stores the last heartbeat of a pass that goes on. That is no sign of life.
func (h *host) beatIsDue(pass uint64) {
	h.calls.Add(1) // as a call of the pass's own
	h.mu.Lock()
	defer h.mu.Unlock()
	if pass == h.pass.Load() && h.broken == nil && h.storeFailed == nil {
		h.beats.timer = nil
		_ = h.saveBeat() // a store that fails ends the pass
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
	_ = h.recordBeside(!h.d.none, beat(value)) // lazily: it cannot fail
}

func beat(value []byte) func(m *machine.Machine, t *machine.Task, now int64) error {
	return func(m *machine.Machine, t *machine.Task, now int64) error {
		return m.Record(now, t, journal.NodeHeartbeat, "", value, nil)
	}
}

// LastBeat implements [node.BeatHost]. That it was read is stored before the next call, and not with heartbeats: a pass that
// a crash cuts off, and that had come to nothing else, reads the last of them.
func (h *host) LastBeat(pass uint64, op node.Op) []byte {
	if h.enterFor(pass, op) != nil {
		return nil
	}
	defer h.mu.Unlock()
	t := h.task.in(h.d.m)
	if t == nil {
		return nil
	}
	h.beats.reads = append(h.beats.reads, beatRead{op, t.Beat})
	return t.Beat
}

// keepReads stores with the next commit what the pass has read of heartbeats.
func (h *host) keepReads() {
	reads := h.beats.reads
	h.beats.reads = nil
	for _, r := range reads {
		_ = h.recordBeside(!h.d.none, func(m *machine.Machine, t *machine.Task, now int64) error {
			return put(m, t, now, journal.StepFinished, r.op, r.value, nil)
		})
	}
}

// Refuse implements [node.BeatHost].
func (h *host) Refuse(pass uint64, err error) {
	if h.enterAt(pass, func() bool { return true }) == nil {
		h.broken = err
		h.mu.Unlock()
	}
}
