package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/taken"
	"github.com/fermata-go/fermata/plan"
)

var graphFormats = []string{"text", "mermaid", "dot", "svg", "json"}

func (m *Main) graphCommand() *cobra.Command {
	var format, agents, run string
	c := &cobra.Command{
		Use:   "graph FILE",
		Short: "Draw a recipe or a dialogue, or the path that a run took through it",
		Long: "Draw a recipe or a dialogue. With --run instead of FILE it draws the recipe of the run, with the status of each node; in an " +
			"SVG the edges that were taken are thick and show how often.",
		Example: `fermata graph examples/release
fermata graph refund.yaml --format svg > refund.svg
fermata graph --run run_01939f2e --format svg > path.svg`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			if err := knownFormat(format); err != nil {
				return err
			}
			if run != "" {
				if len(args) > 0 {
					return usagef("--run draws the recipe that the run has: expected no FILE beside it, found %q", args[0])
				}
				return m.withRun(c.Context(), run, func(ctx context.Context, h *house, info fermata.RunInfo) error {
					return m.graphRun(ctx, h, info, format, agents)
				})
			}
			if len(args) == 0 {
				return m.needFile("graph")
			}
			return m.graph(args[0], format, agents)
		},
	}
	c.Flags().StringVar(&format, "format", "text", "a `format`: text, mermaid, dot, svg or json")
	c.Flags().StringVar(&run, "run", "", "draw the path that a `run` took")
	_ = c.RegisterFlagCompletionFunc("run", m.completeRuns)
	c.Flags().StringVar(&agents, "agents", "", "a `file` with agents that the recipe names")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(graphFormats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (m *Main) graph(file, format, agents string) error {
	r, err := m.load(file, agents)
	if err != nil && filepath.Ext(file) == "" && !strings.Contains(err.Error(), "did you mean") {
		if _, absent := os.Stat(file); absent != nil {
			return &exit{exitOf(err), fmt.Errorf("%w; of a run: %s", err, m.command("graph", "--run", file))}
		}
	}
	if err != nil {
		return err
	}
	return m.draw(plan.Drawing{Plan: r.Plan()}, format)
}

func knownFormat(format string) error {
	if slices.Contains(graphFormats, format) {
		return nil
	}
	return usagef("--format %q: expected %s%s", format, strings.Join(graphFormats, ", "), nearest.Hint(format, graphFormats))
}

// draw shows a drawing in one of the graphFormats.
func (m *Main) draw(d plan.Drawing, format string) error {
	var text string
	switch format {
	case "text":
		if d.Width = 80; m.out.TTY {
			d.Width = m.out.Width()
		}
		text = d.Text()
	case "mermaid":
		text = d.Mermaid()
	case "dot":
		text = d.DOT()
	case "svg":
		text = d.SVG()
	default:
		data, err := d.Plan.JSON()
		if err != nil {
			return err
		}
		text = string(data)
	}
	m.out.Println(strings.Split(strings.TrimRight(text, "\n"), "\n")...)
	return nil
}

// graphRun draws the recipe of a run with the path that it took.
func (m *Main) graphRun(ctx context.Context, h *house, info fermata.RunInfo, format, agents string) error {
	r, err := m.definition(ctx, h, info, "", agents)
	if err != nil {
		return err
	}
	path := taken.New(r.Plan())
	for e, err := range h.Events(ctx, info.ID, 0, false) {
		if err != nil {
			return err
		}
		if err := path.See(&e.Entry); err != nil {
			return err
		}
	}
	return m.draw(path.Drawing(), format)
}
