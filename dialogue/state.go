package dialogue

import (
	"fmt"
	"slices"
)

// State is a conversation, as it travels through the plan. Flows and handlers see it; only this package changes it.
//
// One struct: it is stored as one JSON object whose members are a stable format.
type State struct {
	Context map[string]any `json:"context,omitempty"` // what the conversation was begun with: who the user is, and such
	Slots   map[string]any `json:"slots,omitempty"`   // of the whole conversation
	Stack   []Frame        `json:"stack,omitempty"`   // the flows that are going on, the active one last
	Frames  int            `json:"frames,omitempty"`  // how many there have been

	Message  *Message     `json:"message,omitempty"`  // what was said last
	Commands []Command    `json:"commands,omitempty"` // what was understood of it, until the orchestrator has acted
	Pending  *PendingTask `json:"pending,omitempty"`  // what the user is asked
	Asked    *asked       `json:"asked,omitempty"`    // by whom
	Clarify  []string     `json:"clarify,omitempty"`  // the flows that the user was asked to choose from
	Doubt    *doubt       `json:"doubt,omitempty"`    // the value of which the user was asked whether it is meant
	Lines    []Line       `json:"lines,omitempty"`    // the last that were said, see maxLines
	Turns    int          `json:"turns,omitempty"`    // how many messages there have been
	Heard    []heard      `json:"heard,omitempty"`    // the last messages that had an id, see maxHeard
	Misses   int          `json:"misses,omitempty"`   // how many of them in a row were not understood
	Said     int          `json:"said,omitempty"`     // number of replies since the user spoke
	Steps    int          `json:"steps,omitempty"`    // how many steps flows have made since the user spoke
	Silences int          `json:"silences,omitempty"` // how often in a row nobody said anything
	At       int64        `json:"at,omitempty"`       // when the last message came: microseconds since 1970
	Human    bool         `json:"human,omitempty"`    // a person has taken over
	Done     bool         `json:"done,omitempty"`     // a flow has come to its end since the user spoke
	Begun    int          `json:"begun,omitempty"`    // how many flows patterns have begun since the user spoke
	For      PatternName  `json:"for,omitempty"`      // the pattern whose flow has ended last
	Owes     bool         `json:"owes,omitempty"`     // a pattern's flow was to answer, and has ended or not begun
	Later    []int        `json:"later,omitempty"`    // the frames of flows that the last message has begun, but for the first one
	Closed   bool         `json:"closed,omitempty"`   // it is over
	Texts    int          `json:"texts,omitempty"`    // which of several texts is said first, from 1; 0 for not chosen yet
	Channel  string       `json:"channel,omitempty"`  // by which the user has spoken last
	Language string       `json:"language,omitempty"` // the tag of the one that it was changed to; "" for that in which it was begun
}

// maxLines bounds how much of what was said travels with the conversation. The journal has all of it.
const maxLines = 200

// Line is something that was said.
type Line struct {
	By       string `json:"by"` // user, bot or agent
	Text     string `json:"text"`
	Language string `json:"language,omitempty"` // of the first line behind a change: the tag of the language from there on
}

// Message is what a user or an agent says to the conversation.
type Message struct {
	ID   string `json:"id,omitempty"` // the sender's: a message that comes twice counts once. At most 200 bytes
	Text string `json:"text"`
	From string `json:"from,omitempty"` // "agent" for the person who has taken over. Defaults to the user
	Done bool   `json:"done,omitempty"` // of an agent: the conversation is given back
	// Question is the ID of the pending task that the sender has seen, and answers. Where another one stands by now, a yes, a
	// no, a value and the like are not taken: the user is asked again. Defaults to what is pending when the message comes.
	Question string `json:"question,omitempty"`
	// Commands are what is meant, where that is known without an NLU: a button was pressed.
	Commands []Command `json:"commands,omitempty"`
	Channel  string    `json:"channel,omitempty"` // by which the message came: "sms". Texts may be for one channel
	// Language is the language of the message, and of the conversation from here on: a tag, or several as in the header
	// Accept-Language. A message with nothing else asks for the language, and what stands is asked again in it. Send refuses
	// one that the dialogue does not have (ErrMessage). Defaults to that of the conversation.
	Language string         `json:"language,omitempty"`
	Silence  bool           `json:"silence,omitempty"` // nobody said anything
	Event    string         `json:"event,omitempty"`   // Tell's: the name of what has happened outside; there is no text then
	Data     map[string]any `json:"data,omitempty"`    // of an event
	Sent     string         `json:"sent,omitempty"`    // Send's: it tells messages without an ID apart
}

// maxHeard is how many ids of messages a conversation knows again, of users, agents and events each.
const maxHeard = 50

// heard is a message that had an id.
type heard struct {
	ID   string `json:"id"`
	By   string `json:"by,omitempty"` // agent or event; a user's ids are not theirs
	Turn int    `json:"turn"`
}

// remember notes the message of a turn, which is to count once.
func (s *State) remember(by, id string) {
	if id == "" {
		return
	}
	h := heard{ID: id, Turn: s.Turns}
	if by != byUser {
		h.By = by
	}
	s.Heard = append(s.Heard, h)
	same := 0
	for _, o := range s.Heard {
		if o.By == h.By {
			same++
		}
	}
	if same > maxHeard { // chatter does not make events forgotten
		i := slices.IndexFunc(s.Heard, func(o heard) bool { return o.By == h.By })
		s.Heard = slices.Delete(s.Heard, i, i+1)
	}
}

// turnOf is the turn of a message that has come before; 0 for one that has not.
func (s *State) turnOf(by, id string) int {
	if by == byUser {
		by = ""
	}
	for _, h := range s.Heard {
		if id != "" && h.ID == id && h.By == by {
			return h.Turn
		}
	}
	return 0
}

// Those who say something.
const (
	byUser  = "user"
	byBot   = "bot"
	byAgent = "agent"
	byEvent = "event" // a program, of what has happened outside
)

// asked is the step that asked the pending task.
type asked struct {
	Frame int    `json:"frame"`
	Step  string `json:"step"`
	Sum   string `json:"sum,omitempty"` // of what was asked to be confirmed
	At    int64  `json:"at,omitempty"`  // when: microseconds since 1970
}

// Frame is one visit of a flow.
//
// One struct: its members are a stable format, as those of State are.
type Frame struct {
	ID      int            `json:"id"`                // counted in the conversation, from 1
	Flow    string         `json:"flow"`              // its name
	Step    string         `json:"step,omitempty"`    // where it goes on; "" for its beginning
	Slots   map[string]any `json:"slots,omitempty"`   // their values, and those of variables
	Trail   []mark         `json:"trail,omitempty"`   // the steps that were made, in order
	Made    []mark         `json:"made,omitempty"`    // actions and informs that a correction has put back; equal ones are not made again
	Yes     *asked         `json:"yes,omitempty"`     // the question that was answered with an explicit yes
	No      string         `json:"no,omitempty"`      // the confirm step that was denied
	Choice  string         `json:"choice,omitempty"`  // the answer to a confirm step that was neither yes nor no
	Read    string         `json:"read,omitempty"`    // the inform step that was acknowledged
	Fresh   []string       `json:"fresh,omitempty"`   // slots of steps that ask again for which the user has said something in this round
	Late    []string       `json:"late,omitempty"`    // slots, of flows that led here too, with which something was done that cannot be taken back
	Call    *call          `json:"call,omitempty"`    // the flow that it waits for or, where it has ended, that takes its place
	Out     *outputs       `json:"out,omitempty"`     // where its slots go at its end, of a flow that was called
	Refused *refusal       `json:"refused,omitempty"` // the value that has ended it
	Link    any            `json:"link,omitempty"`    // of conversations that an earlier version began; nothing reads it (law J9)
	End     ending         `json:"end,omitempty"`     // how it has ended; "" while it goes on
	For     PatternName    `json:"for,omitempty"`     // the pattern that has begun it
}

// refusal is a value that a step gave a slot, and why the slot cannot hold it.
type refusal struct {
	Step   string `json:"step"`
	Name   string `json:"name"`
	Slot   string `json:"slot"` // as people call it
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

func (r *refusal) Error() string {
	return fmt.Sprintf("slot %q cannot hold what step %q gives it: %s", r.Name, r.Step, r.Reason)
}

// link is the flow that takes the place of one that has ended; nil for none.
func (f *Frame) link() *call {
	if f.End != ended {
		return nil
	}
	return f.Call
}

// ending is how a flow has ended; "" while it has not.
type ending string

const (
	ended     ending = "completed"
	cancelled ending = "cancelled"
	broken    ending = "failed"
	refused   ending = "refused" // a flow that it needs cannot be begun
)

// call is a flow that another one begins.
type call struct {
	Flow  string         `json:"flow"`
	Slots map[string]any `json:"slots,omitempty"`
	Step  string         `json:"step"`           // the calling one
	Late  []string       `json:"late,omitempty"` // of a flow that takes the place of this one, see Frame
}

// outputs are what a flow that was called gives back to the frame that did.
type outputs struct {
	Frame int    `json:"frame"`
	Step  string `json:"step"`
}

// mark is a step that was made.
type mark struct {
	Step  string         `json:"step"`
	Sum   string         `json:"sum,omitempty"`   // of what it was made with
	Out   map[string]any `json:"out,omitempty"`   // what an action gave
	Was   map[string]any `json:"was,omitempty"`   // the slots that it wrote, as they were before
	New   []string       `json:"new,omitempty"`   // the slots that it wrote and that were not there before
	Knew  []string       `json:"knew,omitempty"`  // of a confirm step: the slots that were filled at the yes
	Final bool           `json:"final,omitempty"` // an action behind an explicit yes
}

// top is the active flow's frame; nil for none.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (s *State) top() *Frame {
	if len(s.Stack) == 0 {
		return nil
	}
	return &s.Stack[len(s.Stack)-1]
}

// frame finds a frame by its id; nil for none.
func (s *State) frame(id int) *Frame {
	for i := range s.Stack {
		if s.Stack[i].ID == id {
			return &s.Stack[i]
		}
	}
	return nil
}

// push begins a flow.
func (s *State) push(flow string, slots map[string]any) *Frame {
	s.Frames++
	s.Stack = append(s.Stack, Frame{ID: s.Frames, Flow: flow, Slots: slots})
	return s.top()
}

// dropYes forgets a yes that was not taken: it counts for the message that says it.
func (s *State) dropYes() {
	for i := range s.Stack {
		s.Stack[i].Yes = nil
	}
}

// drop ends the frame with an id.
func (s *State) drop(id int) {
	s.Stack = slices.DeleteFunc(s.Stack, func(f Frame) bool { return f.ID == id })
}

// hideLast hides what the user has said last.
func (s *State) hideLast() {
	for i := len(s.Lines) - 1; i >= 0; i-- {
		if s.Lines[i].By == byUser {
			s.Lines[i].Text = hidden
			return
		}
	}
}

// note adds a line to what was said.
func (s *State) note(by, text string) {
	if text == "" {
		return
	}
	l := Line{By: by, Text: text}
	if s.Language != s.lineLanguage() {
		l.Language = s.Language
	}
	s.Lines = append(s.Lines, l)
	if n := len(s.Lines) - maxLines; n > 0 {
		s.Lines = slices.Delete(s.Lines, 0, n)
	}
}

// lineLanguage is the language that the lines say last; "" for none.
func (s *State) lineLanguage() string {
	if s.Language == "" {
		return ""
	}
	for _, l := range slices.Backward(s.Lines) {
		if l.Language != "" {
			return l.Language
		}
	}
	return ""
}
