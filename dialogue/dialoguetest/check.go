package dialoguetest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/internal/definitiontest"
	"github.com/fermata-go/fermata/journal"
)

// NLU is who understands the user in a test.
type NLU string

// Those who understand users.
const (
	Phrases NLU = "phrases" // the dialogue's triggers
	Model   NLU = "model"   // a model that answers with the commands that the test writes beside each line
	Both    NLU = "both"    // one after the other
)

// Options say how tests are run. The zero value works.
type Options struct {
	// Dialogue is what dialogues may use. An action that a test names need not be there.
	Dialogue dialogue.Options
	// NLU is who understands the user. Defaults to Both; a test with a line without commands is run by phrases alone.
	NLU NLU
	// Crash repeats each test with a crash before and after everything that is stored.
	Crash bool
	// Every looks only at every n-th place to crash at. Defaults to 1.
	Every int
	// Store is where conversations that crash are kept: see [fermatatest.On]. Defaults to memory.
	Store func(dir string) (journal.Store, error)
	// Only are the names of the tests that are run. Defaults to all.
	Only *regexp.Regexp
}

// Report is what the tests of a dialogue have shown.
type Report struct {
	File     string
	Dialogue string
	Results  []Result // of each test, for each NLU
	Skipped  int      // tests that Options.Only leaves out
	Coverage Coverage
}

// OK reports whether all tests that were run have passed.
func (r *Report) OK() bool { return definitiontest.AllOK(r.Results) }

// Result is what one test has shown.
type Result struct {
	Test     dialogue.Test
	NLU      NLU
	Failures []Failure
	Broken   []fermatatest.Violation // laws that were broken, with crashes or without
	Talk     []*Exchange             // of the run without a crash
	Crashes  int
	Took     time.Duration
	visited  map[string]bool
}

// OK reports whether the test has passed.
func (r *Result) OK() bool { return len(r.Failures)+len(r.Broken) == 0 }

// Check runs the tests of a dialogue: a file, or a folder with a dialogue.yaml. A dialogue or a test that is not valid
// is a *definition.Error.
func Check(ctx context.Context, path string, opts Options) (*Report, error) {
	file, err := fileOf(path)
	if err != nil {
		return nil, err
	}
	tests, err := dialogue.LoadTests(file)
	if err != nil {
		return nil, err
	}
	all := &stages{file: file, opts: opts.Dialogue, ready: make(map[string]*stage)}
	bare, err := all.of(&dialogue.Test{Actions: allActions(tests)})
	if err != nil {
		return nil, err
	}
	report := &Report{File: file, Dialogue: bare.dialogue.Name()}
	seen := newCoverage(bare.dialogue)
	for i := range tests {
		if opts.Only != nil && !opts.Only.MatchString(tests[i].Name) {
			report.Skipped++
			continue
		}
		for _, nlu := range opts.nlus(&tests[i]) {
			began := time.Now()
			result, err := check(ctx, all, &tests[i], nlu, &opts)
			if err != nil {
				return nil, err
			}
			result.Took = time.Since(began)
			seen.add(result)
			report.Results = append(report.Results, *result)
		}
	}
	report.Coverage = seen.coverage()
	return report, nil
}

// allActions are those that any test names, so that the dialogue loads without a test.
func allActions(tests []dialogue.Test) map[string][]dialogue.TestResult {
	all := make(map[string][]dialogue.TestResult)
	for i := range tests {
		maps.Copy(all, tests[i].Actions)
	}
	return all
}

// nlus are those that a test is run with.
func (o *Options) nlus(t *dialogue.Test) []NLU {
	if o.NLU == Phrases || o.NLU == Model {
		return []NLU{o.NLU}
	}
	for i := range t.Talk {
		if l := &t.Talk[i]; l.User != "" && !l.HasCommands && !l.Opening {
			return []NLU{Phrases}
		}
	}
	return []NLU{Phrases, Model}
}

func check(ctx context.Context, all *stages, test *dialogue.Test, nlu NLU, o *Options) (*Result, error) {
	result := &Result{Test: *test, NLU: nlu}
	stage, err := all.of(test)
	if err != nil {
		return nil, err
	}
	if known := stage.loaded.Languages(); test.Language != "" && !slices.Contains(known, test.Language) {
		message := fmt.Sprintf("the dialogue is not held in %q, but in %s", test.Language, strings.Join(known, ", "))
		result.Failures = []Failure{{File: test.File, Line: test.Line, Column: test.Column, What: "language", Message: message}}
		return result, nil
	}
	for i := range test.Talk {
		if l := &test.Talk[i]; l.Language != "" && !slices.Contains(stage.loaded.Languages(), l.Language) {
			message := fmt.Sprintf("the dialogue is not held in %q, but in %s", l.Language, strings.Join(stage.loaded.Languages(), ", "))
			result.Failures = append(result.Failures, Failure{File: test.File, Line: l.Line, Column: l.Column, What: "language", Message: message})
		}
	}
	if len(result.Failures) > 0 {
		return result, nil
	}
	if _, err := stage.dialogue.Begin(test.Context); err != nil {
		result.Failures = []Failure{{File: test.File, Line: test.Line, Column: test.Column, What: "context", Message: err.Error()}}
		return result, nil //nolint:nilerr // it is what the test has shown
	}
	input := func() any {
		s, err := stage.dialogue.Begin(test.Context)
		if err != nil {
			return nil // it was checked
		}
		s.Texts = max(test.Texts, 1)
		return s
	}
	var services []any
	if nlu == Model {
		services = []any{&dialogue.Services{NLU: dialogue.NewModelNLU(dialogue.ModelOptions{})}, stage.model()}
	}
	opts := []fermatatest.CrashOption{
		fermatatest.From(stage.begins()), fermatatest.AnswerFunc(stage.answer), fermatatest.Before(stage.reset), fermatatest.Effects(stage.took),
		fermatatest.WithOptions(fermata.Options{Services: services}),
		fermatatest.Look(func(rt *fermata.Runtime, res fermata.Result) { result.look(ctx, stage, rt, &res) }),
	}
	_, result.Broken = fermatatest.Rehearse(ctx, stage.dialogue.Plan(), input, opts...)
	if o.Crash && result.OK() {
		opts = append(opts, fermatatest.Every(o.Every))
		if o.Store != nil {
			opts = append(opts, fermatatest.On(o.Store))
		}
		report, broken := fermatatest.Explore(ctx, stage.dialogue.Plan(), input, opts...)
		result.Broken, result.Crashes = broken, report.Crashes
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("the test %q: %w", test.Name, err)
	}
	return result, nil
}

// look looks at a conversation in which everything was said, or which has ended before.
func (r *Result) look(ctx context.Context, s *stage, rt *fermata.Runtime, res *fermata.Result) {
	talk, visited, err := happened(ctx, rt, res.Run, s)
	if err != nil {
		r.Broken = append(r.Broken, fermatatest.Violation{Where: "the conversation", What: err.Error()})
		return
	}
	r.Talk, r.visited, r.Failures = talk, visited, s.judge(talk, res)
}
