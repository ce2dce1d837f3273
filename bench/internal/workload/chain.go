package workload

// Message is what a conversation is made of.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Messages is the state of the small workloads.
type Messages struct {
	Messages []Message `json:"messages"`
	Count    int       `json:"count"`
}

// Noop is the node of the chain.
func Noop(s Messages) Messages { return s }

// Chain is sequential: n nodes that do nothing, one after the other.
func Chain(nodes []func(Messages) Messages, s Messages) Messages {
	for _, f := range nodes {
		s = f(s)
	}
	return s
}

// Count is the node of the loop.
func Count(s Messages) Messages {
	s.Count++
	return s
}

// Loop calls one function, which it does not know, as engines do, until it has counted to n.
//
//go:noinline
func Loop(count func(Messages) Messages, n int) Messages {
	var s Messages
	for s.Count < n {
		s = count(s)
	}
	return s
}
