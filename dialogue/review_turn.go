package dialogue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// Mark says what a turn was, or how a conversation has ended, in a review.
type Mark string

// The marks of turns and conversations. A turn may have several: a message that begins a flow may give a value, too.
const (
	MarkMiss          Mark = "miss"          // the message was not understood
	MarkClarification Mark = "clarification" // several flows could be meant: the user was asked which
	MarkRejection     Mark = "rejection"     // a value was not good, or was too doubtful to be taken
	MarkHandoff       Mark = "handoff"       // a person was asked to take over
	MarkDropOff       Mark = "drop_off"      // of a conversation: the user left while a flow was open
	MarkCancel        Mark = "cancel"        // a flow was cancelled
	MarkCorrection    Mark = "correction"    // a slot got another value than before, or was emptied
	MarkStart         Mark = "start"         // a flow was begun
	MarkValue         Mark = "value"         // a slot got a value
	MarkYes           Mark = "yes"
	MarkNo            Mark = "no"
	MarkSkip          Mark = "skip"
	MarkRepeat        Mark = "repeat"
	MarkChitchat      Mark = "chitchat"
	MarkLanguage      Mark = "language" // the language was asked for, or which there are
	MarkSilence       Mark = "silence"  // nobody said anything
	MarkEvent         Mark = "event"    // a program has reported something; the text is the name of the event
	MarkHuman         Mark = "human"    // a person had the conversation
	MarkOther         Mark = "other"    // a command of the program
)

// Troubles are the marks that a review is about, unless it is asked for others.
func Troubles() []Mark { return []Mark{MarkMiss, MarkClarification, MarkHandoff, MarkDropOff} }

// Marks are all marks, the worst first.
func Marks() []Mark {
	return []Mark{
		MarkMiss, MarkClarification, MarkRejection, MarkHandoff, MarkDropOff, MarkCancel, MarkCorrection, MarkStart, MarkValue, MarkYes, MarkNo,
		MarkSkip, MarkRepeat, MarkChitchat, MarkLanguage, MarkSilence, MarkEvent, MarkHuman, MarkOther,
	}
}

// Place is where a user was when a message came. The zero value is outside of all flows.
type Place struct {
	Flow string `json:"flow,omitempty"` // the one that had asked, or the active one
	Step string `json:"step,omitempty"` // the step that had asked; "" where none had
	Slot string `json:"slot,omitempty"` // that was asked for. It is flow_name for the question which flow is meant
}

// ReviewTurn is a message of a conversation, and how it was understood.
//
// One struct: each field is a member of a stable format.
type ReviewTurn struct {
	Conversation string    `json:"conversation"`
	Turn         int       `json:"turn"` // counted in the conversation, from 1; that of the message before for a silence
	Seq          uint64    `json:"seq"`  // of the event that recorded the message
	At           time.Time `json:"at"`
	By           string    `json:"by"`                 // user or agent
	Language     string    `json:"language,omitempty"` // the tag of the language in which the message was understood; "" where the dialogue has only one
	Text         string    `json:"text,omitempty"`     // "" where it is hidden
	Hidden       bool      `json:"hidden,omitempty"`   // the text may hold the value of a private slot, and is not shown
	Place        Place     `json:"place"`
	Marks        []Mark    `json:"marks"`              // the worst first
	Commands     []Command `json:"commands,omitempty"` // as they were understood. Values of private slots, texts and data are left out
	Candidates   []string  `json:"candidates,omitempty"`
}

// Has reports whether the turn has one of some marks.
func (t *ReviewTurn) Has(marks ...Mark) bool {
	return slices.ContainsFunc(t.Marks, func(m Mark) bool { return slices.Contains(marks, m) })
}

// clone is a turn whose lists are its own.
func (t *ReviewTurn) clone() ReviewTurn {
	own := *t
	own.Marks, own.Commands, own.Candidates = slices.Clone(t.Marks), slices.Clone(t.Commands), slices.Clone(t.Candidates)
	return own
}

// add gives the turn a mark.
func (t *ReviewTurn) add(m Mark) {
	if !slices.Contains(t.Marks, m) {
		t.Marks = append(t.Marks, m)
	}
}

// told is a conversation as its journal tells it.
type told struct {
	turns []ReviewTurn
	fork  journal.Origin // where it was forked from; the turns up to its Seq are copies
	rests Place          // where the user was left
	open  bool           // a flow was going on in the end
	human bool           // a person had it in the end
}

// Turns returns every message of a conversation with what was understood, how, and where the user was. A turn that is not
// answered yet is left out. Where there is no such conversation, the error is an *fermata.Error of CodeNotFound.
//
// A text is hidden where it may hold the value of a private slot: the slot was asked for, or the message was understood as
// one. A slot that the dialogue does not have any more counts as private.
func (c *Conversations) Turns(ctx context.Context, id string) ([]ReviewTurn, error) {
	if err := c.holds(ctx, id); err != nil {
		return nil, err
	}
	t, err := c.tell(ctx, id)
	return t.turns, err
}

// Look is a conversation as those who look after it see it.
type Look struct {
	Turns []ReviewTurn   `json:"turns"` // see Conversations.Turns
	Flows []Place        `json:"flows"` // that are going on, the active one first
	Slots map[string]any `json:"slots"` // what is known where the user is; "[private]" stands for the values of private slots
}

// Look reads how each message of a conversation was understood, and where it stands.
// Where there is no such conversation, the error is an *fermata.Error of CodeNotFound.
func (c *Conversations) Look(ctx context.Context, id string) (Look, error) {
	if err := c.holds(ctx, id); err != nil {
		return Look{}, err
	}
	r, err := c.reads(ctx, id)
	if err != nil {
		return Look{}, err
	}
	l := Look{Turns: slices.Clip(r.turns), Flows: []Place{}, Slots: map[string]any{}}
	if l.Turns == nil {
		l.Turns = []ReviewTurn{}
	}
	if r.final == nil {
		return l, nil
	}
	for i := range slices.Backward(r.final.Stack) {
		f := &r.final.Stack[i]
		at := Place{Flow: f.Flow, Step: f.Step}
		if here := r.final.standsAt(); here.Flow == f.Flow && i == len(r.final.Stack)-1 {
			at = here
		}
		l.Flows = append(l.Flows, at)
	}
	if top := r.final.top(); top == nil || r.d.flows[top.Flow] != nil { // a flow that the dialogue does not have any more has no slots
		l.Slots = r.d.shareable(r.final)
		delete(l.Slots, nameToday)
		delete(l.Slots, nameNow)
	}
	return l, nil
}

// holds checks that a run is a conversation of the dialogue: the private slots of another one are not known here.
func (c *Conversations) holds(ctx context.Context, id string) error {
	info, err := c.rt.Info(ctx, id)
	if err == nil && (info.Plan != c.dialogue.plan.Name() || info.Kind != planKind) {
		err = &fermata.Error{Code: fermata.CodeNotFound, Run: id, Err: fmt.Errorf("it is a run of %q: %w", info.Plan, fermata.ErrNotFound)}
	}
	return err
}

// tell reads a conversation.
func (c *Conversations) tell(ctx context.Context, id string) (told, error) {
	r, err := c.reads(ctx, id)
	if err != nil {
		return told{}, err
	}
	return r.told, nil
}

// reads is a conversation as its journal tells it, and where it stands.
func (c *Conversations) reads(ctx context.Context, id string) (*teller, error) {
	d, err := c.spoken(ctx, id)
	if err != nil {
		return nil, err
	}
	r := &teller{d: c.dialogue, id: id, begun: d}
	for m, err := range c.rt.History(ctx, id) {
		if err == nil {
			err = r.take(&m.Entry, m.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, r.end()
}

// teller makes turns of the entries of a journal.
type teller struct {
	told
	d      *Dialogue
	begun  *Dialogue // in the language in which the conversation was begun
	id     string
	now    *State          // before the message that is being read; nil between two
	frames int             // how many flows had been begun before it
	said   []PatternName   // the patterns that have spoken since
	turn   ReviewTurn      // of the message
	known  []Command       // what was understood of it
	latest json.RawMessage // the conversation as it was last
	final  *State          // the same, once all is read; nil for none
}

func (r *teller) take(e *journal.Entry, value json.RawMessage) error {
	switch {
	case e.Kind == journal.RunStarted:
		var body journal.StartedBody
		if json.Unmarshal(e.Body, &body) == nil && body.Fork != nil {
			r.fork = *body.Fork
		}
	case e.Kind == journal.Message && r.now != nil:
		var said Said
		if json.Unmarshal(e.Body, &said) == nil && said.Pattern != "" {
			r.said = append(r.said, said.Pattern)
		}
	case e.Kind != journal.NodeFinished || value == nil:
		return nil
	case e.Node == gateNode:
		s, err := r.state(e.Seq, value)
		if err == nil {
			r.heard(e.Seq, s)
		}
		return err
	case e.Node == nluNode && r.now != nil:
		s, err := r.state(e.Seq, value)
		if err == nil {
			r.known = s.Commands
		}
		return err
	case e.Node == orchestratorNode:
		r.latest = value
		if r.now == nil {
			return nil
		}
		s, err := r.state(e.Seq, value)
		if err == nil {
			r.judge(s)
		}
		return err
	}
	return nil
}

// state reads a conversation, with the digits of its numbers.
func (r *teller) state(seq uint64, value json.RawMessage) (*State, error) {
	s := &State{}
	if err := decodeState(value, s); err != nil {
		return nil, fmt.Errorf("conversation %s: what seq %d holds is no conversation: %w", r.id, seq, err)
	}
	return s, nil
}

func decodeState(value json.RawMessage, s *State) error {
	d := json.NewDecoder(strings.NewReader(string(value)))
	d.UseNumber()
	return d.Decode(s)
}

// heard begins a turn.
func (r *teller) heard(seq uint64, s *State) {
	r.now, r.frames, r.said, r.known = s, s.Frames, nil, s.Commands
	r.turn = ReviewTurn{Conversation: r.id, Turn: s.Turns, Seq: seq, At: time.UnixMicro(s.At).UTC(), By: byUser, Place: s.standsAt()}
	if r.d.several() {
		r.turn.Language = r.begun.speaking(s).settings.Language
	}
	if m := s.Message; m != nil {
		r.turn.Text = m.Text
		if s.Human && m.From == byAgent {
			r.turn.By = byAgent
		}
	}
}

// standsAt is where the user is.
func (s *State) standsAt() (p Place) {
	if f := s.top(); f != nil {
		p.Flow = f.Flow
	}
	if s.Asked != nil {
		p.Step = s.Asked.Step
		if f := s.frame(s.Asked.Frame); f != nil {
			p.Flow = f.Flow
		}
	}
	if s.Pending != nil {
		p.Slot = s.Pending.Slot
	}
	return p
}

// judge ends a turn with what has come of it.
func (r *teller) judge(after *State) {
	before, t := r.now, r.turn
	r.now = nil
	switch m := before.Message; {
	case m != nil && m.Silence:
		t.Text = ""
		t.add(MarkSilence)
	case m != nil && m.Event != "":
		t.By, t.Text = byEvent, m.Event
		t.add(MarkEvent)
	case before.Human:
		t.Hidden = r.d.private // nobody knows what the person has asked for
		t.add(MarkHuman)
	default:
		r.mark(&t, before, after)
	}
	t.Commands = r.shown(&t)
	slices.SortStableFunc(t.Marks, func(a, b Mark) int { return slices.Index(Marks(), a) - slices.Index(Marks(), b) })
	r.turns = append(r.turns, t)
}

// mark says what a message of a user was.
func (r *teller) mark(t *ReviewTurn, before, after *State) {
	for _, c := range r.known {
		if m := markOf[c.Type]; m != "" {
			t.add(m)
		} else {
			t.add(MarkOther)
		}
	}
	if t.Has(MarkClarification) && len(after.Clarify) == 0 && !r.spoke(after, OnClarify) {
		t.Marks = slices.DeleteFunc(t.Marks, func(m Mark) bool { return m == MarkClarification }) // something else was said, too
	}
	if t.Has(MarkClarification) {
		t.Candidates = after.Clarify
	}
	if r.spoke(after, OnHandoff) || after.Human {
		t.add(MarkHandoff)
	}
	if r.spoke(after, OnRejection, OnUnsure, OnDoubt) {
		t.add(MarkRejection)
	}
	if r.spoke(after, OnCorrection, OnCleared) {
		t.add(MarkCorrection)
	}
	missed := after.Misses > before.Misses || r.spoke(after, OnCannotHandle) || len(r.known) == 0 && !acknowledged(before.Pending)
	if missed && !t.Has(MarkClarification, MarkRejection) {
		t.add(MarkMiss)
	}
	if len(t.Marks) == 0 {
		t.add(MarkYes) // any word acknowledges
	}
}

// markOf are the marks for commands.
var markOf = map[CommandType]Mark{
	StartFlow: MarkStart, CancelFlow: MarkCancel, SetSlot: MarkValue, CorrectSlot: MarkCorrection, ClearSlot: MarkCorrection, Affirm: MarkYes,
	Deny: MarkNo, Clarify: MarkClarification, Chitchat: MarkChitchat, Handoff: MarkHandoff, Repeat: MarkRepeat, Skip: MarkSkip, Speak: MarkLanguage, Silence: MarkSilence,
}

// spoke reports whether one of some patterns has answered: with its message, or with a flow.
func (r *teller) spoke(after *State, names ...PatternName) bool {
	begun := func(f Frame) bool { return f.ID > r.frames && slices.Contains(names, f.For) }
	return slices.ContainsFunc(r.said, func(p PatternName) bool { return slices.Contains(names, p) }) || slices.ContainsFunc(after.Stack, begun)
}

// shown are the commands of a turn as a review may show them, and hides the text of one that may hold what is private.
func (r *teller) shown(t *ReviewTurn) []Command {
	flow := t.Place.Flow
	if t.Place.Slot != "" && r.d.secret(flow, t.Place.Slot) {
		t.Hidden = true
	}
	var all []Command
	for _, c := range r.known {
		if c.Type == StartFlow {
			flow = c.Flow
		}
		c.Text, c.Data = "", nil
		if c.Slot != "" && r.d.secret(flow, c.Slot) {
			c.Value, t.Hidden = nil, true
		}
		all = append(all, c)
	}
	if t.Hidden {
		t.Text = ""
	}
	return all
}

// secret reports whether the value of a slot is shown to nobody who reviews conversations.
func (d *Dialogue) secret(flow, name string) bool {
	if name == flowSlot {
		return false
	}
	f := d.flows[flow]
	if f == nil {
		f = d.flows[d.def.Renamed.Flows[flow]]
	}
	for _, known := range []string{name, d.def.Renamed.Slots[name]} {
		if sl := d.slotOf(f, known); sl != nil {
			return sl.Private
		}
	}
	found := false
	for _, f := range d.order { // the slot of a flow below the active one, or of one that is gone
		if sl := f.slots[name]; sl != nil {
			if sl.Private {
				return true
			}
			found = true
		}
	}
	return !found
}

// end notes how the conversation stands.
func (r *teller) end() error {
	if r.latest == nil {
		return nil
	}
	s, err := r.state(0, r.latest)
	if err != nil {
		return err
	}
	r.rests, r.open, r.human, r.latest = s.standsAt(), len(s.Stack) > 0, s.Human, nil
	r.final = s
	return nil
}
