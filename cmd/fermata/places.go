package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

func (m *Main) runsPlacesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "places [POOL]",
		Short: "Show who has the places of shared pools, and who waits for one",
		Long: "Show which tasks have the places of the pools that all processes on the store share, and which tasks wait for one, in the order " +
			"in which they get it. Of a process with many waiting tasks, the first ones are shown. A pool with a rate alone has no places.",
		Example: `fermata runs places
fermata runs places customers --json`,
		Args: func(_ *cobra.Command, args []string) error { return moreThan(1, args) },
		RunE: func(c *cobra.Command, args []string) error {
			return m.withStore(c.Context(), func(ctx context.Context, h *house) error {
				pool := ""
				if len(args) > 0 {
					pool = args[0]
				}
				list, err := h.Places(ctx, pool)
				if err != nil {
					return err
				}
				m.listPlaces(list, asJSON)
				return nil
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each task")
	return c
}

func (m *Main) listPlaces(list []fermata.Place, asJSON bool) {
	if asJSON {
		for i := range list {
			m.writeLine(list[i])
		}
		return
	}
	if len(list) == 0 {
		m.err.Println("no task has a place in a shared pool, or waits for one")
		return
	}
	s := m.out
	runs := make([]string, len(list))
	for i := range list {
		runs[i] = list[i].Run
	}
	t := term.Table{Head: []string{"POOL", "KEY", "RUN", "TASK", "SINCE", "PLACE"}}
	for i := range list {
		p := &list[i]
		since, what := p.Got, "has it"
		if p.Got.IsZero() {
			since, what = p.Since, waitingText(p)
		}
		t.Rows = append(t.Rows, []string{
			term.OneLine(p.Pool), term.OneLine(p.Key), idFor(s, p.Run, runs), term.OneLine(p.Task), m.moment(s, since.UnixMicro()), what,
		})
	}
	s.Println(s.Fit(t.Lines(s))...)
}

// waitingText says how many tasks come before one that waits.
func waitingText(p *fermata.Place) string {
	if p.Ahead == 0 {
		return "waits, next"
	}
	return fmt.Sprintf("waits, %d before it", p.Ahead)
}

// placesOf are the waits of a run for places of shared pools.
func (h *house) placesOf(ctx context.Context, info *fermata.RunInfo) (waits []fermata.Place, err error) {
	if fermata.Status(info.Status) != fermata.Running || info.Driver == "" {
		return nil, nil
	}
	all, err := h.Places(ctx, "")
	for i := range all {
		if all[i].Run == info.ID && all[i].Got.IsZero() {
			waits = append(waits, all[i])
		}
	}
	return waits, err
}

// showWaits shows for which places a run waits.
func (m *Main) showWaits(waits []fermata.Place) {
	s, styles := m.out, m.out.Styles()
	for i := range waits {
		p := &waits[i]
		text := term.Line(p.Task) + " waits for a place in pool " + term.OneLine(p.Pool)
		if p.Key != "" {
			text += ", key " + term.OneLine(p.Key)
		}
		text += ", since " + m.moment(s, p.Since.UnixMicro())
		if p.Ahead > 0 {
			text += ", " + term.Count(p.Ahead, "task") + " before it"
		}
		s.Println(told(s, styles.Wait, text, s.Width())...)
	}
}
