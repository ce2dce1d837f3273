package fermatatest

import (
	"maps"

	"github.com/fermata-go/fermata/journal"
)

// labels are those that the run has by its journal (law J13).
func (tr *trial) labels() map[string]string {
	labels := make(map[string]string)
	for i := range tr.journal {
		switch e := &tr.journal[i]; e.Kind {
		case journal.RunStarted:
			var b journal.StartedBody
			decode(e.Body, &b)
			maps.Copy(labels, b.Labels)
		case journal.RunResumed:
			var b journal.ResumedBody
			if decode(e.Body, &b); b.Reason == "replaced" && e.HasValue() {
				clear(labels)
				maps.Copy(labels, b.Labels)
			}
		case journal.LabelSet:
			var b journal.LabelBody
			decode(e.Body, &b)
			if labels[b.Key] = b.Label; b.Label == "" {
				delete(labels, b.Key)
			}
		default:
		}
	}
	return labels
}
