package machine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Apply folds one entry of the journal into the machine (law J1). An entry that cannot follow what was applied
// before is journal.ErrCorrupt (law J6).
func (m *Machine) Apply(e *journal.Entry) error {
	if e.Node == "" {
		return m.apply(e, -1, nil)
	}
	at := m.index(e.Node)
	return m.apply(e, at, m.Task(at, e.Visit))
}

// apply folds an entry whose node and open task are known: -1 and nil where it has none.
func (m *Machine) apply(e *journal.Entry, at int, t *Task) error {
	if e.Seq != m.head+1 {
		return m.corrupt(e, "expected seq %d", m.head+1)
	}
	if m.status == "" && e.Kind != journal.RunStarted {
		return m.corrupt(e, "a journal begins with run.started")
	}
	if m.status != "" && m.over() && e.Kind != journal.RunResumed {
		return m.corrupt(e, "the run is %s", m.status)
	}
	if e.Base >= e.Seq {
		return m.corrupt(e, "it refers to the value of entry %d, which is not before it", e.Base)
	}
	driven := e.Kind != journal.InterruptUpdated && e.Kind != journal.InterruptResolved // those come from anybody
	if driven && m.status == Running && e.At > m.at && e.Kind != journal.RunResumed && (e.Kind != journal.NodeStarted || e.Attempt == 1) {
		m.active += e.At - m.at // time without a driver does not count, and neither does a backoff
	}
	if err := m.fold(e, at, t); err != nil {
		return err
	}
	if m.head = e.Seq; driven {
		m.at = e.At
	}
	if e.HasValue() && e.Kind.CarriesState() {
		m.value = e.Seq
	}
	return nil
}

func (m *Machine) fold(e *journal.Entry, at int, t *Task) error {
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
	case journal.RunFinished:
		return m.runFinished(e)
	case journal.InterruptUpdated:
		return m.interruptUpdated(e)
	case journal.InterruptResolved:
		return m.interruptResolved(e)
	case journal.TextStart:
		return nil
	case journal.NodeStarted:
		if at < 0 {
			return m.corrupt(e, "it names no node")
		}
		return m.nodeStarted(e, at, t)
	case journal.RouteTaken:
		if at < 0 {
			return m.corrupt(e, "it names no node")
		}
		return m.routeTaken(e, at, t)
	}
	return m.foldTask(e, t)
}

// foldTask folds the entries that are about an open task.
func (m *Machine) foldTask(e *journal.Entry, t *Task) error {
	switch e.Kind {
	case journal.Message, journal.Status, journal.Diagnostic, journal.StructuredData:
		if e.Op == "" { // said by the engine, not by a call
			return nil
		}
	case journal.NodeFinished, journal.NodeRetrying, journal.NodeFailed, journal.NodeSuspended, journal.StepStarted,
		journal.StepFinished, journal.TimerSet, journal.TimerFired, journal.TextEnd, journal.InterruptOpened:
	default:
		return m.corrupt(e, "this kind has no place in the journal of a run")
	}
	if t == nil {
		return m.corrupt(e, "the task is not open")
	}
	if err := m.follows(e, t); err != nil {
		return err
	}
	switch e.Kind {
	case journal.NodeFinished:
		return m.nodeFinished(e, t)
	case journal.NodeRetrying, journal.NodeFailed:
		return m.nodeFailed(e, t)
	case journal.NodeSuspended:
		m.nodeSuspended(e, t)
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
	m.tokens = append(m.tokens, token{at: m.plan.Entry(), ref: e.Seq, fromNode: -1})
	return nil
}

// nodeStarted begins a task: a new one from a token, or the next attempt of one that failed.
func (m *Machine) nodeStarted(e *journal.Entry, at int, t *Task) error {
	if e.Attempt > 1 {
		if t == nil {
			return m.corrupt(e, "attempt %d of a task that is not open", e.Attempt)
		}
		if t.State != Backoff || e.Attempt != t.Attempt+1 {
			return m.corrupt(e, "attempt %d of a task that is %s at attempt %d", e.Attempt, t.State, t.Attempt)
		}
		t.Attempt, t.State, t.RetryAt, t.failed, t.LastWait = e.Attempt, Ready, 0, false, ""
		t.Ops = forgetFailures(t.Ops)
		m.dropInside(t)
		return nil
	}
	tok, ok := m.takeToken(at, e.Base)
	if !ok && m.replanned() && e.Base > 0 {
		tok, ok = token{ref: e.Base, parent: m.enclosing(e.Node)}, true // the journal knows better than the plan
		if m.ended = false; tok.parent != nil {
			tok.parent.State, tok.parent.Result = Inside, 0
		}
	}
	if !ok {
		return m.corrupt(e, "no token with value %d is on its way here", e.Base)
	}
	if e.Visit != m.visits[at]+1 {
		return m.corrupt(e, "expected visit %d", m.visits[at]+1)
	}
	m.visits[at] = e.Visit
	m.started++
	t = m.newTask()
	t.Node, t.Visit, t.Attempt, t.State = at, e.Visit, 1, Ready
	t.Ref, t.Parent, t.Cause = tok.ref, tok.parent, tok.cause
	m.tasks = append(m.tasks, t)
	return nil
}

// enclosing is the open task of the subgraph that a node's path is in, nil at the top.
func (m *Machine) enclosing(path string) *Task {
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 {
		return nil
	}
	at := m.index(path[:cut])
	for _, t := range m.tasks {
		if t.Node == at {
			return t
		}
	}
	return nil
}

// forgetFailures drops the calls that a new attempt makes again: those that failed or were withdrawn.
func forgetFailures(ops []Op) []Op {
	kept := ops[:0]
	for i := range ops {
		if ops[i].Failure == "" {
			kept = append(kept, ops[i])
		}
	}
	clear(ops[len(kept):])
	return kept
}

// takeToken finds the token that a task starts from. Where the plan has changed since, the journal knows better
// than the plan where the token went (law J8).
func (m *Machine) takeToken(at int, ref uint64) (tok token, ok bool) {
	found := -1
	for i := range m.tokens {
		if m.tokens[i].ref == ref {
			if found = i; m.tokens[i].at == at {
				break
			}
		}
	}
	if found >= 0 {
		tok = m.tokens[found]
		if last := len(m.tokens) - 1; found == last {
			m.tokens = m.tokens[:last]
		} else {
			m.tokens = append(m.tokens[:found], m.tokens[found+1:]...)
		}
		return tok, true
	}
	for _, t := range m.tasks {
		if t.State == Choosing && t.Result == ref {
			tok = token{ref: ref, parent: t.Parent}
			m.dropInside(t)
			m.drop(t)
			return tok, true
		}
	}
	return token{}, false
}

func (m *Machine) nodeFinished(e *journal.Entry, t *Task) error {
	ref := t.Ref
	if e.HasValue() {
		ref = e.Seq
	}
	if t.Node < len(m.flat) && m.flat[t.Node].Route != nil {
		t.State, t.Result = Choosing, ref
		return nil
	}
	from, visit, parent := t.Node, t.Visit, t.Parent
	m.dropInside(t)
	m.drop(t)
	if from >= len(m.flat) || len(m.flat[from].Next) == 0 {
		m.endPath(parent, ref)
		return nil
	}
	for _, next := range m.flat[from].Next {
		m.move(next, ref, parent, from, visit, nil)
	}
	return nil
}

// move puts a token on its way, or ends its path.
func (m *Machine) move(at int, ref uint64, parent *Task, fromNode int, fromVisit uint32, cause *node.Failure) {
	switch at {
	case plan.EndIndex:
		m.endPath(parent, ref)
	case plan.StopIndex:
		m.stopped, m.ended, m.final = true, true, m.outside(parent, ref)
		m.tokens = m.tokens[:0]
	default:
		n := len(m.tokens)
		if n < cap(m.tokens) {
			m.tokens = m.tokens[:n+1]
		} else {
			m.tokens = append(m.tokens, token{})
		}
		t := &m.tokens[n]
		t.at, t.ref, t.parent, t.fromNode, t.fromVisit, t.cause = at, ref, parent, fromNode, fromVisit, cause
	}
}

// outside is the value that a run which is stopped ends with: of the state that the run itself has, not of a
// subgraph with a state of its own.
func (m *Machine) outside(parent *Task, ref uint64) uint64 {
	for t := parent; t != nil; t = t.Parent {
		if t.Node >= len(m.flat) || m.flat[t.Node].In != nil || m.flat[t.Node].Out != nil {
			ref = t.Ref
		}
	}
	return ref
}

// endPath ends a path (law F6): of the run, or of the subgraph that it runs in.
func (m *Machine) endPath(parent *Task, ref uint64) {
	if parent == nil {
		m.ended, m.final = true, ref
		return
	}
	parent.State, parent.Result = Leaving, ref
}

func (m *Machine) routeTaken(e *journal.Entry, at int, t *Task) error {
	to := m.target(at, e)
	if t == nil {
		return m.redirect(e, at, to)
	}
	left := e.Flags&(journal.FlagCatch|journal.FlagExpired) != 0
	if err := m.routes(e, t); err != nil {
		return err
	}
	if t.State != Broken && t.State != Choosing && !left { // into a subgraph
		ref := t.Ref
		if e.HasValue() {
			ref = e.Seq
		}
		t.State = Inside
		m.move(to, ref, t, at, e.Visit, nil)
		return nil
	}
	ref, cause := t.Result, (*node.Failure)(nil)
	if left {
		ref = t.Ref
		if t.Result != 0 {
			ref = t.Result
		}
		if e.Flags&journal.FlagCatch != 0 {
			cause = &node.Failure{Task: node.TaskID(e.Node, int(e.Visit)), Message: t.Error.Error}
		}
	}
	parent := t.Parent
	m.dropInside(t)
	m.drop(t)
	m.move(to, ref, parent, at, e.Visit, cause)
	return nil
}

// redirect sends a token where the journal says, when the plan that is folded now would have sent it elsewhere.
func (m *Machine) redirect(e *journal.Entry, from, to int) error {
	for i := range m.tokens {
		if m.tokens[i].fromNode == from && m.tokens[i].fromVisit == e.Visit {
			tok := m.tokens[i]
			m.tokens = append(m.tokens[:i], m.tokens[i+1:]...)
			m.move(to, tok.ref, tok.parent, tok.fromNode, tok.fromVisit, tok.cause)
			return nil
		}
	}
	if m.replanned() {
		return nil // the task that it led to says so itself
	}
	return m.corrupt(e, "the task is not open")
}

// target is the index of the node that a route names: among those that the node declares where it can be.
func (m *Machine) target(at int, e *journal.Entry) int {
	switch e.To {
	case node.End:
		return plan.EndIndex
	case node.Stop:
		return plan.StopIndex
	}
	if at < len(m.flat) {
		for _, choice := range m.flat[at].Choices {
			if choice.Index >= 0 && m.flat[choice.Index].Path == e.To {
				return choice.Index
			}
		}
	}
	return m.index(e.To)
}

func (m *Machine) nodeFailed(e *journal.Entry, t *Task) error {
	body, err := bodyOf[journal.FailedBody](m, e)
	if err != nil {
		return err
	}
	t.Error = body
	if e.Kind == journal.NodeRetrying {
		t.State, t.RetryAt = Backoff, t.Error.RetryAt
		return nil
	}
	t.State, t.failed, t.Result = Broken, true, 0
	if e.HasValue() {
		t.Result = e.Seq
	}
	return nil
}

func (m *Machine) nodeSuspended(e *journal.Entry, t *Task) {
	t.State, t.WaitFor, t.LastWait = Waiting, e.Op, e.Op
	if op := t.Op(e.Op); op != nil && op.Done {
		t.State = Ready
	}
}

func (m *Machine) runResumed(e *journal.Entry) error {
	body, err := bodyOf[journal.ResumedBody](m, e)
	if err != nil {
		return err
	}
	if body.Reason == ReasonFork {
		return m.forked(e, body)
	}
	retry := body.Reason == ReasonRetry
	if retry != m.over() || retry && m.status != Failed && m.status != Expired {
		return m.corrupt(e, "for the reason %q, of a run that is %s", body.Reason, m.status)
	}
	m.status = Running
	m.finished, m.reason = journal.FinishedBody{}, ""
	if body.Reason == ReasonRetry {
		m.stopped = false
		for _, t := range m.tasks {
			t.Ops = slices.DeleteFunc(t.Ops, func(op Op) bool { return op.Failure == node.ErrWithdrawn.Error() }) // asked again
			if !t.failed {
				continue
			}
			if m.hasChild(t) { // a subgraph, also one that this plan does not have
				t.State, t.failed = Inside, false
				continue
			}
			t.State, t.RetryAt = Backoff, e.At
		}
	}
	m.relocate(body.Nodes)
	if body.Fingerprint != "" {
		m.body.Fingerprint = body.Fingerprint
	}
	if body.Definition != "" {
		m.body.Definition = body.Definition
	}
	return nil
}

// dropInside forgets what is left inside a subgraph that failed, or that was left where another plan would have gone on
// (law J8).
func (m *Machine) dropInside(parent *Task) {
	if !m.isSub(parent) && !m.replanned() {
		return
	}
	for _, t := range slices.Clone(m.tasks) {
		if t.Parent == parent {
			m.dropInside(t)
			m.drop(t)
		}
	}
	m.tokens = slices.DeleteFunc(m.tokens, func(t token) bool { return t.parent == parent })
}

func (m *Machine) hasChild(parent *Task) bool {
	for _, t := range m.tasks {
		if t.Parent == parent {
			return true
		}
	}
	return false
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
	if body, ok := m.hint.(T); ok {
		return body, nil
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
