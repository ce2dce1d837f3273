package main

import (
	"fmt"
	"time"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/dialogue/dialoguetest"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

// testReport is the line of a test, whether a recipe or a dialogue holds it.
type testReport struct {
	Type     string                   `json:"type"`
	File     string                   `json:"file"`
	Recipe   string                   `json:"recipe,omitempty"`
	Dialogue string                   `json:"dialogue,omitempty"`
	Test     string                   `json:"test"`
	NLU      dialoguetest.NLU         `json:"nlu,omitempty"` // of a dialogue
	Line     int                      `json:"line"`
	OK       bool                     `json:"ok"`
	Crashes  int                      `json:"crashes,omitempty"`
	Live     []string                 `json:"live,omitempty"` // agents for whose sake --crash has not repeated it
	Failures []testFailure            `json:"failures,omitempty"`
	Broken   []string                 `json:"broken,omitempty"` // laws
	Trace    *recipe.Trace            `json:"trace,omitempty"`  // of a test of a recipe that failed
	Talk     []*dialoguetest.Exchange `json:"talk,omitempty"`   // of a test of a dialogue that failed
	Duration float64                  `json:"duration_ms"`
}

type testFailure struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	What     string `json:"what"`
	Message  string `json:"message,omitempty"`
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
}

func recipeReports(r *recipetest.Report) []testReport {
	all := make([]testReport, len(r.Results))
	for i := range r.Results {
		res := &r.Results[i]
		all[i] = newReport(r.File, res.Test.Name, res.Test.Line, res.Failures, res.Broken, res.Crashes, res.Took)
		all[i].Live = res.Live
		if all[i].Recipe = r.Recipe; !res.OK() {
			all[i].Trace = res.Trace
		}
	}
	return all
}

func talkReports(r *dialoguetest.Report) []testReport {
	all := make([]testReport, len(r.Results))
	for i := range r.Results {
		res := &r.Results[i]
		all[i] = newReport(r.File, res.Test.Name, res.Test.Line, res.Failures, res.Broken, res.Crashes, res.Took)
		if all[i].Dialogue, all[i].NLU = r.Dialogue, res.NLU; !res.OK() {
			all[i].Talk = res.Talk
		}
	}
	return all
}

func newReport[F recipe.TestFailure | dialoguetest.Failure](
	file, name string, line int, failures []F, broken []fermatatest.Violation, crashes int, took time.Duration,
) testReport {
	report := testReport{
		Type: "test", File: file, Test: name, Line: line, OK: len(failures)+len(broken) == 0, Crashes: crashes, Duration: milliseconds(took),
	}
	for _, f := range failures {
		report.Failures = append(report.Failures, testFailure(f))
	}
	for _, b := range broken {
		report.Broken = append(report.Broken, b.String())
	}
	return report
}

// milliseconds is a time as JSON has it.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (t *tally) count(all []testReport, skipped int) {
	t.Skipped += skipped
	for i := range all {
		t.Crashes += all[i].Crashes
		if all[i].OK {
			t.Passed++
		} else {
			t.Failed++
		}
	}
}

// showFile shows how the tests of a file went: how many of what ("test") there are, or how many of them failed. reached is
// what follows where there are some, and skipped how many --run leaves out.
func (m *Main) showFile(file, what string, all []testReport, skipped int, reached string) {
	s, styles, glyphs := m.out, m.out.Styles(), m.out.Glyphs()
	mark, about := styles.Good.Apply(glyphs.Done), term.Count(len(all), what)
	failed := 0
	for i := range all {
		if !all[i].OK {
			failed++
		}
	}
	switch {
	case failed > 0:
		mark, about = styles.Bad.Apply(glyphs.Failed), fmt.Sprintf("%d of %s failed", failed, about)
	case len(all) == 0 && skipped > 0:
		mark, about = styles.Faint.Apply(glyphs.Skipped), "none of its "+term.Count(skipped, what)+" has such a name"
	case len(all) == 0:
		mark, about = styles.Faint.Apply(glyphs.Skipped), "no tests"
	}
	if len(all) > 0 {
		about += reached
	}
	s.Println(mark + " " + styles.Strong.Apply(file) + "  " + styles.Faint.Apply(about))
}

// showVerdict shows a test that failed: what was expected and found. Others are shown where everything is.
func (m *Main) showVerdict(v *testReport) {
	s, styles, glyphs := m.out, m.out.Styles(), m.out.Glyphs()
	name, beside := term.OneLine(v.Test), ""
	if v.NLU != "" {
		beside = "  " + styles.Faint.Apply(string(v.NLU))
	}
	if v.OK {
		if m.global.verbose {
			took := term.Duration(millis(v.Duration))
			if v.Crashes > 0 {
				took = fmt.Sprintf("%d crashes  %s", v.Crashes, took)
			}
			s.Println("  " + styles.Good.Apply(glyphs.Done) + " " + name + beside + "  " + styles.Faint.Apply(took))
		}
		return
	}
	s.Println("  " + styles.Bad.Apply(glyphs.Failed) + " " + styles.Strong.Apply(name) + beside)
	for _, f := range v.Failures {
		s.Println("    " + styles.Faint.Apply(fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)) + "  " + f.What)
		if f.Message != "" {
			m.indented("      ", "", f.Message)
			continue
		}
		m.indented("      ", "expected  ", f.Expected)
		m.indented("      ", "found     ", f.Found)
	}
	for _, law := range v.Broken {
		m.indented("    ", "", law)
	}
}
