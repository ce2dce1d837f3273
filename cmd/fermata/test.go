package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue/dialoguetest"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

// testFlags are the flags of fermata test.
type testFlags struct {
	agents   string
	tests    string
	run      string
	crash    bool
	coverage bool
	json     bool
	nlu      string
	update   bool
}

func (m *Main) testCommand() *cobra.Command {
	var f testFlags
	c := &cobra.Command{
		Use:   "test [FILE|FOLDER]…",
		Short: "Run the tests that recipes and dialogues hold",
		Long: "Run the tests of recipes and dialogues, by default of all under the current folder. They run in memory and do not wait: " +
			"deadlines of days take no time, and nothing is called that a test does not ask for. With --crash each test is repeated " +
			"with a crash before and after every append; its result must be the same, and no effect may happen twice. A test that " +
			"calls an agent itself ({live: true}) is not repeated. Tests of dialogues are transcripts, understood by phrases and " +
			"as a model would; --update adds missing commands and replies.",
		Example: "fermata test\nfermata test refund.yaml --crash\nfermata test recipes --run 'refund|review' --coverage",
		RunE: func(c *cobra.Command, args []string) error {
			return m.test(c.Context(), args, &f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.agents, "agents", "", "a `file` with agents that the recipe names")
	flags.StringVar(&f.tests, "tests", "", "a `file` with tests (default NAME.test.yaml beside NAME.yaml)")
	flags.StringVar(&f.run, "run", "", "run only the tests whose name fits a regular `expression`")
	flags.BoolVar(&f.crash, "crash", false, "repeat each test with a crash before and after every append to the journal")
	flags.BoolVar(&f.coverage, "coverage", false, "list the nodes and edges, flows, steps and patterns that no test has reached")
	flags.BoolVar(&f.json, "json", false, "write one line of JSON for each test, and last a summary")
	flags.StringVar(&f.nlu, "nlu", string(dialoguetest.Both), "who understands the users of dialogues: phrases, model or both")
	flags.BoolVar(&f.update, "update", false, "add missing commands and replies to the tests of dialogues")
	return c
}

// tally is what all tests together have shown.
type tally struct {
	Type      string  `json:"type"`
	Recipes   int     `json:"recipes"`
	Dialogues int     `json:"dialogues,omitempty"`
	Passed    int     `json:"passed"`
	Failed    int     `json:"failed"`
	Skipped   int     `json:"skipped"`
	Invalid   int     `json:"invalid"`
	Crashes   int     `json:"crashes"`
	Duration  float64 `json:"duration_ms"`
	what      string  // what was tested: recipe, or file where dialogues are among them
}

func (m *Main) test(ctx context.Context, paths []string, f *testFlags) error {
	opts, err := m.testOptions(f)
	if err != nil {
		return err
	}
	files, err := m.testFiles(paths)
	if err != nil {
		return err
	}
	if (f.agents != "" || f.tests != "") && len(files) > 1 {
		return usagef("--agents and --tests are for one recipe; found %d", len(files))
	}
	began, sum := time.Now(), tally{Type: "summary", what: "recipe"}
	for _, file := range files {
		if isDialogue(file) {
			sum.what = "file"
			talks, err := m.checkDialogue(ctx, file, &opts, f)
			if err := m.invalid(file, err, f, &sum); err != nil {
				return err
			}
			if talks != nil {
				all := talkReports(talks)
				sum.Dialogues++
				sum.count(all, talks.Skipped)
				m.showTalks(talks, all, f)
			}
			continue
		}
		report, err := recipetest.Check(ctx, file, opts)
		if err := m.invalid(file, err, f, &sum); err != nil {
			return err
		}
		if report != nil {
			all := recipeReports(report)
			sum.Recipes++
			sum.count(all, report.Skipped)
			m.showTests(report, all, f)
		}
	}
	sum.Duration = milliseconds(time.Since(began))
	return m.sumUp(&sum, f)
}

func (m *Main) testOptions(f *testFlags) (recipetest.Options, error) {
	if !slices.Contains(understanders, f.nlu) {
		return recipetest.Options{}, usagef("--nlu: expected phrases, model or both, found %q%s", f.nlu, nearest.Hint(f.nlu, understanders))
	}
	opts := recipetest.Options{Crash: f.crash, Models: m.models, Once: m.sayOnce}
	var err error
	if opts.Recipe, err = m.recipeOptions(f.agents); err != nil {
		return opts, err
	}
	opts.Recipe.Tests = f.tests
	if f.run != "" {
		if opts.Only, err = regexp.Compile(f.run); err != nil {
			return opts, usagef("--run: %v", err)
		}
	}
	return opts, nil
}

// sayOnce says, before anything runs, that --crash does not repeat a test.
func (m *Main) sayOnce(test recipe.Test, live []string) {
	m.err.Println(m.err.Styles().Wait.Apply("warning: ") + term.OneLine(fmt.Sprintf(
		"%s:%d: the test %q calls %s itself ({live: true}): it runs once and without crashes, since each repetition would call it again",
		test.File, test.Line, test.Name, strings.Join(live, ", "))))
}

// testFiles are the recipes that the command line means.
func (m *Main) testFiles(paths []string) ([]string, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, path := range paths {
		if _, err := findTests(path); err != nil {
			return nil, invalidf("there is no file %s%s", path, nearbyFile(path))
		}
	}
	files, err := findTests(paths...)
	if err == nil && len(files) == 0 {
		err = usagef("there is no recipe or dialogue under %s", strings.Join(paths, ", "))
	}
	return files, err
}

// invalid shows what is wrong with a recipe. It returns any other error.
func (m *Main) invalid(file string, err error, f *testFlags, sum *tally) error {
	problems, ok := errors.AsType[*definition.Error](err)
	if !ok {
		return err
	}
	sum.Invalid++
	if f.json {
		m.writeLine(fileReport{File: file, Problems: fileProblems(problems.Problems)})
		return nil
	}
	m.showProblems(m.out, problems.Problems)
	return nil
}

// sumUp ends the command.
func (m *Main) sumUp(sum *tally, f *testFlags) error {
	s := m.out
	parts := []string{}
	if sum.Failed > 0 {
		parts = append(parts, s.Styles().Bad.Apply(term.Count(sum.Failed, "test")+" failed"))
	}
	if sum.Passed > 0 || sum.Failed == 0 {
		parts = append(parts, term.Count(sum.Passed, "test")+" passed")
	}
	if sum.Invalid > 0 {
		parts = append(parts, s.Styles().Bad.Apply(term.Count(sum.Invalid, sum.what)+" not valid"))
	}
	switch {
	case sum.Crashes > 0 && sum.Failed == 0:
		parts = append(parts, fmt.Sprintf("%d crashes survived", sum.Crashes))
	case sum.Crashes > 0:
		parts = append(parts, fmt.Sprintf("%d crashes", sum.Crashes))
	}
	text := strings.Join(parts, ", ") + "  " +
		s.Styles().Faint.Apply(term.Duration(millis(sum.Duration)))
	switch {
	case f.json:
		m.writeLine(sum)
	case !m.global.quiet:
		s.Println("", text)
	}
	switch {
	case sum.Invalid > 0:
		return &exit{code: exitInvalid}
	case sum.Failed > 0:
		return &exit{code: exitFailed}
	case f.run != "" && sum.Passed == 0:
		return usagef("--run %q: no test has such a name", f.run)
	}
	return nil
}

func (m *Main) showTests(r *recipetest.Report, all []testReport, f *testFlags) {
	if f.json {
		for i := range all {
			m.writeLine(&all[i])
		}
		m.writeLine(coverageReport{
			Type: "coverage", File: r.File, Nodes: r.Coverage.Nodes, Edges: r.Coverage.Edges,
			NodesMissed: r.Coverage.NodesMissed, EdgesMissed: r.Coverage.EdgesMissed,
		})
		return
	}
	s, styles := m.out, m.out.Styles()
	m.showFile(r.File, "test", all, r.Skipped, coverageText(&r.Coverage))
	for i := range all {
		m.showTest(&all[i])
	}
	if f.coverage && len(r.Results) > 0 {
		for _, path := range r.Coverage.NodesMissed {
			s.Println("  " + styles.Wait.Apply("not visited") + "  " + term.OneLine(path))
		}
		for _, e := range r.Coverage.EdgesMissed {
			s.Println("  " + styles.Wait.Apply("not taken") + "    " + term.OneLine(e.String()))
		}
	}
}

// coverageReport is the line of a recipe's coverage.
type coverageReport struct {
	Type        string            `json:"type"`
	File        string            `json:"file"`
	Nodes       int               `json:"nodes"`
	Edges       int               `json:"edges"`
	NodesMissed []string          `json:"nodesMissed,omitempty"`
	EdgesMissed []recipetest.Edge `json:"edgesMissed,omitempty"`
}

// coverageText says what was not visited; "" where all was.
func coverageText(c *recipetest.Coverage) string {
	var parts []string
	if n := len(c.NodesMissed); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s", c.Nodes-n, term.Count(c.Nodes, "node")))
	}
	if n := len(c.EdgesMissed); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s", c.Edges-n, term.Count(c.Edges, "edge")))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; visited " + strings.Join(parts, ", ")
}

// showTest shows a test that failed, with the story of the run.
func (m *Main) showTest(r *testReport) {
	m.showVerdict(r)
	if r.Trace == nil {
		return
	}
	s, styles := m.out, m.out.Styles()
	s.Println("", "    "+styles.Faint.Apply("the run ")+m.statusStyle(styles, r.Trace.Outcome).Apply(r.Trace.Outcome))
	m.tellSteps(r.Trace, false)
	s.Println("")
}

// indented prints a text behind a label.
func (m *Main) indented(indent, label, text string) {
	s := m.out
	for i, line := range term.Wrap(term.Plain(text), max(s.Width()-len(indent)-len(label), 40)) {
		lead := s.Styles().Faint.Apply(label)
		if i > 0 {
			lead = strings.Repeat(" ", len(label))
		}
		s.Println(indent + lead + line)
	}
}
