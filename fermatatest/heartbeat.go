package fermatatest

import (
	"github.com/fermata-go/fermata/internal/nodehost"
)

var _ nodehost.BeatHost = (*host)(nil)

// Beat implements nodehost.BeatHost.
func (h *host) Beat(pass uint64, value []byte) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	h.beat = value
	return nil
}

// LastBeat implements nodehost.BeatHost.
func (h *host) LastBeat(pass uint64, called nodehost.Op) []byte {
	if h.enter(pass) != nil {
		return nil
	}
	defer h.mu.Unlock()
	o := h.record(called)
	o.Done, o.Value, o.attempt = true, h.beat, h.info.Attempt
	return h.beat
}

// Refuse implements nodehost.BeatHost.
func (h *host) Refuse(pass uint64, err error) {
	if h.enter(pass) == nil {
		h.broken = err
		h.mu.Unlock()
	}
}
