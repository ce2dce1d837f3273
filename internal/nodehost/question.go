package nodehost

import (
	"time"

	"github.com/fermata-go/fermata/schema"
)

// Question is what an interrupt asks (law H1).
//
// One struct: it becomes one entry of the journal, whose JSON has no nesting.
type Question struct {
	Request        []byte // JSON
	RequestSchema  []byte // JSON Schema of the request, or nil
	ResponseSchema []byte // JSON Schema that an answer must pass, or nil for any

	// The names of the schemas for the programs that show the question. The zero value is what their documents say.
	RequestIdentity, ResponseIdentity schema.Identity

	Prompt     string        // what people read
	Options    []string      // that an answer is one of; none for any answer
	Kind       string        // what a face may show it as: "choice", "text", "form", "approval"; "" lets it decide
	Role       string        // who may answer; "" for anyone
	Assignee   string        // the one person who may answer; "" for anyone in the role
	Override   string        // the role that may take the question from its assignee or claimer; "" for none
	FourEyes   bool          // who started the run may not answer
	NotBy      []string      // nodes of the same graph: who answered one of them may not answer this
	Within     time.Duration // until the deadline; 0 for none
	AtDeadline Deadline      // what happens then

	RequireToken bool // an answer presents the resume token

	Unnamed bool   // the author gave no ID: on replay the whole question must be the same (law N3)
	About   []byte // what else must be the same on replay, whatever the question is called; not shown to anybody
	Shape   string // of the Go type that reads the answer, where the schema does not say all of it; "" for one that keeps everything
	Waits   bool   // Answered follows at once: the question may be stored with the suspension
}

// AtDeadline says what happens when nobody answered in time (law H4).
type AtDeadline string

// The policies for a deadline.
const (
	DeadlineFail     AtDeadline = "fail" // the call returns node.ErrExpired
	DeadlineDefault  AtDeadline = "default"
	DeadlineRoute    AtDeadline = "route"
	DeadlineEscalate AtDeadline = "escalate"
)

// Deadline is what happens when a question's time is up. Its zero value fails.
type Deadline struct {
	Do     AtDeadline    `json:"do,omitempty"`
	Answer []byte        `json:"answer,omitempty"` // JSON, for DeadlineDefault
	Target string        `json:"target,omitempty"` // a declared deadline edge, for DeadlineRoute
	Role   string        `json:"role,omitempty"`   // who is asked next, for DeadlineEscalate
	Within time.Duration `json:"within,omitempty"` // how long they have; 0 is without end
	Then   *Deadline     `json:"then,omitempty"`   // what happens after that; nil fails
}
