package executor

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// Ask implements nodehost.Host.
func (h *host) Ask(pass uint64, op nodehost.Op, q nodehost.Question) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if h.run.Unstored {
		h.storeFailed = runtype.ErrMustWait
		return runtype.ErrMustWait
	}
	t := h.task.in(h.run.Machine)
	if t == nil {
		return node.ErrTaskOver
	}
	var text [16]byte
	sum := strconv.AppendUint(text[:0], questionSum(&q), 36)
	if known := t.Op(op.ID); known != nil {
		h.comparesWith(op, q, sum)
		if was, _ := cutDigest(known.Digest); was != string(sum) {
			h.broken = &node.DivergedError{
				Task: nodehost.TaskID(h.path, int(h.visit)), Expected: op.ID + " as it was asked",
				Found: "another question in its place (a question whose text may vary needs node.ID)",
			}
			return h.broken
		}
		return nil
	}
	if over := tooLarge(&q, h.run.MaxValue()); over != nil {
		return fmt.Errorf("task %s, %s: %w", nodehost.TaskID(h.path, int(h.visit)), nodehost.CallText(op.ID), runtype.NotStorable(over))
	}
	digest := string(sum)
	if q.Shape != "" {
		digest += shapeMark + q.Shape
	}
	asked, err := h.interrupt(op, q, digest)
	if err == nil {
		err = h.inOrder(t, op)
	}
	if err != nil {
		return err
	}
	within, apart := q.Within.Microseconds(), op.Apart
	return h.record(q.Waits || h.run.pure, func(m *machine.Machine, t *machine.Task, now int64) error {
		asked.Opened = now
		if within > 0 {
			asked.Deadline = now + within
		}
		return m.Ask(now, t, asked, apart)
	})
}

// questionSize holds the parts of a question that may be large. Together they count as one value (law N8).
type questionSize struct {
	Request        json.RawMessage   `json:"request"`        // JSON shown to people
	Prompt         string            `json:"prompt"`         // text shown to people
	Options        []string          `json:"options"`        // answers to choose from
	RequestSchema  json.RawMessage   `json:"requestSchema"`  // JSON Schema; nil for none
	ResponseSchema json.RawMessage   `json:"responseSchema"` // JSON Schema; nil for none
	Defaults       []json.RawMessage `json:"defaults"`       // answers of deadlines
}

// tooLarge measures the parts of a question that may be large. Most questions are so short that a glance is enough.
func tooLarge(q *nodehost.Question, limit int) *canonical.Excess {
	if q.AtDeadline.Then == nil && len(q.Options) == 0 {
		const most = 6 // bytes of JSON for one byte of text
		n := len(q.Request) + len(q.Prompt) + len(q.RequestSchema) + len(q.ResponseSchema) + len(q.AtDeadline.Answer)
		if n < (limit-len(`{"request":null,"prompt":"","options":null,"requestSchema":null,"responseSchema":null,"defaults":[]}`))/most {
			return nil
		}
	}
	return canonical.Measure(reflect.ValueOf(sizeOf(q)), limit)
}

func sizeOf(q *nodehost.Question) *questionSize {
	size := &questionSize{
		Request: q.Request, Prompt: q.Prompt, Options: q.Options, RequestSchema: q.RequestSchema, ResponseSchema: q.ResponseSchema,
	}
	for d := &q.AtDeadline; d != nil; d = d.Then {
		if len(d.Answer) > 0 {
			size.Defaults = append(size.Defaults, d.Answer)
		}
	}
	return size
}

// interrupt makes the durable form of a question (law H1). It checks the request (law N8) and keeps the token
// for the node that opened the question (law H5).
func (h *host) interrupt(op nodehost.Op, q nodehost.Question, digest string) (*journal.Interrupt, error) {
	task := nodehost.TaskID(h.path, int(h.visit))
	if len(q.RequestSchema) > 0 {
		s, err := h.run.Schema(q.RequestSchema)
		if err == nil {
			q.RequestIdentity = named(q.RequestIdentity, s)
			err = s.Check(q.Request)
		}
		if err != nil {
			return nil, fmt.Errorf("task %s, %s: request: %w", task, op.ID, err)
		}
	}
	if len(q.ResponseSchema) > 0 {
		s, err := h.run.Schema(q.ResponseSchema)
		if err != nil {
			return nil, fmt.Errorf("task %s, %s: response schema: %w", task, op.ID, err)
		}
		q.ResponseIdentity = named(q.ResponseIdentity, s)
		for _, option := range q.Options {
			data, _ := json.Marshal(option)                                         //nolint:errchkjson // a string always encodes
			if err := s.Check(data); err != nil && s.Check([]byte(option)) != nil { // the option "1" may stand for the number 1
				return nil, fmt.Errorf("task %s, %s: the option %q is no answer: %w", task, op.ID, option, err)
			}
		}
	}
	var err error
	if q.AtDeadline, err = h.atDeadline(q.ResponseSchema, q.AtDeadline); err != nil {
		return nil, fmt.Errorf("task %s, %s: %w", task, op.ID, err)
	}
	if err := namesPrint(&q); err != nil {
		return nil, fmt.Errorf("task %s, %s: %w", task, op.ID, err)
	}
	notBy, nodes, err := h.apart(&q)
	if err != nil {
		return nil, fmt.Errorf("task %s, %s: %w", task, op.ID, err)
	}
	token := rand.Text()
	id := storage.NewID("int_")
	h.run.Tokens = append(h.run.Tokens, question.Token{Interrupt: id, Secret: token})
	return &journal.Interrupt{
		ID: id, Run: h.run.ID, Task: task, Op: op.ID, Kind: q.Kind, Request: q.Request, RequestSchema: q.RequestSchema,
		ResponseSchema: q.ResponseSchema, Prompt: q.Prompt, Options: q.Options, Role: q.Role,
		Assignee: strings.TrimSpace(q.Assignee), NotBy: notBy, NotByNodes: nodes,
		OverrideRole: q.Override, NeedsToken: q.RequireToken,
		RequestSchemaID: q.RequestIdentity.ID, RequestSchemaVersion: q.RequestIdentity.Version,
		ResponseSchemaID: q.ResponseIdentity.ID, ResponseSchemaVersion: q.ResponseIdentity.Version,
		AtDeadline: durable(&q.AtDeadline), Digest: digest, TokenHash: question.TokenHash(token), State: journal.Open,
	}, nil
}

// namesPrint refuses roles and people whose names cannot be shown.
func namesPrint(q *nodehost.Question) error {
	const what = "a role or a person"
	err := cmp.Or(printable.Check(what, q.Role), printable.Check(what, q.Assignee), printable.Check(what, q.Override))
	for d := &q.AtDeadline; d != nil && err == nil; d = d.Then {
		err = printable.Check(what, d.Role)
	}
	return err
}

// named gives a schema its default name if it has none.
func named(given schema.Identity, s *schema.Schema) schema.Identity {
	if given == (schema.Identity{}) {
		return s.Identity()
	}
	return given
}

// atDeadline checks the response or route of a deadline and returns it in stored form. A default answer must
// match the response schema, and a route a declared deadline edge (law F7).
func (h *host) atDeadline(response []byte, d nodehost.Deadline) (nodehost.Deadline, error) {
	switch d.Do {
	case nodehost.DeadlineDefault:
		answer, err := h.run.Taken(response, d.Answer)
		if err != nil {
			return d, fmt.Errorf("default answer: %w", err)
		}
		d.Answer = answer
	case nodehost.DeadlineRoute:
		flat := &h.run.Plan.Flat()[h.node]
		if _, ok := plan.Find(flat.Deadlines, d.Target); !ok {
			return d, invalidRoute(flat, d.Target, flat.Deadlines)
		}
	case nodehost.DeadlineFail, nodehost.DeadlineEscalate, "":
	}
	if d.Then == nil {
		return d, nil
	}
	then, err := h.atDeadline(response, *d.Then)
	d.Then = &then
	return d, err
}

func durable(d *nodehost.Deadline) *journal.Deadline {
	if d == nil || d.Do == "" || d.Do == nodehost.DeadlineFail {
		return nil
	}
	return &journal.Deadline{
		Do: string(d.Do), Answer: d.Answer, Target: d.Target, Role: d.Role, Within: d.Within.Microseconds(),
		Then: durable(d.Then),
	}
}

// questionSum hashes the parts of a question that must not change when it is asked again. For a question
// without a name that is all of it; for a named one, only its subject and the form of its answer (law N3).
func questionSum(q *nodehost.Question) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write(q.ResponseSchema) // a hash never fails
	if q.Unnamed {
		_, _ = sum.Write([]byte(q.Prompt))
		_, _ = sum.Write(q.Request)
	}
	_, _ = sum.Write(q.About)
	return sum.Sum64()
}

// shapeMark separates a question's digest from the shape of the type that reads its answer. A changed shape
// does not make another question: the answer is read whole or refused (law J8).
const shapeMark = "-"

func cutDigest(digest string) (question, shape string) {
	question, shape, _ = strings.Cut(digest, shapeMark)
	return question, shape
}

// Answered implements nodehost.Host.
func (h *host) Answered(pass uint64, op nodehost.Op) (nodehost.Op, error) {
	if err := h.enterFor(pass, op); err != nil {
		return op, err
	}
	defer h.mu.Unlock()
	if t := h.task.in(h.run.Machine); t != nil {
		if known := t.Op(op.ID); known != nil && known.Done {
			op.Done, op.Value, op.Failure = true, known.Value, known.Failure
			op.By, op.At = known.By, time.UnixMicro(known.At).UTC()
			_, op.Shape = cutDigest(known.Digest)
			h.passed(op.ID)
			return op, nil
		}
	}
	h.wait(op.ID)
	return op, node.ErrSuspended
}

// comparesWith passes a question and its recorded form to the check of a rehearsal, if there is one.
func (h *host) comparesWith(op nodehost.Op, q nodehost.Question, digest []byte) {
	r := h.run.check
	if r == nil || !r.Concerns(op.ID, nodehost.TaskID(h.path, int(h.visit))) {
		return
	}
	asked, err := h.interrupt(op, q, string(digest))
	r.CompareWith(asked, q.Within.Microseconds(), err)
}
