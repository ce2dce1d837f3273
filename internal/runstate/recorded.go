package runstate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// RecordedState returns the state of a run at an entry, as JSON (law J1). Entry 0 is the last one. It is
// the state that the run's own nodes recorded last, or the run's input. Of a dataflow it is an object of named values, each in the
// version that was written last. The values of subgraphs and items belong to them and do not count before they have ended.
func (v *Env) RecordedState(ctx context.Context, id string, at uint64) (json.RawMessage, error) {
	if _, err := v.Info(ctx, id); err != nil {
		return nil, err
	}
	r, head := recorded{written: make(map[string]uint64)}, uint64(0)
	for e, err := range v.Store.Read(ctx, id, 0) {
		if err == nil && at != 0 && e.Seq > at {
			head = e.Seq
			break
		}
		if err == nil {
			head, err = e.Seq, r.note(&e)
		}
		if err != nil {
			return nil, v.StoreError(id, err)
		}
	}
	if at > head {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Run: id, Err: fmt.Errorf("expected a seq from 1 to %d, found %d", head, at)}
	}
	data, err := r.whole()
	if err != nil {
		return nil, v.ReplayError(id, r.last, err)
	}
	return data, nil
}

// recorded finds the state of a run among its entries.
type recorded struct {
	vals    Values            // that the entries record
	isFlow  bool              // of a dataflow
	last    uint64            // seq of the state that was recorded last
	nodes   []string          // of a dataflow: "" for the input, and nodes in the order in which they wrote last
	written map[string]uint64 // of a dataflow: seqs of the last values, by node
}

func (r *recorded) note(e *journal.Entry) error {
	r.vals.Note(e)
	if e.Kind == journal.RunStarted {
		var body journal.StartedBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return &journal.StoreError{Op: "replay", Seq: e.Seq, Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err)}
		}
		r.isFlow = body.PlanKind == plan.KindDataflow
	}
	if strings.Contains(e.Node, "/") || !e.Kind.CarriesState() { // inside a subgraph or an item
		return nil
	}
	r.noteState(e)
	return nil
}

func (r *recorded) noteState(e *journal.Entry) {
	ref := e.Base
	if e.HasValue() {
		ref = e.Seq
	}
	switch {
	case ref == 0:
	case e.Kind == journal.RunResumed: // a value that a fork has edited or a migration has converted
		r.replace(e.Base, ref)
	case r.isFlow && (e.Kind == journal.RunStarted || e.Kind == journal.NodeFinished || e.Kind == journal.NodeCached):
		r.nodes = append(slices.DeleteFunc(r.nodes, func(n string) bool { return n == e.Node }), e.Node)
		r.written[e.Node] = ref
	case r.isFlow:
	case e.Kind == journal.RunFinished && e.HasValue(): // a result that the plan has made of its state
	case e.HasValue(), e.Kind == journal.RunFinished:
		r.last = ref
	}
}

func (r *recorded) replace(old, ref uint64) {
	if r.last == old {
		r.last = ref
	}
	for node, at := range r.written {
		if at == old {
			r.written[node] = ref
		}
	}
}

func (r *recorded) whole() (json.RawMessage, error) {
	if !r.isFlow {
		return r.vals.Whole(r.last)
	}
	all := make(map[string]json.RawMessage)
	for _, node := range r.nodes {
		r.last = r.written[node]
		data, err := r.vals.Whole(r.last)
		if err == nil {
			err = json.Unmarshal(data, &all) // adds its members
		}
		if err != nil {
			return nil, err
		}
	}
	return json.Marshal(all)
}
