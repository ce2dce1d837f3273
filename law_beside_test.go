package fermata_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// together does steps of several keys at the same time, each of which says something.
func together(ctx node.Context, effects *calls, keys ...string) error {
	var wg sync.WaitGroup
	errs := make([]error, len(keys))
	for i, key := range keys {
		wg.Go(func() {
			_, errs[i] = node.Step(ctx, key, func(ctx node.Context) (int, error) {
				return effects.add(key), node.Emit(ctx, node.EventMessage, key)
			})
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Steps that are done at the same time are each recorded once, wherever the process dies, in whatever order they begin
// and end.
func TestJ5_StepsAtTheSameTime(t *testing.T) {
	for n := 3; n <= 14; n++ {
		for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
			store := memory.New()
			faulty := journaltest.NewFaulty(store)
			var effects calls
			g := single(func(ctx node.Context, s state) (state, error) {
				if err := together(ctx, &effects, "a", "b", "c", "d"); err != nil {
					return s, err
				}
				if _, err := node.Step(ctx, "after", func(node.Context) (int, error) { return effects.add("after"), nil }); err != nil {
					return s, err
				}
				s.Text = "done"
				return s, nil
			})
			faulty.FailAppend(n, mode)
			rt := newRuntime(t, fermata.Options{Store: faulty})
			run := start(t, rt, g, state{})
			res, err := run.Wait(timeLimit(t))
			if err != nil {
				run = resume(t, newRuntime(t, fermata.Options{Store: store}), g, run.ID())
				res = ends(t, run, fermata.Completed)
			}
			if res.State.Text != "done" {
				t.Errorf("append %d: the run is %s: %v", n, res.Status, res.Err)
			}
			recorded := make(map[string]int)
			for _, l := range lines(t, store, run.ID()) {
				if strings.HasPrefix(l, "step.finished") {
					recorded[strings.Fields(l)[2]]++
				}
			}
			want := map[string]int{"step:a#1": 1, "step:b#1": 1, "step:c#1": 1, "step:d#1": 1, "step:after#1": 1}
			if diff := cmp.Diff(want, recorded); diff != "" {
				t.Errorf("append %d: recorded steps (-want +got):\n%s", n, diff)
			}
			for key, did := range effects.all() {
				if did > 2 {
					t.Errorf("append %d: %s was done %d times", n, key, did)
				}
			}
			said := make(map[string]int)
			for _, m := range messages(t, store, run.ID()) {
				said[m]++
			}
			if diff := cmp.Diff(map[string]int{`"a"`: 1, `"b"`: 1, `"c"`: 1, `"d"`: 1}, said); diff != "" {
				t.Errorf("append %d: messages (-want +got):\n%s", n, diff)
			}
		}
	}
}

// Steps that are done at the same time keep their records through waits, and a step that goes missing is still seen.
func TestN3_AMissingStepBesideOthers(t *testing.T) {
	tests := map[string]struct {
		then []string
		ok   bool
	}{
		"all of them":  {[]string{"c", "a", "b"}, true},
		"one is gone":  {[]string{"a", "c"}, false},
		"one is added": {[]string{"a", "b", "c", "d"}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rt, _ := inMemory(t)
			var effects calls
			passes := 0
			hold := make(chan struct{})
			run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
				keys := tt.then
				if passes++; passes == 1 {
					keys = []string{"a", "b", "c"}
				}
				var wg sync.WaitGroup
				begun := make(chan struct{}, len(keys))
				errs := make([]error, len(keys))
				for i, key := range keys {
					wg.Go(func() {
						_, errs[i] = node.Step(ctx, key, func(node.Context) (int, error) {
							begun <- struct{}{}
							<-hold
							return effects.add(key), nil
						})
					})
				}
				if passes == 1 {
					for range keys {
						<-begun
					}
					close(hold) // all are under way now
				}
				wg.Wait()
				if err := errors.Join(errs...); err != nil {
					return s, err
				}
				_, err := node.Interrupt[bool](ctx, nil)
				return s, err
			}), state{})
			answer(t, rt, question(t, run).ID, true)
			res := wait(t, run)
			if tt.ok != (res.Status == fermata.Completed) || tt.ok == errors.Is(res.Err, fermata.ErrDiverged) {
				t.Errorf("the run is %s: %v", res.Status, res.Err)
			}
			if tt.ok {
				if diff := cmp.Diff([]string{"a: 1", "b: 1", "c: 1"}, effects.lines()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// Which of several steps comes first may be another each time: a process that dies after the first is no divergence.
func TestN3_TheOrderOfStepsAtTheSameTimeMayVary(t *testing.T) {
	store := memory.New()
	faulty := journaltest.NewFaulty(store)
	faulty.FailAppend(4, journaltest.Before) // after the outline, the start, and the first of the steps
	first := "a"
	var effects calls
	g := single(func(ctx node.Context, s state) (state, error) {
		did := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for i, key := range []string{"a", "b"} {
			wg.Go(func() {
				defer close(did[key])
				if key != first {
					<-did[first] // as the scheduler may have it
				}
				_, errs[i] = node.Step(ctx, key, func(node.Context) (int, error) { return effects.add(key), nil })
			})
		}
		wg.Wait()
		return s, errors.Join(errs...)
	})
	run := start(t, newRuntime(t, fermata.Options{Store: faulty}), g, state{})
	if _, err := run.Wait(timeLimit(t)); err == nil {
		t.Fatal("no append failed")
	}
	first = "b"
	res := wait(t, resume(t, newRuntime(t, fermata.Options{Store: store}), g, run.ID()))
	if res.Status != fermata.Completed {
		t.Errorf("the run is %s: %v", res.Status, res.Err)
	}
	if diff := cmp.Diff([]string{"a: 1", "b: 2"}, effects.lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is streamed at the same time is put together by its segments.
func TestE4_StreamsAtTheSameTime(t *testing.T) {
	rt, _ := inMemory(t)
	hold := newGate()
	g := graph.New[state]("streams").
		Node("a", func(ctx node.Context, s state) (state, error) {
			if err := hold.pass(ctx); err != nil {
				return s, err
			}
			var wg sync.WaitGroup
			errs := make([]error, 4)
			for i := range errs {
				wg.Go(func() {
					_, errs[i] = node.Step(ctx, fmt.Sprint("model", i), func(ctx node.Context) (int, error) {
						stream, err := node.Stream(ctx, "answer")
						if err != nil {
							return 0, err
						}
						for j := range 200 {
							if err := stream.Write(fmt.Sprint(i, ":", j, " ")); err != nil {
								return 0, err
							}
						}
						return i, stream.Close()
					})
				})
			}
			wg.Wait()
			return s, errors.Join(errs...)
		}).
		Edge(graph.Start, "a").MustCompile()
	run := start(t, rt, g, state{})
	w := watch(t, rt, run.ID(), 0)
	hold.waitEntered(t)
	close(hold.open)
	ends(t, run, fermata.Completed)
	events := w.ended(t)
	durable(t, events, 0)
	got := make(map[string]bool)
	for _, text := range streamed(t, events) {
		got[text] = true
	}
	for i := range 4 {
		var want strings.Builder
		for j := range 200 {
			fmt.Fprint(&want, i, ":", j, " ")
		}
		if !got[want.String()] {
			t.Errorf("the text of stream %d is not among the %d that were put together", i, len(got))
		}
	}
}
