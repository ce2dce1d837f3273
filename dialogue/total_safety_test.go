package dialogue_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue"
)

// ways are the steps of a flow, and those that may follow each of them.
type stepWays struct {
	first string
	steps map[string]dialogue.Step
	after map[string][]string // but for the yes of a confirm step
	yes   map[string]string
	wrote map[string]bool // what steps other than collect steps write
}

func waysOf(f dialogue.Flow) *stepWays {
	w := &stepWays{first: f.Steps[0].ID, steps: make(map[string]dialogue.Step), after: make(map[string][]string), yes: make(map[string]string), wrote: make(map[string]bool)}
	w.add(f.Steps, dialogue.End)
	return w
}

func (w *stepWays) add(list []dialogue.Step, end string) {
	for i, st := range list {
		next := end
		if i+1 < len(list) {
			next = list[i+1].ID
		}
		if st.Next != "" {
			next = st.Next
		}
		w.steps[st.ID] = st
		for _, a := range slices.Concat(st.Values, st.Outputs) {
			w.wrote[a.Name] = true
		}
		to := []string{st.OnError}
		switch st.Type {
		case dialogue.ConfirmStep:
			w.yes[st.ID] = next
			to = append(to, st.OnDeny)
		case dialogue.WhileStep:
			to = append(to, st.Steps[0].ID, next)
			w.add(st.Steps, st.ID)
		case dialogue.BranchStep:
			for _, k := range st.Cases {
				to = append(to, k.Next)
			}
			if st.Default != "" {
				next = st.Default
			}
			to = append(to, next)
		case dialogue.LinkStep:
		default:
			to = append(to, next)
		}
		w.after[st.ID] = to
	}
}

// unasked are the steps that follow one without a yes.
func (w *stepWays) unasked(from ...string) map[string]bool {
	found := make(map[string]bool)
	for work := from; len(work) > 0; work = work[1:] {
		if _, ok := w.steps[work[0]]; ok && !found[work[0]] {
			found[work[0]] = true
			work = append(work, w.after[work[0]]...)
		}
	}
	return found
}

// guards watches over a conversation: what lies behind a confirmation is done after an explicit yes, as often as there
// was one, and with what was known then.
type guards struct {
	flows map[string]*stepWays
	asked map[string]map[string]any // flow -> what was known at the last yes
	yes   map[string]int            // flow/step -> how often a yes came that was not used
}

func guard(d *dialogue.Dialogue) *guards {
	g := &guards{flows: make(map[string]*stepWays), asked: make(map[string]map[string]any), yes: make(map[string]int)}
	for _, f := range d.Definition().Flows {
		g.flows[f.Name] = waysOf(f)
	}
	return g
}

// turn takes a turn, and says what was done in it that must not be done.
func (g *guards) turn(x turnHeld) error {
	if p := x.asked.Pending; p != nil && p.IsConfirm() && agrees(x.message) {
		for name, w := range g.flows {
			if len(x.before.Stack) > 0 && x.before.Stack[len(x.before.Stack)-1].Flow != name {
				continue
			}
			for id := range w.steps {
				g.yes[name+"/"+id]++
			}
			g.asked[name] = nil
			if n := len(x.before.Stack); n > 0 {
				g.asked[name] = x.before.Stack[n-1].Slots
			}
		}
	}
	for _, e := range x.effects {
		w := g.flows[e.flow]
		if w == nil || w.unasked(w.first)[e.step] {
			continue
		}
		at := e.flow + "/" + e.step
		if g.asked[e.flow] == nil && g.yes[at] == 0 {
			return fmt.Errorf("%s was done without a yes", at)
		}
		if !w.unasked(w.after[e.step]...)[e.step] { // it does not repeat itself
			if g.yes[at]--; g.yes[at] < 0 {
				return fmt.Errorf("%s was done more often than there was a yes", at)
			}
		}
		if e.action != "pay" {
			continue
		}
		for name, v := range e.in {
			if was, ok := g.asked[e.flow][name]; ok && !w.wrote[name] && !reflect.DeepEqual(plain(was), plain(v)) {
				return fmt.Errorf("%s was done with %s %v, and the yes was to %v", at, name, v, was)
			}
		}
	}
	return nil
}

// agrees reports whether a message may be a yes.
func agrees(m dialogue.Message) bool {
	yes := slices.ContainsFunc([]string{"yes", "true", "👍"}, func(word string) bool { return strings.Contains(m.Text, word) })
	for _, c := range m.Commands {
		switch c.Type {
		case dialogue.Affirm:
			yes = true
		case dialogue.Deny, dialogue.CancelFlow, dialogue.SetSlot, dialogue.CorrectSlot, dialogue.ClearSlot, dialogue.StartFlow, dialogue.Skip, dialogue.Repeat, dialogue.Handoff:
			return false
		}
	}
	return yes
}
