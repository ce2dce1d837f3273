package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/dialogue/dialoguetest"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

// understanders are the values of --nlu.
var understanders = []string{string(dialoguetest.Phrases), string(dialoguetest.Model), string(dialoguetest.Both)}

// checkDialogue runs the tests of a dialogue.
func (m *Main) checkDialogue(ctx context.Context, file string, o *recipetest.Options, f *testFlags) (*dialoguetest.Report, error) {
	r, err := dialoguetest.Check(ctx, file, dialoguetest.Options{
		Dialogue: m.dialogueOptions(filepath.Dir(file)), NLU: dialoguetest.NLU(f.nlu), Crash: f.crash, Only: o.Only,
	})
	if err != nil || !f.update {
		return r, err
	}
	n, err := dialoguetest.Update(r)
	if err != nil {
		return nil, err
	}
	if n > 0 && !f.json && !m.global.quiet {
		m.out.Println(fmt.Sprintf("%s  %s written; read them", file, term.Count(n, "line")))
	}
	return r, nil
}

// dialogueCoverage is the line of a dialogue's coverage.
type dialogueCoverage struct {
	Type           string   `json:"type"`
	File           string   `json:"file"`
	Flows          int      `json:"flows"`
	Steps          int      `json:"steps"`
	Patterns       int      `json:"patterns"`
	FlowsMissed    []string `json:"flowsMissed,omitempty"`
	StepsMissed    []string `json:"stepsMissed,omitempty"`
	PatternsMissed []string `json:"patternsMissed,omitempty"`
}

func (m *Main) showTalks(r *dialoguetest.Report, all []testReport, f *testFlags) {
	c := &r.Coverage
	if f.json {
		for i := range all {
			m.writeLine(&all[i])
		}
		m.writeLine(dialogueCoverage{
			Type: "coverage", File: r.File, Flows: c.Flows, Steps: c.Steps, Patterns: c.Patterns,
			FlowsMissed: c.FlowsMissed, StepsMissed: c.StepsMissed, PatternsMissed: c.PatternsMissed,
		})
		return
	}
	s, styles, reached := m.out, m.out.Styles(), ""
	if n := len(c.StepsMissed); n > 0 {
		reached = fmt.Sprintf("; reached %d of %s", c.Steps-n, term.Count(c.Steps, "step"))
	}
	m.showFile(r.File, "conversation", all, r.Skipped, reached)
	for i := range r.Results {
		m.showVerdict(&all[i])
		m.showTalk(&r.Results[i])
	}
	if f.coverage && len(r.Results) > 0 {
		for _, missed := range []struct {
			what  string
			names []string
		}{{"flow", c.FlowsMissed}, {"step", c.StepsMissed}, {"pattern", c.PatternsMissed}} {
			for _, name := range missed.names {
				s.Println("  " + styles.Wait.Apply("not reached") + "  " + missed.what + " " + term.OneLine(name))
			}
		}
	}
}

// showTalk shows the conversation of a test that failed, in which the lines that went wrong are marked.
func (m *Main) showTalk(r *dialoguetest.Result) {
	if r.OK() || len(r.Talk) == 0 {
		return
	}
	s, styles, glyphs := m.out, m.out.Styles(), m.out.Glyphs()
	s.Println("", "    "+styles.Faint.Apply("the conversation"))
	for _, l := range r.Lines() {
		text, lead := term.OneLine(l.Text), "    "+strings.Repeat(" ", len(l.Text)-len(strings.TrimLeft(l.Text, " ")))
		switch {
		case l.Wrong:
			text, lead = styles.Bad.Apply(text), "  "+styles.Bad.Apply(glyphs.Failed)+lead[3:]
		case l.Aside:
			text = styles.Faint.Apply(text)
		}
		s.Println(lead + text)
	}
	s.Println("")
}

// findTests lists the recipes and dialogues under files and folders.
func findTests(paths ...string) ([]string, error) {
	recipes, err := recipetest.Find(paths...)
	if err != nil {
		return nil, err
	}
	dialogues, err := dialoguetest.Find(paths...)
	all := slices.Concat(recipes, dialogues)
	slices.Sort(all)
	return slices.Compact(all), err
}
