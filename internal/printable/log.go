package printable

import (
	"context"
	"log/slog"

	"github.com/fermata-go/fermata/internal/fault"
)

// Logger returns a logger that escapes all its texts before its handler writes them. So nothing in them acts where the
// lines are shown. Line ends are left to that handler. A nil logger stays nil.
//
// Where the handler, or a method of what is logged, panics or ends its goroutine, a line is lost and nothing else (law N7).
func Logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	if _, done := l.Handler().(*handler); done {
		return l
	}
	return slog.New(&handler{l.Handler()})
}

type handler struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, l slog.Level) (is bool) {
	_ = fault.Call("Enabled", func() error { is = h.Handler.Enabled(ctx, l); return nil }) // nobody could be told
	return is
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	return fault.Call("Handle", func() error { return h.handle(ctx, r) })
}

func (h *handler) handle(ctx context.Context, r slog.Record) error {
	clean := IsClean(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		_, same := escaped(a)
		clean = clean && same
		return clean
	})
	if clean {
		return h.Handler.Handle(ctx, r)
	}
	shown := slog.NewRecord(r.Time, r.Level, Escape(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		a, _ = escaped(a)
		shown.AddAttrs(a)
		return true
	})
	return h.Handler.Handle(ctx, shown)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.derived(func() slog.Handler {
		attrs, _ := allEscaped(attrs)
		return h.Handler.WithAttrs(attrs)
	})
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return h.derived(func() slog.Handler { return h.Handler.WithGroup(Line(name)) })
}

// derived is the handler that from makes, and the handler itself where that does not return.
func (h *handler) derived(from func() slog.Handler) slog.Handler {
	made := h
	_ = fault.Call("With", func() error { made = &handler{from()}; return nil })
	return made
}

// escaped is an attribute as it may be shown; same reports that it is as it was.
func escaped(a slog.Attr) (_ slog.Attr, same bool) {
	key := a.Key
	a.Key = Line(key)
	same = a.Key == key
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		if text := v.String(); !IsClean(text) {
			return slog.String(a.Key, Escape(text)), false
		}
	case slog.KindGroup:
		if inner, clean := allEscaped(v.Group()); !clean {
			return slog.Attr{Key: a.Key, Value: slog.GroupValue(inner...)}, false
		}
	case slog.KindAny:
		if err, ok := v.Any().(error); ok && err != nil {
			if text := err.Error(); !IsClean(text) {
				return slog.String(a.Key, Escape(text)), false
			}
		}
	default:
	}
	return a, same
}

func allEscaped(attrs []slog.Attr) (_ []slog.Attr, same bool) {
	shown := make([]slog.Attr, len(attrs))
	same = true
	for i, a := range attrs {
		var clean bool
		shown[i], clean = escaped(a)
		same = same && clean
	}
	return shown, same
}
