package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// hit says how often a node that is cached has had its outcome from the cache.
type hit struct {
	Node  string `json:"node"`
	Hits  int    `json:"hits"`
	Tasks int    `json:"tasks"` // in all
}

// watch follows a run to its end and counts what came from the cache.
func watch(ctx context.Context, p *plan.Plan, run *dataflow.Run) ([]hit, error) {
	hits := cachedNodes(p, "")
	for ev, err := range run.Events(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if k := ev.Entry.Kind; k != journal.NodeCached && k != journal.NodeFinished {
			continue
		}
		for i := range hits {
			if hits[i].Node != node.NodeOf(ev.Entry.Node) {
				continue
			}
			hits[i].Tasks++
			if ev.Entry.Kind == journal.NodeCached {
				hits[i].Hits++
			}
		}
	}
	return hits, ctx.Err()
}

// cachedNodes are the nodes of a plan and of its subgraphs that are cached.
func cachedNodes(p *plan.Plan, path string) []hit {
	hits := []hit{}
	def := p.Definition()
	for i := range def.Nodes {
		n := &def.Nodes[i]
		if n.Cache != nil {
			hits = append(hits, hit{Node: path + n.Name})
		}
		if n.Sub != nil {
			hits = append(hits, cachedNodes(n.Sub, path+n.Name+"/")...)
		}
	}
	return hits
}

// footer says how long it took, and what came from the cache.
func footer(hits []hit, took time.Duration) string {
	var from []string
	for _, h := range hits {
		switch {
		case h.Hits == 0:
		case h.Tasks == 1:
			from = append(from, h.Node)
		default:
			from = append(from, fmt.Sprintf("%s %d of %d", h.Node, h.Hits, h.Tasks))
		}
	}
	if len(from) == 0 {
		from = []string{"nothing"}
	}
	return fmt.Sprintf("%s; from the cache: %s", took.Round(10*time.Millisecond), strings.Join(from, ", "))
}
