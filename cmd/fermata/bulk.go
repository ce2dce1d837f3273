package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/plan"
)

// selection are the flags that select many runs in place of one.
type selection struct {
	runSelectors
	dry bool
}

// add adds the flags to a command. statuses are those that it selects by default.
func (f *selection) add(c *cobra.Command, verb, statuses string) {
	f.runSelectors.add(c, "all", "with this `status`, several with commas (default "+statuses+")")
	c.Flags().IntVar(&f.query.Limit, "limit", 0, "the largest `number` of runs, the newest first; 0 for all")
	c.Flags().BoolVar(&f.dry, "dry-run", false, "only show the runs that it would "+verb)
}

// one says whether the command is about the run that is its argument, and not about many.
func (f *selection) one(c *cobra.Command, args []string) (bool, error) {
	selects := slices.ContainsFunc(selectors, c.Flags().Changed)
	switch {
	case len(args) > 0 && selects:
		return false, usagef("expected RUN or flags that select runs, found both")
	case len(args) > 0 && (f.dry || c.Flags().Changed("limit")):
		return false, usagef("--dry-run and --limit are for many runs: select them with --status, --label, --plan, --since, --until or --prefix")
	case len(args) > 0:
		return true, nil
	case !selects:
		return false, usagef("expected RUN, the id of a run or the beginning of it, or flags that select runs: --status, --label, --plan, --since, --until, --prefix")
	}
	return false, nil
}

// orMany lets a command about one run, its argument, be about the runs that flags select: many is called then.
func (f *selection) orMany(c *cobra.Command, many func(ctx context.Context) error) {
	ofOne := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		one, err := f.one(c, args)
		switch {
		case err != nil:
			return err
		case one:
			return ofOne(c, args)
		}
		return many(c.Context())
	}
	c.Args = atMostOneRun
}

// bulkLine is a run in `runs cancel --json`, and in those of retry, hold and release, of many.
type bulkLine struct {
	runLine
	Done    bool         `json:"done"`              // false in a dry run, and where nothing was done
	Problem *resultError `json:"problem,omitempty"` // why nothing was done, or how a retried run failed again
}

// bulkVerb is what is done to many runs.
type bulkVerb struct {
	does, did string
	rest      func(r *fermata.BulkResult) (then fermata.Status, err error) // what became of a run to which it was done
}

// bulk shows the results of many runs as they come.
func (m *Main) bulk(f *selection, asJSON bool, verb bulkVerb, all iter.Seq2[fermata.BulkResult, error]) error {
	done, refused := 0, 0
	var first error
	defer func() {
		if done+refused > 0 || first == nil {
			m.sayBulk(f, &verb, done, refused)
		}
	}()
	for r, err := range all {
		if err != nil {
			first = err
			return err
		}
		problem := r.Err
		switch {
		case r.Err != nil:
			refused++
		case f.dry:
			done++
		default:
			var then fermata.Status
			then, problem = verb.rest(&r)
			done, r.Info.Status = done+1, string(then)
		}
		if first == nil {
			first = problem
		}
		m.showBulk(f, asJSON, &verb, &r, problem)
	}
	if first != nil {
		return &exit{code: exitOf(first)}
	}
	return nil
}

func (m *Main) showBulk(f *selection, asJSON bool, verb *bulkVerb, r *fermata.BulkResult, problem error) {
	if asJSON {
		m.writeLine(bulkLine{runLine: lineOf(&r.Info, nil), Done: r.Err == nil && !f.dry, Problem: resultErrorOf(problem)})
		return
	}
	switch styles := m.err.Styles(); {
	case r.Err != nil:
		m.err.Println(styles.Bad.Apply("not "+verb.did+" ") + term.Flat(r.Err.Error()))
	case f.dry:
		m.out.Println("would " + verb.does + " " + r.Info.ID + "  " + r.Info.Status + "  " + term.OneLine(r.Info.Plan))
	default:
		m.out.Println(verb.did + " " + r.Info.ID + bulkThen(r, verb))
		if problem != nil {
			m.err.Println(styles.Bad.Apply(r.Info.Status+" again ") + term.Flat(problem.Error()))
		}
	}
}

// bulkThen says how a retried run stands.
func bulkThen(r *fermata.BulkResult, verb *bulkVerb) string {
	if r.Info.Status == verb.did {
		return ""
	}
	return "  " + r.Info.Status
}

func (m *Main) sayBulk(f *selection, verb *bulkVerb, done, refused int) {
	if m.global.quiet {
		return
	}
	text := verb.did + " " + term.Count(done, "run")
	if f.dry {
		text = "would " + verb.does + " " + term.Count(done, "run")
	}
	if refused > 0 {
		text += fmt.Sprintf(", and not %d", refused)
	}
	m.err.Println(text)
}

func (m *Main) cancelMany(ctx context.Context, f *selection, reason, as string, asJSON bool) error {
	q, err := f.runQuery(m)
	if err != nil {
		return err
	}
	return m.withStore(ctx, func(ctx context.Context, h *house) error {
		all := h.CancelRuns(ctx, q, fermata.BulkOptions{DryRun: f.dry, Reason: reason, By: as})
		rest := func(*fermata.BulkResult) (fermata.Status, error) { return fermata.Cancelled, nil }
		return m.bulk(f, asJSON, bulkVerb{"cancel", "cancelled", rest}, all)
	})
}

// retryMany retries runs of recipes and dialogues, each to its next rest.
func (m *Main) retryMany(ctx context.Context, f *selection, on *resumption, agents string, asJSON bool) error {
	q, err := f.runQuery(m)
	if err != nil {
		return err
	}
	renewed, err := renewalOf(on.until)
	if err != nil {
		return err
	}
	return m.withStore(ctx, func(ctx context.Context, h *house) error {
		known := make(map[string]*plan.Plan) // by digest
		plans := func(ctx context.Context, info fermata.RunInfo) (*plan.Plan, error) {
			if p := known[info.Definition]; p != nil {
				return p, nil
			}
			r, err := m.definition(ctx, h, info, "", agents)
			if err != nil {
				return nil, err
			}
			if err := m.needModels(r); err != nil {
				return nil, err
			}
			known[info.Definition] = r.Plan()
			return r.Plan(), nil
		}
		all := h.RetryRuns(ctx, q, fermata.BulkOptions{DryRun: f.dry, Plans: plans, Retry: renewed})
		return m.bulk(f, asJSON, bulkVerb{"retry", "retried", func(r *fermata.BulkResult) (fermata.Status, error) {
			res, err := r.Run.Wait(ctx)
			return res.Status, cmp.Or(err, res.Err)
		}}, all)
	})
}
