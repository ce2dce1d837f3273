package machine

import (
	"cmp"
	"fmt"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
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

// Op is a recorded call of a task. It has a field for each fact that some kind of call records; most are zero in each.
type Op struct {
	ID      string         // identity within the task
	Kind    nodehost.Kind  // of the call
	Done    bool           // the outcome is recorded
	Begun   bool           // intent recorded, outcome not
	Tries   int            // of reasoning: how often it failed in earlier attempts
	Value   []byte         // the outcome, JSON
	Attempt uint16         // in which it was recorded
	Place   uint64         // seq of its first entry in that attempt
	Apart   bool           // made in a goroutine that the node had started
	Due     int64          // of a sleep, in microseconds
	Shape   string         // of a reasoning: see journal.StepBody
	Usage   *journal.Usage // of a model call; nil for none
	opFailure
	opQuestion
	opMessage
}

// opFailure is the recorded failure of a call.
type opFailure struct {
	Failure  string         // the error's text; "" for none
	Terminal bool           // a retry cannot help
	After    int64          // the wait that the error asks for, in microseconds
	Marks    *journal.Marks // recorded properties of the error
}

// opQuestion is the question of a call that asks people.
type opQuestion struct {
	Interrupt string // id of the interrupt
	Digest    string // of the question
	By        string // who answered
	At        int64  // when, in microseconds
}

// Task is one visit of a node, until it ends.
type Task struct {
	ID      uint64 // seq of the entry that began it: unique in the run
	Node    int    // index in the flat plan
	Visit   uint32 // number of the visit, from 1
	Attempt uint16 // number of the attempt, from 1
	State   State  // what it is doing
	Ref     uint64 // seq of the entry with its input
	Result  uint64 // Leaving, Choosing: seq of the entry with its result
	Own     bool   // nothing else refers to its input
	Ops     []Op   // recorded calls, in order
	Began   string // its first id, if a migration has renamed it; "" otherwise
	taskFailure
	taskWait
	taskPlace
	mapItems
	taskLists
}

// taskNumber says how many tasks had started when it did, itself included (law F4).
type taskNumber struct {
	nth    int // in the run
	inARow int // in its space, since the run last waited
}

// taskFailure is the failure of a task, and the failure that led to it.
type taskFailure struct {
	Cause   *nodehost.Failure  // of a task at the end of an error edge; nil for others
	Error   journal.FailedBody // of its last attempt
	RetryAt int64              // Backoff: when the next attempt begins, in microseconds
	failed  bool               // Broken: a retry of the run takes it up again
	atWork  bool               // Ready, Leaving: it was that when another task failed, so it ends as well (law F2)
}

// taskWait says what a task waits for.
type taskWait struct {
	WaitFor  string // Waiting: id of the call, or of the call around all of them; "" for any call
	LastWait string // the call at which its function last stopped
	Beat     []byte // its last heartbeat, JSON
}

// taskPlace says where a task runs, and on what.
type taskPlace struct {
	taskNumber
	scope *scope // it runs in
	slots []slot // of a dataflow: its inputs, in the order of its node's
	// unplaced holds inputs of a dataflow task by name, if the plan would have given it others.
	unplaced map[string]uint64
	leaves   []leaf    // the branches that its token stands for
	taken    []arrival // of a join whose branches are not merged yet
	inside   *scope    // Inside, Leaving: of a subgraph that runs once
	undo     *undo     // of a task that undoes: what it undoes; nil for others
}

// mapItems are the items of a map's task that is Inside or Leaving.
type mapItems struct {
	items  []item // in order
	of     int    // how many there are
	begun  int    // how many were started
	active int    // how many are running
	over   int    // how many have ended
}

// taskLists says which lists of Next a task is in. They are not part of the fold.
type taskLists struct {
	busy   bool // handed out, and nothing heard of it since
	listed bool // in Machine.ready
}

// Op returns a recorded call by its identity; nil for none.
func (t *Task) Op(id string) *Op {
	for i := range t.Ops {
		if t.Ops[i].ID == id {
			return &t.Ops[i]
		}
	}
	return nil
}

// Parent returns the subgraph's task that it runs in, nil at the top.
func (t *Task) Parent() *Task { return t.scope.parent }

// Joined reports whether the task stands at a join whose branches are not merged yet.
func (t *Task) Joined() bool { return len(t.taken) > 0 }

// token is a value on its way to a node.
type token struct {
	at        int               // flat index of the node that it has reached
	ref       uint64            // seq of the entry with the value
	own       bool              // nothing else refers to its value
	scope     *scope            // it travels in
	leaves    []leaf            // the branches that it stands for
	via       uint64            // seq of the entry that sent it
	fromNode  int               // flat index of the node that sent it; -1 for the run
	fromVisit uint32            // of that node
	cause     *nodehost.Failure // sent along an error edge; nil for others
	busy      bool              // its join is being merged: not part of the fold
}

// Machine is the state of one run. It belongs to one goroutine at a time. It is one struct, and not several, because it is one
// fold: nearly every entry reads and changes parts of all of it, and nothing outside of this package sees any. The fields
// stand in groups: the plan, what is folded, and what Next works with.
type Machine struct {
	graph
	progress
	places
	asking
	mail mailbox // the messages that it got from outside
	holding
	breakpoints
	undoing
	agenda
	output

	used usages // of model calls
	lost string // a task that this plan cannot follow (law J8); "" for none
	room room   // first memory of short lists
}

// room is the memory of a machine's lists while they are short, as those of most runs are.
type room struct {
	task   [1]Task          // the first task
	ops    [1]Op            // its calls
	tasks  [1]*Task         // places.tasks
	ready  [1]*Task         // agenda.ready
	spare  [1]*Task         // agenda.spare
	free   [1]*Task         // places.free
	tokens [1]token         // places.tokens
	ends   [1]arrival       // the ends of the root
	start  [1]Start         // output.start
	out    [3]journal.Entry // output.out
}

// furnish gives the lists of a new machine their first memory.
func (m *Machine) furnish() {
	r := &m.room
	m.tasks, m.ready, m.spare, m.free = r.tasks[:0], r.ready[:0], r.spare[:0], append(r.free[:0], &r.task[0])
	r.task[0].Ops = r.ops[:0]
	m.tokens, m.root.ends, m.start, m.out = r.tokens[:0], r.ends[:0], r.start[:0], r.out[:0]
}

// graph is the plan of a run.
type graph struct {
	plan   *plan.Plan     // that the run is folded with
	flat   []plan.Flat    // its nodes
	ghosts map[string]int // nodes of the journal that the plan does not have (law J8)
	names  []string       // their paths
}

// progress says how far a run has come.
type progress struct {
	status string // "" before the start
	head   uint64 // seq of the last entry
	at     int64  // time of the last entry that an owner wrote, in microseconds
	latest int64  // latest time of an entry, in microseconds: later entries are not before it (law J12)
	counts
	active    int64                // how long the run has been running, in microseconds
	value     uint64               // seq of the entry that last recorded a value
	final     uint64               // seq of the entry with the value that the run ends with
	stopped   bool                 // a gate chose Stop
	body      journal.StartedBody  // of the first entry
	finished  journal.FinishedBody // of the last entry, once the run has ended
	blocked   journal.BlockedBody  // why the run is blocked; zero if it is not
	takeovers takeovers            // since the last progress
	reason    string               // why a paused run can go on
}

// counts are about the limit of tasks (law F4).
type counts struct {
	started    int // how many tasks have started
	most       int // how many may start, 0 without a limit: given
	mostInARow int // how many may start in a space since the run last waited, 0 without a limit: given
	pauses     int // how often the run has gone on after waiting, which tells spaces to count from 0 again: not in snapshots
}

// places says where values and tasks are.
type places struct {
	root   scope             // of the run
	space  space             // of the run and its subgraphs, but not of maps
	scopes map[string]*scope // of items of maps, by the prefix of their tasks' paths
	tokens []token           // in the order in which they were sent
	tasks  []*Task           // open, in the order of their start
	free   []*Task           // ended ones, to be reused
}

// asking holds the questions of a run, and what has become of them.
type asking struct {
	interrupts []journal.Interrupt // open and claimed
	people     People              // who has answered what
	closed     []journal.Interrupt // closed since the last call of Closed
	dropped    []string            // timers of dropped tasks since the last call of Dropped
}

// agenda is the work list of Next. It is not part of the fold, except for its counts of tasks.
type agenda struct {
	touched   []*scope   // dataflows to look at
	beginning beginning  // the task of a dataflow that is being started
	walk      uint64     // number of the last walk over values
	ready     []*Task    // tasks that may have to be handed out
	spare     []*Task    // room for ready
	waits     []crossing // joins that have to wait, while Next looks at tokens
	busy      int        // tasks handed out, and joins being merged
	broken    int        // tasks that failed for good, and are not dealt with
	backoff   int        // tasks that wait for their next attempt
	waiting   int        // tasks that wait for a call
	mapped    int        // maps with items that were not started
}

// output is what inputs and Next produce.
type output struct {
	unread bool            // nobody reads the entries: given
	hint   any             // pointer to the body of the entry that is being folded; nil if it has to be decoded
	out    []journal.Entry // since the last Flush or Next
	start  []Start         // of the next Work
	work   Work            // returned by Next
}

// Do is the purpose of a start.
type Do uint8

// The purposes of a start.
const (
	Run   Do = iota // run its function
	Enter           // compute the input of its subgraph, or the items of its map
	Leave           // compute its value from its subgraph's result, or from those of its items
	Merge           // merge the branches at a join, then Join
	Fail            // its subgraph has failed: deal with the failure of Leaf
)

// Start is a task that may start.
type Start struct {
	Do   Do    // what to do
	Task *Task // nil for a Merge whose task does not exist yet
	Leaf *Task // Fail: the task that failed first
	Join *Join // Merge
}

// Work is the result of Next. Append is stored before anything in Start happens (law J2).
type Work struct {
	Append []journal.Entry // entries to store
	Start  []Start         // starts, once Append is stored
	// Complete says that every path has ended: compute the run's result (see Ending) and Step a Complete.
	Complete bool
	// Idle says that nothing can go on by itself: something is awaited, or the run has ended.
	Idle bool
	// Doomed says that a task has failed the run, which ends once all that is at work has ended (law F2).
	Doomed bool
}

// New returns the machine of a run before its first entry.
func New(p *plan.Plan) *Machine {
	flat := p.Flat()
	m := &Machine{graph: graph{plan: p, flat: flat}, progress: progress{counts: counts{most: max(p.Limits().Tasks, 0), mostInARow: p.LoopLimit()}}}
	m.space.visits = make([]uint32, len(flat))
	m.root.space = &m.space
	m.furnish()
	return m
}

// Status returns the run's status, "" before it has started.
func (m *Machine) Status() string { return m.status }

// Head returns the seq of the last entry.
func (m *Machine) Head() uint64 { return m.head }

// Started returns the body of the run's first entry.
func (m *Machine) Started() journal.StartedBody { return m.body }

// Finished returns the body of an ended run's last entry.
func (m *Machine) Finished() journal.FinishedBody { return m.finished }

// Final returns the seq of the entry with the value of the last path that ended.
func (m *Machine) Final() uint64 { return m.final }

// Tasks returns the open tasks, in the order of their start.
func (m *Machine) Tasks() []*Task { return m.tasks }

// Interrupts returns the open and claimed questions, in the order they were asked.
func (m *Machine) Interrupts() []journal.Interrupt { return m.interrupts }

// Interrupt returns an open question; nil for none.
func (m *Machine) Interrupt(id string) *journal.Interrupt {
	for i := range m.interrupts {
		if m.interrupts[i].ID == id {
			return &m.interrupts[i]
		}
	}
	return nil
}

// Task returns an open task by its node's path and visit; nil for none.
func (m *Machine) Task(path string, visit uint32) *Task {
	sp, at := m.lookup(path)
	return m.find(sp, at, visit)
}

// ByID returns an open task; nil for none.
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

// Path returns the path of a task's node, with the items that it is in: "notify#1.3/send".
func (m *Machine) Path(t *Task) string { return m.pathOf(t.scope.space, t.Node) }

// TaskID returns the id of a task: "inner/review#2".
func (m *Machine) TaskID(t *Task) string { return nodehost.TaskID(m.Path(t), int(t.Visit)) }

// Flat returns the task's node in the flat plan.
func (m *Machine) Flat(t *Task) *plan.Flat { return &m.flat[t.Node] }

// Fits returns why the run cannot continue with this plan, or "" if it can. It cannot if a token or an open task is at
// a node that the plan does not have (law J8).
func (m *Machine) Fits() string {
	if m.lost != "" {
		return fmt.Sprintf("this plan does not show the result of task %s", m.lost)
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
	if undo := m.fitsUndo(); undo != "" {
		return undo
	}
	if stray := m.stray(); stray != "" {
		return fmt.Sprintf("a gate has chosen node %q, which the plan does not have", stray)
	}
	return m.inBranches()
}

// LastValue returns the seq of the entry that last recorded a value.
func (m *Machine) LastValue() uint64 { return m.value }

// Pinned returns the fingerprint of the run's plan, and the digest of its definition.
func (m *Machine) Pinned() (fingerprint, definition string) {
	return m.body.Fingerprint, m.body.Definition
}

// Error returns why the run is held or blocked, or has ended without success; "" otherwise.
func (m *Machine) Error() string {
	blocked := ""
	if m.IsUndoing() && !m.over() {
		blocked = UndoText(&m.end)
	}
	if m.status == Blocked {
		blocked = m.blocked.Error
	}
	if m.isHeld() {
		return HeldText(&m.heldFor, blocked)
	}
	return cmp.Or(blocked, EndText(&m.finished))
}

// Latest returns the time of the latest entry, in microseconds. No later entry has an earlier one (law J12).
func (m *Machine) Latest() int64 { return m.latest }

// Closed returns the questions closed since the last call of Closed. They are valid until the next one closes.
func (m *Machine) Closed() []journal.Interrupt {
	closed := m.closed
	m.closed = m.closed[:0]
	return closed
}

// Dropped returns the timers of dropped tasks since the last call of Dropped.
func (m *Machine) Dropped() []string {
	dropped := m.dropped
	m.dropped = nil
	return dropped
}

// Flush returns the entries that inputs have made since the last Flush or Next. It does not compute what follows.
func (m *Machine) Flush() []journal.Entry {
	out := m.out
	m.out = m.out[:0]
	return out
}
