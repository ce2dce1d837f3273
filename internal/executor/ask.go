package executor

import (
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
	digest := questionDigest(q)
	if known := t.Op(op.ID); known != nil {
		h.comparesWith(op, q, digest)
		if was, _ := cutDigest(known.Digest); was != digest {
			h.broken = &node.DivergedError{
				Task: nodehost.TaskID(h.path, int(h.visit)), Expected: op.ID + " as it was asked",
				Found: "another question in its place (a question whose text may vary needs node.ID)",
			}
			return h.broken
		}
		return nil
	}
	if over := canonical.Measure(reflect.ValueOf(sizeOf(&q)), h.run.MaxValue()); over != nil {
		return fmt.Errorf("task %s, %s: %w", nodehost.TaskID(h.path, int(h.visit)), nodehost.CallText(op.ID), runtype.NotStorable(over))
	}
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
	return h.record(q.Waits || h.run.pure, func(m *machine.Machine, t *machine.Task, now int64) error {
		asked.Opened = now
		if q.Within > 0 {
			asked.Deadline = now + q.Within.Microseconds()
		}
		return m.Ask(now, t, asked, op.Apart)
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
func (h *host) interrupt(op nodehost.Op, q nodehost.Question, digest string) (journal.Interrupt, error) {
	task := nodehost.TaskID(h.path, int(h.visit))
	if len(q.RequestSchema) > 0 {
		s, err := h.run.Schema(q.RequestSchema)
		if err == nil {
			q.RequestIdentity = named(q.RequestIdentity, s)
			err = s.Check(q.Request)
		}
		if err != nil {
			return journal.Interrupt{}, fmt.Errorf("task %s, %s: request: %w", task, op.ID, err)
		}
	}
	if len(q.ResponseSchema) > 0 {
		s, err := h.run.Schema(q.ResponseSchema)
		if err != nil {
			return journal.Interrupt{}, fmt.Errorf("task %s, %s: response schema: %w", task, op.ID, err)
		}
		q.ResponseIdentity = named(q.ResponseIdentity, s)
		for _, option := range q.Options {
			data, _ := json.Marshal(option)                                         //nolint:errchkjson // a string always encodes
			if err := s.Check(data); err != nil && s.Check([]byte(option)) != nil { // the option "1" may stand for the number 1
				return journal.Interrupt{}, fmt.Errorf("task %s, %s: the option %q is no answer: %w", task, op.ID, option, err)
			}
		}
	}
	var err error
	if q.AtDeadline, err = h.atDeadline(q.ResponseSchema, q.AtDeadline); err != nil {
		return journal.Interrupt{}, fmt.Errorf("task %s, %s: %w", task, op.ID, err)
	}
	texts := []string{q.Role, q.Assignee, q.Override}
	for d := &q.AtDeadline; d != nil; d = d.Then {
		texts = append(texts, d.Role)
	}
	for _, text := range texts {
		if err := printable.Check("a role or a person", text); err != nil {
			return journal.Interrupt{}, fmt.Errorf("task %s, %s: %w", task, op.ID, err)
		}
	}
	notBy, nodes, err := h.apart(&q)
	if err != nil {
		return journal.Interrupt{}, fmt.Errorf("task %s, %s: %w", task, op.ID, err)
	}
	token := rand.Text()
	id := storage.NewID("int_")
	if h.run.Tokens == nil {
		h.run.Tokens = make(map[string]string)
	}
	h.run.Tokens[id] = token
	return journal.Interrupt{
		ID: id, Run: h.run.ID, Task: task, Op: op.ID, Kind: q.Kind, Request: q.Request, RequestSchema: q.RequestSchema,
		ResponseSchema: q.ResponseSchema, Prompt: q.Prompt, Options: q.Options, Role: q.Role,
		Assignee: strings.TrimSpace(q.Assignee), NotBy: notBy, NotByNodes: nodes,
		OverrideRole: q.Override, NeedsToken: q.RequireToken,
		RequestSchemaID: q.RequestIdentity.ID, RequestSchemaVersion: q.RequestIdentity.Version,
		ResponseSchemaID: q.ResponseIdentity.ID, ResponseSchemaVersion: q.ResponseIdentity.Version,
		AtDeadline: durable(&q.AtDeadline), Digest: digest, TokenHash: question.TokenHash(token), State: journal.Open,
	}, nil
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

// questionDigest hashes the parts of a question that must not change when it is asked again. For a question
// without a name that is all of it; for a named one, only its subject and the form of its answer (law N3).
func questionDigest(q nodehost.Question) string {
	sum := fnv.New64a()
	_, _ = sum.Write(q.ResponseSchema) // a hash never fails
	if q.Unnamed {
		_, _ = sum.Write([]byte(q.Prompt))
		_, _ = sum.Write(q.Request)
	}
	_, _ = sum.Write(q.About)
	return strconv.FormatUint(sum.Sum64(), 36)
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
func (h *host) comparesWith(op nodehost.Op, q nodehost.Question, digest string) {
	r := h.run.check
	if r == nil || !r.Concerns(op.ID, nodehost.TaskID(h.path, int(h.visit))) {
		return
	}
	asked, err := h.interrupt(op, q, digest)
	r.CompareWith(&asked, q.Within.Microseconds(), err)
}
