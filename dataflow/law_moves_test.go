package dataflow_test

import (
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// A run goes on where its nodes are now: what is open stays open under another name, and what is finished does not run again
// (law J4), nor does what follows from it.
func TestJ8_WhatIsMovedDoesNotRunAgain(t *testing.T) {
	ask := dataflow.Interrupt[string, string]("ask", "r", "said")
	parts := func(mid, asked string) *dataflow.Graph {
		return graphOf(t, follow("first", "x", "q"), follow("mid", "q", "r").With(dataflow.Rename(mid)), ask.With(dataflow.Rename(asked)), follow("last", "said", "end"))
	}
	for _, tt := range []struct {
		name       string
		mid, asked string
		moved      map[string]string
		started    []string
	}{
		{"an open task", "mid", "new", map[string]string{"ask": "new"}, []string{"first#1", "mid#1", "ask#1", "last#1"}},
		{"a finished one", "new", "ask", map[string]string{"mid": "new"}, []string{"first#1", "mid#1", "ask#1", "last#1"}},
		{"both", "new", "then", map[string]string{"mid": "new", "ask": "then"}, []string{"first#1", "mid#1", "ask#1", "last#1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, now, id := onDisk(t), parts(tt.mid, tt.asked), ""
			d.process(t, func(rt *fermata.Runtime, _ journal.Store) {
				run := start(t, rt, parts("mid", "ask"), vals{"x": "x"})
				ends(t, run, fermata.Paused)
				id = run.ID()
			})
			d.process(t, func(rt *fermata.Runtime, store journal.Store) {
				run, err := now.Migrate(timeLimit(t), rt, id, plan.Migration{Nodes: tt.moved})
				if err != nil {
					t.Fatal(err)
				}
				same(t, "questions", 1, len(ends(t, run, fermata.Paused).Interrupts))
				if err := run.Answer(timeLimit(t), "yes"); err != nil {
					t.Fatal(err)
				}
				same(t, "outputs", vals{"q": "x first", "r": "x first mid", "said": "yes", "end": "yes last"}, ends(t, run, fermata.Completed).Outputs)
				var started []string
				for _, e := range entries(t, store, id) {
					if e.Kind == journal.NodeStarted {
						started = append(started, node.TaskID(e.Node, int(e.Visit)))
					}
				}
				same(t, "what began", tt.started, started)
			})
		})
	}
}
