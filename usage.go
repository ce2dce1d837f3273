package fermata

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
)

// Usage is what calls of models took: tokens, and cost in micro-dollars. It is summed over what is recorded, and so is
// the same after a crash: attempts that failed count, because they were paid; a call whose record was lost does not.
type Usage = journal.Usage

// countUsage sums what the calls of models took, from the drive that was here last or else from the store.
func (rt *Runtime) countUsage(ctx context.Context, r *Result, head uint64) error {
	rt.mu.Lock()
	d := rt.parked.drives[r.Run]
	rt.mu.Unlock()
	if d != nil && d.head == head {
		r.Usage, r.UsageByNode = d.result.Usage, d.result.UsageByNode
		return nil
	}
	for e, err := range rt.store.Read(ctx, r.Run, 0) {
		if err == nil {
			err = r.count(&e)
		}
		if err != nil {
			return rt.storeError(r.Run, err)
		}
	}
	return nil
}

// count adds what a recorded step took.
func (r *Result) count(e *journal.Entry) error {
	if e.Kind != journal.StepFinished || len(e.Body) == 0 {
		return nil
	}
	var body journal.StepBody
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return &journal.StoreError{
			Op: "replay", Run: r.Run, Seq: e.Seq, Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err),
		}
	}
	if body.Usage == nil {
		return nil
	}
	r.Usage = r.Usage.Add(*body.Usage)
	if r.UsageByNode == nil {
		r.UsageByNode = make(map[string]Usage)
	}
	of := node.NodeOf(e.Node) // not the item of a map
	r.UsageByNode[of] = r.UsageByNode[of].Add(*body.Usage)
	return nil
}

// stepBody is the body of a step's outcome, nil for a success that took nothing.
func stepBody(op node.Op, failure string) []byte {
	body := journal.StepBody{Error: failure, Shape: op.Shape}
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
		if body.Usage.Tokens() == 0 { // no model reads nothing and says nothing
			body.Usage.Uncounted = 1
		}
	}
	if body == (journal.StepBody{}) {
		return nil
	}
	data, _ := json.Marshal(&body) //nolint:errchkjson // a text and numbers always encode
	return data
}

// usageOf is the usage of a recorded call of a model, as the call gave it.
func usageOf(u *journal.Usage) *model.Usage {
	if u == nil {
		return nil
	}
	return &model.Usage{
		Input: u.Input, Output: u.Output, Cached: u.Cached, Reasoning: u.Reasoning, Cost: u.Cost, Priced: u.Unpriced == 0,
	}
}

// spent is the error of a call of a model in a run that has reached a limit on them, nil in others (law F4).
func (h *host) spent() error {
	if l := h.d.m.Spent(); l != nil {
		return &LimitError{Limit: l.Name, Max: l.Max, Reason: l.Reason}
	}
	return nil
}

// ofModel reports whether a call was made inside a call of a model: what that shows is stored together with its
// outcome, which follows at once.
func ofModel(op string) bool {
	return node.CallKind(node.CallScope(op)) == node.KindModel
}
