package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/internal/audit"
)

// auditFlags say which acts are shown.
type auditFlags struct {
	since, until string
	by, run      string
	json         bool
}

func (m *Main) auditCommand() *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use:   "audit",
		Short: "Show who has done what: starts, answers, cancellations, tokens, logins",
		Long: "Show what people have done, the oldest first, as the journals of runs and the settings of the store have it: who started, forked, held and " +
			"cancelled runs, answered, claimed and handed over questions, sent messages, made and revoked tokens, logged in and out. Acts of workers " +
			"are left out. Requests that were refused are in no journal.",
		Example: "fermata audit --since 1d\nfermata audit --by ada@example.com --since 2026-11-01 --until 2026-12-01 --json\nfermata audit --run run_1",
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return m.audit(c.Context(), &f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.since, "since", "7d", "what was done since a `time`: so long ago (7d, 12h), or a date")
	flags.StringVar(&f.until, "until", "", "what was done before a `time`: so long ago, or a date")
	flags.StringVar(&f.by, "by", "", "what a person did: an `id`")
	flags.StringVar(&f.run, "run", "", "what was done with a run: an `id`")
	flags.BoolVar(&f.json, "json", false, "write one line of JSON for each")
	return c
}

// ago is a moment that was given as a time ago, or as it is.
func ago(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	wait, at, err := momentOf(flag, text)
	if err != nil {
		return time.Time{}, usagef("%s %q: expected how long ago (2h, 3d), or a time (2026-01-31T18:00:00Z, 2026-01-31)", flag, text)
	}
	if wait > 0 {
		at = now.Add(-wait)
	}
	return at, nil
}

func (m *Main) audit(ctx context.Context, f *auditFlags) error {
	if _, err := ago("--since", f.since, time.Now()); err != nil {
		return err
	}
	if _, err := ago("--until", f.until, time.Now()); err != nil {
		return err
	}
	d, err := m.storeDSN()
	if err != nil {
		return err
	}
	h, err := m.openAt(ctx, d, false, fermata.Options{Name: m.user()})
	if err != nil {
		return err
	}
	return h.closed(m.showActs(ctx, h, f))
}

func (m *Main) showActs(ctx context.Context, h *house, f *auditFlags) error {
	q := audit.Query{By: f.by, Run: f.run}
	q.From, _ = ago("--since", f.since, h.Now()) // both were checked
	q.To, _ = ago("--until", f.until, h.Now())
	var all []audit.Act
	if h.store != nil {
		var err error
		if all, err = audit.Read(ctx, audit.Source{Store: h.store, Find: h.FindRuns}, q); err != nil {
			return err
		}
	}
	if f.json {
		for i := range all {
			m.writeLine(all[i])
		}
		return nil
	}
	if len(all) == 0 {
		m.err.Println("nobody did anything since " + q.From.Local().Format(time.DateTime))
		return nil
	}
	t := term.Table{Head: []string{"TIME", "PERSON", "DID", "WHERE", "WHY"}}
	for i := range all {
		a := &all[i]
		did := a.Did
		if a.To != "" {
			did += " → " + a.To
		}
		if a.Role != "" {
			did += " as " + a.Role
		}
		t.Rows = append(t.Rows, []string{
			a.At.Local().Format(time.DateTime), term.OneLine(a.By), term.OneLine(did), term.OneLine(whereOf(a)), term.OneLine(a.Why),
		})
	}
	m.out.Println(m.out.Fit(t.Lines(m.out))...)
	return nil
}

// whereOf says with what something was done.
func whereOf(a *audit.Act) string {
	if a.What != "" {
		return a.What + " " + a.Name
	}
	where := strings.TrimSpace(a.Plan + " " + a.Run + " " + a.Task)
	if a.Of != "" {
		where += " of " + a.Of
	}
	return where
}
