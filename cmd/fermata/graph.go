package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
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
	w := wayTaken{plan: r.Plan(), taken: make(map[string]string), went: make(map[plan.Way]int), chose: make(map[string]int), done: make(map[string]int)}
	for e, err := range h.Events(ctx, info.ID, 0, false) {
		if err != nil {
			return err
		}
		if err := w.see(&e.Entry); err != nil {
			return err
		}
	}
	w.plain(w.plan, "")
	return m.draw(plan.Drawing{Plan: w.plan, Taken: w.taken, Went: w.went}, format)
}

// wayTaken is the path that a run took through its plan, by the paths of nodes; items of a map are one.
type wayTaken struct {
	plan  *plan.Plan
	taken map[string]string
	went  map[plan.Way]int
	done  map[string]int // how often a node has finished
	chose map[string]int // how often it has left by a route
}

// item is what sets an item of a map apart in the path of a node: "each#1.2/send".
var item = regexp.MustCompile(`#\d+(\.\d+)?`)

func (w *wayTaken) see(e *journal.Entry) error {
	if e.Kind == journal.RunResumed {
		var body journal.ResumedBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return err
		}
		moves := plan.Migration{Nodes: body.Nodes}
		for old, status := range w.taken {
			if now := moves.Path(old); now != old {
				delete(w.taken, old)
				w.taken[now] = status
			}
		}
	}
	path := item.ReplaceAllString(e.Node, "")
	if path == "" {
		return nil
	}
	switch e.Kind {
	case journal.NodeStarted, journal.TimerFired, journal.InterruptResolved:
		w.taken[path] = "running"
	case journal.NodeSuspended:
		w.taken[path] = "paused"
	case journal.NodeFinished, journal.NodeCached:
		w.taken[path] = "completed"
		w.done[path]++
	case journal.NodeFailed:
		w.taken[path] = "failed"
	case journal.NodeSkipped:
		w.taken[path] = "skipped"
	case journal.RouteTaken:
		return w.routed(path, e)
	default:
	}
	return nil
}

func (w *wayTaken) routed(path string, e *journal.Entry) error {
	var body journal.RouteBody
	if len(e.Body) > 0 {
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return err
		}
	}
	to := body.To
	if len(to) == 0 {
		to = []string{e.To}
	}
	if body.Of > 0 || e.Flags&journal.FlagItem != 0 {
		return nil
	}
	if e.Flags&journal.FlagExpired != 0 {
		w.taken[path] = "expired"
	}
	w.chose[path]++
	for _, name := range to {
		w.went[plan.Way{From: path, To: item.ReplaceAllString(name, "")}]++
	}
	return nil
}

// plain adds the edges that no entry tells of: those that follow whenever a node has finished.
func (w *wayTaken) plain(p *plan.Plan, prefix string) {
	def := p.Definition()
	for _, name := range def.Entry {
		if w.taken[prefix+name] != "" {
			w.went[plan.Way{From: prefix, To: prefix + name}] = 1
		}
	}
	goesOn := make(map[string]bool)
	for _, e := range def.Edges {
		goesOn[e.From] = goesOn[e.From] || e.Kind == plan.Plain || e.Kind == plan.Choice
		if n := w.done[prefix+e.From] - w.chose[prefix+e.From]; e.Kind == plan.Plain && n > 0 {
			to := prefix + e.To
			if e.To == node.End || e.To == node.Stop {
				to = e.To
			}
			w.went[plan.Way{From: prefix + e.From, To: to}] += n
		}
	}
	for i := range def.Nodes {
		path := prefix + def.Nodes[i].Name
		if !goesOn[def.Nodes[i].Name] && w.done[path] > w.chose[path] {
			w.went[plan.Way{From: path, To: node.End}] = w.done[path] - w.chose[path]
		}
		if sub := def.Nodes[i].Sub; sub != nil {
			w.plain(sub, path+"/")
		}
	}
}
