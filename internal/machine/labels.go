package machine

import (
	"github.com/fermata-go/fermata/internal/label"
	"github.com/fermata-go/fermata/journal"
)

// Labels returns the labels that the run has now (law J13). Nobody changes them in place.
func (m *Machine) Labels() map[string]string { return m.body.Labels }

// labelSet records that a node has set a label. The labels take the place of those of the first entry.
func (m *Machine) labelSet(e *journal.Entry) error {
	body, err := bodyOf[journal.LabelBody](m, e)
	if err != nil {
		return err
	}
	m.body.Labels = label.With(m.body.Labels, body.Key, body.Label)
	return nil
}
