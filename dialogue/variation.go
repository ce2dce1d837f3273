package dialogue

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
)

// A message may have several texts. Which of them is said follows from the state alone: the texts whose conditions hold
// and that are for the user's channel, and of these the next one in turn. So a message that is said again, after a crash,
// in a fork or because a question is repeated, has the words that it had.

// Variation is one of the texts of a message.
type Variation struct {
	Text    string // with expressions
	When    string // an expression that holds where the text may be said; "" for always
	Channel string // the Message.Channel that it is for: "sms"; "" for all
}

var variationKeys = []string{"text", "when", "channel"}

// message is a compiled message. A nil one says nothing.
type message struct{ texts []variation }

type variation struct {
	text    *template
	when    *formula // nil for always
	channel string   // "" for all
	path    string   // of the text in the definition
	whenAt  string   // of the condition
}

// Names are those that some text or condition reads.
func (m *message) Names() []string {
	var all []string
	if m != nil {
		for _, v := range m.texts {
			if v.text != nil {
				all = append(all, v.text.Names()...)
			}
			if v.when != nil {
				all = append(all, v.when.Names()...)
			}
		}
	}
	return all
}

func (m *message) mentions(name string) bool { return slices.Contains(m.Names(), name) }

// messageOf compiles the one text of a message, or its variations.
func (c *compiler) messageOf(one string, several []Variation, path string) *message {
	if len(several) == 0 {
		if t := c.template(one, path); t != nil {
			return &message{texts: []variation{{text: t, path: path}}}
		}
		return nil
	}
	if one != "" {
		c.fault(path, "a message has one text or several, not both")
	}
	m, always := &message{}, false
	for i, v := range several {
		at := document.Index(path, i)
		one := variation{text: c.template(v.Text, at+".text"), channel: v.Channel, path: at + ".text", whenAt: at + ".when"}
		if strings.TrimSpace(v.Text) == "" {
			c.fault(at, "the text is empty; expected what is said")
		}
		if always = always || v.When == "" && v.Channel == ""; v.When != "" {
			code, fault := expression.Compile(v.When)
			if one.when = code; fault != nil {
				c.faults(one.whenAt, *fault)
			}
		}
		m.texts = append(m.texts, one)
	}
	if !always {
		c.fault(path, "every text has a condition or a channel; expected one without, for all other cases")
	}
	c.d.varies = true
	return m
}

// checkMessage checks a message against what is known where it is said.
func (c *compiler) checkMessage(m *message, known expression.Names) {
	if m == nil {
		return
	}
	for _, v := range m.texts {
		here := known
		if v.when != nil {
			c.checkCondition(v.when, v.whenAt, known)
			here = v.when.Narrowed(known, true)
		}
		c.checkTemplate(v.text, v.path, here)
	}
}

// checkedMessage compiles a message and checks it.
func (c *compiler) checkedMessage(one string, several []Variation, path string, known expression.Names) *message {
	m := c.messageOf(one, several, path)
	c.checkMessage(m, known)
	return m
}

// worded is what a message says: the text whose turn it is of those that may be said. Those for the user's channel come
// before those for all, and those with a condition before those without.
func (d *Dialogue) worded(m *message, s *State, turn int, f *Frame, names map[string]any, own ...*slot) (string, error) {
	if m == nil {
		return "", nil
	}
	var best []*template
	rank := -1
	for _, v := range m.texts {
		its := 0
		if v.channel != "" {
			if its = 2; v.channel != s.Channel {
				continue
			}
		}
		if v.when != nil {
			its++
			holds, err := v.when.Holds(scopeOf(names))
			if err != nil {
				return "", err
			}
			if !holds {
				continue
			}
		}
		if its > rank {
			rank, best = its, nil
		}
		if its == rank {
			best = append(best, v.text)
		}
	}
	if len(best) == 0 {
		return "", fmt.Errorf("no text of the message may be said") // the compiler sees to one
	}
	return d.render(best[(max(s.Texts, 1)-1+turn)%len(best)], f, names, own...)
}

// words are what a step says: each visit of its flow, and each round of a loop, takes the next text.
func (f *flow) words(s *State, st *step, names map[string]any) (string, error) {
	frame := s.top()
	turn := frame.ID - 1
	for _, m := range frame.Trail {
		if m.Step == st.ID {
			turn++
		}
	}
	return f.dialogue.worded(st.message, s, turn, frame, names)
}

// firstText says which of several texts a conversation begins with: another one for other conversations.
func (d *Dialogue) firstText(s *State, run string) {
	if !d.varies || s.Texts != 0 || s.Turns > 0 {
		return
	}
	h := fnv.New32a()
	h.Write([]byte(run))
	s.Texts = 1 + int(h.Sum32()%1000)
}

// readVariations reads the texts of a message. path is where the definition has them, and to takes their places.
func readVariations(at document.Spot, path string, r *document.Report, to places) []Variation {
	var all []Variation
	for i, n := range at.Node.Content {
		spot := document.Spot{Source: at.Source, Node: n, Path: document.Index(at.Path, i)}
		place := document.Index(path, i)
		to[place] = written{value: spot}
		switch {
		case n.Kind == yaml.ScalarNode && !document.IsNull(n):
			all = append(all, Variation{Text: n.Value})
			continue
		case n.Kind != yaml.MappingNode:
			r.Add(spot, "expected a text or {text, when, channel}, found %s", document.Describe(n))
			continue
		}
		o := document.NewObject(spot, r, variationKeys)
		all = append(all, Variation{Text: o.NeedText("text", "what is said").Text, When: o.Text("when").Text, Channel: o.Text("channel").Text})
		for _, key := range variationKeys {
			if o.Has(key) {
				to[document.Join(place, key)] = written{value: o.At(key)}
			}
		}
	}
	if len(at.Node.Content) == 0 {
		r.Add(at, "the list is empty; expected the texts of which one is said")
	}
	return all
}

// message reads a key that holds one text or several.
func (f *file) message(o *document.Object, key string) (string, []Variation) {
	if at := o.At(key); o.Has(key) && at.Node.Kind == yaml.SequenceNode {
		return "", readVariations(at, at.Path, f.report, f.places)
	}
	return o.Text(key).Text, nil
}
