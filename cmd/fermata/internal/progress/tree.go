package progress

import (
	"cmp"
	"encoding/json"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/mailbox"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// State is how a node stands.
type State uint8

// The states of a row.
const (
	Pending  State = iota
	Running        // its function runs
	Waiting        // it waits for an answer or a message
	Sleeping       // it waits for a timer
	Retrying       // it failed and will be tried again
	Done
	Cached
	Failed
	Skipped
	Left // the run ended, or is not executed any more, while it was under way
)

// Ended reports whether nothing more will happen to the visit.
func (s State) Ended() bool { return s >= Done }

// Row is a node as it stands in its last visit.
type Row struct {
	Path     string
	Depth    int // how many subgraphs it is in
	State    State
	Visit    int
	Visits   int // how many visits the row stands for
	Attempt  int
	Attempts int // how many the retry policy allows, 0 where that is not known
	Started  time.Time
	Ended    time.Time
	Route    string // where a gate, an error edge or a deadline sent the token
	Note     string // what the node says it does
	Error    string
	Due      time.Time // when a sleep or a backoff ends

	open   []*journal.Interrupt
	awaits []mailbox.Call // that wait for messages
}

// Name returns the node's name within its plan, with the items of its maps. For "notify#1.3/send" it is "send [3]".
func (r *Row) Name() string {
	parts := strings.Split(r.Path, "/")
	name, items := parts[len(parts)-1], []string(nil)
	for _, part := range parts[:len(parts)-1] {
		if _, item, ok := strings.Cut(part, "#"); ok {
			items = append(items, item[strings.IndexByte(item, '.')+1:])
		}
	}
	if len(items) == 0 {
		return name
	}
	return name + " [" + strings.Join(items, ".") + "]"
}

// Tree is a run as its nodes stand: a fold over the run's events.
type Tree struct {
	Run     string
	Plan    string
	Status  fermata.Status
	Started time.Time
	Until   time.Time // the run's deadline (law F9); zero for none
	Last    time.Time // when the last event happened

	rows    []*Row // in the order in which they were first visited, children under their subgraph
	current map[string]*Row
	flat    []plan.Flat
	seen    map[string]bool
	mail    mailbox.Box
	again   bool // the last event was a message with a known id, which has no effect
}

// NewTree makes the tree of a run of p. Without a plan it shows only what has been visited.
func NewTree(p *plan.Plan) *Tree {
	t := &Tree{current: map[string]*Row{}, seen: map[string]bool{}}
	if p != nil {
		t.Plan, t.flat = p.Name(), p.Flat()
	}
	return t
}

// Rows are the nodes that have been visited and not been taken yet.
func (t *Tree) Rows() []*Row { return t.rows }

// Take removes the settled rows in front and returns them: what has been shown for good. A later visit of their nodes
// makes a new row.
func (t *Tree) Take() []*Row {
	n := 0
	for n < len(t.rows) && t.rows[n].State.Ended() {
		n++
	}
	taken := t.rows[:n:n]
	t.rows = slices.Clone(t.rows[n:])
	for _, r := range taken {
		if t.current[r.Path] == r {
			delete(t.current, r.Path)
		}
	}
	return taken
}

// Pending are the names of the plan's own nodes that have not been visited.
func (t *Tree) Pending() []string {
	var names []string
	for i := range t.flat {
		if f := &t.flat[i]; f.Parent < 0 && !t.seen[f.Path] {
			names = append(names, f.Path)
		}
	}
	return names
}

// Apply folds one event into the tree and returns its row, or nil for an event of the run.
func (t *Tree) Apply(ev *fermata.Event) *Row {
	e := &ev.Entry
	if t.Run == "" {
		t.Run = ev.Run
	}
	rested := ev.Time().Sub(t.Last)
	t.Last = ev.Time()
	if e.Node == "" {
		t.applyRun(ev, rested)
		t.applyMail(e)
		return nil
	}
	r := t.row(e)
	if e.Attempt > 0 {
		r.Attempt = int(e.Attempt)
	}
	switch e.Kind {
	case journal.NodeStarted:
		r.State, r.Started, r.Ended = Running, ev.Time(), time.Time{}
		r.Route, r.Error, r.Note = "", "", ""
	case journal.NodeFinished:
		r.end(Done, ev)
	case journal.NodeCached:
		r.end(Cached, ev)
	case journal.NodeSkipped:
		r.end(Skipped, ev)
		r.Note = bodyOf[journal.SkippedBody](e).Reason
	case journal.NodeFailed:
		r.end(Failed, ev)
		r.Error = bodyOf[journal.FailedBody](e).Error
	case journal.NodeRetrying:
		f := bodyOf[journal.FailedBody](e)
		r.State, r.Error, r.Due = Retrying, f.Error, micro(f.RetryAt)
	case journal.RouteTaken:
		t.routed(r, e)
	default:
		r.applyCall(ev)
	}
	t.applyMail(e)
	return r
}

// applyMail notes which rows wait for messages after an entry.
func (t *Tree) applyMail(e *journal.Entry) {
	t.again = t.mail.Apply(e).Repeated
	switch e.Kind {
	case journal.MessageSent, journal.MessageAwaited, journal.MessageReplied, journal.TimerFired, journal.RunResumed, journal.NodeRetrying:
	default:
		return
	}
	for _, r := range t.rows {
		if r.State.Ended() {
			continue
		}
		r.awaits = t.mail.Waits(r.Path, uint32(r.Visit))
		r.waits()
	}
}

// waits sets whether a row waits.
func (r *Row) waits() {
	switch n := len(r.open) + len(r.awaits); {
	case n == 0 && r.State == Waiting:
		r.State = Running
	case len(r.awaits) > 0 && r.State == Running:
		r.State = Waiting
	}
}

// Awaits are the calls that wait for messages, in the order in which they take them.
func (t *Tree) Awaits() []mailbox.Call {
	var all []mailbox.Call
	for _, r := range t.rows {
		all = append(all, r.awaits...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Seq < all[j].Seq })
	return all
}

// routed notes where a row's token went. What is left behind in a subgraph, or an item, that failed is over.
func (t *Tree) routed(r *Row, e *journal.Entry) {
	switch {
	case e.Flags&journal.FlagItem != 0:
		t.giveUp(e.Node[:strings.LastIndexByte(e.Node, '/')+1])
		return
	case e.Flags&journal.FlagCatch != 0:
		t.giveUp(e.Node + "/")
		t.giveUp(node.TaskID(e.Node, int(e.Visit)) + ".")
	}
	if body := bodyOf[journal.RouteBody](e); body.Of == 0 {
		r.Route = targets(e, body)
	}
}

// giveUp marks what was under way where paths begin so: "" is all.
func (t *Tree) giveUp(prefix string) {
	for _, r := range t.rows {
		if !r.State.Ended() && strings.HasPrefix(r.Path, prefix) {
			r.State, r.Ended, r.open, r.awaits = Left, t.Last, nil, nil
		}
	}
}

// bodyOf is the body of an entry; what cannot be read is left out.
func bodyOf[T any](e *journal.Entry) (body T) {
	_ = json.Unmarshal(e.Body, &body)
	return body
}

// targets are where an entry leads to, several where a gate chose several.
func targets(e *journal.Entry, body journal.RouteBody) string {
	if len(body.To) == 0 {
		return target(e.To)
	}
	all := make([]string, len(body.To))
	for i, to := range body.To {
		all[i] = target(to)
	}
	return strings.Join(all, ", ")
}

// applyRun folds an event of the run; rested is how long after the one before it.
func (t *Tree) applyRun(ev *fermata.Event, rested time.Duration) {
	switch e := &ev.Entry; e.Kind {
	case journal.RunStarted:
		t.Status, t.Started = fermata.Running, ev.Time()
		t.until(bodyOf[journal.StartedBody](e).Until)
	case journal.RunPaused:
		t.Status = fermata.Paused
	case journal.RunBlocked:
		t.Status = fermata.Blocked
	case journal.RunResumed:
		body := bodyOf[journal.ResumedBody](e)
		t.Status = fermata.Running
		t.until(body.Until)
		if body.Reason == "recovered" {
			t.unattended(rested)
		}
	case journal.RunUndoing:
		t.giveUp("")
	case journal.RunFinished:
		t.Status = fermata.Status(bodyOf[journal.FinishedBody](e).Status)
		t.giveUp("")
	default:
	}
}

// until notes the run's deadline where an entry says one, in microseconds (law F9).
func (t *Tree) until(at int64) {
	if at != 0 {
		t.Until = time.UnixMicro(at).UTC()
	}
}

// unattended takes the time before a process took the run out of the clocks of what is at work.
func (t *Tree) unattended(d time.Duration) {
	for _, r := range t.rows {
		if r.State == Running && r.Ended.IsZero() {
			r.Started = r.Started.Add(d)
		}
	}
}

// Rest stops the clocks of rows that are still running, when no process owns the run any more.
func (t *Tree) Rest() {
	for _, r := range t.rows {
		if r.State == Running {
			r.State, r.Ended = Left, t.Last
		}
	}
}

// row finds the row of the entry's task, or makes it.
func (t *Tree) row(e *journal.Entry) *Row {
	t.seen[e.Node] = true
	if r := t.current[e.Node]; r != nil {
		if v := int(e.Visit); v > r.Visit {
			r.Visits += v - r.Visit
			r.Visit, r.Attempt = v, 1
		}
		return r
	}
	r := &Row{Path: e.Node, Depth: strings.Count(e.Node, "/"), Visit: int(e.Visit), Visits: 1, State: Running}
	for i := range t.flat {
		if t.flat[i].Path == node.NodeOf(e.Node) {
			r.Attempts = t.flat[i].Retry.Attempts
			break
		}
	}
	t.current[e.Node] = r
	t.rows = slices.Insert(t.rows, t.place(r), r)
	return r
}

// place is where a new row belongs: behind the last one of the same subgraph, or of the same item of a map.
func (t *Tree) place(r *Row) int {
	if r.Depth == 0 {
		return len(t.rows)
	}
	around := r.Path[:strings.LastIndexByte(r.Path, '/')]
	parent, item := around, strings.LastIndexByte(around, '#')
	if item > strings.LastIndexByte(around, '/') {
		parent = around[:item]
	}
	at, near := len(t.rows), false
	for i, other := range t.rows {
		within := strings.HasPrefix(other.Path, around+"/")
		if within || !near && (other.Path == parent || strings.HasPrefix(other.Path, parent+"/") || strings.HasPrefix(other.Path, parent+"#")) {
			at, near = i+1, near || within
		}
	}
	return at
}

func (r *Row) end(s State, ev *fermata.Event) {
	r.State, r.Ended, r.Due, r.open, r.awaits = s, ev.Time(), time.Time{}, nil, nil
	if r.Started.IsZero() {
		r.Started = ev.Time()
	}
}

// applyCall folds in what happened inside the node.
func (r *Row) applyCall(ev *fermata.Event) {
	switch e := &ev.Entry; e.Kind {
	case journal.InterruptOpened:
		q := new(journal.Interrupt)
		if json.Unmarshal(e.Body, q) == nil {
			r.open = append(r.open, q)
		}
		r.State = Waiting
	case journal.InterruptUpdated:
		var body journal.UpdatedBody
		if i := r.find(e.Op); i >= 0 && json.Unmarshal(e.Body, &body) == nil {
			body.Update(r.open[i])
		}
	case journal.InterruptResolved:
		if i := r.find(e.Op); i >= 0 {
			r.open = slices.Delete(r.open, i, i+1)
		}
		r.waits()
	case journal.TimerSet:
		var body journal.TimerBody
		if json.Unmarshal(e.Body, &body) == nil && r.State == Running {
			r.State, r.Due = Sleeping, micro(body.Due)
		}
	case journal.TimerFired:
		if r.State == Sleeping || r.State == Retrying {
			r.State, r.Due = Running, time.Time{}
		}
	case journal.Status, journal.Diagnostic:
		r.Note = lastLine(eventText(ev))
	case journal.StepStarted, journal.StepFinished:
		if r.State == Sleeping {
			r.State, r.Due = Running, time.Time{}
		}
	default:
	}
}

func (r *Row) find(id string) int {
	return slices.IndexFunc(r.open, func(q *journal.Interrupt) bool { return q.ID == id })
}

func micro(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.UnixMicro(at).UTC()
}

func target(to string) string {
	switch to {
	case node.End:
		return "the end"
	case node.Stop:
		return "stop"
	}
	return to
}

// eventText returns the text of an emitted event: a string, the text of an object, or JSON.
func eventText(ev *fermata.Event) string {
	data := ev.Entry.Body
	if len(data) == 0 {
		data = ev.Entry.Value
	}
	if len(data) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		return text
	}
	var object struct {
		Text    string `json:"text"`
		Message string `json:"message"`
		Stderr  string `json:"stderr"` // of a program that an agent called
	}
	if json.Unmarshal(data, &object) == nil {
		if text := cmp.Or(object.Text, object.Message, object.Stderr); text != "" {
			return text
		}
	}
	return string(data)
}

// lastLine is the last line of a text that says something.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
