package bench

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// wide is the state of the wide_state workload: lists that grow by what was read, single values that are written anew
// each time, and objects that are merged. Branches come with forks; until then nodes three and four follow each other.
type wide struct {
	Messages           []any          `json:"messages"`
	TriggerEvents      []any          `json:"trigger_events"`
	Categorizations    []any          `json:"categorizations"`
	Responses          []any          `json:"responses"`
	RelevantRules      any            `json:"relevant_rules"`
	MemoryDocs         any            `json:"memory_docs"`
	BotID              string         `json:"bot_id"`
	Autoresponse       string         `json:"autoresponse"`
	PrimaryIssueMedium string         `json:"primary_issue_medium"`
	Issue              string         `json:"issue"`
	UserInfo           any            `json:"user_info"`
	CRMInfo            any            `json:"crm_info"`
	EmailThreadID      any            `json:"email_thread_id"`
	SlackParticipants  map[string]any `json:"slack_participants"`
	NotifiedAssignees  map[string]any `json:"notified_assignees"`
}

// wideInput is one message: an a-by-b nested object with keys of ten digits.
func wideInput(a, b int) wide {
	leaf := func() []any {
		var list []any
		for range 5 {
			list = append(list, strings.Repeat("hi?", 10), true, 1.0, 6327816386138.0, nil)
		}
		return list
	}
	outer := make(map[string]any, a)
	for i := range a {
		inner := make(map[string]any, b)
		for j := range b {
			inner[strings.Repeat(strconv.Itoa(j), 10)] = leaf()
		}
		outer[strings.Repeat(strconv.Itoa(i), 10)] = inner
	}
	return wide{Messages: []any{outer}}
}

// merged is a dictionary with the last element of a list merged in.
func merged(into map[string]any, list []any) map[string]any {
	out := make(map[string]any, len(into)+8)
	maps.Copy(out, into)
	if last, ok := list[len(list)-1].(map[string]any); ok {
		maps.Copy(out, last)
	}
	return out
}

// wideNodes are the six nodes, in order.
func wideNodes(n int) (names []string, nodes []graph.Func[wide]) {
	text := strings.Repeat("r", n)
	add := func(name string, f graph.Func[wide]) { names, nodes = append(names, name), append(nodes, f) }
	add("one", func(_ node.Context, s wide) (wide, error) {
		s.TriggerEvents = append(s.TriggerEvents, s.Messages...)
		s.PrimaryIssueMedium = text
		return s, nil
	})
	add("two", func(_ node.Context, s wide) (wide, error) {
		s.Autoresponse, s.Issue = text, text
		return s, nil
	})
	add("three", func(_ node.Context, s wide) (wide, error) {
		s.RelevantRules = text
		return s, nil
	})
	add("four", func(_ node.Context, s wide) (wide, error) {
		s.Categorizations = append(s.Categorizations, s.TriggerEvents...)
		s.Responses = append(s.Responses, s.TriggerEvents...)
		s.MemoryDocs = text
		return s, nil
	})
	add("five", func(_ node.Context, s wide) (wide, error) {
		s.UserInfo, s.CRMInfo, s.EmailThreadID, s.BotID = text, text, text, text
		s.SlackParticipants = merged(s.SlackParticipants, s.Categorizations)
		s.NotifiedAssignees = merged(s.NotifiedAssignees, s.Categorizations)
		return s, nil
	})
	add("six", func(_ node.Context, s wide) (wide, error) {
		s.Messages = append(s.Messages, s.Responses...)
		return s, nil
	})
	return names, nodes
}

func wideGraph(n int) *graph.Graph[wide] {
	g := graph.New[wide]("wide")
	names, nodes := wideNodes(n)
	for i, name := range names {
		g.Node(name, nodes[i])
		if i > 0 {
			g.Edge(names[i-1], name)
		}
	}
	g.Edge(graph.Start, "one")
	g.Route("six", func(_ node.Context, s wide) (string, error) {
		if len(s.Messages) > n {
			return graph.END, nil
		}
		return "one", nil
	}, "one", graph.END)
	return g.MustCompile()
}

func BenchmarkWideState(b *testing.B) {
	for _, w := range []struct {
		name    string
		a, b, n int
	}{{"25x300", 5, 5, 300}, {"15x600", 3, 5, 600}, {"9x1200", 3, 3, 1200}} {
		input, visited := wideInput(w.a, w.b), 0
		_, nodes := wideNodes(w.n)
		floor := func() {
			visited = 0
			for s := input; len(s.Messages) <= w.n; {
				for _, f := range nodes {
					s, _ = f(node.Context{}, s)
					visited++
				}
			}
		}
		b.Run("floor/"+w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				floor()
			}
			perNode(b, visited)
		})
		floor()
		g := wideGraph(w.n)
		b.Run("fermata/"+w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Run(context.Background(), input); err != nil {
					b.Fatal(err)
				}
			}
			perNode(b, visited)
		})
		b.Run("fermata-memory-store/"+w.name, func(b *testing.B) {
			stored(b, g, input, newRuntime(b, fermata.Options{}))
			perNode(b, visited)
		})
		b.Run("fermata-sqlite/"+w.name, func(b *testing.B) {
			store, _ := open(b, sqlite.Normal)
			stored(b, g, input, newRuntime(b, fermata.Options{Store: store}))
			perNode(b, visited)
		})
	}
}
