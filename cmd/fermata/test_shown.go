package main

import (
	"fmt"
	"time"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/dialogue/dialoguetest"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

// verdict is what a test has shown, whether a recipe or a dialogue holds it.
type verdict struct {
	name     string
	beside   string // what tells it from others of the name
	crashes  int
	took     time.Duration
	failures []testFailure
	broken   []string // laws
}

func recipeVerdict(r *recipetest.Result) *verdict {
	v := &verdict{name: r.Test.Name, crashes: r.Crashes, took: r.Took}
	for _, f := range r.Failures {
		v.failures = append(v.failures, testFailure(f))
	}
	for _, b := range r.Broken {
		v.broken = append(v.broken, b.String())
	}
	return v
}

func talkVerdict(r *dialoguetest.Result) *verdict {
	v := &verdict{name: r.Test.Name, beside: string(r.NLU), crashes: r.Crashes, took: r.Took}
	for _, f := range r.Failures {
		v.failures = append(v.failures, testFailure(f))
	}
	for _, b := range r.Broken {
		v.broken = append(v.broken, b.String())
	}
	return v
}

func (v *verdict) ok() bool { return len(v.failures)+len(v.broken) == 0 }

// milliseconds is how long the test took, as JSON has it.
func (v *verdict) milliseconds() float64 { return float64(v.took.Microseconds()) / 1000 }

func (t *tally) count(all []*verdict, skipped int) {
	t.Skipped += skipped
	for _, v := range all {
		t.Crashes += v.crashes
		if v.ok() {
			t.Passed++
		} else {
			t.Failed++
		}
	}
}

// showFile shows how the tests of a file went: how many of what ("test") there are, or how many of them failed. reached is
// what follows where there are some.
func (m *Main) showFile(file, what string, all []*verdict, reached string) {
	s, styles, glyphs := m.out, m.out.Styles(), m.out.Glyphs()
	mark, about := styles.Good.Apply(glyphs.Done), term.Count(len(all), what)
	failed := 0
	for _, v := range all {
		if !v.ok() {
			failed++
		}
	}
	switch {
	case failed > 0:
		mark, about = styles.Bad.Apply(glyphs.Failed), fmt.Sprintf("%d of %s failed", failed, about)
	case len(all) == 0:
		mark, about = styles.Faint.Apply(glyphs.Skipped), "no tests"
	}
	if len(all) > 0 {
		about += reached
	}
	s.Println(mark + " " + styles.Strong.Apply(file) + "  " + styles.Faint.Apply(about))
}

// showVerdict shows a test that failed: what was expected and found. Others are shown where everything is.
func (m *Main) showVerdict(v *verdict) {
	s, styles, glyphs := m.out, m.out.Styles(), m.out.Glyphs()
	name, beside := term.OneLine(v.name), ""
	if v.beside != "" {
		beside = "  " + styles.Faint.Apply(v.beside)
	}
	if v.ok() {
		if m.global.verbose {
			took := term.Duration(v.took)
			if v.crashes > 0 {
				took = fmt.Sprintf("%d crashes  %s", v.crashes, took)
			}
			s.Println("  " + styles.Good.Apply(glyphs.Done) + " " + name + beside + "  " + styles.Faint.Apply(took))
		}
		return
	}
	s.Println("  " + styles.Bad.Apply(glyphs.Failed) + " " + styles.Strong.Apply(name) + beside)
	for _, f := range v.failures {
		s.Println("    " + styles.Faint.Apply(fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)) + "  " + f.What)
		if f.Message != "" {
			m.indented("      ", "", f.Message)
			continue
		}
		m.indented("      ", "expected  ", f.Expected)
		m.indented("      ", "found     ", f.Found)
	}
	for _, law := range v.broken {
		m.indented("    ", "", law)
	}
}
