package machine

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Whatever finishes first: the same tasks run, each is given the same values, every join takes the same branches and
// merges them in the same order, and the run ends the same (laws G3, G4 and D11). What a task does follows here from its
// descent alone: its node, and the descent of what it is given. Visits are not compared: where branches meet at an Each
// node, or rounds overtake each other, they are numbered as they come. Plans have no Stop, which is a race by nature, and
// no limits.
func TestG4_TheOrderOfFinishingDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t, drawn{depth: 2, fork: true, each: true})
		seed := rapid.Uint32().Draw(t, "what tasks do")
		var first []string
		for i := range 3 {
			o := &ordered{
				t: t, m: New(p), seed: seed, values: map[uint64]descent{}, waits: map[string]bool{},
				turn: rapid.IntRange(0, 1<<20).Draw(t, "order"),
			}
			got := o.run(i)
			if o.long {
				return
			}
			slices.Sort(got)
			if first == nil {
				first = got
			} else if diff := gocmp.Diff(first, got); diff != "" {
				t.Fatalf("another order gives something else (-first +this):\n%s\n\nplan %s\n\nlast: %s", diff, outline(p), strings.Join(o.did, "\n"))
			}
		}
	})
}

// descent is what a value or task comes from, whatever its number: how it was made, and how many tasks there were before.
type descent struct {
	id    string
	depth int
}

func from(what string, up ...descent) descent {
	h, depth, all := fnv.New64a(), 0, what
	for _, d := range up {
		all += "|" + d.id
		depth = max(depth, d.depth)
	}
	h.Write([]byte(all))
	return descent{fmt.Sprintf("%s (%x)", what, h.Sum64()), depth + 1}
}

// ordered runs a plan whose tasks all do what their descent says, in an order that is drawn. Every task makes a value of
// its own.
type ordered struct {
	t      *rapid.T
	m      *Machine
	seed   uint32
	turn   int
	now    int64
	queue  []Start
	work   *Work
	values map[uint64]descent
	told   []string
	did    []string
	asked  int
	waits  map[string]bool
	long   bool
}

// pick says what a task does of n ways to do something.
func (o *ordered) pick(d descent, what string, n int) int {
	h := fnv.New32a()
	h.Write(fmt.Appendf(nil, "%d %s %s", o.seed, d.id, what))
	return int(h.Sum32()>>3) % n
}

// which draws the next of n, by a generator of its own: rapid would draw far too much.
func (o *ordered) which(n int) int {
	o.turn = (o.turn*1103515245 + 12345) & 0x7fffffff
	return (o.turn >> 8) % n
}

func (o *ordered) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatalf("%v\n\n%s\n\n%s", err, strings.Join(o.did, "\n"), o.m.dump())
	}
}

func (o *ordered) run(round int) []string {
	o.must(o.m.Begin(0, &journal.StartedBody{Plan: "test", Fingerprint: o.m.plan.Fingerprint()}, []byte("0")))
	o.next()
	for steps := 0; !o.m.over(); steps++ {
		if steps > 400 {
			o.long = true // a loop that goes round too often for a test
			return nil
		}
		switch {
		case o.work.Complete:
			o.tell("the run ends with %s", o.shown(o.m.Ending(nil)))
			o.must(o.m.Complete(o.now, Value{}))
		case len(o.m.interrupts) > 0 && (len(o.queue) == 0 || o.which(3) == 0):
			q := o.m.interrupts[o.which(len(o.m.interrupts))]
			o.must(o.m.Resolve(o.now, q.ID, journal.ResolvedBody{State: journal.Answered}, []byte("1")))
		case len(o.queue) == 0:
			o.now = max(o.now, o.m.Due())
			o.must(o.m.Fire(o.now))
		default:
			i := o.which(len(o.queue))
			if round == 0 {
				i = 0 // the order that people expect
			}
			s := o.queue[i]
			o.queue = slices.Delete(o.queue, i, i+1)
			o.start(s)
		}
		o.next()
	}
	o.tell("the run is %s", o.m.status)
	return o.told
}

func (o *ordered) tell(format string, args ...any) {
	o.told = append(o.told, fmt.Sprintf(format, args...))
}

// next takes what follows into account: which values there are, and what every task is given.
func (o *ordered) next() {
	o.look(o.m.Flush())
	work, err := o.m.Next(o.now)
	o.must(err)
	o.look(work.Append)
	o.work, o.queue = work, append(o.queue, work.Start...)
}

func (o *ordered) look(entries []journal.Entry) {
	for _, e := range entries {
		id := nodehost.TaskID(e.Node, int(e.Visit))
		o.did = append(o.did, fmt.Sprintf("%d %v %s attempt %d to %q of %d %s", e.Seq, e.Kind, id, e.Attempt, e.To, e.Base, e.Body))
		switch {
		case e.Kind == journal.RunStarted:
			o.values[e.Seq] = descent{id: "the input"}
		case e.Kind == journal.NodeStarted && !e.HasValue():
			t := o.m.ByID(e.Seq)
			if t == nil { // a further attempt
				path, visit := e.Node, e.Visit
				t = o.m.Task(path, visit)
			}
			o.tell("%s, attempt %d", o.of(t).id, e.Attempt)
		}
	}
}

// of is what a task comes from.
func (o *ordered) of(t *Task) descent { return from(o.m.Flat(t).Path, o.values[t.Ref]) }

// made notes what the values come from that the last input has made.
func (o *ordered) made(what string, up ...descent) {
	for _, e := range o.m.out {
		if e.HasValue() && o.values[e.Seq].id == "" {
			text := what
			if e.Kind == journal.RouteTaken && len(e.Body) > 0 {
				text += string(e.Body)
			}
			o.values[e.Seq] = from(text, up...)
		}
	}
}

func (o *ordered) shown(j *Join) string {
	var shown []string
	for _, ref := range j.From {
		shown = append(shown, o.values[ref].id)
	}
	var steps []string
	for _, step := range j.Steps {
		text := "against " + o.values[step.Base].id + ":"
		for i, in := range step.Inputs {
			if in < 0 {
				text += fmt.Sprintf(" (step %d)", -in)
			} else {
				text += " " + o.values[j.From[in]].id
			}
			text += " by " + step.Names[i]
		}
		steps = append(steps, text)
	}
	slices.Sort(shown) // what comes together; the steps say in which order
	return fmt.Sprintf("%q %q", shown, steps)
}

// start does what a task was handed out for.
func (o *ordered) start(s Start) {
	if s.Do == Merge {
		o.merge(s.Join)
		return
	}
	t := s.Task
	d, flat := o.of(t), o.m.Flat(t)
	switch s.Do {
	case Fail:
		o.fail(t, d)
		return
	case Enter:
		if n := o.pick(d, "items", 4); flat.Map == nil {
			o.must(o.m.Entered(o.now, t, changed()))
			o.made("into", d)
			return
		} else if n > 0 {
			o.must(o.m.Split(o.now, t, slices.Repeat([]Value{changed()}, n)))
			o.made("item", d)
			return
		}
	case Leave:
		o.left(t, d, flat)
	case Run:
		if o.pauses(t, d) {
			return
		}
	case Merge:
	}
	if s.Do != Leave && o.fails(t, d) {
		o.fail(t, d)
		return
	}
	o.must(o.m.Finish(o.now, t, o.outcome(t, d, flat)))
	o.made("out of", d)
}

func changed() Value { return Value{Changed: true, Data: []byte("1")} }

func (o *ordered) merge(j *Join) {
	at, text := j.Node(o.m).Path, o.shown(j)
	_, err := o.m.Joined(o.now, j, changed())
	o.must(err)
	var up []descent
	for _, ref := range j.From {
		up = append(up, o.values[ref])
	}
	o.made("joined at "+at, up...)
	o.tell("%s joins %s", at, text)
}

// left tells what a subgraph, or the items of a map, ended with.
func (o *ordered) left(t *Task, d descent, flat *plan.Flat) {
	if flat.Map == nil {
		o.tell("%s is left with %s", d.id, o.shown(o.m.Ending(t)))
		return
	}
	for i, it := range o.m.Items(t) {
		if it.Join != nil {
			o.tell("item %d of %s ends with %s", i+1, d.id, o.shown(it.Join))
		} else {
			o.tell("item %d of %s fails: %s", i+1, d.id, it.Failure.Error)
		}
	}
}

// pauses lets some tasks wait for a person, once in an attempt.
func (o *ordered) pauses(t *Task, d descent) bool {
	key := fmt.Sprintf("%d/%d", t.ID, t.Attempt)
	if o.pick(d, "pauses", 4) > 0 || o.waits[key] {
		return false
	}
	o.waits[key] = true
	op := fmt.Sprintf("interrupt:q%d#1", t.Attempt)
	o.asked++
	o.must(o.m.Ask(o.now, t, &journal.Interrupt{ID: fmt.Sprintf("int_%d", o.asked), Task: o.m.TaskID(t), Op: op, State: journal.Open}, false))
	o.must(o.m.Suspend(o.now, t, op))
	return true
}

// fails reports whether a task fails: where somebody deals with it, or once.
func (o *ordered) fails(t *Task, d descent) bool {
	return o.pick(d, "fails", 4) == 0 && (t.Attempt == 1 || len(o.m.Flat(t).Failures) > 0 && d.depth < deepest || o.alone(t))
}

// deepest is how many tasks one behind the other choose freely.
const deepest = 12

// fail lets the failure of a task be dealt with where it is: a failure that goes outwards stops what is beside it, and how
// far that has come is a matter of order.
func (o *ordered) fail(t *Task, d descent) {
	flat := o.m.Flat(t)
	body := journal.FailedBody{Error: d.id + " failed"}
	switch {
	case len(flat.Failures) > 0 && d.depth < deepest:
		target := flat.Failures[o.pick(d, "caught", len(flat.Failures))].Name
		o.must(o.m.Fail(o.now, t, body, changed(), target))
		o.made("failure of", d)
	case o.alone(t):
		o.must(o.m.Fail(o.now, t, body, Value{}, ""))
	default:
		body.RetryAt = o.now + int64(o.pick(d, "backoff", 3))*1e6
		o.must(o.m.Retry(o.now, t, body))
	}
}

// alone reports whether a task is all that its item does, so that it fails alone where failures are kept.
func (o *ordered) alone(t *Task) bool {
	return o.m.keeps(t.scope.parent) && len(o.m.Flat(t).Owner.Definition().Nodes) == 1
}

// outcome chooses by what the task comes from, and the way out once there were many before it.
func (o *ordered) outcome(t *Task, d descent, flat *plan.Flat) Outcome {
	out := Outcome{Value: changed()}
	switch {
	case !flat.Gate():
	case d.depth >= deepest:
		out.Choice = nearest(o.m, t)
		out.Choices = []string{out.Choice}
	case flat.Route != nil:
		out.Choice = flat.Choices[o.pick(d, "choice", len(flat.Choices))].Name
	default:
		for i, c := range flat.Choices {
			if o.pick(d, fmt.Sprint("choice ", i), 2) == 0 || len(out.Choices) == 0 && i == len(flat.Choices)-1 {
				out.Choices = append(out.Choices, c.Name)
			}
		}
	}
	return out
}
