package dialogue

import (
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/label"
)

// runLabel is a label that each conversation is given (law J13): its value is a text over the context.
type runLabel struct {
	key   string
	value *template
}

// labels checks the labels of conversations. They read the context alone, which is there when a conversation begins, and nothing
// that is private: lists of runs show labels.
func (c *compiler) labels(of map[string]string) {
	if len(of) > label.Most {
		c.fault("labels", "a conversation has %d labels; expected %d at most", len(of), label.Most)
	}
	known := c.contextNames(&slot{})
	for _, key := range keysOf(of) {
		path := document.Join("labels", key)
		if err := label.Given(key, ""); err != nil {
			c.fault(path, "%v", err)
		}
		t := c.checked(of[key], path, known)
		if t == nil {
			continue
		}
		for _, sl := range c.context {
			if sl.Private && slices.Contains(t.Names(), sl.name) {
				c.fault(path, "%q is private, and lists of runs show labels", sl.name)
			}
		}
		c.d.labels = append(c.d.labels, runLabel{key, t})
	}
}

// labelsOf are the labels of a conversation that begins with a state. A text that turns out empty is no label.
func (d *Dialogue) labelsOf(s *State) (map[string]string, error) {
	all := make(map[string]string, len(d.labels))
	for _, l := range d.labels {
		value, err := l.value.Render(scopeOf(s.Context))
		if err == nil {
			err = label.Given(l.key, value)
		}
		if err != nil {
			return nil, fmt.Errorf("labels.%s: %w", l.key, err)
		}
		all[l.key] = value
	}
	return all, nil
}

// startLabels is labelsOf for the plan.
func (d *Dialogue) startLabels(input any) (map[string]string, error) {
	s, err := stateOf(input)
	if err != nil {
		return nil, err
	}
	return d.labelsOf(s)
}
