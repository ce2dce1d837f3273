package dialogue

import (
	"io/fs"
	"slices"
	"time"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// Options say what a dialogue may use. The zero value works.
type Options struct {
	Actions []Action // what flows can have done, by their names
	// ActionsFrom makes the actions that a file defines under its key actions: of what the file says, as a
	// json.RawMessage whose members stand in written order, or of the Source that the action had, as []byte, where the
	// dialogue is restored. A *definition.PathError says where in it something is wrong. Defaults to none: a file with
	// actions is refused.
	ActionsFrom func(name string, spec any) (Action, error)
	// NLU understands users where Services has none. Defaults to a model where the settings name one, else to phrases.
	NLU NLU
	// Files hold the translations that settings.translations names. Defaults to the folder of the file for Load, and to none
	// for Parse.
	Files fs.FS
}

// Dialogue is a compiled dialogue. It is immutable and safe for concurrent use.
//
// One struct: each field is a part of the definition that is compiled.
type Dialogue struct {
	def      Definition              // as it was given
	settings Settings                // with their defaults
	zone     *time.Location          // of today and now
	language *phrase.Language        // of default messages
	locale   phrase.Locale           // of values that users say
	greeting *template               // said when a conversation begins
	context  []*slot                 // brought when a conversation begins
	labels   []runLabel              // of conversations
	slots    map[string]*slot        // of the conversation
	flows    map[string]*flow        // by name
	order    []*flow                 // as they are declared
	patterns map[PatternName]pattern // those that the definition gives
	events   map[string]*eventRule   // by name
	defaults Services                // where the runtime has none
	phrases  *phrases                // which understand what no model may see, or has understood
	commands commandSchemas          // what a model may answer with
	varies   bool                    // a message has several texts
	private  bool                    // a slot is private
	plan     *plan.Plan
	source   []byte               // see Source
	digest   string               // of the source
	warnings []definition.Problem // see Warnings
	modelAt  definition.Problem   // where the settings name the model

	embedderAt definition.Problem // where they name the embedder

	translations map[string]*Dialogue // by the tags of their languages; nil for a translation
	base         *Dialogue            // of which it is a translation; nil for none
}

// Plan is what the engine runs: gate, nlu, orchestrator, and each flow as a subgraph. Its state is a *State.
func (d *Dialogue) Plan() *plan.Plan { return d.plan }

// Name is the dialogue's name.
func (d *Dialogue) Name() string { return d.def.Name }

// Settings are the dialogue's, with their defaults.
func (d *Dialogue) Settings() Settings { return d.settings }

// Definition is what the dialogue was compiled from.
func (d *Dialogue) Definition() Definition { return d.def }

// FlowNames are the flows that users can begin in words, as they are declared.
func (d *Dialogue) FlowNames() []string {
	var names []string
	for _, f := range d.order {
		if f.named() {
			names = append(names, f.Name)
		}
	}
	return names
}

// Flow finds a flow; false where there is none of the name.
func (d *Dialogue) Flow(name string) (Flow, bool) {
	f := d.flows[name]
	if f == nil {
		return Flow{}, false
	}
	return f.Flow, true
}

// Slot finds a slot, as a flow sees it; flow "" for those of the conversation.
func (d *Dialogue) Slot(flow, name string) (Slot, bool) {
	if sl := d.slotOf(d.flows[flow], name); sl != nil {
		return sl.Slot, true
	}
	return Slot{}, false
}

// Understood returns what phrases understand of a text while nothing is going on. It asks no model, also where one
// understands users.
func (d *Dialogue) Understood(text string, now time.Time) ([]Command, error) {
	t := &Turn{Text: text, Dialogue: d, Now: now.In(d.zone), Filled: map[string]any{}}
	if wish := d.wished(t); wish != nil {
		return wish, nil
	}
	commands, err := d.phrases.understand(t)
	commands = d.known(commands)
	byPhrases(commands, nil)
	return commands, err
}

// slotOf finds a slot of a flow, or of the conversation; nil where there is none. The flow is nil outside of all.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (d *Dialogue) slotOf(f *flow, name string) *slot {
	if f != nil && f.slots[name] != nil {
		return f.slots[name]
	}
	return d.slots[name]
}

// flow is a compiled flow.
type flow struct {
	Flow
	dialogue *Dialogue
	slots    map[string]*slot        // by name
	order    []*slot                 // as they are declared
	places   []*slot                 // those that users can give a value to; those of the conversation behind the flow's own
	steps    map[string]*step        // by id
	list     []*step                 // in order; those in while steps behind them
	first    string                  // the step that it begins with
	lost     bool                    // a step leads to one that there is not: what is reached is not known
	twice    bool                    // two steps have one name: no way is known
	guard    *formula                // holds where the flow can be begun; nil for always
	patterns map[PatternName]pattern // while it is the active one
}

// title is what people call the flow.
func (f *flow) title() string {
	if f.Description != "" {
		return f.Description
	}
	return f.Name
}

// slot is a compiled slot; one without a type is a variable of a flow.
type slot struct {
	Slot
	name     string
	validate *formula          // holds for good values; nil for all
	invalid  *expression.Fault // why Validate is no formula
	refusal  *template         // said of values that Validate or Schema refuses; nil for a default message
	failure  *template         // said of values that cannot be read; nil for the reason why
	initial  any               // the value that it begins with, as it is kept
	always   any               // the same, where nothing that happens makes it wrong
	asked    bool              // some step asks for it: users can give it a value
	check    *schema.Schema    // of the values that it keeps; nil for anything
	values   *expression.Type  // the same, for expressions
}

func (s *slot) title() string {
	if s.Description != "" {
		return s.Description
	}
	return s.name
}

// options are the quick replies of a slot that has few values.
func (s *slot) options() []string {
	const most = 10
	few := s.Type.kind().few(s.Slot)
	if !s.Type.kind().is().named || len(few) > most {
		return nil
	}
	values := make([]string, len(few))
	for i, v := range few {
		values[i] = s.Type.kind().show(showing{}, s.Slot, v)
	}
	return values
}

// step is a compiled step.
type step struct {
	Step
	next      string         // the step that follows
	onDeny    string         // of a confirm step, after a no
	choices   []way          // of a confirm step: the steps that follow its alternatives
	otherwise string         // of a branch, where no case holds
	message   *message       // nil for none
	inputs    []assignment   // of an action or a call
	outs      []assignment   // likewise
	values    []assignment   // of a set step
	cases     []compiledCase // of a branch or a loop
	action    *Action        // that it calls; nil for none
	path      string         // where it stands in the definition
	reads     []string       // slots, sorted
	writes    []string       // slots and variables
}

type assignment struct {
	name   string
	code   *formula // nil: the slot of the same name
	path   string   // of outputs
	place  string   // in the definition
	needed bool     // of what has the slot's name: it must be there
	open   bool     // of outputs: it need not be there
}

type compiledCase struct {
	when  *formula
	next  string
	label string
	place string // in the definition
}

// readsAny reports whether the step reads one of some slots.
func (s *step) readsAny(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(s.reads, name) })
}

type pattern struct {
	message *message
	flow    string
}
