package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// outlookLine is a run in `resume --check --json`.
type outlookLine struct {
	Type string `json:"type"` // outlook
	fermata.Outlook
}

// checkResume shows what would come of resuming a run, or all runs that have not ended. It ends with exitConflict where one
// of them cannot go on.
func (m *Main) checkResume(ctx context.Context, given string, f *executeFlags, on resumption) error {
	moves, err := on.migration()
	if err != nil {
		return err
	}
	filter := journal.RunFilter{Plan: on.plan}
	var changed loaded
	if on.file != "" {
		if changed, err = m.load(on.file, f.agents); err != nil {
			return err
		}
		if given == "" && on.plan == "" {
			filter.Plan = changed.Name()
		}
	}
	return m.withStore(ctx, func(ctx context.Context, h *house) error {
		if given != "" {
			info, err := m.findRun(ctx, h, given)
			if err != nil {
				return err
			}
			filter = journal.RunFilter{ID: info.ID}
		}
		all, err := h.CanResume(ctx, filter, fermata.ResumeCheck{
			Migration: moves, Replay: true,
			Plans: func(ctx context.Context, info fermata.RunInfo) (*plan.Plan, error) {
				if changed != nil {
					return changed.Plan(), nil
				}
				return m.planOf(ctx, h, info, f.agents, m.needModels)
			},
		})
		if err != nil {
			return err
		}
		if f.json {
			for i := range all {
				m.writeLine(outlookLine{"outlook", all[i]})
			}
		} else {
			m.showOutlooks(h, all, filter)
		}
		if slices.ContainsFunc(all, func(o fermata.Outlook) bool { return !o.CanGoOn() }) {
			return &exit{code: exitConflict}
		}
		return nil
	})
}

// verdicts are how verdicts read in a table.
var verdicts = map[fermata.Verdict]string{
	fermata.GoesOn: "goes on", fermata.Migrates: "goes on, renamed", fermata.PlanChanged: "cannot: plan changed",
	fermata.Diverges: "cannot: code diverges", fermata.NeedsRetry: "needs runs retry", fermata.Refused: "cannot",
	fermata.PlanUnknown: "cannot here", fermata.HasEnded: "has ended",
}

func verdictStyle(styles term.Styles, o *fermata.Outlook) term.Style {
	switch {
	case !o.CanGoOn():
		return styles.Bad
	case o.Verdict == fermata.HasEnded:
		return styles.Faint
	}
	return styles.Good
}

func (m *Main) showOutlooks(h *house, all []fermata.Outlook, f journal.RunFilter) {
	s, styles := m.out, m.out.Styles()
	if len(all) == 0 {
		m.err.Println("no runs to resume in " + h.dsn.String() + matching(&journal.RunQuery{Statuses: given(f.Status), Plans: given(f.Plan)}))
		return
	}
	ids := each(all, func(o *fermata.Outlook) string { return o.Run })
	t := term.Table{Head: []string{"RUN", "STATUS", "PLAN", "IF RESUMED", "NOTE"}}
	goOn := 0
	for i := range all {
		o := &all[i]
		if o.CanGoOn() {
			goOn++
		}
		t.Rows = append(t.Rows, []string{
			idFor(s, o.Run, ids), m.statusStyle(styles, string(o.Status)).Apply(string(o.Status)), term.OneLine(o.Plan),
			verdictStyle(styles, o).Apply(verdicts[o.Verdict]), styles.Faint.Apply(outlookNote(o)),
		})
	}
	s.Println(s.Fit(t.Lines(s))...)
	for i := range all {
		if o := &all[i]; o.Reason != "" {
			s.Println("", styles.Strong.Apply(idFor(s, o.Run, ids)))
			for _, text := range []string{o.Reason, o.Diff, o.Hint} {
				s.Println(outlookText(s, text)...)
			}
		}
	}
	if len(all) > 1 {
		m.err.Println(m.err.Styles().Faint.Apply(term.Count(goOn, "run") + " of " + term.Count(len(all), "run") + " can go on; nothing was written"))
	}
}

func outlookText(s *term.Screen, text string) []string {
	if text == "" {
		return nil
	}
	lines := term.Wrap(term.Plain(text), s.Width()-2)
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// outlookNote says what a verdict depends on: the names that move, and what was not checked.
func outlookNote(o *fermata.Outlook) string {
	var notes []string
	for _, names := range []map[string]string{o.Nodes, o.Values} {
		for _, old := range slices.Sorted(maps.Keys(names)) {
			notes = append(notes, term.OneLine(old)+"="+term.OneLine(names[old]))
		}
	}
	if o.Unchecked != "" && o.CanGoOn() {
		notes = append(notes, o.Unchecked)
	}
	if o.Verdict == fermata.PlanUnknown {
		notes = append(notes, "a program started it, and only that program can resume it: Runtime.CanResume there says whether it can")
	}
	return strings.Join(notes, ", ")
}
