package fermatatest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// host is an engine for one task.
type host struct {
	mu       sync.Mutex
	out      io.Writer // what the node logs
	info     node.Info
	cause    *node.Failure
	services []any
	clock    *Clock
	replies  map[string][]reply // key -> what is said, in order
	mail     mailbox

	ops      []*op // in the order in which they were begun
	emitted  []Emitted
	streamed map[string]string
	slept    time.Duration
	beat     []byte // the last heartbeat
	current
}

// current is the pass that is being made: one call of the node's function.
type current struct {
	pass     uint64
	replay   bool              // everything is recorded already
	counts   map[string]int    // calls of the pass, by kind and key
	by       map[string]uint64 // the goroutine that made them
	made     map[string]bool
	changes  map[string]bool             // changes that the pass has asked for, and whether the task has them
	latest   *op                         // of the recorded calls that the pass has made, the one that was recorded last
	places   int                         // how many calls were recorded
	streams  map[string]*strings.Builder // text that is being streamed
	waits    []*op                       // what the pass was left for
	together int                         // how many times calls go on in several goroutines
	shown    []node.Data
	broken   error // why the pass cannot go on
	strange  []string
}

// op is a recorded call.
type op struct {
	nodehost.Op
	key     string
	attempt int
	place   int // in which place it was recorded, in its attempt
	ended   int // in which place it ended, among the steps
	asked   nodehost.Question
	state   string
	due     time.Time
	wants   nodehost.MessageWant // of a call that takes a message
}

// name is the key as the node wrote it, without the steps that the call was made inside of.
func (o *op) name() string { return o.key[strings.LastIndex(o.key, nodehost.Inside)+1:] }

// reply is what is said to a question.
type reply struct {
	answer []byte
	expire bool
}

func newHost(t testing.TB) *host {
	return &host{
		out: t.Output(), clock: &Clock{}, replies: make(map[string][]reply), streamed: make(map[string]string),
		info: node.Info{Run: "run_test", Plan: "test", Node: "node", Visit: 1, Attempt: 1},
	}
}

var (
	_ nodehost.ApartHost = (*host)(nil)
	_ nodehost.Host      = (*host)(nil)
)

func (h *host) setInfo(info node.Info) {
	h.info = node.Info{
		Run: cmp.Or(info.Run, h.info.Run), Plan: cmp.Or(info.Plan, h.info.Plan), Node: cmp.Or(info.Node, h.info.Node),
		Visit: cmp.Or(info.Visit, h.info.Visit), Attempt: cmp.Or(info.Attempt, h.info.Attempt),
		TasksLeft: info.TasksLeft,
	}
}

// unnamed is the key of questions without an ID.
const unnamed = "interrupt"

func (h *host) script(key string, r reply) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key = cmp.Or(key, unnamed)
	h.replies[key] = append(h.replies[key], r)
}

// begin begins a pass.
func (h *host) begin(replay bool) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pass++
	h.replay = replay
	h.by, h.changes = make(map[string]uint64), make(map[string]bool)
	h.counts, h.made, h.streams = make(map[string]int), make(map[string]bool), make(map[string]*strings.Builder)
	h.waits, h.together, h.broken, h.latest = nil, 0, nil, nil
	return h.pass
}

// errLeft says that the function was left to wait.
var errLeft = errors.New("the function was left to wait")

// end ends a pass and says what its outcome is worth.
func (h *host) end(out []byte, err error) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pass++
	switch {
	case h.broken != nil:
		return nil, h.broken
	case len(h.waits) > 0 && h.replay:
		return nil, fmt.Errorf("%s: %w", h.waits[0].ID, node.ErrSuspended)
	case len(h.waits) > 0:
		if err == nil || !errors.Is(err, node.ErrSuspended) {
			h.emitted = append(h.emitted, Emitted{
				Type: node.EventDiagnostic,
				Data: `{"code":"swallowed_suspension","message":"the node went on after a call that waits; what it returned is ignored"}`,
			})
		}
		return nil, errLeft
	}
	if missed := h.missed(false); missed != "" && err == nil {
		return nil, &node.DivergedError{Task: h.info.Task(), Expected: missed, Found: "its end"}
	}
	return out, err
}

// missed names a recorded call that the pass has not made; "" for none. Calls inside a step belong to it. With ordered, it
// leaves out those of goroutines that the node has started, which come when they come.
func (h *host) missed(ordered bool) string {
	for _, o := range h.ops {
		if o.attempt == h.info.Attempt && o.Kind != nodehost.KindChanged && !(ordered && o.Apart) && !h.made[o.ID] && !strings.Contains(o.ID, nodehost.Inside) {
			return o.ID
		}
	}
	return ""
}

// take gives what was found to be strange.
func (h *host) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := h.strange
	h.strange = nil
	return found
}

// goOn brings about what the last pass was left for, or says what is missing.
func (h *host) goOn() error {
	h.mu.Lock()
	o := h.waits[0] // of several, one for which something can be done
	for _, w := range h.waits {
		if h.canGoOn(w) {
			o = w
			break
		}
	}
	defer h.mu.Unlock()
	switch o.Kind {
	case nodehost.KindSleep:
		h.clock.AdvanceTo(o.due)
		o.Done = true
		return nil
	case nodehost.KindReceive:
		return h.deliver(o)
	}
	replies := h.replies[o.name()]
	if len(replies) == 0 {
		return h.unanswered(o)
	}
	h.replies[o.name()] = replies[1:]
	if replies[0].expire {
		return h.expire(o)
	}
	answer, err := normalized(o.asked.ResponseSchema, replies[0].answer)
	if err != nil {
		return fmt.Errorf("the answer to %s is refused: %w", o.ID, err)
	}
	h.resolve(o, "answered", answer, "")
	return nil
}

// canGoOn reports whether there is what a call waits for.
func (h *host) canGoOn(o *op) bool {
	switch o.Kind {
	case nodehost.KindSleep:
		return true
	case nodehost.KindReceive:
		return h.mail.next(o.wants.Name) >= 0
	default:
		return len(h.replies[o.name()]) > 0
	}
}

func (h *host) unanswered(o *op) error {
	key := o.name()
	if key == unnamed {
		key = ""
	}
	err := fmt.Errorf("%s (%q): %w for an answer; give one with Answer(%q, …)", o.ID, o.asked.Prompt, node.ErrSuspended, key)
	for _, other := range slices.Sorted(maps.Keys(h.replies)) {
		if other != o.name() && len(h.replies[other]) > 0 {
			err = fmt.Errorf("%w; there is one for %q, which nobody has asked", err, other)
		}
	}
	return err
}

func checked(doc, value []byte) error {
	if len(doc) == 0 {
		return nil
	}
	s, err := schema.Parse(doc)
	if err != nil {
		return err
	}
	return s.Check(value)
}

// normalized checks an answer and gives it as a runtime stores it (law H2).
func normalized(doc, answer []byte) ([]byte, error) {
	if len(doc) == 0 {
		doc = []byte("{}")
	}
	s, err := schema.Parse(doc)
	if err != nil {
		return nil, err
	}
	return s.Normalize(answer)
}

func (h *host) resolve(o *op, state string, answer []byte, failure string) {
	o.state, o.Done, o.Value, o.Failure, o.At = state, true, answer, failure, h.clock.Now()
}

// expire does what a question's deadline says.
func (h *host) expire(o *op) error {
	if o.asked.Within <= 0 {
		return fmt.Errorf("%s has no deadline that could expire; it needs node.Within", o.ID)
	}
	h.clock.Advance(o.asked.Within)
	switch d := o.asked.AtDeadline; d.Do {
	case nodehost.DeadlineDefault:
		h.resolve(o, "answered", d.Answer, "")
	case nodehost.DeadlineRoute:
		h.resolve(o, "expired", nil, node.ErrExpired.Error())
		o.Done = false // the task is over: nobody is told
		return &RoutedError{Question: o.ID, Target: d.Target}
	case nodehost.DeadlineEscalate:
		o.asked.Role, o.asked.Within, o.asked.AtDeadline = d.Role, d.Within, nodehost.Deadline{}
		if d.Then != nil {
			o.asked.AtDeadline = *d.Then
		}
	default:
		h.resolve(o, "expired", nil, node.ErrExpired.Error())
	}
	return nil
}

// retry forgets the calls that a new attempt makes again: those that failed.
func (h *host) retry() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.info.Attempt++
	kept := h.ops[:0:0]
	for i, o := range h.ops {
		switch {
		case !h.forgotten(i):
			kept = append(kept, o)
		case o.Kind == nodehost.KindReason:
			kept = append(kept, &op{Op: nodehost.Op{Kind: o.Kind, ID: o.ID, Tries: o.Tries + 1}, key: o.key, attempt: o.attempt})
		}
	}
	h.ops = kept
}

// forgotten reports whether a new attempt makes a call again: it failed, is text that was shown in one that did, or has read
// a heartbeat.
func (h *host) forgotten(i int) bool {
	o := h.ops[i]
	if o.Kind == nodehost.KindHeartbeat {
		return true
	}
	if o.Failure != "" {
		return !wentOn(o.ID, h.ops[i+1:])
	}
	text := o.Kind == nodehost.KindStream || o.Kind == nodehost.KindChunks
	for j, outer := range h.ops {
		if text && outer.Failure != "" && nodehost.CallInside(o.ID, outer.ID) && !wentOn(outer.ID, h.ops[j+1:]) {
			return true
		}
	}
	return false
}

// wentOn reports whether a call was made in reasoning that has asked its model again after it.
func wentOn(id string, later []*op) bool {
	scope := nodehost.CallScope(id)
	return nodehost.CallKind(scope) == nodehost.KindReason && slices.ContainsFunc(later, func(o *op) bool {
		return o.Kind == nodehost.KindModel && nodehost.CallScope(o.ID) == scope
	})
}

// recorded are the kinds of calls that a test looks at as steps.
var recorded = []nodehost.Kind{nodehost.KindStep, nodehost.KindOnce, nodehost.KindModel, nodehost.KindTool, nodehost.KindReason}

func (h *host) steps() []Step {
	h.mu.Lock()
	defer h.mu.Unlock()
	var ended []*op
	for _, o := range h.ops {
		if o.Done && slices.Contains(recorded, o.Kind) {
			ended = append(ended, o)
		}
	}
	slices.SortStableFunc(ended, func(a, b *op) int { return cmp.Compare(a.ended, b.ended) })
	steps := make([]Step, len(ended))
	for i, o := range ended {
		steps[i] = Step{Key: o.name(), Value: string(o.Value), Failure: o.Failure}
	}
	return steps
}

func (h *host) questions() []Question {
	h.mu.Lock()
	defer h.mu.Unlock()
	var asked []Question
	for _, o := range h.ops {
		if o.Kind == nodehost.KindInterrupt {
			q := Question{Question: o.asked, Key: o.name(), State: o.state}
			if q.Unnamed {
				q.Key = ""
			}
			asked = append(asked, q)
		}
	}
	return asked
}

// same reports whether a question that is asked again is the one that was asked (law N3).
func same(a, b nodehost.Question) bool {
	return bytes.Equal(a.ResponseSchema, b.ResponseSchema) && bytes.Equal(a.About, b.About) &&
		(!b.Unnamed || a.Prompt == b.Prompt && bytes.Equal(a.Request, b.Request))
}

// Info implements nodehost.Host.
func (h *host) Info() node.Info { return h.info }

// Cause implements nodehost.Host.
func (h *host) Cause() *node.Failure { return h.cause }

// Clock implements nodehost.Host.
func (h *host) Clock() time.Time { return h.clock.Now() }

// Service implements nodehost.Host: the service of that type, or the only one that has all its methods.
func (h *host) Service(t reflect.Type) any {
	var found []any
	for _, s := range h.services {
		switch have := reflect.TypeOf(s); {
		case have == t:
			return s
		case t.Kind() == reflect.Interface && have.Implements(t):
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// Logger implements nodehost.Host. While recorded calls are replayed it is silent (law N4).
func (h *host) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(quiet{h}, nil)).With("task", h.info.Task(), "attempt", h.info.Attempt)
}

// quiet writes what is logged when nothing is replayed.
type quiet struct{ h *host }

func (q quiet) Write(line []byte) (int, error) {
	q.h.mu.Lock()
	silent := q.h.replay || q.h.missed(false) != ""
	q.h.mu.Unlock()
	if silent {
		return len(line), nil
	}
	return q.h.out.Write(line)
}
