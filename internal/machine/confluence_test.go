package machine

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Whatever finishes first: the same tasks run, each is given the same values, every join takes the same branches and
// merges them in the same order, and the run ends the same (laws G3, G4 and D11). What a task does follows from its id
// alone here: what it chooses, whether it changes its value, fails once, waits for a person, or how many items it has.
// Plans have no Each joins, whose visits are numbered as they come, no Stop, which is a race by nature, and no limits.
func TestG4_TheOrderOfFinishingDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t, drawn{depth: 2, fork: true})
		seed := rapid.Uint32().Draw(t, "what tasks do")
		var first []string
		for i := range 3 {
			o := &ordered{t: t, m: New(p), seed: seed, values: map[uint64]string{}, turn: rapid.IntRange(0, 1<<20).Draw(t, "order"), waits: map[string]bool{}}
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

// ordered runs a plan whose tasks all do what their id says, in an order that is drawn.
type ordered struct {
	t      *rapid.T
	m      *Machine
	seed   uint32
	turn   int
	now    int64
	queue  []Start
	work   *Work
	values map[uint64]string // what each value is, whatever its seq
	told   []string
	did    []string
	asked  int
	waits  map[string]bool
	long   bool
}

// pick says what a task does of n ways to do something.
func (o *ordered) pick(id, what string, n int) int {
	h := fnv.New32a()
	fmt.Fprint(h, o.seed, id, what)
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
	o.must(o.m.Begin(0, journal.StartedBody{Plan: "test", Fingerprint: o.m.plan.Fingerprint()}, []byte("0")))
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

func (o *ordered) tell(format string, args ...any) { o.told = append(o.told, fmt.Sprintf(format, args...)) }

// next takes what follows into account: which values there are, and what every task is given.
func (o *ordered) next() {
	entries := o.m.Flush()
	o.look(entries)
	work, err := o.m.Next(o.now)
	o.must(err)
	o.look(work.Append)
	o.work, o.queue = work, append(o.queue, work.Start...)
}

func (o *ordered) look(entries []journal.Entry) {
	for _, e := range entries {
		id := node.TaskID(e.Node, int(e.Visit))
		if e.HasValue() && e.Kind.CarriesState() {
			o.values[e.Seq] = strings.TrimSpace(fmt.Sprintf("%v %s %s", e.Kind, id, e.To))
		}
		o.did = append(o.did, fmt.Sprintf("%d %v %s attempt %d to %q of %d %s", e.Seq, e.Kind, id, e.Attempt, e.To, e.Base, e.Body))
		if e.Kind == journal.NodeStarted {
			value := o.values[e.Base]
			if e.HasValue() {
				value = "the merged value"
			}
			o.tell("%s, attempt %d, is given %s", id, e.Attempt, value)
		}
	}
}

func (o *ordered) shown(j *Join) string {
	var shown []string
	for _, ref := range j.From {
		shown = append(shown, o.values[ref])
	}
	var steps []string
	for _, step := range j.Steps {
		text := "against " + o.values[step.Base] + ":"
		for i, in := range step.Inputs {
			if in < 0 {
				text += fmt.Sprintf(" (step %d)", -in)
			} else {
				text += " " + o.values[j.From[in]]
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
		j := s.Join
		at := j.Node(o.m).Path
		text := o.shown(j)
		t, err := o.m.Joined(o.now, j, Value{Changed: true, Data: []byte("1")})
		o.must(err)
		o.tell("%s joins %s: %s", o.m.TaskID(t), at, text)
		return
	}
	t := s.Task
	id, flat := o.m.TaskID(t), o.m.Flat(t)
	switch s.Do {
	case Fail:
		o.fail(t, id)
		return
	case Enter:
		if n := o.pick(id, "items", 4); flat.Map == nil {
			o.must(o.m.Entered(o.now, t, o.value(id, "enter", t.Ref)))
			return
		} else if n > 0 {
			o.must(o.m.Split(o.now, t, slices.Repeat([]Value{{Changed: true, Data: []byte("1")}}, n)))
			return
		}
	case Leave:
		if flat.Map == nil {
			o.tell("%s is left with %s", id, o.shown(o.m.Ending(t)))
			break
		}
		for i, it := range o.m.Items(t) {
			if it.Join != nil {
				o.tell("item %d of %s ends with %s", i+1, id, o.shown(it.Join))
			} else {
				o.tell("item %d of %s fails: %s", i+1, id, it.Failure.Error)
			}
		}
	case Run:
		if o.pauses(t, id) {
			return
		}
	case Merge:
	}
	if s.Do != Leave && o.fails(t, id) {
		o.fail(t, id)
		return
	}
	o.must(o.m.Finish(o.now, t, o.outcome(t, id, flat)))
}

func (o *ordered) value(id, what string, base uint64) Value {
	if o.pick(id, "value of "+what, 3) == 0 {
		return Value{}
	}
	return Value{Changed: true, Delta: true, Base: base, Data: []byte("[0,1]")}
}

// pauses lets some tasks wait for a person, or sleep, once.
func (o *ordered) pauses(t *Task, id string) bool {
	key := fmt.Sprintf("%s/%d", id, t.Attempt)
	if o.pick(id, "pauses", 4) > 0 || o.waits[key] {
		return false
	}
	o.waits[key] = true
	op := fmt.Sprintf("interrupt:q%d#1", t.Attempt)
	o.asked++
	o.must(o.m.Ask(o.now, t, journal.Interrupt{ID: fmt.Sprintf("int_%d", o.asked), Task: id, Op: op, State: journal.Open}))
	o.must(o.m.Suspend(o.now, t, op))
	return true
}

// fails reports whether a task fails: where somebody deals with it, or once.
func (o *ordered) fails(t *Task, id string) bool {
	return o.pick(id, "fails", 4) == 0 && (t.Attempt == 1 || len(o.m.Flat(t).Failures) > 0 || o.m.keeps(t.scope.parent))
}

// fail lets the failure of a task be dealt with where it is: a failure that goes outwards stops what is beside it, and how
// far that has come is a matter of order.
func (o *ordered) fail(t *Task, id string) {
	flat := o.m.Flat(t)
	body := journal.FailedBody{Error: id + " failed"}
	switch {
	case len(flat.Failures) > 0:
		target := flat.Failures[o.pick(id, "caught", len(flat.Failures))].Name
		if o.visits(t) > 3 {
			target = flat.Failures[0].Name
		}
		o.must(o.m.Fail(o.now, t, body, o.value(id, "failure", t.Ref), target))
	case o.m.keeps(t.scope.parent) && o.alone(t):
		o.must(o.m.Fail(o.now, t, body, Value{}, ""))
	default:
		body.RetryAt = o.now + int64(o.pick(id, "backoff", 3))*1e6
		o.must(o.m.Retry(o.now, t, body))
	}
}

// alone reports whether nothing can be at work beside a task of an item.
func (o *ordered) alone(t *Task) bool { return t.scope.live == 1 }

func (o *ordered) visits(t *Task) int { return int(t.Visit) }

// outcome chooses by the id of the task, and the way out once it has been there often.
func (o *ordered) outcome(t *Task, id string, flat *plan.Flat) Outcome {
	out := Outcome{Value: o.value(id, "outcome", t.Ref)}
	switch {
	case !flat.Gate():
	case o.visits(t) > 2:
		out.Choice = nearest(o.m, t)
		out.Choices = []string{out.Choice}
	case flat.Route != nil:
		out.Choice = flat.Choices[o.pick(id, "choice", len(flat.Choices))].Name
	default:
		for i, c := range flat.Choices {
			if o.pick(id, fmt.Sprint("choice ", i), 2) == 0 || len(out.Choices) == 0 && i == len(flat.Choices)-1 {
				out.Choices = append(out.Choices, c.Name)
			}
		}
	}
	return out
}
