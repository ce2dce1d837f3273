package dialogue

import "slices"

// CommandType says what a user wants, as the NLU has understood it.
type CommandType string

// The commands that dialogues know by themselves. More are known where Services has a Handler for them.
const (
	StartFlow   CommandType = "start_flow"   // flow_name
	CancelFlow  CommandType = "cancel_flow"  // flow_name where it is not the one that is going on
	SetSlot     CommandType = "set_slot"     // slot_name, slot_value
	CorrectSlot CommandType = "correct_slot" // slot_name, slot_value: another value than before
	ClearSlot   CommandType = "clear_slot"   // slot_name
	Affirm      CommandType = "affirm"
	Deny        CommandType = "deny"     // slot_to_change where the user says what is wrong
	Choose      CommandType = "choose"   // choice: an answer to a confirm step beside yes and no
	Clarify     CommandType = "clarify"  // options: the flows that may be meant
	Chitchat    CommandType = "chitchat" // text: the answer, where the NLU has one
	Handoff     CommandType = "handoff"
	Repeat      CommandType = "repeat"
	Skip        CommandType = "skip"
	Help        CommandType = "help"    // what can be said
	Pause       CommandType = "pause"   // the user needs a moment
	Speak       CommandType = "speak"   // language: that of the conversation from here on; "" for the question which there are
	Silence     CommandType = "silence" // nobody said anything for a while; made by the gate, never by an NLU
)

// Command is one thing that a user wants. Its type says which fields it has.
type Command struct {
	Type  CommandType `json:"type"`
	Flow  string      `json:"flow_name,omitempty"` // also of a value: the flow whose slot it is, where several have one of the name
	Slot  string      `json:"slot_name,omitempty"`
	Value any         `json:"slot_value,omitempty"` // as it was said, or of the slot's type
	// Left is the words beside the value that were not understood: the user is asked whether the value is meant.
	Left         string         `json:"left,omitempty"`
	SlotToChange string         `json:"slot_to_change,omitempty"`
	Options      []string       `json:"options,omitempty"`
	Text         string         `json:"text,omitempty"`
	Choice       string         `json:"choice,omitempty"`     // the value of a TaskChoice
	Language     string         `json:"language,omitempty"`   // a tag
	Confidence   float64        `json:"confidence,omitempty"` // above 0, at most 1; 0 for not said, which counts as sure
	Data         map[string]any `json:"data,omitempty"`       // of commands that a program adds
	// Source says how the command was understood. An NLU may say it; where it does not, the dialogue does. No test compares it.
	Source CommandSource `json:"source,omitempty"`
}

// CommandSource says how a command was understood.
type CommandSource string

// The sources of commands. A conversation of an earlier version has none.
const (
	FromTrigger CommandSource = "trigger" // a trigger of a flow or of small talk; Confidence says how near it is
	FromRanker  CommandSource = "ranked"  // no trigger: the flows were ranked by the words of the message
	FromValue   CommandSource = "value"   // words were read as the value of a slot
	FromPhrase  CommandSource = "phrase"  // what people say in any conversation: yes, stop, a flow that was offered
	FromModel   CommandSource = "model"   // a language model
	FromButton  CommandSource = "button"  // the message brought it; nothing was to be understood
	FromProgram CommandSource = "program" // another NLU of the program
)

// sourced says how commands were understood, where the NLU has not.
func sourced(nlu NLU, commands []Command, offered []string) {
	if _, ok := nlu.(phraseNLU); ok {
		byPhrases(commands, offered)
		return
	}
	by := FromProgram
	if _, ok := nlu.(*modelNLU); ok {
		by = FromModel
	}
	for i := range commands {
		if commands[i].Source == "" {
			commands[i].Source = by
		}
	}
}

// byPhrases says how phrases have understood commands. offered are the flows that the user was to choose from.
func byPhrases(commands []Command, offered []string) {
	for i := range commands {
		c := &commands[i]
		switch {
		case c.Source != "":
		case c.Type == SetSlot || c.Type == CorrectSlot:
			c.Source = FromValue
		case c.Type == StartFlow && !slices.Contains(offered, c.Flow), c.Type == Clarify, c.Type == Chitchat && c.Text != "":
			c.Source = FromTrigger
		default:
			c.Source = FromPhrase
		}
	}
}

// sure is how sure the NLU is, from 0 to 1.
func (c Command) sure() float64 {
	if c.Confidence == 0 {
		return 1
	}
	return c.Confidence
}
