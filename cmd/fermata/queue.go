package main

import (
	"fmt"
	"strings"
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
	debounce  string
	most      time.Duration
}

func (f *turnFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.queue, "queue", "", "with --detach: the `queue` whose workers take the run (default the recipe's, else \"default\")")
	flags.IntVar(&f.priority, "priority", 0, "with --detach: workers take runs with a higher `number` first")
	flags.StringVar(&f.notBefore, "not-before", "", "with --detach: when a worker takes the run at the earliest: a `time` from now (10m, 3d), or a time (2026-12-24T08:00:00Z)")
	flags.StringVar(&f.dedup, "dedup", "", "the run holds this `key` until it ends; another open run with it is a conflict")
	flags.StringVar(&f.debounce, "debounce", "", "with --detach: of starts with one key, the last one's input begins, a time after it: `KEY=30s`")
	flags.DurationVar(&f.most, "debounce-most", 0, "with --debounce: the run begins this `time` after the first start at the latest (default no limit)")
}

// options are those of a start.
func (f *turnFlags) options(m *Main, detach bool) (opts []fermata.StartOption, err error) {
	for flag, given := range map[string]bool{"--queue": f.queue != "", "--priority": f.priority != 0, "--not-before": f.notBefore != "", "--debounce": f.debounce != ""} {
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
	switch {
	case f.debounce != "":
		at := strings.LastIndexByte(f.debounce, '=')
		wait, err := time.ParseDuration(f.debounce[at+1:])
		if at < 1 || err != nil {
			return nil, usagef("--debounce: expected KEY=TIME, such as customer-7=30s, found %q", f.debounce)
		}
		opts = append(opts, fermata.Debounce(f.debounce[:at], wait, f.most))
	case f.most != 0:
		return nil, usagef("--debounce-most: expected --debounce with it")
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
