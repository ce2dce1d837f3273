package guide_test

import (
	"context"
	"fmt"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/state"
)

func Example_largeState() {
	ctx := context.Background()
	// [guide: large state]
	type Line struct {
		Who  string `json:"who"`
		Text string `json:"text"`
	}
	type Chat struct {
		Topic string                 `json:"topic"`
		Lines state.List[Line]       `json:"lines" merge:"append"`
		Words state.Map[string, int] `json:"words"`
	}
	say := func(who, text string) graph.Func[Chat] {
		return func(_ node.Context, c Chat) (Chat, error) {
			c.Lines = c.Lines.Append(Line{who, text}) // however long the chat is
			said, _ := c.Words.Get(who)
			c.Words = c.Words.Set(who, said+1)
			return c, nil
		}
	}
	g := graph.New[Chat]("chat").
		Node("ask", say("ann", "Is it ready?")).
		Node("reply", say("bo", "Nearly.")).
		Node("thank", say("ann", "Thank you.")).
		Edge(graph.Start, "ask").Edge("ask", "reply").Edge("reply", "thank").
		MustCompile()

	chat, err := g.Run(ctx, Chat{Topic: "the report"})
	check(err)
	for i, line := range chat.Lines.All() {
		fmt.Println(i, line.Who+":", line.Text)
	}
	last, _ := chat.Lines.Last()
	fmt.Println(chat.Lines.Len(), last.Text, chat.Words)
	// [guide: end]

	// Output:
	// 0 ann: Is it ready?
	// 1 bo: Nearly.
	// 2 ann: Thank you.
	// 3 Thank you. map[ann:2 bo:1]
}
