package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// Whatever plan is run, and however far: behind every whole fact of its journal the run can be forked, with an edit or
// with a question that is asked again or without, and the fork is a run like any other. Its journal folds to what its
// machine is (J1), nothing runs again that has finished (J4), and it comes to an end (F5).
func TestJ4_EveryRunCanBeForkedBehindEveryFact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t, everything)
		s := newSimulation(t, p)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if !s.step() {
				break
			}
		}
		for range rapid.IntRange(1, 3).Draw(t, "forks") {
			s.fork()
		}
		s.finish()
		if diff := copiedAnywhere(s.m.plan, s.journal); diff != "" {
			s.failf("%s", diff)
		}
	})
}

// undoneBy reports whether the run has undone something by an entry: then no fork goes on from there (law F10).
func (s *simulation) undoneBy(at int) bool {
	return slices.ContainsFunc(s.journal[:at], func(e journal.Entry) bool {
		return e.Kind == journal.NodeStarted && strings.Contains(string(e.Body), `"undo":`)
	})
}

// fork goes on with a fork of the run.
func (s *simulation) fork() {
	whole := WholeFacts(s.journal)
	at := rapid.IntRange(1, len(whole)).Draw(s.t, "at")
	for !whole[at-1] || s.undoneBy(at) {
		at--
	}
	s.say("fork at %d", at)
	was := s.journal
	s.journal, s.queue, s.finished = slices.Clone(s.journal[:at]), nil, make(map[string]bool)
	for _, e := range s.journal {
		if e.Kind == journal.NodeFinished || e.Kind == journal.NodeCached {
			s.finished[nodehost.TaskID(e.Node, int(e.Visit))] = true
		}
	}
	s.m = s.fold()
	if len(was) > at {
		s.now = max(s.now, was[at].At)
	}
	var body journal.ResumedBody
	if asked := s.answered(); len(asked) > 0 && rapid.Bool().Draw(s.t, "ask again") {
		body.Again = []string{rapid.SampledFrom(asked).Draw(s.t, "question")}
		s.say("ask %s again", body.Again[0])
	}
	if s.m.UnsettledByFork(body.Again) != "" {
		body.Again = nil
	}
	if s.m.UnsettledByFork(nil) != "" {
		s.t.Skip("a fork here would be refused")
	}
	err := s.m.Fork(s.now, body)
	if holds := s.m.Holds(); err == nil && len(holds) > 0 && rapid.Bool().Draw(s.t, "edit") {
		h := rapid.SampledFrom(holds).Draw(s.t, "value")
		of := ""
		if rapid.Bool().Draw(s.t, "only one") {
			of = h.By
		}
		if s.m.UnsettledByEdit(h.Ref, of) == "" {
			s.say("edit %d of %q", h.Ref, of)
			err = s.m.Edit(s.now, h.Ref, []byte("[0,1]"), journal.ResumedBody{Of: of})
		}
	}
	s.take(err, true)
}

// answered are the questions of open tasks that are closed.
func (s *simulation) answered() []string {
	var ids []string
	for _, t := range s.m.tasks {
		for i := range t.Ops {
			if t.Ops[i].Interrupt != "" && t.Ops[i].Done {
				ids = append(ids, t.Ops[i].Interrupt)
			}
		}
	}
	return ids
}

// A fork drops what was recorded after a question that it asks again, and what a task did with a value that it edits;
// the rest stays.
func TestJ5_WhatAForkForgets(t *testing.T) {
	ops := func() []Op {
		return []Op{
			{ID: "step:a#1", Done: true},
			{ID: "interrupt:q#1", Done: true, opQuestion: opQuestion{Interrupt: "int_1"}},
			{ID: "once:b#1", Begun: true},
		}
	}
	tests := []struct {
		name      string
		again     []string
		state     State
		want      []string
		unsettled string
	}{
		{"nothing", nil, Ready, []string{"step:a#1", "interrupt:q#1", "once:b#1"}, ""},
		{"from a question on", []string{"int_1"}, Waiting, []string{"step:a#1"}, "once:b#1"},
		{"another question", []string{"int_2"}, Waiting, []string{"step:a#1", "interrupt:q#1", "once:b#1"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			task := &Task{Ops: ops(), State: tt.state, taskWait: taskWait{WaitFor: "once:b#1", LastWait: "interrupt:q#1"}}
			unsettled := ""
			if i := task.rewind(tt.again); i >= 0 {
				unsettled = task.unsettled(i)
				(&Machine{agenda: agenda{waiting: 1}}).forget(task, i)
			}
			var left []string
			for _, op := range task.Ops {
				left = append(left, op.ID)
			}
			state := tt.state
			if len(left) == 1 {
				state = Ready
			}
			if diff := gocmp.Diff([]string{fmt.Sprint(tt.want), tt.unsettled, state.String()},
				[]string{fmt.Sprint(left), unsettled, task.State.String()}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
