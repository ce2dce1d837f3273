package executor

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/label"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

var _ nodehost.LabelHost = (*host)(nil)

// Label implements [nodehost.LabelHost]. How many labels a run has depends on its other tasks too, so a label too many
// ends the attempt: a replay could not tell when to refuse it again.
func (h *host) Label(pass uint64, op nodehost.Op, key, value string) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if t := h.task.in(h.run.Machine); t != nil && t.Op(op.ID) == nil {
		if err := h.inOrder(t, op); err != nil {
			return err
		}
	}
	if label.Count(label.With(h.run.Machine.Labels(), key, value)) > journal.MaxLabels {
		err := fmt.Errorf("task %s: label %s: the run has %d labels, which is the most: set one of them to another value, or to \"\" to take it away",
			nodehost.TaskID(h.path, int(h.visit)), key, journal.MaxLabels)
		h.broken = &runtype.Error{Code: runtype.CodeInvalid, Run: h.run.ID, Err: err}
		return h.broken
	}
	body, _ := json.Marshal(journal.LabelBody{Key: key, Label: value}) //nolint:errchkjson // texts always encode
	return h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
		return put(m, t, now, journal.LabelSet, op, nil, body)
	})
}

// turnOf returns which worker takes a run that starts, and when: a start that names no queue leaves it to the plan.
func (x *Execution) turnOf(o *runtype.StartOptions) journal.Turn {
	turn := o.Turn
	if !o.InQueue {
		turn.Queue = x.Plan.Definition().Queue
	}
	return turn
}

// labelsOf returns the labels that a run starts with: those that it is given, and those that its plan makes of its input.
func (x *Execution) labelsOf(input any, o *runtype.StartOptions) (map[string]string, error) {
	labels := x.Plan.Definition().Labels
	if labels == nil {
		return o.Labels, nil
	}
	own, err := guard.Copy(x.Plan.State(), input)
	var all map[string]string
	if err == nil {
		err = guard.Call(func() error { all, err = labels(own); return err })
	}
	if err != nil {
		return nil, err
	}
	all = maps.Clone(all)
	maps.Copy(all, o.Labels)
	labelled := runtype.StartOptions{Labels: all}
	return all, labelled.Check(x.MaxValue())
}
