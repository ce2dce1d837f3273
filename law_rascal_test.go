package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// How a run comes out in which a function of the program leaves without returning.
const (
	mustFail  = "fails"                    // with the panic, or ErrGoexit
	mustEnd   = "has ended"                // it fails or completes, whichever: the function may not be called again
	mustGoOn  = "completes"                // nobody needs what the function would have returned
	staysOpen = "stays open, and says why" // a worker tries it again
)

// rascals are all functions of a program's that a runtime calls while it drives a run, and how the run comes out.
var rascals = map[string]string{
	"Run": mustFail, "Route": mustFail, "RouteMany": mustFail, "MergeFunc": mustFail, "Merge": mustFail, "Finish": mustFail,
	"In": mustFail, "Out": mustFail, "Split": mustFail, "Gather": mustFail, "Catch": mustFail, "Retryable": mustGoOn,
	"Encode": mustEnd, "Decode": mustEnd, "Copy": mustEnd, "Delta": mustFail,
	"Flow.Gather": mustFail, "Result.Gather": mustFail,
	"Model": mustFail, "Model, midway": mustFail, "Tool": mustFail, "Approval.When": mustFail,
	"Follow": mustGoOn, "Recall": mustGoOn, "Stored": mustGoOn, "Context": mustGoOn, "Took": mustGoOn, "Rested": mustGoOn, "Get": mustGoOn, "Put": mustGoOn,
	"Plans":       staysOpen,
	"Log.Enabled": mustGoOn, "Log.Handle": mustGoOn, "Log.WithAttrs": mustGoOn, "Log.WithGroup": mustGoOn, "Log.LogValue": mustGoOn,
	"Clock.Now": mustGoOn, "Clock.AfterFunc": mustGoOn, "Clock.stop": mustGoOn,
	"Store.Append": mustGoOn, "Store.Append, at its end": mustGoOn, "Store.Read": mustGoOn, "Store.Read, midway": mustGoOn, "Store.Runs": mustGoOn,
	"Store.Timers": mustGoOn, "Store.WatchRuns": mustGoOn, "Store.Heads": mustGoOn, "Store.Now": mustGoOn, "Store.Beat": mustGoOn,
	"Store.Deserted": mustGoOn, "Store.Claim": mustGoOn, "Store.Drivers": mustGoOn,
}

// Functions that are called by nobody in a run that one process drives from its start.
var notLive = []string{
	"Took", "Rested", "Plans", "Recall", "Store.Deserted", "Store.Claim", "Store.Drivers", "Store.Read", "Store.Read, midway", "Decode", "Copy", "Store.WatchRuns",
	"Clock.stop", "Encode", "Log.Enabled",
}

// TestN7_NoFunctionOfAProgramHurtsOthers lets each function of a program panic and end its goroutine, in runs that are driven
// by who starts them and by a worker. The process lives; the run ends or says why it does not; another run comes to its end; and
// nothing is left behind.
func TestN7_NoFunctionOfAProgramHurtsOthers(t *testing.T) {
	for _, at := range slices.Sorted(maps.Keys(rascals)) {
		for how, leave := range lawtest.Leavings {
			for _, way := range []string{"live", "worker"} {
				t.Run(strings.Join([]string{at, how, way}, "/"), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						r := &rascal{at: at, leave: leave}
						if strings.HasPrefix(at, "Store.") {
							r.times = 3 // of a store that is gone for good, nothing comes
						}
						r.meet(t, way == "worker")
					})
				})
			}
		}
	}
}

// house is where a rascal is let loose.
type house struct {
	t     *testing.T
	r     *rascal
	store journal.Store
	p     *plan.Plan
	well  *plan.Plan
	desk  *fermata.Runtime // which is not told
}

func (r *rascal) house(t *testing.T) *house {
	h := &house{t: t, r: r, store: memory.New(), p: r.plan(t), well: slow(90 * time.Second).Plan()}
	if strings.HasPrefix(r.at, "Flow.") || strings.HasPrefix(r.at, "Result.") {
		h.p = r.flow(t)
	}
	h.desk = newRuntime(t, fermata.Options{Store: h.store})
	return h
}

func (r *rascal) options(h *house) fermata.Options {
	leases, _ := h.store.(journal.Leaser)
	o := fermata.Options{
		Store: &rascalStore{h.store, leases, r}, Observer: r, Cache: r, Services: []any{r.model()}, Logger: slog.New(rascalLog{r}),
		Plans: func(_ context.Context, run fermata.RunInfo) (*plan.Plan, error) {
			if run.Plan == h.well.Name() {
				return h.well, nil
			}
			r.does("Plans")
			return h.p, nil
		},
	}
	if strings.HasPrefix(r.at, "Clock.") {
		o.Clock = rascalClock{r}
	}
	return o
}

func (r *rascal) meet(t *testing.T, worker bool) {
	h := r.house(t)
	rt, err := fermata.New(r.options(h))
	if err != nil {
		t.Fatal(err)
	}
	stop := func() {}
	if worker {
		h.start(h.desk, fermata.Queued())
		r.armed.Store(true)
		stop = r.work(t, rt)
	} else {
		r.armed.Store(r.at == "Follow")
		h.start(rt)
		r.armed.Store(true)
	}
	left := h.reads(rt)
	info := h.settled()
	r.judge(t, h, info, worker)
	if other := h.info("run_well"); other.Status != string(fermata.Completed) {
		t.Errorf("the other run is %s: %s", other.Status, other.Error)
	}
	stop()
	left()
	if err := rt.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// reads reads the other run until the returned function is called.
func (h *house) reads(rt *fermata.Runtime) (leave func()) {
	ctx, cancel := context.WithCancel(h.t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		for ctx.Err() == nil {
			for _, err := range rt.Events(ctx, "run_well", 0, true) {
				_ = err // a reader whose store fails comes back
			}
			time.Sleep(time.Second)
		}
	}()
	return func() {
		cancel()
		<-over
	}
}

// start starts a run of the rascal's, and one beside it.
func (h *house) start(rt *fermata.Runtime, opts ...fermata.StartOption) {
	h.t.Helper()
	input, well := any(&state{}), any(&state{})
	if h.p.Dataflow() != nil {
		var err error
		if input, err = h.p.State().Decode([]byte(`{"Text":"hello"}`)); err != nil {
			h.t.Fatal(err)
		}
	}
	for id, run := range map[string]struct {
		p  *plan.Plan
		in any
	}{"run_rascal": {h.p, input}, "run_well": {h.well, well}} {
		if _, err := rt.Start(h.t.Context(), run.p, run.in, append(opts, fermata.WithID(id))...); err != nil {
			h.t.Fatal(err)
		}
	}
}

// work lets a runtime work until the returned function is called.
func (r *rascal) work(t *testing.T, rt *fermata.Runtime) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		err := errRascal
		defer func() { over <- err }()
		err = rt.Work(ctx, fermata.WorkOptions{
			Took: func(fermata.RunInfo) { r.does("Took") }, Rested: func(fermata.Result) { r.does("Rested") },
		})
	}()
	return func() {
		cancel()
		if err := <-over; err != nil {
			t.Errorf("work: %v", err)
		}
	}
}

func (h *house) info(run string) fermata.RunInfo {
	h.t.Helper()
	info, err := h.desk.Info(h.t.Context(), run)
	if err != nil {
		h.t.Fatal(err)
	}
	return info
}

// settled waits until both runs have ended, an hour at most, and returns how the rascal's stands.
func (h *house) settled() fermata.RunInfo {
	for range 720 {
		time.Sleep(5 * time.Second)
		if one, other := h.info("run_rascal"), h.info("run_well"); one.Ended() && other.Ended() {
			break
		}
	}
	return h.info("run_rascal")
}

// judge checks how the rascal's run came out.
func (r *rascal) judge(t *testing.T, h *house, info fermata.RunInfo, worker bool) {
	t.Helper()
	want := rascals[r.at]
	if r.called.Load() == 0 {
		if worker || !slices.Contains(notLive, r.at) {
			t.Error("nobody has called it")
		}
		want = mustGoOn
	}
	res, err := h.desk.Result(t.Context(), info.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	crash := new(*node.PanicError)
	switch {
	case want == mustGoOn && res.Status != fermata.Completed,
		want == mustFail && res.Status != fermata.Failed,
		want == mustEnd && !res.Status.Ended(),
		want == staysOpen && (info.Ended() || info.Error == ""):
		t.Errorf("it is %s: %s, %v; expected that it %s", info.Status, info.Error, res.Err, want)
	case want == mustFail && r.at != "Catch" && !errors.As(res.Err, crash) && !errors.Is(res.Err, fermata.ErrGoexit):
		t.Errorf("the run has failed with %v", res.Err)
	}
	if t.Failed() {
		t.Log(fmt.Sprintf("called %d times\n", r.called.Load()) + strings.Join(lines(t, h.store, info.ID), "\n"))
	}
}

// A call is one that a program makes, and that calls the program.
type rascalCall struct {
	at   string
	own  bool // what is called is called on the caller's own goroutine, which it may end
	make func(h *house, rt *fermata.Runtime) error
}

func rascalCalls() []rascalCall {
	const id = "run_rascal"
	return []rascalCall{
		{"Result.Given", true, func(h *house, rt *fermata.Runtime) error {
			input, err := h.p.State().Decode([]byte(`{"Text":"hello"}`))
			if err == nil {
				_, err = rt.Start(h.t.Context(), h.p, input)
			}
			return err
		}},
		{"Encode", true, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Start(h.t.Context(), h.p, &state{})
			return err
		}},
		{"Store.Append", false, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Start(h.t.Context(), h.p, &state{})
			return err
		}},
		{"Store.Left", false, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Resume(h.t.Context(), "run_driven", h.p)
			return err
		}},
		{"Store.Read", false, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Resume(h.t.Context(), id, h.p)
			return err
		}},
		{"Store.Read, midway", false, func(h *house, rt *fermata.Runtime) (err error) {
			for _, err = range rt.Events(h.t.Context(), id, 0, false) {
			}
			return err
		}},
		{"Store.Read, midway", false, func(h *house, rt *fermata.Runtime) (err error) {
			for _, err = range rt.History(h.t.Context(), id) {
			}
			return err
		}},
		{"Decode", true, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Fork(h.t.Context(), id, h.p, fermata.ForkOptions{Edit: func(v any) (any, error) { return v, nil }})
			return err
		}},
		{"Edit", true, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Fork(h.t.Context(), id, h.p, fermata.ForkOptions{Edit: func(v any) (any, error) { h.r.does("Edit"); return v, nil }})
			return err
		}},
		{"State", true, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Migrate(h.t.Context(), id, h.p, plan.Migration{
				State: func(old json.RawMessage) (json.RawMessage, error) { h.r.does("State"); return old, nil },
			}, "")
			return err
		}},
		{"MarshalJSON", true, func(h *house, rt *fermata.Runtime) error {
			open, err := h.desk.Inbox(h.t.Context(), journal.InboxFilter{Run: "run_asks"})
			if err != nil || len(open) != 1 {
				h.t.Errorf("open are %v, %v", open, err)
				return err
			}
			return rt.Answer(h.t.Context(), open[0].ID, rascalValue{h.r})
		}},
		{"Plans", false, func(h *house, rt *fermata.Runtime) error {
			all, err := rt.CanResume(h.t.Context(), journal.RunFilter{ID: id}, fermata.ResumeCheck{
				Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { h.r.does("Plans"); return h.p, nil },
			})
			if err == nil && all[0].Verdict == fermata.Refused {
				err = errors.New(all[0].Reason)
			}
			return err
		}},
		{"Store.Inbox", false, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Inbox(h.t.Context(), journal.InboxFilter{})
			return err
		}},
		{"Store.Runs", false, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Runs(h.t.Context(), journal.RunFilter{})
			return err
		}},
		{"Store.Delete", false, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Prune(h.t.Context(), fermata.PruneOptions{})
			return err
		}},
		{"Store.Compact", false, func(h *house, rt *fermata.Runtime) error {
			_, err := rt.Compact(h.t.Context(), fermata.CompactOptions{Run: id})
			return err
		}},
		{"Store.Now", false, func(h *house, _ *fermata.Runtime) error { return h.newOne() }},
		{"Store.Timers", false, func(h *house, _ *fermata.Runtime) error { return h.newOne() }},
		{"yield", true, func(h *house, rt *fermata.Runtime) error {
			var failed error
			for _, err := range rt.Events(h.t.Context(), "run_asks", 0, true) {
				h.r.does("yield")
				failed = err
			}
			return failed
		}},
	}
}

// newOne makes a runtime on the rascal's store.
func (h *house) newOne() error {
	rt, err := fermata.New(h.r.options(h))
	if err == nil {
		err = rt.Close()
	}
	return err
}

// TestN7_ACallFailsThatAFunctionDoesNotReturnFrom calls what calls the program, which panics or ends the goroutine. The call
// fails; where the goroutine is the caller's own and the function has ended it, the caller is gone as it wanted. Whichever:
// nothing is left behind, and other runs and calls go on.
func TestN7_ACallFailsThatAFunctionDoesNotReturnFrom(t *testing.T) {
	for i, c := range rascalCalls() {
		for how, leave := range lawtest.Leavings {
			t.Run(fmt.Sprint(i, " ", c.at, "/", how), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := &rascal{at: c.at, leave: leave}
					if strings.HasPrefix(c.at, "Store.") {
						r.times = 1
					}
					r.call(t, c, how)
				})
			})
		}
	}
}

func (r *rascal) call(t *testing.T, c rascalCall, how string) {
	h := r.house(t)
	driven, err := fermata.New(fermata.Options{Store: h.store})
	if err != nil {
		t.Fatal(err)
	}
	h.start(h.desk)
	other := slow(time.Hour)
	start(t, driven, other, state{}, fermata.WithID("run_driven"))
	start(t, h.desk, single(review()), state{}, fermata.WithID("run_asks"))
	start(t, h.desk, single(logged), state{}, fermata.WithID("run_over"))
	time.Sleep(10 * time.Second)
	if err := h.desk.Close(); err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(r.options(h))
	if err != nil {
		t.Fatal(err)
	}
	h.desk = newRuntime(t, fermata.Options{Store: h.store})
	r.armed.Store(true)
	panicked, err := apart(func() error { return c.make(h, rt) })
	r.armed.Store(false)
	switch {
	case r.called.Load() == 0:
		t.Error("nobody has called it")
	case c.at == "yield" && panicked == nil && how != "ends its goroutine":
		t.Error("the caller's own panic is gone")
	case c.at != "yield" && panicked != nil:
		t.Errorf("the call panics with %v", panicked)
	case err == nil && c.at != "yield", errors.Is(err, errRascal) && !(c.own && how == "ends its goroutine") && c.at != "yield":
		t.Errorf("the call ends with %v", err)
	}
	if c.at == "yield" {
		// who reads on would wait for an answer
	} else if err := c.make(h, rt); err != nil && c.at != "Store.Left" {
		t.Errorf("once more, and nothing happens: %v", err)
	}
	for _, rt := range []*fermata.Runtime{rt, driven} {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
}
