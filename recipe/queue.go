package recipe

import (
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/journal"
)

// readQueue reads which queue's workers take the recipe's runs (law J16).
func (d *draft) readQueue(o *document.Object) {
	name := o.Text("queue")
	if err := journal.CheckQueue(name.Text); err != nil {
		o.Report.Add(name.Spot, "%v", err)
	}
	d.queue = journal.QueueNamed(name.Text)
}
