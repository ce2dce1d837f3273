package dataflow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/plan"
)

// Values are named values: what a run is given, and what it brings.
type Values map[string]any

// Get finds a value and its type.
func Get[T any](v Values, name string) (T, error) {
	var zero T
	found, ok := v[name]
	if !ok {
		return zero, fmt.Errorf("there is no value %q%s", name, hint(name, keys(v)))
	}
	if t, ok := found.(T); ok {
		return t, nil
	}
	return zero, fmt.Errorf("value %q: expected %s, found %T", name, reflect.TypeFor[T](), found)
}

// fitting makes a value fit a type: as it is or, where that is another type, by way of its JSON for json.RawMessage and for
// numbers of other types that hold the same number.
func fitting(v any, t reflect.Type) (reflect.Value, error) {
	rv := reflect.ValueOf(v)
	switch {
	case !rv.IsValid():
		if k := t.Kind(); k == reflect.Interface || k == reflect.Pointer || k == reflect.Slice || k == reflect.Map {
			return reflect.Zero(t), nil
		}
		return rv, errors.New("nil is no value of it")
	case rv.Type().AssignableTo(t):
		return rv, nil
	}
	raw, isJSON := v.(json.RawMessage)
	if isJSON {
		made := reflect.New(t)
		if err := json.Unmarshal(raw, made.Interface()); err != nil {
			return rv, err
		}
		return made.Elem(), nil
	}
	if isNumber(rv.Kind()) && isNumber(t.Kind()) {
		made := rv.Convert(t)
		if back := made.Convert(rv.Type()); back.Interface() == v {
			return made, nil
		}
		return rv, fmt.Errorf("%v does not fit", v)
	}
	return rv, errors.New("the types differ")
}

func isNumber(k reflect.Kind) bool {
	return k >= reflect.Int && k <= reflect.Float64 && k != reflect.Uintptr
}

// Input makes a run's input of named values, for fermata.Runtime.Start and package fermatatest. It is an [*InputError]
// where a value is missing, of another type, or not the run's to give (law D10).
func (g *Graph) Input(v Values) (any, error) {
	if err := g.check(v); err != nil {
		return nil, err
	}
	record, err := g.inputs.fill(v)
	if err != nil {
		return nil, g.named(err)
	}
	return record, nil
}

// MustInput is Input for values that are known to be right, in tests above all: it panics on an error.
func (g *Graph) MustInput(v Values) any {
	input, err := g.Input(v)
	if err != nil {
		panic(err)
	}
	return input
}

func (g *Graph) named(err error) error {
	if e, ok := errors.AsType[*InputError](err); ok {
		e.Graph = g.name
	}
	return err
}

// check looks for values that are missing, unknown, or written by a node.
func (g *Graph) check(v Values) error {
	var all []error
	names := g.inputs.names()
	var strange []string
	for _, name := range keys(v) {
		if g.inputs.find(name) < 0 {
			strange = append(strange, name)
		}
	}
	for _, p := range g.inputs.ports {
		if _, ok := v[p.name]; ok || p.optional {
			continue
		}
		e := &InputError{Graph: g.name, Input: p.name, Missing: true, Expected: p.typ.String(), Needed: g.readers(p.name)}
		if e.Found = near(p.name, strange); e.Found == "" {
			e.Nearest = near(p.name, g.written())
			e.Writer = g.writer(e.Nearest)
		}
		all = append(all, e)
	}
	for _, name := range strange {
		e := &InputError{Graph: g.name, Input: name, Nearest: near(name, names)}
		if writer := g.writer(name); writer != "" {
			e.Reason = fmt.Sprintf("node %q writes it; to give it to a run, let the run begin behind that node (see Entry)", writer)
		} else {
			e.Reason = "no node reads it" + hint(name, names)
		}
		all = append(all, e)
	}
	return errors.Join(all...)
}

// readers are the nodes that need a value of the run: those that no other node gives it to or, where there are none, all that
// need it.
func (g *Graph) readers(name string) []string {
	var nodes, alone []string
	def := g.plan.Definition()
	writers := 0
	for i := range def.Nodes {
		if has(def.Nodes[i].Flow.Outputs, name, true) {
			writers++
		}
	}
	for i := range def.Nodes {
		f := def.Nodes[i].Flow
		if !has(f.Inputs, name, false) {
			continue
		}
		nodes = append(nodes, def.Nodes[i].Name)
		if writers == 0 || writers == 1 && has(f.Outputs, name, true) {
			alone = append(alone, def.Nodes[i].Name)
		}
	}
	if len(alone) > 0 {
		return alone
	}
	return nodes
}

// has reports whether a value is among ports; optional says whether those that can be missing count.
func has(ports []plan.Port, name string, optional bool) bool {
	return slices.ContainsFunc(ports, func(p plan.Port) bool { return p.Name == name && (optional || !p.Optional) })
}

// written are the names of all values that nodes write.
func (g *Graph) written() []string {
	var names []string
	def := g.plan.Definition()
	for i := range def.Nodes {
		for _, p := range def.Nodes[i].Flow.Outputs {
			names = append(names, p.Name)
		}
	}
	return names
}

func (g *Graph) writer(name string) string {
	def := g.plan.Definition()
	for i := range def.Nodes {
		for _, p := range def.Nodes[i].Flow.Outputs {
			if p.Name == name {
				return def.Nodes[i].Name
			}
		}
	}
	return ""
}

// Result is the state of a run.
type Result struct {
	fermata.Result
	Outputs Values // of a completed run: what was written, as far as it was; beside an error of Evaluate, Run and Call likewise
	Pause   *Pause // the question that a paused run waits for; of several the first, see Interrupts
}

// Pause is a question that a run waits for.
type Pause struct {
	ID    string          // of the interrupt, for fermata.Runtime.Answer
	Name  string          // of the node that asks
	Value json.RawMessage // what it asks
}

// Question decodes what a paused run asks. It is read whole: a member that P has no place for, or would read as another value, is a
// *fermata.PlanChangedError that names it (law J8). Pause.Value has the text of it.
func Question[P any](p *Pause) (P, error) {
	var value, none P
	kind := reflect.TypeFor[P]()
	err := canonical.Decode(p.Value, &value)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // whose text shows the value
		form, _, _ := strings.Cut(wrong.Value, " ")
		return none, &fermata.PlanChangedError{
			Reason: fmt.Sprintf("node %s asks with %q as a %s, and %s reads it as %s", p.Name, wrong.Field, form, kind, wrong.Type), Value: wrong.Field,
		}
	}
	if err != nil {
		return none, fmt.Errorf("node %s: what it asks does not fit %s: %w", p.Name, kind, err)
	}
	if lost, is := loss.In(p.Value, &value); is {
		changed := &fermata.PlanChangedError{Reason: fmt.Sprintf("node %s asks with %q, and %s has no place for it", p.Name, lost.Path, kind), Value: lost.Path}
		if lost.Near != "" {
			changed.Hint = fmt.Sprintf("is it %q now?", lost.Near)
		}
		return none, changed
	}
	return value, nil
}

func (g *Graph) result(r fermata.Result) (Result, error) {
	out := Result{Result: r}
	if len(r.Interrupts) > 0 {
		q := &r.Interrupts[0]
		name, _ := cutTask(q.Task)
		out.Pause = &Pause{ID: q.ID, Name: name, Value: q.Request}
	}
	var err error
	out.Outputs, err = g.Outputs(r)
	return out, err
}

// keeps checks that the outputs' types keep what the result has of them (law J8). An output that the graph does not have is not asked for.
func (g *Graph) keeps(r fermata.Result, record any) error {
	again, err := g.plan.Result().Output.Encode(record)
	if err != nil {
		return fmt.Errorf("run %s: %w", r.Run, err)
	}
	lost, _ := loss.Of(r.Output, again) // both are JSON
	for _, l := range lost {
		if !l.Gone || strings.Contains(l.Path, ".") {
			return fmt.Errorf("run %s: the result has %q, and the graph has no place for it: %w", r.Run, l.Path, fermata.ErrPlanChanged)
		}
	}
	return nil
}

// Outputs are the named values of a completed run's result; nil if the run has not completed. The result comes from
// fermata.Runtime.Result or package fermatatest. It is the counterpart of [Graph.Input].
func (g *Graph) Outputs(r fermata.Result) (Values, error) {
	if r.Status != fermata.Completed {
		return nil, nil
	}
	record := r.Value
	if record == nil || reflect.TypeOf(record) != reflect.PointerTo(g.outputs.typ) {
		var err error
		if record, err = g.plan.Result().Output.Decode(r.Output); err != nil {
			return nil, fmt.Errorf("run %s: the result does not fit the graph: %w", r.Run, err)
		}
		if err := g.keeps(r, record); err != nil {
			return nil, err
		}
	}
	return g.outputs.open(record), nil
}

// Run runs the graph and keeps nothing: nodes that do not wait for each other run side by side. Cancelling ctx ends it. A graph
// that asks people is refused, as an [*IncompatibleRunnerError], before anything runs: Start it. The services are those that
// nodes find with node.Service.
func (g *Graph) Run(ctx context.Context, v Values, services ...any) (Result, error) {
	return g.Evaluate(ctx, v, fermata.Options{Services: services})
}

// Call is Run in the caller's goroutine alone: one node after the other.
func (g *Graph) Call(ctx context.Context, v Values, services ...any) (Result, error) {
	return g.Evaluate(ctx, v, fermata.Options{Services: services, Sequential: true})
}

// Evaluate is Run with options, such as a cache that outlives the call. Others are pools, an observer, a logger, and
// running one node after the other; see fermata.Evaluate.
func (g *Graph) Evaluate(ctx context.Context, v Values, o fermata.Options) (Result, error) {
	if len(g.waits) > 0 {
		return Result{}, &IncompatibleRunnerError{Graph: g.name, Nodes: g.waits}
	}
	input, err := g.Input(v)
	if err != nil {
		return Result{}, err
	}
	res, err := fermata.Evaluate(ctx, g.plan, input, o)
	if err != nil {
		out := Result{Result: res}
		if record := res.Value; record != nil && reflect.TypeOf(record) == reflect.PointerTo(g.outputs.typ) {
			out.Outputs = g.outputs.open(record)
		}
		return out, err
	}
	return g.result(res)
}

// Start begins a run on a runtime.
func (g *Graph) Start(ctx context.Context, rt *fermata.Runtime, v Values, opts ...fermata.StartOption) (*Run, error) {
	input, err := g.Input(v)
	if err != nil {
		return nil, err
	}
	return g.handle(rt)(rt.Start(ctx, g.plan, input, opts...))
}

// Execute starts a run and waits until it has ended or waits for people: Start and Wait in one call. The error is nil for a run
// that is completed or paused; else it says why the run has not started, has failed, or cannot go on.
func (g *Graph) Execute(ctx context.Context, rt *fermata.Runtime, v Values, opts ...fermata.StartOption) (Result, error) {
	run, err := g.Start(ctx, rt, v, opts...)
	if err != nil {
		return Result{}, err
	}
	res, err := run.Wait(ctx)
	return res, cmp.Or(err, res.Err)
}

// StartOrSend starts a run with its messages, or sends them to the run that has its id.
// See fermata.Runtime.StartOrSend.
func (g *Graph) StartOrSend(ctx context.Context, rt *fermata.Runtime, v Values, opts ...fermata.StartOption) (*Run, error) {
	input, err := g.Input(v)
	if err != nil {
		return nil, err
	}
	return g.handle(rt)(rt.StartOrSend(ctx, g.plan, input, opts...))
}

// Resume drives a run of this graph on; see fermata.Runtime.Resume.
func (g *Graph) Resume(ctx context.Context, rt *fermata.Runtime, id string, opts ...fermata.ResumeOption) (*Run, error) {
	return g.handle(rt)(rt.Resume(ctx, id, g.plan, opts...))
}

// Retry continues a failed run from the tasks that failed (law F2). One whose deadline has passed needs a new one (law F9).
func (g *Graph) Retry(ctx context.Context, rt *fermata.Runtime, id string, opts ...fermata.RetryOption) (*Run, error) {
	return g.handle(rt)(rt.Retry(ctx, id, g.plan, opts...))
}

func (g *Graph) handle(rt *fermata.Runtime) func(*fermata.Run, error) (*Run, error) {
	return func(run *fermata.Run, err error) (*Run, error) {
		if err != nil {
			return nil, err
		}
		return &Run{graph: g, rt: rt, run: run}, nil
	}
}

// Run is a handle on a run of a graph.
type Run struct {
	graph *Graph
	rt    *fermata.Runtime
	run   *fermata.Run
}

// ID is the run's id, for example for Resume and Retry.
func (r *Run) ID() string { return r.run.ID() }

// Replaced reports whether the start has replaced the input of this run; see fermata.Debounce.
func (r *Run) Replaced() bool { return r.run.Replaced() }

// Wait returns when the run has ended or waits for people; see fermata.Run.Wait.
func (r *Run) Wait(ctx context.Context) (Result, error) {
	res, err := r.run.Wait(ctx)
	if err != nil {
		return Result{Result: res}, err
	}
	return r.graph.result(res)
}

// State returns the values of the run at its last entry, whatever its status (law J1).
// A paused or failed run has them as well. They are the last versions of the graph's inputs and outputs, as far as they were given or written.
func (r *Run) State(ctx context.Context) (Values, error) {
	data, err := r.run.State(ctx)
	return r.graph.state(r.ID(), data, err)
}

// State returns the values of a run of this graph at its last entry. See [Run.State].
// Any process may execute the run.
func (g *Graph) State(ctx context.Context, rt *fermata.Runtime, id string) (Values, error) {
	data, err := rt.State(ctx, id)
	return g.state(id, data, err)
}

// state decodes named values by the types of the graph's outputs and inputs.
func (g *Graph) state(id string, data []byte, err error) (Values, error) {
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("run %s: the state is no object of values: %w", id, err)
	}
	v := make(Values)
	for _, p := range slices.Concat(g.inputs.ports, g.outputs.ports) {
		text, ok := all[p.name]
		if !ok {
			continue
		}
		made := reflect.New(p.typ)
		if err := canonical.Decode(text, made.Interface()); err != nil {
			return nil, fmt.Errorf("run %s: value %q does not fit %s: %w", id, p.name, p.typ, errors.Join(err, fermata.ErrPlanChanged))
		}
		if lost, gone := loss.In(text, made.Interface()); gone {
			return nil, fmt.Errorf("run %s: value %q has %q, and %s has no place for it: %w", id, p.name, lost.Path, p.typ, fermata.ErrPlanChanged)
		}
		v[p.name] = made.Elem().Interface()
	}
	return v, nil
}

// Answer answers the question that the run waits for, and drives it on. Where several are open, it is an error that names them:
// answer each by its id, with fermata.Runtime.Answer.
func (r *Run) Answer(ctx context.Context, value any, opts ...fermata.AnswerOption) error {
	res, err := r.run.Wait(ctx)
	if err != nil {
		return err
	}
	switch len(res.Interrupts) {
	case 1:
		return r.rt.Answer(ctx, res.Interrupts[0].ID, value, opts...)
	case 0:
		return &fermata.Error{Code: fermata.CodeConflict, Run: r.ID(), Err: fmt.Errorf("the run is %s, and waits for no answer", res.Status)}
	}
	var open []string
	for _, q := range res.Interrupts {
		open = append(open, fmt.Sprintf("%s (%s)", q.ID, q.Task))
	}
	return &fermata.Error{Code: fermata.CodeConflict, Run: r.ID(), Err: fmt.Errorf("%d questions are open, answer each by its id: %v", len(open), open)}
}

// Events yields the run's events after the given seq and goes on with those to come.
func (r *Run) Events(ctx context.Context, after uint64) iter.Seq2[fermata.Event, error] {
	return r.run.Events(ctx, after)
}

// Stop stops driving the run; it stays resumable (law F3). It waits for at most grace, 0 without end, and says which tasks are
// still at work then, in a fermata.UnstoppedError: see [fermata.Run.Stop].
func (r *Run) Stop(grace time.Duration) error { return r.run.Stop(grace) }
