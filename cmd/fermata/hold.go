package main

import (
	"context"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
)

// shownHold is why a run is held, in `runs show --json` and the last line of `run --json`.
type shownHold struct {
	By     string    `json:"by,omitempty"`
	Note   string    `json:"note,omitempty"`
	Before string    `json:"before,omitempty"`
	After  string    `json:"after,omitempty"`
	Since  time.Time `json:"since"`
}

func holdOf(r *fermata.Result) *shownHold {
	if r.Hold == nil {
		return nil
	}
	return &shownHold{By: r.Hold.By, Note: r.Hold.Note, Before: r.Hold.Before, After: r.Hold.After, Since: r.Hold.Since}
}

// isHeld reports whether a run is paused because it is held: nothing else gives a paused run an error.
func isHeld(r *fermata.RunInfo) bool {
	return fermata.Status(r.Status) == fermata.Paused && r.Error != ""
}

// heldText says who holds a run, and why.
func heldText(h *fermata.HoldInfo) string {
	text := "held"
	switch {
	case h.Before != "":
		text += " before " + term.Line(h.Before)
	case h.After != "":
		text += " after " + term.Line(h.After)
	case h.By != "":
		text += " by " + term.OneLine(h.By)
	}
	if h.Note != "" {
		text += ": " + term.OneLine(h.Note)
	}
	return text
}

// showHold shows why a run is held, and how it is released.
func (m *Main) showHold(info *fermata.RunInfo, result *fermata.Result) {
	if result.Hold == nil {
		return
	}
	s, styles := m.out, m.out.Styles()
	s.Println("")
	s.Println(told(s, styles.Wait, heldText(result.Hold)+", since "+m.moment(s, result.Hold.Since.UnixMicro()), s.Width())...)
	s.Println(styles.Faint.Apply("to let it go on: ") + styles.Code.Apply(m.command("runs", "release", idFor(s, info.ID, nil))))
}

// breakFlags are the breakpoints of a run.
type breakFlags struct {
	before []string // paths of nodes
	after  []string // likewise
}

func (f *breakFlags) add(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.before, "break-before", nil, "hold the run before each visit of a `node`; several with commas")
	c.Flags().StringSliceVar(&f.after, "break-after", nil, "hold the run behind each visit of a `node`; several with commas")
}

func (f *breakFlags) breaks() fermata.Breaks { return fermata.Breaks{Before: f.before, After: f.after} }

// resume are the options of a resumption: it keeps the breakpoints that there are where none is given.
func (f *breakFlags) resume() (opts []fermata.ResumeOption) {
	if b := f.breaks(); !b.Empty() {
		opts = append(opts, fermata.WithBreaks(b))
	}
	return opts
}

// holdVerb is what is done to one run or to many: hold or release.
type holdVerb struct {
	does, did string
	who       string // who does it, for the help
	one       func(rt *fermata.Runtime, ctx context.Context, id, note, by string) error
	many      func(rt *fermata.Runtime, ctx context.Context, q journal.RunQuery, o fermata.BulkOptions) iter.Seq2[fermata.BulkResult, error]
	then      func(ctx context.Context, h *house, info *fermata.RunInfo) error // tells what follows for one
}

func (m *Main) runsHoldCommand() *cobra.Command {
	return m.changeHoldCommand(&cobra.Command{
		Use:   "hold [RUN]",
		Short: "Hold a run, or many: nothing begins in it until it is released",
		Long: "Hold a run, or many, also those that another process owns. Tasks that are at work end and are recorded; answers, messages and timers " +
			"are recorded too. Nothing begins until `runs release`. A deadline still counts.",
		Example: `fermata runs hold run_01939f2e --note 'the bank is down'
fermata runs hold --plan payments --note 'the bank is down' --dry-run`,
	}, &holdVerb{
		does: "hold", did: "held", who: "who holds the run", one: (*fermata.Runtime).HoldRun, many: (*fermata.Runtime).HoldRuns,
		then: func(ctx context.Context, h *house, info *fermata.RunInfo) error {
			now, err := h.Info(ctx, info.ID)
			if err != nil {
				return err
			}
			text := "held " + info.ID
			if fermata.Status(now.Status) == fermata.Running {
				text += ": it is paused once its tasks at work have ended"
			}
			m.out.Println(text)
			if !m.global.quiet {
				m.hints(hintTo("let it go on", "runs", "release", idFor(m.err, info.ID, nil)))
			}
			return nil
		},
	})
}

func (m *Main) runsReleaseCommand() *cobra.Command {
	return m.changeHoldCommand(&cobra.Command{
		Use:   "release [RUN]",
		Short: "Release a run that is held, or many",
		Example: `fermata runs release run_01939f2e --note 'the bank is back'
fermata runs release --plan payments --note 'the bank is back'`,
	}, &holdVerb{
		does: "release", did: "released", who: "who releases the run", one: (*fermata.Runtime).ReleaseRun, many: (*fermata.Runtime).ReleaseRuns,
		then: func(_ context.Context, _ *house, info *fermata.RunInfo) error {
			m.out.Println("released " + info.ID)
			if !m.global.quiet && resumable(info) {
				m.hints(hintTo("go on here, where no worker does", "resume", idFor(m.err, info.ID, nil)))
			}
			return nil
		},
	})
}

// changeHoldCommand makes a command that holds or releases one run or many.
func (m *Main) changeHoldCommand(c *cobra.Command, verb *holdVerb) *cobra.Command {
	var note, as string
	var asJSON bool
	var many selection
	m.onRun(c, func(ctx context.Context, h *house, info fermata.RunInfo) error {
		if err := verb.one(h.Runtime, ctx, info.ID, note, as); err != nil {
			return &withAdvice{err, "to see its state: " + m.command("runs", "show", info.ID)}
		}
		if asJSON {
			m.writeLine(bulkLine{runLine: lineOf(&info, nil), Done: true})
			return nil
		}
		return verb.then(ctx, h, &info)
	})
	many.orMany(c, func(ctx context.Context) error {
		q, err := many.runQuery(m)
		if err != nil {
			return err
		}
		return m.withStore(ctx, func(ctx context.Context, h *house) error {
			all := verb.many(h.Runtime, ctx, q, fermata.BulkOptions{DryRun: many.dry, Reason: note, By: as})
			return m.bulk(&many, asJSON, bulkVerb{verb.does, verb.did, func(r *fermata.BulkResult) (fermata.Status, error) {
				now, err := h.Info(ctx, r.Info.ID)
				if err == nil {
					r.Info = now
				}
				return fermata.Status(now.Status), err
			}}, all)
		})
	})
	many.add(c, verb.does, "running, paused and blocked")
	c.Flags().BoolVar(&asJSON, "json", false, "write one line of JSON for each run")
	c.Flags().StringVar(&note, "note", "", "why, for the record: a `text`")
	c.Flags().StringVar(&as, "as", m.user(), verb.who+", for the record: a `name`")
	return c
}
