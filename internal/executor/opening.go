package executor

import (
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// Opening is the start of a run, as it would be recorded.
type Opening struct {
	Started *journal.StartedBody // the body of the first entry; nil for a start that is not debounced
	Input   []byte               // the input, as JSON
}

// openedAt returns the time of a start. One that is debounced is kept, for the run that may wait already (law J21).
func (x *Execution) openedAt(o *runtype.StartOptions, body *journal.StartedBody, input []byte) (now int64) {
	now = x.Now()
	if o.Debounce.On {
		body.NotBefore = o.Debounce.Begins(now, now)
		x.Opening = Opening{Started: body, Input: input}
	}
	return now
}
