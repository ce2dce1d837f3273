package dialogue

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/fermata-go/fermata/node"
)

// The nodes of a dialogue's plan beside its flows. They cannot be names of flows.
const (
	gateNode         = "gate"
	nluNode          = "nlu"
	orchestratorNode = "orchestrator"
	enterNode        = "(enter)"
	failedNode       = "(failed)"
)

// Waiting is the request of the gate's interrupt. It holds the question for the user, and for a person who takes over all
// that they have to know.
type Waiting struct {
	*PendingTask
	Handoff    bool           `json:"handoff,omitempty"`    // a person has taken over
	Transcript []Line         `json:"transcript,omitempty"` // of a conversation that a person has taken over
	Slots      map[string]any `json:"slots,omitempty"`      // as above: what is known
	Again      int            `json:"again,omitempty"`      // the last message had come before, and this was its turn
	Language   string         `json:"language,omitempty"`   // the tag of the language that the conversation was changed to; "" for that in which it was begun
}

// shownAs is the kind of the gate's questions.
const shownAs = "dialogue"

// messageSchema is that of a Message. It is stored with every question, so it says no more than it has to.
var messageSchema = []byte(`{"type":"object","properties":{"text":{"type":"string"}}}`)

// gate is the one way by which anything comes from people: it waits for a message.
func (d *Dialogue) gate(ctx node.Context, s *State) error {
	d.firstText(s, ctx.Info().Run)
	if s.Turns == 0 && len(s.Lines) == 0 && d.settings.Greeting != "" {
		text, err := d.render(d.greeting, nil, d.scope(s, nil))
		if err != nil {
			err = d.tell(ctx, s, "settings.greeting: %v", err)
		} else {
			err = say(ctx, s, NewInform(text), byBot)
		}
		if err != nil {
			return err
		}
	}
	m, by, err := d.listen(ctx, s)
	if err != nil {
		return err
	}
	if m.Language != "" {
		if err := d.speaks(ctx, s, &m); err != nil {
			return err
		}
	}
	s.Message, s.Steps, s.Begun, s.For = &m, 0, 0, ""
	if m.Silence {
		s.Commands = []Command{{Type: Silence}}
		return nil
	}
	s.Turns++
	s.remember(by, m.ID)
	if by == byUser {
		s.Channel = m.Channel
	}
	if by == byEvent {
		s.Commands = nil
		return nil
	}
	if by == byUser {
		s.note(by, d.unlessPrivate(s, m.Text))
	}
	s.Commands = d.known(m.Commands)
	for i := range s.Commands {
		s.Commands[i].Source = FromButton
	}
	return nil
}

// listen waits for a message that has not come before, and tells who says it.
func (d *Dialogue) listen(ctx node.Context, s *State) (m Message, by string, err error) {
	request, options := d.asks(s)
	for {
		q, err := node.Ask[json.RawMessage](ctx, request, options...)
		if err != nil {
			return m, "", err
		}
		said, err := q.Wait()
		if err != nil {
			return m, "", err
		}
		m = readMessage(said)
		s.At = q.At().UnixMicro()
		by = byUser
		if m.Event != "" {
			by = byEvent
		} else if s.Human && m.From == byAgent {
			by = byAgent
		}
		if request.Again = s.turnOf(by, m.ID); request.Again == 0 && m.From == byAgent {
			request.Again = s.turnOf(byAgent, m.ID) // with which the person has given the conversation back
		}
		if request.Again == 0 {
			return m, by, nil
		}
	}
}

// readMessage reads a message, with the digits of its numbers. Data that is no message becomes one that nobody can
// understand: it does not end the conversation.
func readMessage(data []byte) Message {
	var m Message
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return Message{Text: m.Text}
	}
	return m
}

// asks is what the gate asks, and how.
func (d *Dialogue) asks(s *State) (Waiting, []node.AskOption) {
	request := Waiting{PendingTask: s.Pending, Handoff: s.Human, Language: s.Language}
	options := []node.AskOption{node.ShownAs(shownAs), node.ResponseSchema(messageSchema)}
	if s.Pending != nil {
		options = append(options, node.Prompt(s.Pending.Prompt))
	}
	switch {
	case s.Human:
		request.Transcript, request.Slots = s.Lines, d.shareable(s)
		options = append(options, node.Role(d.settings.Role))
	case d.settings.Silence > 0 && s.Turns > 0:
		options = append(options, node.Within(d.settings.Silence), node.OrDefault(Message{Silence: true}))
	}
	return request, options
}

// understand asks the NLU what a message means: once for each message of a user, and not at all where that is known.
func (d *Dialogue) understand(ctx node.Context, s *State) error {
	m := s.Message
	if m == nil || m.Silence || m.Event != "" || s.Human || len(m.Commands) > 0 {
		return nil
	}
	nlu := d.services(ctx).NLU
	if _, pure := nlu.(phraseNLU); !pure {
		if err := node.Sync(ctx); err != nil { // it may do anything
			return err
		}
	}
	turn := d.turn(s)
	if s.Commands = d.wished(turn); s.Commands != nil {
		return nil
	}
	turn.nearby = d.nearbyOf(ctx)
	commands, err := nlu.Understand(ctx, turn)
	if err == nil && turn.nearby != nil {
		err = turn.nearby.err
	}
	if err != nil {
		return err
	}
	s.Commands = d.known(commands)
	sourced(nlu, s.Commands, s.Clarify)
	return nil
}

// turn is what an NLU is told.
func (d *Dialogue) turn(s *State) *Turn {
	t := &Turn{
		Text: s.Message.Text, Dialogue: d, Now: time.UnixMicro(s.At).In(d.zone), Pending: s.Pending, Clarify: s.Clarify, Lines: s.Lines,
		Filled: d.forgets(s.top(), d.scope(s, s.top())), Shut: d.shutFlows(s), secrets: d.secrets(s),
	}
	if s.Doubt != nil {
		t.unsure = s.Doubt.Value
	}
	for _, f := range slices.Backward(s.Stack) {
		t.Active = append(t.Active, f.Flow)
	}
	if f := s.top(); f != nil {
		for _, m := range slices.Backward(f.Trail) {
			if st := d.flows[f.Flow].steps[m.Step]; st != nil && st.Type == CollectStep && !slices.Contains(t.Told, st.Slot) {
				t.Told = append(t.Told, st.Slot)
			}
		}
	}
	return t
}
