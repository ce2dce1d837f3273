package term

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/term"

	"github.com/fermata-go/fermata/internal/printable"
)

// Screen is an output stream and what it can show. Its zero value discards; make one with [New].
type Screen struct {
	w io.Writer
	f *os.File // the terminal behind w; nil where there is none

	TTY     bool // a person is looking
	Live    bool // can be redrawn in place: a terminal that is not dumb
	Color   bool // understands styles, and they are wanted
	Unicode bool // shows more than ASCII

	// Measure asks the terminal for its columns and rows. Defaults to asking the one behind the stream.
	Measure func() (width, height int)

	columns int // fixed by the environment, 0 to ask the terminal

	failed atomic.Pointer[error] // the first error of a write; nil for none
}

// Err returns the first error of a write; nil for none.
func (s *Screen) Err() error {
	if err := s.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// put writes text that is safe, and keeps the first error.
func (s *Screen) put(text string) (int, error) {
	n, err := io.WriteString(s.w, text)
	if err != nil {
		s.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// New returns the screen of a stream, by the stream and the environment. It reads TERM, NO_COLOR (any value switches
// styles off), CLICOLOR_FORCE, COLUMNS, and the locale.
func New(w io.Writer, getenv func(string) string) *Screen {
	s := &Screen{w: w, Unicode: unicode(getenv)}
	if f, ok := w.(*os.File); ok && IsTerminal(f) {
		s.f, s.TTY = f, true
	}
	name := getenv("TERM")
	s.Live = s.TTY && name != "dumb" && name != ""
	s.Color = s.Live && getenv("NO_COLOR") == ""
	if force := getenv("CLICOLOR_FORCE"); force != "" && force != "0" && getenv("NO_COLOR") == "" {
		s.Color = true
	}
	if name == "linux" { // the kernel's console has a font of 256 glyphs
		s.Unicode = false
	}
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		s.columns = n
	}
	return s
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// unicode looks whether the locale is one of UTF-8. No locale at all counts as one: containers have none, and what
// shows their output has.
func unicode(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// File is the terminal behind the screen, nil where there is none.
func (s *Screen) File() *os.File { return s.f }

// Write writes p, which may have the styles of this package. All else in it that would act on a terminal is escaped
// (law H9): this is the last place before the terminal, so it covers every source of text.
func (s *Screen) Write(p []byte) (int, error) {
	if s.w == nil {
		return len(p), nil
	}
	if printable.IsClean(p) {
		return s.put(string(p))
	}
	if _, err := s.put(s.safe(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Editor is the stream for an editor of lines, which moves the cursor with sequences of its own. Nothing else writes to it.
func (s *Screen) Editor() io.Writer {
	if s.w == nil {
		return io.Discard
	}
	return s.w
}

// safe is text as it may be written: with styles, where the screen shows them.
func (s *Screen) safe(text string) string { return resolve(text, s.Color) }

// steer writes sequences that the screen itself makes, with text in them that is safe.
func (s *Screen) steer(text string) {
	if s.w != nil {
		_, _ = s.put(text)
	}
}

// Restore clears the drawing below the cursor and shows the cursor again, for an early end.
func (s *Screen) Restore() {
	if s.Live {
		s.steer("\r" + eraseBelow + showCursor)
	}
}

// Print writes the arguments as fmt.Fprint does.
func (s *Screen) Print(args ...any) { _, _ = fmt.Fprint(s, args...) }

// Println writes lines, each with its end. A line end within one of them is text, and is escaped: nobody's text begins a line
// (law H9). Split what has several lines.
func (s *Screen) Println(lines ...string) {
	if len(lines) > 0 {
		_, _ = io.WriteString(s, strings.Join(whole(lines), "\n")+"\n")
	}
}

// whole escapes line ends within lines.
func whole(lines []string) []string {
	for i, line := range lines {
		if strings.Contains(line, "\n") {
			lines = slices.Clone(lines)
			lines[i] = strings.ReplaceAll(line, "\n", `\u000a`)
		}
	}
	return lines
}

// Width is how many columns there are: of the terminal as it is now, or 100 where there is none.
func (s *Screen) Width() int {
	w, _ := s.Size()
	return w
}

// Size returns the columns and rows of the terminal now, or 100 by 40 without a terminal.
func (s *Screen) Size() (width, height int) {
	width, height = 100, 40
	switch {
	case s.Measure != nil:
		return s.Measure()
	case s.f != nil:
		if w, h, err := term.GetSize(int(s.f.Fd())); err == nil && w > 0 && h > 0 {
			width, height = w, h
		}
	}
	if s.columns > 0 {
		width = s.columns
	}
	return max(width, 20), max(height, 4)
}
