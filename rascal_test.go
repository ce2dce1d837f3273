package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// rascal is a program of which one function leaves without returning.
type rascal struct {
	at     string // the function
	leave  func()
	times  int64 // how often it does; 0 for always
	armed  atomic.Bool
	called atomic.Int64
}

// at is called by each function of the program's with its name.
func (r *rascal) does(what string) {
	if what == r.at && r.armed.Load() {
		if n := r.called.Add(1); r.times == 0 || n <= r.times {
			r.leave()
		}
	}
}

// Follow, Recall, Stored and Context implement fermata.Observer and fermata.Follower.
func (r *rascal) Follow(fermata.RunInfo) fermata.Follower         { r.does("Follow"); return r }
func (r *rascal) Recall(*journal.Entry)                           { r.does("Recall") }
func (r *rascal) Stored(entries []journal.Entry, _ time.Duration) { r.does("Stored") }

func (r *rascal) Context(ctx context.Context, _ fermata.Scope) context.Context {
	r.does("Context")
	return ctx
}

// Get and Put implement fermata.Cache.
func (r *rascal) Get(context.Context, string) ([]byte, bool, error) {
	r.does("Get")
	return nil, false, nil
}

func (r *rascal) Put(context.Context, string, []byte, time.Duration) error {
	r.does("Put")
	return nil
}

// rascalLog is the handler of its logger.
type rascalLog struct{ r *rascal }

func (l rascalLog) Enabled(context.Context, slog.Level) bool  { l.r.does("Log.Enabled"); return true }
func (l rascalLog) Handle(context.Context, slog.Record) error { l.r.does("Log.Handle"); return nil }
func (l rascalLog) WithAttrs([]slog.Attr) slog.Handler        { l.r.does("Log.WithAttrs"); return l }

func (l rascalLog) WithGroup(string) slog.Handler { l.r.does("Log.WithGroup"); return l }

// rascalValue is what it logs, and what it answers.
type rascalValue struct{ r *rascal }

func (v rascalValue) LogValue() slog.Value {
	v.r.does("Log.LogValue")
	return slog.StringValue("value")
}

func (v rascalValue) MarshalJSON() ([]byte, error) {
	v.r.does("MarshalJSON")
	return []byte(`{"approve":true}`), nil
}

// rascalClock is its clock.
type rascalClock struct{ r *rascal }

func (c rascalClock) Now() time.Time { c.r.does("Clock.Now"); return time.Now() }

func (c rascalClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.r.does("Clock.AfterFunc")
	stop := time.AfterFunc(d, f).Stop
	return func() bool { c.r.does("Clock.stop"); return stop() }
}

// rascalCodec keeps its values.
type rascalCodec struct {
	plan.Codec
	r *rascal
}

func (c rascalCodec) Encode(v any) ([]byte, error) { c.r.does("Encode"); return c.Codec.Encode(v) }
func (c rascalCodec) Decode(data []byte) (any, error) {
	c.r.does("Decode")
	return c.Codec.Decode(data)
}
func (c rascalCodec) Copy(v any) (any, error) { c.r.does("Copy"); return c.Codec.Copy(v) }

func (c rascalCodec) Delta(snapshot, v any) ([]byte, any, error) {
	c.r.does("Delta")
	return c.Codec.Delta(snapshot, v)
}

func (c rascalCodec) Merge(base any, branches []any) (any, error) {
	c.r.does("Merge")
	return c.Codec.Merge(base, branches)
}

// rascalStore is its store: one with all that a store may have.
type rascalStore struct {
	journal.Store
	leases journal.Leaser
	r      *rascal
}

func (s *rascalStore) Append(ctx context.Context, b journal.Batch) error {
	s.r.does("Store.Append")
	err := s.Store.Append(ctx, b)
	s.r.does("Store.Append, at its end")
	return err
}

func (s *rascalStore) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	s.r.does("Store.Read")
	return func(yield func(journal.Entry, error) bool) {
		for e, err := range s.Store.Read(ctx, run, after) {
			if !yield(e, err) {
				return
			}
			s.r.does("Store.Read, midway")
		}
	}
}

func (s *rascalStore) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	s.r.does("Store.Runs")
	return s.Store.Runs(ctx, f)
}

func (s *rascalStore) Inbox(ctx context.Context, f journal.InboxFilter) ([]journal.Interrupt, error) {
	s.r.does("Store.Inbox")
	return s.Store.Inbox(ctx, f)
}

func (s *rascalStore) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	s.r.does("Store.Timers")
	return s.Store.Timers(ctx, due, limit)
}

func (s *rascalStore) Delete(ctx context.Context, run string) error {
	s.r.does("Store.Delete")
	return s.Store.Delete(ctx, run)
}

func (s *rascalStore) Watch(context.Context, func()) error { return nil }

func (s *rascalStore) WatchRuns(context.Context, func(journal.Change)) error {
	s.r.does("Store.WatchRuns")
	return nil
}

func (s *rascalStore) Heads(context.Context, []string) (map[string]uint64, error) {
	s.r.does("Store.Heads")
	return nil, nil
}

func (s *rascalStore) Now(context.Context) (time.Time, error) {
	s.r.does("Store.Now")
	return time.Now(), nil
}

func (s *rascalStore) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	s.r.does("Store.Beat")
	return s.leases.Beat(ctx, driver, ttl)
}

func (s *rascalStore) Left(ctx context.Context, driver string) (time.Duration, error) {
	s.r.does("Store.Left")
	return s.leases.Left(ctx, driver)
}

func (s *rascalStore) Deserted(ctx context.Context, q journal.WantedQuery) ([]journal.RunRow, error) {
	s.r.does("Store.Deserted")
	return s.leases.Deserted(ctx, q)
}

func (s *rascalStore) Claim(ctx context.Context, driver, run string) (bool, error) {
	s.r.does("Store.Claim")
	return s.leases.Claim(ctx, driver, run)
}

func (s *rascalStore) Drivers(context.Context) ([]string, error) {
	s.r.does("Store.Drivers")
	return []string{"gone"}, nil
}

func (s *rascalStore) Compact(context.Context, string) (journal.Compaction, error) {
	s.r.does("Store.Compact")
	return journal.Compaction{}, nil
}

// model is its language model: it calls a tool, and says something then.
func (r *rascal) model() model.Model {
	return model.Func(func(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		r.does("Model")
		reply := scripted.Reply{Calls: []model.ToolCall{{ID: "c", Name: "look", Arguments: []byte(`{}`)}}}
		if len(req.Messages) > 1 {
			reply = scripted.Reply{Text: "two words"}
		}
		return func(yield func(model.Chunk, error) bool) {
			for chunk, err := range scripted.New(scripted.Script{Replies: []scripted.Reply{reply}}).Generate(ctx, req) {
				if !yield(chunk, err) {
					return
				}
				r.does("Model, midway")
			}
		}
	})
}

func (r *rascal) think(ctx node.Context, s state) (state, error) {
	look := node.Tool{Name: "look", Call: func(node.Context, json.RawMessage) (string, error) { r.does("Tool"); return "nothing", nil }}
	look.Approval = &node.Approval{When: func(model.ToolCall) bool { r.does("Approval.When"); return false }}
	_, err := node.Reason[string](ctx, node.Reasoning{Prompt: "look", Tools: []node.Tool{look}})
	return s, err
}

// plan is a graph that calls all of its functions. The first node waits for a minute: then the rascal is armed, in a run
// that is under way.
func (r *rascal) plan(t *testing.T) *plan.Plan {
	t.Helper()
	body := graph.New[state]("body").Node("in", logged).Edge(graph.Start, "in").MustCompile()
	b := graph.New[state]("rascal").
		Node("first", func(ctx node.Context, s state) (state, error) {
			if err := node.Sleep(ctx, time.Minute); err != nil {
				return s, err
			}
			r.does("Run")
			ctx.Logger().WithGroup("g").With("k", rascalValue{r}).Info("it is at work", "v", rascalValue{r})
			return s, nil
		}).
		Route("first", func(node.Context, state) (string, error) { r.does("Route"); return "fork", nil }, "fork").
		Node("fork", logged).
		Edge("fork", "a", "b").
		Node("a", func(_ node.Context, s state) (state, error) { s.Text = "a"; return s, nil }, graph.Cache("1")).
		Node("b", func(_ node.Context, s state) (state, error) { s.N++; return s, nil }).
		Edge("a", "join").Edge("b", "join").
		Node("join", logged, graph.All()).Edge("join", "many").
		Node("many", logged).
		RouteMany("many", func(node.Context, state) ([]string, error) { r.does("RouteMany"); return []string{"sub"}, nil }, "sub").
		Node("flaky", func(_ node.Context, s state) (state, error) { return s, errFlaky },
			graph.Retry(2, time.Millisecond), graph.RetryIf(func(error) bool { r.does("Retryable"); return true })).
		Catch("flaky", func(node.Context, state, error) (string, error) { r.does("Catch"); return "think", nil }, "think").
		Node("think", r.think)
	graph.SubOf(b, "sub", body,
		func(s state) (state, error) { r.does("In"); return s, nil },
		func(s, _ state) (state, error) { r.does("Out"); return s, nil })
	graph.Map(b, "map", func(s state) ([]state, error) { r.does("Split"); return []state{s, s}, nil }, body,
		func(s state, _ []state) (state, error) { r.does("Gather"); return s, nil })
	def := b.Edge(graph.Start, "first").Edge("sub", "map").Edge("map", "flaky").MustCompile().Plan().Definition()
	def.State = rascalCodec{def.State, r}
	if merge := def.State.Merge; r.at == "MergeFunc" {
		def.Merge = func(base any, branches []any) (any, error) { r.does("MergeFunc"); return merge(base, branches) }
	}
	if r.at == "Finish" {
		def.Finish = func(v any) (any, error) { r.does("Finish"); return v, nil }
	}
	p, err := plan.New(def)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// flow is a dataflow that calls all of its functions.
func (r *rascal) flow(t *testing.T) *plan.Plan {
	t.Helper()
	type in struct{ Text string }
	type out struct{ Said string }
	g := dataflow.Must(dataflow.New("rascal", dataflow.Node("say", func(ctx node.Context, i in) (out, error) {
		if err := node.Sleep(ctx, time.Minute); err != nil {
			return out{}, err
		}
		return out{i.Text}, nil
	}), dataflow.Node("again", func(_ node.Context, o out) (struct{ Last string }, error) {
		return struct{ Last string }{o.Said}, nil
	})))
	def := g.Plan().Definition()
	flow := *def.Nodes[1].Flow
	gather := flow.Gather
	flow.Gather = func(slots []plan.Slot) (any, error) { r.does("Flow.Gather"); return gather(slots) }
	def.Nodes[1].Flow = &flow
	result := *g.Plan().Result()
	all, given := result.Gather, result.Given
	result.Gather = func(slots []plan.Slot) (any, error) { r.does("Result.Gather"); return all(slots) }
	result.Given = func(input any) []string { r.does("Result.Given"); return given(input) }
	def.Dataflow = def.Dataflow.WithResult(result)
	p, err := plan.New(def)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var errRascal = errors.New("it has not returned")

// apart makes a call on a goroutine of its own, which what it calls may end. It returns what the call panics with, too.
func apart(f func() error) (panicked any, err error) {
	err = errRascal
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		err = f()
	}()
	<-done
	return panicked, err
}
