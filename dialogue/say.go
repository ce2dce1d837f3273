package dialogue

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/node"
)

// Said is something that is said to the user, and the data of events of type message. A question is
// said, too, before its answer is waited for.
type Said struct {
	PendingTask
	By   string `json:"by"`             // bot, or agent for the person who has taken over
	Turn int    `json:"turn"`           // after how many messages of the user
	Flow string `json:"flow,omitempty"` // the active one
	// Pattern is the one whose message it is; "" for what a step, an action or a person says.
	Pattern PatternName `json:"pattern,omitempty"`
}

// say says something to the user at once.
func say(ctx node.Context, s *State, task PendingTask, by string) error {
	return sayFor(ctx, s, task, by, "")
}

// sayFor is say for a pattern.
func sayFor(ctx node.Context, s *State, task PendingTask, by string, name PatternName) error {
	if task.Prompt == "" && len(task.Options) == 0 {
		return nil
	}
	s.note(by, task.Prompt)
	s.Said++
	said := Said{PendingTask: task, By: by, Turn: s.Turns, Pattern: name}
	if f := s.top(); f != nil {
		said.Flow = f.Flow
	}
	return node.Emit(ctx, node.EventMessage, said)
}

// tell tells an operator something, without the values of private slots.
func (d *Dialogue) tell(ctx node.Context, s *State, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if s != nil {
		text = withoutSecrets(text, d.secrets(s))
	}
	return node.Emit(ctx, node.EventDiagnostic, map[string]string{"message": text})
}

// pattern makes a pattern: its flow is begun, or its message is said.
func (d *Dialogue) pattern(ctx node.Context, s *State, name PatternName, f *Frame, known map[string]any) error {
	p, _ := d.patternOf(name, f)
	if p.flow != "" {
		if d.beginFor(s, name, p.flow, f, known) {
			return nil
		}
		if s.Owes = true; name == OnFailure || name == OnRefused || d.shut(s, d.flows[p.flow]) { // which nobody is left alone with
			return sayFor(ctx, s, NewInform(d.defaultWords(name, f, known)), byBot, name)
		}
		return nil
	}
	text, err := d.words(ctx, s, name, f, known)
	if err != nil || text == "" {
		return err
	}
	return sayFor(ctx, s, NewInform(text), byBot, name)
}

// mostBegun is how many flows patterns may begin for one message: some begin one another.
const mostBegun = 20

// beginFor begins the flow of a pattern, but for one that is going on, or that a flow begins at whose end it was called
// for: a pattern does not answer itself.
func (d *Dialogue) beginFor(s *State, name PatternName, flow string, f *Frame, known map[string]any) bool {
	if d.shut(s, d.flows[flow]) {
		return false
	}
	going := slices.ContainsFunc(s.Stack, func(o Frame) bool { return o.Flow == flow })
	if going || s.Begun >= mostBegun || f != nil && f.For == name || s.For == name {
		return false
	}
	s.Begun++
	d.begin(s, flow, known).For = name
	return true
}

// patternOf returns the dialogue's pattern where a flow is active, and whether there is one.
func (d *Dialogue) patternOf(name PatternName, f *Frame) (p pattern, ok bool) {
	if f != nil {
		if p, ok := d.flows[f.Flow].patterns[name]; ok {
			return p, ok
		}
	}
	p, ok = d.patterns[name]
	return p, ok
}

// words returns a pattern's message: the dialogue's, else the default one. Where the dialogue's reads what is not there, an
// operator is told, and the default one is said.
func (d *Dialogue) words(ctx node.Context, s *State, name PatternName, f *Frame, known map[string]any) (string, error) {
	p, given := d.patternOf(name, f)
	if !given {
		return d.defaultWords(name, f, known), nil
	}
	names := d.scope(s, f)
	for _, word := range patternWords {
		names[word] = ""
	}
	if f != nil {
		names["flow"] = d.flows[f.Flow].title()
	}
	maps.Copy(names, known)
	text, err := d.worded(p.message, s, max(s.Turns-1, 0), f, names)
	if err == nil {
		return text, nil
	}
	if err := d.tell(ctx, s, "pattern %s: %v", name, err); err != nil {
		return "", err
	}
	return d.defaultWords(name, f, known), nil
}

// defaultWords returns the default message of a pattern.
func (d *Dialogue) defaultWords(name PatternName, f *Frame, known map[string]any) string {
	args := phrase.Args{}
	if f != nil {
		args["flow"] = d.flows[f.Flow].title()
	}
	maps.Copy(args, known)
	return d.language.Say(patternKey(name), args)
}

// patternWords are the names that the messages of patterns know beside others; all are texts.
var patternWords = []string{"flow", "slot", "value", "reason", "left", "flows", "language", "languages"}

// handOff gives the conversation to a person.
func (d *Dialogue) handOff(ctx node.Context, s *State, delta Delta) error {
	for _, text := range delta.Say {
		if err := say(ctx, s, NewInform(text), byBot); err != nil {
			return err
		}
	}
	s.Misses = 0
	p, _ := d.patternOf(OnHandoff, s.top())
	s.Human = p.flow == ""
	return d.pattern(ctx, s, OnHandoff, s.top(), nil)
}

// relay takes a message to the other side of a conversation that a person has taken over, and acts on an event.
func (d *Dialogue) relay(ctx node.Context, s *State, m *Message) error {
	if m.Event != "" {
		return d.happened(ctx, s, m)
	}
	s.Commands, s.Pending, s.Asked = nil, nil, nil
	if m.From != byAgent {
		return nil // the gate shows it to the person
	}
	if err := say(ctx, s, NewInform(m.Text), byAgent); err != nil {
		return err
	}
	if !m.Done {
		return nil
	}
	s.Human = false
	if err := d.pattern(ctx, s, OnReturn, s.top(), nil); err != nil {
		return err
	}
	return d.resumed(ctx, s, true)
}
