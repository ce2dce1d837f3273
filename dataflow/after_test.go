package dataflow_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// hypernodes' emit and wait_for: a node follows another one whose values it does not read.
func TestD5_ANodeRunsAfterOthersWithoutTheirValues(t *testing.T) {
	first := says("first", "a")
	inner := graphOf(t, says("in", "b")).As("inner")
	for name, parts := range map[string][]dataflow.Part{
		"by its name":            {says("last", "z").With(dataflow.After("first")), first},
		"by itself":              {says("last", "z").With(dataflow.After(first)), first},
		"after a graph":          {says("last", "z").With(dataflow.After("inner")), inner},
		"after several":          {says("last", "z").With(dataflow.After("first"), dataflow.After("inner")), inner, first},
		"after one of no output": {says("last", "z").With(dataflow.After("quiet")), dataflow.Node("quiet", func(node.Context, none) (none, error) { return none{}, nil })},
		"where it is selected":   {says("last", "z").With(dataflow.After(first)), first, dataflow.Select("z")},
	} {
		g := graphOf(t, parts...)
		out, visited, _ := outcome(t, g, vals{})
		if len(visited) < 2 || !strings.HasPrefix(visited[len(visited)-1], "last#1 after ") {
			t.Errorf("%s: it went %v, want last#1 at the end", name, visited)
		}
		if out["z"] != "last" || evaluated(t, g, vals{})["z"] != "last" {
			t.Errorf("%s: z is %v", name, out["z"])
		}
		for _, hidden := range []string{"after first", "after inner"} {
			if _, is := out[hidden]; is {
				t.Errorf("%s: %q is a result", name, hidden)
			}
		}
		if d := g.Describe(); len(d.Inputs) > 0 || slices.ContainsFunc(d.Outputs, func(v dataflow.Value) bool { return v.Name == "after first" }) {
			t.Errorf("%s: it reads %v and brings %v", name, d.Inputs, d.Outputs)
		}
	}
}

// It is skipped with the node that it follows (law D9), runs in each round of it, and an entry behind it needs it no more (law D10).
func TestD9_WhatFollowsASkippedNodeIsSkipped(t *testing.T) {
	type pick struct{ Pick string }
	gate := dataflow.Route("gate", func(_ node.Context, in pick) (string, error) { return in.Pick, nil }, "a", "b")
	g := graphOf(t, gate, says("a", "x"), says("b", "y"), says("last", "z").With(dataflow.After("a")))
	if out, _, _ := outcome(t, g, vals{"pick": "b"}); out["z"] != nil || out["y"] != "b" {
		t.Errorf("where a is skipped it brings %v", out)
	}
	if out, _, _ := outcome(t, g, vals{"pick": "a"}); out["z"] != "last" {
		t.Errorf("where a is chosen it brings %v", out)
	}
	behind, err := graphOf(t, says("a", "x"), says("last", "z").With(dataflow.After("a"))).Entry("last")
	if err != nil {
		t.Fatal(err)
	}
	if _, visited, _ := outcome(t, behind, vals{}); !slices.Equal(visited, []string{"last#1"}) {
		t.Errorf("behind the entry it went %v", visited)
	}
	loop := append(refine(3), says("log", "logged").With(dataflow.After("generate")))
	_, visited, _ := outcome(t, graphOf(t, loop...), vals{"prompt": "p"})
	if !slices.Contains(visited, "log#2 after generate<generate#2") {
		t.Errorf("in a loop it went %v", visited)
	}
}

// An order is part of the plan: a run in which the node before has run without it is refused, and stays as it is (law J8).
func TestJ8_AnOrderIsPartOfThePlan(t *testing.T) {
	ask := dataflow.Interrupt[string, string]("ask", "a", "reply")
	before := graphOf(t, says("first", "a"), ask, unary("last", "reply", "z", func(s string) string { return s }))
	after := graphOf(t, says("first", "a"), ask, unary("last", "reply", "z", func(s string) string { return s }, dataflow.After("first")))
	rt, _ := inMemory(t)
	run := start(t, rt, before, vals{})
	res := ends(t, run, fermata.Paused)
	if err := run.Stop(0); err != nil {
		t.Fatal(err)
	}
	_, err := rt.Replan(t.Context(), run.ID(), after.Plan(), "a new order")
	if !errors.Is(err, fermata.ErrPlanChanged) || !strings.Contains(err.Error(), `node last reads "after first", and node first finished without it`) {
		t.Errorf("the new order: %v", err)
	}
	if err := rt.Answer(t.Context(), res.Interrupts[0].ID, "yes"); err != nil {
		t.Fatal(err)
	}
	if out := ends(t, resume(t, rt, before, run.ID()), fermata.Completed).Outputs; out["z"] != "yes" {
		t.Errorf("without it: %v", out)
	}
}

// What cannot be followed is refused, with the nearest name.
func TestD1_AnOrderIsChecked(t *testing.T) {
	for want, parts := range map[string][]dataflow.Part{
		`it runs after "frist", and there is no such node; did you mean "first"?`: {says("first", "a"), says("last", "z").With(dataflow.After("frist"))},
		`it runs after itself`: {says("last", "z").With(dataflow.After("last"))},
		`it runs after "gate", which is a gate; let the gate choose it, or name the node that the gate follows`: {
			told("gate", "last", dataflow.End), says("last", "z").With(dataflow.After("gate")),
		},
		`it runs after "first" twice; once is enough`: {says("first", "a"), says("last", "z").With(dataflow.After("first", "first"))},
		`After names no node`:                         {says("last", "z").With(dataflow.After[string]())},
	} {
		found := problemsOf(t, parts...)
		if found[0].Message != want || found[0].Node != "last" {
			t.Errorf("it says %q of %s, want %q", found[0].Message, found[0].Node, want)
		}
	}
	found := problemsOf(t, says("a", "x").With(dataflow.After("b")), says("b", "y").With(dataflow.After("a")))
	if found[0].Code != plan.NoHead && found[0].Code != plan.Endless {
		t.Errorf("a circle is %+v", found)
	}
}
