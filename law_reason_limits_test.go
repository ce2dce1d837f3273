package fermata_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// reasoning is a graph of one node that reasons about a trip.
func reasoning(r node.Reasoning, opts ...graph.NodeOption) *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		got, err := node.Reason[trip](ctx, r)
		s.Text, s.N = got.City, got.Days
		return s, err
	}, opts...)
}

// Each limit of a reasoning is a failure that names it, and no attempt comes after it.
func TestF4_LimitsOfReasoning(t *testing.T) {
	d := newDesk()
	weather := d.tool(t, "weather")
	busy := make([]scripted.Reply, 30)
	for i := range busy {
		busy[i] = wants("weather", fmt.Sprintf(`{"city":"%d"}`, i))
	}
	priced := model.Priced(newTalk(map[string][]scripted.Reply{"plan": busy}), cents())
	unpriced := newTalk(map[string][]scripted.Reply{"plan": busy})
	none := make([]scripted.Reply, len(busy))
	for i := range none {
		none[i] = busy[i]
		none[i].Usage = &model.Usage{}
	}
	uncounted := newTalk(map[string][]scripted.Reply{"plan": none})
	tests := map[string]struct {
		limits node.Limits
		m      model.Model
		want   node.LimitError
	}{
		"turns by default": {node.Limits{}, priced, node.LimitError{Limit: "turns", Max: "20"}},
		"turns":            {node.Limits{Turns: 3}, priced, node.LimitError{Limit: "turns", Max: "3"}},
		"tokens":           {node.Limits{Tokens: 10}, priced, node.LimitError{Limit: "tokens", Max: "10"}},
		"tokens that nobody counts": {node.Limits{Tokens: 99}, uncounted, node.LimitError{
			Limit: "tokens", Max: "99", Reason: "the model does not say how many it takes",
		}},
		"cost": {node.Limits{Cost: model.Dollars(0.25)}, priced, node.LimitError{Limit: "cost", Max: "$0.25"}},
		"a cost that nobody knows": {node.Limits{Cost: model.Dollars(99)}, unpriced, node.LimitError{
			Limit: "cost", Max: "$99", Reason: "the model does not say what it costs; give it prices (model.Priced)",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rt, store := withModels(t, tt.m)
			r := node.Reasoning{Prompt: "plan a trip", Tools: []node.Tool{weather}, Limits: tt.limits}
			run := start(t, rt, reasoning(r, graph.Retry(3, 0)), state{})
			res := ends(t, run, fermata.Failed)
			refused(t, res.Err, refusal{fermata.CodeLimit, fermata.ErrLimit})
			stored, err := newRuntime(t, fermata.Options{Store: store}).Result(t.Context(), run.ID(), nil)
			if err != nil {
				t.Fatal(err)
			}
			refused(t, stored.Err, refusal{fermata.CodeLimit, fermata.ErrLimit}) // the journal alone says so, too
			var limit *node.LimitError
			if !errors.As(res.Err, &limit) || !errors.Is(res.Err, fermata.ErrLimit) {
				t.Fatalf("the error is %v", res.Err)
			}
			if diff := cmp.Diff(tt.want, *limit); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A reply that was cut off, and one that was refused, are errors of their own. They are no answers, and are not repaired.
func TestF1_RepliesThatAreCutOffOrRefused(t *testing.T) {
	m := newTalk(map[string][]scripted.Reply{
		"cut":     {{Text: `{"city":"Rome","da`, Finish: model.FinishTruncated}},
		"refused": {{Text: "I would rather not.", Finish: model.FinishRefused}},
	})
	rt, _ := withModels(t, model.Model(m))
	for topic, kind := range map[string]error{"cut": model.ErrTruncated, "refused": model.ErrRefused} {
		res := ends(t, start(t, rt, reasoning(node.Reasoning{Prompt: topic + " it"}), state{}), fermata.Failed)
		if !errors.Is(res.Err, kind) || errors.Is(res.Err, node.ErrOutput) {
			t.Errorf("%s: %v", topic, res.Err)
		}
	}
	if diff := cmp.Diff(map[string]int{"cut 1": 1, "refused 1": 1}, m.counts()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// Where a person has to be asked, an answer without that is none: the model is told, and offered nothing else.
func TestN1_APersonHasToBeAsked(t *testing.T) {
	must := *mayAsk
	must.Required = true
	m := newTalk(map[string][]scripted.Reply{"plan": {
		replies(`{"city":"Rome","days":3}`),
		wants("ask_person", `{"question":"Rome?","choices":["yes"]}`),
		replies(`{"city":"Rome","days":4}`),
	}})
	rt, _ := withModels(t, model.Model(m))
	run := start(t, rt, reasoning(node.Reasoning{Prompt: "plan a trip", Interrupt: &must, Tools: []node.Tool{newDesk().tool(t, "weather")}}), state{})
	answer(t, rt, question(t, run).ID, chosen{"yes"})
	if res := ends(t, run, fermata.Completed); res.State.N != 4 {
		t.Errorf("the result is %+v", res.State)
	}
	second := m.last["plan 2"]
	if len(second.Tools) != 1 || second.ToolChoice != model.ToolAny || !strings.Contains(second.Prompt(), "you have to ask") {
		t.Errorf("it was asked %+v", second)
	}
	if third := m.last["plan 3"]; len(third.Tools) != 2 || third.ToolChoice != model.ToolAuto {
		t.Errorf("then it was asked %+v", third)
	}
}

// A deadline of a question is that of any: its default goes to the model.
func TestH4_TheModelIsToldTheDefault(t *testing.T) {
	ask := node.AskPerson[choice, chosen](node.Within(time.Hour), node.OrDefault(chosen{"nobody"}), node.Role("guide"))
	m := newTalk(map[string][]scripted.Reply{"plan": {
		wants("ask_person", `{"question":"Rome?","choices":["yes"]}`), replies(`{"city":"Rome","days":4}`),
	}})
	clock := newClock()
	rt := newRuntime(t, fermata.Options{Clock: clock, Services: []any{model.Model(m)}})
	run := start(t, rt, reasoning(node.Reasoning{Prompt: "plan a trip", Interrupt: ask}), state{})
	if q := question(t, run); q.Role != "guide" || q.RequestSchemaID != "choice" || q.ResponseSchemaID != "chosen" {
		t.Errorf("the question is %+v", q)
	}
	clock.Advance(time.Hour)
	ends(t, run, fermata.Completed)
	last := m.last["plan 2"].Messages[2].Parts[0].Result
	if last.Text != `{"choice":"nobody"}` {
		t.Errorf("the model was told %q", last.Text)
	}
}

// What a reasoning cannot be made of is an error before a model is asked.
func TestN8_ReasoningsThatCannotBegin(t *testing.T) {
	m := newTalk(nil)
	rt, _ := withModels(t, model.Model(m))
	weather := newDesk().tool(t, "weather")
	odd := weather
	odd.Name = "what a name"
	deaf := node.Tool{Name: "deaf"}
	tests := map[string]node.Reasoning{
		"there is nothing to ask: expected a Prompt or Messages":                                    {},
		`the stream is "all"; expected patch, snapshot or nothing`:                                  {Prompt: "?", Stream: "all"},
		`the limits are -1 turns, 0 tokens and $0: expected nothing below 0`:                        {Prompt: "?", Limits: node.Limits{Turns: -1}},
		`two tools are called "weather"`:                                                            {Prompt: "?", Tools: []node.Tool{weather, weather}},
		`two tools are called "ask"`:                                                                {Prompt: "?", Tools: []node.Tool{{Name: "ask"}}, Interrupt: &node.Asking{Name: "ask"}},
		`the name of tool "what a name": expected letters, digits, '_' and '-', at most 64 of them`: {Prompt: "?", Tools: []node.Tool{odd}},
		`tool "deaf" has no function to call`:                                                       {Prompt: "?", Tools: []node.Tool{deaf}},
		`none is called "carefull"; the set has careful, fast; did you mean "careful"?`:             {Prompt: "?", Model: "carefull"},
	}
	rt2, _ := withModels(t, model.Set{"careful": m, "fast": m})
	for want, r := range tests {
		use := rt
		if r.Model != "" {
			use = rt2
		}
		res := ends(t, start(t, use, reasoning(r), state{}), fermata.Failed)
		if res.Err == nil || !strings.Contains(res.Err.Error(), want) {
			t.Errorf("the error is %v, want %s", res.Err, want)
		}
	}
	if len(m.counts()) > 0 {
		t.Errorf("the model was asked %v", m.counts())
	}
}
