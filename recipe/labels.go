package recipe

import (
	"fmt"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/label"
)

// runLabel is a label that each run of the recipe is given (law J13): its value is a text over the inputs.
type runLabel struct {
	key   document.Word
	value text
}

// labels are those of a recipe, in the order in which they are written.
type labels []*runLabel

func readLabels(o *document.Object) (list labels) {
	for _, p := range o.Texts("labels") {
		list = append(list, &runLabel{p.Key, text{Word: p.Value}})
	}
	return list
}

// checkLabels checks the labels of runs against what is on the blackboard where a run begins.
func (c *checked) checkLabels() {
	if len(c.labels) > label.Most {
		c.report.Add(c.labels[label.Most].key.Spot, "a run has %d labels at most", label.Most)
	}
	entry := c.wiring.entry
	known := expression.AnyNames()
	if entry != nil && c.wiring.seen[entry] {
		known = c.flow.before[entry]
	}
	for _, l := range c.labels {
		if err := label.Given(l.key.Text, ""); err != nil {
			c.report.Add(l.key.Spot, "%v", err)
		}
		if entry != nil {
			c.checkText(&l.value, entry, known)
		}
	}
}

// of are the labels of a run that begins with a blackboard. A text that turns out empty is no label.
func (list labels) of(input any) (map[string]string, error) {
	bb, ok := input.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("expected a blackboard, found %T", input)
	}
	all := make(map[string]string, len(list))
	for _, l := range list {
		value, err := l.value.code.Render(expression.NewScope(bb, nil))
		if err != nil {
			return nil, fmt.Errorf("label %s: %w", l.key.Text, err)
		}
		all[l.key.Text] = value
	}
	return all, nil
}
