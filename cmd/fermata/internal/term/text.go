package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/fermata-go/fermata/internal/printable"
)

// Columns is how many columns text takes.
func Columns(text string) int { return ansi.StringWidth(text) }

// Cut shortens one line of text to width columns, with an ellipsis where something is lost. Styles are kept whole.
func (s *Screen) Cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if Columns(text) <= width {
		return text
	}
	return ansi.Truncate(text, width, s.Glyphs().Ellipsis)
}

// Wrap breaks text into lines of at most width columns, at spaces where it can. The line ends, indents and blank
// lines that the text has stay as they are.
func Wrap(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " \r")
		if Columns(line) <= width {
			lines = append(lines, line)
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if len(indent) > width/2 {
			indent = ""
		}
		for _, part := range breakLine(strings.TrimLeft(line, " "), max(width-len(indent), 2)) {
			lines = append(lines, indent+part)
		}
	}
	return lines
}

// breakLine breaks a line between words, and within a word only where that is wider than the whole line.
func breakLine(line string, width int) []string {
	var lines []string
	rest := ""
	for word := range strings.SplitSeq(line, " ") {
		switch {
		case rest != "" && Columns(rest)+1+Columns(word) <= width:
			rest += " " + word
			continue
		case rest != "":
			lines = append(lines, strings.TrimRight(rest, " "))
		}
		parts := breakWord(word, width)
		lines, rest = append(lines, parts[:len(parts)-1]...), parts[len(parts)-1]
	}
	return append(lines, rest)
}

// breakWord breaks a word into pieces of at most width columns.
func breakWord(word string, width int) []string {
	if len(word) <= width || Columns(word) <= width {
		return []string{word}
	}
	return strings.Split(ansi.Hardwrap(word, width, true), "\n")
}

// Pad fills text with spaces up to width columns.
func Pad(text string, width int) string {
	if missing := width - Columns(text); missing > 0 {
		return text + strings.Repeat(" ", missing)
	}
	return text
}

// PadLeft fills text with spaces in front up to width columns.
func PadLeft(text string, width int) string {
	if missing := width - Columns(text); missing > 0 {
		return strings.Repeat(" ", missing) + text
	}
	return text
}

// OneLine makes a single line of text: its first line that says something.
func OneLine(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(Plain(line)); line != "" {
			return line
		}
	}
	return ""
}

// Flat makes a single line of all that a text says.
func Flat(text string) string { return strings.Join(strings.Fields(Plain(text)), " ") }

// Plain escapes a text of a recipe, a person or another program, in any number of lines. Everything that would act on a
// terminal is escaped (law H9).
func Plain(text string) string {
	return printable.Escape(strings.ReplaceAll(text, "\r\n", "\n"))
}

// Line is Plain for text within a line, such as a name: line ends and tabs are escaped, too.
func Line(text string) string { return printable.Line(text) }

// Typed returns a typed text without the escape sequences and control characters of the keys.
func Typed(text string) string {
	if printable.IsClean(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if printable.Acts(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, ansi.Strip(strings.ReplaceAll(text, "\r\n", "\n")))
}

// Duration formats a duration in at most about seven columns: 40ms, 1.2s, 3m 04s, 2h 05m, 3d 4h.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0ms"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute-50*time.Millisecond:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm %02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh %02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	d = d.Round(time.Hour)
	return fmt.Sprintf("%dd %dh", int(d.Hours())/24, int(d.Hours())%24)
}

// Moment says a moment in full, for people: in the zone of now, with its offset.
func Moment(t, now time.Time) string { return t.In(now.Location()).Format(time.RFC3339) }

// When says a moment as people do: the time of day where it is within a day of now, with the day else. It is in the zone
// of now, with its offset.
func When(t, now time.Time) string {
	t = t.In(now.Location())
	switch ahead := t.Sub(now).Abs(); {
	case sameDay(t, now):
		return t.Format("15:04 -07:00")
	case ahead < 6*24*time.Hour:
		return t.Format("Mon 15:04 -07:00")
	case t.Year() == now.Year():
		return t.Format("2 Jan 15:04 -07:00")
	}
	return t.Format("2 Jan 2006")
}

// Ago says how long ago t was: "just now", "5m ago", "3d ago".
func Ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < 10*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours())/24)
	}
}

func sameDay(a, b time.Time) bool {
	y1, m1, d1 := a.Date()
	y2, m2, d2 := b.Date()
	return y1 == y2 && m1 == m2 && d1 == d2
}

// Count says a number with its noun: "1 answer", "3 answers".
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Bytes says a size: 512 B, 4.0 MB, 12 GB.
func Bytes(n uint64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	size, names := float64(n)/unit, "kMGTPE"
	i := 0
	for size >= unit && i < len(names)-1 {
		size /= unit
		i++
	}
	if size < 10 {
		return fmt.Sprintf("%.1f %cB", size, names[i])
	}
	return fmt.Sprintf("%.0f %cB", size, names[i])
}
