package dataflow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/node"
)

// conversation is a loop of which several nodes read what one of them accumulates.
func conversation(t testing.TB) *dataflow.Graph {
	type heard struct{ Messages []string }
	type asked struct {
		Messages []string
		Question string
	}
	type said struct {
		Messages         []string
		Question, Answer string
	}
	ask := dataflow.Func("ask", "question", func(_ node.Context, in heard) (string, error) {
		return fmt.Sprintf("q%d", len(in.Messages)), nil
	})
	answer := dataflow.Func("answer", "answer", func(_ node.Context, in asked) (string, error) {
		return fmt.Sprintf("%s after %d", in.Question, len(in.Messages)), nil
	})
	remember := dataflow.Func("remember", "messages", func(_ node.Context, in said) ([]string, error) {
		return append(in.Messages, in.Question+"="+in.Answer), nil
	})
	over := dataflow.Branch("over", func(_ node.Context, in heard) (bool, error) { return len(in.Messages) >= 4, nil }, dataflow.End, ask)
	return graphOf(t, ask, answer, remember, over)
}

// In a loop without a gate of its own, what is accumulated is read, and not waited for, by the nodes that its writer follows
// from: by "answer" as by "remember".
func TestD2_WhatIsAccumulatedIsReadByThoseBefore(t *testing.T) {
	g := conversation(t)
	outputs, visited, _ := outcome(t, g, vals{"messages": []string{"hi"}})
	same(t, "messages", "hi|q1=q1 after 1|q2=q2 after 2|q3=q3 after 3", strings.Join(outputs["messages"].([]string), "|"))
	same(t, "visits", 12, len(visited))
	same(t, "head", "ask", g.Describe().Loops[0].Head)
	input := func() any { return g.MustInput(vals{"messages": []string{"hi"}}) }
	fermatatest.Crash(t, g.Plan(), input)
	fermatatest.Schedules(t, g.Plan(), input)
}

// A gate that leads nowhere back makes no loop of what is accumulated behind it: it goes through once.
func TestD2_WhatIsAccumulatedMakesNoLoopByItself(t *testing.T) {
	find := unary("find", "log", "found", func(log []string) int { return len(log) })
	more := dataflow.Branch("more", func(_ node.Context, in struct{ Found int }) (bool, error) { return in.Found < 2, nil }, "note", dataflow.End)
	note := dataflow.Func("note", "log", func(_ node.Context, in struct {
		Log   []string
		Found int
	},
	) ([]string, error) {
		return append(in.Log, fmt.Sprint(in.Found)), nil
	})
	g := graphOf(t, find, more, note)
	same(t, "added to", vals{"found": 1, "log": []string{"a", "1"}}, evaluated(t, g, vals{"log": []string{"a"}}))
	same(t, "left", vals{"found": 2, "log": []string{"a", "b"}}, evaluated(t, g, vals{"log": []string{"a", "b"}}))
}

// A loop that no choice leaves is refused; one whose gate is chosen itself is left when it is not.
func TestG7_ALoopHasAWayOut(t *testing.T) {
	told := func(name string, targets ...string) *dataflow.NodeDef {
		return dataflow.Route(name, func(_ node.Context, in struct{ A string }) (string, error) {
			if len(in.A) > 8 {
				return dataflow.End, nil
			}
			return targets[0], nil
		}, targets...)
	}
	a := dataflow.Func("a", "a", func(_ node.Context, in struct {
		X string
		A string `json:"a,omitempty"`
	},
	) (string, error) {
		return in.A + in.X, nil
	})
	same(t, "problem", `dataflow "test":
  node "a": the loop "a" -> "round" -> "a" never ends: gate "round" can choose nothing but another round; let it choose END, too`,
		refusedGraph(t, a, told("round", "a")).Error())
	same(t, "outputs", vals{"a": "xxxxxxxxx"}, evaluated(t, graphOf(t, a, told("more", "round", dataflow.End), told("round", "a")), vals{"x": "x"}))
}
