package main

import (
	"log/slog"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

// logLines shows what the engine and the nodes log, from warnings on, a line each, without getting in the way of what
// is drawn.
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

func (l *logLines) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{
		Level: slog.LevelWarn,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}
