package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
)

type runFlags struct {
	executeFlags
	inputs    []string
	inputFile string
	id        string
	labels    []string
	until     string
	detach    bool
	turn      turnFlags
	breaks    breakFlags
}

func (m *Main) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a recipe",
		Long: "Run a recipe and show its progress. On a terminal it asks its questions there; Ctrl-D leaves one for later. " +
			"Ctrl-C stops the execution with exit code 4; `resume` continues the run.",
		Example: `fermata run examples/release --input repo=.
fermata run refund.yaml --input amount=120 --answer review=approve --json`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return m.needFile("run")
			}
			if err := emptyID(c); err != nil {
				return err
			}
			return m.report(&f.executeFlags, m.runRecipe(c.Context(), args[0], &f))
		},
	}
	flags := c.Flags()
	f.addInputs(c)
	flags.StringVar(&f.id, "id", "", "the `id` of the new run; one that exists is a conflict (default a new one)")
	flags.StringArrayVar(&f.labels, "label", nil, "give the run a label, by which it is found: `KEY=VALUE`; given again, further ones")
	flags.StringVar(&f.until, "until", "", "when the run expires, waiting included: a `time` from now (2h, 3d), or a time (2026-01-31T18:00:00Z)")
	flags.BoolVar(&f.detach, "detach", false, "store the run, print its id, and leave it to a worker: see the command work")
	f.turn.add(c)
	f.breaks.add(c)
	f.add(m, c)
	return c
}

func (f *runFlags) addInputs(c *cobra.Command) {
	c.Flags().StringArrayVarP(&f.inputs, "input", "i", nil, "an input of the recipe: `name=value`, or name=@FILE")
	c.Flags().StringVar(&f.inputFile, "input-file", "", "a `file` with inputs as JSON or YAML, - for stdin")
}

func (m *Main) runRecipe(ctx context.Context, file string, f *runFlags) error {
	if isDialogue(file) {
		return invalidf("%s is a dialogue, and no recipe; hold it: %s", file, m.command("chat", file))
	}
	r, err := m.loadRecipe(file, f.agents)
	if err != nil {
		return err
	}
	if !m.global.quiet {
		m.showWarnings(m.err, r.Warnings())
	}
	return m.startRecipe(ctx, r, file, f)
}

// startRecipe starts a recipe that was loaded from a file, and executes the run or leaves it to a worker.
func (m *Main) startRecipe(ctx context.Context, r *recipe.Recipe, file string, f *runFlags) error {
	if f.detach {
		m.warnOfModels(r)
	} else if err := m.needModels(r); err != nil {
		return err
	}
	input, err := m.readInput(r, f)
	if err != nil {
		return err
	}
	labels, err := labelsOf(f.labels)
	if err != nil {
		return err
	}
	turn, err := f.turn.options(m, f.detach)
	if err != nil {
		return err
	}
	deadline, err := deadlineOf(f.until)
	if err != nil {
		return err
	}
	answers, err := m.answersFor(r, f.answers)
	if err != nil {
		return err
	}
	start := func(ctx context.Context, h *house) (*fermata.Run, error) {
		digest, err := h.SaveDefinition(ctx, definitionKind(r), r.Source())
		if err != nil {
			return nil, err
		}
		opts := []fermata.StartOption{fermata.WithDefinition(digest), fermata.StartedBy(f.as)}
		if len(labels) > 0 {
			opts = append(opts, fermata.WithLabels(labels))
		}
		opts = append(opts, deadline...)
		opts = append(opts, fermata.BreakBefore(f.breaks.before...), fermata.BreakAfter(f.breaks.after...))
		if f.id != "" {
			opts = append(opts, fermata.WithID(f.id))
		}
		if f.detach {
			opts = append(opts, fermata.Queued())
		}
		return h.Start(ctx, r.Plan(), input, append(opts, turn...)...)
	}
	d, err := m.storeFor(r.Persistence(), file)
	if err != nil {
		return err
	}
	if f.detach {
		return m.detach(ctx, d, f, start)
	}
	return m.execute(ctx, job{
		flags: &f.executeFlags, store: &d, begins: true, answers: answers, plan: r.Plan(), stdinUsed: f.inputFile == "-", start: start,
	})
}

// allow is what recipes may reach: --allow, else FERMATA_ALLOW, else no limits.
func (m *Main) allow() (*recipe.Allow, error) {
	rules, from := m.global.allow, "--allow"
	if len(rules) == 0 {
		rules, from = strings.Fields(m.Getenv("FERMATA_ALLOW")), "FERMATA_ALLOW"
	}
	allow, err := recipe.ParseAllow(rules)
	if err != nil {
		return nil, usagef("%s %v", from, err)
	}
	return allow, nil
}

// readInput puts the inputs together: those of --input-file, and over them those of --input. They are checked, and
// defaults are filled in.
func (m *Main) readInput(r *recipe.Recipe, f *runFlags) (map[string]any, error) {
	input := map[string]any{}
	if f.inputFile != "" {
		data, err := m.readFile(f.inputFile)
		if err != nil {
			return nil, err
		}
		if input, err = decodeInput(f.inputFile, data); err != nil {
			return nil, err
		}
	}
	given, err := r.ParseInput(f.inputs)
	if err != nil {
		return nil, &exit{exitInvalid, err}
	}
	maps.Copy(input, given)
	checked, err := r.Input(input)
	if err != nil {
		return nil, &exit{exitInvalid, err}
	}
	return checked, nil
}

// comment is a line of YAML that says nothing.
var comment = regexp.MustCompile(`(?m)^[ \t]*#.*$`)

// decodeInput reads an object that is JSON, or YAML as recipes have it: a number that begins with 0 is refused, and a date is
// a text. What is wrong in YAML is a *definition.Error.
func decodeInput(file string, data []byte) (map[string]any, error) {
	input := map[string]any{}
	text := bytes.TrimSpace(comment.ReplaceAll(data, nil))
	switch {
	case len(text) == 0:
		return input, nil
	case text[0] == '{' && json.Valid(text): // of any size
		doc, err := document.Decode(text)
		input, _ = doc.(map[string]any)
		return input, err
	}
	r := &document.Report{Expected: "inputs"}
	src := document.Read(file, data, r)
	switch {
	case src.Root == nil:
		return nil, r.Err()
	case document.IsNull(src.Root):
		return input, nil
	case src.Root.Kind != yaml.MappingNode:
		return nil, invalidf("--input-file %s: expected an object that names inputs, found %s", file, document.Describe(src.Root))
	}
	for name, at := range document.Entries(src.Root) {
		value, err := document.JSON(at)
		if err != nil {
			r.Add(document.Spot{Source: src, Node: at, Path: name.Value}, "%v", err)
		}
		input[name.Value] = value
	}
	return input, r.Err()
}

func (m *Main) resumeCommand() *cobra.Command {
	var f executeFlags
	var on resumption
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Resume a run that is paused, was stopped, or crashed",
		Long: "Resume a run. The run keeps the recipe that it was started with; --file moves it to a changed recipe, if every open " +
			"task and question still has its place there; --map names the nodes that were renamed. --check only reports the result, " +
			"for RUN or for all runs that have not ended, and writes nothing; the exit code is 7 if one of them cannot continue.",
		Example: `fermata resume run_01939f2e --answer review=approve
fermata resume run_01939f2e --file changed.yaml --map review=approve
fermata resume --check --file changed.yaml`,
		Args:              atMostOne,
		ValidArgsFunction: m.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case on.check:
				return m.checkResume(c.Context(), strings.Join(args, ""), &f, on)
			case on.plan != "":
				return usagef("--plan %s: expected --check with it", on.plan)
			case len(args) == 0:
				return oneRun(c, args)
			}
			return m.report(&f, m.resume(c.Context(), args[0], &f, on))
		},
	}
	on.add(c)
	on.breaks.add(c)
	c.Flags().BoolVar(&on.check, "check", false, "only report the result, and write nothing")
	c.Flags().StringVar(&on.plan, "plan", "", "with --check: all runs of the plan with this `name`")
	f.add(m, c)
	return c
}

// resumption says how a run goes on: on which recipe, with which nodes where, and whether from what failed.
type resumption struct {
	file  string
	moves []string
	retry bool
	until string // with retry: a new deadline
	check bool   // only say what would come of it
	plan  string // with check: of which runs; "" for all
	store *dsn   // where the run is; nil for what the command line and the environment say

	breaks breakFlags
}

func (on *resumption) add(c *cobra.Command) {
	c.Flags().StringVar(&on.file, "file", "", "a changed `recipe` to continue with")
	c.Flags().StringArrayVar(&on.moves, "map", nil, "with --file: a renamed node: `old=new`")
}

// migration reads the --map flags.
func (on *resumption) migration() (plan.Migration, error) {
	var m plan.Migration
	if len(on.moves) > 0 && on.file == "" {
		return m, usagef("--map %s: expected --file with it, the recipe in which the node has another name", on.moves[0])
	}
	for _, move := range on.moves {
		old, now, ok := strings.Cut(move, "=")
		if !ok || old == "" || now == "" {
			return m, usagef("--map %q: expected old=new, two names of nodes", move)
		}
		if m.Nodes == nil {
			m.Nodes = make(map[string]string)
		}
		m.Nodes[old] = now
	}
	return m, nil
}

// resume goes on with a run; retry begins with the tasks that failed.
func (m *Main) resume(ctx context.Context, given string, f *executeFlags, on resumption) error {
	moves, err := on.migration()
	if err != nil {
		return err
	}
	renewed, err := renewalOf(on.until)
	if err != nil {
		return err
	}
	j := job{flags: f, store: on.store, retries: on.retry}
	var info fermata.RunInfo
	j.find = func(ctx context.Context, h *house, j *job) error {
		var err error
		if info, err = m.findRun(ctx, h, given); err != nil {
			return err
		}
		if on.retry && fermata.Status(info.Status) == fermata.Cancelled {
			err := &exit{exitConflict, fmt.Errorf("run %s was cancelled, and such a run is not retried", info.ID)}
			return &withAdvice{err, "to continue it in a new run: " + m.command("runs", "fork", info.ID)}
		}
		r, err := m.definition(ctx, h, info, on.file, f.agents)
		if err != nil {
			return err
		}
		if err := m.needModels(r); err != nil {
			return err
		}
		j.plan = r.Plan()
		if j.answers, err = m.answersFor(r, f.answers); err != nil {
			return err
		}
		for ev, err := range h.Events(ctx, info.ID, 0, false) {
			if err != nil {
				return err
			}
			j.before = append(j.before, ev)
		}
		if err := m.refuseContrary(ctx, h, &info, j); err != nil {
			return err
		}
		j.start = func(ctx context.Context, h *house) (*fermata.Run, error) {
			failed := slices.Contains([]fermata.Status{fermata.Failed, fermata.Expired, fermata.Blocked}, fermata.Status(info.Status))
			switch {
			case on.retry && (on.file == "" || !failed): // or what is against it
				return h.Retry(ctx, info.ID, j.plan, renewed...)
			case on.file == "" || info.Ended() && !on.retry: // what has ended is shown
				return h.Resume(ctx, info.ID, j.plan, on.breaks.resume()...)
			}
			digest, err := h.SaveDefinition(ctx, definitionKind(r), r.Source())
			if err != nil {
				return nil, err
			}
			return h.Migrate(ctx, info.ID, j.plan, moves, digest, renewed...)
		}
		return nil
	}
	return m.execute(ctx, j)
}

// job is what an executing command is to do.
type job struct {
	flags     *executeFlags
	store     *dsn // where the run is kept; nil for what the command line and the environment say
	begins    bool // the run does not exist yet
	retries   bool // the run has failed
	answers   map[string][]json.RawMessage
	plan      *plan.Plan
	before    []fermata.Event // what happened in earlier lives of the run
	stdinUsed bool
	find      func(ctx context.Context, h *house, j *job) error // fills in the rest, once the store is open
	start     func(ctx context.Context, h *house) (*fermata.Run, error)
}
