package guide_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// [guide: agent]

// Chat is what an agent carries.
type Chat struct {
	Messages []model.Message
}

func think(ctx node.Context, c Chat) (Chat, error) {
	said, err := ctx.LLM().Generate(ctx, &model.Request{
		Messages: c.Messages,
		Tools: []model.Tool{{
			Name: "trains", Description: "The trains to a city",
			Input: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string"}}}`),
		}},
	})
	if err != nil {
		return c, err
	}
	c.Messages = append(c.Messages, said.Response.Message())
	return c, nil
}

func useTools(ctx node.Context, c Chat) (Chat, error) {
	results := model.Message{Role: model.User}
	for _, part := range c.Messages[len(c.Messages)-1].Parts {
		if part.Kind != model.CallPart {
			continue
		}
		text, err := node.Step(ctx, part.Call.Name, func(node.Context) (string, error) {
			return "9:30 and 17:45, for " + string(part.Call.Arguments), nil // a call of your program
		})
		if err != nil {
			return c, err
		}
		results.Parts = append(results.Parts, model.Part{
			Kind: model.ResultPart, Result: &model.ToolResult{ID: part.Call.ID, Text: text},
		})
	}
	c.Messages = append(c.Messages, results)
	return c, nil
}

func wantsTools(_ node.Context, c Chat) (string, error) {
	for _, part := range c.Messages[len(c.Messages)-1].Parts {
		if part.Kind == model.CallPart {
			return "use tools", nil
		}
	}
	return graph.End, nil
}

func agent() *graph.Graph[Chat] {
	g := graph.New[Chat]("agent")
	g.Node("think", think)
	g.Node("use tools", useTools)
	g.Edge(graph.Start, "think")
	g.Route("think", wantsTools, "use tools", graph.End)
	g.Edge("use tools", "think")
	return g.MustCompile()
}

// [guide: end]

func Example_agent() {
	ctx := context.Background()
	// [guide: agent used]
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{
		{Calls: []model.ToolCall{{ID: "1", Name: "trains", Arguments: json.RawMessage(`{"to":"Porto"}`)}}},
		{Text: "Take the one at 9:30."},
	}})
	c, err := agent().Run(ctx, Chat{Messages: []model.Message{model.Says(model.User, "How do I get to Porto?")}}, m)
	check(err)
	fmt.Println(c.Messages[2].Parts[0].Result.Text)
	fmt.Println(c.Messages[3].Text())
	// [guide: end]

	// Output:
	// 9:30 and 17:45, for {"to":"Porto"}
	// Take the one at 9:30.
}

// Report is what the README's graph carries.
type Report struct {
	Topic    string
	Findings []string `merge:"append"`
	Text     string
}

// Opinion is what one expert is asked for.
type Opinion struct{ Expert, Says string }

func Example_readme() {
	ctx := context.Background()
	finds := func(what string) graph.Func[Report] {
		return func(_ node.Context, r Report) (Report, error) { r.Findings = append(r.Findings, what); return r, nil }
	}
	searchWeb, searchLibrary := finds("a page"), finds("a book")
	experts := func(Report) ([]Opinion, error) { return []Opinion{{Expert: "Ann"}, {Expert: "Bo"}}, nil }
	ask := graph.Of("ask", func(_ node.Context, o Opinion) (Opinion, error) {
		o.Says = o.Expert + "'s opinion"
		return o, nil
	}).MustCompile()
	opinions := func(r Report, all []Opinion) (Report, error) {
		for _, o := range all {
			r.Findings = append(r.Findings, o.Says)
		}
		return r, nil
	}
	write := func(_ node.Context, r Report) (Report, error) {
		r.Text = fmt.Sprintf("%s: %q", r.Topic, r.Findings)
		return r, nil
	}
	// [guide: readme]
	g := graph.New[Report]("research")
	g.Node("web", searchWeb)
	g.Node("library", searchLibrary)
	graph.Map(g, "experts", experts, ask, opinions, graph.Limit(5)) // a task for each expert, five at a time
	g.Node("write", write, graph.All())                             // when all branches are there, merged
	g.Edge(graph.Start, "web", "library", "experts")                // a fork: each branch has its own copy of the state
	g.Edge("web", "write").Edge("library", "write").Edge("experts", "write")
	research, err := g.Compile()
	check(err)
	report, err := research.Run(ctx, Report{Topic: "Bees"})
	// [guide: end]
	check(err)
	fmt.Println(report.Text)

	// Output: Bees: ["a page" "a book" "Ann's opinion" "Bo's opinion"]
}
