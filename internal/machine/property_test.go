package machine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Whatever plan is run, and whatever comes from outside in whatever order: the machine is what its journal folds to, and
// says the same of what follows (J1); entries are dense; no task is handed out twice, or again after it has finished
// (J4); a run is paused when something is awaited and nothing goes on (H3); and there is always something that goes on,
// something that is awaited, or an end, which is never that the run is stuck (F5).
func TestJ1_TheMachineIsWhatItsJournalFoldsTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t, 2)
		s := &simulation{t: t, m: New(p), now: 1e6, finished: make(map[string]bool)}
		s.did = append(s.did, fmt.Sprintf("begin %s", outline(p)))
		s.take(s.m.Begin(s.now, journal.StartedBody{Plan: "test", Fingerprint: p.Fingerprint()}, []byte("0")), true)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if !s.step() {
				break
			}
		}
		s.finish()
	})
}

// drawPlan makes a plan of a few nodes that compiles.
func drawPlan(t *rapid.T, depth int) *plan.Plan {
	for {
		def := plan.Definition{Name: "test", Kind: "graph", State: stubCodec{}, Entry: []string{"n0"}}
		n := rapid.IntRange(1, 5).Draw(t, "nodes")
		for i := range n {
			drawNode(t, &def, i, n, depth)
		}
		if rapid.IntRange(0, 3).Draw(t, "limited") == 0 {
			def.Limits.Tasks = rapid.IntRange(1, 12).Draw(t, "tasks")
		}
		if p, err := plan.New(def); err == nil {
			return p
		}
	}
}

func drawNode(t *rapid.T, def *plan.Definition, i, n, depth int) {
	name := func(i int) string { return fmt.Sprintf("n%d", i) }
	node0 := plan.Node{Name: name(i)}
	target := func(what string, from int) string {
		at := rapid.IntRange(from, n+1).Draw(t, what)
		switch {
		case at < n:
			return name(at)
		case at == n:
			return node.End
		}
		return node.Stop
	}
	edge := func(kind plan.EdgeKind, to string) {
		e := plan.Edge{From: node0.Name, To: to, Kind: kind}
		if !slices.Contains(def.Edges, e) {
			def.Edges = append(def.Edges, e)
		}
	}
	// Every node leads to the next one: so most of what is drawn can be reached.
	switch rapid.SampledFrom([]string{"chain", "chain", "gate", "gate", "leaf"}).Draw(t, "kind") {
	case "gate":
		node0.Route = func(node.Context, any) (string, error) { return "", nil }
		if i+1 < n {
			edge(plan.Choice, name(i+1))
		}
		for range rapid.IntRange(1, 3).Draw(t, "choices") {
			edge(plan.Choice, target("choice", 0))
		}
	case "chain":
		if i+1 < n {
			edge(plan.Plain, name(i+1))
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "catches") == 0 {
		node0.Catch = func(node.Context, any, error) (string, error) { return "", nil }
		edge(plan.Failure, target("failure", 0))
		if rapid.Bool().Draw(t, "twice") {
			edge(plan.Failure, target("failure", 0))
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "late") == 0 {
		edge(plan.Deadline, target("deadline", 0))
	}
	if depth > 0 && rapid.IntRange(0, 3).Draw(t, "sub") == 0 {
		node0.Sub = drawPlan(t, depth-1)
		if rapid.Bool().Draw(t, "mapped") {
			node0.Out = func(value, _ any) (any, error) { return value, nil }
		}
	}
	def.Nodes = append(def.Nodes, node0)
}

func outline(p *plan.Plan) string { return string(p.Outline()) }

// simulation drives a machine as the runtime does, with outcomes that are drawn.
type simulation struct {
	t        *rapid.T
	m        *Machine
	journal  []journal.Entry
	now      int64
	queue    []visit
	work     Work
	finished map[string]bool // tasks, by id
	asked    int
	did      []string
}

// visit names a task that was handed out.
type visit struct {
	do    Do
	node  int
	visit uint32
}

func (s *simulation) failf(format string, args ...any) {
	s.t.Fatalf("%s\n\nafter:\n%s\n\nstate:\n%s", fmt.Sprintf(format, args...), strings.Join(s.did, "\n"), s.m.dump())
}

// take appends what an input has made, and what follows from it if somebody looks.
func (s *simulation) take(err error, follow bool) {
	if err != nil {
		s.failf("a legal input is refused: %v", err)
	}
	s.store(s.m.Flush())
	if follow {
		other := s.fold()
		other.SetBusy(s.m.Busy())
		expected, err := other.Next(s.now)
		if err != nil {
			s.failf("next of another machine: %v", err)
		}
		work, err := s.m.Next(s.now)
		if err != nil {
			s.failf("next: %v", err)
		}
		if diff := gocmp.Diff(shownWork(other, expected), shownWork(s.m, work)); diff != "" {
			s.failf("a machine that is folded from the journal says that something else follows (-folded +live):\n%s", diff)
		}
		s.work = *work
		s.store(work.Append)
		for _, start := range work.Start {
			s.hand(visit{start.Do, start.Task.Node, start.Task.Visit})
		}
	}
	s.m.Closed()
	s.check(follow)
}

// store takes entries into the journal, as a store does. No task starts again that has finished (law J4).
func (s *simulation) store(entries []journal.Entry) {
	for _, e := range entries {
		if e.Seq != uint64(len(s.journal))+1 {
			s.failf("entry %d has seq %d", len(s.journal)+1, e.Seq)
		}
		id := node.TaskID(e.Node, int(e.Visit))
		switch e.Kind {
		case journal.NodeFinished, journal.NodeCached:
			s.finished[id] = true
		case journal.NodeStarted:
			if s.finished[id] {
				s.failf("task %s has finished, and attempt %d of it starts", id, e.Attempt)
			}
		}
		e.Value, e.Body = append([]byte(nil), e.Value...), append([]byte(nil), e.Body...)
		s.journal = append(s.journal, e)
	}
}

// hand notes that a task was handed out: once, until something is heard of it.
func (s *simulation) hand(v visit) {
	id := node.TaskID(s.m.Path(v.node), int(v.visit))
	for _, other := range s.queue {
		if other.node == v.node && other.visit == v.visit {
			s.failf("task %s is handed out twice", id)
		}
	}
	if s.finished[id] {
		s.failf("task %s has finished, and is handed out", id)
	}
	s.queue = append(s.queue, v)
}

// shownWork is what a machine says of what follows.
func shownWork(m *Machine, w *Work) []string {
	shown := []string{fmt.Sprintf("idle %t, complete %t, final %d", w.Idle, w.Complete, w.Final)}
	for _, e := range w.Append {
		shown = append(shown, fmt.Sprintf("%d %v %s#%d attempt %d to %q of %d %s", e.Seq, e.Kind, e.Node, e.Visit, e.Attempt, e.To, e.Base, e.Body))
	}
	for _, start := range w.Start {
		shown = append(shown, fmt.Sprint(start.Do, m.TaskID(start.Task)))
	}
	return shown
}

// check compares the machine with what its journal folds to, and looks whether anything can go on.
func (s *simulation) check(followed bool) {
	again := s.fold()
	if diff := gocmp.Diff(again.dump(), s.m.dump()); diff != "" {
		s.failf("the machine is not what its journal folds to (-folded +live):\n%s", diff)
	}
	if !followed {
		return
	}
	over := s.m.over()
	switch {
	case s.m.status == Stuck:
		s.failf("the run is stuck (law F5)")
	case over && (len(s.work.Start) > 0 || s.work.Complete || len(s.m.interrupts) > 0):
		s.failf("the run is %s, and there is work", s.m.status)
	case over || s.work.Complete:
	case s.m.status == Paused && len(s.queue) > 0:
		s.failf("the run is paused, and a task is at work (law H3)")
	case s.work.Idle:
		if s.m.Due() == math.MaxInt64 && len(s.m.interrupts) == 0 {
			s.failf("the run is idle, and nothing is awaited")
		}
		if s.m.status == Paused && s.m.awake(s.now) {
			s.failf("the run is paused, and it could go on")
		}
	case len(s.queue) == 0:
		s.failf("there is nothing to do, and the run is neither idle nor complete")
	}
	if len(s.m.tokens) > 0 && !over && !s.m.stopped {
		s.failf("a token was left where it is")
	}
}

func (s *simulation) fold() *Machine {
	m := New(s.m.plan)
	for i := range s.journal {
		if err := m.Apply(&s.journal[i]); err != nil {
			s.failf("the journal does not fold: %v", err)
		}
	}
	return m
}

// step does one thing that is legal now; false when the run is over.
func (s *simulation) step() bool {
	s.now += int64(rapid.IntRange(0, 3).Draw(s.t, "seconds")) * 1e6
	if s.m.over() {
		if s.m.status != Failed && s.m.status != Expired || rapid.Bool().Draw(s.t, "give up") {
			return false
		}
		s.say("retry")
		s.m = s.fold() // whoever retries a run reads its journal
		s.take(s.m.Resume(s.now, journal.ResumedBody{Reason: ReasonRetry}), true)
		return true
	}
	switch what := rapid.IntRange(0, 19).Draw(s.t, "what"); {
	case what == 0: // another process takes over
		s.say("crash")
		s.m, s.queue = s.fold(), nil
		var err error
		if s.m.status == Running && s.m.Underway() {
			err = s.m.Resume(s.now, journal.ResumedBody{Reason: ReasonRecovered})
		}
		if err == nil { // what came due meanwhile
			err = s.m.Fire(s.now)
		}
		s.take(err, true)
	case what == 4: // somebody looks while tasks are at work
		s.say("next")
		s.take(nil, true)
	case what == 5: // another writer was faster: the journal is read again while tasks are at work
		s.say("rebase")
		busy := s.m.Busy()
		s.m = s.fold()
		s.m.SetBusy(busy)
		s.take(nil, true)
	case what == 1 && len(s.queue) == 0:
		s.say("fire")
		s.take(s.m.Fire(s.now), true)
	case what == 2 && len(s.m.interrupts) > 0:
		s.person()
	case what == 3 && len(s.queue) > 0 && rapid.IntRange(0, 4).Draw(s.t, "end") == 0:
		s.end()
	case s.work.Complete:
		s.say("complete")
		s.take(s.m.Complete(s.now, Value{}), true)
	case len(s.queue) > 0:
		s.task()
	case len(s.m.interrupts) > 0 && rapid.Bool().Draw(s.t, "somebody answers"):
		s.person()
	default:
		if due := s.m.Due(); due != math.MaxInt64 {
			s.now = max(s.now, due)
		}
		s.say("time passes")
		s.take(s.m.Fire(s.now), true)
	}
	return true
}

func (s *simulation) say(format string, args ...any) {
	s.did = append(s.did, fmt.Sprintf("%d s: ", s.now/1e6)+fmt.Sprintf(format, args...))
}

// end ends the run from outside.
func (s *simulation) end() {
	s.queue = nil
	if rapid.Bool().Draw(s.t, "cancel") {
		s.say("cancel")
		s.take(s.m.End(s.now, journal.FinishedBody{Status: Cancelled}), true)
		return
	}
	s.say("time limit")
	s.take(s.m.End(s.now, journal.FinishedBody{Status: Failed, Limit: "time", Error: "time"}), true)
}

// person answers, claims or releases a question.
func (s *simulation) person() {
	q := s.m.interrupts[rapid.IntRange(0, len(s.m.interrupts)-1).Draw(s.t, "question")]
	follow := len(s.queue) == 0 || rapid.Bool().Draw(s.t, "look")
	switch rapid.SampledFrom([]string{"answer", "answer", "claim", "release"}).Draw(s.t, "person") {
	case "claim":
		s.say("claim %s", q.ID)
		s.take(s.m.Update(s.now, q.ID, journal.UpdatedBody{Do: "claim", By: "Ada"}), follow)
	case "release":
		s.say("release %s", q.ID)
		s.take(s.m.Update(s.now, q.ID, journal.UpdatedBody{Do: "release"}), follow)
	default:
		s.say("answer %s", q.ID)
		s.take(s.m.Resolve(s.now, q.ID, journal.ResolvedBody{State: journal.Answered, By: "Ada"}, []byte("1")), follow)
	}
}

// task lets the task that was handed out first do something.
func (s *simulation) task() {
	v := s.queue[0]
	t := s.m.Task(v.node, v.visit)
	if t == nil {
		s.failf("the task that was handed out is not open")
	}
	id := s.m.TaskID(t)
	switch v.do {
	case Enter:
		if rapid.IntRange(0, 9).Draw(s.t, "enter fails") == 0 {
			s.fail(t, id)
			return
		}
		s.queue = s.queue[1:]
		s.say("enter %s", id)
		s.take(s.m.Entered(s.now, t, drawValue(s.t, t.Ref)), true)
		return
	case Leave:
		s.outcome(t, id)
		return
	}
	switch rapid.SampledFrom([]string{"finish", "finish", "finish", "fail", "record", "record", "wait", "sleep"}).Draw(s.t, "task") {
	case "finish":
		s.outcome(t, id)
	case "fail":
		s.fail(t, id)
	case "record":
		s.record(t, id)
	case "wait":
		s.wait(t, id)
	case "sleep":
		s.queue = s.queue[1:]
		op := s.fresh(t, node.KindSleep)
		s.say("%s sleeps", id)
		body := fmt.Appendf(nil, `{"due":%d}`, s.now+int64(rapid.IntRange(0, 5).Draw(s.t, "sleep"))*1e6)
		err := s.m.Record(s.now, t, journal.TimerSet, op, nil, body)
		if err == nil {
			err = s.m.Suspend(s.now, t, op)
		}
		s.take(err, true)
	}
}

func drawValue(t *rapid.T, base uint64) Value {
	switch rapid.IntRange(0, 2).Draw(t, "value") {
	case 0:
		return Value{}
	case 1:
		return Value{Changed: true, Data: []byte("1")}
	}
	return Value{Changed: true, Delta: true, Base: base, Data: []byte("[0,1]")}
}

// outcome finishes a task.
func (s *simulation) outcome(t *Task, id string) {
	s.queue = s.queue[1:]
	choice := ""
	if flat := s.m.Flat(t); flat.Route != nil {
		choice = rapid.SampledFrom(flat.Choices).Draw(s.t, "choice").Name
	}
	s.say("finish %s -> %q", id, choice)
	v := drawValue(s.t, t.Ref)
	if rapid.IntRange(0, 3).Draw(s.t, "hit") == 0 && s.m.Flat(t).Sub == nil {
		v.Hit = []byte(`{"run":"run_0","task":"a#1","at":1}`)
	}
	s.take(s.m.Finish(s.now, t, v, choice), true)
}

// fail fails a task: it is tried again, or somebody around it deals with it, or the run fails.
func (s *simulation) fail(t *Task, id string) {
	s.queue = s.queue[1:]
	body := journal.FailedBody{Error: "failed"}
	later := journal.FailedBody{Error: "failed", RetryAt: s.now + int64(rapid.IntRange(0, 5).Draw(s.t, "backoff"))*1e6}
	for ; t != nil; t = t.Parent {
		flat := s.m.Flat(t)
		if rapid.IntRange(0, 2).Draw(s.t, "retried") == 0 {
			s.say("%s fails, retry %s", id, s.m.TaskID(t))
			s.take(s.m.Retry(s.now, t, later), true)
			return
		}
		if len(flat.Failures) > 0 && rapid.Bool().Draw(s.t, "caught") {
			target := rapid.SampledFrom(flat.Failures).Draw(s.t, "to").Name
			s.say("%s fails, %s catches it -> %q", id, s.m.TaskID(t), target)
			s.take(s.m.Fail(s.now, t, body, drawValue(s.t, t.Ref), target), true)
			return
		}
		if err := s.m.Fail(s.now, t, body, Value{}, ""); err != nil {
			s.failf("fail: %v", err)
		}
	}
	s.say("%s fails the run", id)
	status := rapid.SampledFrom([]string{Failed, Expired}).Draw(s.t, "status")
	s.take(s.m.End(s.now, journal.FinishedBody{Status: status, Error: "failed", Task: id}), true)
}

// fresh is the identity of a call that the task has not made yet.
func (s *simulation) fresh(t *Task, kind node.Kind) string {
	return fmt.Sprintf("%s:key#%d", kind, s.m.head+1)
}

// record lets a task do what it records while it runs.
func (s *simulation) record(t *Task, id string) {
	kind := rapid.SampledFrom([]journal.Kind{
		journal.StepFinished, journal.StepStarted, journal.Message, journal.TextStart, journal.TextEnd, journal.Diagnostic,
	}).Draw(s.t, "record")
	op, value, body := s.fresh(t, node.KindStep), []byte(nil), []byte(nil)
	switch kind {
	case journal.StepFinished:
		if value = []byte("1"); rapid.Bool().Draw(s.t, "failed") {
			value, body = nil, []byte(`{"error":"no"}`)
		}
	case journal.Diagnostic:
		op = ""
	}
	s.say("%s records %s", id, kind)
	s.take(s.m.Record(s.now, t, kind, op, value, body), false)
}

// wait lets a task ask one or two questions, and perhaps wait for one.
func (s *simulation) wait(t *Task, id string) {
	var ops []string
	for range rapid.IntRange(1, 2).Draw(s.t, "questions") {
		s.asked++
		q := journal.Interrupt{
			ID: fmt.Sprintf("int_%d", s.asked), Run: "run", Task: id, Op: s.fresh(t, node.KindInterrupt), Opened: s.now, State: journal.Open,
			Options: []string{"a", "b"}, Request: json.RawMessage(`{"a":1}`),
		}
		if rapid.Bool().Draw(s.t, "deadline") {
			q.Deadline = s.now + int64(rapid.IntRange(0, 5).Draw(s.t, "within"))*1e6
			q.AtDeadline = s.drawDeadline(t)
		}
		s.say("%s asks %s", id, q.ID)
		ops = append(ops, q.Op)
		s.take(s.m.Ask(s.now, t, q), false)
	}
	if rapid.IntRange(0, 3).Draw(s.t, "waits") == 0 {
		return // it goes on without an answer
	}
	s.queue = s.queue[1:]
	op := rapid.SampledFrom(ops).Draw(s.t, "for")
	s.say("%s waits for %s", id, op)
	s.take(s.m.Suspend(s.now, t, op), true)
}

func (s *simulation) drawDeadline(t *Task) *journal.Deadline {
	switch rapid.SampledFrom([]string{"fail", "default", "route", "escalate"}).Draw(s.t, "at deadline") {
	case "default":
		return &journal.Deadline{Do: "default", Answer: json.RawMessage("1")}
	case "route":
		if targets := s.m.Flat(t).Deadlines; len(targets) > 0 {
			return &journal.Deadline{Do: "route", Target: rapid.SampledFrom(targets).Draw(s.t, "late").Name}
		}
	case "escalate":
		return &journal.Deadline{Do: "escalate", Role: "chief", Within: int64(rapid.IntRange(0, 3).Draw(s.t, "then")) * 1e6, Then: s.drawDeadline(t)}
	}
	return nil
}

// finish brings a run that is under way to its end: whatever was done, it can be.
func (s *simulation) finish() {
	for range 500 {
		switch {
		case s.m.over():
			return
		case s.work.Complete:
			s.say("complete")
			s.take(s.m.Complete(s.now, Value{}), true)
		case len(s.queue) > 0:
			s.last()
		case len(s.m.interrupts) > 0:
			s.say("answer %s", s.m.interrupts[0].ID)
			s.take(s.m.Resolve(s.now, s.m.interrupts[0].ID, journal.ResolvedBody{State: journal.Answered}, []byte("1")), true)
		default:
			s.now = s.m.Due()
			s.say("time passes")
			s.take(s.m.Fire(s.now), true)
		}
	}
	s.say("cancel")
	s.take(s.m.End(s.now, journal.FinishedBody{Status: Cancelled}), true)
}

// last lets a task do what brings the run to its end soonest.
func (s *simulation) last() {
	v := s.queue[0]
	s.queue = s.queue[1:]
	t := s.m.Task(v.node, v.visit)
	flat, choice := s.m.Flat(t), ""
	for _, c := range flat.Choices {
		if choice == "" || c.Index < 0 || c.Index > v.node {
			choice = c.Name
		}
	}
	s.say("%d %s -> %q", v.do, s.m.TaskID(t), choice)
	if v.do == Enter {
		s.take(s.m.Entered(s.now, t, Value{}), true)
		return
	}
	s.take(s.m.Finish(s.now, t, Value{}, choice), true)
}
