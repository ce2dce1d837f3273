package workload

import (
	"fmt"
	"strings"
)

// Bumps is how often a joke is bumped.
const Bumps = 10

// ChildRounds is how many nodes the child graph of one subject visits: edit, generate and the bumps.
const ChildRounds = 2 + Bumps

// Topics is the state of the parent graph of fanout_to_subgraph.
type Topics struct {
	Subjects [][]string `json:"subjects"`
	Jokes    []string   `json:"jokes" merge:"append"`
}

// Joke is the state of the child graph: the letters of one subject become its text, and that a joke.
type Joke struct {
	Letters []string `json:"letters,omitempty"`
	Subject string   `json:"subject"`
	Joke    string   `json:"joke"`
}

// NewTopics is n subjects of 1000 letters.
func NewTopics(n int) Topics { return NewTopicsOf(n, 1000) }

// NewTopicsOf is n subjects of as many letters as it is given.
func NewTopicsOf(n, length int) Topics {
	var t Topics
	for i := range n {
		letters := make([]string, length)
		for k := range letters {
			at := (i*7 + k*k) % 26
			letters[k] = "abcdefghijklmnopqrstuvwxyz"[at : at+1]
		}
		t.Subjects = append(t.Subjects, letters)
	}
	return t
}

// Children are the states that the child graphs begin with.
func Children(t Topics) []Joke {
	children := make([]Joke, len(t.Subjects))
	for i, letters := range t.Subjects {
		children[i] = Joke{Letters: letters}
	}
	return children
}

// Edit makes a text of the letters.
func Edit(j Joke) Joke {
	j.Subject = strings.Join(j.Letters, "") + " - hohoho"
	j.Letters = nil
	return j
}

// Generate makes the joke.
func Generate(j Joke) Joke {
	j.Joke = "Joke about " + j.Subject
	return j
}

// Bump makes it longer.
func Bump(j Joke) Joke {
	j.Joke += " a"
	return j
}

var bumped = strings.Repeat(" a", Bumps)

// Bumped reports whether the joke is long enough.
func Bumped(j Joke) bool { return strings.HasSuffix(j.Joke, bumped) }

// Child is the whole child graph.
func Child(j Joke) Joke {
	for j = Bump(Generate(Edit(j))); !Bumped(j); {
		j = Bump(j)
	}
	return j
}

// Gather appends the jokes.
func Gather(t Topics, children []Joke) Topics {
	for i := range children {
		t.Jokes = append(t.Jokes, children[i].Joke)
	}
	return t
}

// FanOut is the whole workload: the children one after the other.
func FanOut(t Topics) Topics {
	children := Children(t)
	for i := range children {
		children[i] = Child(children[i])
	}
	return Gather(t, children)
}

// FanOutAtOnce is FanOut with a goroutine for each child.
func FanOutAtOnce(t Topics) Topics {
	children := Children(t)
	atOnce(len(children), func(i int) { children[i] = Child(children[i]) })
	return Gather(t, children)
}

// Check says what is wrong with the jokes, "" when nothing is.
func (t *Topics) Check() string {
	if len(t.Jokes) != len(t.Subjects) {
		return fmt.Sprintf("%d jokes of %d subjects", len(t.Jokes), len(t.Subjects))
	}
	for i, letters := range t.Subjects {
		if want := "Joke about " + strings.Join(letters, "") + " - hohoho" + bumped; t.Jokes[i] != want {
			return fmt.Sprintf("joke %d is %q, expected %q", i, t.Jokes[i], want)
		}
	}
	return ""
}
