package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

func (m *Main) eventsCommand() *cobra.Command {
	var after uint64
	var follow, asJSON bool
	c := &cobra.Command{
		Use:   "events RUN",
		Short: "Show the events of a run, and with --follow those to come",
		Long: "Show the events of a run: every durable fact, in order. With --follow it shows new events until the run has ended, " +
			"whichever process owns it.",
		Example:           "fermata events run_01939f2e --after 40 --follow --json",
		Args:              oneRun,
		ValidArgsFunction: m.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := stoppable(c.Context())
			defer stop()
			return m.withRun(ctx, args[0], func(ctx context.Context, h *house, info fermata.RunInfo) error {
				for ev, err := range h.Events(ctx, info.ID, after, follow) {
					switch {
					case err != nil && errors.Is(err, context.Canceled):
						return nil
					case err != nil:
						return err
					case asJSON:
						m.writeLine(&ev)
					default:
						m.showEvent(&ev)
					}
				}
				return nil
			})
		},
	}
	c.Flags().Uint64Var(&after, "after", 0, "only events after this `seq`")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "continue until the run has ended")
	c.Flags().BoolVar(&asJSON, "json", false, "write the envelopes, one a line")
	return c
}

// showEvent writes one event on a line.
func (m *Main) showEvent(ev *fermata.Event) {
	s, styles := m.out, m.out.Styles()
	data, err := ev.Data()
	if err != nil {
		data = []byte(err.Error())
	}
	text := term.OneLine(string(data))
	if text == "{}" {
		text = ""
	}
	number := strconv.FormatUint(ev.Seq(), 10)
	if ev.Sub > 0 {
		number += "." + strconv.FormatUint(uint64(ev.Sub), 10)
	}
	clock := ev.Time().In(m.Now().Location()).Format("15:04:05.000Z07:00")
	line := styles.Faint.Apply(term.PadLeft(number, 5)+"  "+clock) + "  " + term.Pad(ev.Type(), 18) + "  " +
		term.Pad(term.OneLine(ev.Task()), 16)
	if text != "" {
		line += "  " + styles.Faint.Apply(text)
	}
	s.Println(s.Fit([]string{line})...)
}
