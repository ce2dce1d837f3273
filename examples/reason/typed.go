package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// Mail is what the graph carries: an e-mail, and the meeting in it.
type Mail struct {
	Text    string  `json:"text"`
	Meeting Meeting `json:"meeting,omitzero"`
}

// Meeting is what the model is to find. Its schema is made of the fields and their tags: the model is told it, and what
// the model says is held against it.
type Meeting struct {
	Title  string   `json:"title" jsonschema:"in at most five words"`
	Kind   string   `json:"kind" enum:"planning,review,social"`
	Start  string   `json:"start" jsonschema:"date and time, like 2026-03-31 14:00"`
	People []Person `json:"people"`
}

// Person is one of the guests.
type Person struct {
	Name string `json:"name"`
	Must bool   `json:"must" jsonschema:"whether they have to be there"`
}

func newTyped() *graph.Graph[Mail] {
	return graph.Of("typed", func(ctx node.Context, m Mail) (Mail, error) {
		var err error
		m.Meeting, err = node.Reason[Meeting](ctx, node.Reasoning{
			System: "Take the meeting out of the e-mail.",
			Prompt: m.Text,
		})
		return m, err
	}).MustCompile()
}

func (m Mail) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s), %s", m.Meeting.Title, m.Meeting.Kind, m.Meeting.Start)
	for _, p := range m.Meeting.People {
		fmt.Fprintf(&b, "\n  %s", p.Name)
		if p.Must {
			b.WriteString(", has to come")
		}
	}
	return b.String()
}

// typed is the e-mail's graph. What its model says first has a mistake: it is shown what is wrong, and says it again.
func typed() part {
	return newPart(
		"typed", newTyped(), func(text string) Mail {
			return Mail{Text: cmp.Or(text, "Hi Kay, can we go through the plan for spring on 3 March at ten? Bo must be there; Ann if she likes. Ida")}
		},
		script{"Take the meeting": {
			says(`{"title":"Plan for spring","kind":"kick-off","start":"2026-03-03 10:00","people":[]}`),
			says(`{"title":"Plan for spring","kind":"planning","start":"2026-03-03 10:00",` +
				`"people":[{"name":"Kay","must":true},{"name":"Bo","must":true},{"name":"Ann","must":false}]}`),
		}},
	)
}
