// Package vt is a small terminal for tests: it shows what a person would see of a program's output. It understands the
// sequences that this command and the libraries under it send, and counts unknown ones.
package vt

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// Terminal is a screen of a fixed size with all that has scrolled off it. Its methods may be called from several
// goroutines.
type Terminal struct {
	mu      sync.Mutex
	width   int
	height  int
	gone    []string // lines that have scrolled away
	rows    [][]rune
	x, y    int
	wrap    bool // the last column has been written: the next character goes to the next row
	hidden  bool
	unknown []string
	parser  *ansi.Parser
}

// New makes an empty terminal.
func New(width, height int) *Terminal {
	t := &Terminal{width: width, height: height, parser: ansi.NewParser()}
	t.parser.SetHandler(ansi.Handler{Print: t.put, Execute: t.execute, HandleCsi: t.control, HandleEsc: t.escape})
	t.rows = make([][]rune, height)
	for i := range t.rows {
		t.rows[i] = t.blank()
	}
	return t
}

func (t *Terminal) blank() []rune {
	row := make([]rune, t.width)
	for i := range row {
		row[i] = ' '
	}
	return row
}

// Write takes output.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parser.Parse(p)
	return len(p), nil
}

// Cooked returns a writer that turns LF into CR LF, as the tty driver of a terminal does.
func (t *Terminal) Cooked() io.Writer { return cooked{t} }

type cooked struct{ t *Terminal }

func (c cooked) Write(p []byte) (int, error) {
	_, err := c.t.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

func (t *Terminal) execute(c byte) {
	switch c {
	case '\n':
		t.lineFeed()
	case '\r':
		t.x, t.wrap = 0, false
	case '\b':
		t.x, t.wrap = max(t.x-1, 0), false
	case '\t':
		t.x = min((t.x/8+1)*8, t.width-1)
	}
}

func (t *Terminal) escape(cmd ansi.Cmd) {
	if cmd.Final() == 'M' {
		t.y = max(t.y-1, 0)
	}
}

func (t *Terminal) put(r rune) {
	w := ansi.StringWidth(string(r))
	if w == 0 {
		return
	}
	if t.wrap || t.x+w > t.width {
		t.x = 0
		t.wrap = false
		t.lineFeed()
	}
	t.rows[t.y][t.x] = r
	for i := 1; i < w; i++ {
		t.rows[t.y][t.x+i] = 0
	}
	if t.x += w; t.x >= t.width {
		t.x, t.wrap = t.width-1, true
	}
}

func (t *Terminal) lineFeed() {
	t.wrap = false
	if t.y++; t.y < t.height {
		return
	}
	t.y = t.height - 1
	t.gone = append(t.gone, text(t.rows[0]))
	t.rows = append(t.rows[1:], t.blank())
}

func (t *Terminal) control(cmd ansi.Cmd, params ansi.Params) {
	mode, _, _ := params.Param(0, 0)
	if cmd.Prefix() != 0 || cmd.Intermediate() == '$' {
		if cmd.Prefix() == '?' && mode == 25 {
			t.hidden = cmd.Final() == 'l'
		}
		return // modes and questions
	}
	n := min(max(mode, 1), 1000)
	t.wrap = t.wrap && (cmd.Final() == 'm' || cmd.Final() == 'n')
	switch cmd.Final() {
	case 'A':
		t.y = max(t.y-n, 0)
	case 'B':
		t.y = min(t.y+n, t.height-1)
	case 'C':
		t.x = min(t.x+n, t.width-1)
	case 'D':
		t.x = max(t.x-n, 0)
	case 'G':
		t.x = min(n-1, t.width-1)
	case 'd':
		t.y = min(n-1, t.height-1)
	case 'H':
		column, _, _ := params.Param(1, 1)
		t.y, t.x = min(n-1, t.height-1), min(max(column, 1)-1, t.width-1)
	case 'J':
		t.eraseDisplay(mode)
	case 'K':
		t.eraseLine(mode)
	case 'X':
		t.clear(t.x, min(t.x+n, t.width))
	case 'P':
		row := t.rows[t.y]
		copy(row[t.x:], row[min(t.x+n, t.width):])
		t.clear(max(t.width-n, t.x), t.width)
	case '@':
		row := t.rows[t.y]
		copy(row[min(t.x+n, t.width):], row[t.x:])
		t.clear(t.x, min(t.x+n, t.width))
	case 'b':
		last := t.rows[t.y][max(t.x-1, 0)]
		for range n {
			t.put(last)
		}
	case 'm', 'n', 'c', 'u', 't', 'h', 'l', 'q', 'r':
	default:
		t.unknown = append(t.unknown, fmt.Sprint("CSI ", params, string(rune(cmd.Final()))))
	}
}

func (t *Terminal) clear(from, to int) {
	for i := from; i < to; i++ {
		t.rows[t.y][i] = ' '
	}
}

func (t *Terminal) eraseLine(mode int) {
	switch mode {
	case 0:
		t.clear(t.x, t.width)
	case 1:
		t.clear(0, t.x+1)
	default:
		t.clear(0, t.width)
	}
}

func (t *Terminal) eraseDisplay(mode int) {
	from, to := 0, t.height
	switch mode {
	case 0:
		t.clear(t.x, t.width)
		from = t.y + 1
	case 1:
		t.clear(0, t.x+1)
		to = t.y
	default:
	}
	for i := from; i < to; i++ {
		t.rows[i] = t.blank()
	}
}

func text(row []rune) string {
	var b strings.Builder
	for _, r := range row {
		if r != 0 {
			b.WriteRune(r)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Text returns everything that was shown and not redrawn. That is the lines that have scrolled away, and the screen
// without the blank rows at its end.
func (t *Terminal) Text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := append([]string(nil), t.gone...)
	for _, row := range t.rows {
		lines = append(lines, text(row))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// Hidden reports whether the cursor is hidden.
func (t *Terminal) Hidden() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hidden
}

// Unknown are the sequences that were not understood.
func (t *Terminal) Unknown() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.unknown...)
}

// Resize changes the terminal's width and wraps lines that are too long, as terminals do. The cursor stays with its
// line.
func (t *Terminal) Resize(width int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	at := 0
	for i, row := range t.rows {
		runes := []rune(text(row))
		if i == t.y {
			at = len(lines)
		}
		for len(runes) > width {
			lines = append(lines, string(runes[:width]))
			runes = runes[width:]
			if i == t.y {
				at = len(lines)
			}
		}
		lines = append(lines, string(runes))
	}
	for len(lines) > t.height && (lines[len(lines)-1] == "" && at < len(lines)-1) {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > t.height {
		t.gone, lines = append(t.gone, lines[0]), lines[1:]
		at--
	}
	t.width, t.y, t.wrap = width, max(at, 0), false
	t.x = min(t.x, width-1)
	t.rows = make([][]rune, t.height)
	for i := range t.rows {
		t.rows[i] = t.blank()
		if i < len(lines) {
			copy(t.rows[i], []rune(lines[i]))
		}
	}
}
