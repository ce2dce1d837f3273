package dialogue

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/node"
)

// A program tells a conversation what has happened outside: a parcel has arrived. An event comes through the gate, as
// messages do. So it is stored before anything is done about it, it is in one order with them, and one that comes twice
// counts once.

// EventRule is what a dialogue does about an event. It says a message, begins a flow, or does both, the message first.
type EventRule struct {
	Name string
	Data []Slot // what the event brings, by names and types. Message reads it, and the flow's slots of the same names get it
	// Message is said; it may hold expressions.
	Message string
	Texts   []Variation // in place of Message: several, of which one is said
	Flow    string      // begins, and interrupts the flow that goes on
}

// Event is something that has happened outside of a conversation.
type Event struct {
	// ID tells events apart: of the last 50 of a conversation one with the same ID counts once. At most 200 bytes; required.
	ID   string         `json:"id"`
	Name string         `json:"name"` // one of the dialogue's
	Data map[string]any `json:"data,omitempty"`
}

// ErrEvent says that something is no event of the dialogue.
var ErrEvent = fault.Sentinel("dialogue.event", "not an event of the dialogue")

// eventRule is a compiled EventRule.
type eventRule struct {
	EventRule
	data    []*slot
	message *message
}

// Tell tells a conversation of an event. It returns when the conversation waits for the next message; the reply holds what
// was said about the event. An event waits for a turn that goes on, comes before what is sent later, and leaves the question
// that stands as it is. When Tell fails before the event was taken, nothing has happened: a program that cannot know tells it
// again with the same ID, and it has no second effect.
//
// An error is that of Send, or ErrEvent where the dialogue has no such event, or its data does not fit.
func (c *Conversations) Tell(ctx context.Context, id string, e Event) (Reply, error) {
	if e.ID == "" {
		return Reply{}, fmt.Errorf("%w: it has no id; expected one, so that it counts once", ErrEvent)
	}
	if _, err := c.dialogue.eventData(e); err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	return c.Send(ctx, id, Message{ID: e.ID, Event: e.Name, Data: e.Data})
}

// eventData is what an event brings, as values of its slots.
func (d *Dialogue) eventData(e Event) (map[string]any, error) {
	rule := d.events[e.Name]
	if rule == nil {
		return nil, fmt.Errorf("there is no event %q%s", e.Name, hintOr(e.Name, keysOf(d.events)))
	}
	known := namesOf(rule.Data, func(s Slot) string { return s.Name })
	for _, name := range keysOf(e.Data) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("the event %q brings no %q%s", e.Name, name, hintOr(name, known))
		}
	}
	data := make(map[string]any, len(rule.data))
	for _, sl := range rule.data {
		raw, has := e.Data[sl.name]
		switch {
		case !has && sl.Initial != nil:
			data[sl.name] = sl.initial
		case !has && sl.Optional:
		case !has:
			return nil, fmt.Errorf("the event %q needs %q: %s", e.Name, sl.name, typeText(phrase.English, sl.Type))
		default:
			v, err := d.read(sl, raw, time.Time{})
			if err != nil {
				return nil, fmt.Errorf("the event %q: %s: %w", e.Name, sl.name, err)
			}
			data[sl.name] = v
		}
	}
	return data, nil
}

// happened acts on an event. The question that stands is asked again, unless a flow comes first.
func (d *Dialogue) happened(ctx node.Context, s *State, m *Message) error {
	s.Commands = nil
	data, err := d.eventData(Event{Name: m.Event, Data: m.Data})
	if err != nil { // one that another version of the dialogue has taken
		return d.tell(ctx, s, "nothing was done about an event: %v", err)
	}
	rule, names := d.events[m.Event], d.scope(s, s.top())
	for _, sl := range rule.data {
		names[sl.name] = data[sl.name]
	}
	text, err := d.worded(rule.message, s, max(s.Turns-1, 0), nil, names, rule.data...)
	if err == nil {
		err = say(ctx, s, NewInform(text), byBot)
	} else {
		err = d.tell(ctx, s, "event %s: %v", m.Event, err)
	}
	if err != nil || rule.Flow == "" {
		return err
	}
	f := d.flows[rule.Flow]
	switch {
	case d.shut(s, f):
		return d.tell(ctx, s, "event %s: the flow %q cannot be begun: its condition does not hold", m.Event, f.Name)
	case len(s.Stack) >= maxStack:
		return d.tell(ctx, s, "event %s: %d flows are going on, and no more can begin", m.Event, len(s.Stack))
	}
	if before := s.top(); before != nil && !s.Human {
		if err := d.pattern(ctx, s, OnDigression, before, map[string]any{"flow": d.flows[before.Flow].title()}); err != nil {
			return err
		}
	}
	s.Pending, s.Asked, s.Clarify, s.Doubt = nil, nil, nil, nil
	d.begin(s, f.Name, data)
	return nil
}

// eventRules compiles what is done about events.
func (c *compiler) eventRules(all []EventRule) {
	c.d.events = make(map[string]*eventRule)
	for i, e := range all {
		path := index("events", e.Name, i)
		if !c.name(e.Name, "an event", path) {
			continue
		}
		if c.d.events[e.Name] != nil {
			c.fault(path, "two events are called %q", e.Name)
		}
		rule := &eventRule{EventRule: e}
		known := c.names(nil)
		for _, s := range e.Data {
			sl := c.slot(s, path+".data."+s.Name)
			if sl == nil {
				continue
			}
			rule.data = append(rule.data, sl)
			known.Set(sl.name, sl.values)
			if sl.Optional && sl.Initial == nil {
				known.Set(sl.name, optional(sl.values))
			}
		}
		if e.Message == "" && len(e.Texts) == 0 && e.Flow == "" {
			c.fault(path, "nothing is done about the event; give it a message, or the flow that it begins")
		}
		rule.message = c.checkedMessage(e.Message, e.Texts, path+".message", known)
		if c.d.events[e.Name] = rule; e.Flow == "" {
			continue
		}
		if to := c.known(e.Flow, path+".flow"); to != nil {
			c.brings(rule, to, path)
		}
	}
}

// brings checks that the slots of the flow which an event begins can hold what it brings.
func (c *compiler) brings(rule *eventRule, to *flow, path string) {
	for _, sl := range rule.data {
		at := path + ".data." + sl.name
		slot := c.d.slotOf(to, sl.name)
		if slot == nil {
			if !rule.message.mentions(sl.name) {
				c.fault(at, "the flow %q has no slot %q%s", to.Name, sl.name, hintOr(sl.name, keysOf(to.slots)))
			}
			continue
		}
		if why := sl.values.Present().Misfit(slot.values, ""); why != "" {
			c.fault(at, "the slot %q of the flow %q cannot hold this: %s", sl.name, to.Name, why)
		}
	}
}

var eventKeys = []string{"data", "message", "flow"}

// events reads what is done about events: a message, or {data, message, flow}.
func (f *file) events(o *document.Object) {
	for _, p := range o.Pairs("events") {
		e := EventRule{Name: p.Key.Text}
		switch n := p.Value.Node; {
		case n.Kind == yaml.MappingNode:
			m := document.NewObject(p.Value, f.report, eventKeys)
			e.Data, e.Flow = f.slots(m, "data"), m.Text("flow").Text
			e.Message, e.Texts = f.message(m, "message")
		case n.Kind == yaml.SequenceNode:
			e.Texts = readVariations(p.Value, p.Value.Path+".message", f.report, f.places)
		case n.Kind == yaml.ScalarNode && !document.IsNull(n):
			e.Message = n.Value
		default:
			f.report.Add(p.Value, "expected a message or {data, message, flow}, found %s", document.Describe(n))
		}
		f.def.Events = append(f.def.Events, e)
	}
}

// events replaces the messages of events.
func (t *translator) events(o *document.Object, list []EventRule) {
	var known []string
	for _, e := range list {
		if first(e.Message, e.Texts) != "" {
			known = append(known, e.Name)
		}
	}
	all := t.named(o, "events", "message for the event", known)
	for i := range list {
		e := &list[i]
		if !slices.Contains(known, e.Name) {
			continue
		}
		p, ok := all[e.Name]
		if !ok {
			t.missing(o, "events."+e.Name, document.Quote(first(e.Message, e.Texts)))
			continue
		}
		path := "events." + e.Name
		t.place(path, p.Value)
		e.Message, e.Texts = t.texts(p.Object(t.report), e.Name, path+".message")
	}
}
