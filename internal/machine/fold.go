package machine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Apply folds one entry of the journal into the machine (law J1). An entry that cannot follow what was applied
// before is journal.ErrCorrupt (law J6).
func (m *Machine) Apply(e *journal.Entry) error {
	if e.Node == "" {
		return m.apply(e, place0, nil)
	}
	if e.Kind == journal.NodeStarted && e.Attempt <= 1 {
		m.beginItem(e.Node)
	}
	sp, at := m.resolve(e.Node)
	return m.apply(e, spot{at: at, space: sp}, m.find(sp, at, e.Visit))
}

// spot is where an entry belongs: a node, and the space that counts its visits.
type spot struct {
	at    int    // flat index; -1 for the run
	space *space // nil for the run
}

// place0 is the spot of entries about the run.
var place0 = spot{at: -1}

// apply folds an entry whose node and open task are known.
func (m *Machine) apply(e *journal.Entry, at spot, t *Task) error {
	if e.Seq != m.head+1 {
		return m.corrupt(e, "expected seq %d", m.head+1)
	}
	if m.status == "" && e.Kind != journal.RunStarted {
		return m.corrupt(e, "a journal begins with run.started")
	}
	if m.status != "" && m.over() && e.Kind != journal.RunResumed && !m.mayFollowBlock(e.Kind) {
		return m.corrupt(e, "the run is %s", m.status)
	}
	if e.Base >= e.Seq {
		return m.corrupt(e, "it refers to the value of entry %d, which is not before it", e.Base)
	}
	byOwner := !FromOutside(e.Kind)
	if byOwner && m.status == Running && e.At > m.at && m.wasExecuted(e) {
		m.active += e.At - m.at // time without an owner does not count, and neither does a backoff
	}
	if err := m.fold(e, at, t); err != nil {
		return err
	}
	if m.head = e.Seq; byOwner {
		m.at = e.At
	}
	m.latest = max(m.latest, e.At)
	if m.takeovers.n > 0 && getsFurther(e.Kind) {
		m.takeovers = takeovers{}
	}
	if e.HasValue() && e.Kind.CarriesState() {
		m.value = e.Seq
	}
	return nil
}

func (m *Machine) fold(e *journal.Entry, at spot, t *Task) error {
	switch e.Kind {
	case journal.RunStarted:
		return m.runStarted(e)
	case journal.RunPaused:
		if m.status != Running {
			return m.corrupt(e, "the run is %s", m.status)
		}
		m.status = Paused
		return nil
	case journal.RunResumed:
		return m.runResumed(e)
	case journal.RunBlocked:
		return m.runBlocked(e)
	case journal.RunUndoing:
		return m.runUndoing(e)
	case journal.RunHeld:
		return m.runHeld(e)
	case journal.RunReleased:
		return m.runReleased(e)
	case journal.RunFinished:
		return m.runFinished(e)
	case journal.InterruptUpdated:
		return m.interruptUpdated(e)
	case journal.InterruptResolved:
		return m.interruptResolved(e)
	case journal.MessageSent:
		return m.messageSent(e)
	case journal.TextStart:
		if t == nil {
			return nil
		}
		return m.opEntry(e, t)
	case journal.NodeStarted:
		if at.at < 0 {
			return m.corrupt(e, "it names no node")
		}
		return m.nodeStarted(e, at, t)
	case journal.RouteTaken:
		if at.at < 0 {
			return m.corrupt(e, "it names no node")
		}
		return m.routeTaken(e, at, t)
	case journal.NodeSkipped:
		if at.at < 0 {
			return m.corrupt(e, "it names no node")
		}
		return m.flowSkipped(e, at)
	}
	return m.foldTask(e, t)
}

// foldTask folds the entries that are about an open task.
func (m *Machine) foldTask(e *journal.Entry, t *Task) error {
	switch e.Kind {
	case journal.DataInvalidated:
		return nil
	case journal.Message, journal.Status, journal.Diagnostic, journal.StructuredData:
		if e.Op == "" { // of the engine, not of a call
			return nil
		}
	case journal.NodeFinished, journal.NodeCached, journal.NodeRetrying, journal.NodeFailed, journal.NodeSuspended,
		journal.NodeHeartbeat, journal.StepStarted, journal.StepFinished, journal.TimerSet, journal.TimerFired, journal.TextEnd, journal.InterruptOpened,
		journal.MessageAwaited, journal.MessageReplied, journal.LabelSet:
	default:
		return m.corrupt(e, "this kind has no place in the journal of a run")
	}
	if t == nil {
		return m.lose(e)
	}
	if err := m.follows(e, t); err != nil {
		return err
	}
	switch e.Kind {
	case journal.NodeFinished, journal.NodeCached:
		m.reach(t)
		return m.nodeFinished(e, t)
	case journal.NodeRetrying, journal.NodeFailed:
		return m.nodeFailed(e, t)
	case journal.NodeSuspended:
		m.nodeSuspended(e, t)
		return nil
	case journal.NodeHeartbeat:
		t.Beat = e.Value
		return nil
	case journal.InterruptOpened:
		return m.interruptOpened(e, t)
	}
	return m.opEntry(e, t)
}

func (m *Machine) runStarted(e *journal.Entry) error {
	if m.status != "" {
		return m.corrupt(e, "the run has started already")
	}
	body, err := bodyOf[journal.StartedBody](m, e)
	if err != nil {
		return err
	}
	m.body, m.status = body, Running
	m.setBreaks(body.Breaks)
	if d := m.plan.Dataflow(); d != nil {
		m.openRoot(d, e.Seq)
		return nil
	}
	m.spread(token{ref: e.Seq, own: true, scope: &m.root, via: e.Seq, fromNode: -1}, m.plan.Entries())
	return nil
}

// nodeStarted begins a task: a new one from a token, or the next attempt of one that failed.
func (m *Machine) nodeStarted(e *journal.Entry, at spot, t *Task) error {
	if e.Attempt > 1 {
		return m.nextAttempt(e, t)
	}
	if m.IsUndoing() {
		return m.undoStarted(e, at)
	}
	if len(m.passed) > 0 {
		m.pass(e)
	}
	if s := m.flowOf(at); s != nil && s.flow != nil {
		return m.flowStarted(e, at, s)
	}
	var tok token
	var taken []arrival
	var err error
	if len(e.Body) > 0 || e.HasValue() {
		tok, taken, err = m.takeTokens(e, at)
	} else {
		tok, err = m.takeToken(e, at)
	}
	if err != nil {
		return err
	}
	if tok.scope == nil {
		return m.lose(e)
	}
	if len(taken) == 1 && e.HasValue() && !m.replanned() {
		return m.corrupt(e, "a value that nothing was merged into")
	}
	visit := m.visit(at.space, at.at)
	if e.Visit != *visit+1 && m.replanned() {
		return m.lose(e)
	}
	if e.Visit != *visit+1 {
		return m.corrupt(e, "expected visit %d", *visit+1)
	}
	*visit = e.Visit
	t = m.newTask()
	m.count(t, at.space)
	t.ID, t.Node, t.Visit, t.Attempt = e.Seq, at.at, e.Visit, 1
	t.Ref, t.Own, t.scope, t.leaves, t.Cause = tok.ref, tok.own, tok.scope, tok.leaves, tok.cause
	t.scope.live++
	if len(taken) > 1 || e.HasValue() {
		m.meet(e, t, taken)
	}
	m.set(t, Ready)
	m.tasks = append(m.tasks, t)
	return nil
}

// meet notes what a join has taken. Where the entry holds no value, the branches could not be merged: the task keeps
// them for its next attempt.
func (m *Machine) meet(e *journal.Entry, t *Task, taken []arrival) {
	if f := soleFork(taken); f != nil {
		t.leaves = f.merged(taken)
	} else {
		_, t.leaves = m.planMerge(taken)
	}
	if e.HasValue() {
		t.Ref, t.Own = e.Seq, true
		return
	}
	t.taken, t.Ref, t.Own = taken, e.Base, false
}

// nextAttempt begins the next attempt of a task that failed.
func (m *Machine) nextAttempt(e *journal.Entry, t *Task) error {
	if t == nil && !m.replanned() {
		return m.corrupt(e, "attempt %d of a task that is not open", e.Attempt)
	}
	if t == nil {
		return m.lose(e)
	}
	fits := (t.State == Backoff || t.Joined()) && e.Attempt == t.Attempt+1
	if !fits && m.replanned() {
		return m.lose(e)
	}
	if !fits {
		return m.corrupt(e, "attempt %d of a task that is %s at attempt %d", e.Attempt, t.State, t.Attempt)
	}
	t.Attempt, t.RetryAt, t.failed, t.LastWait = e.Attempt, 0, false, ""
	t.Ops = forgetFailures(t.Ops)
	if t.items != nil {
		m.mapAgain(t)
		return nil
	}
	m.dropInside(t)
	if e.HasValue() { // its branches are merged now
		t.taken, t.Ref, t.Own = nil, e.Seq, true
	}
	m.set(t, Ready)
	return nil
}

// enclosing is the open task of the subgraph that a node's path is in, nil at the top. Of several it is the one in which
// a path has ended with the value.
func (m *Machine) enclosing(path string, ref uint64) *Task {
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 {
		return nil
	}
	path = path[:cut]
	if item := strings.LastIndexByte(path, '.'); item > strings.LastIndexByte(path, '#') && item > strings.LastIndexByte(path, '/') {
		path = path[:item] // of a map: "notify#1.3" is in the task notify#1
	}
	var found *Task
	for _, t := range m.tasks {
		p := m.Path(t)
		switch {
		case strings.HasPrefix(path, p+"#") && m.TaskID(t) == path:
			return t
		case p != path:
		case t.inside != nil && slices.ContainsFunc(t.inside.ends, func(a arrival) bool { return a.ref == ref }):
			return t // a path inside of it ended here, on this plan
		case found == nil:
			found = t
		}
	}
	return found
}

// forgetFailures drops the calls that a new attempt repeats: failed and withdrawn ones. Failed reasoning starts
// again and keeps its count of tries. A failed call in reasoning that went on stays.
func forgetFailures(ops []Op) []Op {
	kept, drop := ops[:0], forgotten(ops)
	for i := range ops {
		switch op := &ops[i]; {
		case !drop[i]:
			kept = append(kept, *op)
		case op.Kind == nodehost.KindReason:
			kept = append(kept, Op{ID: op.ID, Kind: op.Kind, Attempt: op.Attempt, Tries: op.Tries + 1})
		}
	}
	clear(ops[len(kept):])
	return kept
}

// forgotten says of each call whether a new attempt makes it again: it failed, is text that was shown in one that did, or
// has read a heartbeat.
func forgotten(ops []Op) []bool {
	drop := make([]bool, len(ops))
	for i := range ops {
		drop[i] = ops[i].Failure != "" && !wentOn(ops[i].ID, ops[i+1:]) || ops[i].Kind == nodehost.KindHeartbeat
	}
	for i := range ops {
		if drop[i] {
			for j := range ops {
				drop[j] = drop[j] || isText(ops[j].Kind) && nodehost.CallInside(ops[j].ID, ops[i].ID)
			}
		}
	}
	return drop
}

func isText(kind nodehost.Kind) bool {
	return kind == nodehost.KindStream || kind == nodehost.KindChunks
}

// Unsaid returns the calls whose text was shown to its end and will be shown again by a new attempt.
func (t *Task) Unsaid() (calls []string) {
	if !slices.ContainsFunc(t.Ops, func(op Op) bool { return op.Failure != "" }) {
		return nil
	}
	for i, drop := range forgotten(t.Ops) {
		if op := &t.Ops[i]; drop && op.Done && isText(op.Kind) {
			calls = append(calls, op.ID)
		}
	}
	return calls
}

// wentOn reports whether a call was made in reasoning that has asked its model again after it.
func wentOn(id string, later []Op) bool {
	scope := nodehost.CallScope(id)
	return nodehost.CallKind(scope) == nodehost.KindReason && slices.ContainsFunc(later, func(op Op) bool {
		return op.Kind == nodehost.KindModel && nodehost.CallScope(op.ID) == scope
	})
}

func (m *Machine) nodeFailed(e *journal.Entry, t *Task) error {
	body, err := bodyOf[journal.FailedBody](m, e)
	if err != nil {
		return err
	}
	t.Error = body
	m.stopReceiving(t)
	if m.undoFailed(e, t, &body) {
		return nil
	}
	if e.Kind == journal.NodeRetrying {
		m.set(t, Backoff)
		t.RetryAt = t.Error.RetryAt
		return nil
	}
	m.noteWork()
	m.reach(t)
	m.done(t, e.Seq, t.Ref, false)
	m.set(t, Broken)
	t.failed, t.Result = true, 0
	if e.HasValue() {
		t.Result = e.Seq
	}
	return nil
}

func (m *Machine) runResumed(e *journal.Entry) error {
	body, err := bodyOf[journal.ResumedBody](m, e)
	if err != nil {
		return err
	}
	if body.Until != 0 {
		m.body.Until = body.Until
	}
	if body.Reason == ReasonReplaced {
		return m.replaced(e, &body)
	}
	if m.body.Debounced { // it begins, which frees the key
		m.body.Dedup = ""
	}
	if body.Reason == ReasonFork {
		m.pauses++
		return m.forked(e, body)
	}
	retry := body.Reason == ReasonRetry
	if m.status != Blocked && (retry != m.over() || retry && m.status != Failed && m.status != Expired) {
		return m.corrupt(e, "for the reason %q, of a run that is %s", body.Reason, m.status)
	}
	if err := m.noLongerUndoing(e, retry && m.status != Blocked, false); err != nil {
		return err
	}
	m.takenOver(e, &body)
	if m.status == Paused || retry {
		m.pauses++
	}
	m.status = Running
	m.finished, m.reason = journal.FinishedBody{}, ""
	if body.Reason == ReasonRetry {
		for _, t := range m.tasks {
			m.takeUpAgain(t)
		}
	}
	m.Rename(body.Nodes, body.Values)
	if body.Breaks != nil {
		m.setBreaks(body.Breaks)
	}
	if e.HasValue() && body.Reason == ReasonReplan {
		m.converted(e)
	}
	if body.Fingerprint != "" {
		m.body.Fingerprint = body.Fingerprint
	}
	if body.Definition != "" {
		m.body.Definition = body.Definition
	}
	m.touchAll()
	return nil
}

// takeUpAgain lets a task go on that has failed; what it asked and was taken back is asked again. A subgraph goes on
// inside of it; one that is done, and could only not be left, is not run again (laws J4 and F2).
func (m *Machine) takeUpAgain(t *Task) {
	t.Ops = slices.DeleteFunc(t.Ops, func(op Op) bool { return op.Failure == node.ErrWithdrawn.Error() })
	if !t.failed {
		return
	}
	t.failed = false
	m.takeBack(t)
	switch {
	case t.items != nil:
		m.goOn(t)
	case m.hasChild(t):
		m.set(t, Inside)
	case t.inside != nil && t.inside.flow != nil && !t.inside.flow.over:
		m.set(t, Inside)
	case t.inside != nil && len(t.inside.ends) > 0:
		t.Result = t.inside.ends[0].ref
		m.set(t, Leaving)
	default:
		m.set(t, Backoff)
		t.RetryAt = 0 // at once, whatever a clock shows
	}
}

func (m *Machine) runFinished(e *journal.Entry) error {
	body, err := bodyOf[journal.FinishedBody](m, e)
	if err != nil {
		return err
	}
	switch body.Status {
	case Completed, Failed, Cancelled, Expired, Stuck:
	default:
		return m.corrupt(e, "with the status %q", body.Status)
	}
	m.finished, m.status = body, body.Status
	m.letGo()
	m.passed, m.reached = nil, nil
	if m.status == Completed {
		m.final = e.Base
		if e.HasValue() {
			m.final = e.Seq
		}
	}
	return nil
}

// bodyOf is the body of an entry: the one that an input has just encoded, or else decoded from the entry.
func bodyOf[T any](m *Machine, e *journal.Entry) (T, error) {
	if body, ok := m.hint.(*T); ok {
		return *body, nil
	}
	if len(e.Body) == 0 {
		var none T
		return none, nil
	}
	var body T
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return body, m.corrupt(e, "%v", err)
	}
	return body, nil
}
