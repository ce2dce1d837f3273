package fermata

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// Ask implements node.Host.
func (h *host) Ask(pass uint64, op node.Op, q node.Question) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if h.d.none {
		h.storeFailed = ErrMustWait
		return ErrMustWait
	}
	t := h.task.in(h.d.m)
	if t == nil {
		return node.ErrTaskOver
	}
	digest := questionDigest(q)
	if known := t.Op(op.ID); known != nil {
		h.comparesWith(op, q, digest)
		if was, _ := cutDigest(known.Digest); was != digest {
			h.broken = &node.DivergedError{
				Task: node.TaskID(h.path, int(h.visit)), Expected: op.ID + " as it was asked",
				Found: "another question in its place (a question whose text may vary needs node.ID)",
			}
			return h.broken
		}
		return nil
	}
	if over := canonical.Measure(reflect.ValueOf(sizeOf(&q)), h.d.maxValue()); over != nil {
		return fmt.Errorf("task %s, %s: %w", node.TaskID(h.path, int(h.visit)), node.CallText(op.ID), notStorable(over))
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
	return h.record(q.Waits || h.d.pure, func(m *machine.Machine, t *machine.Task, now int64) error {
		asked.Opened = now
		if q.Within > 0 {
			asked.Deadline = now + q.Within.Microseconds()
		}
		return m.Ask(now, t, asked, op.Apart)
	})
}

// questionSize is what of a question is recorded and may be large: all of it together is one value (law N8).
type questionSize struct {
	Request        json.RawMessage   `json:"request"`
	Prompt         string            `json:"prompt"`
	Options        []string          `json:"options"`
	RequestSchema  json.RawMessage   `json:"requestSchema"`
	ResponseSchema json.RawMessage   `json:"responseSchema"`
	Defaults       []json.RawMessage `json:"defaults"`
}

func sizeOf(q *node.Question) *questionSize {
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

// interrupt makes the durable form of a question (law H1), checks its request (law N8), and keeps its token for
// whoever opened it (law H5).
func (h *host) interrupt(op node.Op, q node.Question, digest string) (journal.Interrupt, error) {
	task := node.TaskID(h.path, int(h.visit))
	if len(q.RequestSchema) > 0 {
		s, err := h.d.rt.schema(q.RequestSchema)
		if err == nil {
			q.RequestIdentity = named(q.RequestIdentity, s)
			err = s.Check(q.Request)
		}
		if err != nil {
			return journal.Interrupt{}, fmt.Errorf("task %s, %s: request: %w", task, op.ID, err)
		}
	}
	if len(q.ResponseSchema) > 0 {
		s, err := h.d.rt.schema(q.ResponseSchema)
		if err != nil {
			return journal.Interrupt{}, fmt.Errorf("task %s, %s: response schema: %w", task, op.ID, err)
		}
		q.ResponseIdentity = named(q.ResponseIdentity, s)
		for _, option := range q.Options {
			data, _ := json.Marshal(option)                                         //nolint:errchkjson // a string always encodes
			if err := s.Check(data); err != nil && s.Check([]byte(option)) != nil { // "1" may stand for 1
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
	id := newID("int_")
	if h.d.tokens == nil {
		h.d.tokens = make(map[string]string)
	}
	h.d.tokens[id] = token
	return journal.Interrupt{
		ID: id, Run: h.d.id, Task: task, Op: op.ID, Kind: q.Kind, Request: q.Request, RequestSchema: q.RequestSchema,
		ResponseSchema: q.ResponseSchema, Prompt: q.Prompt, Options: q.Options, Role: q.Role,
		Assignee: strings.TrimSpace(q.Assignee), NotBy: notBy, NotByNodes: nodes,
		OverrideRole: q.Override, NeedsToken: q.RequireToken,
		RequestSchemaID: q.RequestIdentity.ID, RequestSchemaVersion: q.RequestIdentity.Version,
		ResponseSchemaID: q.ResponseIdentity.ID, ResponseSchemaVersion: q.ResponseIdentity.Version,
		AtDeadline: durable(&q.AtDeadline), Digest: digest, TokenHash: tokenHash(token), State: journal.Open,
	}, nil
}

// named is what a schema is called, where that was not said.
func named(given schema.Identity, s *schema.Schema) schema.Identity {
	if given == (schema.Identity{}) {
		return s.Identity()
	}
	return given
}

// atDeadline checks what a deadline would do, a default answer against the response schema, a route against the declared deadline
// edges (law F7), and gives it with default answers as they are stored.
func (h *host) atDeadline(response []byte, d node.Deadline) (node.Deadline, error) {
	switch d.Do {
	case node.DeadlineDefault:
		answer, err := h.d.rt.taken(response, d.Answer)
		if err != nil {
			return d, fmt.Errorf("default answer: %w", err)
		}
		d.Answer = answer
	case node.DeadlineRoute:
		flat := &h.d.plan.Flat()[h.node]
		if _, ok := plan.Find(flat.Deadlines, d.Target); !ok {
			return d, invalidRoute(flat, d.Target, flat.Deadlines)
		}
	case node.DeadlineFail, node.DeadlineEscalate, "":
	}
	if d.Then == nil {
		return d, nil
	}
	then, err := h.atDeadline(response, *d.Then)
	d.Then = &then
	return d, err
}

func durable(d *node.Deadline) *journal.Deadline {
	if d == nil || d.Do == "" || d.Do == node.DeadlineFail {
		return nil
	}
	return &journal.Deadline{
		Do: string(d.Do), Answer: d.Answer, Target: d.Target, Role: d.Role, Within: d.Within.Microseconds(),
		Then: durable(d.Then),
	}
}

// questionDigest is what must be the same when the code asks again: all of a question that has no name, and only the
// form of the answer of one that has, with what it is about (law N3).
func questionDigest(q node.Question) string {
	sum := fnv.New64a()
	_, _ = sum.Write(q.ResponseSchema) // a hash never fails
	if q.Unnamed {
		_, _ = sum.Write([]byte(q.Prompt))
		_, _ = sum.Write(q.Request)
	}
	_, _ = sum.Write(q.About)
	return strconv.FormatUint(sum.Sum64(), 36)
}

// shapeMark separates the digest of a question from the shape of the type that reads its answer. A change of that is no other
// question: the answer is read whole, or not at all (law J8).
const shapeMark = "-"

func cutDigest(digest string) (question, shape string) {
	question, shape, _ = strings.Cut(digest, shapeMark)
	return question, shape
}

// Answered implements node.Host.
func (h *host) Answered(pass uint64, op node.Op) (node.Op, error) {
	if err := h.enterFor(pass, op); err != nil {
		return op, err
	}
	defer h.mu.Unlock()
	if t := h.task.in(h.d.m); t != nil {
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
