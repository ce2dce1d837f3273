package recipe

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// TraceDeed is one action on a question. It was asked, claimed, released, reassigned, escalated, answered or withdrawn,
// or it expired. A question that was handed over is still the same question.
type TraceDeed struct {
	Seq        uint64          `json:"seq"`
	Question   uint64          `json:"question"` // seq of the entry that asked
	Timestamp  time.Time       `json:"timestamp"`
	Do         string          `json:"do"`
	By         string          `json:"by,omitempty"`          // who did it
	ByName     string          `json:"by_name,omitempty"`     // what they are called, where that is not who they are
	Role       string          `json:"role,omitempty"`        // in which role an answer was given
	To         string          `json:"to,omitempty"`          // the one person who is asked from then on
	ToName     string          `json:"to_name,omitempty"`     // what they are called, where that is not who they are
	ToRole     string          `json:"to_role,omitempty"`     // the role that is asked from then on
	Until      *time.Time      `json:"until,omitempty"`       // the deadline from then on
	AtDeadline bool            `json:"at_deadline,omitempty"` // the deadline did it, and nobody
	Route      string          `json:"route,omitempty"`       // where an expiry led
	Note       string          `json:"note,omitempty"`        // why
	Value      json.RawMessage `json:"value,omitempty"`       // the answer
}

// String tells a deed in one line.
func (d *TraceDeed) String() string {
	var b strings.Builder
	b.WriteString(d.Do)
	switch {
	case d.AtDeadline && d.Do == journal.Answered:
		b.WriteString(" by the deadline's default")
	case d.AtDeadline && d.Do != journal.Expired:
		b.WriteString(" by the deadline")
	}
	if d.To != "" {
		b.WriteString(" to " + identity.Shown(d.To, d.ToName))
		if d.ToRole != "" {
			b.WriteString(" as " + d.ToRole)
		}
	} else if d.ToRole != "" {
		b.WriteString(" to " + d.ToRole)
	}
	b.WriteString(byAndAs(identity.Shown(d.By, d.ByName), d.Role))
	if d.Route != "" {
		b.WriteString(", to " + d.Route)
	}
	if d.Until != nil {
		b.WriteString(", until " + d.Until.Format(time.RFC3339))
	}
	if len(d.Value) > 0 {
		b.WriteString(": " + string(d.Value))
	}
	if d.Note != "" {
		b.WriteString(" (" + strings.Join(strings.Fields(d.Note), " ") + ")")
	}
	return b.String()
}

// asks notes a question.
func (b *traceBuilder) asks(s *TraceStep, e *journal.Entry) error {
	q, err := bodyOf[journal.Interrupt](e)
	if err != nil {
		return err
	}
	s.Type, b.prompted[s.ID] = TraceInteraction, true
	s.Action = strings.TrimPrefix(s.Action+"\n"+q.Prompt, "\n")
	b.asked[e.Op] = b.open[node.TaskID(e.Node, int(e.Visit))]
	b.questions[e.Op] = e.Seq
	s.People = append(s.People, TraceDeed{
		Seq: e.Seq, Question: e.Seq, Timestamp: e.Time(), Do: "asked", To: q.Assignee, ToName: q.AssigneeName, ToRole: q.Role, Until: until(q.Deadline),
	})
	return nil
}

// updated notes that a question was claimed, released, or that somebody else is asked.
func (b *traceBuilder) updated(s *TraceStep, e *journal.Entry) error {
	body, err := bodyOf[journal.UpdatedBody](e)
	if err != nil {
		return err
	}
	d := TraceDeed{Do: body.Do, By: body.By, ByName: body.ByName, Note: body.Note}
	switch body.Do {
	case "claim":
		d.Do = "claimed"
	case "release":
		d.Do = "released"
	case "token":
		d.Do = "renewed"
	case "escalate", "reassign":
		d.Do = strings.TrimSuffix(body.Do, "e") + "ed"
		d.To, d.ToName, d.ToRole, d.Until = body.Assignee, body.AssigneeName, body.Role, until(body.Deadline)
		d.AtDeadline = body.By == "" // law H4; people who hand over have a name
	}
	b.did(s, e, d)
	return nil
}

// answered notes how a question was closed.
func (b *traceBuilder) answered(s *TraceStep, e *journal.Entry) error {
	body, err := bodyOf[journal.ResolvedBody](e)
	if err != nil {
		return err
	}
	d := TraceDeed{
		Do: body.State, By: body.By, ByName: body.ByName, Role: body.Role, Note: body.Reason, Value: e.Value,
		AtDeadline: body.Default || body.State == journal.Expired,
	}
	if body.Target != "" {
		d.Route = target(body.Target)
	}
	b.did(s, e, d)
	return nil
}

func (b *traceBuilder) did(s *TraceStep, e *journal.Entry, d TraceDeed) {
	d.Seq, d.Question, d.Timestamp = e.Seq, b.questions[e.Op], e.Time()
	s.People = append(s.People, d)
	s.observe(d.String())
}

func until(micros int64) *time.Time {
	if micros == 0 {
		return nil
	}
	at := time.UnixMicro(micros).UTC()
	return &at
}

// byAndAs is who did something, and in which role.
func byAndAs(by, role string) (text string) {
	if by != "" {
		text = " by " + by
	}
	if role != "" {
		text += " as " + role
	}
	return text
}
