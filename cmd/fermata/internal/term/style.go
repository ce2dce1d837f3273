package term

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Style changes how text looks. Applying one to text of several lines styles each of them.
type Style struct {
	on    bool
	style lipgloss.Style
}

// Apply styles text; a screen without styles gives it back as it is.
func (st Style) Apply(text string) string {
	if !st.on || text == "" {
		return text
	}
	if !strings.Contains(text, "\n") {
		return st.style.Render(text)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = st.style.Render(line)
		}
	}
	return strings.Join(lines, "\n")
}

// Styles are the few looks that everything is made of. They use the terminal's own sixteen colours, so that they
// follow its theme.
type Styles struct {
	Strong Style // names and headings
	Faint  Style // what is there for reference
	Good   Style
	Bad    Style
	Wait   Style // somebody or something is waited for
	Busy   Style // being worked on
	Code   Style // commands to copy
}

// Styles are the styles of the screen.
func (s *Screen) Styles() Styles {
	base := func() lipgloss.Style { return lipgloss.NewStyle().Inline(true) }
	with := func(style lipgloss.Style) Style { return Style{on: s.Color, style: style} }
	return Styles{
		Strong: with(base().Bold(true)),
		Faint:  with(base().Faint(true)),
		Good:   with(base().Foreground(lipgloss.Green)),
		Bad:    with(base().Foreground(lipgloss.Red)),
		Wait:   with(base().Foreground(lipgloss.Yellow)),
		Busy:   with(base().Foreground(lipgloss.Cyan)),
		Code:   with(base().Foreground(lipgloss.Cyan)),
	}
}

// Glyphs are the signs in front of lines.
type Glyphs struct {
	Done, Failed, Pending, Ask, Timer, Retry, Skipped, Cached, Stopped string
	Arrow, Bar, Top, Bottom, Dot, Ellipsis, Dash, Rule, Caret          string
	Spinner                                                            []string
}

// Glyphs are the signs that the screen can show.
func (s *Screen) Glyphs() Glyphs {
	if !s.Unicode {
		return Glyphs{
			Done: "+", Failed: "x", Pending: ".", Ask: "?", Timer: "@", Retry: "~", Skipped: "-", Cached: "=", Stopped: "!",
			Arrow: "->", Bar: "|", Top: "|", Bottom: "|", Dot: "-", Ellipsis: "...", Dash: "-", Rule: "-", Caret: "^",
			Spinner: []string{"|", "/", "-", "\\"},
		}
	}
	return Glyphs{
		Done: "✓", Failed: "✗", Pending: "·", Ask: "◆", Timer: "◷", Retry: "↻", Skipped: "–", Cached: "≡", Stopped: "■",
		Arrow: "→", Bar: "│", Top: "╭", Bottom: "╰", Dot: "·", Ellipsis: "…", Dash: "–", Rule: "─", Caret: "^",
		Spinner: []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"},
	}
}
