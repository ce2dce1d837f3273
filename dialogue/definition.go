package dialogue

import (
	"encoding/json"
	"time"
)

// Definition is a dialogue as its author writes it: a plain value. Compile checks all of it. Load reads one from a file.
type Definition struct {
	Name     string
	Doc      string
	Settings Settings
	// Context are the names that a conversation begins with, by their types: who the user is, their balance. Nil
	// leaves them open: any name that nothing else brings may be one.
	Context []Slot
	// Slots belong to the whole conversation: every flow reads and fills them.
	Slots    []Slot
	Flows    []Flow
	Patterns map[PatternName]Pattern
	Chitchat []Chat
	Events   []EventRule // what is done about what happens outside
	// Labels are what conversations are found by (law J13): texts, which may have {{ … }} over the context, by their keys. A text
	// that turns out empty is no label. They read nothing private. Defaults to none.
	Labels map[string]string
	// Synonyms are words that mean the same in triggers: {"transfer": ["send", "wire"]}.
	Synonyms map[string][]string
	// Renamed are the names of earlier versions that are gone, and what they are now.
	Renamed Renamed
}

// Settings hold for the whole dialogue.
//
// One struct: they are written side by side under one key of the file.
type Settings struct {
	Language string // of the user's and the dialogue's texts: en. Defaults to en
	Zone     string // an IANA time zone, in which "tomorrow" is meant. Defaults to UTC
	Currency string // of amounts of money that are said without one: EUR. Defaults to EUR
	DayFirst bool   // 3/5 is the third of May
	// Holidays are the calendars that users know by name: christian, us, de-by. Defaults to none: Christmas alone is known.
	Holidays []string
	Model    string // the model that understands what users say. Defaults to none: phrases do

	// ModelTimeout is how long a message may take the model; then phrases understand it. Defaults to 20 seconds.
	ModelTimeout time.Duration
	// Embedder names what makes vectors of texts, by which the ranker compares messages with flows as well: "openai:text-embedding-3-small".
	// Services.Embedders finds it. Defaults to none: words alone count.
	Embedder string
	// Ranker is RankerOff where a message that no trigger is near enough to begins nothing, and no user is asked which flow
	// is meant. Defaults to "on".
	Ranker string

	// MinConfidence is how sure the NLU has to be of a value, from 0 to 1. Defaults to 0.5.
	MinConfidence float64
	// Misses is after how many messages in a row that were not understood a person is asked to take over; 0 for never.
	Misses int
	// Silence is after how long without a word the pattern silence speaks; 0 for never. After Silences of them in a row
	// the conversation is closed; 0 leaves it open. After SilentHandoff of them a person is asked to take over; 0 for never.
	Silence       time.Duration
	Silences      int
	SilentHandoff int
	// Role is who may take over a conversation. Defaults to "agent".
	Role string
	// Greeting is said when a conversation begins; "" for nothing.
	Greeting string
}

// RankerOff is the value of Settings.Ranker with which messages are compared with triggers alone.
const RankerOff = "off"

// Flow is something that a user can get done.
type Flow struct {
	Name        string
	Description string   // for the user and for models: "Send money"
	Trigger     []string // phrases that begin it: "transfer {amount} to {payee}"
	Slots       []Slot
	Steps       []Step
	Patterns    map[PatternName]Pattern // instead of the dialogue's, while it is the active one
	// If is an expression over the context and the slots of the conversation. Where it does not hold, the flow cannot be
	// begun: not by users, links or calls. Defaults to none.
	If string
	// Starts says who may begin the flow. Defaults to ByUser.
	Starts StartedBy
	// Hidden flows are begun by other flows and patterns only, as those with Starts ByLink.
	Hidden bool
}

// SlotType is what a slot holds.
type SlotType string

// The types of slots, and how their values are written in expressions and JSON.
const (
	Text     SlotType = "text"      // "Ada"
	Number   SlotType = "number"    // 2.5
	Integer  SlotType = "integer"   // 3
	Money    SlotType = "money"     // 50.25, in the slot's currency
	Date     SlotType = "date"      // "2026-11-25"
	Time     SlotType = "time"      // "15:30"
	DateTime SlotType = "datetime"  // "2026-11-25T15:30:00+01:00"
	Choice   SlotType = "choice"    // one of the slot's choices
	Boolean  SlotType = "boolean"   // true
	List     SlotType = "list"      // ["salt", "pepper"]
	Object   SlotType = "object"    // what fits the slot's schema
	Duration SlotType = "duration"  // "PT1H30M": an hour and a half
	Percent  SlotType = "percent"   // 50 for "50%"
	Phone    SlotType = "phone"     // "+49301234567"
	Email    SlotType = "email"     // "ada@example.com"
	Fraction SlotType = "fraction"  // 0.75 for "three quarters"
	Range    SlotType = "range"     // {"from": 50, "to": 100}; one of them may be missing
	TimeZone SlotType = "time_zone" // "Europe/Berlin"
	Holiday  SlotType = "holiday"   // {"date": "2027-03-29", "name": "Easter Monday"}
)

// Slot is a value that a flow needs.
type Slot struct {
	Name        string
	Type        SlotType // defaults to Text
	Description string   // for models
	Choices     []Option // of a Choice, and of a List of choices
	Items       SlotType // of a List; defaults to Choice where there are Choices, else to Text. Of a Range; defaults to Number
	Currency    string   // of Money, and of a Range of it. Defaults to the dialogue's
	Country     string   // of Phone: the ISO 3166 code of the country whose national numbers are read. Without one they stay as they are said
	Schema      json.RawMessage
	// Validate is an expression that holds for good values: "amount > 0 and amount <= balance". Error is what is said of
	// those that it or Schema refuses; in a slot without both, of every value that is not good. It may hold expressions.
	Validate, Error string
	Initial         any  // what it holds before anybody says something; nil for nothing
	Optional        bool // the user may leave it out
	Private         bool // no model is shown its value, nor the words that answer a question for it
}

// Option is a value of a choice, and what else it is called.
type Option struct {
	Value    string // what the slot holds
	Label    string // what users are shown and say for it. Defaults to Value
	Synonyms []string
}

// called is what else a choice is called.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (o Option) called() []string {
	if o.Label == "" {
		return o.Synonyms
	}
	return append([]string{o.Label}, o.Synonyms...)
}

// StepType says what a step does.
type StepType string

// The types of steps.
const (
	CollectStep StepType = "collect" // asks for a slot that is not filled
	ConfirmStep StepType = "confirm" // asks for an explicit yes
	InformStep  StepType = "inform"  // says something
	ActionStep  StepType = "action"  // calls an action
	SetStep     StepType = "set"     // calculates slots
	BranchStep  StepType = "branch"  // goes on at another step
	WhileStep   StepType = "while"   // repeats steps
	CallStep    StepType = "call"    // makes another flow and comes back
	LinkStep    StepType = "link"    // makes another flow and does not
)

// End is, as the name of a step, the end of the flow.
const End = "end"

// Stop ends, as the name of a step, the flow as if the user had cancelled it.
const Stop = "stop"

// Step is a part of a flow. Its type says which fields it has.
//
// One struct: it serves all types of steps, because a definition is a plain value.
type Step struct {
	ID   string
	Type StepType
	Next string // the step that follows, End or Stop. Defaults to the next one in the list

	Message    string      // of collect, confirm and inform, with expressions: "Send {{ amount }}?"
	Texts      []Variation // in place of Message: several, of which one is said
	Options    []string    // quick replies
	Slot       string      // of collect
	Again      bool        // of collect: asks in each round of a loop, unless the user has said the value in that round already
	OnDeny     string      // of confirm: the step that follows a no, End or Stop. Defaults to Stop
	WaitForAck bool        // of inform

	Alternatives []Alternative // of confirm: answers beside yes and no

	Metadata map[string]any

	Call    string        // of action: its name
	Inputs  []Assignment  // of action and call: the values that it is given. Defaults to slots of the same names
	Outputs []Assignment  // of action and call: slots, and where in the result their values are; "" for all of it
	OnError string        // of action: the step that follows a failure. Defaults to the pattern failure, which ends the flow
	Retries int           // of action: how often it is tried again
	Timeout time.Duration // of action: of one try
	Final   *bool         // of action: whether it cannot be taken back. Defaults to whether a confirm step came before

	Values  []Assignment // of set: slots and expressions
	When    string       // of while: the condition
	Steps   []Step       // of while
	Cases   []Case       // of branch
	Default string       // of branch: the step where no case holds. Defaults to the next one in the list
	Flow    string       // of call and link
}

// Assignment gives a name a value.
type Assignment struct {
	Name  string
	Value string // an expression; of outputs a path
}

// Case is a way that a branch can take.
type Case struct {
	When string // an expression
	Next string
}

// Chat is small talk: what the user may say, and what is answered.
type Chat struct {
	Trigger []string
	Message string
}
