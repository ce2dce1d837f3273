package fermata_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Errors whose methods panic.
type (
	isError      struct{}
	asError      struct{}
	unwrapError  struct{}
	marshalError struct{}
	stringError  struct{}
)

func (isError) Error() string                     { return "is" }
func (isError) Is(error) bool                     { panic("Is") }
func (asError) Error() string                     { return "as" }
func (asError) As(any) bool                       { panic("As") }
func (unwrapError) Error() string                 { return "unwrap" }
func (unwrapError) Unwrap() error                 { panic("Unwrap") }
func (marshalError) Error() string                { return "marshal" }
func (marshalError) MarshalJSON() ([]byte, error) { panic("MarshalJSON") }
func (stringError) Error() string                 { panic("Error") }
func (stringError) String() string                { panic("String") }

var hostileErrors = map[string]error{
	"a typed nil": (*lawtest.NilError)(nil), "Is": isError{}, "As": asError{}, "Unwrap": unwrapError{},
	"MarshalJSON": marshalError{}, "String": stringError{},
}

// hostile is a program of which one function misbehaves: it panics with an error, or returns it.
type hostile struct {
	at      string // the function
	err     error
	returns bool
	armed   atomic.Bool // what a plan's codec does is done from the first node on
	called  atomic.Int32
}

// misbehaves is called by each function of the program's with its name.
func (h *hostile) misbehaves(at string) error {
	if at != h.at || !h.armed.Load() {
		return nil
	}
	h.called.Add(1)
	if h.returns {
		return h.err
	}
	panic(h.err)
}

// hostileCodec is the codec of a graph.
type hostileCodec struct {
	plan.Codec
	h *hostile
}

func (c hostileCodec) Encode(v any) ([]byte, error) {
	if err := c.h.misbehaves("Encode"); err != nil {
		return nil, err
	}
	return c.Codec.Encode(v)
}

func (c hostileCodec) Decode(data []byte) (any, error) {
	if err := c.h.misbehaves("Decode"); err != nil {
		return nil, err
	}
	return c.Codec.Decode(data)
}

func (c hostileCodec) Copy(v any) (any, error) {
	if err := c.h.misbehaves("Copy"); err != nil {
		return nil, err
	}
	return c.Codec.Copy(v)
}

func (c hostileCodec) Delta(snapshot, v any) ([]byte, any, error) {
	if err := c.h.misbehaves("Delta"); err != nil {
		return nil, nil, err
	}
	return c.Codec.Delta(snapshot, v)
}

func (c hostileCodec) Merge(base any, branches []any) (any, error) {
	if err := c.h.misbehaves("Merge"); err != nil {
		return nil, err
	}
	return c.Codec.Merge(base, branches)
}

// Get and Put implement fermata.Cache.
func (h *hostile) Get(context.Context, string) ([]byte, bool, error) {
	return nil, false, h.misbehaves("Get")
}

func (h *hostile) Put(context.Context, string, []byte, time.Duration) error {
	return h.misbehaves("Put")
}

// Follow, Recall, Stored and Context implement fermata.Observer and fermata.Follower.
func (h *hostile) Follow(fermata.RunInfo) fermata.Follower {
	_ = h.misbehaves("Follow")
	return h
}

func (h *hostile) Recall(*journal.Entry)                 { _ = h.misbehaves("Recall") }
func (h *hostile) Stored([]journal.Entry, time.Duration) { _ = h.misbehaves("Stored") }

func (h *hostile) Context(ctx context.Context, _ fermata.Scope) context.Context {
	_ = h.misbehaves("Context")
	return ctx
}

// plan is a graph with a fork and a join, whose codec and functions are the program's.
func (h *hostile) plan(t *testing.T) *plan.Plan {
	t.Helper()
	g := graph.New[state]("hostile").
		Node("first", func(ctx node.Context, s state) (state, error) {
			h.armed.Store(true)
			s.N++
			return s, h.misbehaves("Run")
		}).
		Node("a", func(_ node.Context, s state) (state, error) { s.Text = "a"; return s, nil }, graph.Cache("1")).
		Node("b", func(_ node.Context, s state) (state, error) { s.Tags = map[string]int{"b": 1}; return s, nil }).
		Node("j", func(ctx node.Context, s state) (state, error) { return s, ctx.Err() }, graph.All()). // whatever an observer made of it
		Edge(graph.Start, "first").Edge("first", "a").Edge("first", "b").Edge("a", "j").Edge("b", "j").MustCompile()
	def := g.Plan().Definition()
	def.State = hostileCodec{def.State, h}
	switch h.at {
	case "MergeFunc":
		merge := def.State.Merge
		def.Merge = func(base any, branches []any) (any, error) {
			if err := h.misbehaves("MergeFunc"); err != nil {
				return nil, err
			}
			return merge(base, branches)
		}
	case "Finish", "Result":
		def.Finish = func(v any) (any, error) {
			if h.at == "Result" { // what it makes cannot be encoded
				h.called.Add(1)
				return marshalError{}, nil
			}
			return v, h.misbehaves("Finish")
		}
	}
	p, err := plan.New(def)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestN7_UsersCodeMayPanic checks that no function of a program's ends the process, whatever it panics with or returns, nor
// another run.
func TestN7_UsersCodeMayPanic(t *testing.T) {
	fails := map[string]bool{ // else it is ignored
		"Run": true, "Encode": true, "Decode": true, "Copy": true, "Delta": true, "Merge": true, "MergeFunc": true, "Finish": true, "Result": true,
		"Get": true, "Put": true, "Plans": true, "Follow": false, "Recall": false, "Stored": false, "Context": false, "Took": false, "Rested": false,
	}
	for at, fails := range fails {
		for name, err := range hostileErrors {
			for _, returns := range []bool{false, true} {
				if returns && !fails {
					continue // it has no error to return
				}
				way := map[bool]string{false: "panics", true: "returns"}[returns]
				t.Run(at+"/"+way+"/"+name, func(t *testing.T) {
					made := func() *hostile {
						h := &hostile{at: at, err: err, returns: returns}
						h.armed.Store(slices.Contains([]string{"Follow", "Recall", "Plans", "Took"}, at))
						return h
					}
					wantsError := fails && at != "Get" && at != "Put" // what a cache does costs a call at most (law D13)
					h := made()
					evaluateHostile(t, h, wantsError)
					h = made()
					startHostile(t, h, wantsError)
					h = made()
					workHostile(t, h, wantsError)
				})
			}
		}
	}
}

// judge checks how a hostile run came out; err is what it or the wait for it has failed with.
func (h *hostile) judge(t *testing.T, way string, wantsError bool, err error) {
	t.Helper()
	if h.called.Load() == 0 {
		skipped := map[string][]string{
			"evaluated": {h.at}, "started": {"Took", "Rested", "Plans", "Recall"},
		}
		if !slices.Contains(skipped[way], h.at) {
			t.Errorf("%s: nobody has called it", way)
		}
		if err != nil {
			t.Errorf("%s: nothing misbehaved, and the run fails: %v", way, err)
		}
		return
	}
	switch crash := new(*node.PanicError); {
	case !wantsError && err != nil:
		t.Errorf("%s: the run fails: %v", way, err)
	case wantsError && err == nil:
		t.Errorf("%s: the run does not fail", way)
	case wantsError && !h.returns && h.at != "Result" && !errors.As(err, crash):
		t.Errorf("%s: the error is %v, want a *PanicError in it", way, err)
	}
}

func evaluateHostile(t *testing.T, h *hostile, wantsError bool) {
	t.Helper()
	res, err := fermata.Evaluate(timeLimit(t), h.plan(t), &state{}, fermata.Options{Observer: h, Cache: h})
	if h.at == "Recall" || h.at == "Took" || h.at == "Rested" || h.at == "Plans" || h.at == "Encode" || h.at == "Copy" || h.at == "Result" {
		return // they need not be called
	}
	h.judge(t, "evaluated", wantsError, errors.Join(err, res.Err))
}

func startHostile(t *testing.T, h *hostile, wantsError bool) {
	t.Helper()
	rt := newRuntime(t, fermata.Options{Observer: h, Cache: h})
	other := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		time.Sleep(5 * time.Millisecond)
		return logged(ctx, s)
	}), state{})
	run, err := rt.Start(timeLimit(t), h.plan(t), &state{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(timeLimit(t))
	h.judge(t, "started", wantsError && h.at != "Copy" || wantsError && res.Status != fermata.Completed, errors.Join(err, res.Err))
	ends(t, other, fermata.Completed)
	if _, err := rt.Start(timeLimit(t), h.plan(t), &state{}); err == nil && !h.returns && (h.at == "Encode" || h.at == "Decode" || h.at == "Copy") {
		t.Error("it started with an input that cannot be kept")
	}
	for _, opts := range [][]fermata.StartOption{ // which look at the error of a start
		{fermata.WithID("again"), fermata.Attach()}, {fermata.Dedup("key"), fermata.Attach()}, {fermata.Debounce("key", time.Hour, 0)},
	} {
		_, _ = rt.Start(timeLimit(t), h.plan(t), &state{}, opts...)
	}
}

func workHostile(t *testing.T, h *hostile, wantsError bool) {
	t.Helper()
	store := memory.New()
	p, well := h.plan(t), single(logged)
	plans := func(_ context.Context, run fermata.RunInfo) (*plan.Plan, error) {
		if run.Plan == well.Plan().Name() {
			return well.Plan(), nil
		}
		return p, h.misbehaves("Plans")
	}
	starter := newRuntime(t, fermata.Options{Store: store})
	run, err := starter.Start(timeLimit(t), p, &state{}, fermata.Queued())
	if err != nil {
		t.Fatal(err)
	}
	other := start(t, starter, well, state{}, fermata.Queued())
	rt := newRuntime(t, fermata.Options{Store: store, Observer: h, Cache: h, Plans: plans, Logger: slog.New(slog.DiscardHandler)})
	rested := make(chan fermata.Result, 8)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		over <- rt.Work(ctx, fermata.WorkOptions{
			Every: time.Millisecond, Took: func(fermata.RunInfo) { _ = h.misbehaves("Took") },
			Rested: func(r fermata.Result) { rested <- r; _ = h.misbehaves("Rested") },
		})
	}()
	all := make(map[string]fermata.Result)
	for want := map[bool]int{false: 2, true: 1}[h.at == "Plans"]; len(all) < want; {
		select {
		case r := <-rested:
			all[r.Run] = r
		case <-time.After(soon):
			t.Fatalf("only %v have come to a rest", all)
		}
	}
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if all[other.ID()].Status != fermata.Completed {
		t.Errorf("the other run is %+v", all[other.ID()])
	}
	if res, taken := all[run.ID()]; h.at != "Plans" {
		h.judge(t, "worked on", wantsError && h.at != "Copy" || wantsError && res.Status != fermata.Completed, res.Err)
	} else if taken || h.called.Load() == 0 {
		t.Errorf("the run was taken without a plan: %+v", res)
	}
}
