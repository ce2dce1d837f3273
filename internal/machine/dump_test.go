package machine

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// dump writes all that the fold has made of a journal: two machines with the same dump are the same (law J1). What is
// not in it is not part of the fold: what Next has handed out, and what waits to be appended.
func (m *Machine) dump() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", facts(
		or(m.status, "new"), "head", m.head, "at", clock(m.at), "active", clock(m.active), "tasks started", m.started, "value", m.value,
		"final", m.final, "ended", m.ended, "stopped", m.stopped, "because", m.reason,
	))
	if m.finished != (journal.FinishedBody{}) {
		f := m.finished
		line("finished %s", facts(f.Status, "task", f.Task, "limit", f.Limit, "max", f.Max, "code", f.Code, "by", f.By, "reason", f.Reason, "error", f.Error))
	}
	body := m.body
	if body.Fingerprint == m.plan.Fingerprint() {
		body.Fingerprint = ""
	}
	if !reflect.DeepEqual(body, journal.StartedBody{}) {
		line("run %s", facts("", "plan", body.Plan, "kind", body.PlanKind, "version", body.PlanVersion, "other plan", body.Fingerprint != "",
			"definition", body.Definition, "by", body.By, "labels", body.Labels, "fork of", origin(body.Fork)))
	}
	for _, tok := range m.tokens {
		from := ""
		if tok.fromNode >= 0 && tok.fromVisit > 0 {
			from = node.TaskID(m.Path(tok.fromNode), int(tok.fromVisit))
		}
		line("token %s", facts("", "to", m.Path(tok.at), "value", tok.ref, "from", from, "in", m.parentID(tok.parent), "because", cause(tok.cause)))
	}
	for _, t := range m.tasks {
		line("task %s", facts(m.TaskID(t)+" "+t.State.String(), "attempt", t.Attempt, "value", t.Ref, "result", t.Result, "in", m.parentID(t.Parent),
			"waits for", t.WaitFor, "left at", t.LastWait, "again at", clock(t.RetryAt), "has failed", t.failed, "error", t.Error.Error, "code", t.Error.Code,
			"retryAt", clock(t.Error.RetryAt), "stack", t.Error.Stack, "because", cause(t.Cause)))
		for i := range t.Ops {
			op := &t.Ops[i]
			line("  %s", facts(op.ID, "kind", op.Kind, "attempt", op.Attempt, "done", op.Done, "begun", op.Begun, "value", string(op.Value),
				"failure", op.Failure, "due", clock(op.Due), "asked", op.Interrupt, "digest", op.Digest, "by", op.By, "at", clock(op.At)))
		}
	}
	for _, q := range m.interrupts {
		line("interrupt %s", facts(q.ID+" "+q.State, "of", q.Task, "op", q.Op, "role", q.Role, "claimed by", q.ClaimedBy, "opened", clock(q.Opened),
			"deadline", clock(q.Deadline), "then", atDeadline(q.AtDeadline), "digest", q.Digest, "answer", string(q.Answer), "by", q.AnsweredBy,
			"resolved", clock(q.Resolved), "else", fmt.Sprint(q.Run, q.Kind, string(q.Request), string(q.RequestSchema), string(q.ResponseSchema),
				q.Prompt, strings.Join(q.Options, "|"), q.TokenHash)))
	}
	var visits []string
	for i, n := range m.visits {
		if n > 0 {
			visits = append(visits, fmt.Sprintf("%s %d", m.Path(i), n))
		}
	}
	if len(visits) > 0 {
		slices.Sort(visits)
		line("visits %s", strings.Join(visits, ", "))
	}
	return b.String()
}

// facts writes names and values, those aside that are zero.
func facts(first string, pairs ...any) string {
	var parts []string
	if first != "" {
		parts = append(parts, first)
	}
	for i := 0; i < len(pairs); i += 2 {
		name, value := pairs[i].(string), pairs[i+1]
		switch v := reflect.ValueOf(value); {
		case v.IsZero() || v.Kind() == reflect.Map && v.Len() == 0:
		case v.Kind() == reflect.Bool:
			parts = append(parts, name)
		case name == "error" || name == "failure":
			parts = append(parts, fmt.Sprintf("%s %q", name, value))
		default:
			parts = append(parts, fmt.Sprintf("%s %v", name, value))
		}
	}
	return strings.Join(parts, ", ")
}

func or(s, otherwise string) string { return cmp.Or(s, otherwise) }

// clock shows a time of these tests: how long after their beginning.
func clock(micros int64) string {
	if micros == 0 {
		return ""
	}
	return time.Duration(micros * 1000).String()
}

func cause(c *node.Failure) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s", c.Task, c.Message)
}

func origin(o *journal.Origin) string {
	if o == nil {
		return ""
	}
	return fmt.Sprintf("%s at %d", o.Run, o.Seq)
}

func atDeadline(d *journal.Deadline) string {
	if d == nil {
		return ""
	}
	text := d.Do
	for _, part := range []string{string(d.Answer), d.Target, d.Role, clock(d.Within)} {
		if part != "" {
			text += " " + part
		}
	}
	if d.Then != nil {
		text += " then " + atDeadline(d.Then)
	}
	return text
}

func (m *Machine) parentID(t *Task) string {
	if t == nil {
		return ""
	}
	return m.TaskID(t)
}

// A dump that forgets something would find machines the same that are not. Whoever adds a field adds it to the dump,
// or to those that are not part of the fold.
func TestJ1_TheDumpShowsAllOfTheFold(t *testing.T) {
	notFolded := map[string]string{
		"Machine.plan": "given", "Machine.flat": "given",
		"Machine.ghosts": "an index of names", "Machine.names": "shown by their paths",
		"Machine.free": "memory to be used again", "Machine.closed": "for the projections of the next append",
		"Machine.hint": "of one entry", "Machine.out": "for the next append", "Machine.start": "for the next start", "Machine.work": "what Next has said", "Task.busy": "handed out, not folded",
	}
	shown := map[string]string{
		"Machine": "status head at visits started active tokens tasks interrupts value final ended stopped finished body reason",
		"Task":    "Node Visit Attempt State Ref Result Parent Cause Ops WaitFor LastWait RetryAt Error failed",
		"Op":      "ID Kind Done Begun Value Failure Attempt Due Interrupt Digest By At",
		"token":   "at ref parent fromNode fromVisit cause",
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Machine](), reflect.TypeFor[Task](), reflect.TypeFor[Op](), reflect.TypeFor[token]()} {
		var folded []string
		for field := range typ.Fields() {
			if name := field.Name; notFolded[typ.Name()+"."+name] == "" {
				folded = append(folded, name)
			}
		}
		if diff := gocmp.Diff(strings.Fields(shown[typ.Name()]), folded); diff != "" {
			t.Errorf("fields of %s (-shown +there):\n%s", typ.Name(), diff)
		}
	}
}

// stubCodec is the codec of plans whose values nobody looks at.
type stubCodec struct{ plan.Codec }
