package machine

import (
	"fmt"

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
	Blocked   = "blocked"
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
	Tries     int    // of reasoning: how often it has failed, in earlier attempts
	Value     []byte // JSON
	Failure   string
	Terminal  bool           // of a failure: no further attempt can change it
	After     int64          // of a failure: the wait that it asks for, microseconds
	Marks     *journal.Marks // of a failure: what else is known of it
	Attempt   uint16         // in which attempt it was recorded
	Place     uint64         // seq of the entry that it was first recorded with in that attempt
	Apart     bool           // made in a goroutine that the node had started
	Due       int64          // of a sleep, microseconds
	Interrupt string         // id of the interrupt
	Digest    string         // of its question
	Shape     string         // of a reasoning: see journal.StepBody
	By        string         // who answered
	At        int64          // when, microseconds
	Usage     *journal.Usage
}

// Task is one visit of a node that has not come to its end.
type Task struct {
	ID       uint64 // the seq of the entry that began it: no other task of the run has it
	Node     int    // index in the flat plan
	Visit    uint32
	Attempt  uint16
	State    State
	Ref      uint64 // seq of the entry that holds its input
	Result   uint64 // Leaving, Choosing: seq of the entry that holds its result
	Own      bool   // nothing else refers to its input
	Cause    *node.Failure
	Ops      []Op
	WaitFor  string // Waiting: id of the op, or of what all that it waits for is inside of; "" for any op
	LastWait string // the op that its function was last left at
	Beat     []byte // the last value that it gave as a heartbeat, JSON
	RetryAt  int64  // Backoff: microseconds
	Error    journal.FailedBody

	Began string // the id that it began with, where a migration has given it another since; "" for its own

	scope *scope
	slots []slot // of a dataflow: what it was given, in the order of its node's inputs

	unplaced map[string]uint64 // of a dataflow: what it was given, by name, where the plan would have given it something else

	leaves []leaf    // the branches that its token stands for
	taken  []arrival // a join whose branches are not merged yet
	inside *scope    // Inside, Leaving: of a subgraph that runs once
	items  []item    // Inside, Leaving: of a map
	of     int       // how many items there are
	begun  int       // how many were taken up
	active int       // how many items are at work
	over   int       // how many have ended
	failed bool      // Broken tasks that a retry of the run takes up again
	busy   bool      // handed out by Next, and nothing heard of it since: not part of the fold
	listed bool      // in the list of tasks that Next looks at: not part of the fold
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

// Parent is the subgraph's task that it runs in, nil at the top.
func (t *Task) Parent() *Task { return t.scope.parent }

// Joined reports whether the task stands at a join whose branches are not merged yet.
func (t *Task) Joined() bool { return len(t.taken) > 0 }

// token is a value on its way to a node.
type token struct {
	at        int // flat index of the node that it has reached
	ref       uint64
	own       bool // nothing else refers to its value
	scope     *scope
	leaves    []leaf
	via       uint64 // seq of the entry that sent it
	fromNode  int
	fromVisit uint32
	cause     *node.Failure
	busy      bool // its join is being merged: not part of the fold
}

// Machine is the state of one run. It belongs to one goroutine at a time.
type Machine struct {
	plan   *plan.Plan
	flat   []plan.Flat
	ghosts map[string]int // nodes of the journal that the plan does not have (law J8)
	names  []string       // their paths

	status     string
	head       uint64
	at         int64 // time of the last entry that a driver wrote
	latest     int64 // the latest time of an entry: later entries have no earlier one (law J12)
	started    int
	most       int   // how many tasks may start: given
	active     int64 // how long the run has been running, microseconds
	root       scope
	space      space             // of the run and its subgraphs, but not of maps
	scopes     map[string]*scope // of the items of maps, by what their tasks' paths begin with
	tokens     []token
	tasks      []*Task
	free       []*Task
	interrupts []journal.Interrupt // open and claimed
	people     People
	closed     []journal.Interrupt // questions closed by the entries of the last Next or Flush
	dropped    []string            // timers of tasks that were dropped by the entries of the last Next or Flush
	value      uint64              // the entry that last recorded a value
	final      uint64              // the value that the run ends with
	stopped    bool                // a gate chose Stop
	finished   journal.FinishedBody
	body       journal.StartedBody
	blocked    journal.BlockedBody // why, while it is
	takeovers  takeovers
	reason     string // why the run can go on, while it is paused
	used       usages
	lost       string // a task that cannot be followed on this plan (law J8)

	touched   []*scope // dataflows that Next has to look at: not part of the fold
	beginning beginning

	walk    uint64     // how often values were walked: not part of the fold
	ready   []*Task    // tasks that may have to be handed out: not part of the fold
	spare   []*Task    // room for ready
	waits   []crossing // joins that have to wait, while Next looks at tokens
	busy    int        // how many tasks are handed out, and joins being merged: not part of the fold
	broken  int        // how many tasks have failed for good and are not dealt with
	backoff int        // how many tasks wait for their next attempt
	waiting int        // how many tasks wait
	mapped  int        // how many maps have items that were not taken up

	unread bool // nobody reads the entries: given
	hint   any  // the body of the entry that is being folded, where an input has it at hand
	out    []journal.Entry
	start  []Start
	work   Work
}

// Do says what to start a task for.
type Do uint8

// What a task is started for.
const (
	Run   Do = iota // run its function
	Enter           // compute the input of its subgraph, or the items of its map
	Leave           // compute its value from its subgraph's result, or from those of its items
	Merge           // merge the branches at a join, then Join
	Fail            // its subgraph has failed: deal with the failure of Leaf
)

// Start is a task that may start.
type Start struct {
	Do   Do
	Task *Task // nil for a Merge whose task is not there yet
	Leaf *Task // Fail: the task that failed first
	Join *Join // Merge
}

// Work is what follows. Append is stored before anything in Start happens (law J2).
type Work struct {
	Append []journal.Entry
	Start  []Start
	// Complete says that every path has ended: compute the run's result (see Ending) and Step a Complete.
	Complete bool
	// Idle says that nothing can go on by itself: something is awaited, or the run has ended.
	Idle bool
	// Doomed says that a task has failed the run, which ends once all that is at work has ended (law F2).
	Doomed bool
}

// New makes the machine of a run that has no journal yet.
func New(p *plan.Plan) *Machine {
	flat := p.Flat()
	m := &Machine{plan: p, flat: flat, most: p.Limits().Tasks}
	m.space.visits = make([]uint32, len(flat))
	m.root.space = &m.space
	return m
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

// Task finds a task by the id of its node's path and its visit, nil when it has come to its end.
func (m *Machine) Task(path string, visit uint32) *Task {
	sp, at := m.lookup(path)
	return m.find(sp, at, visit)
}

// ByID finds a task, nil when it has come to its end.
func (m *Machine) ByID(id uint64) *Task {
	for _, t := range m.tasks {
		if t.ID == id {
			return t
		}
	}
	return nil
}

func (m *Machine) find(sp *space, at int, visit uint32) *Task {
	for _, t := range m.tasks {
		if t.Node == at && t.Visit == visit && (t.scope.space == sp || at >= len(m.flat)) {
			return t
		}
	}
	return nil
}

// Path is the path of a task's node, with the items that it is in: "notify#1.3/send".
func (m *Machine) Path(t *Task) string { return m.pathOf(t.scope.space, t.Node) }

// TaskID is the id of a task: "inner/review#2".
func (m *Machine) TaskID(t *Task) string { return node.TaskID(m.Path(t), int(t.Visit)) }

// Flat is the task's node in the flat plan.
func (m *Machine) Flat(t *Task) *plan.Flat { return &m.flat[t.Node] }

// Fits says why the run cannot go on with this plan, "" when it can: a token or an open task is at a node that the
// plan does not have (law J8).
func (m *Machine) Fits() string {
	if m.lost != "" {
		return fmt.Sprintf("what became of task %s cannot be told on this plan", m.lost)
	}
	for i := range m.tokens {
		if at := m.tokens[i].at; at >= len(m.flat) {
			return fmt.Sprintf("the run is on its way to node %q, which the plan does not have", m.pathOf(m.tokens[i].scope.space, at))
		}
	}
	for _, t := range m.tasks {
		switch {
		case t.Node >= len(m.flat):
			return fmt.Sprintf("task %s is open, and the plan has no node %q", m.TaskID(t), m.Path(t))
		case t.State == Choosing && m.replanned():
			return fmt.Sprintf("task %s has finished, and the plan lets it choose now what follows", m.TaskID(t))
		case t.State == Inside && m.flat[t.Node].Sub == nil:
			return fmt.Sprintf("task %s is inside a subgraph, and the plan has none there", m.TaskID(t))
		case t.State != Inside && t.State != Leaving && m.flat[t.Node].Sub != nil && len(t.Ops) > 0 && m.replanned():
			return fmt.Sprintf("task %s has recorded steps, and the plan has a subgraph there", m.TaskID(t))
		case t.items != nil && !m.isMap(t), t.State == Inside && t.items == nil && m.isMap(t):
			return fmt.Sprintf("task %s is inside, and whether it runs its subgraph once or for each item of a list has changed", m.TaskID(t))
		}
	}
	if stray := m.stray(); stray != "" {
		return fmt.Sprintf("a gate has chosen node %q, which the plan does not have", stray)
	}
	return m.inBranches()
}

// LastValue is the seq of the entry that last recorded a value.
func (m *Machine) LastValue() uint64 { return m.value }

// Closed are the questions that were closed since the last call of Closed, as they ended.
func (m *Machine) Closed() []journal.Interrupt {
	closed := m.closed
	m.closed = nil
	return closed
}

// Dropped are the timers that nobody waits for any more since the last call of Dropped, of tasks that were given up.
func (m *Machine) Dropped() []string {
	dropped := m.dropped
	m.dropped = nil
	return dropped
}

// Flush gives the entries that inputs have made since the last Flush or Next, without looking for what follows.
func (m *Machine) Flush() []journal.Entry {
	out := m.out
	m.out = m.out[:0]
	return out
}
