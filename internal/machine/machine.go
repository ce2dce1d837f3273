package machine

import (
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Statuses of a run (law F4).
const (
	Running   = "running"
	Paused    = "paused"
	Completed = "completed"
	Failed    = "failed"
	Cancelled = "cancelled"
	Expired   = "expired"
	Stuck     = "stuck"
)

// State is what a task is doing.
type State uint8

// The states of a task.
const (
	Ready    State = iota // its function runs, or may run (again) from the top
	Waiting               // suspended until Task.WaitFor is done
	Backoff               // failed; tried again at Task.RetryAt
	Inside                // a subgraph: its plan is at work
	Leaving               // a subgraph: its plan is done, its result is Task.Result
	Choosing              // finished; its gate's decision is the next entry
	Broken                // failed for good; where the failure goes is the next entry
)

var stateNames = [...]string{"ready", "waiting", "backoff", "inside", "leaving", "choosing", "failed"}

func (s State) String() string { return stateNames[s] }

// Op is a recorded call of a task.
type Op struct {
	ID        string
	Kind      node.Kind
	Done      bool
	Begun     bool   // intent recorded, outcome not
	Value     []byte // JSON
	Failure   string
	Terminal  bool   // of a failure: no further attempt can change it
	After     int64  // of a failure: the wait that it asks for, microseconds
	Attempt   uint16 // in which attempt it was recorded
	Due       int64  // of a sleep, microseconds
	Interrupt string // id of the interrupt
	Digest    string // of its question
	By        string // who answered
	At        int64  // when, microseconds
}

// Task is one visit of a node that has not come to its end.
type Task struct {
	Node     int // index in the flat plan
	Visit    uint32
	Attempt  uint16
	State    State
	Ref      uint64 // seq of the entry that holds its input
	Result   uint64 // Leaving, Choosing: seq of the entry that holds its result
	Parent   *Task  // the subgraph it runs in, nil at the top
	Cause    *node.Failure
	Ops      []Op
	WaitFor  string // Waiting: id of the op
	LastWait string // the op that its function was last left at
	RetryAt  int64  // Backoff: microseconds
	Error    journal.FailedBody
	failed   bool // Broken tasks that a retry of the run takes up again
	busy     bool // handed out by Next, and nothing heard of it since: not part of the fold
}

// Op finds a recorded call by its identity.
func (t *Task) Op(id string) *Op {
	for i := range t.Ops {
		if t.Ops[i].ID == id {
			return &t.Ops[i]
		}
	}
	return nil
}

// token is a value on its way to a node.
type token struct {
	at        int // flat index of the node that it has reached
	ref       uint64
	parent    *Task
	fromNode  int
	fromVisit uint32
	cause     *node.Failure
}

// Machine is the state of one run. It belongs to one goroutine.
type Machine struct {
	plan   *plan.Plan
	flat   []plan.Flat
	ghosts map[string]int // nodes of the journal that the plan does not have (law J8)
	names  []string       // their paths

	status     string
	head       uint64
	at         int64 // time of the last entry
	visits     []uint32
	started    int
	active     int64 // how long the run has been running, microseconds
	tokens     []token
	tasks      []*Task
	free       []*Task
	interrupts []journal.Interrupt // open and claimed
	closed     []journal.Interrupt // questions closed by the entries of the last Next or Flush
	value      uint64              // the entry that last recorded a value
	final      uint64              // the value of the last path that ended
	ended      bool                // some path has ended
	stopped    bool                // a gate chose Stop
	finished   journal.FinishedBody
	body       journal.StartedBody
	reason     string // why the run can go on, while it is paused

	hint  any // the body of the entry that is being folded, where an input has it at hand
	out   []journal.Entry
	start []Start
	work  Work
}

// Do says what to start a task for.
type Do uint8

// What a task is started for.
const (
	Run   Do = iota // run its function
	Enter           // compute the input of its subgraph
	Leave           // compute its value from its subgraph's result
)

// Start is a task that may start.
type Start struct {
	Do   Do
	Task *Task
}

// Work is what follows. Append is stored before anything in Start happens (law J2).
type Work struct {
	Append []journal.Entry
	Start  []Start
	// Complete says that every path has ended: compute the result of the value Final and Step a Complete.
	Complete bool
	Final    uint64
	// Idle says that nothing can go on by itself: something is awaited, or the run has ended.
	Idle bool
}

// New makes the machine of a run that has no journal yet.
func New(p *plan.Plan) *Machine {
	flat := p.Flat()
	return &Machine{plan: p, flat: flat, visits: make([]uint32, len(flat))}
}

// Status is the run's status, "" before it has started.
func (m *Machine) Status() string { return m.status }

// Head is the seq of the last entry.
func (m *Machine) Head() uint64 { return m.head }

// Started is the body of the run's first entry.
func (m *Machine) Started() journal.StartedBody { return m.body }

// Finished is the body of the run's last entry, once it has ended.
func (m *Machine) Finished() journal.FinishedBody { return m.finished }

// Final is the seq of the entry that holds the value of the last path that ended.
func (m *Machine) Final() uint64 { return m.final }

// Tasks are the tasks that have not come to their end, in the order they started.
func (m *Machine) Tasks() []*Task { return m.tasks }

// Interrupts are the questions that are open or claimed, in the order they were asked.
func (m *Machine) Interrupts() []journal.Interrupt { return m.interrupts }

// Interrupt finds an open question.
func (m *Machine) Interrupt(id string) *journal.Interrupt {
	for i := range m.interrupts {
		if m.interrupts[i].ID == id {
			return &m.interrupts[i]
		}
	}
	return nil
}

// Task finds a task by its node and visit, nil when it has come to its end.
func (m *Machine) Task(nodeIndex int, visit uint32) *Task {
	for _, t := range m.tasks {
		if t.Node == nodeIndex && t.Visit == visit {
			return t
		}
	}
	return nil
}

// Path is the path of a node, also of one that only the journal knows.
func (m *Machine) Path(index int) string {
	if index < len(m.flat) {
		return m.flat[index].Path
	}
	return m.names[index-len(m.flat)]
}

// TaskID is the id of a task: "inner/review#2".
func (m *Machine) TaskID(t *Task) string { return node.TaskID(m.Path(t.Node), int(t.Visit)) }

// Flat is the task's node in the flat plan.
func (m *Machine) Flat(t *Task) *plan.Flat { return &m.flat[t.Node] }

// Fits says why the run cannot go on with this plan, "" when it can: a token or an open task is at a node that the
// plan does not have (law J8).
func (m *Machine) Fits() string {
	for i := range m.tokens {
		if at := m.tokens[i].at; at >= len(m.flat) {
			return fmt.Sprintf("the run is on its way to node %q, which the plan does not have", m.Path(at))
		}
	}
	for _, t := range m.tasks {
		switch {
		case t.Node >= len(m.flat):
			return fmt.Sprintf("task %s is open, and the plan has no node %q", m.TaskID(t), m.Path(t.Node))
		case t.State == Choosing && m.replanned():
			return fmt.Sprintf("task %s has finished, and the plan lets it choose now what follows", m.TaskID(t))
		case t.State == Inside && m.flat[t.Node].Sub == nil:
			return fmt.Sprintf("task %s is inside a subgraph, and the plan has none there", m.TaskID(t))
		case t.State != Inside && t.State != Leaving && m.flat[t.Node].Sub != nil && len(t.Ops) > 0:
			return fmt.Sprintf("task %s has recorded steps, and the plan has a subgraph there", m.TaskID(t))
		}
	}
	return ""
}

// LastValue is the seq of the entry that last recorded a value.
func (m *Machine) LastValue() uint64 { return m.value }

// Closed are the questions that were closed since the last call of Closed, as they ended.
func (m *Machine) Closed() []journal.Interrupt {
	closed := m.closed
	m.closed = nil
	return closed
}

// Flush gives the entries that inputs have made since the last Flush or Next, without looking for what follows.
func (m *Machine) Flush() []journal.Entry {
	out := m.out
	m.out = m.out[:0]
	return out
}

func (m *Machine) index(path string) int {
	if i, ok := m.plan.Index(path); ok {
		return i
	}
	if i, ok := m.ghosts[path]; ok {
		return i
	}
	if m.ghosts == nil {
		m.ghosts = make(map[string]int)
	}
	i := len(m.visits)
	m.ghosts[path] = i
	m.names = append(m.names, path)
	m.visits = append(m.visits, 0)
	return i
}

func (m *Machine) newTask() *Task {
	if n := len(m.free); n > 0 {
		t := m.free[n-1]
		m.free = m.free[:n-1]
		ops := t.Ops[:0]
		*t = Task{Ops: ops}
		return t
	}
	return &Task{}
}

func (m *Machine) drop(t *Task) {
	if last := len(m.tasks) - 1; last >= 0 && m.tasks[last] == t {
		m.tasks = m.tasks[:last]
	} else if i := slices.Index(m.tasks, t); i >= 0 {
		m.tasks = append(m.tasks[:i], m.tasks[i+1:]...)
	}
	if m.flat == nil || t.Node < len(m.flat) && m.flat[t.Node].Sub == nil {
		if len(t.Ops) > 0 {
			clear(t.Ops)
		}
		m.free = append(m.free, t)
	}
}

// Refs lists the values that tokens, open tasks and the end of the run refer to.
func (m *Machine) Refs() []uint64 {
	var refs []uint64
	add := func(ref uint64) {
		if ref != 0 && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	for i := range m.tokens {
		add(m.tokens[i].ref)
	}
	for _, t := range m.tasks {
		add(t.Ref)
		add(t.Result)
	}
	if m.ended || m.final != 0 {
		add(m.final)
	}
	return refs
}

// Uses reports whether anything refers to a value.
func (m *Machine) Uses(ref uint64) bool {
	for i := range m.tokens {
		if m.tokens[i].ref == ref {
			return true
		}
	}
	for _, t := range m.tasks {
		if t.Ref == ref || t.Result == ref {
			return true
		}
	}
	return m.ended && m.final == ref
}

// Busy lists the tasks that were handed out and of which nothing has been heard since, by node and visit.
func (m *Machine) Busy() []Visit {
	var busy []Visit
	for _, t := range m.tasks {
		if t.busy {
			busy = append(busy, Visit{Node: t.Node, Visit: t.Visit})
		}
	}
	return busy
}

// SetBusy marks tasks as handed out, in a machine that was folded anew while they run.
func (m *Machine) SetBusy(busy []Visit) {
	for _, b := range busy {
		if t := m.Task(b.Node, b.Visit); t != nil {
			t.busy = true
		}
	}
}

// Visit names a task.
type Visit struct {
	Node  int
	Visit uint32
}
