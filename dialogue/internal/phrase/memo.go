package phrase

import "sync"

// Hearing returns the locale for one message. It splits each text into words once, however much is
// asked about it.
func (l Locale) Hearing() Locale {
	l.memo = &memo{lines: make(map[memoKey]*line)}
	return l
}

// memo are the lines that were read for one message. None changes once it is mended. A nil one keeps none.
type memo struct {
	mu    sync.Mutex
	lines map[memoKey]*line
}

type memoKey struct {
	language *language
	text     string
}

func (m *memo) line(in *language, text string) *line {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lines[memoKey{in, text}]
}

func (m *memo) keep(in *language, text string, l *line) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines[memoKey{in, text}] = l
}
