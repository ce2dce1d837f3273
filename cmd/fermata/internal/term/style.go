package term

import (
	"crypto/rand"
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/internal/printable"
)

// Style changes how text looks. Applying one to text of several lines styles each of them.
type Style struct {
	code string // parameters of SGR (ECMA-48), "" for no style
}

// Apply styles text; a screen without styles gives it back as it is.
func (st Style) Apply(text string) string {
	if st.code == "" || text == "" {
		return text
	}
	m := ours()
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = m.lead + ";" + st.code + "m" + line + m.lead + "m"
		}
	}
	return strings.Join(lines, "\n")
}

// marks tell the sequences of styles from those that somebody wrote: they begin with a number that nobody outside of the
// process knows, and that is left out when they are written (law H9).
type marks struct {
	lead string
	find *regexp.Regexp
}

var ours = sync.OnceValue(func() marks {
	var secret [8]byte
	_, _ = rand.Read(secret[:]) // it never fails
	lead := "\x1b[" + strconv.FormatUint(binary.BigEndian.Uint64(secret[:]), 10)
	return marks{lead: lead, find: regexp.MustCompile(regexp.QuoteMeta(lead) + `(?:;[0-9]+)?m`)}
})

// resolve is text as a terminal takes it: the styles that were applied here become sequences, and all else that would act is
// escaped.
func resolve(text string, styled bool) string {
	m := ours()
	var b strings.Builder
	at := 0
	for _, span := range m.find.FindAllStringIndex(text, -1) {
		b.WriteString(printable.Escape(text[at:span[0]]))
		if styled {
			b.WriteString("\x1b[" + strings.TrimPrefix(text[span[0]+len(m.lead):span[1]], ";"))
		}
		at = span[1]
	}
	b.WriteString(printable.Escape(text[at:]))
	return b.String()
}

// Styles are the few looks that everything is made of. They use the terminal's own sixteen colours, so that they
// follow its theme.
type Styles struct {
	Strong Style // names and headings
	Faint  Style // what is there for reference
	Good   Style
	Bad    Style
	Wait   Style // a person, a timer or a service is waited for
	Busy   Style // being worked on
	Code   Style // commands to copy
}

// Styles are the styles of the screen.
func (s *Screen) Styles() Styles {
	if !s.Color {
		return Styles{}
	}
	return Styles{
		Strong: Style{"1"}, Faint: Style{"2"}, Bad: Style{"31"}, Good: Style{"32"}, Wait: Style{"33"}, Busy: Style{"36"}, Code: Style{"36"},
	}
}

// Glyphs are the signs that lines consist of, beside words.
type Glyphs struct {
	Marks
	Strokes
	Spinner []string
}

// Marks stand in front of lines.
type Marks struct{ Done, Failed, Pending, Ask, Timer, Retry, Skipped, Cached, Stopped string }

// Strokes stand around words and between them.
type Strokes struct{ Arrow, Bar, Top, Bottom, Dot, Ellipsis, Dash, Caret string }

// Glyphs are the signs that the screen can show.
func (s *Screen) Glyphs() Glyphs {
	if !s.Unicode {
		return Glyphs{
			Marks{Done: "+", Failed: "x", Pending: ".", Ask: "?", Timer: "@", Retry: "~", Skipped: "-", Cached: "=", Stopped: "!"},
			Strokes{Arrow: "->", Bar: "|", Top: "|", Bottom: "|", Dot: "-", Ellipsis: "...", Dash: "-", Caret: "^"},
			[]string{"|", "/", "-", "\\"},
		}
	}
	return Glyphs{
		Marks{Done: "✓", Failed: "✗", Pending: "·", Ask: "◆", Timer: "◷", Retry: "↻", Skipped: "–", Cached: "≡", Stopped: "■"},
		Strokes{Arrow: "→", Bar: "│", Top: "╭", Bottom: "╰", Dot: "·", Ellipsis: "…", Dash: "–", Caret: "^"},
		[]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"},
	}
}
