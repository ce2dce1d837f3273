package term

import (
	"strconv"
	"strings"
	"sync"
)

// Area is the part of a terminal, at its end, that is redrawn in place. Its methods may be called from several
// goroutines. On a screen that is not live nothing is redrawn: only Print shows something.
type Area struct {
	screen *Screen

	mu     sync.Mutex
	shown  []string // the lines as they stand on the terminal
	hidden bool     // the cursor is hidden
}

// NewArea makes an empty area.
func (s *Screen) NewArea() *Area { return &Area{screen: s} }

// Control sequences (ECMA-48, and the private modes that xterm made common).
const (
	hideCursor  = "\x1b[?25l"
	showCursor  = "\x1b[?25h"
	beginUpdate = "\x1b[?2026h" // show what follows at once; terminals that do not know it ignore it
	endUpdate   = "\x1b[?2026l"
	eraseBelow  = "\x1b[J"
	eraseLine   = "\x1b[K"
)

// Draw replaces what the area shows. Lines are cut to the terminal's width, and the first of them are left out where
// there are more than rows.
func (a *Area) Draw(lines []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.replace(nil, lines)
}

// Print writes lines above the area, where they stay.
func (a *Area) Print(lines ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.screen.Live {
		a.screen.Println(lines...)
		return
	}
	a.replace(lines, a.shown)
}

// Clear removes the area and shows the cursor again.
func (a *Area) Clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.replace(nil, nil)
	if a.hidden {
		a.screen.steer(showCursor)
		a.hidden = false
	}
}

// replace does one update in one write, so that nothing flickers.
func (a *Area) replace(above, lines []string) {
	if !a.screen.Live || len(above) == 0 && len(lines) == 0 && len(a.shown) == 0 {
		return
	}
	width, height := a.screen.Size()
	var b strings.Builder
	b.WriteString(beginUpdate)
	if !a.hidden && len(lines) > 0 {
		b.WriteString(hideCursor)
		a.hidden = true
	}
	if rows := a.rows(width); rows > 0 {
		b.WriteString("\r\x1b[" + strconv.Itoa(min(rows, height-1)) + "A")
	}
	if len(lines) > height-1 {
		lines = lines[len(lines)-(height-1):]
	}
	shown := make([]string, len(lines))
	for i, line := range whole(lines) {
		shown[i] = a.screen.Cut(a.screen.safe(line), width-1)
	}
	for _, line := range whole(above) {
		b.WriteString(a.screen.safe(line) + eraseLine + "\n")
	}
	for _, line := range shown {
		b.WriteString(line + eraseLine + "\n")
	}
	b.WriteString(eraseBelow + endUpdate)
	a.screen.steer(b.String())
	a.shown = shown
}

// rows is how many rows the shown lines take on a terminal that may have become narrower since: it wraps them.
func (a *Area) rows(width int) int {
	rows := 0
	for _, line := range a.shown {
		rows += max(1, (Columns(line)+width-1)/width)
	}
	return rows
}
