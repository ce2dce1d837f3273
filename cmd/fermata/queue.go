package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

// turnFlags say which worker takes a run, and when (laws J16 and J17).
type turnFlags struct {
	queue     string
	priority  int
	notBefore string
	dedup     string
}

func (f *turnFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.queue, "queue", "", "with --detach: the `queue` whose workers take the run (default the recipe's, else \"default\")")
	flags.IntVar(&f.priority, "priority", 0, "with --detach: workers take runs with a higher `number` first")
	flags.StringVar(&f.notBefore, "not-before", "", "with --detach: when a worker takes the run at the earliest: a `time` from now (10m, 3d), or a time (2026-12-24T08:00:00Z)")
	flags.StringVar(&f.dedup, "dedup", "", "the run holds this `key` until it ends; another open run with it is a conflict")
}

// options are those of a start.
func (f *turnFlags) options(m *Main, detach bool) (opts []fermata.StartOption, err error) {
	for flag, given := range map[string]bool{"--queue": f.queue != "", "--priority": f.priority != 0, "--not-before": f.notBefore != ""} {
		if given && !detach {
			return nil, usagef("%s: expected --detach with it: it is for the workers that take the run", flag)
		}
	}
	if f.queue != "" {
		opts = append(opts, fermata.InQueue(f.queue))
	}
	if f.priority != 0 {
		opts = append(opts, fermata.Priority(f.priority))
	}
	if f.dedup != "" {
		opts = append(opts, fermata.Dedup(f.dedup))
	}
	if f.notBefore != "" {
		wait, at, err := momentOf("--not-before", f.notBefore)
		if err != nil {
			return nil, err
		}
		if wait > 0 {
			at = m.Now().Add(wait)
		}
		opts = append(opts, fermata.NotBefore(at))
	}
	return opts, nil
}

// turnNote says what a run without an owner waits for before a worker takes it; "" for nothing that is known.
func (m *Main) turnNote(r *fermata.RunInfo) string {
	switch {
	case r.Driver != "" || r.Error != "" || !r.Wanted():
		return ""
	case r.NotBefore > m.Now().UnixMicro():
		return "not before " + term.Moment(time.UnixMicro(r.NotBefore), m.Now()) + queueNote(r)
	case r.Queue != "":
		return fmt.Sprintf("waits for a worker of queue %s", term.OneLine(r.Queue))
	}
	return ""
}

func queueNote(r *fermata.RunInfo) string {
	if r.Queue == "" {
		return ""
	}
	return ", in queue " + term.OneLine(r.Queue)
}
