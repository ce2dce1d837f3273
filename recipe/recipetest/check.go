package recipetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/internal/definitiontest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/recipe"
)

// Options say how tests are run. The zero value works.
type Options struct {
	// Recipe is what the recipes may use: agents that are Go functions, a file of agents, a file of tests. Variables of
	// the environment that are not set, and kinds of stores that are absent, are no errors in tests.
	Recipe recipe.Options
	// Models are what agents of kind model ask that a test calls live. Defaults to none. Models that a test or a script
	// of the recipe stands in for are not needed.
	Models model.Set
	// Crash repeats each test with a crash before and after everything that is stored. A test that calls an agent itself
	// ({live: true}) runs once: a program or a service cannot be asked to forget what it did.
	Crash bool
	// Once is called with each test that Crash does not repeat, and of the agents that it calls, before any test runs. Defaults
	// to nothing.
	Once func(test recipe.Test, live []string)
	// Store is where runs that crash are kept: see [fermatatest.On]. Defaults to memory.
	Store func(dir string) (journal.Store, error)
	// Every looks only at every n-th place to crash at: for slow stores. Defaults to 1.
	Every int
	// Only are the names of the tests that are run. Defaults to all.
	Only *regexp.Regexp
}

// Report is what the tests of a recipe have shown.
type Report struct {
	File     string
	Recipe   string
	Results  []Result
	Skipped  int // tests that Options.Only leaves out
	Coverage Coverage
}

// OK reports whether all tests that were run have passed.
func (r *Report) OK() bool { return definitiontest.AllOK(r.Results) }

// Result is what one test has shown.
type Result struct {
	Test     recipe.Test
	Failures []recipe.TestFailure
	Broken   []fermatatest.Violation // laws that were broken, with crashes or without
	Trace    *recipe.Trace           // of the run without a crash; nil where none began
	Crashes  int
	Live     []string // agents that the test calls themselves, for which Options.Crash has not repeated it
	Took     time.Duration
}

// OK reports whether the test has passed.
func (r *Result) OK() bool { return len(r.Failures)+len(r.Broken) == 0 }

// Check runs the tests of a recipe: a file, or a folder with a recipe.yaml. A recipe that is not valid is a
// *definition.Error.
func Check(ctx context.Context, path string, opts Options) (_ *Report, failed error) {
	file, err := recipeFile(path)
	if err != nil {
		return nil, err
	}
	if opts.Recipe.Servers == nil { // nothing is connected to that a test does not call live
		opts.Recipe.Servers = new(mcp.Pool)
		defer func() { failed = errors.Join(failed, opts.Recipe.Servers.Close()) }()
	}
	r, err := recipe.Load(file, loading(file, opts.Recipe))
	if err != nil {
		return nil, err
	}
	report := &Report{File: file, Recipe: r.Name()}
	seen := newCoverage(r.Plan())
	for _, test := range r.Tests() {
		if live := test.Live(); opts.Crash && opts.Once != nil && len(live) > 0 && (opts.Only == nil || opts.Only.MatchString(test.Name)) {
			opts.Once(test, live)
		}
	}
	for _, test := range r.Tests() {
		if opts.Only != nil && !opts.Only.MatchString(test.Name) {
			report.Skipped++
			continue
		}
		began := time.Now()
		result, err := check(ctx, test, &opts)
		if err != nil {
			return nil, err
		}
		result.Took = time.Since(began)
		seen.add(result.Trace)
		report.Results = append(report.Results, *result)
	}
	report.Coverage = seen.coverage()
	return report, nil
}

// loading are the options that a recipe is loaded with for its tests.
func loading(file string, o recipe.Options) recipe.Options {
	o.Stores = append([]string{"sqlite", "postgres", "redis"}, o.Stores...)
	look := o.Env
	if look == nil {
		look = os.LookupEnv
	}
	o.Env = func(name string) (string, bool) {
		if v, ok := look(name); ok {
			return v, true
		}
		return "https://" + strings.ToLower(strings.ReplaceAll(name, "_", "-")) + ".invalid", true
	}
	if o.Tests == "" {
		o.Tests = beside(file)
	}
	return o
}

func check(ctx context.Context, test recipe.Test, o *Options) (*Result, error) {
	result := &Result{Test: test}
	stage, err := test.Stage()
	if err != nil {
		return nil, err
	}
	if stage.Refused() {
		result.Failures = stage.Judge(nil, nil)
		return result, nil
	}
	if _, err := stage.Input(); err != nil {
		return nil, fmt.Errorf("the inputs of the test %q: %w", test.Name, err)
	}
	input := func() any {
		in, err := stage.Input()
		if err != nil {
			return nil // it was checked
		}
		return in
	}
	var mail []fermatatest.Mail
	stage.Messages(func(name string, value any) { mail = append(mail, fermatatest.Mail{Name: name, Value: value}) })
	opts := []fermatatest.CrashOption{
		fermatatest.Messages(mail...),
		fermatatest.StartedBy(stage.Starter()),
		fermatatest.AnswerFunc(func(q fermata.Interrupt) any {
			switch v, by, reply := stage.Answer(&q); reply {
			case recipe.Expires:
				return fermatatest.NoAnswer
			case recipe.Waits:
				return fermatatest.Rest
			default:
				return fermatatest.Signed{By: by, Answer: v}
			}
		}),
		fermatatest.Before(stage.Reset), fermatatest.Effects(stage.Effects), fermatatest.OnlyOnce(stage.Once()...),
		fermatatest.WithOptions(fermata.Options{Services: []any{stage.Models(o.Models)}}),
		fermatatest.Look(func(rt *fermata.Runtime, res fermata.Result) { result.judge(ctx, stage, rt, &res) }),
	}
	_, result.Broken = fermatatest.Rehearse(ctx, stage.Plan(), input, opts...)
	if o.Crash {
		result.Live = test.Live()
	}
	if o.Crash && result.OK() && len(result.Live) == 0 {
		opts = append(opts, fermatatest.Every(o.Every))
		if o.Store != nil {
			opts = append(opts, fermatatest.On(o.Store))
		}
		report, broken := fermatatest.Explore(ctx, stage.Plan(), input, opts...)
		result.Broken, result.Crashes = broken, report.Crashes
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return result, nil
}

// judge looks at a run that has come to its end without a crash.
func (r *Result) judge(ctx context.Context, stage *recipe.Stage, rt *fermata.Runtime, res *fermata.Result) {
	info, err := rt.Info(ctx, res.Run)
	if err == nil {
		r.Trace, err = recipe.BuildTrace(info, rt.History(ctx, res.Run))
	}
	if err != nil {
		r.Broken = append(r.Broken, fermatatest.Violation{Where: "the trace", What: err.Error()})
		return
	}
	r.Failures = stage.Judge(res, r.Trace)
}

// recipeNames are the files that a folder is searched for.
var recipeNames = []string{"recipe.yaml", "recipe.yml", "recipe.json"}

func recipeFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	for _, name := range recipeNames {
		if file := filepath.Join(path, name); isFile(file) {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s: the folder holds no %s: %w", path, recipeNames[0], os.ErrNotExist)
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// beside is the file of tests beside a recipe: refund.test.yaml beside refund.yaml; "" for none.
func beside(file string) string {
	for _, ext := range []string{".yaml", ".yml", ".json"} {
		if name := strings.TrimSuffix(file, filepath.Ext(file)) + ".test" + ext; isFile(name) {
			return name
		}
	}
	return ""
}
