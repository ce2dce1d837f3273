package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
)

type workFlags struct {
	concurrency int
	queues      []string
	takeovers   int
	lease       time.Duration
	agents, as  string
	json        bool
	admin       string
}

func (m *Main) workCommand() *cobra.Command {
	var f workFlags
	c := &cobra.Command{
		Use:   "work",
		Short: "Claim and run the runs that have no owner",
		Long: "Claim and run the recipes' runs that have no owner: runs started with `run --detach`, runs whose process died, and runs " +
			"that were answered. Any number of workers may share a store. Ctrl-C stops claiming and waits until the worker's runs " +
			"rest; a second Ctrl-C ends at once, and other workers take over.",
		Example: "fermata work --store postgres://localhost/runs\nfermata run refund.yaml --input amount=120 --detach",
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return m.work(c.Context(), &f) },
	}
	f.add(m, c)
	addAdminFlag(c.Flags(), &f.admin)
	c.Flags().BoolVar(&f.json, "json", false, "write a line of JSON for each run that is claimed or rests")
	return c
}

// add adds the flags of those that work.
func (f *workFlags) add(m *Main, c *cobra.Command) {
	flags := c.Flags()
	flags.IntVar(&f.concurrency, "concurrency", 0, "the `number` of runs at a time (default eight for each processor)")
	flags.StringSliceVar(&f.queues, "queue", nil, "the `queues` whose runs it claims, as gpu,default (default all of them)")
	flags.DurationVar(&f.lease, "lease", fermata.DefaultLease, "the `time` after which other workers claim the runs of this one if it dies")
	flags.IntVar(&f.takeovers, "takeovers", fermata.DefaultTakeovers, "the `number` of takeovers without progress after which a run is set aside; -1 for no limit")
	flags.StringVar(&f.agents, "agents", "", "a `file` with agents that recipes name")
	flags.StringVar(&f.as, "as", m.user(), "who executes the runs, for the record: a `name`")
}

// workLine is what happens to a run, in --json.
type workLine struct {
	At     time.Time    `json:"at"`
	Do     string       `json:"do"` // took, rested
	Run    string       `json:"run"`
	From   string       `json:"from,omitempty"` // who drove it before
	Status string       `json:"status"`
	Error  *resultError `json:"error,omitempty"`
}

// shortestLease is the shortest lease of a worker. With less, a store that is slow for a moment costs it its runs, which are blocked
// after a few takeovers.
const shortestLease = time.Second

// check refuses flags that nobody can work with.
func (f *workFlags) check() error {
	if f.lease < shortestLease {
		return usagef("--lease %v: expected at least %v, since a worker renews its lease three times as often", f.lease, shortestLease)
	}
	if f.takeovers == 0 {
		return usagef("--takeovers 0: expected a number above zero, or -1 for any number")
	}
	return nil
}

// options are those of a runtime that works, which is kept in h once it is open.
func (f *workFlags) options(m *Main, h **house) fermata.Options {
	return fermata.Options{
		Name: f.as, Lease: f.lease, Logger: (&logLines{show: m.err.Println}).logger(m.global.verbose),
		Plans: func(ctx context.Context, run fermata.RunInfo) (*plan.Plan, error) {
			return m.planOf(ctx, *h, run, f.agents, m.needModels, needPlaces)
		},
	}
}

// work executes runs without an owner until Ctrl-C.
func (m *Main) work(ctx context.Context, f *workFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	watched, err := m.openAdmin(ctx, f.admin)
	if err != nil {
		return err
	}
	var h *house
	if h, err = m.open(ctx, f.options(m, &h)); err != nil {
		return errors.Join(err, watched.close())
	}
	if err := watched.serve(h, func() error { return ctx.Err() }); err != nil {
		return h.closed(errors.Join(err, watched.close()))
	}
	ctx, stop := m.untilTold(ctx, func() {
		m.err.Println("takes no more runs; those under way come to rest first (Ctrl-C again ends at once)")
	}, func() {})
	defer stop()
	say := m.workSayer(f.json)
	m.err.Println("works on " + h.dsn.String())
	if watched != nil {
		m.err.Println("measured at " + watched.url() + "/metrics")
	}
	err = m.workOn(ctx, h, f, say)
	return h.closed(errors.Join(err, watched.close()))
}

// workOn executes runs without an owner until the context ends, and says which.
func (m *Main) workOn(ctx context.Context, h *house, f *workFlags, say func(workLine)) error {
	return h.Work(ctx, fermata.WorkOptions{
		Concurrency: f.concurrency, Queues: f.queues, Takeovers: f.takeovers,
		Took: func(run fermata.RunInfo) {
			say(workLine{At: m.Now().UTC(), Do: "took", Run: run.ID, From: run.Driver, Status: run.Status})
		},
		Rested: func(r fermata.Result) {
			say(workLine{At: m.Now().UTC(), Do: "rested", Run: r.Run, Status: string(r.Status), Error: resultErrorOf(r.Err)})
		},
	})
}

// needPlaces is why this machine cannot execute a recipe: its programs are started in a folder that is not here, or are not
// installed. Such a run is left to other workers.
func needPlaces(r loaded) error {
	of, ok := r.(*recipe.Recipe)
	if !ok {
		return nil
	}
	for _, folder := range of.Folders() {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return invalidf("its programs are started in the folder %s, which is not on this machine: work where it is, or put it there", folder)
		}
	}
	for _, program := range of.Programs() {
		if _, err := exec.LookPath(program); err != nil {
			return invalidf("it starts the program %s, which is not installed here (not in PATH): work where it is, or install it", program)
		}
	}
	return nil
}

// workSayer shows lines, one at a time.
func (m *Main) workSayer(asJSON bool) func(workLine) {
	var mu sync.Mutex
	return func(line workLine) {
		mu.Lock()
		defer mu.Unlock()
		m.sayWork(line, asJSON)
	}
}

// sayWork shows a line: JSON for programs, and else who did what.
func (m *Main) sayWork(line workLine, asJSON bool) {
	if asJSON {
		m.writeLine(line)
		return
	}
	s, styles := m.out, m.out.Styles()
	if line.Do == "took" {
		text := "took " + line.Run
		if line.From != "" {
			text += " over from " + ownerName(line.From)
		}
		s.Println(styles.Faint.Apply(text))
		return
	}
	text := line.Run + "  " + m.statusStyle(styles, line.Status).Apply(line.Status)
	if line.Error != nil {
		text += "  " + term.Flat(line.Error.Message)
	}
	s.Println(text)
}

// ownerName is the name of an owner for people: who and where, without what only processes make use of.
func ownerName(owner string) string {
	name, _, _ := strings.Cut(owner, "/")
	return term.OneLine(name)
}

// detach starts a run and leaves it to a worker.
func (m *Main) detach(ctx context.Context, d dsn, f *runFlags, start func(context.Context, *house) (*fermata.Run, error)) error {
	switch {
	case d.memory():
		return usagef("--detach: a store in memory ends with this command; name one that lasts with --store")
	case len(f.answers) > 0:
		return usagef("--detach: --answer needs this process to run the recipe; answer later with `tasks answer`")
	}
	h, err := m.openAt(ctx, d, true, fermata.Options{Name: f.as})
	if err != nil {
		return err
	}
	run, err := start(ctx, h)
	if err := h.closed(err); err != nil {
		return err
	}
	if f.json {
		m.writeLine(struct {
			Run string `json:"run"`
		}{run.ID()})
		return nil
	}
	m.out.Println(run.ID())
	if !m.global.quiet {
		m.err.Println("")
		m.hints(hintTo("run it with a worker", "work"), hintTo("follow its events", "events", run.ID(), "--follow"))
	}
	return nil
}
