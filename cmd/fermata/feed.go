package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

// changeLine is a change in --json. It is that of GET /api/feed.
type changeLine struct {
	Cursor  string     `json:"cursor"`
	Run     string     `json:"run"`
	Plan    string     `json:"plan"`
	Kind    string     `json:"kind"`
	Status  string     `json:"status,omitempty"`
	Seq     uint64     `json:"seq,omitempty"`
	Waiting int        `json:"waiting,omitempty"`
	Updated *time.Time `json:"updated,omitempty"`
	Gone    bool       `json:"gone,omitempty"`
}

func (m *Main) feedCommand() *cobra.Command {
	var after string
	var follow, asJSON bool
	c := &cobra.Command{
		Use:   "feed",
		Short: "Show which runs have changed, and with --follow those that will",
		Long: "Show which runs have changed: started, paused, ended, were asked a question, answered, deleted. Each run is shown once with its last " +
			"change, in the order of the store. --after goes on behind a change, by the cursor that came with it in --json; no change is passed over, " +
			"and one may come twice. --after now shows only what is still to come.",
		Example: `fermata feed --after now --follow
fermata feed --json --after "$(cat cursor)" | while read -r line; do jq -r .cursor <<< "$line" > cursor; done`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := stoppable(c.Context())
			defer stop()
			d, err := m.storeDSN()
			if err != nil {
				return err
			}
			h, err := m.openAt(ctx, d, follow, fermata.Options{Name: m.user()}) // who follows waits for a store, too
			if err != nil {
				return err
			}
			return h.closed(m.showChanges(ctx, h, after, follow, asJSON))
		},
	}
	c.Flags().StringVar(&after, "after", "", "only changes behind this `cursor`, or from now on")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with changes to come, until Ctrl-C")
	c.Flags().BoolVar(&asJSON, "json", false, "write a line of JSON for each change")
	return c
}

func (m *Main) showChanges(ctx context.Context, h *house, after string, follow, asJSON bool) error {
	for change, err := range h.Feed(ctx, after, follow) {
		switch {
		case errors.Is(err, context.Canceled):
			return nil
		case err != nil:
			return queried(err)
		}
		m.showChange(&change, asJSON)
	}
	return nil
}

// showChange writes a change on a line.
func (m *Main) showChange(c *fermata.RunChange, asJSON bool) {
	row := &c.Run
	at := time.UnixMicro(row.Updated).UTC()
	if asJSON {
		line := changeLine{Cursor: c.Cursor, Run: row.ID, Plan: row.Plan, Kind: row.Kind, Gone: c.Gone}
		if !c.Gone {
			line.Status, line.Seq, line.Waiting, line.Updated = row.Status, row.Head, row.Waiting, &at
		}
		m.writeLine(line)
		return
	}
	s, styles := m.out, m.out.Styles()
	clock, status := at.In(m.Now().Location()).Format("15:04:05.000Z07:00"), m.statusStyle(styles, row.Status).Apply(term.Pad(row.Status, 9))
	if c.Gone {
		clock, status = "", styles.Faint.Apply(term.Pad("deleted", 9))
	}
	line := styles.Faint.Apply(term.Pad(clock, 18)) + "  " + status + "  " + term.Pad(term.OneLine(row.ID), 40) + "  " + term.OneLine(row.Plan)
	if row.Waiting > 0 {
		line += "  " + term.Count(row.Waiting, "question")
	}
	s.Println(s.Fit([]string{line})...)
}
