package executor

import (
	"context"
	"log/slog"
)

// replayHandler drops log lines of a node while it replays recorded calls (law N4).
type replayHandler struct {
	slog.Handler
	h    *host  // of the node
	pass uint64 // at whose calls it logs
}

// Enabled implements slog.Handler.
func (r *replayHandler) Enabled(ctx context.Context, level slog.Level) bool {
	r.h.mu.Lock()
	replaying := r.h.replaying() || r.h.pass.Load() != r.pass
	r.h.mu.Unlock()
	return !replaying && r.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (r *replayHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &replayHandler{Handler: r.Handler.WithAttrs(attrs), h: r.h, pass: r.pass}
}

// WithGroup implements slog.Handler.
func (r *replayHandler) WithGroup(name string) slog.Handler {
	return &replayHandler{Handler: r.Handler.WithGroup(name), h: r.h, pass: r.pass}
}
