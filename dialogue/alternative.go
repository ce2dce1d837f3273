package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/node"
)

// A confirm step may have answers beside yes and no: "change the amount", "remind me tomorrow". None of them is a yes.

// Alternative is such an answer. It leads to a step, or asks for a slot again: one of Next and Change is given.
type Alternative struct {
	Option
	Next   string // the step that follows, End or Stop
	Change string // the slot that is emptied and asked for again
}

// TaskChoice is an answer to a confirm task beside yes and no. The command Choose names it by its value.
type TaskChoice struct {
	Value    string   `json:"value"`
	Label    string   `json:"label"` // what users are shown
	Synonyms []string `json:"synonyms,omitempty"`
}

var alternativeKeys = []string{"value", "label", "synonyms", "next", "change"}

// label is what users are shown for an option.
func (o Option) label() string {
	if o.Label != "" {
		return o.Label
	}
	return o.Value
}

// alternatives compiles the answers of a confirm step. next has the steps that they lead to.
func (c *compiler) alternatives(f *flow, st *step) {
	for i, a := range st.Alternatives {
		path := document.Index(st.path+".choices", i)
		switch {
		case strings.TrimSpace(a.Value) == "":
			c.fault(path, "a choice needs a value: its name")
		case slices.ContainsFunc(st.Alternatives[:i], func(b Alternative) bool { return strings.EqualFold(a.Value, b.Value) }):
			c.fault(path, "the choice %q stands there twice", a.Value)
		}
		switch {
		case (a.Next == "") == (a.Change == ""):
			c.fault(path, "a choice has next (the step that follows) or change (the slot that is asked for again)")
		case a.Next != "":
			st.choices = append(st.choices, way{c.target(f, a.Next, path+".next"), a.label()})
			continue
		case c.d.slotOf(f, a.Change) == nil:
			c.fault(path+".change", "there is no slot %q%s", a.Change, hintOr(a.Change, append(keysOf(f.slots), keysOf(c.d.slots)...)))
		case !slices.ContainsFunc(f.list, func(o *step) bool { return o.Type == CollectStep && o.Slot == a.Change }):
			c.fault(path+".change", "no step of the flow asks for the slot %q", a.Change)
		}
	}
}

// taskChoices are the answers of a confirm step as clients see them.
func (s *step) taskChoices() (all []TaskChoice) {
	for _, a := range s.Alternatives {
		all = append(all, TaskChoice{Value: a.Value, Label: a.label(), Synonyms: a.Synonyms})
	}
	return all
}

// choose takes an answer to a confirm step that is neither yes nor no.
func (d *Dialogue) choose(ctx node.Context, s *State, f *Frame, choice string) error {
	st := d.flows[f.Flow].steps[f.Step]
	for _, a := range st.Alternatives {
		switch {
		case a.Value != choice:
		case a.Change != "":
			return d.clear(ctx, s, a.Change)
		default:
			f.Choice = choice
			return nil
		}
	}
	return d.tell(ctx, s, "flow %s: step %s: there is no choice %q", f.Flow, st.ID, choice)
}

// chosen is the step that follows the answer which was chosen.
func (s *step) chosen(choice string) string {
	at := 0
	for _, a := range s.Alternatives {
		if a.Next == "" {
			continue
		}
		if a.Value == choice {
			return s.choices[at].step
		}
		at++
	}
	return s.ID
}

// chooses is one of the answers beside yes and no that the user was offered.
func (u *utterance) chooses() []Command {
	if u.Pending == nil || len(u.Pending.Choices) == 0 {
		return nil
	}
	s := phrase.Slot{Kind: phrase.Single}
	for _, c := range u.Pending.Choices {
		s.Choices = append(s.Choices, phrase.Choice{Value: c.Value, Synonyms: append([]string{c.Label}, c.Synonyms...)})
	}
	in, _ := u.opened()
	if said, ok := u.otherOne(in.text); ok && u.named(said) == "" && len(u.opposite("")) > 0 { // "the other one", where another amount is offered, too
		return nil
	}
	if offers := u.offeredAt(in.text); offers != "" {
		at := slices.IndexFunc(u.Pending.Choices, func(c TaskChoice) bool { return c.Label == offers })
		if at < 0 {
			return nil
		}
		return []Command{{Type: Choose, Choice: u.Pending.Choices[at].Value, Confidence: certain}}
	}
	v, ok := u.locale.Read(s, in.text, u.Now)
	name, isText := v.Value.(string)
	if !ok || !isText || v.Reason != "" || v.Left != "" || v.Score < certain || phrase.Inquires(u.locale, in.text) && u.locale.AsksMore(v.Text) { // "how much do others give?"
		return nil
	}
	return []Command{{Type: Choose, Choice: name, Confidence: v.Score}}
}

// offeredAt is the quick reply that was called by its place among all that are shown: "the third one"; "" for none. No place is a
// yes or a no.
func (u *utterance) offeredAt(text string) string {
	s := phrase.Slot{Kind: phrase.Single}
	for _, option := range u.Pending.Options {
		s.Choices = append(s.Choices, phrase.Choice{Value: option})
	}
	v, ok := u.locale.Read(s, text, u.Now)
	if option, is := v.Value.(string); ok && is && v.Reason == "" && v.Place {
		return option
	}
	return ""
}

// choosesBeside is such an answer behind a yes or a no, and perhaps one more word: "yes, but another dish".
func (u *utterance) choosesBeside() []Command {
	if found := u.chooses(); len(found) > 0 {
		return found
	}
	if about, other := u.otherOne(u.text); other && u.named(about) == "" {
		return nil
	}
	_, rest, ok := strings.Cut(strings.TrimSpace(u.text), " ")
	if !ok || u.Pending == nil || len(u.Pending.Choices) == 0 || u.locale.Negated(u.text) {
		return nil
	}
	return u.within(rest).chooses()
}

// choosesLast is such an answer as the last of what was said: "yes, but another dish".
func (u *utterance) choosesLast() []Command {
	if len(u.Pending.Choices) == 0 {
		return nil
	}
	cuts := u.locale.Cuts(u.text)
	if len(cuts) == 0 {
		return nil
	}
	return u.within(u.text[cuts[len(cuts)-1][1]:]).choosesBeside()
}

// alternative reads an answer of a confirm step.
func (f *file) alternative(at document.Spot) Alternative {
	o := document.NewObject(at, f.report, alternativeKeys)
	a := Alternative{Next: o.Text("next").Text, Change: o.Text("change").Text}
	a.Value, a.Label, a.Synonyms = o.NeedText("value", "the name of the choice").Text, o.Text("label").Text, words(o.Words("synonyms"))
	return a
}
