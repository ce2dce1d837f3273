package machine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Whatever finishes first, and wherever the process dies: a dataflow does what the text of laws D1 to D10 says, as lawful
// reads it, task by task. What is counted on the way is what there is, and a machine that is folded from the journal says
// the same of what follows (law J1).
func TestD11_RandomDataflowsKeepTheLaws(t *testing.T) {
	var total flowStats
	var mu sync.Mutex
	lawtest.Draw(t, 1000, func(r *rand.Rand, i uint64) (counts bool, wrong string) {
		var stats flowStats
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			total.add(&stats)
		}()
		s := sketchedFlow(r)
		p := stats.accepted(r, s)
		if p == nil {
			return false, ""
		}
		if found := exploreFlow(s, p, i, &stats); found != nil {
			return true, found.shrunken()
		}
		return true, ""
	})
	t.Log(total.String())
}

// flowStats says what was looked at.
type flowStats struct {
	sketches, atOnce, mended, orders, crashes, tasks, rounds, long int
	loops, depth, gates, taken, skipped, stuck                     [6]int // how many graphs had so many; the last one is "or more"
}

func (s *flowStats) count(list *[6]int, n int) { list[min(n, len(list)-1)]++ }

func (s *flowStats) add(o *flowStats) {
	s.sketches, s.atOnce, s.mended = s.sketches+o.sketches, s.atOnce+o.atOnce, s.mended+o.mended
	s.orders, s.crashes, s.tasks, s.rounds, s.long = s.orders+o.orders, s.crashes+o.crashes, s.tasks+o.tasks, s.rounds+o.rounds, s.long+o.long
	for i := range s.loops {
		s.loops[i], s.depth[i], s.gates[i] = s.loops[i]+o.loops[i], s.depth[i]+o.depth[i], s.gates[i]+o.gates[i]
		s.taken[i], s.skipped[i], s.stuck[i] = s.taken[i]+o.taken[i], s.skipped[i]+o.skipped[i], s.stuck[i]+o.stuck[i]
	}
}

func (s *flowStats) String() string {
	return fmt.Sprintf("of %d sketches %d are plans, and %d once they are mended; %d of those ran for too long\n"+
		"%d orders, %d crashes, %d tasks, %d rounds\n"+
		"how many graphs have 0, 1, 2, 3, 4, more …\n"+
		"  loops: %v\n  loops around a loop and itself: %v\n  gates: %v\n  rounds: %v\n  nodes skipped: %v\n  nodes stuck: %v",
		s.sketches, s.atOnce, s.mended, s.long, s.orders, s.crashes, s.tasks, s.rounds, s.loops, s.depth, s.gates, s.taken, s.skipped, s.stuck)
}

// accepted makes a plan of a sketch, which may be mended to that end; nil where none comes of it.
func (s *flowStats) accepted(r *rand.Rand, sketch *flowSketch) *plan.Plan {
	s.sketches++
	for try := range 8 {
		p, err := sketch.wire()
		switch {
		case err == nil && try == 0:
			s.atOnce++
			return p
		case err == nil:
			s.mended++
			return p
		case !sketch.mend(r, err):
			return nil
		}
	}
	return nil
}

// exploreFlow compares what the laws say of a sketch with what machines do.
func exploreFlow(s *flowSketch, p *plan.Plan, seed uint64, stats *flowStats) *difference {
	w := &world{sketch: s, seed: seed}
	inputs := make(map[string]string)
	for _, in := range p.Dataflow().Inputs {
		if w.runIsGiven(in.Name, in.Optional) {
			inputs[in.Name] = "run." + in.Name
		}
	}
	d := &difference{sketch: s, seed: seed, plan: p}
	l, err := newLawful(w, inputs)
	if err != nil {
		d.what = "the plan is accepted, and " + err.Error()
		return d
	}
	if d.what = l.sameLoops(p); d.what != "" {
		return d
	}
	if !l.run() {
		stats.long++
		return nil
	}
	d.law = l.tell()
	if d.what = l.broken; d.what != "" {
		return d
	}
	stats.look(l, d.law)
	const orders = 3
	for i := range orders {
		o := &ordering{world: w, m: New(p), r: rand.New(rand.NewPCG(seed, uint64(i))), inputs: inputs, way: i}
		d.what = o.run()
		d.machine = &o.told
		if d.what == "" {
			d.what = d.law.differs(&o.told)
		}
		stats.orders++
		stats.crashes += o.crashes
		if d.what != "" {
			d.what = fmt.Sprintf("in order %d: %s%s", i, d.what, d.confluent(inputs))
			return d
		}
	}
	return nil
}

func (s *flowStats) look(l *lawful, t *told) {
	depth, gates, rounds := 0, 0, 0
	for i := range l.loops {
		depth = max(depth, l.loops[i].depth+1)
	}
	for i := range l.nodes {
		if l.nodes[i].gate() {
			gates++
		}
	}
	for i := range l.happened {
		if l.happened[i].took != nil {
			rounds++
		}
	}
	skipped, stuck := l.ends()
	s.count(&s.loops, len(l.loops))
	s.count(&s.depth, depth)
	s.count(&s.gates, gates)
	s.count(&s.taken, rounds)
	s.count(&s.skipped, len(skipped))
	s.count(&s.stuck, len(stuck))
	s.rounds += rounds
	s.tasks += len(t.tasks)
}

// sameLoops compares the loops that law D4 says there are with those that plan.Wire has found.
func (l *lawful) sameLoops(p *plan.Plan) string {
	var want, got []string
	for i := range l.loops {
		var names []string
		for v, in := range l.loops[i].nodes {
			if in {
				names = append(names, l.nodes[v].name)
			}
		}
		want = append(want, fmt.Sprintf("%d %s %q", l.loops[i].depth, l.nodes[l.loops[i].head].name, names))
	}
	var walk func(loops []plan.Loop, depth int)
	walk = func(loops []plan.Loop, depth int) {
		for _, o := range loops {
			got = append(got, fmt.Sprintf("%d %s %q", depth, o.Head, o.Nodes))
			walk(o.Inner, depth+1)
		}
	}
	walk(p.Loops(), 0)
	slices.Sort(want)
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		return "law D4: other loops (-law +plan):\n" + diff
	}
	return ""
}

func (t *told) differs(other *told) string {
	if maps.Equal(t.tasks, other.tasks) && t.ended == other.ended {
		return ""
	}
	return "the machine does something else (-law +machine):\n" + gocmp.Diff(t.tasks, other.tasks) + gocmp.Diff(t.ended, other.ended)
}

// confluent reports whether the laws themselves leave no choice: the same comes of any order in which tasks end.
func (d *difference) confluent(inputs map[string]string) string {
	for i := range uint64(30) {
		l, err := newLawful(&world{sketch: d.sketch, seed: d.seed}, inputs)
		if err != nil {
			return ""
		}
		l.pick = rand.New(rand.NewPCG(d.seed, i)).IntN
		if l.run() && d.law.differs(l.tell()) != "" {
			return "the laws themselves are not confluent here: what else they allow is\n  " + strings.Join(l.tell().order, "\n  ")
		}
	}
	return ""
}

// difference is a sketch of which a machine does something else than the laws say.
type difference struct {
	sketch       *flowSketch
	plan         *plan.Plan
	seed         uint64
	what         string
	law, machine *told
}

// shrunken makes the sketch smaller as long as there is a difference, and tells it.
func (d *difference) shrunken() string {
	for again, tries := true, 0; again && tries < 2000; {
		again = false
		for _, c := range d.sketch.smaller() {
			p, err := c.wire()
			if err != nil {
				continue
			}
			for i := uint64(0); i < 20 && !again; i++ { // a smaller sketch does other things
				tries++
				if found := exploreFlow(c, p, d.seed+i, new(flowStats)); found != nil {
					d, again = found, true
				}
			}
			if again {
				break
			}
		}
	}
	return d.String()
}

func (d *difference) String() string {
	text := fmt.Sprintf("%s\n\n%s\n", d.what, d.sketch)
	for _, o := range d.plan.Loops() {
		text += fmt.Sprintf("loop %q begins at %q; inside: %v\n", o.Nodes, o.Head, o.Inner)
	}
	if d.law != nil {
		text += "\nby the laws:\n  " + strings.Join(d.law.order, "\n  ") + "\n  " + d.law.ended + "\n"
	}
	if d.machine != nil {
		text += "\nby the machine:\n  " + strings.Join(d.machine.order, "\n  ") + "\n  " + d.machine.ended + "\n"
	}
	return text
}

// ordering runs a machine in some order of completion.
type ordering struct {
	*world
	told
	m       *Machine
	r       *rand.Rand
	way     int // 0: what was handed out first ends first; else any
	inputs  map[string]string
	work    *Work
	journal []journal.Entry
	queue   []atWork
	records map[uint64]map[string]string
	routes  map[uint64]string // decisions, and whose they are
	skipped []string
	crashes int
	broken  string
}

// atWork is a task that was handed out, and what for.
type atWork struct {
	do   Do
	task uint64
}

// run runs the machine to its end, and says what is wrong.
func (o *ordering) run() string {
	o.tasks, o.records, o.routes = make(map[string]string), make(map[uint64]map[string]string), make(map[uint64]string)
	o.records[1] = o.inputs
	names := slices.Sorted(maps.Keys(o.inputs))
	o.must(o.m.Begin(0, &journal.StartedBody{Plan: "test", Fingerprint: o.m.plan.Fingerprint(), Inputs: names}, []byte("0")))
	o.next()
	for steps := 0; o.broken == "" && !o.m.over(); steps++ {
		switch {
		case steps > 4*mostFlowTasks:
			o.broken = "it does not end"
		case o.way > 0 && o.r.IntN(15) == 0:
			o.crash()
		case o.work.Complete:
			o.must(o.m.Complete(0, Value{}))
			o.next()
		case len(o.queue) == 0:
			o.broken = "nothing is at work, and the run has not ended"
		default:
			o.finish()
		}
		if o.broken == "" && o.r.IntN(6) == 0 {
			o.audit()
		}
	}
	if o.broken == "" {
		o.end()
	}
	if o.broken == "" && o.r.IntN(10) == 0 {
		o.broken = copiedAnywhere(o.m.plan, o.journal)
	}
	return o.broken
}

func (o *ordering) must(err error) {
	if err != nil && o.broken == "" {
		o.broken = err.Error()
	}
}

// crowds checks that no dataflow has more tasks at work than it may. None of them waits here.
func (o *ordering) crowds() {
	inside := make(map[*scope]int)
	for _, t := range o.m.tasks {
		if inside[t.scope]++; inside[t.scope] > t.scope.flow.d.Concurrency {
			o.must(fmt.Errorf("%d tasks of a dataflow are at work, and at most %d may be", inside[t.scope], t.scope.flow.d.Concurrency))
		}
	}
}

// next takes what follows into the journal.
func (o *ordering) next() {
	o.store(o.m.Flush())
	o.crowds()
	if o.broken != "" {
		return
	}
	var folded *Work
	if o.r.IntN(6) == 0 { // another machine says the same (law J1)
		other := o.fold()
		if o.r.IntN(2) == 0 {
			other = o.copy()
		}
		if o.broken != "" {
			return
		}
		other.SetBusy(o.m.Busy())
		var err error
		folded, err = other.Next(0)
		o.must(err)
		defer func() {
			if o.broken == "" {
				o.compare(other, folded)
			}
		}()
	}
	work, err := o.m.Next(0)
	o.must(err)
	o.work = work
	if o.broken == "" {
		o.store(work.Append)
		for _, s := range work.Start {
			o.queue = append(o.queue, atWork{s.Do, s.Task.ID})
		}
	}
}

func (o *ordering) compare(other *Machine, folded *Work) {
	if want, got := shownWork(other, folded), shownWork(o.m, o.work); !slices.Equal(want, got) {
		o.broken = "a machine that is folded from the journal says that something else follows (-folded +live):\n" + gocmp.Diff(want, got)
	}
}

// store keeps entries, and tells what they say.
func (o *ordering) store(entries []journal.Entry) {
	for _, e := range entries {
		e.Value, e.Body = slices.Clone(e.Value), slices.Clone(e.Body)
		o.journal = append(o.journal, e)
		id := nodehost.TaskID(e.Node, int(e.Visit))
		o.order = append(o.order, fmt.Sprintf("%d %v %s to %q %s", e.Seq, e.Kind, id, e.To, e.Body))
		switch e.Kind {
		case journal.NodeStarted:
			o.began(id, &e)
		case journal.RouteTaken:
			o.routes[e.Seq] = id
		case journal.NodeSkipped:
			o.skipped = append(o.skipped, e.Node)
		}
	}
}

// began tells what a task is given: what its entry says, and what the machine hands out.
func (o *ordering) began(id string, e *journal.Entry) {
	if o.tasks[id] != "" {
		o.broken = "law J4: task " + id + " is begun twice"
		return
	}
	body, err := bodyOf[journal.BeginBody](o.m, e)
	o.must(err)
	at := o.spot(e.Node)
	var in given
	for i, s := range o.m.Slots(o.m.ByID(e.Seq), nil) {
		name := at.in[i].name
		if ref := body.In[name]; ref != s.Ref {
			o.broken = fmt.Sprintf("task %s is handed the %q of entry %d, and entry %d says %d", id, name, s.Ref, e.Seq, ref)
		}
		in = append(in, o.records[s.Ref][name])
	}
	took := o.routes[body.Took]
	cause := ""
	if c := o.m.ByID(e.Seq).Cause; c != nil {
		cause = c.Task
	}
	o.tasks[id] = givenLine(at, in, took[strings.LastIndexByte(took, '/')+1:]) + causeLine(cause[strings.LastIndexByte(cause, '/')+1:])
}

// spot is a node by its path.
func (o *ordering) spot(path string) *flowSpot {
	sketch := o.sketch
	for {
		name, rest, inside := strings.Cut(path, "/")
		at := &sketch.nodes[sketch.index(name)]
		if !inside {
			return at
		}
		sketch, path = at.sub, rest
	}
}

// next one of the tasks that are at work.
func (o *ordering) pick() int {
	at := 0
	switch o.way {
	case 0:
	case 1: // each node is as slow as it is: a slow one is late every time
		slow := func(w atWork) uint64 { return o.dice("slow", o.m.Path(o.m.ByID(w.task))) }
		for k := range o.queue {
			if slow(o.queue[k]) < slow(o.queue[at]) {
				at = k
			}
		}
	default:
		at = o.r.IntN(len(o.queue))
	}
	return at
}

// finish ends one of the tasks that are at work.
func (o *ordering) finish() {
	i := o.pick()
	w := o.queue[i]
	t := o.m.ByID(w.task)
	o.queue = slices.Delete(o.queue, i, i+1)
	if t == nil {
		o.broken = "a task was handed out, and is not open"
		return
	}
	at, id := o.spot(o.m.Path(t)), o.m.TaskID(t)
	var in given
	for k, s := range o.m.Slots(t, nil) {
		in = append(in, o.records[s.Ref][at.in[k].name])
	}
	var written map[string]string
	switch w.do {
	case Enter:
		o.enter(t, at, in)
		return
	case Leave:
		written = o.leave(t, at)
	default:
		written = o.writes(at, int(t.Visit), in)
	}
	if o.fails(at, int(t.Visit), in) {
		o.tasks[id] += " fails"
		o.must(o.m.Fail(0, t, journal.FailedBody{Error: "it fails"}, Value{}, targetNamed(at.err)))
		o.next()
		return
	}
	var out Outcome
	if before := o.records[o.m.Written(t)]; len(at.out) > 0 && (before == nil || !maps.Equal(before, written)) {
		out.Value = changed() // what is equal is not stored again (law J7)
		o.records[o.m.Head()+1] = written
	}
	if at.gate() {
		for _, to := range o.chooses(at, int(t.Visit), in) {
			out.Choices = append(out.Choices, targetNamed(to))
		}
		out.Choice = out.Choices[0]
	}
	o.tasks[id] += wroteLine(at, written)
	o.must(o.m.Finish(0, t, out))
	o.next()
}

// enter begins the subgraph of a task.
func (o *ordering) enter(t *Task, at *flowSpot, in given) {
	inputs := make(map[string]string)
	for i, p := range o.m.Flat(t).Sub.Dataflow().Inputs {
		if in[i] != "" {
			inputs[p.Name] = in[i]
		}
	}
	o.records[o.m.Head()+1] = inputs
	o.must(o.m.Entered(0, t, changed()))
	o.next()
}

// leave is what the subgraph of a task has brought.
func (o *ordering) leave(t *Task, at *flowSpot) map[string]string {
	written := make(map[string]string)
	slots, _ := o.m.Outcome(t)
	for k, name := range at.sub.results() {
		if value := o.records[slots[k].Ref][name]; value != "" {
			written[at.out[k]] = value
		}
	}
	return written
}

func (o *ordering) fold() *Machine {
	m := New(o.m.plan)
	for i := range o.journal {
		if err := m.Apply(&o.journal[i]); err != nil {
			o.broken = fmt.Sprintf("the journal does not fold: %v", err)
			break
		}
	}
	return m
}

// copy is the machine that its snapshot is restored to.
func (o *ordering) copy() *Machine {
	again, diff := copied(o.m)
	if diff != "" && o.broken == "" {
		o.broken = "the machine is not what its snapshot is restored to (-machine +restored): " + diff
	}
	return again
}

// crash lets another process take over: what is at work begins again.
func (o *ordering) crash() {
	o.crashes++
	if o.r.IntN(2) == 0 {
		o.m = o.copy()
	} else {
		o.m = o.fold()
	}
	o.queue = nil
	if o.broken == "" && o.m.status == Running && o.m.Underway() {
		o.must(o.m.Resume(0, journal.ResumedBody{Reason: ReasonRecovered}))
	}
	if o.broken == "" {
		o.next()
	}
}

// audit compares what the machine counts with what there is, and the machine with what its journal folds to: that a dataflow
// is over is found by Next, so it is asked, and nothing more may follow.
func (o *ordering) audit() {
	again := o.fold()
	again.SetBusy(o.m.Busy())
	for _, m := range []*Machine{o.m, again} {
		if wrong := m.audit(); wrong != "" && o.broken == "" {
			o.broken = "the machine has counted wrong (-there is +counted): " + wrong
		}
	}
	if o.m.over() {
		return
	}
	work, err := again.Next(0)
	o.must(err)
	if o.broken != "" {
		return
	}
	if len(work.Append)+len(work.Start) > 0 {
		o.broken = fmt.Sprintf("a machine that is folded from the journal says that more follows: %v", shownWork(again, work))
	} else if folded, live := again.dump(), o.m.dump(); folded != live {
		o.broken = "the machine is not what its journal folds to (-folded +live):\n" + gocmp.Diff(folded, live)
	}
}

// end tells how the run has ended.
func (o *ordering) end() {
	var stuck, results []string
	for _, n := range o.m.Finished().Stuck {
		stuck = append(stuck, n.Node+" needs "+strings.Join(n.Needs, " "))
	}
	slots, _ := o.m.Outcome(nil)
	for i, name := range o.sketch.results() {
		results = append(results, o.records[slots[i].Ref][name])
	}
	if status := o.m.Status(); (status == Stuck) != (len(stuck) > 0) || status != Stuck && status != Completed {
		o.broken = fmt.Sprintf("the run is %s, and %d nodes are stuck", status, len(stuck))
	}
	o.ended = endLine(o.skipped, stuck, results)
}
