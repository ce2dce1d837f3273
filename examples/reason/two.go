package main

import (
	"cmp"
	"strings"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// Notice is a text that is written in two goes.
type Notice struct {
	Topic string `json:"topic"`
	Draft string `json:"draft,omitempty"`
	Final string `json:"final,omitempty"`
}

// newTwo reasons twice in one node. While the second waits for the author, nothing is held: when the answer comes, the
// function runs again from its first line, and the first reasoning returns what is recorded.
func newTwo() *graph.Graph[Notice] {
	return graph.Of("two", func(ctx node.Context, n Notice) (Notice, error) {
		var err error
		n.Draft, err = node.Reason[string](ctx, node.Reasoning{
			ID:     "draft",
			System: "Write a notice of one sentence.",
			Prompt: n.Topic,
		})
		if err != nil {
			return n, err
		}
		n.Final, err = node.Reason[string](ctx, node.Reasoning{
			ID:        "critique",
			System:    "Find what the notice leaves open, ask its author, and write the notice anew.",
			Prompt:    n.Draft,
			Interrupt: &node.Asking{Required: true}, // a text is asked, and a text answered
		})
		return n, err
	}).MustCompile()
}

func (n Notice) String() string { return n.Draft + "\n" + n.Final }

// two is the notice's graph.
func two() part {
	return newPart(
		"two", newTwo(), func(text string) Notice {
			return Notice{Topic: cmp.Or(text, "The kitchen on the second floor is closed on Friday.")}
		},
		script{
			"Write a notice": {says("The kitchen on the second floor is closed on Friday.")},
			"Find what":      {calls(call("call_1", "ask_person", `{"request":"Where can people go instead?"}`)), instead},
		},
	)
}

// instead writes the notice anew with what the author has said.
func instead(told string) scripted.Reply {
	where := strings.TrimSuffix(told, ".")
	return scripted.Reply{Text: "The kitchen on the second floor is closed on Friday. Instead: " + where + "."}
}
