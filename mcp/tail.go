package mcp

import (
	"bytes"
	"strings"
	"sync"
)

// quotedStderr is how much of what a program wrote to its standard error is kept to be quoted, in bytes.
const quotedStderr = 4 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu    sync.Mutex
	limit int
	kept  []byte
	cut   bool
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - t.limit; over > 0 {
		t.kept = append([]byte(nil), t.kept[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// text is what is kept. A line whose beginning is lost is left out: it may hold half a secret, which nobody would
// recognize.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept
	if t.cut {
		_, kept, _ = bytes.Cut(kept, []byte("\n"))
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(kept), "�"))
}
