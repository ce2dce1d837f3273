package main

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/cmd/fermata/internal/watch"
	"github.com/fermata-go/fermata/definition"
)

// watched are what to watch for recipes: their folders, for what they call, and the file of agents.
func watched(files []string, agents string) []string {
	var paths []string
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			paths = append(paths, file)
		} else {
			paths = append(paths, filepath.Dir(file), file)
		}
	}
	if agents != "" {
		paths = append(paths, agents)
	}
	return paths
}

// watchFiles checks recipes at each change until it is told to stop. At first all of them are shown, and then those that
// have changed, those about which something else is to be said than before, and those that are not valid.
func (m *Main) watchFiles(ctx context.Context, args []string, f *validateFlags) error {
	ctx, stop := stoppable(ctx)
	defer stop()
	changes := watch.Start(ctx, watched(args, f.agents)...)
	before := make(map[string]fileReport)
	m.checkAgain(args, nil, before, f)
	for changed := range changes {
		m.sayChanged(changed, f.json)
		m.checkAgain(args, changed, before, f)
	}
	return nil
}

// checkAgain is a round of watching.
func (m *Main) checkAgain(args, changed []string, before map[string]fileReport, f *validateFlags) {
	bad, what := 0, recipeKind
	files := toCheck(args, before)
	for _, c := range files {
		file := c.file
		report, problems, err := m.check(c, f)
		if err != nil { // a file that cannot be read now can be in a moment
			problems = []definition.Problem{{File: file, Message: err.Error()}}
			report.Problems = fileProblems(problems)
		}
		if !report.OK {
			bad++
		}
		if report.Flows > 0 || isDialogue(file) {
			what = "file"
		}
		was, seen := before[file]
		before[file] = report
		if !seen || !report.OK || !reflect.DeepEqual(was, report) || concerns(changed, file) {
			m.showReport(&report, problems, f.json)
		}
	}
	if f.json || m.global.quiet {
		return
	}
	styles := m.err.Styles()
	text := styles.Good.Apply(term.Count(len(files), what) + " valid")
	if bad > 0 {
		text = styles.Bad.Apply(term.Count(bad, what) + " not valid")
	}
	m.err.Println(text + styles.Faint.Apply("  waiting for changes; Ctrl-C ends"))
}

// concerns reports whether a recipe is among the files that have changed, or lies in a folder with them.
func concerns(changed []string, file string) bool {
	for _, path := range changed {
		if rel, err := filepath.Rel(file, path); err == nil && !strings.HasPrefix(rel, "..") {
			return true
		}
	}
	return false
}

// sayChanged begins a round: when, and what has changed.
func (m *Main) sayChanged(changed []string, asJSON bool) {
	if asJSON || m.global.quiet {
		return
	}
	s := m.err
	text := changed[0]
	if n := len(changed) - 1; n > 0 {
		text += " and " + term.Count(n, "other file")
	}
	s.Println("", s.Styles().Strong.Apply(m.Now().Format("15:04:05"))+"  "+s.Styles().Faint.Apply(term.OneLine(text)+" changed"))
}
