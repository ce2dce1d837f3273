package fermatatest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/jsontext"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// transcript is a journal as people tell it: task by task, without what differs from run to run, which are numbers,
// ids, times and tokens.
type transcript struct {
	head   string   // what was run
	input  string   // as JSON
	tasks  []*visit // in the order in which they began
	ended  string   // how the run ended: "completed", "failed: …"; "" for a run that has not
	status string
	output string // as JSON
}

// visit is what one task did.
type visit struct {
	task   string
	index  int      // of its node in the flat plan
	from   []string // the tasks whose branches it has taken, where branches meet
	input  string   // as JSON; in a dataflow, which values it is given, and whose
	lines  []string // what it recorded in between
	ends   []string // how it ended, and where it went
	ended  bool     // it finished, or failed for good
	sub    bool
	hit    bool // its outcome is from a cache
	skips  bool // it is a node of a dataflow that did not run
	fails  bool
	doomed bool // it failed, and nothing took the failure on: what it ran in failed with it
}

// given is how a visit began.
func (v *visit) given() []string {
	if v.skips {
		return nil
	}
	line := "given " + v.input
	if len(v.from) > 0 {
		line += ", of " + strings.Join(v.from, " and ")
	}
	return []string{line}
}

// did is what a visit recorded.
func (v *visit) did() []string { return slices.Concat(v.lines, v.ends) }

func (v *visit) text() string { return strings.Join(slices.Concat(v.given(), v.did()), "\n") }

// writer makes a transcript of entries.
type writer struct {
	transcript
	plan   *plan.Plan
	docs   map[uint64]*journal.Document
	byTask map[string]*visit
	sent   map[uint64]string // entry -> its task
	lineOf map[string]*line  // interrupt, or call that waits -> where it is told
	parts  map[*visit][]*line
}

// line is told once it is known how it went on: a question, with its answer.
type line struct{ text string }

// transcribe tells a journal. It fails where values cannot be put together (law J6).
func transcribe(p *plan.Plan, entries []journal.Entry) (*transcript, error) {
	w := &writer{
		plan: p, docs: make(map[uint64]*journal.Document), byTask: make(map[string]*visit), sent: make(map[uint64]string),
		lineOf: make(map[string]*line), parts: make(map[*visit][]*line),
	}
	for i := range entries {
		e := &entries[i]
		if err := w.fold(e); err != nil {
			return nil, fmt.Errorf("seq %d (%s): %w", e.Seq, entryName(e), err)
		}
		if e.Node == "" {
			w.ofRun(e)
			continue
		}
		w.sent[e.Seq] = taskOf(e)
		w.ofTask(e)
	}
	for v, parts := range w.parts {
		for _, l := range parts {
			v.lines = append(v.lines, l.text)
		}
	}
	return &w.transcript, nil
}

// fold keeps the value that an entry records.
func (w *writer) fold(e *journal.Entry) error {
	if !e.Kind.CarriesState() || !e.HasValue() {
		return nil
	}
	if e.Flags&journal.FlagBase == 0 {
		doc, err := journal.ParseDocument(e.Value)
		w.docs[e.Seq] = doc
		return err
	}
	base := w.docs[e.Base]
	if base == nil {
		return fmt.Errorf("%w: there is no value at seq %d", journal.ErrCorrupt, e.Base)
	}
	doc := base.Clone()
	w.docs[e.Seq] = doc
	if len(e.Value) == 0 {
		return nil
	}
	return doc.Apply(e.Value)
}

// value is the value of an entry, or the one that it refers to.
func (w *writer) value(e *journal.Entry) string {
	if doc := w.docs[e.Seq]; doc != nil {
		return sorted(doc)
	}
	if doc := w.docs[e.Base]; doc != nil {
		return sorted(doc)
	}
	return ""
}

// sorted is a value with the members of its objects in the order of the alphabet: a value that was put together from
// deltas has them in another one than a value that was stored whole.
func sorted(doc *journal.Document) string {
	data := doc.JSON()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return string(data)
	}
	text, err := jsontext.Encode(v)
	if err != nil {
		return string(data)
	}
	return string(text)
}

func (w *writer) ofRun(e *journal.Entry) {
	switch e.Kind {
	case journal.RunStarted:
		var b journal.StartedBody
		decode(e.Body, &b)
		w.head, w.input = fmt.Sprintf("plan %s", b.Plan), w.value(e)
		if b.PlanVersion != "" {
			w.head += ", version " + b.PlanVersion
		}
	case journal.RunFinished:
		var b journal.FinishedBody
		decode(e.Body, &b)
		w.status, w.ended = b.Status, b.Status
		if b.Task != "" {
			w.ended += " at " + b.Task
		}
		for _, why := range []string{b.Reason, b.Error} {
			if why != "" {
				w.ended += ": " + why
				break
			}
		}
		if b.Status == "completed" {
			w.output = w.value(e)
		}
	}
}

func decode(data []byte, into any) { _ = json.Unmarshal(data, into) } // absent members stay zero

// say adds a line to what a task recorded.
func (w *writer) say(v *visit, format string, args ...any) *line {
	l := &line{text: fmt.Sprintf(format, args...)}
	w.parts[v] = append(w.parts[v], l)
	return l
}

func (w *writer) ofTask(e *journal.Entry) {
	task := taskOf(e)
	v := w.byTask[task]
	if v == nil {
		v = &visit{task: task, index: -1}
		if i, ok := w.plan.Index(node.NodeOf(e.Node)); ok {
			v.index, v.sub = i, w.plan.Flat()[i].Sub != nil
		}
		w.byTask[task], w.tasks = v, append(w.tasks, v)
	}
	switch e.Kind {
	case journal.NodeStarted:
		w.begins(v, e)
	case journal.NodeFinished, journal.NodeCached:
		v.ended, v.hit = true, e.Kind == journal.NodeCached
		switch out := w.value(e); {
		case out != "" && out != v.input:
			v.ends = append(v.ends, "gives "+out)
		case w.flow(v) == nil:
			v.ends = append(v.ends, "gives it on as it is")
		case w.flow(v).Output != nil:
			v.ends = append(v.ends, "gives what it gave before")
		}
	case journal.NodeSkipped:
		var b journal.SkippedBody
		decode(e.Body, &b)
		v.skips, v.ends = true, append(v.ends, "is skipped: "+b.Reason)
	case journal.NodeRetrying, journal.NodeFailed:
		w.fails(v, e)
	case journal.RouteTaken:
		w.routes(v, e)
	case journal.InterruptOpened, journal.InterruptUpdated, journal.InterruptResolved:
		w.asks(v, e)
	default:
		w.calls(v, e)
	}
}

func (w *writer) begins(v *visit, e *journal.Entry) {
	var b journal.BeginBody
	decode(e.Body, &b)
	if b.Undo != "" {
		v.input = "what " + b.Undo + " has done, to undo it"
		return
	}
	v.input = w.value(e)
	for _, seq := range b.From {
		v.from = append(v.from, w.sent[seq])
	}
	if w.flow(v) == nil {
		return
	}
	v.input = "nothing"
	for i, name := range slices.Sorted(maps.Keys(b.In)) {
		whose := cmp.Or(w.sent[b.In[name]], "the run")
		if i == 0 {
			v.input = ""
		} else {
			v.input += ", "
		}
		v.input += name + " of " + whose
	}
}

// flow is a visit's part in a dataflow, nil in other plans. What a task is given there is told by whose it is: those tell
// what they gave.
func (w *writer) flow(v *visit) *plan.Flow {
	if v.index < 0 {
		return nil
	}
	return w.plan.Flat()[v.index].Flow
}

func (w *writer) fails(v *visit, e *journal.Entry) {
	var b journal.FailedBody
	decode(e.Body, &b)
	code := ""
	if b.Code != "" {
		code = " (" + b.Code + ")"
	}
	if e.Kind == journal.NodeRetrying {
		w.say(v, "attempt %d fails%s: %s", e.Attempt, code, b.Error)
		return
	}
	v.ended, v.fails, v.doomed = true, true, true
	v.ends = append(v.ends, fmt.Sprintf("fails%s: %s", code, b.Error))
}

func (w *writer) routes(v *visit, e *journal.Entry) {
	var b journal.RouteBody
	decode(e.Body, &b)
	if b.Item > 0 {
		w.say(v, "item %d of %d is given %s", b.Item, b.Of, w.value(e))
		return
	}
	to := b.To
	if len(to) == 0 {
		to = []string{e.To}
	}
	names := make([]string, len(to))
	for i, name := range to {
		names[i] = target(name)
	}
	text := "goes to " + strings.Join(names, " and ")
	switch {
	case e.Flags&journal.FlagItem != 0:
		text = "fails its item"
	case e.Flags&journal.FlagCatch != 0:
		text += " with its failure"
		v.doomed = false
	case e.Flags&journal.FlagExpired != 0:
		text += ", for nobody has answered"
	}
	if doc := w.docs[e.Seq]; doc != nil {
		text += " with " + sorted(doc)
	}
	if v.sub && !v.ended { // it goes inside
		w.say(v, "%s", text)
		return
	}
	v.ends = append(v.ends, text)
}

// target is a target as people know it: within what it is chosen in.
func target(name string) string {
	switch name {
	case node.End:
		return "END"
	case node.Stop:
		return "Stop"
	}
	return name[strings.LastIndexByte(name, '/')+1:]
}

// asks tells a question in one line: how it was asked, and what became of it.
func (w *writer) asks(v *visit, e *journal.Entry) {
	if e.Kind == journal.InterruptOpened {
		var q journal.Interrupt
		decode(e.Body, &q)
		words := []string{"asks", nodehost.CallText(q.Op)}
		for _, part := range []string{q.Prompt, q.Role, strings.Join(q.Options, " | ")} {
			if part != "" {
				words = append(words, strconv.Quote(part))
			}
		}
		text := strings.Join(words, " ")
		if len(q.Request) > 0 && string(q.Request) != "null" {
			text += " about " + string(q.Request)
		}
		if q.Deadline > 0 {
			text += " within " + (time.Duration(q.Deadline-q.Opened) * time.Microsecond).String()
		}
		w.lineOf[q.ID] = w.say(v, "%s", text)
		return
	}
	l := w.lineOf[e.Op]
	if l == nil {
		return
	}
	if e.Kind == journal.InterruptUpdated {
		var b journal.UpdatedBody
		decode(e.Body, &b)
		l.text += "; " + strings.TrimSpace(b.Do+" "+b.Role+b.By)
		return
	}
	var b journal.ResolvedBody
	decode(e.Body, &b)
	l.text += "; " + b.State
	if b.By != "" {
		l.text += " by " + b.By
	}
	if b.Default {
		l.text += " by default"
	}
	if len(e.Value) > 0 {
		l.text += ": " + string(e.Value)
	}
}

// calls tells the other calls of a node.
func (w *writer) calls(v *visit, e *journal.Entry) {
	switch op := nodehost.CallText(e.Op); e.Kind {
	case journal.StepStarted:
		w.say(v, "means to call %s", op)
	case journal.StepFinished:
		var b journal.StepBody
		decode(e.Body, &b)
		switch {
		case b.Error != "":
			w.say(v, "calls %s, which fails: %s", op, b.Error)
		case strings.HasPrefix(e.Op, string(nodehost.KindNow)+":"):
			w.say(v, "looks at the time (%s)", op)
		case nodehost.CallKind(e.Op) == nodehost.KindChanged:
			w.say(v, "has the change %s", op)
		default:
			w.say(v, "calls %s: %s", op, e.Value)
		}
	case journal.TimerSet:
		var b journal.TimerBody
		decode(e.Body, &b)
		w.say(v, "sleeps %s (%s)", time.Duration(b.Due-e.At)*time.Microsecond, op)
	case journal.MessageAwaited:
		w.say(v, "takes a message (%s)", op)
	case journal.MessageReplied:
		var b journal.RepliedBody
		decode(e.Body, &b)
		w.say(v, "answers a message: %s%s (%s)", e.Value, b.Error, op)
	case journal.LabelSet:
		var b journal.LabelBody
		decode(e.Body, &b)
		w.say(v, "sets the label %s to %q", b.Key, b.Label)
	case journal.TextEnd:
		w.say(v, "streams %s: %s%s", op, e.Value, e.Body)
	case journal.Message, journal.Status, journal.Diagnostic, journal.StructuredData:
		w.say(v, "says %s (%s)", e.Body, e.Kind)
	}
}
