package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// part is one of the graphs, whatever its state.
type part struct {
	name   string
	plan   *plan.Plan
	script script
	begin  func(text string) any                        // the state that it begins with; a text of "" is the part's own
	end    func(output json.RawMessage) string          // what is shown of the state that it ends with
	draw   func(value json.RawMessage) (lines []string) // of a value that is streamed; nil for none
}

func newPart[S fmt.Stringer](name string, flow *graph.Graph[S], begin func(text string) S, said script) part {
	return part{
		name: name, plan: flow.Plan(), script: said,
		begin: func(text string) any { s := begin(text); return &s },
		end: func(output json.RawMessage) string {
			var s S
			if err := json.Unmarshal(output, &s); err != nil {
				return string(output)
			}
			return s.String()
		},
	}
}

// drawn makes a function that draws a T one that draws its JSON.
func drawn[T any](lines func(*T) []string) func(json.RawMessage) []string {
	return func(value json.RawMessage) []string {
		var t T
		if json.Unmarshal(value, &t) != nil {
			return nil
		}
		return lines(&t)
	}
}

// parts are all of them, in the order in which they are read.
func parts() []part { return []part{typed(), ask(), form(), two(), approve()} }

// reading is what a line means as an answer: a verdict about a call of a tool, a choice by its number or its name, or
// a text.
func reading(q *fermata.Interrupt, line string) any {
	line = strings.TrimSpace(line)
	if q.Kind == node.KindApproval {
		return verdict(line)
	}
	var asked Question
	if json.Unmarshal(q.Request, &asked) != nil {
		return line
	}
	if i, err := strconv.Atoi(line); err == nil && i > 0 && i <= len(asked.Choices) {
		line = asked.Choices[i-1]
	}
	return Choice{line}
}

// verdict reads yes, no and a reason, or other arguments. What is none of these is refused like any answer that does not
// fit.
func verdict(line string) node.Verdict {
	if strings.HasPrefix(line, "{") && json.Valid([]byte(line)) {
		return node.Verdict{Action: node.Edit, Arguments: json.RawMessage(line)}
	}
	word, reason, _ := strings.Cut(line, " ")
	switch word = strings.ToLower(strings.TrimRight(word, ",.:")); word {
	case "y", "yes":
		return node.Verdict{Action: node.Approve}
	case "n", "no":
		return node.Verdict{Action: node.Deny, Reason: strings.TrimSpace(reason)}
	}
	return node.Verdict{Action: node.Action(word)}
}
