package machine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Whatever plan is run, and however far: on a plan in which every node has another name the run goes on, by a
// migration that says so, and its journal folds to what its machine is (J1 and J8). It fits that plan in no other way,
// when anything is open. Where there were branches or items it may not fit: how those belong together is told by the names.
func TestJ8_EveryRunCanMoveToOtherNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := everything
		of.fork = rapid.Bool().Draw(t, "branches")
		p := drawPlan(t, of)
		s := newSimulation(t, p)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if !s.step() {
				break
			}
		}
		defer func() {
			if r := recover(); r != nil {
				s.failf("%v", r)
			}
		}()
		q := renamed(t, p)
		nodes := make(map[string]string)
		for i := range p.Flat() {
			nodes[p.Flat()[i].Path] = q.Flat()[i].Path
		}
		s.say("migrate %s", outline(q))
		s.journal = slices.Clip(s.journal)
		m := New(q)
		for i := range s.journal {
			if err := m.Apply(&s.journal[i]); err != nil {
				s.failf("what happened on the old plan is damage on the new one: %v", err)
			}
		}
		if m.over() {
			return
		}
		before := m.dump()
		if open := len(m.tasks) + len(m.tokens); (m.Fits() == "") != (open == 0) {
			s.failf("%d tasks and tokens, and it fits: %q", open, m.Fits())
		}
		if fits := m.FitsAfter(nodes); fits != "" {
			if !of.fork {
				s.failf("it does not fit after the migration: %s", fits)
			}
			return
		}
		if m.dump() != before {
			s.failf("looking whether it fits has changed it")
		}
		s.m, s.queue = m, nil
		s.take(m.Resume(s.now, journal.ResumedBody{Reason: ReasonReplan, Fingerprint: q.Fingerprint(), Nodes: nodes}), true)
		s.finish()
		if diff := copiedAnywhere(s.m.plan, s.journal); diff != "" {
			s.failf("%s", diff)
		}
	})
}

// renamed is a plan in which all nodes have other names.
func renamed(t *rapid.T, p *plan.Plan) *plan.Plan {
	def := p.Definition()
	name := func(old string) string {
		if old == node.End || old == node.Stop {
			return old
		}
		return "new" + old
	}
	def.Entry = slices.Clone(def.Entry)
	for i := range def.Entry {
		def.Entry[i] = name(def.Entry[i])
	}
	def.Nodes, def.Edges = slices.Clone(def.Nodes), slices.Clone(def.Edges)
	for i := range def.Nodes {
		n := &def.Nodes[i]
		if n.Name = name(n.Name); n.Sub != nil {
			n.Sub = renamed(t, n.Sub)
		}
	}
	for i := range def.Edges {
		def.Edges[i].From, def.Edges[i].To = name(def.Edges[i].From), name(def.Edges[i].To)
	}
	q, err := plan.New(def)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
