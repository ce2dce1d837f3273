package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

func (m *Main) runsCompactCommand() *cobra.Command {
	var o fermata.CompactOptions
	var untouched untouchedFlags
	c := &cobra.Command{
		Use:   "compact [RUN]",
		Short: "Keep runs in less space",
		Long: "Pack the journals of runs, so that they take less space. Nothing is lost: a compacted run can be shown, traced, " +
			"resumed, retried, forked and compared as before, and continues while it is compacted. Without RUN it compacts the runs " +
			"that are not running and have not changed for a week.",
		Example: `fermata runs compact
fermata runs compact --before now --status completed`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, given []string) error {
			if len(given) > 0 {
				for _, name := range []string{"before", "status", "plan"} {
					if c.Flags().Changed(name) {
						return usagef("--%s selects among all runs: expected no RUN beside it, found %q", name, given[0])
					}
				}
			}
			var err error
			if o.Before, o.Statuses, err = untouched.selected(m); err != nil {
				return err
			}
			return m.withStore(c.Context(), func(ctx context.Context, h *house) error {
				if len(given) > 0 {
					info, err := m.findRun(ctx, h, given[0])
					if err != nil {
						return err
					}
					o.Run = info.ID
				}
				return m.compact(ctx, h, o, untouched.json)
			})
		},
	}
	untouched.add(c.Flags(), &o.Plan, "7d", ", stuck, paused or running")
	return c
}

// compactedLine is a run in `runs compact --json`.
type compactedLine struct {
	runLine
	Entries int   `json:"entries"`
	Before  int64 `json:"before"` // bytes
	After   int64 `json:"after"`
}

func (m *Main) compact(ctx context.Context, h *house, o fermata.CompactOptions, asJSON bool) error {
	done, err := h.Compact(ctx, o)
	if h.absent() {
		err = nil // there is nothing to compact yet
	}
	var before, after int64
	packed := 0
	for i := range done {
		c := &done[i]
		if asJSON {
			m.writeLine(compactedLine{lineOf(&c.Run, nil), c.Entries, c.Before, c.After})
		}
		if c.After != c.Before {
			packed++
			before, after = before+c.Before, after+c.After
		}
	}
	if asJSON || err != nil && packed == 0 {
		return err
	}
	text := "compacted " + term.Count(packed, "run")
	if packed > 0 {
		text += fmt.Sprintf(", %s before, %s now", term.Bytes(uint64(before)), term.Bytes(uint64(after)))
	}
	if rest := len(done) - packed; rest > 0 {
		text += ", " + term.Count(rest, "run") + " had nothing to compact"
	}
	m.out.Println(text)
	return err
}
