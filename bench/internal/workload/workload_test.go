package workload_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/bench/internal/workload"
)

// The figures that the definitions give.
func TestTheSizesAreThoseOfTheDefinitions(t *testing.T) {
	type sizes struct {
		Message       []int // of the wide messages, bytes of compact JSON
		Query, Result int
		Messages      int
		Nodes         int
		Subject       int
		Rounds        int
	}
	var got sizes
	for _, w := range workload.WideSizes() {
		data, err := json.Marshal(w.Input().Messages[0])
		if err != nil {
			t.Fatal(err)
		}
		got.Message = append(got.Message, len(data))
	}
	s := workload.NewScript(10)
	a := s.React(s.Begin())
	got.Query, got.Result = len(a.Messages[1].Content), len(a.Messages[2].Content)
	got.Messages, got.Nodes = len(a.Messages), s.Nodes()
	got.Subject, got.Rounds = len(workload.NewTopics(1).Subjects[0]), workload.ChildRounds
	want := sizes{
		Message: []int{7826, 4696, 2836}, Query: 3600, Result: 36180, Messages: 22, Nodes: 21, Subject: 1000, Rounds: 12,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Both floors of a workload do the same.
func TestTheFloorsAgree(t *testing.T) {
	one, two := workload.FanOut(workload.NewTopics(10)), workload.FanOutAtOnce(workload.NewTopics(10))
	if diff := cmp.Diff(one, two); diff != "" {
		t.Error(diff)
	}
	if wrong := two.Check(); wrong != "" {
		t.Error(wrong)
	}
	for _, w := range workload.WideSizes() {
		for _, got := range []workload.Wide{w.RunAtOnce(w.Nodes(), w.Input()), w.RunIsolated(w.Nodes(), w.Input())} {
			if wrong := w.Check(got); wrong != "" {
				t.Errorf("%s: %s", w.Name, wrong)
			}
		}
		visited := 0
		for s, n := w.Input(), w.Nodes(); !w.Done(s); visited += 6 {
			s = n.Six(n.Five(n.Four(n.Three(n.Two(n.One(s))))))
		}
		if visited != w.Visits() {
			t.Errorf("%s visits %d nodes, Visits says %d", w.Name, visited, w.Visits())
		}
	}
	s := workload.NewScript(100)
	if wrong := s.Check(s.React(s.Begin())); wrong != "" {
		t.Error(wrong)
	}
}
