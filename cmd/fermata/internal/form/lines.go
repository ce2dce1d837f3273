package form

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/internal/printable"
)

// Lines asks line by line, for terminals that cannot redraw and for screen readers.
type Lines struct {
	Out     io.Writer
	discard func() // throws away what was typed before a question

	in      *bufio.Reader
	lines   chan line
	reading bool
}

type line struct {
	text string
	err  error
}

// NewLines reads from in, and only while something is asked.
func NewLines(in io.Reader, out io.Writer) *Lines {
	l := &Lines{Out: out, in: bufio.NewReader(in), lines: make(chan line, 1), discard: func() {}}
	if f, ok := in.(*os.File); ok {
		l.discard = func() { term.Discard(f) }
	}
	return l
}

// Fill asks for each field until it is right.
func (l *Lines) Fill(ctx context.Context, f *Form, entries []Entry, problem error) ([]Entry, error) {
	if problem != nil {
		l.say("  ! %s\n", paragraph(problem.Error()))
	} else {
		l.discard()
	}
	filled := make([]Entry, len(f.Fields))
	for i := range f.Fields {
		entry, err := l.field(ctx, &f.Fields[i], entries[i])
		if err != nil {
			return nil, err
		}
		filled[i] = entry
	}
	return filled, nil
}

func (l *Lines) field(ctx context.Context, f *Field, start Entry) (Entry, error) {
	shown := f.shown()
	if shown.Title != "" {
		l.say("  %s%s\n", shown.Title, note(f))
	}
	if shown.Help != "" {
		l.say("  %s\n", shown.Help)
	}
	for i, o := range shown.Options {
		l.say("    %d  %s\n", i+1, o.Label)
	}
	for {
		l.say("  %s> ", hint(&shown, start))
		text, err := l.read(ctx)
		if err != nil {
			return Entry{}, err
		}
		entry, err := f.read(text, start)
		if err == nil {
			err = f.Check(entry)
		}
		if err == nil {
			return entry, nil
		}
		l.say("  ! %v\n", shownError{err})
	}
}

// read reads a line, aside: when ctx is done first, the line is kept for the next question.
func (l *Lines) read(ctx context.Context) (string, error) {
	if !l.reading {
		l.reading = true
		go func() {
			text, err := l.in.ReadString('\n')
			if err != nil && text != "" && errors.Is(err, io.EOF) {
				err = nil
			}
			l.lines <- line{strings.TrimRight(text, "\r\n"), err}
		}()
	}
	select {
	case <-ctx.Done():
		l.say("\n")
		return "", context.Cause(ctx)
	case line := <-l.lines:
		l.reading = false
		if errors.Is(line.err, io.EOF) {
			l.say("\n")
			return "", ErrLater
		}
		return line.text, line.err
	}
}

func (l *Lines) say(format string, args ...any) { _, _ = fmt.Fprintf(l.Out, format, args...) }

func note(f *Field) string {
	if !f.Required {
		return " (optional)"
	}
	return ""
}

// hint says what may be typed.
func hint(f *Field, start Entry) string {
	var text string
	switch f.Kind {
	case Flag:
		text = "y/n"
	case Choice:
		text = "1-" + strconv.Itoa(len(f.Options))
	case Many:
		text = "numbers, with spaces"
	case List:
		text = "with commas"
	case JSON:
		text = "JSON on one line"
	default:
	}
	if at := start.Choices; len(at) > 0 { // what an empty line takes
		if labels := choicesOf(f).labels; !slices.ContainsFunc(at, func(i int) bool { return i >= len(labels) }) {
			names := make([]string, len(at))
			for n, i := range at {
				names[n] = labels[i]
			}
			text += " [" + strings.Join(names, " ") + "]"
		}
	}
	if start.Text != "" && f.Kind != JSON {
		text = strings.TrimSpace(text + " [" + printable.Line(start.Text) + "]")
	}
	if text != "" {
		text += " "
	}
	return text
}

// read understands a typed line; an empty one takes what was filled in before.
func (f *Field) read(text string, start Entry) (Entry, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" && (start.Text != "" || len(start.Choices) > 0) {
		return start, nil
	}
	switch f.Kind {
	case Flag, Choice, Many:
		return f.choose(trimmed)
	case List:
		return Entry{Text: strings.ReplaceAll(trimmed, ",", "\n")}, nil
	default:
		return Entry{Text: text}, nil
	}
}

// choose finds options by name, by the beginning of a name, or by number.
func (f *Field) choose(text string) (Entry, error) {
	words := strings.Fields(text)
	if f.Kind != Many && text != "" {
		words = []string{text}
	}
	var e Entry
	c := choicesOf(f)
	for _, word := range words {
		i, err := c.find(word)
		if err != nil {
			return Entry{}, err
		}
		e.Choices = append(e.Choices, i)
	}
	return e, nil
}
