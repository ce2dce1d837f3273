package history

import (
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// possibleTasks follows the life of every task by rules that hold on every plan. It refuses only entries that
// no machine writes. It knows less than a machine, since it has no plan.
type possibleTasks struct {
	open    map[string]*possibleTask // by task id
	visits  map[string]uint32        // by path of a node
	inner   map[string]bool          // paths of nodes with tasks inside them
	stopped bool                     // a path has ended the run
	loose   bool                     // a migration or a fork has moved tasks: unknown ones are accepted
	mail    bool                     // messages were sent to the run
}

// possibleTask is an open task.
type possibleTask struct {
	attempt uint16          // number of the attempt
	state   taskState       // of the task
	waits   string          // the call that it waits for, while waiting
	joined  bool            // its branches were not merged: the next attempt does that
	expires bool            // a question of it has expired, and leads elsewhere
	calls   map[string]bool // calls that have begun: whether their outcome is awaited

	receives bool // it has waited for a message
}

type taskState string

const (
	taskReady   taskState = "ready"
	taskWaiting taskState = "waiting"
	taskBackoff taskState = "in backoff"
	taskBroken  taskState = "failed"
	taskDone    taskState = "done"
	taskUnknown taskState = "in a state that only its plan tells"
)

func newPossibleTasks() possibleTasks {
	return possibleTasks{open: make(map[string]*possibleTask), visits: make(map[string]uint32), inner: make(map[string]bool)}
}

// moved drops places that a migration or a fork may have changed.
func (p *possibleTasks) moved() {
	p.loose = true
	clear(p.open)
	clear(p.visits)
}

// again reopens failed tasks for a retry.
func (p *possibleTasks) again() {
	for id, t := range p.open {
		if t.state == taskBroken || p.within(id) {
			t.state = taskUnknown
		}
	}
}

// next checks and records an entry about a task.
func (p *possibleTasks) next(e *journal.Entry) error {
	switch e.Kind {
	case journal.RunStarted, journal.RunPaused, journal.RunResumed, journal.RunBlocked, journal.RunFinished,
		journal.RunHeld, journal.RunReleased, journal.RunUndoing, journal.InterruptUpdated, journal.InterruptResolved, journal.MessageSent, journal.DataInvalidated, journal.TextStart:
		return nil
	case journal.Message, journal.Status, journal.Diagnostic, journal.StructuredData:
		if e.Op == "" {
			return nil
		}
	case journal.NodeSkipped:
		if e.Node == "" {
			return fmt.Errorf("%s names no node", e.Kind)
		}
		return nil
	case journal.NodeStarted:
		return p.begins(e)
	case journal.NodeFinished, journal.NodeCached, journal.NodeRetrying, journal.NodeFailed, journal.NodeSuspended, journal.NodeHeartbeat,
		journal.StepStarted, journal.StepFinished, journal.TimerSet, journal.TimerFired, journal.TextEnd, journal.InterruptOpened, journal.RouteTaken,
		journal.MessageAwaited, journal.MessageReplied, journal.LabelSet:
	default:
		return fmt.Errorf("%s has no place in the journal of a run", e.Kind)
	}
	t := p.open[runstate.TaskName(e)]
	if t == nil && p.loose {
		t = &possibleTask{attempt: e.Attempt, state: taskUnknown}
		p.open[runstate.TaskName(e)] = t
	}
	if t == nil {
		return fmt.Errorf("%s of the task %s, which is not open", e.Kind, runstate.TaskName(e))
	}
	if t.state == taskUnknown {
		t.attempt = max(t.attempt, e.Attempt)
	}
	if e.Kind != journal.RouteTaken && e.Attempt != t.attempt {
		return fmt.Errorf("%s of attempt %d of the task %s, which is at attempt %d", e.Kind, e.Attempt, runstate.TaskName(e), t.attempt)
	}
	if !p.takes(e, t) {
		return fmt.Errorf("%s of the task %s, which is %s", e.Kind, runstate.TaskName(e), t.state)
	}
	return p.take(e, t)
}

// begins checks the start of a task or of its next attempt.
func (p *possibleTasks) begins(e *journal.Entry) error {
	name := runstate.TaskName(e)
	t := p.open[name]
	if e.Node == "" {
		return fmt.Errorf("%s names no node", e.Kind)
	}
	if e.Attempt > 1 && (t != nil || !p.loose) {
		switch {
		case t == nil:
			return fmt.Errorf("attempt %d of the task %s, which is not open", e.Attempt, name)
		case t.state != taskUnknown && (t.state != taskBackoff && !t.joined || e.Attempt != t.attempt+1):
			return fmt.Errorf("attempt %d of the task %s, which is %s at attempt %d", e.Attempt, name, t.state, t.attempt)
		}
		t.attempt, t.state, t.waits = e.Attempt, taskReady, ""
		return nil
	}
	last, known := p.visits[e.Node]
	if t != nil {
		return fmt.Errorf("the task %s begins a second time", name)
	}
	if e.Visit != last+1 && (known || !p.loose) {
		return fmt.Errorf("the task %s begins; expected visit %d", name, last+1)
	}
	p.visits[e.Node] = e.Visit
	p.open[name] = &possibleTask{attempt: max(e.Attempt, 1), state: taskReady, joined: len(e.Body) > 0 && !e.HasValue()}
	for outer := e.Node; ; {
		cut := strings.LastIndexByte(outer, '/')
		if cut < 0 {
			return nil
		}
		if cut == len(outer)-1 {
			return fmt.Errorf("%q is no path of a node", e.Node)
		}
		outer = outer[:cut]
		around := outer
		if item := strings.LastIndexByte(outer, '.'); item > strings.LastIndexByte(outer, '#') && item > strings.LastIndexByte(outer, '/') {
			around = outer[:item] // of a map: "notify#1.3" is in the task notify#1
		}
		if path, _ := nodehost.CutTask(around); path != "" {
			p.inner[path] = true
		}
		p.inner[outer] = true // also if a name contains a dot
	}
}

// within reports whether tasks have started within a task.
func (p *possibleTasks) within(id string) bool {
	path, _ := nodehost.CutTask(id)
	return p.inner[path]
}

// takes reports whether an entry may come for a task in its state. Tasks with others inside are checked only
// for waits.
func (p *possibleTasks) takes(e *journal.Entry, t *possibleTask) bool {
	waiting, inside := t.state == taskWaiting, p.within(runstate.TaskName(e))
	switch {
	case t.state == taskUnknown:
		return true
	case e.Kind == journal.RouteTaken && t.state == taskReady && strings.HasPrefix(e.To, e.Node+"/"):
		return true // it chooses where to start within the task
	case e.Kind == journal.RouteTaken && t.state == taskReady && e.Flags&journal.FlagItem == 0 && givesItem(e):
		return true // a map gives an item its value
	case e.Kind == journal.RouteTaken:
		return t.state == taskDone || inside && !waiting || t.state == taskBroken && e.Flags&journal.FlagCatch != 0 || t.expires && e.Flags&journal.FlagExpired != 0
	case e.Kind == journal.TimerFired:
		return waiting && t.calls[e.Op]
	case e.Kind == journal.TimerSet && waiting:
		return nodehost.CallKind(t.waits) == nodehost.KindSleep && e.Op != ""
	case e.Kind == journal.NodeSuspended && waiting:
		return true
	case e.Kind == journal.NodeHeartbeat:
		return t.state == taskReady && len(e.Value) > 0
	case e.Kind == journal.NodeFinished, e.Kind == journal.NodeCached, e.Kind == journal.NodeFailed, e.Kind == journal.NodeRetrying, e.Kind == journal.NodeSuspended:
		return t.state == taskReady || inside && !waiting
	}
	return e.Op != "" && (t.state == taskReady || inside && !waiting)
}

func (p *possibleTasks) take(e *journal.Entry, t *possibleTask) error {
	switch e.Kind {
	case journal.NodeFinished, journal.NodeCached:
		t.state, t.calls = taskDone, nil
	case journal.NodeFailed:
		t.state = taskBroken
	case journal.NodeRetrying:
		t.state = taskBackoff
	case journal.NodeSuspended:
		t.state, t.waits = taskWaiting, e.Op
		if done, known := t.calls[e.Op]; known && !done {
			t.state = taskReady // answered before the function had ended
		}
		if p.mail && t.receives {
			t.state = taskUnknown // it may have got one of the messages
		}
	case journal.RouteTaken:
		p.stopped = p.stopped || e.To == node.Stop || len(e.Body) > 0
		if t.state == taskReady && (strings.HasPrefix(e.To, e.Node+"/") || givesItem(e)) {
			p.inner[e.Node] = true
			return nil
		}
		t.state = taskUnknown
		if !p.within(runstate.TaskName(e)) && e.Flags&journal.FlagItem == 0 {
			delete(p.open, runstate.TaskName(e))
		}
	case journal.TimerSet:
		t.call(e.Op, true)
		t.state, t.waits = taskWaiting, e.Op
	case journal.TimerFired:
		t.over(e.Op)
	case journal.MessageAwaited:
		t.receives = true
		t.call(e.Op, true)
	case journal.StepFinished, journal.StructuredData:
		t.call(e.Op, false)
	default:
	}
	return nil
}

// sent lets tasks go on that wait for a message. Which of them takes it, only a machine tells.
func (p *possibleTasks) sent() {
	p.mail = true
	for _, t := range p.open {
		if t.receives && t.state == taskWaiting {
			t.state = taskUnknown
		}
	}
}

// givesItem reports whether a map gives an item its value.
func givesItem(e *journal.Entry) bool {
	item := 0
	return len(e.Body) > 0 && read(e, func(b *journal.RouteBody) { item = b.Item }) == nil && item > 0
}

func (t *possibleTask) call(id string, awaited bool) {
	if t.calls == nil {
		t.calls = make(map[string]bool)
	}
	t.calls[id] = awaited
}

// over records the outcome of a call, and wakes the waiting task.
func (t *possibleTask) over(call string) {
	t.call(call, false)
	if t.state == taskWaiting && (call == t.waits || t.waits == "" || nodehost.CallInside(call, t.waits)) {
		t.state, t.waits = taskReady, ""
	}
}

// unfinished returns a task that a completed run cannot have; "" for none. Tasks inside others may have been
// dropped.
func (p *possibleTasks) unfinished() string {
	if p.stopped {
		return ""
	}
	for id, t := range p.open {
		switch t.state {
		case taskReady, taskWaiting, taskBackoff, taskBroken:
			if !strings.Contains(id, "/") && !p.within(id) {
				return id
			}
		case taskDone, taskUnknown:
		}
	}
	return ""
}

// asks records a question of an open task.
func (p *possibleTasks) asks(e *journal.Entry, q *journal.Interrupt) error {
	t := p.open[runstate.TaskName(e)]
	switch awaited := t.calls[q.Op]; {
	case q.Op == "":
		return fmt.Errorf("interrupt %s is of no call", q.ID)
	case q.Task != runstate.TaskName(e) && !p.loose:
		return fmt.Errorf("interrupt %s is of the task %s, its entry of %s", q.ID, q.Task, runstate.TaskName(e))
	case awaited:
		return fmt.Errorf("interrupt %s is of the call %q, which has asked already", q.ID, q.Op)
	}
	t.call(q.Op, true)
	return nil
}

// closed wakes the task of a closed question.
func (p *possibleTasks) closed(q *journal.Interrupt, elsewhere bool) {
	if t := p.open[q.Task]; t != nil {
		t.over(q.Op)
		t.expires = t.expires || elsewhere
	}
}

// resumedAs reopens tasks as a run.resumed entry demands.
func (p *possibleTasks) resumedAs(body *journal.ResumedBody) {
	switch {
	case body.Reason == machine.ReasonFork, body.Reason == machine.ReasonReplan, len(body.Nodes) > 0:
		p.moved()
	case body.Reason == machine.ReasonRetry:
		p.again()
	}
}
