package workload

import (
	"fmt"
	"strings"
)

// Roles of the agent's messages.
const (
	User      = "user"
	Assistant = "assistant" // it calls the tool; the content is the query
	Tool      = "tool"
	Final     = "final"
)

// Agent is the state of the agent.
type Agent struct {
	Messages []Message `json:"messages"`
}

// Script holds the replies of a model and the results of a tool. They are made beforehand, so that only the engine
// between them is measured.
type Script struct {
	queries []string // all different
	results []string // ten times as long
}

// NewScript is a conversation of n calls of a tool, with queries of 3,600 characters.
func NewScript(n int) *Script { return NewScriptOf(n, 100) }

// NewScriptOf is a conversation of n calls of a tool, with queries of 36 times a length.
func NewScriptOf(n, length int) *Script {
	s := &Script{}
	for i := range n {
		q := strings.Repeat(fmt.Sprintf("%08x-89ab-4def-8123-456789abcdef", i+1), length)
		s.queries = append(s.queries, q)
		s.results = append(s.results, strings.Repeat("result for query: "+q, 10))
	}
	return s
}

// Nodes is how many nodes a conversation visits.
func (s *Script) Nodes() int { return 2*len(s.queries) + 1 }

// Begin is the state that a conversation begins with.
func (s *Script) Begin() Agent { return Agent{Messages: []Message{{Role: User, Content: "go"}}} }

// Next is what the model says after a number of messages.
func (s *Script) Next(messages int) Message {
	if turn := messages / 2; turn < len(s.queries) {
		return Message{Role: Assistant, Content: s.queries[turn]}
	}
	return Message{Role: Final, Content: "done"}
}

// Result is what the tool finds for the last of a number of messages.
func (s *Script) Result(messages int) Message {
	return Message{Role: Tool, Content: s.results[messages/2-1]}
}

// Model is the node that says what comes next.
func (s *Script) Model(a Agent) Agent {
	a.Messages = append(a.Messages, s.Next(len(a.Messages)))
	return a
}

// Tool is the node that answers.
func (s *Script) Tool(a Agent) Agent {
	a.Messages = append(a.Messages, s.Result(len(a.Messages)))
	return a
}

// WantsTool reports whether the model has called the tool.
func WantsTool(a Agent) bool { return a.Messages[len(a.Messages)-1].Role == Assistant }

// React is the whole conversation.
func (s *Script) React(a Agent) Agent {
	for {
		a = s.Model(a)
		if !WantsTool(a) {
			return a
		}
		a = s.Tool(a)
	}
}

// Check says what is wrong with the end of a conversation, "" when nothing is.
func (s *Script) Check(a Agent) string {
	if want := 2*len(s.queries) + 2; len(a.Messages) != want {
		return fmt.Sprintf("%d messages, expected %d", len(a.Messages), want)
	}
	for i, m := range a.Messages[1:] {
		want := s.Next(i + 1)
		if i%2 == 1 {
			want = s.Result(i + 1)
		}
		if m != want {
			return fmt.Sprintf("message %d is another one than expected", i+1)
		}
	}
	return ""
}
