package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
)

// count is the size of a file or of a room.
type count struct {
	all  int // lines
	code int // those with at least one token of Go
}

// rooms maps folders, "." for the root, to the sums of their files.
type rooms map[string]count

// add counts a file, unless it is not Go or a test.
func (r rooms) add(name string, text []byte) {
	if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || slices.Contains(strings.Split(path.Dir(name), "/"), "testdata") {
		return
	}
	n, dir := counted(text), path.Dir(name)
	r[dir] = count{r[dir].all + n.all, r[dir].code + n.code}
}

func (r rooms) total() count {
	var sum count
	for _, n := range r {
		sum.all += n.all
		sum.code += n.code
	}
	return sum
}

// counted counts a file's lines. A line inside a raw string is code.
func counted(text []byte) count {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, nil, 0)
	n, last := count{all: len(slices.Collect(strings.Lines(string(text))))}, 0
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue // the scanner put it there
		}
		line := file.Line(pos)
		end := line + strings.Count(literal, "\n")
		n.code += end - max(last, line-1)
		last = end
	}
}

// printNow writes a table with the total first.
func printNow(out io.Writer, now rooms) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, n count) { _, _ = fmt.Fprintf(t, "%s\t%d\t%d\t\n", name, n.all, n.code) } // it fails as Flush does
	_, _ = fmt.Fprintln(t, "room\tlines\tcode\t")
	row("total", now.total())
	for _, dir := range slices.Sorted(maps.Keys(now)) {
		row(dir, now[dir])
	}
	return t.Flush()
}

// printBeside writes a table of both with the total first, and the change of each figure.
func printBeside(out io.Writer, now, then rooms, since string) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, n, was count) {
		_, _ = fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%d\t%d\t%s\t\n", name,
			was.all, n.all, change(was.all, n.all), was.code, n.code, change(was.code, n.code))
	}
	_, _ = fmt.Fprintf(t, "room\tlines at %s\tnow\t\tcode at %s\tnow\t\t\n", since, since)
	row("total", now.total(), then.total())
	both := maps.Clone(then)
	maps.Copy(both, now)
	for _, dir := range slices.Sorted(maps.Keys(both)) {
		row(dir, now[dir], then[dir])
	}
	return t.Flush()
}

// change is the difference in per cent, or a word where there is none to give.
func change(was, now int) string {
	switch {
	case was == now:
		return ""
	case was == 0:
		return "new"
	case now == 0:
		return "gone"
	}
	return fmt.Sprintf("%+.1f %%", 100*float64(now-was)/float64(was))
}
