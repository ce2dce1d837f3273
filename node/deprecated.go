package node

import "github.com/fermata-go/fermata/internal/nodehost"

// Names of the engine that were exported here. They are removed in the next minor version.

// Question is what an interrupt asks (law H1).
//
// Deprecated: fermatatest.Question has its fields.
//
//	type Question struct {
//	    Request        []byte // JSON
//	    RequestSchema  []byte // JSON Schema of the request, or nil
//	    ResponseSchema []byte // JSON Schema that an answer must pass, or nil for any
//	    // The names of the schemas for the programs that show the question.
//	    RequestIdentity, ResponseIdentity schema.Identity
//	    Prompt                            string        // what people read
//	    Options                           []string      // that an answer is one of; none for any answer
//	    Kind                              string        // what a face may show it as
//	    Role                              string        // who may answer; "" for anyone
//	    Assignee                          string        // the one person who may answer; "" for anyone in the role
//	    Override                          string        // the role that may take the question from its assignee or claimer; "" for none
//	    FourEyes                          bool          // who started the run may not answer
//	    NotBy                             []string      // nodes of the same graph
//	    Within                            time.Duration // until the deadline; 0 for none
//	    AtDeadline                        Deadline      // what happens then
//	    RequireToken                      bool          // an answer presents the resume token
//	    Unnamed                           bool          // the author gave no ID
//	    About                             []byte        // what else must be the same on replay, whatever the question is called; not shown to anybody
//	    Shape                             string        // of the Go type that reads the answer, where the schema does not say all of it; "" for one that keeps everything
//	    Waits                             bool          // Answered follows at once
//	}
type Question = nodehost.Question

// Deadline is what happens when a question's time is up.
//
// Deprecated: the field AtDeadline of fermatatest.Question has its fields.
//
//	type Deadline struct {
//	    Do     AtDeadline
//	    Answer []byte        // JSON, for DeadlineDefault
//	    Target string        // a declared deadline edge, for DeadlineRoute
//	    Role   string        // who is asked next, for DeadlineEscalate
//	    Within time.Duration // how long they have; 0 is without end
//	    Then   *Deadline     // what happens after that; nil fails
//	}
type Deadline = nodehost.Deadline

// AtDeadline says what happens when nobody answered in time (law H4).
//
// Deprecated: compare it with "fail", "default", "route" or "escalate".
type AtDeadline = nodehost.AtDeadline

// The policies for a deadline.
//
// Deprecated: compare with "fail", "default", "route" and "escalate".
const (
	DeadlineFail     = nodehost.DeadlineFail
	DeadlineDefault  = nodehost.DeadlineDefault
	DeadlineRoute    = nodehost.DeadlineRoute
	DeadlineEscalate = nodehost.DeadlineEscalate
)

// The kinds of recorded calls.
//
// Deprecated: compare a [Kind] with "step", "once", "model" and so on.
const (
	KindStep      = nodehost.KindStep
	KindOnce      = nodehost.KindOnce
	KindNow       = nodehost.KindNow
	KindSleep     = nodehost.KindSleep
	KindInterrupt = nodehost.KindInterrupt
	KindEmit      = nodehost.KindEmit
	KindStream    = nodehost.KindStream
	KindModel     = nodehost.KindModel
	KindChunks    = nodehost.KindChunks
	KindReason    = nodehost.KindReason
	KindTool      = nodehost.KindTool
	KindData      = nodehost.KindData
	KindHeartbeat = nodehost.KindHeartbeat
)

// CallKind returns the kind in a call's identity: "step" of "step:charge#1".
//
// Deprecated: the kind is the text before the first colon of an entry's Op.
func CallKind(id string) Kind { return nodehost.CallKind(id) }

// CallText returns a call's identity as people read it: "step:step:charge#1/fee#1".
//
// Deprecated: use fermata.Event.OpID.
func CallText(id string) string { return nodehost.CallText(id) }
