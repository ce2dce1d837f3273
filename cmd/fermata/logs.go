package main

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

// logLines shows what the engine and the nodes log, a line each, without getting in the way of what is drawn.
type logLines struct {
	mu   sync.Mutex
	show func(lines ...string)
}

// to changes where the lines go.
func (l *logLines) to(show func(lines ...string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.show = show
}

// Write shows lines.
func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.show(strings.Split(strings.TrimSuffix(term.Plain(string(p)), "\n"), "\n")...)
	return len(p), nil
}

// logger is a logger whose lines go to l. With verbose it shows all that there is, and else what is worth a warning
// and not shown anyway.
func (l *logLines) logger(verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	text := slog.NewTextHandler(l, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})
	if verbose {
		return slog.New(text)
	}
	return slog.New(untold{text})
}

// untold drops what the engine tells of runs and tasks: the command shows their events itself.
type untold struct{ slog.Handler }

// Handle implements slog.Handler.
func (h untold) Handle(ctx context.Context, r slog.Record) error {
	told := false
	r.Attrs(func(a slog.Attr) bool {
		told = a.Key == "event"
		return !told
	})
	if told {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h untold) WithAttrs(attrs []slog.Attr) slog.Handler { return untold{h.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (h untold) WithGroup(name string) slog.Handler { return untold{h.Handler.WithGroup(name)} }
