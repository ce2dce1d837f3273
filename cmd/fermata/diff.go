package main

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

func (m *Main) runsDiffCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "diff RUN[@SEQ] [RUN[@SEQ]]",
		Short: "Compare two runs, or two seqs of one: answers, tasks, values",
		Long: "Compare two points, of two runs or of one. Times and ids do not count as differences. A fork alone is compared with the " +
			"run that it was forked from.",
		Example: `fermata runs diff run_01939f2e run_0193a1b7
fermata runs diff run_01939f2e@7 run_01939f2e@12`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("expected RUN or RUN@SEQ, twice; or once, for a fork")
			}
			return moreThan(2, args)
		},
		ValidArgsFunction: m.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			return m.withStore(c.Context(), func(ctx context.Context, h *house) error {
				return m.diff(ctx, h, args, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write it as JSON")
	return c
}

func (m *Main) diff(ctx context.Context, h *house, args []string, asJSON bool) error {
	sides := make([]fermata.At, len(args))
	for i, arg := range args {
		var err error
		if sides[i], err = m.findPoint(ctx, h, arg); err != nil {
			return err
		}
	}
	if len(sides) == 1 {
		from, err := m.origin(ctx, h, sides[0].Run)
		switch {
		case err != nil:
			return err
		case from == nil:
			return usagef("run %s is no fork: expected a second RUN[@SEQ] to compare it with", sides[0].Run)
		}
		sides = []fermata.At{{Run: from.Run}, sides[0]}
	}
	d, err := h.Diff(ctx, sides[0], sides[1])
	if err != nil {
		return err
	}
	if asJSON {
		m.writeLine(d)
		return nil
	}
	m.showDiff(d)
	return nil
}

// findPoint finds a run and a seq in it: "run_01939f2e@7".
func (m *Main) findPoint(ctx context.Context, h *house, given string) (fermata.At, error) {
	at := fermata.At{}
	if i := strings.LastIndexByte(given, '@'); i >= 0 {
		n, err := strconv.ParseUint(given[i+1:], 10, 64)
		if err != nil || n == 0 {
			return at, usagef("%q: expected RUN@SEQ with a number from 1, found %q", given, given[i+1:])
		}
		given, at.Seq = given[:i], n
	}
	info, err := m.findRun(ctx, h, given)
	at.Run = info.ID
	return at, err
}

func (m *Main) showDiff(d *fermata.Difference) {
	s, styles := m.out, m.out.Styles()
	all := []string{d.A.Run, d.B.Run}
	sides := term.Table{}
	for i, side := range []*fermata.Side{&d.A, &d.B} {
		row := []string{
			styles.Strong.Apply(string(rune('A' + i))), idFor(s, side.Run, all) + "@" + strconv.FormatUint(side.Seq, 10),
			m.statusStyle(styles, string(side.Status)).Apply(string(side.Status)), term.OneLine(side.Plan), "",
		}
		if side.Fork != nil {
			row[4] = styles.Faint.Apply("forked from " + idFor(s, side.Fork.Run, all) + "@" + strconv.FormatUint(side.Fork.Seq, 10))
		}
		sides.Rows = append(sides.Rows, row)
	}
	s.Println(s.Fit(sides.Lines(s))...)
	if d.Same() {
		s.Println("", "nothing differs but times and ids")
		return
	}
	s.Println("", styles.Faint.Apply("alike up to seq "+strconv.FormatUint(d.Common, 10)))
	for _, side := range []*fermata.Side{&d.A, &d.B} {
		if side.Error != "" && (d.A.Error != d.B.Error) {
			s.Println(s.Fit([]string{styles.Bad.Apply(term.OneLine(side.Error))})...)
		}
	}
	m.diffSection("Answers", answerRows(d))
	m.diffSection("Tasks", taskRows(d))
	m.diffSection("State", changeRows(d.State))
	m.diffSection("Output", changeRows(d.Output))
}

func (m *Main) diffSection(name string, rows [][3]string) {
	if len(rows) == 0 {
		return
	}
	s, styles := m.out, m.out.Styles()
	s.Println("", styles.Strong.Apply(name))
	t := term.Table{Indent: 2, Head: []string{"", "A", "B"}}
	for _, row := range rows {
		t.Rows = append(t.Rows, []string{term.OneLine(row[0]), styles.Bad.Apply(term.OneLine(row[1])), styles.Good.Apply(term.OneLine(row[2]))})
	}
	s.Println(s.Fit(t.Lines(s))...)
}

// none stands where one side has nothing.
const none = "-"

func answerRows(d *fermata.Difference) (rows [][3]string) {
	text := func(a *fermata.AnswerSummary) string {
		switch {
		case a == nil:
			return none
		case len(a.Answer) > 0:
			return string(a.Answer)
		}
		return a.State
	}
	for _, a := range d.Answers {
		rows = append(rows, [3]string{a.Task, text(a.A), text(a.B)})
	}
	return rows
}

func taskRows(d *fermata.Difference) (rows [][3]string) {
	text := func(t *fermata.TaskSummary) string {
		if t == nil {
			return none
		}
		s := t.State
		if t.Route != "" {
			s += ", to " + t.Route
		}
		if t.Attempts > 1 {
			s += ", attempt " + strconv.Itoa(t.Attempts)
		}
		if t.Error != "" {
			s += ": " + t.Error
		}
		return s
	}
	for _, t := range d.Tasks {
		rows = append(rows, [3]string{t.Task, text(t.A), text(t.B)})
	}
	return rows
}

func changeRows(changes []fermata.Change) (rows [][3]string) {
	text := func(data json.RawMessage) string {
		if data == nil {
			return none
		}
		return string(data)
	}
	for _, c := range changes {
		path := c.Path
		if path == "" {
			path = "(all)"
		}
		rows = append(rows, [3]string{path, text(c.Old), text(c.New)})
	}
	return rows
}
