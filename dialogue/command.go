package dialogue

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
	Clarify     CommandType = "clarify"  // options: the flows that may be meant
	Chitchat    CommandType = "chitchat" // text: the answer, where the NLU has one
	Handoff     CommandType = "handoff"
	Repeat      CommandType = "repeat"
	Skip        CommandType = "skip"
	Silence     CommandType = "silence" // nobody said anything for a while; made by the gate, never by an NLU
)

// Command is one thing that a user wants. Its type says which fields it has.
type Command struct {
	Type         CommandType    `json:"type"`
	Flow         string         `json:"flow_name,omitempty"`
	Slot         string         `json:"slot_name,omitempty"`
	Value        any            `json:"slot_value,omitempty"` // as it was said, or of the slot's type
	SlotToChange string         `json:"slot_to_change,omitempty"`
	Options      []string       `json:"options,omitempty"`
	Text         string         `json:"text,omitempty"`
	Confidence   float64        `json:"confidence,omitempty"` // above 0, at most 1; 0 for not said, which counts as sure
	Data         map[string]any `json:"data,omitempty"`       // of commands that a program adds
}

// sure is how sure the NLU is, from 0 to 1.
func (c Command) sure() float64 {
	if c.Confidence == 0 {
		return 1
	}
	return c.Confidence
}
