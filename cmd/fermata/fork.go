package main

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/recipe"
)

// forkFlags say where a fork leaves its run, and what is different from there on.
type forkFlags struct {
	executeFlags
	resumption
	at   uint64
	set  []string
	of   string
	ask  []string
	id   string
	hold bool
}

func (m *Main) runsForkCommand() *cobra.Command {
	var f forkFlags
	c := &cobra.Command{
		Use:   "fork RUN",
		Short: "Start a new run from a point of another run, which stays as it is",
		Long: "Begin a new run with the entries that a run had at a seq. The new run continues independently and does not repeat " +
			"finished tasks. --set changes a value of the blackboard and restarts the open tasks with it. --ask reopens an answered " +
			"question, and without --at it forks where the question was open.",
		Example: `fermata runs fork run_01939f2e --ask review
fermata runs fork run_01939f2e --at 12 --set amount=120 --set customer.name='"Ann"'`,
		Args:              oneRun,
		ValidArgsFunction: m.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			if err := emptyID(c); err != nil {
				return err
			}
			return m.report(&f.executeFlags, m.fork(c.Context(), args[0], &f))
		},
	}
	flags := c.Flags()
	flags.Uint64Var(&f.at, "at", 0, "the last `seq` that the fork shares with the run (default its end); `fermata events` shows them")
	flags.StringArrayVar(&f.set, "set", nil, "a value for the fork: `path=JSON`, or path=@FILE; anything else is a text")
	flags.StringVar(&f.of, "of", "", "set the values of one open `task` only")
	flags.StringArrayVar(&f.ask, "ask", nil, "reopen the question of a `task`: review#2, or review for its last visit; or the id of a question")
	flags.StringVar(&f.id, "id", "", "the `id` of the fork; one that exists is a conflict (default a new one)")
	flags.BoolVar(&f.hold, "hold", false, "only record the fork; `resume` continues it")
	f.breaks.add(c)
	f.resumption.add(c)
	f.executeFlags.add(m, c)
	return c
}

// fork makes a fork, and executes it to its next rest.
func (m *Main) fork(ctx context.Context, given string, f *forkFlags) error {
	o := fermata.ForkOptions{At: f.at, ID: f.id, By: f.as, Of: f.of, Hold: f.hold, Breaks: f.breaks.breaks()}
	var err error
	if o.Migration, err = f.migration(); err != nil {
		return err
	}
	if o.Set, err = m.parseSet(f.set); err != nil {
		return err
	}
	if f.hold {
		return m.withStore(ctx, func(ctx context.Context, h *house) error { return m.holdFork(ctx, h, given, f, o) })
	}
	j := job{flags: &f.executeFlags}
	j.find = func(ctx context.Context, h *house, j *job) error {
		info, err := m.findFork(ctx, h, given, f, &o, j)
		if err != nil {
			return err
		}
		if j.answers, err = m.parseAnswers(f.answers, j.plan); err != nil {
			return err
		}
		j.start = func(ctx context.Context, h *house) (*fermata.Run, error) {
			run, err := h.Fork(ctx, info.ID, j.plan, o)
			if err != nil {
				return nil, err
			}
			return run, m.forkBegins(ctx, h, run.ID(), j)
		}
		return nil
	}
	return m.execute(ctx, j)
}

// findFork finds the run that is forked and the recipe that the fork goes on with.
func (m *Main) findFork(
	ctx context.Context, h *house, given string, f *forkFlags, o *fermata.ForkOptions, j *job,
) (fermata.RunInfo, error) {
	info, err := m.findRun(ctx, h, given)
	if err != nil {
		return info, err
	}
	if info.Definition, err = m.definitionAt(ctx, h, &info, f.at); err != nil {
		return info, err
	}
	r, err := m.definition(ctx, h, info, f.file, f.agents)
	if err != nil {
		return info, err
	}
	if err := m.needModels(r); err != nil && !f.hold {
		return info, err
	}
	if f.file != "" {
		if o.Definition, err = h.SaveDefinition(ctx, definitionKind(r), r.Source()); err != nil {
			return info, err
		}
	}
	j.plan = r.Plan()
	if len(o.Set) > 0 {
		check := blackboardCheck(r)
		if check == nil {
			return info, usagef("--set changes the blackboard of a recipe, and run %s is a dialogue", info.ID)
		}
		o.Edit = func(value any) (any, error) { return value, check(value) }
	}
	o.AskAgain, err = m.lastVisits(ctx, h, info.ID, f.ask)
	return info, err
}

// blackboardCheck checks a value that a fork has changed; nil for a dialogue, whose values nobody changes.
func blackboardCheck(l loaded) func(value any) error {
	r, ok := l.(*recipe.Recipe)
	if !ok {
		return nil
	}
	return func(value any) error {
		board, _ := value.(map[string]any)
		return r.CheckBlackboard(board)
	}
}

// editCheck is the blackboardCheck of a run.
func (m *Main) editCheck(ctx context.Context, h *house, run fermata.RunInfo, agents string) (func(value any) error, error) {
	l, err := m.definition(ctx, h, run, "", agents)
	if err != nil {
		return nil, err
	}
	if check := blackboardCheck(l); check != nil {
		return check, nil
	}
	return nil, invalidf("set changes the blackboard of a recipe, and run %s is a dialogue", run.ID)
}

// definitionAt is the digest of the recipe that a run had at a seq; 0 is its end.
func (m *Main) definitionAt(ctx context.Context, h *house, info *fermata.RunInfo, at uint64) (string, error) {
	digest := info.Definition
	if at == 0 {
		return digest, nil
	}
	for ev, err := range h.Events(ctx, info.ID, 0, false) {
		if err != nil {
			return "", err
		}
		if ev.Seq() > at {
			break
		}
		var body struct {
			Definition string `json:"definition"`
		}
		switch ev.Entry.Kind {
		case journal.RunStarted, journal.RunResumed:
			if json.Unmarshal(ev.Entry.Body, &body) == nil && body.Definition != "" {
				digest = body.Definition
			}
		default:
		}
	}
	return digest, nil
}

// lastVisits turns names of nodes into the questions of the last task that visited them.
func (m *Main) lastVisits(ctx context.Context, h *house, run string, names []string) ([]string, error) {
	asked, err := h.Inbox(ctx, journal.InboxFilter{Run: run, All: true})
	if err != nil {
		return nil, err
	}
	var all []string
	for _, name := range names {
		var found []string
		last := -1
		for _, q := range asked {
			node, text, _ := strings.Cut(q.Task, "#")
			visit, err := strconv.Atoi(text)
			switch {
			case q.Task == name, strings.HasPrefix(name, "int_") && strings.HasPrefix(q.ID, name):
				found = append(found, q.ID)
			case err == nil && node == name && visit > last:
				found, last = []string{q.ID}, visit
			case err == nil && node == name && visit == last:
				found = append(found, q.ID)
			}
		}
		if len(found) == 0 {
			found = []string{name} // which is refused, with the nearest name
		}
		all = append(all, found...)
	}
	return all, nil
}

// parseSet reads --set flags.
func (m *Main) parseSet(flags []string) (map[string]json.RawMessage, error) {
	set := make(map[string]json.RawMessage, len(flags))
	for _, flag := range flags {
		path, text, ok := strings.Cut(flag, "=")
		if !ok || path == "" {
			return nil, usagef("--set %q: expected path=JSON or path=@FILE", flag)
		}
		if _, twice := set[path]; twice {
			return nil, usagef("--set %q: %s is set twice", flag, path)
		}
		value, err := m.readValue(text)
		if err != nil {
			return nil, err
		}
		set[path] = value
	}
	return set, nil
}

// origin is where a run comes from, nil when it is no fork.
func (m *Main) origin(ctx context.Context, h *house, run string) (*journal.Origin, error) {
	for ev, err := range h.Events(ctx, run, 0, false) {
		if err != nil {
			return nil, err
		}
		var body journal.StartedBody
		err := json.Unmarshal(ev.Entry.Body, &body)
		return body.Fork, err
	}
	return nil, nil
}

// forkBegins says where a fork comes from, and takes what it shares with its run for known.
func (m *Main) forkBegins(ctx context.Context, h *house, id string, j *job) error {
	from, err := m.origin(ctx, h, id)
	if err != nil {
		return err
	}
	m.sayForked(m.err, id, from)
	for ev, err := range h.Events(ctx, id, 0, false) {
		if err != nil {
			return err
		}
		if ev.Seq() > from.Seq {
			return nil
		}
		j.before = append(j.before, ev)
	}
	return nil
}

func (m *Main) sayForked(s *term.Screen, id string, from *journal.Origin) {
	if !m.global.quiet {
		s.Println("forked " + id + " from " + from.Run + " at seq " + strconv.FormatUint(from.Seq, 10))
	}
}

// heldFork is a fork in `runs fork --hold --json`.
type heldFork struct {
	Type string          `json:"type"`
	Run  string          `json:"run"`
	Fork *journal.Origin `json:"fork"`
}

// holdFork records a fork, and leaves it to whoever resumes it.
func (m *Main) holdFork(ctx context.Context, h *house, given string, f *forkFlags, o fermata.ForkOptions) error {
	var j job
	info, err := m.findFork(ctx, h, given, f, &o, &j)
	if err != nil {
		return err
	}
	run, err := h.Fork(ctx, info.ID, j.plan, o)
	if err != nil {
		return err
	}
	from, err := m.origin(ctx, h, run.ID())
	if err != nil {
		return err
	}
	if f.json {
		m.writeLine(heldFork{Type: "fork", Run: run.ID(), Fork: from})
		return nil
	}
	m.sayForked(m.out, run.ID(), from)
	if !m.global.quiet {
		m.err.Println("")
		m.hints(hintTo("resume it", "resume", idFor(m.err, run.ID(), nil)),
			hintTo("what is different", "runs", "diff", idFor(m.err, run.ID(), nil)))
	}
	return nil
}
