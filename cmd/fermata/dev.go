package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/form"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/cmd/fermata/internal/watch"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue/dialoguetest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

// devFlags are the flags of fermata dev.
type devFlags struct {
	runFlags
	run bool
}

func (m *Main) devCommand() *cobra.Command {
	var f devFlags
	c := &cobra.Command{
		Use:   "dev FILE",
		Short: "Work on a recipe: checked, tested and run again at each change",
		Long: "Watch a recipe while you write it. Each change is checked and shown, and the tests run; an invalid change leaves the last " +
			"valid version in place. On a terminal it offers to run the recipe, and to resume waiting runs. A run keeps the version " +
			"that it began with, also when it is answered elsewhere by `tasks answer`. Ctrl-C ends.",
		Example: "fermata dev refund.yaml --input amount=120\nfermata dev refund.yaml --run --answer review=approve",
		Args:    atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return m.needFile("dev")
			}
			if f.inputFile == "-" {
				return usagef("--input-file -: expected a file, which can be read for each run")
			}
			return m.dev(c.Context(), args[0], &f)
		},
	}
	f.addInputs(c)
	c.Flags().BoolVar(&f.run, "run", false, "start a run at each change that is valid and passes its tests")
	f.add(m, c)
	return c
}

// workbench is a recipe that is being written.
type workbench struct {
	m     *Main
	file  string
	f     *devFlags
	asker form.Asker // nil where nobody is asked

	good  *recipe.Recipe // the last version that is valid; nil for none yet
	since time.Time      // when it was loaded
	house *house         // where its runs are; nil as long as there is no good version
	moved chan fermata.Result
	end   func() error
}

// dev watches a recipe until it is told to stop.
func (m *Main) dev(ctx context.Context, file string, f *devFlags) error {
	if _, err := recipeFile(file); err != nil {
		return err
	}
	if isDialogue(file) {
		return invalidf("%s is a dialogue, and no recipe; check it at each change: %s; and talk to it: %s",
			file, m.command("validate", "--watch", file), m.command("chat", file))
	}
	b := &workbench{m: m, file: file, f: f, moved: make(chan fermata.Result, 64), end: func() error { return nil }}
	if !f.noInput && !f.json {
		b.asker = m.asker()
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	err := b.work(ctx, watch.Start(watching, watched([]string{file}, f.agents)...))
	if closing := b.end(); err == nil {
		err = closing
	}
	return err
}

// work takes one thing after the other: changes, runs that have come to a rest, and what the person wants.
func (b *workbench) work(ctx context.Context, changes <-chan []string) error {
	err := b.reload(ctx, nil)
	for err == nil {
		var next step
		if next, err = b.next(ctx, changes); err != nil {
			break
		}
		switch {
		case next.changed != nil:
			err = b.reload(ctx, next.changed)
		case next.rested != nil:
			b.sayRested(next.rested)
		case next.resume != "":
			err = b.finish(b.m.resume(ctx, next.resume, &b.f.executeFlags, resumption{store: &b.house.dsn}))
		case next.run:
			err = b.finish(b.m.startRecipe(ctx, b.good, b.file, &b.f.runFlags))
		}
	}
	if errors.Is(err, errInterrupted) {
		return nil
	}
	return err
}

// step is what is to be done next.
type step struct {
	changed []string
	rested  *fermata.Result
	run     bool
	resume  string
}

// next waits for what is to be done. It is errInterrupted at Ctrl-C, or when the person has enough.
func (b *workbench) next(ctx context.Context, changes <-chan []string) (step, error) {
	ctx, stop := stoppable(ctx)
	defer stop()
	replies, take := b.offer(ctx)
	defer take()
	select {
	case <-ctx.Done():
		return step{}, errInterrupted
	case changed := <-changes:
		return step{changed: changed}, nil
	case r := <-b.moved:
		return step{rested: &r}, nil
	case r := <-replies:
		return r.step, r.err
	}
}

// choice is what the person has chosen.
type choice struct {
	step step
	err  error
}

// offer asks the person what to do; the returned function takes the question back. Without a person there are no replies.
func (b *workbench) offer(ctx context.Context) (<-chan choice, func()) {
	if b.asker == nil {
		return nil, func() {}
	}
	var texts []string
	var steps []step
	if b.good != nil {
		texts, steps = append(texts, "run it"), append(steps, step{run: true})
	}
	waiting, err := b.waiting(ctx)
	for i := range waiting {
		w := &waiting[i]
		texts = append(texts, fmt.Sprintf("go on with %s (%s)", shortID(w.Run, waitingIDs(waiting)), w.about()))
		steps = append(steps, step{resume: w.Run})
	}
	texts = append(texts, "end")
	f, formErr := form.Menu(texts)
	if err = errors.Join(err, formErr); err != nil {
		b.m.complain(err)
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	replies, done := make(chan choice, 1), make(chan struct{})
	go func() {
		defer close(done)
		answer, err := form.Ask(ctx, b.asker, f, nil)
		c, chosen := choice{err: errInterrupted}, ""
		if err == nil {
			err = json.Unmarshal(answer, &chosen)
		}
		if i := slices.Index(texts, chosen); err == nil && i >= 0 && i < len(steps) {
			c = choice{step: steps[i]}
		}
		replies <- c
	}()
	return replies, func() {
		cancel()
		<-done
	}
}

// reload takes a change over: it is checked, compared and tested, and run if that is wanted.
func (b *workbench) reload(ctx context.Context, changed []string) error {
	if changed != nil {
		b.m.sayChanged(changed, b.f.json)
	}
	r, err := b.m.loadRecipe(b.file, b.f.agents)
	if err != nil {
		b.sayBroken(changed, b.problems(err))
		return nil // it has been said, and the next change may mend it
	}
	b.sayGood(changed, r)
	b.good, b.since = r, b.m.Now()
	passed := b.test(ctx)
	if b.house == nil {
		if err := b.open(ctx); err != nil {
			return err
		}
	}
	b.sayWaiting(ctx)
	if b.f.run && passed {
		return b.finish(b.m.startRecipe(ctx, b.good, b.file, &b.f.runFlags))
	}
	return nil
}

// test runs the recipe's tests and reports whether they have passed.
func (b *workbench) test(ctx context.Context) bool {
	f := &testFlags{agents: b.f.agents, json: b.f.json, nlu: string(dialoguetest.Both)}
	opts, err := b.m.testOptions(f)
	var report *recipetest.Report
	if err == nil {
		var file string
		if file, err = recipeFile(b.file); err == nil {
			report, err = recipetest.Check(ctx, file, opts)
		}
	}
	if err != nil { // the file has changed again, or its tests are not valid
		b.sayBroken(nil, b.problems(err))
		return false
	}
	b.m.showTests(report, recipeReports(report), f)
	return report.OK()
}

// problems are what is wrong; also that a file cannot be read, which it can be in a moment.
func (b *workbench) problems(err error) []definition.Problem {
	if problems := problemsOf(b.file, err); problems != nil {
		return problems
	}
	return []definition.Problem{{File: b.file, Message: err.Error()}}
}

// finish goes on after a run that was shown; what went wrong with it is said, and is no end.
func (b *workbench) finish(err error) error {
	if err != nil && !wasSaid(err) {
		b.m.complain(err)
	}
	return nil
}

// open opens the store of the recipe's runs, and executes those without an owner: after an answer from elsewhere, at a
// deadline, or when their process is gone. Each has its own version.
func (b *workbench) open(ctx context.Context) error {
	m, name := b.m, b.good.Name()
	d, err := m.storeFor(b.good.Persistence(), b.file)
	if err != nil {
		return err
	}
	var h *house
	h, err = m.openAt(ctx, d, true, fermata.Options{
		Name: b.f.as, Logger: (&logLines{show: m.err.Println}).logger(m.global.verbose),
		Plans: func(ctx context.Context, run fermata.RunInfo) (*plan.Plan, error) {
			if run.Plan != name {
				return nil, nil //nolint:nilnil // it is somebody else's
			}
			return m.planOf(ctx, h, run, b.f.agents)
		},
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		done <- h.Work(ctx, fermata.WorkOptions{Rested: func(r fermata.Result) {
			select {
			case b.moved <- r:
			default: // so many are not told one by one
			}
		}})
	}()
	b.house = h
	b.end = func() error {
		stop()
		return errors.Join(<-done, h.Close())
	}
	return nil
}

// waitingRun is a run that waits, as it is listed.
type waitingRun struct {
	Run     string   `json:"run"`
	Version string   `json:"version"`
	Current bool     `json:"current"` // it began with the version that there is now
	Waits   []string `json:"waits"`   // the nodes that ask
}

// waiting are the runs of the recipe that wait for people.
func (b *workbench) waiting(ctx context.Context) ([]waitingRun, error) {
	if b.house == nil {
		return nil, nil
	}
	rows, err := b.house.Runs(ctx, journal.RunFilter{Plan: b.good.Name(), Status: string(fermata.Paused)})
	if err != nil {
		return nil, err
	}
	list := []waitingRun{}
	for i := range rows {
		row := &rows[i]
		if !resumable(row) || row.Waiting == 0 {
			continue
		}
		w := waitingRun{Run: row.ID, Version: row.Definition, Current: row.Definition == b.good.Digest()}
		questions, err := b.house.Inbox(ctx, journal.InboxFilter{Run: row.ID})
		if err != nil {
			return nil, err
		}
		for j := range questions {
			w.Waits = append(w.Waits, nodeOf(questions[j].Task))
		}
		list = append(list, w)
	}
	return list, nil
}

func waitingIDs(list []waitingRun) []string {
	return each(list, func(w *waitingRun) string { return w.Run })
}

// about says what a run waits for, and in which version.
func (w *waitingRun) about() string {
	text := "waits at " + term.OneLine(strings.Join(w.Waits, ", "))
	if !w.Current {
		text += ", earlier version"
	}
	return text
}

// versionReport is the line of a change.
type versionReport struct {
	Type     string        `json:"type"` // version
	At       time.Time     `json:"at"`
	OK       bool          `json:"ok"`
	Version  string        `json:"version"` // the one that runs begin with from now on; "" for none
	Files    []string      `json:"files,omitempty"`
	Changes  []string      `json:"changes,omitempty"`
	Problems []fileProblem `json:"problems,omitempty"`
}

// sayGood shows a version that is valid, and what is different from the one before.
func (b *workbench) sayGood(files []string, r *recipe.Recipe) {
	changes := b.changes(r)
	if b.f.json {
		b.m.writeLine(versionReport{Type: "version", At: b.m.Now().UTC(), OK: true, Version: r.Digest(), Files: slashed(files), Changes: changes})
		return
	}
	s := b.m.out
	s.Println(s.Styles().Good.Apply(s.Glyphs().Done) + " " + b.file + "  " +
		s.Styles().Faint.Apply(term.OneLine(r.Name())+", "+term.Count(len(r.Plan().Flat()), "node")))
	for _, change := range changes {
		s.Println("  " + term.OneLine(change))
	}
	b.m.showWarnings(s, append(r.Warnings(), b.m.unready(r)...))
}

// changes are what is different from the last good version, in words.
func (b *workbench) changes(r *recipe.Recipe) []string {
	if b.good == nil {
		return nil
	}
	c, err := plan.Diff(b.good.Plan().Outline(), r.Plan().Outline())
	switch {
	case err != nil:
		return []string{err.Error()}
	case !c.Empty():
		return strings.Split(c.String(), "; ")
	case r.Digest() != b.good.Digest():
		return []string{"the graph is as it was; texts, expressions or tests changed"}
	}
	return nil
}

// sayBroken shows a version that is not valid, and which one is still there.
func (b *workbench) sayBroken(files []string, problems []definition.Problem) {
	if b.f.json {
		line := versionReport{Type: "version", At: b.m.Now().UTC(), Files: slashed(files), Problems: fileProblems(problems)}
		if b.good != nil {
			line.Version = b.good.Digest()
		}
		b.m.writeLine(line)
		return
	}
	b.m.showProblems(b.m.out, problems)
	if b.good != nil {
		b.m.out.Println(b.m.out.Styles().Wait.Apply("not taken over") + "; runs begin with the version of " + b.since.Format("15:04:05"))
	}
}

// sayWaiting lists the runs that wait.
func (b *workbench) sayWaiting(ctx context.Context) {
	list, err := b.waiting(ctx)
	switch {
	case err != nil:
		b.m.complain(err)
	case b.f.json:
		b.m.writeLine(struct {
			Type string       `json:"type"`
			Runs []waitingRun `json:"runs"`
		}{"waiting", list})
	default:
		s := b.m.out
		for i := range list {
			s.Println(s.Styles().Wait.Apply(s.Glyphs().Dot) + " " + idFor(s, list[i].Run, waitingIDs(list)) + "  " + list[i].about())
		}
	}
}

// sayRested shows that a run that was executed aside has come to rest.
func (b *workbench) sayRested(r *fermata.Result) {
	if b.f.json {
		line := lineOfResult(r)
		for i := range line.Interrupts {
			line.Interrupts[i].Token = "" // it is nobody's here
		}
		b.m.writeLine(line)
		return
	}
	s := b.m.out
	text := idFor(s, r.Run, nil) + "  " + b.m.statusStyle(s.Styles(), string(r.Status)).Apply(string(r.Status))
	if r.Err != nil {
		text += "  " + term.Flat(r.Err.Error())
	}
	s.Println(text)
}

func slashed(files []string) []string {
	for i := range files {
		files[i] = filepath.ToSlash(files[i])
	}
	return files
}
