package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/plan"
)

var graphFormats = []string{"text", "mermaid", "dot", "json"}

func (m *Main) graphCommand() *cobra.Command {
	var format, agents string
	c := &cobra.Command{
		Use:     "graph FILE",
		Short:   "Draw a recipe",
		Example: "fermata graph examples/release\nfermata graph refund.yaml --format mermaid",
		Args:    atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return m.needFile("graph")
			}
			return m.graph(args[0], format, agents)
		},
	}
	c.Flags().StringVar(&format, "format", "text", "a `format`: text, mermaid, dot or json")
	c.Flags().StringVar(&agents, "agents", "", "a `file` with agents that the recipe names")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(graphFormats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (m *Main) graph(file, format, agents string) error {
	var draw func(p *plan.Plan) (string, error)
	switch format {
	case "text":
		width := 80
		if m.out.TTY {
			width = m.out.Width()
		}
		draw = func(p *plan.Plan) (string, error) { return plan.Drawing{Plan: p, Width: width}.Text(), nil }
	case "mermaid":
		draw = func(p *plan.Plan) (string, error) { return p.Mermaid(), nil }
	case "dot":
		draw = func(p *plan.Plan) (string, error) { return p.DOT(), nil }
	case "json":
		draw = func(p *plan.Plan) (string, error) {
			data, err := p.JSON()
			return string(data), err
		}
	default:
		return usagef("--format %q: expected %s%s", format, strings.Join(graphFormats, ", "), nearest.Hint(format, graphFormats))
	}
	r, err := m.loadRecipe(file, agents)
	if err != nil {
		return err
	}
	text, err := draw(r.Plan())
	if err != nil {
		return err
	}
	m.out.Println(strings.TrimRight(text, "\n"))
	return nil
}
