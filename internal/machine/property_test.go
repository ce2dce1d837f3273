package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/nodehost"
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
		s := newSimulation(t, drawPlan(t, everything))
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if !s.step() {
				break
			}
		}
		s.finish()
		if diff := copiedAnywhere(s.m.plan, s.journal); diff != "" {
			s.failf("%s", diff)
		}
	})
}

// drawn says what plans are drawn of.
type drawn struct {
	depth  int  // how deep subgraphs may lie
	fork   bool // branches
	each   bool // joins may be Each: those that need one, and others
	stop   bool // gates may stop the run
	undo   bool // nodes may have an undo
	limits bool
}

// everything is all that plans can be made of.
var everything = drawn{depth: 2, fork: true, each: true, stop: true, limits: true, undo: true}

// drawPlan makes a plan of a few nodes that compiles.
func drawPlan(t *rapid.T, of drawn) *plan.Plan {
	for {
		def := plan.Definition{Name: "test", Kind: "graph", State: stubCodec{}, Entry: []string{"n0"}}
		n := rapid.IntRange(1, 6).Draw(t, "nodes")
		for i := range n {
			of.node(t, &def, i, n)
		}
		if of.fork && n > 1 && rapid.IntRange(0, 3).Draw(t, "entries") == 0 {
			def.Entry = append(def.Entry, name(rapid.IntRange(1, n-1).Draw(t, "entry")))
		}
		if of.limits && rapid.IntRange(0, 3).Draw(t, "limited") == 0 {
			def.Limits.Tasks = rapid.IntRange(1, 12).Draw(t, "tasks")
		}
		if p := of.join(t, def); p != nil {
			return p
		}
	}
}

// join says at each node where branches meet what happens, as plan.New demands it (law G3).
func (of drawn) join(t *rapid.T, def plan.Definition) *plan.Plan {
	for {
		p, err := plan.New(def)
		if err == nil {
			return p
		}
		bad, ok := errors.AsType[*plan.Error](err)
		if !ok || slices.ContainsFunc(bad.Problems, func(p plan.Problem) bool { return p.Code != plan.AmbiguousJoin }) {
			return nil
		}
		for _, problem := range bad.Problems {
			def.Nodes[problem.NodeIndex].Join = of.drawJoin(t)
		}
	}
}

func (of drawn) drawJoin(t *rapid.T) plan.Join {
	if of.each && rapid.Bool().Draw(t, "each") {
		return plan.Each
	}
	return plan.All
}

func name(i int) string { return fmt.Sprintf("n%d", i) }

func (of drawn) node(t *rapid.T, def *plan.Definition, i, n int) {
	one := plan.Node{Name: name(i)}
	target := func(what string, from int) string {
		last := n
		if of.stop {
			last++
		}
		at := rapid.IntRange(from, last).Draw(t, what)
		switch {
		case at < n:
			return name(at)
		case at == n:
			return node.End
		}
		return node.Stop
	}
	edge := func(kind plan.EdgeKind, to string) {
		e := plan.Edge{From: one.Name, To: to, Kind: kind}
		if !slices.Contains(def.Edges, e) {
			def.Edges = append(def.Edges, e)
		}
	}
	// Every node leads to the next one: so most of what is drawn can be reached.
	kinds := []string{"chain", "chain", "gate", "gate", "leaf"}
	if of.fork {
		kinds = append(kinds, "fork", "fork", "fork", "many")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "gate", "many":
		if one.Route = func(node.Context, any) (string, error) { return "", nil }; kind == "many" {
			one.Route, one.RouteMany = nil, func(node.Context, any) ([]string, error) { return nil, nil }
		}
		if i+1 < n {
			edge(plan.Choice, name(i+1))
		}
		for range rapid.IntRange(1, 3).Draw(t, "choices") {
			edge(plan.Choice, target("choice", 0))
		}
	case "chain", "fork":
		if i+1 < n {
			edge(plan.Plain, name(i+1))
		}
		if kind == "fork" {
			for range rapid.IntRange(1, 2).Draw(t, "branches") {
				edge(plan.Plain, target("branch", min(i+1, n)))
			}
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "catches") == 0 {
		one.Catch = func(node.Context, any, error) (string, error) { return "", nil }
		edge(plan.Failure, target("failure", 0))
		if rapid.Bool().Draw(t, "twice") {
			edge(plan.Failure, target("failure", 0))
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "late") == 0 {
		edge(plan.Deadline, target("deadline", 0))
	}
	if of.fork && rapid.IntRange(0, 5).Draw(t, "joins") == 0 {
		one.Join = of.drawJoin(t)
	}
	if of.depth > 0 && rapid.IntRange(0, 3).Draw(t, "sub") == 0 {
		of.sub(t, &one)
	}
	def.Nodes = append(def.Nodes, one)
	if of.undo && rapid.IntRange(0, 3).Draw(t, "undo") == 0 {
		def.Nodes = append(def.Nodes, plan.Node{
			Name: "u" + one.Name, Undoes: plan.UndoTask, Unfinished: rapid.Bool().Draw(t, "unfinished"),
			Run: func(_ node.Context, in any) (any, error) { return in, nil },
		})
		edge(plan.Undo, "u"+one.Name)
	}
}

func (of drawn) sub(t *rapid.T, n *plan.Node) {
	inner := of
	inner.depth--
	n.Sub = drawPlan(t, inner)
	switch rapid.IntRange(0, 3).Draw(t, "runs") {
	case 0:
		n.Out = func(value, _ any) (any, error) { return value, nil }
	case 1:
		if of.fork {
			n.Map = &plan.Map{
				Split:  func(any) ([]any, error) { return nil, nil },
				Gather: func(any, []plan.Item) (any, error) { return nil, nil },
				Limit:  rapid.IntRange(0, 2).Draw(t, "at once"), Keep: rapid.Bool().Draw(t, "keep"),
			}
		}
	}
}

func outline(p *plan.Plan) string { return string(p.Outline()) }

// simulation drives a machine as the runtime does, with outcomes that are drawn.
type simulation struct {
	t        *rapid.T
	m        *Machine
	journal  []journal.Entry
	now      int64
	queue    []handed
	work     Work
	finished map[string]bool // tasks, by id
	asked    int
	did      []string
}

// handed is what was handed out, as a runtime keeps it: it does not hold on to the machine's tasks.
type handed struct {
	do   Do
	task uint64
	join *Join
	name string
}

func newSimulation(t *rapid.T, p *plan.Plan) *simulation {
	s := &simulation{t: t, m: New(p), now: 1e6, finished: make(map[string]bool)}
	s.say("begin %s", outline(p))
	s.take(s.m.Begin(s.now, &journal.StartedBody{Plan: "test", Fingerprint: p.Fingerprint()}, []byte("0")), true)
	return s
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
		restored, diff := copied(s.m)
		if diff != "" {
			s.failf("the machine is not what its snapshot is restored to (-machine +restored): %s", diff)
		}
		restored.SetBusy(s.m.Busy())
		follows, err := restored.Next(s.now)
		if err != nil {
			s.failf("next of a restored machine: %v", err)
		}
		if diff := gocmp.Diff(shownWork(other, expected), shownWork(restored, follows)); diff != "" {
			s.failf("a machine that is restored from a snapshot says that something else follows (-folded +restored):\n%s", diff)
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
			s.hand(start)
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
		id := nodehost.TaskID(e.Node, int(e.Visit))
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
func (s *simulation) hand(start Start) {
	h := handed{do: start.Do, join: start.Join, name: shownStart(s.m, start)}
	if start.Task != nil {
		h.task = start.Task.ID
		if id := s.m.TaskID(start.Task); s.finished[id] {
			s.failf("task %s has finished, and is handed out", id)
		}
	}
	for _, other := range s.queue {
		if h.task != 0 && other.task == h.task || h.name == other.name {
			s.failf("%s is handed out twice", h.name)
		}
	}
	s.queue = append(s.queue, h)
}

// shownWork is what a machine says of what follows.
func shownWork(m *Machine, w *Work) []string {
	shown := []string{fmt.Sprintf("idle %t, complete %t, doomed %t", w.Idle, w.Complete, w.Doomed)}
	if w.Complete {
		shown = append(shown, shownJoin(m.Ending(nil)))
	}
	for _, e := range w.Append {
		shown = append(shown, fmt.Sprintf("%d %v %s#%d attempt %d to %q of %d %s", e.Seq, e.Kind, e.Node, e.Visit, e.Attempt, e.To, e.Base, e.Body))
	}
	for _, start := range w.Start {
		shown = append(shown, shownStart(m, start))
	}
	return shown
}

func shownStart(m *Machine, s Start) string {
	text := fmt.Sprint(s.Do)
	if s.Task != nil {
		text += " " + m.TaskID(s.Task)
		if s.Do == Leave && s.Task.items == nil {
			text += " with " + shownJoin(m.Ending(s.Task))
		}
	}
	if s.Leaf != nil {
		text += " because of " + m.TaskID(s.Leaf)
	}
	if s.Join != nil {
		text += fmt.Sprintf(" %s %v: %s", s.Join.Node(m).Path, s.Join.vias, shownJoin(s.Join))
	}
	return text
}

// check compares the machine with what its journal folds to, and looks whether anything can go on.
func (s *simulation) check(followed bool) {
	again := s.fold()
	for _, m := range []*Machine{s.m, again} {
		if wrong := m.audit(); wrong != "" {
			s.failf("the machine has counted wrong (-there is +counted): %s", wrong)
		}
		if _, diff := copied(m); diff != "" {
			s.failf("the machine is not what its snapshot is restored to (-machine +restored): %s", diff)
		}
	}
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
	case s.work.Doomed && len(s.queue) == 0:
		s.failf("a task has failed the run, nothing is at work, and the run has not ended (law F2)")
	case s.m.status == Paused && len(s.queue) > 0:
		s.failf("the run is paused, and a task is at work (law H3)")
	case s.work.Idle:
		if s.m.Due() == math.MaxInt64 && len(s.m.interrupts) == 0 {
			s.failf("the run is idle, and nothing is awaited")
		}
		if s.m.status == Paused && s.m.because(s.now) != "" {
			s.failf("the run is paused, and it could go on")
		}
	case len(s.queue) == 0:
		s.failf("there is nothing to do, and the run is neither idle nor complete")
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
		if s.m.status != Failed && s.m.status != Expired || s.m.Undone() || rapid.Bool().Draw(s.t, "give up") {
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
		s.complete(rapid.IntRange(0, 4).Draw(s.t, "end fails") == 0)
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

// complete ends a run whose paths have ended; what they ended with may not go together.
func (s *simulation) complete(fails bool) {
	end := s.m.Ending(nil)
	if !fails {
		s.queue = nil
	}
	switch {
	case fails:
		s.say("the end fails")
		s.endWith(journal.FinishedBody{Status: Failed, Error: "the end"})
	case len(end.Steps) > 0:
		s.say("complete with %s", shownJoin(end))
		s.take(s.m.Complete(s.now, Value{Changed: true, Data: []byte("2")}), true)
	default:
		s.say("complete")
		s.take(s.m.Complete(s.now, Value{}), true)
	}
}

// took takes something out of the queue: any, tasks finish in any order.
func (s *simulation) took(i int) (handed, *Task) {
	h := s.queue[i]
	var t *Task
	if h.task != 0 {
		if t = s.m.ByID(h.task); t == nil {
			s.failf("%s was handed out, and is not open", h.name)
		}
	}
	return h, t
}

func (s *simulation) out(i int) { s.queue = slices.Delete(s.queue, i, i+1) }

// task lets one of the tasks that were handed out do something.
func (s *simulation) task() {
	i := rapid.IntRange(0, len(s.queue)-1).Draw(s.t, "which")
	h, t := s.took(i)
	switch h.do {
	case Merge:
		s.out(i)
		s.merge(h, rapid.IntRange(0, 3).Draw(s.t, "conflict") == 0)
		return
	case Enter:
		s.out(i)
		if rapid.IntRange(0, 9).Draw(s.t, "enter fails") == 0 {
			s.fail(t)
			return
		}
		s.enter(t, rapid.IntRange(0, 4).Draw(s.t, "items"))
		return
	case Leave:
		s.out(i)
		if rapid.IntRange(0, 9).Draw(s.t, "leave fails") == 0 {
			s.fail(t)
			return
		}
		s.outcome(t)
		return
	case Fail:
		s.out(i)
		s.fail(t)
		return
	}
	switch rapid.SampledFrom([]string{"finish", "finish", "finish", "fail", "record", "record", "wait", "sleep"}).Draw(s.t, "task") {
	case "finish":
		s.out(i)
		s.outcome(t)
	case "fail":
		s.out(i)
		s.fail(t)
	case "record":
		s.record(t)
	case "wait":
		s.wait(t, i)
	case "sleep":
		s.out(i)
		op := s.fresh(nodehost.KindSleep)
		s.say("%s sleeps", s.m.TaskID(t))
		body := fmt.Appendf(nil, `{"due":%d}`, s.now+int64(rapid.IntRange(0, 5).Draw(s.t, "sleep"))*1e6)
		err := s.m.Record(s.now, t, journal.TimerSet, op, nil, body)
		if err == nil {
			err = s.m.Suspend(s.now, t, op)
		}
		s.take(err, true)
	}
}

// enter goes into a subgraph, once or for each of some items.
func (s *simulation) enter(t *Task, items int) {
	if s.m.Flat(t).Map == nil {
		s.say("enter %s", s.m.TaskID(t))
		s.take(s.m.Entered(s.now, t, drawValue(s.t, t.Ref)), true)
		return
	}
	if items == 0 { // there is nothing to do
		s.outcome(t)
		return
	}
	s.say("split %s into %d", s.m.TaskID(t), items)
	values := make([]Value, items)
	for i := range values {
		values[i] = Value{Changed: true, Data: []byte("1")}
	}
	s.take(s.m.Split(s.now, t, values), true)
}

// merge brings branches together, or finds that they do not go together.
func (s *simulation) merge(h handed, conflict bool) {
	if !conflict {
		s.say("joined: %s", h.name)
		_, err := s.m.Joined(s.now, h.join, Value{Changed: true, Delta: true, Base: h.join.Base(), Data: []byte("[0,1]")})
		s.take(err, true)
		return
	}
	s.say("conflict: %s", h.name)
	t, err := s.m.Joined(s.now, h.join, Value{})
	if err != nil {
		s.failf("joined: %v", err)
	}
	if t == nil { // the run undoes what it has done
		s.take(nil, true)
		return
	}
	s.fail(t)
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
func (s *simulation) outcome(t *Task) {
	o := Outcome{Value: drawValue(s.t, t.Ref)}
	switch flat := s.m.Flat(t); {
	case flat.Route != nil:
		o.Choice = rapid.SampledFrom(flat.Choices).Draw(s.t, "choice").Name
	case flat.RouteMany != nil:
		for _, c := range rapid.Permutation(flat.Choices).Draw(s.t, "choices")[rapid.IntRange(0, len(flat.Choices)-1).Draw(s.t, "without"):] {
			o.Choices = append(o.Choices, c.Name)
		}
	}
	if rapid.IntRange(0, 3).Draw(s.t, "hit") == 0 && s.m.Flat(t).Sub == nil {
		o.Hit = []byte(`{"run":"run_0","task":"a#1","at":1}`)
	}
	s.say("finish %s -> %q %q", s.m.TaskID(t), o.Choice, o.Choices)
	s.take(s.m.Finish(s.now, t, o), true)
}

// fail fails a task: it is tried again, its failure edge is taken, or what is around it has to deal with it.
func (s *simulation) fail(t *Task) {
	id, flat := s.m.TaskID(t), s.m.Flat(t)
	if rapid.IntRange(0, 2).Draw(s.t, "retried") == 0 {
		s.say("%s fails, and is tried again", id)
		at := s.now + int64(rapid.IntRange(0, 5).Draw(s.t, "backoff"))*1e6
		s.take(s.m.Retry(s.now, t, journal.FailedBody{Error: "failed", RetryAt: at}), true)
		return
	}
	target, code := "", rapid.SampledFrom([]string{"", "expired"}).Draw(s.t, "code")
	if len(flat.Failures) > 0 && rapid.Bool().Draw(s.t, "caught") {
		target = rapid.SampledFrom(flat.Failures).Draw(s.t, "to").Name
	}
	s.say("%s fails -> %q", id, target)
	s.take(s.m.Fail(s.now, t, journal.FailedBody{Error: "failed", Code: code}, drawValue(s.t, t.Ref), target), true)
}

// fresh is the identity of a call that the task has not made yet.
func (s *simulation) fresh(kind nodehost.Kind) string {
	return fmt.Sprintf("%s:key#%d", kind, s.m.head+1)
}

// record lets a task do what it records while it runs.
func (s *simulation) record(t *Task) {
	kind := rapid.SampledFrom([]journal.Kind{
		journal.StepFinished, journal.StepStarted, journal.Message, journal.TextStart, journal.TextEnd, journal.Diagnostic,
	}).Draw(s.t, "record")
	op, value, body := s.fresh(nodehost.KindStep), []byte(nil), []byte(nil)
	switch kind {
	case journal.StepFinished:
		if value = []byte("1"); rapid.Bool().Draw(s.t, "failed") {
			value, body = nil, []byte(`{"error":"no"}`)
		}
		if rapid.Bool().Draw(s.t, "a model") {
			op = s.fresh(nodehost.KindModel)
			body = encode(journal.StepBody{Usage: &journal.Usage{Calls: 1, Input: int64(rapid.IntRange(0, 9).Draw(s.t, "in")), Unpriced: 1}})
		}
	case journal.Diagnostic:
		op = ""
	}
	s.say("%s records %s", s.m.TaskID(t), kind)
	s.take(s.m.Record(s.now, t, kind, op, value, body), false)
}

// wait lets a task ask one or two questions, and perhaps wait for one.
func (s *simulation) wait(t *Task, i int) {
	id, ops := s.m.TaskID(t), []string(nil)
	for range rapid.IntRange(1, 2).Draw(s.t, "questions") {
		s.asked++
		q := journal.Interrupt{
			ID: fmt.Sprintf("int_%d", s.asked), Run: "run", Task: id, Op: s.fresh(nodehost.KindInterrupt), Opened: s.now, State: journal.Open,
			Options: []string{"a", "b"}, Request: json.RawMessage(`{"a":1}`),
		}
		if rapid.Bool().Draw(s.t, "deadline") {
			q.Deadline = s.now + int64(rapid.IntRange(0, 5).Draw(s.t, "within"))*1e6
			q.AtDeadline = s.drawDeadline(t)
		}
		s.say("%s asks %s", id, q.ID)
		ops = append(ops, q.Op)
		s.take(s.m.Ask(s.now, t, &q, false), false)
	}
	if rapid.IntRange(0, 3).Draw(s.t, "waits") == 0 {
		return // it goes on without an answer
	}
	s.out(i)
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

// finish brings a run that is under way to its end: whatever was done, it can be (laws G7 and F5).
func (s *simulation) finish() {
	for range 20_000 {
		switch {
		case s.m.over():
			return
		case s.work.Complete:
			s.complete(false)
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
	s.failf("the run does not come to its end")
}

// last lets a task do what brings the run to its end soonest.
func (s *simulation) last() {
	h, t := s.took(0)
	s.out(0)
	switch h.do {
	case Merge:
		s.merge(h, false)
	case Enter:
		s.enter(t, 1)
	case Fail:
		s.say("%s: failed", h.name)
		s.take(s.m.Fail(s.now, t, journal.FailedBody{Error: "failed"}, Value{}, ""), true)
	case Run, Leave:
		o := Outcome{Choice: nearest(s.m, t)}
		o.Choices = []string{o.Choice}
		s.say("%s -> %q", h.name, o.Choice)
		s.take(s.m.Finish(s.now, t, o), true)
	}
}

// nearest is the choice of a gate that leads to an end soonest, "" where there is nothing to choose.
func nearest(m *Machine, t *Task) string {
	best, ways := "", ways(m)
	least := math.MaxInt
	for _, c := range m.Flat(t).Choices {
		if n := ways(c.Index); n < least {
			best, least = c.Name, n
		}
	}
	return best
}

// ways says how far it is at most from each node to the end of all paths that begin there, when gates choose well.
func ways(m *Machine) func(at int) int {
	far := make(map[int]int)
	way := func(at int) int {
		switch n, ok := far[at]; {
		case at == plan.StopIndex:
			return 0
		case at == plan.EndIndex:
			return 1
		case ok:
			return n
		}
		return math.MaxInt
	}
	for range m.flat {
		for i := range m.flat {
			f, n := &m.flat[i], 0
			if f.Gate() {
				n = math.MaxInt
				for _, c := range f.Choices {
					n = min(n, way(c.Index))
				}
			}
			for _, to := range f.Next {
				n = max(n, way(to))
			}
			if n < math.MaxInt {
				far[i] = min(way(i), n+1)
			}
		}
	}
	return way
}
