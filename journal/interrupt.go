package journal

import "encoding/json"

// States of an interrupt (law H1).
const (
	Open      = "open"
	Claimed   = "claimed"
	Answered  = "answered"
	Expired   = "expired"
	Withdrawn = "withdrawn"
)

// Deadline says what happens when nobody answered in time (law H4).
type Deadline struct {
	Do     string          `json:"do"` // fail, default, route, escalate
	Answer json.RawMessage `json:"answer,omitempty"`
	Target string          `json:"target,omitempty"`
	Role   string          `json:"role,omitempty"`
	Within int64           `json:"within,omitempty"` // microseconds; 0 is without end
	Then   *Deadline       `json:"then,omitempty"`
}

// Interrupt is a question to the outside (law H1).
//
// It is the body of InterruptOpened, and, as it stands now, the projection of an interrupt. It is what stores keep, and its JSON has all of it: who may not answer and the hash of the token
// too. Readers are shown fermata.Interrupt, whose JSON has neither (laws H5 and H6).
//
// One struct: it is one flat JSON object in journals, stores and on the wire (law J9).
type Interrupt struct {
	ID             string          `json:"requestId"`                // "int_…"
	Run            string          `json:"run"`                      // the run that asks
	Task           string          `json:"task"`                     // "inner/review#2"
	Op             string          `json:"op"`                       // identity of the call within the task
	Kind           string          `json:"kind,omitempty"`           // tells faces how to show it: approval, outcome, …
	Request        json.RawMessage `json:"input,omitempty"`          // what is asked about
	RequestSchema  json.RawMessage `json:"requestSchema,omitempty"`  // of Request
	ResponseSchema json.RawMessage `json:"responseSchema,omitempty"` // of the answer

	// Names of the contracts that the schemas are, and their versions.
	RequestSchemaID       string `json:"requestSchemaId,omitempty"`
	RequestSchemaVersion  string `json:"requestSchemaVersion,omitempty"`
	ResponseSchemaID      string `json:"responseSchemaId,omitempty"`
	ResponseSchemaVersion string `json:"responseSchemaVersion,omitempty"`

	Prompt     string   `json:"prompt,omitempty"`       // the question in words
	Options    []string `json:"options,omitempty"`      // the answers to choose from
	Role       string   `json:"requiredRole,omitempty"` // the role that may answer; "" for anybody
	Assignee   string   `json:"assignee,omitempty"`     // the one person who may answer; "" for everyone in the role
	NotBy      []string `json:"notBy,omitempty"`        // people who may not answer
	NotByNodes []string `json:"notByNodes,omitempty"`   // paths of nodes: who answered one of them may not answer this

	OverrideRole string `json:"overrideRole,omitempty"` // the role that may take the question from its assignee or claimer; "" for none
	NeedsToken   bool   `json:"needsToken,omitempty"`   // only who presents the resume token may answer

	Opened     int64     `json:"opened"`               // microseconds
	Deadline   int64     `json:"deadline,omitempty"`   // microseconds; 0 for none
	AtDeadline *Deadline `json:"atDeadline,omitempty"` // what happens then
	Digest     string    `json:"digest,omitempty"`     // of what must not change on replay (law N3); it counts in the journal, and a projection may lack it
	TokenHash  string    `json:"tokenHash,omitempty"`  // SHA-256 of the resume token, hex (law H5)

	State      string          `json:"state"`                // open, claimed, answered, expired, withdrawn
	ClaimedBy  string          `json:"claimedBy,omitempty"`  // who has claimed it
	Answer     json.RawMessage `json:"answer,omitempty"`     // once it is answered
	AnsweredBy string          `json:"answeredBy,omitempty"` // who has answered; "" where they gave no name
	Resolved   int64           `json:"resolved,omitempty"`   // when it was closed, microseconds

	// Names under which people are shown; "" where that is their id. Nothing is decided by them.
	AssigneeName   string `json:"assigneeName,omitempty"`
	ClaimedByName  string `json:"claimedByName,omitempty"`
	AnsweredByName string `json:"answeredByName,omitempty"`
}

// UpdatedBody is the body of InterruptUpdated: a claim, a release, an escalation or a reassignment. The last two set
// who is asked until when. An escalation without a person is the deadline's.
type UpdatedBody struct {
	Do           string    `json:"do"` // claim, release, escalate, reassign, token
	By           string    `json:"by,omitempty"`
	ByName       string    `json:"byName,omitempty"` // what they are called, where that is not who they are
	Role         string    `json:"requiredRole,omitempty"`
	Assignee     string    `json:"assignee,omitempty"`
	AssigneeName string    `json:"assigneeName,omitempty"`
	Deadline     int64     `json:"deadline,omitempty"`
	AtDeadline   *Deadline `json:"atDeadline,omitempty"`
	Note         string    `json:"note,omitempty"`      // why
	Override     string    `json:"override,omitempty"`  // the role in which it was taken from its assignee or claimer
	TokenHash    string    `json:"tokenHash,omitempty"` // of the resume token that is good from now on
}

// ResolvedBody is the body of InterruptResolved. An answer is the entry's Value.
type ResolvedBody struct {
	State   string `json:"state"` // answered, expired, withdrawn
	By      string `json:"by,omitempty"`
	ByName  string `json:"byName,omitempty"` // what they are called, where that is not who they are
	Role    string `json:"role,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Target  string `json:"target,omitempty"`  // an expiry that routes: where to
	Default bool   `json:"default,omitempty"` // answered by the deadline's default
}

// Update brings an interrupt to what was done with it.
func (b *UpdatedBody) Update(q *Interrupt) {
	switch b.Do {
	case "claim":
		q.State, q.ClaimedBy, q.ClaimedByName = Claimed, b.By, b.ByName
	case "release":
		q.State, q.ClaimedBy, q.ClaimedByName = Open, "", ""
	case "token":
		q.TokenHash = b.TokenHash
	case "escalate", "reassign":
		q.State, q.ClaimedBy, q.ClaimedByName = Open, "", ""
		q.Role, q.Assignee, q.AssigneeName = b.Role, b.Assignee, b.AssigneeName
		q.Deadline, q.AtDeadline = b.Deadline, b.AtDeadline
	}
}

// Resolve brings an interrupt to its end.
func (b *ResolvedBody) Resolve(q *Interrupt, answer []byte, at int64) {
	q.State, q.AnsweredBy, q.AnsweredByName, q.Resolved = b.State, b.By, b.ByName, at
	if b.State == Answered {
		q.Answer = answer
	}
}
