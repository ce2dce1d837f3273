package executor

import (
	"encoding/json"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/model"
)

// stepBody returns the body of a step's outcome; nil for a success without a duration.
func stepBody(op nodehost.Op, failure string) []byte {
	body := journal.StepBody{Error: failure, Shape: op.Shape}
	if failure == "" {
		body.Undo = op.Undo
	}
	if failure != "" {
		body.Terminal, body.RetryAfter = op.Terminal, op.RetryAfter.Microseconds()
		body.Marks = (*journal.Marks)(op.Marks)
	}
	if c := op.Call; c != nil {
		body.CallID, body.Name = c.ID, c.Name
	}
	if u := op.Usage; u != nil {
		body.Usage = &journal.Usage{
			Calls: 1, Input: u.Input, Output: u.Output, Cached: u.Cached, Reasoning: u.Reasoning, Cost: u.Cost,
		}
		if !u.Priced {
			body.Usage.Cost, body.Usage.Unpriced = 0, 1
		}
		if body.Usage.Tokens() == 0 { // a model without tokens reported no usage
			body.Usage.Uncounted = 1
		}
	}
	if body == (journal.StepBody{}) {
		return nil
	}
	data, _ := json.Marshal(&body) //nolint:errchkjson // a text and numbers always encode
	return data
}

// usageOf returns the recorded usage of a model call.
func usageOf(u *journal.Usage) *model.Usage {
	if u == nil {
		return nil
	}
	return &model.Usage{
		Input: u.Input, Output: u.Output, Cached: u.Cached, Reasoning: u.Reasoning, Cost: u.Cost, Priced: u.Unpriced == 0,
	}
}

// spent returns an error if the run has reached a limit on model calls (law F4).
func (h *host) spent() error {
	if l := h.run.Machine.Spent(); l != nil {
		return &runtype.LimitError{Limit: l.Name, Max: l.Max, Reason: l.Reason}
	}
	return nil
}

// ofModel reports whether a call was made inside a model call. Its output is stored together with the outcome
// of that call.
func ofModel(op string) bool {
	return nodehost.CallKind(nodehost.CallScope(op)) == nodehost.KindModel
}
