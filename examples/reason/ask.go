package main

import (
	"cmp"
	"strings"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// Weekend is a trip that is planned.
type Weekend struct {
	Wish string `json:"wish"`
	Plan Plan   `json:"plan,omitzero"`
}

// Plan is what the model makes of the wish.
type Plan struct {
	City string   `json:"city"`
	Days []string `json:"days" jsonschema:"what to do on each day, a sentence for each"`
}

// Question is the model's question, and Choice a person's answer. Both are checked before the other side sees them.
type Question struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices" jsonschema:"two or three to choose from"`
}

// Choice is the answer to a Question.
type Choice struct {
	Choice string `json:"choice"`
}

func newAsk() *graph.Graph[Weekend] {
	return graph.Of("ask", func(ctx node.Context, w Weekend) (Weekend, error) {
		var err error
		w.Plan, err = node.Reason[Plan](ctx, node.Reasoning{
			System:    "Plan a weekend of two days. Ask before you choose a city.",
			Prompt:    w.Wish,
			Interrupt: node.AskPerson[Question, Choice](),
		})
		return w, err
	}).MustCompile()
}

func (w Weekend) String() string { return w.Plan.City + "\n  " + strings.Join(w.Plan.Days, "\n  ") }

// ask is the weekend's graph. What its model says in the end depends on the answer.
func ask() part {
	return newPart(
		"ask", newAsk(), func(text string) Weekend { return Weekend{Wish: cmp.Or(text, "Somewhere at the sea, not too far.")} },
		script{"Plan a weekend": {
			calls(call("call_1", "ask_person", `{"question":"Which of them would you like?","choices":["Porto","San Sebastián"]}`)),
			func(told string) scripted.Reply {
				if strings.Contains(told, "Porto") {
					return scripted.Reply{Text: `{"city":"Porto","days":["Along the river, to the sea.","The market, and a late train."]}`}
				}
				return scripted.Reply{Text: `{"city":"San Sebastián","days":["Around the bay, on foot.","Swim; then lunch, a long one."]}`}
			},
		}},
	)
}
