package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	xterm "golang.org/x/term"
)

// lineReader gives what is typed, a line at a time; io.EOF at the end.
type lineReader interface {
	read(ctx context.Context) (string, error)
}

// longestLine is what one message may have, in bytes.
const longestLine = 1 << 20

// lineReader is a line editor with a history on a terminal, and else reads stdin.
func (m *Main) lineReader() lineReader {
	if in := m.terminal(); in != nil && m.out.Live {
		return &typed{in: in, m: m}
	}
	s := bufio.NewScanner(m.Stdin)
	s.Buffer(nil, longestLine)
	return &piped{s}
}

// piped are the lines of stdin.
type piped struct{ scanner *bufio.Scanner }

func (p *piped) read(ctx context.Context) (string, error) {
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() {
		if p.scanner.Scan() {
			read <- result{line: p.scanner.Text()}
			return
		}
		err := p.scanner.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = invalidf("a line of stdin has more than %d bytes", longestLine)
		}
		if err == nil {
			err = io.EOF
		}
		read <- result{err: err}
	}()
	select {
	case r := <-read:
		return r.line, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// typed are the lines of somebody at a terminal, which is raw only while they type.
type typed struct {
	in       *os.File
	m        *Main
	terminal *xterm.Terminal
	ahead    []byte // what stands in the next line before anything is typed
}

// offer puts a text into the next line, to be sent again or changed.
func (t *typed) offer(text string) { t.ahead = []byte(text) }

// Read implements io.Reader: what is typed comes after what is offered.
func (t *typed) Read(p []byte) (int, error) {
	if len(t.ahead) > 0 {
		n := copy(p, t.ahead)
		t.ahead = t.ahead[n:]
		return n, nil
	}
	return t.in.Read(p)
}

func (t *typed) read(context.Context) (string, error) {
	fd := int(t.in.Fd())
	if t.terminal == nil {
		t.terminal = xterm.NewTerminal(struct {
			io.Reader
			io.Writer
		}{t, t.m.out.Editor()}, t.m.out.Styles().Strong.Apply("> "))
	}
	if width, height := t.m.out.Size(); width > 0 && height > 0 {
		_ = t.terminal.SetSize(width, height) // it only says where lines are wrapped
	}
	state, err := xterm.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	line, err := t.terminal.ReadLine()
	if errors.Is(err, xterm.ErrPasteIndicator) {
		err = nil
	}
	if restored := xterm.Restore(fd, state); err == nil {
		err = restored
	}
	if err != nil {
		t.m.out.Println("")
	}
	return line, err
}
